/* Pictures of motions, shared by render and the solving commands. */
#include "command.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static bool three_numbers(const char* option, const char* text, hf_vec3* out) {
    char extra;
    if (sscanf(text, "%lf,%lf,%lf%c", &out->x, &out->y, &out->z, &extra) == 3 && isfinite(out->x) &&
        isfinite(out->y) && isfinite(out->z))
        return true;
    complain("%s %s: three numbers X,Y,Z are expected", option, text);
    return false;
}

bool picture_options(const options* o, hf_picture_options* p) {
    *p = hf_picture_options_default();
    p->threads = o->threads;
    char extra;
    if (o->size && (sscanf(o->size, "%dx%d%c", &p->width, &p->height, &extra) != 2 || p->width < 16 ||
                    p->height < 16 || p->width > 8192 || p->height > 8192)) {
        complain("--size %s: WIDTHxHEIGHT from 16x16 to 8192x8192 is expected", o->size);
        return false;
    }
    if (o->samples) p->samples = o->samples;
    if (p->samples != 1 && p->samples != 4 && p->samples != 9 && p->samples != 16) {
        complain("--samples %d: 1, 4, 9 or 16 is expected", p->samples);
        return false;
    }
    if (o->columns) p->columns = o->columns;
    if (!isnan(o->azimuth_deg)) p->azimuth = o->azimuth_deg * 3.14159265358979323846 / 180;
    if (!isnan(o->elevation_deg)) p->elevation = o->elevation_deg * 3.14159265358979323846 / 180;
    p->zoom = o->zoom;
    p->reach_volumes = o->reach;
    p->ground = !o->no_ground;
    if (o->distance_m > 0 && !o->focus) {
        complain("--distance goes with --focus X,Y,Z, the point that the camera looks at");
        return false;
    }
    if (o->focus) {
        p->has_focus = true;
        p->distance = o->distance_m > 0 ? o->distance_m : 4;
        if (!three_numbers("--focus", o->focus, &p->focus)) return false;
    }
    return !o->task || three_numbers("--task", o->task, &p->task);
}

bool picture_fits(const options* o, int panels) {
    hf_picture_options p;
    hf_error error;
    if (!picture_options(o, &p)) return false;
    if (hf_picture_check(&p, panels, &error) == HF_OK) return true;
    complain("--size %s: %s", o->size ? o->size : "1280x720", error.message);
    return false;
}

/* Everything one frame shows. */
typedef struct shot {
    hf_pose pose;
    hf_placement* placement;
    hf_picture_contact* contacts;
    char label[100]; /* of a strip's panel */
} shot;

static hf_status take(const loaded_motion* m, int frame, shot* s, hf_picture_moment* moment,
                      hf_error* error) {
    const hf_motion_frame* f = &m->motion->frames[frame];
    s->pose = (hf_pose){f->root, f->q};
    s->contacts = calloc((size_t)f->contact_count + 1, sizeof *s->contacts);
    hf_status status = s->contacts ? HF_OK : HF_ERROR_MEMORY;
    if (status == HF_OK && m->scene) status = hf_placement_create(m->scene, &s->placement);
    if (status != HF_OK) {
        set_error(error, status);
        return status;
    }
    if (s->placement) hf_motion_place(m->motion, frame, s->placement);
    for (int i = 0; i < f->contact_count; i++)
        s->contacts[i] =
            (hf_picture_contact){f->contacts[i].limb, f->contacts[i].point, f->contacts[i].normal};
    *moment = (hf_picture_moment){.creature = m->creature,
                                  .pose = &s->pose,
                                  .placement = s->placement,
                                  .contacts = s->contacts,
                                  .contact_count = f->contact_count};
    return HF_OK;
}

hf_status draw_motion(const loaded_motion* m, const options* o, const int* frames, int count, hf_vec3 task,
                      const char* path, progress* p, hf_error* error) {
    hf_picture_options wishes;
    picture_options(o, &wishes);
    if (hf_length(task) > 0) wishes.task = task;
    shot* shots = calloc((size_t)count, sizeof *shots);
    hf_picture_moment* moments = calloc((size_t)count, sizeof *moments);
    hf_status status = shots && moments ? HF_OK : HF_ERROR_MEMORY;
    if (status != HF_OK) set_error(error, status);
    for (int i = 0; i < count && status == HF_OK; i++)
        status = take(m, frames[i], &shots[i], &moments[i], error);
    for (int i = 0; i < count && status == HF_OK && count > 1; i++) {
        snprintf(shots[i].label, sizeof shots[i].label, "%.2f s", m->motion->frames[frames[i]].time_s);
        moments[i].label = shots[i].label;
    }
    if (status == HF_OK && m->mark) {
        shot* last = &shots[count - 1];
        snprintf(last->label, sizeof last->label, "%.2f s: %.80s",
                 m->motion->frames[frames[count - 1]].time_s, m->mark_text);
        moments[count - 1].label = last->label;
        moments[count - 1].mark = m->mark;
    }
    hf_picture picture = {0};
    if (status == HF_OK) status = hf_render(moments, count, &wishes, progress_report, p, &picture, error);
    if (status == HF_OK) status = hf_picture_save(&picture, path, error);
    hf_picture_free(&picture);
    for (int i = 0; i < count && shots; i++) {
        hf_placement_free(shots[i].placement);
        free(shots[i].contacts);
    }
    free(shots);
    free(moments);
    return status;
}
