// SPDX-License-Identifier: GPL-3.0-or-later
#include "figures/systolic_products.h"

#include "figures/figure.h"

#include <utility>
#include <vector>

namespace tilewright::figures {

namespace {

constexpr const char* kPaddingRule = "docs/rules/systolic.md 1.6";

double pesOf(const systolic::ArrayShape& array)
{
    return static_cast<double>(array.rows) * static_cast<double>(array.cols);
}

ExplainedValue extentLeaf(const Product& p, const Extent& e)
{
    return figureLeaf(e.name, "", static_cast<double>(p.gemm.*e.of), p.at + e.name);
}

/// The side of the array along an extent; nothing for the extent that streams.
std::optional<std::pair<const char*, std::int64_t>> sideOf(const Product& p, std::size_t extent)
{
    const std::pair rows{"rows of the array", p.array.rows}, cols{"columns of the array", p.array.cols};
    const bool os = p.dataflow == systolic::Dataflow::Os, is = p.dataflow == systolic::Dataflow::Is;
    if (extent == 0)
        return os ? std::optional(rows) : is ? std::optional(cols) : std::nullopt;
    if (extent == 1)
        return is ? std::nullopt : std::optional(cols);
    return os ? std::nullopt : std::optional(rows);
}

} // namespace

ExplainedValue ofProduct::macs(const Product& p)
{
    std::vector<ExplainedValue> extents;
    for (const Extent& e : kExtents)
        extents.push_back(extentLeaf(p, e));
    return combined(Operation::Product, "multiply-accumulates", "", std::move(extents));
}

std::optional<ExplainedValue> ofProduct::cycles(const Product& p)
{
    const auto folds = static_cast<double>(p.timing.folds), ideal = static_cast<double>(p.timing.cycles);
    if (folds < 1)
        return leaf("cycles", "cycles", ideal, "closed form of this kind of array",
                    "docs/rules/systolic.md 1");
    ExplainedValue array =
        combined(Operation::Product, "cycles of the array", "cycles",
                 {leaf("folds", "", folds, "blocks of the product that the array holds one after another",
                       "docs/rules/systolic.md 1.2"),
                  leaf("cycles of a fold, on average", "cycles", ideal / folds,
                       "stream, skew and read-out, in closed form", "docs/rules/systolic.md 1.3")},
                 "docs/rules/systolic.md 1");
    if (p.cycles == p.timing.cycles)
        return array;
    return combined(Operation::Sum, "cycles", "cycles",
                    {std::move(array),
                     figureLeaf("cycles stalled on an edge FIFO", "cycles",
                                static_cast<double>(p.cycles - p.timing.cycles), p.at + "stalled_cycles")});
}

std::optional<ExplainedValue> ofProduct::utilization(const Product& p)
{
    if (!p.use.isPlain() || p.cycles <= 0)
        return leaf("utilisation", "", p.utilization,
                    "multiply-accumulates / what the arrays of this kind could do",
                    "docs/rules/workload.md 4.2");
    return combined(
        Operation::Quotient, "utilisation", "",
        {macs(p),
         leaf("PEs", "", pesOf(p.array), "rows times columns of the array", "docs/rules/systolic.md 1"),
         figureLeaf("cycles", "cycles", static_cast<double>(p.cycles), p.at + "cycles")},
        "docs/rules/systolic.md 1.5");
}

std::optional<ExplainedValue> ofProduct::mapping(const Product& p)
{
    return leaf("used PEs / PEs, mean over the folds", "", p.timing.mappingEfficiency,
                "folds at the edges use fewer rows and columns", "docs/rules/systolic.md 1.5");
}

std::optional<ExplainedValue> ofProduct::paddedExtent(const Product& p, std::size_t extent)
{
    if (!p.padding.added)
        return {};
    const Extent& e = kExtents[extent];
    const auto side = sideOf(p, extent);
    if (!side)
        return leaf("padding", "", 0, "this extent streams through the folds", kPaddingRule);
    const ExplainedValue length =
        leaf(side->first, "", static_cast<double>(side->second), "the machine", kPaddingRule);
    return difference("padding", "",
                      combined(Operation::Product, "extent of whole folds", "",
                               {combined(Operation::Ceil, "folds", "", {extentLeaf(p, e), length}), length}),
                      extentLeaf(p, e), kPaddingRule);
}

std::optional<ExplainedValue> ofProduct::paddedMacs(const Product& p)
{
    std::vector<ExplainedValue> whole;
    if (p.padding.added)
        for (const Extent& e : kExtents)
            whole.push_back(combined(
                Operation::Sum, std::string(e.name) + " of whole folds", "",
                {extentLeaf(p, e), figureLeaf("padding", "", static_cast<double>((*p.padding.added).*e.of),
                                              p.at + "padding." + e.name)}));
    else
        whole = {leaf("PEs of all arrays", "", pesOf(p.array) * static_cast<double>(p.use.arrays),
                      "the machine", kPaddingRule),
                 leaf("cycles at the rate 1", "cycles", static_cast<double>(p.use.fixedCycles.value_or(0)),
                      "closed form of this kind of array", "docs/rules/workload.md 2.1")};
    return difference(
        "multiply-accumulates of padding", "",
        combined(Operation::Product, "multiply-accumulates that there is room for", "", std::move(whole)),
        macs(p), kPaddingRule);
}

ExplainedValue ofProduct::idlePesOf(const systolic::ArrayShape& array, double mapping, const std::string& at)
{
    return combined(
        Operation::Product, "idle PEs", "",
        {leaf("PEs", "", pesOf(array), "rows times columns of the array", "docs/rules/systolic.md 1"),
         difference("share of idle PEs", "", leaf("all", "", 1, "the whole array"),
                    figureLeaf("mapping efficiency", "", mapping, at + "mapping_efficiency"))},
        kPaddingRule);
}
std::optional<ExplainedValue> ofProduct::idlePes(const Product& p)
{
    return idlePesOf(p.array, p.timing.mappingEfficiency, p.at);
}

} // namespace tilewright::figures
