/* Makes fdatasync wait as long as the file STALL_FILE exists, as a disk that hangs. Loaded into PostgreSQL by LD_PRELOAD. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

int fdatasync(int fd) {
    while (access(getenv("STALL_FILE"), F_OK) == 0) {
        /* Signals do not end the wait, as in the kernel. */
        usleep(10 * 1000);
    }
    return ((int (*)(int)) dlsym(RTLD_NEXT, "fdatasync"))(fd);
}
