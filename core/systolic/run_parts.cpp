// SPDX-License-Identifier: GPL-3.0-or-later
#include "systolic/run_parts.h"

namespace tilewright::systolic {

namespace {

/// Halves the number of buckets by joining neighbours.
template <typename Bucket, typename Join> void halve(std::vector<Bucket>& buckets, Join&& join)
{
    for (std::size_t n = 0; n < buckets.size(); ++n) {
        if (n % 2 == 0)
            buckets[n / 2] = buckets[n];
        else
            join(buckets[n / 2], buckets[n]);
    }
    buckets.resize((buckets.size() + 1) / 2);
}

} // namespace

void RunOverview::reach(std::int64_t time)
{
    while (time > m_width * static_cast<std::int64_t>(kBuckets)) {
        m_width *= 2;
        for (std::vector<Busy>& unit : m_units)
            halve(unit, [](Busy& to, const Busy& from) {
                for (std::size_t m = 0; m < to.size(); ++m)
                    to[m] += from[m];
            });
        for (auto& [reason, cycles] : m_waits)
            halve(cycles, [](std::int64_t& to, std::int64_t from) { to += from; });
        for (auto& level : m_held)
            halve(level, [](std::int64_t& to, std::int64_t from) { to = std::max(to, from); });
    }
}

template <typename Buckets, typename Add>
void RunOverview::spread(Buckets& buckets, std::int64_t from, std::int64_t to, Add&& add)
{
    reach(to);
    while (from < to) {
        const std::int64_t bucket = from / m_width;
        const std::int64_t until = std::min(to, (bucket + 1) * m_width);
        if (std::ssize(buckets) <= bucket)
            buckets.resize(static_cast<std::size_t>(bucket) + 1);
        add(buckets[static_cast<std::size_t>(bucket)], until - from);
        from = until;
    }
}

std::vector<RunOverview::Piece> RunOverview::pieces(std::size_t unit) const
{
    std::vector<Piece> out;
    for (std::size_t n = 0; n < m_units[unit].size(); ++n) {
        std::int64_t at = static_cast<std::int64_t>(n) * m_width;
        for (std::size_t matrix = 0; matrix < 3; ++matrix) {
            const std::int64_t busy = m_units[unit][n][matrix];
            if (busy > 0)
                out.push_back({at, at + busy, matrix});
            at += busy;
        }
    }
    return out;
}

void RunOverview::work(std::size_t unit, Matrix matrix, std::int64_t from, std::int64_t to)
{
    spread(m_units[unit], from, to,
           [matrix](Busy& busy, std::int64_t cycles) { busy[static_cast<std::size_t>(matrix)] += cycles; });
}

void RunOverview::wait(std::string_view reason, std::int64_t from, std::int64_t to)
{
    auto found = m_waits.find(reason);
    if (found == m_waits.end())
        found = m_waits.emplace(std::string(reason), std::vector<std::int64_t>()).first;
    spread(found->second, from, to, [](std::int64_t& sum, std::int64_t cycles) { sum += cycles; });
}

void RunOverview::hold(std::size_t level, std::int64_t from, std::int64_t to, std::int64_t bytes)
{
    spread(m_held[level], from, std::max(to, from + 1),
           [bytes](std::int64_t& most, std::int64_t) { most = std::max(most, bytes); });
}

} // namespace tilewright::systolic
