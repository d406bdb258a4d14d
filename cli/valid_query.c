/* Random contact queries: a creature somewhere near a surface, one limb or several, any role and direction.
   Only the limbs of a query move, so a pose in which the rest of the creature collides already is drawn
   again. Each answer is judged by the check module, which shares no geometry with what found it. */
#include "valid_query.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double PI = 3.14159265358979323846;
/* After this many poses that collide another creature is drawn. */
enum { DRAWS_OF_ONE = 200, MAX_DRAWS = 10000 };

/* ---- random numbers: a sequence for each seed and index ---- */

typedef struct dice {
    uint64_t state;
} dice;

static uint64_t mix(uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static dice dice_of(uint64_t seed, int index) {
    return (dice){mix(seed * 0x9e3779b97f4a7c15u + 1) ^ mix(((uint64_t)index + 1) * 0xd1342543de82ef95u)};
}

static double between(dice* d, double low, double high) {
    d->state += 0x9e3779b97f4a7c15u;
    return low + (high - low) * (double)(mix(d->state) >> 11) * 0x1p-53;
}

static int below(dice* d, int count) { return (int)between(d, 0, count); }

static hf_vec3 direction(dice* d) {
    for (;;) {
        double x = between(d, -1, 1), y = between(d, -1, 1), z = between(d, -1, 1);
        double l = hf_length(hf_v3(x, y, z));
        if (l > 0.1 && l < 1) return hf_v3(x / l, y / l, z / l);
    }
}

/* ---- the pose ---- */

/* What a call asks, with its memory. */
typedef struct drawn {
    const hf_creature* creature;
    const hf_creature_view* c;
    const valid_scene* scene;
    int size;  /* of the sample sets */
    bool grip; /* limbs that can are to grip */
    int limb_count;
    hf_contact_query queries[VALID_LIMBS];
    hf_pose pose;
    hf_transform* links;
    hf_vec3 planted_normal; /* of the surface that the limb is known to reach */
} drawn;

/* A random triangle, chosen by area or by number, and its object. */
static int draw_triangle(dice* d, const valid_scene* s, int* object) {
    int chosen = below(d, s->triangle_count);
    if (below(d, 2)) {
        double at = between(d, 0, s->areas[s->triangle_count - 1]);
        int low = 0, high = s->triangle_count - 1;
        while (low < high) {
            int middle = (low + high) / 2;
            if (s->areas[middle] < at)
                low = middle + 1;
            else
                high = middle;
        }
        chosen = low;
    }
    *object = 0;
    while (chosen >= hf_scene_object(s->scene, *object).mesh.triangle_count)
        chosen -= hf_scene_object(s->scene, (*object)++).mesh.triangle_count;
    return chosen;
}

/* A point of a random triangle with its normal; of something to grip where that is wanted. */
static hf_vec3 surface_point(dice* d, const valid_scene* s, bool grip, hf_vec3* normal) {
    int object, chosen;
    do chosen = draw_triangle(d, s, &object);
    while (grip && !hf_scene_object(s->scene, object).grip);
    hf_mesh m = hf_scene_object(s->scene, object).mesh;
    hf_transform pose = hf_placement_pose(s->placement, object);
    hf_vec3 p[3];
    for (int k = 0; k < 3; k++) {
        const float* at = m.vertices + 3 * m.indices[3 * chosen + k];
        p[k] = hf_apply(pose, hf_v3((double)at[0], (double)at[1], (double)at[2]));
    }
    double u = between(d, 0, 1), v = between(d, 0, 1);
    if (u + v > 1) u = 1 - u, v = 1 - v;
    *normal = hf_normalize(hf_cross(hf_sub(p[1], p[0]), hf_sub(p[2], p[0])));
    if (hf_length(*normal) < 0.5) *normal = hf_v3(0, 0, 1);
    return hf_add(p[0], hf_add(hf_scale(hf_sub(p[1], p[0]), u), hf_scale(hf_sub(p[2], p[0]), v)));
}

/* Upright, as upright as the surface, or any way round. */
static hf_quat turn(dice* d, hf_vec3 normal) {
    hf_quat yaw = hf_quat_axis_angle(hf_v3(0, 0, 1), between(d, -PI, PI));
    int kind = below(d, 4);
    if (kind == 0) return hf_quat_mul(hf_quat_between(hf_v3(0, 0, 1), normal), yaw);
    if (kind == 1) return hf_quat_mul(hf_quat_axis_angle(direction(d), between(d, 0, PI)), yaw);
    return hf_quat_mul(hf_quat_axis_angle(direction(d), between(d, 0, 0.3)), yaw);
}

/* The limb's root within reach of some surface. */
static void pose_near_surface(dice* d, drawn* w, int limb) {
    hf_pose_rest(w->creature, &w->pose);
    hf_vec3 normal, p = surface_point(d, w->scene, w->grip, &normal);
    if (below(d, 4) == 0) normal = hf_neg(normal);
    hf_vec3 away = hf_normalize(hf_add(normal, hf_scale(direction(d), 0.8)));
    double length = fmax(w->c->limbs[limb].length, 0.02);
    w->pose.root = hf_transform_identity();
    w->pose.root.rotation = turn(d, normal);
    hf_forward(w->creature, &w->pose, w->links);
    hf_vec3 base = hf_limb_base(w->creature, limb, w->links).position;
    hf_vec3 wanted = hf_add(p, hf_scale(away, length * between(d, 0.1, 1.1)));
    w->pose.root.position = hf_sub(wanted, base);
}

/* As the scenario starts, a little off. */
static void pose_of_scenario(dice* d, drawn* w) {
    const hf_scenario_state* start = &w->scene->scenario->start;
    double size = w->c->height * 0.05;
    memcpy(w->pose.q, start->pose.q, sizeof(double) * (size_t)w->c->q_count);
    w->pose.root = start->pose.root;
    w->pose.root.position =
        hf_add(w->pose.root.position, hf_scale(direction(d), below(d, 3) ? between(d, 0, size) : 0));
    w->pose.root.rotation = hf_quat_mul(
        hf_quat_axis_angle(direction(d), below(d, 3) ? between(d, 0, 0.2) : 0), w->pose.root.rotation);
}

/* Any values inside the limits for the joints of one limb. */
static void shuffle_limb(dice* d, drawn* w, int limb) {
    const hf_limb* l = &w->c->limbs[limb];
    for (int i = 0; i < l->joint_count; i++) {
        const hf_joint* j = &w->c->joints[l->joints[i]];
        if (j->q_count != 1) continue;
        double low = isfinite(j->lower) ? j->lower : -PI, high = isfinite(j->upper) ? j->upper : PI;
        w->pose.q[j->q_index] = between(d, low, high);
    }
    hf_pose_follow(w->creature, w->pose.q);
}

/* A place of the root at which a posture of another sample set touches a surface flat on: where everything
   is free there, a contact exists for certain. */
static void pose_planted(dice* d, drawn* w, int limb, const hf_samples* const* others) {
    const hf_limb* l = &w->c->limbs[limb];
    int frame = below(d, l->contact_count);
    const hf_contact_frame* f = &l->contacts[frame];
    hf_vec3 normal, p = surface_point(d, w->scene, false, &normal);
    hf_pose_rest(w->creature, &w->pose);
    hf_samples_pose(w->creature, others[frame], below(d, hf_samples_get(others[frame]).count), w->pose.q);
    hf_forward(w->creature, &w->pose, w->links);
    hf_quat flat = hf_quat_between(hf_rotate(w->links[f->link].rotation, f->normal), hf_neg(normal));
    w->pose.root.rotation = hf_quat_mul(hf_quat_axis_angle(normal, between(d, -PI, PI)), flat);
    hf_vec3 offset = hf_rotate(w->pose.root.rotation, hf_apply(w->links[f->link], f->offset));
    w->pose.root.position = hf_sub(hf_add(p, hf_scale(normal, f->ball)), offset);
    w->planted_normal = normal;
}

/* ---- is the rest free? ---- */

/* Does the limb move this link? One without joints has its effector alone. */
static bool moved_by(const hf_creature_view* c, int limb, int link) {
    const hf_limb* l = &c->limbs[limb];
    if (l->joint_count == 0) return link == l->effector_link;
    for (; link >= 0; link = c->links[link].parent_link)
        if (link == l->root_link) return true;
    return false;
}

/* All bodies that the limb (-1: none) does not move, against the scene and each other. */
static bool rest_is_free(const drawn* w, int limb) {
    hf_allowance allowance = hf_allowance_default();
    hf_forward(w->creature, &w->pose, w->links);
    for (int a = 0; a < w->c->body_count; a++) {
        const hf_body* x = &w->c->bodies[a];
        if (limb >= 0 && moved_by(w->c, limb, x->link)) continue;
        hf_transform at = hf_compose(w->links[x->link], x->in_link);
        if (hf_placement_overlap(w->scene->placement, &x->shape, at, &allowance, NULL)) return false;
        for (int b = 0; b < a; b++) {
            const hf_body* y = &w->c->bodies[b];
            if ((limb >= 0 && moved_by(w->c, limb, y->link)) || !hf_creature_pair_enabled(w->creature, a, b))
                continue;
            if (hf_shape_overlap(&x->shape, at, &y->shape, hf_compose(w->links[y->link], y->in_link),
                                 allowance.depth))
                return false;
        }
    }
    return true;
}

/* Is the whole creature free, with the limb touching what is nearest to its contact? */
static bool planted_is_free(const drawn* w, int limb) {
    hf_collision_query query = hf_collision_query_default();
    hf_hold touch = {.limb = limb, .object = -1};
    const hf_limb* l = &w->c->limbs[limb];
    hf_forward(w->creature, &w->pose, w->links);
    for (int i = 0; i < l->contact_count; i++) {
        const hf_contact_frame* f = &l->contacts[i];
        hf_surface s;
        if (hf_placement_closest(w->scene->placement, hf_apply(w->links[f->link], f->offset), f->ball + 1e-6,
                                 &s))
            touch.object = s.object;
    }
    query.touches = &touch;
    query.touch_count = 1;
    return touch.object >= 0 && hf_scene_object(w->scene->scene, touch.object).contact &&
           !hf_collides(w->creature, w->scene->placement, w->links, &query, NULL);
}

/* ---- the call ---- */

/* What is asked of one limb. */
static hf_contact_query draw_query(dice* d, const drawn* w, int limb) {
    hf_contact_query q = hf_contact_query_default();
    const hf_limb* l = &w->c->limbs[limb];
    q.pose = w->pose;
    q.limb = limb;
    q.role = w->grip && l->grip ? HF_ROLE_GRIP : below(d, 2) ? HF_ROLE_ACT : HF_ROLE_SUPPORT;
    q.direction = below(d, 2) ? hf_v3(0, 0, 1) : direction(d);
    if (q.role == HF_ROLE_ACT) q.direction = direction(d);
    q.epsilon_m = below(d, 2) ? 0 : fmax(l->length, 0.02) * between(d, 0.005, 0.1);
    if (below(d, 3) == 0)
        for (int i = 0; i < HF_TERM_DURATION; i++) q.weights[i] = below(d, 2) ? between(d, 0, 1) : 0;
    if (below(d, 5) == 0) q.max_tilt_rad = between(d, 0.3, PI);
    if (below(d, 5) == 0) q.max_angle_rad = between(d, 0.02, 1);
    if (below(d, 5) == 0) q.min_size_m = between(d, 0, 0.1);
    q.apart_m = between(d, 0, 0.3) * l->length;
    return q;
}

/* One limb, or several different ones. */
static void draw_limbs(dice* d, const valid_creature* v, drawn* w, int* limbs) {
    int wanted = below(d, 4) ? 1 : 1 + below(d, VALID_LIMBS);
    w->limb_count = 0;
    for (int i = 0; i < wanted; i++) {
        int limb = v->limbs[below(d, v->limb_count)];
        bool twice = false;
        for (int k = 0; k < w->limb_count; k++) twice |= limbs[k] == limb;
        if (!twice) limbs[w->limb_count++] = limb;
    }
}

/* A limb alone at a place where a contact exists; asked for the best along the surface's normal. */
static bool draw_planted(dice* d, drawn* w, valid_result* r, const hf_samples* const* others) {
    int limb = r->limbs[0];
    pose_planted(d, w, limb, others);
    if (!planted_is_free(w, limb)) return false;
    shuffle_limb(d, w, limb);
    w->queries[0] = hf_contact_query_default();
    w->queries[0].pose = w->pose;
    w->queries[0].limb = limb;
    w->queries[0].direction = w->planted_normal;
    return true;
}

/* Any pose, limbs and wishes. */
static bool draw_any(dice* d, drawn* w, valid_result* r) {
    w->grip = w->scene->grips && w->c->limbs[r->limbs[0]].grip && below(d, 2);
    bool same =
        w->scene->scenario && hf_creature_hash(w->scene->scenario->creature) == hf_creature_hash(w->creature);
    if (same && below(d, 2))
        pose_of_scenario(d, w);
    else
        pose_near_surface(d, w, r->limbs[0]);
    // a limb of several that finds nothing stays where it is, so all must be free there
    if (w->limb_count == 1) shuffle_limb(d, w, r->limbs[0]);
    if (!rest_is_free(w, w->limb_count == 1 ? r->limbs[0] : -1)) return false;
    for (int i = 0; i < w->limb_count; i++) w->queries[i] = draw_query(d, w, r->limbs[i]);
    if (w->limb_count == 1) w->queries[0].count = 1 + below(d, VALID_CONTACTS);
    return true;
}

/* One try; `free_pose` is false when the creature collides where the query does not move it. */
static hf_status draw_once(dice* d, valid_world* world, drawn* w, valid_result* r, bool* free_pose,
                           hf_error* error) {
    if (r->drawn_again % DRAWS_OF_ONE == 0) r->creature = below(d, world->creature_count);
    r->scene = below(d, world->scene_count);
    const valid_creature* v = &world->creatures[r->creature];
    w->creature = v->creature;
    w->c = hf_creature_get(v->creature);
    w->scene = &world->scenes[r->scene];
    w->size = below(d, VALID_SIZES);
    draw_limbs(d, v, w, r->limbs);
    r->planted = w->limb_count == 1 && w->c->limbs[r->limbs[0]].joint_count > 0 && below(d, 3) == 0;
    if (r->planted) {
        const hf_samples* const* others =
            valid_world_sets(world, r->creature, r->limbs[0], (w->size + 1) % VALID_SIZES, error);
        if (!others) return error->status;
        *free_pose = draw_planted(d, w, r, others);
    } else
        *free_pose = draw_any(d, w, r);
    r->limb_count = w->limb_count;
    r->role = w->queries[0].role;
    return HF_OK;
}

/* ---- the verdict ---- */

static void draw_motion_picture(const valid_worker* worker, const drawn* w, const hf_motion* m, int index,
                                int number) {
    const hf_motion_frame* f = &m->frames[0];
    hf_pose pose = {f->root, f->q};
    hf_picture_contact contacts[VALID_LIMBS];
    hf_picture_options wishes;
    hf_picture picture = {0};
    hf_error error;
    for (int i = 0; i < f->contact_count; i++)
        contacts[i] = (hf_picture_contact){f->contacts[i].limb, f->contacts[i].point, f->contacts[i].normal};
    hf_picture_moment moment = {.creature = w->creature,
                                .pose = &pose,
                                .placement = w->scene->placement,
                                .contacts = contacts,
                                .contact_count = f->contact_count};
    char* path = make_text("%s/valid-%d-%d.png", worker->draw_to, index, number);
    if (path && picture_options(worker->o, &wishes) &&
        hf_render(&moment, 1, &wishes, NULL, NULL, &picture, &error) == HF_OK &&
        hf_picture_save(&picture, path, &error) == HF_OK)
        note(worker->o, "wrote %s", path);
    hf_picture_free(&picture);
    free(path);
}

/* A pose with contacts as a motion of one frame, judged. */
static hf_status judge(const valid_worker* worker, const drawn* w, int index, const double* q,
                       const hf_contact* const* contacts, int count, valid_result* r, hf_error* error) {
    hf_motion* m;
    hf_pose pose = {w->pose.root, (double*)q};
    hf_status status = hf_motion_create(w->creature, w->scene->scene, &m);
    hf_motion_frame* frame = status == HF_OK ? hf_motion_add(m, 0, &pose) : NULL;
    if (!frame) status = HF_ERROR_MEMORY;
    for (int i = 0; i < count && status == HF_OK; i++) {
        const hf_contact* k = contacts[i];
        status = hf_motion_add_contact(m, frame, &k->hold);
    }
    *error = (hf_error){0};
    if (status == HF_OK) {
        m->claims =
            HF_CLAIM_LIMITS | HF_CLAIM_ROM | HF_CLAIM_COLLISION | HF_CLAIM_CONTACTS | HF_CLAIM_ONE_LIMB;
        hf_check_report report;
        status = hf_check_motion(m, w->creature, w->scene->scene, 1, NULL, NULL, &report, error);
        if (status == HF_OK) {
            r->judged++;
            if (!report.valid && !r->invalid++ && !r->broken)
                snprintf(r->what, sizeof r->what, "%s",
                         report.problem_count ? report.problems[0].what : "no problem is named");
            if (worker->draw_to) draw_motion_picture(worker, w, m, index, r->judged);
            hf_check_report_free(&report);
        }
    }
    hf_motion_free(m);
    return keep_kind(error, status);
}

/* What an answer promises beyond validity. */
static void judge_promises(const hf_contact_query* q, const hf_contact_answer* a, valid_result* r) {
    const char* broken = NULL;
    for (int i = 0; i < a->contact_count; i++) {
        const hf_contact* k = &a->contacts[i];
        if (!(k->position_error_m <= 1e-4)) broken = "a contact is farther than 0.1 mm from its surface";
        if (!isfinite(k->score)) broken = "a score is not finite";
        for (int j = 0; j < i; j++)
            if (hf_distance(k->hold.point, a->contacts[j].hold.point) < q->apart_m)
                broken = "contacts are too near";
    }
    if ((a->contact_count == q->count) != (a->outcome == HF_FOUND)) broken = "the outcome does not fit";
    if (broken && !r->broken++ && !r->invalid) snprintf(r->what, sizeof r->what, "%s", broken);
}

/* One query that is asked again says what it is about. */
static void tell(const valid_worker* worker, const drawn* w, const hf_samples* const* const* sets,
                 hf_contact_answer* const* answers) {
    hf_transform root = w->pose.root;
    note(worker->o, "%s in %s, root %.6f %.6f %.6f, %.6f %.6f %.6f %.6f", w->c->name, w->scene->name,
         root.position.x, root.position.y, root.position.z, root.rotation.w, root.rotation.x, root.rotation.y,
         root.rotation.z);
    for (int i = 0; i < w->limb_count; i++) {
        const hf_contact_query* q = &w->queries[i];
        const hf_contact_answer* a = answers[i];
        note(worker->o,
             "%s as %s along %.3f %.3f %.3f, %d samples: %s; %d candidates within %.4f m, %d tested, "
             "%d colliding, %d not exact",
             w->c->limbs[q->limb].name, hf_role_text(q->role), q->direction.x, q->direction.y, q->direction.z,
             hf_samples_get(sets[i][0]).drawn, hf_contact_why_text(a->why), a->candidates, a->epsilon_m,
             a->tested, a->colliding, a->unfinished);
    }
}

static hf_status ask(const valid_worker* worker, const drawn* w, int index,
                     const hf_samples* const* const* sets, hf_contact_answer* const* answers, double* q,
                     valid_result* r, hf_error* error) {
    const hf_contact* best[VALID_LIMBS];
    int found = 0;
    *error = (hf_error){.status = HF_ERROR_ARGUMENT, .message = "the query was refused"};
    hf_status status = w->limb_count > 1
                           ? hf_contact_find_all(w->creature, sets, w->scene->placement, w->queries,
                                                 w->limb_count, worker->workspace, answers, q)
                           : hf_contact_find(w->creature, sets[0], w->scene->placement, &w->queries[0],
                                             worker->workspace, answers[0]);
    if (status == HF_OK && worker->o->query >= 0) tell(worker, w, sets, answers);
    for (int i = 0; i < w->limb_count && status == HF_OK; i++) {
        const hf_contact_answer* a = answers[i];
        judge_promises(&w->queries[i], a, r);
        r->why[i] = a->contact_count ? HF_CONTACT_ALL : a->why;
        r->contacts += a->contact_count;
        if (!a->contact_count) continue;
        best[found++] = &a->contacts[0];
        // the choices of one limb are each a pose of their own
        for (int k = 0; k < a->contact_count && w->limb_count == 1 && status == HF_OK; k++) {
            const hf_contact* one = &a->contacts[k];
            status = judge(worker, w, index, one->q, &one, 1, r, error);
        }
    }
    if (status == HF_OK && w->limb_count > 1 && found)
        status = judge(worker, w, index, q, best, found, r, error);
    return status;
}

hf_status valid_query_run(const valid_worker* worker, uint64_t seed, int index, valid_result* result,
                          hf_error* error) {
    valid_world* world = worker->world;
    *result = (valid_result){0};
    dice d = dice_of(seed, index);
    int q_count = 1, link_count = 1;
    for (int i = 0; i < world->creature_count; i++) {
        const hf_creature_view* c = hf_creature_get(world->creatures[i].creature);
        q_count = c->q_count > q_count ? c->q_count : q_count;
        link_count = c->link_count > link_count ? c->link_count : link_count;
    }
    drawn w = {.pose.q = calloc((size_t)q_count, sizeof(double)),
               .links = calloc((size_t)link_count, sizeof *w.links)};
    double* q = calloc((size_t)q_count, sizeof *q);
    hf_contact_answer* answers[VALID_LIMBS] = {0};
    const hf_samples* const* sets[VALID_LIMBS];
    hf_status status = w.pose.q && w.links && q ? HF_OK : HF_ERROR_MEMORY;
    *error = (hf_error){0};
    bool free_pose = false;
    for (; status == HF_OK && !free_pose && result->drawn_again < MAX_DRAWS;
         result->drawn_again += !free_pose)
        status = draw_once(&d, world, &w, result, &free_pose, error);
    for (int i = 0; free_pose && i < w.limb_count && status == HF_OK; i++) {
        sets[i] = valid_world_sets(world, result->creature, result->limbs[i], w.size, error);
        status = sets[i] ? hf_contact_answer_create(w.creature, VALID_CONTACTS, &answers[i]) : error->status;
    }
    if (status == HF_OK && free_pose) status = ask(worker, &w, index, sets, answers, q, result, error);
    if (status == HF_OK && !free_pose) {
        status = HF_ERROR_INTERNAL;
        *error = (hf_error){.status = status, .message = "no pose is free of collision"};
    }
    result->done = status == HF_OK;
    for (int i = 0; i < VALID_LIMBS; i++) hf_contact_answer_free(answers[i]);
    free(w.pose.q);
    free(w.links);
    free(q);
    return keep_kind(error, status);
}
