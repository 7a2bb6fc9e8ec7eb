// SPDX-License-Identifier: GPL-3.0-or-later
#include "place/search.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <tuple>

namespace tilewright {

namespace {

/// An offset above every address. It means that no placement is possible.
constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max() / 4;
constexpr std::size_t kMaxRefuted = std::size_t{1} << 21;
constexpr int kNotReady = 1 << 20;

std::uint64_t scrambled(std::uint64_t x)
{
    x = (x ^ (x >> 31)) * 0x7FB5D329728EA185ULL;
    x = (x ^ (x >> 27)) * 0x81DADEF4BC2DD44DULL;
    return x ^ (x >> 33);
}

/// The largest size of `a` while `b` is alive. A lot never shrinks, so it is the size at the end of the
/// overlap.
std::int64_t sizeWhile(const Lot& a, const Lot& b)
{
    return a.sizeAt(std::min(a.to, b.to) - 1);
}

} // namespace

Overlaps::Overlaps(const Component& component)
{
    const std::vector<Lot>& lots = component.lots; // sorted by `from`
    const auto forEachPair = [&lots](auto&& visit) {
        for (std::size_t i = 0; i < lots.size(); ++i)
            for (std::size_t j = i + 1; j < lots.size() && lots[j].from < lots[i].to; ++j)
                visit(i, j);
    };
    m_first.assign(lots.size() + 1, 0);
    forEachPair([this](std::size_t i, std::size_t j) { ++m_first[i + 1], ++m_first[j + 1]; });
    std::partial_sum(m_first.begin(), m_first.end(), m_first.begin());
    m_others.resize(m_first.back());
    std::vector<std::size_t> next = m_first;
    forEachPair([&](std::size_t i, std::size_t j) {
        const std::int64_t a = sizeWhile(lots[i], lots[j]);
        const std::int64_t b = sizeWhile(lots[j], lots[i]);
        m_others[next[i]++] = {static_cast<int>(j), a, b};
        m_others[next[j]++] = {static_cast<int>(i), b, a};
    });
}

FitSearch::FitSearch(const Component& component, const Overlaps& overlaps, std::int64_t height)
    : m_component(component), m_overlaps(overlaps), m_height(height), m_offset(component.lots.size()),
      m_least(component.lots.size()), m_open(component.lots.size()),
      m_floor(static_cast<std::size_t>(component.sections)),
      m_rest(static_cast<std::size_t>(component.sections)),
      m_count(static_cast<std::size_t>(component.sections) + 1)
{
}

FitSearch::Outcome FitSearch::run(int strategy, std::int64_t maxNodes, const std::stop_token& stop)
{
    m_strategy = strategy;
    m_lastNode = m_nodes + maxNodes;
    m_stop = stop;
    m_out = false;
    m_trail.clear();
    std::fill(m_least.begin(), m_least.end(), 0);
    std::fill(m_open.begin(), m_open.end(), 1);
    std::vector<int> all(m_component.lots.size());
    for (std::size_t i = 0; i < all.size(); ++i)
        all[i] = static_cast<int>(i);
    if (fits(std::move(all), m_height))
        return Outcome::Fits;
    return m_out ? Outcome::OutOfNodes : Outcome::DoesNotFit;
}

void FitSearch::raise(int lot, std::int64_t least)
{
    std::int64_t& now = m_least[static_cast<std::size_t>(lot)];
    if (least <= now)
        return;
    m_trail.push_back({lot, now});
    now = least;
}

void FitSearch::undo(std::size_t mark)
{
    for (; m_trail.size() > mark; m_trail.pop_back())
        m_least[static_cast<std::size_t>(m_trail.back().lot)] = m_trail.back().least;
}

/// True if `top` is above `ceiling`. Then records by how much the height would have to grow for this branch.
bool FitSearch::exceeds(std::int64_t top, std::int64_t ceiling)
{
    if (top <= ceiling)
        return false;
    m_leastExcess = std::min(m_leastExcess, top - ceiling);
    return true;
}

bool FitSearch::fits(std::vector<int> lots, std::int64_t ceiling)
{
    if (lots.empty())
        return true;
    m_out = m_out || ++m_nodes > m_lastNode || m_stop.stop_requested();
    if (m_out)
        return false;
    const std::vector<int> given = lots;
    bool found = false;
    if (peel(lots, ceiling)) {
        const std::vector<int> cuts = split(lots);
        found = lots.empty() || (cuts.empty() ? search(lots, ceiling) : fitsApart(lots, ceiling, cuts));
    }
    if (!found)
        for (const int l : given)
            m_open[static_cast<std::size_t>(l)] = 1;
    return found;
}

/// Removes each lot that lives as long as all others together and cannot start lower than any of them. Such a
/// lot can be placed above them, so the ceiling is lowered by its size. Returns false if the ceiling becomes
/// negative.
bool FitSearch::peel(std::vector<int>& lots, std::int64_t& ceiling)
{
    while (!lots.empty()) {
        int from = m_component.sections;
        int to = 0;
        std::int64_t highest = 0;
        for (const int l : lots) {
            const Lot& lot = m_component.lots[static_cast<std::size_t>(l)];
            from = std::min(from, lot.from);
            to = std::max(to, lot.to);
            highest = std::max(highest, m_least[static_cast<std::size_t>(l)]);
        }
        const auto spans = [&](int l) {
            const Lot& lot = m_component.lots[static_cast<std::size_t>(l)];
            return lot.from == from && lot.to == to && lot.narrowUntil == lot.from &&
                   m_least[static_cast<std::size_t>(l)] == highest;
        };
        const auto it = std::find_if(lots.begin(), lots.end(), spans);
        if (it == lots.end())
            return true;
        const auto l = static_cast<std::size_t>(*it);
        if (exceeds(m_least[l] + m_component.lots[l].size, ceiling))
            return false;
        ceiling -= m_component.lots[l].size;
        m_offset[l] = ceiling;
        m_open[l] = 0;
        lots.erase(it);
    }
    return true;
}

/// Returns the inner sections into which no lot continues. At these points the problem splits. Empty if there
/// are none.
std::vector<int> FitSearch::split(const std::vector<int>& lots)
{
    std::vector<int> cuts;
    if (lots.empty())
        return cuts;
    int first = m_component.sections;
    int last = 0;
    for (const int l : lots) {
        const Lot& lot = m_component.lots[static_cast<std::size_t>(l)];
        first = std::min(first, lot.from);
        last = std::max(last, lot.to);
    }
    std::fill(m_count.begin() + first, m_count.begin() + last + 1, 0);
    for (const int l : lots) {
        const Lot& lot = m_component.lots[static_cast<std::size_t>(l)];
        if (lot.to - lot.from > 1) {
            ++m_count[static_cast<std::size_t>(lot.from) + 1];
            --m_count[static_cast<std::size_t>(lot.to)];
        }
    }
    int crossing = 0;
    for (int s = first + 1; s < last; ++s)
        if ((crossing += m_count[static_cast<std::size_t>(s)]) == 0)
            cuts.push_back(s);
    return cuts;
}

bool FitSearch::fitsApart(const std::vector<int>& lots, std::int64_t ceiling, const std::vector<int>& cuts)
{
    std::vector<std::vector<int>> parts(cuts.size() + 1);
    for (const int l : lots) {
        const int from = m_component.lots[static_cast<std::size_t>(l)].from;
        const auto part = std::upper_bound(cuts.begin(), cuts.end(), from) - cuts.begin();
        parts[static_cast<std::size_t>(part)].push_back(l);
    }
    // The smallest parts come first, because they are refuted fastest.
    std::stable_sort(parts.begin(), parts.end(),
                     [](const auto& a, const auto& b) { return a.size() < b.size(); });
    return std::all_of(parts.begin(), parts.end(),
                       [&](auto& part) { return fits(std::move(part), ceiling); });
}

/// Computes for every section its floor, which is the lowest offset that is not excluded for its lots, and
/// the sum of the sizes that must lie above the floor. Returns false if the sum does not fit.
bool FitSearch::measure(const std::vector<int>& lots, std::int64_t ceiling)
{
    int first = m_component.sections;
    int last = 0;
    for (const int l : lots) {
        const Lot& lot = m_component.lots[static_cast<std::size_t>(l)];
        first = std::min(first, lot.from);
        last = std::max(last, lot.to);
    }
    std::fill(m_floor.begin() + first, m_floor.begin() + last, kNever);
    std::fill(m_rest.begin() + first, m_rest.begin() + last, 0);
    for (const int l : lots) {
        const Lot& lot = m_component.lots[static_cast<std::size_t>(l)];
        const std::int64_t least = m_least[static_cast<std::size_t>(l)];
        if (exceeds(least + lot.size, ceiling))
            return false;
        for (int s = lot.from; s < lot.to; ++s) {
            const auto at = static_cast<std::size_t>(s);
            m_floor[at] = std::min(m_floor[at], least);
            m_rest[at] += lot.sizeAt(s);
        }
    }
    for (int s = first; s < last; ++s) {
        const auto at = static_cast<std::size_t>(s);
        if (m_rest[at] > 0 && exceeds(m_floor[at] + m_rest[at], ceiling))
            return false;
    }
    return true;
}

/// Chooses the valley with the fewest branches. A valley is a section in which every lot that can lie on its
/// floor has the same floor during its whole life, so that no lot can lie below it.
FitSearch::Choice FitSearch::choose(const std::vector<int>& lots, std::int64_t ceiling)
{
    int first = m_component.sections;
    int last = 0;
    for (const int l : lots) {
        const Lot& lot = m_component.lots[static_cast<std::size_t>(l)];
        first = std::min(first, lot.from);
        last = std::max(last, lot.to);
    }
    std::fill(m_count.begin() + first, m_count.begin() + last, 0);
    for (const int l : lots) {
        const Lot& lot = m_component.lots[static_cast<std::size_t>(l)];
        const std::int64_t least = m_least[static_cast<std::size_t>(l)];
        const auto begin = m_floor.begin() + lot.from;
        const auto end = m_floor.begin() + lot.to;
        const bool ready = std::all_of(begin, end, [&](std::int64_t f) { return f == least; });
        for (int s = lot.from; s < lot.to; ++s)
            if (m_floor[static_cast<std::size_t>(s)] == least)
                m_count[static_cast<std::size_t>(s)] += ready ? 1 : kNotReady;
    }
    Choice best;
    std::tuple<std::int64_t, std::int64_t, std::int64_t> bestKey{};
    for (int s = first; s < last; ++s) {
        const auto at = static_cast<std::size_t>(s);
        if (m_rest[at] == 0 || m_count[at] >= kNotReady)
            continue;
        const std::int64_t slack = ceiling - m_floor[at] - m_rest[at];
        const std::int64_t ways = m_count[at] + (slack > 0 ? 1 : 0);
        const auto key =
            m_strategy % 2 == 0 ? std::tuple(ways, slack, m_floor[at]) : std::tuple(m_floor[at], slack, ways);
        if (best.section < 0 || key < bestKey) {
            best = {s, m_floor[at], slack};
            bestKey = key;
        }
    }
    return best;
}

/// The lots that can lie on the floor of the section, one of each kind, the most promising first.
std::vector<int> FitSearch::candidates(const std::vector<int>& lots, const Choice& choice) const
{
    struct Candidate
    {
        std::tuple<std::int64_t, std::int64_t, std::int64_t> key;
        int lot = 0;
    };
    std::vector<Candidate> found;
    for (const int l : lots) {
        const Lot& lot = m_component.lots[static_cast<std::size_t>(l)];
        if (choice.section < lot.from || choice.section >= lot.to ||
            m_least[static_cast<std::size_t>(l)] != choice.level)
            continue;
        if (std::any_of(found.begin(), found.end(), [&](const Candidate& c) {
                return m_component.lots[static_cast<std::size_t>(c.lot)] == lot;
            }))
            continue;
        const auto wall = [&](int s) { // true at the sections that end the valley
            return s < 0 || s >= m_component.sections || m_rest[static_cast<std::size_t>(s)] == 0 ||
                   m_floor[static_cast<std::size_t>(s)] != choice.level;
        };
        const int walls = (wall(lot.from - 1) ? 1 : 0) + (wall(lot.to) ? 1 : 0);
        const std::int64_t life = lot.to - lot.from;
        const std::int64_t area = life * lot.size;
        const auto noise = static_cast<std::int64_t>(
            scrambled(static_cast<std::uint64_t>(m_strategy) * 0x10001ULL + static_cast<std::uint64_t>(l)) >>
            2);
        switch (m_strategy) {
        case 0:
        case 1:
            found.push_back({{-walls, -area, -life}, l});
            break;
        case 2:
        case 3:
            found.push_back({{-life, -lot.size, 0}, l});
            break;
        case 4:
        case 5:
            found.push_back({{-lot.size, -life, 0}, l});
            break;
        case 6:
        case 7:
            found.push_back({{-area, -lot.size, 0}, l});
            break;
        default:
            found.push_back({{m_strategy % 4 < 2 ? -walls : 0, noise, 0}, l});
            break;
        }
    }
    std::sort(found.begin(), found.end(), [](const Candidate& a, const Candidate& b) {
        return std::tie(a.key, a.lot) < std::tie(b.key, b.lot);
    });
    std::vector<int> out;
    out.reserve(found.size());
    for (const Candidate& c : found)
        out.push_back(c.lot);
    return out;
}

FitSearch::Key FitSearch::keyOf(const std::vector<int>& lots, std::int64_t ceiling) const
{
    Key key{scrambled(static_cast<std::uint64_t>(ceiling) + 1),
            scrambled(static_cast<std::uint64_t>(~ceiling))};
    for (const int l : lots) {
        const auto at = static_cast<std::uint64_t>(l) + 1;
        const std::uint64_t hash = scrambled(
            static_cast<std::uint64_t>(m_least[static_cast<std::size_t>(l)]) + at * 0x9E3779B97F4A7C15ULL);
        key[0] += hash;
        key[1] += scrambled(hash ^ (at << 40));
    }
    return key;
}

bool FitSearch::search(const std::vector<int>& lots, std::int64_t ceiling)
{
    if (!measure(lots, ceiling))
        return false;
    const Key key = keyOf(lots, ceiling);
    if (m_refuted.contains(key))
        return false;
    if (branch(lots, ceiling, choose(lots, ceiling)))
        return true;
    if (!m_out && m_refuted.size() < kMaxRefuted)
        m_refuted.insert(key);
    return false;
}

bool FitSearch::branch(const std::vector<int>& lots, std::int64_t ceiling, const Choice& choice)
{
    const std::vector<int> tried = candidates(lots, choice);
    for (std::size_t i = 0; i < tried.size(); ++i)
        if (place(tried[i], lots, ceiling, choice.level, std::span(tried).first(i)))
            return true;
        else if (m_out)
            return false;
    std::vector<int> all; // all lots, including several of one kind
    for (const int l : lots) {
        const Lot& lot = m_component.lots[static_cast<std::size_t>(l)];
        if (choice.section >= lot.from && choice.section < lot.to &&
            m_least[static_cast<std::size_t>(l)] == choice.level)
            all.push_back(l);
    }
    return delay(all, lots, ceiling, choice.level);
}

/// Branch: the lot lies on the floor. `refuted`: lots for which this was excluded.
bool FitSearch::place(int lot, const std::vector<int>& lots, std::int64_t ceiling, std::int64_t level,
                      std::span<const int> refuted)
{
    const std::size_t mark = m_trail.size();
    const auto at = static_cast<std::size_t>(lot);
    m_open[at] = 0;
    m_offset[at] = level;
    for (const Overlaps::Other& o : m_overlaps.of(lot))
        if (m_open[static_cast<std::size_t>(o.lot)])
            raise(o.lot, level + o.mine);
    // Symmetry: a refuted lot with the same life that lies directly on top of this one could be swapped with
    // it.
    const Lot& mine = m_component.lots[at];
    for (const int r : refuted) {
        const Lot& other = m_component.lots[static_cast<std::size_t>(r)];
        if (mine.narrowSize > 0 || other.narrowSize > 0 || other.from != mine.from || other.to != mine.to ||
            m_least[static_cast<std::size_t>(r)] != level + mine.size)
            continue;
        std::int64_t support = kNever;
        for (const Overlaps::Other& o : m_overlaps.of(r))
            if (m_open[static_cast<std::size_t>(o.lot)])
                support = std::min(support, m_least[static_cast<std::size_t>(o.lot)] + o.theirs);
        raise(r, support);
    }
    std::vector<int> rest;
    rest.reserve(lots.size() - 1);
    std::copy_if(lots.begin(), lots.end(), std::back_inserter(rest), [&](int l) { return l != lot; });
    if (fits(std::move(rest), ceiling))
        return true;
    undo(mark);
    m_open[at] = 1;
    return false;
}

/// Branch: none of the candidates lies on the floor of the section. Then each of them lies on a lot that is
/// not placed yet; otherwise it could move down to the floor.
bool FitSearch::delay(const std::vector<int>& candidates, const std::vector<int>& lots, std::int64_t ceiling,
                      std::int64_t level)
{
    for (const int c : candidates)
        m_open[static_cast<std::size_t>(c)] = 2;
    std::vector<std::int64_t> on(candidates.size(),
                                 kNever); // per candidate: lowest offset on a lot that is not a candidate
    std::int64_t lowest = kNever;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        for (const Overlaps::Other& o : m_overlaps.of(candidates[i]))
            if (m_open[static_cast<std::size_t>(o.lot)] == 1)
                on[i] = std::min(on[i], m_least[static_cast<std::size_t>(o.lot)] + o.theirs);
        lowest = std::min(lowest, on[i]);
    }
    const std::size_t mark = m_trail.size();
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        std::int64_t onCandidate = kNever;
        for (const Overlaps::Other& o : m_overlaps.of(candidates[i]))
            if (m_open[static_cast<std::size_t>(o.lot)] == 2)
                onCandidate = std::min(onCandidate, lowest + o.theirs);
        raise(candidates[i], std::min({on[i], onCandidate, kNever}));
    }
    for (const int c : candidates)
        m_open[static_cast<std::size_t>(c)] = 1;
    const auto heldUp = [&](int c) {
        const auto others = m_overlaps.of(c);
        return std::any_of(others.begin(), others.end(), [&](const Overlaps::Other& o) {
            return m_open[static_cast<std::size_t>(o.lot)] &&
                   m_least[static_cast<std::size_t>(o.lot)] < level + o.mine;
        });
    };
    if (lowest < kNever && std::all_of(candidates.begin(), candidates.end(), heldUp) && fits(lots, ceiling))
        return true;
    undo(mark);
    return false;
}

} // namespace tilewright
