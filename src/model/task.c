/* Names of the roles that a limb's contact can have. */
#include <holdfast/task.h>

#include <string.h>

static const char* const role_names[] = {"support", "act", "grip"};
enum { ROLE_COUNT = sizeof role_names / sizeof *role_names };

const char* hf_role_text(hf_role role) { return (unsigned)role < ROLE_COUNT ? role_names[role] : "unknown"; }

int hf_role_find(const char* name) {
    for (int i = 0; i < ROLE_COUNT; i++)
        if (strcmp(name, role_names[i]) == 0) return i;
    return -1;
}
