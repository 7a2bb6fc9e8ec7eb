// SPDX-License-Identifier: GPL-3.0-or-later
// PositionEngine: the lists of slots, inputs and ops of a plan (prepare()).
#include "eval/fast_positions.h"

#include "base/integer.h"
#include "eval/evaluation.h"

#include <algorithm>

namespace tilewright {

namespace {

bool isListed(std::span<const TensorId> list, TensorId t)
{
    return std::ranges::find(list, t) != list.end();
}

} // namespace

void PositionEngine::prepare(const SubgraphPlan& plan, std::span<const TensorId> resident,
                             std::span<const TensorId> retained)
{
    m_plan = &plan;
    const Problem& problem = plan.problem();
    m_footprints.trim();
    m_energy.reset();
    if (problem.hasEnergy())
        m_energy.emplace(problem);
    m_memory.emplace(problem);
    m_reserved = reservedUnits(problem, resident, retained);
    m_keepsHistory = m_mayMix = false;
    m_seen.assign(plan.uses().size(), 0);
    m_stamp = 0;
    prepareSlots();
    prepareInputs(resident, retained);
    prepareOps(retained);
    preparePairs();
    m_runs.reset(plan.ops().size());
    for (auto* items : {&m_requests, &m_buffers, &m_previous})
        items->reset(plan.inputs().size());
}

void PositionEngine::prepareSlots()
{
    const auto& ranges = m_plan->ranges();
    m_slots.assign(ranges.size(), {});
    m_range.assign(ranges.size(), {});
    m_hull.assign(ranges.size(), {});
    m_shift.assign(ranges.size(), 0);
    m_boxes.clear();
    for (std::uint32_t i = 0; i < ranges.size(); ++i) {
        const SubgraphPlan::Slot& s = ranges[i];
        switch (s.axis) {
        case SubgraphPlan::Axis::Tile:
            m_slots[i].with = s.row ? kWithRow : kWithCol;
            break;
        case SubgraphPlan::Axis::Step:
            m_slots[i].with = kWithStep;
            break;
        case SubgraphPlan::Axis::Full:
            m_range[i] = {0, s.size};
            break;
        case SubgraphPlan::Axis::Box: {
            m_slots[i].with = m_slots[s.rowSlot].with | m_slots[s.colSlot].with;
            const std::uint32_t map = m_footprints.number(*m_plan->problem().map(s.view));
            const auto same = std::ranges::find_if(m_boxes, [&](const Box& b) {
                return b.map == map && b.rowSlot == s.rowSlot && b.colSlot == s.colSlot;
            });
            m_slots[i].box = static_cast<std::uint32_t>(same - m_boxes.begin());
            if (same == m_boxes.end())
                m_boxes.push_back({map, s.rowSlot, s.colSlot, i});
            break;
        }
        }
    }
}

void PositionEngine::prepareInputs(std::span<const TensorId> resident, std::span<const TensorId> retained)
{
    const Problem& problem = m_plan->problem();
    m_inputs.assign(m_plan->inputs().size(), {});
    m_coverage.clear();
    m_keptElements.clear();
    std::vector<TensorId> kept;
    for (std::size_t i = 0; i < m_inputs.size(); ++i) {
        const TensorId t = m_plan->inputs()[i], stored = problem.stored(t);
        Input& in = m_inputs[i];
        in.kind = isListed(resident, stored)   ? Input::Kind::Resident
                  : isListed(retained, stored) ? Input::Kind::Kept
                                               : Input::Kind::Buffer;
        if (const IndexMap* map = problem.map(t))
            in.map = m_footprints.number(*map);
        in.height = problem.tensor(t).height;
        in.width = problem.tensor(t).width;
        in.units = problem.units(t);
        in.wholeSize = problem.volume(t) * in.units;
        if (in.kind != Input::Kind::Kept)
            continue;
        const auto at = std::ranges::find(kept, stored);
        in.coverage = static_cast<std::uint32_t>(at - kept.begin());
        if (at == kept.end()) {
            kept.push_back(stored);
            m_keptElements.push_back(problem.tensor(stored).elements());
        }
    }
    m_coverage.resize(kept.size());
    m_keepsHistory = m_keepsHistory || !kept.empty();
    // A tile or a k step covers the whole axis at every place or at none. A box may cover it at some places
    // only.
    std::vector<std::pair<std::uint32_t, std::uint32_t>> slots(m_inputs.size(), {kNone, kNone});
    for (const SubgraphPlan::Use& u : m_plan->uses()) {
        if (u.run || m_inputs[u.id].kind != Input::Kind::Buffer)
            continue;
        const std::pair here{u.rowSlot, u.colSlot};
        m_mayMix = m_mayMix || (slots[u.id].first != kNone && slots[u.id] != here) ||
                   m_slots[u.rowSlot].box != kNone || m_slots[u.colSlot].box != kNone;
        slots[u.id] = here;
        if (const std::uint32_t map = m_inputs[u.id].map; map != kNone)
            m_boxes.push_back({map, u.rowSlot, u.colSlot, kNone});
    }
    m_boxShift.assign(m_boxes.size(), {});
}

void PositionEngine::prepareOps(std::span<const TensorId> retained)
{
    const Problem& problem = m_plan->problem();
    m_products.assign(m_plan->ops().size(), {});
    for (std::uint32_t i = 0; i < m_products.size(); ++i) {
        Product& p = m_products[i];
        p.op = m_plan->ops()[i];
        const Op& op = problem.op(p.op);
        p.matmul = op.type == OpType::MatMul;
        p.base = static_cast<double>(op.baseCost);
        p.units = problem.units(op.output);
        p.accumulatorUnits = problem.accumulatorUnits(op.output);
        p.reduction = problem.reductionSize(p.op);
        p.interior = !isListed(retained, op.output);
    }
    if (m_plan->rules().ephemeral == Rules::Ephemeral::Neutral) {
        std::vector<std::uint32_t> first(m_products.size(), kNone);
        const auto& uses = m_plan->uses();
        for (std::uint32_t i = 0; i < uses.size(); ++i) {
            if (!uses[i].run)
                continue;
            // A run by rows of the tile, columns of the tile and k steps occurs only once. Every other run
            // may be repeated.
            const auto& ranges = m_plan->ranges();
            const bool once = ranges[uses[i].rowSlot].axis == SubgraphPlan::Axis::Tile &&
                              ranges[uses[i].colSlot].axis == SubgraphPlan::Axis::Tile &&
                              (m_plan->groups()[uses[i].group].reduction == 0 ||
                               ranges[uses[i].depthSlot].axis == SubgraphPlan::Axis::Step);
            Product& p = m_products[uses[i].id];
            p.recorded = p.recorded || !once || first[uses[i].id] != kNone;
            first[uses[i].id] = i;
            m_keepsHistory = m_keepsHistory || p.recorded;
        }
    }
    m_accumulated.clear();
    for (const OpId driver : m_plan->accumulated())
        m_accumulated.push_back(
            static_cast<std::uint32_t>(std::ranges::find(m_plan->ops(), driver) - m_plan->ops().begin()));
    m_sinks.assign(m_plan->sinks().size(), {});
    for (std::size_t s = 0; s < m_sinks.size(); ++s) {
        const std::uint32_t product = m_plan->sinks()[s].product;
        m_products[product].interior = false;
        m_sinks[s].retained = isListed(retained, m_plan->products()[product]);
    }
    for (const SubgraphPlan::Group& g : m_plan->groups())
        m_sinks[g.sink].reduction = std::max(m_sinks[g.sink].reduction, g.reduction);
}

void PositionEngine::preparePairs()
{
    const auto& uses = m_plan->uses();
    std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>> slots(m_inputs.size() +
                                                                            m_products.size());
    m_pairs.clear();
    const auto add = [&](std::uint32_t a, std::uint32_t b) {
        if (a != b)
            m_pairs.push_back(std::minmax(a, b));
    };
    for (const SubgraphPlan::Use& u : uses) {
        auto& same = slots[u.run ? m_inputs.size() + u.id : u.id];
        const std::pair here{u.rowSlot, u.colSlot};
        if (std::ranges::find(same, here) != same.end())
            continue;
        for (const auto& [row, col] : same) {
            add(row, u.rowSlot);
            add(col, u.colSlot);
        }
        same.push_back(here);
        // donation compares the request with the tiles of the sinks (R9.6)
        if (!u.run && m_plan->rules().donation)
            for (const SubgraphPlan::Sink& s : m_plan->sinks()) {
                add(u.rowSlot, s.rowSlot);
                add(u.colSlot, s.colSlot);
            }
    }
    std::ranges::sort(m_pairs);
    m_pairs.erase(std::unique(m_pairs.begin(), m_pairs.end()), m_pairs.end());
}

void PositionEngine::bind(const Granularity& g)
{
    m_g = g;
    m_cost.emplace(m_plan->problem().hardware(), g, m_plan->rules());
    m_rows = ceilDiv(m_plan->sinkHeight(), g.h);
    m_cols = ceilDiv(m_plan->sinkWidth(), g.w);
    m_mostTileSteps = 1;
    for (Sink& s : m_sinks) {
        s.steps = ceilDiv(s.reduction, g.k);
        m_mostTileSteps = std::max(m_mostTileSteps, s.steps);
    }
    for (Places* places : {&m_rowPlaces, &m_colPlaces}) {
        places->classes.clear();
        places->hulls.clear();
        places->count = 0;
    }
    m_rowRuns.clear();
    m_colRuns.clear();
    m_restKeys.clear();
    m_rests.clear();
    m_kindKeys.clear();
    m_kinds.clear();
    m_costs.assign(m_plan->uses().size(), {});
}

} // namespace tilewright
