/* Preloaded into a test program (LD_PRELOAD), leaves an empty file with the program's name in the folder
   THREAD_NOTES when the program starts a thread: script/test runs those programs with the thread sanitizer.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef int starter(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*run)(void*), void* user) {
    const char* folder = getenv("THREAD_NOTES");
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder ? folder : ".", program_invocation_short_name);
    int file = folder ? open(path, O_CREAT | O_WRONLY, 0666) : -1;
    if (file >= 0) close(file);
    starter* start = (starter*)dlsym(RTLD_NEXT, "pthread_create");
    return start ? start(thread, attributes, run, user) : EAGAIN;
}
