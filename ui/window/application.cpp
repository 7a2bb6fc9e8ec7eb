// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/application.h"

#include "base/notice.h"

#include <exception>

namespace tilewright::ui {

bool Application::notify(QObject* receiver, QEvent* event)
{
    return guarded([&] { return QApplication::notify(receiver, event); });
}

bool Application::guarded(const std::function<bool()>& run) noexcept
{
    const auto tell = [](const std::string& why) {
        notice({ErrorCode::Internal, "The last action was not completed: " + why, {}, {}});
    };
    try {
        return run();
    } catch (const std::exception& e) {
        tell(e.what());
    } catch (...) {
        tell("unknown reason");
    }
    return false;
}

} // namespace tilewright::ui
