/* Range of motion: intervals always, and for ball-like joint groups a region in angle space.
   Index r counts hf_creature_view.roms; q is a whole pose's joint values. */
#ifndef HOLDFAST_ROM_H
#define HOLDFAST_ROM_H

#include <holdfast/kinematics.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Inside one piece (or inside polygon and twist interval), within `tolerance` radians. */
HF_API bool hf_rom_contains(const hf_creature* creature, int rom, const double* q, double tolerance);
/* Distance in radians to the nearest outer facet: one that no other piece covers. Negative outside. */
HF_API double hf_rom_residual(const hf_creature* creature, int rom, const double* q);
/* Residual divided by the largest one in the region, clamped to [0, 1]; 1 is most comfortable. */
HF_API double hf_rom_comfort(const hf_creature* creature, int rom, const double* q);
/* Moves the group's values to the nearest point of the region. */
HF_API void hf_rom_project(const hf_creature* creature, int rom, double* q);
/* A uniform point of the region within the joint limits by rejection; deterministic in (seed, index). False
   when `tries` attempts all failed. */
HF_API bool hf_rom_sample(const hf_creature* creature, int rom, uint64_t seed, uint64_t index, int tries,
                          double* q);

/* All intervals and regions hold within tolerance. */
HF_API bool hf_pose_within_rom(const hf_creature* creature, const double* q, double tolerance);

/* Learns a region from a cloud of `count` angle triples: 3-D Delaunay, tetrahedra with circumradius
   over alpha dropped, the rest merged into convex pieces; written as a *.rom.json. */
HF_API hf_status hf_rom_learn(const double* angles, int count, double alpha, const char* const joint_names[3],
                              const char* path, hf_error* error);

#ifdef __cplusplus
}
#endif
#endif
