// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace tilewright::test {

/// How many drawn cases a test looks at: all, or a sixth with a sanitizer, which looks for faults that need
/// few cases and takes ten times as long for each.
template <typename Number> constexpr Number drawnCases(Number all)
{
#ifdef __SANITIZE_ADDRESS__
    return all / 6;
#else
    return all;
#endif
}

/// How many of them are seen at least, where all would show `all`: few cases scatter, so a third of their
/// share.
template <typename Number> constexpr Number drawnAtLeast(Number all)
{
#ifdef __SANITIZE_ADDRESS__
    return drawnCases(all) / 3;
#else
    return all;
#endif
}

} // namespace tilewright::test
