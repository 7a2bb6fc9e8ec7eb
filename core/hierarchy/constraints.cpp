// SPDX-License-Identifier: GPL-3.0-or-later
#include "hierarchy/constraints.h"

#include "base/integer.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

namespace tilewright::hierarchy {

namespace {

/// Error about the value `text` of the option `option`.
Error optionError(const char* option, const std::string& text, const std::string& why)
{
    std::string message = "\"";
    message.append(text, 0, 60).append("\": ").append(why);
    return {ErrorCode::Refused, message, {}, option};
}

/// Removes the name of an item and the dot after it from the front of the text, and returns the index of the
/// item. Names may contain dots: the longest matching name is used.
template <typename T> std::optional<std::size_t> takeName(std::string_view& text, const std::vector<T>& items)
{
    std::optional<std::size_t> out;
    for (std::size_t i = 0; i < items.size(); ++i) {
        const std::string& name = items[i].name;
        if (text.starts_with(name) && text.substr(name.size()).starts_with('.') &&
            (!out || name.size() > items[*out].name.size()))
            out = i;
    }
    if (out)
        text.remove_prefix(items[*out].name.size() + 1);
    return out;
}

template <typename T> std::string namesOf(const std::vector<T>& items)
{
    std::string out;
    for (std::size_t i = 0; i < items.size(); ++i) {
        out += i == 0 ? "" : i + 1 < items.size() ? ", " : " and ";
        out += items[i].name;
    }
    return out;
}

std::vector<std::string_view> partsOf(std::string_view text)
{
    std::vector<std::string_view> out;
    for (std::size_t start = 0; start <= text.size();) {
        const std::size_t end = std::min(text.find(',', start), text.size());
        out.push_back(text.substr(start, end - start));
        start = end + 1;
    }
    return out;
}

std::string levelsText(const Architecture& architecture)
{
    return "the levels are " + namesOf(architecture.levels);
}

/// Reads "LEVEL.LOOP" or "LEVEL.AXIS.LOOP". The Error has the reason.
Result<FactorLimit> readPlace(const LoopNest& nest, const Architecture& architecture, std::string_view text)
{
    const auto error = [](const std::string& why) { return Error{ErrorCode::Refused, why, {}, {}}; };
    FactorLimit out;
    const auto level = takeName(text, architecture.levels);
    if (!level)
        return error("names no level; " + levelsText(architecture));
    out.level = *level;
    if (const auto axis = takeName(text, architecture.levels[*level].axes))
        out.axis = static_cast<int>(*axis);
    out.loop = nest.loopByName(text);
    if (out.loop >= 0)
        return out;
    if (text.find('.') != std::string_view::npos)
        return error("level " + architecture.levels[*level].name + " has no such axis");
    return error("this layer has no such loop");
}

Status addLimit(const LoopNest& nest, const Architecture& architecture, const std::string& text,
                Constraints& out)
{
    const auto bad = [&](const std::string& why) { return optionError("--factor", text, why); };
    // Names of levels may contain "<", ">" and "=", so the last such sign is the comparison.
    const std::size_t last = text.find_last_of("<>=");
    if (last == std::string::npos)
        return bad("expected LEVEL.LOOP=N or LEVEL.AXIS.LOOP=N, with =, <= or >=");
    const bool isTwo = text[last] == '=' && last > 0 && (text[last - 1] == '<' || text[last - 1] == '>');
    const std::string relation = isTwo ? text.substr(last - 1, 2) : text.substr(last, 1);
    if (relation != "=" && !isTwo)
        return bad("expected =, <= or >=");
    auto limit = readPlace(nest, architecture, std::string_view(text).substr(0, last + 1 - relation.size()));
    if (!limit)
        return bad(limit.error().message);
    std::int64_t value = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, code] = std::from_chars(text.data() + last + 1, end, value);
    if (code != std::errc{} || stop != end || value < 1 || value > kMaxDimension)
        return bad("expected a whole number from 1 after the sign");
    const auto known = std::ranges::find_if(
        out.factors, [&](const FactorLimit& l) { return l.isAt(limit->level, limit->axis, limit->loop); });
    FactorLimit& all = known == out.factors.end() ? out.factors.emplace_back(*limit) : *known;
    if (relation != "<=")
        all.least = std::max(all.least, value);
    if (relation != ">=")
        all.most = std::min(all.most, value);
    if (all.least > all.most)
        return bad("contradicts an earlier constraint");
    return Unit{};
}

Status addOrder(const LoopNest& nest, const Architecture& architecture, const std::string& text,
                Constraints& out)
{
    const auto bad = [&](const std::string& why) { return optionError("--order", text, why); };
    const std::size_t sign = text.find_last_of('=');
    if (sign == std::string::npos)
        return bad("expected LEVEL=LOOP,LOOP from the outermost of these loops inwards");
    const auto level = std::ranges::find(architecture.levels, text.substr(0, sign), &Level::name);
    if (level == architecture.levels.end())
        return bad("names no level; " + levelsText(architecture));
    out.orders.resize(architecture.levels.size());
    std::vector<int>& order = out.orders[static_cast<std::size_t>(level - architecture.levels.begin())];
    if (!order.empty())
        return bad("this level has an order already");
    for (const std::string_view name : partsOf(std::string_view(text).substr(sign + 1))) {
        const int loop = nest.loopByName(name);
        if (loop < 0)
            return bad("this layer has no loop \"" + std::string(name.substr(0, 20)) + "\"");
        if (std::ranges::find(order, loop) != order.end())
            return bad("names loop " + std::string(name) + " twice");
        order.push_back(loop);
    }
    return Unit{};
}

/// Position of the loop in an order; -1 if the order does not name it.
std::ptrdiff_t placeIn(std::span<const int> order, int loop)
{
    const auto at = std::ranges::find(order, loop);
    return at == order.end() ? -1 : at - order.begin();
}

std::int64_t factorOf(const std::vector<TiledLoop>& loops, int loop)
{
    std::int64_t out = 1;
    for (const TiledLoop& tiled : loops)
        if (tiled.loop == loop)
            out *= tiled.factor;
    return out;
}

} // namespace

bool Constraints::any() const noexcept
{
    return !factors.empty() ||
           std::ranges::any_of(orders, [](const std::vector<int>& order) { return !order.empty(); });
}

const FactorLimit* Constraints::at(std::size_t level, int axis, int loop) const noexcept
{
    for (const FactorLimit& limit : factors)
        if (limit.isAt(level, axis, loop))
            return &limit;
    return nullptr;
}

bool Constraints::allows(const Architecture& architecture, const Mapping& mapping) const
{
    for (const FactorLimit& limit : factors) {
        const LevelLoops& level = mapping.levels[limit.level];
        std::int64_t factor = 1;
        if (limit.axis == FactorLimit::kTemporal) {
            factor = factorOf(level.temporal, limit.loop);
        } else {
            const std::string& name =
                architecture.levels[limit.level].axes[static_cast<std::size_t>(limit.axis)].name;
            for (const AxisLoops& used : level.spatial)
                if (used.axis == name)
                    factor *= factorOf(used.loops, limit.loop);
        }
        if (!limit.allows(factor))
            return false;
    }
    for (std::size_t i = 0; i < mapping.levels.size(); ++i) {
        std::ptrdiff_t before = -1;
        for (const TiledLoop& tiled : mapping.levels[i].temporal) {
            if (tiled.factor == 1)
                continue;
            const std::ptrdiff_t place = placeIn(order(i), tiled.loop);
            if (place < before)
                return false;
            before = place;
        }
    }
    return true;
}

Result<Constraints> parseConstraints(const LoopNest& nest, const Architecture& architecture,
                                     const std::vector<std::string>& factors,
                                     const std::vector<std::string>& orders)
{
    Constraints out;
    for (const std::string& text : factors)
        if (Status s = addLimit(nest, architecture, text, out); !s)
            return s.error();
    for (const std::string& text : orders)
        if (Status s = addOrder(nest, architecture, text, out); !s)
            return s.error();
    return out;
}

std::vector<std::string> limitTexts(const LoopNest& nest, const Architecture& architecture,
                                    const FactorLimit& limit)
{
    const Level& level = architecture.levels[limit.level];
    std::string place = level.name + ".";
    if (limit.axis != FactorLimit::kTemporal)
        place += level.axes[static_cast<std::size_t>(limit.axis)].name + ".";
    place += nest.loopNames[static_cast<std::size_t>(limit.loop)];
    if (limit.least == limit.most)
        return {place + "=" + std::to_string(limit.least)};
    std::vector<std::string> out;
    if (limit.least > 1 || limit.most == FactorLimit().most)
        out.push_back(place + ">=" + std::to_string(limit.least));
    if (limit.most < FactorLimit().most)
        out.push_back(place + "<=" + std::to_string(limit.most));
    return out;
}

ConstraintTexts textsOf(const LoopNest& nest, const Architecture& architecture,
                        const Constraints& constraints)
{
    ConstraintTexts out;
    for (const FactorLimit& limit : constraints.factors)
        for (std::string& text : limitTexts(nest, architecture, limit))
            out.factors.push_back(std::move(text));
    for (std::size_t i = 0; i < constraints.orders.size(); ++i) {
        std::string loops;
        for (const int loop : constraints.orders[i])
            loops.append(loops.empty() ? "=" : ",").append(nest.loopNames[static_cast<std::size_t>(loop)]);
        if (!loops.empty())
            out.orders.push_back(architecture.levels[i].name + loops);
    }
    return out;
}

std::vector<std::string> constraintTexts(const LoopNest& nest, const Architecture& architecture,
                                         const Constraints& constraints)
{
    ConstraintTexts out = textsOf(nest, architecture, constraints);
    out.factors.insert(out.factors.end(), out.orders.begin(), out.orders.end());
    return std::move(out.factors);
}

void toggleFactor(Constraints& constraints, const FactorLimit& place, std::int64_t factor)
{
    if (std::erase_if(constraints.factors, [&](const FactorLimit& limit) {
            return limit.isAt(place.level, place.axis, place.loop);
        }) == 0)
        constraints.factors.push_back({place.level, place.axis, place.loop, factor, factor});
}

void toggleOrder(Constraints& constraints, std::size_t level, const std::vector<int>& loops)
{
    if (constraints.orders.size() <= level)
        constraints.orders.resize(level + 1);
    std::vector<int>& order = constraints.orders[level];
    order = order.empty() ? loops : std::vector<int>();
}

void setHeld(Level& level, std::size_t operand, bool isHeld)
{
    if (level.holds[operand] == isHeld)
        return;
    if (level.memories) {
        std::int64_t bytes = 1;
        for (std::size_t op = kOperands; op-- > 0;)
            if (level.holds[op])
                bytes = (*level.memories)[op];
        (*level.memories)[operand] = isHeld ? bytes : 0;
    }
    level.holds[operand] = isHeld;
}

Result<unsigned> readLoops(const LoopNest& nest, const std::string& text)
{
    unsigned out = 0;
    std::string name;
    for (const char c : text + ",") {
        if (c != ',' && c != ' ') {
            name += c;
            continue;
        }
        const int loop = nest.loopByName(name);
        if (!name.empty() && loop < 0)
            return Error{ErrorCode::Refused, "this layer has no loop \"" + name.substr(0, 20) + "\"", {}, {}};
        if (loop >= 0)
            out |= 1u << loop;
        name.clear();
    }
    return out;
}

Status addBypass(Architecture& architecture, const std::string& text)
{
    const auto bad = [&](const std::string& why) { return optionError("--bypass", text, why); };
    std::string_view name = text;
    const auto level = takeName(name, architecture.levels);
    if (!level)
        return bad("expected LEVEL.OPERAND; " + levelsText(architecture));
    const int op = mapping::operandByName(name);
    if (op < 0)
        return bad("expected I, W or O (A, B or C) after the level");
    if (*level == 0)
        return bad("the outermost level cannot be skipped: operands are stored there");
    Level& skipped = architecture.levels[*level];
    const auto o = static_cast<std::size_t>(op);
    if (!skipped.holds[o])
        return bad("level " + skipped.name + " does not hold this operand anyway");
    setHeld(skipped, o, false);
    return Unit{};
}

Status limitAxis(Architecture& architecture, const std::string& text)
{
    const auto bad = [&](const std::string& why) { return optionError("--axis", text, why); };
    const std::size_t sign = text.find_last_of('=');
    if (sign == std::string::npos)
        return bad("expected LEVEL.AXIS=LOOP,LOOP");
    std::string_view name = std::string_view(text).substr(0, sign);
    const auto level = takeName(name, architecture.levels);
    if (!level)
        return bad("names no level; " + levelsText(architecture));
    std::vector<Axis>& axes = architecture.levels[*level].axes;
    const auto axis = std::ranges::find(axes, name, &Axis::name);
    if (axis == axes.end())
        return bad("level " + architecture.levels[*level].name +
                   (axes.empty() ? " has no axes" : " has no such axis, but " + namesOf(axes)));
    unsigned conv = 0, gemm = 0;
    for (const std::string_view loop : partsOf(std::string_view(text).substr(sign + 1))) {
        const auto ofConv = std::ranges::find(mapping::kConvLoops, loop);
        const auto ofGemm = std::ranges::find(mapping::kGemmLoops, loop);
        if (ofConv != mapping::kConvLoops.end())
            conv |= 1u << (ofConv - mapping::kConvLoops.begin());
        else if (ofGemm != mapping::kGemmLoops.end())
            gemm |= 1u << (ofGemm - mapping::kGemmLoops.begin());
        else if (!loop.empty())
            return bad("unknown loop \"" + std::string(loop.substr(0, 20)) + "\"");
    }
    axis->convLoops &= conv;
    axis->gemmLoops &= gemm;
    return Unit{};
}

void putInOrder(const Constraints& constraints, Mapping& mapping)
{
    for (std::size_t i = 0; i < mapping.levels.size(); ++i)
        std::ranges::stable_sort(mapping.levels[i].temporal, {}, [&](const TiledLoop& tiled) {
            return placeIn(constraints.order(i), tiled.loop);
        });
}

} // namespace tilewright::hierarchy
