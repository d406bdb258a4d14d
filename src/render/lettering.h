/* Small text on pictures: a font of 5 x 7 dots. */
#ifndef HF_RENDER_LETTERING_H
#define HF_RENDER_LETTERING_H

#include <stdint.h>

/* Writes text with its upper left corner at (x, y), each dot `scale` pixels wide; what falls outside is left
   out. Unknown characters are boxes. */
void hf_lettering(uint8_t* rgb, int width, int height, int x, int y, int scale, const char* text,
                  const uint8_t colour[3]);
/* Width in pixels. */
int hf_lettering_width(const char* text, int scale);

#endif
