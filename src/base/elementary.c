/* The elementary functions that decide motions. Every file of the library calls these instead of the C
   library's, so that one place says how they are computed. */
#include <holdfast/math.h>

double hf_sin(double angle) { return sin(angle); }
double hf_cos(double angle) { return cos(angle); }
void hf_sin_cos(double angle, double* sine, double* cosine) { *sine = sin(angle), *cosine = cos(angle); }
double hf_asin(double x) { return asin(x); }
double hf_acos(double x) { return acos(x); }
double hf_atan2(double y, double x) { return atan2(y, x); }
double hf_hypot(double x, double y) { return sqrt(x * x + y * y); }
double hf_log(double x) { return log(x); }
double hf_pow(double x, double power) { return pow(x, power); }
