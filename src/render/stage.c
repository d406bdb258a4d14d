/* Sets up what one panel shows. */
#include "render/stage.h"
#include "base/memory.h"

#include <string.h>

/* Scene points that the framing looks at, at most. */
enum { MAX_SCENE_POINTS = 50000, VIEW_TESTS = 240 };

/* ---- the scene's part ---- */

static hf_colour object_colour(const hf_object_view* o, int index) {
    static const uint32_t palette[] = {0xdccfbd, 0xc9d3d2, 0xd6c3ae, 0xcdd2dc, 0xd3d3c2, 0xd9c9c6};
    if (o->grip) return hf_colour_hex(0xb59a7a);
    if (o->movable) return hf_colour_hex(0xe0b872);
    return hf_colour_hex(palette[index % 6]);
}

static bool has_shell(const hf_object_view* o) {
    for (int i = 0; i < o->piece_count; i++)
        if (o->solidity[i] < 0) return true;
    return false;
}

/* A copy of the scene without the triangles of shells, for shadows. */
static hf_status build_casters(hf_stage* stage) {
    const hf_scene* scene = hf_placement_scene(stage->scene);
    int count = hf_scene_object_count(scene);
    hf_object_def* defs = hf_alloc((size_t)count, sizeof *defs);
    if (!defs) return HF_ERROR_MEMORY;
    hf_status status = HF_OK;
    for (int i = 0; i < count && status == HF_OK; i++) {
        hf_object_view o = hf_scene_object(scene, i);
        defs[i] = hf_object_def_default();
        defs[i].name = o.name;
        defs[i].start = hf_placement_pose(stage->scene, i);
        defs[i].mesh = o.mesh;
        defs[i].mesh.triangle_count = 0;
        defs[i].mesh.indices = hf_alloc((size_t)o.mesh.triangle_count * 3, sizeof *o.mesh.indices);
        if (!defs[i].mesh.indices) status = HF_ERROR_MEMORY;
        for (int t = 0; t < o.mesh.triangle_count && status == HF_OK; t++)
            if (o.solidity[o.piece_of[t]] >= 0)
                memcpy(defs[i].mesh.indices + 3 * (size_t)defs[i].mesh.triangle_count++,
                       o.mesh.indices + 3 * (size_t)t, 3 * sizeof *o.mesh.indices);
    }
    if (status == HF_OK) status = hf_scene_build(defs, count, &stage->caster_scene, NULL);
    if (status == HF_OK) status = hf_placement_create(stage->caster_scene, &stage->casters);
    for (int i = 0; i < count; i++) hf_free(defs[i].mesh.indices);
    hf_free(defs);
    return status;
}

static hf_status take_scene(hf_stage* stage) {
    const hf_scene* scene = hf_placement_scene(stage->scene);
    int count = hf_scene_object_count(scene);
    bool any = false;
    stage->colours = hf_alloc((size_t)count, sizeof *stage->colours);
    stage->has_shell = hf_alloc((size_t)count, sizeof *stage->has_shell);
    if (!stage->colours || !stage->has_shell) return HF_ERROR_MEMORY;
    for (int i = 0; i < count; i++) {
        hf_object_view o = hf_scene_object(scene, i);
        stage->colours[i] = object_colour(&o, i);
        if (i == stage->marked_object)
            stage->colours[i] = hf_colour_mix(stage->colours[i], hf_mark_colour(), 0.35f);
        stage->has_shell[i] = has_shell(&o);
        any |= stage->has_shell[i];
    }
    return any ? build_casters(stage) : HF_OK;
}

/* Calls `visit` for some vertices of the scene, evenly chosen when there are many. */
static void visit_scene(const hf_stage* stage, void (*visit)(void*, hf_vec3), void* user) {
    if (!stage->scene) return;
    const hf_scene* scene = hf_placement_scene(stage->scene);
    int count = hf_scene_object_count(scene);
    int64_t total = 0;
    for (int i = 0; i < count; i++) total += hf_scene_object(scene, i).mesh.vertex_count;
    int64_t step = total / MAX_SCENE_POINTS + 1;
    for (int i = 0; i < count; i++) {
        hf_object_view o = hf_scene_object(scene, i);
        hf_transform pose = hf_placement_pose(stage->scene, i);
        for (int64_t k = 0; k < o.mesh.vertex_count; k += step) {
            const float* v = o.mesh.vertices + 3 * k;
            visit(user, hf_apply(pose, hf_v3(v[0], v[1], v[2])));
        }
    }
}

typedef struct bounds {
    hf_vec3 low, high;
} bounds;

static void grow_bounds(void* user, hf_vec3 p) {
    bounds* b = user;
    b->low = hf_v3(fmin(b->low.x, p.x), fmin(b->low.y, p.y), fmin(b->low.z, p.z));
    b->high = hf_v3(fmax(b->high.x, p.x), fmax(b->high.y, p.y), fmax(b->high.z, p.z));
}

static bounds scene_bounds(const hf_stage* stage) {
    bounds b = {hf_v3(INFINITY, INFINITY, INFINITY), hf_v3(-INFINITY, -INFINITY, -INFINITY)};
    visit_scene(stage, grow_bounds, &b);
    return b;
}

/* ---- build ---- */

static void find_size_and_ground(hf_stage* stage, const hf_picture_moment* moment,
                                 const hf_picture_options* options) {
    bounds b = scene_bounds(stage);
    if (stage->figure.count > 0) {
        const hf_creature_view* v = hf_creature_get(moment->creature);
        stage->size = v->height > 0 ? v->height : 2 * stage->figure.radius;
        /* A spider is flat: its width counts too. */
        stage->size = fmax(stage->size, 0.8 * stage->figure.radius);
        grow_bounds(&b, stage->figure.low);
    } else {
        stage->size = b.low.x <= b.high.x ? 0.4 * hf_distance(b.low, b.high) : 1;
    }
    if (!(stage->size > 1e-6)) stage->size = 1;
    stage->ground = options->ground;
    stage->ground_z = options->ground_z;
    if (isnan(stage->ground_z)) stage->ground_z = isfinite(b.low.z) ? b.low.z - 0.001 * stage->size : 0;
}

/* The whole kilometres of a place: floats hold what is within half of one to 0.03 mm. */
static hf_vec3 kilometres(hf_vec3 p) {
    return hf_v3(1000 * round(p.x / 1000), 1000 * round(p.y / 1000), 1000 * round(p.z / 1000));
}

hf_status hf_stage_fill(hf_stage* stage, const hf_picture_moment* moment, const hf_picture_options* options,
                        hf_figure_reach* reach) {
    *stage = (hf_stage){.scene = moment->placement,
                        .marked_object = moment->mark ? moment->mark->object : -1,
                        .has_place = moment->mark && moment->mark->has_place};
    if (stage->has_place) stage->place = moment->mark->place;
    if (moment->creature) stage->figure.origin = kilometres(moment->pose->root.position);
    stage->marks.origin = stage->ghosts.origin = stage->figure.origin;
    hf_status status = moment->creature ? hf_figure_add_creature(&stage->figure, moment) : HF_OK;
    if (status != HF_OK) return status;
    hf_layer_measure(&stage->figure);
    find_size_and_ground(stage, moment, options);
    status = hf_figure_add_marks(&stage->marks, moment, &stage->figure, options->task, stage->size);
    if (status == HF_OK && options->reach_volumes && moment->creature)
        status = hf_figure_add_reach(&stage->ghosts, moment, reach);
    hf_layer_measure(&stage->marks);
    hf_layer_measure(&stage->ghosts);
    return status;
}

hf_status hf_stage_build(hf_stage* stage) {
    hf_status status = stage->scene ? take_scene(stage) : HF_OK;
    if (status == HF_OK) status = hf_layer_build(&stage->figure);
    if (status == HF_OK) status = hf_layer_build(&stage->marks);
    return status == HF_OK ? hf_layer_build(&stage->ghosts) : status;
}

void hf_stage_free(hf_stage* stage) {
    hf_free(stage->has_shell);
    hf_free(stage->colours);
    hf_placement_free(stage->casters);
    hf_scene_free(stage->caster_scene);
    hf_layer_free(&stage->figure);
    hf_layer_free(&stage->marks);
    hf_layer_free(&stage->ghosts);
    *stage = (hf_stage){0};
}

/* ---- framing ---- */

typedef struct point_list {
    hf_vec3* items;
    int count, capacity;
    bool failed;
    hf_vec3 low, high; /* of what is near the creature */
} point_list;

static void add_point(point_list* list, hf_vec3 p) {
    if (list->failed || !HF_GROW(list->items, list->capacity, list->count))
        list->failed = true;
    else
        list->items[list->count++] = p;
}

static void add_near_point(void* user, hf_vec3 p) {
    point_list* list = user;
    if (p.x >= list->low.x && p.x <= list->high.x && p.y >= list->low.y && p.y <= list->high.y &&
        p.z >= list->low.z && p.z <= list->high.z)
        add_point(list, p);
}

static void add_layer_points(point_list* list, const hf_layer* layer) {
    for (int i = 0; i < layer->mesh.vertex_count; i++) add_point(list, hf_layer_vertex(layer, i));
}

/* The creature with its marks and what of the scene is near it; a scene hardly larger than that is shown
   whole, and so is a scene alone. */
hf_status hf_stage_points(const hf_stage* stage, hf_vec3** points, int* count) {
    point_list list = {.low = hf_v3(-INFINITY, -INFINITY, -INFINITY),
                       .high = hf_v3(INFINITY, INFINITY, INFINITY)};
    const hf_layer* f = &stage->figure;
    if (f->count > 0) {
        bounds b = scene_bounds(stage);
        double near = 0.35 * stage->size;
        hf_vec3 room = hf_v3(near, near, near);
        bool small = hf_distance(b.low, b.high) < 4 * f->radius;
        if (!small) list.low = hf_sub(f->low, room), list.high = hf_add(f->high, room);
    }
    visit_scene(stage, add_near_point, &list);
    add_layer_points(&list, f);
    add_layer_points(&list, &stage->marks);
    add_layer_points(&list, &stage->ghosts);
    if (list.failed) {
        hf_free(list.items);
        list = (point_list){.failed = true};
    }
    *points = list.items;
    *count = list.count;
    return list.failed ? HF_ERROR_MEMORY : HF_OK;
}

/* ---- cutting walls open ---- */

double hf_stage_hidden(const hf_stage* stage, const hf_camera* camera) {
    if (!stage->scene) return 0;
    int hidden = 0, tested = 0, step = stage->figure.mesh.vertex_count / VIEW_TESTS + 1;
    for (int i = 0; i < stage->figure.mesh.vertex_count; i += step, tested++) {
        hf_vec3 d = hf_sub(hf_layer_vertex(&stage->figure, i), camera->eye);
        double distance = hf_length(d) - 0.02 * stage->size;
        const hf_placement* walls = stage->casters ? stage->casters : stage->scene;
        if (distance > 0 && hf_placement_occluded(walls, camera->eye, hf_normalize(d), distance)) hidden++;
    }
    return tested > 0 ? (double)hidden / (double)tested : 0;
}

bool hf_stage_hides_place(const hf_stage* stage, const hf_camera* camera) {
    if (!stage->scene || !stage->has_place) return false;
    hf_vec3 d = hf_sub(stage->place, camera->eye);
    double distance = hf_length(d) - 0.05 * stage->size;
    const hf_placement* walls = stage->casters ? stage->casters : stage->scene;
    return distance > 0 && hf_placement_occluded(walls, camera->eye, hf_normalize(d), distance);
}

void hf_stage_look(hf_stage* stage, const hf_camera* camera, double azimuth, int panel_width) {
    stage->camera = *camera;
    stage->pixel = 2 * camera->tan_x / panel_width;
    double elevation = 0.95;
    double side = azimuth + 0.85;
    stage->cut = false;
    if (stage->figure.count > 0 && hf_stage_hidden(stage, camera) > 0.5) {
        stage->cut = true;
        stage->cut_depth =
            hf_dot(hf_sub(stage->figure.centre, camera->eye), camera->forward) - 1.02 * stage->figure.radius;
        /* The light comes in where the wall was. */
        elevation = 0.55, side = azimuth + 0.5;
    }
    stage->light = hf_v3(cos(elevation) * cos(side), cos(elevation) * sin(side), sin(elevation));
}
