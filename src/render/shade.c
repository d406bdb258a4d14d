/* Light: a sky (hemisphere, dimmed where near things occlude it) and one key light with a small disc, so
   that shadows have soft edges. Every second sample of a pixel casts one ray for each. The directions of
   all of them in a block of 4 x 4 pixels are spread evenly (interleaved sampling, Keller and Heidrich 2001),
   and the mean over a block, taken over pixels that show the same surface, is nearly free of noise. */
#include "render/shade.h"
#include "base/ease.h"
#include "base/memory.h"
#include "base/parallel.h"

static const double PI = 3.14159265358979323846;
static const double LIGHT_RADIUS = 0.03;   /* rad */
static const double OCCLUSION_REACH = 0.3; /* of the stage's size */
enum {
    BLOCK = 4,
    RIM = BLOCK,
    STRIP = 32,
    MAX_SAMPLES = 16,
    MAX_DIRECTIONS = BLOCK * BLOCK * (MAX_SAMPLES + 1) / 2
};

/* The surface that most of a pixel shows, unlit, with its own visibilities, and the rest of it. */
typedef struct pixel {
    hf_colour rest;     /* all other surfaces, lit, and veils */
    hf_colour sky, key; /* times their visibility: the main surface's light */
    float sky_seen, key_seen;
    int kind, object; /* HF_LAYER_NONE: nothing to filter */
    float distance;
    float normal[3];
} pixel;

typedef struct job {
    const hf_stage* stage;
    int width, height, samples, root; /* root: samples along a side */
    int looks;                        /* at the lights, from the surface that most of a pixel shows */
    int first, rows;                  /* of `pixels`, the block's rim included */
    pixel* pixels;
    int out_first;
    hf_colour* out;
    hf_vec3 hemisphere[MAX_DIRECTIONS], to_light[MAX_DIRECTIONS]; /* of the block's samples */
} job;

/* ---- evenly spread directions ---- */

static double mirrored_bits(uint32_t i) {
    i = i << 16 | i >> 16;
    i = (i & 0x00ff00ffu) << 8 | (i & 0xff00ff00u) >> 8;
    i = (i & 0x0f0f0f0fu) << 4 | (i & 0xf0f0f0f0u) >> 4;
    i = (i & 0x33333333u) << 2 | (i & 0xccccccccu) >> 2;
    i = (i & 0x55555555u) << 1 | (i & 0xaaaaaaaau) >> 1;
    return i / 4294967296.0;
}

/* Which direction the k-th ray of pixel (x, y) takes. */
static int direction_of(int x, int y, int k) {
    static const int order[BLOCK][BLOCK] = {{0, 8, 2, 10}, {12, 4, 14, 6}, {3, 11, 1, 9}, {15, 7, 13, 5}};
    return k * BLOCK * BLOCK + order[y & 3][x & 3];
}

static void axes_of(hf_vec3 n, hf_vec3* a, hf_vec3* b) {
    *a = hf_normalize(hf_cross(fabs(n.x) < 0.6 ? hf_v3(1, 0, 0) : hf_v3(0, 1, 0), n));
    *b = hf_cross(n, *a);
}

/* Hammersley sets over the block: in the cosine hemisphere about Z, and on the light's disc. */
static void fill_directions(job* j) {
    int count = j->looks * BLOCK * BLOCK;
    hf_vec3 a, b;
    axes_of(j->stage->light, &a, &b);
    for (int i = 0; i < count; i++) {
        double u = (i + 0.5) / count, v = mirrored_bits((uint32_t)i) + 0.5 / count;
        double r = sqrt(u), angle = 2 * PI * v;
        j->hemisphere[i] = hf_v3(r * cos(angle), r * sin(angle), sqrt(1 - u));
        r = LIGHT_RADIUS * sqrt(v), angle = 2 * PI * u;
        hf_vec3 d = hf_add(hf_scale(a, r * cos(angle)), hf_scale(b, r * sin(angle)));
        j->to_light[i] = hf_normalize(hf_add(d, j->stage->light));
    }
}

/* A direction of the hemisphere about n. */
static hf_vec3 turned_to(hf_vec3 n, hf_vec3 d) {
    hf_vec3 a, b;
    axes_of(n, &a, &b);
    return hf_add(hf_add(hf_scale(a, d.x), hf_scale(b, d.y)), hf_scale(n, d.z));
}

/* ---- materials ---- */

static float smooth_step(double low, double high, double x) {
    return (float)hf_ease_cubic((x - low) / (high - low));
}

static hf_colour background(double y) {
    return hf_colour_mix(hf_colour_hex(0xe6eaef), hf_colour_hex(0xfafbfc), smooth_step(-0.7, 1, y));
}

/* How much of a line of the grid covers a pixel of this width, both in cells. */
static float line_cover(double x, double step) {
    static const double half = 0.006; // of a line, in cells
    double off = fabs(x - floor(x + 0.5));
    double cover = (fmin(off + step / 2, half) - fmax(off - step / 2, -half)) / step;
    return (float)fmax(0, fmin(1, cover));
}

/* A light floor with a grid of one metre, or whatever power of ten suits the size. */
static hf_colour ground_colour(const hf_stage* stage, const hf_hit* h) {
    double cell = pow(10, floor(log10(stage->size / 0.8) + 0.5));
    hf_vec3 c = stage->camera.eye;
    double slant = fmax(0.02, (c.z - stage->ground_z) / h->distance);
    double step = stage->pixel * h->distance / slant / cell;
    hf_colour base = hf_colour_hex(0xe4e7ea), other = hf_colour_hex(0xdfe3e7), line = hf_colour_hex(0xbcc4cd);
    double x = h->point.x / cell, y = h->point.y / cell;
    float blur = smooth_step(0.15, 0.6, step);
    float odd = ((int64_t)floor(x) + (int64_t)floor(y)) & 1 ? 1 : 0;
    hf_colour colour = hf_colour_mix(base, other, odd * (1 - blur) + 0.5f * blur);
    float cover = fmaxf(line_cover(x, step), line_cover(y, step));
    return hf_colour_mix(colour, line, cover * (1 - blur));
}

/* The part of the ground that has faded into the background. */
static float ground_fade(const hf_stage* stage, const hf_hit* h) {
    hf_vec3 p = h->point, c = stage->figure.count > 0 ? stage->figure.centre : stage->camera.eye;
    double away = hypot(p.x - c.x, p.y - c.y);
    double start = stage->figure.count > 0 ? 3 * stage->size : 6 * stage->size;
    return smooth_step(start, 4 * start, away);
}

/* ---- light ---- */

static const hf_colour SKY = {0.56f, 0.585f, 0.62f}, BOUNCE = {0.40f, 0.385f, 0.36f},
                       KEY = {0.74f, 0.71f, 0.66f};

/* Light of sky and key on a hit, before their visibility is known. */
static void unlit(const hf_stage* stage, const hf_hit* h, hf_vec3 view, hf_colour* sky, hf_colour* key) {
    hf_colour colour = h->kind == HF_LAYER_GROUND ? ground_colour(stage, h) : h->colour;
    float up = (float)(0.5 + 0.5 * h->normal.z);
    float facing = (float)fmax(0, hf_dot(h->normal, stage->light));
    float grazing = (float)(1 + hf_dot(h->normal, view));
    *sky = hf_colour_mul(colour, hf_colour_mix(BOUNCE, SKY, up));
    /* A little more on what faces the eye keeps forms readable in the shade. */
    *sky = hf_colour_scale(*sky, 0.88f + 0.2f * fmaxf(0, 1 - grazing));
    *key = hf_colour_scale(hf_colour_mul(colour, KEY), facing);
    if (h->kind != HF_LAYER_FIGURE) return;
    /* Creatures have a soft gloss and a bright rim. */
    hf_vec3 half = hf_normalize(hf_sub(stage->light, view));
    float gloss = 0.10f * powf((float)fmax(0, hf_dot(h->normal, half)), 32);
    *key = hf_colour_add(*key, hf_colour_scale(KEY, facing > 0 ? gloss : 0));
    grazing = fmaxf(0, grazing);
    *sky = hf_colour_add(*sky, hf_colour_scale(SKY, 0.16f * grazing * grazing * grazing));
}

/* Rays start a little over the surface. */
static hf_vec3 lifted(const hf_stage* stage, const hf_hit* h) {
    return hf_add(h->point, hf_scale(h->face, 1e-4 * (stage->size + h->distance * 0.1)));
}

static float sky_visibility(const job* j, const hf_hit* h, int direction) {
    hf_vec3 d = turned_to(h->normal, j->hemisphere[direction]);
    if (hf_dot(d, h->face) <= 0.01) return 1;
    return hf_stage_occluded(j->stage, lifted(j->stage, h), d, OCCLUSION_REACH * j->stage->size) ? 0 : 1;
}

static float key_visibility(const job* j, const hf_hit* h, int direction) {
    if (hf_dot(h->normal, j->stage->light) <= 0) return 0;
    hf_vec3 from = lifted(j->stage, h);
    /* Flat faces of a round thing throw no shadow on themselves where its smooth surface is lit. */
    if (h->kind == HF_LAYER_FIGURE) from = hf_add(from, hf_scale(h->normal, 0.004 * j->stage->size));
    return hf_stage_occluded(j->stage, from, j->to_light[direction], 1e6) ? 0 : 1;
}

static hf_colour light(hf_colour sky, float sky_seen, hf_colour key, float key_seen) {
    return hf_colour_add(hf_colour_scale(sky, 0.25f + 0.75f * sky_seen), hf_colour_scale(key, key_seen));
}

/* ---- first pass: pixels ---- */

typedef struct sample {
    hf_hit hit;
    hf_colour sky, key;
    float share; /* of the pixel, after veils and fading */
    bool plain;  /* nothing to light */
} sample;

static void shade_sample(const job* j, hf_vec3 direction, double screen_y, sample* a, hf_colour* rest) {
    const hf_hit* h = &a->hit;
    float weight = 1.0f / (float)j->samples;
    hf_colour behind = background(screen_y);
    *rest = hf_colour_add(*rest, hf_colour_scale(h->veil, weight));
    a->share = weight * h->transparent;
    a->plain = h->kind == HF_LAYER_NONE || h->section || a->share <= 0;
    float fade = h->kind == HF_LAYER_GROUND ? ground_fade(j->stage, h) : a->plain ? 1 : 0;
    if (h->section) behind = hf_colour_hex(0xa79f95);
    *rest = hf_colour_add(*rest, hf_colour_scale(behind, a->share * fade));
    a->share *= 1 - fade;
    if (fade >= 1) a->plain = true;
    if (!a->plain) unlit(j->stage, h, direction, &a->sky, &a->key);
}

static bool same_surface(const hf_hit* a, const hf_hit* b) {
    return a->kind == b->kind && a->object == b->object && hf_dot(a->normal, b->normal) > 0.9 &&
           fabs(a->distance - b->distance) < 0.05 * a->distance;
}

/* The sample whose surface has the largest share of the pixel, -1 when there is nothing to light. */
static int main_sample(const sample* samples, int count) {
    float best = 0;
    int main = -1;
    for (int i = 0; i < count; i++) {
        float share = 0;
        for (int k = 0; k < count && !samples[i].plain; k++)
            if (!samples[k].plain && same_surface(&samples[i].hit, &samples[k].hit))
                share += samples[k].share;
        if (share > best + 1e-6f) best = share, main = i;
    }
    return main;
}

/* The main surface is left for the filter, the others are lit now. */
static void merge_samples(const job* j, const sample* samples, int x, int y, pixel* p) {
    int main = main_sample(samples, j->samples), members = 0, looks = 0;
    if (main < 0) return;
    const hf_hit* m = &samples[main].hit;
    hf_vec3 normal = hf_v3(0, 0, 0);
    for (int i = 0; i < j->samples; i++) {
        const sample* a = &samples[i];
        if (a->plain) continue;
        /* One ray would be too coarse for the sky of a sliver: it is dimmed like the main surface. */
        p->sky = hf_colour_add(p->sky, hf_colour_scale(a->sky, a->share));
        if (!same_surface(m, &a->hit)) {
            float key = key_visibility(j, &a->hit, direction_of(x, y, i % j->looks));
            p->rest = hf_colour_add(p->rest, hf_colour_scale(a->key, a->share * key));
            continue;
        }
        p->key = hf_colour_add(p->key, hf_colour_scale(a->key, a->share));
        normal = hf_add(normal, a->hit.normal);
        if (members++ % 2) continue;
        int direction = direction_of(x, y, looks++);
        p->sky_seen += sky_visibility(j, &a->hit, direction);
        p->key_seen += key_visibility(j, &a->hit, direction);
    }
    p->sky_seen /= (float)looks, p->key_seen /= (float)looks;
    normal = hf_normalize(normal);
    p->kind = (int)m->kind, p->object = m->object, p->distance = (float)m->distance;
    p->normal[0] = (float)normal.x, p->normal[1] = (float)normal.y, p->normal[2] = (float)normal.z;
}

/* Where ray `i` of a strip goes: samples stand in each pixel like rooks on a board. */
static hf_vec3 strip_ray(const job* j, int x, int y, int s, double* screen_y) {
    int n = j->root, a = s % n, b = s / n;
    double px = x + (a + (b + 0.5) / n) / n, py = y + (b + (n - 1 - a + 0.5) / n) / n;
    *screen_y = 1 - 2 * py / j->height;
    return hf_camera_ray(&j->stage->camera, 2 * px / j->width - 1, *screen_y);
}

static void shade_strip(void* context, int index, int worker) {
    (void)worker;
    const job* j = context;
    int strips = (j->width + STRIP - 1) / STRIP;
    int row = index / strips, x0 = index % strips * STRIP, y = j->first + row;
    int width = j->width - x0 < STRIP ? j->width - x0 : STRIP, rays = width * j->samples;
    sample samples[MAX_SAMPLES];
    hf_vec3 d[8];
    double screen_y[8];
    hf_hit hits[8];
    for (int i = 0; i < rays; i++) {
        int lane = i % 8, s = i % j->samples, x = x0 + i / j->samples;
        /* Eight rays at a time, the last ones repeated to fill up. */
        if (lane == 0) {
            for (int k = 0; k < 8; k++) {
                int r = i + k < rays ? i + k : rays - 1;
                d[k] = strip_ray(j, x0 + r / j->samples, y, r % j->samples, &screen_y[k]);
            }
            hf_stage_trace(j->stage, d, hits);
        }
        pixel* p = &j->pixels[(size_t)row * (size_t)j->width + (size_t)x];
        if (s == 0) *p = (pixel){0};
        samples[s].hit = hits[lane];
        shade_sample(j, d[lane], screen_y[lane], &samples[s], &p->rest);
        if (s == j->samples - 1) merge_samples(j, samples, x, y, p);
    }
}

/* ---- second pass: visibility over the block ---- */

static bool near_by(const pixel* p, const pixel* q) {
    return p->kind == q->kind && fabsf(p->distance - q->distance) < 0.05f * p->distance;
}

static bool same_plane(const pixel* p, const pixel* q) {
    return p->object == q->object &&
           p->normal[0] * q->normal[0] + p->normal[1] * q->normal[1] + p->normal[2] * q->normal[2] > 0.85f;
}

/* Mean visibilities over the same surface, or where that is only a sliver, over all that is as near: of the
   key light over one block, of the sky, which varies slowly, over two by two of them. */
static void filter_pixel(const job* j, int x, int y, float* sky, float* key) {
    const pixel* p = &j->pixels[(size_t)y * (size_t)j->width + (size_t)x];
    float skies[2] = {0, 0}, keys[2] = {0, 0};
    int sky_count[2] = {0, 0}, key_count[2] = {0, 0};
    for (int dy = -RIM; dy < RIM; dy++) {
        for (int dx = -RIM; dx < RIM; dx++) {
            int qx = x + dx, qy = y + dy;
            if (qx < 0 || qx >= j->width || qy < 0 || qy >= j->rows) continue;
            const pixel* q = &j->pixels[(size_t)qy * (size_t)j->width + (size_t)qx];
            if (!near_by(p, q)) continue;
            bool in_block = dx >= -BLOCK / 2 && dx < BLOCK / 2 && dy >= -BLOCK / 2 && dy < BLOCK / 2;
            for (int wide = same_plane(p, q) ? 0 : 1; wide < 2; wide++) {
                skies[wide] += q->sky_seen, sky_count[wide]++;
                if (in_block) keys[wide] += q->key_seen, key_count[wide]++;
            }
        }
    }
    int sliver = key_count[0] < 6 ? 1 : 0;
    *sky = skies[sliver] / (float)sky_count[sliver];
    *key = keys[sliver] / (float)key_count[sliver];
}

static void filter_row(void* context, int index, int worker) {
    (void)worker;
    const job* j = context;
    int y = j->out_first + index - j->first;
    for (int x = 0; x < j->width; x++) {
        const pixel* p = &j->pixels[(size_t)y * (size_t)j->width + (size_t)x];
        hf_colour c = p->rest;
        if (p->kind != HF_LAYER_NONE) {
            float sky, key;
            filter_pixel(j, x, y, &sky, &key);
            c = hf_colour_add(c, light(p->sky, sky, p->key, key));
        }
        j->out[(size_t)index * (size_t)j->width + (size_t)x] = c;
    }
}

hf_status hf_shade(const hf_stage* stage, int width, int height, int first, int count, int samples,
                   int threads, hf_colour* out) {
    int low = first - RIM > 0 ? first - RIM : 0;
    int high = first + count + RIM < height ? first + count + RIM : height;
    job j = {.stage = stage,
             .width = width,
             .height = height,
             .samples = samples,
             .first = low,
             .rows = high - low,
             .out_first = first,
             .out = out};
    for (j.root = 1; j.root * j.root < samples;) j.root++;
    j.looks = (samples + 1) / 2;
    fill_directions(&j);
    j.pixels = hf_alloc((size_t)width * (size_t)j.rows, sizeof *j.pixels);
    if (!j.pixels) return HF_ERROR_MEMORY;
    hf_parallel(threads, (width + STRIP - 1) / STRIP * j.rows, shade_strip, &j);
    hf_parallel(threads, count, filter_row, &j);
    hf_free(j.pixels);
    return HF_OK;
}
