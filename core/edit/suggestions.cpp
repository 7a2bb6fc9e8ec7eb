// SPDX-License-Identifier: GPL-3.0-or-later
#include "edit/suggestions.h"

#include "base/text.h"
#include "edit/edits.h"
#include "eval/evaluator.h"
#include "eval/granularity_search.h"
#include "rules/check.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>

namespace tilewright {

namespace {

/// Text of a granularity. Without a MatMul, k has no meaning (R4.2) and is omitted.
std::string shape(const Granularity& g, bool withDepth)
{
    const std::string tile = formatGrouped(g.w) + " × " + formatGrouped(g.h);
    return withDepth ? tile + " × " + formatGrouped(g.k) : tile;
}

/// Searches single changes around one subgraph and evaluates the whole schedule for each.
class SuggestionSearch
{
public:
    SuggestionSearch(const Problem& problem, const Schedule& schedule, const Evaluation& evaluation,
                     SubgraphId id, std::stop_token stop)
        : m_problem(problem), m_schedule(schedule), m_before(evaluation), m_rules(evaluation.rules), m_id(id),
          m_stop(std::move(stop)),
          // A pointer without ownership, since the evaluator is destroyed before this call returns.
          m_evaluator(ProblemPtr(ProblemPtr(), &problem), evaluation.rules),
          m_compiler(problem, evaluation.rules)
    {
        (void)m_evaluator.evaluate(schedule);
    }

    std::vector<Suggestion> run()
    {
        tiling();
        retention();
        fusion();
        regrouping();
        reordering();
        std::stable_sort(m_found.begin(), m_found.end(), isBetter);
        return std::move(m_found);
    }

private:
    [[nodiscard]] const Subgraph& current() const { return m_schedule[m_id]; }

    /// Returns the schedule with one subgraph replaced.
    [[nodiscard]] Schedule with(std::size_t index, Subgraph changed) const
    {
        Schedule out = m_schedule;
        changed.reportedLatency.reset();
        out.subgraphs[index] = std::make_shared<const Subgraph>(std::move(changed));
        return out;
    }

    [[nodiscard]] static std::size_t opsThatCannotRun(const Schedule& schedule, const Evaluation& e)
    {
        std::size_t n = 0;
        for (std::size_t i = 0; i < schedule.size(); ++i)
            n += e.subgraphs[i].structurallyValid ? 0 : schedule.subgraphs[i]->ops.size();
        return n;
    }

    /// Number of ops in subgraphs with issues, plus the number of issues that belong to no subgraph.
    [[nodiscard]] static std::size_t opsWithIssues(const Schedule& schedule, const Evaluation& e)
    {
        std::set<std::size_t> broken;
        std::size_t n = 0;
        for (const Issue& issue : e.issues) {
            if (issue.subgraph && issue.subgraph->index() < schedule.size())
                broken.insert(issue.subgraph->index());
            else
                ++n;
        }
        for (const std::size_t i : broken)
            n += schedule.subgraphs[i]->ops.size();
        return n;
    }

    /// Adds the change to the suggestions if it reduces the latency, or repairs ops.
    bool offer(Suggestion::Kind kind, Schedule schedule, std::string text,
               std::optional<TensorId> tensor = {})
    {
        const Evaluation after = m_evaluator.evaluate(schedule);
        const std::size_t before = m_before.issues.size();
        // Ops in subgraphs with issues are counted, too, because fusing two subgraphs that do not fit removes
        // an issue but repairs no op.
        const bool fixes = after.issues.size() < before &&
                           opsWithIssues(schedule, after) < opsWithIssues(m_schedule, m_before);
        // Subgraphs that cannot run have no latency, so adding ops to them must not count as a gain.
        const bool faster = after.issues.size() == before && after.total < m_before.total * (1 - 1e-12) &&
                            opsThatCannotRun(schedule, after) <= opsThatCannotRun(m_schedule, m_before);
        if (!fixes && !faster)
            return false;
        Suggestion s;
        s.kind = kind;
        s.tensor = tensor;
        s.total = after.total;
        s.gain = m_before.total - after.total;
        s.fixes = before - after.issues.size();
        s.schedule = std::move(schedule);
        s.text = std::move(text);
        m_found.push_back(std::move(s));
        return true;
    }

    /// Returns the best granularity of one subgraph of the schedule.
    [[nodiscard]] std::optional<GranularityChoice> tile(const Schedule& schedule, std::size_t index,
                                                        const GranularityLimits& limits)
    {
        const Subgraph& s = *schedule.subgraphs[index];
        m_compiler.compile(s.ops, m_plan);
        return bestGranularity(m_plan, residentBefore(m_problem, schedule, m_rules, SubgraphId(index)),
                               s.retain, limits);
    }

    [[nodiscard]] GranularityLimits limits() const
    {
        GranularityLimits l;
        l.stop = m_stop;
        // Thousands of granularities are compared. Those without a closed form are only estimated here; each
        // suggestion is evaluated exactly afterwards.
        l.mostWalkedSteps = 200;
        return l;
    }

    /// True if the schedule is better than all suggestions so far. A change of the whole granularity must be
    /// better than a change of k or of the traversal alone.
    [[nodiscard]] bool beatsAll(const Schedule& schedule)
    {
        const Evaluation after = m_evaluator.evaluate(schedule);
        return std::all_of(m_found.begin(), m_found.end(), [&](const Suggestion& s) {
            const std::size_t left = m_before.issues.size() - s.fixes;
            return after.issues.size() != left ? after.issues.size() < left
                                               : after.total < s.total * (1 - 1e-12);
        });
    }

    void tiling()
    {
        const Granularity g = current().granularity;
        m_compiler.compile(current().ops, m_plan);
        const bool hasDepth = m_plan.hasMatMul();
        if (hasDepth) {
            GranularityLimits depth = limits();
            depth.w = g.w;
            depth.h = g.h;
            depth.traversals = {current().traversal};
            if (const auto best = tile(m_schedule, m_id.index(), depth); best && best->granularity != g) {
                Subgraph s = current();
                s.granularity = best->granularity;
                offer(Suggestion::Kind::Depth, with(m_id.index(), std::move(s)),
                      "use k = " + formatGrouped(best->granularity.k) + " instead of " + formatGrouped(g.k));
            }
        }
        GranularityLimits order = limits();
        order.w = g.w;
        order.h = g.h;
        order.k = g.k;
        order.traversals = {TraversalKind::Raster, TraversalKind::Snake, TraversalKind::Column,
                            TraversalKind::ColumnSnake, TraversalKind::Spiral};
        if (m_before.subgraphs[m_id.index()].steps > kSpiralSteps)
            order.traversals.pop_back();
        if (const auto best = tile(m_schedule, m_id.index(), order);
            best && best->traversal != current().traversal) {
            Subgraph s = current();
            s.traversal = best->traversal;
            offer(Suggestion::Kind::Traversal, with(m_id.index(), std::move(s)),
                  "visit the tiles in " + std::string(traversalName(best->traversal.kind())) + " order");
        }
        GranularityLimits any = limits();
        if (!hasDepth)
            any.k = g.k;
        if (const auto best = tile(m_schedule, m_id.index(), any)) {
            Subgraph s = current();
            s.granularity = best->granularity;
            s.traversal = best->traversal;
            std::string text = "use tiles of " + shape(best->granularity, hasDepth);
            if (best->traversal != current().traversal)
                text += " in " + std::string(traversalName(best->traversal.kind())) + " order";
            Schedule changed = with(m_id.index(), std::move(s));
            if (beatsAll(changed))
                offer(Suggestion::Kind::Granularity, std::move(changed), std::move(text));
        }
    }

    [[nodiscard]] bool fitsAt(const Evaluation& e, std::size_t index) const
    {
        return index >= e.subgraphs.size() ||
               (e.subgraphs[index].structurallyValid && e.subgraphs[index].fits);
    }

    /// Retains or releases a tensor. If a subgraph becomes too large, it gets a new granularity.
    void retain(std::size_t from, TensorId t, bool keep)
    {
        Subgraph s = *m_schedule.subgraphs[from];
        if (keep)
            s.retain.push_back(t);
        else
            std::erase(s.retain, t);
        Schedule changed = with(from, std::move(s));
        const std::string neighbour =
            from == m_id.index() ? "for the next subgraph" : "from the previous subgraph";
        std::string text = keep ? "retain " + m_problem.tensorName(t) + " in fast memory " + neighbour
                                : "do not retain " + m_problem.tensorName(t) + " " + neighbour;
        const auto kind = keep ? Suggestion::Kind::Retain : Suggestion::Kind::Release;
        if (offer(kind, changed, text, t))
            return;
        const Evaluation e = m_evaluator.evaluate(changed);
        bool tiled = false;
        for (const std::size_t i : {from, from + 1}) {
            if (fitsAt(e, i))
                continue;
            const auto best = tile(changed, i, limits());
            if (!best)
                return;
            Subgraph smaller = *changed.subgraphs[i];
            smaller.granularity = best->granularity;
            smaller.traversal = best->traversal;
            changed.subgraphs[i] = std::make_shared<const Subgraph>(std::move(smaller));
            tiled = true;
        }
        if (tiled)
            offer(kind, std::move(changed), text + ", with tiles that leave room for it", t);
    }

    void retentionBetween(std::size_t from)
    {
        if (from + 1 >= m_schedule.size())
            return;
        const Subgraph& producer = *m_schedule.subgraphs[from];
        const Subgraph& consumer = *m_schedule.subgraphs[from + 1];
        if (!checkFormat(m_problem, producer, {}).empty() || !checkFormat(m_problem, consumer, {}).empty())
            return;
        const Boundary in = boundaryOf(m_problem, consumer.ops);
        for (const OpId o : producer.ops) {
            const TensorId t = m_problem.op(o).output;
            if (m_stop.stop_requested())
                return;
            const bool retained =
                std::find(producer.retain.begin(), producer.retain.end(), t) != producer.retain.end();
            if (retained)
                retain(from, t, false);
            else if (std::binary_search(in.inputs.begin(), in.inputs.end(), t))
                retain(from, t, true);
        }
    }

    void retention()
    {
        retentionBetween(m_id.index());
        if (m_id.index() > 0)
            retentionBetween(m_id.index() - 1);
    }

    /// Retiles the subgraphs that an edit has changed and adds the result.
    void offerRegrouped(Suggestion::Kind kind, Result<Schedule> edited, std::string text,
                        std::optional<TensorId> tensor = {})
    {
        if (!edited || m_stop.stop_requested())
            return;
        for (const SubgraphId changed : changedSubgraphs(m_schedule, *edited)) {
            const auto best = tile(*edited, changed.index(), limits());
            if (!best)
                continue;
            Subgraph s = (*edited)[changed];
            s.granularity = best->granularity;
            s.traversal = best->traversal;
            edited->subgraphs[changed.index()] = std::make_shared<const Subgraph>(std::move(s));
        }
        offer(kind, std::move(edited).value(), std::move(text), tensor);
    }

    void fusion()
    {
        if (m_id.index() > 0)
            offerRegrouped(Suggestion::Kind::FuseWithPrevious,
                           edit::mergeWithPrevious(m_problem, m_schedule, m_id, m_options),
                           "fuse it with the previous subgraph");
        if (m_id.index() + 1 < m_schedule.size())
            offerRegrouped(Suggestion::Kind::FuseWithNext,
                           edit::mergeWithNext(m_problem, m_schedule, m_id, m_options),
                           "fuse it with the next subgraph");
    }

    /// Returns the other subgraphs that compute an operand of the op or read its result.
    [[nodiscard]] std::vector<SubgraphId> exchangePartners(OpId o) const
    {
        std::vector<SubgraphId> out;
        const auto add = [&](OpId other) {
            for (const SubgraphId s : subgraphsWith(m_schedule, other))
                if (s != m_id && std::find(out.begin(), out.end(), s) == out.end())
                    out.push_back(s);
        };
        for (const TensorId t : m_problem.op(o).inputs)
            if (const auto producer = m_problem.producer(t))
                add(*producer);
        for (const OpId reader : m_problem.consumers(m_problem.op(o).output))
            add(reader);
        return out;
    }

    /// Name of a subgraph for the user: its number and its first op.
    [[nodiscard]] std::string nameOf(SubgraphId id) const
    {
        return "subgraph " + std::to_string(id.index()) + " (" +
               m_problem.opName(m_schedule[id].ops.front()) + ")";
    }

    /// Suggests other groupings of ops, and keeps the best one of each kind.
    void regrouping()
    {
        using Kind = Suggestion::Kind;
        constexpr std::size_t kMaxTries = 12; // maximum number of candidates of each kind
        std::size_t fused = 0;
        std::size_t moved = 0;
        std::size_t recomputed = 0;
        std::size_t split = 0;
        std::vector<SubgraphId> tried;
        for (const OpId o : current().ops) {
            const std::span<const OpId> one(&o, 1);
            const bool alone = current().ops.size() == 1;
            for (const SubgraphId other : exchangePartners(o)) {
                const bool next = other.index() == m_id.index() + 1 || other.index() + 1 == m_id.index();
                if (!next && fused < kMaxTries &&
                    std::find(tried.begin(), tried.end(), other) == tried.end()) {
                    tried.push_back(other);
                    ++fused;
                    const SubgraphId both[] = {m_id, other};
                    offerRegrouped(Kind::FuseWithOther, edit::fuse(m_problem, m_schedule, both, m_options),
                                   "fuse it with " + nameOf(other));
                }
                if (!alone && moved++ < kMaxTries)
                    offerRegrouped(Kind::Move,
                                   edit::moveOps(m_problem, m_schedule, one, m_id, other, m_options),
                                   "move " + m_problem.opName(o) + " to " + nameOf(other));
            }
            if (!alone && split++ < kMaxTries)
                offerRegrouped(Kind::Split, edit::moveOpsToNew(m_problem, m_schedule, one, m_id, m_options),
                               "give " + m_problem.opName(o) + " a subgraph of its own");
        }
        for (const TensorId t : boundaryOf(m_problem, current().ops).inputs)
            if (const auto producer = m_problem.producer(t); producer && recomputed++ < kMaxTries) {
                const OpId o = *producer;
                offerRegrouped(
                    Kind::Recompute,
                    edit::recompute(m_problem, m_schedule, std::span<const OpId>(&o, 1), m_id, m_options),
                    "compute " + m_problem.opName(o) + " in it as well");
            }
        for (const Kind kind : {Kind::FuseWithOther, Kind::Move, Kind::Recompute, Kind::Split})
            keepTheBest(kind);
    }

    /// A retained tensor can only be used by the next subgraph. Suggests moving a distant producer and reader
    /// next to each other, so that the tensor can be retained, and keeps the best suggestion.
    void reordering()
    {
        constexpr std::size_t kMaxTries = 12;
        std::size_t tried = 0;
        for (const OpId o : current().ops)
            for (const OpId reader : m_problem.consumers(m_problem.op(o).output))
                for (const SubgraphId to : subgraphsWith(m_schedule, reader))
                    if (to.index() > m_id.index() + 1 && tried++ < kMaxTries)
                        suggestAdjacent(m_id, to, m_problem.op(o).output);
        for (const TensorId t : boundaryOf(m_problem, current().ops).inputs)
            if (const auto producer = m_problem.producer(t))
                for (const SubgraphId from : subgraphsWith(m_schedule, *producer))
                    if (from.index() + 1 < m_id.index() && tried++ < kMaxTries)
                        suggestAdjacent(from, m_id, t);
        keepTheBest(Suggestion::Kind::Reorder);
    }

    /// Moves the producer of t right before its reader, or the reader right after the producer, as far as
    /// dependencies allow.
    void suggestAdjacent(SubgraphId from, SubgraphId to, TensorId t)
    {
        for (const bool later : {true, false}) {
            const SubgraphId moved = later ? from : to;
            const std::size_t position = later ? to.index() - 1 : from.index() + 1;
            const auto ordered = edit::reorder(m_problem, m_schedule, std::span<const SubgraphId>(&moved, 1),
                                               position, m_options);
            if (!ordered)
                continue;
            const std::string what = moved == m_id ? "run it " : "run " + nameOf(moved) + " ";
            const std::string where = (later ? "right before " : "right after ") +
                                      (moved == m_id ? nameOf(later ? to : from) : std::string("it"));
            const std::size_t at = later ? position : from.index();
            auto kept = edit::toggleRetain(m_problem, *ordered, SubgraphId(at), t, m_options);
            if (kept && !kept->subgraphs[at + 1]->locked) // counts as changed, because it has less memory now
                kept->subgraphs[at + 1] = std::make_shared<const Subgraph>(*kept->subgraphs[at + 1]);
            offerRegrouped(Suggestion::Kind::Reorder, std::move(kept),
                           what + where + " and retain " + m_problem.tensorName(t), t);
        }
    }

    void keepTheBest(Suggestion::Kind kind)
    {
        const Suggestion* best = nullptr;
        for (const Suggestion& s : m_found)
            if (s.kind == kind && (!best || isBetter(s, *best)))
                best = &s;
        if (!best)
            return;
        Suggestion kept = *best;
        std::erase_if(m_found, [&](const Suggestion& s) { return s.kind == kind; });
        m_found.push_back(std::move(kept));
    }

    [[nodiscard]] static bool isBetter(const Suggestion& a, const Suggestion& b)
    {
        return a.fixes != b.fixes ? a.fixes > b.fixes : a.total < b.total;
    }

    static constexpr std::int64_t kSpiralSteps = 1'000'000;

    const Problem& m_problem;
    const Schedule& m_schedule;
    const Evaluation& m_before;
    const Rules m_rules;
    const EditOptions m_options{.rules = m_rules, .force = false};
    const SubgraphId m_id;
    const std::stop_token m_stop;
    Evaluator m_evaluator;
    PlanCompiler m_compiler;
    SubgraphPlan m_plan;
    std::vector<Suggestion> m_found;
};

} // namespace

std::string_view suggestionKindName(Suggestion::Kind kind)
{
    switch (kind) {
    case Suggestion::Kind::Granularity:
        return "granularity";
    case Suggestion::Kind::Depth:
        return "depth";
    case Suggestion::Kind::Traversal:
        return "traversal";
    case Suggestion::Kind::Retain:
        return "retain";
    case Suggestion::Kind::Release:
        return "release";
    case Suggestion::Kind::FuseWithPrevious:
        return "fuse with previous";
    case Suggestion::Kind::FuseWithNext:
        return "fuse with next";
    case Suggestion::Kind::FuseWithOther:
        return "fuse with another";
    case Suggestion::Kind::Move:
        return "move";
    case Suggestion::Kind::Recompute:
        return "recompute";
    case Suggestion::Kind::Split:
        return "split";
    case Suggestion::Kind::Reorder:
        return "reorder";
    }
    return "";
}

std::vector<Suggestion> suggestions(const Problem& problem, const Schedule& schedule,
                                    const Evaluation& evaluation, SubgraphId subgraph, std::stop_token stop)
{
    if (!checkFormat(problem, schedule[subgraph], subgraph).empty())
        return {};
    return SuggestionSearch(problem, schedule, evaluation, subgraph, std::move(stop)).run();
}

} // namespace tilewright
