// SPDX-License-Identifier: GPL-3.0-or-later
#include "sweep_progress.h"

#include "base/text.h"

#include <cmath>
#include <iostream>
#include <memory>
#include <utility>

#include <unistd.h>

namespace tilewright::cli {

namespace {

double shareOf(const sweep::RunState& state)
{
    return state.points == 0 ? 1 : static_cast<double>(state.done()) / static_cast<double>(state.points);
}

void drawBar(const sweep::RunState& state)
{
    constexpr int kWidth = 24;
    const int full = static_cast<int>(shareOf(state) * kWidth);
    std::cerr << "\r[" << std::string(static_cast<std::size_t>(full), '#')
              << std::string(static_cast<std::size_t>(kWidth - full), '.') << "] " << stateText(state)
              << "\x1b[K" << std::flush; // to the end of the line
}

} // namespace

std::string durationText(double seconds)
{
    constexpr std::int64_t kMinute = 60;
    constexpr std::int64_t kHour = 3600;
    const auto whole = static_cast<std::int64_t>(std::ceil(seconds));
    if (whole >= kHour)
        return formatGrouped(whole / kHour) + " h " + std::to_string(whole % kHour / kMinute) + " min";
    if (whole >= kMinute)
        return std::to_string(whole / kMinute) + " min " + std::to_string(whole % kMinute) + " s";
    return std::to_string(whole) + " s";
}

std::string stateText(const sweep::RunState& state)
{
    std::string out = formatGrouped(state.done() - state.failed) + " done, " + formatGrouped(state.failed) +
                      " failed, " + formatGrouped(state.toGo()) + " to go";
    if (const auto left = state.secondsLeft(); left && state.toGo() > 0)
        out += ", " + durationText(*left) + " left";
    return out;
}

std::function<void(const sweep::RunState&)> sweepProgress()
{
    if (::isatty(STDERR_FILENO) != 0)
        return [last = std::make_shared<bool>(false)](const sweep::RunState& state) {
            drawBar(state);
            if ((state.toGo() == 0 || state.stopped) && !std::exchange(*last, true))
                std::cerr << '\n';
        };
    return [printed = -1](const sweep::RunState& state) mutable {
        constexpr int kLines = 10;
        const int now = static_cast<int>(shareOf(state) * kLines);
        if (now > printed)
            std::cerr << stateText(state) << '\n';
        printed = std::max(printed, now);
    };
}

} // namespace tilewright::cli
