// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <functional>

namespace tilewright {

/// Receives notices about input that a reader accepts, but that the user should know about. Called on the
/// thread of the reader.
using NoticeHandler = std::function<void(const Error&)>;
/// Sets the receiver of this program: the command line prints notices, the window shows them, Python warns.
/// An empty handler drops them.
void setNoticeHandler(NoticeHandler handler);
/// Reports a notice. Each combination of file and message is reported only once; the place in the file
/// (`path`) is not compared. Internal errors are reported each time.
void notice(const Error& what);

} // namespace tilewright
