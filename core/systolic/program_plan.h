// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "systolic/program.h"

namespace tilewright::systolic {

[[nodiscard]] Error programError(std::string message, std::string path);
[[nodiscard]] std::string bytesText(std::int64_t bytes);
/// Bytes of one whole tile of A, B and C, saturating.
struct TileBytes
{
    std::int64_t a, b, c;
    TileBytes(const TileShape& tile, std::int64_t elementBytes);
};
/// Returns an Error if L1 is too small for all buffers of a step.
[[nodiscard]] Status checkDepth(const Program& program);

/// Upper bound on the number of commands of the program, saturating.
[[nodiscard]] std::int64_t mostCommands(const Program& program);
/// Returns an Error above kMaxCommands.
[[nodiscard]] Status checkCommands(std::int64_t most);

/// Weight- and input-stationary programs: tiles and slots, number of commands, and the commands.
[[nodiscard]] Result<Program> planStationary(const ProgramOptions& options);
[[nodiscard]] std::int64_t maxStationaryCommands(const Program& program);
void writeStationary(Program& program);

/// A program without commands: tiles, schedule and slots of every buffer. Returns an Error if buildProgram()
/// does.
[[nodiscard]] Result<Program> planProgram(const ProgramOptions& options);

} // namespace tilewright::systolic
