/* SRDF: groups, end effectors, disabled pairs, group states. What names links or joints that the URDF does
   not have is noted and left out when the creature is built. */
#include "io/creature_reader.h"
#include "base/error.h"
#include "io/xml.h"

#include <stdio.h>

typedef enum place { ROBOT = 1, GROUP, STATE, GRIPPER, LEAF } place;

typedef struct srdf_reader {
    hf_xml xml;
    hf_creature_draft* draft;
    char field[160];
    int value_capacity; /* of the state being read, whose values live in `values` until it ends */
    hf_draft_value* values;
    int value_count;
} srdf_reader;

static char* keep(srdf_reader* r, const char* text) {
    char* copy = text ? hf_arena_text(&r->draft->arena, text) : NULL;
    if (text && !copy) hf_xml_fail_memory(&r->xml);
    return copy;
}

static bool few(srdf_reader* r, int count, int most) {
    if (count >= most) hf_xml_fail(&r->xml, HF_ERROR_LIMIT, NULL, "more than %d elements of one kind", most);
    return r->xml.status == HF_OK;
}

static bool grown(srdf_reader* r, bool done) {
    if (!done) hf_xml_fail_memory(&r->xml);
    return done;
}

/* One more item in a list of the draft, if there are fewer than is accepted. */
#define ADD(r, list, most)                                                                                   \
    (few(r, (r)->draft->list##_count, most) && grown(r, HF_DRAFT_ADD((r)->draft, list)))

static int start_group(srdf_reader* r, const char** attributes) {
    const char* name = hf_xml_required(&r->xml, NULL, "group", attributes, "name");
    if (!name) return HF_XML_SKIP;
    snprintf(r->field, sizeof r->field, "group \"%.120s\"", name);
    if (!ADD(r, groups, HF_MAX_GROUPS)) return HF_XML_SKIP;
    r->draft->groups[r->draft->groups_count - 1] = keep(r, name);
    return GROUP;
}

static int start_in_group(srdf_reader* r, const char* element, const char** attributes) {
    hf_draft_member m = {.group = r->draft->groups_count - 1};
    if (strcmp(element, "joint") == 0 || strcmp(element, "passive_joint") == 0) {
        m.kind = HF_MEMBER_JOINT;
        m.a = keep(r, hf_xml_required(&r->xml, r->field, element, attributes, "name"));
    } else if (strcmp(element, "link") == 0) {
        m.kind = HF_MEMBER_LINK;
        m.a = keep(r, hf_xml_required(&r->xml, r->field, element, attributes, "name"));
    } else if (strcmp(element, "group") == 0) {
        m.kind = HF_MEMBER_GROUP;
        m.a = keep(r, hf_xml_required(&r->xml, r->field, element, attributes, "name"));
    } else if (strcmp(element, "chain") == 0) {
        m.kind = HF_MEMBER_CHAIN;
        m.a = keep(r, hf_xml_required(&r->xml, r->field, element, attributes, "base_link"));
        m.b = keep(r, hf_xml_required(&r->xml, r->field, element, attributes, "tip_link"));
    } else {
        return HF_XML_SKIP;
    }
    if (r->xml.status == HF_OK && ADD(r, members, 16 * HF_MAX_GROUPS))
        r->draft->members[r->draft->members_count - 1] = m;
    return LEAF;
}

static int add_tip(srdf_reader* r, const char* name, const char* link, const char* group) {
    if (ADD(r, tips, HF_MAX_GROUPS)) {
        hf_draft_tip* tip = &r->draft->tips[r->draft->tips_count - 1];
        tip->name = keep(r, name);
        tip->link = keep(r, link);
        tip->group = keep(r, group);
    }
    return LEAF;
}

static int start_end_effector(srdf_reader* r, const char** attributes) {
    const char* name = hf_xml_required(&r->xml, NULL, "end_effector", attributes, "name");
    const char* link = hf_xml_required(&r->xml, NULL, "end_effector", attributes, "parent_link");
    return r->xml.status == HF_OK ? add_tip(r, name, link, hf_xml_attribute(attributes, "group"))
                                  : HF_XML_SKIP;
}

static int start_pair(srdf_reader* r, const char** attributes) {
    const char* one = hf_xml_required(&r->xml, NULL, "disable_collisions", attributes, "link1");
    const char* two = hf_xml_required(&r->xml, NULL, "disable_collisions", attributes, "link2");
    if (r->xml.status == HF_OK && ADD(r, disabled, HF_MAX_PAIRS)) {
        hf_draft_pair* pair = &r->draft->disabled[r->draft->disabled_count - 1];
        pair->a = keep(r, one);
        pair->b = keep(r, two);
    }
    return LEAF;
}

static int start_state(srdf_reader* r, const char** attributes) {
    const char* name = hf_xml_required(&r->xml, NULL, "group_state", attributes, "name");
    if (!name) return HF_XML_SKIP;
    snprintf(r->field, sizeof r->field, "group_state \"%.120s\"", name);
    const char* group = hf_xml_attribute(attributes, "group");
    if (!ADD(r, states, HF_MAX_GROUPS)) return HF_XML_SKIP;
    hf_draft_state* state = &r->draft->states[r->draft->states_count - 1];
    state->name = keep(r, name);
    state->group = keep(r, group ? group : "");
    r->value_count = 0;
    return STATE;
}

/* A joint's value, or the several of a floating or planar one. */
static int start_in_state(srdf_reader* r, const char* element, const char** attributes) {
    if (strcmp(element, "joint") != 0) return HF_XML_SKIP;
    const char* name = hf_xml_required(&r->xml, r->field, element, attributes, "name");
    const char* text = hf_xml_required(&r->xml, r->field, element, attributes, "value");
    if (r->xml.status != HF_OK) return HF_XML_SKIP;
    if (!few(r, r->value_count, HF_MAX_LINKS) ||
        !grown(r, HF_GROW(r->values, r->value_capacity, r->value_count)))
        return HF_XML_SKIP;
    hf_draft_value* v = &r->values[r->value_count++];
    *v = (hf_draft_value){.joint = keep(r, name)};
    v->count = hf_text_numbers(text, 7, v->values);
    if (v->count < 1)
        hf_xml_fail(&r->xml, HF_ERROR_FORMAT, r->field,
                    "joint \"%.100s\": \"value\" is \"%.80s\", numbers are expected", name, text);
    return LEAF;
}

static void end_state(srdf_reader* r) {
    hf_draft_state* state = &r->draft->states[r->draft->states_count - 1];
    state->values = hf_arena_copy(&r->draft->arena, r->values, (size_t)r->value_count, sizeof *r->values);
    if (!state->values) {
        hf_xml_fail_memory(&r->xml);
        return;
    }
    state->value_count = r->value_count;
}

static int start_in_robot(srdf_reader* r, const char* element, const char** attributes) {
    if (strcmp(element, "group") == 0) return start_group(r, attributes);
    if (strcmp(element, "group_state") == 0) return start_state(r, attributes);
    if (strcmp(element, "end_effector") == 0) return start_end_effector(r, attributes);
    if (strcmp(element, "disable_collisions") == 0) return start_pair(r, attributes);
    if (strcmp(element, "gripper") == 0) {
        const char* name = hf_xml_attribute(attributes, "name");
        snprintf(r->field, sizeof r->field, "%.120s", name && *name ? name : "gripper");
        return GRIPPER;
    }
    return HF_XML_SKIP;
}

static int start(hf_xml* xml, int at, const char* element, const char** attributes) {
    srdf_reader* r = xml->context;
    switch ((place)at) {
    case ROBOT:
        return start_in_robot(r, element, attributes);
    case GROUP:
        return start_in_group(r, element, attributes);
    case STATE:
        return start_in_state(r, element, attributes);
    case GRIPPER: {
        const char* link = strcmp(element, "link") == 0 ? hf_xml_attribute(attributes, "name") : NULL;
        return link && *link ? add_tip(r, r->field, link, NULL) : HF_XML_SKIP;
    }
    case LEAF:
        return HF_XML_SKIP;
    }
    if (strcmp(element, "robot") == 0) return ROBOT;
    hf_xml_fail(xml, HF_ERROR_FORMAT, NULL, "the outer element is <%.60s>, <robot> is expected", element);
    return HF_XML_SKIP;
}

static void end(hf_xml* xml, int at) {
    if (at == STATE) end_state(xml->context);
}

hf_status hf_srdf_read(const char* path, hf_creature_draft* draft, hf_error* error) {
    srdf_reader r = {.draft = draft};
    r.xml = (hf_xml){.file = path, .error = error, .context = &r, .start = start, .end = end};
    hf_status status = hf_xml_read(&r.xml);
    hf_free(r.values);
    if (status != HF_OK) return status;
    draft->srdf_path = hf_arena_text(&draft->arena, path);
    return draft->srdf_path ? HF_OK : hf_fail_memory(error, path);
}

/* Reads `folder`/`stem`.srdf, seen from the URDF, if there is one and none was read before. */
static hf_status read_if_there(const char* urdf_path, const char* folder, const char* stem, int length,
                               hf_creature_draft* draft, hf_error* error) {
    char relative[600];
    int written = snprintf(relative, sizeof relative, "%s%.*s.srdf", folder, length, stem);
    if (draft->srdf_path || written < 0 || written >= (int)sizeof relative) return HF_OK;
    char* path = hf_path_beside(urdf_path, relative);
    if (!path) return hf_fail_memory(error, urdf_path);
    hf_status status = hf_path_exists(path) ? hf_srdf_read(path, draft, error) : HF_OK;
    hf_free(path);
    return status;
}

hf_status hf_srdf_read_beside(const char* urdf_path, hf_creature_draft* draft, hf_error* error) {
    const char* name = hf_path_name(urdf_path);
    const char* point = strrchr(name, '.');
    int length = (int)(point ? (size_t)(point - name) : strlen(name));
    /* The file's name first, then the robot's; a robot's name with a slash is no file name. */
    bool named = draft->name && !strchr(draft->name, '/');
    static const char* const folders[] = {"", "../srdf/"};
    hf_status status = HF_OK;
    for (int i = 0; i < 2 && status == HF_OK; i++)
        status = read_if_there(urdf_path, folders[i], name, length, draft, error);
    for (int i = 0; i < 2 && status == HF_OK && named; i++)
        status = read_if_there(urdf_path, folders[i], draft->name, (int)strlen(draft->name), draft, error);
    return status;
}
