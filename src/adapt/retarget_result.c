/* What a retargeting tells: its words and its memory. */
#include "base/memory.h"

#include <holdfast/retarget.h>

#include <string.h>

const char* hf_retarget_fate_text(hf_retarget_fate fate) {
    static const char* const texts[] = {"kept", "bent", "moved", "dropped", "failed"};
    return (unsigned)fate < 5 ? texts[fate] : "unknown";
}

void hf_phases_free(hf_phases* p) {
    if (!p) return;
    hf_free(p->items);
    memset(p, 0, sizeof *p);
}

void hf_mapping_free(hf_mapping* m) {
    if (!m) return;
    for (int i = 0; i < m->count; i++) {
        hf_free(m->items[i].joint);
        hf_free(m->items[i].link);
    }
    hf_free(m->items);
    memset(m, 0, sizeof *m);
}

void hf_retarget_result_free(hf_retarget_result* r) {
    if (!r) return;
    hf_mapping_free(&r->mapping);
    hf_phases_free(&r->phases);
}
