/* Notes the old bytes of every write below POWER_CUT_BELOW, and every fsync, in POWER_CUT_NOTES.
 * The test reads the notes after a kill and takes back what was not fsynced. See src/power_cut.rs.
 *
 * A note is written before its write (a kill between the two undoes nothing), and the note of an fsync after it
 * (a kill between the two takes back writes that nobody was told about). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* The path behind fd if it is one of ours, else NULL. */
static const char *ours(int fd, char *path) {
    const char *below = getenv("POWER_CUT_BELOW");
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = below ? syscall(SYS_readlink, link, path, PATH_MAX - 1) : -1;
    if (length <= 0) return NULL;
    path[length] = 0;
    size_t prefix = strlen(below);
    size_t name = strlen(path);
    int shared_memory = name > 4 && strcmp(path + name - 4, "-shm") == 0; /* never durable, rebuilt on open */
    return strncmp(path, below, prefix) == 0 && !shared_memory ? path : NULL;
}

/* struct note: kind (0 write, 1 sync), length of path, offset, old size, length of old bytes; then path, old bytes. */
static void note(uint64_t kind, const char *path, uint64_t offset, uint64_t old_size, const void *old, uint64_t length) {
    const char *file = getenv("POWER_CUT_NOTES");
    int fd = syscall(SYS_openat, AT_FDCWD, file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (fd < 0) return;
    uint64_t head[5] = {kind, strlen(path), offset, old_size, length};
    struct iovec parts[3] = {{head, sizeof head}, {(void *)path, head[1]}, {(void *)old, length}};
    syscall(SYS_writev, fd, parts, 3);
    syscall(SYS_close, fd);
}

static void note_write(int fd, uint64_t offset, uint64_t length) {
    char path[PATH_MAX];
    if (!ours(fd, path)) return;
    struct stat before;
    if (fstat(fd, &before) != 0) return;
    uint64_t size = (uint64_t)before.st_size;
    uint64_t kept = offset >= size ? 0 : (size - offset < length ? size - offset : length);
    char *old = malloc(kept ? kept : 1);
    int reader = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
    if (kept && (reader < 0 || syscall(SYS_pread64, reader, old, kept, offset) != (ssize_t)kept)) kept = 0;
    note(0, path, offset, size, old, kept);
    if (reader >= 0) syscall(SYS_close, reader);
    free(old);
}

static int synced(int fd, int result) {
    char path[PATH_MAX];
    if (result == 0 && ours(fd, path)) note(1, path, 0, 0, "", 0);
    return result;
}

ssize_t write(int fd, const void *bytes, size_t length) {
    pthread_mutex_lock(&lock);
    off_t at = lseek(fd, 0, SEEK_CUR);
    if (at >= 0) {
        int flags = fcntl(fd, F_GETFL);
        struct stat now;
        if ((flags & O_APPEND) && fstat(fd, &now) == 0) at = now.st_size;
        note_write(fd, (uint64_t)at, length);
    }
    pthread_mutex_unlock(&lock);
    return syscall(SYS_write, fd, bytes, length);
}

static ssize_t write_at(int fd, const void *bytes, size_t length, off_t offset) {
    pthread_mutex_lock(&lock);
    note_write(fd, (uint64_t)offset, length);
    pthread_mutex_unlock(&lock);
    return syscall(SYS_pwrite64, fd, bytes, length, offset);
}

ssize_t pwrite(int fd, const void *bytes, size_t length, off_t offset) { return write_at(fd, bytes, length, offset); }
ssize_t pwrite64(int fd, const void *bytes, size_t length, off_t offset) { return write_at(fd, bytes, length, offset); }

static int truncate_to(int fd, off_t length) {
    struct stat now;
    pthread_mutex_lock(&lock);
    if (fstat(fd, &now) == 0 && now.st_size > length) note_write(fd, (uint64_t)length, (uint64_t)(now.st_size - length));
    pthread_mutex_unlock(&lock);
    return syscall(SYS_ftruncate, fd, length);
}

int ftruncate(int fd, off_t length) { return truncate_to(fd, length); }
int ftruncate64(int fd, off_t length) { return truncate_to(fd, length); }

static int sync_file(long call, int fd) {
    int result = (int)syscall(call, fd);
    pthread_mutex_lock(&lock);
    result = synced(fd, result);
    pthread_mutex_unlock(&lock);
    return result;
}

int fsync(int fd) { return sync_file(SYS_fsync, fd); }
int fdatasync(int fd) { return sync_file(SYS_fdatasync, fd); }
