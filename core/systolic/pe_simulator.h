// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/progress.h"
#include "systolic/edge_fifo.h"

#include <memory>
#include <vector>

namespace tilewright::systolic {

/// Largest array and operands that the register-level simulator accepts (docs/rules/systolic.md 9).
inline constexpr std::int64_t kMaxSimulatedSide = 1024;
inline constexpr std::int64_t kMaxSimulatedElements = std::int64_t{1} << 26; ///< M*K + K*N + M*N

/// The registers of one PE after a cycle.
struct PeRegisters
{
    double west = 0;        ///< operand moving east
    double north = 0;       ///< OS: operand moving south; WS, IS: partial sum moving south
    double accumulator = 0; ///< OS: sum so far; WS, IS: the stationary operand
    double shadow = 0;      ///< OS: result of the fold before; WS, IS: the next stationary operand
    bool active = false;    ///< did a MAC in this cycle
    PeActivity work;        ///< which MAC of which fold
};

/// Register-level simulation of a GEMM (docs/rules/systolic.md 2): operands enter skewed at the edges and
/// move one PE a cycle. OS: both operands move, sums stay. WS, IS: one operand moves east, partial sums move
/// south through the stationary operands, which enter from the north, travel down to their row and wait in a
/// second register until the first operand of their fold arrives; partial sums of the k folds are added below
/// the array. "State after cycle t" is available in any order: checkpoints are kept and the simulation goes
/// on from the nearest one.
class PeSimulator
{
public:
    /// a is M x K, b is K x N, row-major. Refuses what checkGemm, checkArray and checkSupply refuse, arrays
    /// over 1024 x 1024, and operands of the wrong size.
    [[nodiscard]] static Result<PeSimulator> create(const Gemm& gemm, const ArrayShape& array,
                                                    const TimingOptions& options, std::vector<double> a,
                                                    std::vector<double> b, const EdgeSupply& supply = {});
    /// With operands made of small integers from the seed, so that sums are exact.
    [[nodiscard]] static Result<PeSimulator> createRandom(const Gemm& gemm, const ArrayShape& array,
                                                          const TimingOptions& options, std::uint64_t seed,
                                                          const EdgeSupply& supply = {});
    ~PeSimulator();
    PeSimulator(PeSimulator&&) noexcept;
    PeSimulator& operator=(PeSimulator&&) noexcept;

    [[nodiscard]] const FoldPlan& plan() const noexcept;
    [[nodiscard]] const EdgeClock& clock() const noexcept;
    /// Cycles including stalls of the edge FIFOs.
    [[nodiscard]] std::int64_t cycles() const noexcept;

    /// Runs to the end; false when stopped. Afterwards product() and measured cycles are complete.
    bool run(const Progress& progress = {});
    /// Goes to the state after `cycle` (-1: before the first), forwards or backwards.
    void seek(std::int64_t cycle);
    [[nodiscard]] std::int64_t cycle() const noexcept;
    [[nodiscard]] PeRegisters pe(std::int64_t row, std::int64_t col) const;
    /// PEs that did a MAC in the current cycle, counted from the valid bits; 0 in a stalled cycle.
    [[nodiscard]] std::int64_t activePes() const noexcept;
    /// M x N results that have left the array so far (all of them after run()).
    [[nodiscard]] const std::vector<double>& product() const noexcept;
    /// a x b by three plain loops, to compare with.
    [[nodiscard]] std::vector<double> referenceProduct() const;
    /// Cycles up to the last thing that happened in the array, measured while running: with shadow registers
    /// the last MAC, with `shift` the last result shifted out, counted in ticks plus stalls.
    [[nodiscard]] std::int64_t measuredCycles() const noexcept;
    /// MACs done so far by PEs with two valid operands; M*N*K after run().
    [[nodiscard]] std::int64_t measuredMacs() const noexcept;
    /// C[m,n] as far as it has been accumulated after the current cycle (random access, any dataflow).
    [[nodiscard]] double partialSum(std::int64_t m, std::int64_t n) const;

private:
    struct Impl;
    explicit PeSimulator(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m_impl;
};

} // namespace tilewright::systolic
