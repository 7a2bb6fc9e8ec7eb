/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The calls of faults.h, in front of those of the C library. Only files that were opened below the folder
   count, so that pipes, sockets and the files of other libraries are left alone. */
#define _GNU_SOURCE
#include "faults.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

static char folder[4096];
static atomic_int armed = -1; /* the kind of call */
static atomic_long calls, failing;
static int error_number, stays_failing;
static atomic_int happened;
#define FILES 4096
static atomic_char counted[FILES]; /* by file descriptor */

void tilewright_faults_folder(const char* path)
{
    snprintf(folder, sizeof folder, "%s", path ? path : "");
}

void tilewright_faults_arm(enum TilewrightCall call, long n, int error, int stays)
{
    atomic_store(&armed, -1);
    atomic_store(&calls, 0);
    atomic_store(&happened, 0);
    failing = n;
    error_number = error;
    stays_failing = stays;
    atomic_store(&armed, (int)call);
}

long tilewright_faults_disarm(void)
{
    atomic_store(&armed, -1);
    return atomic_load(&calls);
}

int tilewright_faults_happened(void)
{
    return atomic_load(&happened);
}

__attribute__((constructor)) static void from_environment(void)
{
    static const char* const names[] = {"open", "read", "write", "sync", "rename", "mmap", "malloc"};
    const char* what = getenv("TILEWRIGHT_FAULT");
    char name[16], stays[8] = "";
    long n = 0;
    int error = 0;
    tilewright_faults_folder(getenv("TILEWRIGHT_FAULT_FOLDER"));
    if (!what || sscanf(what, "%15[a-z]:%ld:%d:%7s", name, &n, &error, stays) < 3)
        return;
    for (int i = 0; i < TILEWRIGHT_CALLS; ++i)
        if (strcmp(name, names[i]) == 0)
            tilewright_faults_arm((enum TilewrightCall)i, n, error, stays[0] != 0);
}

/* Whether this call is to fail. */
static int fails(enum TilewrightCall call)
{
    if (atomic_load_explicit(&armed, memory_order_relaxed) != (int)call)
        return 0;
    const long n = atomic_fetch_add(&calls, 1) + 1;
    if (failing == 0 || (n != failing && !(stays_failing && n > failing)))
        return 0;
    atomic_store(&happened, 1);
    return 1;
}

static int is_ours(const char* path)
{
    char here[4096];
    if (!path)
        return 0;
    if (folder[0] == 0 || strncmp(path, folder, strlen(folder)) == 0)
        return 1;
    return path[0] != '/' && getcwd(here, sizeof here) && strncmp(here, folder, strlen(folder)) == 0;
}

static int counts(int file)
{
    return file >= 0 && file < FILES && atomic_load(&counted[file]);
}

static int opened(int file, int ours)
{
    if (file >= 0 && file < FILES)
        atomic_store(&counted[file], (char)ours);
    return file;
}

#define NEXT(type, name)                                                                                     \
    static type next = NULL;                                                                                 \
    if (!next)                                                                                               \
        next = (type)dlsym(RTLD_NEXT, name);

typedef int (*OpenCall)(const char*, int, ...);
typedef int (*OpenAtCall)(int, const char*, int, ...);
typedef FILE* (*FileCall)(const char*, const char*);

#define MODE(flags)                                                                                          \
    mode_t mode = 0;                                                                                         \
    if (flags & (O_CREAT | __O_TMPFILE)) {                                                                   \
        va_list rest;                                                                                        \
        va_start(rest, flags);                                                                               \
        mode = va_arg(rest, mode_t);                                                                         \
        va_end(rest);                                                                                        \
    }

#define OPEN(name)                                                                                           \
    int name(const char* path, int flags, ...)                                                               \
    {                                                                                                        \
        NEXT(OpenCall, #name)                                                                                \
        MODE(flags)                                                                                          \
        const int ours = is_ours(path);                                                                      \
        if (ours && fails(TILEWRIGHT_OPEN)) {                                                                \
            errno = error_number;                                                                            \
            return -1;                                                                                       \
        }                                                                                                    \
        return opened(next(path, flags, mode), ours);                                                        \
    }
OPEN(open)
OPEN(open64)

#define OPENAT(name)                                                                                         \
    int name(int at, const char* path, int flags, ...)                                                       \
    {                                                                                                        \
        NEXT(OpenAtCall, #name)                                                                              \
        MODE(flags)                                                                                          \
        const int ours = is_ours(path);                                                                      \
        if (ours && fails(TILEWRIGHT_OPEN)) {                                                                \
            errno = error_number;                                                                            \
            return -1;                                                                                       \
        }                                                                                                    \
        return opened(next(at, path, flags, mode), ours);                                                    \
    }
OPENAT(openat)
OPENAT(openat64)

#define FOPEN(name)                                                                                          \
    FILE* name(const char* path, const char* how)                                                            \
    {                                                                                                        \
        NEXT(FileCall, #name)                                                                                \
        const int ours = is_ours(path);                                                                      \
        if (ours && fails(TILEWRIGHT_OPEN)) {                                                                \
            errno = error_number;                                                                            \
            return NULL;                                                                                     \
        }                                                                                                    \
        FILE* file = next(path, how);                                                                        \
        if (file)                                                                                            \
            opened(fileno(file), ours);                                                                      \
        return file;                                                                                         \
    }
FOPEN(fopen)
FOPEN(fopen64)

#define TEMPORARY(name, parameters, arguments)                                                               \
    int name parameters                                                                                      \
    {                                                                                                        \
        typedef int(*Call) parameters;                                                                       \
        NEXT(Call, #name)                                                                                    \
        const int ours = is_ours(path);                                                                      \
        if (ours && fails(TILEWRIGHT_OPEN)) {                                                                \
            errno = error_number;                                                                            \
            return -1;                                                                                       \
        }                                                                                                    \
        return opened(next arguments, ours);                                                                 \
    }
TEMPORARY(mkstemp, (char* path), (path))
TEMPORARY(mkstemp64, (char* path), (path))
TEMPORARY(mkostemp, (char* path, int flags), (path, flags))
TEMPORARY(mkostemp64, (char* path, int flags), (path, flags))

int close(int file)
{
    typedef int (*Call)(int);
    NEXT(Call, "close")
    opened(file, 0);
    return next(file);
}

/* A call on an open file that moves `size` bytes. */
#define TRANSFER(kind, name, parameters, arguments, shortened)                                               \
    ssize_t name parameters                                                                                  \
    {                                                                                                        \
        typedef ssize_t(*Call) parameters;                                                                   \
        NEXT(Call, #name)                                                                                    \
        if (counts(file) && fails(kind)) {                                                                   \
            if (error_number != TILEWRIGHT_SHORT) {                                                          \
                errno = error_number;                                                                        \
                return -1;                                                                                   \
            }                                                                                                \
            shortened;                                                                                       \
        }                                                                                                    \
        return next arguments;                                                                               \
    }
TRANSFER(TILEWRIGHT_READ, read, (int file, void* to, size_t size), (file, to, size), size = (size + 1) / 2)
TRANSFER(TILEWRIGHT_READ, pread, (int file, void* to, size_t size, off_t at), (file, to, size, at),
         size = (size + 1) / 2)
TRANSFER(TILEWRIGHT_READ, pread64, (int file, void* to, size_t size, off64_t at), (file, to, size, at),
         size = (size + 1) / 2)
TRANSFER(TILEWRIGHT_READ, readv, (int file, const struct iovec* to, int n), (file, to, n), n = (n + 1) / 2)
TRANSFER(TILEWRIGHT_WRITE, write, (int file, const void* from, size_t size), (file, from, size),
         size = (size + 1) / 2)
TRANSFER(TILEWRIGHT_WRITE, pwrite, (int file, const void* from, size_t size, off_t at),
         (file, from, size, at), size = (size + 1) / 2)
TRANSFER(TILEWRIGHT_WRITE, pwrite64, (int file, const void* from, size_t size, off64_t at),
         (file, from, size, at), size = (size + 1) / 2)
TRANSFER(TILEWRIGHT_WRITE, writev, (int file, const struct iovec* from, int n), (file, from, n),
         n = (n + 1) / 2)

/* A call on an open file that succeeds or not. */
#define SIMPLE(kind, name, parameters, arguments)                                                            \
    int name parameters                                                                                      \
    {                                                                                                        \
        typedef int(*Call) parameters;                                                                       \
        NEXT(Call, #name)                                                                                    \
        if (counts(file) && fails(kind)) {                                                                   \
            errno = error_number;                                                                            \
            return -1;                                                                                       \
        }                                                                                                    \
        return next arguments;                                                                               \
    }
SIMPLE(TILEWRIGHT_SYNC, fsync, (int file), (file))
SIMPLE(TILEWRIGHT_SYNC, fdatasync, (int file), (file))
SIMPLE(TILEWRIGHT_WRITE, ftruncate, (int file, off_t size), (file, size))
SIMPLE(TILEWRIGHT_WRITE, ftruncate64, (int file, off64_t size), (file, size))

/* A file gets its name. */
#define NAMING(name, parameters, arguments)                                                                  \
    int name parameters                                                                                      \
    {                                                                                                        \
        typedef int(*Call) parameters;                                                                       \
        NEXT(Call, #name)                                                                                    \
        if (is_ours(to) && fails(TILEWRIGHT_RENAME)) {                                                       \
            errno = error_number;                                                                            \
            return -1;                                                                                       \
        }                                                                                                    \
        return next arguments;                                                                               \
    }
NAMING(rename, (const char* from, const char* to), (from, to))
NAMING(renameat, (int a, const char* from, int b, const char* to), (a, from, b, to))
NAMING(renameat2, (int a, const char* from, int b, const char* to, unsigned how), (a, from, b, to, how))
NAMING(link, (const char* from, const char* to), (from, to))
NAMING(linkat, (int a, const char* from, int b, const char* to, int how), (a, from, b, to, how))

#define MMAP(name, offset)                                                                                   \
    void* name(void* where, size_t size, int protection, int how, int file, offset at)                       \
    {                                                                                                        \
        typedef void* (*Call)(void*, size_t, int, int, int, offset);                                         \
        NEXT(Call, #name)                                                                                    \
        if (counts(file) && fails(TILEWRIGHT_MAP)) {                                                         \
            errno = error_number;                                                                            \
            return MAP_FAILED;                                                                               \
        }                                                                                                    \
        return next(where, size, protection, how, file, at);                                                 \
    }
MMAP(mmap, off_t)
MMAP(mmap64, off64_t)

#ifndef TILEWRIGHT_NO_MALLOC /* the sanitizers have their own */
void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);

#define MEMORY(parameters, name, arguments)                                                                  \
    void* name parameters                                                                                    \
    {                                                                                                        \
        if (fails(TILEWRIGHT_MALLOC)) {                                                                      \
            errno = ENOMEM;                                                                                  \
            return NULL;                                                                                     \
        }                                                                                                    \
        return __libc_##name arguments;                                                                      \
    }
MEMORY((size_t size), malloc, (size))
MEMORY((size_t n, size_t size), calloc, (n, size))
MEMORY((void* old, size_t size), realloc, (old, size))
MEMORY((size_t to, size_t size), memalign, (to, size))
void* aligned_alloc(size_t to, size_t size)
{
    return memalign(to, size);
}
#endif
