/* The smallest useful program: load a creature, put one hand somewhere, print its joint values.
   hello CREATURE LIMB X Y Z, for instance: hello human.creature.json left_arm 0.4 0.3 1.2 */
#include <holdfast/holdfast.h>

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
    if (argc != 6) {
        fprintf(stderr, "usage: hello CREATURE LIMB X Y Z\n");
        return 2;
    }
    hf_error error;
    hf_creature* creature;
    if (hf_creature_load(argv[1], NULL, &creature, &error) != HF_OK) {
        char text[1024];
        fprintf(stderr, "%s\n", hf_error_text(&error, text, sizeof text));
        return 3;
    }
    const hf_creature_view* c = hf_creature_get(creature);
    printf("holdfast %s: %s has %d links and weighs %.1f kg\n", hf_version(), c->name, c->link_count,
           c->mass);

    /* Everything that a thread needs: a pose, the links' world poses, a workspace. */
    hf_pose pose = {hf_transform_identity(), malloc(sizeof(double) * (size_t)c->q_count)};
    hf_transform* links = malloc(sizeof(hf_transform) * (size_t)c->link_count);
    hf_workspace* workspace;
    hf_workspace_create(&workspace);
    hf_pose_rest(creature, &pose);
    hf_forward(creature, &pose, links);

    hf_target target = {.kind = HF_TARGET_POSITION, .limb = hf_creature_find_limb(creature, argv[2])};
    target.point = hf_v3(atof(argv[3]), atof(argv[4]), atof(argv[5]));
    int code = 3;
    if (target.limb < 0) {
        fprintf(stderr, "%s has no limb %s\n", c->name, argv[2]);
    } else {
        const hf_limb* limb = &c->limbs[target.limb];
        hf_solve_options options = hf_solve_options_default();
        hf_solve_result result;
        hf_limb_solve(creature, &links[limb->base_link], &target, &options, workspace, pose.q, &result);
        printf("%s: %.3f mm away, %s\n", limb->name, result.position_error_m * 1000,
               hf_stop_text(result.stop));
        for (int i = 0; i < limb->joint_count; i++) {
            const hf_joint* joint = &c->joints[limb->joints[i]];
            printf("  %-20s %8.4f\n", joint->name, pose.q[joint->q_index]);
        }
        code = result.outcome == HF_FOUND ? 0 : 1;
    }
    hf_workspace_free(workspace);
    free(links);
    free(pose.q);
    hf_creature_free(creature);
    return code;
}
