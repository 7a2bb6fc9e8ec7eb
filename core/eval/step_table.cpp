// SPDX-License-Identifier: GPL-3.0-or-later
#include "eval/step_table.h"

#include "base/hash.h"
#include "schedule/schedule.h"

#include <algorithm>
#include <bit>
#include <tuple>
#include <unordered_map>

namespace tilewright {

namespace {

constexpr std::size_t kFan = 32;

std::int64_t bits(double v)
{
    return std::bit_cast<std::int64_t>(v);
}

class Reader
{
public:
    explicit Reader(const std::vector<std::int64_t>& code) : m_at(code.data()) {}
    std::int64_t next() { return *m_at++; }
    double nextDouble() { return std::bit_cast<double>(next()); }

private:
    const std::int64_t* m_at;
};

} // namespace

/// Encodes steps. A code is a list of words, which StepTable::step() decodes.
class StepTableBuilder
{
public:
    StepTableBuilder(const Problem& problem, StepTable& table)
        : m_problem(problem), m_halos(problem), m_table(table)
    {
    }

    void add(const Step& step)
    {
        if (step.kStep == 0)
            m_table.m_visits.push_back({step.tile, step.index, step.start});
        encode(step);
        const HaloVolume halo = m_halos.of(step);
        // distinguishes shapes with different halos; step() does not read these words
        if (halo != HaloVolume()) {
            word(halo.input);
            word(halo.interior);
        }
        const auto [it, fresh] = m_ids.try_emplace(m_code, static_cast<std::uint32_t>(m_ids.size()));
        if (fresh) {
            m_table.m_codes.push_back(m_code);
            m_table.m_sums.push_back({step.compute, step.memory, step.latency, step.energy, step.loadElements,
                                      step.storeElements, step.workingSet, step.inputElements,
                                      step.outputElements, step.accumulatorElements, step.donatedElements,
                                      step.interiorElements, halo});
        }
        m_table.m_shape.push_back(it->second);
        m_table.m_duration = step.start + step.latency;
        m_table.m_reserved = step.reserved;
    }

    void buildPyramid()
    {
        auto& levels = m_table.m_pyramid;
        const auto better = [this](StepTable::Extremes& into, const StepTable::Extremes& e) {
            if (m_table.sums(e.largest).workingSet > m_table.sums(into.largest).workingSet)
                into.largest = e.largest;
            if (m_table.sums(e.smallest).workingSet < m_table.sums(into.smallest).workingSet)
                into.smallest = e.smallest;
        };
        std::size_t below = m_table.m_shape.size();
        while (below > kFan) {
            std::vector<StepTable::Extremes> level;
            level.reserve(below / kFan + 1);
            for (std::size_t i = 0; i < below; i += kFan) {
                const auto at = [&](std::size_t j) {
                    const auto step = static_cast<std::int64_t>(j);
                    return levels.empty() ? StepTable::Extremes{step, step} : levels.back()[j];
                };
                StepTable::Extremes block = at(i);
                for (std::size_t j = i + 1; j < std::min(i + kFan, below); ++j)
                    better(block, at(j));
                level.push_back(block);
            }
            below = level.size();
            levels.push_back(std::move(level));
        }
    }

private:
    using Range = StepTable::Range;

    void encode(const Step& s)
    {
        m_at = {s.row, s.col, s.kStep};
        m_code.clear();
        for (const std::int64_t v :
             {s.kSteps, s.loadElements, s.storeElements, s.workingSet, s.inputElements, s.outputElements,
              s.accumulatorElements, s.donatedElements, s.interiorElements, bits(s.compute), bits(s.memory),
              bits(s.latency), bits(s.energy), static_cast<std::int64_t>(s.runs.size()),
              static_cast<std::int64_t>(s.buffers.size()), static_cast<std::int64_t>(s.keptLoads.size()),
              static_cast<std::int64_t>(s.sinks.size()), static_cast<std::int64_t>(s.interiors.size()),
              static_cast<std::int64_t>(s.residentReads.size())})
            m_code.push_back(v);
        for (const StepRun& r : s.runs) {
            word(r.op.value);
            rect(m_problem.op(r.op).output, r.rect);
            range(r.k0, r.k1, m_problem.reductionSize(r.op), {Range::Kind::Depth});
            word(bits(r.cost));
            word(bits(r.energy));
            word(r.repeated);
        }
        for (const auto* list : {&s.buffers, &s.keptLoads})
            for (const StepBuffer& b : *list) {
                word(b.tensor.value);
                word(static_cast<std::int64_t>(b.role) * 4 + b.full * 2 + b.loaded);
                rect(b.tensor, b.rect);
                word(b.size);
            }
        for (const StepSink& k : s.sinks) {
            word(k.tensor.value);
            word(k.completes * 2 + k.stored);
            rect(k.tensor, k.tile);
            word(k.accumulators);
            word(k.accumulatorCount);
            word(k.outputElements);
            word(k.storedElements);
            word(k.takesOver ? static_cast<std::int64_t>(k.takesOver->value) + 1 : 0);
        }
        for (const StepInterior& k : s.interiors) {
            word(k.tensor.value);
            rect(k.tensor, k.rect);
            word(k.size);
        }
        for (const TensorId t : s.residentReads)
            word(t.value);
    }

    void word(std::int64_t v) { m_code.push_back(v); }

    void rect(TensorId t, const Rect& r)
    {
        using Kind = Range::Kind;
        range(r.r0, r.r1, m_problem.tensor(t).height, {Kind::Row, Kind::Depth, Kind::Col});
        range(r.c0, r.c1, m_problem.tensor(t).width, {Kind::Col, Kind::Depth, Kind::Row});
    }

    void range(std::int64_t from, std::int64_t to, std::int64_t size,
               std::initializer_list<Range::Kind> tries)
    {
        if (from == 0 && to == size) {
            word(static_cast<std::int64_t>(Range::Kind::Full));
            word(size);
            return;
        }
        for (const Range::Kind kind : tries) {
            if (StepTable::decode({kind, size, 0, 0}, m_at, m_table.m_granularity) == std::pair(from, to)) {
                word(static_cast<std::int64_t>(kind));
                word(size);
                return;
            }
        }
        word(static_cast<std::int64_t>(Range::Kind::Fixed));
        word(from);
        word(to);
    }

    const Problem& m_problem;
    StepHalos m_halos;
    StepTable& m_table;
    StepTable::Position m_at;
    std::vector<std::int64_t> m_code;
    std::unordered_map<std::vector<std::int64_t>, std::uint32_t, ListHash> m_ids;
};

std::shared_ptr<const StepTable> StepTable::build(const Problem& problem, const Subgraph& subgraph,
                                                  std::span<const TensorId> residentBefore,
                                                  const Rules& rules, const Progress& progress,
                                                  std::int64_t expectedSteps, std::int64_t maxSteps)
{
    auto table = std::make_shared<StepTable>();
    table->m_granularity = subgraph.granularity;
    StepTableBuilder builder(problem, *table);
    bool any = false;
    traceSubgraph(problem, subgraph, residentBefore, rules, [&](const Step& step) {
        if (!any) {
            any = true;
            table->m_cols =
                std::max<std::int64_t>(1, tileGrid(problem, subgraph.ops, subgraph.granularity).cols);
            table->m_shape.reserve(
                static_cast<std::size_t>(std::clamp<std::int64_t>(expectedSteps, 0, maxSteps)));
        }
        if (step.index >= maxSteps) {
            table->m_end = End::TooLong;
            return false;
        }
        if ((step.index & 1023) == 0) {
            if (progress.stopRequested()) {
                table->m_end = End::Stopped;
                return false;
            }
            if (expectedSteps > 0)
                progress.tell(static_cast<double>(step.index) / static_cast<double>(expectedSteps));
        }
        builder.add(step);
        return true;
    });
    if (!any)
        table->m_end = End::Invalid;
    builder.buildPyramid();
    return table;
}

std::pair<std::int64_t, std::int64_t> StepTable::decode(const Range& range, const Position& at,
                                                        const Granularity& g)
{
    const auto slice = [&](std::int64_t index, std::int64_t extent) {
        return std::pair(index * extent, std::min((index + 1) * extent, range.size));
    };
    switch (range.kind) {
    case Range::Kind::Row:
        return slice(at.row, g.h);
    case Range::Kind::Col:
        return slice(at.col, g.w);
    case Range::Kind::Depth:
        return slice(at.kStep, g.k);
    case Range::Kind::Fixed:
        return {range.from, range.to};
    case Range::Kind::Full:
        break;
    }
    return {0, range.size};
}

Step StepTable::step(std::int64_t i) const
{
    const Visit& visit = m_visits[static_cast<std::size_t>(visitOf(i))];
    Step s;
    s.index = i;
    s.tile = visit.tile;
    s.row = visit.tile / m_cols;
    s.col = visit.tile % m_cols;
    s.kStep = i - visit.firstStep;
    s.start = start(i);
    s.reserved = m_reserved;

    const Position at{s.row, s.col, s.kStep};
    Reader in(m_codes[m_shape[static_cast<std::size_t>(i)]]);
    for (std::int64_t* v :
         {&s.kSteps, &s.loadElements, &s.storeElements, &s.workingSet, &s.inputElements, &s.outputElements,
          &s.accumulatorElements, &s.donatedElements, &s.interiorElements})
        *v = in.next();
    for (double* v : {&s.compute, &s.memory, &s.latency, &s.energy})
        *v = in.nextDouble();
    const auto count = [&in] { return static_cast<std::size_t>(in.next()); };
    s.runs.resize(count());
    s.buffers.resize(count());
    s.keptLoads.resize(count());
    s.sinks.resize(count());
    s.interiors.resize(count());
    s.residentReads.resize(count());

    const auto range = [&](std::int64_t& from, std::int64_t& to) {
        Range r;
        r.kind = static_cast<Range::Kind>(in.next());
        if (r.kind == Range::Kind::Fixed) {
            r.from = in.next();
            r.to = in.next();
        } else {
            r.size = in.next();
        }
        std::tie(from, to) = decode(r, at, m_granularity);
    };
    for (StepRun& r : s.runs) {
        r.op = OpId(static_cast<std::size_t>(in.next()));
        range(r.rect.r0, r.rect.r1);
        range(r.rect.c0, r.rect.c1);
        range(r.k0, r.k1);
        r.cost = in.nextDouble();
        r.energy = in.nextDouble();
        r.repeated = in.next() != 0;
    }
    for (auto* list : {&s.buffers, &s.keptLoads})
        for (StepBuffer& b : *list) {
            b.tensor = TensorId(static_cast<std::size_t>(in.next()));
            const std::int64_t flags = in.next();
            b.role = static_cast<Role>(flags / 4);
            b.full = (flags & 2) != 0;
            b.loaded = (flags & 1) != 0;
            range(b.rect.r0, b.rect.r1);
            range(b.rect.c0, b.rect.c1);
            b.size = in.next();
        }
    for (StepSink& k : s.sinks) {
        k.tensor = TensorId(static_cast<std::size_t>(in.next()));
        const std::int64_t flags = in.next();
        k.completes = (flags & 2) != 0;
        k.stored = (flags & 1) != 0;
        range(k.tile.r0, k.tile.r1);
        range(k.tile.c0, k.tile.c1);
        k.accumulators = in.next();
        k.accumulatorCount = in.next();
        k.outputElements = in.next();
        k.storedElements = in.next();
        if (const std::int64_t taken = in.next(); taken > 0)
            k.takesOver = TensorId(static_cast<std::size_t>(taken - 1));
    }
    for (StepInterior& k : s.interiors) {
        k.tensor = TensorId(static_cast<std::size_t>(in.next()));
        range(k.rect.r0, k.rect.r1);
        range(k.rect.c0, k.rect.c1);
        k.size = in.next();
    }
    for (TensorId& t : s.residentReads)
        t = TensorId(static_cast<std::size_t>(in.next()));
    return s;
}

double StepTable::start(std::int64_t i) const
{
    if (i >= size())
        return m_duration;
    const Visit& visit = m_visits[static_cast<std::size_t>(visitOf(i))];
    double t = visit.start;
    for (std::int64_t j = visit.firstStep; j < i; ++j)
        t += sums(j).latency;
    return t;
}

std::int64_t StepTable::stepAt(double time) const
{
    if (m_visits.empty())
        return 0;
    auto it = std::upper_bound(m_visits.begin(), m_visits.end(), time,
                               [](double t, const Visit& v) { return t < v.start; });
    if (it != m_visits.begin())
        --it;
    const std::int64_t end = visitEnd(it - m_visits.begin());
    double t = it->start;
    std::int64_t best = it->firstStep;
    for (std::int64_t j = it->firstStep; j < end; ++j) {
        if (t > time)
            break;
        best = j;
        t += sums(j).latency;
    }
    return best;
}

std::int64_t StepTable::visitOf(std::int64_t step) const
{
    const auto it = std::upper_bound(m_visits.begin(), m_visits.end(), step,
                                     [](std::int64_t s, const Visit& v) { return s < v.firstStep; });
    return std::max<std::int64_t>(0, it - m_visits.begin() - 1);
}

std::int64_t StepTable::visitEnd(std::int64_t visit) const
{
    const auto next = static_cast<std::size_t>(visit) + 1;
    return next < m_visits.size() ? m_visits[next].firstStep : size();
}

StepTable::Extremes StepTable::extremes(std::int64_t first, std::int64_t last) const
{
    Extremes best{first, first};
    const auto take = [&](const Extremes& e) {
        if (sums(e.largest).workingSet > sums(best.largest).workingSet)
            best.largest = e.largest;
        if (sums(e.smallest).workingSet < sums(best.smallest).workingSet)
            best.smallest = e.smallest;
    };
    auto i = static_cast<std::size_t>(first);
    const auto end = static_cast<std::size_t>(last);
    while (i < end) {
        // Level of the largest block that starts here and lies within the range.
        std::size_t level = 0;
        std::size_t block = 1;
        while (level < m_pyramid.size() && i % (block * kFan) == 0 && i + block * kFan <= end) {
            block *= kFan;
            ++level;
        }
        const auto step = static_cast<std::int64_t>(i);
        take(level == 0 ? Extremes{step, step} : m_pyramid[level - 1][i / block]);
        i += block;
    }
    return best;
}

} // namespace tilewright
