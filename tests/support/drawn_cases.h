// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace tilewright::test {

/// Whether the tests run under AddressSanitizer, which looks for faults that need few cases and takes ten
/// times as long for each.
#ifdef __SANITIZE_ADDRESS__
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

/// How many drawn cases a test looks at: all, or with a sanitizer a twentieth, of few a sixth.
template <typename Number> constexpr Number drawnCases(Number all)
{
    return kSanitized ? all / (all > 100 ? 20 : 6) : all;
}

/// How many of them are seen at least, where all would show `all`: few cases scatter, so a third of their
/// share.
template <typename Number> constexpr Number drawnAtLeast(Number all)
{
    return kSanitized ? all / 60 : all;
}

} // namespace tilewright::test
