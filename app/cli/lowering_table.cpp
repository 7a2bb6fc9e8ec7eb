// SPDX-License-Identifier: GPL-3.0-or-later
#include "lowering_table.h"

#include "table.h"

#include "base/text.h"

#include <algorithm>
#include <iostream>

namespace tilewright::cli {

void printLowering(const lower::LoweringReport& r)
{
    const auto line = [](const char* name, const std::string& value) {
        std::cout << name << std::string(15 - std::string_view(name).size(), ' ') << value << '\n';
    };
    const auto count = [](std::size_t n) { return formatGrouped(static_cast<std::int64_t>(n)); };
    if (!r.name.empty())
        line("name", r.name);
    line("model", count(r.operators) + " operators, " + count(r.tensors) + " tensors");
    line("MACs", formatGrouped(r.macs) + (r.vectorMacs > 0
                                              ? ", " + formatGrouped(r.vectorMacs) + " of them vector work"
                                              : std::string()));
    line("of the MACs", percent(r.coverage.mapped) + " mapped, " + percent(r.coverage.approximated) +
                            " approximated, " + percent(r.coverage.dropped) + " dropped; of the operators " +
                            percent(r.coverage.folded) + " folded");
    line("left out", formatGrouped(r.leftOutBytes) + " bytes of constants that are broadcast");
    for (const std::string& note : r.notes)
        line("note", note);
    Table table({"type", "nodes", "MACs", "bytes"});
    for (const lower::TypeReport& t : lower::typesOf(r))
        table.add(t.type, t.nodes, t.macs, t.bytes);
    std::cout << '\n';
    print(table);
    std::vector<const lower::NodeReport*> other;
    for (const lower::NodeReport& n : r.nodes)
        if (n.status == lower::NodeStatus::Approximated || n.status == lower::NodeStatus::Dropped)
            other.push_back(&n);
    std::stable_sort(other.begin(), other.end(), [](const auto* x, const auto* y) {
        return std::pair(x->macs, x->bytes) > std::pair(y->macs, y->bytes);
    });
    constexpr std::size_t kShown = 10;
    if (!other.empty())
        std::cout << "\nnot quite as in the model" << (other.size() > kShown ? ", the ten largest" : "")
                  << '\n';
    for (std::size_t i = 0; i < std::min(other.size(), kShown); ++i)
        std::cout << "  " << toString(other[i]->status) << "  " << other[i]->name << ": " << other[i]->note
                  << '\n';
}

} // namespace tilewright::cli
