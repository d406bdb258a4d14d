/* Flat drawing on a picture's bytes. */
#include "render/board.h"

#include "render/lettering.h"

void hf_board_paint(hf_picture* page, int x, int y, int width, int height, uint32_t hex) {
    int x0 = x < 0 ? 0 : x, x1 = x + width < page->width ? x + width : page->width;
    int y0 = y < 0 ? 0 : y, y1 = y + height < page->height ? y + height : page->height;
    for (int py = y0; py < y1; py++)
        for (int px = x0; px < x1; px++) {
            uint8_t* p = page->rgb + 3 * ((size_t)py * (size_t)page->width + (size_t)px);
            p[0] = (uint8_t)(hex >> 16), p[1] = (uint8_t)(hex >> 8), p[2] = (uint8_t)hex;
        }
}

void hf_board_dot(hf_picture* page, int x, int y, uint32_t hex, double cover) {
    if (x < 0 || y < 0 || x >= page->width || y >= page->height || !(cover > 0)) return;
    uint8_t* p = page->rgb + 3 * ((size_t)y * (size_t)page->width + (size_t)x);
    uint32_t now = (uint32_t)p[0] << 16 | (uint32_t)p[1] << 8 | p[2];
    uint32_t to = hf_board_mix(now, hex, cover < 1 ? cover : 1);
    p[0] = (uint8_t)(to >> 16), p[1] = (uint8_t)(to >> 8), p[2] = (uint8_t)to;
}

void hf_board_text(hf_picture* page, int x, int y, int dot, const char* text, uint32_t hex) {
    const uint8_t colour[3] = {(uint8_t)(hex >> 16), (uint8_t)(hex >> 8), (uint8_t)hex};
    hf_lettering(page->rgb, page->width, page->height, x, y, dot, text, colour);
}

int hf_board_text_width(const char* text, int dot) {
    return text[0] ? hf_lettering_width(text, dot) - dot : 0;
}

uint32_t hf_board_mix(uint32_t a, uint32_t b, double share) {
    uint32_t out = 0;
    for (int shift = 16; shift >= 0; shift -= 8) {
        double x = (double)(a >> shift & 255), y = (double)(b >> shift & 255);
        out |= (uint32_t)(x + share * (y - x) + 0.5) << shift;
    }
    return out;
}
