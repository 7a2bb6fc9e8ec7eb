// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/constraint_cost.h"

#include "base/text.h"

#include <algorithm>
#include <utility>

namespace tilewright {

std::string_view ConstraintCost::certainty() const noexcept
{
    return isExact() ? "exactly" : cost == least ? "at least" : cost == most ? "at most" : "about";
}

ConstraintCost constraintCost(std::string text, const BoundedValue& with, const BoundedValue& without)
{
    constexpr double kRounding = 1e-9; // relative tolerance of values when proofs are compared
    const auto settled = [](const BoundedValue& v) {
        return v.bound >= v.value * (1 - kRounding) ? v.value : v.bound;
    };
    ConstraintCost out;
    out.text = std::move(text);
    out.without = std::min(without.value, with.value);
    out.cost = with.value - out.without;
    const double withBound = std::max(settled(with), settled({out.without, without.bound}));
    out.least = std::max(0.0, withBound - out.without);
    out.most = with.value - settled({out.without, without.bound});
    return out;
}

Table constraintCostTable(std::span<const ConstraintCost> costs, const std::string& value)
{
    Table out(std::vector<TableText>{"constraint", value + " without it", "it costs", "of that", "proven"});
    for (const std::size_t i : {1, 2, 3})
        out.columns[i].kind = ColumnKind::Number;
    for (const ConstraintCost& c : costs) {
        const std::string known(c.certainty());
        out.add(c.text, c.without, TableCell(c.cost, known + " " + formatGrouped(c.cost)),
                c.without > 0 ? percent(c.cost / c.without, 2) : std::string("-"),
                c.isExact() ? std::string("yes") : formatGrouped(c.least) + " to " + formatGrouped(c.most));
    }
    return out;
}

} // namespace tilewright
