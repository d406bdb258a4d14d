/* Names a person would give: side, front or hind, arm or leg, from the words in the links' names, else
   from where the limb is and ends. Creatures face +X, so left is +Y. */
#include "model/limb_plan.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>

static const char ARM_WORDS[] = "arm hand gripper manipulator";
static const char ARM_HINTS[] = "wrist elbow shoulder palm clavicle collar humerus";
static const char LEG_WORDS[] = "leg foot feet paw";
static const char LEG_HINTS[] =
    "thigh shin shank calf ankle knee hip femur tibia coxa tarsus trochanter sole";
static const char OTHER_WORDS[] =
    "head neck tail camera sensor antenna antennae wing wheel ear abdomen mandible "
    "trunk spine torso eye jaw lidar laser imu propeller rotor caster fin beak";

/* What an animator pulls, not what moves: pole targets and handles of inverse kinematics. */
static const char HANDLE_WORDS[] = "pole target ctrl control controller handle";

/* Lower-case words of a name: cut at signs, at digits, and where small letters become capitals. */
typedef struct words {
    char text[24][24];
    int count;
} words;

static void split(const char* name, words* out) {
    size_t length = 0;
    out->count = 0;
    for (const char* s = name;; s++) {
        bool letter = isalpha((unsigned char)*s),
             starts = s > name && isupper((unsigned char)*s) && islower((unsigned char)s[-1]);
        if ((!letter || starts) && length > 0 && out->count < 24) {
            out->text[out->count++][length] = 0;
            length = 0;
        }
        if (!*s || out->count == 24) return;
        if (letter && length < 23) out->text[out->count][length++] = (char)tolower((unsigned char)*s);
    }
}

/* Is `word` one of the list's, or does it begin or end with one of three letters or more? */
static bool matches(const char* word, const char* list) {
    size_t n = strlen(word);
    while (*list) {
        size_t m = strcspn(list, " ");
        bool whole = n == m && memcmp(word, list, m) == 0;
        if (whole || (n > m && m >= 3 && (memcmp(word, list, m) == 0 || memcmp(word + n - m, list, m) == 0)))
            return true;
        list += m + (list[m] == ' ');
    }
    return false;
}

bool hf_name_has(const char* name, const char* list) {
    words w;
    split(name, &w);
    for (int i = 0; i < w.count; i++)
        if (matches(w.text[i], list)) return true;
    return false;
}

typedef struct guess {
    int left, right, front, middle, hind; /* votes */
    int arm, leg, other;
    bool handle; /* its first link is none of the body */
    const char* other_word;
    hf_vec3 start, end; /* in the neutral posture */
} guess;

/* What is known of one limb's name. */
typedef struct naming {
    guess guess;
    char plain[96];  /* side and kind */
    char common[96]; /* what its links' names begin with */
} naming;

/* One or two letters that stand for a side. */
static void vote_letters(const char* w, int weight, guess* g) {
    static const struct {
        const char* text;
        int left, front; /* 1 left, -1 right; 1 front, 2 middle, -1 hind */
    } table[] = {{"l", 1, 0},    {"r", -1, 0},   {"lf", 1, 1},   {"fl", 1, 1},   {"rf", -1, 1},
                 {"fr", -1, 1},  {"lh", 1, -1},  {"hl", 1, -1},  {"rl", 1, -1},  {"bl", 1, -1},
                 {"lb", 1, -1},  {"lr", 1, -1},  {"rh", -1, -1}, {"hr", -1, -1}, {"rr", -1, -1},
                 {"br", -1, -1}, {"rb", -1, -1}, {"lm", 1, 2},   {"ml", 1, 2},   {"rm", -1, 2},
                 {"mr", -1, 2}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (strcmp(w, table[i].text) != 0) continue;
        g->left += weight * (table[i].left > 0), g->right += weight * (table[i].left < 0);
        g->front += table[i].front == 1, g->middle += table[i].front == 2, g->hind += table[i].front < 0;
    }
}

/* Letters count most where names begin: "hip_r" may as well be a roll axis. */
static void vote_word(const char* w, bool first, guess* g) {
    vote_letters(w, first ? 3 : 1, g);
    if (strncmp(w, "left", 4) == 0) g->left += 4;
    if (strncmp(w, "right", 5) == 0) g->right += 4;
    if (matches(w, "front fore") && !matches(w, "forearm")) g->front++;
    if (matches(w, "hind rear back")) g->hind++;
    if (matches(w, "middle mid")) g->middle++;
    /* "larm", "rleg": a letter before a part's name. */
    if ((w[0] == 'l' || w[0] == 'r') && strlen(w) > 3 && !matches(w, "left right leg") &&
        (matches(w + 1, ARM_WORDS) || matches(w + 1, LEG_WORDS) || matches(w + 1, ARM_HINTS) ||
         matches(w + 1, LEG_HINTS)))
        g->left += 4 * (w[0] == 'l'), g->right += 4 * (w[0] == 'r');
    g->arm += matches(w, ARM_WORDS) ? 3 : matches(w, ARM_HINTS);
    g->leg += matches(w, LEG_WORDS) ? 3 : matches(w, LEG_HINTS);
    if (matches(w, OTHER_WORDS) && !matches(w, "rear")) { /* which is no ear */
        if (!g->other_word) {
            const char* list = OTHER_WORDS;
            while (*list && !g->other_word) {
                char one[24] = "";
                size_t m = strcspn(list, " ");
                memcpy(one, list, m);
                if (matches(w, one)) g->other_word = list;
                list += m + (list[m] == ' ');
            }
        }
        g->other += 2;
    }
}

static void read_names(const hf_build* b, const hf_limb_plan* limb, guess* g) {
    words w;
    for (int l = limb->effector; l >= limb->root && l > 0; l = b->links[l].parent_link) {
        const char* names[2] = {b->links[l].name, b->joints[b->links[l].joint].name};
        for (int k = 0; k < 2; k++) {
            split(names[k], &w);
            for (int i = 0; i < w.count; i++) {
                /* "LeftForeArm" is no arm in front. */
                bool fore_arm =
                    strcmp(w.text[i], "fore") == 0 && i + 1 < w.count && matches(w.text[i + 1], "arm");
                if (!fore_arm) vote_word(w.text[i], i == 0, g);
            }
        }
    }
    split(b->links[limb->root].name, &w);
    for (int i = 0; i < w.count; i++)
        g->handle = g->handle || strcmp(w.text[i], "ik") == 0 || matches(w.text[i], HANDLE_WORDS);
    g->start = b->neutral_links[limb->root].position;
    g->end = b->neutral_links[limb->effector].position;
}

/* Another limb lies where this one's mirror image does. */
static bool has_twin(const naming* all, int count, int index, double size) {
    const guess* g = &all[index].guess;
    for (int k = 0; k < count; k++) {
        const guess* o = &all[k].guess;
        hf_vec3 start = hf_v3(o->start.x, -o->start.y, o->start.z);
        hf_vec3 end = hf_v3(o->end.x, -o->end.y, o->end.z);
        if (k != index && hf_distance(start, g->start) < 0.1 * size && hf_distance(end, g->end) < 0.2 * size)
            return true;
    }
    return false;
}

/* The largest distance between starts, between ends, and from start to end. */
static double limb_size(const naming* all, int count) {
    double size = 0;
    for (int i = 0; i < count; i++) {
        const guess* a = &all[i].guess;
        size = fmax(size, hf_distance(a->start, a->end));
        for (int k = 0; k < i; k++) {
            const guess* c = &all[k].guess;
            size = fmax(size, fmax(hf_distance(a->start, c->start), hf_distance(a->end, c->end)));
        }
    }
    return size;
}

/* The "arms" of an animal's skeleton stand on the ground as its legs do: they end in the lowest tenth, beside
   limbs that are legs by name. */
static bool stands(const hf_limb_plans* plans, const naming* all, int index, double low, double high) {
    const guess* g = &all[index].guess;
    int legs = 0;
    for (int i = 0; i < plans->count; i++)
        legs += all[i].guess.leg >= 3 && all[i].guess.leg >= all[i].guess.arm;
    return legs >= 2 && g->end.z < low + 0.1 * (high - low) && g->end.z < g->start.z;
}

/* Where nothing is a leg by name or ends low, as on a robot whose legs are stretched out level in the neutral
   posture, three limbs or more that no name calls arms are legs. */
static void find_level_legs(hf_limb_plans* plans, const naming* all) {
    int legs = 0, silent = 0;
    for (int i = 0; i < plans->count; i++) {
        legs += plans->items[i].kind == HF_LIMB_LEG;
        silent += plans->items[i].kind == HF_LIMB_ARM && all[i].guess.arm == 0;
    }
    for (int i = 0; i < plans->count && legs == 0 && silent >= 3; i++)
        if (plans->items[i].kind == HF_LIMB_ARM && all[i].guess.arm == 0)
            plans->items[i].kind = HF_LIMB_LEG, plans->items[i].grip = false;
}

/* Arm or leg by name; where names are silent, what ends in the lowest quarter is a leg. */
static void decide_kinds(hf_limb_plans* plans, naming* all) {
    double low = INFINITY, high = -INFINITY;
    int twins = 0;
    double size = limb_size(all, plans->count);
    for (int i = 0; i < plans->count; i++) {
        const guess* g = &all[i].guess;
        low = fmin(low, fmin(g->start.z, g->end.z));
        high = fmax(high, fmax(g->start.z, g->end.z));
        twins += has_twin(all, plans->count, i, size);
    }
    for (int i = 0; i < plans->count; i++) {
        guess* g = &all[i].guess;
        hf_limb_plan* limb = &plans->items[i];
        bool ends_low = plans->count > 1 && g->end.z < low + 0.25 * (high - low) && g->end.z < g->start.z;
        bool sided = g->left != g->right;
        bool twin = has_twin(all, plans->count, i, size);
        if (g->handle)
            limb->kind = HF_LIMB_OTHER;
        else if (g->arm >= 3 || g->leg >= 3)
            limb->kind = g->leg >= g->arm || stands(plans, all, i, low, high) ? HF_LIMB_LEG : HF_LIMB_ARM;
        else if (g->other > g->arm + g->leg)
            limb->kind = HF_LIMB_OTHER;
        else if (plans->count > 2 && twins >= 2 && !twin && !sided && g->arm + g->leg == 0)
            limb->kind = HF_LIMB_OTHER; /* alone in the middle while others come in pairs */
        else
            limb->kind = ends_low ? HF_LIMB_LEG : HF_LIMB_ARM;
        limb->use = limb->kind != HF_LIMB_OTHER;
        limb->grip &= limb->kind == HF_LIMB_ARM; /* eyes and toes hold nothing */
        /* Sides by place where names do not say. */
        if (!sided && twin && fabs(g->start.y + g->end.y) > 0.02 * size)
            g->left += g->start.y + g->end.y > 0, g->right += g->start.y + g->end.y < 0;
    }
    find_level_legs(plans, all);
}

static void write_name(const hf_limb_plan* limb, const guess* g, char* text, size_t size) {
    const char* depth = g->front > g->hind && g->front >= g->middle  ? "front_"
                        : g->hind > g->front && g->hind >= g->middle ? "hind_"
                        : g->middle > 0                              ? "middle_"
                                                                     : "";
    const char* side = g->left > g->right ? "left_" : g->right > g->left ? "right_" : "";
    const char* kind = limb->kind == HF_LIMB_ARM ? "arm" : limb->kind == HF_LIMB_LEG ? "leg" : NULL;
    if (kind)
        snprintf(text, size, "%s%s%s", depth, side, kind);
    else if (g->other_word)
        snprintf(text, size, "%s%.*s", side, (int)strcspn(g->other_word, " "), g->other_word);
    else
        snprintf(text, size, "%sbranch", side);
}

/* What the names of a limb's moving links begin with, if it says anything. */
static void common_start(const hf_build* b, const hf_limb_plan* limb, char* text, size_t size) {
    snprintf(text, size, "%s", b->links[limb->root].name);
    int links = 1;
    for (int l = limb->effector; l > limb->root; l = b->links[l].parent_link, links++) {
        size_t n = 0;
        while (text[n] && text[n] == b->links[l].name[n]) n++;
        text[n] = 0;
    }
    size_t n = strlen(text);
    while (n > 0 && !isalnum((unsigned char)text[n - 1])) text[--n] = 0;
    if (links == 1 || n < 2) text[0] = 0;
}

static bool same_plain(const naming* a, const naming* b) { return strcmp(a->plain, b->plain) == 0; }

/* Limbs that share a plain name: by what their links have in common if that tells them all apart, else by
   their place from front to back. */
static void choose_name(const naming* all, int count, int index, char* text, size_t size) {
    const naming* one = &all[index];
    int same = 0, before = 0;
    bool apart = true;
    for (int i = 0; i < count; i++) {
        if (!same_plain(&all[i], one)) continue;
        double ahead = all[i].guess.start.x - one->guess.start.x;
        same++;
        before += ahead > 0 || (ahead == 0 && i < index);
        apart &= all[i].common[0] != 0;
        for (int k = 0; k < i && apart; k++)
            apart = !same_plain(&all[k], one) || strcmp(all[k].common, all[i].common) != 0;
    }
    static const char* const pair[] = {"front", "hind"};
    static const char* const triple[] = {"front", "middle", "hind"};
    const guess* g = &one->guess;
    bool placed = g->left != g->right && g->front + g->middle + g->hind == 0;
    if (same == 1)
        snprintf(text, size, "%s", one->plain);
    else if (apart)
        snprintf(text, size, "%s", one->common);
    else if (placed && (same == 2 || same == 3))
        snprintf(text, size, "%s_%s", same == 2 ? pair[before] : triple[before], one->plain);
    else
        snprintf(text, size, "%s_%d", one->plain, before + 1);
}

static bool taken(const hf_limb_plans* plans, int count, const char* name) {
    for (int i = 0; i < count; i++)
        if (strcmp(plans->items[i].name, name) == 0) return true;
    return false;
}

/* Where legs that are called front and hind, else left and right, say that the creature looks, as a quarter
   turn from +X: robots' axes are seldom askew. */
static double facing_of(const hf_limb_plans* plans, const naming* all) {
    hf_vec3 ahead = {0}, aside = {0};
    int front = 0, hind = 0, left = 0, right = 0;
    for (int i = 0; i < plans->count; i++) {
        const guess* g = &all[i].guess;
        if (plans->items[i].kind != HF_LIMB_LEG) continue;
        int depth = g->middle > 0 ? 0 : (g->front > g->hind) - (g->hind > g->front);
        int side = (g->left > g->right) - (g->right > g->left);
        ahead = hf_add(ahead, hf_scale(g->start, depth)), aside = hf_add(aside, hf_scale(g->start, side));
        front += depth > 0, hind += depth<0, left += side> 0, right += side < 0;
    }
    if (front != hind || front == 0) {
        if (left != right || left == 0) return 0;
        ahead = hf_v3(aside.y, -aside.x, 0);
    }
    return hf_hypot(ahead.x, ahead.y) > 0 ? M_PI / 2 * round(hf_atan2(ahead.y, ahead.x) / (M_PI / 2)) : 0;
}

hf_status hf_limbs_name(hf_build* b, hf_limb_plans* plans) {
    naming* all = hf_build_scratch(b, (size_t)plans->count, sizeof *all);
    if (!all) return hf_build_fail_memory(b);
    for (int i = 0; i < plans->count; i++) read_names(b, &plans->items[i], &all[i].guess);
    decide_kinds(plans, all);
    b->creature->view.facing = facing_of(plans, all);
    for (int i = 0; i < plans->count; i++) {
        write_name(&plans->items[i], &all[i].guess, all[i].plain, sizeof all[i].plain);
        common_start(b, &plans->items[i], all[i].common, sizeof all[i].common);
    }
    for (int i = 0; i < plans->count; i++) {
        char name[110], text[128];
        choose_name(all, plans->count, i, name, sizeof name);
        snprintf(text, sizeof text, "%s", name);
        for (int n = 2; taken(plans, i, text); n++) snprintf(text, sizeof text, "%s_%d", name, n);
        plans->items[i].name = hf_arena_text(&b->creature->arena, text);
        if (!plans->items[i].name) return hf_build_fail_memory(b);
    }
    return HF_OK;
}
