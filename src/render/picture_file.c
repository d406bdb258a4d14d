/* Pictures as PNG files by libpng. */
#include "base/error.h"
#include "base/output.h"

#include <holdfast/render.h>
#include <png.h>
#include <setjmp.h>

static void on_error(png_structp png, png_const_charp message) {
    (void)message;
    png_longjmp(png, 1);
}
static void on_warning(png_structp png, png_const_charp message) { (void)png, (void)message; }

/* libpng leaves by longjmp: nothing here changes between setjmp and that. */
static bool write_png(const hf_picture* picture, png_structp png, png_infop info, FILE* stream) {
    if (setjmp(png_jmpbuf(png))) return false;
    png_init_io(png, stream);
    png_set_IHDR(png, info, (png_uint_32)picture->width, (png_uint_32)picture->height, 8, PNG_COLOR_TYPE_RGB,
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_sRGB(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
    png_write_info(png, info);
    for (int y = 0; y < picture->height; y++)
        png_write_row(png, picture->rgb + 3 * (size_t)y * (size_t)picture->width);
    png_write_end(png, info);
    return true;
}

hf_status hf_picture_save(const hf_picture* picture, const char* path, hf_error* error) {
    HF_REQUIRE(error, picture && path);
    if (!picture->rgb) return hf_fail(error, HF_ERROR_ARGUMENT, path, 0, NULL, "the picture is empty");
    hf_output output;
    hf_status status = hf_output_open(path, &output, error);
    if (status != HF_OK) return status;
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, on_error, on_warning);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    bool written = info && write_png(picture, png, info, output.stream);
    if (png) png_destroy_write_struct(&png, &info);
    status = hf_output_close(&output, written, error);
    // libpng fails where a write does, or for want of memory
    return status == HF_OK && !written ? hf_fail_memory(error, path) : status;
}
