// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "eval/request_kinds.h"
#include "rules/rules.h"
#include "solve/cost_model.h"
#include "solve/pieces.h"
#include "solve/set_frontier.h"
#include "workload/problem.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace tilewright {

/// How much of which row of a cover something achieves.
struct Achieved
{
    std::size_t row;
    double amount;
};

/// The columns of the cover (docs/rules/bound.md): op sets of one piece, once for every choice of what stays
/// in fast memory or crosses between pieces, with what they cost at least and what they achieve.
class CoverColumns : public PricedRows
{
public:
    using OpBits = std::uint64_t;
    /// What is decided of the choices that a set has, in their order; what is not is free, takes no room and
    /// counts as achieved either way.
    struct Decisions
    {
        std::uint32_t made = 0; ///< bit by choice
        std::uint32_t yes = 0;
    };
    struct Column
    {
        std::uint32_t piece;
        OpBits ops; ///< of the piece
        Decisions decisions;
        bool whole = true;          ///< the subgraph; else what one that reaches over pieces has here
        std::uint32_t retained = 0; ///< graph outputs that others write (docs/rules/bound.md 1)
        bool decided = false;       ///< all that can be
        bool sharp = false;         ///< CostModel::leastByDepth() is in the latency
        std::vector<TensorId> stayIn, stayOut; ///< of subgraph(): in fast memory before it and behind it
        CostModel::AnyOrder least;
        std::vector<Achieved> achieves;
    };

    /// `sharing`: a load that several pieces may need is shared between them. As many threads may call at
    /// once.
    CoverColumns(const Problem& problem, const Rules& rules, const std::vector<Piece>& pieces, bool sharing,
                 std::size_t threads);

    /// The columns of a set of which nothing is decided; none where nothing fits. Nothing when the cost is
    /// not known.
    [[nodiscard]] std::optional<std::vector<Column>> columnsOf(std::uint32_t piece, OpBits mask,
                                                               std::size_t thread);
    /// The columns that one is when one thing more is decided: first where it is so, then where it is not.
    /// None for what cannot be.
    [[nodiscard]] std::array<std::optional<Column>, 2> split(const Column& column, std::size_t thread);

    /// A whole subgraph of a piece that stands alone, with what is in fast memory before and behind it; its
    /// latency is infinite where that does not fit. Nothing when the cost is not known.
    [[nodiscard]] std::optional<Column> subgraph(std::uint32_t piece, OpBits ops,
                                                 const std::vector<TensorId>& stayIn,
                                                 const std::vector<TensorId>& stayOut, std::size_t thread);
    /// Raises the latency of a column of subgraph(): for some times the work.
    void sharpen(Column& column, std::size_t thread);

    [[nodiscard]] double cost(const Column& column, std::size_t weight) const
    {
        return column.whole ? column.least.latency : column.least.weighted[weight];
    }
    [[nodiscard]] std::vector<OpId> opsOf(std::uint32_t piece, OpBits mask) const;
    /// By row: how much of it has to be achieved, and the op whose price it is.
    [[nodiscard]] const std::vector<double>& demands() const noexcept { return m_demands; }
    [[nodiscard]] const std::vector<OpId>& opOfRow() const noexcept { return m_rowOp; }
    /// Rows up to this one are the same whatever the pieces are.
    [[nodiscard]] std::size_t ownRows() const noexcept { return m_ownRows; }
    [[nodiscard]] std::size_t runs(OpId o) const override { return m_runs[o.index()]; }
    [[nodiscard]] std::optional<std::size_t> written(TensorId t) const override
    {
        return m_written[t.index()];
    }
    [[nodiscard]] std::optional<std::size_t> handed(TensorId t) const override { return m_handed[t.index()]; }
    [[nodiscard]] std::size_t reaches(TensorId t, OpId reader) const override;
    [[nodiscard]] bool mayStay(TensorId t) const override;

private:
    using Row = std::size_t;
    /// What a set touches that is not simply loaded and written.
    struct Edges
    {
        std::vector<TensorId> maybeWhole;      ///< that another piece may ask for as a whole
        std::vector<TensorId> maybeMet;        ///< of which another piece may ask for slices otherwise
        std::vector<TensorId> elsewhere;       ///< loaded on another piece's account
        std::vector<TensorId> shared;          ///< loaded for several pieces at once
        std::vector<TensorId> stayIn, stayOut; ///< may be in fast memory before or after it
        std::vector<TensorId> madeIn;          ///< may be made by another piece in the same subgraph
        std::vector<TensorId> fusedOut;        ///< sinks that another piece may read in the same subgraph
    };
    enum class Way : std::uint8_t { StayIn, StayOut, MadeIn, FusedOut };
    struct Choice
    {
        TensorId tensor;
        Way way;
    };
    /// What a column has decided; of the rest everything is free.
    struct Decided
    {
        std::vector<TensorId> stayIn, stayOut, madeIn, fusedOut;        ///< so
        std::vector<TensorId> notStayIn, notStayOut, notMade, notFused; ///< not so
    };

    void addRows();
    [[nodiscard]] bool mayFuse(TensorId t, OpId consumer) const
    {
        return m_problem.producer(t) && !isFusionForbidden(m_problem, m_rules, t, consumer);
    }
    [[nodiscard]] bool isTiled(OpId o) const
    {
        return m_spatial[o.index()].rows && m_spatial[o.index()].cols;
    }
    [[nodiscard]] bool maybeAskedOtherwise(TensorId t, std::uint32_t piece) const;
    [[nodiscard]] bool reachesBeyond(const std::vector<OpId>& ops, std::uint32_t piece) const;
    [[nodiscard]] Edges edgesOf(const std::vector<OpId>& ops, std::uint32_t piece, bool whole) const;
    [[nodiscard]] std::vector<Choice> choicesOf(const Edges& edges, std::uint32_t piece, bool whole) const;
    [[nodiscard]] static Decided decidedOf(const std::vector<Choice>& choices, const Decisions& decisions);
    [[nodiscard]] bool isPossible(const Decided& decided) const;
    [[nodiscard]] std::vector<TensorId> openSinks(const std::vector<OpId>& ops, const Edges& edges,
                                                  const Decided& decided) const;
    [[nodiscard]] std::optional<CostModel::AnyOrder> leastOf(const std::vector<OpId>& ops, const Edges& edges,
                                                             const Decided& decided, bool whole,
                                                             CostModel& model) const;
    [[nodiscard]] std::vector<Achieved> achievedBy(std::uint32_t piece, const std::vector<OpId>& ops,
                                                   const Edges& edges, const Decided& decided,
                                                   bool whole) const;
    [[nodiscard]] std::vector<TensorId> retainable(const std::vector<OpId>& ops) const;
    [[nodiscard]] Column retaining(Column column, const std::vector<OpId>& ops, std::uint32_t retained) const;

    const Problem& m_problem;
    const Rules& m_rules;
    const std::vector<Piece>& m_pieces;
    bool m_sharing;
    std::vector<CostModel> m_models; ///< by thread
    bool m_keepsInputs;
    std::vector<std::uint32_t> m_pieceOf; ///< by op
    std::vector<SpatialAxes> m_spatial;

    std::vector<double> m_demands;
    std::vector<OpId> m_rowOp;
    std::size_t m_ownRows = 0;
    std::vector<Row> m_runs;
    std::vector<std::optional<Row>> m_written, m_handed;
    std::unordered_map<std::uint64_t, Row> m_reaches; ///< by tensor and reader
    /// By tensor: with whom it is made is run what reads it; by tensor and piece: what reads it, with what
    /// makes it.
    std::vector<std::optional<Row>> m_fused;
    std::unordered_map<std::uint64_t, Row> m_made;
    std::vector<std::uint32_t> m_readingPieces; ///< by tensor
};

} // namespace tilewright
