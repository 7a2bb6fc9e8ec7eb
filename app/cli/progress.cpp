// SPDX-License-Identifier: GPL-3.0-or-later
#include "progress.h"

#include <iostream>

namespace tilewright::cli {

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
