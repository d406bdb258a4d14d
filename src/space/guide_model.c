/* The abstraction of a creature (thesis-2015 section 4.3.4): a trunk that must stay free, and reach volumes
   that must not. The thesis models the trunk by hand; here it is the hull of the trunk's bodies, scaled. */
#include "space/guide_model.h"

#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/option_table.h"
#include "base/parallel.h"
#include "geom/hull.h"
#include "model/reach_volume.h"
#include "model/tolerance.h"
#include <holdfast/kinematics.h>

#include <stddef.h>
#include <string.h>

enum {
    TRUNK_CORNERS = 100, /* at most, so that a hull's faces fit HF_PLANE_BUFFER */
    REACH_CORNERS = 100,
    CIRCLE = 16, /* corners of a round body's circle */
    BALL_POINTS = 60,
};

#define FIELD(name) offsetof(hf_guide_model_options, name)
static const hf_option model_items[] = {
    {"trunk_scale", HF_OPTION_REAL, FIELD(trunk_scale), 0, 1.5, 0, "",
     "size of the trunk body, 1 to 1.5; 0: the creature's own"},
    {"reach", HF_OPTION_FLAG, FIELD(reach), 0, 1, 1, "",
     "limbs must reach a surface, and the tilt is bounded"},
    {"threads", HF_OPTION_COUNT, FIELD(threads), 0, 1024, 0, "", "0: all cores"},
};

HF_OPTIONS(hf_guide_model, model_items)

/* ---- clouds of points ---- */

typedef struct cloud {
    float* points;
    int count, capacity; /* points */
} cloud;

enum { FEW_POINTS = 256 }; /* that there is room for at first */

static bool cloud_add(cloud* c, hf_vec3 p) {
    if (c->count == c->capacity) {
        int more = c->capacity ? 2 * c->capacity : FEW_POINTS;
        float* points = hf_resize(c->points, (size_t)more * 3, sizeof *points);
        if (!points) return false;
        c->points = points, c->capacity = more;
    }
    float* at = c->points + 3 * (size_t)c->count++;
    at[0] = (float)p.x, at[1] = (float)p.y, at[2] = (float)p.z;
    return true;
}

static bool cloud_add_mesh(cloud* c, const hf_mesh* mesh, hf_transform pose) {
    for (int i = 0; i < mesh->vertex_count; i++) {
        if (!cloud_add(c, hf_apply(pose, hf_vertex(mesh->vertices, (size_t)i)))) return false;
    }
    return true;
}

static hf_vec3 cloud_at(const cloud* c, int i) {
    const float* p = c->points + 3 * (size_t)i;
    return hf_v3((double)p[0], (double)p[1], (double)p[2]);
}

/* Along the axes, then evenly over the sphere. */
static hf_vec3 thin_way(int index, int count) {
    if (index < 6) {
        double sign = index % 2 ? -1 : 1;
        return hf_v3(index / 2 == 0 ? sign : 0, index / 2 == 1 ? sign : 0, index / 2 == 2 ? sign : 0);
    }
    return hf_even_way(index - 6, count - 6);
}

/* Keeps the farthest points in `corners` directions; the six along the axes are among them, so that the box
   of the points stays. */
static void cloud_thin(cloud* c, int corners) {
    if (c->count <= corners) return;
    float kept[TRUNK_CORNERS * 3];
    int count = 0;
    for (int w = 0; w < corners; w++) {
        hf_vec3 way = thin_way(w, corners);
        int farthest = 0;
        double most = -INFINITY;
        for (int i = 0; i < c->count; i++) {
            double far = hf_dot(way, cloud_at(c, i));
            if (far > most) most = far, farthest = i;
        }
        const float* p = c->points + 3 * (size_t)farthest;
        bool known = false;
        for (int i = 0; i < count && !known; i++) known = memcmp(kept + 3 * i, p, 3 * sizeof *p) == 0;
        if (!known) memcpy(kept + 3 * count++, p, 3 * sizeof *p);
    }
    memcpy(c->points, kept, sizeof(float) * 3 * (size_t)count);
    c->count = count;
}

/* About the middle of its box. */
static void cloud_scale(cloud* c, double scale) {
    float low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int i = 0; i < 3 * c->count; i++) {
        low[i % 3] = fminf(low[i % 3], c->points[i]);
        high[i % 3] = fmaxf(high[i % 3], c->points[i]);
    }
    for (int i = 0; i < 3 * c->count; i++) {
        double middle = 0.5 * ((double)low[i % 3] + (double)high[i % 3]);
        c->points[i] = (float)(middle + scale * ((double)c->points[i] - middle));
    }
}

static hf_shape mesh_shape(const hf_mesh* mesh) {
    return (hf_shape){.kind = HF_SHAPE_HULL,
                      .vertex_count = mesh->vertex_count,
                      .face_count = mesh->triangle_count,
                      .vertices = mesh->vertices,
                      .faces = mesh->indices};
}

/* The hull of a cloud as a piece. */
static hf_status piece_fill(hf_guide_piece* piece, cloud* c, int limb, double depth, hf_error* error) {
    piece->limb = limb;
    piece->in_root = hf_transform_identity();
    hf_status status = hf_hull_build(c->points, c->count, &piece->mesh, error);
    if (status != HF_OK) return status;
    hf_shape shape = mesh_shape(&piece->mesh);
    hf_ready_body_fill(&piece->ready, &shape, depth);
    return HF_OK;
}

/* ---- the trunk ---- */

typedef struct builder {
    const hf_creature* creature;
    const hf_creature_view* v;
    hf_guide_model* m;
    hf_transform* links; /* at rest, root at the origin */
    int* group;          /* of each link: -1 a limb's, 0 the trunk's, else of a chain that is no limb */
    int group_count;
    hf_status* status; /* of each reach volume */
} builder;

static bool is_limb_root(const builder* b, int link) {
    for (int i = 0; i < b->v->limb_count; i++)
        if (b->v->limbs[i].use && b->v->limbs[i].joint_count > 0 && b->v->limbs[i].root_link == link)
            return true;
    return false;
}

/* Links of limbs are left out with everything beyond them; a chain that leaves the trunk and is no limb is a
   group of its own. */
static void find_groups(builder* b) {
    b->group_count = 1;
    for (int l = 0; l < b->v->link_count; l++) {
        bool trunk = l == 0;
        for (int i = 0; i < b->v->trunk_count; i++) trunk = trunk || b->v->trunk[i] == l;
        int parent = b->v->links[l].parent_link, above = parent < 0 ? 0 : b->group[parent];
        if (trunk)
            b->group[l] = 0;
        else if (above < 0 || is_limb_root(b, l))
            b->group[l] = -1;
        else
            b->group[l] = above > 0 ? above : b->group_count++;
    }
}

static hf_status add_core(builder* b, const hf_body* body) {
    hf_guide_core* core = &b->m->core[b->m->core_count];
    core->shape = body->shape;
    core->in_root = hf_compose(b->links[body->link], body->in_link);
    if (body->shape.kind == HF_SHAPE_HULL) {
        // a copy, so that the model does not need the creature
        hf_status status = hf_shape_mesh(&body->shape, CIRCLE, &core->mesh);
        if (status != HF_OK) return status;
        core->shape = mesh_shape(&core->mesh);
    }
    b->m->core_count++;
    return HF_OK;
}

/* Radius of the largest ball about a point (in the shape's frame) that the shape holds; negative outside. */
static double ball_inside(const hf_shape* s, hf_vec3 p) {
    if (s->kind == HF_SHAPE_SPHERE) return s->radius - hf_length(p);
    if (s->kind == HF_SHAPE_CAPSULE) {
        hf_vec3 on = hf_v3(0, 0, fmax(-s->half_length, fmin(s->half_length, p.z)));
        return s->radius - hf_distance(p, on);
    }
    hf_plane_set planes;
    hf_plane_set_fill(&planes, s, 0);
    double least = planes.count <= HF_PLANE_BUFFER ? INFINITY : 0;
    for (int i = 0; i < planes.count && i < HF_PLANE_BUFFER; i++) {
        hf_plane side = hf_plane_of(&planes, i);
        least = fmin(least, side.offset - hf_dot(side.normal, p));
    }
    return least;
}

/* What no posture takes away: the ball about a limb's first joint that the limb's own bodies fill, whatever
   way they are turned about it. */
static bool add_limb_starts(const builder* b, cloud* c) {
    for (int l = 0; l < b->v->limb_count; l++) {
        const hf_limb* limb = &b->v->limbs[l];
        if (!limb->use || limb->joint_count == 0) continue;
        hf_vec3 base = hf_compose(b->links[limb->base_link], limb->base).position;
        double radius = 0;
        for (int i = 0; i < b->v->body_count; i++) {
            const hf_body* body = &b->v->bodies[i];
            if (b->group[body->link] >= 0) continue;
            hf_transform pose = hf_compose(b->links[body->link], body->in_link);
            radius = fmax(radius, ball_inside(&body->shape, hf_unapply(pose, base)));
        }
        for (int i = 0; i < BALL_POINTS && radius > 0; i++)
            if (!cloud_add(c, hf_add(base, hf_scale(thin_way(i, BALL_POINTS), radius)))) return false;
    }
    return true;
}

static hf_status add_group(builder* b, int group, double scale, hf_error* error) {
    cloud c = {0};
    hf_status status = HF_OK;
    for (int i = 0; i < b->v->body_count && status == HF_OK; i++) {
        const hf_body* body = &b->v->bodies[i];
        if (b->group[body->link] != group) continue;
        hf_mesh mesh = {0};
        status = hf_shape_mesh(&body->shape, CIRCLE, &mesh);
        hf_transform pose = hf_compose(b->links[body->link], body->in_link);
        if (status == HF_OK && !cloud_add_mesh(&c, &mesh, pose)) status = hf_fail_memory(error, NULL);
        hf_mesh_free(&mesh);
        if (status == HF_OK) status = add_core(b, body);
    }
    if (status == HF_OK && group == 0 && !add_limb_starts(b, &c)) status = hf_fail_memory(error, NULL);
    if (status == HF_OK && c.count > 0) {
        cloud_thin(&c, TRUNK_CORNERS);
        cloud_scale(&c, scale);
        status = piece_fill(&b->m->trunk[b->m->trunk_count], &c, -1, HF_DEPTH_M, error);
        if (status == HF_OK) b->m->trunk_count++;
    }
    hf_free(c.points);
    return status;
}

/* ---- reach volumes ---- */

/* Of a limb's length: how far a limb of two joints, which moves in a plane, gets out of the plane when the
   trunk rolls by 0.1 rad. */
static const double PLANAR_REACH = 0.1;

/* Of limb `index` into m->reach[index], which stays empty where the limb encloses nothing. */
static void make_volume(void* context, int index, int worker) {
    (void)worker;
    builder* b = context;
    const hf_limb* limb = &b->v->limbs[index];
    b->status[index] = HF_OK;
    if (!limb->use || limb->joint_count == 0) return;
    hf_mesh hull = {0};
    // in the directions of the corners that are kept
    hf_transform base = hf_compose(b->links[limb->base_link], limb->base);
    hf_vec3 ways[REACH_CORNERS];
    for (int i = 0; i < REACH_CORNERS; i++) ways[i] = hf_unrotate(base.rotation, thin_way(i, REACH_CORNERS));
    hf_status status = hf_reach_volume_along(b->creature, index, limb->contact_count > 0 ? 0 : -1, ways,
                                             REACH_CORNERS, PLANAR_REACH * limb->length, &hull, NULL);
    cloud c = {0};
    if (status == HF_OK && !cloud_add_mesh(&c, &hull, base)) status = HF_ERROR_MEMORY;
    if (status == HF_OK) {
        cloud_thin(&c, REACH_CORNERS);
        status = piece_fill(&b->m->reach[index], &c, index, 0, NULL);
    }
    hf_mesh_free(&hull);
    hf_free(c.points);
    // a limb that does not move at all, or has no length, has no volume
    b->status[index] = status == HF_ERROR_FORMAT ? HF_OK : status;
}

static uint64_t bit(int limb) { return limb >= 0 && limb < HF_GUIDE_LIMBS ? (uint64_t)1 << limb : 0; }

static uint64_t mask_of(const int* limbs, int count) {
    uint64_t mask = 0;
    for (int i = 0; i < count; i++) mask |= bit(limbs[i]);
    return mask;
}

/* What the creature asks for; a limb without a volume cannot be asked for. */
static void take_wishes(hf_guide_model* m, const hf_creature_view* v) {
    for (int i = 0; i < m->reach_count; i++)
        if (m->reach[i].mesh.vertex_count > 0) m->limbs |= bit(i);
    m->upright = mask_of(v->guide.upright, v->guide.upright_count) & m->limbs;
    m->bent = mask_of(v->guide.bent, v->guide.bent_count) & m->limbs;
    for (int i = 0; i < m->reach_count; i++)
        m->excludes[i] = mask_of(v->limbs[i].excludes, v->limbs[i].exclude_count);
    m->tilt_rad = v->guide.tilt, m->tilt_max_rad = v->guide.tilt_max;
    m->tilt_side_rad = v->guide.tilt_side, m->any = v->guide.any;
}

/* ---- the whole ---- */

static double piece_radius(const hf_guide_piece* piece) {
    double most = 0;
    const hf_shape* s = &piece->ready.shape;
    if (s->kind == HF_SHAPE_BOX) return hf_length(piece->in_root.position) + hf_length(s->half_size);
    for (int i = 0; i < s->vertex_count; i++) {
        hf_vec3 x = hf_vertex(s->vertices, (size_t)i);
        most = fmax(most, hf_length(hf_apply(piece->in_root, x)));
    }
    return most;
}

static uint64_t hash_piece(uint64_t h, const hf_guide_piece* piece) {
    const hf_shape* s = &piece->ready.shape;
    h = hf_hash_int(h, piece->limb);
    h = hf_hash_int(h, s->kind);
    const double numbers[] = {s->half_size.x,
                              s->half_size.y,
                              s->half_size.z,
                              piece->in_root.position.x,
                              piece->in_root.position.y,
                              piece->in_root.position.z,
                              piece->in_root.rotation.w,
                              piece->in_root.rotation.x,
                              piece->in_root.rotation.y,
                              piece->in_root.rotation.z};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) h = hf_hash_double(h, numbers[i]);
    return hf_hash_bytes(h, s->vertices, sizeof(float) * 3 * (size_t)s->vertex_count);
}

static void finish(hf_guide_model* m) {
    uint64_t h = HF_HASH_START;
    for (int i = 0; i < m->trunk_count; i++) {
        m->radius = fmax(m->radius, piece_radius(&m->trunk[i]));
        h = hash_piece(h, &m->trunk[i]);
    }
    m->reach_radius = m->radius;
    for (int i = 0; i < m->reach_count; i++) {
        m->reach_radius = fmax(m->reach_radius, piece_radius(&m->reach[i]));
        h = hash_piece(h, &m->reach[i]);
    }
    h = hf_hash_int(h, m->bounded);
    h = hf_hash_int(h, (int64_t)m->upright);
    h = hf_hash_int(h, (int64_t)m->bent);
    h = hf_hash_int(h, (int64_t)m->limbs);
    for (int i = 0; i < HF_GUIDE_LIMBS; i++) h = hf_hash_int(h, (int64_t)m->excludes[i]);
    h = hf_hash_int(h, m->any);
    h = hf_hash_double(h, m->tilt_rad);
    h = hf_hash_double(h, m->tilt_side_rad);
    m->hash = hf_hash_double(h, m->tilt_max_rad);
}

static hf_status build(builder* b, const hf_guide_model_options* options, hf_error* error) {
    hf_guide_model* m = b->m;
    size_t links = (size_t)b->v->link_count, limbs = (size_t)b->v->limb_count;
    if (limbs > HF_GUIDE_LIMBS) limbs = HF_GUIDE_LIMBS;
    m->bounded = options->reach;
    m->reach_count = options->reach ? (int)limbs : 0;
    m->reach = hf_alloc(limbs, sizeof *m->reach);
    m->trunk = hf_alloc(links, sizeof *m->trunk);
    m->core = hf_alloc((size_t)b->v->body_count, sizeof *m->core);
    b->links = hf_alloc(links, sizeof *b->links);
    b->group = hf_alloc(links, sizeof *b->group);
    b->status = hf_alloc(limbs, sizeof *b->status);
    double* q = hf_alloc((size_t)b->v->q_count, sizeof *q);
    hf_status status = m->reach && m->trunk && m->core && b->links && b->group && b->status && q
                           ? HF_OK
                           : hf_fail_memory(error, NULL);
    if (status == HF_OK) {
        hf_pose rest = {hf_transform_identity(), q};
        hf_pose_rest(b->creature, &rest);
        hf_forward(b->creature, &rest, b->links);
        find_groups(b);
        double scale = options->trunk_scale > 0 ? options->trunk_scale : b->v->guide.trunk_scale;
        for (int g = 0; g < b->group_count && status == HF_OK; g++) status = add_group(b, g, scale, error);
    }
    if (status == HF_OK) {
        hf_parallel(options->threads, m->reach_count, make_volume, b);
        for (int i = 0; i < m->reach_count && status == HF_OK; i++) status = b->status[i];
        if (status != HF_OK) hf_fail(error, status, NULL, 0, NULL, "a reach volume cannot be made");
    }
    if (status == HF_OK && m->trunk_count == 0)
        status = hf_fail(error, HF_ERROR_FORMAT, b->v->path, 0, NULL,
                         b->v->body_count > 0
                             ? "the creature's trunk has no body"
                             : "no link has geometry: there is nothing that could stand or collide");
    if (status == HF_OK) {
        take_wishes(m, b->v);
        finish(m);
    }
    hf_free(q);
    return status;
}

hf_status hf_guide_model_create(const hf_creature* creature, const hf_guide_model_options* options,
                                hf_guide_model** model, hf_error* error) {
    HF_REQUIRE(error, creature && options && model);
    *model = NULL;
    hf_status status = hf_options_check(hf_guide_model_option_table(), options, error);
    if (status == HF_OK && options->trunk_scale > 0 && options->trunk_scale < 1)
        status = hf_fail(error, HF_ERROR_ARGUMENT, NULL, 0, "trunk_scale", "%g is outside 1 to 1.5",
                         options->trunk_scale);
    if (status != HF_OK) return status;
    builder b = {.creature = creature, .v = hf_creature_get(creature)};
    b.m = hf_alloc(1, sizeof *b.m);
    status = b.m ? build(&b, options, error) : hf_fail_memory(error, NULL);
    hf_free(b.links);
    hf_free(b.group);
    hf_free(b.status);
    if (status == HF_OK)
        *model = b.m;
    else
        hf_guide_model_free(b.m);
    return status;
}

hf_status hf_guide_model_create_plain(const hf_shape* shape, hf_transform in_root, hf_guide_model** model,
                                      hf_error* error) {
    HF_REQUIRE(error, shape && model);
    *model = NULL;
    hf_guide_model* m = hf_alloc(1, sizeof *m);
    hf_guide_piece* piece = hf_alloc(1, sizeof *piece);
    hf_status status = m && piece ? HF_OK : hf_fail_memory(error, NULL);
    if (status == HF_OK) {
        m->trunk = piece, m->trunk_count = 1;
        piece->limb = -1;
        piece->in_root = in_root;
        hf_shape own = *shape;
        if (shape->kind != HF_SHAPE_BOX) {
            status = hf_shape_mesh(shape, CIRCLE, &piece->mesh);
            own = mesh_shape(&piece->mesh);
        }
        if (status == HF_OK) hf_ready_body_fill(&piece->ready, &own, 0);
        finish(m);
        piece = NULL;
    }
    hf_free(piece);
    if (status == HF_OK)
        *model = m;
    else
        hf_guide_model_free(m);
    return status;
}

void hf_guide_model_free(hf_guide_model* model) {
    if (!model) return;
    for (int i = 0; i < model->trunk_count; i++) hf_mesh_free(&model->trunk[i].mesh);
    for (int i = 0; i < model->reach_count && model->reach; i++) hf_mesh_free(&model->reach[i].mesh);
    for (int i = 0; i < model->core_count; i++) hf_mesh_free(&model->core[i].mesh);
    hf_free(model->trunk);
    hf_free(model->reach);
    hf_free(model->core);
    hf_free(model);
}

int hf_guide_model_bodies(const hf_guide_model* model, hf_guide_body* bodies, int capacity) {
    int count = 0;
    for (int i = 0; i < model->trunk_count + model->reach_count; i++) {
        const hf_guide_piece* p =
            i < model->trunk_count ? &model->trunk[i] : &model->reach[i - model->trunk_count];
        if (i >= model->trunk_count && p->mesh.vertex_count == 0) continue;
        if (count < capacity) bodies[count] = (hf_guide_body){p->limb, p->ready.shape, p->in_root};
        count++;
    }
    return count;
}

double hf_guide_model_radius(const hf_guide_model* model) { return model->radius; }