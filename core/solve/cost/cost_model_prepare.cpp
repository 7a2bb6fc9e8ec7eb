// SPDX-License-Identifier: GPL-3.0-or-later
// One granularity: the lists made definite, before they are walked.
#include "solve/cost/cost_model.h"

#include "base/integer.h"
#include "eval/cost.h"

#include <algorithm>

namespace tilewright {

/// Whether a tile range [i*tile, ...) and a k range [q*chunk, ...) of one axis can be the same range.
bool CostModel::mayCoincide(Axis a, Axis b, std::int64_t tile, std::int64_t chunk, std::int64_t extent)
{
    if (a == b)
        return true;
    if (a == Axis::Full || b == Axis::Full)
        return false; // the other one is a proper part
    return tile == chunk || (extent - 1) / tile * tile == (extent - 1) / chunk * chunk;
}

bool CostModel::prepareRequests(const Granularity& g)
{
    m_active.clear();
    m_groups.clear();
    for (std::size_t i = 0; i < m_requests.size();) {
        const Tensor& t = m_problem.tensor(TensorId(m_requests[i].tensor));
        Group group{static_cast<std::uint32_t>(m_active.size()), 0, t.elements(), false};
        const std::size_t begin = i;
        for (; i < m_requests.size() && m_requests[i].tensor == m_requests[begin].tensor; ++i) {
            const Request& r = m_requests[i];
            ActiveRequest a{r.causes,
                            t.height,
                            t.width,
                            resolved(r.row, t.height, g.h, g.k),
                            resolved(r.col, t.width, g.w, g.k),
                            r.role};
            if (a.row == Axis::Full && a.col == Axis::Full)
                a.role = kFull;
            bool merged = false;
            for (std::uint32_t j = group.first; j < m_active.size() && !merged; ++j) {
                ActiveRequest& b = m_active[j];
                if (b.role != a.role)
                    continue;
                if (b.row == a.row && b.col == a.col) {
                    b.causes |= a.causes;
                    merged = true;
                } else if (mayCoincide(a.row, b.row, g.h, g.k, t.height) &&
                           mayCoincide(a.col, b.col, g.w, g.k, t.width)) {
                    return false;
                }
            }
            if (!merged)
                m_active.push_back(a);
        }
        group.count = static_cast<std::uint32_t>(m_active.size()) - group.first;
        m_groups.push_back(group);
    }
    return true;
}

/// False where a donation could depend on more than what the steps of a class have in common.
bool CostModel::prepareDonors(const Granularity& g)
{
    const auto isRegular = [&](Axis use, std::int64_t size, std::int64_t sink, std::int64_t tile) {
        const bool whole = tile >= sink;
        if (use == Axis::Tile || (use == Axis::Full && whole))
            return true;
        if (use == Axis::Full)
            return size != tile;
        return whole ? g.k != sink && size % g.k != sink
                     : tile != g.k && sink % tile != g.k && tile != size % g.k &&
                           (sink % tile == 0 || sink % tile != size % g.k);
    };
    for (Donor& d : m_donors) {
        const Tensor& t = m_problem.tensor(TensorId(d.tensor));
        const Axis row = resolved(d.row, t.height, g.h, g.k);
        const Axis col = resolved(d.col, t.width, g.w, g.k);
        for (const Sink& s : m_sinks)
            if (s.pointwise &&
                (!isRegular(row, t.height, s.height, g.h) || !isRegular(col, t.width, s.width, g.w)))
                return false;
    }
    // Groups are made tensor by tensor, in the order of the requests.
    std::uint32_t group = 0;
    for (std::size_t i = 0; i < m_requests.size(); ++i) {
        group += i > 0 && m_requests[i].tensor != m_requests[i - 1].tensor ? 1 : 0;
        for (Donor& d : m_donors)
            if (d.tensor == m_requests[i].tensor)
                d.group = group;
    }
    return true;
}

double CostModel::costOfCycle(const Run& run) const
{
    return m_array && run.matmul
               ? run.base / StepCosts(m_problem.hardware(), {}, m_rules).wholeTile(run.reduction)
               : 0;
}

bool CostModel::prepareRuns(const Granularity& g)
{
    m_activeRuns.clear();
    for (std::size_t i = 0; i < m_runs.size(); ++i) {
        const Run& r = m_runs[i];
        ActiveRun a{};
        a.causes = r.causes;
        a.base = r.base;
        a.reduction = r.reduction;
        a.width = r.width;
        a.height = r.height;
        a.row = resolved(r.row, r.height, g.h, g.k);
        a.col = resolved(r.col, r.width, g.w, g.k);
        a.rowK = r.row != Axis::Tile;
        a.colK = r.col != Axis::Tile;
        a.split = r.split && g.k < r.reduction;
        a.matmul = r.matmul;
        a.same = -1;
        a.perCycle = costOfCycle(r);
        a.constant = a.row != Axis::Step && a.col != Axis::Step && !a.split &&
                     (a.perCycle == 0 || (a.row == Axis::Full && a.col == Axis::Full));
        a.flat = a.base;
        if (m_rules.superNative == Rules::SuperNative::Ceil) {
            a.flat *= a.rowK ? 1 : static_cast<double>(ceilDiv(g.h, m_nativeH));
            a.flat *= a.colK ? 1 : static_cast<double>(ceilDiv(g.w, m_nativeW));
        }
        if (a.rowK && a.row == Axis::Full)
            a.flat *= static_cast<double>(a.height) / static_cast<double>(m_nativeH);
        if (a.colK && a.col == Axis::Full)
            a.flat *= static_cast<double>(a.width) / static_cast<double>(m_nativeW);
        if (a.matmul && m_rules.kScaling == Rules::KScaling::Native && !a.split)
            a.flat *= static_cast<double>(a.reduction) / static_cast<double>(m_nativeK);
        if (a.perCycle > 0 && a.constant)
            a.flat = arrayCost(a, g, 0, 0, 0);
        m_activeRuns.push_back(a);
    }
    // Runs of one op that become equal share their "done before" marks (R6.6, R8.1).
    for (std::size_t i = 0; i < m_runs.size(); ++i)
        for (std::size_t j = 0; j < i; ++j) {
            if (m_runs[i].op != m_runs[j].op)
                continue;
            ActiveRun& a = m_activeRuns[i];
            ActiveRun& b = m_activeRuns[j];
            if (a.row == b.row && a.col == b.col && a.split == b.split) {
                a.same = static_cast<std::int32_t>(j);
                b.sameAsLater = true;
                break;
            }
            if (a.split == b.split && mayCoincide(a.row, b.row, g.h, g.k, a.height) &&
                mayCoincide(a.col, b.col, g.w, g.k, a.width))
                return false;
        }
    return true;
}

void CostModel::prepareSeen()
{
    m_seen.clear();
    const auto rows = static_cast<std::int32_t>(m_rowReps.size());
    const auto cols = static_cast<std::int32_t>(m_colReps.size());
    const auto steps = static_cast<std::int32_t>(m_stepReps.size());
    const bool strict = m_rules.ephemeral == Rules::Ephemeral::Strict;
    for (ActiveRun& a : m_activeRuns) {
        if (a.same >= 0) {
            const ActiveRun& same = m_activeRuns[static_cast<std::size_t>(a.same)];
            a.seen = same.seen;
            a.strideRow = same.strideRow;
            a.strideCol = same.strideCol;
            a.strideStep = same.strideStep;
            continue;
        }
        const bool byRow = a.row == Axis::Tile || strict;
        const bool byCol = a.col == Axis::Tile || strict;
        const bool byStep = a.row == Axis::Step || a.col == Axis::Step || a.split || strict;
        const bool everyStep = (byRow || rows == 1) && (byCol || cols == 1) && (byStep || steps == 1);
        a.seen = -1;
        if (!a.sameAsLater && everyStep)
            continue; // never repeated
        a.strideStep = byStep ? 1 : 0;
        a.strideCol = byCol ? (byStep ? steps : 1) : 0;
        a.strideRow = byRow ? (byStep ? steps : 1) * (byCol ? cols : 1) : 0;
        a.seen = static_cast<std::int32_t>(m_seen.size());
        m_seen.resize(m_seen.size() + static_cast<std::size_t>((byStep ? steps : 1) * (byCol ? cols : 1) *
                                                               (byRow ? rows : 1)));
    }
}

bool CostModel::prepare(const Granularity& g)
{
    if (g == m_prepared)
        return m_preparable;
    m_prepared = g;
    for (Cause& c : m_causes) {
        c.rows = ceilDiv(c.height, g.h);
        c.cols = ceilDiv(c.width, g.w);
        c.n = ceilDiv(c.reduction, g.k);
    }
    for (Sink& s : m_sinks) {
        s.rows = ceilDiv(s.height, g.h);
        s.cols = ceilDiv(s.width, g.w);
        s.n = ceilDiv(s.reduction, g.k);
    }
    m_preparable = prepareRequests(g) && prepareRuns(g) && (m_donors.empty() || prepareDonors(g));
    return m_preparable;
}

} // namespace tilewright
