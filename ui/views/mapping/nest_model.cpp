// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/mapping/nest_model.h"

#include "mapping/imperfect.h"
#include "theme/text.h"

#include <cmath>
#include <map>

namespace tilewright::ui {

using namespace mapping;
using mapping::MappingCost; // not the schedule's MappingCost

namespace {

std::vector<int> loopsInOrder(const LoopNest& nest, const Method& method, Level level)
{
    std::vector<int> out;
    out.reserve(static_cast<std::size_t>(nest.loopCount));
    for (int i = 0; i < nest.loopCount; ++i)
        out.push_back(level == Level::Dram  ? method.dramOrder[static_cast<std::size_t>(i)]
                      : level == Level::Spm ? method.spmOrder[static_cast<std::size_t>(i)]
                                            : i);
    return out;
}

void fillDetail(NestColumn& column, const MappingSetup& setup, const MappingCost& e)
{
    if (!e.hasNumbers) {
        column.detail = QStringLiteral("–");
        return;
    }
    if (column.level == Level::Dram) {
        column.detailShort = tr("%1 tiles").arg(shortNumber(static_cast<double>(e.spmPasses)));
        column.detail = e.spmPasses == 1 ? tr("1 tile") : tr("%1 tiles of the SPM").arg(number(e.spmPasses));
        return;
    }
    for (const MemoryFill& fill : memoryFill(setup.architecture, e))
        if (fill.level == column.level) {
            column.over = !fill.fits();
            const QString unit = fill.level == Level::Spm  ? tr("banks")
                                 : fill.level == Level::Rf ? tr("elements")
                                                           : tr("PEs");
            column.detailShort = tr("%1 of %2").arg(number(fill.total), number(fill.capacity));
            column.detail = tr("%1 of %2 %3").arg(number(fill.total), number(fill.capacity), unit);
        }
}

NestMetric metric(const QString& name, const QString& value, double exact, double before, double best)
{
    NestMetric out;
    out.name = name;
    out.value = value;
    out.exact = exactNumber(exact);
    if (before > 0)
        out.change = exact / before - 1;
    if (best > 0)
        out.aboveOptimum = exact / best - 1;
    return out;
}

NestDrop makeDrop(const MappingSetup& setup, const LoopNest& nest, const MappingCost& now,
                  const Method& method, QString what)
{
    NestDrop out;
    out.what = std::move(what);
    out.preview = previewMove(nest, setup.architecture, now, method);
    if (const auto& violation = out.preview.after.violation) {
        out.broken = out.brokenShort = QString::fromStdString(violation->message);
        for (const MemoryFill& fill : memoryFill(setup.architecture, out.preview.after)) {
            const ViolationCode code = fill.level == Level::Spm  ? ViolationCode::Spm
                                       : fill.level == Level::Rf ? ViolationCode::Rf
                                                                 : ViolationCode::Pes;
            if (code == violation->code)
                out.brokenShort =
                    tr("%1 %2 of %3").arg(levelText(fill.level), number(fill.total), number(fill.capacity));
        }
    }
    out.allowed = out.preview.after.valid() || !now.valid();
    return out;
}

} // namespace

QString levelText(Level level)
{
    switch (level) {
    case Level::Dram:
        return tr("DRAM");
    case Level::Spm:
        return tr("SPM");
    case Level::Rf:
        return tr("RF");
    case Level::Spatial:
        return tr("PEs");
    }
    return {};
}

QStringList modelWords(const MappingSetup& setup, const LoopNest& nest)
{
    const ModelOptions& options = setup.architecture.options;
    const EnergyTable& pj = setup.architecture.energyPj;
    QStringList out;
    if (options.imperfect)
        out << tr("imperfect factors");
    if (options.reductionTree)
        out << tr("reduction tree");
    if (options.overlapped)
        out << tr("overlapped cycles");
    for (std::size_t op = 0; op < kOperands; ++op)
        if (options.bypassSpm[op])
            out << tr("%1 bypasses the SPM").arg(word(nest.operands[op].name));
    if (pj.rfWrite || pj.spmWrite || pj.dramWrite || pj.rfFill > 0 || pj.spmFill > 0)
        out << tr("write energies");
    if (pj.leakage > 0)
        out << tr("leakage");
    for (const std::string& factor : setup.factors)
        out << QString::fromStdString(factor);
    return out;
}

QString loopMeaning(std::string_view loop)
{
    static const std::map<std::string_view, QString> kMeanings{
        {"N", tr("batch")},           {"M", tr("output channels")},    {"C", tr("input channels")},
        {"Ox", tr("output rows")},    {"Oy", tr("output columns")},    {"Fx", tr("kernel rows")},
        {"Fy", tr("kernel columns")}, {"X", tr("rows of the result")}, {"Y", tr("columns of the result")},
        {"K", tr("terms of a sum")}};
    const auto it = kMeanings.find(loop);
    return it == kMeanings.end() ? QString() : it->second;
}

QString powerText(const PrimePower& power)
{
    return QString::number(power.prime) + (power.exponent > 1 ? superscript(power.exponent) : QString());
}

NestModel buildNest(const MappingSetup& setup, const LoopNest& nest, const MappingCost& e,
                    const std::optional<MappingBaseline>& baseline, const SearchResult* found, int operand)
{
    NestModel out;
    const std::string description = describe(setup.layer);
    out.title = QString::fromStdString(setup.layer.name.empty() ? description : setup.layer.name);
    out.subtitle = tr("%1 · %2 MACs").arg(QString::fromStdString(description), number(nest.macs));
    if (!setup.architecture.name.empty())
        out.subtitle += QStringLiteral(" · ") + QString::fromStdString(setup.architecture.name);
    for (const QString& words : modelWords(setup, nest))
        out.subtitle += QStringLiteral(" · ") + words;
    out.operand = operand;
    if (e.violation) {
        out.violation = QString::fromStdString(e.violation->message);
        out.code = word(violationName(e.violation->code));
    }
    const auto best = [&](mapping::Objective o) {
        return found && found->of(o) ? found->of(o)->value(o) : 0.0;
    };
    const bool ghost = baseline && baseline->evaluation.hasNumbers;
    const MappingCost before = ghost ? baseline->evaluation : MappingCost{};
    out.optimumProven = found && found->proven && !found->reductions.any();
    const bool has = e.hasNumbers;
    const QString none = QStringLiteral("–");
    out.metrics = {metric(tr("Energy, pJ"), has ? number(std::round(e.energy)) : none, e.energy,
                          before.energy, best(mapping::Objective::Energy)),
                   metric(tr("Cycles"), has ? number(e.cycles) : none, static_cast<double>(e.cycles),
                          static_cast<double>(before.cycles), best(mapping::Objective::Cycles)),
                   metric(tr("Energy × delay"), has ? scientific(e.edp) : none, e.edp, before.edp,
                          best(mapping::Objective::Edp))};
    for (NestMetric& m : out.metrics)
        if (!has)
            m = {m.name, none, {}, {}, {}};
    // Names the objective if the method is one of the optima.
    for (const NestMetric& m : out.metrics)
        if (m.aboveOptimum && std::abs(*m.aboveOptimum) < 1e-9)
            out.subtitle += tr(" · minimum %1").arg(m.name.section(QLatin1Char(','), 0, 0).toLower());
    for (std::size_t op = 0; op < kOperands; ++op) {
        const OperandReport& r = e.operands[op];
        out.operands[op] = {word(nest.operands[op].name),
                            op == kWritten,
                            {r.dataRf, r.dataArray, r.dataSpm},
                            r.spmBanks,
                            r.reuseSpm,
                            r.reuseDram,
                            r.kept};
    }
    for (std::size_t l = 0; l < kLevels; ++l) {
        NestColumn& column = out.columns[l];
        column.level = static_cast<Level>(l);
        column.title = levelText(column.level);
        fillDetail(column, setup, e);
        QStringList folded, meanings;
        for (const int loop : loopsInOrder(nest, setup.method, column.level)) {
            const std::int64_t factor = setup.method.tiling[l][static_cast<std::size_t>(loop)];
            const QString name = word(nest.loopNames[static_cast<std::size_t>(loop)]);
            if (factor == 1) {
                folded << name;
                meanings << tr("%1 (%2)").arg(name,
                                              loopMeaning(nest.loopNames[static_cast<std::size_t>(loop)]));
                continue;
            }
            NestBar bar{loop, name, factor, primePowers(factor), -1};
            for (int op = 0; op < kOperands; ++op)
                if ((reuseLoops(nest, setup.method, column.level, op) >> loop & 1u) != 0)
                    bar.reuseOf = op;
            column.bars.push_back(std::move(bar));
        }
        column.folded = folded.join(QLatin1Char(' '));
        column.foldedMeaning = meanings.join(QStringLiteral(", "));
    }
    return out;
}

std::optional<NestDrop> dropOnLevel(const MappingSetup& setup, const LoopNest& nest, const MappingCost& now,
                                    const NestItem& item, Level to)
{
    const auto loop = static_cast<std::size_t>(item.loop);
    const std::int64_t factor = item.factor > 0 ? item.factor : setup.method.at(item.level)[loop];
    if (to == item.level || factor < 2)
        return std::nullopt;
    const auto moved = moveFactor(nest, setup.method, item.loop, factor, item.level, to);
    if (!moved)
        return std::nullopt;
    // A factor that is the smallest legal one at one level can be larger than necessary at another.
    return makeDrop(
        setup, nest, now, setup.architecture.options.imperfect ? tightened(nest, *moved) : *moved,
        tr("%1 ×%2: %3 → %4")
            .arg(word(nest.loopNames[loop]), number(factor), levelText(item.level), levelText(to)));
}

std::optional<NestDrop> dropInOrder(const MappingSetup& setup, const LoopNest& nest, const MappingCost& now,
                                    const NestColumn& column, int loop, std::size_t slot)
{
    if (column.level != Level::Dram && column.level != Level::Spm)
        return std::nullopt;
    std::size_t from = column.bars.size();
    for (std::size_t i = 0; i < column.bars.size(); ++i)
        if (column.bars[i].loop == loop)
            from = i;
    if (from == column.bars.size() || slot == from || slot == from + 1)
        return std::nullopt;
    // Bars exclude loops of factor 1, so the position is given by the neighbouring bar.
    const LoopOrder& order = column.level == Level::Dram ? setup.method.dramOrder : setup.method.spmOrder;
    const auto positionOf = [&](int wanted) {
        int i = 0;
        while (order[static_cast<std::size_t>(i)] != wanted)
            ++i;
        return i;
    };
    const bool inwards = slot > from;
    const int neighbour = column.bars[inwards ? slot - 1 : slot].loop;
    const auto moved = reorderLoop(nest, setup.method, column.level, loop, positionOf(neighbour));
    if (!moved)
        return std::nullopt;
    const QString name = word(nest.loopNames[static_cast<std::size_t>(loop)]);
    const QString other = word(nest.loopNames[static_cast<std::size_t>(neighbour)]);
    return makeDrop(setup, nest, now, *moved,
                    inwards ? tr("%1 inside %2 at %3").arg(name, other, levelText(column.level))
                            : tr("%1 outside %2 at %3").arg(name, other, levelText(column.level)));
}

} // namespace tilewright::ui
