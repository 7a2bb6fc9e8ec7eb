// SPDX-License-Identifier: GPL-3.0-or-later
#include "systolic/array_timing.h"

#include "base/integer.h"

#include <algorithm>
#include <vector>

namespace tilewright::systolic {

namespace {

/// Size of block `index` when `size` is cut into blocks of `block`; the last block may be smaller.
constexpr std::int64_t blockSize(std::int64_t size, std::int64_t block, std::int64_t index) noexcept
{
    return std::min(block, size - index * block);
}

/// Number of PEs of an r x c block that lie on the antidiagonals 0 to d.
std::int64_t pesUpToDiagonal(std::int64_t r, std::int64_t c, std::int64_t d) noexcept
{
    const auto triangle = [](std::int64_t x) { return x > 0 ? x * (x + 1) / 2 : 0; };
    if (d < 0)
        return 0;
    d = std::min(d, r + c - 2);
    return triangle(d + 1) - triangle(d + 1 - r) - triangle(d + 1 - c) + triangle(d + 1 - r - c);
}

} // namespace

FoldPlan::FoldPlan(const Gemm& gemm, const ArrayShape& array, const TimingOptions& options) noexcept
    : m_gemm(gemm), m_array(array), m_options(options), m_rowsInner(options.dataflow != Dataflow::Os)
{
    switch (options.dataflow) {
    case Dataflow::Os:
        m_rowSize = gemm.m;
        m_colSize = gemm.n;
        m_stream = gemm.k;
        break;
    case Dataflow::Ws:
        m_rowSize = gemm.k;
        m_colSize = gemm.n;
        m_stream = gemm.m;
        break;
    case Dataflow::Is:
        m_rowSize = gemm.k;
        m_colSize = gemm.m;
        m_stream = gemm.n;
        break;
    }
    const std::int64_t rowBlocks = ceilDiv(m_rowSize, array.rows);
    const std::int64_t colBlocks = ceilDiv(m_colSize, array.cols);
    m_outerBlocks = m_rowsInner ? colBlocks : rowBlocks;
    m_innerBlocks = m_rowsInner ? rowBlocks : colBlocks;

    const std::int64_t n = folds();
    if (options.readout == Readout::Shadow) {
        m_cycles = lastMac();
    } else {
        // A fold smaller than the array takes as long as a fold of the whole array.
        std::int64_t each = 2 * array.rows + array.cols + m_stream - 2;
        if (options.readout == Readout::ScaleSim && options.dataflow == Dataflow::Os)
            each = array.rows + array.cols + m_stream - 2;
        m_cycles = each * n - (options.readout == Readout::ScaleSim ? 1 : 0);
    }
}

std::int64_t FoldPlan::rowsOf(std::int64_t outer, std::int64_t inner) const noexcept
{
    return blockSize(m_rowSize, m_array.rows, m_rowsInner ? inner : outer);
}

std::int64_t FoldPlan::colsOf(std::int64_t outer, std::int64_t inner) const noexcept
{
    return blockSize(m_colSize, m_array.cols, m_rowsInner ? outer : inner);
}

std::int64_t FoldPlan::start(std::int64_t index) const noexcept
{
    const bool os = m_options.dataflow == Dataflow::Os;
    if (m_options.readout != Readout::Shadow) {
        const std::int64_t load = os ? 0 : m_array.rows;
        const std::int64_t shift = os && m_options.readout == Readout::Shift ? m_array.rows : 0;
        return index * (load + m_stream + m_array.rows + m_array.cols - 2 + shift) + load;
    }
    if (os)
        return index * m_stream;

    const std::int64_t outer = index / m_innerBlocks;
    const std::int64_t inner = index % m_innerBlocks;
    const std::int64_t raggedRows = rowsOf(0, m_innerBlocks - 1);
    if (m_options.weightBuffers == 1) {
        // Start of the fold: the sum of (r + M + r + c - 2) over the earlier folds, plus the load of this
        // fold.
        const std::int64_t fullCols = std::min(m_array.cols, m_colSize);
        const std::int64_t cols = colsOf(outer, inner);
        return outer * (2 * m_rowSize + m_innerBlocks * (m_stream + fullCols - 2)) +
               inner * (2 * m_array.rows + m_stream + cols - 2) + rowsOf(outer, inner);
    }
    // Every fold after the first one starts max(M, r) cycles after its predecessor. The folds 1 to `index`
    // are counted separately for full and for smaller r.
    const std::int64_t ragged = outer + (inner == m_innerBlocks - 1 ? 1 : 0);
    const std::int64_t whole = index + 1 - ragged;
    const std::int64_t wholeStep = std::max(m_stream, m_array.rows);
    const std::int64_t raggedStep = std::max(m_stream, raggedRows);
    const std::int64_t first = m_innerBlocks == 1 ? raggedRows : std::min(m_array.rows, m_rowSize);
    const std::int64_t firstStep = m_innerBlocks == 1 ? raggedStep : wholeStep;
    return first + whole * wholeStep + ragged * raggedStep - firstStep;
}

std::int64_t FoldPlan::lastMac() const noexcept
{
    // Of all folds of one size, the last one ends last. There are at most four sizes, hence four candidates.
    std::int64_t end = 0;
    for (const std::int64_t outer : {m_outerBlocks - 1, m_outerBlocks - 2})
        for (const std::int64_t inner : {m_innerBlocks - 1, m_innerBlocks - 2})
            if (outer >= 0 && inner >= 0)
                end = std::max(end, start(outer * m_innerBlocks + inner) + m_stream + rowsOf(outer, inner) +
                                        colsOf(outer, inner) - 2);
    return end;
}

Fold FoldPlan::fold(std::int64_t index) const noexcept
{
    Fold f;
    f.index = index;
    f.outer = index / m_innerBlocks;
    f.inner = index % m_innerBlocks;
    f.rows = rowsOf(f.outer, f.inner);
    f.cols = colsOf(f.outer, f.inner);
    f.start = start(index);
    f.rowOffset = (m_rowsInner ? f.inner : f.outer) * m_array.rows;
    f.colOffset = (m_rowsInner ? f.outer : f.inner) * m_array.cols;
    return f;
}

std::int64_t FoldPlan::foldStartedAt(std::int64_t t) const noexcept
{
    std::int64_t low = -1;       // a fold that has started
    std::int64_t high = folds(); // a fold that has not started
    if (m_options.dataflow == Dataflow::Os && m_options.readout == Readout::Shadow)
        return t < 0 ? -1 : std::min(high - 1, t / m_stream);
    while (high - low > 1) {
        const std::int64_t middle = low + (high - low) / 2;
        (start(middle) <= t ? low : high) = middle;
    }
    return low;
}

std::int64_t FoldPlan::activePesAt(std::int64_t t) const noexcept
{
    std::int64_t active = 0;
    for (std::int64_t n = foldStartedAt(t); n >= 0; --n) {
        const Fold f = fold(n);
        const std::int64_t d = t - f.start; // latest antidiagonal that the wave has reached
        if (d - m_stream > m_array.rows + m_array.cols - 2)
            break;
        active += pesUpToDiagonal(f.rows, f.cols, d) - pesUpToDiagonal(f.rows, f.cols, d - m_stream);
    }
    return active;
}

PeActivity FoldPlan::peAt(std::int64_t t, std::int64_t row, std::int64_t col) const noexcept
{
    PeActivity pe;
    pe.fold = foldStartedAt(t - row - col);
    if (pe.fold < 0)
        return pe;
    const Fold f = fold(pe.fold);
    const std::int64_t step = t - row - col - f.start;
    pe.active = step < m_stream && row < f.rows && col < f.cols;
    const std::int64_t r = f.rowOffset + row;
    const std::int64_t c = f.colOffset + col;
    switch (m_options.dataflow) {
    case Dataflow::Os:
        pe.m = r, pe.n = c, pe.k = step;
        break;
    case Dataflow::Ws:
        pe.m = step, pe.n = c, pe.k = r;
        break;
    case Dataflow::Is:
        pe.m = c, pe.n = step, pe.k = r;
        break;
    }
    return pe;
}

void FoldPlan::sweepActivity(std::int64_t from, std::int64_t to, std::vector<std::int64_t>& active) const
{
    // The number of active PEs of a fold first grows, then is constant, then falls. Its third difference is
    // therefore +1, -1, -1, +1 in the cycles in which the wave enters PE(0,0) and leaves the last row, the
    // last column and the array, and the opposite one stream length later. A cycle costs three additions,
    // however many folds overlap.
    active.assign(static_cast<std::size_t>(to - from), 0);
    const auto add = [&](std::int64_t t, std::int64_t value) {
        if (t >= from && t < to)
            active[static_cast<std::size_t>(t - from)] += value;
    };
    const std::int64_t reach = m_stream + m_array.rows + m_array.cols;
    for (std::int64_t n = std::max<std::int64_t>(0, foldStartedAt(from - reach)); n < folds(); ++n) {
        const Fold f = fold(n);
        if (f.start >= to)
            break;
        for (const auto& [at, sign] : {std::pair{f.start, 1}, {f.start + m_stream, -1}}) {
            add(at, sign);
            add(at + f.rows, -sign);
            add(at + f.cols, -sign);
            add(at + f.rows + f.cols, sign);
        }
    }
    std::int64_t a1 = activePesAt(from - 1);
    std::int64_t a2 = activePesAt(from - 2);
    std::int64_t a3 = activePesAt(from - 3);
    for (std::int64_t& a : active) {
        a += 3 * (a1 - a2) + a3;
        a3 = a2;
        a2 = a1;
        a1 = a;
    }
}

ArrayPhases FoldPlan::phases() const
{
    // The activity in a window depends only on the folds that overlap it, and folds in the middle repeat
    // those near the four corners of the (outer, inner) plane. So only the corners are swept. Within a fold
    // the activity changes only while the wave enters or leaves.
    const std::int64_t wave = m_array.rows + m_array.cols;
    const std::int64_t reach = ceilDiv(wave, m_stream) + 2;
    const auto corners = [](std::int64_t count, std::int64_t margin) {
        std::vector<std::int64_t> out;
        for (std::int64_t i = 0; i < std::min(count, margin); ++i)
            out.push_back(i);
        for (std::int64_t i = std::max(std::min(count, margin), count - margin); i < count; ++i)
            out.push_back(i);
        return out;
    };
    struct Range
    {
        std::int64_t from, to;
    };
    std::vector<Range> ranges;
    const auto look = [&](std::int64_t from, std::int64_t to) {
        if (from >= to)
            return;
        constexpr std::int64_t kMost = 1 << 18; // largest number of cycles per sweep
        if (!ranges.empty() && ranges.back().to == from && to - ranges.back().from <= kMost)
            ranges.back().to = to;
        else
            for (; from < to; from += kMost)
                ranges.push_back({from, std::min(to, from + kMost)});
    };
    const std::int64_t last = folds() - 1;
    for (const std::int64_t outer : corners(m_outerBlocks, ceilDiv(reach, m_innerBlocks) + 2)) {
        for (const std::int64_t inner : corners(m_innerBlocks, reach)) {
            const std::int64_t n = outer * m_innerBlocks + inner;
            const std::int64_t from = start(n);
            const std::int64_t to = n == last ? from + m_stream + wave : start(n + 1);
            // The wave enters during `wave` cycles from `from` on, and leaves during `wave` cycles from
            // streamEnd - 1 on. The last cycle closes the window.
            const std::int64_t streamEnd = from + m_stream;
            look(from, std::min(to, from + wave));
            look(std::max(from + wave, std::min(to, streamEnd - 1)), std::min(to, streamEnd + wave));
            if (to - 1 >= std::max(from + wave, streamEnd + wave))
                look(to - 1, to);
        }
    }
    ArrayPhases result;
    std::int64_t firstPeak = 0;
    std::int64_t lastPeak = 0;
    std::vector<std::int64_t> active;
    for (const Range& range : ranges) {
        sweepActivity(range.from, range.to, active);
        for (std::size_t i = 0; i < active.size(); ++i) {
            const std::int64_t t = range.from + static_cast<std::int64_t>(i);
            if (active[i] > result.peakPes) {
                result.peakPes = active[i];
                firstPeak = t;
            }
            if (active[i] == result.peakPes)
                lastPeak = t;
        }
    }
    result.fill = firstPeak;
    result.steady = lastPeak - firstPeak + 1;
    const std::int64_t span = m_options.readout == Readout::ScaleSim ? m_cycles + 1 : m_cycles;
    result.drain = span - lastPeak - 1;
    return result;
}

EdgeElements edgeElements(const Gemm& g, const ArrayShape& array, Dataflow dataflow) noexcept
{
    const std::int64_t a = g.m * g.k;
    const std::int64_t b = g.k * g.n;
    const std::int64_t c = g.m * g.n;
    if (dataflow == Dataflow::Os)
        return {a * ceilDiv(g.n, array.cols), b * ceilDiv(g.m, array.rows), 0, c};
    const std::int64_t sums = ceilDiv(g.k, array.rows);
    return {dataflow == Dataflow::Ws ? a * ceilDiv(g.n, array.cols) : a,
            dataflow == Dataflow::Is ? b * ceilDiv(g.m, array.cols) : b, c * (sums - 1), c * sums};
}

std::int64_t l2Elements(const Gemm& gemm, const ArrayShape& array, Dataflow dataflow) noexcept
{
    return edgeElements(gemm, array, dataflow).all();
}

Gemm wholeFolds(const Gemm& g, const ArrayShape& array, Dataflow dataflow) noexcept
{
    switch (dataflow) {
    case Dataflow::Os:
        return {roundUp(g.m, array.rows), roundUp(g.n, array.cols), g.k};
    case Dataflow::Ws:
        return {g.m, roundUp(g.n, array.cols), roundUp(g.k, array.rows)};
    case Dataflow::Is:
        break;
    }
    return {roundUp(g.m, array.cols), g.n, roundUp(g.k, array.rows)};
}

std::int64_t paddedMacs(const Gemm& gemm, const ArrayShape& array, Dataflow dataflow) noexcept
{
    const Gemm whole = wholeFolds(gemm, array, dataflow);
    return saturatingMul(saturatingMul(whole.m, whole.n), whole.k) - macs(gemm);
}

ArrayTiming arrayTiming(const Gemm& gemm, const ArrayShape& array, const TimingOptions& options) noexcept
{
    const FoldPlan plan(gemm, array, options);
    const double pes = static_cast<double>(array.rows) * static_cast<double>(array.cols);
    ArrayTiming timing;
    timing.cycles = plan.cycles();
    timing.folds = plan.folds();
    timing.utilization = static_cast<double>(macs(gemm)) / (pes * static_cast<double>(timing.cycles));
    // The blocks of all folds cover the stationary matrix exactly.
    const std::int64_t stationary = macs(gemm) / plan.stream();
    timing.mappingEfficiency = static_cast<double>(stationary) / (pes * static_cast<double>(timing.folds));
    timing.l2Elements = l2Elements(gemm, array, options.dataflow);
    timing.readoutHidden =
        options.dataflow != Dataflow::Os || options.readout != Readout::Shadow || gemm.k >= array.rows;
    return timing;
}

} // namespace tilewright::systolic
