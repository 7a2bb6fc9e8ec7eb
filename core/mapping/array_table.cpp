// SPDX-License-Identifier: GPL-3.0-or-later
#include "mapping/array_table.h"

#include <cmath>
#include <limits>
#include <thread>

namespace tilewright::mapping {

namespace {

/// The four numbers that decide between splits of the same array extents.
struct Candidate
{
    std::int64_t comp;
    std::int64_t red;
    std::int64_t sent0;
    std::int64_t sent1;
    Lattice::Index spatial;

    [[nodiscard]] bool beats(const Candidate& o) const noexcept
    {
        return comp <= o.comp && red <= o.red && sent0 <= o.sent0 && sent1 <= o.sent1;
    }
};

class Splitter
{
public:
    Splitter(const Lattice& lattice, const Architecture& architecture, const Reductions& reductions)
        : m_lattice(lattice), m_architecture(architecture), m_reductions(reductions),
          m_rfLimit(architecture.rfElements()),
          m_minPes(static_cast<std::int64_t>(
              std::ceil(reductions.minPeUse * static_cast<double>(architecture.pes)))),
          m_minRf(static_cast<std::int64_t>(std::ceil(reductions.minRfUse * static_cast<double>(m_rfLimit))))
    {
    }

    /// Fills `front` with the splits worth keeping; returns how many fit.
    std::int64_t run(Lattice::Index extents)
    {
        front.clear();
        m_extents = extents;
        m_feasible = 0;
        for (std::size_t i = 0; i < kOperands; ++i)
            m_array[i] = m_lattice.elements[i][extents];
        descend(m_lattice.axes().size(), 0, 0);
        return m_feasible;
    }

    [[nodiscard]] ArrayTerms terms(const Candidate& c) const
    {
        const EnergyTable& pj = m_architecture.energyPj;
        const std::array<std::int64_t, kOperands> sent{c.sent0, c.sent1, m_array[2]};
        ArrayTerms out;
        out.comp = c.comp;
        out.red = c.red;
        out.noc = m_array;
        for (std::size_t i = 0; i < kOperands; ++i)
            out.transferPj[i] =
                static_cast<double>(sent[i]) * pj.noc + static_cast<double>(m_array[i]) * pj.spm;
        out.reductionPj = static_cast<double>(c.red) * (3 * pj.rf + pj.noc + pj.mac);
        return out;
    }

    std::vector<Candidate> front;

private:
    [[nodiscard]] std::int64_t rfElements(Lattice::Index rf) const noexcept
    {
        return m_lattice.elements[0][rf] + m_lattice.elements[1][rf] + m_lattice.elements[2][rf];
    }

    /// Axes from `axis` on are decided: `spatial` and `rf` are their parts of the extents.
    void descend(std::size_t axis, Lattice::Index spatial, Lattice::Index rf)
    {
        if (axis == 0) {
            leaf(spatial, rf);
            return;
        }
        const Lattice::Axis& a = m_lattice.axes()[axis - 1];
        const int exponent = m_lattice.exponent(m_extents, a);
        for (int e = 0; e <= exponent; ++e) {
            const Lattice::Index s = spatial + a.stride * static_cast<Lattice::Index>(e);
            const Lattice::Index r = rf + a.stride * static_cast<Lattice::Index>(exponent - e);
            if (m_lattice.product[s] > m_architecture.pes)
                break;
            if (rfElements(r) <= m_rfLimit)
                descend(axis - 1, s, r);
        }
    }

    void leaf(Lattice::Index spatial, Lattice::Index rf)
    {
        const std::int64_t pes = m_lattice.product[spatial];
        const std::int64_t reduced = m_lattice.freeProduct[kWritten][spatial];
        if (pes < m_minPes || rfElements(rf) < m_minRf || (m_reductions.noSpatialReduction && reduced > 1))
            return;
        ++m_feasible;
        const Candidate c{m_lattice.product[rf], m_array[kWritten] * (reduced - 1),
                          m_lattice.elements[0][rf] * pes, m_lattice.elements[1][rf] * pes, spatial};
        for (const Candidate& other : front)
            if (other.beats(c))
                return;
        std::erase_if(front, [&](const Candidate& other) { return c.beats(other); });
        front.push_back(c);
    }

    const Lattice& m_lattice;
    const Architecture& m_architecture;
    const Reductions& m_reductions;
    std::int64_t m_rfLimit;
    std::int64_t m_minPes;
    std::int64_t m_minRf;
    Lattice::Index m_extents = 0;
    std::array<std::int64_t, kOperands> m_array{};
    std::int64_t m_feasible = 0;
};

ArrayTerms idealOf(const std::vector<Split>& splits, std::size_t from)
{
    ArrayTerms out = splits[from].terms;
    for (std::size_t i = from + 1; i < splits.size(); ++i) {
        const ArrayTerms& t = splits[i].terms;
        out.comp = std::min(out.comp, t.comp);
        out.red = std::min(out.red, t.red);
        out.reductionPj = std::min(out.reductionPj, t.reductionPj);
        for (std::size_t op = 0; op < kOperands; ++op)
            out.transferPj[op] = std::min(out.transferPj[op], t.transferPj[op]);
    }
    return out;
}

} // namespace

ArrayTable::ArrayTable(const Lattice& lattice, const Architecture& architecture, const Reductions& reductions,
                       int threads, const std::function<bool()>& cancelled)
    : m_begin(lattice.size(), nullptr), m_count(lattice.size(), 0), m_feasible(lattice.size(), 0),
      m_idealIndex(lattice.size(), 0)
{
    constexpr std::size_t kBlock = 256;
    const std::size_t blocks = (lattice.size() + kBlock - 1) / kBlock;
    m_storage.resize(blocks);
    std::atomic<std::size_t> next{0};
    std::atomic<bool> stopped{false};
    const auto work = [&] {
        Splitter splitter(lattice, architecture, reductions);
        for (std::size_t b = next++; b < blocks && !stopped; b = next++) {
            if (cancelled())
                stopped = true;
            std::vector<Split>& out = m_storage[b];
            const std::size_t end = std::min(lattice.size(), (b + 1) * kBlock);
            for (std::size_t i = b * kBlock; i < end; ++i) {
                m_feasible[i] = splitter.run(static_cast<Lattice::Index>(i));
                m_count[i] = static_cast<std::uint32_t>(splitter.front.size());
                // Fewer cycles first: the search finds good methods sooner.
                std::sort(
                    splitter.front.begin(), splitter.front.end(),
                    [](const Candidate& x, const Candidate& y) { return x.comp + x.red < y.comp + y.red; });
                for (const Candidate& c : splitter.front)
                    out.push_back({splitter.terms(c), c.spatial});
            }
        }
    };
    {
        std::vector<std::jthread> helpers;
        for (int t = 1; t < threads; ++t)
            helpers.emplace_back(work);
        work();
    }
    m_complete = !stopped;
    if (!m_complete)
        return;
    for (std::size_t b = 0; b < blocks; ++b) {
        std::vector<Split>& splits = m_storage[b];
        std::size_t at = 0;
        const std::size_t end = std::min(lattice.size(), (b + 1) * kBlock);
        for (std::size_t i = b * kBlock; i < end; ++i) {
            if (m_count[i] == 0)
                continue;
            m_begin[i] = splits.data() + at;
            const std::vector<Split> own(splits.begin() + static_cast<std::ptrdiff_t>(at),
                                         splits.begin() + static_cast<std::ptrdiff_t>(at + m_count[i]));
            m_idealIndex[i] = static_cast<std::uint32_t>(m_ideals.size());
            m_ideals.push_back(idealOf(own, 0));
            at += m_count[i];
        }
        m_splits += at;
    }
}

} // namespace tilewright::mapping
