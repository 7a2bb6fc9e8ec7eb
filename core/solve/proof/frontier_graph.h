// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/digest.h"
#include "rules/rules.h"
#include "solve/proof/master_rows.h"
#include "workload/problem.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace tilewright {

/// How the ops of a subgraph read one tensor: which parts of it their steps request (docs/rules/bound.md 4).
struct TensorDemand
{
    enum Cut : std::uint8_t { Tile, Step, Whole }; ///< an axis is cut by tiles, by ranges of a reduction, not
    enum Role : std::uint8_t { Pointwise, Left, Right };
    struct Request
    {
        Role role;
        Cut rows, cols;
        std::int64_t gridW = 0, gridH = 0; ///< size of the largest sink whose steps request ranges
        std::int64_t depth = 0; ///< largest reduction of these sinks; of tiles: the step that completes it
        [[nodiscard]] bool isSame(const Request& r) const
        {
            return role == r.role && rows == r.rows && cols == r.cols;
        }
        [[nodiscard]] bool isTile() const { return rows == Tile && cols == Tile; }
        bool operator==(const Request&) const = default;
    };

    std::vector<Request> requests;       ///< in order of role, rows, columns
    std::uint32_t readers = 0;           ///< bit set of the tensor's consumers that run, if an op produces it
    std::int64_t leastW = 0, leastH = 0; ///< smallest tiles with which the producer may run, too (R4.7)
    bool never = false;                  ///< a reader forbids that the producer runs, too (R4.7)

    /// The request of epilogues, if there is one.
    [[nodiscard]] const Request* tile() const
    {
        const auto it = std::ranges::find_if(requests, &Request::isTile);
        return it == requests.end() ? nullptr : &*it;
    }
    void add(const Request& request);
    /// Adds all but the readers.
    void addTo(Digest& digest) const;
    bool operator==(const TensorDemand&) const = default;
};

/// One choice at one op: whether it runs, which tensors are loaded there, and the rows that this achieves.
struct FrontierSituation
{
    struct Load
    {
        TensorId tensor;
        std::uint32_t demand; ///< number for FrontierGraph::demand()
        bool resident;        ///< found in fast memory, so not loaded
    };
    bool runs = false;
    std::uint32_t demand = 0; ///< how the op's result is read in the subgraph
    bool sink = false;        ///< nothing in the subgraph reads the result
    std::int64_t depth = 0;   ///< of a sink: the largest reduction of its drivers
    bool written = false;     ///< the result, to slow memory
    bool retained = false;    ///< the result, in fast memory
    std::vector<Load> loads;
    std::vector<std::pair<std::size_t, double>> achieved; ///< rows of the master problem, amounts
};

/// All op sets of a component as paths of one graph, so that a pricing problem need not list them. Ops are
/// decided one by one, readers before what they read. A state holds only how the tensors are read that later
/// ops produce or read, and which of these belong to one connected part. A path from the first state to the
/// last is an op set with a choice of resident and retained tensors. Op sets that are not connected by a
/// common tensor are among them.
class FrontierGraph
{
public:
    using State = std::uint32_t;
    static constexpr State kBefore = 0; ///< no op runs yet
    static constexpr State kAfter = 1;  ///< no further op runs
    struct Arc
    {
        std::uint32_t situation;
        State to;
    };
    struct Layer
    {
        OpId op;
        std::vector<FrontierSituation> situations;
        std::vector<std::uint32_t> first; ///< by state: its first arc; one more entry
        std::vector<Arc> arcs;
    };

    struct Limits
    {
        std::size_t arcs;               ///< at most
        std::size_t arcsWithExactDepth; ///< up to so many the situations tell the depths of sinks exactly
        std::function<double()> secondsLeft = [] { return 1.0; };
    };
    /// The graph of a component (componentsOf()). Nothing when it has too many arcs, or the time is up.
    [[nodiscard]] static std::optional<FrontierGraph> build(const Problem& problem, const Rules& rules,
                                                            const std::vector<OpId>& ops,
                                                            const MasterRows& rows, const Limits& limits);

    [[nodiscard]] const std::vector<Layer>& layers() const noexcept { return m_layers; }
    [[nodiscard]] const TensorDemand& demand(std::uint32_t i) const { return m_demands[i]; }
    [[nodiscard]] std::size_t arcs() const noexcept { return m_arcs; }
    /// Whether the depths of sinks are exact; else they are the largest possible ones.
    [[nodiscard]] bool hasExactDepths() const noexcept { return m_hasExactDepths; }

private:
    friend class FrontierBuilder;
    std::vector<Layer> m_layers;
    std::vector<TensorDemand> m_demands;
    std::size_t m_arcs = 0;
    bool m_hasExactDepths = true;
};

} // namespace tilewright
