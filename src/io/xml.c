#include "io/xml.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int hf_xml_line(hf_xml* xml) { return (int)XML_GetCurrentLineNumber(xml->parser); }

hf_status hf_xml_fail(hf_xml* xml, hf_status status, const char* field, const char* why, ...) {
    if (xml->status != HF_OK) return xml->status;
    char text[480];
    va_list args;
    va_start(args, why);
    vsnprintf(text, sizeof text, why, args);
    va_end(args);
    XML_StopParser(xml->parser, XML_FALSE);
    return xml->status = hf_fail(xml->error, status, xml->file, hf_xml_line(xml), field, "%s", text);
}

hf_status hf_xml_fail_memory(hf_xml* xml) { return hf_xml_fail(xml, HF_ERROR_MEMORY, NULL, "out of memory"); }

const char* hf_xml_attribute(const char** attributes, const char* name) {
    for (; *attributes; attributes += 2)
        if (strcmp(attributes[0], name) == 0) return attributes[1];
    return NULL;
}

const char* hf_xml_required(hf_xml* xml, const char* field, const char* element, const char** attributes,
                            const char* name) {
    if (xml->status != HF_OK) return NULL;
    const char* text = hf_xml_attribute(attributes, name);
    if (text && *text) return text;
    hf_xml_fail(xml, HF_ERROR_FORMAT, field, "<%s> has no \"%s\"", element, name);
    return NULL;
}

static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

int hf_text_numbers(const char* text, int most, double* values) {
    const char* limit = text + strlen(text);
    for (int n = 0;; n++) {
        while (is_space(*text)) text++;
        if (text == limit) return n;
        if (n == most || !hf_parse_double(text, limit, &text, &values[n])) return -1;
        if (text != limit && !is_space(*text)) return -1;
    }
}

bool hf_xml_numbers(hf_xml* xml, const char* field, const char** attributes, const char* name, int count,
                    double* values) {
    if (xml->status != HF_OK) return false;
    const char* text = hf_xml_attribute(attributes, name);
    if (!text) return false;
    double read[8];
    if (hf_text_numbers(text, count, read) != count) {
        hf_xml_fail(xml, HF_ERROR_FORMAT, field, "\"%s\" is \"%.80s\", %s is expected", name, text,
                    count == 1 ? "a finite number" : "a row of finite numbers of the right count");
        return false;
    }
    memcpy(values, read, (size_t)count * sizeof *values);
    return true;
}

static void start_element(void* user, const char* element, const char** attributes) {
    hf_xml* xml = user;
    if (xml->status != HF_OK) return;
    if (xml->depth >= HF_XML_MAX_DEPTH) {
        hf_xml_fail(xml, HF_ERROR_LIMIT, NULL, "elements are nested deeper than %d", HF_XML_MAX_DEPTH);
        return;
    }
    int parent = xml->depth ? xml->places[xml->depth - 1] : HF_XML_DOCUMENT;
    xml->places[xml->depth++] =
        parent == HF_XML_SKIP ? HF_XML_SKIP : xml->start(xml, parent, element, attributes);
}

static void end_element(void* user, const char* element) {
    (void)element;
    hf_xml* xml = user;
    if (xml->status != HF_OK) return;
    int place = xml->places[--xml->depth];
    if (place != HF_XML_SKIP && xml->end) xml->end(xml, place);
}

/* Entities are never needed here, and are how a small file becomes a huge one. */
static void refuse_entity(void* user, const char* name, int is_parameter, const char* value, int length,
                          const char* base, const char* system, const char* public, const char* notation) {
    (void)is_parameter, (void)value, (void)length, (void)base, (void)system, (void)public, (void)notation;
    hf_xml_fail(user, HF_ERROR_FORMAT, NULL, "declares the entity \"%.40s\"; entities are not accepted",
                name);
}

hf_status hf_xml_read(hf_xml* xml) {
    char* bytes;
    size_t size;
    xml->status = hf_file_read(xml->file, &bytes, &size, xml->error);
    if (xml->status != HF_OK) return xml->status;
    xml->depth = 0;
    XML_Memory_Handling_Suite memory = {malloc, realloc, free};
    xml->parser = XML_ParserCreate_MM(NULL, &memory, NULL);
    if (!xml->parser) {
        hf_free(bytes);
        return xml->status = hf_fail_memory(xml->error, xml->file);
    }
    XML_SetUserData(xml->parser, xml);
    XML_SetElementHandler(xml->parser, start_element, end_element);
    XML_SetEntityDeclHandler(xml->parser, refuse_entity);
    XML_SetHashSalt(xml->parser, 0x68666d6c); /* no call for entropy: file contents alone decide */
    if (XML_Parse(xml->parser, bytes, (int)size, 1) == XML_STATUS_ERROR && xml->status == HF_OK) {
        enum XML_Error why = XML_GetErrorCode(xml->parser);
        if (why == XML_ERROR_NO_MEMORY)
            xml->status = hf_fail_memory(xml->error, xml->file);
        else
            xml->status = hf_fail(xml->error, HF_ERROR_FORMAT, xml->file, hf_xml_line(xml), NULL,
                                  "not valid XML: %s", size ? XML_ErrorString(why) : "the file is empty");
    }
    XML_ParserFree(xml->parser);
    xml->parser = NULL;
    hf_free(bytes);
    return xml->status;
}
