// SPDX-License-Identifier: GPL-3.0-or-later
#include "hierarchy/edits.h"

#include "base/integer.h"
#include "hierarchy/imperfect.h"
#include "mapping/edits.h"

#include <algorithm>
#include <numeric>

namespace tilewright::hierarchy {

namespace {

Error refused(std::string message)
{
    return {ErrorCode::Refused, std::move(message), {}, {}};
}

/// Position of a place among all places, from the outermost inwards. The spatial loops of a level lie inside
/// its temporal ones.
std::size_t depthOf(const Place& place)
{
    return 2 * place.level + (place.axis ? 1 : 0);
}

std::vector<TiledLoop>& editableLoopsAt(Mapping& mapping, const Place& place)
{
    LevelLoops& level = mapping.levels[place.level];
    if (!place.axis)
        return level.temporal;
    const auto at = std::ranges::find(level.spatial, *place.axis, &AxisLoops::axis);
    return at != level.spatial.end() ? at->loops
                                     : level.spatial.emplace_back(AxisLoops{*place.axis, {}}).loops;
}

/// Removes loops of factor 1 and axes without loops.
void tidy(Mapping& mapping)
{
    const auto isOne = [](const TiledLoop& tiled) { return tiled.factor == 1; };
    for (LevelLoops& level : mapping.levels) {
        std::erase_if(level.temporal, isOne);
        for (AxisLoops& axis : level.spatial)
            std::erase_if(axis.loops, isOne);
        std::erase_if(level.spatial, [](const AxisLoops& axis) { return axis.loops.empty(); });
    }
}

} // namespace

std::vector<Place> placesOf(const Architecture& architecture, const Mapping& mapping)
{
    std::vector<Place> out;
    for (std::size_t i = 0; i < architecture.levels.size(); ++i) {
        out.push_back({i, std::nullopt});
        for (const Axis& axis : architecture.levels[i].axes)
            out.push_back({i, axis.name});
        for (const AxisLoops& used : mapping.levels[i].spatial)
            if (std::ranges::find(architecture.levels[i].axes, used.axis, &Axis::name) ==
                architecture.levels[i].axes.end())
                out.push_back({i, used.axis});
    }
    return out;
}

const std::vector<TiledLoop>& loopsAt(const Mapping& mapping, const Place& place) noexcept
{
    static const std::vector<TiledLoop> kNone;
    const LevelLoops& level = mapping.levels[place.level];
    if (!place.axis)
        return level.temporal;
    const auto at = std::ranges::find(level.spatial, *place.axis, &AxisLoops::axis);
    return at != level.spatial.end() ? at->loops : kNone;
}

std::int64_t factorAt(const Mapping& mapping, const Place& place, int loop) noexcept
{
    std::int64_t out = 1;
    for (const TiledLoop& tiled : loopsAt(mapping, place))
        if (tiled.loop == loop)
            out = saturatingMul(out, tiled.factor);
    return out;
}

std::optional<FactorLimit> limitAt(const Architecture& architecture, const Place& place, int loop)
{
    FactorLimit out;
    out.level = place.level;
    out.loop = loop;
    if (!place.axis)
        return out;
    const std::vector<Axis>& axes = architecture.levels[place.level].axes;
    const auto axis = std::ranges::find(axes, *place.axis, &Axis::name);
    if (axis == axes.end())
        return std::nullopt;
    out.axis = static_cast<int>(axis - axes.begin());
    return out;
}

std::string placeName(const Architecture& architecture, const Place& place)
{
    const std::string& level = architecture.levels[place.level].name;
    return place.axis ? *place.axis + " of " + level : level;
}

Result<Mapping> moveFactor(const LoopNest& nest, const Architecture& architecture, const Mapping& mapping,
                           const Place& from, std::size_t index, std::int64_t factor, const Place& to)
{
    const std::vector<TiledLoop>& source = loopsAt(mapping, from);
    if (index >= source.size())
        return refused("there is no such loop at " + placeName(architecture, from));
    const TiledLoop moved = source[index];
    if (Status s = mapping::checkMove(nest, moved.loop, moved.factor, placeName(architecture, from), factor);
        !s)
        return s.error();
    if (from == to)
        return mapping;
    Mapping out = mapping;
    editableLoopsAt(out, from)[index].factor /= factor;
    std::vector<TiledLoop>& target = editableLoopsAt(out, to);
    const bool inwards = depthOf(to) > depthOf(from);
    const auto isSame = [&](const TiledLoop& tiled) { return tiled.loop == moved.loop; };
    auto same = std::ranges::find_if(target, isSame);
    if (same != target.end() && !inwards) // the innermost loop
        same = std::find_if(target.rbegin(), target.rend(), isSame).base() - 1;
    if (same != target.end())
        same->factor = saturatingMul(same->factor, factor);
    else
        target.insert(inwards ? target.begin() : target.end(), TiledLoop{moved.loop, factor});
    tidy(out);
    return architecture.imperfect ? tightened(nest, architecture, out) : out;
}

Result<Mapping> reorderLoop(const Architecture& architecture, const Mapping& mapping, std::size_t level,
                            std::size_t from, std::size_t to)
{
    Mapping out = mapping;
    std::vector<TiledLoop>& loops = out.levels[level].temporal;
    if (from >= loops.size() || to >= loops.size())
        return refused("there is no such loop or position at " + architecture.levels[level].name);
    mapping::moveElement(loops.begin() + static_cast<std::ptrdiff_t>(from),
                         loops.begin() + static_cast<std::ptrdiff_t>(to));
    return out;
}

Mapping refitMapping(const LoopNest& nest, const Mapping& mapping)
{
    Mapping out = mapping;
    Factors rest = nest.trips;
    const auto keep = [&](TiledLoop& tiled) {
        std::int64_t& left = rest[static_cast<std::size_t>(tiled.loop)];
        tiled.factor = std::gcd(left, tiled.factor);
        left /= tiled.factor;
    };
    for (std::size_t i = out.levels.size(); i-- > 0;) {
        for (AxisLoops& axis : out.levels[i].spatial)
            for (TiledLoop& tiled : axis.loops)
                keep(tiled);
        for (std::size_t t = out.levels[i].temporal.size(); t-- > 0;)
            keep(out.levels[i].temporal[t]);
    }
    std::vector<TiledLoop>& outermost = out.levels.front().temporal;
    for (int l = nest.loopCount; l-- > 0;) {
        const std::int64_t left = rest[static_cast<std::size_t>(l)];
        const auto same = std::ranges::find(outermost, l, &TiledLoop::loop);
        if (left > 1 && same != outermost.end())
            same->factor *= left;
        else if (left > 1)
            outermost.insert(outermost.begin(), TiledLoop{l, left});
    }
    tidy(out);
    return out;
}

int reusedAlong(const LoopNest& nest, const Architecture& architecture, const Mapping& mapping,
                std::size_t level, std::size_t index)
{
    const std::vector<TiledLoop>& loops = mapping.levels[level].temporal;
    if (loops[index].factor == 1)
        return -1;
    for (std::size_t op = 0; op < kOperands; ++op) {
        const unsigned indexMask = nest.operands[op].indexMask;
        const auto changesIt = [&](const TiledLoop& tiled) {
            return tiled.factor > 1 && (indexMask >> tiled.loop & 1u) != 0;
        };
        if (level >= architecture.innermostHolder(op) ||
            std::any_of(loops.begin() + static_cast<std::ptrdiff_t>(index), loops.end(), changesIt))
            continue;
        std::size_t holder = level + 1;
        bool changes = false;
        for (; !architecture.levels[holder].holds[op]; ++holder)
            changes = changes || std::ranges::any_of(mapping.levels[holder].temporal, changesIt);
        if (!changes)
            return static_cast<int>(op);
    }
    return -1;
}

namespace {

/// A loop of the full nest, with the name of its variable in the text.
struct CodeLoop
{
    TiledLoop tiled;
    std::string variable;
};

class CodeWriter
{
public:
    CodeWriter(const LoopNest& nest, const Architecture& architecture, const Mapping& mapping)
        : m_nest(nest), m_architecture(architecture), m_mapping(mapping)
    {
    }

    std::string run()
    {
        for (std::size_t i = 0; i < m_mapping.levels.size(); ++i) {
            if (i > 0)
                exchange(i);
            for (const TiledLoop& tiled : m_mapping.levels[i].temporal)
                open(tiled, i, "for (", "_L", m_architecture.levels[i].name);
            for (const AxisLoops& axis : m_mapping.levels[i].spatial)
                for (const TiledLoop& tiled : axis.loops)
                    open(tiled, i, "parallel_for (", "_S",
                         axis.axis + " of " + m_architecture.levels[i].name);
        }
        for (int l = 0; l < m_nest.loopCount; ++l)
            indexLines(l);
        line(mapping::multiplicationText(m_nest));
        for (; m_depth > 0; line("}"))
            --m_depth;
        return std::move(m_out);
    }

private:
    void line(const std::string& text) { m_out.append(2 * m_depth, ' ').append(text).append("\n"); }

    /// Writes the exchange of the tiles that come into a level and leave it.
    void exchange(std::size_t level)
    {
        std::string names;
        for (std::size_t op = 0; op < kOperands; ++op)
            if (m_architecture.levels[level].holds[op])
                names.append(names.empty() ? "" : ", ").append(m_nest.operands[op].name);
        if (!names.empty())
            line("exchange(" + names + ");  // tiles of " + m_architecture.levels[level].name);
    }

    void open(const TiledLoop& tiled, std::size_t level, const char* keyword, const char* kind,
              const std::string& where)
    {
        if (tiled.factor == 1)
            return;
        // In names of variables the outermost level has the highest number, as in the nest of four levels.
        std::string v = mapping::loopVariable(m_nest, tiled.loop);
        v.append(kind).append(std::to_string(m_mapping.levels.size() - 1 - level));
        while (std::ranges::find(m_loops, v, &CodeLoop::variable) != m_loops.end())
            v += "b"; // for a second loop of this name in the level
        std::string head = keyword;
        head.append(v).append(" = 0; ").append(v).append(" < ").append(std::to_string(tiled.factor));
        line(head.append("; ++").append(v).append(") {  // ").append(where));
        ++m_depth;
        m_loops.push_back({tiled, std::move(v)});
    }

    void indexLines(int loop)
    {
        const std::string name = mapping::loopVariable(m_nest, loop);
        line(name + " = " + index(loop) + ";");
        std::int64_t reach = 1;
        for (const CodeLoop& one : m_loops)
            if (one.tiled.loop == loop)
                reach = saturatingMul(reach, one.tiled.factor);
        const std::int64_t trips = m_nest.trips[static_cast<std::size_t>(loop)];
        if (reach > trips) // an imperfect loop: its last tile is smaller
            line("if (" + name + " >= " + std::to_string(trips) + ") continue;");
    }

    /// Index expression of a loop: the sum of its variables times their step sizes, outermost first.
    [[nodiscard]] std::string index(int loop) const
    {
        std::int64_t step = 1;
        for (const CodeLoop& one : m_loops)
            if (one.tiled.loop == loop)
                step = saturatingMul(step, one.tiled.factor);
        std::string out;
        for (const CodeLoop& one : m_loops) {
            if (one.tiled.loop != loop)
                continue;
            step /= one.tiled.factor;
            out.append(out.empty() ? "" : " + ").append(one.variable);
            if (step > 1)
                out.append(" * ").append(std::to_string(step));
        }
        return out.empty() ? "0" : out;
    }

    const LoopNest& m_nest;
    const Architecture& m_architecture;
    const Mapping& m_mapping;
    std::vector<CodeLoop> m_loops;
    std::string m_out;
    std::size_t m_depth = 0;
};

} // namespace

std::string pseudoCode(const LoopNest& nest, const Architecture& architecture, const Mapping& mapping)
{
    return CodeWriter(nest, architecture, mapping).run();
}

} // namespace tilewright::hierarchy
