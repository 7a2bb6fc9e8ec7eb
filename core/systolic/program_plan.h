// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "systolic/program.h"

namespace tilewright::systolic {

[[nodiscard]] Error programError(std::string message, std::string path);
[[nodiscard]] std::string bytesText(std::int64_t bytes);
/// Of whole tiles; saturates.
struct TileBytes
{
    std::int64_t a, b, c;
    TileBytes(const TileShape& tile, std::int64_t elementBytes);
};
/// Refuses steps that L1 does not hold in all its buffers.
[[nodiscard]] Status checkDepth(const Program& program);

/// No fewer commands than the program has; saturates.
[[nodiscard]] std::int64_t mostCommands(const Program& program);
/// Refuses more than kMaxCommands.
[[nodiscard]] Status checkCommands(std::int64_t most);

/// Of weight- and input-stationary programs: tiles, slots; and their commands.
[[nodiscard]] Result<Program> planStationary(const ProgramOptions& options);
[[nodiscard]] std::int64_t mostStationaryCommands(const Program& program);
void writeStationary(Program& program);

/// A program without its commands: tiles, schedule, slots of every pool. Refuses what buildProgram() refuses.
[[nodiscard]] Result<Program> planProgram(const ProgramOptions& options);

} // namespace tilewright::systolic
