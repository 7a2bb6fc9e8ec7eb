// SPDX-License-Identifier: GPL-3.0-or-later
// What happens in each pixel column of a visible range of cycles: the only work of a zoom.
#pragma once

#include "views/npu/npu_state.h"

#include <cstdint>
#include <vector>

namespace tilewright::ui {

/// A step function with its integral, so that means over any range are exact.
struct RateCurve
{
    struct Point
    {
        double time = 0, rate = 0, integral = 0; ///< rate holds from `time`; integral up to `time`
    };
    std::vector<Point> points;
    double peak = 0;

    [[nodiscard]] double integralAt(double time) const;
    [[nodiscard]] double rateAt(double time) const;
    [[nodiscard]] double mean(double from, double to) const;
};

/// Bytes a cycle on the NoC: every transfer at its mean rate. A negative core means all of them.
[[nodiscard]] RateCurve nocCurve(const NpuResult& result, int core);

/// The share of each state in one column, in the order of CoreState; equal neighbours are one stretch.
struct StateColumn
{
    int x = 0, width = 1;
    std::array<float, npu::kCoreStates> share{};
};
struct MinMax
{
    std::int64_t low = 0, high = 0;
    bool operator==(const MinMax&) const = default;
};
/// One bank in one column.
struct BankCell
{
    float bytesPerCycle = 0;
    float missShare = 0; ///< row misses among the burst groups
};

/// Everything of one run over [from, to) on `width` pixels.
struct NpuColumns
{
    double from = 0, to = 0;
    int width = 0;
    struct Core
    {
        std::vector<StateColumn> states;
        std::vector<float> tensor, vector, load, store; ///< share of the column in which the unit is busy
        std::vector<MinMax> spm;
    };
    std::vector<Core> cores;
    std::vector<float> dram;     ///< bytes a cycle, all channels
    std::vector<BankCell> banks; ///< [(channel * banks + bank) * width + x]
    bool exactDram = false;      ///< from single DRAM events; otherwise from bins of the series
    std::vector<float> noc;      ///< bytes a cycle
    std::vector<MinMax> ready;

    [[nodiscard]] static NpuColumns of(const NpuResult& result, const RateCurve& noc, double from, double to,
                                       int width);
};

/// State shares of all cores together, for the overview.
[[nodiscard]] std::vector<StateColumn> overallStates(const NpuResult& result, int width);

/// Value of a step list at a time.
[[nodiscard]] std::int64_t stepAt(const std::vector<npu::TimedValue>& steps, npu::Cycle time);

} // namespace tilewright::ui
