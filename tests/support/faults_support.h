// SPDX-License-Identifier: GPL-3.0-or-later
// Which faults there are, and how many of them a run tries. For tests that link tests/faults/faults.c.
#pragma once

#include "faults.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <string>
#include <vector>

namespace tilewright::test {

struct Fault
{
    TilewrightCall call;
    int error;
    bool stays; ///< all calls after it fail, too: a full disk
    const char* name;
};

inline const std::vector<Fault>& ioFaults()
{
    static const std::vector<Fault> kFaults{
        {TILEWRIGHT_OPEN, EACCES, false, "open EACCES"},
        {TILEWRIGHT_OPEN, EMFILE, true, "open EMFILE on"},
        {TILEWRIGHT_READ, EIO, false, "read EIO"},
        {TILEWRIGHT_READ, EINTR, false, "read EINTR"},
        {TILEWRIGHT_READ, TILEWRIGHT_SHORT, false, "read short"},
        {TILEWRIGHT_WRITE, ENOSPC, true, "write ENOSPC on"},
        {TILEWRIGHT_WRITE, EIO, false, "write EIO"},
        {TILEWRIGHT_WRITE, EINTR, false, "write EINTR"},
        {TILEWRIGHT_WRITE, TILEWRIGHT_SHORT, false, "write short"},
        {TILEWRIGHT_SYNC, EIO, false, "fsync EIO"},
        {TILEWRIGHT_RENAME, EACCES, false, "rename EACCES"},
        {TILEWRIGHT_RENAME, EIO, true, "rename EIO on"},
        {TILEWRIGHT_MAP, ENOMEM, false, "mmap ENOMEM"},
    };
    return kFaults;
}

/// The n of "the n-th call": all of `count`, or without TILEWRIGHT_FAULTS=all at most `sample` of them, the
/// first and the last among them.
inline std::vector<long> faultsToTry(long count, long sample)
{
    const char* all = std::getenv("TILEWRIGHT_FAULTS");
    const bool every = (all && std::string(all) == "all") || count <= sample;
    const long tries = every ? count : sample;
    std::vector<long> out;
    for (long i = 0; i < tries; ++i)
        out.push_back(tries == 1 ? 1 : 1 + i * (count - 1) / (tries - 1));
    return out;
}

} // namespace tilewright::test
