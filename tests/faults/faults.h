/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes the n-th call of a kind fail, in this process. A program that links the library (or is started with
   it in LD_PRELOAD) calls these functions; one that knows nothing of it gets its fault from the environment:
     TILEWRIGHT_FAULT=write:3:28[:on]  the third write fails with errno 28, with "on" all after it too
     TILEWRIGHT_FAULT_FOLDER=/tmp/x    only files below this folder (default: all) */
#ifndef TILEWRIGHT_FAULTS_H
#define TILEWRIGHT_FAULTS_H

#ifdef __cplusplus
extern "C" {
#endif

enum TilewrightCall {
    TILEWRIGHT_OPEN,
    TILEWRIGHT_READ,
    TILEWRIGHT_WRITE,
    TILEWRIGHT_SYNC,
    TILEWRIGHT_RENAME,
    TILEWRIGHT_MAP,
    TILEWRIGHT_MALLOC,
    TILEWRIGHT_CALLS
};

/* An error that is none of errno's: half of what was asked for is read or written. */
#define TILEWRIGHT_SHORT 0

/* Only files below this folder count; NULL: all. */
void tilewright_faults_folder(const char* folder);
/* The n-th call from now on (1: the next) fails; n = 0 only counts. `stays`: all after it fail as well. */
void tilewright_faults_arm(enum TilewrightCall call, long n, int error, int stays);
/* No call fails any more. Returns how many calls of the kind there were, whether or not they failed. */
long tilewright_faults_disarm(void);
/* Whether the fault has happened since it was armed. */
int tilewright_faults_happened(void);

#ifdef __cplusplus
}
#endif

#endif
