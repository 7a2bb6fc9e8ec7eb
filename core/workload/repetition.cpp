// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/repetition.h"

#include "workload/repetition_graph.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

namespace tilewright {

namespace {

// Least number of ops of a block: a run of single ops has no structure.
constexpr std::size_t kMinBlockOps = 2;
// Least number of ops in all copies of a block, since fewer may be equal by coincidence.
constexpr std::size_t kMinRepeatedOps = 5;
// One more op in copies is required for each 150 ops of the problem.
constexpr std::size_t kOpsPerExtraRepeatedOp = 150;
constexpr std::size_t kMaxStride = 8; // largest stride between corresponding ops of a group
constexpr std::size_t kMaxCutsTried = 8;

class RepetitionSearch
{
public:
    explicit RepetitionSearch(const Problem& problem)
        : m_problem(problem), m_wiring(problem), m_taken(problem.opCount(), 0),
          m_other(problem.opCount(), OpWiring::kNone)
    {
    }

    std::vector<Repetition> run()
    {
        // Candidates come from hashes of each op's producers, up to `steps` levels. Deep hashes come first,
        // because fewer ops have equal hashes by coincidence. Shallow hashes find blocks that occur only
        // twice.
        for (const int steps : {6, 3, 1}) {
            m_visited = 0;
            findFrom(surroundings(steps));
        }
        std::sort(m_out.begin(), m_out.end(),
                  [&](const Repetition& a, const Repetition& b) { return key(a) < key(b); });
        return std::move(m_out);
    }

private:
    using Group = std::vector<int>; // ops with equal hashes, one per depth, in order of depth

    static std::size_t at(int op) { return static_cast<std::size_t>(op); }
    static std::size_t repeatedOps(const Blocks& blocks)
    {
        return blocks.empty() ? 0 : (blocks.size() - 1) * blocks.front().size();
    }
    [[nodiscard]] std::pair<int, OpId> key(const Repetition& r) const
    {
        const OpId first = r.blocks.front().front();
        return {m_wiring.depth(static_cast<int>(first.value)), first};
    }

    [[nodiscard]] std::vector<std::uint64_t> surroundings(int steps) const
    {
        const auto mix = [](std::uint64_t h, std::uint64_t with) {
            h = (h ^ with) * 0x9E3779B97F4A7C15U;
            return h ^ (h >> 32);
        };
        std::vector<std::uint64_t> now(m_problem.opCount()), next(now.size());
        for (int op = 0; op < m_wiring.size(); ++op)
            now[at(op)] = mix(1, static_cast<std::uint64_t>(m_wiring.kind(op)));
        for (int step = 0; step < steps; ++step) {
            for (int op = 0; op < m_wiring.size(); ++op) {
                std::uint64_t h = mix(2, static_cast<std::uint64_t>(m_wiring.kind(op)));
                for (const OpWiring::Operand& o : m_wiring.operands(op))
                    h = mix(h, o.producer == OpWiring::kNone ? 3 : now[at(o.producer)]);
                next[at(op)] = h;
            }
            std::swap(now, next);
        }
        return now;
    }

    void findFrom(const std::vector<std::uint64_t>& hashes)
    {
        // The budget limits the work spent on candidates that do not form blocks.
        const std::size_t budget = 60 * m_problem.opCount() + 20'000;
        for (Group& group : groupsOf(hashes)) {
            std::erase_if(group, [&](int op) { return m_taken[at(op)] != 0; });
            Blocks best;
            for (std::size_t stride = 1; stride <= kMaxStride && stride < group.size(); ++stride)
                if (tryStride(group, stride, best) || m_visited > budget)
                    break;
            if (isWorthIt(best))
                accept(withBestCut(best));
            if (m_visited > budget)
                return;
        }
    }

    [[nodiscard]] bool isWorthIt(const Blocks& blocks) const
    {
        const std::size_t fewest = kMinRepeatedOps + m_problem.opCount() / kOpsPerExtraRepeatedOp;
        return !blocks.empty() && blocks.front().size() >= kMinBlockOps && repeatedOps(blocks) >= fewest;
    }

    [[nodiscard]] std::vector<Group> groupsOf(const std::vector<std::uint64_t>& hashes) const
    {
        std::vector<int> ops;
        for (const int op : m_wiring.order())
            if (m_taken[at(op)] == 0)
                ops.push_back(op);
        std::stable_sort(ops.begin(), ops.end(), [&](int a, int b) { return hashes[at(a)] < hashes[at(b)]; });
        std::vector<Group> out;
        for (std::size_t i = 0; i < ops.size();) {
            Group group;
            const std::uint64_t look = hashes[at(ops[i])];
            while (i < ops.size() && hashes[at(ops[i])] == look) {
                // Ops with equal hashes at the same depth are skipped: they are parallel heads or experts,
                // whereas blocks follow one another.
                std::size_t j = i + 1;
                while (j < ops.size() && hashes[at(ops[j])] == look &&
                       m_wiring.depth(ops[j]) == m_wiring.depth(ops[i]))
                    ++j;
                if (j == i + 1)
                    group.push_back(ops[i]);
                i = j;
            }
            if (group.size() > 1)
                out.push_back(std::move(group));
        }
        // The group with the largest range of depths comes first, so that outer repetitions are preferred to
        // nested ones.
        const auto reach = [&](const Group& g) {
            return m_wiring.depth(g.back()) - m_wiring.depth(g.front());
        };
        std::stable_sort(out.begin(), out.end(),
                         [&](const Group& a, const Group& b) { return reach(a) > reach(b); });
        return out;
    }

    /// Searches blocks whose last ops are `stride` apart in the group. Returns true if every op of the group
    /// matches its successor, so that larger strides need not be tried.
    bool tryStride(const Group& group, std::size_t stride, Blocks& best)
    {
        // Per op: number of compared ops; 0 if they differ.
        std::vector<std::size_t> comparedOps(group.size() - stride);
        for (std::size_t i = 0; i < comparedOps.size(); ++i)
            comparedOps[i] = compare(group[i + stride], group[i]);
        std::vector<char> used(comparedOps.size(), 0);
        for (std::size_t i = 0; i < comparedOps.size(); ++i) {
            if (used[i] != 0 || comparedOps[i] == 0)
                continue;
            std::vector<int> last{group[i]};
            std::size_t compared = 0, j = i;
            for (; j < comparedOps.size() && comparedOps[j] > 0; j += stride) {
                used[j] = 1;
                last.push_back(group[j + stride]);
                compared += comparedOps[j];
            }
            if (compared < 3)
                continue;
            Blocks blocks = extendBackwards(last);
            if (repeatedOps(blocks) > repeatedOps(best))
                best = std::move(blocks);
        }
        return std::all_of(comparedOps.begin(), comparedOps.end(), [](std::size_t n) { return n > 0; });
    }

    /// Compares the ops that lead to `last` with the ops that lead to `before`, level by level, down to the
    /// depth of `before`. Returns the number of equal ops, or 0 if two ops differ.
    std::size_t compare(int last, int before)
    {
        std::vector<std::pair<int, int>> open{{last, before}};
        std::vector<int> touched;
        std::size_t seen = 0;
        bool equal = true;
        while (!open.empty() && equal) {
            const auto [op, other] = open.back();
            open.pop_back();
            if (m_other[at(op)] != OpWiring::kNone) {
                equal = m_other[at(op)] == other;
                continue;
            }
            if (m_wiring.kind(op) != m_wiring.kind(other)) {
                equal = false;
                continue;
            }
            m_other[at(op)] = other;
            touched.push_back(op);
            ++seen;
            const auto here = m_wiring.inputs(op), there = m_wiring.inputs(other);
            for (std::size_t i = 0; i < here.size(); ++i)
                for (std::size_t k = 0; k < here[i].operands.size() && equal; ++k) {
                    const int p = here[i].operands[k].producer;
                    if (p == OpWiring::kNone || m_wiring.depth(p) <= m_wiring.depth(before))
                        continue;
                    equal = here[i].arrangement == there[i].arrangement &&
                            there[i].operands[k].producer != OpWiring::kNone;
                    if (equal)
                        open.emplace_back(p, there[i].operands[k].producer);
                }
        }
        for (const int op : touched)
            m_other[at(op)] = OpWiring::kNone;
        m_visited += seen;
        return equal ? seen : 0;
    }

    /// Returns the blocks that end in the ops of `last`. Adds blocks in front while the first block reads an
    /// op that can be the end of an earlier block.
    Blocks extendBackwards(std::vector<int> last)
    {
        Blocks best = blocksEndingIn(m_wiring, last, m_visited);
        while (!best.empty() && best.front().size() >= kMinBlockOps) {
            const auto place = [&](std::size_t b) -> std::optional<int> {
                for (const int op : best[b])
                    if (std::find(last.begin(), last.end(), op) != last.end())
                        return op;
                return std::nullopt;
            };
            const auto first = place(0), second = place(1);
            if (!first || !second)
                break;
            // The second block reads the last op of the first block. Finds the producer that the first block
            // reads in its place.
            std::optional<int> earlier;
            for (std::size_t i = 0; i < best[1].size() && !earlier; ++i) {
                const auto reads = m_wiring.operands(best[1][i]), instead = m_wiring.operands(best[0][i]);
                for (std::size_t k = 0; k < std::min(reads.size(), instead.size()); ++k)
                    if (reads[k].producer == *first && instead[k].producer != OpWiring::kNone)
                        earlier = instead[k].producer;
            }
            if (!earlier || m_wiring.kind(*earlier) != m_wiring.kind(*first))
                break;
            std::vector<int> longer{*earlier};
            longer.insert(longer.end(), std::find(last.begin(), last.end(), *first), last.end());
            Blocks blocks = blocksEndingIn(m_wiring, longer, m_visited);
            if (repeatedOps(blocks) <= repeatedOps(best))
                break;
            best = std::move(blocks);
            last = std::move(longer);
        }
        return best;
    }

    // Functions that choose the boundaries between blocks:

    struct Rating
    {
        std::size_t repeatedOps = 0;
        int names = 0; ///< negated count of different numbers in the names of one block
        int cut = 0;   ///< negated count of tensors that one block passes to the next
        auto operator<=>(const Rating&) const = default;
    };

    [[nodiscard]] Repetition named(const Blocks& blocks) const
    {
        Repetition out;
        for (const std::vector<int>& block : blocks) {
            out.blocks.emplace_back();
            for (const int op : block)
                out.blocks.back().emplace_back(static_cast<std::size_t>(op));
        }
        return out;
    }

    /// Number of ops of the second-last block whose results the last block reads.
    [[nodiscard]] int passedTensors(const Blocks& blocks) const
    {
        std::set<int> read;
        const std::vector<int>& before = blocks[blocks.size() - 2];
        const std::set<int> inside(before.begin(), before.end());
        for (const int op : blocks.back())
            for (const OpWiring::Operand& o : m_wiring.operands(op))
                if (o.producer != OpWiring::kNone && inside.contains(o.producer))
                    read.insert(o.producer);
        return static_cast<int>(read.size());
    }

    [[nodiscard]] Rating rate(const Blocks& blocks) const
    {
        const std::vector<std::int64_t> numbers = numbersOfOps(m_problem, named(blocks));
        return {repeatedOps(blocks), -static_cast<int>(std::set(numbers.begin(), numbers.end()).size()),
                -passedTensors(blocks)};
    }

    /// Positions in a block where few tensors are alive, the best first. Positions where the number in the op
    /// names increases come before all others.
    [[nodiscard]] std::vector<std::size_t> cutsOf(const Blocks& blocks) const
    {
        const std::vector<int>& block = blocks.back();
        const std::vector<int>& before = blocks[blocks.size() - 2];
        // Order two blocks by depth and count the results that are still needed after each op.
        std::vector<int> ops(before);
        ops.insert(ops.end(), block.begin(), block.end());
        std::stable_sort(ops.begin(), ops.end(),
                         [&](int a, int b) { return m_wiring.depth(a) < m_wiring.depth(b); });
        std::vector<int> lastReader(m_problem.opCount(), OpWiring::kNone),
            position(m_problem.opCount(), OpWiring::kNone);
        for (std::size_t i = 0; i < ops.size(); ++i) {
            position[at(ops[i])] = static_cast<int>(i);
            for (const OpWiring::Operand& o : m_wiring.operands(ops[i]))
                if (o.producer != OpWiring::kNone)
                    lastReader[at(o.producer)] = static_cast<int>(i);
        }
        std::vector<int> change(ops.size() + 1, 0);
        for (std::size_t i = 0; i < ops.size(); ++i)
            if (const int reader = lastReader[at(ops[i])]; reader > static_cast<int>(i)) {
                ++change[i];
                --change[at(reader)];
            }
        std::vector<int> alive(ops.size());
        for (std::size_t i = 0, now = 0; i < ops.size(); ++i)
            alive[i] = static_cast<int>(now += at(change[i]));
        const std::vector<std::int64_t> numbers = numbersOfOps(m_problem, named(blocks));
        std::vector<std::tuple<int, int, std::size_t>> rated;
        for (std::size_t i = 0; i < before.size(); ++i) {
            const bool numberGoesUp =
                i + 1 < numbers.size() && numbers[i] >= 0 && numbers[i + 1] > numbers[i];
            rated.emplace_back(numberGoesUp ? 0 : 1, alive[at(position[at(before[i])])], i);
        }
        const std::size_t tried = std::min(kMaxCutsTried, rated.size());
        std::partial_sort(rated.begin(), rated.begin() + static_cast<std::ptrdiff_t>(tried), rated.end());
        std::vector<std::size_t> out;
        for (std::size_t i = 0; i < tried; ++i)
            out.push_back(std::get<2>(rated[i]));
        return out;
    }

    /// Chooses the boundaries between blocks. Criteria in this order: most ops covered, fewest different
    /// numbers in the names of a block, fewest tensors passed from block to block.
    Blocks withBestCut(const Blocks& found)
    {
        Rating best = rate(found);
        Blocks out = found;
        for (const std::size_t i : cutsOf(found)) {
            std::vector<int> last;
            for (const std::vector<int>& block : found)
                last.push_back(block[i]);
            if (const auto next = opAfter(last))
                last.push_back(*next);
            Blocks blocks = extendBackwards(std::move(last));
            if (!isWorthIt(blocks))
                continue;
            const Rating rating = rate(blocks);
            if (rating > best) {
                best = rating;
                out = std::move(blocks);
            }
        }
        return out;
    }

    /// Returns the op that can end one more block after the last one; nullopt unless exactly one op
    /// qualifies.
    [[nodiscard]] std::optional<int> opAfter(const std::vector<int>& last) const
    {
        const int gap = m_wiring.depth(last.back()) - m_wiring.depth(last[last.size() - 2]);
        const int depth = m_wiring.depth(last.back()) + gap;
        const auto& order = m_wiring.order();
        auto from = std::partition_point(order.begin(), order.end(),
                                         [&](int op) { return m_wiring.depth(op) < depth; });
        std::optional<int> out;
        for (; gap > 0 && from != order.end() && m_wiring.depth(*from) == depth; ++from)
            if (m_wiring.kind(*from) == m_wiring.kind(last.back())) {
                if (out)
                    return std::nullopt;
                out = *from;
            }
        return out;
    }

    void accept(Blocks blocks)
    {
        // Blocks at the ends may contain ops of an accepted repetition. Such blocks are dropped.
        const auto isFree = [&](const std::vector<int>& block) {
            return std::none_of(block.begin(), block.end(), [&](int op) { return m_taken[at(op)] != 0; });
        };
        while (!blocks.empty() && !isFree(blocks.front()))
            blocks.erase(blocks.begin());
        while (!blocks.empty() && !isFree(blocks.back()))
            blocks.pop_back();
        if (blocks.size() < 2 || !isWorthIt(blocks) || !std::all_of(blocks.begin(), blocks.end(), isFree))
            return;
        for (const std::vector<int>& block : blocks)
            for (const int op : block)
                m_taken[at(op)] = 1;
        m_out.push_back(named(blocks));
        nameBlocks(m_problem, m_out.back());
    }

    const Problem& m_problem;
    OpWiring m_wiring;
    std::vector<char> m_taken; // per op: true if it belongs to an accepted repetition
    std::vector<int> m_other;  // per op: its partner during compare()
    std::size_t m_visited = 0;
    std::vector<Repetition> m_out;
};

} // namespace

std::vector<Repetition> findRepetitions(const Problem& problem)
{
    return RepetitionSearch(problem).run();
}

// Names of repeating blocks, derived from op names.

namespace {

bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}

} // namespace

std::optional<NumberInName> numberInName(std::string_view name, std::string_view other)
{
    const auto [at, there] = std::mismatch(name.begin(), name.end(), other.begin(), other.end());
    auto begin = static_cast<std::size_t>(at - name.begin());
    while (begin > 0 && isDigit(name[begin - 1]))
        --begin;
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(name.data() + begin, name.data() + name.size(), number);
    if (error != std::errc() || begin >= name.size() || !isDigit(name[begin]))
        return std::nullopt;
    return NumberInName{std::string(name.substr(0, begin)), number};
}

std::vector<std::int64_t> numbersOfOps(const Problem& problem, const Repetition& repetition)
{
    const std::vector<OpId>& last = repetition.blocks.back();
    const std::vector<OpId>& before = repetition.blocks[repetition.count() - 2];
    std::vector<std::int64_t> out;
    for (std::size_t i = 0; i < last.size(); ++i) {
        const auto number = numberInName(problem.op(last[i]).name, problem.op(before[i]).name);
        out.push_back(number ? number->number : -1);
    }
    return out;
}

void nameBlocks(const Problem& problem, Repetition& repetition)
{
    repetition.name = "block";
    repetition.numbers.clear();
    for (std::size_t b = 0; b < repetition.count(); ++b)
        repetition.numbers.push_back(static_cast<std::int64_t>(b));
    // A common name requires that every op of every block has this prefix and number.
    std::optional<std::string> prefix;
    std::vector<std::int64_t> numbers(repetition.count(), -1);
    for (std::size_t b = 0; b < repetition.count(); ++b)
        for (std::size_t i = 0; i < repetition.period(); ++i) {
            const std::string& other = problem.op(repetition.blocks[b == 0 ? 1 : 0][i]).name;
            const auto number = numberInName(problem.op(repetition.blocks[b][i]).name, other);
            if (!number || (prefix && number->prefix != *prefix) ||
                (numbers[b] >= 0 && numbers[b] != number->number))
                return;
            prefix = number->prefix;
            numbers[b] = number->number;
        }
    for (std::size_t b = 1; b < repetition.count(); ++b)
        if (numbers[b] <= numbers[b - 1])
            return;
    while (!prefix->empty() && std::string_view("._-/:[ ").find(prefix->back()) != std::string_view::npos)
        prefix->pop_back();
    if (!prefix->empty())
        repetition.name = *prefix;
    repetition.numbers = std::move(numbers);
}

std::string Repetition::label(std::size_t block) const
{
    return name + ' ' + std::to_string(numbers[block]);
}

} // namespace tilewright
