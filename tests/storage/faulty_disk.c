/* A disk that fails at a chosen operation: to be preloaded (LD_PRELOAD) by a program that then steers it.
 *
 * Counts what is done to one folder and its files (write, pwrite, fsync, fdatasync, ftruncate); at the chosen
 * number the operation fails, once or from then on. Can also keep a log of all operations and of removed files,
 * from which it can be worked out what a power cut would have left.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

enum { COUNT = 0, EIO_ONCE, ENOSPC_ONCE, TORN_ONCE, EIO_EVER, ENOSPC_EVER, TORN_EVER };
enum { WRITE = 0, SYNC, TRUNCATE, REMOVE };

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static char folder[4096];
static size_t folder_length;
static long count, chosen;
static int kind, log_file = -1;

/* Watch `path` (with a slash at its end; "" for nothing) and fail at operation `at`, counted from 1. */
void disk_arm(const char *path, long at, int how) {
    pthread_mutex_lock(&guard);
    snprintf(folder, sizeof folder, "%s", path);
    folder_length = strlen(folder);
    count = 0;
    chosen = at;
    kind = how;
    pthread_mutex_unlock(&guard);
}

/* How many operations there have been since. */
long disk_count(void) { return count; }

/* Log all operations to this file descriptor; -1 for none. */
void disk_log(int file) { log_file = file; }

static void put(const void *data, size_t length) {
    const char *from = data;
    while (length > 0) {
        long done = syscall(SYS_write, log_file, from, length);
        if (done <= 0) return;
        from += done;
        length -= (size_t)done;
    }
}

static void note(int what, const char *path, int64_t offset, const void *data, int64_t length) {
    if (log_file < 0) return;
    int64_t head[4] = {what, (int64_t)strlen(path), offset, length};
    put(head, sizeof head);
    put(path, strlen(path));
    if (data) put(data, (size_t)length);
}

/* Whether the operation on `file` is to fail: 0 no, else the error; *torn: half of it is done all the same. */
static int fails(int file, int what, int64_t offset, const void *data, int64_t length, int *torn) {
    char link[64], path[4096];
    *torn = 0;
    if (!folder_length) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t size = readlink(link, path, sizeof path - 2);
    if (size <= 0) return 0;
    path[size] = 0;
    path[size] = '/';
    path[size + 1] = 0;
    if (strncmp(path, folder, folder_length)) return 0;
    int is_folder = (size_t)size < folder_length;
    path[size] = 0;
    pthread_mutex_lock(&guard);
    count++;
    int now = chosen > 0 && (kind >= EIO_EVER ? count >= chosen : count == chosen);
    int error = 0;
    if (now && kind != COUNT) {
        error = kind == ENOSPC_ONCE || kind == ENOSPC_EVER ? ENOSPC : EIO;
        *torn = what == WRITE && count == chosen && (kind == TORN_ONCE || kind == TORN_EVER);
        /* A full disk can still be synced and cut. */
        if (error == ENOSPC && what != WRITE) error = 0;
    }
    if (!error) note(what, is_folder ? "" : path + folder_length, offset, data, length);
    pthread_mutex_unlock(&guard);
    return error;
}

#define REAL(type, name, ...) \
    static type (*real)(__VA_ARGS__); \
    if (!real) real = (type(*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)

static ssize_t failed(int error) {
    errno = error;
    return -1;
}

ssize_t write(int file, const void *data, size_t length) {
    REAL(ssize_t, "write", int, const void *, size_t);
    int torn, error = fails(file, WRITE, lseek(file, 0, SEEK_CUR), data, (int64_t)length, &torn);
    if (torn && length > 1) real(file, data, length / 2);
    return error ? failed(error) : real(file, data, length);
}

#define PWRITE(name) \
    ssize_t name(int file, const void *data, size_t length, off64_t offset) { \
        REAL(ssize_t, #name, int, const void *, size_t, off64_t); \
        int torn, error = fails(file, WRITE, offset, data, (int64_t)length, &torn); \
        if (torn && length > 1) real(file, data, length / 2, offset); \
        return error ? failed(error) : real(file, data, length, offset); \
    }
PWRITE(pwrite)
PWRITE(pwrite64)

#define SYNCS(name) \
    int name(int file) { \
        REAL(int, #name, int); \
        int torn, error = fails(file, SYNC, 0, NULL, 0, &torn); \
        return error ? (int)failed(error) : real(file); \
    }
SYNCS(fsync)
SYNCS(fdatasync)

#define TRUNCATES(name) \
    int name(int file, off64_t length) { \
        REAL(int, #name, int, off64_t); \
        int torn, error = fails(file, TRUNCATE, length, NULL, 0, &torn); \
        return error ? (int)failed(error) : real(file, length); \
    }
TRUNCATES(ftruncate)
TRUNCATES(ftruncate64)

int unlink(const char *path) {
    REAL(int, "unlink", const char *);
    int done = real(path);
    pthread_mutex_lock(&guard);
    if (!done && folder_length && !strncmp(path, folder, folder_length)) {
        count++;
        note(REMOVE, path + folder_length, 0, NULL, 0);
    }
    pthread_mutex_unlock(&guard);
    return done;
}
