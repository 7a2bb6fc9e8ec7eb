// SPDX-License-Identifier: GPL-3.0-or-later
#include "solve/columns/column_generation.h"

#include "solve/columns/combine_columns.h"
#include "solve/columns/pricing_walk.h"

namespace tilewright {

namespace {

using TimeUsed = ColumnGeneration::TimeUsed;

/// Maximum share of the time that pricing takes before the first branching.
constexpr double kRootPricingShare = 0.3;
// Limits on pricing after the first branching: number of pricing rounds, and number of steps of a pricing
// walk.
constexpr std::int64_t kNodePricingRounds = 4;
constexpr int kNodePricingSteps = 60;
constexpr std::int64_t kNoEnd = std::numeric_limits<std::int64_t>::max();
constexpr int kMaxIdleRounds = 20;          ///< pricing ends after this number of rounds without a new column
constexpr std::size_t kRootBeamWidth = 300; ///< beam width at the root node
constexpr std::size_t kBeamWidth = 100;     ///< beam width at all nodes but the root
/// A node is pruned if its bound exceeds this multiple of the best latency.
constexpr double kPruneRatio = 1.01;
/// Limit on the latency of the plan that completePlan() builds, as a multiple of the best latency.
constexpr double kFinishLimit = 1.3;
constexpr double kRounding = 1e-9;
constexpr double kMinGap = 1e-4; ///< minimum gap, relative to the best latency, for a search to be worthwhile
/// Gap, relative to the best latency, above which the relaxation counts as too weak.
constexpr double kMaxGap = 0.08;
/// The bound of a node is expected to grow by this multiple of the root node's gap, times the undecided share
/// of the node's plan.
constexpr double kTailGrowth = 2;
constexpr std::size_t kMaxPlans = 6;
/// Maximum number of initial columns; larger linear programs take too long.
constexpr std::size_t kMaxInitialColumns = 1000;
constexpr std::size_t kMaxKnownColumns = 10000;
constexpr std::size_t kMaxPoolSets = 60000; ///< maximum number of op sets in the pool
// Share of the time for searching whole plans in large problems. The rest of the time is for stretches of
// plans.
constexpr double kWholePlanShare = 0.5;
constexpr std::size_t kStretchOps = 70;
constexpr double kStretchShare = 0.125; ///< maximum share of the time for the search of one stretch
/// The search ends after this number of consecutive stretches without a better plan.
constexpr int kMaxIdleStretches = 12;

/// Node of branch and price: the first subgraphs of a plan, and a lower bound from the relaxation for plans
/// that begin with them.
struct Node
{
    PlanPrefix prefix;
    double bound = 0;
};

/// One branch-and-price search over a stretch of a valid plan. The tree is not exhausted.
class BranchAndPrice
{
public:
    BranchAndPrice(SubgraphPool& pool, std::uint64_t seed, Plan best, PlanStretch stretch,
                   MasterProblem::Repeats repeats)
        : m_pool(pool), m_repair(pool), m_best(std::move(best)), m_stretch(stretch), m_repeats(repeats),
          m_master(pool, repeats, fixedAround(pool, m_best, stretch)), m_walk(m_master, seed),
          m_limit(m_best.total)
    {
        for (const CostedSet& e : inside())
            for (const OpId o : pool.set(e.set).ops)
                (void)m_master.add({pool.intern({o})});
        m_master.addPlan(inside());
        for (const CostedSet& e : after())
            m_latencyAfter += e.latency;
        m_limit -= m_latencyAfter;
    }

    std::vector<Plan> run(const std::vector<PortableSet>& known, const TimeUsed& used)
    {
        m_used = used;
        if (!m_master.solve())
            return {};
        addColumns(known);
        while (keepGoing()) {
            m_master.startFrom(before());
            const double left = 1 - m_used(m_rounds);
            if (!price(kNoEnd, std::numeric_limits<int>::max(), 1 - (1 - kRootPricingShare) * left))
                break;
            m_root = before().latency + m_master.value();
            m_isLoose = m_plans.empty() && m_root < limit(1 - kMaxGap);
            if (m_root >= limit(1 - kMinGap) || (m_isLoose && m_repeats == MasterProblem::Repeats::Likely))
                break;
            m_open = {{before(), m_root}};
            while (!m_open.empty() && keepGoing())
                expandNext();
        }
        if (m_plans.empty() && isWhole() && !isLoose())
            completePlan();
        std::ranges::stable_sort(m_plans, {}, &Plan::total);
        if (m_plans.size() > kMaxPlans)
            m_plans.resize(kMaxPlans);
        return std::move(m_plans);
    }

    [[nodiscard]] std::int64_t rounds() const noexcept { return m_rounds; }
    /// True if the search ended early because the relaxation is too weak.
    [[nodiscard]] bool isLoose() const noexcept
    {
        return m_isLoose && m_repeats == MasterProblem::Repeats::Likely;
    }

    /// Returns the columns with the least reduced costs.
    std::vector<PortableSet> known()
    {
        std::vector<PortableSet> out;
        m_master.startFrom(before());
        if (!m_master.solve())
            return out;
        std::vector<std::pair<double, std::size_t>> byReducedCost;
        for (std::size_t i = 0; i < m_master.columns().size(); ++i)
            byReducedCost.emplace_back(m_master.reducedCost(m_master.columns()[i]), i);
        std::ranges::sort(byReducedCost);
        for (const auto& [reducedCost, i] : byReducedCost) {
            if (out.size() >= kMaxInitialColumns ||
                before().latency + m_master.value() + reducedCost > limit(1 + kRounding))
                break;
            out.push_back(m_pool.portable(m_master.columns()[i]));
        }
        return out;
    }

private:
    [[nodiscard]] const PlanPrefix& before() const { return m_master.fixed().before; }
    [[nodiscard]] std::span<const CostedSet> inside() const
    {
        return std::span(m_best.entries).subspan(m_stretch.first, m_stretch.count);
    }
    [[nodiscard]] std::span<const CostedSet> after() const
    {
        return std::span(m_best.entries).subspan(m_stretch.first + m_stretch.count);
    }
    [[nodiscard]] bool isWhole() const { return m_stretch.count == m_best.entries.size(); }
    /// Returns the latency of the plan up to the end of the stretch, if the latency of the stretch were
    /// `times` its latency in the best plan.
    [[nodiscard]] double limit(double times) const
    {
        return before().latency + (m_limit - before().latency) * times;
    }

    /// Adds those columns that can be part of a better plan, i.e. whose reduced cost does not exceed the gap.
    void addColumns(const std::vector<PortableSet>& known)
    {
        const double gap = m_limit - before().latency - m_master.value();
        std::vector<std::pair<double, PlannedSet>> good;
        for (const PortableSet& k : known) {
            const PlannedSet c = m_pool.intern(k);
            const double price = m_master.price(c);
            if (m_pool.latencyFloor(c) > price + gap)
                continue;
            if (const double reducedCost = m_pool.latency(c) - price; reducedCost <= gap)
                good.emplace_back(reducedCost, c);
        }
        std::ranges::stable_sort(good, {}, &std::pair<double, PlannedSet>::first);
        for (std::size_t i = 0; i < std::min(good.size(), kMaxInitialColumns); ++i)
            (void)m_master.add(good[i].second);
    }

    [[nodiscard]] bool keepGoing() const { return m_used(m_rounds) < 1; }

    /// Runs at most `most` rounds of pricing with walks of at most `steps` steps, and solves the master
    /// problem in each round. Returns false if the master problem has no optimum.
    bool price(std::int64_t most, int steps, double until)
    {
        const auto goOn = [&] { return m_used(m_rounds) < until; };
        for (int idle = 0; most > 0 && idle < kMaxIdleRounds && m_pool.size() < kMaxPoolSets && goOn();
             --most, ++m_rounds) {
            if (!m_master.solve())
                return false;
            idle = m_walk.round(steps, goOn) > 0 ? 0 : idle + 1;
        }
        return m_master.solve();
    }

    /// Expected latency of the best plan that begins with the node's prefix. The bound is expected to grow in
    /// proportion to the undecided part of the plan.
    [[nodiscard]] double expected(const Node& node) const
    {
        const double undecided = (node.bound - node.prefix.latency) / (node.bound - before().latency);
        return node.bound + kTailGrowth * (m_limit - m_root) * undecided;
    }

    /// Removes the best open node and builds plans from it, or child nodes with longer prefixes.
    void expandNext()
    {
        ++m_rounds;
        const auto it = std::ranges::min_element(m_open, {}, [&](const Node& n) { return expected(n); });
        Node node = std::move(*it);
        m_open.erase(it);
        if (node.bound >= limit(kPruneRatio))
            return;
        const bool isRoot = node.prefix.columns.size() == before().columns.size();
        if (!isRoot) {
            m_master.startFrom(node.prefix);
            if (!price(kNodePricingRounds, kNodePricingSteps, 1))
                return;
        }
        if (node.prefix.latency + m_master.value() >= limit(kPruneRatio))
            return;
        CombinedColumns found = combineColumns(
            m_master,
            {isRoot ? kRootBeamWidth : kBeamWidth, limit(isRoot ? 1 - kRounding : kPruneRatio), kMaxPlans,
             &node.prefix, isRoot ? inside() : std::span<const CostedSet>(), [&] { return keepGoing(); },
             [&](const PlanState& s) { return m_visited.contains(s); }});
        for (Plan& plan : found.plans)
            keep(std::move(plan));
        for (const std::vector<CostedSet>& extension : found.extensions) {
            Node next{node.prefix, 0};
            for (const CostedSet& c : extension)
                next.prefix = extended(m_pool, std::move(next.prefix), c);
            if (!m_visited.insert(next.prefix).second)
                continue;
            m_master.startFrom(next.prefix);
            if (!keepGoing())
                break;
            if (!m_master.solve())
                continue;
            next.bound = next.prefix.latency + m_master.value();
            if (next.bound < limit(kPruneRatio))
                m_open.push_back(std::move(next));
        }
    }

    /// Appends the fixed part behind the stretch to a plan, and stores the plan if it is valid.
    void keep(Plan plan)
    {
        m_master.addPlan(std::span(plan.entries).subspan(m_stretch.first));
        plan.entries.insert(plan.entries.end(), after().begin(), after().end());
        if (!m_repair.makeValid(plan))
            return;
        if (isWhole())
            m_master.addPlan(plan.entries); // PlanRepair may have changed the columns of the plan
        m_limit = std::min(m_limit, plan.total - m_latencyAfter);
        m_plans.push_back(std::move(plan));
    }

    /// Builds plans from the node whose prefix has the largest share in its bound, if the search has found no
    /// plan within the time limit. Such a plan may gain more at its start than it loses at its end.
    void completePlan()
    {
        const auto it =
            std::ranges::max_element(m_open, {}, [](const Node& n) { return n.prefix.latency / n.bound; });
        if (it == m_open.end() || it->prefix.columns.empty())
            return;
        m_master.startFrom(it->prefix);
        if (!m_master.solve())
            return;
        CombineOptions options{kBeamWidth, limit(kFinishLimit), 1, &it->prefix, {}, [] { return true; }};
        for (Plan& plan : combineColumns(m_master, options).plans)
            keep(std::move(plan));
    }

    SubgraphPool& m_pool;
    PlanRepair m_repair;
    Plan m_best; ///< best plan at the start of the search
    PlanStretch m_stretch;
    MasterProblem::Repeats m_repeats;
    MasterProblem m_master;
    PricingWalk m_walk;
    TimeUsed m_used;
    std::int64_t m_rounds = 0;
    double m_latencyAfter = 0; ///< sum of the latencies of the subgraphs after the stretch
    double m_limit;            ///< latency of the incumbent up to the end of the stretch
    double m_root = 0;         ///< root node's lower bound of the latency up to the end of the stretch
    bool m_isLoose = false;
    std::vector<Node> m_open;
    /// The states at the ends of the prefixes of all nodes.
    std::unordered_set<PlanState, PlanState::Hash> m_visited;
    std::vector<Plan> m_plans;
};

} // namespace

ColumnGeneration::ColumnGeneration(const Problem& problem, const Rules& rules, TilingMemo& memo,
                                   std::uint64_t seed, std::function<bool()> keepGoing)
    : m_keepGoing(std::move(keepGoing)), m_pool(problem, rules, memo, {}), m_seed(seed), m_random(seed)
{
    m_pool.setKeepGoing(m_keepGoing);
}

std::vector<Plan> ColumnGeneration::plansNear(SubgraphPool& pool, const Plan& best, const TimeUsed& used)
{
    if (m_pool.size() >= kMaxPoolSets)
        m_pool.clear();
    if (m_known.size() > kMaxKnownColumns)
        m_known.erase(m_known.begin(), m_known.end() - kMaxKnownColumns);
    std::vector<Plan> out;
    PlanRepair repair(pool);
    for (const Plan& plan : search(toPlan(m_pool, portable(pool, best)), used))
        if (Plan copy = toPlan(pool, portable(m_pool, plan)); repair.makeValid(copy))
            out.push_back(std::move(copy));
    return out;
}

std::vector<Plan> ColumnGeneration::search(Plan best, const TimeUsed& used)
{
    if (!PlanRepair(m_pool).makeValid(best))
        return {};
    const double whole = m_pool.problem().opCount() <= kWholeOps ? 1 : kWholePlanShare;
    std::vector<Plan> out;
    std::int64_t rounds = 0;
    for (bool isLoose = true; isLoose;) {
        ++m_seed;
        BranchAndPrice branching(m_pool, m_seed, best, {0, best.entries.size()}, repeats());
        out = branching.run(m_known, [&](std::int64_t own) { return used(rounds + own) / whole; });
        m_known = m_keepGoing() ? branching.known() : std::vector<PortableSet>();
        rounds += branching.rounds();
        isLoose = branching.isLoose();
        m_isLoose |= isLoose;
    }
    if (whole < 1)
        searchStretches(std::move(best), rounds, used, out);
    return out;
}

/// Searches stretches of the best plan (`best`, or the first of `plans`) one after another until the time
/// limit, and adds better plans to `plans`.
void ColumnGeneration::searchStretches(Plan best, std::int64_t rounds, const TimeUsed& used,
                                       std::vector<Plan>& plans)
{
    if (!plans.empty() && plans.front().total < best.total)
        best = plans.front();
    for (int idle = 0; idle < kMaxIdleStretches && m_keepGoing() && m_pool.size() < kMaxPoolSets; ++idle) {
        const double start = used(rounds);
        if (start >= 1)
            break;
        const double length = std::min(kStretchShare, 1 - start);
        ++m_seed;
        BranchAndPrice branching(m_pool, m_seed, best, randomStretch(best), repeats());
        const std::vector<Plan> found =
            branching.run(m_known, [&](std::int64_t own) { return (used(rounds + own) - start) / length; });
        rounds += branching.rounds();
        if (m_keepGoing())
            addColumns(branching.known());
        if (found.empty() || found.front().total >= best.total)
            continue;
        best = found.front();
        plans.insert(plans.begin(), best);
        idle = -1;
    }
    if (plans.size() > kMaxPlans)
        plans.resize(kMaxPlans);
}

MasterProblem::Repeats ColumnGeneration::repeats() const
{
    return m_isLoose || m_seed % 2 != 0 ? MasterProblem::Repeats::Unlikely : MasterProblem::Repeats::Likely;
}

/// Returns a random stretch of about kStretchOps ops.
PlanStretch ColumnGeneration::randomStretch(const Plan& plan)
{
    const auto opsOf = [&](std::size_t i) { return m_pool.set(plan.entries[i].set).ops.size(); };
    std::size_t all = 0;
    for (std::size_t i = 0; i < plan.entries.size(); ++i)
        all += opsOf(i);
    std::size_t skipped = m_random.below(all);
    PlanStretch out;
    // Shifts the start so that all ops are about equally likely to be in the stretch, including those at both
    // ends of the plan.
    for (; out.first + 1 < plan.entries.size() && skipped >= kStretchOps / 2 + opsOf(out.first); ++out.first)
        skipped -= opsOf(out.first);
    std::size_t ops = 0;
    while (out.first + out.count < plan.entries.size() && ops < kStretchOps)
        ops += opsOf(out.first + out.count++);
    while (out.first > 0 && ops < kStretchOps) {
        ops += opsOf(--out.first);
        ++out.count;
    }
    return out;
}

} // namespace tilewright
