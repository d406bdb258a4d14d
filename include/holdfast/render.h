/* Pictures of creatures, scenes and motions, ray-traced with Holdfast's own triangle tree. */
#ifndef HOLDFAST_RENDER_H
#define HOLDFAST_RENDER_H

#include <holdfast/check.h>
#include <holdfast/schedule.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hf_picture_contact {
    int limb; /* decides the colour */
    hf_vec3 point, normal;
} hf_picture_contact;

/* What is wrong in a moment, drawn in red. */
typedef struct hf_picture_mark {
    int limb;             /* the whole limb; -1 for none */
    int link, other_link; /* links that meet; -1 for none */
    int object;           /* that is in the way, tinted; -1 for none */
    bool has_place;       /* a ball there, and an arrow to it from the limb's effector */
    hf_vec3 place;
} hf_picture_mark;

/* One moment to draw. creature and placement may be NULL. */
typedef struct hf_picture_moment {
    const hf_creature* creature;
    const hf_pose* pose;
    const hf_placement* placement;
    const hf_picture_contact* contacts;
    int contact_count;
    const char* label;           /* drawn in the panel's corner, for instance "1.20 s"; NULL for none */
    const hf_picture_mark* mark; /* NULL for none; its panel's label is red too */
} hf_picture_moment;

typedef struct hf_picture_options {
    int width, height;  /* 16 to 8192; default 1280 x 720 */
    int samples;        /* rays a pixel: 1, 4, 9 or 16; default 4 */
    int threads;        /* 0: all cores */
    int columns;        /* of a strip; 0: fits */
    bool ground;        /* default true: a plane at z = ground_z */
    double ground_z;    /* NaN: under the lowest thing (default) */
    bool reach_volumes; /* default false */
    hf_vec3 task;       /* arrow; zero for none */
    double azimuth;     /* rad, where the camera stands; NaN (default): -0.6, or where the scene hides less */
    double elevation;   /* rad; default 0.35 */
    double zoom;        /* default 1 */
    bool has_focus;     /* default false: fits what is drawn */
    hf_vec3 focus;
    double distance; /* m, with focus */
} hf_picture_options;
HF_API hf_picture_options hf_picture_options_default(void);

/* Can so many moments be drawn on one page with these options? HF_ERROR_ARGUMENT with what is wrong; to be
   asked before what is drawn is made. */
HF_API hf_status hf_picture_check(const hf_picture_options* options, int count, hf_error* error);

/* One moment is a still, several are a strip of panels on one page. 8-bit RGB, rows top down, to be freed
   with hf_picture_free. The same on any number of threads. A progress callback that returns false leaves
   what is not drawn yet white. Walls that hide the creature are cut open: a room modelled as an inward shell
   is seen through from outside, and anything else that hides more than half of the creature is cut by a
   plane just before it. */
typedef struct hf_picture {
    int width, height;
    uint8_t* rgb;
} hf_picture;
HF_API hf_status hf_render(const hf_picture_moment* moments, int count, const hf_picture_options* options,
                           hf_progress_fn progress, void* user, hf_picture* picture, hf_error* error);
/* The timeline of a schedule: a row for each limb that holds something, a bar for each hold in the colour of
   its object, with a dark edge below where it grips, the key stances above, seconds below. Of the options
   width and height count; with height 0 it is as high as its rows need. The scene may be NULL where no hold
   names an object. HF_ERROR_ARGUMENT when it does not fit the size. */
HF_API hf_status hf_render_timeline(const hf_schedule* schedule, const hf_creature* creature,
                                    const hf_scene* scene, const hf_picture_options* options,
                                    hf_picture* picture, hf_error* error);
/* One motion of a plot. */
typedef struct hf_plot_motion {
    const hf_motion* motion; /* at least two frames */
    const hf_creature* creature;
    const hf_dynamic_report* dynamic; /* of this motion, by hf_check_dynamic; NULL: no margins and torques */
    const char* label;                /* NULL: the creature's name */
} hf_plot_motion;
/* Root speed, speed of the fastest joint, balance margin in motion, torque share of the most loaded joint and
   what each limb holds, over time, of one motion, or of two: before and after. Of the options width and
   height count; with height 0 the picture is as high as it needs. */
HF_API hf_status hf_render_plot(const hf_plot_motion* motions, int count, const hf_picture_options* options,
                                hf_picture* picture, hf_error* error);
HF_API void hf_picture_free(hf_picture* picture);
HF_API hf_status hf_picture_save(const hf_picture* picture, const char* path, hf_error* error);

#ifdef __cplusplus
}
#endif
#endif
