/* Roadmaps of postures that are kept: the block and the file of src/space, with rows of postures for nodes.
 */
#include "reach/reach_run.h"

#include "base/error.h"
#include "base/hash.h"
#include "model/creature.h"
#include "model/scene.h"
#include "model/tolerance.h"
#include "space/roadmap.h"

#include <math.h>

enum {
    SHORTCUT = 1,   /* mark of an edge that is none of the tree */
    EDGE_FLOATS = 6 /* of a box */
};
_Static_assert(sizeof(hf_box) == EDGE_FLOATS * sizeof(float), "a box is six floats");

/* legs_m: how far the layer lets the pelvis down; a runner takes less where legs hardly bend. */
static uint64_t layer_hash(uint64_t h, const hf_control_layer* l, double legs_m) {
    for (int side = 0; side < 2; side++) h = hf_hash_int(hf_hash_int(h, l->arms[side]), l->legs[side]);
    h = hf_hash_double(h, l->pitch);
    for (int k = 0; k < HF_CONTROL_COUNT; k++) {
        const hf_control* c = &l->controls[k];
        h = hf_hash_double(hf_hash_int(h, c->part_count), c->low);
        h = hf_hash_double(h, k == HF_CONTROL_LEGS ? legs_m : c->high);
        for (int i = 0; i < c->part_count; i++)
            h = hf_hash_double(hf_hash_int(h, c->parts[i].joint), c->parts[i].share);
    }
    return h;
}

/* What the postures of the roadmap depend on besides the scene: all joints of the stand collide. */
static uint64_t model_hash(const hf_reach_runner* r) {
    const hf_reach_world* w = &r->world;
    uint64_t h = hf_hash_int(HF_HASH_START, (int64_t)hf_creature_hash(w->creature));
    h = hf_hash_transform(layer_hash(h, r->layer, r->legs_m), &w->stand.root);
    return hf_hash_bytes(h, w->stand.q, sizeof(double) * (size_t)w->creature->view.q_count);
}

/* The options that postures are drawn, tested and joined with. */
static uint64_t options_hash(const hf_reach_options* o) {
    uint64_t h = hf_hash_int(hf_hash_int(HF_HASH_START, o->nodes), (int64_t)o->seed);
    const double reals[] = {o->step_m, o->shortcut_m, o->regular_share, o->right_share, o->margin_m};
    for (size_t i = 0; i < sizeof reals / sizeof *reals; i++) h = hf_hash_double(h, reals[i]);
    return h;
}

/* How rough what feet stand on is decides which postures are in balance. */
static uint64_t friction_hash(uint64_t h, const hf_scene* scene) {
    for (int i = 0; i < scene->count; i++) h = hf_hash_double(h, scene->objects[i].friction);
    return h;
}

static hf_roadmap_key key_of(const hf_reach_runner* r) {
    hf_roadmap_key key = hf_roadmap_key_make(model_hash(r), r->world.placement);
    key.scene = friction_hash(key.scene, r->scenario->scene);
    key.options = options_hash(r->options);
    return key;
}

/* Controls of every posture are within the layer's ranges, or between them and the standing pose. */
static bool postures_hold(const hf_reach_runner* r, const hf_roadmap_block* b) {
    double rest[HF_CONTROL_COUNT];
    hf_control_rest(r->layer, &r->world.stand, rest);
    for (int i = 0; i < b->node_count; i++)
        for (int k = 0; k < HF_CONTROL_COUNT; k++) {
            double value = hf_roadmap_rows(b)[(size_t)i * HF_REACH_WIDTH + (size_t)k];
            const hf_control* c = &r->layer->controls[k];
            if (value < fmin(c->low, rest[k]) - HF_LIMIT || value > fmax(c->high, rest[k]) + HF_LIMIT)
                return false;
        }
    return b->node_count > 0;
}

hf_status hf_reach_roadmap_fits(const hf_reach_runner* r, const hf_roadmap* roadmap, hf_error* error) {
    hf_roadmap_key want = key_of(r);
    hf_status status = hf_roadmap_matches(roadmap, &want, HF_REACH_WIDTH, error);
    // a file whose key was made to hold
    if (status == HF_OK && roadmap->block->edge_width != EDGE_FLOATS * r->roadmap->box_count)
        status = hf_fail(error, HF_ERROR_ARGUMENT, NULL, 0, "roadmap", "has edges of another creature");
    if (status == HF_OK && !postures_hold(r, roadmap->block))
        status = hf_fail(error, HF_ERROR_ARGUMENT, NULL, 0, "roadmap",
                         "has no postures, or some outside the ranges of the control layer");
    return status;
}

/* The points of a posture follow from its controls: a file is not asked for them. */
static hf_status take_nodes(hf_reach_runner* r, const hf_roadmap_block* b, const hf_space* space) {
    hf_status status = HF_OK;
    for (int i = 0; i < b->node_count && status == HF_OK; i++) {
        double state[HF_REACH_WIDTH];
        const double* controls = hf_roadmap_rows(b) + (size_t)i * HF_REACH_WIDTH;
        status = hf_reach_state(r->crew.workers[0], controls, state) ? HF_OK : HF_ERROR_FORMAT;
        if (status == HF_OK) status = hf_space_graph_add(&r->roadmap->graph, space, state);
    }
    return status;
}

hf_status hf_reach_roadmap_take(hf_reach_runner* r, const hf_roadmap* roadmap) {
    const hf_roadmap_block* b = roadmap->block;
    hf_space space = hf_reach_space(r->crew.workers[0]);
    hf_reach_roadmap* to = r->roadmap;
    const hf_box* boxes = (const hf_box*)(const void*)hf_roadmap_edge_rows(b);
    hf_status status = take_nodes(r, b, &space);
    for (int i = 0; i < b->edge_count && status == HF_OK; i++) {
        const hf_roadmap_edge* e = &hf_roadmap_edges(b)[i];
        status = hf_reach_roadmap_join(to, e->a, e->b, e->turn, boxes + (size_t)i * (size_t)to->box_count);
        to->shortcuts += e->turn == SHORTCUT;
    }
    to->draws = b->samples;
    return status;
}

hf_status hf_reach_keep(hf_reacher* r, hf_roadmap** roadmap, hf_error* error) {
    HF_REQUIRE(error, r && roadmap);
    *roadmap = NULL;
    if (!hf_reach_schedule(r) || r->result->action_count || r->result->updates)
        return hf_fail(error, HF_ERROR_ARGUMENT, r->scenario->path, 0, "roadmap",
                       "can be kept when it is made, before the first action and before objects move");
    if (r->stopped || hf_space_graph_count(&r->roadmap->graph) == 0)
        return hf_fail(error, HF_ERROR_LIMIT, r->scenario->path, 0, "roadmap", "was stopped before its end");
    hf_roadmap_block header = {.key = key_of(r),
                               .outcome = HF_FOUND,
                               .samples = r->roadmap->draws,
                               .edge_width = EDGE_FLOATS * r->roadmap->box_count};
    for (int i = 0; i < r->crew.count; i++) header.tests += r->crew.workers[i]->tests;
    return hf_fail_status(error,
                          hf_roadmap_keep(header, &r->roadmap->graph, NULL,
                                          (const float*)(const void*)r->roadmap->boxes, roadmap),
                          r->scenario->path);
}
