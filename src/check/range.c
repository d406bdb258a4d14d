/* Range of motion as the files define it: a union of convex pieces, or a swing polygon with a twist. */
#include "check/check.h"

static bool in_piece(const hf_rom* rom, const hf_rom_piece* piece, const double* angles, double tolerance) {
    for (int i = 0; i < piece->plane_count; i++) {
        const double* plane = piece->planes + i * (rom->joint_count + 1);
        double s = -plane[rom->joint_count];
        for (int k = 0; k < rom->joint_count; k++) s += plane[k] * angles[k];
        if (s > tolerance) return false;
    }
    return true;
}

/* Angle that the polygon turns about a direction, seen from it: 2 pi inside, 0 outside. */
static double turned_about(const hf_rom* rom, hf_vec3 way) {
    double sum = 0;
    for (int i = 0; i < rom->corner_count; i++) {
        hf_vec3 a = rom->corners[i], b = rom->corners[(i + 1) % rom->corner_count];
        a = hf_sub(a, hf_scale(way, hf_dot(a, way)));
        b = hf_sub(b, hf_scale(way, hf_dot(b, way)));
        sum += hf_atan2(hf_dot(way, hf_cross(a, b)), hf_dot(a, b));
    }
    return sum;
}

static double arc_distance(hf_vec3 p, hf_vec3 a, hf_vec3 b) {
    hf_vec3 n = hf_normalize(hf_cross(a, b));
    hf_vec3 foot = hf_normalize(hf_sub(p, hf_scale(n, hf_dot(p, n))));
    bool between = hf_dot(hf_cross(a, foot), n) >= 0 && hf_dot(hf_cross(foot, b), n) >= 0;
    double to_a = hf_acos(fmin(1, hf_dot(p, a))), to_b = hf_acos(fmin(1, hf_dot(p, b)));
    return between ? fabs(hf_asin(fmax(-1, fmin(1, hf_dot(p, n))))) : fmin(to_a, to_b);
}

/* The polygon's inside holds its corners' mean. */
static bool in_polygon(const hf_rom* rom, hf_vec3 way, double tolerance) {
    hf_vec3 mean = hf_v3(0, 0, 0);
    for (int i = 0; i < rom->corner_count; i++) mean = hf_add(mean, rom->corners[i]);
    double inner = turned_about(rom, hf_normalize(mean)), here = turned_about(rom, way);
    if (fabs(inner - here) < 1) return true;
    for (int i = 0; i < rom->corner_count; i++)
        if (arc_distance(way, rom->corners[i], rom->corners[(i + 1) % rom->corner_count]) <= tolerance)
            return true;
    return false;
}

/* Turns of a link in the first joint's parent link: now, and with the group at zero. What lies between the
   group's joints counts with its origins. */
typedef struct turns {
    hf_quat now, zero;
} turns;

static turns turns_of(const hf_creature_view* c, const hf_rom* rom, int joint, const double* q) {
    const hf_joint* j = &c->joints[joint];
    turns t = {hf_quat_identity(), hf_quat_identity()};
    int above = c->links[j->parent_link].joint;
    if (joint != rom->joints[0] && above >= 0) t = turns_of(c, rom, above, q);
    t.zero = hf_quat_mul(t.zero, j->origin.rotation);
    t.now = hf_quat_mul(t.now, j->origin.rotation);
    for (int k = 0; k < rom->joint_count; k++)
        if (rom->joints[k] == joint)
            t.now = hf_quat_mul(t.now, hf_quat_axis_angle(j->axis, check_joint_value(c, joint, q)));
    return t;
}

/* Is the angle, or the same one whole turns away, in the interval? */
static bool in_interval(double angle, double low, double high, double tolerance) {
    const double turn = 6.28318530717958648;
    angle += turn * ceil((low - tolerance - angle) / turn);
    return angle <= high + tolerance;
}

bool check_rom_holds(const hf_creature_view* c, const hf_rom* rom, const double* q, double tolerance) {
    if (rom->piece_count) {
        double angles[16];
        for (int k = 0; k < rom->joint_count && k < 16; k++)
            angles[k] = check_joint_value(c, rom->joints[k], q);
        for (int i = 0; i < rom->piece_count; i++)
            if (in_piece(rom, &rom->pieces[i], angles, tolerance)) return true;
        return false;
    }
    turns t = turns_of(c, rom, rom->joints[rom->joint_count - 1], q);
    hf_quat turn = hf_quat_mul(t.now, hf_quat_conj(t.zero));
    hf_vec3 swing = hf_rotate(turn, rom->zero_swing);
    if (!in_polygon(rom, swing, tolerance)) return false;
    /* Twist is what remains about the swing direction after the shortest turn from zero. */
    hf_quat shortest = hf_quat_between(rom->zero_swing, swing);
    hf_vec3 rest = hf_quat_log(hf_quat_mul(hf_quat_conj(shortest), turn));
    double twist = hf_dot(rest, rom->zero_swing);
    return in_interval(twist, rom->twist[0], rom->twist[1], tolerance);
}
