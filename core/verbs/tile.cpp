// SPDX-License-Identifier: GPL-3.0-or-later
#include "verbs/tile.h"

#include "base/integer.h"
#include "base/text.h"
#include "systolic/roofline.h"

namespace tilewright::verbs {

namespace {

constexpr std::int64_t kDefaultCapacity = 64 * 1024;
constexpr std::int64_t kDefaultElementBytes = 4;

std::string roomOf(const systolic::Hierarchy& h, systolic::Level level, bool whole)
{
    std::string name(systolic::levelName(level));
    for (char& c : name)
        c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    const std::int64_t buffers = h.at(level).buffers;
    return name + ", " + systolic::roomText(whole ? buffers : 1, buffers);
}

/// Sets the capacity to that of a level: "l3", "l2", "l1" (all buffers) or "l3-buffer" ... (one buffer).
Status takeLevel(TileRequest& request, const std::string& name)
{
    const systolic::Hierarchy& h = request.hierarchy;
    for (const systolic::Level level : {systolic::Level::L3, systolic::Level::L2, systolic::Level::L1})
        for (const bool whole : {true, false})
            if (name == std::string(systolic::levelName(level)) + (whole ? "" : "-buffer")) {
                request.query.capacityBytes = whole ? h.at(level).totalBytes() : h.at(level).bytes;
                request.room = roomOf(h, level, whole);
                return Unit{};
            }
    return Error{ErrorCode::Problem,
                 "expected l3, l2, l1, l3-buffer, l2-buffer or l1-buffer, got \"" + name + "\"",
                 "--level",
                 {}};
}

/// Returns the hierarchy of the named machine, else that of the named file; empty if neither is named.
std::optional<systolic::Hierarchy> hierarchyOf(const TileCall& o)
{
    if (o.workload.machine || (o.workload.workload && !o.hierarchy))
        return lower::hierarchyOf(o.workload.machineOrEdge());
    return o.hierarchy;
}

Result<TileRequest> readTileCall(const TileCall& o)
{
    if (o.workload.machine) {
        noticeOf(o.workload.file, leftOutText(*o.workload.machine, MachineLens::Systolic));
        noticeOf(o.workload.file, oneArrayText(*o.workload.machine));
    }
    const auto gemm = productOf(o.workload, o.gemm, o.layer);
    if (!gemm)
        return gemm.error();
    const auto hierarchy = hierarchyOf(o);
    TileRequest out;
    out.hierarchy = hierarchy.value_or(systolic::kpuHierarchy());
    const auto array = systolic::parseArrayShape(o.array.value_or("16x16"));
    const auto footprint = systolic::parseFootprint(o.footprint);
    const auto method = systolic::parseTileMethod(o.method);
    if (!array)
        return array.error();
    if (!footprint)
        return footprint.error();
    if (!method)
        return method.error();
    systolic::TileQuery& q = out.query;
    q.gemm = *gemm;
    q.array = o.array || !hierarchy ? *array : out.hierarchy.array;
    q.footprint = *footprint;
    q.elementBytes = o.elementBytes || !hierarchy ? o.elementBytes.value_or(kDefaultElementBytes)
                                                  : out.hierarchy.elementBytes;
    q.buffering = o.buffering;
    q.capacityBytes = o.capacity.value_or(kDefaultCapacity);
    out.room = "a memory of " + bytesText(q.capacityBytes);
    if (!o.capacity && hierarchy)
        if (const Status level = takeLevel(out, o.level); !level)
            return level.error();
    out.hierarchy.array = q.array;
    out.hierarchy.elementBytes = q.elementBytes;
    out.method = *method;
    if (!o.tile.empty()) {
        const auto tile = systolic::parseTileShape(o.tile);
        if (!tile)
            return tile.error();
        out.given = *tile;
    }
    out.levels.footprint = q.footprint;
    for (std::size_t l = 0; l < out.levels.room.size(); ++l) { // order: L3, L2, L1
        if (!o.levelBuffers.empty())
            out.levels.room[l].buffers = o.levelBuffers[l];
        if (!o.levelBuffering.empty())
            out.levels.room[l].buffering = o.levelBuffering[l];
    }
    return out;
}

} // namespace

TileRequest tileRequestOf(const systolic::Settings& s)
{
    return {s.tileQuery(),
            s.method,
            s.ownTile,
            s.hierarchy,
            {.footprint = s.footprint},
            roomOf(s.hierarchy, s.tileLevel, s.wholeLevel)};
}

std::vector<systolic::Constraint> TileAnswer::constraints() const
{
    return systolic::tileConstraints(hierarchy, query.gemm, choice.tile, 2, query.footprint);
}

std::string TileAnswer::fitText() const
{
    const bool isAggressive = query.footprint == systolic::Footprint::Aggressive;
    const std::int64_t sums = systolic::sumsPerPe(query.array, choice.tile.ti, choice.tile.tj);
    std::string out = formatGrouped(choice.footprintElements) + " of " + formatGrouped(query.cap()) +
                      " elements of " + room +
                      (isAggressive ? " (aggressive: A and B)" : " (conservative: A, B and C)");
    if (choice.footprintElements > query.cap())
        out += ", does not fit";
    if (isAggressive && sums > query.sumsPerPe)
        out += "; C needs " + formatGrouped(sums) + " sums in a PE, which has " +
               (query.sumsPerPe == 1 ? "one" : formatGrouped(query.sumsPerPe)) + ", does not fit";
    return out;
}

systolic::ReuseFactors TileAnswer::reuse() const
{
    return systolic::reuseFactors(query.gemm, choice.tile);
}

Result<systolic::ThreeLevelTiling> TileAnswer::threeLevels() const
{
    return systolic::threeLevelTiling(hierarchy, query.gemm, levels);
}

Result<TileAnswer> tileOfProduct(const TileRequest& request)
{
    const systolic::TileQuery& q = request.query;
    const auto choice =
        request.given ? systolic::describeTile(q, *request.given) : systolic::chooseTile(q, request.method);
    if (!choice)
        return choice.error();
    const auto bytes = checkedMul(choice->elements, q.elementBytes);
    if (!bytes)
        return Error{ErrorCode::Problem, "the traffic in bytes overflows", "--gemm", {}};
    TileAnswer out;
    out.query = q;
    out.choice = *choice;
    out.given = request.given.has_value();
    out.hierarchy = request.hierarchy;
    out.levels = request.levels;
    out.room = request.room;
    out.bytes = *bytes;
    out.dram = systolic::dramQueryOf(out.hierarchy, q.gemm, systolic::Dataflow::Os, choice->tile);
    return out;
}

Result<TileAnswer> tileOfProduct(const TileCall& call)
{
    const auto request = readTileCall(call);
    if (!request)
        return request.error();
    auto out = tileOfProduct(*request);
    if (!out && !call.capacity)
        return namingMemories(out.error(), call.workload, call.hierarchyFile);
    const bool levelsGiven = !call.levelBuffers.empty() || !call.levelBuffering.empty();
    if (out && levelsGiven)
        if (const auto fits = out->threeLevels(); !fits)
            return fits.error();
    return out;
}

std::vector<DramOfOrder> dramOfOrders(const TileAnswer& answer, bool withBelady, const Progress& progress)
{
    std::vector<DramOfOrder> out;
    if (!systolic::checkDramQuery(answer.dram))
        return out;
    systolic::DramQuery q = answer.dram;
    for (const systolic::LoopOrder order : systolic::kLoopOrders) {
        q.order = order;
        q.replacement = systolic::Replacement::Lru;
        out.push_back({order, systolic::dramClosedForm(q), {}});
        q.replacement = systolic::Replacement::Belady;
        if (withBelady)
            if (const auto belady = systolic::simulateDram(q, progress))
                out.back().belady = *belady;
    }
    return out;
}

void addAdaptive(TileAnswer& answer, const Progress& progress)
{
    if (auto adaptive = systolic::adaptiveStationary(answer.dram, progress))
        answer.adaptive = std::move(*adaptive);
    answer.interrupted = progress.stopRequested();
}

Result<std::vector<LayerTile>> tilesOfNetwork(const TileCall& call)
{
    auto request = readTileCall(call);
    if (!request)
        return request.error();
    const auto model = putOnMachine(call.workload);
    if (!model)
        return model.error();
    std::vector<LayerTile> out;
    systolic::TileQuery& q = request->query;
    for (lower::GemmLayer& layer : lower::gemmsOf((*model)->lowered)) {
        q.gemm = layer.gemm;
        const auto choice = systolic::chooseTile(q, request->method);
        if (!choice) {
            Error error = call.capacity ? choice.error()
                                        : namingMemories(choice.error(), call.workload, call.hierarchyFile);
            error.path = layer.operators.front();
            return error;
        }
        out.push_back({std::move(layer), *choice, saturatingMul(choice->elements, q.elementBytes)});
    }
    return out;
}

} // namespace tilewright::verbs
