// SPDX-License-Identifier: GPL-3.0-or-later
#include "solve/cover_columns.h"

#include "eval/lower_bound.h"

#include <bit>
#include <functional>
#include <limits>

namespace tilewright {

namespace {

bool has(const std::vector<TensorId>& list, TensorId t)
{
    return std::ranges::find(list, t) != list.end();
}

std::uint64_t key(TensorId t, std::uint32_t piece)
{
    return std::uint64_t{t.value} << 32 | piece;
}

std::uint64_t key(TensorId t, OpId reader)
{
    return std::uint64_t{t.value} << 32 | reader.value;
}

} // namespace

CoverColumns::CoverColumns(const Problem& problem, const Rules& rules, const std::vector<Piece>& pieces,
                           bool sharing)
    : m_problem(problem), m_rules(rules), m_pieces(pieces), m_sharing(sharing), m_model(problem, rules),
      m_keepsInputs(rules.retainInputs == Rules::RetainInputs::Allow), m_pieceOf(problem.opCount(), 0),
      m_spatial(spatialAxes(problem, rules))
{
    for (std::uint32_t i = 0; i < m_pieces.size(); ++i)
        for (const OpId o : m_pieces[i].ops)
            m_pieceOf[o.index()] = i;
    addRows();
}

std::vector<OpId> CoverColumns::opsOf(std::uint32_t piece, OpBits mask) const
{
    std::vector<OpId> ops;
    for (OpBits m = mask; m != 0; m &= m - 1)
        ops.push_back(m_pieces[piece].ops[static_cast<std::size_t>(std::countr_zero(m))]);
    return ops;
}

bool CoverColumns::mayStay(TensorId t) const
{
    const bool room = m_problem.tensor(t).elements() + (m_keepsInputs || m_rules.donation ? 0 : 1) <=
                      m_problem.hardware().fastMemoryCapacity;
    return room && !m_problem.isView(t) && (m_problem.producer(t) || m_keepsInputs);
}

/// Whether ops of other pieces may ask for slices of t in the same role, but by ranges of reductions where
/// ops of this one ask by tiles or the other way round, so that a slice may be there already.
bool CoverColumns::maybeAskedOtherwise(TensorId t, std::uint32_t piece) const
{
    const auto role = [&](OpId o) {
        const Op& op = m_problem.op(o);
        return op.type == OpType::Pointwise ? 1 : (op.inputs[0] == t ? 2 : 0) + (op.inputs[1] == t ? 4 : 0);
    };
    const auto consumers = m_problem.consumers(t);
    return std::ranges::any_of(consumers, [&](OpId a) {
        return m_pieceOf[a.index()] == piece && std::ranges::any_of(consumers, [&](OpId b) {
                   return m_pieceOf[b.index()] != piece && (role(a) & role(b)) != 0 &&
                          !(isTiled(a) && isTiled(b));
               });
    });
}

CoverColumns::Edges CoverColumns::edgesOf(const std::vector<OpId>& ops, const Piece& piece) const
{
    const std::uint32_t here = m_pieceOf[piece.ops[0].index()];
    const auto isElsewhere = [&](OpId o) { return m_pieceOf[o.index()] != here; };
    const Boundary boundary = boundaryOf(m_problem, ops);
    Edges out;
    for (const TensorId t : boundary.inputs) {
        const auto producer = m_problem.producer(t);
        const auto consumers = m_problem.consumers(t);
        // A reader that R4.7 forbids to meet the producer keeps it out of the whole subgraph.
        if (producer && isElsewhere(*producer) && std::ranges::all_of(ops, [&](OpId c) {
                return std::ranges::find(consumers, c) == consumers.end() || mayFuse(t, c);
            }))
            out.madeIn.push_back(t);
        if (mayStay(t))
            out.stayIn.push_back(t);
        if (m_problem.tensor(t).elements() <= m_problem.hardware().fastMemoryCapacity &&
            std::ranges::any_of(consumers, isElsewhere))
            out.maybeWhole.push_back(t);
        else if (maybeAskedOtherwise(t, here))
            out.maybeMet.push_back(t);
        if (!piece.alone && isElsewhere(consumers[0]))
            out.elsewhere.push_back(t);
        if (m_sharing && !mayStay(t) && std::ranges::any_of(consumers, isElsewhere))
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

void CoverColumns::addRows()
{
    const auto add = [&](OpId o, double atLeast) {
        m_demands.push_back(atLeast);
        m_rowOp.push_back(o);
        return m_demands.size() - 1;
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

/// Pointwise sinks that complete with others of the subgraph: read by other pieces, or epilogues of MatMuls
/// of other pieces.
std::vector<TensorId> CoverColumns::openSinks(const std::vector<OpId>& ops, const Edges& edges,
                                              const Decided& decided) const
{
    const bool entered = std::ranges::any_of(edges.madeIn, [&](TensorId t) {
        return !has(decided.notMade, t) && std::ranges::any_of(ops, [&](OpId o) {
            const Op& op = m_problem.op(o);
            return op.type == OpType::Pointwise && std::ranges::find(op.inputs, t) != op.inputs.end();
        });
    });
    std::vector<TensorId> out;
    for (const OpId o : ops)
        if (const TensorId t = m_problem.op(o).output;
            m_problem.op(o).type == OpType::Pointwise &&
            (entered || (has(edges.fusedOut, t) && !has(decided.notFused, t))))
            out.push_back(t);
    return out;
}

/// What the ops cost at least, wherever what is not decided lies.
std::optional<CostModel::AnyOrder> CoverColumns::leastOf(const std::vector<OpId>& ops, const Edges& edges,
                                                         const Decided& decided)
{
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
    add(edges.fusedOut, [&](TensorId t) { return has(decided.notFused, t) || staysOut(t); });
    add(edges.stayOut, [&](TensorId t) { return has(decided.notStayOut, t) || staysOut(t); });
    std::vector<TensorId> shared, unpaid;
    for (const TensorId t : edges.shared)
        if (!has(free, t))
            shared.push_back(t);
    for (const TensorId t : edges.elsewhere)
        if (!has(free, t) && !staysIn(t) && !has(shared, t))
            unpaid.push_back(t);
    const std::vector<TensorId> open = openSinks(ops, edges, decided);
    CostModel::Memory memory;
    memory.resident = decided.stayIn;
    memory.retained = decided.stayOut;
    memory.free = free;
    memory.shared = shared;
    memory.unpaid = unpaid;
    memory.maybeWhole = edges.maybeWhole;
    memory.maybeMet = edges.maybeMet;
    memory.open = open;
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
    if (!m_model.compile(ops, memory))
        return std::nullopt; // too many kinds of steps for the model; no practical subgraph has
    CostModel::AnyOrder least = m_model.leastOfAnyOrder();
    // Behind such a cut the ops may be asked for in any way, and each piece of data at least once.
    const bool mayServe = std::ranges::any_of(ops, [&](OpId o) {
        const TensorId t = m_problem.op(o).output;
        return m_fused[t.index()] && !has(decided.notFused, t) && !isTiled(o);
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

void CoverColumns::addColumn(std::uint32_t piece, OpBits mask, const std::vector<OpId>& ops,
                             const Edges& edges, const Decided& decided, const CostModel::AnyOrder& least)
{
    Column column{piece, mask, least, {}};
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
    addRetained(column, ops);
    m_columns.push_back(std::move(column));
}

/// The same where outputs of the graph are retained, which another subgraph has to write then (R3.6): that
/// saves no more than writing them takes.
void CoverColumns::addRetained(const Column& column, const std::vector<OpId>& ops)
{
    constexpr std::size_t kFew = 3;
    const auto without = [&](Column other, std::size_t elements) {
        const double time =
            static_cast<double>(elements) / static_cast<double>(m_problem.hardware().slowMemoryBandwidth);
        other.least.latency = std::max(0.0, other.least.latency - time);
        for (std::size_t i = 0; i < CostModel::kWeights; ++i) {
            const double memory = 1 - static_cast<double>(i) / static_cast<double>(CostModel::kWeights - 1);
            other.least.weighted[i] = std::max(0.0, other.least.weighted[i] - memory * time);
        }
        return other;
    };
    std::vector<TensorId> outputs;
    for (const OpId o : ops)
        if (const TensorId t = m_problem.op(o).output; m_problem.isGraphOutput(t) && mayStay(t))
            outputs.push_back(t);
    std::ranges::stable_sort(outputs, std::greater<>(),
                             [&](TensorId t) { return m_problem.tensor(t).elements(); });
    // Of further ones it is not told: they count as written and as retained at once.
    std::size_t untold = 0;
    for (std::size_t i = kFew; i < outputs.size(); ++i)
        untold += static_cast<std::size_t>(m_problem.tensor(outputs[i]).elements());
    outputs.resize(std::min(outputs.size(), kFew));
    for (std::size_t retained = 1; retained < (std::size_t{1} << outputs.size()); ++retained) {
        std::size_t elements = untold;
        std::vector<Row> rows;
        for (std::size_t i = 0; i < outputs.size(); ++i)
            if ((retained >> i & 1) != 0) {
                elements += static_cast<std::size_t>(m_problem.tensor(outputs[i]).elements());
                rows.push_back(*m_written[outputs[i].index()]);
            }
        Column other = without(column, elements);
        std::erase_if(other.achieves,
                      [&](const Achieved& a) { return std::ranges::find(rows, a.row) != rows.end(); });
        m_columns.push_back(std::move(other));
    }
    if (untold > 0)
        m_columns.push_back(without(column, untold));
}

bool CoverColumns::addSet(std::uint32_t piece, OpBits mask)
{
    const std::vector<OpId> ops = opsOf(piece, mask);
    const Edges edges = edgesOf(ops, m_pieces[piece]);
    const std::vector<Choice> choices = choicesOf(ops.size(), edges, m_pieces[piece]);
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
        if (!possible || kept > m_problem.hardware().fastMemoryCapacity)
            continue;
        const auto least = leastOf(ops, edges, decided);
        if (!least)
            return false;
        if (least->latency < std::numeric_limits<double>::infinity())
            addColumn(piece, mask, ops, edges, decided, *least);
    }
    return true;
}

/// What is decided, column by column: what crosses between pieces, then the largest of what may stay, where
/// no other piece counts its room, too.
std::vector<CoverColumns::Choice> CoverColumns::choicesOf(std::size_t ops, const Edges& edges,
                                                          const Piece& piece) const
{
    constexpr std::size_t kFew = 2; // there are not many sets of so few ops
    const std::size_t most = ops <= kFew ? 8 : piece.alone ? 4 : 5;
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

} // namespace tilewright
