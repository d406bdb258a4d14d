/* Shortcuts in a path: pruning (thesis-2015 Algorithm 6) and random ones between any two places. */
#include "space/space_shortcut.h"

#include "base/random.h"
#include "base/workspace.h"

#include <math.h>
#include <string.h>

enum { STREAM = 0x540e7 };
/* A shortcut must save at least this share of the whole path. */
static const double LEAST_GAIN = 1e-6;

static size_t row_bytes(const hf_space_rows* path) { return sizeof *path->values * (size_t)path->width; }

hf_status hf_space_path_prune(const hf_space* space, hf_space_rows* path, bool halving) {
    for (int i = 0; i + 2 < path->count; i++)
        for (int skip = path->count - 1 - i; skip >= 2;
             skip = halving && skip > 2 ? (skip + 1) / 2 : skip - 1) {
            bool passes = false;
            hf_status status =
                space->passes(space->user, hf_space_row(path, i), hf_space_row(path, i + skip), &passes);
            if (status != HF_OK) return status;
            if (!passes) continue;
            memmove(hf_space_row(path, i + 1), hf_space_row(path, i + skip),
                    row_bytes(path) * (size_t)(path->count - i - skip));
            path->count -= skip - 1;
            break;
        }
    return HF_OK;
}

/* ---- between any two places ---- */

typedef struct shortcut {
    const hf_space* space;
    hf_space_rows* path;
    double *a, *b; /* the two places */
} shortcut;

static double piece_length(const shortcut* s, int i) {
    return s->space->distance(s->space->user, hf_space_row(s->path, i), hf_space_row(s->path, i + 1),
                              INFINITY);
}

/* The row before a place `length` along the path, and the state there. */
static int place_at(const shortcut* s, double length, double* state) {
    int last = s->path->count - 1;
    for (int i = 0; i < last; i++) {
        double piece = piece_length(s, i);
        if (length < piece) {
            s->space->between(s->space->user, hf_space_row(s->path, i), hf_space_row(s->path, i + 1),
                              length / piece, state);
            return i;
        }
        length -= piece;
    }
    memcpy(state, hf_space_row(s->path, last), row_bytes(s->path));
    return last - 1;
}

/* Both places lie on ways that hold, but between the states that were tested: their ways are tested anew. */
static hf_status holds(const shortcut* s, int i, int j, bool* good) {
    const hf_space* space = s->space;
    *good = space->valid(space->user, s->a) && space->valid(space->user, s->b);
    const double* ways[3][2] = {
        {s->a, s->b}, {hf_space_row(s->path, i), s->a}, {s->b, hf_space_row(s->path, j + 1)}};
    hf_status status = HF_OK;
    for (int k = 0; k < 3 && *good && status == HF_OK; k++)
        status = space->passes(space->user, ways[k][0], ways[k][1], good);
    return status;
}

/* Puts the straight way from a (behind row i) to b (behind row j > i) into the path. */
static hf_status cut(shortcut* s, int i, int j) {
    // two rows come, j - i go
    hf_space_rows* path = s->path;
    int before = path->count, grow = 2 - (j - i);
    hf_status status = HF_OK;
    for (int k = 0; k < grow && status == HF_OK; k++) status = hf_space_rows_add(path, s->b);
    if (status != HF_OK) return status;
    path->count = before + grow;
    memmove(hf_space_row(path, i + 3), hf_space_row(path, j + 1), row_bytes(path) * (size_t)(before - j - 1));
    memcpy(hf_space_row(path, i + 1), s->a, row_bytes(path));
    memcpy(hf_space_row(path, i + 2), s->b, row_bytes(path));
    return HF_OK;
}

static hf_status try_one(shortcut* s, hf_random random) {
    double length = 0;
    for (int i = 0; i + 1 < s->path->count; i++) length += piece_length(s, i);
    double from = length * hf_random_unit(&random), to = length * hf_random_unit(&random);
    int i = place_at(s, fmin(from, to), s->a), j = place_at(s, fmax(from, to), s->b);
    double apart = s->space->distance(s->space->user, s->a, s->b, INFINITY);
    if (i >= j || apart > fabs(to - from) - LEAST_GAIN * length) return HF_OK;
    bool good = false;
    hf_status status = holds(s, i, j, &good);
    return status == HF_OK && good ? cut(s, i, j) : status;
}

hf_status hf_space_path_shorten(const hf_space* space, hf_space_rows* path, uint64_t seed, int tries) {
    shortcut s = {.space = space, .path = path};
    s.a = hf_workspace_take(path->workspace, (size_t)path->width, sizeof *s.a);
    s.b = hf_workspace_take(path->workspace, (size_t)path->width, sizeof *s.b);
    hf_status status = s.a && s.b ? HF_OK : HF_ERROR_MEMORY;
    for (int n = 0; n < tries && path->count > 2 && status == HF_OK; n++)
        status = try_one(&s, hf_random_start(seed, STREAM, (uint64_t)n));
    return status;
}
