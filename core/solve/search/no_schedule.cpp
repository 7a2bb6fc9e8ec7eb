// SPDX-License-Identifier: GPL-3.0-or-later
#include "solve/search/no_schedule.h"

#include "base/integer.h"
#include "base/text.h"
#include "eval/fast_evaluator.h"
#include "rules/check.h"
#include "rules/subgraph_plan.h"
#include "solve/proof/exact.h"
#include "solve/search/op_room.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

namespace tilewright {

namespace {

constexpr std::int64_t kUnlimited = std::int64_t{1} << 62;
/// Maximum number of inputs of a locked subgraph that are tried as resident tensors
constexpr std::size_t kMostHelpers = 6;
/// Maximum number of ops of a problem that is searched exhaustively
constexpr std::size_t kEnumeratedOps = 8;
constexpr std::size_t kEnumeratedNodes = 50'000;
constexpr std::chrono::seconds kMostTime{5}; ///< time limit for all calls of enumerate() together

enum class Answer : std::uint8_t { Yes, No, Unknown };

/// A rule switch and its value that restricts subgraphs least.
struct LooserRule
{
    std::string_view name, value;
};
constexpr std::array kReleases{LooserRule{"supernative", "ceil"}, LooserRule{"k_limit", "reduction"},
                               LooserRule{"k_above_K", "clamp"},  LooserRule{"prologue", "off"},
                               LooserRule{"op_order", "ignore"},  LooserRule{"retain_inputs", "allow"}};

/// True if the value of this switch in `rules` is not the least restrictive one.
bool restricts(const Rules& rules, const LooserRule& release)
{
    return release.name == "retain_inputs" ? !rules.keepsInputs()
                                           : ruleValue(rules, release.name) != release.value;
}

/// A subgraph that is locked in the start schedule, and its index (`place`) in that schedule.
struct Lock
{
    std::size_t place = 0;
    Subgraph subgraph;
};

std::vector<Lock> locksOf(const SolveOptions& options)
{
    std::vector<Lock> out;
    if (!options.start)
        return out;
    const StartPlan plan = startPlan(*options.start, options.selection);
    std::size_t set = 0;
    for (std::size_t i = 0; i < options.start->size(); ++i) {
        const Subgraph& s = *options.start->subgraphs[i];
        if (!s.ops.empty() && plan.sets[set++].lock >= 0)
            out.push_back({i, s});
    }
    return out;
}

/// Fast memory that a subgraph needs, i.e. its largest working set, in units.
struct Need
{
    Answer legal = Answer::No;       ///< whether the rules allow the subgraph
    std::int64_t alone = kUnlimited; ///< the need if no tensor is resident at its start
    /// minimum of the need over all choices of resident tensors; a lower bound of the need in every schedule
    std::int64_t least = kUnlimited;
    std::string fault; ///< message of the first rule that the subgraph violates
};

/// Decides whether some schedule satisfies a given subset of the limits.
class Finder
{
public:
    Finder(const Problem& problem, const SolveOptions& options)
        : m_problem(problem), m_rules(options.rules), m_locks(locksOf(options)),
          m_constraints(options.constraints), m_stop(options.stop)
    {
        for (const LooserRule& release : kReleases)
            if (restricts(m_rules, release))
                m_releases.push_back(release);
        m_ops.reserve(problem.opCount());
        for (std::size_t i = 0; i < problem.opCount(); ++i)
            m_ops.push_back(roomOfOp(problem, m_rules, OpId(i)));
    }

    // The limits have indices in this order: the capacity, the locks, the rule switches, the constraints.
    [[nodiscard]] std::size_t count() const { return firstConstraint() + m_constraints.size(); }
    [[nodiscard]] std::vector<std::size_t> all() const
    {
        std::vector<std::size_t> out(count());
        for (std::size_t i = 0; i < out.size(); ++i)
            out[i] = i;
        return out;
    }
    [[nodiscard]] const Lock* lockOf(std::size_t limit) const
    {
        return limit >= 1 && limit <= m_locks.size() ? &m_locks[limit - 1] : nullptr;
    }
    [[nodiscard]] const LooserRule* releaseOf(std::size_t limit) const
    {
        return limit > m_locks.size() && limit < firstConstraint() ? &m_releases[limit - 1 - m_locks.size()]
                                                                   : nullptr;
    }
    [[nodiscard]] std::string constraintText(std::size_t limit) const
    {
        return tilewright::constraintText(m_problem, m_constraints, limit - firstConstraint());
    }

    /// Decides whether some schedule satisfies the limits `kept`, with `capacity` (in units) in place of the
    /// capacity of the problem.
    Answer ask(const std::vector<std::size_t>& kept, std::int64_t capacity)
    {
        const bool isLimited = !kept.empty() && kept.front() == 0;
        const std::int64_t room = isLimited ? capacity : kUnlimited;
        const Rules rules = rulesWith(kept);
        const ScheduleConstraints constraints = constraintsWith(kept);
        if (isContradiction(constraints))
            return Answer::No;
        Answer out = Answer::Yes;
        const auto include = [&](Answer part) {
            if (part == Answer::No || out == Answer::Yes)
                out = part;
        };
        std::vector<const Need*> locked;
        for (const std::size_t i : kept)
            if (const Lock* lock = lockOf(i)) {
                const Need& need = needOf(*lock, rules);
                locked.push_back(&need);
                include(need.legal);
                include(need.least > room ? Answer::No : need.alone > room ? Answer::Unknown : Answer::Yes);
                if (need.legal == Answer::Yes && !keeps(*lock, rules, constraints))
                    include(Answer::No);
                if (out == Answer::No)
                    return out;
            }
        if (!isLimited && !constraints.any())
            return out;
        if (const Answer ops = askOps(kept, rules, constraints, room); ops != Answer::Yes)
            include(ops);
        if (out == Answer::Yes && !handsOver(kept, rules, room))
            out = Answer::Unknown;
        return out;
    }
    Answer ask(const std::vector<std::size_t>& kept) { return ask(kept, m_problem.capacityUnits()); }

    /// Returns the op with the largest necessary memory (OpRoom::least); ties are broken by OpRoom::alone.
    [[nodiscard]] std::size_t largestOp() const
    {
        return static_cast<std::size_t>(
            std::ranges::max_element(m_ops, {}, [](const OpRoom& r) { return std::pair(r.least, r.alone); }) -
            m_ops.begin());
    }
    [[nodiscard]] const OpRoom& opRoom(std::size_t op) const { return m_ops[op]; }
    /// Memory need of a locked subgraph under the rule switches that are among the limits `kept`.
    const Need& lockNeed(const Lock& lock, const std::vector<std::size_t>& kept)
    {
        return needOf(lock, rulesWith(kept));
    }
    /// Replaces the granularity of a locked subgraph.
    void retile(std::size_t limit, const Granularity& g) { m_locks[limit - 1].subgraph.granularity = g; }

private:
    [[nodiscard]] std::size_t firstConstraint() const { return 1 + m_locks.size() + m_releases.size(); }
    [[nodiscard]] ScheduleConstraints constraintsWith(const std::vector<std::size_t>& kept) const
    {
        ScheduleConstraints out = m_constraints;
        for (std::size_t i = m_constraints.size(); i-- > 0;)
            if (!std::ranges::binary_search(kept, firstConstraint() + i))
                out = out.without(i);
        return out;
    }
    [[nodiscard]] bool isOver() const { return std::chrono::steady_clock::now() >= m_end; }
    /// True if the constraints require two ops to be in one subgraph and also forbid it.
    [[nodiscard]] static bool isContradiction(const ScheduleConstraints& constraints)
    {
        return std::ranges::any_of(constraints.together, [&](const std::vector<OpId>& group) {
            return std::ranges::any_of(constraints.apart, [&](const std::vector<OpId>& apart) {
                return std::ranges::count_if(group,
                                             [&](OpId o) { return std::ranges::count(apart, o) > 0; }) > 1;
            });
        });
    }
    [[nodiscard]] bool keeps(const Lock& lock, const Rules& rules,
                             const ScheduleConstraints& constraints) const
    {
        Schedule alone;
        alone.subgraphs.push_back(std::make_shared<const Subgraph>(lock.subgraph));
        return violations(m_problem, rules, alone, constraints).empty();
    }
    [[nodiscard]] Rules rulesWith(const std::vector<std::size_t>& kept) const
    {
        Rules out = m_rules;
        for (std::size_t i = 0; i < m_releases.size(); ++i)
            if (!std::ranges::binary_search(kept, 1 + m_locks.size() + i))
                (void)setRule(out, m_releases[i].name, m_releases[i].value);
        return out;
    }

    [[nodiscard]] std::int64_t peakOf(const Subgraph& s, const SubgraphPlan& plan,
                                      std::span<const TensorId> resident) const
    {
        std::int64_t out = kUnlimited;
        std::vector<Traversal> tried{s.traversal};
        if (s.traversal.kind() != TraversalKind::Custom && s.traversal.kind() != TraversalKind::Spiral)
            tried = {TraversalKind::Raster, TraversalKind::Snake, TraversalKind::Column,
                     TraversalKind::ColumnSnake};
        const auto perElement = static_cast<double>(m_problem.unitsPerElement());
        for (const Traversal& traversal : tried)
            if (const auto e = evaluate(plan, s.granularity, traversal, resident, s.retain);
                e.structurallyValid && e.exact)
                out = std::min<std::int64_t>(out, std::llround(e.peakWorkingSet * perElement));
        return out;
    }

    const Need& needOf(const Lock& lock, const Rules& rules)
    {
        const auto key = std::pair(lock.place, std::pair(lock.subgraph.granularity, ruleKey(rules)));
        if (const auto known = m_needs.find(key); known != m_needs.end())
            return known->second;
        return m_needs.emplace(key, findNeed(lock, rules)).first->second;
    }
    /// The values of the rule switches in kReleases, as a key for caches.
    [[nodiscard]] static std::string ruleKey(const Rules& rules)
    {
        std::string out;
        for (const LooserRule& release : kReleases)
            out.append(ruleValue(rules, release.name)).append(" ");
        return out;
    }

    [[nodiscard]] Need findNeed(const Lock& lock, const Rules& rules) const
    {
        const Subgraph& s = lock.subgraph;
        const SubgraphId id(lock.place);
        Need out;
        if (const auto format = checkFormat(m_problem, s, id); !format.empty()) {
            out.fault = format.front().text;
            return out;
        }
        const auto issues = checkStructure(m_problem, s, id, rules);
        if (issues.empty()) {
            out.legal = Answer::Yes;
        } else {
            out.fault = issues.front().text;
            // R4.6: with retain_inputs=carry the retained tensors may already be resident at the start
            std::vector<TensorId> before = s.retain;
            std::ranges::sort(before);
            if (checkStructure(m_problem, s, id, rules, before).empty())
                out.legal = Answer::Unknown;
        }
        if (out.legal != Answer::Yes) {
            out.least = out.alone = 0; // a subgraph that violates a rule needs no check of its memory
            return out;
        }
        const SubgraphPlan plan(m_problem, s.ops, rules);
        out.alone = out.least = peakOf(s, plan, {});
        if (out.alone == kUnlimited) { // the subgraph has too many steps to evaluate
            out.alone = kUnlimited;
            out.least = 0;
            return out;
        }
        // Making a tensor resident reduces the memory need only if its slices are in several buffers at once.
        std::vector<TensorId> helpers;
        for (std::size_t i = 0; i < plan.inputs().size(); ++i) {
            const auto requests = std::ranges::count_if(
                plan.uses(), [&](const SubgraphPlan::Use& u) { return !u.run && u.id == i; });
            const TensorId stored = m_problem.stored(plan.inputs()[i]);
            if ((requests > 1 || stored != plan.inputs()[i]) && !m_problem.isView(stored) &&
                (m_problem.producer(stored) || rules.keepsInputs()))
                helpers.push_back(stored);
        }
        std::ranges::sort(helpers);
        helpers.erase(std::unique(helpers.begin(), helpers.end()), helpers.end());
        if (helpers.size() > kMostHelpers) {
            out.least = 0;
            return out;
        }
        for (std::size_t mask = 1; mask < std::size_t{1} << helpers.size(); ++mask) {
            std::vector<TensorId> resident;
            for (std::size_t i = 0; i < helpers.size(); ++i)
                if ((mask >> i & 1U) != 0)
                    resident.push_back(helpers[i]);
            out.least = std::min(out.least, peakOf(s, plan, resident));
        }
        return out;
    }

    /// Decides whether every op can run with `room` units of fast memory, alone or fused with others.
    Answer askOps(const std::vector<std::size_t>& kept, const Rules& rules,
                  const ScheduleConstraints& constraints, std::int64_t room)
    {
        std::vector<char> covered(m_problem.opCount());
        for (const std::size_t i : kept)
            if (const Lock* lock = lockOf(i))
                for (const OpId o : lock->subgraph.ops)
                    covered[o.index()] = 1;
        bool allAlone = true;
        for (std::size_t i = 0; i < m_ops.size(); ++i) {
            if (covered[i] == 0 && m_ops[i].least > room)
                return Answer::No;
            allAlone = allAlone && m_ops[i].alone <= room;
        }
        if (allAlone && !constraints.any())
            return Answer::Yes;
        if (m_problem.opCount() > kEnumeratedOps || std::ranges::count(covered, 1) > 0)
            return Answer::Unknown;
        return enumerate(rules, constraints, room);
    }

    /// Decides by exhaustive search whether a schedule exists; locked subgraphs are ignored.
    Answer enumerate(const Rules& rules, const ScheduleConstraints& constraints, std::int64_t room)
    {
        const auto key = std::pair(ruleKey(rules) + writeConstraints(m_problem, constraints), room);
        if (const auto known = m_enumerated.find(key); known != m_enumerated.end())
            return known->second;
        Answer out = Answer::Unknown;
        if (isOver())
            return out;
        Problem::Data data = m_problem.data();
        data.hardware.fastMemoryCapacity = std::min(room, kMaxArea) / m_problem.unitsPerElement();
        if (const auto problem = Problem::build(std::move(data))) {
            TilingMemo memo;
            SubgraphPool pool(**problem, rules, memo, {}, constraints);
            ExactLimits limits;
            limits.maxNodes = kEnumeratedNodes;
            limits.keepGoing = [this] { return !m_stop.stop_requested() && !isOver(); };
            const ExactResult exact =
                solveExactly(pool, rules, wholeProblem(**problem), TilingEffort::Exhaustive, limits);
            out = exact.entries ? Answer::Yes : exact.finished ? Answer::No : Answer::Unknown;
        }
        m_enumerated.emplace(key, out);
        return out;
    }

    /// False if some locked subgraph retains tensors that leave no op enough memory in the next subgraph,
    /// where the tensors stay in fast memory (R3.3). The last locked subgraph is not checked, because it may
    /// end the schedule.
    bool handsOver(const std::vector<std::size_t>& kept, const Rules& rules, std::int64_t room)
    {
        bool isLast = true;
        for (auto i = kept.rbegin(); i != kept.rend(); ++i) {
            const Lock* lock = lockOf(*i);
            if (!lock || lock->subgraph.retain.empty())
                continue;
            if (std::exchange(isLast, false))
                continue;
            std::vector<TensorId> resident = lock->subgraph.retain;
            std::ranges::sort(resident);
            const bool any = std::ranges::any_of(m_problem.topologicalOrder(), [&](OpId o) {
                Subgraph s{{o}, {1, 1, 1}, {}, {}, {}, false};
                return peakOf(s, SubgraphPlan(m_problem, s.ops, rules), resident) <= room;
            });
            if (!any)
                return false;
        }
        return true;
    }

    const Problem& m_problem;
    Rules m_rules;
    std::vector<Lock> m_locks;
    std::vector<LooserRule> m_releases;
    ScheduleConstraints m_constraints;
    std::stop_token m_stop;
    std::chrono::steady_clock::time_point m_end = std::chrono::steady_clock::now() + kMostTime;
    std::vector<OpRoom> m_ops;
    /// Results of findNeed(). The key has the place and granularity of the locked subgraph, and the rules as
    /// text.
    std::map<std::pair<std::size_t, std::pair<Granularity, std::string>>, Need> m_needs;
    /// Answers of enumerate(). The key has the rules and constraints as text, and the memory in units.
    std::map<std::pair<std::string, std::int64_t>, Answer> m_enumerated;
};

/// Describes in words which limits exclude all schedules.
class Reason
{
public:
    Reason(const Problem& problem, Finder& finder) : m_problem(problem), m_finder(finder) {}

    Exclusion find()
    {
        m_core = smallestExcluding(m_finder.count(), [&](const std::vector<std::size_t>& kept) {
            return m_finder.ask(kept) == Answer::No;
        });
        Exclusion out;
        std::vector<std::string> because;
        std::size_t constraints = 0;
        for (const std::size_t limit : m_core) {
            if (const Lock* lock = m_finder.lockOf(limit)) {
                out.limits.push_back(lockLimit(limit, *lock));
                because.push_back(lockText(*lock));
            } else if (const LooserRule* release = m_finder.releaseOf(limit)) {
                out.limits.push_back(ruleLimit(limit, *release));
            } else if (limit > 0) {
                ++constraints;
                out.limits.push_back({"constraint", m_finder.constraintText(limit), {}});
                if (helps(allBut(limit)))
                    out.limits.back().enough.push_back("leaving out " + m_finder.constraintText(limit));
            } else {
                out.limits.push_back(capacityLimit());
            }
        }
        if (because.empty())
            because.push_back(constraints == 0   ? opText()
                              : constraints == 1 ? "none of all schedules keeps it"
                                                 : "none of all schedules keeps them");
        out.because = listedWith(because, "and");
        return out;
    }

private:
    [[nodiscard]] std::string elements(std::int64_t units) const
    {
        const double count = m_problem.elementsOf(units);
        return formatGrouped(count) + (count == 1 ? " element" : " elements");
    }
    [[nodiscard]] bool helps(const std::vector<std::size_t>& kept)
    {
        return m_finder.ask(kept) == Answer::Yes;
    }
    [[nodiscard]] std::vector<std::size_t> allBut(std::size_t limit) const
    {
        std::vector<std::size_t> out = m_finder.all();
        std::erase(out, limit);
        return out;
    }

    /// The capacity as a limit, with the smallest capacity for which some schedule satisfies all other
    /// limits.
    ExcludingLimit capacityLimit()
    {
        ExcludingLimit out{"capacity", elements(m_problem.capacityUnits()), {}};
        const std::vector<std::size_t> all = m_finder.all();
        const std::int64_t unit = m_problem.unitsPerElement();
        const std::int64_t most = kUnlimited / 4 / unit;
        const auto isEnough = [&](std::int64_t capacity) {
            return m_finder.ask(all, capacity * unit) == Answer::Yes;
        };
        std::int64_t below = m_problem.hardware().fastMemoryCapacity;
        std::int64_t enough = below;
        while (enough < most && !isEnough(enough = 2 * enough))
            below = enough;
        if (enough >= most)
            return out;
        while (enough - below > 1) {
            const std::int64_t middle = below + (enough - below) / 2;
            (isEnough(middle) ? enough : below) = middle;
        }
        out.enough.push_back("a capacity of " + elements(enough * unit));
        return out;
    }

    ExcludingLimit lockLimit(std::size_t limit, const Lock& lock)
    {
        const std::string place = formatGrouped(lock.place);
        ExcludingLimit out{"the lock of subgraph " + place, {}, {}};
        const Granularity g = lock.subgraph.granularity;
        for (const auto& [axis, name] : {std::pair(&Granularity::h, "h"), std::pair(&Granularity::w, "w"),
                                         std::pair(&Granularity::k, "k")})
            if (const auto size = largestSize(limit, g, axis))
                out.enough.push_back(std::string(name) + " = " + formatGrouped(*size) + " in subgraph " +
                                     place);
        if (helps(allBut(limit)))
            out.enough.push_back("subgraph " + place + " without its lock");
        return out;
    }
    /// The largest extent on one axis, below that of the locked subgraph, for which a schedule exists.
    std::optional<std::int64_t> largestSize(std::size_t limit, const Granularity& locked,
                                            std::int64_t Granularity::*axis)
    {
        const auto isEnough = [&](std::int64_t size) {
            Granularity g = locked;
            g.*axis = size;
            m_finder.retile(limit, g);
            return helps(m_finder.all());
        };
        std::optional<std::int64_t> out;
        if (locked.*axis > 1 && isEnough(1)) {
            std::int64_t enough = 1, above = locked.*axis;
            while (above - enough > 1) { // bisection is valid because smaller tiles never need more memory
                const std::int64_t middle = enough + (above - enough) / 2;
                (isEnough(middle) ? enough : above) = middle;
            }
            out = enough;
        }
        m_finder.retile(limit, locked);
        return out;
    }

    ExcludingLimit ruleLimit(std::size_t limit, const LooserRule& release)
    {
        ExcludingLimit out{"rule " + std::string(release.name), {}, {}};
        if (helps(allBut(limit)))
            out.enough.push_back("rule " + std::string(release.name) + "=" + std::string(release.value));
        return out;
    }

    [[nodiscard]] std::string lockText(const Lock& lock)
    {
        const Need& need = m_finder.lockNeed(lock, m_core);
        const std::string place = "subgraph " + formatGrouped(lock.place);
        if (need.legal != Answer::Yes)
            return need.fault;
        const Granularity& g = lock.subgraph.granularity;
        std::string out = place + " needs " + elements(need.least) + " with its tile w " +
                          formatGrouped(g.w) + ", h " + formatGrouped(g.h) + ", k " + formatGrouped(g.k);
        if (!lock.subgraph.retain.empty())
            out +=
                lock.subgraph.retain.size() == 1 ? " and its retained tensor" : " and its retained tensors";
        return out;
    }
    [[nodiscard]] std::string opText() const
    {
        const std::size_t op = m_finder.largestOp();
        const OpRoom& room = m_finder.opRoom(op);
        const std::string name = "the thinnest slices of op " + m_problem.opName(OpId(op)) + " need ";
        if (room.least > m_problem.capacityUnits())
            return name + (room.least < room.alone ? "at least " : "") + elements(room.least);
        return name + elements(room.alone) + " alone, and every fusion needs more than the capacity";
    }

    const Problem& m_problem;
    Finder& m_finder;
    std::vector<std::size_t> m_core;
};

} // namespace

std::optional<Exclusion> whyNoSchedule(const Problem& problem, const SolveOptions& options)
{
    Finder finder(problem, options);
    if (finder.ask(finder.all()) != Answer::No)
        return std::nullopt;
    return Reason(problem, finder).find();
}

Error noScheduleError(const Problem& problem, const SolveOptions& options)
{
    const bool hasLocks = options.start && !startPlan(*options.start, options.selection).locked.empty();
    const std::optional<Exclusion> why = whyNoSchedule(problem, options);
    return {ErrorCode::Refused,
            why                         ? why->sentence("valid schedule")
            : options.placeable         ? "no valid schedule was found whose buffers have addresses"
            : options.constraints.any() ? "no valid schedule was found that keeps the constraints"
            : hasLocks                  ? "no valid schedule was found that keeps the locked subgraphs"
                       : "no valid schedule was found: some op fits at no granularity, alone or fused",
            {},
            {}};
}

} // namespace tilewright
