// SPDX-License-Identifier: GPL-3.0-or-later
#include "solve/cover_columns.h"

#include "eval/lower_bound.h"

#include <bit>
#include <cstdint>
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

constexpr std::size_t kToldRetained = 3;
constexpr std::size_t kMostChoices = 31; ///< that are decided

std::uint64_t key(TensorId t, OpId reader)
{
    return std::uint64_t{t.value} << 32 | reader.value;
}

} // namespace

CoverColumns::CoverColumns(const Problem& problem, const Rules& rules, const std::vector<Piece>& pieces,
                           bool sharing, std::size_t threads)
    : m_problem(problem), m_rules(rules), m_pieces(pieces), m_sharing(sharing),
      m_keepsInputs(rules.retainInputs == Rules::RetainInputs::Allow), m_pieceOf(problem.opCount(), 0),
      m_spatial(spatialAxes(problem, rules)), m_readingPieces(problem.tensorCount(), 0)
{
    for (std::size_t thread = 0; thread < threads; ++thread)
        m_models.emplace_back(problem, rules);
    for (std::uint32_t i = 0; i < m_pieces.size(); ++i) {
        std::vector<TensorId> read;
        for (const OpId o : m_pieces[i].ops) {
            m_pieceOf[o.index()] = i;
            for (const TensorId t : problem.op(o).inputs)
                if (!has(read, t))
                    read.push_back(t);
        }
        for (const TensorId t : read)
            ++m_readingPieces[t.index()];
    }
    addRows();
}

std::vector<OpId> CoverColumns::opsOf(std::uint32_t piece, OpBits mask) const
{
    std::vector<OpId> ops;
    for (OpBits m = mask; m != 0; m &= m - 1)
        ops.push_back(m_pieces[piece].ops[static_cast<std::size_t>(std::countr_zero(m))]);
    return ops;
}

std::size_t CoverColumns::reaches(TensorId t, OpId reader) const
{
    return m_reaches.at(key(t, reader));
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

/// Whether a subgraph with these ops may have ops of other pieces, too.
bool CoverColumns::reachesBeyond(const std::vector<OpId>& ops, std::uint32_t piece) const
{
    const auto isElsewhere = [&](OpId o) { return m_pieceOf[o.index()] != piece; };
    return std::ranges::any_of(ops, [&](OpId o) {
        const Op& op = m_problem.op(o);
        const auto leadsTo = [&](OpId c) { return isElsewhere(c) && mayFuse(op.output, c); };
        const auto comesFrom = [&](TensorId t) {
            return std::ranges::any_of(m_problem.consumers(t), isElsewhere) ||
                   (mayFuse(t, o) && isElsewhere(*m_problem.producer(t)));
        };
        return std::ranges::any_of(m_problem.consumers(op.output), leadsTo) ||
               std::ranges::any_of(op.inputs, comesFrom);
    });
}

CoverColumns::Edges CoverColumns::edgesOf(const std::vector<OpId>& ops, std::uint32_t here, bool whole) const
{
    const auto isElsewhere = [&](OpId o) { return !whole && m_pieceOf[o.index()] != here; };
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
        else if (!whole && maybeAskedOtherwise(t, here))
            out.maybeMet.push_back(t);
        if (isElsewhere(consumers[0]))
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
    }
    m_ownRows = m_demands.size();
    for (std::size_t i = 0; i < m_problem.opCount(); ++i) {
        const OpId o(i);
        const TensorId t = m_problem.op(o).output;
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
                                                         const Decided& decided, bool whole,
                                                         CostModel& model) const
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
    if (!model.compile(ops, memory))
        return std::nullopt; // too many kinds of steps for the model; no practical subgraph has
    CostModel::AnyOrder least = model.leastOfAnyOrder();
    // Behind such a cut the ops may be asked for in any way, and each piece of data at least once.
    const bool mayServe = !whole && std::ranges::any_of(ops, [&](OpId o) {
        const TensorId t = m_problem.op(o).output;
        return m_fused[t.index()] && !has(decided.notFused, t) && !isTiled(o);
    });
    if (!mayServe)
        return least;
    double compute = 0;
    for (const OpId o : ops)
        compute += leastTime(m_problem, m_rules, o, m_spatial[o.index()]);
    const double memoryTime =
        model.leastTraffic() / static_cast<double>(m_problem.hardware().slowMemoryBandwidth);
    least.latency = std::min(least.latency, std::max(compute, memoryTime));
    for (std::size_t i = 0; i < CostModel::kWeights; ++i) {
        const double weight = static_cast<double>(i) / static_cast<double>(CostModel::kWeights - 1);
        least.weighted[i] = std::min(least.weighted[i], weight * compute + (1 - weight) * memoryTime);
    }
    return least;
}

std::vector<Achieved> CoverColumns::achievedBy(std::uint32_t piece, const std::vector<OpId>& ops,
                                               const Edges& edges, const Decided& decided, bool whole) const
{
    std::vector<Achieved> out;
    const auto isInside = [&](OpId o) { return std::ranges::find(ops, o) != ops.end(); };
    const auto achieves = [&](Row row, double amount) { out.push_back({row, amount}); };
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
                achieves(reaches(t, c), 1);
        if (kept && m_handed[t.index()])
            achieves(*m_handed[t.index()], 1);
        if (!whole && m_fused[t.index()] && !has(decided.notFused, t)) {
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
                achieves(reaches(input, o), 1);
        }
    }
    for (const TensorId t : edges.madeIn)
        if (!has(decided.notMade, t)) {
            achieves(*m_fused[t.index()], 1);
            if (has(decided.madeIn, t))
                achieves(m_made.at(key(t, piece)), -1);
        }
    // A subgraph takes it once, however many of its parts read it, each of them in a piece of its own.
    for (const TensorId t : decided.stayIn)
        if (m_handed[t.index()])
            achieves(*m_handed[t.index()], whole ? -1.0 : -1.0 / m_readingPieces[t.index()]);
    return out;
}

/// Outputs of the graph that may be retained, the largest first; of these few it is told which.
std::vector<TensorId> CoverColumns::retainable(const std::vector<OpId>& ops) const
{
    std::vector<TensorId> out;
    for (const OpId o : ops)
        if (const TensorId t = m_problem.op(o).output; m_problem.isGraphOutput(t) && mayStay(t))
            out.push_back(t);
    std::ranges::stable_sort(out, std::greater<>(),
                             [&](TensorId t) { return m_problem.tensor(t).elements(); });
    return out;
}

/// The same where these outputs of the graph are retained, which another subgraph has to write then (R3.6):
/// that saves no more than writing them takes. Of others than the first few it is not told: they count as
/// written and as retained at once.
CoverColumns::Column CoverColumns::retaining(Column column, const std::vector<OpId>& ops,
                                             std::uint32_t retained) const
{
    column.retained = retained;
    if (retained == 0)
        return column;
    std::int64_t elements = 0;
    std::vector<Row> rows;
    const std::vector<TensorId> outputs = retainable(ops);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        const bool told = i < kToldRetained;
        if (told ? (retained >> i & 1) != 0 : true)
            elements += m_problem.tensor(outputs[i]).elements();
        if (told && (retained >> i & 1) != 0)
            rows.push_back(*m_written[outputs[i].index()]);
    }
    const double time =
        static_cast<double>(elements) / static_cast<double>(m_problem.hardware().slowMemoryBandwidth);
    column.least.latency = std::max(0.0, column.least.latency - time);
    for (std::size_t i = 0; i < CostModel::kWeights; ++i) {
        const double memory = 1 - static_cast<double>(i) / static_cast<double>(CostModel::kWeights - 1);
        column.least.weighted[i] = std::max(0.0, column.least.weighted[i] - memory * time);
    }
    std::erase_if(column.achieves,
                  [&](const Achieved& a) { return std::ranges::find(rows, a.row) != rows.end(); });
    return column;
}

CoverColumns::Decided CoverColumns::decidedOf(const std::vector<Choice>& choices, const Decisions& decisions)
{
    Decided out;
    for (std::size_t i = 0; i < choices.size(); ++i) {
        if ((decisions.made >> i & 1) == 0)
            continue;
        const auto [t, way] = choices[i];
        const bool so = (decisions.yes >> i & 1) != 0;
        switch (way) {
        case Way::StayIn:
            (so ? out.stayIn : out.notStayIn).push_back(t);
            break;
        case Way::StayOut:
            (so ? out.stayOut : out.notStayOut).push_back(t);
            break;
        case Way::MadeIn:
            (so ? out.madeIn : out.notMade).push_back(t);
            break;
        case Way::FusedOut:
            (so ? out.fusedOut : out.notFused).push_back(t);
            break;
        }
    }
    return out;
}

bool CoverColumns::isPossible(const Decided& decided) const
{
    std::int64_t kept = 0;
    for (const auto* list : {&decided.stayIn, &decided.stayOut})
        for (const TensorId t : *list)
            kept += m_problem.tensor(t).elements();
    // What is made inside is taken from there (R3.1).
    return kept <= m_problem.hardware().fastMemoryCapacity &&
           std::ranges::none_of(decided.stayIn, [&](TensorId t) { return has(decided.madeIn, t); });
}

std::optional<std::vector<CoverColumns::Column>> CoverColumns::columnsOf(std::uint32_t piece, OpBits mask,
                                                                         std::size_t thread)
{
    const std::vector<OpId> ops = opsOf(piece, mask);
    const std::size_t outputs = retainable(ops).size();
    const std::size_t told = std::min(outputs, kToldRetained);
    std::vector<Column> out;
    const bool whole = m_pieces[piece].alone || !reachesBeyond(ops, piece);
    const Edges edges = edgesOf(ops, piece, whole);
    const auto least = leastOf(ops, edges, {}, whole, m_models[thread]);
    if (!least)
        return std::nullopt;
    if (least->latency == std::numeric_limits<double>::infinity())
        return out;
    const Column column{.piece = piece,
                        .ops = mask,
                        .decisions = {},
                        .whole = whole,
                        .retained = 0,
                        .decided = choicesOf(edges, piece, whole).empty(),
                        .sharp = false,
                        .stayIn = {},
                        .stayOut = {},
                        .least = *least,
                        .achieves = achievedBy(piece, ops, edges, {}, whole)};
    for (std::uint32_t retained = 0; retained < 1U << told; ++retained)
        out.push_back(retaining(column, ops, retained));
    if (outputs > told)
        out.push_back(retaining(column, ops, 1U << kToldRetained)); // of the others only
    return out;
}

std::optional<CoverColumns::Column> CoverColumns::subgraph(std::uint32_t piece, OpBits mask,
                                                           const std::vector<TensorId>& stayIn,
                                                           const std::vector<TensorId>& stayOut,
                                                           std::size_t thread)
{
    const std::vector<OpId> ops = opsOf(piece, mask);
    const Edges edges = edgesOf(ops, piece, true);
    Decided decided;
    decided.stayIn = stayIn;
    decided.stayOut = stayOut;
    for (const TensorId t : edges.stayIn)
        if (!has(stayIn, t))
            decided.notStayIn.push_back(t);
    for (const TensorId t : edges.stayOut)
        if (!has(stayOut, t))
            decided.notStayOut.push_back(t);
    CostModel& model = m_models[thread];
    if (!model.compile(ops, {.resident = stayIn, .retained = stayOut}))
        return std::nullopt;
    Column out{.piece = piece,
               .ops = mask,
               .decisions = {},
               .whole = true,
               .retained = 0,
               .decided = true,
               .sharp = false,
               .stayIn = stayIn,
               .stayOut = stayOut,
               .least = {},
               .achieves = achievedBy(piece, ops, edges, decided, true)};
    out.least.latency =
        isPossible(decided) ? model.leastOfAnyOrder(false).latency : std::numeric_limits<double>::infinity();
    return out;
}

void CoverColumns::sharpen(Column& column, std::size_t thread)
{
    column.sharp = true;
    const std::vector<OpId> ops = opsOf(column.piece, column.ops);
    CostModel& model = m_models[thread];
    if (model.compile(ops, {.resident = column.stayIn, .retained = column.stayOut}))
        column.least.latency = std::max(column.least.latency, model.leastByDepth());
}

std::array<std::optional<CoverColumns::Column>, 2> CoverColumns::split(const Column& column,
                                                                       std::size_t thread)
{
    const std::vector<OpId> ops = opsOf(column.piece, column.ops);
    const Edges edges = edgesOf(ops, column.piece, column.whole);
    const std::vector<Choice> choices = choicesOf(edges, column.piece, column.whole);
    const auto next = static_cast<std::size_t>(std::countr_one(column.decisions.made));
    std::array<std::optional<Column>, 2> out;
    for (const bool so : {true, false}) {
        Decisions decisions = column.decisions;
        decisions.made |= 1U << next;
        decisions.yes |= so ? 1U << next : 0;
        const Decided decided = decidedOf(choices, decisions);
        if (!isPossible(decided))
            continue;
        const auto least = leastOf(ops, edges, decided, column.whole, m_models[thread]);
        if (least && least->latency == std::numeric_limits<double>::infinity())
            continue;
        Column part = retaining({.piece = column.piece,
                                 .ops = column.ops,
                                 .decisions = decisions,
                                 .whole = column.whole,
                                 .retained = 0,
                                 .decided = next + 1 >= choices.size(),
                                 .sharp = false,
                                 .stayIn = {},
                                 .stayOut = {},
                                 .least = least ? *least : column.least,
                                 .achieves = achievedBy(column.piece, ops, edges, decided, column.whole)},
                                ops, column.retained);
        // It is one of the possibilities that the whole was.
        part.least.latency = std::max(part.least.latency, column.least.latency);
        for (std::size_t i = 0; i < CostModel::kWeights; ++i)
            part.least.weighted[i] = std::max(part.least.weighted[i], column.least.weighted[i]);
        out[so ? 0 : 1] = std::move(part);
    }
    return out;
}

/// What may cross between pieces, and what may stay; the largest first.
std::vector<CoverColumns::Choice> CoverColumns::choicesOf(const Edges& edges, std::uint32_t piece,
                                                          bool whole) const
{
    std::vector<Choice> out;
    // Of parts nothing is decided: deciding has been seen to say too much (docs/rules/bound.md 6).
    if (!whole)
        return out;
    for (const TensorId t : edges.madeIn)
        out.push_back({t, Way::MadeIn});
    for (const TensorId t : edges.fusedOut)
        out.push_back({t, Way::FusedOut});
    // Where rooms of parts are added up, what stays must be in one of them only.
    const auto isOwn = [&](TensorId t) {
        return !m_sharing || whole || std::ranges::all_of(m_problem.consumers(t), [&](OpId o) {
            return m_pieceOf[o.index()] == piece;
        });
    };
    if (!m_keepsInputs) {
        for (const TensorId t : edges.stayIn)
            if (m_problem.producer(t) && isOwn(t))
                out.push_back({t, Way::StayIn});
        for (const TensorId t : edges.stayOut)
            out.push_back({t, Way::StayOut});
    }
    std::ranges::stable_sort(out, std::greater<>(),
                             [&](const Choice& c) { return m_problem.tensor(c.tensor).elements(); });
    if (out.size() > kMostChoices)
        out.resize(kMostChoices);
    return out;
}

} // namespace tilewright
