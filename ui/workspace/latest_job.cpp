// SPDX-License-Identifier: GPL-3.0-or-later
#include "workspace/latest_job.h"

#ifdef Q_OS_LINUX
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace tilewright::ui {

QThreadPool* backgroundPool()
{
    static QThreadPool pool;
    static const bool once = [] {
        qAddPostRoutine(
            // At this point running jobs can still post their results to the application.
            [] { pool.waitForDone(); });
        return true;
    }();
    (void)once;
    return &pool;
}

void standBack()
{
#ifdef Q_OS_LINUX
    // The default scheduler of Linux ignores priorities set by QThread, but respects the nice value of a
    // thread.
    constexpr int kNiceness = 5;
    thread_local const bool done =
        setpriority(PRIO_PROCESS, static_cast<id_t>(syscall(SYS_gettid)), kNiceness) == 0;
    (void)done;
#endif
}

} // namespace tilewright::ui
