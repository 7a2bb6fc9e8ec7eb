// SPDX-License-Identifier: GPL-3.0-or-later
#include "verbs.h"

#include "base/file.h"

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <iostream>

namespace tilewright::cli {

Status writeInFolder(const std::string& folder, const std::string& name, std::string_view text)
{
    std::error_code failed;
    std::filesystem::create_directories(folder, failed);
    if (failed)
        return Error{ErrorCode::Io, "cannot be made: " + failed.message(), {}, folder};
    return writeFileAtomically((std::filesystem::path(folder) / name).string(), text);
}

namespace {

sigset_t endSignals()
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    struct sigaction hangUp = {};
    // The program nohup ignores SIGHUP: keep that.
    if (::sigaction(SIGHUP, nullptr, &hangUp) == 0 && hangUp.sa_handler != SIG_IGN)
        sigaddset(&set, SIGHUP);
    return set;
}

} // namespace

InterruptGuard::InterruptGuard()
{
    const sigset_t set = endSignals();
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
    m_waiter = std::jthread([this, set](const std::stop_token& finished) {
        for (;;) {
            if (sigwaitinfo(&set, nullptr) < 0)
                continue;
            if (finished.stop_requested())
                return;
            if (m_source.stop_requested())
                std::_Exit(130);
            m_source.request_stop();
        }
    });
}

InterruptGuard::~InterruptGuard()
{
    m_waiter.request_stop();
    // Wakes the waiting thread; no other thread gets this signal.
    pthread_kill(m_waiter.native_handle(), SIGINT);
    m_waiter.join();
    const sigset_t set = endSignals();
    pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

Progress progressLine(std::stop_token stop, bool print, std::string what)
{
    Progress progress{std::move(stop), {}};
    if (print)
        progress.report = [what = std::move(what), last = -1](double fraction, std::string_view) mutable {
            const int now = static_cast<int>(fraction * 100);
            if (now > last)
                std::cerr << what << ' ' << now << " %\n";
            last = std::max(last, now);
        };
    return progress;
}

} // namespace tilewright::cli
