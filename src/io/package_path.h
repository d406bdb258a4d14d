/* Where a mesh named in a URDF lies on disk. */
#ifndef HF_IO_PACKAGE_PATH_H
#define HF_IO_PACKAGE_PATH_H

#include "base/text.h"
#include <holdfast/creature.h>

/* Turns package://, model://, file:// and plain names into the path of an existing file (free with
   hf_free). HF_ERROR_FILE when there is none; nothing is reported, the caller knows the link's name. A folder
   of the options or the environment that served is added to `used` once. */
hf_status hf_package_resolve(const char* name, const char* from_file, const hf_load_options* options,
                             hf_lines* used, char** path);

#endif
