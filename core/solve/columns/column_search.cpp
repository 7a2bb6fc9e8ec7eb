// SPDX-License-Identifier: GPL-3.0-or-later
#include "solve/columns/column_search.h"

#include "solve/columns/column_walk.h"
#include "solve/columns/combine_columns.h"

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
constexpr double kLoose = 0.08; ///< of the best is between it and the relaxation: that says too little
constexpr double kLate = 2;     ///< of the gap is what comes late expected to cost more
constexpr std::size_t kMostPlans = 6;
constexpr std::size_t kMostKnown = 1000; ///< with more programs take too long
constexpr std::size_t kMostLearnt = 10000;
constexpr std::size_t kMostSets = 60000; ///< in the pool
// In large problems a part of the time is for whole plans, the rest for windows.
constexpr double kWholeShare = 0.5;
constexpr std::size_t kWindowOps = 70;
constexpr double kWindowShare = 0.125; ///< of the time, at most
constexpr int kIdleWindows = 12;       ///< in a row: there is hardly anything to be found

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

/// One search from the best plan, a settled one, in a window.
class Session
{
public:
    Session(SubgraphPool& pool, std::uint64_t seed, Plan best, PlanWindow window,
            PlanColumns::Repeats repeats)
        : m_pool(pool), m_settler(pool), m_best(std::move(best)), m_window(window), m_repeats(repeats),
          m_columns(pool, repeats, frameAround(pool, m_best, window.first, window.count)),
          m_walk(m_columns, seed), m_limit(m_best.total)
    {
        for (const PlanEntry& e : inside())
            for (const OpId o : pool.set(e.set).ops)
                (void)m_columns.add({pool.intern({o}), 0, 0, 0});
        m_columns.add(inside());
        for (const PlanEntry& e : after())
            m_latencyAfter += e.latency;
        m_limit -= m_latencyAfter;
    }

    std::vector<Plan> run(const std::vector<KnownColumn>& known,
                          const std::function<double(std::int64_t)>& used)
    {
        m_used = used;
        if (!m_columns.solve())
            return {};
        learn(known);
        while (keepGoing()) {
            m_columns.startFrom(before());
            const double left = 1 - m_used(m_rounds);
            if (!findMore(kNoEnd, std::numeric_limits<int>::max(), 1 - (1 - kFirstShare) * left))
                break;
            m_root = before().latency + m_columns.value();
            m_isLoose = m_plans.empty() && m_root < limit(1 - kLoose);
            if (m_root >= limit(1 - kEqual) || (m_isLoose && m_repeats == PlanColumns::Repeats::Likely))
                break;
            m_open = {{before(), m_root}};
            while (!m_open.empty() && keepGoing())
                visitNext();
        }
        if (m_plans.empty() && isWhole() && !isLoose())
            finish();
        std::ranges::stable_sort(m_plans, {}, &Plan::total);
        if (m_plans.size() > kMostPlans)
            m_plans.resize(kMostPlans);
        return std::move(m_plans);
    }

    [[nodiscard]] std::int64_t rounds() const noexcept { return m_rounds; }
    /// The relaxation knows too little of plans to be of use, and it ended early.
    [[nodiscard]] bool isLoose() const noexcept
    {
        return m_isLoose && m_repeats == PlanColumns::Repeats::Likely;
    }

    /// Those that cost the least more than they are worth.
    std::vector<KnownColumn> known()
    {
        std::vector<KnownColumn> out;
        m_columns.startFrom(before());
        if (!m_columns.solve())
            return out;
        std::vector<std::pair<double, std::size_t>> byLoss;
        for (std::size_t i = 0; i < m_columns.columns().size(); ++i) {
            const PlanColumn& c = m_columns.columns()[i];
            byLoss.emplace_back(c.latency - m_columns.price(c), i);
        }
        std::ranges::sort(byLoss);
        for (const auto& [loss, i] : byLoss) {
            if (out.size() >= kMostKnown ||
                before().latency + m_columns.value() + loss > limit(1 + kRounding))
                break;
            const PlanColumn& c = m_columns.columns()[i];
            out.push_back({m_pool.set(c.set).ops, m_pool.retain(c.resident), m_pool.retain(c.retain)});
        }
        return out;
    }

private:
    [[nodiscard]] const PlanPrefix& before() const { return m_columns.frame().before; }
    [[nodiscard]] std::span<const PlanEntry> inside() const
    {
        return std::span(m_best.entries).subspan(m_window.first, m_window.count);
    }
    [[nodiscard]] std::span<const PlanEntry> after() const
    {
        return std::span(m_best.entries).subspan(m_window.first + m_window.count);
    }
    [[nodiscard]] bool isWhole() const { return m_window.count == m_best.entries.size(); }
    /// Latency up to the end of the window when what is inside costs so many times what it costs in the best.
    [[nodiscard]] double limit(double times) const
    {
        return before().latency + (m_limit - before().latency) * times;
    }

    /// Those that may be of a plan that is better than the best, by the prices of now.
    void learn(const std::vector<KnownColumn>& known)
    {
        const double gap = m_limit - before().latency - m_columns.value();
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
        const double ahead = (node.least - node.prefix.latency) / (node.least - before().latency);
        return node.least + kLate * (m_limit - m_root) * ahead;
    }

    /// Puts plans together that begin as the most promising node does, or finds how they may go on.
    void visitNext()
    {
        ++m_rounds;
        const auto it = std::ranges::min_element(m_open, {}, [&](const Node& n) { return expected(n); });
        Node node = std::move(*it);
        m_open.erase(it);
        if (node.least >= limit(kAsGood))
            return;
        const bool isRoot = node.prefix.columns.size() == before().columns.size();
        if (!isRoot) {
            m_columns.startFrom(node.prefix);
            if (!findMore(kRoundsAhead, kStepsAhead, 1))
                return;
        }
        if (node.prefix.latency + m_columns.value() >= limit(kAsGood))
            return;
        CombinedColumns found = combineColumns(
            m_columns,
            {isRoot ? kFirstWidth : kWidth, limit(isRoot ? 1 - kRounding : kAsGood), kMostPlans, &node.prefix,
             isRoot ? inside() : std::span<const PlanEntry>(), [&] { return keepGoing(); },
             [&](const PlanState& s) { return m_visited.contains(s); }});
        for (Plan& plan : found.plans)
            keep(std::move(plan));
        for (const std::vector<PlanColumn>& ahead : found.ahead) {
            Node next{node.prefix, 0};
            for (const PlanColumn& c : ahead)
                next.prefix = extended(m_pool, std::move(next.prefix), c);
            if (!m_visited.insert(next.prefix).second)
                continue;
            m_columns.startFrom(next.prefix);
            if (!keepGoing())
                break;
            if (!m_columns.solve())
                continue;
            next.least = next.prefix.latency + m_columns.value();
            if (next.least < limit(kAsGood))
                m_open.push_back(std::move(next));
        }
    }

    /// What a plan up to the end of the window becomes as a whole.
    void keep(Plan plan)
    {
        m_columns.add(std::span(plan.entries).subspan(m_window.first));
        plan.entries.insert(plan.entries.end(), after().begin(), after().end());
        if (!m_settler.settle(plan))
            return;
        if (isWhole())
            m_columns.add(plan.entries); // settling may have found something else to do
        m_limit = std::min(m_limit, plan.total - m_latencyAfter);
        m_plans.push_back(std::move(plan));
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
        CombineOptions options{kWidth, limit(kFinished), 1, &it->prefix, {}, [] { return true; }};
        for (Plan& plan : combineColumns(m_columns, options).plans)
            keep(std::move(plan));
    }

    SubgraphPool& m_pool;
    PlanSettler m_settler;
    Plan m_best; ///< at the start
    PlanWindow m_window;
    PlanColumns::Repeats m_repeats;
    PlanColumns m_columns;
    ColumnWalk m_walk;
    std::function<double(std::int64_t)> m_used;
    std::int64_t m_rounds = 0;
    double m_latencyAfter = 0; ///< of after()
    double m_limit;            ///< the best known latency up to the end of the window
    double m_root = 0;         ///< the least of any plan, by the relaxation; the same
    bool m_isLoose = false;
    std::vector<Node> m_open;
    std::unordered_set<PlanState, PlanState::Hash> m_visited; ///< what the search has gone on from, or may
    std::vector<Plan> m_plans;
};

} // namespace

ColumnSearch::ColumnSearch(const Problem& problem, const Rules& rules, TilingMemo& memo, std::uint64_t seed,
                           std::function<bool()> keepGoing)
    : m_keepGoing(std::move(keepGoing)), m_pool(problem, rules, memo, {}), m_seed(seed), m_random(seed)
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
    if (m_known.size() > kMostLearnt)
        m_known.erase(m_known.begin(), m_known.end() - kMostLearnt);
    std::vector<Plan> out;
    PlanSettler settler(pool);
    for (const Plan& plan : search(copyOf(best, pool, m_pool), used))
        if (Plan copy = copyOf(plan, m_pool, pool); settler.settle(copy))
            out.push_back(std::move(copy));
    return out;
}

std::vector<Plan> ColumnSearch::search(Plan best, const std::function<double(std::int64_t)>& used)
{
    if (!PlanSettler(m_pool).settle(best))
        return {};
    const double whole = m_pool.problem().opCount() <= kWholeOps ? 1 : kWholeShare;
    std::vector<Plan> out;
    std::int64_t rounds = 0;
    for (bool isLoose = true; isLoose;) {
        ++m_seed;
        Session session(m_pool, m_seed, best, {0, best.entries.size()}, repeats());
        out = session.run(m_known, [&](std::int64_t own) { return used(rounds + own) / whole; });
        m_known = m_keepGoing() ? session.known() : std::vector<KnownColumn>();
        rounds += session.rounds();
        isLoose = session.isLoose();
        m_isLoose |= isLoose;
    }
    if (whole < 1)
        searchWindows(std::move(best), rounds, used, out);
    return out;
}

void ColumnSearch::searchWindows(Plan best, std::int64_t rounds,
                                 const std::function<double(std::int64_t)>& used, std::vector<Plan>& plans)
{
    if (!plans.empty() && plans.front().total < best.total)
        best = plans.front();
    for (int idle = 0; idle < kIdleWindows && m_keepGoing() && m_pool.size() < kMostSets; ++idle) {
        const double start = used(rounds);
        if (start >= 1)
            break;
        const double length = std::min(kWindowShare, 1 - start);
        ++m_seed;
        Session session(m_pool, m_seed, best, windowOf(best), repeats());
        const std::vector<Plan> found =
            session.run(m_known, [&](std::int64_t own) { return (used(rounds + own) - start) / length; });
        rounds += session.rounds();
        if (m_keepGoing())
            learn(session.known());
        if (found.empty() || found.front().total >= best.total)
            continue;
        best = found.front();
        plans.insert(plans.begin(), best);
        idle = -1;
    }
    if (plans.size() > kMostPlans)
        plans.resize(kMostPlans);
}

PlanColumns::Repeats ColumnSearch::repeats() const
{
    return m_isLoose || m_seed % 2 != 0 ? PlanColumns::Repeats::Unlikely : PlanColumns::Repeats::Likely;
}

PlanWindow ColumnSearch::windowOf(const Plan& plan)
{
    const auto opsOf = [&](std::size_t i) { return m_pool.set(plan.entries[i].set).ops.size(); };
    std::size_t all = 0;
    for (std::size_t i = 0; i < plan.entries.size(); ++i)
        all += opsOf(i);
    std::size_t skipped = m_random.below(static_cast<std::uint32_t>(all));
    PlanWindow out;
    // As many begin at the start, and end at the end, as anywhere.
    for (; out.first + 1 < plan.entries.size() && skipped >= kWindowOps / 2 + opsOf(out.first); ++out.first)
        skipped -= opsOf(out.first);
    std::size_t ops = 0;
    while (out.first + out.count < plan.entries.size() && ops < kWindowOps)
        ops += opsOf(out.first + out.count++);
    while (out.first > 0 && ops < kWindowOps) {
        ops += opsOf(--out.first);
        ++out.count;
    }
    return out;
}

} // namespace tilewright
