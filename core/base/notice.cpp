// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/notice.h"

#include <mutex>
#include <set>

namespace tilewright {

namespace {

/// The only global state of core/: the receiver of notices, and the notices that were already reported.
struct Notices
{
    std::mutex mutex;
    NoticeHandler handler;
    std::set<std::pair<std::string, std::string>> told;
};

Notices& notices()
{
    static Notices one;
    return one;
}

} // namespace

void setNoticeHandler(NoticeHandler handler)
{
    const std::scoped_lock lock(notices().mutex);
    notices().handler = std::move(handler);
    notices().told.clear();
}

void notice(const Error& what)
{
    // Called without the lock, because it may wait for another lock, such as that of Python.
    NoticeHandler handler;
    {
        const std::scoped_lock lock(notices().mutex);
        if (notices().handler &&
            (what.code == ErrorCode::Internal || notices().told.emplace(what.file, what.message).second))
            handler = notices().handler;
    }
    if (handler)
        handler(what);
}

} // namespace tilewright
