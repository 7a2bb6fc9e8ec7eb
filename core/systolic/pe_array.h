// SPDX-License-Identifier: GPL-3.0-or-later
// Registers of the array and the transition of one tick. Included by pe_simulator.cpp only.
#pragma once

#include "systolic/array_timing.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace tilewright::systolic::detail {

/// All registers of the array after `tick` ticks. The vectors *Valid are the valid bits of the operands.
struct Registers
{
    std::int64_t tick = 0;
    std::vector<double> west;            ///< operand that moves east
    std::vector<double> north;           ///< OS: operand that moves south; WS and IS: partial sum
    std::vector<double> held;            ///< OS: accumulator; WS and IS: stationary operand
    std::vector<double> spare;           ///< OS: shadow register; WS and IS: next stationary operand
    std::vector<double> travel;          ///< WS and IS: stationary operand that moves down to its row
    std::vector<std::int32_t> travelRow; ///< target row of `travel`, -1 = none
    std::vector<std::uint8_t> westValid;
    std::vector<std::uint8_t> otherValid; ///< OS: north operand; WS and IS: stationary operand
    std::vector<std::uint8_t> spareValid; ///< WS and IS: next stationary operand
    std::int64_t active = 0;

    Registers(std::size_t pes, bool os)
        : west(pes), north(pes), held(pes), spare(pes), travel(os ? 0 : pes), travelRow(os ? 0 : pes, -1),
          westValid(pes), otherValid(pes), spareValid(os ? 0 : pes)
    {
    }
    [[nodiscard]] std::size_t bytes() const
    {
        return (west.size() + north.size() + held.size() + spare.size() + travel.size()) * sizeof(double) +
               travelRow.size() * 4 + westValid.size() * 3;
    }
};

/// The fold that a lane of the west edge currently feeds.
struct Lane
{
    Fold fold;
    std::int64_t nextStart = 0;
};

/// Operands, registers and results of a run. tick() advances the array by one tick.
struct PeArray
{
    FoldPlan plan;
    std::vector<double> a;
    std::vector<double> b;
    std::size_t rows;
    std::size_t cols;
    bool os;
    std::int64_t ticks; ///< number of ticks of the whole run
    Registers state;
    std::vector<double> product;
    std::int64_t lastEvent = 0; ///< number of ticks until the last MAC or the last shift-out of a result

    PeArray(const FoldPlan& p, std::vector<double> av, std::vector<double> bv)
        : plan(p), a(std::move(av)), b(std::move(bv)), rows(static_cast<std::size_t>(p.array().rows)),
          cols(static_cast<std::size_t>(p.array().cols)), os(p.options().dataflow == Dataflow::Os),
          ticks(p.cycles() + (p.options().readout == Readout::ScaleSim ? 1 : 0)), state(rows * cols, os),
          product(static_cast<std::size_t>(p.gemm().m * p.gemm().n))
    {
        enter();
    }

    /// Advances the array by one tick. If `recording`, results that leave the array are written to `product`.
    void tick(bool recording)
    {
        const std::int64_t u = state.tick;
        updateLive(u);
        if (os)
            tickOs(u, recording);
        else
            tickStationary(u, recording);
        state.tick = u + 1;
        if (recording && state.active > 0)
            lastEvent = std::max(lastEvent, u + 1);
    }

    /// Sets `live` and the lanes for state.tick.
    void enter()
    {
        const std::int64_t u = state.tick;
        live.clear();
        nextLive = std::max<std::int64_t>(0, plan.foldStartedAt(u - life()));
        lanes.resize(rows);
        for (std::size_t i = 0; i < rows; ++i) {
            const std::int64_t n =
                std::max<std::int64_t>(0, plan.foldStartedAt(u - static_cast<std::int64_t>(i)));
            lanes[i] = {plan.fold(n), n + 1 < plan.folds() ? plan.start(n + 1) : ticks + life() + 1};
        }
    }

private:
    [[nodiscard]] bool shifts() const { return os && plan.options().readout == Readout::Shift; }
    /// First tick in which a fold uses the array. Its stationary operands enter before its first streamed
    /// operand.
    [[nodiscard]] std::int64_t opens(const Fold& f) const { return os ? f.start : f.start - f.rows; }
    /// Number of ticks from the start of a fold until all its data has left the array.
    [[nodiscard]] std::int64_t life() const
    {
        return plan.stream() + plan.array().rows + plan.array().cols + (shifts() ? plan.array().rows : 0);
    }

    void updateLive(std::int64_t u)
    {
        while (nextLive < plan.folds()) {
            const Fold f = plan.fold(nextLive);
            if (opens(f) > u)
                break;
            live.push_back(f);
            ++nextLive;
        }
        std::erase_if(live, [&](const Fold& f) { return f.start + life() < u; });
    }

    /// The operand that enters row i from the west at tick u; `valid` is 0 if there is none.
    double fromWest(std::size_t i, std::int64_t u, std::uint8_t& valid)
    {
        const std::int64_t position = u - static_cast<std::int64_t>(i);
        Lane& lane = lanes[i];
        while (position >= lane.nextStart) {
            const std::int64_t n = lane.fold.index + 1;
            lane = {plan.fold(n), n + 1 < plan.folds() ? plan.start(n + 1) : ticks + life() + 1};
        }
        const std::int64_t step = position - lane.fold.start;
        valid = step >= 0 && step < plan.stream() && static_cast<std::int64_t>(i) < lane.fold.rows;
        if (!valid)
            return 0;
        const Gemm& g = plan.gemm();
        const std::int64_t r = lane.fold.rowOffset + static_cast<std::int64_t>(i);
        switch (plan.options().dataflow) {
        case Dataflow::Os:
            return a[static_cast<std::size_t>(r * g.k + step)];
        case Dataflow::Ws:
            return a[static_cast<std::size_t>(step * g.k + r)];
        case Dataflow::Is:
            return b[static_cast<std::size_t>(r * g.n + step)];
        }
        return 0;
    }

    void shiftEast(std::size_t i, std::int64_t u)
    {
        double* const west = state.west.data() + i * cols;
        std::uint8_t* const valid = state.westValid.data() + i * cols;
        std::memmove(west + 1, west, (cols - 1) * sizeof(double));
        std::memmove(valid + 1, valid, cols - 1);
        west[0] = fromWest(i, u, valid[0]);
    }

    /// Column of row i that the wave of a fold has reached `position` ticks after the start of the fold; -1
    /// if none.
    [[nodiscard]] std::int64_t columnOf(std::int64_t position, std::size_t i) const
    {
        const std::int64_t j = position - static_cast<std::int64_t>(i);
        return j >= 0 && j < static_cast<std::int64_t>(cols) ? j : -1;
    }

    /// Accumulates x * y into `sum`. Invalid operands are zero. Returns the number of products with two valid
    /// operands.
    static std::int64_t macRow(double* sum, const double* x, const double* y, const std::uint8_t* xv,
                               const std::uint8_t* yv, std::size_t n)
    {
        for (std::size_t j = 0; j < n; ++j)
            sum[j] += x[j] * y[j];
        unsigned active = 0;
        for (std::size_t j = 0; j < n; ++j)
            active += xv[j] & yv[j];
        return active;
    }

    void record(std::int64_t m, std::int64_t n, double value, bool add)
    {
        double& c = product[static_cast<std::size_t>(m * plan.gemm().n + n)];
        c = add ? c + value : value;
    }

    void northOs(std::int64_t u)
    {
        std::fill_n(state.north.begin(), cols, 0.0);
        std::fill_n(state.otherValid.begin(), cols, std::uint8_t{0});
        for (const Fold& f : live) {
            const std::int64_t last = std::min(f.cols - 1, u - f.start);
            for (std::int64_t j = std::max<std::int64_t>(0, u - f.start - plan.stream() + 1); j <= last;
                 ++j) {
                const std::int64_t k = u - f.start - j;
                state.north[static_cast<std::size_t>(j)] =
                    b[static_cast<std::size_t>(k * plan.gemm().n + f.colOffset + j)];
                state.otherValid[static_cast<std::size_t>(j)] = 1;
            }
        }
    }

    /// Shifts results out through the bottom row, one row per tick. Returns true if tick u belongs to a
    /// read-out.
    bool shiftOut(std::int64_t u, bool recording)
    {
        const std::int64_t done = plan.stream() + plan.array().rows + plan.array().cols - 2;
        for (const Fold& f : live) {
            const std::int64_t step = u - f.start - done;
            if (step < 0 || step >= plan.array().rows)
                continue;
            const std::int64_t row = plan.array().rows - 1 - step;
            if (recording && row < f.rows)
                for (std::int64_t j = 0; j < f.cols; ++j)
                    record(f.rowOffset + row, f.colOffset + j,
                           state.held[(rows - 1) * cols + static_cast<std::size_t>(j)], false);
            std::memmove(state.held.data() + cols, state.held.data(), (rows - 1) * cols * sizeof(double));
            std::fill_n(state.held.begin(), cols, 0.0);
            return true;
        }
        return false;
    }

    void tickOs(std::int64_t u, bool recording)
    {
        if (shifts() && shiftOut(u, recording)) {
            state.active = 0;
            if (recording)
                lastEvent = u + 1;
            return;
        }
        std::int64_t active = 0;
        for (std::size_t i = rows; i-- > 0;) {
            double* const held = state.held.data() + i * cols;
            shiftEast(i, u);
            if (i > 0) {
                std::memcpy(state.north.data() + i * cols, state.north.data() + (i - 1) * cols,
                            cols * sizeof(double));
                std::memcpy(state.otherValid.data() + i * cols, state.otherValid.data() + (i - 1) * cols,
                            cols);
            } else {
                northOs(u);
            }
            // When the first operand of a fold arrives, the PE copies the sum of the previous fold to the
            // shadow register.
            for (const Fold& f : live)
                if (const std::int64_t j = columnOf(u - f.start, i); j >= 0) {
                    if (!shifts())
                        state.spare[i * cols + static_cast<std::size_t>(j)] = held[j];
                    held[j] = 0;
                }
            active += macRow(held, state.west.data() + i * cols, state.north.data() + i * cols,
                             state.westValid.data() + i * cols, state.otherValid.data() + i * cols, cols);
            if (!recording || shifts())
                continue;
            for (const Fold& f : live)
                if (const std::int64_t j = columnOf(u - f.start - plan.stream() + 1, i);
                    j >= 0 && j < f.cols && static_cast<std::int64_t>(i) < f.rows)
                    record(f.rowOffset + static_cast<std::int64_t>(i), f.colOffset + j, held[j], false);
        }
        state.active = active;
        // With Readout::ScaleSim, ticks count until the wave has crossed the whole array, even for a smaller
        // fold.
        if (recording && plan.options().readout == Readout::ScaleSim)
            for (const Fold& f : live)
                if (u - f.start < plan.stream() + plan.array().rows + plan.array().cols - 2)
                    lastEvent = u + 1;
    }

    /// The stationary operand of a fold for row i, column j.
    [[nodiscard]] double stationary(const Fold& f, std::int64_t i, std::int64_t j) const
    {
        const Gemm& g = plan.gemm();
        const std::int64_t k = f.rowOffset + i;
        const std::int64_t c = f.colOffset + j;
        return plan.options().dataflow == Dataflow::Ws ? b[static_cast<std::size_t>(k * g.n + c)]
                                                       : a[static_cast<std::size_t>(c * g.k + k)];
    }

    /// Moves stationary operands down by one row. Operands that have reached their target row go to the spare
    /// register.
    void moveWeights(std::int64_t u)
    {
        const bool any = std::any_of(live.begin(), live.end(), [&](const Fold& f) {
            return u >= f.start - f.rows && u <= f.start + f.rows + static_cast<std::int64_t>(cols);
        });
        if (!any)
            return;
        std::memmove(state.travel.data() + cols, state.travel.data(), (rows - 1) * cols * sizeof(double));
        std::memmove(state.travelRow.data() + cols, state.travelRow.data(),
                     (rows - 1) * cols * sizeof(std::int32_t));
        std::fill_n(state.travelRow.begin(), cols, -1);
        for (const Fold& f : live) {
            const std::int64_t position = u - (f.start - f.rows); // row (position - j) enters column j
            const std::int64_t last = std::min(f.cols - 1, position);
            for (std::int64_t j = std::max<std::int64_t>(0, position - f.rows + 1); j <= last; ++j) {
                state.travel[static_cast<std::size_t>(j)] = stationary(f, position - j, j);
                state.travelRow[static_cast<std::size_t>(j)] = static_cast<std::int32_t>(position - j);
            }
        }
        for (std::size_t i = 0; i < rows; ++i)
            for (std::size_t p = i * cols; p < (i + 1) * cols; ++p)
                if (state.travelRow[p] == static_cast<std::int32_t>(i)) {
                    state.spare[p] = state.travel[p];
                    state.spareValid[p] = 1;
                    state.travelRow[p] = -1;
                }
    }

    void tickStationary(std::int64_t u, bool recording)
    {
        std::int64_t active = 0;
        for (std::size_t i = rows; i-- > 0;) {
            shiftEast(i, u);
            if (i > 0)
                std::memcpy(state.north.data() + i * cols, state.north.data() + (i - 1) * cols,
                            cols * sizeof(double));
            else
                std::fill_n(state.north.begin(), cols, 0.0);
            // When the first operand of a fold arrives, the spare stationary operand becomes the current one.
            for (const Fold& f : live)
                if (const std::int64_t j = columnOf(u - f.start, i); j >= 0) {
                    const std::size_t p = i * cols + static_cast<std::size_t>(j);
                    state.held[p] = state.spareValid[p] != 0 ? state.spare[p] : 0.0;
                    state.otherValid[p] = state.spareValid[p];
                    state.spareValid[p] = 0;
                }
            active += macRow(state.north.data() + i * cols, state.west.data() + i * cols,
                             state.held.data() + i * cols, state.westValid.data() + i * cols,
                             state.otherValid.data() + i * cols, cols);
        }
        moveWeights(u);
        state.active = active;
        if (recording)
            collectPartialSums(u);
    }

    /// Collects the partial sums that leave the array, below the last active row (with Readout::Shadow) or
    /// below the last row.
    void collectPartialSums(std::int64_t u)
    {
        const bool whole = plan.options().readout != Readout::Shadow;
        for (const Fold& f : live) {
            const std::int64_t exit = whole ? plan.array().rows - 1 : f.rows - 1;
            // Index in the stream of the partial sum that leaves column 0.
            const std::int64_t position = u - f.start - exit;
            const std::int64_t last = std::min(f.cols - 1, position);
            for (std::int64_t j = std::max<std::int64_t>(0, position - plan.stream() + 1); j <= last; ++j) {
                const double value =
                    state.north[static_cast<std::size_t>(exit) * cols + static_cast<std::size_t>(j)];
                if (plan.options().dataflow == Dataflow::Ws)
                    record(position - j, f.colOffset + j, value, true);
                else
                    record(f.colOffset + j, position - j, value, true);
            }
            // With the other read-outs, ticks count until the wave has crossed the last column of the array.
            if (whole && position >= 0 && position - (plan.array().cols - 1) < plan.stream())
                lastEvent = u + 1;
        }
    }

    std::vector<Fold> live; ///< folds that have operands or results in the array
    std::int64_t nextLive = 0;
    std::vector<Lane> lanes;
};

} // namespace tilewright::systolic::detail
