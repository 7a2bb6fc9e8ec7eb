// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "rules/rules.h"
#include "workload/problem.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace tilewright {

/// What a subgraph asks for of a tensor (docs/rules/bound.md 4).
struct Asked
{
    enum Cut : std::uint8_t { Tile, Step, Whole }; ///< into tiles; into ranges of a reduction; not
    enum Role : std::uint8_t { Pointwise, Left, Right };
    struct Request
    {
        Role role;
        Cut rows, cols;
        std::int64_t gridW = 0, gridH = 0; ///< of the largest sink whose steps ask for ranges
        std::int64_t depth = 0;            ///< largest reduction of these sinks; by tiles: that is complete
        [[nodiscard]] bool isSame(const Request& r) const
        {
            return role == r.role && rows == r.rows && cols == r.cols;
        }
        [[nodiscard]] bool isTile() const { return rows == Tile && cols == Tile; }
        bool operator==(const Request&) const = default;
    };

    std::vector<Request> requests;       ///< in order of role, rows, columns
    std::uint32_t readers = 0;           ///< by consumer of the tensor, where an op makes it
    std::int64_t leastW = 0, leastH = 0; ///< of the tiles, where the op that makes it runs, too (R4.7)
    bool never = false;                  ///< a reader keeps that op out (R4.7)

    /// What epilogues ask for, if they do.
    [[nodiscard]] const Request* tile() const
    {
        const auto it = std::ranges::find_if(requests, &Request::isTile);
        return it == requests.end() ? nullptr : &*it;
    }
    void add(const Request& request);
    bool operator==(const Asked&) const = default;
};

/// What happens at one op: what runs, what comes from outside, what that achieves.
struct FrontierSituation
{
    struct Load
    {
        TensorId tensor;
        std::uint32_t asked; ///< FrontierGraph::asked()
        bool resident;       ///< it is in fast memory before the subgraph
    };
    bool runs = false;
    std::uint32_t asked = 0; ///< of the op's result
    bool sink = false;       ///< nothing of the subgraph reads it
    std::int64_t depth = 0;  ///< of a sink: the largest reduction of its drivers
    bool written = false;    ///< to slow memory
    bool kept = false;       ///< in fast memory after it
    std::vector<Load> loads;
    std::vector<std::pair<std::size_t, double>> achieved; ///< rows of the prices, amounts
};

/// The rows of prices that sets of some ops achieve (docs/rules/bound.md 1).
class PricedRows
{
public:
    virtual ~PricedRows() = default;
    [[nodiscard]] virtual std::size_t runs(OpId o) const = 0;
    [[nodiscard]] virtual std::optional<std::size_t> written(TensorId t) const = 0;
    [[nodiscard]] virtual std::optional<std::size_t> handed(TensorId t) const = 0;
    /// None where another op makes it.
    [[nodiscard]] virtual std::optional<std::size_t> reaches(TensorId t, OpId reader) const = 0;
    [[nodiscard]] virtual bool mayStay(TensorId t) const = 0;
    /// Whether it is one of the ops.
    [[nodiscard]] virtual bool covers(OpId o) const = 0;
};

/// All sets of some ops at once: what reads comes before what it reads, and of the ops so far it is only kept
/// what they ask for of tensors that later ops make or read. A path from the first state to the last one is a
/// set with a choice of what is written and kept; sets whose parts touch no common tensor are among them.
class FrontierGraph
{
public:
    using State = std::uint32_t;
    static constexpr State kBefore = 0; ///< no op runs yet
    static constexpr State kBehind = 1; ///< no further one does
    struct Arc
    {
        std::uint32_t situation;
        State to;
    };
    struct Layer
    {
        OpId op;
        std::vector<FrontierSituation> situations;
        std::vector<std::uint32_t> first; ///< by state: its arcs; one more
        std::vector<Arc> arcs;
    };

    struct Limits
    {
        std::size_t arcs;     ///< at most
        std::size_t toldArcs; ///< of the sinks' depths it is told where these are enough
        std::function<double()> secondsLeft = [] { return 1.0; };
    };
    /// Nothing when it has more arcs, or the time is up. The ops: a component (componentsOf()).
    [[nodiscard]] static std::optional<FrontierGraph> build(const Problem& problem, const Rules& rules,
                                                            const std::vector<OpId>& ops,
                                                            const PricedRows& rows, const Limits& limits);

    [[nodiscard]] const std::vector<Layer>& layers() const noexcept { return m_layers; }
    [[nodiscard]] const Asked& asked(std::uint32_t i) const { return m_asked[i]; }
    [[nodiscard]] std::size_t arcs() const noexcept { return m_arcs; }
    /// Whether depths are those of the sinks; else they are the largest that there may be.
    [[nodiscard]] bool tellsDepths() const noexcept { return m_tellsDepths; }

private:
    friend class FrontierBuilder;
    std::vector<Layer> m_layers;
    std::vector<Asked> m_asked;
    std::size_t m_arcs = 0;
    bool m_tellsDepths = true;
};

} // namespace tilewright
