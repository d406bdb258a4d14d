/* Files that appear only when they are complete.

   The temporary file is locked (flock) as long as somebody writes it: one that nobody holds was left by a run
   that was killed, and the next run that writes the same file removes it. */
#include "base/error.h"
#include "base/output.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* Bytes that are gathered before they are written. */
enum { BUFFER_BYTES = 1 << 16 };
/* Another run may take the new temporary file for one that was left, before it is locked. */
enum { LOCK_TRIES = 16 };

static hf_status fail_with(hf_error* error, const char* path, int number) {
    if (number == ENOMEM) return hf_fail_memory(error, path);
    const char* why = number == ENOSPC || number == EDQUOT ? "the disk is full"
                      : number == EFBIG                    ? "it is larger than files may be here (ulimit -f)"
                                                           : strerror(number);
    return hf_fail(error, HF_ERROR_FILE, path, 0, NULL, "cannot be written: %s", why);
}

/* ---- what must not be replaced ---- */

static hf_status refuse_link(const char* path, hf_error* error) {
    char to[300];
    ssize_t length = readlink(path, to, sizeof to - 1);
    to[length > 0 ? length : 0] = 0;
    return hf_fail(error, HF_ERROR_FILE, path, 0, NULL,
                   "is a symbolic link to \"%s\"; links are not written through, name a file", to);
}

/* A new name or a regular file may be written; links, devices and pipes would be replaced by a file. */
static hf_status check_target(const char* path, hf_error* error) {
    struct stat info;
    if (lstat(path, &info) != 0 || S_ISREG(info.st_mode)) return HF_OK;
    if (S_ISLNK(info.st_mode)) return refuse_link(path, error);
    return hf_fail(error, HF_ERROR_FILE, path, 0, NULL,
                   S_ISDIR(info.st_mode) ? "is a folder, a file name is expected"
                                         : "is a device, pipe or socket; a regular file is expected");
}

/* ---- what killed runs left ---- */

/* NAME.tmp-PROCESS-PLACE, as hf_output_open makes it. */
static bool is_temporary_of(const char* entry, const char* name) {
    size_t length = strlen(name);
    int process = 0, end = 0;
    size_t place;
    if (strncmp(entry, name, length) != 0) return false;
    return sscanf(entry + length, ".tmp-%d-%zx%n", &process, &place, &end) == 2 &&
           !entry[length + (size_t)end];
}

static void remove_unheld(int folder, const char* entry) {
    int file = openat(folder, entry, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0) return;
    struct stat info;
    if (fstat(file, &info) == 0 && S_ISREG(info.st_mode) && flock(file, LOCK_EX | LOCK_NB) == 0)
        unlinkat(folder, entry, 0);
    close(file);
}

static void remove_left(const char* path) {
    const char* slash = strrchr(path, '/');
    char folder[HF_OUTPUT_PATH];
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path + 1) : 1, slash ? path : ".");
    DIR* entries = opendir(folder);
    if (!entries) return;
    for (struct dirent* e; (e = readdir(entries));)
        if (is_temporary_of(e->d_name, slash ? slash + 1 : path)) remove_unheld(dirfd(entries), e->d_name);
    closedir(entries);
}

/* ---- writing ---- */

/* The stream keeps the first error of a write: later ones, and errno when the stream is closed, say nothing.
 */
static ssize_t write_bytes(void* cookie, const char* bytes, size_t size) {
    hf_output* o = cookie;
    for (size_t done = 0; done < size;) {
        ssize_t n = write(o->file, bytes + done, size - done);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) {
            if (!o->failure) o->failure = n < 0 ? errno : EIO;
            return 0;
        }
        done += (size_t)n;
    }
    return (ssize_t)size;
}

/* A temporary file that is there and locked; else errno says why. */
static bool open_temporary(hf_output* o) {
    for (int try = 0; try < LOCK_TRIES; try++) {
        struct stat info;
        o->file = open(o->temporary, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666);
        if (o->file < 0) return false;
        if (flock(o->file, LOCK_EX) != 0 && errno != ENOLCK && errno != EOPNOTSUPP && errno != EINVAL) {
            int why = errno;
            unlink(o->temporary);
            close(o->file);
            errno = why;
            return false;
        }
        if (fstat(o->file, &info) == 0 && info.st_nlink > 0) return true;
        close(o->file);
        errno = EBUSY;
    }
    return false;
}

hf_status hf_output_open(const char* path, hf_output* output, hf_error* error) {
    memset(output, 0, sizeof *output);
    if (strlen(path) >= sizeof output->path)
        return hf_fail(error, HF_ERROR_FILE, path, 0, NULL, "the name is too long");
    hf_status status = check_target(path, error);
    if (status != HF_OK) return status;
    remove_left(path);
    snprintf(output->path, sizeof output->path, "%s", path);
    /* Process and place in memory: two threads that write the same file do not meet in the temporary one. */
    snprintf(output->temporary, sizeof output->temporary, "%s.tmp-%ld-%zx", path, (long)getpid(),
             (size_t)output);
    if (!open_temporary(output)) return fail_with(error, path, errno);
    output->stream = fopencookie(output, "w", (cookie_io_functions_t){.write = write_bytes});
    if (output->stream && setvbuf(output->stream, NULL, _IOFBF, BUFFER_BYTES) == 0) return HF_OK;
    hf_output_close(output, false, NULL);
    return hf_fail_memory(error, path);
}

hf_status hf_output_close(hf_output* output, bool keep, hf_error* error) {
    if (!output->stream && !output->temporary[0]) return HF_OK;
    if (output->stream && fclose(output->stream) != 0 && !output->failure) output->failure = EIO;
    output->stream = NULL;
    bool moved = keep && !output->failure && rename(output->temporary, output->path) == 0;
    if (keep && !output->failure && !moved) output->failure = errno;
    if (!moved) unlink(output->temporary);
    close(output->file);
    output->temporary[0] = 0;
    return output->failure ? fail_with(error, output->path, output->failure) : HF_OK;
}

hf_status hf_file_save(const char* path, const void* bytes, size_t count, hf_error* error) {
    HF_REQUIRE(error, path && (bytes || count == 0));
    hf_output output;
    hf_status status = hf_output_open(path, &output, error);
    if (status != HF_OK) return status;
    fwrite(bytes, 1, count, output.stream);
    return hf_output_close(&output, true, error);
}
