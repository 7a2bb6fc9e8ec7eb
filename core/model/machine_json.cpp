// SPDX-License-Identifier: GPL-3.0-or-later
// The machine file of docs/rules/workload.md 2.
#include "base/json_fields.h"
#include "model/machine.h"

#include <bit>
#include <cmath>

namespace tilewright {

namespace {

constexpr std::array kDataflows{ArrayDataflow::Os, ArrayDataflow::Ws, ArrayDataflow::Is};

std::string_view dataflowWord(ArrayDataflow dataflow)
{
    return toString(dataflow);
}

std::string_view levelWord(MachineLevel level)
{
    return toString(level);
}

void bindLevelFields(JsonFields& f, Machine::Level& level)
{
    f.required("buffers", level.buffers, Integers{1, 1 << 20});
    f.required("bytes", level.bytes, Integers{1, std::int64_t{1} << 40});
    f.required("gb_per_s", level.gbPerSecond, Numbers{0, 1e9});
    if (level.gbPerSecond <= 0)
        f.fail("gb_per_s", "the bandwidth must be greater than zero");
}

void bindVector(JsonFields& f, Machine& m)
{
    constexpr Integers kPasses{1, 1000};
    f.optional("lanes", m.lanes, Integers{1, 1 << 20});
    f.optional("passes", [&](JsonFields& passes) {
        passes.optional("softmax", m.passes.softmax, kPasses);
        passes.optional("layer_norm", m.passes.layerNorm, kPasses);
        passes.optional("rms_norm", m.passes.rmsNorm, kPasses);
        passes.optional("elementwise", m.passes.elementwise, kPasses);
    });
}

void bindDramFields(JsonFields& f, Machine::Dram& d)
{
    constexpr Integers kBlock{1, 1 << 24};
    constexpr Integers kCycles{0, 1 << 20};
    f.optional("channels", d.channels, Integers{1, 64});
    f.optional("banks", d.banks, Integers{1, 64});
    f.optional("bytes_per_cycle", d.bytesPerCycle, Integers{1, 1 << 16});
    f.optional("burst_bytes", d.burstBytes, kBlock);
    f.optional("interleave_bytes", d.interleaveBytes, kBlock);
    f.optional("row_bytes", d.rowBytes, kBlock);
    f.optional("row_hit_cycles", d.rowHitCycles, kCycles);
    f.optional("row_miss_cycles", d.rowMissCycles, kCycles);
    for (const auto& [key, value] :
         {std::pair{"burst_bytes", d.burstBytes}, std::pair{"interleave_bytes", d.interleaveBytes},
          std::pair{"row_bytes", d.rowBytes}})
        if (!std::has_single_bit(static_cast<std::uint64_t>(value)))
            f.fail(key, std::to_string(value) + " is not a power of two");
    if (d.interleaveBytes < d.burstBytes)
        f.fail("interleave_bytes", "must be a multiple of dram.burst_bytes");
    if (d.rowBytes < d.interleaveBytes)
        f.fail("row_bytes", "must be a multiple of dram.interleave_bytes");
}

void bindEnergy(JsonFields& f, Machine::Energy& e)
{
    constexpr Numbers kEnergy{0, 1e9};
    f.optional("rf", e.rf, kEnergy);
    f.optional("noc", e.noc, kEnergy);
    f.optional("spm", e.spm, kEnergy);
    f.optional("dram", e.dram, kEnergy);
    f.optional("mac", e.mac, kEnergy);
}

void bindLevels(JsonFields& f, Machine& m)
{
    bool inner = false;
    for (const MachineLevel level : kMachineLevels) {
        const bool isExternal = level == MachineLevel::External;
        const auto fields = [&](JsonFields& l) { bindLevelFields(l, m.at(level)); };
        isExternal ? f.required(toString(level), fields) : f.optional(toString(level), fields);
        inner |= level > MachineLevel::External && f.has(toString(level));
    }
    if (f.reading() && !inner)
        f.fail({}, "needs at least one level between the array and external (l1, l2 or l3)");
}

/// The paths of all members that are no objects.
void collectPaths(const Json& node, const std::string& path, std::set<std::string, std::less<>>& out)
{
    for (const auto& [key, value] : node.items()) {
        std::string below = path;
        below.append(path.empty() ? "" : ".").append(key);
        value.is_object() ? collectPaths(value, below, out) : void(out.insert(below));
    }
}

/// Leaves only the members whose paths were given.
void keepGiven(Json& node, const std::string& path, const Machine& m)
{
    for (auto it = node.begin(); it != node.end();) {
        const std::string below = path.empty() ? it.key() : path + "." + it.key();
        if (it->is_object())
            keepGiven(*it, below, m);
        const bool keep = it->is_object() ? !it->empty() : m.has(below);
        it = keep ? std::next(it) : node.erase(it);
    }
}

Result<Machine> machineOf(const Json& json, const std::string& file);

} // namespace

static void bindFields(JsonFields& f, Machine& m)
{
    constexpr Integers kSide{1, 65536};
    f.required("name", m.name);
    f.required("element_bytes", m.elementBytes, Integers{1, 16});
    f.optional("accumulator_bytes", m.accumulatorBytes, Integers{1, 16});
    f.optional("clock_ghz", m.clockGhz, Numbers{0.001, 1000});
    f.optional("cores", m.cores, Integers{1, 16});
    f.required("array", [&](JsonFields& array) {
        array.required("rows", m.rows, kSide);
        array.required("cols", m.cols, kSide);
        array.optional("dataflow", m.dataflow, Words<ArrayDataflow>{kDataflows, dataflowWord});
    });
    f.optional("vector", [&](JsonFields& vector) { bindVector(vector, m); });
    f.required("levels", [&](JsonFields& levels) { bindLevels(levels, m); });
    f.optional("scratchpad", m.scratchpad,
               Words<MachineLevel>{std::span(kMachineLevels).subspan(2), levelWord});
    f.optional("register_file_bytes", m.registerFileBytes, Integers{1, 1 << 30});
    f.optional("scratchpad_banks", m.scratchpadBanks, Integers{1, 1 << 20});
    f.optional("dram", [&](JsonFields& dram) { bindDramFields(dram, m.dram); });
    f.optional("noc", [&](JsonFields& noc) {
        noc.optional("link_bytes_per_cycle", m.noc.linkBytesPerCycle, Integers{1, 1 << 24});
        noc.optional("trunk_bytes_per_cycle", m.noc.trunkBytesPerCycle, Integers{1, 1 << 28});
    });
    f.optional("dma", [&](JsonFields& dma) {
        dma.optional("init_cycles", m.dma.initCycles, Numbers{0, 1e9});
        dma.optional("cycles_per_byte", m.dma.cyclesPerByte, Numbers{0, 1e6});
        dma.optional("mhz", m.dma.mhz, Numbers{0.001, 1e6});
    });
    f.optional("energy_pj", [&](JsonFields& energy) { bindEnergy(energy, m.energy); });
}

namespace {

Result<Machine> machineOf(const Json& json, const std::string& file)
{
    const JsonCursor root(json, file);
    Machine machine;
    if (Status s = readJson(root, machine); !s)
        return s.error();
    collectPaths(json, {}, machine.given);
    if (machine.has("scratchpad")) {
        const std::string level(toString(machine.scratchpad));
        if (!machine.has("levels." + level + ".bytes"))
            return root.member("scratchpad")->error("the machine has no level \"" + level + "\"");
    }
    deriveMachine(machine);
    if (machine.scratchpadBytes() / 2 / machine.scratchpadBanks < 1)
        return root.error("the scratchpad of " + std::to_string(machine.scratchpadBytes()) +
                          " bytes has not a byte a bank");
    return machine;
}

} // namespace

Result<Machine> readMachine(std::string_view text, const std::string& file)
{
    const auto json = parseJson(text, file);
    if (!json)
        return json.error();
    return machineOf(*json, file);
}

Result<Machine> completeMachine(const Machine& fields, const std::string& file)
{
    Json json = writeJson(fields);
    keepGiven(json, {}, fields);
    return machineOf(json, file);
}

std::string writeMachine(const Machine& machine)
{
    Json json = writeJson(machine);
    keepGiven(json, {}, machine);
    return jsonText(json, 2) + "\n";
}

Result<Machine> withMachineField(const Machine& machine, std::string_view path, std::string_view value)
{
    Json json = writeJson(machine);
    keepGiven(json, {}, machine);
    Json* at = &json;
    for (std::size_t start = 0; start < path.size();) {
        const std::size_t dot = std::min(path.find('.', start), path.size());
        if (!at->is_object() && !at->is_null())
            return Error{ErrorCode::Field, "there is no such field", std::string(path), machine.name};
        at = &(*at)[std::string(path.substr(start, dot - start))];
        start = dot + 1;
    }
    Json parsed = parsedJson(value);
    *at = parsed.is_number() ? std::move(parsed) : Json(std::string(value));
    return machineOf(json, machine.name);
}

Result<Machine> withoutMachineField(const Machine& machine, std::string_view path)
{
    Machine less = machine;
    less.given.erase(std::string(path));
    return completeMachine(less, machine.name);
}

} // namespace tilewright
