// SPDX-License-Identifier: GPL-3.0-or-later
// The machine file of docs/rules/workload.md 2.
#include "model/machine_json.h"
#include "base/json_fields.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>

namespace tilewright {

namespace {

constexpr std::array kDataflows{ArrayDataflow::Os, ArrayDataflow::Ws, ArrayDataflow::Is};
constexpr std::array kArrayKinds{ArrayKind::Systolic, ArrayKind::DotProduct, ArrayKind::Spatial};
constexpr std::array kTopologies{LinkTopology::Ring, LinkTopology::AllToAll};
constexpr std::array kSourceKinds{SourceKind::Measured, SourceKind::Datasheet, SourceKind::Paper,
                                  SourceKind::Assumed, SourceKind::Fitted};
/// Names of the loops of convolutions and of products (docs/rules/mapping.md 1).
constexpr std::array<std::string_view, 10> kLoops{"N", "M", "C", "Ox", "Oy", "Fx", "Fy", "X", "Y", "K"};
constexpr Integers kBytes{1, std::int64_t{1} << 40};
constexpr Integers kCores{1, 1 << 20};
constexpr Integers kLanes{1, 1 << 20};

template <typename E> std::string_view wordOf(E value)
{
    return toString(value);
}

/// Binds the bytes of the memories for inputs, weights and outputs.
void bindMemories(JsonFields& f, std::array<std::int64_t, 3>& memories)
{
    for (const MachineOperand operand : kMachineOperands)
        f.required(toString(operand), memories[static_cast<std::size_t>(operand)], kBytes);
}

/// Binds the size of a memory: as one number `key`, or as an object `parts` with one size per operand.
template <typename Bind>
void bindSizeOrParts(JsonFields& f, std::string_view key, std::string_view parts,
                     std::array<std::int64_t, 3>& memories, const Bind& bindSize)
{
    f.optional(parts, [&](JsonFields& m) { bindMemories(m, memories); });
    bindSize(!f.has(parts));
    if (f.has(key) && f.has(parts))
        f.fail(key, "the sizes in \"" + std::string(parts) + "\" already give it: leave out one of the two");
}

void bindLevelFields(JsonFields& f, Machine::Level& level, bool inner)
{
    f.required("buffers", level.buffers, Integers{1, 1 << 20});
    if (inner)
        bindSizeOrParts(f, "bytes", "memories", level.memories, [&](bool alone) {
            alone ? f.required("bytes", level.bytes, kBytes) : f.optional("bytes", level.bytes, kBytes);
        });
    else
        f.required("bytes", level.bytes, kBytes);
    f.required("gb_per_s", level.gbPerSecond, Numbers{0, 1e9});
    if (level.gbPerSecond <= 0)
        f.fail("gb_per_s", "the bandwidth must be greater than zero");
    f.optional("read_gb_per_s", level.readGbPerSecond, Numbers{0, 1e9});
    f.optional("write_gb_per_s", level.writeGbPerSecond, Numbers{0, 1e9});
    for (const std::string_view key : {"read_gb_per_s", "write_gb_per_s"})
        if (f.has(key) && (key[0] == 'r' ? level.readGbPerSecond : level.writeGbPerSecond) <= 0)
            f.fail(key, "the bandwidth must be greater than zero");
    if (inner) {
        f.optional("shared", level.shared);
        f.optional("multicast", level.multicast);
        if (f.has("multicast") && level.multicast && !level.shared)
            f.fail("multicast", "only a level that all cores share can serve several cores with one read");
    }
}

void bindLoops(JsonFields& f, std::string_view key, std::vector<std::string>& loops, ArrayKind kind)
{
    f.optional(key, loops);
    if (!f.has(key))
        return;
    if (kind != ArrayKind::Spatial)
        return f.fail(key, "only an array of the kind \"spatial\" has fixed loops");
    if (loops.empty())
        f.fail(key, "names no loop");
    for (std::size_t i = 0; i < loops.size(); ++i)
        if (std::ranges::find(kLoops, loops[i]) == kLoops.end())
            f.fail(std::string(key) + "[" + std::to_string(i) + "]",
                   "\"" + loops[i] +
                       "\" is not a loop; the loops are N, M, C, Ox, Oy, Fx and Fy of a convolution, "
                       "X, Y and K of a product");
        else if (std::find(loops.begin(), loops.begin() + static_cast<std::ptrdiff_t>(i), loops[i]) !=
                 loops.begin() + static_cast<std::ptrdiff_t>(i))
            f.fail(std::string(key) + "[" + std::to_string(i) + "]", "names the loop " + loops[i] + " twice");
}

void bindArray(JsonFields& f, MachineCores& m)
{
    constexpr Integers kSide{1, 65536};
    f.optional("kind", m.kind, Words<ArrayKind>{kArrayKinds, wordOf<ArrayKind>});
    f.required("rows", m.rows, kSide);
    f.required("cols", m.cols, kSide);
    f.optional("dataflow", m.dataflow, Words<ArrayDataflow>{kDataflows, wordOf<ArrayDataflow>});
    f.optional("row_granule", m.rowGranule, kSide);
    f.optional("col_granule", m.colGranule, kSide);
    for (const std::string_view key : {"row_granule", "col_granule"})
        if (f.has(key) && m.kind != ArrayKind::DotProduct)
            f.fail(key, "only an array of the kind \"dot_product\" has granules");
    if (f.has("dataflow") && m.kind != ArrayKind::Systolic)
        f.fail("dataflow", "only an array of the kind \"systolic\" has a dataflow");
    bindLoops(f, "row_loops", m.rowLoops, m.kind);
    bindLoops(f, "col_loops", m.colLoops, m.kind);
    if (f.reading() && m.kind == ArrayKind::Spatial && (m.rowLoops.empty() || m.colLoops.empty()))
        f.fail({}, "an array of the kind \"spatial\" needs \"row_loops\" and \"col_loops\"");
    f.optional("rates", m.rates);
    f.optional("winograd", m.winograd, Numbers{1, 16});
    f.optional("winograd_weights", m.winogradWeights, Numbers{1, 16});
}

void bindVector(JsonFields& f, Machine& m)
{
    constexpr Integers kPasses{1, 1000};
    f.optional("lanes", m.lanes, kLanes);
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
    f.optional("bytes_per_cycle", d.bytesPerCycle, Numbers{0.001, 1 << 16});
    f.optional("burst_bytes", d.burstBytes, kBlock);
    f.optional("interleave_bytes", d.interleaveBytes, kBlock);
    f.optional("row_bytes", d.rowBytes, kBlock);
    f.optional("row_hit_cycles", d.rowHitCycles, kCycles);
    f.optional("row_miss_cycles", d.rowMissCycles, kCycles);
    f.optional("read_latency_cycles", d.readLatencyCycles, kCycles);
    f.optional("write_latency_cycles", d.writeLatencyCycles, kCycles);
    f.optional("outstanding_requests", d.outstandingRequests, Integers{0, 1 << 20});
    f.optional("request_bytes", d.requestBytes, kBlock);
    f.optional("pipelined_hits", d.pipelinedHits);
    f.optional("address_hash", d.addressHash);
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
    f.optional("rf_write", e.rfWrite, kEnergy);
    f.optional("spm_write", e.spmWrite, kEnergy);
    f.optional("dram_write", e.dramWrite, kEnergy);
    f.optional("leakage", e.leakage, kEnergy);
}

void bindLevels(JsonFields& f, Machine& m)
{
    bool inner = false, own = false;
    for (const MachineLevel level : kMachineLevels) {
        const bool isExternal = level == MachineLevel::External, isInner = level > MachineLevel::External;
        Machine::Level& l = m.at(level);
        const auto fields = [&](JsonFields& lf) { bindLevelFields(lf, l, isInner); };
        isExternal ? f.required(toString(level), fields) : f.optional(toString(level), fields);
        if (!isInner || !f.has(toString(level)))
            continue;
        if (l.shared && own)
            f.fail(std::string(toString(level)) + ".shared",
                   "all cores share this level, but not one that is further out");
        inner = true;
        own |= !l.shared;
    }
    if (f.reading() && !inner)
        f.fail({}, "needs at least one level between the array and external (l1, l2 or l3)");
    else if (f.reading() && !own)
        f.fail({}, "needs at least one level that each core has for itself");
}

std::optional<MacRate> rateOfKey(const std::string& key)
{
    MacRate rate;
    const auto number = [](std::string_view text, std::int64_t& out) {
        const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), out);
        return ec == std::errc() && end == text.data() + text.size() && out >= 1 && out <= 64;
    };
    const std::size_t cross = key.find('x');
    if (!number(std::string_view(key).substr(0, cross), rate.bits) ||
        (cross != std::string::npos && !number(std::string_view(key).substr(cross + 1), rate.other)) ||
        rate.other > rate.bits)
        return std::nullopt;
    return rate;
}

/// Collects the paths of all members that are not objects.
void collectPaths(const Json& node, const std::string& path, std::set<std::string, std::less<>>& out)
{
    for (const auto& [key, value] : node.items()) {
        std::string below = path;
        below.append(path.empty() ? "" : ".").append(key);
        value.is_object() ? collectPaths(value, below, out) : void(out.insert(below));
    }
}

/// Removes all members whose paths were not stated.
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

} // namespace

static Status readJson(const JsonCursor& at, std::vector<MacRate>& out)
{
    if (Status s = at.object(); !s)
        return s;
    for (const auto& [key, value] : at.node().items()) {
        auto rate = rateOfKey(key);
        if (!rate)
            return at.error(
                "\"" + key +
                "\" is not a width of operands: write bits, \"8\", or a pair with the wider operand "
                "first, \"8x4\", of 1 to 64 bits");
        if (Status s = readJson(*at.find(key), rate->macs, Numbers{1.0 / 4096, 4096}); !s)
            return s;
        out.push_back(*rate);
    }
    return Unit{};
}

static Json writeJson(const std::vector<MacRate>& rates)
{
    Json out = Json::object();
    for (const MacRate& rate : rates)
        out[rateName(rate)] = jsonNumber(rate.macs);
    return out;
}

static void bindFields(JsonFields& f, OtherCores& other)
{
    f.required("cores", other.cores, kCores);
    f.optional("arrays", other.arrays, kCores);
    f.required("array", [&](JsonFields& array) { bindArray(array, other); });
    f.optional("vector", [&](JsonFields& vector) { vector.optional("lanes", other.lanes, kLanes); });
    f.optional("scratchpad_bytes", other.scratchpadBytes, kBytes);
}

static Status readJson(const JsonCursor& at, std::vector<OtherCores>& out)
{
    if (Status s = at.object(); !s)
        return s;
    for (const auto& [key, value] : at.node().items()) {
        if (key.empty() || key.find('.') != std::string::npos)
            return at.error("a kind of cores needs a name without a dot");
        OtherCores other;
        if (Status s = readJson<OtherCores>(*at.find(key), other); !s)
            return s;
        other.name = key;
        out.push_back(std::move(other));
    }
    std::ranges::sort(out, {}, &OtherCores::name);
    return Unit{};
}

static Json writeJson(const std::vector<OtherCores>& others)
{
    Json out = Json::object();
    for (const OtherCores& other : others)
        out[other.name] = writeJson<OtherCores>(other);
    return out;
}

static void bindFields(JsonFields& f, Machine& m)
{
    f.required("name", m.name);
    f.required("element_bytes", m.elementBytes, Integers{1, 16});
    f.optional("accumulator_bytes", m.accumulatorBytes, Integers{1, 16});
    f.optional("clock_ghz", m.clockGhz, Numbers{0.001, 1000});
    f.optional("technology_nm", m.technologyNm, Numbers{1, 1000});
    f.optional("cores", m.cores, kCores);
    f.optional("arrays", m.arrays, kCores);
    f.required("array", [&](JsonFields& array) { bindArray(array, m); });
    f.optional("vector", [&](JsonFields& vector) { bindVector(vector, m); });
    f.required("levels", [&](JsonFields& levels) { bindLevels(levels, m); });
    f.optional("scratchpad", m.scratchpad,
               Words<MachineLevel>{std::span(kMachineLevels).subspan(2), wordOf<MachineLevel>});
    bindSizeOrParts(f, "register_file_bytes", "register_files", m.registerFiles, [&](bool) {
        f.optional("register_file_bytes", m.registerFileBytes, Integers{1, 1 << 30});
    });
    f.optional("scratchpad_banks", m.scratchpadBanks, Integers{1, 1 << 20});
    f.optional("dram", [&](JsonFields& dram) { bindDramFields(dram, m.dram); });
    f.optional("noc", [&](JsonFields& noc) {
        noc.optional("link_bytes_per_cycle", m.noc.linkBytesPerCycle, Integers{1, 1 << 24});
        noc.optional("trunk_bytes_per_cycle", m.noc.trunkBytesPerCycle, Integers{1, 1 << 28});
        noc.optional("core_to_core", m.noc.coreToCore);
    });
    f.optional("dma", [&](JsonFields& dma) {
        dma.optional("init_cycles", m.dma.initCycles, Numbers{0, 1e9});
        dma.optional("cycles_per_byte", m.dma.cyclesPerByte, Numbers{0, 1e6});
        dma.optional("mhz", m.dma.mhz, Numbers{0.001, 1e6});
    });
    f.optional("links", [&](JsonFields& links) {
        links.optional("gb_per_s", m.links.gbPerSecond, Numbers{0, 1e9});
        links.optional("latency_us", m.links.latencyMicros, Numbers{0, 1e6});
        links.optional("topology", m.links.topology, Words<LinkTopology>{kTopologies, wordOf<LinkTopology>});
    });
    f.optional("launch_us", [&](JsonFields& launch) {
        constexpr Numbers kMicros{0, 1e6};
        launch.optional("product", m.launch.product, kMicros);
        launch.optional("softmax", m.launch.softmax, kMicros);
        launch.optional("layer_norm", m.launch.layerNorm, kMicros);
        launch.optional("rms_norm", m.launch.rmsNorm, kMicros);
        launch.optional("elementwise", m.launch.elementwise, kMicros);
    });
    f.optional("energy_pj", [&](JsonFields& energy) { bindEnergy(energy, m.energy); });
    f.optional("other_cores", m.otherCores);
}

static void bindFields(JsonFields& f, Provenance& p)
{
    f.required("kind", p.kind, Words<SourceKind>{kSourceKinds, wordOf<SourceKind>});
    f.defaulted("source", p.source, {});
    f.defaulted("year", p.year, 0, Integers{1900, 2200});
    f.defaulted("note", p.note, {});
    f.ignored("value");
}

namespace {

/// Replaces each `{"value": v, "kind": ...}` by v, and stores the sources that such objects state for their
/// values.
Status takeSources(Json& node, const std::string& file, const std::string& path, Machine& machine)
{
    for (auto it = node.begin(); it != node.end(); ++it) {
        const std::string below = path.empty() ? it.key() : path + "." + it.key();
        if (!it->is_object())
            continue;
        if (!it->contains("value") || below == "other_cores") {
            if (Status s = takeSources(*it, file, below, machine); !s)
                return s;
            continue;
        }
        Provenance& source = machine.sources[below];
        if (Status s = readJson(JsonCursor(*it, file, below), source); !s)
            return s;
        Json value = std::move((*it)["value"]);
        *it = std::move(value);
    }
    return Unit{};
}

/// Writes the sources back: each value with a source becomes an object again.
void putSources(Json& json, const Machine& machine)
{
    for (const auto& [path, source] : machine.sources) {
        Json* at = &json;
        for (std::size_t start = 0; at && start < path.size();) {
            const std::size_t dot = std::min(path.find('.', start), path.size());
            const auto found = at->is_object() ? at->find(path.substr(start, dot - start)) : at->end();
            at = at->is_object() && found != at->end() ? &*found : nullptr;
            start = dot + 1;
        }
        if (!at)
            continue;
        Json with = Json::object();
        with["value"] = std::move(*at);
        with.update(writeJson(source));
        *at = std::move(with);
    }
}

} // namespace

Json givenFields(const Machine& machine)
{
    Json json = writeJson(machine);
    keepGiven(json, {}, machine);
    if (machine.has("dram.bytes_per_cycle")) // a whole number is written without a decimal point
        json["dram"]["bytes_per_cycle"] = jsonNumber(machine.dram.bytesPerCycle);
    putSources(json, machine);
    return json;
}

Result<Machine> machineOf(Json json, const std::string& file)
{
    const JsonCursor root(json, file);
    Machine machine;
    if (Status s = root.object(); !s)
        return s.error();
    if (Status s = takeSources(json, file, {}, machine); !s)
        return s.error();
    if (Status s = readJson(root, machine); !s)
        return s.error();
    collectPaths(json, {}, machine.given);
    if (machine.has("scratchpad")) {
        const std::string level(toString(machine.scratchpad));
        if (!machine.hasLevel(machine.scratchpad))
            return root.member("scratchpad")->error("the machine has no level \"" + level + "\"");
        if (machine.at(machine.scratchpad).shared)
            return root.member("scratchpad")
                ->error("all cores share the level \"" + level +
                        "\"; the scratchpad is the fast memory of one core");
    }
    deriveMachine(machine);
    if (machine.scratchpadBytes() / 2 / machine.scratchpadBanks < 1)
        return root.error("the scratchpad of " + std::to_string(machine.scratchpadBytes()) +
                          " bytes has not a byte a bank");
    return machine;
}

Result<Machine> readMachine(std::string_view text, const std::string& file)
{
    const auto json = parseJson(text, file);
    if (!json)
        return json.error();
    return machineOf(*json, file);
}

Result<Machine> completeMachine(const Machine& fields, const std::string& file)
{
    return machineOf(givenFields(fields), file);
}

std::string writeMachine(const Machine& machine)
{
    return jsonText(givenFields(machine), 2) + "\n";
}

} // namespace tilewright
