/* Meshes of other formats by assimp. It has known memory bugs on hostile files, so it runs in a short-lived
   child process with limits on time and memory, and what comes back is checked as if a stranger had sent it.

   The child is made by fork without exec, because a library has no program of its own to start. In a program
   with several threads only the calling one lives on in the child; it uses the heap (which the C library
   keeps usable across fork), no lock of ours, and leaves by _exit. */
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "io/mesh_draft.h"

#include <assimp/cimport.h>
#include <assimp/config.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { TIME_LIMIT_S = 20, MESSAGE_BYTES = 512, ANSWER_MAGIC = 0x48464d31 };
static const rlim_t memory_limit = (rlim_t)2 << 30;

/* What the child sends first; the vertices and triangles follow. */
typedef struct answer {
    uint32_t magic;
    int32_t status;
    int32_t vertex_count, triangle_count;
    int32_t left_out; /* faces that are points or lines */
    int32_t crossing_count;
    char message[MESSAGE_BYTES];
} answer;

/* ---- In the child ---- */

/* The sanitizers reserve terabytes of addresses. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define ADDRESS_LIMIT 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define ADDRESS_LIMIT 0
#endif
#endif
#ifndef ADDRESS_LIMIT
#define ADDRESS_LIMIT 1
#endif

static void limit(int what, rlim_t value) {
    struct rlimit r = {value, value};
    setrlimit(what, &r);
}

/* Addresses in use now: what the parent had mapped counts for the child too. */
static rlim_t bytes_in_use(void) {
    unsigned long long pages = 0;
    char text[64] = "";
    int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    if (file >= 0) {
        if (read(file, text, sizeof text - 1) > 0) sscanf(text, "%llu", &pages);
        close(file);
    }
    return (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
}

/* Own signals, no open files but the pipe (as 3), limits. Returns the pipe. */
static int confine(int pipe_end) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP,  SIGPIPE, SIGSEGV, SIGBUS,
                                  SIGFPE, SIGILL,  SIGABRT, SIGALRM, SIGXCPU};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) signal(signals[i], SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    dup2(pipe_end, 3);
    int null = open("/dev/null", O_RDWR);
    for (int i = 0; i < 3 && null >= 0; i++) dup2(null, i);
    close_range(4, ~0u, 0);
    if (ADDRESS_LIMIT) limit(RLIMIT_AS, bytes_in_use() + memory_limit);
    limit(RLIMIT_CPU, TIME_LIMIT_S);
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_FSIZE, 0);
    alarm(TIME_LIMIT_S);
    return 3;
}

static bool send_all(int to, const void* bytes, size_t size) {
    const char* s = bytes;
    while (size > 0) {
        ssize_t n = write(to, s, size);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        s += n;
        size -= (size_t)n;
    }
    return true;
}

static void set_message(answer* a, const char* text) { snprintf(a->message, sizeof a->message, "%s", text); }

typedef struct flattening {
    const struct aiScene* scene;
    hf_mesh_draft* draft;
    int64_t left_out;
} flattening;

static hf_status add_face(flattening* f, const struct aiFace* face, const uint32_t* welded, unsigned vertices,
                          bool mirrored) {
    if (face->mNumIndices < 3) {
        f->left_out++;
        return HF_OK;
    }
    hf_status status = HF_OK;
    for (unsigned i = 0; i < face->mNumIndices && status == HF_OK; i++) {
        unsigned index = face->mIndices[mirrored ? face->mNumIndices - 1 - i : i];
        if (index >= vertices)
            return hf_fail(f->draft->error, HF_ERROR_FORMAT, NULL, 0, NULL, "vertex %u does not exist",
                           index);
        status = hf_mesh_draft_add_corner(f->draft, welded[index]);
    }
    return status == HF_OK ? hf_mesh_draft_add_polygon(f->draft, 0, NULL) : status;
}

/* One mesh under a node's transform; a mirroring one turns the faces. */
static hf_status add_mesh(flattening* f, const struct aiMesh* mesh, const struct aiMatrix4x4* m) {
    uint32_t* welded = hf_alloc(mesh->mNumVertices, sizeof *welded);
    if (!welded) return hf_fail_memory(f->draft->error, NULL);
    double determinant = (double)m->a1 * (m->b2 * m->c3 - m->b3 * m->c2) -
                         (double)m->a2 * (m->b1 * m->c3 - m->b3 * m->c1) +
                         (double)m->a3 * (m->b1 * m->c2 - m->b2 * m->c1);
    hf_status status = HF_OK;
    for (unsigned i = 0; i < mesh->mNumVertices && status == HF_OK; i++) {
        struct aiVector3D v = mesh->mVertices[i];
        float at[3] = {m->a1 * v.x + m->a2 * v.y + m->a3 * v.z + m->a4,
                       m->b1 * v.x + m->b2 * v.y + m->b3 * v.z + m->b4,
                       m->c1 * v.x + m->c2 * v.y + m->c3 * v.z + m->c4};
        status = hf_mesh_draft_weld_vertex(f->draft, NULL, at, &welded[i]);
    }
    for (unsigned i = 0; i < mesh->mNumFaces && status == HF_OK; i++)
        status = add_face(f, &mesh->mFaces[i], welded, mesh->mNumVertices, determinant < 0);
    hf_free(welded);
    return status;
}

static hf_status add_node(flattening* f, const struct aiNode* node, struct aiMatrix4x4 parent) {
    struct aiMatrix4x4 world = parent;
    aiMultiplyMatrix4(&world, &node->mTransformation);
    hf_status status = HF_OK;
    for (unsigned i = 0; i < node->mNumMeshes && status == HF_OK; i++)
        if (node->mMeshes[i] < f->scene->mNumMeshes)
            status = add_mesh(f, f->scene->mMeshes[node->mMeshes[i]], &world);
    for (unsigned i = 0; i < node->mNumChildren && status == HF_OK; i++)
        status = add_node(f, node->mChildren[i], world);
    return status;
}

static const struct aiScene* import(const char* path) {
    struct aiPropertyStore* settings = aiCreatePropertyStore();
    aiSetImportPropertyInteger(settings, AI_CONFIG_IMPORT_COLLADA_IGNORE_UP_DIRECTION, 1);
    aiSetImportPropertyInteger(settings, AI_CONFIG_IMPORT_NO_SKELETON_MESHES, 1);
    /* FBX says its unit, and assimp turns it into metres in this step only. */
    unsigned flags = hf_text_ends(path, ".fbx") ? aiProcess_GlobalScale : 0;
    return aiImportFileExWithProperties(path, flags, NULL, settings);
}

_Noreturn static void run_child(const char* path, int pipe_end) {
    int to = confine(pipe_end);
    answer a = {.magic = ANSWER_MAGIC, .status = HF_ERROR_FORMAT};
    hf_error error = {0};
    hf_mesh_draft draft = {.error = &error};
    const struct aiScene* scene = import(path);
    if (!scene || !scene->mRootNode) {
        const char* why = aiGetErrorString();
        set_message(&a, why && why[0] ? why : "no reason is given");
        send_all(to, &a, sizeof a);
        _exit(0);
    }
    flattening f = {.scene = scene, .draft = &draft};
    struct aiMatrix4x4 identity;
    aiIdentityMatrix4(&identity);
    a.status = (int32_t)add_node(&f, scene->mRootNode, identity);
    if (a.status != HF_OK) {
        set_message(&a, error.message);
        send_all(to, &a, sizeof a);
        _exit(0);
    }
    a.vertex_count = draft.vertex_count;
    a.triangle_count = draft.triangle_count;
    a.left_out = f.left_out > INT32_MAX ? INT32_MAX : (int32_t)f.left_out;
    a.crossing_count = draft.crossing_count;
    bool sent = send_all(to, &a, sizeof a) &&
                send_all(to, draft.vertices, (size_t)draft.vertex_count * sizeof *draft.vertices) &&
                send_all(to, draft.triangles, (size_t)draft.triangle_count * sizeof *draft.triangles);
    _exit(sent ? 0 : 1);
}

/* ---- In the parent ---- */

static int64_t now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* False at the end of the pipe, on an error, and when time is up. */
static bool receive(int from, void* bytes, size_t size, int64_t deadline_ms) {
    char* s = bytes;
    while (size > 0) {
        int64_t left = deadline_ms - now_ms();
        if (left <= 0) return false;
        struct pollfd wait = {.fd = from, .events = POLLIN};
        int ready = poll(&wait, 1, (int)left);
        if (ready < 0 && errno == EINTR) continue;
        if (ready <= 0) return false;
        ssize_t n = read(from, s, size);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        s += n;
        size -= (size_t)n;
    }
    return true;
}

static hf_status fail_child(const hf_mesh_draft* draft, const char* why) {
    return hf_fail(draft->error, HF_ERROR_FORMAT, draft->path, 0, NULL, "assimp could not read: %s", why);
}

/* Every number of the child is suspect. */
static bool is_sound(const hf_mesh_draft* draft) {
    for (int i = 0; i < draft->vertex_count; i++)
        for (int k = 0; k < 3; k++)
            if (!isfinite(draft->vertices[i].at[k])) return false;
    for (int i = 0; i < draft->triangle_count; i++)
        for (int k = 0; k < 3; k++)
            if (draft->triangles[i].corner[k] >= (uint32_t)draft->vertex_count) return false;
    return true;
}

static hf_status receive_mesh(hf_mesh_draft* draft, const answer* a, int from, int64_t deadline_ms,
                              bool* complete) {
    if (a->vertex_count < 0 || a->vertex_count > HF_MESH_MAX_VERTICES || a->triangle_count < 0 ||
        a->triangle_count > HF_MESH_MAX_TRIANGLES)
        return fail_child(draft, "it gave senseless counts");
    size_t vertices = (size_t)a->vertex_count, triangles = (size_t)a->triangle_count;
    draft->vertices = hf_alloc(vertices, sizeof *draft->vertices);
    draft->triangles = hf_alloc(triangles, sizeof *draft->triangles);
    if (!draft->vertices || !draft->triangles) return hf_fail_memory(draft->error, draft->path);
    if (!receive(from, draft->vertices, vertices * sizeof *draft->vertices, deadline_ms) ||
        !receive(from, draft->triangles, triangles * sizeof *draft->triangles, deadline_ms))
        return HF_OK;
    *complete = true;
    draft->vertex_count = draft->vertex_capacity = a->vertex_count;
    draft->triangle_count = draft->triangle_capacity = a->triangle_count;
    draft->crossing_count = a->crossing_count > 0 ? a->crossing_count : 0;
    if (!is_sound(draft)) return fail_child(draft, "it gave senseless triangles");
    if (a->left_out > 0 &&
        !hf_lines_add(&draft->warnings, "%d points and lines are left out", (int)a->left_out))
        return hf_fail_memory(draft->error, draft->path);
    return HF_OK;
}

static hf_status receive_answer(hf_mesh_draft* draft, int from, int64_t deadline_ms, bool* complete) {
    answer a;
    if (!receive(from, &a, sizeof a, deadline_ms)) return HF_OK;
    a.message[MESSAGE_BYTES - 1] = 0;
    if (a.magic != ANSWER_MAGIC) return fail_child(draft, "it gave a senseless answer");
    if (a.status == HF_OK) return receive_mesh(draft, &a, from, deadline_ms, complete);
    *complete = true;
    for (char* s = a.message; *s; s++)
        if ((unsigned char)*s < 32 || *s == 127) *s = ' ';
    return fail_child(draft, a.message);
}

/* A child that closed its pipe early may be dying by a signal that is worth telling; the others are ended. */
static int end_child(pid_t child, bool wait_for_it, int64_t deadline_ms) {
    int state = 0;
    while (wait_for_it && now_ms() < deadline_ms) {
        pid_t ended = waitpid(child, &state, WNOHANG);
        if (ended == child || (ended < 0 && errno != EINTR)) return state;
        poll(NULL, 0, 1);
    }
    kill(child, SIGKILL);
    while (waitpid(child, &state, 0) < 0 && errno == EINTR) {}
    return state;
}

/* Why there is no whole answer. */
static hf_status fail_broken(const hf_mesh_draft* draft, int state, bool late) {
    char why[80] = "it ended too early";
    int signal_number = WIFSIGNALED(state) ? WTERMSIG(state) : 0;
    if (late || signal_number == SIGXCPU || signal_number == SIGALRM)
        snprintf(why, sizeof why, "it took longer than %d s", TIME_LIMIT_S);
    else if (signal_number)
        snprintf(why, sizeof why, "it crashed (signal %d)", signal_number);
    return fail_child(draft, why);
}

static hf_status talk_to_child(hf_mesh_draft* draft) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return hf_fail(draft->error, HF_ERROR_FILE, draft->path, 0, NULL, "no pipe: %s", strerror(errno));
    pid_t child = fork();
    if (child < 0) {
        close(ends[0]);
        close(ends[1]);
        return hf_fail(draft->error, HF_ERROR_FILE, draft->path, 0, NULL, "no child process: %s",
                       strerror(errno));
    }
    if (child == 0) run_child(draft->path, ends[1]);
    close(ends[1]);
    int64_t deadline = now_ms() + TIME_LIMIT_S * 1000;
    bool complete = false;
    hf_status status = receive_answer(draft, ends[0], deadline, &complete);
    bool late = now_ms() >= deadline;
    close(ends[0]);
    int state = end_child(child, !complete && status == HF_OK, deadline);
    return status == HF_OK && !complete ? fail_broken(draft, state, late) : status;
}

/* ---- Before and after ---- */

/* The axis that a COLLADA file says is up; Z where it says none. */
static char up_axis_of(const char* bytes, size_t size) {
    const char* tag = memmem(bytes, size, "<up_axis>", 9);
    if (!tag) return 'Z';
    const char *s = tag + 9, *end = bytes + size;
    while (s < end && (*s == ' ' || (*s >= '\t' && *s <= '\r'))) s++;
    return end - s >= 4 && memcmp(s + 1, "_UP", 3) == 0 && (*s == 'X' || *s == 'Y') ? *s : 'Z';
}

/* Right, up and towards the viewer are X, Y, Z where Y is up, -Y, X, Z where X is, and X, Z, -Y where Z is
   (COLLADA 1.4.1, up_axis). */
static void turn_up(hf_mesh_draft* draft, char up) {
    for (int i = 0; i < draft->vertex_count && up != 'Z'; i++) {
        float *v = draft->vertices[i].at, x = v[0], y = v[1];
        v[0] = up == 'X' ? -y : x;
        v[1] = -v[2];
        v[2] = up == 'X' ? x : y;
    }
}

hf_status hf_assimp_read(hf_mesh_draft* draft) {
    char* bytes;
    size_t size;
    hf_status status = hf_file_read(draft->path, &bytes, &size, draft->error);
    if (status != HF_OK) return status;
    char up = hf_text_ends(draft->path, ".dae") ? up_axis_of(bytes, size) : 'Z';
    hf_free(bytes);
    status = talk_to_child(draft);
    if (status == HF_OK) turn_up(draft, up);
    return status;
}
