// SPDX-License-Identifier: GPL-3.0-or-later
// Values of a run in each pixel column of a visible range of cycles.
#pragma once

#include "chart/lane.h"
#include "workspace/npu_document.h"

#include <optional>
#include <vector>

namespace tilewright::ui {

/// One bank in one column.
struct BankCell
{
    float bytesPerCycle = 0;
    float missShare = 0; ///< share of row misses among the burst groups
};

/// The DRAM of one run over [from, to) on `width` pixels.
struct DramColumns
{
    double from = 0, to = 0;
    int width = 0;
    std::vector<float> dram;     ///< bytes per cycle, all channels
    std::vector<BankCell> banks; ///< [(channel * banks + bank) * width + x]
    bool exact = false;          ///< computed from single DRAM events; otherwise from bins of the series

    [[nodiscard]] static DramColumns of(const NpuResult& result, double from, double to, int width);
};

/// A cache of the last columns: several lanes and the readout request the same range.
class DramCache
{
public:
    explicit DramCache(NpuResultPtr result) : m_result(std::move(result)) {}
    const DramColumns& at(double from, double to, int width);
    /// DRAM throughput in the visible columns; nullopt outside of them.
    [[nodiscard]] std::optional<double> dramAt(double time) const;
    [[nodiscard]] const BankCell* bankAt(double time, int row) const;

private:
    [[nodiscard]] std::optional<std::size_t> columnAt(double time) const;
    NpuResultPtr m_result;
    DramColumns m_columns;
};

/// Minimum and maximum of a step list in each pixel; empty after the end of the run.
[[nodiscard]] std::vector<LowHigh> stepColumns(const std::vector<npu::TimedValue>& steps, double from,
                                               double to, int width, npu::Cycle runEnd);
/// Value of a step list at a time.
[[nodiscard]] std::int64_t stepAt(const std::vector<npu::TimedValue>& steps, npu::Cycle time);

} // namespace tilewright::ui
