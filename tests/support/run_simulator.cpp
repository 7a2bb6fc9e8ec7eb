// SPDX-License-Identifier: GPL-3.0-or-later
#include "run_simulator.h"

#include "eval/trace.h"
#include "rules/check.h"
#include "workload/index_map.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <stdexcept>
#include <tuple>

namespace tilewright::second_run {

namespace {

constexpr std::size_t kNone = SIZE_MAX;

struct Fraction
{
    Int128 num = 0, den = 1;
};

enum class State { Waiting, Going, Over };

struct Transfer
{
    std::size_t subgraph = 0, step = 0;
    std::int64_t units = 0;
    std::vector<TensorId> from; // load: tensors in slow memory; store: the tensor
    bool kept = false;
    std::size_t core = 0;
    bool network = false;
    std::vector<std::size_t> afterRuns{}, afterLoads{}; // of a network read
    State state = State::Waiting;
    Int128 begin = 0, end = 0;
};

struct Run
{
    OpId op;
    Rect rect;
    std::int64_t k0 = 0, k1 = 0;
    std::size_t subgraph = 0, step = 0, core = 0;
    Fraction time;
    std::vector<std::size_t> runs, loads; // that must be over
    std::size_t store = kNone;
    State state = State::Waiting;
    Int128 begin = 0, end = 0;
};

using ItemKey = std::tuple<int, std::size_t, std::size_t, std::size_t, Rect>;

struct StepOfRun
{
    std::size_t subgraph = 0, core = 0;
    std::vector<std::size_t> loads, order, stores;
    std::map<ItemKey, std::int64_t> items;
    bool admitted = false, over = false;
    Int128 admittedAt = 0, endedAt = 0;
};

bool contains(const std::vector<TensorId>& list, TensorId t)
{
    return std::find(list.begin(), list.end(), t) != list.end();
}

/// R8.2, R8.4.
std::int64_t cycles(const Hardware& hw, std::int64_t r, std::int64_t c, std::int64_t q)
{
    const auto up = [](std::int64_t a, std::int64_t b) { return (a + b - 1) / b; };
    if (hw.array.kind == ComputeArray::Kind::DotProduct)
        return r * up(q, hw.array.inputs) * up(up(c, hw.array.outputs), hw.array.arrays);
    return up(up(r, hw.nativeHeight) * up(c, hw.nativeWidth), hw.array.arrays) * q +
           std::min(r, hw.nativeHeight) + std::min(c, hw.nativeWidth) - 2;
}

class Simulator
{
public:
    Simulator(const Problem& problem, const Schedule& schedule, std::int64_t prefetch, std::size_t cores,
              const RunNetwork& network)
        : m_problem(problem), m_schedule(schedule), m_prefetch(prefetch), m_cores(cores), m_network(network),
          m_lastNetwork(cores, kNone), m_loadQueue(cores), m_storeQueue(cores), m_isLoading(cores)
    {
        layOut();
    }

    std::optional<Outcome> run()
    {
        if (!findTicks())
            return {};
        m_prefetch == 0 && m_cores == 1 ? runInTurn() : runTogether();
        m_out.end = m_now;
        for (const StepOfRun& s : m_steps) {
            m_out.core.push_back(s.core);
            m_out.admitted.push_back(s.admittedAt);
            m_out.ended.push_back(s.endedAt);
        }
        return m_out;
    }

private:
    // Layout: steps, commands and what they read ------------------------------------------------------

    void layOut()
    {
        std::vector<TensorId> resident;
        std::map<TensorId, std::pair<std::size_t, bool>>
            origin; // subgraph; true if it kept the tensor (R9.7)
        for (std::size_t i = 0; i < m_schedule.size(); ++i) {
            m_sub = i;
            m_subgraph = &*m_schedule.subgraphs[i];
            m_resident = resident;
            m_origin = origin;
            m_tiles = 0;
            m_made.clear();
            layOutStretches(resident);
            for (const auto& [key, elements] : m_made)
                m_here[key] = elements;
            for (const TensorId t : m_subgraph->retain)
                if (isProduced(t))
                    origin[t] = {i, false};
                else if (!contains(resident, t))
                    origin[t] = {i, true};
            resident = m_subgraph->retain;
            std::sort(resident.begin(), resident.end());
        }
    }

    /// Each core's stretch is traced as the beginning of an order of its own, so with empty buffers.
    void layOutStretches(const std::vector<TensorId>& resident)
    {
        std::vector<std::int64_t> tiles, before{0}; // steps before a tile
        traceSubgraph(m_problem, *m_subgraph, resident, Rules::machine(), [&](const Step& step) {
            if (step.kStep == 0) {
                tiles.push_back(step.tile);
                before.push_back(before.back());
            }
            ++before.back();
            return true;
        });
        const auto n = static_cast<std::int64_t>(m_cores);
        std::vector<std::pair<std::size_t, std::size_t>> cut; // that have steps
        std::size_t from = 0;
        for (std::int64_t j = 1; j <= n; ++j) {
            std::size_t to = 0;
            const std::int64_t wanted = j * before.back();
            for (std::size_t i = 0; i < before.size(); ++i)
                if (std::abs(n * before[i] - wanted) < std::abs(n * before[to] - wanted))
                    to = i;
            if (before[to] > before[from])
                cut.emplace_back(from, to);
            from = to;
        }
        if (cut.size() == m_cores)
            m_firstCore = 0;
        else if (resident.empty())
            m_firstCore = m_nextCore;
        m_core = m_firstCore;
        for (const auto& [first, end] : cut) {
            from = first;
            std::int64_t left = before[end] - before[from];
            Subgraph turned = *m_subgraph;
            if (m_cores > 1) {
                std::vector<std::int64_t> order = tiles;
                const TileGrid grid = tileGrid(m_problem, m_subgraph->ops, m_subgraph->granularity);
                std::rotate(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(from), order.end());
                for (std::int64_t t = 0; t < grid.rows * grid.cols; ++t) // those in which no sink takes part
                    if (std::find(tiles.begin(), tiles.end(), t) == tiles.end())
                        order.push_back(t);
                turned.traversal = Traversal::custom(order);
            }
            traceSubgraph(m_problem, turned, resident, Rules::machine(), [&](const Step& step) {
                if (left > 0)
                    layOut(step);
                return --left > 0;
            });
            m_core = (m_core + 1) % m_cores;
        }
        m_nextCore = m_core;
    }

    void mark(std::vector<bool>& elements, TensorId t, const Rect& box) const
    {
        elements.resize(static_cast<std::size_t>(m_problem.tensor(t).height * m_problem.tensor(t).width));
        for (std::int64_t r = box.r0; r < box.r1; ++r)
            for (std::int64_t c = box.c0; c < box.c1; ++c)
                elements[static_cast<std::size_t>(r * m_problem.tensor(t).width + c)] = true;
    }

    /// What the step reads of resident tensors and its core has not: one transfer, element by element.
    void layOutNetwork(StepOfRun& s)
    {
        Transfer read{m_sub, m_steps.size() - 1, 0, {}, false, m_core, true, {}, {}};
        for (const auto& [t, box] : m_residentBoxes) {
            std::vector<bool>& here = m_here[{m_core, t}];
            mark(here, t, {});
            const auto had = std::count(here.begin(), here.end(), true);
            mark(here, t, box);
            const auto fresh = std::count(here.begin(), here.end(), true) - had;
            if (fresh == 0)
                continue;
            read.units += fresh * m_problem.units(t);
            const auto [made, kept] = m_origin.at(t);
            for (std::size_t l = 0; kept && l < m_loads.size(); ++l)
                if (m_loads[l].subgraph == made && m_loads[l].kept)
                    read.afterLoads.push_back(l);
            for (std::size_t r = 0; !kept && r < m_runs.size(); ++r)
                if (m_runs[r].subgraph == made)
                    read.afterRuns.push_back(r);
        }
        if (read.units > 0) {
            m_lastNetwork[m_core] = m_loads.size();
            s.loads.push_back(m_loads.size());
            m_loads.push_back(read);
            m_out.network += read.units;
        }
        if (m_lastNetwork[m_core] != kNone)
            for (const std::size_t r : m_residentRuns)
                m_runs[r].loads.push_back(m_lastNetwork[m_core]);
    }

    bool isProduced(TensorId t) const
    {
        const auto p = m_problem.producer(t);
        return p && std::find(m_subgraph->ops.begin(), m_subgraph->ops.end(), *p) != m_subgraph->ops.end();
    }

    void layOut(const Step& step)
    {
        m_step = &step;
        m_steps.emplace_back();
        StepOfRun& s = m_steps.back();
        s.subgraph = m_sub;
        s.core = m_core;
        m_residentBoxes.clear();
        m_residentRuns.clear();
        if (step.kStep == 0) {
            ++m_tiles;
            m_chunks.clear();
        }
        std::map<std::size_t, std::size_t> loadOfBuffer;
        std::vector<std::pair<StepBuffer, std::size_t>> held;
        for (const StepBuffer& b : step.buffers) {
            std::size_t load = kNone;
            if (b.loaded) {
                load = m_loads.size();
                m_loads.push_back({m_sub, m_steps.size() - 1, b.size, basesOf(b.tensor), false, m_core});
                s.loads.push_back(load);
            } else {
                for (const auto& [before, at] : m_held)
                    if (sameBuffer(before, b))
                        load = at;
            }
            held.emplace_back(b, load);
            s.items[{0, load, 0, 0, {}}] = b.size;
        }
        m_held = held;
        if (!step.keptLoads.empty()) {
            Transfer all{m_sub, m_steps.size() - 1, 0, {}, true, m_core};
            for (const StepBuffer& part : step.keptLoads) {
                mark(m_made[{m_core, part.tensor}], part.tensor, part.rect);
                all.units += part.size;
                all.from.push_back(part.tensor);
            }
            s.loads.push_back(m_loads.size());
            m_loads.push_back(all);
            m_out.hasKept = true;
        }
        std::set<TensorId> reserved(m_resident.begin(), m_resident.end());
        reserved.insert(m_subgraph->retain.begin(), m_subgraph->retain.end());
        for (const TensorId t : reserved)
            s.items[{1, t.index(), 0, 0, {}}] = m_problem.sizeUnits(t);
        for (const StepInterior& x : step.interiors)
            s.items[{2, m_steps.size(), x.tensor.index(), 0, x.rect}] = x.size;

        m_runsOfStep.clear();
        m_order.clear();
        for (const StepSink& sink : step.sinks) {
            s.items[{3, m_sub, static_cast<std::size_t>(m_tiles), sink.tensor.index(), {}}] =
                sink.outputElements;
            m_walked.clear();
            std::size_t completing = kNone;
            const OpId producer = *m_problem.producer(sink.tensor);
            if (m_problem.op(producer).type == OpType::MatMul)
                completing = chunk(producer, sink.tile);
            else
                completing = epilogue(producer, sink);
            if (sink.stored) {
                m_runs[completing].store = m_stores.size();
                s.stores.push_back(m_stores.size());
                m_stores.push_back(
                    {m_sub, m_steps.size() - 1, sink.storedElements, {sink.tensor}, false, m_core});
            }
        }
        s.order = m_order;
        if (m_cores > 1)
            layOutNetwork(s);
        for (const std::size_t r : m_order)
            if (const TensorId t = m_problem.op(m_runs[r].op).output; contains(m_subgraph->retain, t))
                mark(m_made[{m_core, t}], t, m_runs[r].rect);
        if (m_runsOfStep.size() != step.runs.size())
            throw std::logic_error("the walks over R6 differ");
        std::int64_t sum = 0;
        for (const auto& [key, size] : s.items)
            sum += size;
        if (sum != step.workingSet)
            throw std::logic_error("the items are not the working set");
    }

    std::vector<TensorId> basesOf(TensorId t) const
    {
        if (!m_problem.isView(t))
            return {t};
        return {m_problem.bases(t).begin(), m_problem.bases(t).end()};
    }

    std::size_t known(OpId op, const Rect& rect, std::int64_t k0, std::int64_t k1) const
    {
        for (const std::size_t r : m_runsOfStep)
            if (m_runs[r].op == op && m_runs[r].rect == rect && m_runs[r].k0 == k0 && m_runs[r].k1 == k1)
                return r;
        return kNone;
    }

    std::size_t newRun(OpId op, const Rect& rect, std::int64_t k0, std::int64_t k1)
    {
        Run run;
        run.op = op;
        run.rect = rect;
        run.k0 = k0;
        run.k1 = k1;
        run.subgraph = m_sub;
        run.step = m_steps.size() - 1;
        run.core = m_core;
        const Hardware& hw = m_problem.hardware();
        const Int128 base = m_problem.op(op).baseCost;
        if (m_problem.op(op).type == OpType::MatMul)
            run.time = {base * cycles(hw, rect.height(), rect.width(), k1 - k0),
                        cycles(hw, hw.nativeHeight, hw.nativeWidth, m_problem.reductionSize(op))};
        else
            run.time = {base * rect.area(), static_cast<Int128>(hw.nativeHeight) * hw.nativeWidth};
        m_runs.push_back(run);
        m_runsOfStep.push_back(m_runs.size() - 1);
        return m_runs.size() - 1;
    }

    /// The run of an op, and of what it needs, unless it is in this step (R6.3, R6.4, R6.6).
    std::size_t interior(OpId op, const Rect& rect, std::int64_t k0, std::int64_t k1)
    {
        if (const std::size_t r = known(op, rect, k0, k1); r != kNone)
            return r;
        const std::size_t run = newRun(op, rect, k0, k1);
        const auto& operands = m_problem.operands(op);
        if (m_problem.op(op).type == OpType::MatMul) {
            need(run, operands[0], Role::Lhs, {rect.r0, rect.r1, k0, k1});
            need(run, operands[1], Role::Rhs, {k0, k1, rect.c0, rect.c1});
        } else {
            for (const TensorId t : operands)
                need(run, t, Role::Pointwise, rect);
        }
        m_order.push_back(run);
        return run;
    }

    void need(std::size_t run, TensorId t, Role role, Rect rect)
    {
        const TensorId stored = m_problem.stored(t);
        const bool inside = isProduced(stored);
        if (const IndexMap* map = m_problem.map(t)) {
            const MapFootprint touched = footprint(*map, rect);
            if (touched.empty())
                return;
            if (inside || contains(m_resident, stored))
                rect = touched.box;
        }
        if (inside) {
            const OpId producer = *m_problem.producer(stored);
            const bool matmul = m_problem.op(producer).type == OpType::MatMul;
            const std::size_t read =
                interior(producer, rect, 0, matmul ? m_problem.reductionSize(producer) : 0);
            m_runs[run].runs.push_back(read);
            return;
        }
        Run& r = m_runs[run];
        if (contains(m_resident, stored)) {
            const auto [made, kept] = m_origin.at(stored);
            m_residentBoxes.emplace_back(stored, rect);
            m_residentRuns.push_back(run);
            if (kept) {
                for (std::size_t l = 0; l < m_loads.size(); ++l)
                    if (m_loads[l].subgraph == made && m_loads[l].kept)
                        r.loads.push_back(l);
            } else {
                for (std::size_t other = 0; other < m_runs.size(); ++other)
                    if (m_runs[other].subgraph == made)
                        r.runs.push_back(other);
            }
            return;
        }
        if (contains(m_subgraph->retain, stored)) {
            for (std::size_t l = 0; l < m_loads.size(); ++l)
                if (m_loads[l].subgraph == m_sub && m_loads[l].kept && m_loads[l].core == m_core)
                    r.loads.push_back(l);
            return;
        }
        for (const bool full : {true, false}) // R7.1
            for (const auto& [b, load] : m_held)
                if (b.tensor == t && b.full == full && (full || (b.role == role && b.rect == rect))) {
                    r.loads.push_back(load);
                    return;
                }
        throw std::logic_error("no buffer serves a request");
    }

    /// The run of a driver on its k range of this step; kNone if it takes no part.
    std::size_t chunk(OpId op, const Rect& tile)
    {
        const std::int64_t k0 = m_step->kStep * m_subgraph->granularity.k;
        const std::int64_t depth = m_problem.reductionSize(op);
        if (k0 >= depth)
            return kNone;
        const std::size_t run = interior(op, tile, k0, std::min(k0 + m_subgraph->granularity.k, depth));
        m_chunks[{op, tile}].push_back(run);
        return run;
    }

    /// R6.2: walks from a Pointwise sink through its epilogue.
    std::size_t epilogue(OpId op, const StepSink& sink)
    {
        m_walked.insert(op);
        std::size_t run = kNone;
        bool fresh = false;
        if (sink.completes) {
            run = known(op, sink.tile, 0, 0);
            fresh = run == kNone;
            if (fresh)
                run = newRun(op, sink.tile, 0, 0);
        }
        for (const TensorId t : m_problem.operands(op)) {
            const auto producer = m_problem.producer(t);
            if (m_problem.map(t) || !producer || !isProduced(t)) {
                if (fresh)
                    need(run, t, Role::Pointwise, sink.tile);
                continue;
            }
            const bool isDriver = m_problem.op(*producer).type == OpType::MatMul;
            if (m_walked.insert(*producer).second) {
                if (isDriver)
                    chunk(*producer, sink.tile);
                else
                    epilogue(*producer, sink);
            }
            if (!fresh)
                continue;
            if (!isDriver) {
                m_runs[run].runs.push_back(known(*producer, sink.tile, 0, 0));
                continue;
            }
            const std::vector<std::size_t>& chunks = m_chunks.at({*producer, sink.tile});
            const bool now = m_runs[chunks.back()].step == m_steps.size() - 1;
            m_out.hasEarlier = m_out.hasEarlier || !now;
            for (const std::size_t c : chunks)
                if (!now || c == chunks.back())
                    m_runs[run].runs.push_back(c);
        }
        if (fresh)
            m_order.push_back(run);
        // R9.1d: the accumulators of all drivers but the producer of the sink itself
        if (m_step->kSteps > 1)
            for (const auto& [key, runs] : m_chunks)
                if (key.second == sink.tile && m_walked.count(key.first) > 0 && sink.accumulatorCount > 0)
                    m_steps.back()
                        .items[{4, m_sub, static_cast<std::size_t>(m_tiles), key.first.index(), sink.tile}] =
                        sink.tile.area() * m_problem.accumulatorUnits(m_problem.op(key.first).output);
        return run;
    }

    // Time --------------------------------------------------------------------------------------------

    bool findTicks()
    {
        double total = 0;
        const auto take = [&](const Fraction& f) {
            const Int128 den = f.den / commonDivisor(f.num == 0 ? f.den : f.num, f.den);
            m_perUnit = m_perUnit / commonDivisor(m_perUnit, den) * den;
            total += static_cast<double>(f.num) / static_cast<double>(f.den);
            return static_cast<double>(m_perUnit) < 1e15;
        };
        for (const Run& r : m_runs)
            if (!take(r.time))
                return false;
        for (const auto* list : {&m_loads, &m_stores})
            for (const Transfer& t : *list)
                if (!take(time(t)))
                    return false;
        m_out.perUnit = m_perUnit;
        return total * static_cast<double>(m_perUnit) < 1e30;
    }
    Int128 ticks(const Fraction& f) const { return f.num * m_perUnit / f.den; }
    Fraction time(const Transfer& t) const
    {
        if (!t.network)
            return {t.units, m_problem.bandwidthUnits()};
        if (m_network.linkUnits == 0)
            return {2 * t.units, m_problem.bandwidthUnits()};
        return {t.units * m_network.linkTime, m_network.linkUnits};
    }
    Int128 ticks(const Transfer& t) const { return ticks(time(t)); }
    RunUnit unitOf(const Run& r) const
    {
        return m_problem.op(r.op).type == OpType::MatMul ? RunUnit::Array : RunUnit::Vector;
    }

    void runInTurn()
    {
        for (std::size_t i = 0; i < m_steps.size(); ++i) {
            StepOfRun& s = m_steps[i];
            s.admittedAt = m_now;
            const auto take = [&](RunUnit unit, Int128 duration) {
                m_out.commands.push_back({unit, 0, i, m_now, m_now + duration});
                m_now += duration;
            };
            for (const std::size_t l : s.loads)
                take(RunUnit::Load, ticks(m_loads[l]));
            for (const std::size_t r : s.order)
                take(unitOf(m_runs[r]), ticks(m_runs[r].time));
            for (const std::size_t t : s.stores)
                take(RunUnit::Store, ticks(m_stores[t]));
            s.endedAt = m_now;
            std::int64_t room = 0;
            for (const auto& [key, size] : s.items)
                room += size;
            m_out.peak = std::max(m_out.peak, room);
        }
    }

    template <class T> bool isOver(const std::vector<T>& all, const std::vector<std::size_t>& which) const
    {
        return std::all_of(which.begin(), which.end(),
                           [&](std::size_t i) { return all[i].state == State::Over; });
    }

    bool hasEnded(std::size_t subgraph) const
    {
        return std::all_of(m_steps.begin(), m_steps.end(),
                           [&](const StepOfRun& s) { return s.subgraph != subgraph || s.over; });
    }

    std::int64_t roomWith(std::size_t step) const
    {
        std::map<ItemKey, std::int64_t> items = m_steps[step].items;
        for (const StepOfRun& s : m_steps) {
            if (!s.admitted || s.core != m_steps[step].core)
                continue;
            if (!s.over)
                items.insert(s.items.begin(), s.items.end());
            else if (m_cores > 1 && !hasEnded(s.subgraph)) // its reserved tensors
                items.insert(s.items.lower_bound({1, 0, 0, 0, {}}), s.items.lower_bound({2, 0, 0, 0, {}}));
        }
        std::int64_t sum = 0;
        for (const auto& [key, size] : items)
            sum += size;
        return sum;
    }

    bool isThere(const Transfer& load) const
    {
        if (load.network)
            return isOver(m_runs, load.afterRuns) && isOver(m_loads, load.afterLoads);
        for (const TensorId t : load.from) {
            std::size_t writer = kNone; // the latest earlier subgraph
            for (const Transfer& s : m_stores)
                if (s.subgraph < load.subgraph && s.from.front() == t)
                    writer = s.subgraph;
            for (const Transfer& s : m_stores)
                if (s.subgraph == writer && s.from.front() == t && s.state != State::Over)
                    return false;
        }
        return true;
    }

    void endCommands()
    {
        for (std::size_t& at : m_going)
            if (at != kNone && m_runs[at].end == m_now) {
                m_runs[at].state = State::Over;
                if (m_runs[at].store != kNone)
                    m_storeQueue[m_runs[at].core].push_back(m_runs[at].store);
                at = kNone;
            }
        for (auto* list : {&m_loads, &m_stores})
            for (Transfer& t : *list)
                if (t.state == State::Going && t.end == m_now) {
                    t.state = State::Over;
                    if (list == &m_loads)
                        m_isLoading[t.core] = false;
                    if (t.network)
                        ++m_freeLinks;
                    else
                        m_channelBusy = false;
                }
        for (StepOfRun& s : m_steps)
            if (s.admitted && !s.over && isOver(m_loads, s.loads) && isOver(m_runs, s.order) &&
                isOver(m_stores, s.stores)) {
                s.over = true;
                s.endedAt = m_now;
            }
    }

    void admitSteps()
    {
        for (std::size_t core = 0; core < m_cores; ++core)
            admitSteps(core);
    }

    void admitSteps(std::size_t core)
    {
        std::vector<std::size_t> mine;
        for (std::size_t i = 0; i < m_steps.size(); ++i)
            if (m_steps[i].core == core)
                mine.push_back(i);
        for (std::size_t n = 0; n < mine.size(); ++n) {
            StepOfRun& step = m_steps[mine[n]];
            if (step.admitted)
                continue;
            for (std::size_t before = 0; before + static_cast<std::size_t>(m_prefetch) + 1 <= n; ++before)
                if (!m_steps[mine[before]].over)
                    return;
            const std::int64_t room = roomWith(mine[n]);
            if (room > m_problem.capacityUnits())
                return;
            m_out.peak = std::max(m_out.peak, room);
            step.admitted = true;
            step.admittedAt = m_now;
            m_loadQueue[core].insert(m_loadQueue[core].end(), step.loads.begin(), step.loads.end());
        }
    }

    /// Prefetch 0: a run follows the loads of its step and the run before it, a store all runs.
    bool isInTurn(const StepOfRun& s, std::size_t run) const
    {
        if (m_prefetch > 0)
            return true;
        for (const std::size_t before : s.order) {
            if (before == run)
                break;
            if (m_runs[before].state != State::Over)
                return false;
        }
        return isOver(m_loads, s.loads);
    }

    bool beginCommands()
    {
        bool any = false;
        for (std::size_t core = 0; core < m_cores; ++core)
            for (const RunUnit unit : {RunUnit::Array, RunUnit::Vector}) {
                std::size_t& at = m_going[core * kRunUnits + static_cast<std::size_t>(unit)];
                if (at != kNone)
                    continue;
                const std::size_t next = nextRun(core, unit);
                if (next == kNone)
                    continue;
                Run& r = m_runs[next];
                const StepOfRun& step = m_steps[r.step];
                if (!step.admitted || !isOver(m_runs, r.runs) || !isOver(m_loads, r.loads) ||
                    !isInTurn(step, next))
                    continue;
                r.state = State::Going;
                r.begin = m_now;
                r.end = m_now + ticks(r.time);
                at = next;
                any = true;
                m_out.commands.push_back({unit, core, r.step, r.begin, r.end});
            }
        for (std::size_t i = 0, from = m_channelTurn; i < m_cores && !m_channelBusy; ++i) {
            const std::size_t core = (from + i) % m_cores;
            const bool isStore = !m_storeQueue[core].empty();
            if (isStore ? !beginStore(core) : !beginLoad(core, false))
                continue;
            m_channelBusy = true;
            m_channelTurn = core + 1;
            any = true;
        }
        for (std::size_t i = 0, from = m_networkTurn; i < m_cores && m_freeLinks > 0; ++i) {
            const std::size_t core = (from + i) % m_cores;
            if (!beginLoad(core, true))
                continue;
            --m_freeLinks;
            m_networkTurn = core + 1;
            any = true;
        }
        return any;
    }

    void begin(Transfer& t, RunUnit unit)
    {
        t.state = State::Going;
        t.begin = m_now;
        t.end = m_now + ticks(t);
        m_out.commands.push_back({unit, t.core, t.step, t.begin, t.end});
    }

    bool beginStore(std::size_t core)
    {
        Transfer& t = m_stores[m_storeQueue[core].front()];
        if (m_prefetch == 0 && !isOver(m_runs, m_steps[t.step].order))
            return false;
        m_storeQueue[core].erase(m_storeQueue[core].begin());
        begin(t, RunUnit::Store);
        return true;
    }

    bool beginLoad(std::size_t core, bool network)
    {
        if (m_isLoading[core] || m_loadQueue[core].empty())
            return false;
        Transfer& t = m_loads[m_loadQueue[core].front()];
        if (t.network != network)
            return false;
        if (!isThere(t)) {
            m_out.waitsForStore = m_out.waitsForStore || !network;
            return false;
        }
        m_loadQueue[core].erase(m_loadQueue[core].begin());
        m_isLoading[core] = true;
        begin(t, RunUnit::Load);
        return true;
    }

    /// The first run of a unit that has not begun, step after step.
    std::size_t nextRun(std::size_t core, RunUnit unit) const
    {
        for (const StepOfRun& s : m_steps)
            for (const std::size_t r : s.order)
                if (s.core == core && unitOf(m_runs[r]) == unit && m_runs[r].state == State::Waiting)
                    return r;
        return kNone;
    }

    void runTogether()
    {
        m_going.assign(m_cores * kRunUnits, kNone);
        m_freeLinks = m_network.links;
        for (;;) {
            do {
                endCommands();
                admitSteps();
            } while (beginCommands());
            std::optional<Int128> next;
            const auto take = [&](State state, Int128 end) {
                if (state == State::Going && (!next || end < *next))
                    next = end;
            };
            for (const Run& r : m_runs)
                take(r.state, r.end);
            for (const auto* list : {&m_loads, &m_stores})
                for (const Transfer& t : *list)
                    take(t.state, t.end);
            if (!next)
                break;
            m_now = *next;
        }
        for (const StepOfRun& s : m_steps)
            if (!s.over)
                throw std::logic_error("a step does not end");
    }

    const Problem& m_problem;
    const Schedule& m_schedule;
    const std::int64_t m_prefetch;
    const std::size_t m_cores;
    const RunNetwork m_network;
    std::vector<StepOfRun> m_steps;
    std::vector<Run> m_runs;
    std::vector<Transfer> m_loads, m_stores;
    Int128 m_perUnit = 1, m_now = 0;
    Outcome m_out;

    // of the layout
    std::size_t m_sub = 0;
    const Subgraph* m_subgraph = nullptr;
    const Step* m_step = nullptr;
    std::vector<TensorId> m_resident;
    std::map<TensorId, std::pair<std::size_t, bool>> m_origin;
    std::int64_t m_tiles = 0;
    std::vector<std::pair<StepBuffer, std::size_t>> m_held; // buffers of the step before, or of this one
    std::map<std::pair<OpId, Rect>, std::vector<std::size_t>> m_chunks; // of the tile
    std::vector<std::size_t> m_runsOfStep, m_order;
    std::set<OpId> m_walked;
    std::size_t m_core = 0, m_firstCore = 0, m_nextCore = 0;
    std::map<std::pair<std::size_t, TensorId>, std::vector<bool>> m_here, m_made; // by core
    std::vector<std::pair<TensorId, Rect>> m_residentBoxes;                       // of the step
    std::vector<std::size_t> m_residentRuns;                                      // likewise
    std::vector<std::size_t> m_lastNetwork;                                       // by core

    // of the run
    std::vector<std::size_t> m_going;
    std::vector<std::vector<std::size_t>> m_loadQueue, m_storeQueue; // by core
    std::vector<bool> m_isLoading;                                   // by core
    bool m_channelBusy = false;
    std::size_t m_channelTurn = 0, m_networkTurn = 0;
    std::int64_t m_freeLinks = 0;
};

} // namespace

std::optional<Outcome> simulate(const Problem& problem, const Schedule& schedule, std::int64_t prefetch,
                                std::size_t cores, const RunNetwork& network)
{
    return Simulator(problem, schedule, prefetch, cores, network).run();
}

} // namespace tilewright::second_run
