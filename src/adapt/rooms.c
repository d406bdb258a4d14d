/* Rooms of an opened motion (adapt/rooms.h). */
#include "adapt/rooms.h"

#include "base/memory.h"
#include "base/workspace.h"
#include "model/body_bounds.h"
#include "model/creature.h"
#include "model/scene.h"

#include <math.h>
#include <string.h>

static void measure(hf_rooms* r, const hf_clearance* clearance, hf_placement* placement,
                    hf_workspace* workspace) {
    const hf_source* s = r->source;
    size_t links = (size_t)s->creature->view.link_count, bodies = (size_t)s->creature->view.body_count,
           pairs = (size_t)r->pair_count;
    for (int f = 0; f < s->frame_count && hf_workspace_goes_on(workspace); f++) {
        size_t row = (size_t)f;
        hf_pose pose = hf_source_pose(s, f);
        hf_forward(s->creature, &pose, r->links + row * links);
        hf_placement_set_time(placement, f / s->schedule->rate);
        hf_clearance_measure(s->creature, clearance, placement, r->links + row * links,
                             r->scene + row * bodies, r->pairs + row * pairs);
        r->poses[f] =
            (hf_clear_pose){r->links + row * links, r->edited + row * bodies, r->pairs + row * pairs};
    }
}

hf_status hf_rooms_make(const hf_source* s, hf_workspace* workspace, hf_rooms* r) {
    memset(r, 0, sizeof *r);
    r->source = s;
    size_t f = (size_t)s->frame_count, bodies = (size_t)s->creature->view.body_count;
    hf_clearance* clearance = NULL;
    hf_placement* placement = NULL;
    hf_status status = hf_clearance_create(s->creature, &clearance);
    if (status == HF_OK) status = hf_placement_create(s->scene, &placement);
    if (status == HF_OK) {
        r->pair_count = hf_clearance_pairs(clearance);
        r->links = hf_alloc(f * (size_t)s->creature->view.link_count, sizeof *r->links);
        r->scene = hf_alloc(f * bodies + 1, sizeof *r->scene);
        r->edited = hf_alloc(f * bodies + 1, sizeof *r->edited);
        r->pairs = hf_alloc(f * (size_t)r->pair_count + 1, sizeof *r->pairs);
        r->poses = hf_alloc(f, sizeof *r->poses);
        bool taken = r->links && r->scene && r->edited && r->pairs && r->poses;
        if (taken) measure(r, clearance, placement, workspace);
        if (!taken) status = HF_ERROR_MEMORY;
    }
    hf_clearance_free(clearance);
    hf_placement_free(placement);
    if (status != HF_OK) hf_rooms_free(r);
    return status;
}

void hf_rooms_free(hf_rooms* r) {
    hf_free(r->links);
    hf_free(r->scene);
    hf_free(r->edited);
    hf_free(r->pairs);
    hf_free(r->poses);
    memset(r, 0, sizeof *r);
}

static double outside(double low, double high, double x) { return fmax(0, fmax(low - x, x - high)); }

void hf_rooms_edit(hf_rooms* r, const hf_placement* edited, const bool* changed) {
    const hf_source* s = r->source;
    const hf_scene* scene = hf_placement_scene(edited);
    int bodies = s->creature->view.body_count, opened = hf_scene_object_count(s->scene);
    memcpy(r->edited, r->scene, (size_t)s->frame_count * (size_t)bodies * sizeof *r->edited);
    for (int o = 0; o < hf_scene_object_count(scene); o++) {
        hf_vec3 low, high;
        if ((o < opened && !changed[o]) || !hf_object_box(scene, o, &low, &high)) continue;
        hf_transform back = hf_inverse(hf_placement_pose(edited, o));
        for (int i = 0; i < s->frame_count * bodies; i++) {
            hf_vec3 at = hf_apply(back, s->balls[i]);
            hf_vec3 off = hf_v3(outside(low.x, high.x, at.x), outside(low.y, high.y, at.y),
                                outside(low.z, high.z, at.z));
            float room = (float)fmax(0, hf_length(off) - s->creature->bounds[i % bodies].radius - 1e-6);
            if (room < r->edited[i]) r->edited[i] = room;
        }
    }
}
