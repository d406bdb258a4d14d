/* holdfast info: what a file holds. */
#include "command.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* How a limb touches, in a few words. */
static void frame_text(const hf_contact_frame* f, char text[120]) {
    if (f->ball > 0)
        snprintf(text, 120, "%.40s (ball of %.1f mm)", f->name, 1000 * f->ball);
    else if (f->patch[0] > 0 || f->patch[1] > 0)
        snprintf(text, 120, "%.40s (%.0f x %.0f mm)", f->name, 1000 * f->patch[0], 1000 * f->patch[1]);
    else
        snprintf(text, 120, "%.40s (point)", f->name);
}

static void print_frames(const hf_limb* limb) {
    for (int i = 0; i < limb->contact_count; i++) {
        char text[120];
        frame_text(&limb->contacts[i], text);
        printf("%s %s", i ? "," : "; contact", text);
    }
}

static json_t* json_frames(const hf_creature_view* c, const hf_limb* limb) {
    json_t* list = json_array();
    for (int i = 0; i < limb->contact_count; i++) {
        const hf_contact_frame* f = &limb->contacts[i];
        json_t* frame = json_pack("{s:o,s:o,s:[fff],s:[fff]}", "name", json_text(f->name), "link",
                                  json_text(c->links[f->link].name), "offset", f->offset.x, f->offset.y,
                                  f->offset.z, "normal", f->normal.x, f->normal.y, f->normal.z);
        if (f->ball > 0)
            json_object_set_new(frame, "ball", json_real(f->ball));
        else if (f->patch[0] > 0 || f->patch[1] > 0)
            json_object_set_new(frame, "patch", json_pack("[ff]", f->patch[0], f->patch[1]));
        json_array_append_new(list, frame);
    }
    return list;
}

/* The limbs that hold a posture, by name. */
static void print_holds(const hf_creature_view* c, const hf_posture* p) {
    if (p->hold_count == 0) printf(", lies");
    for (int i = 0; i < p->hold_count; i++)
        printf("%s%s", i ? " " : ", by ", c->limbs[p->holds[i].limb].name);
}

static void print_postures(const hf_creature_view* c, const hf_postures* all) {
    for (int i = 0; i < all->count; i++) {
        const hf_posture* p = &all->items[i];
        printf("  posture %-13s root %.2f m high, tilt %.2f rad, room %.2f x %.2f x %.2f m, cost %.2f",
               hf_posture_family_text(p->family), p->pose.root.position.z, p->tilt_rad, p->high.x - p->low.x,
               p->high.y - p->low.y, p->high.z - fmin(0, p->low.z), p->cost);
        print_holds(c, p);
        for (int k = 0; k < all->change_count; k++)
            if (all->changes[k].to == i)
                printf("; from %s at %.2f m", hf_posture_family_text(all->items[all->changes[k].from].family),
                       all->changes[k].at.pose.root.position.z);
        printf("\n");
    }
    for (int f = 0; f < HF_POSTURE_FAMILIES; f++)
        if (all->why[f][0])
            printf("  posture %-13s none: %s\n", hf_posture_family_text((hf_posture_family)f), all->why[f]);
}

static json_t* json_postures(const hf_creature_view* c, const hf_postures* all) {
    json_t* list = json_array();
    for (int i = 0; i < all->count; i++) {
        const hf_posture* p = &all->items[i];
        json_t *limbs = json_array(), *from = json_array();
        for (int h = 0; h < p->hold_count; h++)
            json_array_append_new(limbs, json_text(c->limbs[p->holds[h].limb].name));
        for (int k = 0; k < all->change_count; k++)
            if (all->changes[k].to == i) json_array_append_new(from, json_integer(all->changes[k].from));
        json_array_append_new(list, json_pack("{s:s,s:f,s:f,s:[fff],s:f,s:f,s:o,s:o}", "family",
                                              hf_posture_family_text(p->family), "root_height_m",
                                              p->pose.root.position.z, "tilt_rad", p->tilt_rad, "room_m",
                                              p->high.x - p->low.x, p->high.y - p->low.y,
                                              p->high.z - fmin(0, p->low.z), "cost", p->cost, "margin_m",
                                              p->margin_m, "limbs", limbs, "from", from));
    }
    return list;
}

/* The clips of a glTF file: name, frames and rate of each. */
static json_t* clips_json(const char* path) {
    json_t* clips = json_array();
    int count = 0;
    bool gltf = ends_with(path, ".glb") || ends_with(path, ".gltf");
    if (!gltf || hf_clip_count(path, &count, NULL) != HF_OK) return clips;
    for (int i = 0; i < count; i++) {
        hf_clip_options how = hf_clip_options_default();
        hf_clip* clip = NULL;
        how.number = i;
        if (hf_clip_open(path, &how, &clip, NULL) != HF_OK) continue;
        json_array_append_new(clips, json_pack("{s:o,s:i,s:f}", "name", json_text(clip->name), "frames",
                                               clip->frame_count, "fps", 1 / clip->frame_time_s));
        hf_clip_free(clip);
    }
    return clips;
}

static void print_clips(const char* path) {
    json_t *clips = clips_json(path), *clip;
    size_t i;
    json_array_foreach(clips, i, clip) printf("  clip %-16s %d frames at %.4g per second\n",
                                              json_string_value(json_object_get(clip, "name")),
                                              (int)json_integer_value(json_object_get(clip, "frames")),
                                              json_real_value(json_object_get(clip, "fps")));
    json_decref(clips);
}

static int info_creature(const char* path, const options* o) {
    hf_load_options l = load_options(o);
    hf_creature* creature;
    hf_error error;
    if (hf_creature_load(path, &l, &creature, &error) != HF_OK) return fail_with(&error);
    const hf_creature_view* c = hf_creature_get(creature);
    hf_postures* postures;
    if (hf_creature_postures(creature, NULL, &postures, &error) != HF_OK) {
        hf_creature_free(creature);
        return fail_with(&error);
    }
    /* Movable joints alone, as a motion lists them. */
    int movable = 0;
    for (int j = 0; j < c->joint_count; j++) movable += c->joints[j].q_count > 0;
    if (o->json) {
        json_t* limbs = json_array();
        for (int i = 0; i < c->limb_count; i++) {
            const hf_limb* limb = &c->limbs[i];
            json_array_append_new(limbs,
                                  json_pack("{s:s,s:s,s:s,s:i,s:f,s:b,s:i,s:o}", "name", limb->name, "root",
                                            c->links[limb->root_link].name, "effector",
                                            c->links[limb->effector_link].name, "joints", limb->joint_count,
                                            "length_m", limb->length, "use", limb->use, "contact_frames",
                                            limb->contact_count, "contact", json_frames(c, limb)));
        }
        print_json(json_pack("{s:s,s:o,s:i,s:i,s:f,s:f,s:o,s:o,s:o,s:o}", "kind", "creature", "name",
                             json_text(c->name), "joints", movable, "links", c->link_count, "mass_kg",
                             c->mass, "height_m", c->height, "limbs", limbs, "postures",
                             json_postures(c, postures), "clips", clips_json(path), "warnings",
                             json_strings(c->warnings)));
    } else {
        printf("creature %s: %d link%s, %d joint%s, %.1f kg, %.2f m tall\n", c->name, c->link_count,
               c->link_count == 1 ? "" : "s", movable, movable == 1 ? "" : "s", c->mass, c->height);
        for (int i = 0; i < c->limb_count; i++) {
            const hf_limb* limb = &c->limbs[i];
            printf("  limb %-16s %s to %s, %d joint%s, %.2f m%s", limb->name, c->links[limb->root_link].name,
                   c->links[limb->effector_link].name, limb->joint_count, limb->joint_count == 1 ? "" : "s",
                   limb->length, limb->use ? "" : ", not for contact");
            if (limb->use) print_frames(limb);
            printf("\n");
        }
        print_postures(c, postures);
        print_clips(path);
        warn_all(o, c->warnings);
    }
    hf_postures_free(postures);
    hf_creature_free(creature);
    return EXIT_DONE;
}

/* Bounds of all objects where they start. */
static int scene_figures(const hf_scene* scene, hf_vec3* low, hf_vec3* high) {
    int triangles = 0;
    *low = hf_v3(INFINITY, INFINITY, INFINITY), *high = hf_v3(-INFINITY, -INFINITY, -INFINITY);
    for (int i = 0; i < hf_scene_object_count(scene); i++) {
        hf_object_view v = hf_scene_object(scene, i);
        triangles += v.mesh.triangle_count;
        for (int k = 0; k < v.mesh.vertex_count; k++) {
            const float* f = v.mesh.vertices + 3 * k;
            hf_vec3 p = hf_apply(v.start, hf_v3((double)f[0], (double)f[1], (double)f[2]));
            *low = hf_v3(fmin(low->x, p.x), fmin(low->y, p.y), fmin(low->z, p.z));
            *high = hf_v3(fmax(high->x, p.x), fmax(high->y, p.y), fmax(high->z, p.z));
        }
    }
    if (low->x > high->x) *low = *high = hf_v3(0, 0, 0);
    return triangles;
}

/* The lines of a text, which they end in place; free the items. */
static hf_strings split_lines(char* text) {
    const char** items = NULL;
    int count = 0;
    char* state = NULL;
    for (char* line = text ? strtok_r(text, "\n", &state) : NULL; line; line = strtok_r(NULL, "\n", &state)) {
        const char** more = realloc(items, sizeof *items * (size_t)(count + 1));
        if (!more) break;
        items = more;
        items[count++] = line;
    }
    return (hf_strings){count, items};
}

/* Says beforehand that it takes a while. */
static void note_large(const char* path, const options* o) {
    static const double LARGE_BYTES = 1e8; /* some seconds */
    struct stat info;
    if (stat(path, &info) == 0 && (double)info.st_size > LARGE_BYTES)
        note(o, "reading %s: %.1f GB, which may take a minute and five times as much memory", path,
             1e-9 * (double)info.st_size);
}

static int info_scene(const char* path, const options* o) {
    hf_scene* scene;
    hf_error error;
    char* text = NULL;
    note_large(path, o);
    if (hf_scene_load_mesh(path, &scene, &text, &error) != HF_OK) return fail_with(&error);
    hf_strings warnings = split_lines(text);
    hf_vec3 low, high;
    int triangles = scene_figures(scene, &low, &high), objects = hf_scene_object_count(scene);
    if (o->json) {
        print_json(json_pack("{s:s,s:i,s:i,s:[o,o],s:o}", "kind", "scene", "objects", objects, "triangles",
                             triangles, "bounds", json_vec3(low), json_vec3(high), "warnings",
                             json_strings(warnings)));
    } else {
        printf("scene: %d object%s, %d triangle%s, from %.2f %.2f %.2f to %.2f %.2f %.2f m\n", objects,
               objects == 1 ? "" : "s", triangles, triangles == 1 ? "" : "s", low.x, low.y, low.z, high.x,
               high.y, high.z);
        hf_object_view v = hf_scene_object(scene, 0);
        int solid = 0;
        for (int i = 0; i < v.piece_count; i++) solid += v.solidity[i] != 0;
        printf("  %d connected piece%s, %d watertight\n", v.piece_count, v.piece_count == 1 ? "" : "s",
               solid);
        warn_all(o, warnings);
    }
    free((void*)warnings.items);
    hf_text_free(text);
    hf_scene_free(scene);
    return EXIT_DONE;
}

static int info_clip(const char* path, const options* o) {
    hf_clip* clip;
    hf_error error;
    hf_clip_options how;
    if (!clip_options(o, &how)) return EXIT_USAGE;
    if (hf_clip_open(path, &how, &clip, &error) != HF_OK) return fail_with(&error);
    hf_strings warnings = {clip->warning_count, (const char* const*)clip->warnings};
    int joints = 0;
    for (int i = 0; i < clip->joint_count; i++) joints += !clip->joints[i].end_site;
    double fps = clip->frame_time_s > 0 ? 1 / clip->frame_time_s : 0;
    if (o->json) {
        print_json(json_pack("{s:s,s:i,s:i,s:f,s:f,s:f,s:f,s:b,s:o}", "kind", "clip", "joints", joints,
                             "frames", clip->frame_count, "fps", fps, "unit_m", clip->unit_m, "height_m",
                             clip->height_m, "fit_m", clip->fit_m, "unit_guessed", clip->unit_guessed,
                             "warnings", json_strings(warnings)));
    } else {
        printf("clip: %d joints, %d frames at %.4g per second (%.1f s), unit %.5g m%s, %.2f m tall\n", joints,
               clip->frame_count, fps, clip->frame_count * clip->frame_time_s, clip->unit_m,
               clip->unit_guessed ? " (guessed)" : "", clip->height_m);
        if (clip->fit_m > 0)
            printf("  bones of constant length fit the positions within %.1f mm\n", 1e3 * clip->fit_m);
        warn_all(o, warnings);
    }
    hf_clip_free(clip);
    return EXIT_DONE;
}

static int info_scenario(const char* path, const options* o) {
    hf_load_options l = load_options(o);
    hf_scenario* s;
    hf_error error;
    if (hf_scenario_load(path, &l, &s, &error) != HF_OK) return fail_with(&error);
    hf_vec3 low, high;
    int triangles = scene_figures(s->scene, &low, &high), objects = hf_scene_object_count(s->scene);
    if (o->json) {
        json_t* warnings = json_strings(hf_creature_get(s->creature)->warnings);
        json_t* own = json_strings((hf_strings){s->warning_count, (const char* const*)s->warnings});
        json_array_extend(warnings, own);
        json_decref(own);
        print_json(json_pack("{s:s,s:o,s:s,s:s,s:i,s:i,s:[o,o],s:i,s:i,s:o}", "kind", "scenario", "name",
                             json_text(s->name), "task", hf_scenario_kind_text(s->kind), "creature",
                             hf_creature_get(s->creature)->name, "objects", objects, "triangles", triangles,
                             "bounds", json_vec3(low), json_vec3(high), "targets", s->target_count, "tasks",
                             s->task_count, "warnings", warnings));
    } else {
        printf("scenario %s (%s): creature %s, %d object%s of %d triangles\n", s->name,
               hf_scenario_kind_text(s->kind), hf_creature_get(s->creature)->name, objects,
               objects == 1 ? "" : "s", triangles);
        for (int i = 0; i < objects; i++) {
            hf_object_view v = hf_scene_object(s->scene, i);
            printf("  object %-14s %d triangles, friction %.2g%s%s%s\n", v.name, v.mesh.triangle_count,
                   v.friction, v.contact ? "" : ", no contact", v.movable ? ", movable" : "",
                   v.grip ? ", grip" : "");
        }
        warn_scenario(o, s);
    }
    hf_scenario_free(s);
    return EXIT_DONE;
}

static int info_motion(const char* path, const options* o) {
    hf_motion* m;
    hf_error error;
    if (hf_motion_load(path, &m, &error) != HF_OK) return fail_with(&error);
    double length = m->frame_count ? m->frames[m->frame_count - 1].time_s - m->frames[0].time_s : 0;
    double fps = length > 0 ? (m->frame_count - 1) / length : 0;
    int stances = 0;
    for (int i = 0; i < m->frame_count; i++) stances += m->frames[i].stance;
    if (o->json) {
        print_json(json_pack("{s:s,s:o,s:o?,s:s,s:i,s:f,s:f,s:i,s:i,s:i,s:[]}", "kind", "motion", "creature",
                             json_text(m->creature), "scenario", m->scenario ? json_text(m->scenario) : NULL,
                             "outcome", m->outcome, "frames", m->frame_count, "fps", fps, "duration_s",
                             length, "joints", m->joint_count, "limbs", m->limb_count, "stances", stances,
                             "warnings"));
    } else {
        printf("motion (%s): %d frame%s in %.2f s, %d joints, %d limbs, %d stances\n  creature %s\n",
               m->outcome, m->frame_count, m->frame_count == 1 ? "" : "s", length, m->joint_count,
               m->limb_count, stances, m->creature);
        if (m->scenario) printf("  scenario %s\n", m->scenario);
    }
    hf_motion_free(m);
    return EXIT_DONE;
}

/* The holds of each limb that has some. */
static json_t* limb_holds(const hf_schedule* s, const hf_creature_view* c, bool print) {
    json_t* list = json_array();
    for (int limb = 0; limb < c->limb_count; limb++) {
        int count = 0;
        double held_s = 0;
        for (int i = 0; i < s->hold_count; i++) {
            if (s->holds[i].hold.limb != limb) continue;
            count++;
            held_s += s->holds[i].to_s - s->holds[i].from_s;
        }
        if (!count) continue;
        if (print)
            printf("  limb %-16s %d hold%s, %.2f s\n", c->limbs[limb].name, count, count == 1 ? "" : "s",
                   held_s);
        json_array_append_new(list, json_pack("{s:o,s:i,s:f}", "name", json_text(c->limbs[limb].name),
                                              "holds", count, "held_s", held_s));
    }
    return list;
}

static int info_schedule(const char* path, const options* o) {
    loaded_schedule l;
    hf_error error = {0};
    if (load_schedule(path, o, &l, &error) != HF_OK) return fail_with(&error);
    const hf_schedule* s = l.schedule;
    const hf_creature_view* c = hf_creature_get(l.creature);
    double length = s->knots[s->knot_count - 1].time_s;
    int stances = 0;
    for (int i = 0; i < s->knot_count; i++) stances += s->knots[i].stance;
    if (!o->json) {
        printf("schedule (%s): %d knot%s in %.2f s at %.4g frames a second, %d hold%s, %d stance%s\n",
               s->outcome, s->knot_count, s->knot_count == 1 ? "" : "s", length, s->rate, s->hold_count,
               s->hold_count == 1 ? "" : "s", stances, stances == 1 ? "" : "s");
        printf("  creature %s\n", c->path ? c->path : c->name);
        if (s->scenario) printf("  scenario %s\n", s->scenario);
    }
    json_t* limbs = limb_holds(s, c, !o->json);
    if (o->json)
        print_json(json_pack("{s:s,s:o?,s:o?,s:s,s:i,s:i,s:f,s:f,s:i,s:o,s:[]}", "kind", "schedule",
                             "creature", s->creature ? json_text(s->creature) : NULL, "scenario",
                             s->scenario ? json_text(s->scenario) : NULL, "outcome", s->outcome, "knots",
                             s->knot_count, "holds", s->hold_count, "duration_s", length, "rate", s->rate,
                             "stances", stances, "limbs", limbs, "warnings"));
    else
        json_decref(limbs);
    free_schedule(&l);
    return EXIT_DONE;
}

static int info_roadmap(const char* path, const options* o) {
    hf_roadmap* roadmap;
    hf_error error;
    if (hf_roadmap_load(path, &roadmap, &error) != HF_OK) return fail_with(&error);
    say_roadmap(o, roadmap, path);
    hf_roadmap_free(roadmap);
    return EXIT_DONE;
}

static int list_everything(const options* o) {
    json_t* all = json_object();
    static const char* const folders[] = {"scenarios", "creatures", "scenes"};
    static const char* const endings[] = {".scenario.json", ".creature.json", ".obj"};
    for (int k = 0; k < 3; k++) {
        int count;
        char** names = list_shipped(folders[k], endings[k], &count);
        if (!o->json) printf("%s:\n", folders[k]);
        for (int i = 0; i < count && !o->json; i++) printf("  %s\n", names[i]);
        json_object_set_new(all, folders[k], json_strings((hf_strings){count, (const char* const*)names}));
        free_names(names, count);
    }
    if (o->json)
        print_json(all);
    else
        json_decref(all);
    return EXIT_DONE;
}

int run_info(const options* o) {
    if (!o->file) return list_everything(o);
    char* path = find_file(o->file);
    if (!path) return EXIT_BAD_INPUT;
    int code = EXIT_BAD_INPUT;
    file_kind kind = o->clip ? FILE_CLIP : kind_of(path);
    const char* option = o->creature ? "--creature" : o->scenario ? "--scenario" : NULL;
    if (option && kind != FILE_SCHEDULE) {
        complain("of info, %s goes with a schedule, and %s is %s", option, path, kind_text(kind));
        free(path);
        return EXIT_USAGE;
    }
    switch (kind) {
    case FILE_CREATURE:
        code = info_creature(path, o);
        break;
    case FILE_SCENE:
        code = info_scene(path, o);
        break;
    case FILE_CLIP:
        code = info_clip(path, o);
        break;
    case FILE_SCENARIO:
        code = info_scenario(path, o);
        break;
    case FILE_MOTION:
        code = info_motion(path, o);
        break;
    case FILE_SCHEDULE:
        code = info_schedule(path, o);
        break;
    case FILE_ROADMAP:
        code = info_roadmap(path, o);
        break;
    case FILE_UNKNOWN:
        unknown_kind(path);
        break;
    }
    free(path);
    return code;
}
