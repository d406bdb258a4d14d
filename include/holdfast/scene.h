/* Scenes and placements. A scene holds named objects and is immutable; a placement says where the
   objects are now and answers geometric queries. Queries are thread-safe and allocate nothing. */
#ifndef HOLDFAST_SCENE_H
#define HOLDFAST_SCENE_H

#include <holdfast/mesh.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hf_scene hf_scene;
typedef struct hf_placement hf_placement;

/* Keys are at most so long before or after time 0: eleven days. */
#define HF_MAX_KEY_TIME_S 1e6

typedef struct hf_key {
    double time_s;
    hf_transform pose;
} hf_key;

/* What an object is made of. The mesh is copied. */
typedef struct hf_object_def {
    const char* name;
    hf_mesh mesh;       /* in metres and Z up: scale and up axis already applied */
    hf_transform start; /* world pose */
    double friction;    /* default 0.5 */
    bool contact;       /* limbs may use it; default true */
    bool movable;       /* default false */
    bool grip;          /* hands can hold it in every direction; default false */
    double mass_kg;     /* of a movable object that somebody carries; default 0: it weighs nothing */
    int key_count;
    const hf_key* keys; /* world poses in motion time, ascending */
} hf_object_def;
HF_API hf_object_def hf_object_def_default(void);

/* Same names or NaN coordinates are refused; an empty mesh is allowed and never hit. */
HF_API hf_status hf_scene_build(const hf_object_def* objects, int count, hf_scene** scene, hf_error* error);
HF_API void hf_scene_free(hf_scene* scene);

typedef struct hf_object_view {
    const char* name;
    hf_mesh mesh; /* borrowed; triangle order as given */
    hf_transform start;
    double friction;
    bool contact, movable, grip;
    double mass_kg;
    int key_count;
    const hf_key* keys;
    int piece_count;        /* pieces, connected over edges */
    const int* piece_of;    /* piece of each triangle */
    const int8_t* solidity; /* of each piece: +1 watertight outward, -1 watertight inward, 0 open */
} hf_object_view;
HF_API int hf_scene_object_count(const hf_scene* scene);
HF_API hf_object_view hf_scene_object(const hf_scene* scene, int object);
HF_API int hf_scene_find(const hf_scene* scene, const char* name);
/* The middle of an object's box in the object's frame, where its mass is. */
HF_API hf_vec3 hf_object_middle(const hf_scene* scene, int object);

/* Objects stand at their start, or where their keys have them at time 0. */
HF_API hf_status hf_placement_create(const hf_scene* scene, hf_placement** placement);
HF_API void hf_placement_free(hf_placement* placement);
HF_API const hf_scene* hf_placement_scene(const hf_placement* placement);
/* Moving an object only updates the upper tree. */
HF_API void hf_placement_move(hf_placement* placement, int object, hf_transform pose);
/* Puts every object with keys where they say at this time. */
HF_API void hf_placement_set_time(hf_placement* placement, double time_s);
HF_API hf_transform hf_placement_pose(const hf_placement* placement, int object);
/* Takes an object out of all queries, or back in. */
HF_API void hf_placement_enable(hf_placement* placement, int object, bool enabled);

/* A point of a surface. `normal` is the triangle's own (counter-clockwise) normal turned out of a
   watertight outward piece and into an inward one; on an open piece it is as modelled. A degenerate triangle
   has some unit normal across it. */
typedef struct hf_surface {
    int object, triangle;
    hf_vec3 point, normal;
    double distance;
} hf_surface;

/* Nearest point of any surface within max_distance. */
HF_API bool hf_placement_closest(const hf_placement* placement, hf_vec3 point, double max_distance,
                                 hf_surface* out);
/* Every triangle within a distance, ordered by (object, triangle); returns how many there are and writes
   the first `capacity` of them. */
HF_API int hf_placement_within(const hf_placement* placement, hf_vec3 point, double distance, hf_surface* out,
                               int capacity);
/* First hit of a ray; `direction` is unit. Both sides of a triangle are hit. */
HF_API bool hf_placement_ray(const hf_placement* placement, hf_vec3 origin, hf_vec3 direction,
                             double max_distance, hf_surface* out);
HF_API bool hf_placement_occluded(const hf_placement* placement, hf_vec3 origin, hf_vec3 direction,
                                  double max_distance);
/* Eight rays at once (packets for pictures): hit[i] false keeps out[i] untouched. */
HF_API void hf_placement_ray8(const hf_placement* placement, const hf_vec3 origin[8],
                              const hf_vec3 direction[8], const double max_distance[8], bool hit[8],
                              hf_surface out[8]);
/* Is the point inside a watertight outward piece? Watertight inward pieces inside one are its cavities and
   hold no matter. `object` (may be NULL) gets which, the lowest of several. */
HF_API bool hf_placement_inside(const hf_placement* placement, hf_vec3 point, int* object);

/* How deep a body may be in an object. The depth of a body in a piece of an object is the length of the least
   translation after which they no longer meet: of a convex piece the penetration depth, of another one or an
   open surface the way to the free space nearest by. A body wholly inside a solid piece overlaps too, and so
   does one that is thinner than the depth and has its middle inside. */
typedef struct hf_allowance {
    double depth;         /* m, for every object; default 0.0008 */
    int touched_object;   /* the object that may be touched deeper, -1 for none (default) */
    double touched_depth; /* m; infinite: that object is not tested; default 0.0024 */
} hf_allowance;
HF_API hf_allowance hf_allowance_default(void);

/* Does the shape at this world pose overlap a surface by more than the allowance? `hit` (may be NULL) gets
   one such surface with distance 0; for a body wholly inside a solid the surface nearest to its middle. */
HF_API bool hf_placement_overlap(const hf_placement* placement, const hf_shape* shape, hf_transform pose,
                                 const hf_allowance* allowance, hf_surface* hit);
/* Distance from the shape to the nearest surface (0 when they meet), at most max_distance; `out` holds
   the surface's nearest point. False when nothing is within max_distance. */
HF_API bool hf_placement_distance(const hf_placement* placement, const hf_shape* shape, hf_transform pose,
                                  double max_distance, hf_surface* out);

#ifdef __cplusplus
}
#endif
#endif
