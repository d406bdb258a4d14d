/* Cutting a polygon in space into triangles. */
#ifndef HF_GEOM_POLYGON_H
#define HF_GEOM_POLYGON_H

#include <holdfast/base.h>
#include <holdfast/math.h>

/* More corners than this are refused: the work grows with their square. */
enum { HF_POLYGON_MAX_CORNERS = 10000 };

/* Work memory that serves polygon after polygon. Zero it first; `work` sums up the point tests made and
   may be bounded by the caller over a whole file. */
typedef struct hf_polygon {
    int capacity;
    hf_vec3* points; /* the caller's corners, in order */
    int* triangles;  /* three corner numbers a triangle */
    double* flat;
    int* links;
    signed char* turns;
    int64_t work;
} hf_polygon;

/* Makes room for `count` corners; false when memory is out. */
bool hf_polygon_reserve(hf_polygon* polygon, int count);
void hf_polygon_free(hf_polygon* polygon);
/* Writes count - 2 triangles, turned as the polygon is; concave ones are cut along inner diagonals. Returns
   false where the outline crosses itself and the triangles may overlap. count is at least 3. */
bool hf_polygon_cut(hf_polygon* polygon, int count);

#endif
