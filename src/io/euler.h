/* Three angles about axes of a file, whose product is a given turn. */
#ifndef HF_IO_EULER_H
#define HF_IO_EULER_H

#include <holdfast/math.h>

/* Degrees about three different axes (0 x, 1 y, 2 z), the first outermost: of the two sets, and of their
   full turns, the one nearest to what `degrees` holds on entry. */
void hf_euler_degrees(hf_quat turn, const int axes[3], double degrees[3]);

#endif
