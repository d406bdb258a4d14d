/* Vectors, quaternions and rigid transforms in double precision. World: right-handed, Z up, metres. */
#ifndef HOLDFAST_MATH_H
#define HOLDFAST_MATH_H

#include <holdfast/base.h>
#include <math.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hf_vec3 {
    double x, y, z;
} hf_vec3;

/* Elementary functions of the library's own (radians). Files and motions depend on these alone. */
HF_API double hf_sin(double angle);
HF_API double hf_cos(double angle);
HF_API void hf_sin_cos(double angle, double* sine, double* cosine); /* the same two numbers, sooner */
HF_API double hf_asin(double x);
HF_API double hf_acos(double x);
HF_API double hf_atan2(double y, double x);
HF_API double hf_hypot(double x, double y);
HF_API double hf_log(double x);
HF_API double hf_pow(double x, double power);

/* Unit quaternion, w first, as in every Holdfast file. */
typedef struct hf_quat {
    double w, x, y, z;
} hf_quat;

/* Rigid transform: point_out = position + rotation * point_in. A file's pose7. */
typedef struct hf_transform {
    hf_vec3 position;
    hf_quat rotation;
} hf_transform;

/* Row-major rotation matrix. */
typedef struct hf_mat3 {
    double m[9];
} hf_mat3;

static inline hf_vec3 hf_v3(double x, double y, double z) {
    hf_vec3 v = {x, y, z};
    return v;
}
static inline hf_vec3 hf_add(hf_vec3 a, hf_vec3 b) { return hf_v3(a.x + b.x, a.y + b.y, a.z + b.z); }
static inline hf_vec3 hf_sub(hf_vec3 a, hf_vec3 b) { return hf_v3(a.x - b.x, a.y - b.y, a.z - b.z); }
static inline hf_vec3 hf_scale(hf_vec3 a, double s) { return hf_v3(a.x * s, a.y * s, a.z * s); }
static inline hf_vec3 hf_neg(hf_vec3 a) { return hf_v3(-a.x, -a.y, -a.z); }
static inline double hf_dot(hf_vec3 a, hf_vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline hf_vec3 hf_cross(hf_vec3 a, hf_vec3 b) {
    return hf_v3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
static inline double hf_length(hf_vec3 a) { return sqrt(hf_dot(a, a)); }
static inline double hf_distance(hf_vec3 a, hf_vec3 b) { return hf_length(hf_sub(a, b)); }
static inline hf_vec3 hf_lerp(hf_vec3 a, hf_vec3 b, double t) { return hf_add(a, hf_scale(hf_sub(b, a), t)); }
/* The zero vector stays zero. */
static inline hf_vec3 hf_normalize(hf_vec3 a) {
    double l = hf_length(a);
    return l > 0 ? hf_scale(a, 1 / l) : a;
}

static inline hf_quat hf_quat_identity(void) {
    hf_quat q = {1, 0, 0, 0};
    return q;
}
static inline hf_quat hf_quat_mul(hf_quat a, hf_quat b) {
    hf_quat q = {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                 a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                 a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
    return q;
}
static inline hf_quat hf_quat_conj(hf_quat q) {
    hf_quat r = {q.w, -q.x, -q.y, -q.z};
    return r;
}
static inline hf_vec3 hf_rotate(hf_quat q, hf_vec3 v) {
    hf_vec3 u = {q.x, q.y, q.z};
    hf_vec3 t = hf_scale(hf_cross(u, v), 2);
    return hf_add(hf_add(v, hf_scale(t, q.w)), hf_cross(u, t));
}
static inline hf_vec3 hf_unrotate(hf_quat q, hf_vec3 v) { return hf_rotate(hf_quat_conj(q), v); }
static inline hf_quat hf_quat_axis_angle(hf_vec3 unit_axis, double angle) {
    double s, c;
    hf_sin_cos(angle / 2, &s, &c);
    hf_quat q = {c, unit_axis.x * s, unit_axis.y * s, unit_axis.z * s};
    return q;
}
static inline hf_quat hf_quat_normalize(hf_quat q) {
    double l = sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    if (!(l > 0)) return hf_quat_identity();
    hf_quat r = {q.w / l, q.x / l, q.y / l, q.z / l};
    return r;
}
/* Rotation vector (axis times angle in [0, pi]) of q. */
static inline hf_vec3 hf_quat_log(hf_quat q) {
    double s = sqrt(q.x * q.x + q.y * q.y + q.z * q.z);
    double w = q.w < 0 ? -q.w : q.w;
    double k = s > 1e-12 ? 2 * hf_atan2(s, w) / s : 2 / (w > 0 ? w : 1);
    if (q.w < 0) k = -k;
    return hf_v3(q.x * k, q.y * k, q.z * k);
}
/* Geodesic angle in [0, pi] between two orientations. */
static inline double hf_quat_angle(hf_quat a, hf_quat b) {
    return hf_length(hf_quat_log(hf_quat_mul(hf_quat_conj(a), b)));
}
/* Shortest way, constant speed. */
static inline hf_quat hf_quat_slerp(hf_quat a, hf_quat b, double t) {
    hf_vec3 r = hf_quat_log(hf_quat_mul(hf_quat_conj(a), b));
    double angle = hf_length(r);
    return hf_quat_mul(a, hf_quat_axis_angle(hf_normalize(r), angle * t));
}
/* Shortest rotation that takes unit vector a to unit vector b. */
static inline hf_quat hf_quat_between(hf_vec3 a, hf_vec3 b) {
    double d = hf_dot(a, b);
    if (d < -1 + 1e-12) {
        hf_vec3 axis = fabs(a.x) < 0.9 ? hf_cross(a, hf_v3(1, 0, 0)) : hf_cross(a, hf_v3(0, 1, 0));
        return hf_quat_axis_angle(hf_normalize(axis), 3.14159265358979323846);
    }
    hf_vec3 c = hf_cross(a, b);
    hf_quat q = {1 + d, c.x, c.y, c.z};
    return hf_quat_normalize(q);
}
/* URDF's fixed-axis roll, pitch, yaw. */
static inline hf_quat hf_quat_rpy(double roll, double pitch, double yaw) {
    hf_quat x = {hf_cos(roll / 2), hf_sin(roll / 2), 0, 0};
    hf_quat y = {hf_cos(pitch / 2), 0, hf_sin(pitch / 2), 0};
    hf_quat z = {hf_cos(yaw / 2), 0, 0, hf_sin(yaw / 2)};
    return hf_quat_mul(z, hf_quat_mul(y, x));
}
static inline hf_mat3 hf_quat_matrix(hf_quat q) {
    double xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z, xy = q.x * q.y, xz = q.x * q.z, yz = q.y * q.z;
    double wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z;
    hf_mat3 r = {{1 - 2 * (yy + zz), 2 * (xy - wz), 2 * (xz + wy), 2 * (xy + wz), 1 - 2 * (xx + zz),
                  2 * (yz - wx), 2 * (xz - wy), 2 * (yz + wx), 1 - 2 * (xx + yy)}};
    return r;
}
static inline hf_vec3 hf_mat3_mul(const hf_mat3* r, hf_vec3 v) {
    return hf_v3(r->m[0] * v.x + r->m[1] * v.y + r->m[2] * v.z, r->m[3] * v.x + r->m[4] * v.y + r->m[5] * v.z,
                 r->m[6] * v.x + r->m[7] * v.y + r->m[8] * v.z);
}

static inline hf_transform hf_transform_identity(void) {
    hf_transform t = {{0, 0, 0}, {1, 0, 0, 0}};
    return t;
}
/* First b, then a. */
static inline hf_transform hf_compose(hf_transform a, hf_transform b) {
    hf_transform t = {hf_add(a.position, hf_rotate(a.rotation, b.position)),
                      hf_quat_mul(a.rotation, b.rotation)};
    return t;
}
static inline hf_transform hf_inverse(hf_transform a) {
    hf_quat r = hf_quat_conj(a.rotation);
    hf_transform t = {hf_neg(hf_rotate(r, a.position)), r};
    return t;
}
static inline hf_vec3 hf_apply(hf_transform a, hf_vec3 p) {
    return hf_add(a.position, hf_rotate(a.rotation, p));
}
static inline hf_vec3 hf_unapply(hf_transform a, hf_vec3 p) {
    return hf_unrotate(a.rotation, hf_sub(p, a.position));
}

#ifdef __cplusplus
}
#endif
#endif
