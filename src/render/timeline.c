/* The timeline of a schedule: a row of bars for each limb that holds something. */
#include "base/error.h"
#include "base/memory.h"
#include "model/creature.h"
#include "model/creature_draft.h"
#include "render/board.h"
#include "render/colour.h"

#include <holdfast/render.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Lengths in dots of the font; a dot is 1 to 3 pixels wide. */
enum {
    LETTER = 7, /* height of a letter */
    EDGE = 8,   /* free on all sides */
    GAP = 4,    /* between things that belong together */
    TICK = 4,   /* of the time axis */
    STANCE = 6, /* of a key stance */
    ROW = 20,   /* height of a limb's row; with room to spare up to ROW_MOST, without down to ROW_LEAST */
    ROW_MOST = 30,
    ROW_LEAST = 12,
    BAR_SHARE = 75, /* percent of a row that its bars are high */
    GRIP = 3,       /* height of the edge that marks a grip */
    PLOT_LEAST = 60,
    TICKS_APART = 44,
    LEGEND_ROW = 12,
    LEGEND_LINES = 4,
    SWATCH = 9
};
/* Pictures from this width on have dots of two or three pixels. */
enum { TWO_PIXELS = 800, THREE_PIXELS = 2000, LARGEST = 8192 };

static const uint32_t INK = HF_BOARD_INK, QUIET = HF_BOARD_QUIET, GRID = HF_BOARD_GRID, BAND = HF_BOARD_BAND,
                      NO_OBJECT = 0x9aa2ac;

typedef struct timeline {
    const hf_schedule* schedule;
    const hf_creature_view* creature;
    const hf_scene* scene; /* NULL when there is none */
    hf_picture* page;
    int dot; /* pixels */
    int limbs[HF_MAX_LIMBS], limb_count;
    int* colours; /* for each object its place in the legend, -1 when nothing holds it */
    int* objects; /* those that are held, in the order of the legend */
    int object_count;
    bool nameless, grips, stances; /* what the legend explains */
    double seconds;
    int left, right;      /* of the plot, pixels */
    int top, row, bottom; /* of its first row; a row's height; under the last row */
    char title[64], figures[128];
} timeline;

/* ---- drawing ---- */

static void write_text(const timeline* t, int x, int y, const char* text, uint32_t hex) {
    hf_board_text(t->page, x, y, t->dot, text, hex);
}

static int text_width(const timeline* t, const char* text) { return hf_board_text_width(text, t->dot); }

/* Cuts a text to a width, with two dots at its end. */
static void fit_text(const timeline* t, const char* text, int width, char* out, size_t size) {
    snprintf(out, size, "%s", text);
    for (size_t n = strlen(out); n > 3 && text_width(t, out) > width; n--)
        snprintf(out + n - 3, size - n + 3, "..");
}

/* Palette colours, paler when the palette is used a second and third time. */
static uint32_t colour_of(const timeline* t, int object) {
    static const int palette = 12, shades = 3;
    if (object < 0) return NO_OBJECT;
    int k = t->colours[object];
    return hf_board_mix(hf_palette_hex(k), 0xffffff, 0.3 * (k / palette % shades));
}

/* Dark letters on light colours. */
static uint32_t ink_on(uint32_t hex) {
    double light = 0.299 * (hex >> 16) + 0.587 * (hex >> 8 & 255) + 0.114 * (hex & 255);
    return light > 150 ? INK : 0xffffff;
}

static int x_at(const timeline* t, double time_s) {
    return t->left + (int)lround(time_s / t->seconds * (t->right - t->left));
}

/* A bar without its corners. */
static void paint_bar(const timeline* t, int x, int y, int width, int height, uint32_t hex, bool grip) {
    int d = width > 4 * t->dot ? t->dot : 0;
    hf_board_paint(t->page, x + d, y, width - 2 * d, height, hex);
    hf_board_paint(t->page, x, y + d, width, height - 2 * d, hex);
    if (grip)
        hf_board_paint(t->page, x + d, y + height - GRIP * t->dot, width - 2 * d, GRIP * t->dot,
                       hf_board_mix(hex, 0, 0.5));
}

/* ---- one hold ---- */

static const char* object_name(const timeline* t, int object) {
    return object >= 0 ? hf_scene_object(t->scene, object).name : "no object";
}

/* Object and contact frame where there is room, else the object alone, else nothing. A limb's first frame is
   not named. */
static void label_bar(const timeline* t, const hf_hold* h, int x, int y, int width, uint32_t ink) {
    const hf_limb* limb = &t->creature->limbs[h->limb];
    char text[400];
    int room = width - 2 * GAP * t->dot;
    const char* object = object_name(t, h->object);
    snprintf(text, sizeof text, "%.190s (%.190s)", object, limb->contacts[h->frame].name);
    if (h->frame == 0 || text_width(t, text) > room) snprintf(text, sizeof text, "%.390s", object);
    if (text_width(t, text) <= room) write_text(t, x + GAP * t->dot, y, text, ink);
}

static void draw_hold(const timeline* t, const hf_schedule_hold* h, int y) {
    int height = t->row * BAR_SHARE / 100, x = x_at(t, h->from_s), width = x_at(t, h->to_s) - x;
    if (width < 2 * t->dot) width = 2 * t->dot;
    uint32_t hex = colour_of(t, h->hold.object);
    y += (t->row - height) / 2;
    paint_bar(t, x, y, width, height, hex, h->hold.grip);
    int text_height = height - (h->hold.grip ? GRIP * t->dot : 0);
    label_bar(t, &h->hold, x, y + (text_height - LETTER * t->dot) / 2, width, ink_on(hex));
}

static void draw_row(const timeline* t, int index) {
    int y = t->top + index * t->row, d = t->dot, limb = t->limbs[index];
    char name[200];
    fit_text(t, t->creature->limbs[limb].name, t->left - (EDGE + GAP) * d, name, sizeof name);
    write_text(t, EDGE * d, y + (t->row - LETTER * d) / 2, name, INK);
    for (int i = 0; i < t->schedule->hold_count; i++)
        if (t->schedule->holds[i].hold.limb == limb) draw_hold(t, &t->schedule->holds[i], y);
}

/* ---- axis and key stances ---- */

/* The least of 1, 2, 5, 10 … whose labels stand apart, s. */
static double tick_step(const timeline* t) {
    static const double steps[] = {1, 2, 5};
    for (double ten = 1e-3;; ten *= 10)
        for (int i = 0; i < 3; i++)
            if (steps[i] * ten / t->seconds * (t->right - t->left) >= TICKS_APART * t->dot)
                return steps[i] * ten;
}

static void draw_axis(const timeline* t) {
    double step = tick_step(t);
    int d = t->dot;
    for (int i = 0; i * step <= t->seconds * (1 + 1e-9); i++) {
        int x = x_at(t, i * step);
        char text[32];
        snprintf(text, sizeof text, "%g s", i * step);
        hf_board_paint(t->page, x, t->top, 1, t->bottom - t->top + TICK * d, GRID);
        write_text(t, x - text_width(t, text) / 2, t->bottom + (TICK + GAP / 2) * d, text, QUIET);
    }
    hf_board_paint(t->page, t->left, t->bottom, t->right - t->left, d, hf_board_mix(GRID, QUIET, 0.4));
}

/* Every other row has a pale ground. */
static void draw_ground(const timeline* t) {
    for (int i = 0; i < t->limb_count; i += 2)
        hf_board_paint(t->page, t->left, t->top + i * t->row, t->right - t->left, t->row, BAND);
}

static void draw_stances(const timeline* t) {
    int d = t->dot, y = t->top - (STANCE + GAP / 2) * d;
    for (int i = 0; i < t->schedule->knot_count; i++)
        if (t->schedule->knots[i].stance) {
            int x = x_at(t, t->schedule->knots[i].time_s);
            hf_board_paint(t->page, x, t->top, 1, t->bottom - t->top, hf_board_mix(GRID, QUIET, 0.25));
            hf_board_paint(t->page, x - (d - 1) / 2, y, d, STANCE * d, QUIET);
        }
    if (t->stances) write_text(t, EDGE * d, y, "stances", QUIET);
}

/* ---- legend ---- */

typedef struct legend {
    int x, y, line;
    bool draws;
} legend;

/* Room for an entry of this width; false when the last line is full. */
static bool legend_room(const timeline* t, legend* l, int width) {
    if (l->x > t->left && l->x + width > t->right) {
        l->x = t->left;
        l->line++;
        l->y += LEGEND_ROW * t->dot;
    }
    return l->line < LEGEND_LINES;
}

static void legend_entry(const timeline* t, legend* l, uint32_t hex, bool grip, bool stance,
                         const char* name) {
    int d = t->dot;
    char text[80];
    fit_text(t, name, t->right - t->left - (SWATCH + GAP) * d, text, sizeof text);
    int width = (SWATCH + GAP) * d + text_width(t, text);
    if (!legend_room(t, l, width)) return;
    if (l->draws && stance)
        hf_board_paint(t->page, l->x + SWATCH / 2 * d, l->y, d, STANCE * d, QUIET);
    else if (l->draws)
        paint_bar(t, l->x, l->y - d, SWATCH * d, SWATCH * d, hex, grip);
    if (l->draws) write_text(t, l->x + (SWATCH + GAP) * d, l->y, text, INK);
    l->x += width + 2 * EDGE * d;
}

/* Draws the legend, or measures it: its number of lines. */
static int make_legend(const timeline* t, int y, bool draws) {
    legend l = {.x = t->left, .y = y, .draws = draws};
    for (int i = 0; i < t->object_count; i++)
        legend_entry(t, &l, colour_of(t, t->objects[i]), false, false, object_name(t, t->objects[i]));
    if (t->nameless) legend_entry(t, &l, NO_OBJECT, false, false, "no object");
    if (t->grips) legend_entry(t, &l, 0xd4d8dd, true, false, "grip");
    if (t->stances) legend_entry(t, &l, 0, false, true, "key stance");
    return l.line < LEGEND_LINES ? l.line + 1 : LEGEND_LINES;
}

/* ---- what there is to draw ---- */

static void list_limbs(timeline* t) {
    for (int limb = 0; limb < t->creature->limb_count; limb++)
        for (int i = 0; i < t->schedule->hold_count; i++)
            if (t->schedule->holds[i].hold.limb == limb) {
                t->limbs[t->limb_count++] = limb;
                break;
            }
}

static hf_status list_objects(timeline* t) {
    int count = t->scene ? hf_scene_object_count(t->scene) : 0;
    t->colours = hf_alloc((size_t)count + 1, sizeof *t->colours);
    t->objects = hf_alloc((size_t)count + 1, sizeof *t->objects);
    if (!t->colours || !t->objects) return HF_ERROR_MEMORY;
    for (int i = 0; i < count; i++) t->colours[i] = -1;
    for (int i = 0; i < t->schedule->hold_count; i++) {
        const hf_hold* h = &t->schedule->holds[i].hold;
        t->grips |= h->grip;
        t->nameless |= h->object < 0;
        if (h->object >= count) return HF_ERROR_ARGUMENT;
        if (h->object < 0 || t->colours[h->object] >= 0) continue;
        t->colours[h->object] = t->object_count;
        t->objects[t->object_count++] = h->object;
    }
    return HF_OK;
}

/* The scenario's name, or the creature's, then the figures. */
static void make_title(timeline* t) {
    const hf_schedule* s = t->schedule;
    const char* path = s->scenario ? s->scenario : t->creature->name;
    const char* slash = strrchr(path, '/');
    snprintf(t->title, sizeof t->title, "%.60s", slash ? slash + 1 : path);
    char* ending = strstr(t->title, ".scenario.json");
    if (ending) *ending = 0;
    snprintf(t->figures, sizeof t->figures, "%.50s, %.4g s, %d hold%s%s%.20s", t->creature->name,
             s->knots[s->knot_count - 1].time_s, s->hold_count, s->hold_count == 1 ? "" : "s",
             strcmp(s->outcome, hf_outcome_text(HF_FOUND)) == 0 ? "" : ", ",
             strcmp(s->outcome, hf_outcome_text(HF_FOUND)) == 0 ? "" : s->outcome);
}

static void measure_time(timeline* t) {
    t->seconds = t->schedule->knots[t->schedule->knot_count - 1].time_s;
    for (int i = 0; i < t->schedule->hold_count; i++)
        t->seconds = fmax(t->seconds, t->schedule->holds[i].to_s);
    for (int i = 0; i < t->schedule->knot_count; i++) t->stances |= t->schedule->knots[i].stance;
    if (!(t->seconds > 0)) t->seconds = 1;
}

/* ---- layout ---- */

/* What is above and below the rows, dots. */
static int above(const timeline* t) { return EDGE + LETTER + EDGE + (t->stances ? STANCE + GAP : 0); }
static int below(const timeline* t) {
    return TICK + GAP / 2 + LETTER + EDGE + make_legend(t, 0, false) * LEGEND_ROW + EDGE - GAP;
}

static void lay_out_columns(timeline* t, int width) {
    int names = t->stances ? text_width(t, "stances") : 0;
    for (int i = 0; i < t->limb_count; i++) {
        int wide = text_width(t, t->creature->limbs[t->limbs[i]].name);
        if (wide > names) names = wide;
    }
    if (names > width / 3) names = width / 3;
    t->left = names + 2 * EDGE * t->dot;
    t->right = width - 2 * EDGE * t->dot;
}

/* Tries dots of this size; false when the picture is too small for them. */
static bool lay_out(timeline* t, int dot, int width, int height) {
    t->dot = dot;
    lay_out_columns(t, width);
    if (t->right - t->left < PLOT_LEAST * dot) return false;
    int rows = t->limb_count ? t->limb_count : 1, around = (above(t) + below(t)) * dot;
    if (height == 0) height = around + rows * ROW * dot;
    if (height > LARGEST) height = LARGEST;
    t->row = (height - around) / rows;
    if (t->row > ROW_MOST * dot) t->row = ROW_MOST * dot;
    if (t->row < ROW_LEAST * dot) return false;
    t->top = (height - around - rows * t->row) / 2 + above(t) * dot;
    t->bottom = t->top + rows * t->row;
    *t->page = (hf_picture){.width = width, .height = height};
    return true;
}

static bool lay_out_best(timeline* t, int width, int height) {
    int dot = width >= THREE_PIXELS ? 3 : width >= TWO_PIXELS ? 2 : 1;
    while (dot > 0 && !lay_out(t, dot, width, height)) dot--;
    return dot > 0;
}

static void draw_all(const timeline* t) {
    int d = t->dot, y = t->top - (above(t) - EDGE) * d;
    write_text(t, EDGE * d, y, t->title, INK);
    write_text(t, EDGE * d + 1, y, t->title, INK); /* bold */
    write_text(t, EDGE * d + text_width(t, t->title) + EDGE * d, y, t->figures, QUIET);
    draw_ground(t);
    draw_axis(t);
    draw_stances(t);
    for (int i = 0; i < t->limb_count; i++) draw_row(t, i);
    make_legend(t, t->bottom + (TICK + GAP / 2 + LETTER + EDGE) * d, true);
}

static hf_status draw(timeline* t, const hf_picture_options* o, hf_error* error) {
    hf_status status = list_objects(t);
    if (status == HF_ERROR_MEMORY) return hf_fail_memory(error, NULL);
    if (status != HF_OK)
        return hf_fail(error, status, NULL, 0, "picture", "a hold names an object, and there is no scene");
    list_limbs(t);
    measure_time(t);
    make_title(t);
    if (!lay_out_best(t, o->width, o->height))
        return hf_fail(error, HF_ERROR_ARGUMENT, NULL, 0, "picture", "%d rows do not fit on %d x %d pixels",
                       t->limb_count, o->width, o->height);
    size_t bytes = 3 * (size_t)t->page->width * (size_t)t->page->height;
    t->page->rgb = hf_alloc(bytes, 1);
    if (!t->page->rgb) return hf_fail_memory(error, NULL);
    memset(t->page->rgb, 255, bytes);
    draw_all(t);
    return HF_OK;
}

hf_status hf_render_timeline(const hf_schedule* schedule, const hf_creature* creature, const hf_scene* scene,
                             const hf_picture_options* options, hf_picture* picture, hf_error* error) {
    HF_REQUIRE(error, schedule && creature && picture);
    *picture = (hf_picture){0};
    hf_picture_options standard = hf_picture_options_default();
    standard.height = 0;
    if (!options) options = &standard;
    if (options->width < 16 || options->width > LARGEST ||
        (options->height != 0 && (options->height < 16 || options->height > LARGEST)))
        return hf_fail(error, HF_ERROR_ARGUMENT, NULL, 0, "picture",
                       "width and height must be between 16 and %d", LARGEST);
    hf_status status = hf_schedule_validate(schedule, creature, scene, error);
    if (status != HF_OK) return status;
    timeline t = {.schedule = schedule, .creature = &creature->view, .scene = scene, .page = picture};
    status = draw(&t, options, error);
    hf_free(t.colours);
    hf_free(t.objects);
    if (status != HF_OK) hf_picture_free(picture);
    return status;
}
