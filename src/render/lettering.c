/* A font of 5 x 7 dots. */
#include "render/lettering.h"

#include <stddef.h>

enum { ROWS = 7, COLUMNS = 5, ADVANCE = 6 };

typedef struct glyph {
    char letter;
    uint8_t rows[ROWS]; /* top down, bit 4 is the left dot */
} glyph;

static const glyph font[] = {
    {' ', {0, 0, 0, 0, 0, 0, 0}},        {'0', {14, 17, 17, 17, 17, 17, 14}},
    {'1', {4, 12, 4, 4, 4, 4, 14}},      {'2', {14, 17, 1, 6, 8, 16, 31}},
    {'3', {14, 17, 1, 6, 1, 17, 14}},    {'4', {2, 6, 10, 18, 31, 2, 2}},
    {'5', {31, 16, 30, 1, 1, 17, 14}},   {'6', {6, 8, 16, 30, 17, 17, 14}},
    {'7', {31, 1, 2, 4, 4, 8, 8}},       {'8', {14, 17, 17, 14, 17, 17, 14}},
    {'9', {14, 17, 17, 15, 1, 2, 12}},   {'A', {14, 17, 17, 31, 17, 17, 17}},
    {'B', {30, 17, 17, 30, 17, 17, 30}}, {'C', {14, 17, 16, 16, 16, 17, 14}},
    {'D', {28, 18, 17, 17, 17, 18, 28}}, {'E', {31, 16, 16, 30, 16, 16, 31}},
    {'F', {31, 16, 16, 30, 16, 16, 16}}, {'G', {14, 17, 16, 23, 17, 17, 15}},
    {'H', {17, 17, 17, 31, 17, 17, 17}}, {'I', {14, 4, 4, 4, 4, 4, 14}},
    {'J', {7, 2, 2, 2, 2, 18, 12}},      {'K', {17, 18, 20, 24, 20, 18, 17}},
    {'L', {16, 16, 16, 16, 16, 16, 31}}, {'M', {17, 27, 21, 21, 17, 17, 17}},
    {'N', {17, 25, 21, 19, 17, 17, 17}}, {'O', {14, 17, 17, 17, 17, 17, 14}},
    {'P', {30, 17, 17, 30, 16, 16, 16}}, {'Q', {14, 17, 17, 17, 21, 18, 13}},
    {'R', {30, 17, 17, 30, 20, 18, 17}}, {'S', {15, 16, 16, 14, 1, 1, 30}},
    {'T', {31, 4, 4, 4, 4, 4, 4}},       {'U', {17, 17, 17, 17, 17, 17, 14}},
    {'V', {17, 17, 17, 17, 17, 10, 4}},  {'W', {17, 17, 17, 21, 21, 27, 17}},
    {'X', {17, 17, 10, 4, 10, 17, 17}},  {'Y', {17, 17, 10, 4, 4, 4, 4}},
    {'Z', {31, 1, 2, 4, 8, 16, 31}},     {'.', {0, 0, 0, 0, 0, 12, 12}},
    {',', {0, 0, 0, 0, 12, 4, 8}},       {':', {0, 12, 12, 0, 12, 12, 0}},
    {'-', {0, 0, 0, 14, 0, 0, 0}},       {'_', {0, 0, 0, 0, 0, 0, 31}},
    {'+', {0, 4, 4, 31, 4, 4, 0}},       {'=', {0, 0, 31, 0, 31, 0, 0}},
    {'/', {1, 1, 2, 4, 8, 16, 16}},      {'(', {2, 4, 8, 8, 8, 4, 2}},
    {')', {8, 4, 2, 2, 2, 4, 8}},        {'%', {25, 25, 2, 4, 8, 19, 19}},
    {'#', {10, 10, 31, 10, 31, 10, 10}}, {'!', {4, 4, 4, 4, 4, 0, 4}},
    {'?', {14, 17, 1, 2, 4, 0, 4}},      {'\'', {4, 4, 8, 0, 0, 0, 0}},
};

static const uint8_t* rows_of(char c) {
    static const uint8_t box[ROWS] = {31, 17, 17, 17, 17, 17, 31};
    if (c >= 'a' && c <= 'z') c = (char)(c - 'a' + 'A');
    for (size_t i = 0; i < sizeof font / sizeof *font; i++)
        if (font[i].letter == c) return font[i].rows;
    return box;
}

static void fill(uint8_t* rgb, int width, int height, int x, int y, int size, const uint8_t colour[3]) {
    for (int py = y; py < y + size; py++)
        for (int px = x; px < x + size; px++) {
            if (px < 0 || py < 0 || px >= width || py >= height) continue;
            uint8_t* p = rgb + 3 * ((size_t)py * (size_t)width + (size_t)px);
            p[0] = colour[0], p[1] = colour[1], p[2] = colour[2];
        }
}

void hf_lettering(uint8_t* rgb, int width, int height, int x, int y, int scale, const char* text,
                  const uint8_t colour[3]) {
    for (; *text && x < width; text++, x += ADVANCE * scale) {
        const uint8_t* rows = rows_of(*text);
        for (int r = 0; r < ROWS; r++)
            for (int c = 0; c < COLUMNS; c++)
                if (rows[r] >> (COLUMNS - 1 - c) & 1)
                    fill(rgb, width, height, x + c * scale, y + r * scale, scale, colour);
    }
}

int hf_lettering_width(const char* text, int scale) {
    int n = 0;
    while (text[n] && n < 1000) n++;
    return n * ADVANCE * scale;
}
