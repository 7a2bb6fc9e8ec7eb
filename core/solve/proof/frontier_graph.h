// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/hash.h"
#include "solve/proof/dual_pricer.h"
#include "workload/problem.h"
#include "workload/rules.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace tilewright {

/// How the ops of a subgraph read one tensor, i.e. which parts of it their steps request (docs/rules/bound.md
/// 4).
struct TensorDemand
{
    /// A request covers an axis by tiles, by ranges of a reduction, or as a whole.
    enum Cut : std::uint8_t { Tile, Step, Whole };
    enum Role : std::uint8_t { Pointwise, Left, Right };
    struct Request
    {
        Role role;
        Cut rows, cols;
        std::int64_t gridW = 0, gridH = 0; ///< size of the largest sink whose steps make the request
        /// Largest reduction of the sinks whose steps make the request; for a tile, the reduction whose
        /// completing step requests it.
        std::int64_t depth = 0;
        [[nodiscard]] bool isSame(const Request& r) const
        {
            return role == r.role && rows == r.rows && cols == r.cols;
        }
        [[nodiscard]] bool isTile() const { return rows == Tile && cols == Tile; }
        bool operator==(const Request&) const = default;
    };

    std::vector<Request> requests; ///< ordered by role, rows, columns
    std::uint32_t readers = 0;     ///< bit mask of the consumers that run; 0 if no op produces the tensor
    /// Minimum tile size if the producer runs in the same subgraph (R4.7).
    std::int64_t leastW = 0, leastH = 0;
    bool forbidsProducer = false; ///< true if a reader forbids the producer in the same subgraph (R4.7)

    /// Returns the request for tiles, which epilogues make; null if there is none.
    [[nodiscard]] const Request* tile() const
    {
        const auto it = std::ranges::find_if(requests, &Request::isTile);
        return it == requests.end() ? nullptr : &*it;
    }
    void add(const Request& request);
    /// Adds all members except `readers` to a digest.
    void addTo(Digest& digest) const;
    bool operator==(const TensorDemand&) const = default;
};

/// A choice for one op: whether the op runs, which tensors are loaded for it, and the coefficients of this
/// choice in the rows of the master problem.
struct FrontierChoice
{
    struct Load
    {
        TensorId tensor;
        std::uint32_t demand; ///< index for FrontierGraph::demand()
        bool resident;        ///< true if the tensor is in fast memory, so it is not loaded
    };
    bool runs = false;
    std::uint32_t demand = 0; ///< how the subgraph reads the op's result: index for FrontierGraph::demand()
    bool sink = false;        ///< true if no op of the subgraph reads the result
    std::int64_t depth = 0;   ///< for a sink: largest reduction of its drivers
    bool written = false;     ///< true if the result is written to slow memory
    bool retained = false;    ///< true if the result is retained in fast memory
    std::vector<Load> loads;
    /// Coefficients in the master problem, as pairs of row and amount.
    std::vector<std::pair<std::size_t, double>> achieved;
};

/// Represents all op sets of a component as paths of one layered graph, so that a pricing problem need not
/// list them. Each layer decides one op; readers precede producers. A state stores only the demands for open
/// tensors, i.e. those that later ops produce or read, and their connected components. A path from the first
/// to the last state is an op set with its resident and retained tensors. Some of these op sets are not
/// connected by a common tensor.
class FrontierGraph
{
public:
    using State = std::uint32_t;
    static constexpr State kBefore = 0; ///< state before the first op that runs
    static constexpr State kAfter = 1;  ///< state after the last op that runs
    struct Arc
    {
        std::uint32_t choice;
        State to;
    };
    struct Layer
    {
        OpId op;
        std::vector<FrontierChoice> choices;
        std::vector<std::uint32_t> first; ///< index of the first arc of each state, and the number of arcs
        std::vector<Arc> arcs;
    };

    struct Limits
    {
        std::size_t arcs;               ///< maximum number of arcs
        std::size_t arcsWithExactDepth; ///< maximum number of arcs for a graph with exact depths of sinks
        std::function<double()> secondsLeft = [] { return 1.0; };
    };
    /// Builds the graph of a component (componentsOf()). Returns nothing if it has too many arcs or the time
    /// is up.
    [[nodiscard]] static std::optional<FrontierGraph> build(const Problem& problem, const Rules& rules,
                                                            const std::vector<OpId>& ops,
                                                            const MasterRows& rows, const Limits& limits);

    [[nodiscard]] const std::vector<Layer>& layers() const noexcept { return m_layers; }
    [[nodiscard]] const TensorDemand& demand(std::uint32_t i) const { return m_demands[i]; }
    [[nodiscard]] std::size_t arcs() const noexcept { return m_arcs; }
    /// True if the depths of sinks are exact; otherwise they are the largest possible ones.
    [[nodiscard]] bool hasExactDepths() const noexcept { return m_hasExactDepths; }

private:
    friend class FrontierBuilder;
    std::vector<Layer> m_layers;
    std::vector<TensorDemand> m_demands;
    std::size_t m_arcs = 0;
    bool m_hasExactDepths = true;
};

} // namespace tilewright
