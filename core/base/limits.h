// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace tilewright {

/// Maximum nesting of brackets in texts that the program reads.
inline constexpr int kMaxNesting = 64;

} // namespace tilewright
