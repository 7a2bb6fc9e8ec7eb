// SPDX-License-Identifier: GPL-3.0-or-later
#include "solve/column_search.h"

#include "solve/column_walk.h"
#include "solve/combine_columns.h"

#include <algorithm>
#include <limits>

namespace tilewright {

namespace {

constexpr double kFirstShare = 0.3; ///< of the time, at most: for columns of whole plans
// Of new columns when the first subgraphs are settled: rounds, and steps of their walks.
constexpr std::int64_t kRoundsAhead = 4;
constexpr int kStepsAhead = 60;
constexpr std::int64_t kNoEnd = std::numeric_limits<std::int64_t>::max();
constexpr int kIdleRounds = 20;          ///< without new columns: there are hardly any
constexpr std::size_t kFirstWidth = 300; ///< of beams
constexpr std::size_t kWidth = 100;
constexpr double kAsGood = 1.01;  ///< plans that cost so much are worth a closer look
constexpr double kFinished = 1.3; ///< may cost so many times the best
constexpr double kRounding = 1e-9;
constexpr double kEqual = 1e-4; ///< the relaxation has nothing better to offer
constexpr double kLate = 2;     ///< of the gap is what comes late expected to cost more
constexpr std::size_t kMostPlans = 6;
constexpr std::size_t kMostKnown = 1000; ///< with more programs take too long
constexpr std::size_t kMostLearnt = 10000;
constexpr std::size_t kMostSets = 60000; ///< in the pool

/// First subgraphs of a plan, and what it costs at least.
struct Node
{
    PlanPrefix prefix;
    double least = 0;
};

/// The same of another pool.
Plan copyOf(const Plan& plan, const SubgraphPool& from, SubgraphPool& to)
{
    Plan out;
    for (const PlanEntry& e : plan.entries)
        out.entries.push_back({to.intern(from.set(e.set).ops), to.internRetain(from.retain(e.retain))});
    return out;
}

/// One search from the best plan.
class Session
{
public:
    Session(SubgraphPool& pool, std::uint64_t seed)
        : m_pool(pool), m_settler(pool),
          m_columns(pool, seed % 2 == 0 ? PlanColumns::Repeats::Likely : PlanColumns::Repeats::Unlikely),
          m_walk(m_columns, seed)
    {
        for (const OpId o : pool.problem().topologicalOrder())
            (void)m_columns.add({pool.intern({o}), 0, 0, 0});
    }

    std::vector<Plan> run(Plan best, const std::vector<KnownColumn>& known,
                          const std::function<double(std::int64_t)>& used)
    {
        if (!m_settler.settle(best))
            return {};
        m_columns.add(best);
        m_best = std::move(best);
        m_limit = m_best.total;
        m_used = used;
        if (!m_columns.solve())
            return {};
        learn(known);
        while (keepGoing()) {
            m_columns.startFrom({});
            const double left = 1 - m_used(m_rounds);
            if (!findMore(kNoEnd, std::numeric_limits<int>::max(), 1 - (1 - kFirstShare) * left))
                break;
            m_root = m_columns.value();
            if (m_root >= m_limit * (1 - kEqual))
                break;
            m_open = {{{}, m_root}};
            while (!m_open.empty() && keepGoing())
                visitNext();
        }
        if (m_plans.empty())
            finish();
        std::ranges::stable_sort(m_plans, {}, &Plan::total);
        if (m_plans.size() > kMostPlans)
            m_plans.resize(kMostPlans);
        return std::move(m_plans);
    }

    /// Those that cost the least more than they are worth.
    std::vector<KnownColumn> known()
    {
        std::vector<KnownColumn> out;
        m_columns.startFrom({});
        if (!m_columns.solve())
            return out;
        std::vector<std::pair<double, std::size_t>> byLoss;
        for (std::size_t i = 0; i < m_columns.columns().size(); ++i) {
            const PlanColumn& c = m_columns.columns()[i];
            byLoss.emplace_back(c.latency - m_columns.price(c), i);
        }
        std::ranges::sort(byLoss);
        for (const auto& [loss, i] : byLoss) {
            if (out.size() >= kMostKnown || m_columns.value() + loss > m_limit * (1 + kRounding))
                break;
            const PlanColumn& c = m_columns.columns()[i];
            out.push_back({m_pool.set(c.set).ops, m_pool.retain(c.resident), m_pool.retain(c.retain)});
        }
        return out;
    }

private:
    /// Those that may be of a plan that is better than the best, by the prices of now.
    void learn(const std::vector<KnownColumn>& known)
    {
        const double gap = m_limit - m_columns.value();
        std::vector<std::pair<double, PlanColumn>> good;
        for (const KnownColumn& k : known) {
            const PlanColumn c{m_pool.intern(k.ops), m_pool.internRetain(k.resident),
                               m_pool.internRetain(k.retain), 0};
            const double worth = m_columns.price(c);
            if (m_pool.floor(c.set, c.resident, c.retain) > worth + gap)
                continue;
            if (const double loss = m_pool.latency(c.set, c.resident, c.retain) - worth; loss <= gap)
                good.emplace_back(loss, c);
        }
        std::ranges::stable_sort(good, {}, &std::pair<double, PlanColumn>::first);
        for (std::size_t i = 0; i < std::min(good.size(), kMostKnown); ++i)
            (void)m_columns.add(good[i].second);
    }

    [[nodiscard]] bool keepGoing() const { return m_used(m_rounds) < 1; }

    /// Rounds of new columns, each with walks of at most `steps`, and the prices after them.
    bool findMore(std::int64_t most, int steps, double until)
    {
        const auto goOn = [&] { return m_used(m_rounds) < until; };
        for (int idle = 0; most > 0 && idle < kIdleRounds && m_pool.size() < kMostSets && goOn();
             --most, ++m_rounds) {
            if (!m_columns.solve())
                return false;
            idle = m_walk.round(steps, goOn) > 0 ? 0 : idle + 1;
        }
        return m_columns.solve();
    }

    /// What a plan that begins so may cost in the end: the relaxation knows less of what comes late.
    [[nodiscard]] double expected(const Node& node) const
    {
        return node.least + kLate * (m_limit - m_root) * (1 - node.prefix.latency / node.least);
    }

    /// Puts plans together that begin as the most promising node does, or finds how they may go on.
    void visitNext()
    {
        ++m_rounds;
        const auto it = std::ranges::min_element(m_open, {}, [&](const Node& n) { return expected(n); });
        Node node = std::move(*it);
        m_open.erase(it);
        if (node.least >= m_limit * kAsGood)
            return;
        const bool isRoot = node.prefix.columns.empty();
        if (!isRoot) {
            m_columns.startFrom(node.prefix);
            if (!findMore(kRoundsAhead, kStepsAhead, 1))
                return;
        }
        if (node.prefix.latency + m_columns.value() >= m_limit * kAsGood)
            return;
        CombinedColumns found = combineColumns(
            m_columns, {isRoot ? kFirstWidth : kWidth, m_limit * (isRoot ? 1 - kRounding : kAsGood),
                        kMostPlans, &node.prefix, isRoot ? &m_best : nullptr, [&] { return keepGoing(); }});
        for (Plan& plan : found.plans)
            if (m_settler.settle(plan)) {
                m_columns.add(plan); // settling may have found something else to do
                m_limit = std::min(m_limit, plan.total);
                m_plans.push_back(std::move(plan));
            }
        for (const std::vector<PlanColumn>& ahead : found.ahead) {
            Node next{node.prefix, 0};
            for (const PlanColumn& c : ahead)
                next.prefix = m_columns.extended(std::move(next.prefix), c);
            m_columns.startFrom(next.prefix);
            if (!keepGoing())
                break;
            if (!m_columns.solve())
                continue;
            next.least = next.prefix.latency + m_columns.value();
            if (next.least < m_limit * kAsGood)
                m_open.push_back(std::move(next));
        }
    }

    /// Where the time was too short for a plan: the most advanced one, as it may be finished now. Its first
    /// subgraphs may be worth more than its last ones cost.
    void finish()
    {
        const auto it =
            std::ranges::max_element(m_open, {}, [](const Node& n) { return n.prefix.latency / n.least; });
        if (it == m_open.end() || it->prefix.columns.empty())
            return;
        m_columns.startFrom(it->prefix);
        if (!m_columns.solve())
            return;
        CombineOptions options{kWidth, m_limit * kFinished, 1, &it->prefix, nullptr, [] { return true; }};
        for (Plan& plan : combineColumns(m_columns, options).plans)
            if (m_settler.settle(plan))
                m_plans.push_back(std::move(plan));
    }

    SubgraphPool& m_pool;
    PlanSettler m_settler;
    PlanColumns m_columns;
    ColumnWalk m_walk;
    std::function<double(std::int64_t)> m_used;
    std::int64_t m_rounds = 0;
    Plan m_best;
    double m_limit = 0; ///< the best plan's latency
    double m_root = 0;  ///< the least of any plan, by the relaxation
    std::vector<Node> m_open;
    std::vector<Plan> m_plans;
};

} // namespace

ColumnSearch::ColumnSearch(const Problem& problem, const Rules& rules, TilingMemo& memo, std::uint64_t seed,
                           std::function<bool()> keepGoing)
    : m_keepGoing(std::move(keepGoing)), m_pool(problem, rules, memo, {}), m_seed(seed)
{
    m_pool.setKeepGoing(m_keepGoing);
}

void ColumnSearch::learn(const SubgraphPool& pool, const Plan& plan)
{
    RetainId before = 0;
    for (const PlanEntry& e : plan.entries) {
        if (m_told.insert({e.set, before, e.retain, 0}).second)
            m_known.push_back({pool.set(e.set).ops, pool.retain(before), pool.retain(e.retain)});
        before = e.retain;
    }
}

std::vector<Plan> ColumnSearch::plansNear(SubgraphPool& pool, const Plan& best,
                                          const std::function<double(std::int64_t)>& used)
{
    if (m_pool.size() >= kMostSets)
        m_pool.clear();
    Session session(m_pool, ++m_seed);
    if (m_known.size() > kMostLearnt)
        m_known.erase(m_known.begin(), m_known.end() - kMostLearnt);
    std::vector<Plan> out;
    PlanSettler settler(pool);
    for (const Plan& plan : session.run(copyOf(best, pool, m_pool), m_known, used))
        if (Plan copy = copyOf(plan, m_pool, pool); settler.settle(copy))
            out.push_back(std::move(copy));
    m_known = m_keepGoing() ? session.known() : std::vector<KnownColumn>();
    return out;
}

} // namespace tilewright
