// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "systolic/gemm.h"

#include <optional>
#include <vector>

namespace tilewright::systolic {

/// L2 schedule: the order in which tiles are used, and which tiles stay in L2 for reuse
/// (docs/rules/systolic.md 3).
enum class L2Schedule { NoReuse, RowReuse, FullReuse, PartialC };

[[nodiscard]] std::string_view
l2ScheduleName(L2Schedule schedule) noexcept; ///< display name: "A", "A + row reuse", ...

/// Name of the schedule in options and files: "a", "a-row", "a-full" or "b".
[[nodiscard]] std::string_view l2ScheduleWord(L2Schedule schedule) noexcept;
[[nodiscard]] Result<L2Schedule> parseL2Schedule(std::string_view text);

/// Traffic and L2 space of one schedule. Numbers of tiles are those of the table in docs/rules/systolic.md 3;
/// bytes are exact.
struct L2Plan
{
    L2Schedule schedule = L2Schedule::NoReuse;
    std::int64_t passes = 1;       ///< PartialC: number of passes over k
    std::int64_t trafficTiles = 0; ///< number of tiles read and written
    std::int64_t readBytes = 0;
    std::int64_t writeBytes = 0;
    std::int64_t minTiles = 0; ///< L2 space in tiles, with single-buffered inputs
    std::int64_t minBytes = 0;
    std::int64_t doubleTiles = 0; ///< L2 space in tiles, with double-buffered inputs; must fit into L2
    std::int64_t doubleBytes = 0;
    bool fits = true; ///< true if doubleBytes <= the given size of L2

    [[nodiscard]] std::int64_t trafficBytes() const noexcept { return readBytes + writeBytes; }
};

/// Default number of passes of schedule B (docs/rules/systolic.md 3.2): two, or the smallest number that fits
/// into `room` bytes if two do not. `perK`: bytes of one tile of A and one of B. `output`: bytes of a tile of
/// C. Returns two (one for a single k tile) if no number fits.
[[nodiscard]] std::int64_t passesOfB(std::int64_t nK, std::int64_t perK, std::int64_t output,
                                     std::int64_t room) noexcept;
/// Smallest number of passes of schedule B that fits into `room` bytes; nullopt if none does.
[[nodiscard]] std::optional<std::int64_t> fewestPasses(std::int64_t nK, std::int64_t perK,
                                                       std::int64_t output, std::int64_t room) noexcept;

/// Evaluates the four schedules in the order of the table in docs/rules/systolic.md 3. `passes` is for
/// PartialC: from 1 to the number of k tiles, or 0 for passesOfB(). Returns an Error for illegal sizes or
/// above 2^62 bytes.
[[nodiscard]] Result<std::vector<L2Plan>> l2Schedules(const Gemm& gemm, const TileShape& tile,
                                                      std::int64_t elementBytes, std::int64_t l2Bytes,
                                                      std::int64_t passes = 0);
/// The schedule with the least traffic among those that fit; ties prefer less L2 space. nullopt if none fits.
[[nodiscard]] std::optional<L2Plan> bestL2Schedule(const std::vector<L2Plan>& plans);

/// Assignment of tiles to the banks of L2 (docs/rules/systolic.md 3.3).
enum class BankLayout { Seed, Split };

struct BankMap
{
    BankLayout layout = BankLayout::Seed;
    std::int64_t banks = 8; ///< number of banks, at least 1 (Seed) or 2 (Split)
    std::int64_t nN = 1;    ///< number of tiles along N
    std::int64_t nK = 1;

    [[nodiscard]] std::int64_t bankA(std::int64_t i, std::int64_t k) const noexcept;
    [[nodiscard]] std::int64_t bankB(std::int64_t k, std::int64_t j) const noexcept;
    [[nodiscard]] bool conflicts(std::int64_t i, std::int64_t j, std::int64_t k) const noexcept
    {
        return bankA(i, k) == bankB(k, j);
    }
};

/// A bank conflict: the A tile and the B tile of one step lie in the same bank.
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
    std::int64_t steps = 0;           ///< number of steps, nM * nN * nK
    std::int64_t count = 0;           ///< number of conflicts
    std::vector<BankConflict> listed; ///< the first `limit` conflicts in i, j, k order
};

/// Lists the bank conflicts of all steps. Returns an Error if there are fewer banks than the layout needs, or
/// more than 2^32 steps.
[[nodiscard]] Result<BankConflicts> bankConflicts(const BankMap& map, std::int64_t nM,
                                                  std::size_t limit = 10'000);

} // namespace tilewright::systolic
