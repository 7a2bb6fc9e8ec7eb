// SPDX-License-Identifier: GPL-3.0-or-later
#include "workspace/mapping_setup.h"

#include "hierarchy/edits.h"
#include "hierarchy/files.h"
#include "hierarchy/imperfect.h"
#include "hierarchy/report.h"
#include "hierarchy/setup.h"
#include "mapping/edits.h"
#include "mapping/report.h"

namespace tilewright::ui {

bool MappingSetup::show(const AnyMapping& next)
{
    if (std::holds_alternative<hierarchy::Mapping>(next) != levels.has_value())
        return false;
    if (levels)
        mapping = std::get<hierarchy::Mapping>(next);
    else
        method = std::get<mapping::Method>(next);
    return true;
}

void MappingSetup::showTrivial(const mapping::LoopNest& nest)
{
    method = mapping::trivialMethod(nest);
    mapping = levels ? hierarchy::trivialMapping(nest, *levels) : hierarchy::Mapping{};
}

void MappingSetup::refit(const mapping::LoopNest& nest)
{
    method = mapping::refitMethod(nest, method);
    if (levels)
        mapping = levels->imperfect ? hierarchy::tightened(nest, *levels, mapping)
                                    : hierarchy::refitMapping(nest, mapping);
}

std::string_view MappingSetup::costModel() const
{
    return levels ? hierarchy::kCostModel : mapping::kCostModel;
}

std::string MappingSetup::text() const
{
    return levels ? hierarchy::writeSetup({layer, *levels, mapping, asked}) : mapping::writeSetup(*this);
}

std::string MappingSetup::mappingText(const mapping::LoopNest& nest) const
{
    return levels ? hierarchy::writeMapping(nest, *levels, mapping) : mapping::writeMethod(nest, method);
}

Result<MappingSetup> readMappingSetup(std::string_view text, const std::string& file)
{
    MappingSetup out;
    if (!hierarchy::isSetup(text)) {
        auto setup = mapping::readSetup(text, file);
        if (!setup)
            return setup.error();
        static_cast<mapping::Setup&>(out) = std::move(*setup);
        return out;
    }
    auto setup = hierarchy::readSetup(text, file);
    if (!setup)
        return setup.error();
    out.layer = std::move(setup->layer);
    out.levels = std::move(setup->architecture);
    out.method = mapping::trivialMethod(*mapping::makeNest(out.layer));
    out.mapping = std::move(setup->mapping);
    out.asked = std::move(setup->asked);
    return out;
}

MappingFigures figuresOf(const mapping::MappingCost& cost)
{
    MappingFigures out{cost.hasNumbers, {}, {}, cost.energy, static_cast<double>(cost.cycles), cost.edp};
    if (cost.violation) {
        out.code = violationName(cost.violation->code);
        out.violation = cost.violation->message;
    }
    return out;
}

MappingFigures figuresOf(const hierarchy::Cost& cost)
{
    MappingFigures out{cost.hasNumbers, {}, {}, cost.energy, cost.cycles, cost.edp};
    if (cost.violation) {
        out.code = violationName(cost.violation->code);
        out.violation = cost.violation->message;
    }
    return out;
}

MappingEvaluation evaluated(const mapping::LoopNest& nest, const MappingSetup& setup)
{
    MappingEvaluation out;
    if (setup.levels) {
        out.levels = hierarchy::evaluate(nest, *setup.levels, setup.mapping);
        out.figures = figuresOf(out.levels);
    } else {
        out.cost = mapping::evaluate(nest, setup.architecture, setup.method);
        out.figures = figuresOf(out.cost);
    }
    return out;
}

} // namespace tilewright::ui
