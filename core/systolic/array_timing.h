// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "systolic/gemm.h"

#include <vector>

namespace tilewright::systolic {

/// Dataflow and read-out of the array (docs/rules/systolic.md 1.3 and 1.4).
struct TimingOptions
{
    Dataflow dataflow = Dataflow::Os;
    Readout readout = Readout::Shadow;
    int weightBuffers = 2; ///< sets of stationary registers, 1 or 2; used by WS and IS with Readout::Shadow
    bool operator==(const TimingOptions&) const = default;
};

/// Closed-form timing of a GEMM on an array (docs/rules/systolic.md 1 and 3.4).
struct ArrayTiming
{
    std::int64_t cycles = 0;
    std::int64_t folds = 0;
    double utilization = 0;       ///< MACs / (rows * cols * cycles)
    double mappingEfficiency = 0; ///< mean over the folds of used PEs / all PEs
    /// Elements moved between L2 and the array, without reuse between folds (docs/rules/systolic.md 3.4)
    std::int64_t l2Elements = 0;
    /// False for OS with shadow registers if K < rows: the read-out takes longer than a fold.
    bool readoutHidden = true;
};

/// Fill, steady and drain (docs/rules/systolic.md 1.5), in cycles; their sum is the span of array activity.
struct ArrayPhases
{
    std::int64_t fill = 0;    ///< cycles before the first cycle at the peak
    std::int64_t steady = 0;  ///< cycles from the first to the last cycle at the peak
    std::int64_t drain = 0;   ///< cycles after the last cycle at the peak
    std::int64_t peakPes = 0; ///< largest number of active PEs
};

/// Timing in closed form, in constant time. Precondition: checkGemm and checkArray accept the arguments.
[[nodiscard]] ArrayTiming arrayTiming(const Gemm& gemm, const ArrayShape& array,
                                      const TimingOptions& options = {}) noexcept;

/// The product that the folds of a GEMM have room for: each extent that lies along an axis of the array,
/// rounded up to a multiple of that side (docs/rules/systolic.md 1.6).
[[nodiscard]] Gemm wholeFolds(const Gemm& gemm, const ArrayShape& array, Dataflow dataflow) noexcept;
/// Multiply-accumulates of wholeFolds() that the GEMM does not have, saturating.
[[nodiscard]] std::int64_t paddedMacs(const Gemm& gemm, const ArrayShape& array, Dataflow dataflow) noexcept;

/// Elements moved between L2 and the array, by matrix (docs/rules/systolic.md 3.4).
struct EdgeElements
{
    std::int64_t a = 0, b = 0;       ///< reads of A and B
    std::int64_t partial = 0, c = 0; ///< partial sums read back, and sums written
    [[nodiscard]] std::int64_t all() const noexcept { return a + b + partial + c; }
};
[[nodiscard]] EdgeElements edgeElements(const Gemm& gemm, const ArrayShape& array,
                                        Dataflow dataflow) noexcept;
/// Elements moved between L2 and the array, sum over all matrices.
[[nodiscard]] std::int64_t l2Elements(const Gemm& gemm, const ArrayShape& array, Dataflow dataflow) noexcept;

/// One fold: an output tile (OS) or a stationary block (WS, IS) in the array.
struct Fold
{
    std::int64_t index = 0;
    std::int64_t outer = 0;     ///< index of the block along the outer dimension (OS: m, WS: n, IS: m)
    std::int64_t inner = 0;     ///< index of the block along the inner dimension (OS: n, WS and IS: k)
    std::int64_t rows = 0;      ///< number of active rows
    std::int64_t cols = 0;      ///< number of active columns
    std::int64_t start = 0;     ///< cycle of the first MAC of PE(0,0)
    std::int64_t rowOffset = 0; ///< first index of the dimension along the rows (OS: m, WS and IS: k)
    std::int64_t colOffset = 0; ///< first index of the dimension along the columns (OS and WS: n, IS: m)
};

/// Activity of PE(i,j) in one cycle.
struct PeActivity
{
    bool active = false;
    std::int64_t fold = -1; ///< index of the PE's current or last fold; -1 = none yet
    std::int64_t m = 0;     ///< indices of the MAC C[m,n] += A[m,k] * B[k,n]
    std::int64_t n = 0;
    std::int64_t k = 0;
};

/// Timetable of all folds. It gives the activity in any cycle without simulation. PE(i,j) with i < rows and j
/// < cols of fold f is active in the cycles start(f) + i + j + [0, stream).
class FoldPlan
{
public:
    /// Precondition: checkGemm and checkArray accept the arguments.
    FoldPlan(const Gemm& gemm, const ArrayShape& array, const TimingOptions& options = {}) noexcept;

    [[nodiscard]] const Gemm& gemm() const noexcept { return m_gemm; }
    [[nodiscard]] const ArrayShape& array() const noexcept { return m_array; }
    [[nodiscard]] const TimingOptions& options() const noexcept { return m_options; }
    [[nodiscard]] std::int64_t folds() const noexcept { return m_outerBlocks * m_innerBlocks; }
    [[nodiscard]] std::int64_t innerBlocks() const noexcept { return m_innerBlocks; }
    [[nodiscard]] std::int64_t outerBlocks() const noexcept { return m_outerBlocks; }
    /// Number of operands that stream past each PE in one fold (OS: K, WS: M, IS: N).
    [[nodiscard]] std::int64_t stream() const noexcept { return m_stream; }
    /// Number of cycles of the whole GEMM (docs/rules/systolic.md 1.2 to 1.4).
    [[nodiscard]] std::int64_t cycles() const noexcept { return m_cycles; }

    [[nodiscard]] std::int64_t start(std::int64_t fold) const noexcept;
    [[nodiscard]] Fold fold(std::int64_t index) const noexcept;
    /// Index of the last fold with start <= t; -1 if there is none.
    [[nodiscard]] std::int64_t foldStartedAt(std::int64_t t) const noexcept;
    [[nodiscard]] std::int64_t activePesAt(std::int64_t t) const noexcept;
    [[nodiscard]] PeActivity peAt(std::int64_t t, std::int64_t row, std::int64_t col) const noexcept;
    /// Number of active PEs in each cycle of [from, to). Takes O(to - from + number of overlapping folds)
    /// time.
    void sweepActivity(std::int64_t from, std::int64_t to, std::vector<std::int64_t>& active) const;
    /// Fill, steady and drain (docs/rules/systolic.md 1.5). The computation time grows with rows + columns,
    /// not with the GEMM.
    [[nodiscard]] ArrayPhases phases() const;

private:
    [[nodiscard]] std::int64_t rowsOf(std::int64_t outer, std::int64_t inner) const noexcept;
    [[nodiscard]] std::int64_t colsOf(std::int64_t outer, std::int64_t inner) const noexcept;
    [[nodiscard]] std::int64_t lastMac() const noexcept;

    Gemm m_gemm;
    ArrayShape m_array;
    TimingOptions m_options;
    bool m_rowsInner = false;   ///< inner blocks lie along the rows (WS and IS)
    std::int64_t m_rowSize = 0; ///< extent of the dimension along the rows
    std::int64_t m_colSize = 0;
    std::int64_t m_stream = 0;
    std::int64_t m_outerBlocks = 0;
    std::int64_t m_innerBlocks = 0;
    std::int64_t m_cycles = 0;
};

} // namespace tilewright::systolic
