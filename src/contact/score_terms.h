/* The one table of score terms, and the terms of a limb that touches with a posture: contact queries and
   plans score alike. */
#ifndef HF_CONTACT_SCORE_TERMS_H
#define HF_CONTACT_SCORE_TERMS_H

#include <holdfast/contact.h>
#include <holdfast/outlook.h>

#include "geom/triangle.h"
#include "model/scene.h"

/* The first term with a weight that this outlook (NULL for none) does not fill; -1 when all are filled. */
int hf_terms_missing(const double* weights, const hf_outlook* outlook);
double hf_terms_weigh(const double* weights, const double* terms);

/* What a surface gives to a task (method section 4), of the cosine between the task's direction and the
   surface's normal: a support is pushed along it, an acting limb pushes against it, a grip does both. */
double hf_direction_factor(hf_role role, bool free_grip, double cosine);
/* Does an object have no normal that most of its surface shares (a rope, a knob)? */
bool hf_contact_free_grip(const hf_object* object);

/* What the terms of a posture are made of. J J^T and the direction (unit) are in the same frame. */
typedef struct hf_posture_terms {
    double gram[6];
    hf_vec3 direction;
    double length;         /* L of the limb, m */
    double factor;         /* hf_direction_factor */
    double distance_m;     /* from where distances count to the touching point */
    double manipulability; /* as a share of the sample set's largest */
} hf_posture_terms;
/* Effort, distance, manipulability and precision; all others become 0. */
void hf_terms_fill(const hf_posture_terms* posture, double* terms);
/* L of a limb as the terms take it, m: a limb of no length is its effector alone. */
double hf_terms_length(const hf_limb* limb);
/* Square of the length that guards f_T, m^2. */
double hf_terms_guard(double length);

/* Mean over the limb's regions of the range of motion, or over its joints' intervals; 1 in the middle. */
double hf_terms_comfort(const hf_creature* creature, int limb, const double* q);

/* A reach volume as it is asked many times, in the limb's root frame. */
typedef struct hf_reach {
    const hf_mesh* hull;
    const hf_plane*
        faces; /* of the hull's triangles, with unit normals; NULL: they are made for each question */
    hf_vec3 middle;
    double free_m; /* radius of a ball around the middle that is inside; 0: none is known */
} hf_reach;
/* Makes the faces of the hull (room for its triangles) and the ball. */
void hf_reach_fill(hf_reach* reach, hf_plane* faces);
/* Share of the root poses to come, without a gap from the first on, from which a limb reaches a point of the
   world (thesis-2015 equations 7.3 and 7.4, with the reach volume itself instead of a sphere in it). There is
   at least one root pose. root and base (hf_limb_base) are where they are now. */
double hf_reach_lasts(const hf_reach* reach, const hf_outlook* outlook, hf_transform root, hf_transform base,
                      hf_vec3 point);

/* A limb that touches: `links` and `q` are of the whole posture, `at` is the touching point in the world. */
typedef struct hf_touching_limb {
    const hf_creature* creature;
    int limb;
    const hf_transform* links;
    const double* q;
    hf_vec3 at;
    hf_vec3 direction; /* of the task, unit, world */
    double factor;
    double* jacobian; /* scratch: three rows of the creature's speeds */
} hf_touching_limb;
/* Effort, precision and comfort, and the posture's manipulability, in the unit of the limb's own numbers. */
void hf_terms_of_posture(const hf_touching_limb* touching, double* terms, double* manipulability);

#endif
