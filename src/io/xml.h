/* A thin layer over expat for URDF and SRDF: element by element, the first failure sticks and names
   file and line, entities are refused, nesting is bounded. */
#ifndef HF_IO_XML_H
#define HF_IO_XML_H

#include <expat.h>
#include <holdfast/base.h>

enum { HF_XML_MAX_DEPTH = 128 };

typedef struct hf_xml hf_xml;
/* attributes: name, value, name, value, ..., NULL. Returns the place of the element's children; `place` is
   that of its parent. HF_XML_SKIP leaves out the whole element. */
typedef int (*hf_xml_start_fn)(hf_xml* xml, int place, const char* element, const char** attributes);
typedef void (*hf_xml_end_fn)(hf_xml* xml, int place);
enum { HF_XML_SKIP = -1, HF_XML_DOCUMENT = 0 };

struct hf_xml {
    const char* file;
    hf_error* error;
    hf_status status;
    void* context;
    hf_xml_start_fn start;
    hf_xml_end_fn end; /* called with the place the element's start gave; may be NULL */
    XML_Parser parser;
    int depth;
    int places[HF_XML_MAX_DEPTH];
};

/* Reads the whole file; file, context, start, end and error are set by the caller. */
hf_status hf_xml_read(hf_xml* xml);

int hf_xml_line(hf_xml* xml);
/* field may be NULL. */
__attribute__((format(printf, 4, 5))) hf_status hf_xml_fail(hf_xml* xml, hf_status status, const char* field,
                                                            const char* why, ...);
hf_status hf_xml_fail_memory(hf_xml* xml);

/* NULL when absent. */
const char* hf_xml_attribute(const char** attributes, const char* name);
/* A text that must be there and not be empty; NULL after a failure. */
const char* hf_xml_required(hf_xml* xml, const char* field, const char* element, const char** attributes,
                            const char* name);
/* `count` numbers; false when the attribute is absent or wrong (the failure sticks). */
bool hf_xml_numbers(hf_xml* xml, const char* field, const char** attributes, const char* name, int count,
                    double* values);
/* The numbers of a text, at most `most`; -1 when it holds anything else. */
int hf_text_numbers(const char* text, int most, double* values);

#endif
