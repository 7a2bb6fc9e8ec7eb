// SPDX-License-Identifier: GPL-3.0-or-later
// Python's lock, also while the interpreter ends.
#pragma once

#include <pybind11/pybind11.h>

#include <stop_token>

namespace tilewright::python {

/// Releases Python's lock while it lives. Unlike pybind11's it can be used in a daemon thread: when the
/// interpreter ends, a thread that asks for the lock would be ended in a destructor, which aborts the
/// program. Such a thread sleeps instead until the process has ended.
class Released
{
public:
    Released();
    Released(const Released&) = delete;
    Released& operator=(const Released&) = delete;
    ~Released();

private:
    PyThreadState* m_state;
};

/// Long work with threads of its own, which may outlive the thread that began it: the end of the interpreter
/// stops it and waits a little for it.
class LongWork
{
public:
    explicit LongWork(std::stop_source& stop);
    LongWork(const LongWork&) = delete;
    LongWork& operator=(const LongWork&) = delete;
    ~LongWork();

private:
    std::stop_source& m_stop;
};

/// Makes the end of the interpreter known to these.
void watchForTheEnd();

} // namespace tilewright::python
