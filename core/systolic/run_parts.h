// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "systolic/program.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <vector>

namespace tilewright::systolic {

/// Overview of a run of any length in time buckets of equal width: work of the units, waits of the array, and
/// bytes in the levels. If there would be more than kBuckets buckets, the width doubles.
class RunOverview
{
public:
    static constexpr std::size_t kBuckets = 4096;
    /// Busy cycles of a unit in a bucket, separately for commands on A, B and C.
    using Busy = std::array<std::int64_t, 3>;

    /// Width of a bucket in cycles.
    [[nodiscard]] std::int64_t width() const noexcept { return m_width; }
    /// Busy cycles per unit, in the order of the resources, and per bucket.
    [[nodiscard]] const std::vector<std::vector<Busy>>& units() const noexcept { return m_units; }
    /// Cycles in which the array waits, per reason of ArrayBubble and per bucket.
    [[nodiscard]] const std::map<std::string, std::vector<std::int64_t>, std::less<>>& waits() const noexcept
    {
        return m_waits;
    }
    /// Largest number of bytes in L3, L2 and L1, per bucket.
    [[nodiscard]] const std::array<std::vector<std::int64_t>, 3>& held() const noexcept { return m_held; }

    /// A stretch of time. For work, `kind` is a Matrix.
    struct Piece
    {
        std::int64_t from = 0, to = 0;
        std::size_t kind = 0;
    };
    /// Work of a unit in time order. Within a bucket the pieces are consecutive from the start of the bucket:
    /// A, then B, then C.
    [[nodiscard]] std::vector<Piece> pieces(std::size_t unit) const;

    void setUnits(std::size_t count) { m_units.resize(count); }
    void work(std::size_t unit, Matrix matrix, std::int64_t from, std::int64_t to);
    void wait(std::string_view reason, std::int64_t from, std::int64_t to);
    /// Records that a level holds `bytes` from one time to another.
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
