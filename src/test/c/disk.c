/*
 * Simulates faults of the disk of the program's store. Loaded by LD_PRELOAD.
 *
 * A file in the folder TEST_DISK makes system calls fail as long as the file exists: `fsync`, `write` and `read` these
 * calls, `database-fsync` the fsync of the database itself, `checkpoint` writes to it because the disk is full,
 * `database-write` for another reason, `read-only` all writes to the store, `copy` writes to a backup, `log` writes
 * to stderr: the first takes half of its bytes. `link` makes links fail as on a file system without them, `folder` the sync of folders,
 * `close` the close of the folder's lock.
 * `open-log` makes SQLite wait before it opens the log. `step-3` kills the program before the third of its links, renames, deletions,
 * truncations and syncs. The files `petstore.db.undo` and
 * `petstore.db-wal.undo` record the unsynced writes, so that a test can undo them and so simulate a loss of power. A
 * record has three int64 (offset, previous size of the file, count of previous bytes) and the previous bytes.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define NEXT(name) ((__typeof__(&name)) dlsym(RTLD_NEXT, #name))

static int is_on(const char *fault) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", getenv("TEST_DISK"), fault);
    return access(path, F_OK) == 0;
}

static const char *name(int fd, char path[PATH_MAX]) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, PATH_MAX - 1);
    path[length < 0 ? 0 : length] = 0;
    const char *slash = strrchr(path, '/');
    return slash == NULL ? "" : slash + 1;
}

static int is_named(int fd, const char *expected) {
    char path[PATH_MAX];
    return strcmp(name(fd, path), expected) == 0;
}

static int is_part(int fd) {
    char path[PATH_MAX];
    const char *dot = strrchr(name(fd, path), '.');
    return dot != NULL && strcmp(dot, ".part") == 0;
}

/* Returns the name of the store's file behind fd; NULL for another file. */
static const char *store_file(int fd) {
    return is_named(fd, "petstore.db") ? "petstore.db" : is_named(fd, "petstore.db-wal") ? "petstore.db-wal" : NULL;
}

static int open_undo(const char *file, int flags) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s.undo", getenv("TEST_DISK"), file);
    return open(path, O_WRONLY | O_CREAT | flags, 0600);
}

static void record_undo(int fd, const char *file, size_t count, off64_t offset) {
    struct stat before;
    char *bytes = malloc(count);
    if (bytes == NULL || fstat(fd, &before) != 0) {
        abort();
    }
    ssize_t there = NEXT(pread64)(fd, bytes, count, offset);
    int64_t head[] = {offset, before.st_size, there < 0 ? 0 : there};
    struct iovec entry[] = {{head, sizeof head}, {bytes, (size_t) head[2]}};
    int undo = open_undo(file, O_APPEND);
    if (writev(undo, entry, 2) < 0) {
        abort();
    }
    close(undo);
    free(bytes);
}

static int is_database(const char *file) {
    return file != NULL && strcmp(file, "petstore.db") == 0;
}

/* Returns the error of a write to fd; 0 for none. */
static int write_error(int fd, const char *file) {
    if (file != NULL && is_on("read-only")) {
        return EROFS;
    }
    if (is_database(file) && is_on("database-write")) {
        return EIO;
    }
    int is_full = ((file != NULL || is_named(fd, "petstore.lock")) && is_on("write")) || (is_database(file) && is_on("checkpoint"))
        || (is_on("copy") && is_part(fd));
    return is_full ? ENOSPC : 0;
}

ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t offset) {
    const char *file = store_file(fd);
    int error = write_error(fd, file);
    if (error != 0) {
        errno = error;
        return -1;
    }
    if (file != NULL) {
        record_undo(fd, file, count, offset);
    }
    return NEXT(pwrite64)(fd, bytes, count, offset);
}

int close(int fd) {
    int fails = is_named(fd, "petstore.lock") && is_on("close");
    int result = NEXT(close)(fd);
    if (fails) {
        errno = EIO;
        return -1;
    }
    return result;
}

ssize_t write(int fd, const void *bytes, size_t count) {
    static int is_full;
    if (fd == 2) {
        int was_full = is_full;
        is_full = is_on("log");
        if (is_full && !was_full) {
            count = (count + 1) / 2;
        } else if (is_full) {
            errno = ENOSPC;
            return -1;
        }
    }
    return NEXT(write)(fd, bytes, count);
}

ssize_t pread64(int fd, void *bytes, size_t count, off64_t offset) {
    if (store_file(fd) != NULL && is_on("read")) {
        errno = EIO;
        return -1;
    }
    return NEXT(pread64)(fd, bytes, count, offset);
}

/* Counts the steps of a restore, and kills the program before one of them. */
static void step(void) {
    static int count;
    char fault[32];
    snprintf(fault, sizeof fault, "step-%d", __sync_add_and_fetch(&count, 1));
    if (is_on(fault)) {
        kill(getpid(), SIGKILL);
    }
}

/* Waits before SQLite opens the log. The file `opens-log` shows that. */
static void wait_for_log(const char *path) {
    size_t length = strlen(path);
    if (length < 15 || strcmp(path + length - 15, "petstore.db-wal") != 0 || !is_on("open-log")) {
        return;
    }
    char waits[PATH_MAX];
    snprintf(waits, sizeof waits, "%s/opens-log", getenv("TEST_DISK"));
    close(creat(waits, 0600));
    while (is_on("open-log")) {
        usleep(1000);
    }
}

int open(const char *path, int flags, ...) {
    va_list more;
    va_start(more, flags);
    mode_t mode = (flags & O_CREAT) != 0 ? va_arg(more, mode_t) : 0;
    va_end(more);
    wait_for_log(path);
    return NEXT(open)(path, flags, mode);
}

int open64(const char *path, int flags, ...) {
    va_list more;
    va_start(more, flags);
    mode_t mode = (flags & O_CREAT) != 0 ? va_arg(more, mode_t) : 0;
    va_end(more);
    wait_for_log(path);
    return NEXT(open64)(path, flags, mode);
}

int link(const char *from, const char *to) {
    step();
    if (is_on("link")) {
        errno = EPERM;
        return -1;
    }
    return NEXT(link)(from, to);
}

int rename(const char *from, const char *to) {
    step();
    return NEXT(rename)(from, to);
}

int unlink(const char *path) {
    step();
    return NEXT(unlink)(path);
}

int ftruncate64(int fd, off64_t length) {
    step();
    return NEXT(ftruncate64)(fd, length);
}

int fsync(int fd) {
    step();
    const char *file = store_file(fd);
    struct stat status;
    if (is_on("folder") && fstat(fd, &status) == 0 && S_ISDIR(status.st_mode)) {
        errno = EIO;
        return -1;
    }
    if ((file != NULL && is_on("fsync")) || (is_database(file) && is_on("database-fsync"))) {
        errno = EIO;
        return -1;
    }
    int result = NEXT(fsync)(fd);
    if (file != NULL && result == 0) {
        close(open_undo(file, O_TRUNC));
    }
    return result;
}

int fdatasync(int fd) {
    return fsync(fd);
}
