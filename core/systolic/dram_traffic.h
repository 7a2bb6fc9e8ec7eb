// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/progress.h"
#include "systolic/gemm.h"

#include <array>
#include <string>
#include <vector>

namespace tilewright::systolic {

/// Order of the tile loops, outermost first: i over M, j over N, k over K.
enum class LoopOrder { Ijk, Ikj, Jik, Jki, Kij, Kji };
enum class Replacement { Lru, Belady };

inline constexpr std::array kLoopOrders{LoopOrder::Ijk, LoopOrder::Ikj, LoopOrder::Jik,
                                        LoopOrder::Jki, LoopOrder::Kij, LoopOrder::Kji};

[[nodiscard]] std::string_view loopOrderName(LoopOrder order) noexcept; ///< "ijk"
/// The dataflow's own loop order (docs/rules/systolic.md 6.6): OS ijk, WS jki (m innermost), IS ikj (n
/// innermost).
[[nodiscard]] LoopOrder loopOrderOf(Dataflow dataflow) noexcept;

/// DRAM <-> L3 traffic of a tiled GEMM (docs/rules/systolic.md 7): explicit residency, one share of L3 for
/// each matrix.
struct DramQuery
{
    Gemm gemm;
    TileShape tile;
    std::int64_t elementBytes = 4;
    std::int64_t l3Bytes = 4 * 128 * 1024;
    std::array<double, 3> shares{0.4, 0.4, 0.2}; ///< of A, B, C
    LoopOrder order = LoopOrder::Ijk;
    Replacement replacement = Replacement::Lru;

    [[nodiscard]] std::int64_t shareBytes(Matrix matrix) const noexcept;
};

/// One array-sized tile of the dataflow, K (OS) in steps of 16: the tile of every figure for which none was
/// chosen.
[[nodiscard]] TileShape arrayTile(const Gemm& gemm, const ArrayShape& array, Dataflow dataflow) noexcept;

/// What moves of one matrix.
struct MatrixTraffic
{
    std::int64_t loads = 0; ///< tiles
    std::int64_t stores = 0;
    std::int64_t loadBytes = 0;
    std::int64_t storeBytes = 0;
    bool operator==(const MatrixTraffic&) const = default;
};

struct DramTraffic
{
    std::array<MatrixTraffic, 3> matrix; ///< A, B, C
    std::int64_t compulsoryBytes = 0;
    bool operator==(const DramTraffic&) const = default;

    [[nodiscard]] const MatrixTraffic& of(Matrix m) const noexcept
    {
        return matrix[static_cast<std::size_t>(m)];
    }
    [[nodiscard]] std::int64_t bytes() const noexcept; ///< saturates
    [[nodiscard]] std::int64_t transfers() const noexcept;
};

/// Refuses illegal sizes, shares below 0 or above 1 together, and traffic beyond 2^63 bytes.
[[nodiscard]] Status checkDramQuery(const DramQuery& query);
/// Closed form; equals the simulation with LRU (docs/rules/systolic.md 7). Pre-condition: checkDramQuery
/// accepts the query.
[[nodiscard]] DramTraffic dramClosedForm(const DramQuery& query) noexcept;
/// What the figure assumes, for a reader: "tile 16 x 16 x 16, loops ijk, moved only once: A, C; L3 of 524 288
/// bytes".
[[nodiscard]] std::string dramAssumption(const DramQuery& query);
/// Tile by tile; refuses more than 2^27 steps.
[[nodiscard]] Result<DramTraffic> simulateDram(const DramQuery& query, const Progress& progress = {});

/// Tiles in each dimension and the reuse factors A ceil(N/Tj), B ceil(M/Ti), C ceil(K/Tk).
struct ReuseFactors
{
    std::int64_t nM = 0, nN = 0, nK = 0;
    std::int64_t a = 0, b = 0, c = 0;
    std::int64_t transfersFullReuse = 0; ///< every tile once
    std::int64_t transfersNoReuse = 0;   ///< A and B for every step, C once
    double reductionOverUntiled = 0;     ///< 2*M*N*K element loads / elements moved with full reuse
};
[[nodiscard]] ReuseFactors reuseFactors(const Gemm& gemm, const TileShape& tile) noexcept;

/// Divides A and B by the number of L3 tiles, as a source document does: an estimate, possibly below
/// compulsory (docs/rules/systolic.md 7).
[[nodiscard]] double seedDramEstimateBytes(const Gemm& gemm, const TileShape& tile, std::int64_t elementBytes,
                                           std::int64_t l3Buffers) noexcept;

/// Adaptive stationary (docs/rules/systolic.md 6.6).
struct AdaptiveStationary
{
    std::array<std::int64_t, 3> fixedBytes{}; ///< OS, WS, IS for the whole GEMM
    Dataflow bestFixed = Dataflow::Os;
    std::vector<Dataflow> rows;     ///< choice for each row of tiles
    std::int64_t rowBytes = 0;      ///< traffic with the choice made row by row
    std::int64_t bytes = 0;         ///< the better of bestFixed and row by row
    bool perRow = false;            ///< the row-by-row choice is the better one
    std::array<double, 3> saving{}; ///< 1 - bytes / fixedBytes
};
/// Row by row, the contents of L3 carry over; ties prefer OS, then WS, then IS. The order in `query` is
/// unused.
[[nodiscard]] Result<AdaptiveStationary> adaptiveStationary(const DramQuery& query,
                                                            const Progress& progress = {});

} // namespace tilewright::systolic
