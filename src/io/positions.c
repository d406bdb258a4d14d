/* Reading positions of joints: NumPy arrays (format versions 1 to 3) and comma-separated values. */
#include "io/positions.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { MAX_JOINTS = 500, MAX_FRAMES = 10000000 };

#define FAIL(...) hf_fail(error, HF_ERROR_FORMAT, path, 0, NULL, __VA_ARGS__)

void hf_positions_free(hf_positions* p) {
    for (int i = 0; p->names && i < p->joint_count; i++) hf_free(p->names[i]);
    hf_free(p->names);
    hf_free(p->values);
    memset(p, 0, sizeof *p);
}

/* ---- names ---- */

static bool add_name(hf_lines* names, const char* text, size_t length) {
    while (length && (text[length - 1] == '\r' || text[length - 1] == ' ' || text[length - 1] == '\t'))
        length--;
    while (length && (*text == ' ' || *text == '\t')) text++, length--;
    return length == 0 || hf_lines_add(names, "%.*s", (int)(length < 120 ? length : 120), text);
}

/* The names of a text file, one a line; joints.txt beside the clip where the options name none. */
static hf_status read_names(const char* path, const hf_clip_options* options, hf_lines* names,
                            hf_error* error) {
    char *beside = options->joints ? hf_copy_text(options->joints) : hf_path_beside(path, "joints.txt"),
         *bytes = NULL;
    if (!beside) return hf_fail_memory(error, path);
    hf_status status = HF_OK;
    if (!options->joints && !hf_path_exists(beside))
        status = FAIL("the names of the joints are missing: give a text file with one name a line, or put "
                      "joints.txt beside the clip");
    size_t size = 0;
    if (status == HF_OK) status = hf_file_read(beside, &bytes, &size, error);
    const char *line = bytes, *end = bytes ? bytes + size : NULL;
    while (status == HF_OK && line < end) {
        const char* stop = memchr(line, '\n', (size_t)(end - line));
        if (!stop) stop = end;
        if (!add_name(names, line, (size_t)(stop - line))) status = hf_fail_memory(error, beside);
        line = stop + 1;
    }
    hf_free(bytes);
    hf_free(beside);
    return status;
}

/* Moves the names into the positions; their number must be the number of joints. */
static hf_status take_names(const char* path, hf_lines* names, hf_positions* p, hf_error* error) {
    if (names->count != p->joint_count)
        return FAIL("has %d joints, and %d names are given", p->joint_count, names->count);
    p->names = names->items;
    memset(names, 0, sizeof *names);
    return HF_OK;
}

static hf_status check_size(const char* path, const hf_positions* p, hf_error* error) {
    if (p->frame_count == 0) return FAIL("the clip has no frames");
    if (p->joint_count < 2 || p->joint_count > MAX_JOINTS)
        return FAIL("has %d joints, 2 to %d are read", p->joint_count, MAX_JOINTS);
    if (p->frame_count > MAX_FRAMES)
        return hf_fail(error, HF_ERROR_LIMIT, path, 0, NULL, "has more than %d frames", MAX_FRAMES);
    return HF_OK;
}

static hf_status check_values(const char* path, const hf_positions* p, hf_error* error) {
    size_t count = (size_t)p->frame_count * (size_t)p->joint_count * 3;
    for (size_t i = 0; i < count; i++)
        if (!(fabs(p->values[i]) < 1e9)) {
            size_t joint = i / 3 % (size_t)p->joint_count, frame = i / 3 / (size_t)p->joint_count;
            return FAIL("frame %zu, joint \"%s\": the position is not a finite number", frame,
                        p->names[joint]);
        }
    return HF_OK;
}

/* ---- NumPy ---- */

typedef struct npy {
    int bytes; /* of a number: 4 or 8 */
    long shape[3];
    const char* data;
} npy;

/* The header is a Python dictionary: {'descr': '<f4', 'fortran_order': False, 'shape': (2801, 53, 3), }. */
static hf_status read_npy_header(const char* path, const char* bytes, size_t size, npy* n, hf_error* error) {
    if (size < 12 || memcmp(bytes, "\x93NUMPY", 6) != 0) return FAIL("is not a NumPy array");
    const unsigned char* u = (const unsigned char*)bytes;
    bool first = u[6] == 1;
    size_t head = first ? 10 : 12, length = (size_t)u[8] | (size_t)u[9] << 8;
    if (!first) length |= (size_t)u[10] << 16 | (size_t)u[11] << 24;
    if (length > size - head || length > 4000) return FAIL("the header of the NumPy array is cut short");
    char text[4001];
    memcpy(text, bytes + head, length);
    text[length] = 0;
    const char *type = strstr(text, "'descr'"), *order = strstr(text, "'fortran_order'"),
               *shape = strstr(text, "'shape'");
    if (!type || !order || !shape) return FAIL("the header of the NumPy array is not understood");
    char descr[16] = "";
    if (sscanf(type, "'descr' : '%15[^']", descr) != 1) sscanf(type, "'descr': '%15[^']", descr);
    n->bytes = strcmp(descr, "<f4") == 0 ? 4 : strcmp(descr, "<f8") == 0 ? 8 : 0;
    if (!n->bytes)
        return FAIL("holds numbers of type \"%s\", little-endian float32 (<f4) or float64 (<f8) are read",
                    descr);
    order += strlen("'fortran_order'");
    order += strspn(order, ": ");
    if (strncmp(order, "False", 5) != 0)
        return FAIL("is in Fortran order, C order is read: save numpy.ascontiguousarray of it");
    if (sscanf(shape, "'shape': (%ld, %ld, %ld", &n->shape[0], &n->shape[1], &n->shape[2]) != 3 ||
        n->shape[2] != 3 || n->shape[0] < 0 || n->shape[1] < 0)
        return FAIL("frames x joints x 3 numbers are expected, the array has another shape");
    n->data = bytes + head + length;
    return HF_OK;
}

static hf_status read_npy(const char* path, const char* bytes, size_t size, const hf_clip_options* options,
                          hf_positions* p, hf_error* error) {
    npy n = {0};
    hf_status status = read_npy_header(path, bytes, size, &n, error);
    if (status != HF_OK) return status;
    p->frame_count = n.shape[0] <= MAX_FRAMES ? (int)n.shape[0] : MAX_FRAMES + 1;
    p->joint_count = n.shape[1] <= MAX_JOINTS ? (int)n.shape[1] : MAX_JOINTS + 1;
    status = check_size(path, p, error);
    if (status != HF_OK) return status;
    size_t count = (size_t)p->frame_count * (size_t)p->joint_count * 3;
    if ((size_t)(bytes + size - n.data) != count * (size_t)n.bytes)
        return FAIL("%zu numbers are announced, %zu bytes follow", count, (size_t)(bytes + size - n.data));
    p->values = hf_alloc(count, sizeof *p->values);
    if (!p->values) return hf_fail_memory(error, path);
    for (size_t i = 0; i < count; i++) {
        float f;
        if (n.bytes == 8)
            memcpy(&p->values[i], n.data + 8 * i, 8);
        else
            memcpy(&f, n.data + 4 * i, 4), p->values[i] = (double)f;
    }
    hf_lines names = {0};
    status = read_names(path, options, &names, error);
    if (status == HF_OK) status = take_names(path, &names, p, error);
    hf_lines_free(&names);
    return status;
}

/* ---- comma-separated values ---- */

typedef struct csv {
    const char *s, *end;
    int line, columns, lead; /* lead: columns before the first joint */
    bool timed;              /* the leading column is the time, s */
    double* times_s;         /* of the rows */
    int time_count, time_capacity;
    double unit_s; /* of the last decimal place that times are written with */
    int capacity, count;
} csv;

/* The cell at c->s, without quotes; true when another one follows on the line. */
static bool next_cell(csv* c, const char** cell, size_t* length) {
    const char* from = c->s;
    while (c->s < c->end && *c->s != ',' && *c->s != ';' && *c->s != '\t' && *c->s != '\n') c->s++;
    const char* to = c->s;
    while (to > from && (to[-1] == '\r' || to[-1] == ' ' || to[-1] == '"')) to--;
    while (from < to && (*from == ' ' || *from == '"')) from++;
    *cell = from, *length = (size_t)(to - from);
    bool more = c->s < c->end && *c->s != '\n';
    if (c->s < c->end) c->s++;
    return more;
}

static bool is_number(const char* cell, size_t length) {
    double value;
    const char* after;
    return length > 0 && hf_parse_double(cell, cell + length, &after, &value) && after == cell + length;
}

/* "Hips.x": the joint's name and the axis, -1 where the cell names none. */
static int axis_of(const char* cell, size_t length) {
    if (length < 3 || !strchr("._: ", cell[length - 2])) return -1;
    const char* axes = "xyzXYZ";
    const char* at = memchr(axes, cell[length - 1], 6);
    return at ? (int)(at - axes) % 3 : -1;
}

static hf_status read_csv_header(const char* path, csv* c, hf_lines* names, hf_error* error) {
    const char* cell;
    size_t length;
    bool more = true;
    for (int column = 0; more; column++) {
        more = next_cell(c, &cell, &length);
        bool leads =
            column == 0 && (strncasecmp(cell, "time", 4) == 0 || strncasecmp(cell, "frame", 5) == 0 ||
                            strncasecmp(cell, "t", length) == 0);
        if (leads) {
            c->lead = 1;
            c->timed = strncasecmp(cell, "frame", 5) != 0;
            continue;
        }
        int axis = axis_of(cell, length), wanted = (column - c->lead) % 3;
        if (axis != wanted)
            return hf_fail(
                error, HF_ERROR_FORMAT, path, 1, NULL,
                "column %d is \"%.*s\", three columns NAME.x NAME.y NAME.z for each joint are expected",
                column + 1, (int)(length < 40 ? length : 40), cell);
        if (axis == 0 && !add_name(names, cell, length - 2)) return hf_fail_memory(error, path);
        c->columns = column + 1;
    }
    c->line++;
    return HF_OK;
}

static bool keep_time(csv* c, const char* cell, size_t length, double time_s) {
    const char* point = memchr(cell, '.', length);
    double unit_s = 1;
    for (const char* d = point ? point + 1 : cell + length; d < cell + length; d++) unit_s /= 10;
    if (memchr(cell, 'e', length) || memchr(cell, 'E', length)) unit_s = 0;
    if (unit_s < c->unit_s) c->unit_s = unit_s;
    if (!HF_GROW(c->times_s, c->time_capacity, c->time_count)) return false;
    c->times_s[c->time_count++] = time_s;
    return true;
}

/* Times that are further from even ones, as a share of the step between two frames, are refused. */
static const double EVEN_SHARE = 0.01;

/* The time between two frames; times that are not even are refused, but for the rounding of their decimals.
 */
static hf_status find_step(const char* path, const csv* c, hf_positions* p, hf_error* error) {
    int last = c->time_count - 1;
    double first_s = c->times_s[0], step_s = (c->times_s[last] - first_s) / last;
    double spare_s = EVEN_SHARE * fabs(step_s) + c->unit_s;
    for (int i = 0; i <= last; i++)
        if (!(fabs(c->times_s[i] - first_s - i * step_s) <= spare_s))
            return FAIL(
                "the time %g s of frame %d is not even: %g s is expected at %g s a frame; give the rate "
                "to read the frames as even",
                c->times_s[i], i, first_s + i * step_s, step_s);
    p->frame_time_s = step_s;
    return HF_OK;
}

static hf_status read_csv_row(const char* path, csv* c, hf_positions* p, hf_error* error) {
    const char* cell;
    size_t length;
    bool more = true;
    int column = 0;
    for (; more; column++) {
        more = next_cell(c, &cell, &length);
        if (column == 0 && length == 0 && !more) return HF_OK; /* an empty line */
        double value = 0;
        const char* after;
        if (!hf_parse_double(cell, cell + length, &after, &value) || after != cell + length)
            return hf_fail(error, HF_ERROR_FORMAT, path, c->line, NULL, "\"%.*s\" is not a finite number",
                           (int)(length < 40 ? length : 40), cell);
        if (column < c->lead) {
            if (!keep_time(c, cell, length, value)) return hf_fail_memory(error, path);
            continue;
        }
        if (!HF_GROW(p->values, c->capacity, c->count)) return hf_fail_memory(error, path);
        p->values[c->count++] = value;
    }
    if (!c->columns) c->columns = column;
    if (column != c->columns)
        return hf_fail(error, HF_ERROR_FORMAT, path, c->line, NULL, "has %d columns, %d are expected", column,
                       c->columns);
    p->frame_count++;
    return HF_OK;
}

static hf_status read_csv(const char* path, const char* bytes, size_t size, const hf_clip_options* options,
                          hf_positions* p, hf_error* error) {
    csv c = {.s = bytes, .end = bytes + size, .line = 1, .unit_s = 1};
    hf_lines names = {0};
    const char* cell;
    size_t length;
    if (size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0) c.s += 3;
    csv probe = c;
    next_cell(&probe, &cell, &length);
    bool headed = length > 0 && !is_number(cell, length);
    hf_status status = headed ? read_csv_header(path, &c, &names, error) : HF_OK;
    for (; c.s < c.end && status == HF_OK; c.line++) status = read_csv_row(path, &c, p, error);
    if (status == HF_OK && (c.columns - c.lead) % 3)
        status = FAIL("has %d columns, three for each joint are expected", c.columns);
    p->joint_count = (c.columns - c.lead) / 3;
    if (status == HF_OK) status = check_size(path, p, error);
    if (status == HF_OK && c.timed && c.time_count > 1 && !(options->rate > 0))
        status = find_step(path, &c, p, error);
    hf_free(c.times_s);
    if (status == HF_OK && !headed) status = read_names(path, options, &names, error);
    if (status == HF_OK) status = take_names(path, &names, p, error);
    hf_lines_free(&names);
    return status;
}

hf_status hf_positions_read(const char* path, const hf_clip_options* options, hf_positions* p,
                            hf_error* error) {
    memset(p, 0, sizeof *p);
    char* bytes;
    size_t size;
    hf_status status = hf_file_read(path, &bytes, &size, error);
    if (status != HF_OK) return status;
    status = hf_text_ends(path, ".npy") ? read_npy(path, bytes, size, options, p, error)
                                        : read_csv(path, bytes, size, options, p, error);
    if (status == HF_OK) status = check_values(path, p, error);
    hf_free(bytes);
    if (options->rate > 0) p->frame_time_s = 1 / options->rate;
    if (status == HF_OK && !(p->frame_time_s > 0))
        status =
            FAIL("does not say how many frames a second it has: give the rate (--rate N, or \"rate\" of the "
                 "clip in a scenario)");
    if (status != HF_OK) hf_positions_free(p);
    return status;
}
