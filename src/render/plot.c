/* Plots of one or two motions over time: speeds, balance margin, torque share, and what each limb holds. */
#include "base/error.h"
#include "base/memory.h"
#include "render/board.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Lengths in dots of the font; a dot is 1 to 3 pixels wide. */
enum {
    LETTER = 7,
    EDGE = 8,
    GAP = 4,
    PANEL = 64, /* height of a curve's panel */
    APART = 18, /* between panels, with the name of the next one */
    ROW = 12,   /* of a limb, for each motion */
    TICK = 4,
    TICKS_APART = 44,
    SWATCH = 14,
    PLOT_LEAST = 60
};
enum { TWO_PIXELS = 800, THREE_PIXELS = 2000, LARGEST = 8192, MOTIONS = 2, CURVES = 4, LEVELS = 4 };

static const uint32_t INK = HF_BOARD_INK, QUIET = HF_BOARD_QUIET, GRID = HF_BOARD_GRID, BAND = HF_BOARD_BAND,
                      LIMIT = 0xe0102e;
/* Of the only motion; of the first of two, and of the second. */
static const uint32_t ALONE = 0x4566b0, BEFORE = 0xa9b0ba, AFTER = 0x2a8c82;

/* What is plotted, and the level that must not be crossed (NaN: none). */
static const struct {
    const char* name;
    double scale, limit;
} curves[CURVES] = {{"root speed, m/s", 1, NAN},
                    {"fastest joint, rad/s", 1, NAN},
                    {"balance margin in motion, cm", 100, 0},
                    {"torque share of the most loaded joint", 1, 1}};

typedef struct plot {
    hf_picture* page;
    const hf_plot_motion* motions;
    int count, dot;
    double seconds;
    double* values[MOTIONS][CURVES]; /* one a frame, in plotted units; NaN: not known */
    bool known[CURVES];
    const char** limbs; /* names of those that touch */
    int limb_count;
    int left, right, top;
} plot;

/* ---- values ---- */

static double joint_speed(const hf_creature_view* c, const hf_motion_frame* a, const hf_motion_frame* b) {
    double most = 0, took = b->time_s - a->time_s;
    for (int j = 0; j < c->joint_count; j++) {
        const hf_joint* joint = &c->joints[j];
        if (joint->type != HF_JOINT_REVOLUTE && joint->type != HF_JOINT_CONTINUOUS) continue;
        most = fmax(most, fabs(b->q[joint->q_index] - a->q[joint->q_index]) / took);
    }
    return most;
}

/* Speeds over the frames beside each, margins and torques as the check judged them. */
static void fill_values(plot* p, int index) {
    const hf_plot_motion* m = &p->motions[index];
    const hf_creature_view* c = hf_creature_get(m->creature);
    int count = m->motion->frame_count;
    for (int f = 0; f < count; f++) {
        const hf_motion_frame* a = &m->motion->frames[f > 0 ? f - 1 : 0];
        const hf_motion_frame* b = &m->motion->frames[f + 1 < count ? f + 1 : count - 1];
        const hf_dynamic_frame* d = m->dynamic ? &m->dynamic->frames[f] : NULL;
        double took = b->time_s - a->time_s;
        const double now[CURVES] = {hf_distance(a->root.position, b->root.position) / took,
                                    joint_speed(c, a, b), d ? d->margin_m : NAN, d ? d->torque_share : NAN};
        for (int k = 0; k < CURVES; k++) {
            p->values[index][k][f] = now[k] * curves[k].scale;
            p->known[k] |= isfinite(now[k]);
        }
    }
}

static bool make_values(plot* p) {
    for (int i = 0; i < p->count; i++) {
        const hf_motion* m = p->motions[i].motion;
        for (int k = 0; k < CURVES; k++) {
            p->values[i][k] = hf_alloc((size_t)m->frame_count, sizeof(double));
            if (!p->values[i][k]) return false;
        }
        fill_values(p, i);
        p->seconds = fmax(p->seconds, m->frames[m->frame_count - 1].time_s - m->frames[0].time_s);
    }
    return true;
}

static bool limb_touches(const hf_motion* m, const char* name) {
    for (int f = 0; f < m->frame_count; f++)
        for (int i = 0; i < m->frames[f].contact_count; i++)
            if (strcmp(m->limbs[m->frames[f].contacts[i].limb].name, name) == 0) return true;
    return false;
}

static bool list_limbs(plot* p) {
    const hf_creature_view* c = hf_creature_get(p->motions[0].creature);
    p->limbs = hf_alloc((size_t)c->limb_count + 1, sizeof *p->limbs);
    if (!p->limbs) return false;
    for (int l = 0; l < c->limb_count; l++) {
        bool touches = false;
        for (int i = 0; i < p->count; i++)
            touches = touches || limb_touches(p->motions[i].motion, c->limbs[l].name);
        if (touches) p->limbs[p->limb_count++] = c->limbs[l].name;
    }
    return true;
}

/* ---- axes ---- */

static uint32_t colour_of(const plot* p, int index) { return p->count == 1 ? ALONE : index ? AFTER : BEFORE; }

static double x_at(const plot* p, double time_s) {
    return p->left + time_s / p->seconds * (p->right - p->left);
}

/* The least of 1, 2, 5, 10 ... that is not under `least`. */
static double round_step(double least) {
    static const double steps[] = {1, 2, 5};
    double ten = 1e-6;
    while (ten * 10 <= least) ten *= 10;
    for (int i = 0; i < 3; i++)
        if (steps[i] * ten >= least) return steps[i] * ten;
    return 10 * ten;
}

static void draw_times(const plot* p, int top, int bottom, bool named) {
    double step = round_step(TICKS_APART * p->dot * p->seconds / (double)(p->right - p->left));
    for (int i = 0; i * step <= p->seconds * (1 + 1e-9); i++) {
        int x = (int)lround(x_at(p, i * step));
        char text[32];
        hf_board_paint(p->page, x, top, 1, bottom - top, GRID);
        if (!named) continue;
        snprintf(text, sizeof text, "%g s", i * step);
        hf_board_text(p->page, x - hf_board_text_width(text, p->dot) / 2, bottom + TICK * p->dot, p->dot,
                      text, QUIET);
    }
}

/* ---- a curve's panel ---- */

typedef struct panel {
    int top, bottom;
    double low, high;
} panel;

static double y_at(const panel* a, double value) {
    return a->bottom - (value - a->low) / (a->high - a->low) * (a->bottom - a->top);
}

static panel range_of(const plot* p, int curve, int top) {
    panel a = {top, top + PANEL * p->dot, 0, 0};
    for (int i = 0; i < p->count; i++)
        for (int f = 0; f < p->motions[i].motion->frame_count; f++) {
            double v = p->values[i][curve][f];
            if (isfinite(v)) a.low = fmin(a.low, v), a.high = fmax(a.high, v);
        }
    if (curves[curve].limit > 0) a.high = fmax(a.high, 1.1 * curves[curve].limit);
    if (!(a.high > a.low)) a.high = a.low + 1;
    double step = round_step((a.high - a.low) / LEVELS);
    a.low = step * floor(a.low / step), a.high = step * ceil(a.high / step);
    return a;
}

static void draw_levels(const plot* p, const panel* a, double limit) {
    double step = round_step((a->high - a->low) / LEVELS);
    int d = p->dot;
    for (int i = 0; a->low + i * step <= a->high + 0.5 * step; i++) {
        double value = a->low + i * step;
        int y = (int)lround(y_at(a, value));
        char text[32];
        snprintf(text, sizeof text, "%g", fabs(value) < 1e-9 * step ? 0 : value);
        hf_board_paint(p->page, p->left, y, p->right - p->left, 1, GRID);
        hf_board_text(p->page, p->left - hf_board_text_width(text, d) - GAP * d, y - LETTER * d / 2, d, text,
                      QUIET);
    }
    if (isnan(limit)) return;
    int y = (int)lround(y_at(a, limit));
    for (int x = p->left; x < p->right; x += 6 * d) hf_board_paint(p->page, x, y, 3 * d, 1, LIMIT);
}

/* The curve's value at a time, straight between frames. */
static double value_at(const hf_motion* m, const double* values, double time_s, int* frame) {
    double start = m->frames[0].time_s;
    while (*frame + 2 < m->frame_count && m->frames[*frame + 1].time_s - start <= time_s) (*frame)++;
    if (m->frame_count < 2) return values[0];
    double a = m->frames[*frame].time_s - start, b = m->frames[*frame + 1].time_s - start;
    double u = (time_s - a) / (b - a);
    return u > 1 + 1e-9 ? NAN : values[*frame] + u * (values[*frame + 1] - values[*frame]);
}

/* A column of the curve, from y0 to y1 and half a line more at either end. */
static void draw_column(const plot* p, int x, double y0, double y1, uint32_t hex) {
    double half = 0.75 * p->dot, top = fmin(y0, y1) - half, bottom = fmax(y0, y1) + half;
    for (int y = (int)floor(top); y <= (int)floor(bottom); y++)
        hf_board_dot(p->page, x, y, hex, fmin(bottom, y + 1) - fmax(top, y));
}

static void draw_curve(const plot* p, const panel* a, int index, int curve) {
    const hf_motion* m = p->motions[index].motion;
    const double* values = p->values[index][curve];
    enum { PARTS = 8 }; /* moments of a column that are looked at */
    int frame = 0;
    double before = NAN;
    for (int x = p->left; x <= p->right; x++) {
        double low = NAN, high = NAN;
        for (int k = 0; k < PARTS; k++) {
            double t = (x + (double)k / PARTS - p->left) / (p->right - p->left) * p->seconds;
            double y = y_at(a, value_at(m, values, t, &frame));
            low = fmin(low, y), high = fmax(high, y); /* NaN counts for nothing */
        }
        if (isnan(low)) {
            before = NAN;
            continue;
        }
        draw_column(p, x, isnan(before) ? low : fmin(low, before), isnan(before) ? high : fmax(high, before),
                    colour_of(p, index));
        before = (low + high) / 2;
    }
}

static void draw_panel(const plot* p, int curve, int top) {
    int d = p->dot;
    panel a = range_of(p, curve, top);
    hf_board_text(p->page, p->left, top - (LETTER + GAP) * d, d, curves[curve].name, INK);
    hf_board_paint(p->page, p->left, a.top, p->right - p->left, a.bottom - a.top, BAND);
    draw_times(p, a.top, a.bottom, false);
    draw_levels(p, &a, curves[curve].limit);
    for (int i = 0; i < p->count; i++) draw_curve(p, &a, i, curve);
}

/* ---- contacts ---- */

static bool holds_in(const hf_motion* m, int frame, const char* limb) {
    const hf_motion_frame* f = &m->frames[frame];
    for (int i = 0; i < f->contact_count; i++)
        if (strcmp(m->limbs[f->contacts[i].limb].name, limb) == 0) return true;
    return false;
}

static void draw_limb(const plot* p, const char* limb, int y) {
    int d = p->dot;
    hf_board_text(p->page, EDGE * d, y + (ROW * p->count - LETTER) * d / 2, d, limb, INK);
    for (int i = 0; i < p->count; i++, y += ROW * d) {
        const hf_motion* m = p->motions[i].motion;
        double start = m->frames[0].time_s;
        for (int f = 0; f + 1 < m->frame_count; f++) {
            if (!holds_in(m, f, limb)) continue;
            int x0 = (int)lround(x_at(p, m->frames[f].time_s - start));
            int x1 = (int)lround(x_at(p, m->frames[f + 1].time_s - start));
            hf_board_paint(p->page, x0, y + 2 * d, x1 > x0 ? x1 - x0 : 1, (ROW - 4) * d, colour_of(p, i));
        }
    }
}

static void draw_contacts(const plot* p, int top) {
    int d = p->dot, row = ROW * p->count * d, bottom = top + p->limb_count * row;
    hf_board_text(p->page, p->left, top - (LETTER + GAP) * d, d, "contacts", INK);
    for (int l = 0; l < p->limb_count; l += 2)
        hf_board_paint(p->page, p->left, top + l * row, p->right - p->left, row, BAND);
    draw_times(p, top, bottom, true);
    for (int l = 0; l < p->limb_count; l++) draw_limb(p, p->limbs[l], top + l * row);
}

/* ---- the page ---- */

static int height_of(const plot* p) {
    int panels = 0;
    for (int k = 0; k < CURVES; k++) panels += p->known[k];
    return EDGE + LETTER + EDGE + panels * (APART + PANEL) + APART + p->limb_count * p->count * ROW + TICK +
           LETTER + 2 * EDGE;
}

static bool lay_out(plot* p, const hf_picture_options* o) {
    int names = hf_board_text_width("0000000", 1);
    for (int l = 0; l < p->limb_count; l++) {
        int wide = hf_board_text_width(p->limbs[l], 1);
        if (wide > names) names = wide;
    }
    int dot = o->width >= THREE_PIXELS ? 3 : o->width >= TWO_PIXELS ? 2 : 1;
    for (; dot > 0; dot--) {
        p->dot = dot;
        p->left = (names + 2 * EDGE) * dot, p->right = o->width - 2 * EDGE * dot;
        int height = height_of(p) * dot;
        bool fits = p->right - p->left >= PLOT_LEAST * dot && height <= (o->height ? o->height : LARGEST);
        *p->page = (hf_picture){.width = o->width, .height = o->height ? o->height : height};
        if (fits) return true;
    }
    return false;
}

static void draw_title(const plot* p) {
    int d = p->dot, x = EDGE * d, y = EDGE * d;
    for (int i = 0; i < p->count; i++) {
        const hf_plot_motion* m = &p->motions[i];
        char text[160];
        snprintf(text, sizeof text, "%.100s, %.3g s",
                 m->label ? m->label : hf_creature_get(m->creature)->name,
                 m->motion->frames[m->motion->frame_count - 1].time_s - m->motion->frames[0].time_s);
        hf_board_paint(p->page, x, y + 2 * d, SWATCH * d, 3 * d, colour_of(p, i));
        hf_board_text(p->page, x + (SWATCH + GAP) * d, y, d, text, INK);
        x += (SWATCH + GAP + 2 * EDGE) * d + hf_board_text_width(text, d);
    }
}

static hf_status draw(plot* p, const hf_picture_options* o, hf_error* error) {
    if (!make_values(p) || !list_limbs(p)) return hf_fail_memory(error, NULL);
    if (!lay_out(p, o))
        return hf_fail(error, HF_ERROR_ARGUMENT, NULL, 0, "picture",
                       "the plots of %d limbs do not fit on %d x %d pixels", p->limb_count, o->width,
                       o->height);
    size_t bytes = 3 * (size_t)p->page->width * (size_t)p->page->height;
    p->page->rgb = hf_alloc(bytes, 1);
    if (!p->page->rgb) return hf_fail_memory(error, NULL);
    memset(p->page->rgb, 255, bytes);
    int d = p->dot, y = (EDGE + LETTER + EDGE + APART) * d;
    draw_title(p);
    for (int k = 0; k < CURVES; k++) {
        if (!p->known[k]) continue;
        draw_panel(p, k, y);
        y += (PANEL + APART) * d;
    }
    draw_contacts(p, y);
    return HF_OK;
}

static hf_status refuse(const hf_plot_motion* motions, int count, const hf_picture_options* o,
                        hf_error* error) {
    if (count < 1 || count > MOTIONS)
        return hf_fail(error, HF_ERROR_ARGUMENT, NULL, 0, "motions", "one or two are plotted, not %d", count);
    if (o->width < 16 || o->width > LARGEST || (o->height != 0 && (o->height < 16 || o->height > LARGEST)))
        return hf_fail(error, HF_ERROR_ARGUMENT, NULL, 0, "picture",
                       "width and height must be between 16 and %d", LARGEST);
    for (int i = 0; i < count; i++) {
        HF_REQUIRE(error, motions[i].motion && motions[i].creature);
        hf_status status = hf_motion_validate(motions[i].motion, motions[i].creature, NULL, error);
        if (status != HF_OK) return status;
        int frames = motions[i].motion->frame_count;
        if (frames < 2)
            return hf_fail(error, HF_ERROR_FORMAT, NULL, 0, "frames",
                           "there %s %d, and a plot over time needs at least two", frames == 1 ? "is" : "are",
                           frames);
        if (motions[i].dynamic && motions[i].dynamic->frame_count != frames)
            return hf_fail(error, HF_ERROR_ARGUMENT, NULL, 0, "dynamic", "is of another motion");
    }
    return HF_OK;
}

hf_status hf_render_plot(const hf_plot_motion* motions, int count, const hf_picture_options* options,
                         hf_picture* picture, hf_error* error) {
    HF_REQUIRE(error, motions && picture);
    *picture = (hf_picture){0};
    hf_picture_options standard = hf_picture_options_default();
    standard.height = 0;
    if (!options) options = &standard;
    hf_status status = refuse(motions, count, options, error);
    if (status != HF_OK) return status;
    plot p = {.page = picture, .motions = motions, .count = count};
    status = draw(&p, options, error);
    for (int i = 0; i < MOTIONS; i++)
        for (int k = 0; k < CURVES; k++) hf_free(p.values[i][k]);
    hf_free((void*)p.limbs);
    if (status != HF_OK) hf_picture_free(picture);
    return status;
}
