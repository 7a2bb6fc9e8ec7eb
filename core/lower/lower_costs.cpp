// SPDX-License-Identifier: GPL-3.0-or-later
// What a machine adds to a lowered problem: costs, unit of time, widths, energies
// (docs/rules/workload.md 3.5, docs/rules/real.md R18), and the totals of its report.
#include "base/text.h"
#include "lower/problem_lowering.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tilewright::lower {

/// Width of an operand in bits.
static double bitsOfOperand(std::int64_t bits)
{
    return static_cast<double>(bits) / static_cast<double>(kPartsOfBit);
}

std::int64_t ProblemLowering::productCycles(TensorId lhs, TensorId rhs) const
{
    const Tensor &l = m_out.data.tensors[lhs], &r = m_out.data.tensors[rhs];
    const std::int64_t cycles = m_machine.kind == ArrayKind::DotProduct
                                    ? ceilDiv(l.width, m_machine.rows)
                                    : l.width + m_machine.rows + m_machine.cols - 2;
    const double rate = m_machine.macsPerCycle(bitsOfOperand(bitsOf(l.bits)), bitsOfOperand(bitsOf(r.bits)));
    return std::max<std::int64_t>(
        1, static_cast<std::int64_t>(std::ceil(static_cast<double>(cycles) / rate * (1 - 1e-12))));
}

std::int64_t ProblemLowering::vectorCycles(std::int64_t passes) const
{
    const Hardware& hw = m_out.data.hardware;
    return ceilDiv(hw.nativeHeight * hw.nativeWidth, m_machine.lanes) * passes;
}

bool ProblemLowering::multipliesPair(std::int64_t a, std::int64_t b) const
{
    return bitsOf(a) == bitsOf(b) ||
           m_machine.multipliesPair(bitsOfOperand(bitsOf(a)), bitsOfOperand(bitsOf(b)));
}

void ProblemLowering::chooseArray()
{
    Hardware& hw = m_out.data.hardware;
    hw.nativeWidth = m_machine.cols;
    hw.nativeHeight = m_machine.rows;
    hw.array.arrays = m_machine.arrays;
    if (m_machine.kind == ArrayKind::DotProduct) {
        hw.nativeHeight = 1;
        hw.array = {ComputeArray::Kind::DotProduct, m_machine.rows, m_machine.cols, m_machine.arrays};
    } else if (m_machine.kind == ArrayKind::Spatial) {
        m_out.report.notes.push_back("the array with fixed loops is counted as a systolic one");
    }
}

Placement ProblemLowering::cast(ModelTensorId t, const Order& order, std::int64_t width)
{
    const Placement& p = at(t);
    if (m_table.bits(p.source) == width)
        return p;
    const auto [rows, cols] = matrixOf(p.shape, order);
    const auto [found, isNew] =
        m_casts.emplace(m_table.keyOf(arranged(p, order)) + "@" + std::to_string(width), 0);
    if (isNew && isConstant(t)) {
        found->second = m_table.addInput(tensor(t).name, rows, cols, true, width);
    } else if (isNew) {
        const std::string name = partName(m_model.operators[m_current], "cast", m_conversions++);
        const TensorId read = m_table.read(arranged(p, order), tensor(t).name);
        const std::int64_t of = std::exchange(m_resultBits, width);
        found->second = pointwise({read}, m_machine.passes.elementwise, name, tensor(t).name + ".cast");
        m_resultBits = of;
    }
    return placed(found->second, p.shape, order);
}

TensorId ProblemLowering::converted(TensorId operand, std::int64_t width)
{
    const auto [found, isNew] = m_converted.emplace(std::pair{operand, width}, operand);
    if (isNew) {
        const std::string name = partName(m_model.operators[m_current], "dequantize", m_conversions++);
        const std::int64_t of = std::exchange(m_resultBits, width);
        found->second = m_table.tensorOf(pointwise({operand}, m_machine.passes.elementwise, name, name));
        m_resultBits = of;
    }
    return found->second;
}

/// Chooses the smallest whole number of cycles up to 64 for which bandwidth and every cost are rounded by at
/// most 0.5 %. If there is none, chooses the number with the smallest largest error. Costs are rounded up,
/// the bandwidth down.
void ProblemLowering::chooseTimeUnit()
{
    Hardware& hw = m_out.data.hardware;
    hw.fastMemoryCapacity = std::max<std::int64_t>(1, m_machine.scratchpadBytes() / m_machine.elementBytes);
    const double perCycle =
        m_machine.bytesPerCycle(MachineLevel::External) / static_cast<double>(m_machine.elementBytes);
    std::vector<std::int64_t> costs = m_cycles;
    std::sort(costs.begin(), costs.end());
    costs.erase(std::unique(costs.begin(), costs.end()), costs.end());
    // A quotient that is whole except for rounding errors counts as whole.
    const auto bandwidth = [&](double unit) {
        return std::max(1.0, std::floor(perCycle * unit * (1 + 1e-12)));
    };
    constexpr double kLongest = 1e12; // cycles; a memory that is slower still is counted with it
    const auto first = static_cast<std::int64_t>(std::ceil(std::min(1 / (perCycle * (1 + 1e-12)), kLongest)));
    double least = 0;
    m_out.timeUnit = 0;
    for (std::int64_t unit = std::max<std::int64_t>(first, 1); unit <= std::max<std::int64_t>(first, 64);
         ++unit) {
        const double u = static_cast<double>(unit);
        double worst = std::abs(bandwidth(u) - perCycle * u) / (perCycle * u);
        for (const std::int64_t c : costs)
            worst =
                std::max(worst, static_cast<double>(ceilDiv(c, unit) * unit - c) / static_cast<double>(c));
        if (m_out.timeUnit == 0 || worst < least) {
            least = worst;
            m_out.timeUnit = unit;
        }
        if (worst <= 0.005)
            break;
    }
    m_out.rounding = least;
    hw.slowMemoryBandwidth = static_cast<std::int64_t>(bandwidth(static_cast<double>(m_out.timeUnit)));
    for (std::size_t i = 0; i < m_cycles.size(); ++i)
        m_out.data.ops[OpId(i)].baseCost = ceilDiv(m_cycles[i], m_out.timeUnit);
    m_out.report.notes.push_back(
        "one unit of time is " + formatGrouped(m_out.timeUnit) +
        (m_out.timeUnit == 1 ? " cycle" : " cycles") +
        (least < 0.0005 ? std::string()
         : m_out.timeUnit > 64
             ? ", in which the external memory moves one element; costs are rounded up to it"
             : "; costs are rounded up and the bandwidth down by at most " + percent(least)));
}

/// Adds the widths (R1.9) and the energies (R17) of the machine.
void ProblemLowering::addWidthsAndEnergy()
{
    Problem::Data& data = m_out.data;
    if (m_elementBits == 0)
        return;
    data.elementBits = m_elementBits;
    if (const std::int64_t bits = 8 * kPartsOfBit * m_machine.accumulatorBytes; bits <= kWidestElement)
        data.accumulatorBits = bits;
    const double bitsOfElement = 8.0 * static_cast<double>(m_machine.elementBytes);
    EnergyCosts energy{m_machine.energy.dram / bitsOfElement,
                       m_machine.energy.spm / bitsOfElement,
                       {m_machine.energy.mac},
                       {}};
    for (const std::int64_t passes : m_passes)
        energy.vector.push_back(m_machine.energy.mac * static_cast<double>(passes));
    data.energy = std::move(energy);
}

} // namespace tilewright::lower
