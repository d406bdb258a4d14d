/* NumPy arrays on disk (.npy, version 1.0): what learning frameworks read. */
#ifndef HF_IO_NPY_WRITE_H
#define HF_IO_NPY_WRITE_H

#include <holdfast/base.h>

/* Writes rows x cols numbers, row by row, as little-endian 64-bit floats. */
hf_status hf_npy_write(const char* path, int rows, int cols, const double* data, hf_error* error);

#endif
