// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "eval/request_kinds.h"
#include "rules/rules.h"
#include "solve/cost_model.h"
#include "solve/cover_prices.h"
#include "solve/pieces.h"
#include "workload/problem.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace tilewright {

/// The columns of the cover (docs/rules/bound.md): op sets of one piece, once for every choice of what stays
/// in fast memory or crosses between pieces, with what they cost at least and what they achieve.
class CoverColumns
{
public:
    using OpBits = std::uint64_t;
    struct Column
    {
        std::uint32_t piece;
        OpBits ops; ///< of the piece
        CostModel::AnyOrder least;
        std::vector<Achieved> achieves;
    };

    /// `sharing`: a load that several pieces may need is shared between them.
    CoverColumns(const Problem& problem, const Rules& rules, const std::vector<Piece>& pieces, bool sharing);

    /// False when the cost of some column is not known.
    [[nodiscard]] bool addSet(std::uint32_t piece, OpBits mask);

    [[nodiscard]] const std::vector<Column>& columns() const noexcept { return m_columns; }
    [[nodiscard]] double cost(const Column& column, std::size_t weight) const
    {
        return m_pieces[column.piece].alone ? column.least.latency : column.least.weighted[weight];
    }
    [[nodiscard]] std::vector<OpId> opsOf(std::uint32_t piece, OpBits mask) const;
    /// By row: how much of it has to be achieved, and the op whose price it is.
    [[nodiscard]] const std::vector<double>& demands() const noexcept { return m_demands; }
    [[nodiscard]] const std::vector<OpId>& opOfRow() const noexcept { return m_rowOp; }

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
    [[nodiscard]] bool mayStay(TensorId t) const;
    [[nodiscard]] bool mayFuse(TensorId t, OpId consumer) const
    {
        return m_problem.producer(t) && !isFusionForbidden(m_problem, m_rules, t, consumer);
    }
    [[nodiscard]] bool isTiled(OpId o) const
    {
        return m_spatial[o.index()].rows && m_spatial[o.index()].cols;
    }
    [[nodiscard]] bool maybeAskedOtherwise(TensorId t, std::uint32_t piece) const;
    [[nodiscard]] Edges edgesOf(const std::vector<OpId>& ops, const Piece& piece) const;
    [[nodiscard]] std::vector<Choice> choicesOf(std::size_t ops, const Edges& edges,
                                                const Piece& piece) const;
    [[nodiscard]] std::vector<TensorId> openSinks(const std::vector<OpId>& ops, const Edges& edges,
                                                  const Decided& decided) const;
    [[nodiscard]] std::optional<CostModel::AnyOrder> leastOf(const std::vector<OpId>& ops, const Edges& edges,
                                                             const Decided& decided);
    void addColumn(std::uint32_t piece, OpBits mask, const std::vector<OpId>& ops, const Edges& edges,
                   const Decided& decided, const CostModel::AnyOrder& least);
    void addRetained(const Column& column, const std::vector<OpId>& ops);

    const Problem& m_problem;
    const Rules& m_rules;
    const std::vector<Piece>& m_pieces;
    bool m_sharing;
    CostModel m_model;
    bool m_keepsInputs;
    std::vector<std::uint32_t> m_pieceOf; ///< by op
    std::vector<SpatialAxes> m_spatial;
    std::vector<Column> m_columns;

    std::vector<double> m_demands;
    std::vector<OpId> m_rowOp;
    std::vector<Row> m_runs;
    std::vector<std::optional<Row>> m_written, m_handed;
    std::unordered_map<std::uint64_t, Row> m_reaches; ///< by tensor and reader
    /// By tensor: with whom it is made is run what reads it; by tensor and piece: what reads it, with what
    /// makes it.
    std::vector<std::optional<Row>> m_fused;
    std::unordered_map<std::uint64_t, Row> m_made;
};

} // namespace tilewright
