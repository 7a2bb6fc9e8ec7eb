// SPDX-License-Identifier: GPL-3.0-or-later
#include "solve/proof/set_cover_master.h"

#include "solve/cost/op_lists.h"
#include "solve/proof/parallel_for.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <limits>
#include <utility>

namespace tilewright {

namespace {

bool has(const std::vector<TensorId>& list, TensorId t)
{
    return std::ranges::find(list, t) != list.end();
}

} // namespace

SetCoverMaster::SetCoverMaster(const Problem& problem, const Rules& rules, const std::vector<OpId>& ops,
                               std::vector<std::uint32_t> classes, std::vector<CostModel>& models,
                               std::function<double()> secondsLeft)
    : DualPricer(problem, MasterRows(problem, rules, ops, classes),
                 {.threads = models.size(), .secondsLeft = std::move(secondsLeft)}),
      m_problem(problem), m_models(models), m_keepsInputs(rules.keepsInputs()), m_classes(std::move(classes))
{
}

std::vector<DualPricer::Entry> SetCoverMaster::achievedBy(const SetPricing::Set& subgraph) const
{
    std::vector<Entry> out;
    const auto achieve = [&](std::optional<std::size_t> row, double amount) {
        if (row)
            out.push_back({*row, amount});
    };
    const auto isInside = [&](OpId o) { return std::ranges::find(subgraph.ops, o) != subgraph.ops.end(); };
    for (const OpId o : subgraph.ops) {
        achieve(rows().runs(o), 1);
        const TensorId t = m_problem.op(o).output;
        const auto consumers = m_problem.consumers(t);
        const bool isRetained = has(subgraph.retained, t);
        // A retained result is not written (R3.3). With retain_inputs=allow, later subgraphs may retain it
        // again, so retaining it satisfies the rows of *reaches* and *written* (docs/rules/bound.md 1).
        const bool isExposed = isRetained ? m_keepsInputs : std::ranges::none_of(consumers, isInside);
        if (isExposed)
            achieve(rows().written(t), 1);
        for (const OpId c : consumers)
            if (isExposed || isInside(c) || (isRetained && !rows().covers(c)))
                achieve(rows().reaches(t, c), 1);
        if (isRetained)
            achieve(rows().handedOver(t), 1);
        std::vector<TensorId> inputs(m_problem.op(o).inputs);
        std::ranges::sort(inputs);
        inputs.erase(std::unique(inputs.begin(), inputs.end()), inputs.end());
        for (const TensorId input : inputs)
            if (has(subgraph.resident, input))
                achieve(rows().reaches(input, o), 1);
    }
    for (const TensorId t : subgraph.resident)
        achieve(rows().handedOver(t), -1);
    std::ranges::stable_sort(out, {},
                             &Entry::row); // the loop adds up entries of one row: similar ops share rows
    std::size_t count = 0;
    for (const Entry& e : out)
        if (count > 0 && out[count - 1].row == e.row)
            out[count - 1].coefficient += e.coefficient;
        else
            out[count++] = e;
    out.resize(count);
    std::erase_if(out, [](const Entry& e) { return e.coefficient == 0; });
    return out;
}

std::optional<SetCoverMaster::Column> SetCoverMaster::columnOf(const SetPricing::Set& subgraph,
                                                               std::size_t thread) const
{
    CostModel& model = m_models[thread];
    if (!model.compile(subgraph.ops, {.resident = subgraph.resident, .retained = subgraph.retained}))
        return std::nullopt;
    std::int64_t occupied = 0;
    for (const std::vector<TensorId>* list : {&subgraph.resident, &subgraph.retained})
        for (const TensorId t : *list)
            occupied += m_problem.tensor(t).elements();
    Column out{subgraph};
    out.cost = occupied <= m_problem.hardware().fastMemoryCapacity ? model.anyOrderBound()
                                                                   : std::numeric_limits<double>::infinity();
    out.achieves = achievedBy(subgraph);
    return out;
}

Digest SetCoverMaster::keyOf(const SetPricing::Set& subgraph) const
{
    Digest d;
    if (m_classes.empty()) {
        for (const OpId o : subgraph.ops)
            d.add(o.value);
        for (const auto* list : {&subgraph.resident, &subgraph.retained}) {
            d.add(std::numeric_limits<std::uint64_t>::max());
            for (const TensorId t : *list)
                d.add(t.value);
        }
        return d;
    }
    d = structureOf(m_problem, subgraph.ops, [&](Digest& of, TensorId t) {
        of.add((has(subgraph.resident, t) ? 1U : 0U) | (has(subgraph.retained, t) ? 2U : 0U));
    });
    for (const Entry& e : achievedBy(subgraph)) {
        d.add(e.row);
        d.add(std::bit_cast<std::uint64_t>(e.coefficient));
    }
    return d;
}

/// Tighter cost bounds would take too long for all columns, so only overpriced columns get them.
void SetCoverMaster::activate(const OverpricedList& columns, const Prices& prices)
{
    const auto goesOn = [&](std::size_t) { return prices.empty() || settings().secondsLeft() > 0; };
    const auto sharpen = [&](std::size_t thread, std::size_t i) {
        Column& c = m_columns[columns[i].column];
        if (std::exchange(c.sharp, true))
            return;
        CostModel& model = m_models[thread];
        if (model.compile(c.ops, {.resident = c.resident, .retained = c.retained}))
            c.cost = std::max(c.cost, model.anyOrderBoundByDepth());
    };
    if (!forAllInThreads(settings().threads, columns.size(), goesOn, sharpen))
        return;
    for (const Overpriced& o : columns) {
        Column& c = m_columns[o.column];
        if (prices.empty() || reducedCost(o.column, prices).value() < -kTolerance * c.cost)
            c.program = addToProgram(c.cost, c.achieves, c.ops);
    }
}

void SetCoverMaster::add(std::vector<Column> columns)
{
    const bool isFirst = m_columns.empty();
    std::ranges::move(columns, std::back_inserter(m_columns));
    if (!isFirst) {
        revalidate();
        return;
    }
    double largest = 0;
    OverpricedList singles;
    for (std::size_t i = 0; i < m_columns.size(); ++i) {
        largest = std::max(largest, m_columns[i].cost);
        if (m_columns[i].ops.size() == 1)
            singles.push_back({i, 0});
    }
    if (largest > 0)
        setUnit(largest);
    activate(singles, {});
}

DualPricer::Prices SetCoverMaster::lowerUntilValid(Prices prices)
{
    constexpr int kRounds = 12;
    OverpricedList found = overpriced(prices);
    for (int i = 0; i < kRounds; ++i) {
        const OverpricedList added = toActivate(found);
        if (added.empty())
            break;
        activate(added, prices);
        found = overpriced(prices);
    }
    bool hold = true;
    for (const Overpriced& o : found)
        hold &= lower(o.column, prices, true);
    if (!hold || !applySafetyMargin(prices))
        prices.assign(prices.size(), 0);
    return prices;
}

} // namespace tilewright
