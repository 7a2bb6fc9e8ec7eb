// SPDX-License-Identifier: GPL-3.0-or-later
#include "mapping/edits.h"

#include <cctype>

namespace tilewright::mapping {

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
        line(access(kWritten) + " += " + access(0) + " * " + access(1) + ";");
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

    /// Product of the factors of a loop: its trip count, or more with imperfect factors.
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
            if (reach(loop) > trip) // the last tile is smaller
                line("if (" + name + " >= " + std::to_string(trip) + ") continue;");
        }
    }

    [[nodiscard]] std::string access(int op) const
    {
        const Operand& operand = m_nest.operands[static_cast<std::size_t>(op)];
        std::string out(operand.name);
        for (int i = 0; i < operand.dimensionCount; ++i) {
            const Dimension& d = operand.dimensions[static_cast<std::size_t>(i)];
            const std::string base = lower(m_nest.loopNames[static_cast<std::size_t>(d.loop)]);
            out += "[" + base;
            if (d.filterLoop >= 0)
                out += (d.stride > 1 ? " * " + std::to_string(d.stride) : "") + " + " +
                       lower(m_nest.loopNames[static_cast<std::size_t>(d.filterLoop)]) +
                       (d.dilation > 1 ? " * " + std::to_string(d.dilation) : "");
            out += "]";
        }
        return out;
    }

    const LoopNest& m_nest;
    const Method& m_method;
    std::string m_out;
    int m_depth = 0;
};

} // namespace

std::string pseudoCode(const LoopNest& nest, const Method& method)
{
    return Writer(nest, method).run();
}

} // namespace tilewright::mapping
