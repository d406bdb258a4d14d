/* A page: one panel, or a strip of them with thin borders and labels. */
#include "base/error.h"
#include "base/memory.h"
#include "render/lettering.h"
#include "render/shade.h"

#include <string.h>

/* Rows that are shaded between two reports of progress; also bounds the memory for them. */
enum { BAND = 128, MIN_PANEL = 8, GAP = 8 };

hf_picture_options hf_picture_options_default(void) {
    hf_picture_options o = {.width = 1280,
                            .height = 720,
                            .samples = 4,
                            .ground = true,
                            .ground_z = NAN,
                            .azimuth = NAN,
                            .elevation = 0.35,
                            .zoom = 1};
    return o;
}

/* ---- layout ---- */

typedef struct panel {
    int x, y, width, height;
} panel;

typedef struct layout {
    int columns, rows;
    int width, height; /* of the page */
} layout;

/* The number of columns whose panels are nearest to a square, or a little wider. */
static int fitting_columns(int count, int width, int height) {
    int best = 1;
    double badness = INFINITY;
    for (int c = 1; c <= count; c++) {
        int rows = (count + c - 1) / c;
        double aspect = ((double)width / c) / ((double)height / rows);
        double waste = (double)(c * rows - count) / count;
        double b = fabs(log(aspect / 1.1)) + waste;
        if (b < badness) badness = b, best = c;
    }
    return best;
}

static panel panel_of(const layout* l, int index, int count) {
    panel p = {0, 0, l->width, l->height};
    if (count == 1) return p;
    int c = index % l->columns, r = index / l->columns;
    int x0 = GAP + c * (l->width - GAP) / l->columns, x1 = (c + 1) * (l->width - GAP) / l->columns;
    int y0 = GAP + r * (l->height - GAP) / l->rows, y1 = (r + 1) * (l->height - GAP) / l->rows;
    panel q = {x0, y0, x1 - x0, y1 - y0};
    return q;
}

/* ---- from linear light to bytes ---- */

enum { TABLE = 4096 };
typedef struct encoder {
    float table[TABLE + 2];
} encoder;

static void fill_encoder(encoder* e) {
    for (int i = 0; i < TABLE + 2; i++) {
        /* Brightest tones are bent, not cut off. */
        float x = 1.5f * (float)i / TABLE, knee = 0.82f;
        if (x > knee) x = knee + (1 - knee) * tanhf((x - knee) / (1 - knee));
        e->table[i] = 255 * (x <= 0.0031308f ? 12.92f * x : 1.055f * powf(x, 1 / 2.4f) - 0.055f);
    }
}

/* `dither` in (0, 1) breaks the steps of smooth gradients. */
static uint8_t encode(const encoder* e, float x, float dither) {
    float at = fmaxf(0, fminf(x / 1.5f, 1)) * TABLE;
    int i = (int)at;
    float v = e->table[i] + (at - (float)i) * (e->table[i + 1] - e->table[i]);
    return (uint8_t)fmaxf(0, fminf(255, v + dither));
}

static void write_rows(const encoder* e, const hf_colour* colours, panel p, int first, int count,
                       hf_picture* page) {
    static const uint8_t order[4][4] = {{0, 8, 2, 10}, {12, 4, 14, 6}, {3, 11, 1, 9}, {15, 7, 13, 5}};
    for (int y = 0; y < count; y++) {
        uint8_t* out = page->rgb + 3 * ((size_t)(p.y + first + y) * (size_t)page->width + (size_t)p.x);
        for (int x = 0; x < p.width; x++, out += 3) {
            hf_colour c = colours[(size_t)y * (size_t)p.width + (size_t)x];
            float dither = ((float)order[(first + y) & 3][x & 3] + 0.5f) / 16;
            out[0] = encode(e, c.r, dither), out[1] = encode(e, c.g, dither), out[2] = encode(e, c.b, dither);
        }
    }
}

static void draw_frame(hf_picture* page, panel p) {
    for (int i = -1; i <= p.width; i++)
        for (int side = 0; side < 2; side++) {
            int x = p.x + i, y = side ? p.y + p.height : p.y - 1;
            if (x < 0 || y < 0 || x >= page->width || y >= page->height) continue;
            memset(page->rgb + 3 * ((size_t)y * (size_t)page->width + (size_t)x), 0xc4, 3);
        }
    for (int i = -1; i <= p.height; i++)
        for (int side = 0; side < 2; side++) {
            int x = side ? p.x + p.width : p.x - 1, y = p.y + i;
            if (x < 0 || y < 0 || x >= page->width || y >= page->height) continue;
            memset(page->rgb + 3 * ((size_t)y * (size_t)page->width + (size_t)x), 0xc4, 3);
        }
}

static void draw_label(hf_picture* page, panel p, const char* label, bool marked) {
    static const uint8_t plain[3] = {0x4a, 0x53, 0x5e}, red[3] = {0xc0, 0x10, 0x28};
    const uint8_t* ink = marked ? red : plain;
    int scale = p.height / 200 < 1 ? 1 : p.height / 200;
    int y = p.y + p.height - 12 * scale;
    hf_lettering(page->rgb, page->width, page->height, p.x + 5 * scale, y, scale, label, ink);
}

/* ---- cameras ---- */

static hf_vec3 subject_of(const hf_stage* s, const hf_vec3* points, int count) {
    if (s->figure.count > 0) return s->figure.centre;
    hf_vec3 sum = hf_v3(0, 0, 0);
    for (int i = 0; i < count; i++) sum = hf_add(sum, hf_scale(points[i], 1.0 / count));
    return sum;
}

/* Where one panel's camera would stand, and how far its subject then is. */
static hf_status aim(const hf_stage* stage, const hf_picture_options* o, double aspect, hf_camera* camera,
                     double* distance) {
    if (o->has_focus) {
        *camera = hf_camera_at(o->focus, o->distance, o->azimuth, o->elevation, aspect);
        *distance = o->distance;
        return HF_OK;
    }
    hf_vec3* points;
    int count;
    hf_status status = hf_stage_points(stage, &points, &count);
    if (status != HF_OK) return status;
    if (!hf_camera_fit(points, count, o->azimuth, o->elevation, aspect, camera))
        *camera = hf_camera_at(hf_v3(0, 0, 0), 5, o->azimuth, o->elevation, aspect);
    *distance = fmax(0.05, hf_dot(hf_sub(subject_of(stage, points, count), camera->eye), camera->forward));
    hf_free(points);
    return HF_OK;
}

/* The share of a moment that is hidden from an azimuth. */
static hf_status hidden_from(const hf_stage* stage, const hf_picture_options* o, double azimuth,
                             double aspect, double* share) {
    hf_picture_options turned = *o;
    hf_camera camera;
    double distance;
    turned.azimuth = azimuth;
    hf_status status = aim(stage, &turned, aspect, &camera, &distance);
    /* A marked place is what the picture is about: hidden, it counts as much as a third of the creature. */
    if (status == HF_OK)
        *share =
            fmax(*share, hf_stage_hidden(stage, &camera) + (hf_stage_hides_place(stage, &camera) ? 0.33 : 0));
    return status;
}

typedef struct painter {
    hf_picture_options options;
    hf_progress_fn progress;
    void* user;
    encoder encoder;
    hf_colour* band;
    hf_figure_reach reach;
    int count; /* panels */
    bool cancelled;
} painter;

/* Asks whether to go on with this share of the picture done. */
static bool goes_on(painter* w, double done) {
    if (w->progress && !w->cancelled) w->cancelled = !w->progress(w->user, done, "render");
    return !w->cancelled;
}

/* The usual place, unless the scene hides the creature from there and much less from another one. */
static hf_status choose_azimuth(painter* w, const hf_picture_moment* moments, int count,
                                hf_picture_options* o, const layout* l) {
    static const double places[] = {-0.6, 0.6, -1.3, 1.3, -2.0, 2.0, -2.7, 2.7};
    enum { PLACES = sizeof places / sizeof *places, MOMENTS = 8 };
    double hidden[PLACES] = {0};
    int step = (count + MOMENTS - 1) / MOMENTS;
    for (int i = 0; i < count; i += step) {
        if (!moments[i].creature || !moments[i].placement) continue;
        o->azimuth = places[0];
        if (!goes_on(w, 0)) return HF_OK; // the picture will not be finished
        hf_stage stage;
        panel p = panel_of(l, i, count);
        hf_status status = hf_stage_fill(&stage, &moments[i], o, &w->reach);
        if (status == HF_OK) status = hf_stage_build(&stage);
        for (int k = 0; k < PLACES && status == HF_OK; k++)
            status = hidden_from(&stage, o, places[k], (double)p.width / p.height, &hidden[k]);
        hf_stage_free(&stage);
        if (status != HF_OK) return status;
    }
    int best = 0;
    for (int k = 1; k < PLACES; k++)
        if (hidden[k] < hidden[best] - 0.15) best = k;
    o->azimuth = places[hidden[0] > 0.25 ? best : 0];
    return HF_OK;
}

/* All panels of a strip stand on one ground and are drawn at the scale of the one that needs most room. */
static hf_status aim_all(painter* w, const hf_picture_moment* moments, const layout* l, hf_camera* cameras,
                         double* distances) {
    hf_picture_options* o = &w->options;
    int count = w->count;
    double farthest = 0, lowest = INFINITY;
    for (int i = 0; i < count; i++) {
        hf_stage stage;
        panel p = panel_of(l, i, count);
        hf_status status = hf_stage_fill(&stage, &moments[i], o, &w->reach);
        if (status == HF_OK) status = aim(&stage, o, (double)p.width / p.height, &cameras[i], &distances[i]);
        lowest = fmin(lowest, stage.ground_z);
        hf_stage_free(&stage);
        if (status != HF_OK) return status;
        farthest = fmax(farthest, distances[i]);
    }
    o->ground_z = lowest;
    for (int i = 0; i < count; i++) {
        double back = farthest / o->zoom - distances[i];
        cameras[i].eye = hf_sub(cameras[i].eye, hf_scale(cameras[i].forward, back));
    }
    return HF_OK;
}

/* ---- drawing ---- */

static hf_status draw_panel(painter* w, const hf_picture_moment* moment, const hf_camera* camera, panel p,
                            int index, hf_picture* page) {
    hf_stage stage;
    hf_status status = hf_stage_fill(&stage, moment, &w->options, &w->reach);
    if (status == HF_OK && goes_on(w, (double)index / w->count)) status = hf_stage_build(&stage);
    if (status == HF_OK && !w->cancelled) hf_stage_look(&stage, camera, w->options.azimuth, p.width);
    for (int y = 0; y < p.height && status == HF_OK; y += BAND) {
        if (!goes_on(w, (index + (double)y / p.height) / w->count)) break;
        int rows = p.height - y < BAND ? p.height - y : BAND;
        status =
            hf_shade(&stage, p.width, p.height, y, rows, w->options.samples, w->options.threads, w->band);
        if (status == HF_OK) write_rows(&w->encoder, w->band, p, y, rows, page);
    }
    hf_stage_free(&stage);
    if (status == HF_OK && w->count > 1) draw_frame(page, p);
    if (status == HF_OK && moment->label) draw_label(page, p, moment->label, moment->mark);
    return status;
}

static hf_status draw_page(painter* w, const hf_picture_moment* moments, const layout* l, hf_picture* page) {
    hf_camera* cameras = hf_alloc((size_t)w->count, sizeof *cameras);
    double* distances = hf_alloc((size_t)w->count, sizeof *distances);
    page->rgb = hf_alloc((size_t)page->width * (size_t)page->height, 3);
    w->band = hf_alloc((size_t)page->width * BAND, sizeof *w->band);
    hf_status status = cameras && distances && page->rgb && w->band ? HF_OK : HF_ERROR_MEMORY;
    if (status == HF_OK) {
        memset(page->rgb, 255, (size_t)page->width * (size_t)page->height * 3);
        fill_encoder(&w->encoder);
        if (isnan(w->options.azimuth)) status = choose_azimuth(w, moments, w->count, &w->options, l);
        if (status == HF_OK && goes_on(w, 0)) status = aim_all(w, moments, l, cameras, distances);
    }
    for (int i = 0; i < w->count && status == HF_OK && goes_on(w, (double)i / w->count); i++)
        status = draw_panel(w, &moments[i], &cameras[i], panel_of(l, i, w->count), i, page);
    hf_free(cameras);
    hf_free(distances);
    hf_free(w->band);
    hf_figure_reach_free(&w->reach);
    return status;
}

static const char* problem_of(const hf_picture_options* o, int count) {
    if (count < 1) return "nothing to draw";
    if (o->width < 16 || o->height < 16 || o->width > 8192 || o->height > 8192)
        return "width and height must be between 16 and 8192";
    if (o->samples != 1 && o->samples != 4 && o->samples != 9 && o->samples != 16)
        return "samples must be 1, 4, 9 or 16";
    if (isinf(o->azimuth) || !isfinite(o->elevation)) return "azimuth and elevation must be finite";
    if (!(o->zoom > 0) || !isfinite(o->zoom)) return "zoom must be above 0";
    if (isinf(o->ground_z)) return "the ground must be at a finite height";
    if (o->has_focus &&
        (!isfinite(hf_dot(o->focus, o->focus)) || !(o->distance > 0) || !isfinite(o->distance)))
        return "focus must be finite and its distance above 0";
    if (o->columns < 0 || o->threads < 0) return "columns and threads must not be negative";
    return NULL;
}

static layout layout_of(const hf_picture_options* o, int count) {
    layout l = {.width = o->width, .height = o->height};
    l.columns = o->columns > 0 ? o->columns : fitting_columns(count, l.width, l.height);
    if (l.columns > count) l.columns = count;
    l.rows = (count + l.columns - 1) / l.columns;
    return l;
}

hf_status hf_picture_check(const hf_picture_options* o, int count, hf_error* error) {
    const char* problem = problem_of(o, count);
    if (problem) return hf_fail(error, HF_ERROR_ARGUMENT, NULL, 0, "picture", "%s", problem);
    layout l = layout_of(o, count);
    panel smallest = panel_of(&l, 0, count);
    bool fits = smallest.width >= MIN_PANEL && smallest.height >= MIN_PANEL &&
                l.width / l.columns > GAP + MIN_PANEL && l.height / l.rows > GAP + MIN_PANEL;
    return fits ? HF_OK
                : hf_fail(error, HF_ERROR_ARGUMENT, NULL, 0, "picture",
                          "%d panels do not fit on %d x %d pixels", count, l.width, l.height);
}

hf_status hf_render(const hf_picture_moment* moments, int count, const hf_picture_options* options,
                    hf_progress_fn progress, void* user, hf_picture* picture, hf_error* error) {
    HF_REQUIRE(error, picture && (moments || count < 1));
    *picture = (hf_picture){0};
    hf_picture_options standard = hf_picture_options_default();
    if (!options) options = &standard;
    hf_status status = hf_picture_check(options, count, error);
    for (int i = 0; i < count && status == HF_OK; i++)
        if (moments[i].creature && !moments[i].pose)
            status = hf_fail(error, HF_ERROR_ARGUMENT, NULL, 0, "picture",
                             "moment %d: a creature without a pose", i);
    if (status != HF_OK) return status;
    layout l = layout_of(options, count);
    *picture = (hf_picture){.width = l.width, .height = l.height};
    painter w = {.options = *options, .progress = progress, .user = user, .count = count};
    status = draw_page(&w, moments, &l, picture);
    if (status == HF_OK && progress && !w.cancelled) progress(user, 1, "render");
    if (status == HF_OK) return HF_OK;
    hf_picture_free(picture);
    return status == HF_ERROR_MEMORY
               ? hf_fail_memory(error, NULL)
               : hf_fail(error, status, NULL, 0, "picture",
                         "the creature or scene cannot be drawn: a coordinate is not finite");
}

void hf_picture_free(hf_picture* picture) {
    if (!picture) return;
    hf_free(picture->rgb);
    *picture = (hf_picture){0};
}
