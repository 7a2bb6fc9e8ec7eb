// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "npu/dram.h"
#include "npu/run.h"
#include "npu/spm.h"

#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <vector>

namespace tilewright::npu {

/// What the dynamic score looks at in one candidate (docs/rules/npu.md 5.4).
struct Candidate
{
    std::uint32_t node = 0;
    double cp = 0;
    double intensity = 0; ///< compute cycles / bytes still to be moved; infinite without bytes
    double stall = 0;     ///< queued bytes on its channels / their rate
    bool memoryBound = false;
};

/// Index of the candidate to run: highest score, ties by node id; all candidates share one normalisation.
[[nodiscard]] std::size_t bestCandidate(const std::vector<Candidate>& candidates, const Weights& weights,
                                        bool memoryBoundFirst);

/// The ready units of the dynamic scheduler. Units whose first nodes look the same to the score are kept
/// together, so that a choice costs the number of kinds, not of units.
class ReadySet
{
public:
    ReadySet(const NpuGraph& graph, const NpuHardware& hardware, const std::vector<Cycle>& cp,
             const RunOptions& options);

    void add(std::uint32_t unit);
    void remove(std::uint32_t unit);
    [[nodiscard]] bool contains(std::uint32_t unit) const { return m_isReady[unit]; }
    [[nodiscard]] std::size_t size() const noexcept { return m_size; }

    /// The unit to run next on `core`, kNone without a candidate. `early` are units that wait only for a node
    /// of this core. Under head_parallel units of other cores' heads are no candidates.
    [[nodiscard]] std::uint32_t choose(int core, const Spm& spm, const Dram& dram,
                                       const std::vector<std::uint32_t>& early) const;
    /// The only core that may run the unit, -1 for any.
    [[nodiscard]] int onlyCore(std::uint32_t unit) const;

private:
    struct Kind
    {
        Cycle cp = 0, compute = 0;
        std::int64_t bytes = 0;
        std::uint64_t channels = 0; ///< bit per channel of its inputs, without the hot tile
        std::uint32_t hot = kNone;  ///< the input that very many ready units share
        int core = -1;              ///< head_parallel: the only core that may run it
        auto operator<=>(const Kind&) const = default;
    };
    [[nodiscard]] Kind kindOf(std::uint32_t unit) const;
    [[nodiscard]] Candidate candidate(std::uint32_t unit, const Spm& spm, const Dram& dram) const;
    [[nodiscard]] double stallOf(std::uint64_t channels, const Dram& dram) const;
    [[nodiscard]] std::uint64_t channelsOf(std::uint32_t tile) const;

    const NpuGraph& m_graph;
    const NpuHardware& m_hw;
    const std::vector<Cycle>& m_cp;
    RunOptions m_options;
    mutable std::vector<std::uint64_t> m_tileChannels; ///< computed when first asked, 0 = not yet
    std::vector<std::uint32_t> m_hot;                  ///< per unit: its hot tile or kNone
    Adjacency m_firstReaders; ///< tile -> units whose first node reads it, but for their hot tile
    std::vector<bool> m_isReady;
    std::size_t m_size = 0;
    std::map<Kind, std::set<std::uint32_t>> m_kinds; ///< first nodes of the units
};

} // namespace tilewright::npu
