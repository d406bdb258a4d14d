#include "base/text.h"
#include "base/memory.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

bool hf_text_ends(const char* text, const char* ending) {
    size_t n = strlen(text), m = strlen(ending);
    return n >= m && strcasecmp(text + n - m, ending) == 0;
}

bool hf_text_has(const char* text, const char* word) { return strcasestr(text, word) != NULL; }

/* Edit distance with swaps of neighbours, rows kept for words up to 63 letters. */
static int edit_distance(const char* a, const char* b) {
    int n = (int)strlen(a), m = (int)strlen(b);
    if (n > 63 || m > 63) return 64;
    int rows[3][64];
    for (int j = 0; j <= m; j++) rows[0][j] = j;
    for (int i = 1; i <= n; i++) {
        int *now = rows[i % 3], *before = rows[(i + 2) % 3], *before2 = rows[(i + 1) % 3];
        now[0] = i;
        for (int j = 1; j <= m; j++) {
            int best = before[j - 1] + (a[i - 1] != b[j - 1]);
            if (before[j] + 1 < best) best = before[j] + 1;
            if (now[j - 1] + 1 < best) best = now[j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && before2[j - 2] + 1 < best)
                best = before2[j - 2] + 1;
            now[j] = best;
        }
    }
    return rows[n % 3][m];
}

/* The one word that begins so; NULL when there is none or more than one. */
static const char* completed(const char* word, const char* const* words, int count) {
    const char* whole = NULL;
    size_t n = strlen(word);
    for (int i = 0; i < count; i++) {
        if (n == 0 || strncmp(word, words[i], n) != 0) continue;
        if (whole) return NULL;
        whole = words[i];
    }
    return whole;
}

const char* hf_nearest_word(const char* word, const char* const* words, int count) {
    const char* best = completed(word, words, count);
    if (best) return best;
    // a third of the letters may be wrong: of half of them anything could be meant
    int best_distance = ((int)strlen(word) + 2) / 3;
    if (best_distance > 4) best_distance = 4;
    for (int i = 0; i < count; i++) {
        int d = edit_distance(word, words[i]);
        if (d <= best_distance && (!best || d < best_distance)) {
            best = words[i];
            best_distance = d;
        }
    }
    return best;
}

size_t hf_path_folder_length(const char* path) {
    const char* slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

const char* hf_path_name(const char* path) { return path + hf_path_folder_length(path); }

char* hf_path_beside(const char* base_file, const char* path) {
    size_t folder = path[0] == '/' ? 0 : hf_path_folder_length(base_file);
    size_t n = strlen(path) + 1;
    char* joined = hf_alloc(folder + n, 1);
    if (!joined) return NULL;
    memcpy(joined, base_file, folder);
    memcpy(joined + folder, path, n);
    return joined;
}

/* Absolute path with "." and ".." removed, without asking the file system for links. */
static char* absolute_path(const char* path) {
    char folder[4096] = "";
    if (path[0] != '/' && !getcwd(folder, sizeof folder - 1)) return NULL;
    size_t n = strlen(folder), m = strlen(path);
    char* out = hf_alloc(n + m + 3, 1);
    char* full = hf_alloc(n + m + 2, 1);
    if (!out || !full) {
        hf_free(out);
        hf_free(full);
        return NULL;
    }
    snprintf(full, n + m + 2, "%s%s%s", folder, path[0] == '/' ? "" : "/", path);
    size_t length = 0;
    for (const char* s = full; *s;) {
        while (*s == '/') s++;
        const char* e = s;
        while (*e && *e != '/') e++;
        size_t k = (size_t)(e - s);
        if (k == 2 && s[0] == '.' && s[1] == '.') {
            while (length && out[length - 1] != '/') length--;
            if (length) length--;
        } else if (k && !(k == 1 && s[0] == '.')) {
            out[length++] = '/';
            memcpy(out + length, s, k);
            length += k;
        }
        s = e;
    }
    out[length] = 0;
    hf_free(full);
    return out;
}

char* hf_path_relative(const char* from_file, const char* target) {
    char *from = absolute_path(from_file), *to = absolute_path(target), *out = NULL;
    if (from && to) {
        /* The common folders end at the last slash where both agree. */
        size_t common = 0;
        for (size_t i = 0; from[i] && from[i] == to[i]; i++)
            if (from[i] == '/') common = i + 1;
        int ups = 0;
        for (const char* s = from + common; *s; s++) ups += *s == '/';
        size_t n = (size_t)ups * 3 + strlen(to + common) + 1;
        out = hf_alloc(n, 1);
        if (out) {
            for (int i = 0; i < ups; i++) memcpy(out + 3 * i, "../", 3);
            strcpy(out + 3 * ups, to + common);
        }
    }
    hf_free(from);
    hf_free(to);
    return out;
}

bool hf_path_exists(const char* path) { return access(path, F_OK) == 0; }

/* The decimal point is the only part of a number that a locale changes, so the digits are gathered
   here: small mantissas and exponents scale exactly, the others go to strtod without a point. Digits
   after the 18th do not count. */
bool hf_parse_double(const char* text, const char* limit, const char** end, double* value) {
    static const double tens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                  1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const char* s = text;
    bool negative = false, digits_seen = false;
    if (s < limit && (*s == '+' || *s == '-')) negative = *s++ == '-';
    uint64_t mantissa = 0;
    int digits = 0, exponent = 0;
    for (bool point = false; s < limit; s++) {
        if (*s == '.' && !point) {
            point = true;
            continue;
        }
        if (*s < '0' || *s > '9') break;
        digits_seen = true;
        if (digits < 18) {
            mantissa = mantissa * 10 + (uint64_t)(*s - '0');
            digits += mantissa != 0;
            exponent -= point;
        } else {
            digits++;
            exponent += !point;
        }
    }
    if (!digits_seen) return false;
    if (s < limit && (*s == 'e' || *s == 'E')) {
        const char* t = s + 1;
        bool minus = false;
        if (t < limit && (*t == '+' || *t == '-')) minus = *t++ == '-';
        if (t < limit && *t >= '0' && *t <= '9') {
            int e = 0;
            for (; t < limit && *t >= '0' && *t <= '9'; t++)
                if (e < 100000) e = e * 10 + (*t - '0');
            exponent += minus ? -e : e;
            s = t;
        }
    }
    *end = s;
    double v;
    if (mantissa == 0) {
        v = 0;
    } else if (mantissa <= (1ull << 53) && exponent >= -22 && exponent <= 22) {
        v = exponent < 0 ? (double)mantissa / tens[-exponent] : (double)mantissa * tens[exponent];
    } else {
        char copy[48];
        snprintf(copy, sizeof copy, "%llue%d", (unsigned long long)mantissa, exponent);
        v = strtod(copy, NULL);
    }
    if (!isfinite(v)) return false;
    *value = negative ? -v : v;
    return true;
}

/* How much of the first `size` bytes is left when no UTF-8 character is cut in two at their end. */
static size_t whole_characters(const char* text, size_t size) {
    size_t start = size;
    while (start > 0 && ((unsigned char)text[start - 1] & 0xc0) == 0x80) start--;
    if (start == 0) return size;
    unsigned char lead = (unsigned char)text[start - 1];
    size_t need = lead < 0xc0 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    return start - 1 + need <= size ? size : start - 1;
}

bool hf_lines_add(hf_lines* lines, const char* format, ...) {
    char text[1024];
    va_list args;
    va_start(args, format);
    if (vsnprintf(text, sizeof text, format, args) >= (int)sizeof text)
        text[whole_characters(text, sizeof text - 1)] = 0;
    va_end(args);
    if (!HF_GROW(lines->items, lines->capacity, lines->count)) return false;
    char* copy = hf_copy_text(text);
    if (!copy) return false;
    lines->items[lines->count++] = copy;
    return true;
}

void hf_lines_free(hf_lines* lines) {
    for (int i = 0; i < lines->count; i++) hf_free(lines->items[i]);
    hf_free(lines->items);
    *lines = (hf_lines){0};
}

void hf_text_list_add(char* text, size_t size, const char* name, int* left) {
    size_t used = strlen(text), length = strlen(name), room = size - used - 1;
    if (used == 0 && length > room) {
        length = whole_characters(name, room);
    } else if (*left > 0 || length + 2 > room) {
        ++*left;
        return;
    }
    snprintf(text + used, size - used, "%s%.*s", used ? ", " : "", (int)length, name);
}

/* Does a part of a body begin here? Words and the short forms of marker sets. */
static bool is_body_part(const char* text) {
    static const char* const parts[] = {"hip",  "kne",   "ank",   "foo",   "toe",   "heel", "thi",  "shin",
                                        "calf", "leg",   "sho",   "elb",   "wri",   "han",  "arm",  "coll",
                                        "clav", "fin",   "thum",  "upleg", "uparm", "fore", "palm", "fem",
                                        "tib",  "upper", "lower", "hum",   "rad"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strncasecmp(text, parts[i], strlen(parts[i])) == 0) return true;
    return false;
}

int hf_name_side(const char* name) {
    const char* space = strrchr(name, ':'); /* a namespace is no part of the body */
    if (space) name = space + 1;
    if (hf_text_has(name, "left")) return 1;
    if (hf_text_has(name, "right")) return -1;
    for (const char* s = name; *s; s++) {
        int letter = tolower((unsigned char)*s);
        bool starts = s == name || !isalnum((unsigned char)s[-1]);
        if ((letter != 'l' && letter != 'r') || !starts) continue;
        bool ends = !isalnum((unsigned char)s[1]) ||
                    (isupper((unsigned char)s[1]) && s[2] && islower((unsigned char)s[2]));
        if (ends || is_body_part(s + 1)) return letter == 'l' ? 1 : -1;
    }
    return 0;
}

void hf_text_free(char* text) { hf_free(text); }
