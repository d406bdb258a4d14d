/* Flat drawing for timelines and plots: areas, text, colours as 0xRRGGBB. */
#ifndef HF_RENDER_BOARD_H
#define HF_RENDER_BOARD_H

#include <holdfast/render.h>

#define HF_BOARD_INK 0x2b323b
#define HF_BOARD_QUIET 0x7b8490
#define HF_BOARD_GRID 0xe4e7eb
#define HF_BOARD_BAND 0xf6f7f9

/* What falls outside the picture is left out. */
void hf_board_paint(hf_picture* page, int x, int y, int width, int height, uint32_t hex);
/* Mixes the colour into one pixel, cover 0 to 1. */
void hf_board_dot(hf_picture* page, int x, int y, uint32_t hex, double cover);
/* Letters whose dots are `dot` pixels wide, their upper left corner at (x, y). */
void hf_board_text(hf_picture* page, int x, int y, int dot, const char* text, uint32_t hex);
/* The last letter's gap does not count. */
int hf_board_text_width(const char* text, int dot);
/* From a (0) to b (1). */
uint32_t hf_board_mix(uint32_t a, uint32_t b, double share);

#endif
