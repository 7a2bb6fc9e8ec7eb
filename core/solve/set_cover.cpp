// SPDX-License-Identifier: GPL-3.0-or-later
// docs/rules/bound.md has the argument. In short: the ops fall into pieces that are small enough to list
// every connected set in them. A subgraph that reaches over several pieces costs at least what its parts cost
// that lie in one piece each, when tensors that cross between pieces are free on both sides and all parts
// weigh compute against memory alike. So prices that hold for every set of every piece hold for every
// subgraph.
#include "solve/set_cover.h"

#include "eval/lower_bound.h"
#include "eval/request_kinds.h"
#include "solve/cost_model.h"
#include "solve/cover_prices.h"
#include "solve/pieces.h"

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <limits>
#include <optional>
#include <unordered_map>

namespace tilewright {

namespace {

using OpBits = std::uint64_t;

double wallClock()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

enum class Look : std::uint8_t { TooMany, Cut, Whole };

class SetCover
{
public:
    /// `sharing`: a load that several pieces may need is shared between them.
    SetCover(const Problem& problem, const Rules& rules, const SetCoverLimits& limits,
             const PieceSizes& sizes, bool sharing)
        : m_sharing(sharing), m_problem(problem), m_rules(rules), m_limits(limits), m_model(problem, rules),
          m_keepsInputs(rules.retainInputs == Rules::RetainInputs::Allow),
          m_until(wallClock() + limits.seconds), m_pieces(cutIntoPieces(problem, rules, sizes)),
          m_pieceOf(problem.opCount(), 0), m_spatial(spatialAxes(problem, rules))
    {
        for (std::uint32_t i = 0; i < m_pieces.size(); ++i)
            for (const OpId o : m_pieces[i].ops)
                m_pieceOf[o.index()] = i;
    }
    SetCoverBound run();
    /// No subgraph reaches over several pieces, so that cutting finer is of no use.
    [[nodiscard]] bool isWhole() const { return std::ranges::all_of(m_pieces, &Piece::alone); }

private:
    using Row = std::size_t;
    struct Column
    {
        std::uint32_t piece;
        OpBits ops;
        CostModel::AnyOrder least;
        std::vector<Achieved> achieves;
    };
    /// What a set touches that is not simply loaded and written.
    struct Edges
    {
        std::vector<TensorId> maybeWhole;      ///< that another piece may ask for as a whole
        std::vector<TensorId> elsewhere;       ///< loaded on another piece's account: free
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

    [[nodiscard]] bool outOfTime() const
    {
        return wallClock() > m_until || (m_limits.keepGoing && !m_limits.keepGoing());
    }
    [[nodiscard]] bool mayStay(TensorId t) const
    {
        const bool room = m_problem.tensor(t).elements() + (m_keepsInputs || m_rules.donation ? 0 : 1) <=
                          m_problem.hardware().fastMemoryCapacity;
        return room && !m_problem.isView(t) && (m_problem.producer(t) || m_keepsInputs);
    }
    [[nodiscard]] bool isSharedLoad(TensorId t, std::uint32_t piece) const;
    [[nodiscard]] Edges edgesOf(const std::vector<OpId>& ops, const Piece& piece) const;
    [[nodiscard]] bool addSet(std::uint32_t piece, OpBits mask);
    [[nodiscard]] std::vector<Choice> choicesOf(const Edges& edges, const Piece& piece) const;
    void addColumn(std::uint32_t piece, OpBits mask, const std::vector<OpId>& ops, const Edges& edges,
                   const Decided& decided);
    [[nodiscard]] CostModel::AnyOrder leastOf(const std::vector<OpId>& ops, const Edges& edges,
                                              const Decided& decided);
    [[nodiscard]] bool mayFuse(TensorId t, OpId consumer) const
    {
        return m_problem.producer(t) && !isFusionForbidden(m_problem, m_rules, t, consumer);
    }
    void addRows();
    [[nodiscard]] double cost(const Column& column, std::size_t weight) const
    {
        return m_pieces[column.piece].alone ? column.least.latency : column.least.weighted[weight];
    }
    [[nodiscard]] SetCoverBound price(std::size_t weight);

    bool m_sharing;
    const Problem& m_problem;
    const Rules& m_rules;
    const SetCoverLimits& m_limits;
    CostModel m_model;
    bool m_keepsInputs;
    double m_until;
    std::vector<Piece> m_pieces;
    std::vector<std::uint32_t> m_pieceOf;
    std::vector<Column> m_columns;
    std::size_t m_sets = 0;
    bool m_unknown = false; ///< some set's cost is not known
    // rows: the right-hand sides, then where to find them
    std::vector<double> m_rows;
    std::vector<OpId> m_rowOp; ///< whose price it is
    std::vector<Row> m_runs;
    std::vector<std::optional<Row>> m_written, m_handed;
    std::unordered_map<std::uint64_t, Row> m_reaches; ///< by tensor and reader

    /// By tensor: with whom it is made is run what reads it; by tensor and piece: what reads it, with what
    /// makes it.
    std::vector<std::optional<Row>> m_fused;
    std::unordered_map<std::uint64_t, Row> m_made;
    std::vector<SpatialAxes> m_spatial;

    static std::uint64_t key(TensorId t, std::uint32_t piece) { return std::uint64_t{t.value} << 32 | piece; }
    static std::uint64_t key(TensorId t, OpId reader) { return std::uint64_t{t.value} << 32 | reader.value; }
};

/// Whether ops of other pieces read t as well, and none of all its readers can get it from inside.
bool SetCover::isSharedLoad(TensorId t, std::uint32_t piece) const
{
    const auto consumers = m_problem.consumers(t);
    return std::ranges::any_of(consumers, [&](OpId c) { return m_pieceOf[c.index()] != piece; }) &&
           (!m_problem.producer(t) || std::ranges::all_of(consumers, [&](OpId c) {
               return isFusionForbidden(m_problem, m_rules, t, c);
           }));
}

SetCover::Edges SetCover::edgesOf(const std::vector<OpId>& ops, const Piece& piece) const
{
    const std::uint32_t here = m_pieceOf[piece.ops[0].index()];
    const auto isElsewhere = [&](OpId o) { return m_pieceOf[o.index()] != here; };
    const Boundary boundary = boundaryOf(m_problem, ops);
    Edges out;
    for (const TensorId t : boundary.inputs) {
        const auto producer = m_problem.producer(t);
        const auto consumers = m_problem.consumers(t);
        if (producer && isElsewhere(*producer) && std::ranges::any_of(ops, [&](OpId c) {
                return std::ranges::find(consumers, c) != consumers.end() && mayFuse(t, c);
            }))
            out.madeIn.push_back(t);
        if (mayStay(t))
            out.stayIn.push_back(t);
        if (m_problem.tensor(t).elements() <= m_problem.hardware().fastMemoryCapacity &&
            std::ranges::any_of(consumers, isElsewhere))
            out.maybeWhole.push_back(t);
        if (!piece.alone && isElsewhere(consumers[0]))
            out.elsewhere.push_back(t);
        if (m_sharing && !piece.alone && !mayStay(t) && isSharedLoad(t, here))
            out.shared.push_back(t);
    }
    for (const auto* list : {&boundary.sinks, &boundary.interior})
        for (const TensorId t : *list) {
            const auto consumers = m_problem.consumers(t);
            if (list == &boundary.sinks &&
                std::ranges::any_of(consumers, [&](OpId c) { return isElsewhere(c) && mayFuse(t, c); }))
                out.fusedOut.push_back(t);
            if (!consumers.empty() && mayStay(t))
                out.stayOut.push_back(t);
        }
    return out;
}

void SetCover::addRows()
{
    const auto add = [&](OpId o, double atLeast) {
        m_rows.push_back(atLeast);
        m_rowOp.push_back(o);
        return m_rows.size() - 1;
    };
    m_written.resize(m_problem.tensorCount());
    m_handed.resize(m_problem.tensorCount());
    m_fused.resize(m_problem.tensorCount());
    for (std::size_t i = 0; i < m_problem.opCount(); ++i) {
        const OpId o(i);
        m_runs.push_back(add(o, 1));
        const TensorId t = m_problem.op(o).output;
        if (m_problem.isGraphOutput(t) || !m_problem.viewsOf(t).empty())
            m_written[t.index()] = add(o, 1);
        for (const OpId c : m_problem.consumers(t))
            m_reaches.emplace(key(t, c), add(o, 1));
        if (mayStay(t) && !m_keepsInputs && !m_problem.consumers(t).empty())
            m_handed[t.index()] = add(o, 0);
        for (const OpId c : m_problem.consumers(t)) {
            const std::uint32_t there = m_pieceOf[c.index()];
            if (there == m_pieceOf[i] || !mayFuse(t, c) || m_made.contains(key(t, there)))
                continue;
            m_made.emplace(key(t, there), add(o, 0));
            if (!m_fused[t.index()])
                m_fused[t.index()] = add(o, 0);
        }
    }
}

/// What the ops cost at least, wherever what is not decided lies.
CostModel::AnyOrder SetCover::leastOf(const std::vector<OpId>& ops, const Edges& edges,
                                      const Decided& decided)
{
    const auto has = [](const std::vector<TensorId>& list, TensorId t) {
        return std::ranges::find(list, t) != list.end();
    };
    std::vector<TensorId> free;
    const auto add = [&](const std::vector<TensorId>& list, const auto& unless) {
        for (const TensorId t : list)
            if (!unless(t) && !has(free, t))
                free.push_back(t);
    };
    const auto staysIn = [&](TensorId t) { return has(decided.stayIn, t); };
    const auto staysOut = [&](TensorId t) { return has(decided.stayOut, t); };
    add(edges.madeIn, [&](TensorId t) { return has(decided.notMade, t) || staysIn(t); });
    add(edges.stayIn, [&](TensorId t) { return has(decided.notStayIn, t) || staysIn(t); });
    add(edges.elsewhere, [&](TensorId t) { return staysIn(t) || has(edges.shared, t); });
    add(edges.fusedOut, [&](TensorId t) { return has(decided.notFused, t) || staysOut(t); });
    add(edges.stayOut, [&](TensorId t) { return has(decided.notStayOut, t) || staysOut(t); });
    CostModel::Memory memory{decided.stayIn, decided.stayOut, free, edges.shared, edges.maybeWhole};
    if (m_rules.prologue == Rules::Prologue::Always)
        for (const TensorId t : decided.madeIn)
            for (const OpId c : ops) {
                const Op& op = m_problem.op(c);
                if (op.type != OpType::MatMul ||
                    m_problem.op(*m_problem.producer(t)).type != OpType::Pointwise)
                    continue;
                const std::int64_t least = m_problem.reductionSize(c); // R4.7
                memory.leastW = std::max(memory.leastW, op.inputs[0] == t ? least : 1);
                memory.leastH = std::max(memory.leastH, op.inputs[1] == t ? least : 1);
            }
    if (!m_model.compile(ops, memory)) {
        m_unknown = true; // too many kinds of steps for the model; no practical subgraph has
        return {};
    }
    CostModel::AnyOrder least = m_model.leastOfAnyOrder();
    // Behind such a cut the ops may be asked for in any way, and each piece of data at least once.
    const bool mayServe = std::ranges::any_of(ops, [&](OpId o) {
        const TensorId t = m_problem.op(o).output;
        return m_fused[t.index()] && !has(decided.notFused, t) &&
               (!m_spatial[o.index()].rows || !m_spatial[o.index()].cols);
    });
    if (!mayServe)
        return least;
    double compute = 0;
    for (const OpId o : ops)
        compute += leastTime(m_problem, m_rules, o, m_spatial[o.index()]);
    const double memoryTime =
        m_model.leastTraffic() / static_cast<double>(m_problem.hardware().slowMemoryBandwidth);
    least.latency = std::min(least.latency, std::max(compute, memoryTime));
    for (std::size_t i = 0; i < CostModel::kWeights; ++i) {
        const double weight = static_cast<double>(i) / static_cast<double>(CostModel::kWeights - 1);
        least.weighted[i] = std::min(least.weighted[i], weight * compute + (1 - weight) * memoryTime);
    }
    return least;
}

void SetCover::addColumn(std::uint32_t piece, OpBits mask, const std::vector<OpId>& ops, const Edges& edges,
                         const Decided& decided)
{
    const CostModel::AnyOrder least = leastOf(ops, edges, decided);
    if (least.latency == std::numeric_limits<double>::infinity())
        return;
    Column column{piece, mask, least, {}};
    const auto has = [](const std::vector<TensorId>& list, TensorId t) {
        return std::ranges::find(list, t) != list.end();
    };
    const auto isInside = [&](OpId o) { return std::ranges::find(ops, o) != ops.end(); };
    const auto achieves = [&](Row row, double amount) { column.achieves.push_back({row, amount}); };
    for (const OpId o : ops) {
        achieves(m_runs[o.index()], 1);
        const TensorId t = m_problem.op(o).output;
        const auto consumers = m_problem.consumers(t);
        const bool sink = std::ranges::none_of(consumers, isInside);
        const bool kept = has(decided.stayOut, t) || (has(edges.stayOut, t) && !has(decided.notStayOut, t));
        // Retained it is not written (R3.3), nor where it is read inside.
        const bool exposed =
            (sink && !has(decided.stayOut, t) && !has(decided.fusedOut, t)) || (kept && m_keepsInputs);
        if (exposed && m_written[t.index()])
            achieves(*m_written[t.index()], 1);
        for (const OpId c : consumers)
            if (exposed || isInside(c))
                achieves(m_reaches.at(key(t, c)), 1);
        if (kept && m_handed[t.index()])
            achieves(*m_handed[t.index()], 1);
        if (m_fused[t.index()] && !has(decided.notFused, t)) {
            if (has(decided.fusedOut, t))
                achieves(*m_fused[t.index()], -1);
            std::vector<std::uint32_t> pieces;
            for (const OpId c : consumers)
                if (const std::uint32_t there = m_pieceOf[c.index()];
                    there != piece && mayFuse(t, c) && std::ranges::find(pieces, there) == pieces.end()) {
                    pieces.push_back(there);
                    achieves(m_made.at(key(t, there)), 1);
                }
        }
        std::vector<TensorId> inputs(m_problem.op(o).inputs);
        std::ranges::sort(inputs);
        inputs.erase(std::unique(inputs.begin(), inputs.end()), inputs.end());
        for (const TensorId input : inputs) {
            const auto producer = m_problem.producer(input);
            if (!producer || isInside(*producer))
                continue;
            const bool made = has(edges.madeIn, input) && !has(decided.notMade, input) && mayFuse(input, o);
            const bool stays =
                has(decided.stayIn, input) || (has(edges.stayIn, input) && !has(decided.notStayIn, input));
            if (made || stays)
                achieves(m_reaches.at(key(input, o)), 1);
        }
    }
    for (const TensorId t : edges.madeIn)
        if (!has(decided.notMade, t)) {
            achieves(*m_fused[t.index()], 1);
            if (has(decided.madeIn, t))
                achieves(m_made.at(key(t, piece)), -1);
        }
    for (const TensorId t : decided.stayIn)
        if (m_handed[t.index()])
            achieves(*m_handed[t.index()], -1);
    m_columns.push_back(std::move(column));
}

bool SetCover::addSet(std::uint32_t piece, OpBits mask)
{
    if (++m_sets > m_limits.sets || (m_sets % 64 == 0 && outOfTime()))
        return false;
    const Piece& p = m_pieces[piece];
    std::vector<OpId> ops;
    for (OpBits m = mask; m != 0; m &= m - 1)
        ops.push_back(p.ops[static_cast<std::size_t>(std::countr_zero(m))]);
    const Edges edges = edgesOf(ops, p);
    const std::vector<Choice> choices = choicesOf(edges, p);
    for (std::size_t chosen = 0; chosen < (std::size_t{1} << choices.size()); ++chosen) {
        Decided decided;
        std::int64_t kept = 0;
        bool possible = true;
        for (std::size_t i = 0; i < choices.size(); ++i) {
            const auto [t, way] = choices[i];
            const bool so = (chosen >> i & 1) != 0;
            switch (way) {
            case Way::StayIn:
                (so ? decided.stayIn : decided.notStayIn).push_back(t);
                break;
            case Way::StayOut:
                (so ? decided.stayOut : decided.notStayOut).push_back(t);
                break;
            case Way::MadeIn:
                (so ? decided.madeIn : decided.notMade).push_back(t);
                break;
            case Way::FusedOut:
                (so ? decided.fusedOut : decided.notFused).push_back(t);
                break;
            }
            if (so && (way == Way::StayIn || way == Way::StayOut))
                kept += m_problem.tensor(t).elements();
        }
        for (const TensorId t : decided.stayIn) // what is made inside is taken from there (R3.1)
            possible &= std::ranges::find(decided.madeIn, t) == decided.madeIn.end();
        if (possible && kept <= m_problem.hardware().fastMemoryCapacity)
            addColumn(piece, mask, ops, edges, decided);
    }
    return true;
}

/// What is decided, column by column: what crosses between pieces, then the largest of what may stay, where
/// no other piece counts its room, too.
std::vector<SetCover::Choice> SetCover::choicesOf(const Edges& edges, const Piece& piece) const
{
    const std::size_t most = piece.alone ? 4 : 5;
    std::vector<Choice> crossing, staying;
    for (const TensorId t : edges.madeIn)
        crossing.push_back({t, Way::MadeIn});
    for (const TensorId t : edges.fusedOut)
        crossing.push_back({t, Way::FusedOut});
    const auto isOwn = [&](TensorId t) {
        const auto producer = m_problem.producer(t);
        const auto isHere = [&](OpId o) { return m_pieceOf[o.index()] == m_pieceOf[piece.ops[0].index()]; };
        return piece.alone || (std::ranges::all_of(m_problem.consumers(t), isHere) && producer);
    };
    if (!m_keepsInputs) {
        for (const TensorId t : edges.stayIn)
            if (isOwn(t))
                staying.push_back({t, Way::StayIn});
        for (const TensorId t : edges.stayOut)
            if (piece.alone || std::ranges::find(edges.fusedOut, t) == edges.fusedOut.end())
                staying.push_back({t, Way::StayOut});
    }
    const auto smaller = [&](const Choice& a, const Choice& b) {
        return m_problem.tensor(a.tensor).elements() > m_problem.tensor(b.tensor).elements();
    };
    std::ranges::stable_sort(crossing, smaller);
    std::ranges::stable_sort(staying, smaller);
    crossing.insert(crossing.end(), staying.begin(), staying.end());
    if (crossing.size() > most)
        crossing.resize(most);
    return crossing;
}

SetCoverBound SetCover::price(std::size_t weight)
{
    std::vector<CoverColumn> columns;
    for (const Column& c : m_columns)
        columns.push_back({cost(c, weight), &c.achieves, std::popcount(c.ops) <= 2});
    const CoverPrices prices =
        priceCover(m_rows, columns, [this] { return outOfTime() ? 0 : m_until - wallClock(); });
    SetCoverBound out;
    if (prices.value <= 0)
        return out;
    out.value = prices.value;
    out.prices.assign(m_problem.opCount(), 0);
    double sum = 0;
    for (std::size_t i = 0; i < m_rows.size(); ++i)
        sum += prices.prices[i] * m_rows[i];
    for (std::size_t i = 0; i < m_rows.size(); ++i)
        out.prices[m_rowOp[i].index()] += prices.prices[i] * m_rows[i] * (out.value / sum);
    for (const auto& [i, share] : prices.shares) {
        const Column& c = m_columns[i];
        PricedGroup group;
        for (OpBits m = c.ops; m != 0; m &= m - 1)
            group.ops.push_back(m_pieces[c.piece].ops[static_cast<std::size_t>(std::countr_zero(m))]);
        std::ranges::sort(group.ops);
        group.least = columns[i].cost;
        group.share = share;
        out.groups.push_back(std::move(group));
    }
    std::ranges::stable_sort(out.groups, std::greater<>(),
                             [](const PricedGroup& g) { return g.least * g.share; });
    return out;
}

SetCoverBound SetCover::run()
{
    addRows();
    for (std::uint32_t piece = 0; piece < m_pieces.size(); ++piece)
        if (!forEachConnectedSet(m_problem, m_pieces[piece],
                                 [&](OpBits set) { return addSet(piece, set); }) ||
            m_unknown)
            return {};
    SetCoverBound best;
    const bool crossing = std::ranges::any_of(m_pieces, [](const Piece& p) { return !p.alone; });
    for (std::size_t weight = 0; weight < (crossing ? CostModel::kWeights : 1); ++weight) {
        SetCoverBound bound = price(weight);
        if (bound.value > best.value)
            best = std::move(bound);
    }
    best.sets = m_sets;
    return best;
}

} // namespace

SetCoverBound setCoverBound(const Problem& problem, const Rules& rules, const SetCoverLimits& limits)
{
    if (problem.opCount() == 0 || !CostModel::supports(rules))
        return {};
    const double started = wallClock();
    SetCoverBound best;
    std::size_t sets = 0;
    const auto look = [&](double share, const PieceSizes& sizes, bool sharing) {
        SetCoverLimits part = limits;
        part.seconds = share * (limits.seconds - (wallClock() - started));
        SetCover cover(problem, rules, part, sizes, sharing);
        SetCoverBound bound = cover.run();
        sets += bound.sets;
        const bool listed = bound.sets > 0;
        if (bound.value > best.value)
            best = std::move(bound);
        return listed && cover.isWhole() ? Look::Whole : listed ? Look::Cut : Look::TooMany;
    };
    // Large pieces say most; where they have too many sets, smaller ones.
    Look found = look(0.7, {}, false);
    if (found == Look::TooMany)
        found = look(0.5, {.whole = 10, .atom = 10, .most = 10}, false);
    if (found != Look::Whole)
        (void)look(1, {.whole = 0, .atom = 8, .most = 1}, true);
    best.sets = sets;
    return best;
}

} // namespace tilewright
