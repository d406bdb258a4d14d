/* A motion as three arrays for learning frameworks: root, joints, contacts; one row a frame. */
#include "base/error.h"
#include "base/memory.h"
#include "io/npy_write.h"

#include <holdfast/motion.h>

#include <stdio.h>
#include <string.h>

/* Columns of the root: time, position, rotation; and of one limb's contact: held, frame, object, point,
   normal. */
enum { ROOT_COLUMNS = 8, LIMB_COLUMNS = 9 };

static void fill_root(const hf_motion* m, double* to) {
    for (int i = 0; i < m->frame_count; i++, to += ROOT_COLUMNS) {
        hf_transform r = m->frames[i].root;
        const double row[ROOT_COLUMNS] = {m->frames[i].time_s, r.position.x, r.position.y, r.position.z,
                                          r.rotation.w,        r.rotation.x, r.rotation.y, r.rotation.z};
        memcpy(to, row, sizeof row);
    }
}

static void fill_joints(const hf_motion* m, double* to) {
    for (int i = 0; i < m->frame_count; i++, to += m->q_count)
        memcpy(to, m->frames[i].q, sizeof *to * (size_t)m->q_count);
}

/* A limb that holds nothing has zeros, and -1 for the contact frame and the object. */
static void fill_contacts(const hf_motion* m, double* to) {
    for (int i = 0; i < m->frame_count; i++, to += LIMB_COLUMNS * m->limb_count) {
        const hf_motion_frame* f = &m->frames[i];
        for (int k = 0; k < m->limb_count; k++) to[LIMB_COLUMNS * k + 1] = to[LIMB_COLUMNS * k + 2] = -1;
        for (int k = 0; k < f->contact_count; k++) {
            const hf_hold* c = &f->contacts[k];
            const double row[LIMB_COLUMNS] = {c->grip ? 2 : 1, c->frame,    c->object,
                                              c->point.x,      c->point.y,  c->point.z,
                                              c->normal.x,     c->normal.y, c->normal.z};
            memcpy(to + LIMB_COLUMNS * c->limb, row, sizeof row);
        }
    }
}

static hf_status write_array(const hf_motion* m, const char* stem, const char* name, int cols,
                             void (*fill)(const hf_motion* m, double* to), hf_error* error) {
    size_t length = strlen(stem) + strlen(name) + 8;
    char* path = hf_alloc(length, 1);
    double* data = hf_alloc((size_t)m->frame_count * (size_t)cols + 1, sizeof *data);
    hf_status status = path && data ? HF_OK : hf_fail_memory(error, NULL);
    if (status == HF_OK) {
        snprintf(path, length, "%s.%s.npy", stem, name);
        fill(m, data);
        status = hf_npy_write(path, m->frame_count, cols, data, error);
    }
    hf_free(path);
    hf_free(data);
    return status;
}

hf_status hf_motion_save_arrays(const hf_motion* motion, const char* stem, hf_error* error) {
    HF_REQUIRE(error, motion && stem);
    hf_status status = write_array(motion, stem, "root", ROOT_COLUMNS, fill_root, error);
    if (status == HF_OK) status = write_array(motion, stem, "joints", motion->q_count, fill_joints, error);
    if (status == HF_OK)
        status =
            write_array(motion, stem, "contacts", LIMB_COLUMNS * motion->limb_count, fill_contacts, error);
    return status;
}
