// SPDX-License-Identifier: GPL-3.0-or-later
#include "lower/floor.h"

#include <algorithm>
#include <map>

namespace tilewright::lower {

bool takesWinograd(const model::Model& model, const model::Operator& op)
{
    if (op.kind != model::OperatorKind::Conv2d)
        return false;
    const auto& w = op.as<model::WindowAttributes>();
    const model::Shape& weights = model.shape(op.inputs[1]);
    return weights.size() == 4 && weights[2] == 3 && weights[3] == 3 &&
           w.stride == std::array<std::int64_t, 2>{1, 1} && w.dilation == std::array<std::int64_t, 2>{1, 1};
}

double winogradOf(const model::Model& model, const model::Operator& op, const Machine& machine)
{
    return takesWinograd(model, op) ? machine.winograd : 1;
}

namespace {

/// True if the rectangles have a common element.
bool overlap(const Rect& a, const Rect& b)
{
    return a.r0 < b.r1 && b.r0 < a.r1 && a.c0 < b.c1 && b.c0 < a.c1;
}

/// Number of elements of `base` that the views touch, each counted once.
std::int64_t unionOf(const Problem& problem, TensorId base, const std::vector<TensorId>& views)
{
    std::int64_t largest = 0, sum = 0, elements = 0;
    std::vector<Rect> boxes;
    bool disjoint = true;
    for (const TensorId view : views) {
        const Tensor& t = problem.tensor(view);
        const MapFootprint f = footprint(*problem.map(view), {0, t.height, 0, t.width});
        largest = std::max(largest, f.volume);
        sum += f.volume;
        elements = saturatingAdd(elements, t.elements());
        disjoint = disjoint && std::ranges::none_of(boxes, [&](const Rect& b) { return overlap(b, f.box); });
        boxes.push_back(f.box);
    }
    const Tensor& of = problem.tensor(base);
    if (disjoint)
        return sum;
    if (largest == of.elements() ||
        std::max(elements, of.elements()) > kMostCountedElements) // counting more elements would take seconds
        return largest;
    std::vector<bool> touched(static_cast<std::size_t>(of.elements()));
    for (const TensorId view : views) {
        const Tensor& t = problem.tensor(view);
        for (std::int64_t r = 0; r < t.height; ++r)
            for (std::int64_t c = 0; c < t.width; ++c)
                if (const auto at = mappedElement(*problem.map(view), r, c))
                    touched[static_cast<std::size_t>(at->first * of.width + at->second)] = true;
    }
    return std::ranges::count(touched, true);
}

/// Multiply-accumulates of one operator with one rate of the array.
struct OperatorMacs
{
    OperatorId op;
    double macs = 0;
};

/// The share of an operator's multiply-accumulates that every lens executes.
double executedShare(const model::Model& model, const model::Operator& op, double lowered)
{
    const auto counted = static_cast<double>(model::macsOf(model, op));
    double share = counted > 0 && counted < lowered ? counted / lowered : 1;
    if (op.kind != model::OperatorKind::Attention || !op.as<model::AttentionAttributes>().causal)
        return share;
    const auto& a = op.as<model::AttentionAttributes>();
    const auto q = model::headShape(model.shape(op.inputs[0]), a.heads);
    const auto k = model::headShape(model.shape(op.inputs[1]), a.kvHeads > 0 ? a.kvHeads : a.heads);
    if (q && k && k->tokens >= q->tokens) {
        // With a causal mask, the last query sees every key, and each query before it one key less.
        const auto rows = static_cast<double>(q->tokens), keys = static_cast<double>(k->tokens);
        share *= (rows * (keys - rows) + rows * (rows + 1) / 2) / (rows * keys);
    }
    return share;
}

/// The operators of the model with their multiply-accumulates. Key: rate of the array, Winograd factor.
std::map<std::pair<double, double>, std::vector<OperatorMacs>> macsByRate(const ModelOnMachine& on)
{
    const Problem& problem = *on.problem;
    const auto bits = [&](TensorId t) {
        const std::int64_t own = problem.tensor(t).bits;
        return static_cast<double>(own > 0 ? own : problem.data().elementBits.value_or(0)) /
               static_cast<double>(kPartsOfBit);
    };
    std::map<OperatorId, std::map<double, double>> byOperator;
    for (std::size_t i = 0; i < problem.opCount(); ++i) {
        const OpId op(i);
        if (problem.op(op).type != OpType::MatMul || on.lowered.helper[i] != 0)
            continue;
        const auto& operands = problem.operands(op);
        const auto macs = static_cast<double>(
            saturatingMul(problem.tensor(problem.op(op).output).elements(), problem.reductionSize(op)));
        byOperator[on.operatorOf(op)][on.machine.macsPerCycle(bits(operands[0]), bits(operands[1]))] += macs;
    }
    std::map<std::pair<double, double>, std::vector<OperatorMacs>> out;
    for (const auto& [id, rates] : byOperator) {
        const model::Operator& op = on.model().operators[id];
        double lowered = 0;
        for (const auto& [rate, macs] : rates)
            lowered += macs;
        const double share = executedShare(on.model(), op, lowered);
        const double winograd = winogradOf(on.model(), op, on.machine);
        for (const auto& [rate, macs] : rates)
            out[{rate, winograd}].push_back({id, macs * share});
    }
    return out;
}

void addCompute(const ModelOnMachine& on, Floor& out)
{
    const Machine& m = on.machine;
    std::vector<ExplainedValue> sums, times;
    for (const auto& [rates, operators] : macsByRate(on)) {
        std::vector<ExplainedValue> macs;
        for (const OperatorMacs& o : operators)
            macs.push_back(leaf(on.model().operators[o.op].name, "MACs", o.macs, "lowered problem"));
        ExplainedValue sum = combined(Operation::Sum, "multiply-accumulates", "MACs", std::move(macs));
        std::vector<ExplainedValue> perCycle{
            leaf("cores", "", static_cast<double>(out.cores), "number of cores of this row"),
            machineValue(m, "arrays", "arrays of a core", "", static_cast<double>(m.arrays)),
            machineValue(m, "array.rows", "rows of an array", "", static_cast<double>(m.rows)),
            machineValue(m, "array.cols", "columns of an array", "", static_cast<double>(m.cols)),
            machineValue(m, "array.rates", "MACs of a processing element in a cycle", "", rates.first)};
        if (rates.second != 1)
            perCycle.push_back(machineValue(m, "array.winograd", "Winograd factor", "", rates.second));
        times.push_back(combined(
            Operation::Quotient, "cycles of the arrays", "cycles",
            {sum, combined(Operation::Product, "largest rate", "MACs a cycle", std::move(perCycle))}));
        sums.push_back(std::move(sum));
    }
    out.macs = combined(Operation::Sum, "multiply-accumulates", "MACs", std::move(sums));
    out.compute = combined(Operation::Sum, "compute floor", "cycles", std::move(times), "R19");
}

void addMemory(const ModelOnMachine& on, Floor& out)
{
    const Problem& problem = *on.problem;
    const Machine& m = on.machine;
    const double standard =
        static_cast<double>(problem.data().elementBits.value_or(8 * kPartsOfBit * m.elementBytes)) /
        static_cast<double>(kPartsOfBit);
    const auto bytes = [&](TensorId t, std::int64_t elements) {
        const std::int64_t own = problem.tensor(t).bits;
        const double bits = own > 0 ? static_cast<double>(own) / static_cast<double>(kPartsOfBit) : standard;
        return combined(Operation::Product, problem.tensorName(t), "bytes",
                        {leaf("elements", "", static_cast<double>(elements), "lowered problem"),
                         leaf("bytes of an element", "", bits / 8, "lowered problem", "R1.9")});
    };
    const auto touched = touchedElements(problem);
    std::vector<ExplainedValue> in, written;
    for (const TensorId t : problem.graphInputs())
        in.push_back(bytes(t, touched[t]));
    for (const TensorId t : problem.graphOutputs())
        written.push_back(bytes(t, problem.tensor(t).elements()));
    ExplainedValue bytesIn = combined(Operation::Sum, "inputs read", "bytes", std::move(in), "R1.5");
    ExplainedValue bytesOut =
        combined(Operation::Sum, "outputs written", "bytes", std::move(written), "R1.5");
    out.leastBytes = combined(Operation::Sum, "bytes that must move", "bytes", {bytesIn, bytesOut}, "R19");
    const auto rate = [&](const std::string& field, const std::string& name, double gbPerSecond) {
        return combined(Operation::Quotient, name, "bytes a cycle",
                        {machineValue(m, "levels.external." + field, name, "GB/s", gbPerSecond),
                         machineValue(m, "clock_ghz", "clock", "GHz", m.clockGhz)});
    };
    const auto time = [](const std::string& name, const ExplainedValue& moved, ExplainedValue perCycle) {
        return combined(Operation::Quotient, name, "cycles", {moved, std::move(perCycle)});
    };
    const Machine::Level& external = m.at(MachineLevel::External);
    if (external.portsApart)
        out.memory = combined(
            Operation::Largest, "memory floor", "cycles",
            {time("reads", bytesIn, rate("read_gb_per_s", "bandwidth of reads", external.readGbPerSecond)),
             time("writes", bytesOut,
                  rate("write_gb_per_s", "bandwidth of writes", external.writeGbPerSecond))},
            "R19");
    else
        out.memory = combined(
            Operation::Quotient, "memory floor", "cycles",
            {out.leastBytes, rate("gb_per_s", "bandwidth of the external memory", external.gbPerSecond)},
            "R19");
}

} // namespace

Floor floorOf(const ModelOnMachine& model, std::int64_t cores)
{
    Floor out;
    out.cores = cores;
    addCompute(model, out);
    addMemory(model, out);
    out.cycles = combined(Operation::Largest, "floor", "cycles", {out.compute, out.memory}, "R19");
    return out;
}

std::optional<double> multipleOfFloor(const ModelOnMachine& model, const Floor& floor, double time)
{
    if (floor.cycles.value <= 0)
        return std::nullopt;
    return time * static_cast<double>(model.lowered.timeUnit) / floor.cycles.value;
}

std::optional<ArrayRate> rateOf(const ModelOnMachine& model, const Floor& floor, double time)
{
    const double cycles = time * static_cast<double>(model.lowered.timeUnit);
    if (cycles <= 0 || floor.macs.value <= 0 || model.machine.clockGhz <= 0)
        return std::nullopt;
    return ArrayRate{2 * floor.macs.value / cycles * model.machine.clockGhz / 1e3,
                     floor.compute.value / cycles};
}

IdVector<TensorId, std::int64_t> touchedElements(const Problem& problem)
{
    IdVector<TensorId, std::int64_t> out(problem.tensorCount(), 0);
    for (const TensorId input : problem.graphInputs()) {
        std::vector<TensorId> mapped;
        for (const OpId op : problem.consumers(input))
            for (const TensorId operand : problem.operands(op)) {
                if (operand == input)
                    out[input] = problem.tensor(input).elements();
                else if (problem.map(operand) != nullptr && problem.stored(operand) == input &&
                         std::ranges::find(mapped, operand) == mapped.end())
                    mapped.push_back(operand);
            }
        if (!mapped.empty() && out[input] == 0)
            out[input] = unionOf(problem, input, mapped);
    }
    for (const TensorView& view : problem.data().views) {
        if (view.map || problem.consumers(view.tensor).empty())
            continue;
        // Elements that may come from results do not come from inputs. The remaining ones are assumed to come
        // from the largest inputs.
        std::int64_t left = problem.tensor(view.tensor).elements();
        std::vector<TensorId> inputs;
        for (const TensorId base : view.bases)
            if (problem.producer(base))
                left -= problem.tensor(base).elements();
            else
                inputs.push_back(base);
        std::ranges::sort(inputs, [&](TensorId a, TensorId b) {
            const std::int64_t x = problem.tensor(a).elements(), y = problem.tensor(b).elements();
            return x != y ? x > y : a < b;
        });
        inputs.erase(std::unique(inputs.begin(), inputs.end()), inputs.end());
        for (const TensorId input : inputs) {
            const std::int64_t taken = std::clamp<std::int64_t>(left, 0, problem.tensor(input).elements());
            out[input] = std::max(out[input], taken);
            left -= taken;
        }
    }
    return out;
}

ExplainedValue machineValue(const Machine& machine, const std::string& path, std::string name,
                            std::string unit, double value)
{
    std::string source =
        "machine " + (machine.name.empty() ? std::string("file") : machine.name) + ", " + path;
    if (const auto origin = machine.sources.find(path); origin != machine.sources.end()) {
        source += ", " + std::string(toString(origin->second.kind));
        if (!origin->second.source.empty())
            source += ": " + origin->second.source;
    }
    const auto derived =
        std::ranges::find_if(machine.derived, [&](const DerivedValue& d) { return d.path == path; });
    if (derived != machine.derived.end())
        source += ", not in the file: " + derived->formula;
    return leaf(std::move(name), std::move(unit), value, std::move(source));
}

} // namespace tilewright::lower
