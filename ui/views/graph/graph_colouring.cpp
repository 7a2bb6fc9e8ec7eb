// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/graph/graph_colouring.h"

#include "theme/number.h"
#include "theme/words.h"

#include <algorithm>
#include <cmath>

namespace tilewright::ui {

namespace {

using Fills = std::vector<GraphFill>;

/// The figures of the subgraphs that can be told; null for the others.
std::vector<const SubgraphEvaluation*> evaluations(const Snapshot& snapshot)
{
    std::vector<const SubgraphEvaluation*> out(snapshot.schedule.size());
    const auto& all = snapshot.evaluation.subgraphs;
    for (std::size_t s = 0; s < std::min(out.size(), all.size()); ++s)
        out[s] = all[s].structurallyValid ? &all[s] : nullptr;
    return out;
}

GraphLegend boundLegend()
{
    GraphLegend legend;
    legend.title = tr("Bound by");
    for (const Bound bound : {Bound::Compute, Bound::Memory, Bound::Balanced})
        legend.entries.emplace_back(GraphFill{GraphFill::Role::Bound, static_cast<double>(bound)},
                                    boundSign(bound) + QLatin1Char(' ') + boundText(bound));
    return legend;
}

/// Places on a logarithmic ramp, and the figures at its ends and in its middle.
template <typename Value> GraphLegend colourByRamp(const Snapshot& snapshot, Fills& fills, Value value)
{
    const auto known = evaluations(snapshot);
    double low = 0, high = 0;
    for (const SubgraphEvaluation* e : known)
        if (e && value(*e) > 0) {
            low = low > 0 ? std::min(low, value(*e)) : value(*e);
            high = std::max(high, value(*e));
        }
    GraphLegend legend;
    if (high <= 0)
        return legend;
    for (std::size_t s = 0; s < fills.size(); ++s)
        if (known[s])
            fills[s] = {GraphFill::Role::Ramp,
                        high > low ? std::log(std::max(value(*known[s]), low) / low) / std::log(high / low)
                                   : 0.5};
    if (high > low)
        for (int i = 0; i <= 2; ++i)
            legend.scale.push_back(shortNumber(low * std::pow(high / low, i / 2.0)));
    else
        legend.scale = {shortNumber(low)};
    return legend;
}

} // namespace

QString colourMark(const SubgraphEvaluation& e, GraphColouring colouring)
{
    if (colouring == GraphColouring::Bound)
        return e.bound == Bound::Compute  ? QStringLiteral("△")
               : e.bound == Bound::Memory ? QStringLiteral("▽")
                                          : QStringLiteral("◇");
    if (colouring == GraphColouring::Intensity && e.memory > 0)
        return significantNumber(e.compute / e.memory);
    return {};
}

GraphFill opTypeFill(OpType type)
{
    return {GraphFill::Role::Category, type == OpType::MatMul ? 0.0 : 7.0};
}

model::OperatorChange changeOf(const std::vector<model::OperatorChange>& changes, std::span<const OpId> ops)
{
    const auto of = [&](OpId op) {
        return op.index() < changes.size() ? changes[op.index()] : model::OperatorChange::Same;
    };
    if (ops.empty())
        return model::OperatorChange::Same;
    const model::OperatorChange first = of(ops.front());
    return std::ranges::all_of(ops, [&](OpId op) { return of(op) == first; })
               ? first
               : model::OperatorChange::Changed;
}

GraphFill changeFill(model::OperatorChange change)
{
    if (change == model::OperatorChange::Same)
        return {};
    return {GraphFill::Role::Change, static_cast<double>(change)};
}

QString changeText(model::OperatorChange change)
{
    switch (change) {
    case model::OperatorChange::Same:
        return tr("the same");
    case model::OperatorChange::Changed:
        return tr("changed");
    case model::OperatorChange::New:
        return tr("new");
    case model::OperatorChange::Gone:
        break;
    }
    return tr("gone");
}

std::pair<std::vector<GraphFill>, GraphLegend> colourSubgraphs(const Snapshot& snapshot,
                                                               const std::vector<std::size_t>& categories,
                                                               GraphColouring colouring)
{
    Fills fills(snapshot.schedule.size());
    GraphLegend legend;
    switch (colouring) {
    case GraphColouring::Subgraph:
        for (std::size_t s = 0; s < fills.size(); ++s)
            fills[s] = {GraphFill::Role::Category,
                        static_cast<double>(s < categories.size() ? categories[s] : s % 8)};
        break;
    case GraphColouring::Bound: {
        const auto known = evaluations(snapshot);
        for (std::size_t s = 0; s < fills.size(); ++s)
            if (known[s])
                fills[s] = {GraphFill::Role::Bound, static_cast<double>(known[s]->bound)};
        legend = boundLegend();
        break;
    }
    case GraphColouring::Latency:
        legend = colourByRamp(snapshot, fills, [](const SubgraphEvaluation& e) { return e.latency; });
        legend.title = tr("Latency of the subgraph");
        break;
    case GraphColouring::Intensity:
        legend = colourByRamp(snapshot, fills, [](const SubgraphEvaluation& e) {
            return e.memory > 0 ? e.compute / e.memory : 0.0;
        });
        legend.title = tr("Compute time ÷ memory time");
        break;
    case GraphColouring::OpType:
        legend.title = tr("Op type");
        legend.entries = {{opTypeFill(OpType::MatMul), tr("MatMul")},
                          {opTypeFill(OpType::Pointwise), tr("Pointwise")}};
        break;
    case GraphColouring::Change: // the op's own
    case GraphColouring::None:
        break;
    }
    return {std::move(fills), std::move(legend)};
}

} // namespace tilewright::ui
