// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/progress.h"
#include "systolic/gemm.h"

#include <array>
#include <string>
#include <vector>

namespace tilewright::systolic {

/// Order of the loops over tiles, outermost first. Loop i runs over M, j over N, k over K.
enum class LoopOrder { Ijk, Ikj, Jik, Jki, Kij, Kji };
enum class Replacement { Lru, Belady };

inline constexpr std::array kLoopOrders{LoopOrder::Ijk, LoopOrder::Ikj, LoopOrder::Jik,
                                        LoopOrder::Jki, LoopOrder::Kij, LoopOrder::Kji};

[[nodiscard]] std::string_view loopOrderName(LoopOrder order) noexcept; ///< name such as "ijk"
/// Loop order of a dataflow (docs/rules/systolic.md 6.6): OS ijk, WS jki (m innermost), IS ikj (n innermost).
[[nodiscard]] LoopOrder loopOrderOf(Dataflow dataflow) noexcept;

/// Input of the model of traffic between DRAM and L3 of a tiled GEMM (docs/rules/systolic.md 7). The model
/// tracks which tiles are in L3. Each matrix has a fixed share of L3.
struct DramQuery
{
    Gemm gemm;
    TileShape tile;
    std::int64_t elementBytes = 4;
    std::int64_t l3Bytes = 4 * 128 * 1024;
    std::array<double, 3> shares{0.4, 0.4, 0.2}; ///< shares of L3 reserved for A, B and C
    LoopOrder order = LoopOrder::Ijk;
    Replacement replacement = Replacement::Lru;

    [[nodiscard]] std::int64_t shareBytes(Matrix matrix) const noexcept;
};

/// Default tile: one tile of the size of the array for this dataflow; with OS, Tk is 16.
[[nodiscard]] TileShape arrayTile(const Gemm& gemm, const ArrayShape& array, Dataflow dataflow) noexcept;

/// DRAM traffic of one matrix.
struct MatrixTraffic
{
    std::int64_t loads = 0; ///< number of tiles loaded
    std::int64_t stores = 0;
    std::int64_t loadBytes = 0;
    std::int64_t storeBytes = 0;
    bool operator==(const MatrixTraffic&) const = default;
};

struct DramTraffic
{
    std::array<MatrixTraffic, 3> matrix; ///< indexed by Matrix: A, B, C
    std::int64_t compulsoryBytes = 0;
    bool operator==(const DramTraffic&) const = default;

    [[nodiscard]] const MatrixTraffic& of(Matrix m) const noexcept
    {
        return matrix[static_cast<std::size_t>(m)];
    }
    [[nodiscard]] std::int64_t bytes() const noexcept; ///< sum over the matrices, saturating
    [[nodiscard]] std::int64_t transfers() const noexcept;
};

/// Checks a query. Returns an Error for illegal sizes, negative shares, shares that add up to more than 1,
/// and traffic beyond 2^63 bytes.
[[nodiscard]] Status checkDramQuery(const DramQuery& query);
/// Traffic in closed form, equal to the simulation with LRU (docs/rules/systolic.md 7). Precondition:
/// checkDramQuery accepts the query.
[[nodiscard]] DramTraffic dramClosedForm(const DramQuery& query) noexcept;
/// Text of the assumptions: "tile 16 x 16 x 16, loops ijk, moved only once: A, C; L3 of 524 288 bytes".
[[nodiscard]] std::string dramAssumption(const DramQuery& query);
/// Simulates tile by tile which tiles are in L3. Returns an Error above 2^27 steps.
[[nodiscard]] Result<DramTraffic> simulateDram(const DramQuery& query, const Progress& progress = {});

/// Number of tiles per dimension. The reuse factors are ceil(N/Tj) for A, ceil(M/Ti) for B and ceil(K/Tk) for
/// C.
struct ReuseFactors
{
    std::int64_t nM = 0, nN = 0, nK = 0;
    std::int64_t a = 0, b = 0, c = 0;
    std::int64_t transfersFullReuse = 0; ///< number of moves if every tile is moved once
    /// Number of moves if tiles of A and B are moved in every step, tiles of C once.
    std::int64_t transfersNoReuse = 0;
    double reductionOverUntiled = 0; ///< 2*M*N*K element loads / elements moved with full reuse
};
[[nodiscard]] ReuseFactors reuseFactors(const Gemm& gemm, const TileShape& tile) noexcept;

/// DRAM estimate of a source document, in bytes: it divides A and B by the number of L3 tiles. The result may
/// be below the compulsory traffic (docs/rules/systolic.md 7).
[[nodiscard]] double seedDramEstimateBytes(const Gemm& gemm, const TileShape& tile, std::int64_t elementBytes,
                                           std::int64_t l3Buffers) noexcept;

/// Result of adaptive stationary, TAS (docs/rules/systolic.md 6.6).
struct AdaptiveStationary
{
    std::array<std::int64_t, 3> fixedBytes{}; ///< DRAM traffic with OS, WS and IS for the whole GEMM
    Dataflow bestFixed = Dataflow::Os;
    std::vector<Dataflow> rows;     ///< chosen dataflow of each row of tiles
    std::int64_t rowBytes = 0;      ///< DRAM traffic with these dataflows, in bytes
    std::int64_t bytes = 0;         ///< the smaller of rowBytes and the traffic of bestFixed
    bool perRow = false;            ///< true if a dataflow per row of tiles has less traffic than bestFixed
    std::array<double, 3> saving{}; ///< 1 - bytes / fixedBytes, per dataflow
};
/// Chooses the dataflow of each row of tiles. Tiles in L3 are kept from row to row. On a tie OS is preferred,
/// then WS, then IS. The loop order of `query` is ignored.
[[nodiscard]] Result<AdaptiveStationary> adaptiveStationary(const DramQuery& query,
                                                            const Progress& progress = {});

} // namespace tilewright::systolic
