/* Motions in memory: building one frame by frame, asking for poses and placements in time. */
#include "base/assert.h"
#include "base/error.h"
#include "base/memory.h"
#include <holdfast/motion.h>

#include <string.h>

const char* hf_claim_text(int index) {
    static const char* const names[HF_CLAIM_COUNT] = {"limits", "rom",     "collision", "contacts",
                                                      "speed",  "balance", "one-limb",  "dynamic"};
    return index >= 0 && index < HF_CLAIM_COUNT ? names[index] : NULL;
}

static hf_status copy_limb(const hf_creature_view* view, const hf_limb* limb, hf_motion_limb* out) {
    out->name = hf_copy_text(limb->name);
    out->frames = hf_alloc((size_t)hf_limb_frame_count(limb), sizeof *out->frames);
    if (!out->name || !out->frames) return HF_ERROR_MEMORY;
    for (int i = 0; i < hf_limb_frame_count(limb); i++) {
        const hf_contact_frame* from = &limb->contacts[i];
        hf_motion_contact_frame* to = &out->frames[out->frame_count++];
        *to = (hf_motion_contact_frame){.offset = from->offset,
                                        .normal = from->normal,
                                        .patch = {from->patch[0], from->patch[1]},
                                        .ball = from->ball};
        to->name = hf_copy_text(from->name);
        to->link = hf_copy_text(view->links[from->link].name);
        if (!to->name || !to->link) return HF_ERROR_MEMORY;
    }
    return HF_OK;
}

static hf_status fill_names(hf_motion* m, const hf_creature_view* view, const hf_scene* scene) {
    m->creature = hf_copy_text(view->path ? view->path : "");
    if (view->package_path && !(m->package_path = hf_copy_text(view->package_path))) return HF_ERROR_MEMORY;
    m->outcome = hf_copy_text(hf_outcome_text(HF_FOUND));
    m->joints = hf_alloc((size_t)view->joint_count, sizeof *m->joints);
    m->limbs = hf_alloc((size_t)view->limb_count, sizeof *m->limbs);
    if (!m->creature || !m->outcome || !m->joints || !m->limbs) return HF_ERROR_MEMORY;
    for (int i = 0; i < view->joint_count; i++) {
        if (view->joints[i].q_count == 0) continue;
        m->joints[m->joint_count] = hf_copy_text(view->joints[i].name);
        if (!m->joints[m->joint_count++]) return HF_ERROR_MEMORY;
    }
    for (int i = 0; i < view->limb_count; i++) {
        m->limb_count++;
        hf_status status = copy_limb(view, &view->limbs[i], &m->limbs[i]);
        if (status != HF_OK) return status;
    }
    for (int i = 0; scene && i < hf_scene_object_count(scene); i++)
        if (hf_motion_object_index(m, hf_scene_object(scene, i).name) < 0) return HF_ERROR_MEMORY;
    return HF_OK;
}

hf_status hf_motion_create(const hf_creature* creature, const hf_scene* scene, hf_motion** motion) {
    HF_REQUIRE(NULL, creature && motion);
    *motion = NULL;
    const hf_creature_view* view = hf_creature_get(creature);
    hf_motion* m = hf_alloc(1, sizeof *m);
    if (!m) return HF_ERROR_MEMORY;
    m->claims = HF_CLAIM_ALL;
    m->q_count = view->q_count;
    hf_status status = fill_names(m, view, scene);
    if (status == HF_OK)
        *motion = m;
    else
        hf_motion_free(m);
    return status;
}

void hf_motion_free(hf_motion* motion) {
    if (!motion) return;
    for (int i = 0; i < motion->joint_count; i++) hf_free(motion->joints[i]);
    for (int i = 0; i < motion->limb_count; i++) {
        hf_motion_limb* limb = &motion->limbs[i];
        for (int k = 0; k < limb->frame_count; k++) {
            hf_free(limb->frames[k].name);
            hf_free(limb->frames[k].link);
        }
        hf_free(limb->frames);
        hf_free(limb->name);
    }
    for (int i = 0; i < motion->object_count; i++) hf_free(motion->objects[i]);
    for (int i = 0; i < motion->frame_count; i++) {
        hf_free(motion->frames[i].q);
        hf_free(motion->frames[i].contacts);
        hf_free(motion->frames[i].objects);
    }
    for (int i = 0; i < motion->stat_count; i++) hf_free(motion->stats[i].name);
    hf_free(motion->joints);
    hf_free(motion->limbs);
    hf_free(motion->objects);
    hf_free(motion->frames);
    hf_free(motion->stats);
    hf_free(motion->creature);
    hf_free(motion->scenario);
    hf_free(motion->package_path);
    hf_free(motion->outcome);
    hf_free(motion);
}

hf_motion_frame* hf_motion_add(hf_motion* motion, double time_s, const hf_pose* pose) {
    HF_ASSERT(motion->frame_count == 0 || time_s > motion->frames[motion->frame_count - 1].time_s);
    if (!HF_GROW(motion->frames, motion->frame_capacity, motion->frame_count)) return NULL;
    double* q = hf_alloc((size_t)motion->q_count, sizeof *q);
    if (!q) return NULL;
    if (motion->q_count) memcpy(q, pose->q, (size_t)motion->q_count * sizeof *q);
    hf_motion_frame* frame = &motion->frames[motion->frame_count++];
    *frame = (hf_motion_frame){.time_s = time_s, .root = pose->root, .q = q, .balance = NAN};
    return frame;
}

hf_status hf_motion_add_contact(hf_motion* motion, hf_motion_frame* frame, const hf_hold* contact) {
    HF_REQUIRE(NULL, motion && frame && contact);
    HF_ASSERT(contact->limb >= 0 && contact->limb < motion->limb_count);
    HF_ASSERT(contact->frame >= 0 && contact->frame < motion->limbs[contact->limb].frame_count);
    HF_ASSERT(contact->object >= -1 && contact->object < motion->object_count);
    for (int i = 0; i < frame->contact_count; i++)
        if (frame->contacts[i].limb == contact->limb) return HF_ERROR_ARGUMENT;
    hf_hold* contacts = hf_resize(frame->contacts, (size_t)frame->contact_count + 1, sizeof *contacts);
    if (!contacts) return HF_ERROR_MEMORY;
    contacts[frame->contact_count++] = *contact;
    frame->contacts = contacts;
    return HF_OK;
}

hf_status hf_motion_add_object(hf_motion* motion, hf_motion_frame* frame, int object, hf_transform pose) {
    HF_REQUIRE(NULL, motion && frame);
    HF_ASSERT(object >= 0 && object < motion->object_count);
    (void)motion;
    for (int i = 0; i < frame->object_count; i++)
        if (frame->objects[i].object == object) {
            frame->objects[i].pose = pose;
            return HF_OK;
        }
    hf_motion_object* objects = hf_resize(frame->objects, (size_t)frame->object_count + 1, sizeof *objects);
    if (!objects) return HF_ERROR_MEMORY;
    objects[frame->object_count++] = (hf_motion_object){object, pose};
    frame->objects = objects;
    return HF_OK;
}

int hf_motion_object_index(hf_motion* motion, const char* name) {
    for (int i = 0; i < motion->object_count; i++)
        if (strcmp(motion->objects[i], name) == 0) return i;
    char** objects = hf_resize(motion->objects, (size_t)motion->object_count + 1, sizeof *objects);
    if (!objects) return -1;
    motion->objects = objects;
    objects[motion->object_count] = hf_copy_text(name);
    return objects[motion->object_count] ? motion->object_count++ : -1;
}

hf_status hf_motion_set_stat(hf_motion* motion, const char* name, double value) {
    HF_REQUIRE(NULL, motion && name);
    if (!isfinite(value)) return HF_ERROR_ARGUMENT;
    for (int i = 0; i < motion->stat_count; i++)
        if (strcmp(motion->stats[i].name, name) == 0) {
            motion->stats[i].value = value;
            return HF_OK;
        }
    hf_motion_stat* stats = hf_resize(motion->stats, (size_t)motion->stat_count + 1, sizeof *stats);
    if (!stats) return HF_ERROR_MEMORY;
    motion->stats = stats;
    stats[motion->stat_count] = (hf_motion_stat){hf_copy_text(name), value};
    if (!stats[motion->stat_count].name) return HF_ERROR_MEMORY;
    motion->stat_count++;
    return HF_OK;
}

/* Last frame at or before a time, 0 when there is none before. */
static int frame_before(const hf_motion* motion, double time_s) {
    int low = 0, high = motion->frame_count - 1;
    while (low < high) {
        int middle = low + (high - low + 1) / 2;
        if (motion->frames[middle].time_s <= time_s)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* How far a time is from frame f to the next, in [0, 1]. */
static double fraction_after(const hf_motion* motion, int f, double time_s) {
    if (f + 1 >= motion->frame_count) return 0;
    double from = motion->frames[f].time_s, to = motion->frames[f + 1].time_s;
    double t = (time_s - from) / (to - from);
    return t > 0 ? (t < 1 ? t : 1) : 0;
}

void hf_motion_pose(const hf_motion* motion, const hf_creature* creature, double time_s, hf_pose* pose) {
    HF_ASSERT(motion->frame_count > 0);
    int f = frame_before(motion, time_s);
    double t = fraction_after(motion, f, time_s);
    const hf_motion_frame *a = &motion->frames[f], *b = t > 0 ? a + 1 : a;
    if (t <= 0 || t >= 1) {
        /* On a frame the pose is the frame's, to the last bit. */
        const hf_motion_frame* exact = t >= 1 ? b : a;
        pose->root = exact->root;
        if (motion->q_count) memcpy(pose->q, exact->q, (size_t)motion->q_count * sizeof *pose->q);
        return;
    }
    hf_pose from = {a->root, a->q}, to = {b->root, b->q};
    hf_pose_between(creature, &from, &to, t, pose);
}

/* Where frame f itself names an object, or NULL. */
static const hf_transform* named_in(const hf_motion* motion, int f, int object) {
    const hf_motion_frame* frame = &motion->frames[f];
    for (int i = 0; i < frame->object_count; i++)
        if (frame->objects[i].object == object) return &frame->objects[i].pose;
    return NULL;
}

void hf_motion_place_at(const hf_motion* motion, double time_s, hf_placement* placement) {
    const hf_scene* scene = hf_placement_scene(placement);
    for (int i = 0; i < hf_scene_object_count(scene); i++) {
        hf_object_view object = hf_scene_object(scene, i);
        if (object.key_count == 0) hf_placement_move(placement, i, object.start);
    }
    hf_placement_set_time(placement, time_s);
    if (motion->frame_count == 0) return;
    int f = frame_before(motion, time_s);
    double t = fraction_after(motion, f, time_s);
    if (t >= 1) {
        f++;
        t = 0;
    }
    for (int o = 0; o < motion->object_count; o++) {
        int i = hf_scene_find(scene, motion->objects[o]);
        if (i < 0) continue;
        hf_object_view object = hf_scene_object(scene, i);
        if (object.key_count && !object.movable) continue; /* its keys say where it is */
        const hf_transform* named = NULL;
        for (int g = f; g >= 0 && !named; g--) named = named_in(motion, g, o);
        const hf_transform* next = t > 0 ? named_in(motion, f + 1, o) : NULL;
        if (!named && !next) continue;
        hf_transform pose = named ? *named : hf_placement_pose(placement, i);
        if (next) {
            pose.position = hf_lerp(pose.position, next->position, t);
            pose.rotation = hf_quat_slerp(pose.rotation, next->rotation, t);
        }
        hf_placement_move(placement, i, pose);
    }
}

void hf_motion_place(const hf_motion* motion, int frame, hf_placement* placement) {
    HF_ASSERT(frame >= 0 && frame < motion->frame_count);
    hf_motion_place_at(motion, motion->frames[frame].time_s, placement);
}

#define MISFIT(field, ...) hf_fail(error, HF_ERROR_FORMAT, NULL, 0, field, __VA_ARGS__)

/* The movable joints of the creature, in file order. */
static hf_status check_joints(const hf_motion* motion, const hf_creature_view* view, hf_error* error) {
    int k = 0;
    for (int i = 0; i < view->joint_count; i++) {
        if (view->joints[i].q_count == 0) continue;
        if (k >= motion->joint_count)
            return MISFIT("joints", "the creature's joint \"%s\" is missing", view->joints[i].name);
        if (strcmp(motion->joints[k], view->joints[i].name) != 0)
            return MISFIT("joints", "number %d is \"%s\", the creature has \"%s\" there", k,
                          motion->joints[k], view->joints[i].name);
        k++;
    }
    if (k < motion->joint_count)
        return MISFIT("joints", "the creature has no joint \"%s\"", motion->joints[k]);
    if (motion->q_count != view->q_count)
        return MISFIT("frames", "poses have %d joint values, the creature %d", motion->q_count,
                      view->q_count);
    /* Orientations inside q are unit quaternions. */
    for (int i = 0; i < view->joint_count; i++) {
        if (view->joints[i].type != HF_JOINT_FLOATING) continue;
        for (int f = 0; f < motion->frame_count; f++) {
            const double* q = motion->frames[f].q + view->joints[i].q_index + 3;
            double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
            if (!(fabs(length - 1) < 0.01))
                return MISFIT("frames", "frame %d: floating joint \"%s\" has no unit quaternion", f,
                              view->joints[i].name);
        }
    }
    return HF_OK;
}

static bool near(hf_vec3 a, hf_vec3 b) { return hf_distance(a, b) < 1e-6; }

static hf_status check_limbs(const hf_motion* motion, const hf_creature* creature, hf_error* error) {
    const hf_creature_view* view = hf_creature_get(creature);
    for (int i = 0; i < motion->limb_count; i++) {
        const hf_motion_limb* limb = &motion->limbs[i];
        int known = hf_creature_find_limb(creature, limb->name);
        if (known < 0) return MISFIT("limbs", "the creature has no limb \"%s\"", limb->name);
        for (int k = 0; k < limb->frame_count; k++) {
            const hf_motion_contact_frame* frame = &limb->frames[k];
            int link = hf_creature_find_link(creature, frame->link);
            if (link < 0)
                return MISFIT("contact_frames", "%s: the creature has no link \"%s\"", limb->name,
                              frame->link);
            /* Equal to the creature's where it has one of this name. */
            for (int c = 0; c < view->limbs[known].contact_count; c++) {
                const hf_contact_frame* own = &view->limbs[known].contacts[c];
                if (strcmp(own->name, frame->name) != 0) continue;
                if (own->link != link || !near(own->offset, frame->offset) ||
                    !near(own->normal, frame->normal) || fabs(own->ball - frame->ball) > 1e-6 ||
                    fabs(own->patch[0] - frame->patch[0]) > 1e-6 ||
                    fabs(own->patch[1] - frame->patch[1]) > 1e-6)
                    return MISFIT("contact_frames", "%s: \"%s\" differs from the creature's", limb->name,
                                  frame->name);
            }
        }
    }
    return HF_OK;
}

/* Objects that cannot be moved are only named where their keys or their start have them. */
static hf_status check_objects(const hf_motion* motion, const hf_scene* scene, hf_error* error) {
    hf_placement* placement;
    hf_status status = hf_fail_status(error, hf_placement_create(scene, &placement), NULL);
    for (int f = 0; f < motion->frame_count && status == HF_OK; f++) {
        const hf_motion_frame* frame = &motion->frames[f];
        if (frame->object_count) hf_placement_set_time(placement, frame->time_s);
        for (int i = 0; i < frame->object_count && status == HF_OK; i++) {
            const char* name = motion->objects[frame->objects[i].object];
            int object = hf_scene_find(scene, name);
            if (object < 0 || hf_scene_object(scene, object).movable) continue;
            hf_transform own = hf_placement_pose(placement, object), named = frame->objects[i].pose;
            if (!near(own.position, named.position) || hf_quat_angle(own.rotation, named.rotation) > 1e-6)
                status = MISFIT("objects", "frame %d moves \"%s\", which is not movable", f, name);
        }
    }
    hf_placement_free(placement);
    return status;
}

hf_status hf_motion_validate(const hf_motion* motion, const hf_creature* creature, const hf_scene* scene,
                             hf_error* error) {
    HF_REQUIRE(error, motion && creature);
    hf_status status = check_joints(motion, hf_creature_get(creature), error);
    if (status == HF_OK) status = check_limbs(motion, creature, error);
    for (int i = 0; scene && i < motion->object_count && status == HF_OK; i++)
        if (hf_scene_find(scene, motion->objects[i]) < 0)
            status = MISFIT("objects", "the scene has no object \"%s\"", motion->objects[i]);
    if (scene && status == HF_OK) status = check_objects(motion, scene, error);
    return status;
}
