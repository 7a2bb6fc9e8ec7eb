// SPDX-License-Identifier: GPL-3.0-or-later
#include "figures/place_figures.h"

#include "place/placement_json.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace tilewright::figures {

namespace {

using Value = std::optional<ExplainedValue>;
using Placed = std::shared_ptr<const verbs::PlaceAnswer>;
using PlaceKind = KindIn<Placed>;

constexpr const char* kPlaceRule = "docs/rules/place.md";

std::string unitOf(const Placed& s)
{
    return s->schedule && s->problem->unitsPerElement() == 1 ? "elements" : "units";
}

std::size_t itemCount(const Placed& s)
{
    return s->placement.offsets.size();
}
std::int64_t sizeOf(const Placed& s, std::size_t i)
{
    return s->schedule ? s->schedule->items.items[i].what.elements : s->buffers.items[i].size;
}
std::pair<std::int64_t, std::int64_t> lifeOf(const Placed& s, std::size_t i)
{
    if (!s->schedule)
        return {s->buffers.items[i].lower, s->buffers.items[i].upper};
    const StepItem& item = s->schedule->items.items[i];
    return {item.lower, item.upper};
}
std::string nameOf(const Placed& s, std::size_t i)
{
    if (!s->schedule)
        return "buffer " + s->buffers.ids[i];
    const Resident& what = s->schedule->items.items[i].what;
    return "item " + std::to_string(i) + " (" + std::string(itemKindName(what.kind)) + " " +
           s->problem->tensorName(what.tensor) + ")";
}
ExplainedValue figureOfItem(const Placed& s, std::size_t i, std::string name, double value, const char* field)
{
    return figureLeaf(std::move(name), unitOf(s), value, "items." + std::to_string(i) + "." + field);
}
ExplainedValue searched(const Placed& s, std::string name, std::int64_t value)
{
    return leaf(std::move(name), unitOf(s), static_cast<double>(value), "search of the placement",
                kPlaceRule);
}

// Figures of the placement --------------------------------------------------------------------------

Value capacity(const Placed& s, std::size_t)
{
    return leaf("capacity", unitOf(s), static_cast<double>(s->capacity),
                s->schedule ? "fast_memory_capacity" : "--capacity");
}

/// The end of the item that ends highest.
Value height(const Placed& s, std::size_t)
{
    const auto endOf = [&](std::size_t i) { return s->placement.offsets[i] + sizeOf(s, i); };
    std::size_t highest = 0;
    for (std::size_t i = 1; i < itemCount(s); ++i)
        if (endOf(i) > endOf(highest))
            highest = i;
    if (itemCount(s) == 0 || endOf(highest) != s->placement.height)
        return searched(s, "height", s->placement.height);
    return combined(
        Operation::Sum, "end of " + nameOf(s, highest), unitOf(s),
        {figureOfItem(s, highest, "offset", static_cast<double>(s->placement.offsets[highest]), "offset"),
         figureOfItem(s, highest, "size", static_cast<double>(sizeOf(s, highest)), "size")},
        kPlaceRule);
}

Value leastHeight(const Placed& s, std::size_t)
{
    return leaf("least height", unitOf(s), static_cast<double>(s->placement.leastHeight),
                s->placement.proven() ? "search: no placement is lower"
                                      : "search: lower ones are not excluded yet",
                kPlaceRule);
}

/// The sizes of the items that live at the time at which they need most.
Value peak(const Placed& s, std::size_t)
{
    std::map<std::int64_t, std::int64_t> changes;
    for (std::size_t i = 0; i < itemCount(s); ++i) {
        const auto [lower, upper] = lifeOf(s, i);
        changes[lower] += sizeOf(s, i);
        changes[upper] -= sizeOf(s, i);
    }
    std::int64_t now = 0, most = 0, at = 0;
    for (const auto& [time, change] : changes)
        if (now += change; now > most) {
            most = now;
            at = time;
        }
    if (most != s->placement.peak) // items that take over a buffer share its room
        return searched(s, "largest sum of sizes at one time", s->placement.peak);
    std::vector<ExplainedValue> parts;
    for (std::size_t i = 0; i < itemCount(s); ++i)
        if (const auto [lower, upper] = lifeOf(s, i); lower <= at && at < upper)
            parts.push_back(figureOfItem(s, i, nameOf(s, i), static_cast<double>(sizeOf(s, i)), "size"));
    return combined(Operation::Sum, "sizes of the items at time " + std::to_string(at), unitOf(s),
                    std::move(parts), kPlaceRule);
}

Value fragmentation(const Placed& s, std::size_t)
{
    const auto high = static_cast<double>(s->placement.height), most = static_cast<double>(s->placement.peak);
    if (s->placement.peak <= 0)
        return leaf("fragmentation", "", 0, "nothing is placed", kPlaceRule);
    const std::string unit = unitOf(s);
    return combined(Operation::Quotient, "fragmentation", "",
                    {combined(Operation::Sum, "height without the peak", unit,
                              {figureLeaf("height", unit, high, "height"),
                               combined(Operation::Product, "less peak", unit,
                                        {leaf("minus one", "", -1, "subtraction"),
                                         figureLeaf("peak", unit, most, "peak")})}),
                     figureLeaf("peak", unit, most, "peak")},
                    kPlaceRule);
}

Value timePoints(const Placed& s, std::size_t)
{
    return leaf("time points", "", static_cast<double>(s->placement.timePoints),
                "counted over the lives of all items", kPlaceRule);
}
Value nodes(const Placed& s, std::size_t)
{
    return leaf("search nodes", "", static_cast<double>(s->placement.nodes), "counted by the search",
                kPlaceRule);
}
Value steps(const Placed& s, std::size_t)
{
    return s->schedule ? Value(leaf("steps", "", static_cast<double>(s->schedule->items.steps),
                                    "the tiles of the schedule", "R6"))
                       : Value();
}

// Figures of items ----------------------------------------------------------------------------------

Value lower(const Placed& s, std::size_t i)
{
    return leaf("begin of the life", "", static_cast<double>(lifeOf(s, i).first),
                s->schedule ? "the steps of the schedule" : "the file of buffers", kPlaceRule);
}
Value upper(const Placed& s, std::size_t i)
{
    return leaf("end of the life", "", static_cast<double>(lifeOf(s, i).second),
                s->schedule ? "the steps of the schedule" : "the file of buffers", kPlaceRule);
}
Value size(const Placed& s, std::size_t i)
{
    return leaf("size", unitOf(s), static_cast<double>(sizeOf(s, i)),
                s->schedule ? "the tiles of the schedule" : "the file of buffers",
                s->schedule ? "R9" : kPlaceRule);
}
Value offset(const Placed& s, std::size_t i)
{
    return searched(s, "offset", s->placement.offsets[i]);
}

const std::array kPlaceKinds{
    PlaceKind{{"height", "height of the placement", "End of the item that ends highest in fast memory."},
              height},
    PlaceKind{{"capacity", "capacity of fast memory", "Room that the items may use."}, capacity},
    PlaceKind{{"least_height", "least height",
               "Lower bound on the height of every placement of these items; equal to the height if that is "
               "optimal."},
              leastHeight},
    PlaceKind{{"peak", "peak", "Largest sum of the sizes of items that live at the same time."}, peak},
    PlaceKind{{"fragmentation", "fragmentation", "Height above the peak, divided by the peak."},
              fragmentation},
    PlaceKind{
        {"time_points", "time points", "Number of different sets of live items that follow each other."},
        timePoints},
    PlaceKind{{"nodes", "search nodes", "Nodes of the search for the placement."}, nodes},
    PlaceKind{{"steps", "steps", "Steps of the schedule."}, steps},
    PlaceKind{
        {"items.*.lower", "begin of the life of an item", "First step in which the item is in fast memory."},
        lower},
    PlaceKind{{"items.*.upper", "end of the life of an item", "First step after its life."}, upper},
    PlaceKind{{"items.*.size", "size of an item", "Room that the item takes."}, size},
    PlaceKind{{"items.*.offset", "offset of an item", "Address of the item in fast memory."}, offset},
};

} // namespace

Figures placeFigures(std::shared_ptr<const verbs::PlaceAnswer> answer)
{
    std::vector<FigureGroup> groups{{"items", std::vector<std::string>(itemCount(answer))}};
    return figuresBy<Placed>(kPlaceKinds, std::move(groups), std::move(answer));
}

} // namespace tilewright::figures
