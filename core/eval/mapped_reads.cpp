// SPDX-License-Identifier: GPL-3.0-or-later
#include "eval/mapped_reads.h"

#include "workload/halo.h"

#include <algorithm>

namespace tilewright {

namespace {

struct Rows
{
    std::int64_t begin = 0, end = 0;
};

Rect withRows(const Rect& rect, const Rows& rows)
{
    return {rows.begin, rows.end, rect.c0, rect.c1};
}

/// For a read through an index map, the whole box around its elements is computed (R1.8). Returns the rows of
/// the box of read.rect that no other row of tiles needs; empty if there are none.
Rows ownRowsOfBox(const IndexMap& map, const MappedRead& read)
{
    const Rect box = footprint(map, read.rect).box;
    if (!std::holds_alternative<WindowsMap>(map))
        return {box.r0, box.r1};
    const Rect before = footprint(map, withRows(read.whole, {read.whole.r0, read.own.r0})).box;
    const Rect after = footprint(map, withRows(read.whole, {read.own.r1, read.whole.r1})).box;
    const std::int64_t from = before.area() > 0 ? std::clamp(before.r1, box.r0, box.r1) : box.r0;
    const std::int64_t to = after.area() > 0 ? std::clamp(after.r0, box.r0, box.r1) : box.r1;
    return {from, std::max(from, to)};
}

/// Returns the reads of a step; their footprints are not set.
std::vector<MappedRead> readsOf(const Problem& problem, const Step& step)
{
    std::vector<MappedRead> out;
    // for each op: the rows that all tiles need, and those that only this tile needs
    std::map<OpId, std::pair<Rows, Rows>> needs;
    // each run comes before the runs that produce its operands (R6.6)
    for (const StepRun& run : step.runs) {
        const std::vector<TensorId>& operands = problem.operands(run.op);
        const bool matmul = problem.op(run.op).type == OpType::MatMul;
        Rows whole{0, problem.tensor(problem.op(run.op).output).height}, own{run.rect.r0, run.rect.r1};
        if (const auto known = needs.find(run.op); known != needs.end()) {
            whole = known->second.first;
            own.begin = std::clamp(known->second.second.begin, run.rect.r0, run.rect.r1);
            own.end = std::clamp(known->second.second.end, own.begin, run.rect.r1);
        }
        for (std::size_t i = 0; i < operands.size(); ++i) {
            const Tensor& operand = problem.tensor(operands[i]);
            const Rect all{0, operand.height, 0, operand.width};
            MappedRead read{run.op, operands[i], Role::Pointwise, run.rect, run.rect, all, {}, {}, 0};
            if (matmul && i == 0) {
                read.role = Role::Lhs;
                read.rect = {run.rect.r0, run.rect.r1, run.k0, run.k1};
                read.tile = {run.rect.r0, run.rect.r1, 0, operand.width};
            } else if (matmul) {
                read.role = Role::Rhs;
                read.rect = {run.k0, run.k1, run.rect.c0, run.rect.c1};
                read.tile = {0, operand.height, run.rect.c0, run.rect.c1};
            }
            read.own = read.role == Role::Rhs ? read.tile : withRows(read.tile, own);
            if (read.role != Role::Rhs)
                read.whole = withRows(all, whole);
            const IndexMap* map = problem.map(operands[i]);
            if (map && std::find(out.begin(), out.end(), read) == out.end())
                out.push_back(read);
            if (const auto producer = problem.producer(problem.stored(operands[i]))) {
                std::pair rows{Rows{read.whole.r0, read.whole.r1}, Rows{read.own.r0, read.own.r1}};
                if (map) {
                    const Rect box = footprint(*map, read.whole).box;
                    rows = {{box.r0, box.r1}, ownRowsOfBox(*map, read)};
                }
                const auto [it, fresh] = needs.try_emplace(*producer, rows);
                if (!fresh) {
                    auto& [wholeRows, ownRows] = it->second;
                    wholeRows = {std::min(wholeRows.begin, rows.first.begin),
                                 std::max(wholeRows.end, rows.first.end)};
                    ownRows = {std::max(ownRows.begin, rows.second.begin),
                               std::min(ownRows.end, rows.second.end)};
                }
            }
        }
    }
    return out;
}

/// Returns the number of elements of `rect`, a part of the tile, that other tiles also touch.
std::int64_t haloOf(const Problem& problem, const MappedRead& read, const Rect& rect)
{
    const auto* windows = std::get_if<WindowsMap>(problem.map(read.view));
    return windows ? haloVolume(*windows, read.whole, read.own, rect) : 0;
}

std::int64_t haloOfBox(const Problem& problem, const MappedRead& read)
{
    const IndexMap& map = *problem.map(read.view);
    const Rect box = footprint(map, read.rect).box;
    const Rows own = ownRowsOfBox(map, read);
    return (box.height() - (own.end - own.begin)) * box.width();
}

} // namespace

std::vector<MappedRead> mappedReads(const Problem& problem, const Step& step)
{
    if (!problem.hasMaps())
        return {};
    std::vector<MappedRead> out = readsOf(problem, step);
    for (MappedRead& read : out) {
        read.touched = footprint(*problem.map(read.view), read.tile);
        read.halo = haloOf(problem, read, read.tile);
    }
    std::erase_if(out, [](const MappedRead& read) { return read.touched.empty(); });
    return out;
}

std::optional<MappedRead> largestMappedRead(const Problem& problem, const Subgraph& subgraph,
                                            std::span<const TensorId> residentBefore, const Rules& rules,
                                            OpId op, TensorId view, std::int64_t maxSteps)
{
    std::optional<MappedRead> out;
    traceSubgraph(problem, subgraph, residentBefore, rules, [&](const Step& step) {
        for (MappedRead read : readsOf(problem, step)) {
            if (read.op != op || read.view != view)
                continue;
            read.touched = footprint(*problem.map(view), read.tile);
            if (!read.touched.empty() && (!out || read.touched.volume > out->touched.volume))
                out = read;
        }
        return step.index + 1 < maxSteps;
    });
    if (out)
        out->halo = haloOf(problem, *out, out->tile);
    return out;
}

std::int64_t StepHalos::remembered(const MappedRead& read, bool interior)
{
    const auto [it, fresh] = m_known.try_emplace({read.view, read.whole, read.own, read.rect, interior}, 0);
    if (fresh)
        it->second = interior ? haloOfBox(m_problem, read) : haloOf(m_problem, read, read.rect);
    return it->second;
}

HaloVolume StepHalos::of(const Step& step)
{
    HaloVolume out;
    if (!m_problem.hasMaps())
        return out;
    const std::vector<MappedRead> reads = readsOf(m_problem, step);
    for (const StepBuffer& b : step.buffers)
        if (!b.full && m_problem.map(b.tensor))
            for (const MappedRead& read : reads)
                if (read.view == b.tensor && read.role == b.role && read.rect == b.rect) {
                    out.input += remembered(read, false) * m_problem.units(b.tensor);
                    break;
                }
    for (const StepInterior& slice : step.interiors) {
        std::int64_t most = 0;
        for (const MappedRead& read : reads)
            if (m_problem.stored(read.view) == slice.tensor &&
                footprint(*m_problem.map(read.view), read.rect).box == slice.rect)
                most = std::max(most, remembered(read, true));
        out.interior += most * m_problem.units(slice.tensor);
    }
    return out;
}

} // namespace tilewright
