// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "systolic/gemm.h"

#include <optional>
#include <vector>

namespace tilewright::systolic {

/// Order and reuse of tiles in L2 (docs/rules/systolic.md 3).
enum class L2Schedule { NoReuse, RowReuse, FullReuse, PartialC };

[[nodiscard]] std::string_view l2ScheduleName(L2Schedule schedule) noexcept; ///< "A", "A + row reuse", ...

/// "a", "a-row", "a-full", "b".
[[nodiscard]] std::string_view l2ScheduleWord(L2Schedule schedule) noexcept;
[[nodiscard]] Result<L2Schedule> parseL2Schedule(std::string_view text);

/// Traffic and L2 need of one schedule. "Tiles" count units of the table of docs/rules/systolic.md 3; bytes
/// are the true ones.
struct L2Plan
{
    L2Schedule schedule = L2Schedule::NoReuse;
    std::int64_t passes = 1;       ///< over k, for PartialC
    std::int64_t trafficTiles = 0; ///< reads + writes
    std::int64_t readBytes = 0;
    std::int64_t writeBytes = 0;
    std::int64_t minTiles = 0; ///< single-buffered
    std::int64_t minBytes = 0;
    std::int64_t doubleTiles = 0; ///< inputs double-buffered; this one decides whether it fits
    std::int64_t doubleBytes = 0;
    bool fits = true; ///< doubleBytes <= the L2 size asked about

    [[nodiscard]] std::int64_t trafficBytes() const noexcept { return readBytes + writeBytes; }
};

/// The four schedules (PartialC with `passes` over k, 1 <= passes <= number of k tiles), in the order of the
/// table. Error when a size is illegal or bytes exceed 2^62.
[[nodiscard]] Result<std::vector<L2Plan>> l2Schedules(const Gemm& gemm, const TileShape& tile,
                                                      std::int64_t elementBytes, std::int64_t l2Bytes,
                                                      std::int64_t passes = 2);
/// The fitting schedule with the least traffic (ties: the smaller L2 need); nothing when none fits.
[[nodiscard]] std::optional<L2Plan> bestL2Schedule(const std::vector<L2Plan>& plans);

/// Where tiles lie in the banks of L2 (docs/rules/systolic.md 3.3).
enum class BankLayout { Seed, Split };

struct BankMap
{
    BankLayout layout = BankLayout::Seed;
    std::int64_t banks = 8; ///< at least 1 (Seed) or 2 (Split)
    std::int64_t nN = 1;    ///< tiles along N and K
    std::int64_t nK = 1;

    [[nodiscard]] std::int64_t bankA(std::int64_t i, std::int64_t k) const noexcept;
    [[nodiscard]] std::int64_t bankB(std::int64_t k, std::int64_t j) const noexcept;
    [[nodiscard]] bool conflicts(std::int64_t i, std::int64_t j, std::int64_t k) const noexcept
    {
        return bankA(i, k) == bankB(k, j);
    }
};

/// A and B tile of one step in the same bank.
struct BankConflict
{
    std::int64_t i = 0;
    std::int64_t j = 0;
    std::int64_t k = 0;
    std::int64_t bank = 0;
    bool operator==(const BankConflict&) const = default;
};

struct BankConflicts
{
    std::int64_t steps = 0;           ///< nM * nN * nK
    std::int64_t count = 0;           ///< all conflicts
    std::vector<BankConflict> listed; ///< the first `limit` in i, j, k order
};

/// Refuses fewer banks than the layout needs, and more than 2^32 steps.
[[nodiscard]] Result<BankConflicts> bankConflicts(const BankMap& map, std::int64_t nM,
                                                  std::size_t limit = 10'000);

} // namespace tilewright::systolic
