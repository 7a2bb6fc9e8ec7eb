// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "systolic/program.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <vector>

namespace tilewright::systolic {

/// Work of the units, waits of the array and fill of the levels of a run of any length, in equal buckets of
/// time. The buckets become twice as wide when there are more than kBuckets.
class RunOverview
{
public:
    static constexpr std::size_t kBuckets = 4096;
    /// Busy cycles in a bucket that commands on A, B and C account for.
    using Busy = std::array<std::int64_t, 3>;

    /// Cycles in a bucket.
    [[nodiscard]] std::int64_t width() const noexcept { return m_width; }
    /// By unit, in the order of the resources; by bucket.
    [[nodiscard]] const std::vector<std::vector<Busy>>& units() const noexcept { return m_units; }
    /// Cycles in which the array waits, by reason of ArrayBubble; by bucket.
    [[nodiscard]] const std::map<std::string, std::vector<std::int64_t>, std::less<>>& waits() const noexcept
    {
        return m_waits;
    }
    /// Largest number of bytes in L3, L2 and L1; by bucket.
    [[nodiscard]] const std::array<std::vector<std::int64_t>, 3>& held() const noexcept { return m_held; }

    /// A stretch of time: kind is a Matrix for work.
    struct Piece
    {
        std::int64_t from = 0, to = 0;
        std::size_t kind = 0;
    };
    /// Work of a unit in time order. In a bucket it is drawn together, A before B before C, from its start
    /// on.
    [[nodiscard]] std::vector<Piece> pieces(std::size_t unit) const;

    void setUnits(std::size_t count) { m_units.resize(count); }
    void work(std::size_t unit, Matrix matrix, std::int64_t from, std::int64_t to);
    void wait(std::string_view reason, std::int64_t from, std::int64_t to);
    /// A level holds `bytes` from one time to another.
    void hold(std::size_t level, std::int64_t from, std::int64_t to, std::int64_t bytes);

private:
    void reach(std::int64_t time);
    template <typename Buckets, typename Add>
    void spread(Buckets& buckets, std::int64_t from, std::int64_t to, Add&& add);

    std::int64_t m_width = 1;
    std::vector<std::vector<Busy>> m_units;
    std::map<std::string, std::vector<std::int64_t>, std::less<>> m_waits;
    std::array<std::vector<std::int64_t>, 3> m_held;
};

} // namespace tilewright::systolic
