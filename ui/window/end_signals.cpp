// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/end_signals.h"

#include <QSocketNotifier>

#include <array>
#include <cerrno>
#include <csignal>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace tilewright::ui {

namespace {

constexpr std::array kEndSignals{SIGTERM, SIGHUP, SIGINT};
std::array<int, 2> g_signalPipe{-1, -1}; ///< a signal handler may write to a pipe, but must not call Qt

void noteSignal(int signal)
{
    const int before = errno;
    const char number = static_cast<char>(signal);
    (void)!::write(g_signalPipe[1], &number, 1);
    errno = before;
}

} // namespace

EndSignals::EndSignals(std::function<void(int)> caught)
{
    if (::pipe2(g_signalPipe.data(), O_CLOEXEC | O_NONBLOCK) != 0)
        return;
    auto* notifier = new QSocketNotifier(g_signalPipe[0], QSocketNotifier::Read, this);
    connect(notifier, &QSocketNotifier::activated, this, [caught = std::move(caught)] {
        char number = 0;
        if (::read(g_signalPipe[0], &number, 1) == 1)
            caught(number);
    });
    for (const int signal : kEndSignals) {
        struct sigaction now = {};
        if (::sigaction(signal, nullptr, &now) != 0 || now.sa_handler == SIG_IGN)
            continue;
        now = {};
        now.sa_handler = noteSignal;
        now.sa_flags = SA_RESTART | static_cast<int>(SA_RESETHAND);
        ::sigaction(signal, &now, nullptr);
    }
}

EndSignals::~EndSignals()
{
    for (const int signal : kEndSignals) {
        struct sigaction now = {};
        if (::sigaction(signal, nullptr, &now) == 0 && now.sa_handler == noteSignal)
            std::signal(signal, SIG_DFL);
    }
    for (int& end : g_signalPipe)
        if (end >= 0)
            ::close(std::exchange(end, -1));
}

} // namespace tilewright::ui
