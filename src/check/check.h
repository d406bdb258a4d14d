/* The inside of the validity report. Everything here is written for this folder alone: matrices instead
   of quaternions, plain loops over blocks of triangles instead of a tree, so that a mistake in the code that
   planned a motion cannot hide itself. Only data (creature, scene, motion) comes from elsewhere. */
#ifndef HF_CHECK_CHECK_H
#define HF_CHECK_CHECK_H

#include <holdfast/check.h>

/* A rotation matrix (row-major) and a translation. */
typedef struct check_frame {
    double r[9];
    double p[3];
} check_frame;

check_frame check_frame_of(hf_transform t);
check_frame check_frame_mul(const check_frame* a, const check_frame* b);
void check_frame_point(const check_frame* f, const double in[3], double out[3]);
void check_frame_turn(const check_frame* f, const double in[3], double out[3]);
void check_frame_unpoint(const check_frame* f, const double in[3], double out[3]);
/* A frame as seen from another one. */
check_frame check_frame_seen_from(const check_frame* from, const check_frame* f);
/* Angle between the orientations of two frames. */
double check_frame_angle(const check_frame* a, const check_frame* b);

/* World frames of all links. */
void check_forward(const hf_creature_view* c, hf_transform root, const double* q, check_frame* links);
/* What a planar joint of this axis does: two shifts and a turn. */
check_frame check_planar(hf_vec3 axis, const double* q);
/* Value of a one-value joint, mimic followed. */
double check_joint_value(const hf_creature_view* c, int joint, const double* q);

/* Distance between a segment and a triangle, and the triangle's nearest point. */
double check_segment_triangle(const double a[3], const double b[3], const double tri[9], double nearest[3]);
double check_point_triangle(const double p[3], const double tri[9], double nearest[3]);
/* Does a triangle meet the set of all x with plane[i] . x <= offset[i] - depth? */
bool check_triangle_meets_planes(const double tri[9], const double* planes, int count, double depth);

/* A convex polytope. Where two of its faces meet in an edge, directions between their normals are those whose
   cosine to the middle of the normals is at least `reach`. */
typedef struct check_edge {
    double ends[2][3];
    int faces[2]; /* -1: none, the edge is all there is */
    double along[3], middle[3], reach;
} check_edge;
typedef struct check_polytope {
    int corner_count, face_count, edge_count;
    int corner_capacity, face_capacity, edge_capacity;
    double (*corners)[3];
    double (*faces)[4]; /* normal and offset */
    check_edge* edges;
} check_polytope;
bool check_polytope_corner(check_polytope* polytope, const double at[3]);
bool check_polytope_face(check_polytope* polytope, const double normal[3], double offset);
bool check_polytope_edge(check_polytope* polytope, const double a[3], const double b[3], int left, int right);
void check_polytope_finish(check_polytope* polytope);
void check_polytope_free(check_polytope* polytope);
/* A box, to be cut by planes (normal, offset) and then closed. */
bool check_polytope_box(check_polytope* polytope, const double low[3], const double high[3]);
bool check_polytope_cut(check_polytope* polytope, const double plane[4]);
bool check_polytope_close(check_polytope* polytope);
/* The polytope standing so. */
bool check_polytope_moved(const check_polytope* polytope, const check_frame* at, check_polytope* out);
/* The least shift that parts the two, exactly; some number up to `enough` when it is not more than that. A
   polytope of one corner, or of two and their edge, is fine. */
double check_polytope_depth(const check_polytope* a, const check_polytope* b, double enough);

/* A convex body as its own geometry in its own frame. Spheres, capsules: one or two points and a radius.
   Boxes, hulls: face planes (normal, offset). */
typedef struct check_body {
    int link;
    check_frame in_link;
    bool round;
    double radius;
    int point_count;
    double* points; /* three numbers each */
    int plane_count;
    double* planes;      /* four numbers each */
    check_polytope core; /* the body, or what a round one is round about */
    double low[3], high[3];
    double centre[3]; /* of a bounding sphere */
    double reach;     /* its radius */
    double thickness; /* the least distance of two parallel planes with the body between them */
    double thin;      /* a shorter move cannot carry it through a surface unseen */
} check_body;

/* `allowed` is the depth that does not count, where that is not over a share of the body's thickness. */
hf_status check_body_build(const hf_body* body, double allowed, check_body* out);
/* The depth that does not count for this body: the tolerance, or a tenth of its least thickness. */
double check_body_allowed(const check_body* body, double tolerance);
void check_body_free(check_body* body);
/* How far a point (body's frame) is outside its skin; negative inside. Beyond a corner of a box or hull it is
   the distance from the farthest of its planes. */
double check_body_outside(const check_body* body, const double point[3]);
/* The least shift that parts two bodies; 0 when that is not more than `enough`, NaN when memory is out. */
double check_bodies_depth(const check_body* a, const check_frame* at_a, const check_body* b,
                          const check_frame* at_b, double enough);
/* How deep the triangle (world) lies under the body's skin; 0 when it is not deeper than `depth`. */
double check_body_triangle(const check_body* body, const check_frame* at, const double tri[9], double depth);

/* Triangles of a piece near a body, in the body's frame, and the part of the piece that is looked at. */
typedef struct check_near_triangle {
    double corners[9], plane[4];
    bool seed;
} check_near_triangle;
typedef struct check_near {
    int count, capacity;
    check_near_triangle* items;
    double margin; /* about the body, within which all triangles are there */
    check_polytope part;
} check_near;
void check_near_free(check_near* near);
/* Objects as plain triangles with the watertight pieces among them. */
typedef struct check_block {
    int first, count; /* into triangles: neighbours of one piece */
    double low[3], high[3];
} check_block;
typedef struct check_piece {
    int first, count; /* into triangles, grouped by piece */
    int first_block, block_count;
    bool closed; /* watertight */
    bool convex; /* and convex */
    double low[3], high[3];
} check_piece;
typedef struct check_object {
    int triangle_count; /* of those that have an area; nothing touches, meets or stands on the others */
    int ignored_count;  /* the others */
    double* triangles;  /* nine numbers each, object frame, grouped by piece */
    int piece_count;
    check_piece* pieces;
    int block_count;
    check_block* blocks; /* of each piece after the other */
} check_object;

hf_status check_object_build(const hf_object_view* view, check_object* out);
void check_object_free(check_object* object);
/* Sorts the triangles of each piece into blocks; false when memory is out. */
bool check_blocks_build(check_object* object);
/* Goes through the triangles whose boxes meet a box (object frame), of one piece or (NULL) of all. */
typedef struct check_walk {
    const check_object* object;
    double low[3], high[3];
    int block, end, next; /* next: triangle of the block */
} check_walk;
check_walk check_walk_start(const check_object* object, const check_piece* piece, const double low[3],
                            const double high[3]);
const double* check_walk_next(check_walk* walk);
/* Distance from a point (object frame) to the nearest triangle. */
double check_object_distance(const check_object* object, const double point[3]);
/* Is the point (object frame) inside the watertight pieces, cavities left out? */
bool check_object_inside(const check_object* object, const double point[3]);
bool check_piece_inside(const check_object* object, const check_piece* piece, const double point[3]);

/* Does the body's sphere reach into the box of a piece? If not, it is not in the object. */
bool check_object_near(const check_body* body, const check_frame* at, const check_object* object);
/* How deep a body is in an object; 0 when not deeper than `enough`, NaN when memory is out. `at` is the body
   as seen from the object; `solids`: a body that no surface crosses may be inside. */
double check_object_depth(const check_body* body, const check_frame* at, const check_object* object,
                          double enough, bool solids, check_near* near);

/* A depth that the piece has at least, by points of the body that are in it; 0 when not over `enough`. */
double check_sunken_depth(const check_body* body, const check_frame* at, const check_object* object,
                          const check_piece* piece, double enough, const check_near* near);

/* What one call works on. */
typedef struct check_job {
    const hf_motion* motion;
    const hf_creature* creature;
    const hf_creature_view* c;
    const hf_scene* scene;
    int object_count;
    check_body* bodies;                 /* c->body_count */
    check_object* objects;              /* object_count */
    hf_object_view* views;              /* object_count */
    struct check_load* loads;           /* object_count: what is judged of it while a hand carries it */
    int* object_of;                     /* the scene's object for each of the motion's names, -1 */
    int* limb_of;                       /* the creature's limb for each of the motion's */
    hf_transform* placed;               /* frame_count x object_count */
    bool* named;                        /* the object was named in this frame or before */
    struct check_frame_report* reports; /* frame_count */
    struct check_bearing* bearings;     /* frame_count x the motion's limbs */
} check_job;

enum {
    CHECK_EVERY_CLAIM = HF_CLAIM_ALL | HF_CLAIM_DYNAMIC,
    CHECK_ENDS = 2,       /* frames at either end whose motion is not judged */
    CHECK_SHIFT_WAYS = 8, /* directions in which the centre of mass is shifted */
    /* Columns of a corner in the program of forces: edges of a cone; directions of a grip and the rest of its
       limit. */
    CHECK_CONE_COLUMNS = 8,
    CHECK_GRIP_COLUMNS = 27
};
#define CHECK_GRAVITY 9.81 /* m/s2 */

/* Refuses a motion that is not sound or not of this creature, then fills the job; motion, creature, c and
   scene are set. To be closed whatever it returns. */
hf_status check_job_open(check_job* job, hf_error* error);
void check_job_close(check_job* job);

/* Where every object is in every frame. */
void check_place_objects(check_job* job, hf_check_report* report);
/* Where an object is at a moment between frame and frame + 1 (fraction 0 .. 1). */
hf_transform check_object_at(const check_job* job, int object, int frame, double fraction);
/* The whole pose at such a moment; q has room for q_count values. */
hf_transform check_pose_at(const check_job* job, int frame, double fraction, double* q);
/* Parts of the way to the next frame that are so small that a body's chord is as good as its way; 0 when that
   would be too many to be judged. */
int check_chord_parts(const check_job* job, int frame);

/* Is the link the limb's effector, or a finger or toe of it? */
bool check_touches_with(const hf_creature_view* c, int limb, int link);
/* Flagged so, or movable. */
bool check_can_be_gripped(const hf_object_view* view);

/* What was found at a frame and, of collisions, on the way to the next one. */
typedef struct check_frame_report {
    bool scene, self, failed;
    bool too_far; /* something moves so far to the next frame that what it meets cannot be judged */
    bool unbalanced, unheld; /* unheld: a limb changes, and those that stay do not hold the body */
    bool undynamic;          /* no contact forces for the inertial wrench */
    bool unpressed;          /* what presses an object between limbs cannot bear it */
    double depth;
    double margin;                        /* m, at rest; negative where there is none */
    double missing_force, missing_moment; /* shares of the weight; m of moment arm */
    char scene_what[160], self_what[160], balance_what[160], change_what[160], dynamic_what[160],
        press_what[200];
} check_frame_report;
/* A movable object as bodies of its own: its convex watertight pieces, and corners of the others. */
typedef struct check_load {
    int body_count;
    check_body* bodies; /* in the object's frame */
    int corner_count;
    double*
        corners; /* three numbers each: corners of pieces that are not convex, drawn in by what is allowed */
    double middle[3];  /* of the object's box, where its mass is */
    double inertia[6]; /* of a box of that size and a mass of 1, about its middle: xx yy zz xy xz yz */
} check_load;
hf_status check_load_build(const check_object* object, check_load* out);
void check_load_free(check_load* load);
/* The link with which a contact of a frame carries the object; -1 when it does not. */
int check_hand_link(const check_job* job, int frame, const hf_hold* contact, int object);
/* Is the object gripped by a limb that can, or pressed between limbs, in this frame, so that it is carried,
   or does it lie on one that is? */
bool check_is_carried(const check_job* job, int frame, int object);
/* What is carried against all other objects, which stand at `objects`. */
void check_carried(const check_job* job, int frame, const check_frame* objects, check_near* near,
                   check_frame_report* report);
/* Does a contact of a frame press the object against another limb's, without a grip? */
bool check_presses(const check_job* job, int frame, const hf_hold* contact, int object);
/* Do limbs press an object between them in this frame? */
bool check_any_pressed(const check_job* job, int frame);
/* Can limbs bear what they press? */
void check_pressed(const check_job* job, int frame, check_frame_report* report);
/* Judges frame and the way to frame + 1. */
void check_collisions(const check_job* job, int frame, check_frame_report* report);

/* What a contact was when it began: the effector's orientation and the point that is held of it (its contact
   frame's, or a ball's centre) as seen from the object it touches. */
typedef struct check_hold {
    bool on;
    int frame, object; /* contact frame and the motion's object */
    bool grip;
    bool patch; /* it began flat on the surface, so that its orientation holds too */
    check_frame began;
    double point[3];
} check_hold;
/* The holds of all limbs while frames go by. */
typedef struct check_holds {
    check_hold* held;                    /* the motion's limbs */
    check_frame *now, *before, *between; /* links in this frame, the one before, on the way to the next */
    double* q;
} check_holds;
bool check_holds_create(const check_job* job, check_holds* holds);
void check_holds_free(check_holds* holds);
/* Goes on to a frame. */
void check_holds_place(const check_job* job, int frame, check_holds* holds);
/* A contact of the frame, whose link the creature has: does it hold on? */
void check_hold_on(const check_job* job, int frame, const hf_hold* contact, check_holds* holds,
                   hf_check_report* report);
/* Do contacts that the next frame has hold on the way to it? */
void check_holds_between(const check_job* job, int frame, check_holds* holds, hf_check_report* report);
/* Angle between the effector's own normal and the one that meets the surface head-on. */
double check_tilt(const hf_motion_contact_frame* frame, const hf_hold* contact, const check_frame* link);

/* Contacts, slip and stances over the whole motion. */
void check_contacts(const check_job* job, hf_check_report* report);
void check_stances(const check_job* job, hf_check_report* report);
/* Does a motion that says "found" end at the scenario's goal? */
void check_goal(const check_job* job, const hf_scenario* scenario, hf_check_report* report);
/* Is the motion's limb released, made or moved from the frame before to this one? */
bool check_limb_changes(const check_job* job, int frame, int limb);

/* Where a contact bears in a frame: up to four points of the world, as they were when it began. */
typedef struct check_bearing {
    int count;
    double friction;
    double corners[4][3];
} check_bearing;
hf_status check_bearings_build(check_job* job);
/* Where a contact pushes against a movable object, with the links of the frame; false when memory is out. */
bool check_press_bearing(const check_job* job, int frame, const hf_hold* contact, const check_frame* links,
                         check_bearing* out);
/* Corners of a contact frame's patch with its link standing so; two of a patch without width. */
int check_patch_corners(const hf_motion_contact_frame* frame, const check_frame* link, double corners[4][3]);

/* How a link moves, in world axes; the acceleration is that of its origin. */
typedef struct check_motion {
    double turn[3], turn_rate[3], acceleration[3];
} check_motion;
/* Rate of linear momentum (N) and of angular momentum about the centre of mass (Nm) of a frame that has one
   before and one after it. `links` are the frame's; `motions` has room for one of each link. */
void check_momentum_rate(const hf_creature_view* c, const hf_motion_frame* frame, const check_frame* links,
                         const double com[3], check_motion* motions, double force[3], double moment[3]);

/* Adds that of an object that is carried: a uniform box, which moves as three frames say. */
void check_load_rate(const check_job* job, int frame, int object, const double com[3], double force[3],
                     double moment[3]);
/* Force and moment about the world's origin that move each link and bear its weight; what a hand carries
   counts for its link, shared where several hands carry it. `motions` are those of check_momentum_rate. */
void check_link_wrenches(const check_job* job, int frame, const check_frame* links,
                         const check_motion* motions, double (*wrenches)[6]);
/* Torque (Nm, or N of a slide) of each joint from the wrenches of the links, which are summed up towards the
   root; those of followers count for what they follow. */
void check_joint_torques(const hf_creature_view* c, const check_frame* links, double (*wrenches)[6],
                         double* torques);

/* What bears in one question. */
typedef struct check_bearing_set {
    int frame, count;
    const hf_hold** contacts;
} check_bearing_set;
/* Mass and centre of mass of the creature and of what it carries; fills the links. */
double check_mass(const check_job* job, int frame);
void check_com(const check_job* job, int frame, check_frame* links, double com[3]);
/* The wrench about the centre of mass that moves the body as its frames say and bears its weight: force in
   weights, moment in metres. */
void check_wrench(const check_job* job, int frame, const check_frame* links, const double com[3],
                  check_motion* motions, double wrench[6]);

/* A small linear program: A x = b, x >= 0. The caller fills table (rows of `columns` numbers and then b) and
   says which columns are barred: those are 0. */
typedef struct check_program {
    int rows, columns;
    double* table;
    double* gain;
    int* basis;
    bool* barred;
    bool second_phase;
} check_program;
hf_status check_program_make(check_program* program, int rows, int columns);
void check_program_free(check_program* program);
/* Of the same size. */
void check_program_copy(const check_program* from, check_program* to);
/* Is there such an x? */
bool check_program_start(check_program* program);
/* After that: how large a barred column can be if it is let in; infinite when there is no limit. */
double check_program_largest(check_program* program, int column);

/* Which x >= 0 comes nearest to A x = b? Rows 0 to 2 are a force, 3 to 5 a moment, the rest are held; of the
   two distances that are left, the larger is as small as it can be as soon as that decides whether both are
   within `enough`. The program has not been started; barred columns stay 0. */
hf_status check_program_missing(const check_program* program, double enough, double* force, double* moment);

/* The same with x itself, of as many numbers as there are columns. */
hf_status check_program_nearest(const check_program* program, double enough, double* force, double* moment,
                                double* x);

/* The program for a wrench about the centre of mass, as check_wrench gives it. Columns are forces of unit
   size in weights at the corners of the set's contacts, in order: the edges of a friction cone, or of a grip
   its directions and the rest of its limit. The last columns, barred, shift the centre of mass. */
hf_status check_force_program(const check_job* job, const check_bearing_set* set, const double com[3],
                              const double wrench[6], check_program* program);
/* An edge of the cone of CHECK_CONE_COLUMNS edges about a direction, the first of them straight up the
   surface (on level ground along X), for a force of 1 along the direction. */
void check_cone_edge(hf_vec3 direction, double friction, int edge, double force[3]);
/* Least shift of the centre of mass in eight level directions (of the moment divided by the weight, where the
   body moves) that loses balance; -1 where there is none; NaN when memory is out. */
double check_margin(const check_job* job, const check_bearing_set* set, const double com[3],
                    const double wrench[6]);

/* Has the joint an effort limit of its own? */
bool check_is_limited(const hf_joint* joint);
/* The least peak of |torque| / effort over all joints that forces of the program can make. `torques` are
   those of the joints without contact forces; `x` are forces that are allowed, of program->columns numbers.
   share is NaN and joint -1 where no joint has an effort limit. */
hf_status check_strength(const check_job* job, const check_bearing_set* set, const check_frame* links,
                         const check_program* program, const double* torques, const double* x, double* share,
                         int* joint);

/* Static balance of a frame, and of the change from the frame before; contact forces for its motion. */
void check_balance(const check_job* job, int frame, check_frame_report* report);

/* Keeps a problem; beyond the first 1000 they are only counted. */
__attribute__((format(printf, 4, 5))) void check_problem(hf_check_report* report, int frame, unsigned claim,
                                                         const char* format, ...);

/* Range of motion, by the definition of the files alone. */
bool check_rom_holds(const hf_creature_view* c, const hf_rom* rom, const double* q, double tolerance);

#endif
