// SPDX-License-Identifier: GPL-3.0-or-later
#include "place/placement_json.h"

#include "base/exclusion_json.h"
#include "base/json_document.h"
#include "place/unplaceable.h"

#include <string_view>

namespace tilewright {

std::string_view itemKindName(Resident::Kind kind)
{
    switch (kind) {
    case Resident::Kind::Input:
        return "input";
    case Resident::Kind::Output:
        return "output";
    case Resident::Kind::Accumulator:
        return "accumulator";
    case Resident::Kind::Interior:
        return "interior";
    case Resident::Kind::Resident:
    case Resident::Kind::Retained:
        break;
    }
    return "retained";
}

namespace {

Json answer(const Placement& placement, std::int64_t capacity)
{
    return {{"capacity", capacity},
            {"fits", placement.height <= capacity},
            {"height", placement.height},
            {"least_height", placement.leastHeight},
            {"proven", placement.proven()},
            {"peak", placement.peak},
            {"fragmentation", jsonNumber(placement.fragmentation())},
            {"time_points", placement.timePoints},
            {"nodes", placement.nodes},
            {"text", placementText(placement, capacity)}};
}

} // namespace

std::string placementJson(const Problem& problem, const PlacedSchedule& placed)
{
    Json items = Json::array();
    for (std::size_t i = 0; i < placed.items.items.size(); ++i) {
        const StepItem& item = placed.items.items[i];
        Json one = {{"kind", itemKindName(item.what.kind)},
                    {"tensor", item.what.tensor.value},
                    {"subgraph", item.subgraph.value},
                    {"first_step", item.firstStep},
                    {"last_subgraph", item.lastSubgraph.value},
                    {"last_step", item.lastStep},
                    {"lower", item.lower},
                    {"upper", item.upper},
                    {"size", item.what.elements},
                    {"offset", placed.placement.offsets[i]}};
        if (item.what.rect)
            one["rows_columns"] = {item.what.rect->r0, item.what.rect->r1, item.what.rect->c0,
                                   item.what.rect->c1};
        if (item.takesOver)
            one["takes_over"] = *item.takesOver;
        items.push_back(std::move(one));
    }
    Json out = answer(placed.placement, problem.capacityUnits());
    out["steps"] = placed.items.steps;
    out["items"] = std::move(items);
    return dumpByField(out);
}

std::string placementJson(const Buffers& buffers, const Placement& placement, std::int64_t capacity)
{
    Json items = Json::array();
    for (std::size_t i = 0; i < buffers.items.size(); ++i)
        items.push_back({{"id", buffers.ids[i]},
                         {"lower", buffers.items[i].lower},
                         {"upper", buffers.items[i].upper},
                         {"size", buffers.items[i].size},
                         {"offset", placement.offsets[i]}});
    Json out = answer(placement, capacity);
    if (const auto why = whyUnplaceable(buffers, capacity, placement))
        out["error"] = noneJson(why->sentence("placement"), why);
    out["items"] = std::move(items);
    return dumpByField(out);
}

Buffers buffersOf(const Problem& problem, const StepItems& items)
{
    Buffers out;
    for (std::size_t i = 0; i < items.items.size(); ++i) {
        const StepItem& item = items.items[i];
        std::string id = std::to_string(i) + " " + std::string(itemKindName(item.what.kind)) + " " +
                         problem.tensorName(item.what.tensor);
        for (char& c : id) // quotes are removed, because the CSV format has none
            c = c == ',' || c == '\n' || c == '\r' ? ' ' : c;
        out.ids.push_back(std::move(id));
        out.items.push_back({item.lower, item.upper, item.what.elements, item.lower, 0});
    }
    return out;
}

} // namespace tilewright
