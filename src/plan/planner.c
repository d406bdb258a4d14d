/* The memory of one search. */
#include "plan/planner.h"

#include "base/memory.h"

bool hf_planner_begin(hf_planner* p) {
    size_t q = (size_t)p->view->q_count + 1;
    double** scratch[] = {&p->q_a, &p->q_b, &p->q_c, &p->q_d, &p->q_e,
                          &p->q_f, &p->q_g, &p->q_h, &p->q_i, &p->q_j};
    bool good = true;
    for (int i = 0; i < 10; i++) good = (*scratch[i] = hf_alloc(q, sizeof(double))) && good;
    p->links = hf_alloc((size_t)p->view->link_count, sizeof *p->links);
    p->jacobian = hf_alloc(3 * (size_t)p->view->v_count, sizeof *p->jacobian);
    p->nodes = hf_alloc(HF_MAX_STANCES, sizeof *p->nodes);
    p->nodes_q = hf_alloc(HF_MAX_STANCES * q, sizeof *p->nodes_q);
    p->home = hf_alloc(q, sizeof *p->home);
    p->steps_q = hf_alloc(HF_STEP_CANDIDATES * q, sizeof *p->steps_q);
    p->frames.q_count = p->view->q_count;
    good = good && p->links && p->jacobian && p->nodes && p->nodes_q && p->steps_q && p->home;
    for (int i = 0; good && i < HF_MAX_STANCES; i++) p->nodes[i].pose.q = p->nodes_q + (size_t)i * q;
    for (int i = 0; good && i < HF_STEP_CANDIDATES; i++) p->steps.items[i].q = p->steps_q + (size_t)i * q;
    good = good && hf_workspace_create(&p->workspace) == HF_OK;
    good = good && hf_placement_create(p->scene, &p->placement) == HF_OK;
    good = good && hf_contact_answer_create(p->creature, 8, &p->answer) == HF_OK;
    good = good && hf_swing_create(p->creature, &p->swing) == HF_OK && hf_timing_create(&p->timing) == HF_OK;
    good = good && hf_clearance_create(p->creature, &p->clearance) == HF_OK;
    return good && hf_stance_create(&p->stance_a) == HF_OK && hf_stance_create(&p->stance_b) == HF_OK &&
           hf_stance_create(&p->stance_c) == HF_OK;
}

void hf_planner_end(hf_planner* p) {
    double* scratch[] = {p->q_a, p->q_b, p->q_c, p->q_d,     p->q_e,     p->q_f,  p->q_g,
                         p->q_h, p->q_i, p->q_j, p->nodes_q, p->steps_q, p->home, p->jacobian};
    for (size_t i = 0; i < sizeof scratch / sizeof *scratch; i++) hf_free(scratch[i]);
    hf_free(p->links);
    hf_free(p->nodes);
    hf_free(p->spots);
    hf_frames_free(&p->frames);
    hf_free(p->guide_poses);
    hf_stance_free(p->stance_a);
    hf_stance_free(p->stance_b);
    hf_stance_free(p->stance_c);
    hf_timing_free(p->timing);
    hf_swing_free(p->swing);
    hf_clearance_free(p->clearance);
    hf_contact_answer_free(p->answer);
    hf_placement_free(p->placement);
    hf_workspace_free(p->workspace);
}
