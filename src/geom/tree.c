#include "geom/tree.h"

HF_KERNEL_CHOICE(hf_tree_kernel)
