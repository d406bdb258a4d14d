/* Help, manual page and completion, all from the tables of options.c. */
#include "command.h"

#include <stdio.h>
#include <string.h>

static void option_text(const option_def* d, char* text, size_t size) {
    snprintf(text, size, "%s%s%s%s%s", d->letter ? d->letter : "", d->letter ? ", " : "", d->name,
             d->argument ? " " : "", d->argument ? d->argument : "");
}

static void help_overview(void) {
    puts("holdfast: contact motion for any creature in any scene\n\nusage: holdfast COMMAND [FILE] "
         "[OPTIONS]\n");
    for (int i = 0; i < command_count; i++)
        printf("  %-8s %-13s %s\n", commands[i].name, commands[i].argument, commands[i].help);
    puts("\nFor example: holdfast pose demo -o out\n\nA FILE may be a path or the name of something shipped; "
         "holdfast info lists those.\n"
         "holdfast help COMMAND explains its options. Exit: 0 done, 1 no solution or invalid,\n"
         "2 usage, 3 bad input, 4 internal error.");
}

/* The numbers of one table that --set changes; one that an earlier table has too is written with its table.
 */
static void help_table(const command* c, const settings_table* t) {
    printf("\n--set, and \"options\": { \"%s\": { ... } } of a scenario:\n\n", t->name);
    hf_option_table table = t->table();
    for (int i = 0; i < table.count; i++) {
        const hf_option* o = &table.items[i];
        if (own_option(o->name)) continue;
        bool first = table_of(c->name, o->name) == t;
        char name[80];
        snprintf(name, sizeof name, "%s%s%s", first ? "" : t->name, first ? "" : ".", o->name);
        printf("  %-22s %s%s%s%s (%g to %g; default %g)\n", name, o->help, o->unit[0] ? " [" : "", o->unit,
               o->unit[0] ? "]" : "", o->min, o->max, o->value);
    }
}

static void help_command(const command* c) {
    printf("usage: holdfast %s %s%s\n\n%s\n", c->name, c->argument,
           command_lists(c, "--json") ? " [OPTIONS]" : "", c->help);
    for (int i = 0, first = 1; i < option_def_count; i++) {
        if (!command_lists(c, option_defs[i].name)) continue;
        char text[64];
        option_text(&option_defs[i], text, sizeof text);
        printf("%s  %-22s %s\n", first ? "\n" : "", text, option_help(c, &option_defs[i]));
        first = 0;
    }
    for (const settings_table* t = NULL; (t = next_table(c->name, t));) help_table(c, t);
}

/* Minus signs are escaped so that they stay minus signs. */
static void man_text(const char* s) {
    for (; *s; s++) {
        if (*s == '-')
            fputs("\\-", stdout);
        else
            putchar(*s);
    }
}

static void man_page(void) {
    printf(".TH HOLDFAST 1 2026 \"holdfast %s\" \"User Commands\"\n.SH NAME\nholdfast \\- contact motion for "
           "any creature in any "
           "scene\n.SH SYNOPSIS\n.B holdfast\n.I COMMAND\n[\\fIFILE\\fR] [\\fIOPTIONS\\fR]\n.SH DESCRIPTION\n"
           "Poses, checks, draws and exports motions of creatures (URDF, BVH or glTF rigs, creature files) "
           "in scenes made of "
           "meshes. A \\fIFILE\\fR may be a path or the name of something shipped.\n.SH COMMANDS\n",
           hf_version());
    for (int i = 0; i < command_count; i++) {
        printf(".TP\n\\fB%s\\fR \\fI%s\\fR\n", commands[i].name, commands[i].argument);
        man_text(commands[i].help);
        putchar('\n');
    }
    puts(".SH OPTIONS");
    for (int i = 0; i < option_def_count; i++) {
        char text[64];
        option_text(&option_defs[i], text, sizeof text);
        printf(".TP\n\\fB");
        man_text(text);
        printf("\\fR\n");
        man_text(option_defs[i].help);
        printf(" (");
        bool all = true, first = true;
        for (int c = 0; c < command_count; c++)
            all = all && (commands[c].run == run_help || command_lists(&commands[c], option_defs[i].name));
        for (int c = 0; c < command_count && !all; c++)
            if (command_lists(&commands[c], option_defs[i].name)) {
                printf("%s%s", first ? "" : ", ", commands[c].name);
                first = false;
            }
        printf("%s)\n", all ? "all commands" : "");
    }
    puts(".SH ENVIRONMENT\n.TP\nHOLDFAST_DATA\nfolder of shipped creatures, scenes and "
         "scenarios\n.TP\nHOLDFAST_PACKAGE_PATH, "
         "ROS_PACKAGE_PATH\nfolders searched for package:// names, separated by colons\n.TP\nNO_COLOR\nno "
         "colour in messages\n"
         ".SH EXIT STATUS\n0 done; 1 no solution, or a motion that is not valid; 2 usage; 3 bad input; 4 "
         "internal error.\n"
         ".SH FILES WRITTEN\n\\fBpose\\fR, \\fBcontact\\fR, \\fBplan\\fR and \\fBrealise\\fR with "
         "\\fB\\-o\\fR \\fIDIR\\fR "
         "write \\fINAME\\fR.motion.json, .glb and .png there, \\fBcontact\\fR and \\fBplan\\fR "
         "\\fINAME\\fR.schedule.json too. "
         "Outputs are written to a temporary file and renamed when complete. Ctrl\\-C and "
         "\\fB\\-\\-time\\-limit\\fR keep the best result so far, say that it is partial, and exit with 1; a "
         "second "
         "Ctrl\\-C ends the program.\n"
         ".SH EXAMPLES\n.nf\nholdfast info\nholdfast pose demo \\-o out\nholdfast check "
         "out/demo.motion.json \\-\\-json\nholdfast plan climb \\-o out\nholdfast realise "
         "out/climb.schedule.json\nholdfast render walk.bvh \\-\\-strip 6 \\-o walk.png\nholdfast "
         "export "
         "walk.bvh \\-o walk.glb\nholdfast info robot.urdf \\-\\-package\\-path ~/ros/src\n.fi\n"
         ".SH SEE ALSO\nThe files docs/formats.md and docs/architecture.md of the project.");
}

static void bash_completion(void) {
    puts("# bash completion for holdfast; made by: holdfast help --bash-completion\n_holdfast() {\n"
         "    local word=${COMP_WORDS[COMP_CWORD]} options=\n    case ${COMP_WORDS[1]} in");
    for (int c = 0; c < command_count; c++) {
        printf("        %s) options=\"", commands[c].name);
        bool first = true;
        for (int i = 0; i < option_def_count; i++)
            if (command_lists(&commands[c], option_defs[i].name)) {
                printf("%s%s", first ? "" : " ", option_defs[i].name);
                first = false;
            }
        puts("\" ;;");
    }
    printf("    esac\n    if [ \"$COMP_CWORD\" -eq 1 ]; then\n        COMPREPLY=($(compgen -W \"");
    for (int c = 0; c < command_count; c++) printf("%s%s", c ? " " : "", commands[c].name);
    puts("\" -- \"$word\"))\n    elif [ \"${word#-}\" != \"$word\" ]; then\n        COMPREPLY=($(compgen -W "
         "\"$options\" -- \"$word\"))\n"
         "    else\n        COMPREPLY=($(compgen -f -- \"$word\"))\n"
         "    fi\n}\ncomplete -o filenames -F _holdfast holdfast");
}

int run_help(const options* o) {
    if (!o->file)
        help_overview();
    else if (strcmp(o->file, "--man") == 0)
        man_page();
    else if (strcmp(o->file, "--bash-completion") == 0)
        bash_completion();
    else {
        const command* c = find_command(o->file);
        if (!c) return EXIT_USAGE;
        help_command(c);
    }
    return EXIT_DONE;
}
