/* Rays through a stage: the nearest of scene, creature and ground, and what lies over it. */
#include "render/stage.h"

static const double FAR_AWAY = 1e7; /* m */
/* Walls seen through one after the other. */
enum { MAX_WALLS = 64 };
/* A mark behind something shines through by this much; a reach volume's sides add this much each. */
static const float MARK_SHINE = 0.4f;
static const float GHOST_SHINE = 0.13f;

/* Where a ray from the eye may first hit the scene. */
static double scene_start(const hf_stage* stage, hf_vec3 direction) {
    if (!stage->cut || stage->cut_depth <= 0) return 0;
    return stage->cut_depth / hf_dot(direction, stage->camera.forward);
}

static bool is_near_wall(const hf_stage* stage, const hf_surface* s, hf_vec3 direction) {
    if (!stage->has_shell[s->object]) return false;
    hf_object_view o = hf_scene_object(hf_placement_scene(stage->scene), s->object);
    return o.solidity[o.piece_of[s->triangle]] < 0 && hf_dot(s->normal, direction) > 0;
}

/* Goes on behind near walls of shells. */
static bool pass_walls(const hf_stage* stage, hf_vec3 direction, double reach, hf_surface* s) {
    for (int i = 0; i < MAX_WALLS && is_near_wall(stage, s, direction); i++) {
        double start = s->distance + 1e-5 * (stage->size + s->distance);
        hf_vec3 from = hf_add(stage->camera.eye, hf_scale(direction, start));
        if (!(start < reach) || !hf_placement_ray(stage->scene, from, direction, reach - start, s))
            return false;
        s->distance += start;
    }
    return true;
}

static void take_scene_hit(const hf_stage* stage, const hf_surface* s, hf_vec3 direction, hf_hit* hit) {
    hit->kind = HF_LAYER_SCENE;
    hit->object = s->object;
    hit->distance = s->distance;
    hit->point = s->point;
    bool behind = hf_dot(s->normal, direction) > 0;
    hit->face = hit->normal = behind ? hf_neg(s->normal) : s->normal;
    hit->colour = stage->colours[s->object];
}

static void trace_scene(const hf_stage* stage, const hf_vec3 d[8], hf_hit hits[8]) {
    hf_vec3 from[8];
    double reach[8], start[8];
    bool found[8] = {false};
    hf_surface s[8];
    for (int i = 0; i < 8; i++) {
        start[i] = scene_start(stage, d[i]);
        from[i] = hf_add(stage->camera.eye, hf_scale(d[i], start[i]));
        reach[i] = FAR_AWAY;
    }
    hf_placement_ray8(stage->scene, from, d, reach, found, s);
    for (int i = 0; i < 8; i++) {
        if (start[i] > 0 && hf_placement_inside(stage->scene, from[i], &hits[i].object)) {
            hits[i].kind = HF_LAYER_SCENE;
            hits[i].distance = start[i];
            hits[i].section = true;
            continue;
        }
        if (!found[i]) continue;
        s[i].distance += start[i];
        if (pass_walls(stage, d[i], FAR_AWAY, &s[i])) take_scene_hit(stage, &s[i], d[i], &hits[i]);
    }
}

/* Does the ray meet the ball before `reach`? */
static bool meets_ball(const hf_layer* layer, hf_vec3 from, hf_vec3 d, double reach) {
    hf_vec3 c = hf_sub(layer->centre, from);
    double along = hf_dot(c, d), square = hf_dot(c, c), r = layer->radius * layer->radius;
    if (square <= r) return true;
    return along > 0 && square - along * along <= r && along - layer->radius <= reach;
}

static void trace_figure(const hf_stage* stage, const hf_vec3 d[8], hf_hit hits[8]) {
    hf_vec3 from[8];
    double reach[8];
    bool found[8] = {false}, any = false;
    hf_surface s[8];
    for (int i = 0; i < 8; i++) {
        from[i] = stage->camera.eye;
        reach[i] = hits[i].kind ? hits[i].distance : FAR_AWAY;
        any |= meets_ball(&stage->figure, from[i], d[i], reach[i]);
    }
    if (!any) return;
    hf_placement_ray8(stage->figure.placement, from, d, reach, found, s);
    for (int i = 0; i < 8; i++) {
        if (!found[i]) continue;
        hf_hit* h = &hits[i];
        h->kind = HF_LAYER_FIGURE;
        h->object = stage->figure.part_of[s[i].triangle];
        h->distance = s[i].distance;
        h->point = s[i].point;
        h->face = hf_dot(s[i].normal, d[i]) > 0 ? hf_neg(s[i].normal) : s[i].normal;
        h->normal = hf_layer_normal(&stage->figure, &s[i]);
        if (hf_dot(h->normal, h->face) < 0) h->normal = hf_neg(h->normal);
        h->colour = stage->figure.colours[h->object];
        h->section = false;
    }
}

static void trace_ground(const hf_stage* stage, const hf_vec3 d[8], hf_hit hits[8]) {
    double height = stage->camera.eye.z - stage->ground_z;
    if (!stage->ground || height <= 0) return; /* from below one looks through it */
    for (int i = 0; i < 8; i++) {
        if (d[i].z >= 0) continue;
        double t = -height / d[i].z;
        if (hits[i].kind && hits[i].distance <= t) continue;
        hf_vec3 up = hf_v3(0, 0, 1), p = hf_add(stage->camera.eye, hf_scale(d[i], t));
        hits[i] = (hf_hit){
            .kind = HF_LAYER_GROUND, .distance = t, .point = p, .face = up, .normal = up, .transparent = 1};
    }
}

/* Marks lie in no shadow and shine through what is before them. */
static void trace_marks(const hf_stage* stage, const hf_vec3 d[8], hf_hit hits[8]) {
    for (int i = 0; i < 8; i++) {
        hf_surface s;
        if (!meets_ball(&stage->marks, stage->camera.eye, d[i], FAR_AWAY) ||
            !hf_placement_ray(stage->marks.placement, stage->camera.eye, d[i], FAR_AWAY, &s))
            continue;
        hf_vec3 n = hf_layer_normal(&stage->marks, &s);
        if (hf_dot(n, d[i]) > 0) n = hf_neg(n);
        float light = 0.6f - 0.15f * (float)hf_dot(n, d[i]) + 0.35f * (float)fmax(0, hf_dot(n, stage->light));
        float cover = hits[i].kind && hits[i].distance < s.distance ? MARK_SHINE : 1;
        hf_colour c = hf_colour_scale(stage->marks.colours[stage->marks.part_of[s.triangle]], light * cover);
        hits[i].veil = hf_colour_add(c, hf_colour_scale(hits[i].veil, 1 - cover));
        hits[i].transparent *= 1 - cover;
    }
}

/* Sides of reach volumes before the hit, the nearest last so that it lies on top. */
static void trace_ghosts(const hf_stage* stage, hf_vec3 d, hf_hit* hit) {
    enum { MAX_SIDES = 32 };
    hf_surface sides[MAX_SIDES];
    int count = 0;
    double start = 0, reach = hit->kind ? hit->distance : FAR_AWAY;
    if (!meets_ball(&stage->ghosts, stage->camera.eye, d, reach)) return;
    while (count < MAX_SIDES) {
        hf_vec3 from = hf_add(stage->camera.eye, hf_scale(d, start));
        hf_surface* s = &sides[count];
        if (!(start < reach) || !hf_placement_ray(stage->ghosts.placement, from, d, reach - start, s)) break;
        s->distance += start;
        start = s->distance + 1e-5 * (stage->size + s->distance);
        count++;
    }
    while (count-- > 0) {
        hf_vec3 n = hf_layer_normal(&stage->ghosts, &sides[count]);
        float grazing = 1 - (float)fabs(hf_dot(n, d));
        float cover = fminf(0.5f, GHOST_SHINE * (1 + 1.5f * grazing * grazing));
        hf_colour c =
            hf_colour_scale(stage->ghosts.colours[stage->ghosts.part_of[sides[count].triangle]], cover);
        hit->veil = hf_colour_add(c, hf_colour_scale(hit->veil, 1 - cover));
        hit->transparent *= 1 - cover;
    }
}

void hf_stage_trace(const hf_stage* stage, const hf_vec3 d[8], hf_hit hits[8]) {
    for (int i = 0; i < 8; i++)
        hits[i] = (hf_hit){.kind = HF_LAYER_NONE, .distance = FAR_AWAY, .transparent = 1};
    if (stage->scene) trace_scene(stage, d, hits);
    if (stage->figure.count > 0) trace_figure(stage, d, hits);
    trace_ground(stage, d, hits);
    if (stage->ghosts.count > 0)
        for (int i = 0; i < 8; i++) trace_ghosts(stage, d[i], &hits[i]);
    if (stage->marks.count > 0) trace_marks(stage, d, hits);
}

bool hf_stage_occluded(const hf_stage* stage, hf_vec3 from, hf_vec3 direction, double distance) {
    if (stage->figure.count > 0 && meets_ball(&stage->figure, from, direction, distance) &&
        hf_placement_occluded(stage->figure.placement, from, direction, distance))
        return true;
    if (!stage->scene) return false;
    if (stage->cut) {
        /* What was cut away throws no shadow. */
        double depth = hf_dot(hf_sub(from, stage->camera.eye), stage->camera.forward) - stage->cut_depth;
        double rate = -hf_dot(direction, stage->camera.forward);
        if (rate > 1e-9) distance = fmin(distance, fmax(0, depth / rate));
    }
    return hf_placement_occluded(stage->casters ? stage->casters : stage->scene, from, direction, distance);
}
