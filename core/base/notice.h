// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <functional>

namespace tilewright {

/// Receives what a reader accepts but the user should know. Called on the thread of the reader.
using NoticeHandler = std::function<void(const Error&)>;
/// Sets the receiver of this program: the command line prints notices, the window shows them, Python warns.
/// An empty handler drops them.
void setNoticeHandler(NoticeHandler handler);
/// Tells the user once per file and message; the place (`path`) may differ. Internal errors are always told.
void notice(const Error& what);

} // namespace tilewright
