/* Rows of states in workspace memory. */
#include "space/space.h"

#include "base/workspace.h"

#include <string.h>

enum { FIRST_ROWS = 64 };

bool hf_space_enlarge(hf_workspace* workspace, void** items, int count, int capacity, size_t size) {
    void* more = hf_workspace_take(workspace, (size_t)capacity, size);
    if (!more) return false;
    if (count) memcpy(more, *items, (size_t)count * size);
    *items = more;
    return true;
}

hf_space_rows hf_space_rows_start(int width, hf_workspace* workspace) {
    return (hf_space_rows){.width = width, .workspace = workspace};
}

hf_status hf_space_rows_add(hf_space_rows* rows, const double* state) {
    size_t size = sizeof *rows->values * (size_t)rows->width;
    if (rows->count == rows->capacity) {
        int more = rows->capacity ? 2 * rows->capacity : FIRST_ROWS;
        if (!hf_space_enlarge(rows->workspace, (void**)&rows->values, rows->count, more, size))
            return HF_ERROR_MEMORY;
        rows->capacity = more;
    }
    memcpy(hf_space_row(rows, rows->count++), state, size);
    return HF_OK;
}

void hf_space_rows_reverse(hf_space_rows* rows, int first) {
    for (int a = first, b = rows->count - 1; a < b; a++, b--) {
        double *x = hf_space_row(rows, a), *y = hf_space_row(rows, b);
        for (int k = 0; k < rows->width; k++) {
            double swap = x[k];
            x[k] = y[k], y[k] = swap;
        }
    }
}
