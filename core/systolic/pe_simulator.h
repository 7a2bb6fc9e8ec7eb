// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/progress.h"
#include "systolic/edge_fifo.h"

#include <memory>
#include <vector>

namespace tilewright::systolic {

/// Limits of the register-level simulator (docs/rules/systolic.md 9): sides of the array, and number of
/// elements of A, B and C.
inline constexpr std::int64_t kMaxSimulatedSide = 1024;
inline constexpr std::int64_t kMaxSimulatedElements = std::int64_t{1} << 26; ///< M*K + K*N + M*N

/// Registers of one PE after a cycle.
struct PeRegisters
{
    double west = 0;        ///< operand that moves east
    double north = 0;       ///< OS: operand that moves south; WS and IS: partial sum that moves south
    double accumulator = 0; ///< OS: current sum; WS and IS: stationary operand
    double shadow = 0;      ///< OS: result of the previous fold; WS and IS: next stationary operand
    bool active = false;    ///< true if the PE did a MAC in this cycle
    PeActivity work;        ///< indices and fold of the MAC that the PE did
};

/// Register-level simulation of a GEMM (docs/rules/systolic.md 2). Operands enter skewed at the edges and
/// move one PE per cycle. OS: both operands move, sums stay. WS and IS: one operand moves east, and partial
/// sums move south past the stationary operands. Stationary operands enter from the north, move down to their
/// row and wait in a second register until the first operand of their fold arrives. Partial sums of the k
/// folds are added below the array. The state after any cycle can be requested in any order: the simulation
/// continues from the nearest checkpoint.
class PeSimulator
{
public:
    /// Creates a simulator. `a` is M x K, `b` is K x N, both row-major. Returns the Error of checkGemm(),
    /// checkArray() or checkSupply(), or an Error for arrays over 1024 x 1024 and for operands of the wrong
    /// size.
    [[nodiscard]] static Result<PeSimulator> create(const Gemm& gemm, const ArrayShape& array,
                                                    const TimingOptions& options, std::vector<double> a,
                                                    std::vector<double> b, const EdgeSupply& supply = {});
    /// Creates a simulator with random operands from `seed`: small integers, so that sums are exact.
    [[nodiscard]] static Result<PeSimulator> createRandom(const Gemm& gemm, const ArrayShape& array,
                                                          const TimingOptions& options, std::uint64_t seed,
                                                          const EdgeSupply& supply = {});
    ~PeSimulator();
    PeSimulator(PeSimulator&&) noexcept;
    PeSimulator& operator=(PeSimulator&&) noexcept;

    [[nodiscard]] const FoldPlan& plan() const noexcept;
    [[nodiscard]] const EdgeClock& clock() const noexcept;
    /// Number of cycles, including stalls of the edge FIFOs.
    [[nodiscard]] std::int64_t cycles() const noexcept;

    /// Runs to the end. Returns false if stopped. Afterwards product() and the measured values are complete.
    bool run(const Progress& progress = {});
    /// Moves to the state after `cycle` (-1: before the first cycle), forwards or backwards.
    void seek(std::int64_t cycle);
    [[nodiscard]] std::int64_t cycle() const noexcept;
    [[nodiscard]] PeRegisters pe(std::int64_t row, std::int64_t col) const;
    /// Number of PEs that did a MAC in the current cycle, counted from the valid bits; 0 in a stalled cycle.
    [[nodiscard]] std::int64_t activePes() const noexcept;
    /// The M x N results that have left the array so far; complete after run().
    [[nodiscard]] const std::vector<double>& product() const noexcept;
    /// a x b by three plain loops, as a reference.
    [[nodiscard]] std::vector<double> referenceProduct() const;
    /// Number of cycles up to the last event in the array, measured during the run. The last event is the
    /// last MAC with Readout::Shadow, the last shift-out with Readout::Shift. Stalls count.
    [[nodiscard]] std::int64_t measuredCycles() const noexcept;
    /// Number of MACs with two valid operands so far; M*N*K after run().
    [[nodiscard]] std::int64_t measuredMacs() const noexcept;
    /// Value of C[m,n] accumulated up to the current cycle, for any element and dataflow.
    [[nodiscard]] double partialSum(std::int64_t m, std::int64_t n) const;

private:
    struct Impl;
    explicit PeSimulator(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m_impl;
};

} // namespace tilewright::systolic
