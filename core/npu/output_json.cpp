// SPDX-License-Identifier: GPL-3.0-or-later
// Graphs and traces have millions of entries, so they are written directly as text. Only names need JSON
// escaping.
#include "base/file.h"
#include "base/json_reader.h"
#include "base/text.h"
#include "npu/output.h"

#include <algorithm>

namespace tilewright::npu {

namespace {

/// Appends text and integers to a string without temporary strings.
class Writer
{
public:
    Writer& operator<<(std::string_view text)
    {
        m_text.append(text);
        return *this;
    }
    template <typename T>
    requires std::is_integral_v<T> Writer& operator<<(T value)
    {
        appendNumber(m_text, static_cast<std::int64_t>(value));
        return *this;
    }
    Writer& name(const std::string& text)
    {
        m_text += jsonText(Json(text));
        return *this;
    }
    template <typename Range> Writer& list(const Range& values)
    {
        m_text += '[';
        bool first = true;
        for (const auto v : values) {
            if (!first)
                m_text += ',';
            first = false;
            *this << v;
        }
        m_text += ']';
        return *this;
    }
    std::string take() { return std::move(m_text); }

private:
    std::string m_text;
};

template <typename T> std::span<const T> firstOf(const std::array<T, kMaxRank>& values, int rank)
{
    return {values.data(), static_cast<std::size_t>(rank)};
}

} // namespace

std::string graphToJson(const NpuGraph& g, const NpuHardware& hw, const StaticSchedule& schedule)
{
    Writer w;
    w << "{\"spm_bytes\":" << hw.spmBytes << ",\"cores\":" << hw.cores
      << ",\"dram\":{\"channels\":" << hw.dram.channels << ",\"bytes_per_cycle\":" << hw.dram.bytesPerCycle
      << ",\"banks\":" << hw.dram.banks << ",\"burst_bytes\":" << hw.dram.burstBytes
      << ",\"interleave_bytes\":" << hw.dram.interleaveBytes << ",\"row_bytes\":" << hw.dram.rowBytes
      << "},\n\"tensors\":[";
    for (std::size_t i = 0; i < g.tensors.size(); ++i) {
        const NpuTensor& t = g.tensors[i];
        w << (i ? ",\n" : "\n") << "{\"id\":" << i << ",\"name\":";
        w.name(t.name) << ",\"shape\":";
        w.list(firstOf(t.shape, t.rank))
            << ",\"dtype_bytes\":" << formatNumber(static_cast<double>(t.bits) / kPartsOfByte)
            << ",\"dram_base\":" << t.dramBase << ",\"dram_size\":" << t.dramSize << "}";
    }
    w << "],\n\"tiles\":[";
    for (std::size_t i = 0; i < g.tiles.size(); ++i) {
        const TileDesc& t = g.tiles[i];
        const NpuTensor& tensor = g.tensors[t.tensor];
        w << (i ? ",\n" : "\n") << "{\"id\":" << i << ",\"tensor\":" << t.tensor << ",\"offset\":";
        w.list(firstOf(t.offset, tensor.rank)) << ",\"shape\":";
        w.list(firstOf(t.shape, tensor.rank))
            << ",\"dram_base\":" << t.dramBase << ",\"dram_size\":" << t.dramSize
            << ",\"spm_required\":" << t.spmRequired << ",\"segments\":[";
        bool first = true;
        for (const Segment& s : segmentsOf(tensor, t)) {
            w << (first ? "[" : ",[") << s.address << "," << s.bytes << "," << s.count << "," << s.stride
              << "]";
            first = false;
        }
        w << "]}";
    }
    w << "],\n\"nodes\":[";
    for (std::size_t i = 0; i < g.nodes.size(); ++i) {
        const TileNode& n = g.nodes[i];
        w << (i ? ",\n" : "\n") << "{\"id\":" << i << ",\"op\":";
        w.name(g.opNames[n.op]) << ",\"type\":\"" << toString(n.type) << "\",\"deps\":";
        w.list(g.deps.of(i)) << ",\"inputs\":";
        w.list(g.inputs(i)) << ",\"outputs\":";
        w.list(g.outputs(i)) << ",\"compute_cycles\":" << n.computeCycles << ",\"mem_bytes\":" << n.memBytes
                             << ",\"unit\":" << n.unit;
        if (n.accumulator != kNone)
            w << ",\"accumulator\":" << n.accumulator;
        if (n.scratchBytes > 0)
            w << ",\"scratch_bytes\":" << n.scratchBytes;
        w << ",\"priority\":" << schedule.cp[i] << ",\"core\":" << schedule.coreOf[i]
          << ",\"estimated_finish\":" << schedule.finish[i] << "}";
    }
    w << "],\n\"static_schedule\":{\"assignment\":\"" << toString(schedule.assignment)
      << "\",\"estimated_makespan\":" << schedule.estimatedMakespan << ",\"order\":[";
    for (std::size_t c = 0; c < schedule.order.size(); ++c) {
        w << (c ? ",\n" : "\n");
        w.list(schedule.order[c]);
    }
    w << "]}}\n";
    return w.take();
}

std::string traceToJson(const NpuGraph& g, const NpuRun& run)
{
    Writer w;
    const auto dramPid = run.cores.size();
    w << "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[";
    for (std::size_t c = 0; c <= run.cores.size(); ++c) {
        w << (c ? ",\n" : "\n") << "{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":" << c
          << ",\"args\":{\"name\":\"";
        if (c < dramPid)
            w << "core " << c;
        else
            w << "DRAM and NoC";
        w << "\"}}";
    }
    const auto event = [&](std::string_view category, std::size_t pid, std::string_view thread, Cycle start,
                           Cycle end) -> Writer& {
        return w << ",\n{\"ph\":\"X\",\"cat\":\"" << category << "\",\"pid\":" << pid << ",\"tid\":\""
                 << thread << "\",\"ts\":" << start << ",\"dur\":" << end - start;
    };
    for (std::size_t c = 0; c < run.cores.size(); ++c) {
        const CoreRun& core = run.cores[c];
        for (const auto& [spans, thread] :
             {std::pair{&core.tensor, "tensor"}, std::pair{&core.vector, "vector"}})
            for (const ComputeSpan& s : *spans) {
                event("compute", c, thread, s.start, s.end) << ",\"name\":";
                w.name(g.opNames[g.nodes[s.node].op]) << ",\"args\":{\"node\":" << s.node << "}}";
            }
        for (const auto& [spans, kind] : {std::pair{&core.loads, "load"}, std::pair{&core.stores, "store"}})
            for (const TransferSpan& s : *spans) {
                event(kind, c, kind, s.start, s.end) << ",\"name\":";
                w.name(g.tensors[g.tiles[s.tile].tensor].name)
                    << ",\"args\":{\"tile\":" << s.tile << ",\"bytes\":" << bytesMoved(g, s)
                    << ",\"node\":" << s.node;
                if (s.from >= 0)
                    w << ",\"from_core\":" << s.from;
                w << "}}";
            }
        for (const StateSpan& s : core.states) {
            if (s.state == CoreState::Tensor || s.state == CoreState::Vector)
                continue;
            event("state", c, "state", s.start, s.end)
                << ",\"name\":\"" << toString(s.state) << "\",\"args\":{";
            bool first = true;
            for (const auto& [key, id] :
                 {std::pair{"node", s.node}, std::pair{"blocker", s.blocker}, std::pair{"tile", s.tile}})
                if (id != kNone) {
                    w << (first ? "\"" : ",\"") << key << "\":" << id;
                    first = false;
                }
            w << "}}";
        }
        for (const Choice& choice : core.choices) {
            if (run.scores.empty() || !g.isFirstOfUnit(choice.node))
                continue; // replays a list, or continues a chain
            const ChoiceScore& s = run.scores[g.nodes[choice.node].unit];
            w << ",\n{\"ph\":\"i\",\"s\":\"t\",\"cat\":\"choice\",\"pid\":" << c
              << ",\"tid\":\"choice\",\"ts\":" << choice.time << ",\"name\":";
            w.name(g.opNames[g.nodes[choice.node].op])
                << ",\"args\":{\"node\":" << choice.node
                << ",\"critical_path\":" << formatNumber(s.criticalPath)
                << ",\"intensity\":" << formatNumber(s.intensity)
                << ",\"dram_stall\":" << formatNumber(s.dramStall)
                << ",\"score\":" << formatNumber(s.of(run.options.weights))
                << ",\"candidates\":" << s.candidates << "}}";
        }
        for (const TimedValue& s : core.spm)
            w << ",\n{\"ph\":\"C\",\"name\":\"spm\",\"pid\":" << c << ",\"ts\":" << s.time
              << ",\"args\":{\"bytes\":" << s.value << "}}";
    }
    for (const DramEvent& e : run.dramEvents) {
        w << ",\n{\"ph\":\"X\",\"cat\":\"dram\",\"pid\":" << dramPid << ",\"tid\":\"ch" << e.channel
          << "\",\"ts\":" << e.start << ",\"dur\":" << e.end - e.start << ",\"name\":\""
          << (e.isStore ? "write" : "read")
          << "\",\"args\":{\"bytes\":" << e.bursts * run.hardware.dram.burstBytes
          << ",\"bursts\":" << e.bursts << ",\"bank\":" << e.bank
          << ",\"row_hit\":" << (e.rowHit ? "true" : "false") << ",\"address\":" << e.address
          << ",\"tile\":" << e.tile << "}}";
    }
    for (const TimedValue& s : run.readySet)
        w << ",\n{\"ph\":\"C\",\"name\":\"ready\",\"pid\":" << dramPid << ",\"ts\":" << s.time
          << ",\"args\":{\"units\":" << s.value << "}}";
    w << "]}\n";
    return w.take();
}

Status writeGraph(const NpuGraph& graph, const NpuHardware& hardware, const StaticSchedule& schedule,
                  const std::string& path)
{
    return writeFileAtomically(path, graphToJson(graph, hardware, schedule));
}

Status writeTrace(const NpuGraph& graph, const NpuRun& run, const std::string& path)
{
    return writeFileAtomically(path, traceToJson(graph, run));
}

namespace {

Json boundsToJson(const Bounds& bounds)
{
    return {{"critical_path", bounds.criticalPath},
            {"tensor", bounds.tensor},
            {"vector", bounds.vector},
            {"dram", bounds.dram},
            {"binding", bounds.binding()},
            {"compulsory_bytes", bounds.compulsoryBytes},
            {"intermediate_bytes", bounds.intermediateBytes}};
}

} // namespace

namespace {

Json tileToJson(OpType type, const TileSizes& tile)
{
    Json j = Json::object();
    for (const TileField& field : tileFields(type))
        if (const std::int64_t size = tile.*field.size; size > 0)
            j[field.key] = size;
    return j;
}

Json reportToJson(const OpReport& r, const NpuHardware& hw)
{
    Json out = {{"name", r.name},
                {"type", toString(r.type)},
                {"tile", tileToJson(r.type, r.tile)},
                {"nodes", r.nodes},
                {"start", r.start},
                {"end", r.end},
                {"tensor", r.tensor},
                {"vector", r.vector},
                {"wait_spm", r.stallsOf(CoreState::WaitSpm)},
                {"wait_noc", r.stallsOf(CoreState::WaitNoc)},
                {"wait_dram", r.stallsOf(CoreState::WaitDram)},
                {"wait_dependency", r.stallsOf(CoreState::WaitDependency)},
                {"loaded_bytes", r.loaded},
                {"stored_bytes", r.stored},
                {"cores", r.cores},
                {"energy_pj",
                 {{"mac", r.macPj},
                  {"spm", r.spmPj},
                  {"noc", r.nocPj},
                  {"dram", r.dramPj},
                  {"total", r.energyPj()}}}};
    if (hw.shared.bytes > 0)
        out["shared_bytes"] = r.shared;
    if (hw.shared.bytes > 0 && hw.shared.multicast)
        out["multicast_bytes"] = r.joined;
    if (hw.coreToCore)
        out["core_to_core_bytes"] = r.passed;
    return out;
}

Json searchToJson(const NpuGraph& graph, const TileSearch& search)
{
    Json j = {{"before", {{"makespan", search.before}, {"dram_bytes", search.bytesBefore}}},
              {"after", {{"makespan", search.after}, {"dram_bytes", search.bytesAfter}}},
              {"runs", search.runs},
              {"operators", Json::array()}};
    for (const OperatorTiles& o : search.operators) {
        const OpType type = graph.opTypes[o.ops.front()];
        Json names = Json::array();
        for (const std::uint32_t op : o.ops)
            names.push_back(graph.opNames[op]);
        const auto pointToJson = [&](const TileCandidate& c) {
            return Json{{"tile", tileToJson(type, c.tile)},
                        {"cycles_alone", c.cycles ? Json(*c.cycles) : Json(nullptr)},
                        {"bound", c.bound}};
        };
        j["operators"].push_back(
            {{"operators", std::move(names)},
             {"candidates", o.candidates.size()},
             {"simulated", std::ranges::count_if(o.candidates, [](const auto& c) { return bool(c.cycles); })},
             {"proven", o.proven},
             {"before", pointToJson(o.candidates.front())},
             {"fastest_alone", pointToJson(o.candidates[o.fastest])},
             {"chosen", pointToJson(o.candidates[o.chosen])}});
    }
    return j;
}

} // namespace

std::string interruptedToJson(const NpuGraph& graph, const NpuHardware& hardware, const RunOptions& options,
                              const Bounds& bounds, Cycle estimatedMakespan, double simulated)
{
    Json j;
    j["scheduler"] = toString(options.scheduler);
    j["cores"] = hardware.cores;
    j["tiles"] = graph.tiles.size();
    j["nodes"] = graph.nodes.size();
    j["makespan"] = nullptr;
    j["lower_bound"] = bounds.lowerBound;
    j["dram_bytes"] = nullptr;
    j["per_core"] = Json::array();
    j["verified"] = nullptr;
    j["assignment"] = toString(options.assignment);
    j["bounds"] = boundsToJson(bounds);
    j["interrupted"] = true;
    j["simulated"] = simulated;
    j["estimated_makespan"] = estimatedMakespan;
    return jsonText(j, 2) + "\n";
}

std::string summaryToJson(const NpuGraph& graph, const NpuRun& run, const Bounds& bounds,
                          const std::vector<OpReport>& reports, const TileSearch* search, bool verified,
                          const std::string& extra)
{
    Json j;
    j["scheduler"] = toString(run.options.scheduler);
    j["cores"] = run.cores.size();
    j["machine"] = run.hardware.name;
    j["tiles"] = graph.tiles.size();
    j["nodes"] = graph.nodes.size();
    j["makespan"] = run.makespan;
    j["lower_bound"] = bounds.lowerBound;
    j["dram_bytes"] = run.dramBytes;
    if (run.hardware.shared.bytes > 0)
        j["shared_bytes"] = run.sharedBytes;
    if (run.hardware.shared.bytes > 0 && run.hardware.shared.multicast)
        j["multicast_bytes"] = run.joinedBytes;
    if (run.hardware.coreToCore)
        j["core_to_core_bytes"] = run.passedBytes;
    j["per_core"] = Json::array();
    for (const CoreRun& core : run.cores)
        j["per_core"].push_back({{"tensor", core.of(CoreState::Tensor)},
                                 {"vector", core.of(CoreState::Vector)},
                                 {"wait_dependency", core.of(CoreState::WaitDependency)},
                                 {"wait_spm", core.of(CoreState::WaitSpm)},
                                 {"wait_dram", core.of(CoreState::WaitDram)},
                                 {"wait_noc", core.of(CoreState::WaitNoc)},
                                 {"idle", core.of(CoreState::Idle)}});
    j["verified"] = verified;
    j["assignment"] = toString(run.options.assignment);
    j["bounds"] = boundsToJson(bounds);
    j["dram_busy"] = run.dramUtilization();
    j["row_hits"] = run.rowHits;
    j["row_misses"] = run.rowMisses;
    j["binds"] = explainRun(graph, run, bounds);
    double energy = 0;
    j["operators"] = Json::array();
    for (const OpReport& r : reports) {
        j["operators"].push_back(reportToJson(r, run.hardware));
        energy += r.energyPj();
    }
    j["energy_pj"] = energy;
    if (search != nullptr)
        j["tile_search"] = searchToJson(graph, *search);
    if (!extra.empty())
        j.update(parsedJson(extra));
    return jsonText(j, 2) + "\n";
}

} // namespace tilewright::npu
