// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/machine.h"

#include <string>
#include <string_view>
#include <vector>

namespace tilewright {

/// Unit of a value of a machine.
enum class MachineUnit : std::uint8_t {
    Count,
    Bytes,
    GbPerSecond,
    Ghz,
    Mhz,
    BytesPerCycle,
    Cycles,
    Pj,
    Word
};

/// One value of a machine for people: each can be changed with withMachineField().
struct MachineField
{
    std::string path;         ///< "array.rows"
    std::string_view group;   ///< "array"
    std::string_view label;   ///< "rows"
    std::string_view meaning; ///< one line
    MachineUnit unit = MachineUnit::Count;
    std::string value;                   ///< as in the file
    bool given = false;                  ///< in the file; else derived
    std::string formula;                 ///< formula of a derived value, "2 * array cols"
    std::vector<std::string_view> words; ///< the choices of a Word
};

/// Returns all values of a machine in the order of its description. A memory level that the machine lacks has
/// no fields; Machine::derived has a note on it.
[[nodiscard]] std::vector<MachineField> machineFields(const Machine& machine);

/// A difference between two machines.
struct MachineChange
{
    std::string path, label;
    std::string before, after; ///< empty where one of them lacks the field
};
/// The fields whose values differ, derived ones included.
[[nodiscard]] std::vector<MachineChange> machineChanges(const Machine& before, const Machine& after);

} // namespace tilewright
