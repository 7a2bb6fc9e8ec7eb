// SPDX-License-Identifier: GPL-3.0-or-later
#include "released.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <new>
#include <set>
#include <thread>

#include <pthread.h>

namespace tilewright::python {

namespace {

/// State shared between the threads and the end of the interpreter. Never destroyed, because threads wait on
/// it.
struct End
{
    std::mutex mutex;
    std::condition_variable changed;
    std::thread::id by; ///< id of the thread that ends the interpreter; none before the end
    int released = 0;   ///< number of threads without Python's lock that will request it or are requesting it
    std::set<std::stop_source*> work; ///< work that is running, by its stop source
};
End& end()
{
    static End& only = *new End;
    return only;
}

/// Called when the interpreter ends: stops all work, and lets every thread that already waits for Python's
/// lock have it for the last time.
void stopAll()
{
    constexpr std::chrono::seconds kPatience(5);
    End& e = end();
    PyThreadState* const state = PyEval_SaveThread();
    {
        std::unique_lock lock(e.mutex);
        e.by = std::this_thread::get_id();
        for (std::stop_source* stop : e.work)
            stop->request_stop();
        e.changed.wait_for(lock, kPatience, [&e] { return e.work.empty() && e.released == 0; });
    }
    PyEval_RestoreThread(state);
}

/// True if the calling thread must not get Python's lock any more, because the interpreter is ending.
bool isTooLate(const End& e)
{
    return e.by != std::thread::id() && e.by != std::this_thread::get_id();
}

} // namespace

Released::Released() : m_state(nullptr)
{
    End& e = end();
    {
        const std::scoped_lock lock(e.mutex);
        ++e.released;
    }
    m_state = PyEval_SaveThread();
}

Released::~Released()
{
    End& e = end();
    {
        std::unique_lock lock(e.mutex);
        if (isTooLate(e)) {
            --e.released;
            e.changed.notify_all();
            e.changed.wait(lock, [] { return false; });
        }
    }
    PyEval_RestoreThread(m_state);
    const std::scoped_lock lock(e.mutex);
    --e.released;
    e.changed.notify_all();
}

LongWork::LongWork(std::stop_source& stop) : m_stop(stop)
{
    End& e = end();
    const std::scoped_lock lock(e.mutex);
    e.work.insert(&m_stop);
    if (isTooLate(e))
        m_stop.request_stop();
}

LongWork::~LongWork()
{
    End& e = end();
    const std::scoped_lock lock(e.mutex);
    e.work.erase(&m_stop);
    e.changed.notify_all();
}

void watchForTheEnd()
{
    // A forked child has none of the other threads: reset the state.
    ::pthread_atfork(nullptr, nullptr, [] { new (&end()) End; });
    pybind11::module_::import("atexit").attr("register")(pybind11::cpp_function(&stopAll));
}

} // namespace tilewright::python
