// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string_view>

namespace tilewright {

/// Version of the program, for example "0.1.0": the version of the CMake project.
[[nodiscard]] std::string_view programVersion() noexcept;

} // namespace tilewright
