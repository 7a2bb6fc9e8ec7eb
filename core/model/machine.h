// SPDX-License-Identifier: GPL-3.0-or-later
// Machines, and the list of their fields with units.
#pragma once

#include "base/integer.h"
#include "base/result.h"

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright {

enum class MachineLevel : std::uint8_t { Host, External, L3, L2, L1 };
inline constexpr std::array kMachineLevels{MachineLevel::Host, MachineLevel::External, MachineLevel::L3,
                                           MachineLevel::L2, MachineLevel::L1};
[[nodiscard]] std::string_view toString(MachineLevel level) noexcept; ///< "host", "external", "l3" ...

/// The operand that stays in the array: outputs, weights or inputs.
enum class ArrayDataflow : std::uint8_t { Os, Ws, Is };
[[nodiscard]] std::string_view toString(ArrayDataflow dataflow) noexcept; ///< "os", "ws", "is"

/// A value that a machine file leaves open.
struct DerivedValue
{
    std::string path; ///< path of the field, "vector.lanes"
    std::string value;
    std::string formula; ///< "2 * cols"
    bool operator==(const DerivedValue&) const = default;
};

/// The one machine that every lens takes its hardware from (docs/rules/workload.md 2). Sizes in bytes, rates
/// in GB/s of all buffers of a level together.
struct Machine
{
    struct Level
    {
        std::int64_t buffers = 1;
        std::int64_t bytes = 0; ///< size of one buffer
        double gbPerSecond = 0;
        bool operator==(const Level&) const = default;
        [[nodiscard]] std::int64_t totalBytes() const noexcept { return buffers * bytes; }
    };
    struct Passes
    {
        std::int64_t softmax = 4, layerNorm = 3, rmsNorm = 2, elementwise = 1;
        bool operator==(const Passes&) const = default;
    };
    struct Dram
    {
        /// banks and bytes per cycle are those of one channel
        std::int64_t channels = 4, banks = 16, bytesPerCycle = 16;
        std::int64_t burstBytes = 64, interleaveBytes = 256, rowBytes = 2048;
        std::int64_t rowHitCycles = 20, rowMissCycles = 60;
        bool operator==(const Dram&) const = default;
    };
    struct Noc
    {
        std::int64_t linkBytesPerCycle = 32, trunkBytesPerCycle = 128;
        bool operator==(const Noc&) const = default;
    };
    struct Dma
    {
        double initCycles = 291, cyclesPerByte = 0.24, mhz = 3200;
        bool operator==(const Dma&) const = default;
    };
    struct Energy ///< pJ an element, or a multiply-accumulate
    {
        double rf = 0.96, noc = 2, spm = 13.5, dram = 200, mac = 0.075;
        bool operator==(const Energy&) const = default;
    };

    std::string name;
    std::int64_t elementBytes = 2;
    std::int64_t accumulatorBytes = 4;
    double clockGhz = 1;
    std::int64_t cores = 1;
    std::int64_t rows = 1, cols = 1;
    ArrayDataflow dataflow = ArrayDataflow::Os;
    std::int64_t lanes = 1;
    Passes passes;
    std::array<Level, 5> levels; ///< indexed by MachineLevel; levels that the file lacks are derived
    MachineLevel scratchpad = MachineLevel::L3;
    std::int64_t registerFileBytes = 512;
    std::int64_t scratchpadBanks = 32;
    Dram dram;
    Noc noc;
    Dma dma;
    Energy energy;

    std::set<std::string, std::less<>> given; ///< paths of the fields that the file has
    std::vector<DerivedValue> derived;        ///< all others, in the order of the file's description
    std::vector<std::string> notes;           ///< what rounding leaves over

    bool operator==(const Machine&) const = default;

    [[nodiscard]] const Level& at(MachineLevel level) const noexcept
    {
        return levels[static_cast<std::size_t>(level)];
    }
    [[nodiscard]] Level& at(MachineLevel level) noexcept { return levels[static_cast<std::size_t>(level)]; }
    [[nodiscard]] bool has(std::string_view path) const { return given.find(path) != given.end(); }
    /// The scratchpad of one core.
    [[nodiscard]] std::int64_t scratchpadBytes() const noexcept { return at(scratchpad).totalBytes(); }
    [[nodiscard]] double bytesPerCycle(MachineLevel level) const noexcept
    {
        return at(level).gbPerSecond / clockGhz;
    }
};

/// Fills in what `given` does not name, and says how in `derived` and `notes`.
void deriveMachine(Machine& machine);

/// The machine of the fields that `given` names, checked as those of a file are, and completed. `file` names
/// it in errors.
[[nodiscard]] Result<Machine> completeMachine(const Machine& fields, const std::string& file);

/// Reads a machine file. Missing required fields, wrong values and unknown fields are errors that name file,
/// field and reason.
[[nodiscard]] Result<Machine> readMachine(std::string_view text, const std::string& file);
/// The fields that were given, as readMachine() takes them.
[[nodiscard]] std::string writeMachine(const Machine& machine);
/// The machine with one field changed, all else derived again; `value` as in the file ("64", "ws").
[[nodiscard]] Result<Machine> withMachineField(const Machine& machine, std::string_view path,
                                               std::string_view value);

/// The machine without a field, which is then derived.
[[nodiscard]] Result<Machine> withoutMachineField(const Machine& machine, std::string_view path);

struct MachinePreset
{
    std::string_view name; ///< name of its file in resources/machines, without ".json"
    std::string_view text;
};
[[nodiscard]] std::span<const MachinePreset> machinePresets();
[[nodiscard]] std::optional<Machine> machinePreset(std::string_view name);

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
