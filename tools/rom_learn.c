/* rom_learn CLOUD.csv ALPHA JOINT JOINT JOINT OUT.rom.json: a region from a cloud of angle triples (radians,
   one triple a line). script/make-rom calls it for the shipped regions. */
#include <holdfast/rom.h>
#include <stdio.h>
#include <stdlib.h>

int main(int count, char** words) {
    if (count != 7) {
        fprintf(stderr, "usage: rom_learn CLOUD.csv ALPHA JOINT JOINT JOINT OUT.rom.json\n");
        return 2;
    }
    FILE* in = fopen(words[1], "r");
    if (!in) {
        fprintf(stderr, "%s: cannot be opened\n", words[1]);
        return 3;
    }
    double *angles = NULL, row[3];
    int n = 0, room = 0;
    while (fscanf(in, "%lf ,%lf ,%lf", &row[0], &row[1], &row[2]) == 3) {
        if (n == room) {
            room = room ? 2 * room : 1024;
            double* more = realloc(angles, 3 * (size_t)room * sizeof *more);
            if (!more) return 4;
            angles = more;
        }
        for (int i = 0; i < 3; i++) angles[3 * n + i] = row[i];
        n++;
    }
    fclose(in);
    hf_error error;
    const char* names[3] = {words[3], words[4], words[5]};
    hf_status status = hf_rom_learn(angles, n, atof(words[2]), names, words[6], &error);
    free(angles);
    if (status != HF_OK) {
        char text[1024];
        fprintf(stderr, "%s\n", hf_error_text(&error, text, sizeof text));
        return 3;
    }
    return 0;
}
