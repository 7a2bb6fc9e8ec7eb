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

/// Terms of the dynamic score of one candidate node (docs/rules/npu.md 5.4).
struct Candidate
{
    std::uint32_t node = 0;
    double cp = 0;
    double intensity = 0; ///< compute cycles per byte that is still to be loaded; infinite if no byte is
    /// Cycles: bytes queued on the DRAM channels of its inputs / bandwidth of these channels.
    double stall = 0;
    bool memoryBound = false;
};

/// Index of the candidate with the highest score; on a tie, that with the smallest node id. Each term is
/// normalised over all candidates. `terms` gets the normalised terms of the chosen candidate.
[[nodiscard]] std::size_t bestCandidate(const std::vector<Candidate>& candidates, const Weights& weights,
                                        bool memoryBoundFirst, ChoiceScore* terms = nullptr);

/// The units of the dynamic scheduler that are ready to run. Units whose first nodes have equal score terms
/// are grouped, so that the cost of a choice depends on the number of groups, not on the number of units.
class ReadySet
{
public:
    ReadySet(const NpuGraph& graph, const NpuHardware& hardware, const std::vector<Cycle>& cp,
             const RunOptions& options);

    void add(std::uint32_t unit);
    void remove(std::uint32_t unit);
    [[nodiscard]] bool contains(std::uint32_t unit) const { return m_isReady[unit]; }
    [[nodiscard]] std::size_t size() const noexcept { return m_size; }

    /// Chooses the unit to run next on `core`; kNone if there is no candidate. `early` are units that wait
    /// only for a node of this core. Under head_parallel, units of heads of other cores are not candidates.
    /// `terms` gets the score terms of the chosen unit.
    [[nodiscard]] std::uint32_t choose(int core, const Spm& spm, const Dram& dram,
                                       const std::vector<std::uint32_t>& early, ChoiceScore& terms) const;
    /// The only core that may run the unit; -1 if any core may.
    [[nodiscard]] int onlyCore(std::uint32_t unit) const;

private:
    struct Kind
    {
        Cycle cp = 0, compute = 0;
        std::int64_t bytes = 0;
        std::uint64_t channels = 0; ///< mask of the DRAM channels that its inputs use, without the hot tile
        std::uint32_t hot = kNone;  ///< hot tile among its inputs, see kHotReaders; kNone if it has none
        int core = -1;              ///< head_parallel: the only core that may run it; -1 = any
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
    /// Per tile: mask of its DRAM channels, computed on first use; 0 = not computed.
    mutable std::vector<std::uint64_t> m_tileChannels;
    std::vector<std::uint32_t> m_hot; ///< per unit: its hot tile, or kNone
    Adjacency m_firstReaders;         ///< tile -> units whose first node reads it as a non-hot tile
    std::vector<bool> m_isReady;
    std::size_t m_size = 0;
    std::map<Kind, std::set<std::uint32_t>> m_kinds; ///< ready units, grouped by the kind of their first node
};

} // namespace tilewright::npu
