// SPDX-License-Identifier: GPL-3.0-or-later
// Handling of Python's lock (GIL), including the end of the interpreter.
#pragma once

#include <pybind11/pybind11.h>

#include <stop_token>

namespace tilewright::python {

/// Releases Python's lock during its lifetime. Unlike pybind11's class it can be used in a daemon thread:
/// when the interpreter ends, Python would end a thread that requests the lock inside a destructor, which
/// aborts the program. This class lets such a thread sleep until the process has ended.
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

/// Registers long work whose threads may outlive the thread that started it. When the interpreter ends, the
/// work is stopped and given a short time to finish.
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

/// Makes Released and LongWork notice the end of the interpreter.
void watchForTheEnd();

} // namespace tilewright::python
