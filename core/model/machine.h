// SPDX-License-Identifier: GPL-3.0-or-later
// Machines, and the list of their fields with units.
#pragma once

#include "base/integer.h"
#include "base/result.h"

#include <array>
#include <cstdint>
#include <map>
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

/// How an array computes a product of r x q and q x c.
enum class ArrayKind : std::uint8_t {
    Systolic,   ///< rows x cols processing elements with one of the three dataflows; operands are skewed
    DotProduct, ///< each cycle, `rows` inputs are summed for each of `cols` outputs; operands are not skewed
    Spatial,    ///< each axis unrolls its own fixed loops, for example in row-stationary arrays
};
[[nodiscard]] std::string_view toString(ArrayKind kind) noexcept; ///< "systolic", "dot_product", "spatial"

/// An operand that may have a memory of its own.
enum class MachineOperand : std::uint8_t { Input, Weight, Output };
inline constexpr std::array kMachineOperands{MachineOperand::Input, MachineOperand::Weight,
                                             MachineOperand::Output};
[[nodiscard]] std::string_view toString(MachineOperand operand) noexcept; ///< "input", "weight", "output"

/// Multiply-accumulates of a processing element per cycle, for operands of these widths in bits.
struct MacRate
{
    std::int64_t bits = 0;  ///< width of the wider operand
    std::int64_t other = 0; ///< width of the other operand; 0: any width up to `bits`
    double macs = 1;
    bool operator==(const MacRate&) const = default;
};
[[nodiscard]] std::string rateName(const MacRate& rate); ///< "8" or "8x4", as in a machine file

/// Topology of the links between equal chips.
enum class LinkTopology : std::uint8_t {
    Ring,     ///< each chip has links to two neighbours
    AllToAll, ///< each chip has links to every other one, directly or through switches
};
[[nodiscard]] std::string_view toString(LinkTopology topology) noexcept; ///< "ring", "all_to_all"

/// The cores of one kind: their number, arrays and vector units.
struct MachineCores
{
    std::int64_t cores = 1;
    std::int64_t arrays = 1; ///< number of arrays of a core
    ArrayKind kind = ArrayKind::Systolic;
    std::int64_t rows = 1, cols = 1; ///< size of the array; DotProduct: inputs and outputs per cycle
    ArrayDataflow dataflow = ArrayDataflow::Os;
    /// The array pads its rows and columns of work to multiples of these. Default: the sides of the array.
    std::int64_t rowGranule = 1, colGranule = 1;
    /// Spatial: the loops that each axis of the array unrolls. The first one is fixed; the others may fill
    /// PEs that it leaves unused. Names as in docs/rules/mapping.md 1, for example "Fx". Empty for other
    /// kinds.
    std::vector<std::string> rowLoops, colLoops;
    std::vector<MacRate> rates; ///< empty: 1 MAC per PE and cycle for all widths
    double winograd = 1;        ///< factor by which 3 x 3 convolutions with stride 1 need fewer MACs
    double winogradWeights = 1; ///< factor by which the weights of these convolutions need more memory
    std::int64_t lanes = 1;     ///< number of elements per cycle and pass of the vector unit
    bool operator==(const MachineCores&) const = default;

    [[nodiscard]] std::int64_t pes() const noexcept { return rows * cols; } ///< PEs of one array
    /// MACs of a PE per cycle for operands of these widths in bits. Used is the entry of exactly this pair,
    /// else the entry of the narrowest width that holds the wider operand, else 1. A fraction of a bit does
    /// not count: it is the part of a scale that a group of elements shares.
    [[nodiscard]] double macsPerCycle(double bits, double otherBits) const noexcept;
    /// True if `rates` has an entry for exactly this pair of widths: the array multiplies such operands
    /// directly, without first converting the narrower one.
    [[nodiscard]] bool multipliesPair(double bits, double otherBits) const noexcept;
};

/// Cores of another kind, in addition to those of Machine itself.
struct OtherCores : MachineCores
{
    std::string name;                 ///< name of the kind, such as "little"
    std::int64_t scratchpadBytes = 0; ///< fast memory of one of these cores
    bool operator==(const OtherCores&) const = default;
};

/// Where a value of a machine comes from.
enum class SourceKind : std::uint8_t { Measured, Datasheet, Paper, Assumed, Fitted };
[[nodiscard]] std::string_view toString(SourceKind kind) noexcept; ///< "measured", "datasheet" ...

struct Provenance
{
    SourceKind kind = SourceKind::Assumed;
    std::string source;    ///< title, document or file with its commit
    std::int64_t year = 0; ///< 0: not given
    std::string note;      ///< reason for an assumption, or the rows to which a value was fitted
    bool operator==(const Provenance&) const = default;
};

/// A value that a machine file does not state, and how it was derived.
struct DerivedValue
{
    std::string path; ///< path of the field: "vector.lanes"
    std::string value;
    std::string formula; ///< how it was computed: "2 * cols"
    bool operator==(const DerivedValue&) const = default;
};

/// The machine from which every lens takes its hardware (docs/rules/workload.md 2). Sizes are in bytes, rates
/// in GB/s of all buffers of a level together. Machine itself is the first kind of cores. fieldsLeftOut()
/// tells which fields a lens does not use.
struct Machine : MachineCores
{
    struct Level
    {
        std::int64_t buffers = 1;
        std::int64_t bytes = 0; ///< size of one buffer, sum of all its memories
        double gbPerSecond = 0;
        /// Rates of the read port and of the write port; equal to gbPerSecond if reads and writes share one
        /// port.
        double readGbPerSecond = 0, writeGbPerSecond = 0;
        bool portsApart = false; ///< true: reads and writes do not wait for each other
        /// True if all cores share the level; its size and its rates are then those of the whole machine.
        bool shared = false;
        bool multicast = false; ///< one read reaches all cores that want the same data
        /// Bytes of a buffer for inputs, weights and outputs, if these have separate memories; else 0.
        std::array<std::int64_t, 3> memories{}; ///< indexed by MachineOperand
        bool operator==(const Level&) const = default;
        [[nodiscard]] bool hasMemories() const noexcept { return memories[0] > 0; }
        [[nodiscard]] std::int64_t totalBytes() const noexcept { return buffers * bytes; }
    };
    struct Passes
    {
        std::int64_t softmax = 4, layerNorm = 3, rmsNorm = 2, elementwise = 1;
        bool operator==(const Passes&) const = default;
    };
    struct Dram
    {
        /// Number of channels; number of banks of each channel.
        std::int64_t channels = 4, banks = 16;
        double bytesPerCycle = 16;
        std::int64_t burstBytes = 64, interleaveBytes = 256, rowBytes = 2048;
        std::int64_t rowHitCycles = 20, rowMissCycles = 60;
        /// Cycles from the request of a core's DMA to its first byte, in addition to the times of the banks.
        std::int64_t readLatencyCycles = 0, writeLatencyCycles = 0;
        /// Maximum number of requests of a core's DMA under way; 0: no limit.
        std::int64_t outstandingRequests = 0;
        std::int64_t requestBytes = 64; ///< bytes of the largest request
        /// A burst of an open row takes only its time on the bus instead of a row hit.
        bool pipelinedHits = false;
        bool addressHash = false; ///< higher bits of the address permute channels and banks
        bool operator==(const Dram&) const = default;

        /// Largest rate of all channels together in bytes per cycle: that of the buses or, if lower, that of
        /// the banks when every burst finds its row open.
        [[nodiscard]] double deliverableBytesPerCycle() const noexcept;
        /// Largest rate of the loads of one core in bytes per cycle by Little's law: outstanding requests *
        /// their size / least time of a request. Infinite if the number of requests has no limit.
        [[nodiscard]] double requestedBytesPerCycle() const noexcept;
    };
    /// Time in us from the command of the host to the start of an operator, by kind of operator.
    struct Launch
    {
        double product = 0, softmax = 0, layerNorm = 0, rmsNorm = 0, elementwise = 0;
        bool operator==(const Launch&) const = default;
    };
    /// Links to other chips of the same kind (docs/rules/llm.md 8).
    struct Links
    {
        /// Rate at which one chip sends over all its links; 0: the machine has no links.
        double gbPerSecond = 0;
        double latencyMicros = 0; ///< latency of one transfer between two chips
        LinkTopology topology = LinkTopology::Ring;
        bool operator==(const Links&) const = default;
    };
    struct Noc
    {
        std::int64_t linkBytesPerCycle = 32, trunkBytesPerCycle = 128;
        bool coreToCore = false; ///< results may go from core to core without passing external memory
        bool operator==(const Noc&) const = default;
    };
    struct Dma
    {
        double initCycles = 291, cyclesPerByte = 0.24, mhz = 3200;
        bool operator==(const Dma&) const = default;
    };
    struct Energy ///< energies in pJ per element, or per multiply-accumulate
    {
        double rf = 0.96, noc = 2, spm = 13.5, dram = 200, mac = 0.075;
        double rfWrite = 0.96, spmWrite = 13.5, dramWrite = 200; ///< by default equal to those of reads
        double leakage = 0;                                      ///< energy of one cycle of a core
        bool operator==(const Energy&) const = default;
    };

    std::string name;
    std::int64_t elementBytes = 2;
    std::int64_t accumulatorBytes = 4;
    double clockGhz = 1;
    /// Process technology in nm, from which energies that the file does not state are derived.
    double technologyNm = 16;
    std::vector<OtherCores> otherCores; ///< sorted by name
    Passes passes;
    std::array<Level, 5> levels; ///< indexed by MachineLevel; missing levels are derived
    MachineLevel scratchpad = MachineLevel::L3;
    std::int64_t registerFileBytes = 512; ///< bytes of the register files of one PE, all together
    /// Bytes of a PE for inputs, weights and outputs, if these have separate register files; else 0.
    std::array<std::int64_t, 3> registerFiles{}; ///< indexed by MachineOperand
    std::int64_t scratchpadBanks = 32;
    Dram dram;
    Noc noc;
    Dma dma;
    Links links;
    Launch launch;
    Energy energy;

    std::set<std::string, std::less<>> given; ///< paths of the fields that the file states
    /// Sources by path of the field, for stated fields that name one.
    std::map<std::string, Provenance, std::less<>> sources;
    std::vector<DerivedValue> derived; ///< all other values, in the order of the file's description
    std::vector<std::string> notes;    ///< notes on values that were changed by rounding

    bool operator==(const Machine&) const = default;

    [[nodiscard]] const Level& at(MachineLevel level) const noexcept
    {
        return levels[static_cast<std::size_t>(level)];
    }
    [[nodiscard]] Level& at(MachineLevel level) noexcept { return levels[static_cast<std::size_t>(level)]; }
    [[nodiscard]] bool has(std::string_view path) const { return given.find(path) != given.end(); }
    /// True if the machine has this memory level; false if the level is a copy of its neighbour.
    [[nodiscard]] bool hasLevel(MachineLevel level) const;
    /// The outermost level that all cores share; nullopt if there is none.
    [[nodiscard]] std::optional<MachineLevel> sharedLevel() const;
    /// Size of the scratchpad of one core in bytes.
    [[nodiscard]] std::int64_t scratchpadBytes() const noexcept { return at(scratchpad).totalBytes(); }
    [[nodiscard]] double bytesPerCycle(MachineLevel level) const noexcept
    {
        return at(level).gbPerSecond / clockGhz;
    }
    /// Largest rate in GB/s of the loads of all cores of the first kind that channels, banks and outstanding
    /// requests of the external memory allow.
    [[nodiscard]] double deliverableGbPerSecond() const noexcept;
    [[nodiscard]] std::int64_t allCores() const noexcept; ///< number of cores of all kinds together
};

/// A lens that takes values from a machine.
enum class MachineLens : std::uint8_t { Schedule, Systolic, Npu, Mapping };
[[nodiscard]] std::string_view toString(MachineLens lens) noexcept; ///< "Schedule", "Systolic" ...

/// A field that a machine file states and a lens does not model, although its value differs from the default.
struct FieldLeftOut
{
    std::string path;  ///< path of the field: "array.rates.8"
    std::string label; ///< text for people: "array, rate at 8 bits"
    std::string value; ///< value as written in the file
};
/// Returns the stated fields of a machine that a lens does not take into account. A field is listed only if
/// its value differs from the value that the lens assumes.
[[nodiscard]] std::vector<FieldLeftOut> fieldsLeftOut(const Machine& machine, MachineLens lens);
/// Returns fieldsLeftOut() as a part of a sentence for the answer of a lens: "fields of the machine that the
/// NPU lens does not model: ...". Empty if there are none.
[[nodiscard]] std::string leftOutText(const Machine& machine, MachineLens lens);
/// Returns leftOutText() without the fields for whose paths `isModelled` returns true.
[[nodiscard]] std::string leftOutText(const Machine& machine, MachineLens lens,
                                      bool (*isModelled)(std::string_view path));

/// Derives all values that `given` does not name, and describes them in `derived` and `notes`.
void deriveMachine(Machine& machine);

/// Makes a machine from the fields that `given` names. They are checked as the fields of a file, and missing
/// ones are derived. `file` is the name of the machine in errors.
[[nodiscard]] Result<Machine> completeMachine(const Machine& fields, const std::string& file);

/// Reads a machine file. Missing required fields, wrong values and unknown fields are errors, which name
/// file, field and reason.
[[nodiscard]] Result<Machine> readMachine(std::string_view text, const std::string& file);
/// Returns the stated fields as the text of a machine file, which readMachine() reads.
[[nodiscard]] std::string writeMachine(const Machine& machine);
/// Returns the machine with one field changed and all other values derived again. `value` is written as in
/// the file ("64", "ws"). If the kind of the array changes, fields that the new kind does not have are
/// dropped. Some paths of machineFields() stand for several fields: "levels.l1.memories" takes "one" or
/// "separate", "array.rates" takes "16:1 8x4:2.5", "other_cores" takes names.
[[nodiscard]] Result<Machine> withMachineField(const Machine& machine, std::string_view path,
                                               std::string_view value);
/// Returns the machine with another source of a stated field, whose value does not change. If
/// withMachineField() changes a value, its source is removed.
[[nodiscard]] Result<Machine> withMachineSource(const Machine& machine, std::string_view path,
                                                const Provenance& source);

/// Returns the machine without a field, or without all fields below a path. Their values are derived.
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
    Micros,
    Factor, ///< a number without unit, which may be a fraction
    Word,
    List, ///< a list of words separated by spaces
};

/// One value of a machine as shown to people; withMachineField() changes it.
struct MachineField
{
    std::string path;         ///< path in the file: "array.rows"
    std::string group;        ///< first part of the path: "array"
    std::string label;        ///< name within the group: "rows"
    std::string_view meaning; ///< description in one line
    MachineUnit unit = MachineUnit::Count;
    std::string value;    ///< value as written in the file
    bool given = false;   ///< true if the file states the value, false if it is derived
    bool editable = true; ///< false: the value follows from other values and cannot be set
    /// True for an entry that stands for several fields of the file: the memories of a level, all rates, the
    /// names of other kinds of cores. The entries of these fields follow it in the list.
    bool summary = false;
    std::string formula;                 ///< formula of a derived value, "2 * array cols"
    std::vector<std::string_view> words; ///< the allowed values, if the unit is Word
    std::optional<Provenance> source;    ///< source of a stated value, if the file names one
    std::vector<MachineLens> lenses;     ///< the lenses that model the field
};

/// Returns all values of a machine in the order of the description of machine files. A memory level that the
/// machine lacks has no entries; Machine::derived has a note on it.
[[nodiscard]] std::vector<MachineField> machineFields(const Machine& machine);

/// Returns machineFields() and the notes on the machine as one JSON document.
[[nodiscard]] std::string machineFieldsJson(const Machine& machine);

/// A difference between two machines.
struct MachineChange
{
    std::string path, label;
    std::string before, after; ///< values; empty if that machine lacks the field
};
/// The fields whose values differ between the two machines, including derived ones.
[[nodiscard]] std::vector<MachineChange> machineChanges(const Machine& before, const Machine& after);

} // namespace tilewright
