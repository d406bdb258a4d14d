/* The time limit of a command, counted from its start.

   Work that has something to keep (a search) asks progress_report and ends by itself. Before there is
   anything to keep (files are read, models are built) the limit ends the program: a signal does it, because
   the time may pass inside a library that cannot be asked to stop. */
#include "command.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

/* Time that a search has to give its best after the limit, before the program ends without it. Searches ask
   every few milliseconds; on a machine with much else to do they may come late. */
static const double GRACE_S = 2;

static double started_s;
static char last_words[160];

static void on_time(int signal_number) {
    (void)signal_number;
    ssize_t written = write(2, last_words, strlen(last_words));
    (void)written;
    _exit(EXIT_NO_SOLUTION);
}

/* The signal comes at this time of now_s(), or never for 0. */
static void end_at(double time_s) {
    double left = time_s > 0 ? time_s - now_s() : 0;
    if (time_s > 0 && left < 1e-6) left = 1e-6; // 0 would mean never
    struct itimerval timer = {.it_value = {(time_t)left, (suseconds_t)(1e6 * (left - (double)(time_t)left))}};
    if (time_s > 0 && timer.it_value.tv_sec == 0 && timer.it_value.tv_usec == 0) timer.it_value.tv_usec = 1;
    setitimer(ITIMER_REAL, &timer, NULL);
}

void limit_start(const options* o) {
    started_s = now_s();
    if (o->time_limit_s <= 0) return;
    snprintf(last_words, sizeof last_words,
             "holdfast: stopped: the time limit of %g s was reached; what is not written yet is lost\n",
             o->time_limit_s);
    setvbuf(stdout, NULL, _IOLBF, 0); // what was printed is not lost
    signal(SIGALRM, on_time);
    end_at(started_s + o->time_limit_s);
}

double limit_started(void) { return started_s; }

void limit_hand_over(const options* o) {
    if (o->time_limit_s > 0) end_at(started_s + o->time_limit_s + GRACE_S);
}

void limit_end(void) { end_at(0); }
