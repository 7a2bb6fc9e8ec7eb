// SPDX-License-Identifier: GPL-3.0-or-later
// Values of a run in each pixel column of the visible range of cycles.
#pragma once

#include "chart/lane.h"
#include "workspace/npu_document.h"

#include <optional>
#include <vector>

namespace tilewright::ui {

/// The values of one DRAM bank in one pixel column.
struct BankCell
{
    float bytesPerCycle = 0;
    float missShare = 0; ///< share of row misses among the burst groups
};

/// The DRAM values of a run over the cycles [from, to), for `width` pixel columns.
struct DramColumns
{
    double from = 0, to = 0;
    int width = 0;
    std::vector<float> dram;     ///< bytes per cycle of all channels together, by column
    std::vector<BankCell> banks; ///< values by [(channel * banks + bank) * width + x]
    bool exact = false; ///< true if computed from single DRAM events; false: from the bins of the series

    [[nodiscard]] static DramColumns of(const NpuResult& result, double from, double to, int width);
};

/// A cache of the columns that were computed last, because several lanes and the readout request the same
/// range.
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

/// Returns minimum and maximum of a step function in each pixel column; the columns after the end of the run
/// are empty.
[[nodiscard]] std::vector<LowHigh> stepColumns(const std::vector<npu::TimedValue>& steps, double from,
                                               double to, int width, npu::Cycle runEnd);
/// Returns the value of a step function at a time.
[[nodiscard]] std::int64_t stepAt(const std::vector<npu::TimedValue>& steps, npu::Cycle time);

} // namespace tilewright::ui
