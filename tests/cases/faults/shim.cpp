// Fails the n-th call that writes below a folder: preloaded into a process, armed through fault_arm.
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

namespace {

char folder[PATH_MAX] = "";
long countdown = 0;  // 0: not armed
int error_number = EIO;
bool sticky = false;
bool halved = false;
long failures = 0;

template <class F>
F* next(const char* name) {
    return reinterpret_cast<F*>(dlsym(RTLD_NEXT, name));
}

bool below(const char* path) { return folder[0] != 0 && strncmp(path, folder, strlen(folder)) == 0; }

bool below(int handle) {
    char link[64], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", handle);
    const ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return false;
    path[length] = 0;
    return below(path);
}

bool fails() {
    if (countdown == 0) return false;
    if (countdown > 1) {
        --countdown;
        return false;
    }
    if (!sticky) countdown = 0;
    ++failures;
    errno = error_number;
    return true;
}

template <class P>
bool hit(P place) {
    const int kept = errno;
    if (countdown == 0 || !below(place)) {
        errno = kept;
        return false;
    }
    errno = kept;
    return fails();
}

}  // namespace

extern "C" {

void fault_arm(const char* under, long n, int number, int stays, int half) {
    strncpy(folder, under, sizeof folder - 1);
    countdown = n;
    error_number = number;
    sticky = stays != 0;
    halved = half != 0;
    failures = 0;
}

long fault_disarm() {
    countdown = 0;
    return failures;
}

ssize_t write(int handle, const void* data, size_t size) {
    auto* real = next<ssize_t(int, const void*, size_t)>("write");
    if (hit(handle)) {
        if (halved && size > 1) real(handle, data, size / 2);
        errno = error_number;
        return -1;
    }
    return real(handle, data, size);
}

ssize_t pwrite(int handle, const void* data, size_t size, off_t place) {
    auto* real = next<ssize_t(int, const void*, size_t, off_t)>("pwrite");
    if (hit(handle)) {
        if (halved && size > 1) real(handle, data, size / 2, place);
        errno = error_number;
        return -1;
    }
    return real(handle, data, size, place);
}

ssize_t pwrite64(int handle, const void* data, size_t size, off64_t place) {
    auto* real = next<ssize_t(int, const void*, size_t, off64_t)>("pwrite64");
    if (hit(handle)) {
        if (halved && size > 1) real(handle, data, size / 2, place);
        errno = error_number;
        return -1;
    }
    return real(handle, data, size, place);
}

int fsync(int handle) { return hit(handle) ? -1 : next<int(int)>("fsync")(handle); }
int fdatasync(int handle) { return hit(handle) ? -1 : next<int(int)>("fdatasync")(handle); }
int ftruncate(int handle, off_t size) { return hit(handle) ? -1 : next<int(int, off_t)>("ftruncate")(handle, size); }
int ftruncate64(int handle, off64_t size) {
    return hit(handle) ? -1 : next<int(int, off64_t)>("ftruncate64")(handle, size);
}
int unlink(const char* path) { return hit(path) ? -1 : next<int(const char*)>("unlink")(path); }
int linkat(int from, const char* old, int to, const char* path, int flags) {
    return hit(path) ? -1 : next<int(int, const char*, int, const char*, int)>("linkat")(from, old, to, path, flags);
}

int open(const char* path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    const mode_t mode = va_arg(rest, mode_t);
    va_end(rest);
    if ((flags & (O_CREAT | O_TMPFILE)) != 0 && hit(path)) return -1;
    return next<int(const char*, int, ...)>("open")(path, flags, mode);
}

int open64(const char* path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    const mode_t mode = va_arg(rest, mode_t);
    va_end(rest);
    if ((flags & (O_CREAT | O_TMPFILE)) != 0 && hit(path)) return -1;
    return next<int(const char*, int, ...)>("open64")(path, flags, mode);
}
}
