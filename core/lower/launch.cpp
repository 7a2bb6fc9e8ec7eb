// SPDX-License-Identifier: GPL-3.0-or-later
#include "lower/launch.h"

#include "lower/floor.h"

namespace tilewright::lower {

namespace {

/// A kind of operator for which the machine states a launch time.
struct LaunchKind
{
    const char* name;
    const char* path;
    double Machine::Launch::*micros;
};
constexpr std::array<LaunchKind, 5> kKinds{
    {{"products", "launch_us.product", &Machine::Launch::product},
     {"softmax", "launch_us.softmax", &Machine::Launch::softmax},
     {"layer norms", "launch_us.layer_norm", &Machine::Launch::layerNorm},
     {"RMS norms", "launch_us.rms_norm", &Machine::Launch::rmsNorm},
     {"others", "launch_us.elementwise", &Machine::Launch::elementwise}}};

std::size_t kindOf(model::OperatorKind kind)
{
    using K = model::OperatorKind;
    switch (kind) {
    case K::MatMul:
    case K::Einsum:
    case K::Conv2d:
    case K::ConvTranspose2d:
    case K::Attention:
    case K::Lstm:
    case K::Gru:
    case K::Rnn:
        return 0;
    case K::Softmax:
        return 1;
    case K::LayerNorm:
        return 2;
    case K::RmsNorm:
        return 3;
    default:
        return 4;
    }
}

} // namespace

ExplainedValue launchOf(const ModelOnMachine& model)
{
    std::vector<char> works(model.model().operators.size(), 0);
    for (const OperatorId op : model.lowered.source)
        works[op.index()] = 1;
    std::array<double, kKinds.size()> counts{};
    for (std::size_t i = 0; i < works.size(); ++i)
        if (works[i] != 0)
            ++counts[kindOf(model.model().operators[OperatorId(i)].kind)];
    std::vector<ExplainedValue> parts;
    for (std::size_t i = 0; i < kKinds.size(); ++i) {
        const double micros = model.machine.launch.*kKinds[i].micros;
        if (counts[i] == 0 || micros == 0)
            continue;
        parts.push_back(combined(
            Operation::Product, kKinds[i].name, "ms",
            {leaf("operators", "", counts[i], "lowered problem"),
             combined(Operation::Quotient, "launch of one", "ms",
                      {machineValue(model.machine, kKinds[i].path, "launch of an operator", "us", micros),
                       leaf("us a ms", "", 1000, {})})}));
    }
    return combined(Operation::Sum, "launch of the operators", "ms", std::move(parts), "R19");
}

double launchOf(const ModelOnMachine& model, OperatorId op)
{
    constexpr double kMicrosOfMilli = 1000;
    return model.machine.launch.*kKinds[kindOf(model.model().operators[op].kind)].micros / kMicrosOfMilli;
}

} // namespace tilewright::lower
