// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace tilewright {

/// Levels of brackets that a reader of text follows.
inline constexpr int kMaxNesting = 64;

} // namespace tilewright
