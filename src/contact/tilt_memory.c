#include "contact/tilt_memory.h"

void hf_tilt_memory_clear(hf_tilt_memory* m, double turn_m) { m->turn_m = turn_m, m->count = 0; }

void hf_tilt_memory_add(hf_tilt_memory* m, const hf_surface* surface, double position_error_m,
                        double angle_error_rad) {
    m->places[m->count++ % HF_TILT_PLACES] =
        (hf_tilted_place){.point = surface->point,
                          .normal = surface->normal,
                          .off_m = position_error_m + m->turn_m * angle_error_rad,
                          .passed = 1};
}

bool hf_tilt_memory_skips(hf_tilt_memory* m, const hf_surface* surface) {
    int count = m->count < HF_TILT_PLACES ? m->count : HF_TILT_PLACES;
    bool skips = false;
    for (int i = 0; i < count; i++) {
        hf_tilted_place* p = &m->places[i];
        double way = hf_distance(p->point, surface->point);
        if (way + m->turn_m * hf_distance(p->normal, surface->normal) >= p->off_m) continue;
        p->passed++;
        skips |= (p->passed & (p->passed - 1)) != 0;
    }
    return skips;
}
