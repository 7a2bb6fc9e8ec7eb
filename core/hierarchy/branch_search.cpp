// SPDX-License-Identifier: GPL-3.0-or-later
#include "hierarchy/branch_search.h"

#include "mapping/search_frame.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace tilewright::hierarchy {

namespace {

constexpr std::size_t kFollowed = 3; ///< number of candidates of a node that dive() follows

bool hasWindow(const mapping::Operand& operand)
{
    return std::any_of(operand.dimensions.begin(), operand.dimensions.begin() + operand.dimensionCount,
                       [](const mapping::Dimension& d) { return d.filterLoop >= 0; });
}

/// Bits of all elements of an operand that take part in a multiplication.
double usedBits(const LoopNest& nest, const Architecture& architecture, std::size_t op)
{
    const mapping::Operand& operand = nest.operands[op];
    auto out = static_cast<double>(architecture.bits[op]);
    for (int i = 0; i < operand.dimensionCount; ++i) {
        const mapping::Dimension& d = operand.dimensions[static_cast<std::size_t>(i)];
        const auto trips = [&](int loop) { return nest.trips[static_cast<std::size_t>(loop)]; };
        if (d.filterLoop < 0) {
            out *= static_cast<double>(trips(d.loop));
            continue;
        }
        out *= static_cast<double>(usedLength(nest, d));
    }
    return out;
}

/// Lower bound of the number of times that the outermost level reads each element: one read for each instance
/// that works on the same elements and does not share reads with the others.
double leastReads(const LoopNest& nest, const Architecture& architecture, const Tilings& tilings,
                  std::size_t op)
{
    double out = 1;
    const unsigned indexMask = nest.operands[op].indexMask;
    for (std::size_t i = 0; i < tilings.levels() && (i == 0 || !architecture.levels[i].holds[op]); ++i)
        for (std::size_t l = 0; l < kMaxLoops && !architecture.levels[i].multicast; ++l)
            if ((indexMask >> l & 1u) == 0)
                out *= static_cast<double>(tilings.spatial()[i][l]);
    return out;
}

} // namespace

std::int64_t usedLength(const LoopNest& nest, const mapping::Dimension& window)
{
    std::array<Shifts, 2> shifts{
        Shifts{nest.trips[static_cast<std::size_t>(window.loop)], window.stride},
        Shifts{nest.trips[static_cast<std::size_t>(window.filterLoop)], window.dilation}};
    return unionLength(1, shifts);
}

void putInnermost(const LoopNest& nest, int stationary, std::vector<TiledLoop>& loops)
{
    const unsigned inner =
        stationary < 0 ? nest.neutralMask : nest.operands[static_cast<std::size_t>(stationary)].freeMask;
    std::stable_partition(loops.begin(), loops.end(),
                          [&](const TiledLoop& tiled) { return (inner >> tiled.loop & 1u) == 0; });
}

Branch boundOfAll(const LoopNest& nest, const Architecture& architecture)
{
    Branch out;
    const Level& outermost = architecture.levels.front();
    out.energy = static_cast<double>(nest.macs) * architecture.macPj;
    double reads = 0, writes = 0;
    for (std::size_t op = 0; op < kOperands; ++op)
        (op == mapping::kWritten ? writes : reads) += usedBits(nest, architecture, op);
    out.energy += reads * outermost.readPj + writes * outermost.writePj;
    out.cycles = static_cast<double>(nest.macs);
    for (const Level& level : architecture.levels)
        for (const Axis& axis : level.axes)
            out.cycles /= static_cast<double>(axis.size);
    if (outermost.readBytesPerCycle)
        out.cycles = std::max(out.cycles, reads / 8 / *outermost.readBytesPerCycle);
    if (outermost.writeBytesPerCycle)
        out.cycles = std::max(out.cycles, writes / 8 / *outermost.writeBytesPerCycle);
    return out;
}

void boundQuickly(const LoopNest& nest, const Architecture& architecture, Branch& branch)
{
    branch.isBounded = true;
    // The smallest tiles, i.e. all factors 1, suffice for values that all tilings have in common.
    Tilings tilings(nest, architecture, spatialByLevel(architecture, branch.choice), 1);
    if (!tilings.isPossible()) {
        branch.energy = branch.cycles = kInfinite;
        return;
    }
    tilings.prepare();
    double energy = tilings.fixedEnergy();
    std::array<double, kMaxLevels> reads{}, writes{};
    const auto add = [&](const ExchangeOf& e, const Flow& flow) {
        reads[e.outer] += flow.outerReadBits;
        writes[e.outer] += flow.outerWriteBits;
        if (e.inner < tilings.levels()) {
            reads[e.inner] += flow.innerReadBits;
            writes[e.inner] += flow.innerWriteBits;
        }
    };
    for (const ExchangeOf& e : tilings.macsAt(0))
        add(e, tilings.flow(e, tilings.compute(), tilings.first()));
    for (std::size_t i = 1; i < tilings.levels(); ++i)
        for (const ExchangeOf& e : tilings.into(i)) {
            const double different = tilings.indexing(e.operand, tilings.first());
            if (!hasWindow(nest.operands[e.operand])) {
                energy += tilings.visitEnergy(i, e.operand, 0) * different;
                // The sum over the tiles does not depend on the tile sizes.
                add(e, tilings.flow(e, different, 0));
            } else if (e.outer == 0) {
                // Elements that neighbouring tiles share are loaded again; how many depends on the tile
                // sizes.
                const double bits = usedBits(nest, architecture, e.operand) *
                                    leastReads(nest, architecture, tilings, e.operand);
                energy += bits * architecture.levels.front().readPj;
                reads[0] += bits;
            }
        }
    branch.energy = std::max(branch.energy, energy);
    branch.cycles = std::max(branch.cycles, tilings.compute());
    for (std::size_t i = 0; i < tilings.levels(); ++i)
        branch.cycles =
            std::max({branch.cycles, tilings.time(i, reads[i], true), tilings.time(i, writes[i], false)});
}

BranchSearch::BranchSearch(const LoopNest& nest, const Architecture& architecture,
                           const Constraints& constraints, Found& found, std::function<bool()> isOver)
    : m_nest(nest), m_architecture(architecture), m_constraints(constraints), m_found(found),
      m_isOver(std::move(isOver)), m_cutter(found)
{
}

void BranchSearch::open(const Branch& branch, std::size_t states)
{
    m_choice = &branch.choice;
    m_tilings = std::make_unique<Tilings>(
        m_nest, m_architecture, spatialByLevel(m_architecture, branch.choice), states, m_constraints);
    m_tilings->prepare();
    m_rest.assign(m_tilings->levels() * m_tilings->states(), -1);
    m_states.fill(m_tilings->first());
    m_orders.fill({});
}

void BranchSearch::dive(const Branch& branch, std::size_t states)
{
    if (branch.energy == kInfinite || isOver())
        return;
    open(branch, states);
    if (!m_tilings->isPossible())
        return;
    m_diving = true;
    descend(0, root());
    m_diving = false;
}

void BranchSearch::cut(Branch& branch)
{
    if (isSettled(branch.energy, branch.cycles))
        branch.energy = branch.cycles = kInfinite;
}

void BranchSearch::settle(Branch& branch, std::size_t states)
{
    cut(branch);
    if (branch.energy == kInfinite || isOver())
        return;
    open(branch, states);
    if (!m_tilings->isPossible()) {
        branch.energy = branch.cycles = kInfinite;
        return;
    }
    if (m_tilings->isWhole()) {
        const Node node = root();
        const double cycles = std::max(branch.cycles, boundCycles(node));
        const double energy = node.energy + restBelow(0, node.state, cutoff(cycles) - node.energy);
        if (!m_stopped) {
            branch.energy = std::max(branch.energy, energy);
            branch.cycles = cycles;
        }
    }
    cut(branch);
    if (branch.energy == kInfinite)
        return;
    descend(0, root());
    if (!m_stopped && m_tilings->isWhole())
        branch.energy = branch.cycles = kInfinite;
}

BranchSearch::Node BranchSearch::root() const
{
    Node out;
    out.state = m_tilings->first();
    out.energy = m_tilings->fixedEnergy();
    const auto add = [&](const ExchangeOf& e, const Flow& flow) {
        out.readBits[e.outer] += flow.outerReadBits;
        out.writeBits[e.outer] += flow.outerWriteBits;
        if (e.inner < m_tilings->levels()) {
            out.readBits[e.inner] += flow.innerReadBits;
            out.writeBits[e.inner] += flow.innerWriteBits;
        }
        out.waiting += flow.waiting;
    };
    for (const ExchangeOf& e : m_tilings->macsAt(0))
        add(e, m_tilings->flow(e, m_tilings->compute(), m_tilings->first()));
    for (std::size_t i = 1; i < m_tilings->levels(); ++i)
        for (const ExchangeOf& e : m_tilings->into(i))
            add(e, m_tilings->least(i, e.operand));
    return out;
}

double BranchSearch::boundCycles(const Node& node) const noexcept
{
    double busy = m_tilings->compute();
    for (std::size_t i = 0; i < m_tilings->levels(); ++i) {
        busy = std::max(busy, m_tilings->time(i, node.readBits[i], true));
        busy = std::max(busy, m_tilings->time(i, node.writeBits[i], false));
    }
    return busy + node.waiting;
}

bool BranchSearch::isOver()
{
    m_stopped = m_stopped || m_isOver();
    return m_stopped;
}

/// Energy from which on a mapping with these cycles is not better than the mappings found.
double BranchSearch::cutoff(double cycles) const noexcept
{
    const auto& objective = m_found.objective();
    return objective == Objective::Energy ? m_found.best(Objective::Energy)
           : objective == Objective::Edp  ? m_found.best(Objective::Edp) / cycles
                                          : kInfinite;
}

/// Lower bound of the energy of all exchanges inside the level, including the exchanges of the MACs that
/// depend on the states inside the level.
double BranchSearch::rest(std::size_t level, State state)
{
    if (level + 1 >= m_tilings->levels())
        return 0;
    double& known = m_rest[level * m_tilings->states() + state];
    if (known < 0)
        if (const double least = restBelow(level, state, kInfinite); !m_stopped)
            known = least;
    return std::max(known, 0.0);
}

/// Like rest(), but returns `cutoff` if the result is not below it. If no loop of a level changes the tile of
/// an operand, the number of its visits equals the number of its different tiles.
double BranchSearch::restBelow(std::size_t level, State state, double cutoff)
{
    const Tilings& t = *m_tilings;
    if (level + 1 >= t.levels() || isOver())
        return 0;
    const double outside = t.compute() / t.all(state);
    double least = cutoff;
    t.forEachInside(level + 1, state, [&](State inner) {
        ++m_counts.evaluations;
        const double steps = t.all(state) / t.all(inner);
        std::array<double, kOperands> most{}, fewest{};
        for (const ExchangeOf& e : t.into(level + 1)) {
            const std::size_t op = e.operand;
            const double energy = t.visitEnergy(level + 1, op, inner);
            const double changes = t.indexing(op, state) / t.indexing(op, inner);
            if (changes > 1) {
                fewest[op] = energy * outside * changes;
                most[op] = energy * outside * steps;
            } else {
                fewest[op] = most[op] = energy * t.indexing(op, t.first()) / t.indexing(op, inner);
            }
        }
        double sum = kInfinite;
        for (std::size_t best = 0; best < kOperands; ++best) {
            double one = t.macEnergy(level + 1, inner);
            for (std::size_t op = 0; op < kOperands; ++op)
                one += op == best ? fewest[op] : most[op];
            sum = std::min(sum, one);
        }
        if (sum + t.leastInside(level + 1) < least)
            least = std::min(least, sum + rest(level + 1, inner));
    });
    return least;
}

void BranchSearch::descend(std::size_t level, const Node& node)
{
    if (level + 1 == m_tilings->levels()) { // for an architecture with a single level
        const Factors factors = m_tilings->temporalInside(node.state);
        for (const FactorLimit& limit : m_constraints.factors)
            if (limit.axis == FactorLimit::kTemporal &&
                !limit.allows(factors[static_cast<std::size_t>(limit.loop)]))
                return;
        ++m_counts.tilings;
        evaluate();
        return;
    }
    std::vector<Candidate> candidates;
    m_tilings->forEachInside(level + 1, node.state, [&](State inner) {
        if (!m_stopped)
            consider(level, node, inner, candidates);
    });
    follow(level, candidates);
}

/// The loop order of the level that the constraints require; nullopt if they require none, or if the loops
/// that they name have factor 1.
std::optional<BranchSearch::Order> BranchSearch::orderAsked(std::size_t level, State state, State inner) const
{
    const std::span<const int> asked = m_constraints.order(level);
    if (asked.empty())
        return std::nullopt;
    Factors factors = m_tilings->temporalInside(state);
    const Factors inside = m_tilings->temporalInside(inner);
    bool any = false;
    for (std::size_t l = 0; l < kMaxLoops; ++l) {
        factors[l] /= inside[l];
        any = any || (factors[l] > 1 && std::ranges::find(asked, static_cast<int>(l)) != asked.end());
    }
    if (!any)
        return std::nullopt;
    Order out;
    for (std::size_t op = 0; op < kOperands; ++op) {
        const unsigned indexMask = m_nest.operands[op].indexMask;
        bool isIndexed = false;
        for (std::size_t i = asked.size(); i-- > 0 && !isIndexed;) {
            const auto l = static_cast<std::size_t>(asked[i]);
            isIndexed = factors[l] > 1 && (indexMask >> l & 1u) != 0;
            if (!isIndexed)
                out.innermost[op] *= static_cast<double>(factors[l]);
        }
        if (isIndexed)
            continue;
        // The innermost loops are all free for this operand. A loop is free for at most one operand, so other
        // free loops may follow.
        out.stationary = static_cast<int>(op);
        for (std::size_t l = 0; l < kMaxLoops; ++l)
            if ((indexMask >> l & 1u) == 0 && std::ranges::find(asked, static_cast<int>(l)) == asked.end())
                out.innermost[op] *= static_cast<double>(factors[l]);
    }
    return out;
}

/// The loop orders of the level that can be better than all others.
BranchSearch::Orders BranchSearch::orders(std::size_t level, State state, State inner) const
{
    const Tilings& t = *m_tilings;
    Orders out;
    if (const auto asked = orderAsked(level, state, inner)) {
        out.list[out.count++] = *asked;
        return out;
    }
    const double steps = t.all(state) / t.all(inner);
    for (std::size_t op = 0; op < kOperands; ++op) {
        const double changes = t.indexing(op, state) / t.indexing(op, inner);
        if (changes <= 1 || steps <= changes || m_architecture.innermostHolder(op) <= level)
            continue;
        Order& order = out.list[out.count++];
        order.stationary = static_cast<int>(op);
        order.innermost[op] = steps / changes;
    }
    out.count = std::max<std::size_t>(out.count, 1);
    return out;
}

/// Adds the tilings with this state of the next level, with all loop orders of the level that can be best.
void BranchSearch::consider(std::size_t level, const Node& node, State inner, std::vector<Candidate>& out)
{
    const Tilings& t = *m_tilings;
    const bool isLast = level + 2 == t.levels();
    if (isLast)
        ++m_counts.tilings;
    const double outside = t.compute() / t.all(node.state);
    const double steps = t.all(node.state) / t.all(inner);
    bool kept = false;
    const Orders all = orders(level, node.state, inner);
    for (std::size_t i = 0; i < all.count; ++i) {
        const Order& order = all.list[i];
        ++m_counts.evaluations;
        Candidate next;
        next.order = order;
        next.node = node;
        next.node.state = inner;
        for (std::size_t op = 0; op < kOperands; ++op)
            if (t.indexing(op, node.state) > t.indexing(op, inner))
                next.node.visits[op] = outside * steps / order.innermost[op];
        next.node.energy += t.macEnergy(level + 1, inner);
        for (const ExchangeOf& e : t.into(level + 1))
            next.node.energy += t.visitEnergy(level + 1, e.operand, inner) * next.node.visits[e.operand];
        next.cycles = boundCycles(next.node);
        if (isSettled(next.node.energy + t.leastInside(level + 1), next.cycles))
            continue;
        next.energy = next.node.energy + rest(level + 1, inner);
        if (isSettled(next.energy, next.cycles))
            continue;
        const auto add = [&](const ExchangeOf& e, const Flow& flow, double sign) {
            next.node.readBits[e.outer] += sign * flow.outerReadBits;
            next.node.writeBits[e.outer] += sign * flow.outerWriteBits;
            if (e.inner < t.levels()) {
                next.node.readBits[e.inner] += sign * flow.innerReadBits;
                next.node.writeBits[e.inner] += sign * flow.innerWriteBits;
            }
            next.node.waiting += sign * flow.waiting;
        };
        for (const ExchangeOf& e : t.into(level + 1)) {
            add(e, t.least(level + 1, e.operand), -1);
            add(e, t.flow(e, next.node.visits[e.operand], inner), 1);
        }
        for (const ExchangeOf& e : t.macsAt(level + 1))
            add(e, t.flow(e, t.compute(), inner), 1);
        next.cycles = boundCycles(next.node);
        if (isSettled(next.energy, next.cycles))
            continue;
        kept = true;
        out.push_back(next);
    }
    if (isLast && !kept)
        ++m_counts.cut;
}

void BranchSearch::follow(std::size_t level, std::vector<Candidate>& candidates)
{
    const auto& objective = m_found.objective();
    const auto value = [&](const Candidate& c) {
        return objective == Objective::Energy   ? std::pair(c.energy, c.cycles)
               : objective == Objective::Cycles ? std::pair(c.cycles, c.energy)
                                                : std::pair(c.energy * c.cycles, c.energy);
    };
    const bool isLast = level + 2 == m_tilings->levels();
    std::ranges::stable_sort(candidates, {}, value);
    if (m_diving && candidates.size() > kFollowed)
        candidates.resize(kFollowed);
    for (const Candidate& next : candidates) {
        if (isOver())
            return;
        if (isSettled(next.energy, next.cycles)) {
            m_counts.cut += isLast;
            continue;
        }
        m_states[level + 1] = next.node.state;
        m_orders[level] = next.order;
        if (isLast)
            evaluate();
        else
            descend(level + 1, next.node);
    }
}

/// Evaluates the mapping of the current path exactly.
void BranchSearch::evaluate()
{
    ++m_counts.evaluations;
    const std::size_t levels = m_tilings->levels();
    std::array<Factors, kMaxLevels> temporal;
    const Factors ones{1, 1, 1, 1, 1, 1, 1};
    m_tiled.levels = levels;
    m_tiled.extents[levels] = ones;
    m_tiled.compute = 1;
    for (std::size_t i = levels; i-- > 0;) {
        temporal[i] = m_tilings->temporalInside(m_states[i]);
        const Factors inside = i + 1 < levels ? m_tilings->temporalInside(m_states[i + 1]) : ones;
        for (std::size_t l = 0; l < kMaxLoops; ++l) {
            temporal[i][l] /= inside[l];
            m_tiled.compute *= temporal[i][l];
            m_tiled.spatial[i][l] = m_tilings->spatial()[i][l];
            m_tiled.extents[i][l] = m_tiled.extents[i + 1][l] * m_tiled.spatial[i][l] * temporal[i][l];
        }
    }
    for (std::size_t i = 0; i <= levels; ++i)
        m_tiled.instances[i] = m_tilings->instances()[i];
    for (std::size_t op = 0; op < kOperands; ++op) {
        Visits visits;
        std::int64_t all = 1;
        for (std::size_t i = 0; i < levels; ++i) {
            m_tiled.visits[i][op] = visits;
            std::int64_t indexing = 1, free = 1;
            for (std::size_t l = 0; l < kMaxLoops; ++l)
                ((m_nest.operands[op].indexMask >> l & 1u) != 0 ? indexing : free) *= temporal[i][l];
            if (indexing > 1) {
                visits.all = all * indexing * free / static_cast<std::int64_t>(m_orders[i].innermost[op]);
                visits.different *= indexing;
            }
            all *= indexing * free;
        }
        m_tiled.visits[levels][op] = {all, visits.different};
    }
    countCost(m_nest, m_architecture, m_tiled, m_cost);
    m_found.add(m_cost.energy, m_cost.cycles, [&] { return mapping(); });
}

Mapping BranchSearch::mapping() const
{
    const std::size_t levels = m_tilings->levels();
    const Factors ones{1, 1, 1, 1, 1, 1, 1};
    Mapping out;
    out.levels.resize(levels);
    const auto addLoops = [&](const Factors& factors, std::vector<TiledLoop>& loops) {
        for (std::size_t l = 0; l < kMaxLoops; ++l)
            if (factors[l] > 1)
                loops.push_back({static_cast<int>(l), factors[l]});
    };
    std::size_t axis = 0;
    for (std::size_t i = 0; i < levels; ++i) {
        LevelLoops& level = out.levels[i];
        for (const Axis& a : m_architecture.levels[i].axes) {
            level.spatial.push_back({a.name, {}});
            addLoops((*m_choice)[axis++], level.spatial.back().loops);
        }
        Factors temporal = m_tilings->temporalInside(m_states[i]);
        const Factors inside = i + 1 < levels ? m_tilings->temporalInside(m_states[i + 1]) : ones;
        for (std::size_t l = 0; l < kMaxLoops; ++l)
            temporal[l] /= inside[l];
        addLoops(temporal, level.temporal);
        putInnermost(m_nest, m_orders[i].stationary, level.temporal);
    }
    putInOrder(m_constraints, out);
    return out;
}

} // namespace tilewright::hierarchy
