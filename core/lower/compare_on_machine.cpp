// SPDX-License-Identifier: GPL-3.0-or-later
#include "lower/compare_on_machine.h"

#include "base/table.h"
#include "edit/fit.h"
#include "eval/fast.h"

namespace tilewright::lower {

std::vector<double> startCycles(const ModelOnMachine& model)
{
    std::vector<double> out(model.model().operators.size(), 0.0);
    const Rules rules = Rules::final();
    for (const SubgraphPtr& s : oneOpPerSubgraph(*model.problem).subgraphs)
        if (const SubgraphEvaluation e = evaluateSubgraph(*model.problem, *s, {}, rules); e.structurallyValid)
            out[model.operatorOf(s->ops.front()).index()] +=
                e.latency * static_cast<double>(model.lowered.timeUnit);
    return out;
}

ModelsOnMachine compareOnMachine(ModelOnMachinePtr before, ModelOnMachinePtr after)
{
    ModelsOnMachine out{{std::move(before), std::move(after)}, {}, {}, {}};
    out.comparison = model::compareModels(out.models[0]->model(), out.models[1]->model());
    const std::array cycles{startCycles(*out.models[0]), startCycles(*out.models[1])};
    for (const model::OperatorPair& p : out.comparison.operators) {
        const std::array sides{p.before, p.after};
        std::array<double, 2>& row = out.cycles.emplace_back();
        for (const std::size_t side : {0U, 1U})
            if (sides[side]) {
                row[side] = cycles[side][sides[side]->index()];
                out.totalCycles[side] += row[side];
            }
    }
    return out;
}

std::string comparisonCsv(const ModelsOnMachine& models)
{
    const model::ModelComparison& c = models.comparison;
    Table out = tableOf("change,operator_before,operator_after,type,macs_before,macs_after,bytes_before,"
                        "bytes_after,cycles_before,cycles_after");
    const auto add = [&out](const auto& change, const std::array<std::string, 2>& names, const auto& type,
                            const auto& macs, const auto& bytes, const auto& cycles) {
        out.add(change, names[0], names[1], type, macs[0], macs[1], bytes[0], bytes[1], cycles[0], cycles[1]);
    };
    for (std::size_t i = 0; i < c.operators.size(); ++i) {
        const model::OperatorPair& p = c.operators[i];
        const std::array sides{p.before, p.after};
        std::array<std::string, 2> names;
        for (const std::size_t side : {0U, 1U})
            if (sides[side])
                names[side] = models.operatorOf(side, *sides[side]).name;
        const std::size_t later = p.after ? 1 : 0;
        add(toString(p.change), names, models.operatorOf(later, *sides[later]).typeName(), p.macs, p.bytes,
            models.cycles[i]);
    }
    add("total", {}, "", c.macs, c.bytes, models.totalCycles);
    return csvOf(out);
}

} // namespace tilewright::lower
