// SPDX-License-Identifier: GPL-3.0-or-later
// Methods as text: as dMazeRunner prints them, and as pseudo code.
#include "base/integer.h"
#include "mapping/edits.h"
#include "mapping/files.h"

#include <cctype>
#include <charconv>
#include <vector>

namespace tilewright::mapping {

namespace {

/// Texts of the innermost brackets, which contain no other bracket.
std::vector<std::string_view> innermostGroups(std::string_view text)
{
    std::vector<std::string_view> out;
    std::size_t open = std::string_view::npos;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '(' || text[i] == '[') {
            open = i + 1;
        } else if (text[i] == ')' || text[i] == ']') {
            if (open != std::string_view::npos)
                out.push_back(text.substr(open, i - open));
            open = std::string_view::npos;
        }
    }
    return out;
}

/// Comma-separated words without blanks and quotes. A trailing comma adds no word.
std::vector<std::string_view> words(std::string_view group)
{
    std::vector<std::string_view> out;
    while (!group.empty()) {
        const std::size_t comma = std::min(group.find(','), group.size());
        std::string_view word = group.substr(0, comma);
        constexpr std::string_view trim = " \t\r\n'\"";
        const std::size_t from = word.find_first_not_of(trim);
        word = from == std::string_view::npos ? std::string_view{}
                                              : word.substr(from, word.find_last_not_of(trim) - from + 1);
        group.remove_prefix(std::min(comma + 1, group.size()));
        if (!word.empty() || !group.empty())
            out.push_back(word);
    }
    return out;
}

bool isInteger(std::string_view word)
{
    if (!word.empty() && word.front() == '-')
        word.remove_prefix(1);
    return !word.empty() && word.find_first_not_of("0123456789") == std::string_view::npos;
}

} // namespace

Result<Method> parsePrintedMethod(std::string_view text, const std::string& file, const LoopNest& nest)
{
    const auto bad = [&](std::string message) {
        return Error{ErrorCode::Field, std::move(message), {}, file};
    };
    const auto loops = static_cast<std::size_t>(nest.loopCount);
    Method out = trivialMethod(nest);
    std::size_t levels = 0;
    std::size_t orders = 0;
    for (const std::string_view group : innermostGroups(text)) {
        const std::vector<std::string_view> items = words(group);
        if (items.empty())
            continue;
        if (isInteger(items.front())) {
            if (items.size() != loops)
                return bad("tiling group " + std::to_string(levels + 1) + " has " +
                           std::to_string(items.size()) + " factors, this layer has " +
                           std::to_string(loops) + " loops");
            if (levels == kLevels)
                return bad("more than four groups of tiling factors (DRAM, SPM, RF, SPATIAL)");
            for (std::size_t l = 0; l < loops; ++l) {
                std::int64_t value = 0;
                const auto [end, code] =
                    std::from_chars(items[l].data(), items[l].data() + items[l].size(), value);
                if (code != std::errc{} || end != items[l].data() + items[l].size() || value < 1 ||
                    value > kMaxDimension)
                    return bad("tiling group " + std::to_string(levels + 1) +
                               ": expected a factor from 1 to 2^31, got " +
                               std::string(items[l].substr(0, 40)));
                out.tiling[levels][l] = value;
            }
            ++levels;
        } else if (nest.loopByName(items.front()) >= 0) {
            if (orders == 2)
                return bad("more than two loop orders (DRAM, SPM)");
            LoopOrder& order = orders == 0 ? out.dramOrder : out.spmOrder;
            unsigned seen = 0;
            if (items.size() != loops)
                return bad("loop order " + std::to_string(orders + 1) + " names " +
                           std::to_string(items.size()) + " loops, this layer has " + std::to_string(loops));
            for (std::size_t i = 0; i < loops; ++i) {
                const int loop = nest.loopByName(items[i]);
                if (loop < 0 || (seen >> loop & 1u) != 0)
                    return bad("loop order " + std::to_string(orders + 1) + ": " +
                               (loop < 0 ? "unknown loop " : "loop named twice: ") +
                               std::string(items[i].substr(0, 40)));
                seen |= 1u << loop;
                order[i] = loop;
            }
            ++orders;
        }
    }
    if (levels != kLevels)
        return bad("expected four groups of tiling factors (DRAM, SPM, RF, SPATIAL), found " +
                   std::to_string(levels));
    if (orders != 2)
        return bad("expected two loop orders (DRAM, SPM), found " + std::to_string(orders));
    return out;
}

std::string printMethod(const LoopNest& nest, const Method& method)
{
    const auto loops = static_cast<std::size_t>(nest.loopCount);
    std::string out = "(";
    for (std::size_t level = 0; level < kLevels; ++level) {
        out += level == 0 ? "(" : ", (";
        for (std::size_t l = 0; l < loops; ++l)
            out += (l == 0 ? "" : ", ") + std::to_string(method.tiling[level][l]);
        out += ")";
    }
    out += ")\n(";
    for (const LoopOrder* order : {&method.dramOrder, &method.spmOrder}) {
        out += order == &method.dramOrder ? "[" : ", [";
        for (std::size_t i = 0; i < loops; ++i)
            out += (i == 0 ? "'" : ", '") +
                   std::string(nest.loopNames[static_cast<std::size_t>((*order)[i])]) + "'";
        out += "]";
    }
    return out + ")\n";
}

namespace {

std::string lower(std::string_view name)
{
    std::string out;
    for (const char c : name)
        out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return out;
}

class Writer
{
public:
    Writer(const LoopNest& nest, const Method& method) : m_nest(nest), m_method(method) {}

    std::string run()
    {
        constexpr LoopOrder natural{0, 1, 2, 3, 4, 5, 6};
        loops(Level::Dram, m_method.dramOrder);
        line("dma();  // one tile DRAM <-> SPM");
        loops(Level::Spm, m_method.spmOrder);
        line("access_spm_communicate_noc();  // SPM <-> register files");
        loops(Level::Rf, natural);
        loops(Level::Spatial, natural);
        indices();
        line(multiplicationText(m_nest));
        while (m_depth > 0) {
            --m_depth;
            line("}");
        }
        return std::move(m_out);
    }

private:
    void line(const std::string& text)
    {
        m_out += std::string(static_cast<std::size_t>(2 * m_depth), ' ') + text + "\n";
    }

    [[nodiscard]] std::string variable(int loop, Level level) const
    {
        constexpr std::array<const char*, kLevels> suffix{"_L3", "_L2", "_L1", "_S"};
        return lower(m_nest.loopNames[static_cast<std::size_t>(loop)]) +
               suffix[static_cast<std::size_t>(level)];
    }

    void loops(Level level, const LoopOrder& order)
    {
        for (int i = 0; i < m_nest.loopCount; ++i) {
            const int loop = order[static_cast<std::size_t>(i)];
            const std::int64_t factor = m_method.at(level)[static_cast<std::size_t>(loop)];
            if (factor == 1)
                continue;
            const std::string v = variable(loop, level);
            std::string head = level == Level::Spatial ? "parallel_for (" : "for (";
            head.append(v).append(" = 0; ").append(v).append(" < ").append(std::to_string(factor));
            line(head.append("; ++").append(v).append(") {  // ").append(levelName(level)));
            ++m_depth;
        }
    }

    /// Product of the factors of a loop over all levels: its trip count, or more with imperfect factors.
    [[nodiscard]] std::int64_t reach(int loop) const
    {
        std::int64_t out = 1;
        for (const Factors& factors : m_method.tiling)
            out *= factors[static_cast<std::size_t>(loop)];
        return out;
    }

    /// Index expression of a loop: the sum of its level indices times their step sizes, outermost first.
    [[nodiscard]] std::string index(int loop) const
    {
        std::string out;
        std::int64_t step = reach(loop);
        for (std::size_t level = 0; level < kLevels; ++level) {
            const std::int64_t factor = m_method.tiling[level][static_cast<std::size_t>(loop)];
            step /= factor;
            if (factor == 1)
                continue;
            out += (out.empty() ? "" : " + ") + variable(loop, static_cast<Level>(level)) +
                   (step > 1 ? " * " + std::to_string(step) : "");
        }
        return out.empty() ? "0" : out;
    }

    void indices()
    {
        for (int loop = 0; loop < m_nest.loopCount; ++loop) {
            const std::string name = lower(m_nest.loopNames[static_cast<std::size_t>(loop)]);
            line(name + " = " + index(loop) + ";");
            const std::int64_t trip = m_nest.trips[static_cast<std::size_t>(loop)];
            if (reach(loop) > trip) // an imperfect loop: its last tile is smaller
                line("if (" + name + " >= " + std::to_string(trip) + ") continue;");
        }
    }

    const LoopNest& m_nest;
    const Method& m_method;
    std::string m_out;
    int m_depth = 0;
};

} // namespace

std::string loopVariable(const LoopNest& nest, int loop)
{
    return lower(nest.loopNames[static_cast<std::size_t>(loop)]);
}

std::string multiplicationText(const LoopNest& nest)
{
    const auto access = [&](std::size_t op) {
        const Operand& operand = nest.operands[op];
        std::string out(operand.name);
        for (int i = 0; i < operand.dimensionCount; ++i) {
            const Dimension& d = operand.dimensions[static_cast<std::size_t>(i)];
            const auto add = [&](int loop, std::int64_t times) {
                out += loopVariable(nest, loop);
                if (times > 1)
                    out.append(" * ").append(std::to_string(times));
            };
            out += "[";
            add(d.loop, d.filterLoop >= 0 ? d.stride : 1);
            if (d.filterLoop >= 0) {
                out += " + ";
                add(d.filterLoop, d.dilation);
            }
            out += "]";
        }
        return out;
    };
    return access(kWritten) + " += " + access(0) + " * " + access(1) + ";";
}

std::string pseudoCode(const LoopNest& nest, const Method& method)
{
    return Writer(nest, method).run();
}

} // namespace tilewright::mapping
