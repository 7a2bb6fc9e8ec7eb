// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/graph/graph_regroup.h"

#include <algorithm>

namespace tilewright::ui {

namespace {

std::vector<LayoutPoint> rectangle(const LayoutRect& r, double padding)
{
    const double left = r.x - padding, right = r.right() + padding;
    const double top = r.y - padding, bottom = r.bottom() + padding;
    return {{right, top}, {right, bottom}, {left, bottom}, {left, top}}; // clockwise
}

LayoutRect boundsOf(const LayoutGroup& group)
{
    if (group.outlines.empty())
        return {};
    LayoutPoint low = group.outlines.front().front(), high = low;
    for (const auto& outline : group.outlines)
        for (const LayoutPoint& p : outline) {
            low = {std::min(low.x, p.x), std::min(low.y, p.y)};
            high = {std::max(high.x, p.x), std::max(high.y, p.y)};
        }
    return {low.x, low.y, high.x - low.x, high.y - low.y};
}

} // namespace

std::shared_ptr<const GraphGeometry> regrouped(const GraphGeometry& before, const Schedule& schedule)
{
    const auto isCard = [](const GraphKey& key) {
        return key.kind != GraphKey::Kind::Op && key.kind != GraphKey::Kind::Input &&
               key.kind != GraphKey::Kind::Output;
    };
    if (std::any_of(before.keys.begin(), before.keys.end(), isCard))
        return nullptr;
    auto out = std::make_shared<GraphGeometry>(before);
    out->provisional = true;
    out->members.clear();
    std::fill(out->groupOf.begin(), out->groupOf.end(), -1);
    for (std::size_t s = 0; s < schedule.size(); ++s) {
        const std::vector<OpId>& ops = schedule.subgraphs[s]->ops;
        out->members.push_back(ops);
        for (OpId op : ops) // recomputed ops stand with the first of their subgraphs
            if (const auto v = before.nodeOf(op); v && out->groupOf[*v] < 0)
                out->groupOf[*v] = static_cast<int>(s);
    }

    // The nodes of an old area are in one new area, or it is gone.
    std::vector<std::optional<int>> becomes(before.members.size());
    std::vector<char> dissolved(before.members.size(), 0);
    for (std::size_t v = 0; v < before.keys.size(); ++v) {
        if (before.groupOf[v] < 0)
            continue;
        const auto old = static_cast<std::size_t>(before.groupOf[v]);
        const int now = out->groupOf[v];
        dissolved[old] |= now < 0 || (becomes[old] && *becomes[old] != now) ? 1 : 0;
        becomes[old] = now;
    }
    std::vector<LayoutGroup> groups(schedule.size());
    for (std::size_t old = 0; old < before.members.size() && old < before.layout.groups.size(); ++old)
        if (becomes[old] && !dissolved[old]) {
            auto& outlines = groups[static_cast<std::size_t>(*becomes[old])].outlines;
            const auto& kept = before.layout.groups[old].outlines;
            outlines.insert(outlines.end(), kept.begin(), kept.end());
        }
    for (std::size_t v = 0; v < before.keys.size(); ++v) {
        const int now = out->groupOf[v];
        const bool covered =
            before.groupOf[v] >= 0 && !dissolved[static_cast<std::size_t>(before.groupOf[v])];
        if (now >= 0 && !covered)
            groups[static_cast<std::size_t>(now)].outlines.push_back(
                rectangle(before.layout.nodes[v], before.metrics.padding()));
    }
    for (LayoutGroup& group : groups)
        group.bounds = boundsOf(group);
    out->layout.groups = std::move(groups);
    return out;
}

} // namespace tilewright::ui
