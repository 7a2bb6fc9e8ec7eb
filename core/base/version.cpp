// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/version.h"

namespace tilewright {

std::string_view programVersion() noexcept
{
    return TILEWRIGHT_VERSION;
}

} // namespace tilewright
