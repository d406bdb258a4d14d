/* A skeleton of constant bone lengths for positions of joints.
   Two joints of one bone keep their distance: the tree grows from the root by the pairs whose distance varies
   least, the short ones first. A joint that keeps its distance from its parent's parent, too, is fixed in
   that one's frame and moves up. The rest posture is the most upright frame. In each frame a joint turns so
   that its bones point as measured (Horn's quaternion method); a joint with one bone turns the shortest way.
 */
#include "base/error.h"
#include "base/memory.h"
#include "io/positions.h"

#include <string.h>

static const double PI = 3.14159265358979323846;
/* Frames that are looked at to see which distances are constant. */
enum { LOOKS = 200, SQUARES = 16 };
/* A metre of length counts as much as so many metres of variation where a joint looks for its parent. */
static const double SHORT_FIRST = 0.01;
/* Part of the body's size by which a distance in one rigid part may vary: noise of captures. */
static const double RIGID_SHARE = 0.0002;
/* A distance varies at most this many times as much as that to the joint before in one rigid part: noise
   makes both vary as much, and more is the bend of a joint between. */
static const double RIGID_TIMES = 1.25;
/* A fit farther from the positions than this part of the body's size is told as a warning. */
static const double BAD_FIT_SHARE = 0.02;

typedef struct fitter {
    const char* path;
    const hf_positions* p;
    bool z_up;
    int n;           /* joints */
    double* mean;    /* n x n: distance of two joints */
    double* wave;    /* n x n: its standard deviation */
    double size;     /* of the body, file units */
    int* parent;     /* in the file's numbers */
    int* order;      /* branch by branch, parents first */
    int rest;        /* the most upright frame */
    hf_vec3* offset; /* of each joint in its parent at rest, file axes, constant lengths */
    hf_quat* turn;   /* of each joint in the frame at hand, world */
} fitter;

static hf_vec3 at(const hf_positions* p, int frame, int joint) {
    const double* v = p->values + 3 * ((size_t)frame * (size_t)p->joint_count + (size_t)joint);
    return hf_v3(v[0], v[1], v[2]);
}

/* ---- the tree ---- */

static void measure_pairs(fitter* f) {
    int looks = f->p->frame_count < LOOKS ? f->p->frame_count : LOOKS;
    for (int i = 0; i < f->n; i++)
        for (int j = 0; j < i; j++) {
            double sum = 0, squares = 0;
            for (int k = 0; k < looks; k++) {
                int frame = (int)((int64_t)k * (f->p->frame_count - 1) / (looks > 1 ? looks - 1 : 1));
                double d = hf_distance(at(f->p, frame, i), at(f->p, frame, j));
                sum += d, squares += d * d;
            }
            double mean = sum / looks, wave = sqrt(fmax(0, squares / looks - mean * mean));
            f->mean[i * f->n + j] = f->mean[j * f->n + i] = mean;
            f->wave[i * f->n + j] = f->wave[j * f->n + i] = wave;
            f->size = fmax(f->size, mean);
        }
}

/* The first joint with the word and on this side; -1 where there is none. */
static int find_word(const hf_positions* p, const char* word, int side) {
    for (int i = 0; i < p->joint_count; i++)
        if (hf_text_has(p->names[i], word) && hf_name_side(p->names[i]) == side) return i;
    return -1;
}

static int find_root(const hf_positions* p) {
    static const char* const words[] = {"hips", "pelvis", "root", "hip", "spine_base", "spinebase"};
    for (size_t w = 0; w < sizeof words / sizeof *words; w++) {
        int found = find_word(p, words[w], 0);
        if (found >= 0) return found;
    }
    return -1;
}

/* Sets of joints without a pelvis (COCO) get one in the middle between the hips, as the last joint. */
static hf_status add_root(const char* path, hf_positions* p, hf_error* error) {
    static const char* const words[] = {"hip", "thigh", "upleg", "upperleg"};
    int left = -1, right = -1, n = p->joint_count;
    for (size_t w = 0; w < sizeof words / sizeof *words && (left < 0 || right < 0); w++)
        left = find_word(p, words[w], 1), right = find_word(p, words[w], -1);
    if (find_root(p) >= 0 || left < 0 || right < 0) return HF_OK;
    size_t row = 3 * (size_t)n;
    double* values = hf_alloc((row + 3) * (size_t)p->frame_count, sizeof *values);
    char** names = hf_alloc((size_t)n + 1, sizeof *names);
    char* name = hf_copy_text("hips");
    if (!values || !names || !name) {
        hf_free(values);
        hf_free(names);
        hf_free(name);
        return hf_fail_memory(error, path);
    }
    for (size_t f = 0; f < (size_t)p->frame_count; f++) {
        const double* from = p->values + f * row;
        double* to = values + f * (row + 3);
        memcpy(to, from, sizeof *to * row);
        for (int k = 0; k < 3; k++) to[row + (size_t)k] = 0.5 * (from[3 * left + k] + from[3 * right + k]);
    }
    memcpy(names, p->names, sizeof *names * (size_t)n);
    names[n] = name;
    hf_free(p->values);
    hf_free(p->names);
    p->values = values, p->names = names, p->joint_count = n + 1;
    return HF_OK;
}

/* The highest ancestor of `parent` in whose frame the joint is fixed. */
static int climb(const fitter* f, int joint, int parent) {
    double allowed = RIGID_TIMES * f->wave[joint * f->n + parent] + RIGID_SHARE * f->size;
    for (int up = f->parent[parent]; up >= 0 && f->wave[joint * f->n + up] <= allowed; up = f->parent[up])
        parent = up;
    return parent;
}

/* No bone leads from the left of a body to its right. */
static bool crosses(const fitter* f, int a, int b) {
    return hf_name_side(f->p->names[a]) * hf_name_side(f->p->names[b]) < 0;
}

/* The cheapest bone from a joint of the tree to one that is not in the tree yet, which is returned; -1 where
   every bone would cross. */
static int cheapest_bone(const fitter* f, int in_count, bool crossing, int* parent) {
    double best = INFINITY;
    int joint = -1;
    for (int k = 0; k < in_count; k++)
        for (int j = 0, i = f->order[k]; j < f->n; j++) {
            double cost = f->wave[i * f->n + j] + SHORT_FIRST * f->mean[i * f->n + j];
            if (f->parent[j] != -2 || (joint >= 0 && !(cost < best))) continue;
            if (!crossing && crosses(f, i, j)) continue;
            best = cost, joint = j, *parent = i;
        }
    return joint;
}

/* Prim's algorithm from the root. f->order serves as the list of joints that are in the tree. Sets of joints
   of which none is in the middle of the body need one bone from one side to the other. */
static void grow_tree(fitter* f) {
    for (int i = 0; i < f->n; i++) f->parent[i] = -2;
    int root = find_root(f->p), parent = 0;
    f->order[0] = root >= 0 ? root : 0;
    f->parent[f->order[0]] = -1;
    for (int in_count = 1; in_count < f->n;) {
        int joint = cheapest_bone(f, in_count, false, &parent);
        if (joint < 0) joint = cheapest_bone(f, in_count, true, &parent);
        f->parent[joint] = climb(f, joint, parent);
        f->order[in_count++] = joint;
    }
}

/* Branch by branch, children in the file's order. */
static int list_branch(fitter* f, int joint, int count) {
    f->order[count++] = joint;
    for (int i = 0; i < f->n; i++)
        if (f->parent[i] == joint) count = list_branch(f, i, count);
    return count;
}

/* ---- the rest posture ---- */

/* From the higher one of the lowest joints on the left and on the right up to the highest joint: the height
   of a body that stands on both feet, less on stairs and in a stride. */
static double height_of(const fitter* f, int frame) {
    double low[3] = {INFINITY, INFINITY, INFINITY}, high = -INFINITY; /* right, middle, left */
    for (int i = 0; i < f->n; i++) {
        hf_vec3 v = at(f->p, frame, i);
        double h = f->z_up ? v.z : v.y, *least = &low[1 + hf_name_side(f->p->names[i])];
        *least = fmin(*least, h), high = fmax(high, h);
    }
    bool sides = isfinite(low[0]) && isfinite(low[2]);
    return high - (sides ? fmax(low[0], low[2]) : fmin(fmin(low[0], low[1]), low[2]));
}

/* Positions have no rest posture in which the body would stand along an axis: the axis along which it is
   longest in its most upright frame. */
static void find_up(fitter* f, char up) {
    double best[2] = {0};
    int frames[2] = {0};
    for (int z = 0; z < 2; z++)
        for (int frame = 0; frame < f->p->frame_count; frame++) {
            f->z_up = z;
            double h = height_of(f, frame);
            if (h > best[z]) best[z] = h, frames[z] = frame;
        }
    f->z_up = up ? up == 'z' : best[1] >= best[0];
    f->rest = frames[f->z_up];
}

/* To the joints named left and away from those named right, seen from the root, in the rest frame, along the
   ground. */
static hf_vec3 leftwards(const fitter* f) {
    hf_vec3 sum = hf_v3(0, 0, 0);
    for (int i = 0; i < f->n; i++) {
        double side = hf_name_side(f->p->names[i]);
        hf_vec3 way = hf_sub(at(f->p, f->rest, i), at(f->p, f->rest, f->order[0]));
        sum = hf_add(sum, hf_scale(way, side));
    }
    return f->z_up ? hf_v3(sum.x, sum.y, 0) : hf_v3(sum.x, 0, sum.z);
}

/* Offsets of the rest frame with mean lengths, turned so that left lies along +X as in BVH files. */
static void make_rest(fitter* f) {
    hf_vec3 left = leftwards(f), up = f->z_up ? hf_v3(0, 0, 1) : hf_v3(0, 1, 0);
    double angle = 0;
    if (hf_length(left) > 0) angle = f->z_up ? -hf_atan2(left.y, left.x) : hf_atan2(left.z, left.x);
    hf_quat turn = hf_quat_axis_angle(up, angle);
    for (int i = 0; i < f->n; i++) {
        int parent = f->parent[i];
        if (parent < 0) continue;
        hf_vec3 way = hf_sub(at(f->p, f->rest, i), at(f->p, f->rest, parent));
        double length = hf_length(way), mean = f->mean[i * f->n + parent];
        f->offset[i] = length > 0 ? hf_rotate(turn, hf_scale(way, mean / length)) : hf_v3(0, 0, 0);
    }
}

/* ---- one frame ---- */

/* The rotation that takes the sum's first vectors nearest to its second ones: the eigenvector of Horn's 4 x 4
   matrix with the largest eigenvalue, by squaring the matrix, shifted so that all eigenvalues are positive.
 */
static hf_quat horn(const double s[3][3], double size) {
    double n[4][4] = {{s[0][0] + s[1][1] + s[2][2], s[1][2] - s[2][1], s[2][0] - s[0][2], s[0][1] - s[1][0]},
                      {0, s[0][0] - s[1][1] - s[2][2], s[0][1] + s[1][0], s[2][0] + s[0][2]},
                      {0, 0, s[1][1] - s[0][0] - s[2][2], s[1][2] + s[2][1]},
                      {0, 0, 0, s[2][2] - s[0][0] - s[1][1]}};
    for (int i = 0; i < 4; i++) {
        n[i][i] += size;
        for (int j = 0; j < i; j++) n[i][j] = n[j][i];
    }
    for (int round = 0; round < SQUARES; round++) {
        double square[4][4] = {{0}}, trace = n[0][0] + n[1][1] + n[2][2] + n[3][3];
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 4; j++)
                for (int k = 0; k < 4; k++) square[i][j] += n[i][k] / trace * (n[k][j] / trace);
        memcpy(n, square, sizeof n);
    }
    int best = 0;
    for (int i = 1; i < 4; i++)
        if (n[i][i] > n[best][best]) best = i;
    return hf_quat_normalize((hf_quat){n[0][best], n[1][best], n[2][best], n[3][best]});
}

/* Bones of a joint that point the same way, or against each other, leave its turn about them open. */
static const double SIDEWAYS = 0.02; /* part of a bone's length that another one must point aside */

static void turn_joint(fitter* f, int frame, int joint) {
    hf_quat q = f->parent[joint] >= 0 ? f->turn[f->parent[joint]] : f->turn[joint];
    hf_vec3 from = at(f->p, frame, joint), a = hf_v3(0, 0, 0), b = a;
    double s[3][3] = {{0}}, size = 0;
    bool spread = false;
    for (int i = 0; i < f->n; i++) {
        double length = hf_length(f->offset[i]);
        if (f->parent[i] != joint || !(length > 0)) continue;
        hf_vec3 own = f->offset[i], now = hf_sub(at(f->p, frame, i), from);
        spread = spread || hf_length(hf_cross(own, a)) > SIDEWAYS * length * hf_length(a);
        const double x[3] = {own.x, own.y, own.z}, y[3] = {now.x, now.y, now.z};
        for (int k = 0; k < 3; k++)
            for (int l = 0; l < 3; l++) s[k][l] += x[k] * y[l];
        size += length * hf_length(now);
        if (length > hf_length(a)) a = own, b = now;
    }
    if (spread)
        q = horn(s, size);
    else if (hf_length(a) > 0 && hf_length(b) > 0)
        q = hf_quat_mul(hf_quat_between(hf_rotate(q, hf_normalize(a)), hf_normalize(b)), q);
    f->turn[joint] = hf_quat_normalize(q);
}

/* Angles about Z, X, Y in the order that the channels have them: R = Rz Rx Ry. */
static void angles_of(hf_quat q, double degrees[3]) {
    hf_mat3 r = hf_quat_matrix(q);
    double s = fmin(fmax(r.m[7], -1), 1);
    degrees[0] = hf_atan2(-r.m[1], r.m[4]) * 180 / PI;
    degrees[1] = hf_asin(s) * 180 / PI;
    degrees[2] = hf_atan2(-r.m[6], r.m[8]) * 180 / PI;
}

/* Values of one frame; returns the squared distances of the fitted joints from the positions, summed. */
static double fit_frame(fitter* f, int frame, hf_clip* clip, hf_vec3* placed) {
    double *values = clip->values + (size_t)frame * (size_t)clip->channel_count, sum = 0;
    for (int k = 0; k < f->n; k++) {
        int joint = f->order[k], parent = f->parent[joint];
        turn_joint(f, frame, joint);
        placed[joint] = parent < 0 ? at(f->p, frame, joint)
                                   : hf_add(placed[parent], hf_rotate(f->turn[parent], f->offset[joint]));
        hf_vec3 off = hf_sub(placed[joint], at(f->p, frame, joint));
        sum += hf_dot(off, off);
        const hf_clip_joint* to = &clip->joints[k];
        if (!to->channel_count) continue;
        double* v = values + to->first_channel;
        if (parent < 0) v[0] = placed[joint].x, v[1] = placed[joint].y, v[2] = placed[joint].z, v += 3;
        hf_quat local =
            parent < 0 ? f->turn[joint] : hf_quat_mul(hf_quat_conj(f->turn[parent]), f->turn[joint]);
        angles_of(local, v);
    }
    return sum;
}

/* ---- the clip ---- */

static hf_status make_joints(fitter* f, hf_clip* clip, hf_error* error) {
    static const int channels[6] = {0, 1, 2, 5, 3, 4};
    clip->joints = hf_alloc((size_t)f->n, sizeof *clip->joints);
    int* place = hf_alloc((size_t)f->n, sizeof *place);
    hf_status status = clip->joints && place ? HF_OK : hf_fail_memory(error, f->path);
    for (int k = 0; k < f->n && status == HF_OK; k++) {
        int joint = f->order[k], parent = f->parent[joint], children = 0;
        for (int i = 0; i < f->n; i++) children += f->parent[i] == joint;
        hf_clip_joint* to = &clip->joints[clip->joint_count++];
        to->name = hf_copy_text(f->p->names[joint]);
        if (!to->name) status = hf_fail_memory(error, f->path);
        to->parent = parent < 0 ? -1 : place[parent];
        to->offset = f->offset[joint];
        to->first_channel = clip->channel_count;
        to->channel_count = parent < 0 ? 6 : children ? 3 : 0;
        memcpy(to->channels, parent < 0 ? channels : channels + 3, sizeof(int) * (parent < 0 ? 6 : 3));
        clip->channel_count += to->channel_count;
        place[joint] = k;
    }
    hf_free(place);
    return status;
}

static hf_status take_memory(fitter* f, hf_error* error) {
    size_t n = (size_t)f->n;
    f->mean = hf_alloc(n * n, sizeof *f->mean);
    f->wave = hf_alloc(n * n, sizeof *f->wave);
    f->parent = hf_alloc(n, sizeof *f->parent);
    f->order = hf_alloc(n, sizeof *f->order);
    f->offset = hf_alloc(n, sizeof *f->offset);
    f->turn = hf_alloc(n, sizeof *f->turn);
    bool good = f->mean && f->wave && f->parent && f->order && f->offset && f->turn;
    return good ? HF_OK : hf_fail_memory(error, f->path);
}

static hf_status fit(fitter* f, hf_clip* clip, hf_lines* warnings, hf_error* error) {
    clip->frame_count = f->p->frame_count;
    clip->frame_time_s = f->p->frame_time_s;
    clip->z_up = f->z_up;
    hf_status status = make_joints(f, clip, error);
    if (status != HF_OK) return status;
    clip->values = hf_alloc((size_t)clip->frame_count * (size_t)clip->channel_count, sizeof *clip->values);
    hf_vec3* placed = hf_alloc((size_t)f->n, sizeof *placed);
    if (!clip->values || !placed) status = hf_fail_memory(error, f->path);
    for (int i = 0; i < f->n; i++) f->turn[i] = hf_quat_identity();
    double sum = 0;
    for (int i = 0; i < clip->frame_count && status == HF_OK; i++) sum += fit_frame(f, i, clip, placed);
    hf_free(placed);
    clip->fit_m =
        sqrt(sum / ((double)f->n * fmax(1, clip->frame_count))); /* file units until they are known */
    if (status == HF_OK && clip->fit_m > BAD_FIT_SHARE * f->size &&
        !hf_lines_add(warnings, "bones of constant length are %.2g file units from the positions",
                      clip->fit_m))
        status = hf_fail_memory(error, f->path);
    return status;
}

/* The longest way between two joints in the first frame. */
static double size_of(const hf_positions* p) {
    double size = 0;
    for (int i = 0; i < p->joint_count; i++)
        for (int j = 0; j < i; j++) size = fmax(size, hf_distance(at(p, 0, i), at(p, 0, j)));
    return size;
}

hf_status hf_positions_fit(const char* path, hf_positions* positions, const hf_clip_options* options,
                           hf_clip** clip, hf_lines* warnings, hf_error* error) {
    if (positions->frame_count < 2)
        return hf_fail(error, HF_ERROR_FORMAT, path, 0, NULL,
                       "has one frame: bone lengths are found from how the joints move");
    hf_status status = add_root(path, positions, error);
    if (status == HF_OK) status = hf_positions_smooth(path, positions, size_of(positions), warnings, error);
    if (status != HF_OK) return status;
    fitter f = {.path = path, .p = positions, .n = positions->joint_count};
    status = take_memory(&f, error);
    if (status == HF_OK && !(*clip = hf_alloc(1, sizeof **clip))) status = hf_fail_memory(error, path);
    if (status == HF_OK) {
        measure_pairs(&f);
        grow_tree(&f);
        list_branch(&f, f.order[0], 0);
        find_up(&f, options->up);
        make_rest(&f);
        status = fit(&f, *clip, warnings, error);
    }
    hf_free(f.mean);
    hf_free(f.wave);
    hf_free(f.parent);
    hf_free(f.order);
    hf_free(f.offset);
    hf_free(f.turn);
    return status;
}
