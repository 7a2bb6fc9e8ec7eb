// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/mapping/nest_model.h"

#include "mapping/edits.h"
#include "mapping/imperfect.h"
#include "theme/text.h"
#include "views/mapping/nest_parts.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace tilewright::ui {

using namespace mapping;
using mapping::MappingCost; // the schedule has a type of the same name

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

void fillDetail(NestColumn& column, Level level, const MappingSetup& setup, const MappingCost& e)
{
    if (!e.hasNumbers) {
        column.detail = QStringLiteral("–");
        return;
    }
    if (level == Level::Dram) {
        column.detailShort = tr("%1 tiles").arg(shortNumber(static_cast<double>(e.spmPasses)));
        column.detail = e.spmPasses == 1 ? tr("1 tile") : tr("%1 tiles of the SPM").arg(number(e.spmPasses));
        return;
    }
    for (const MemoryFill& fill : memoryFill(setup.architecture, e))
        if (fill.level == level) {
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

/// Adds bars for the loops of the column with a factor above 1, and the names of the other loops.
void addLoops(NestColumn& column, const LoopNest& nest, const Method& method, Level level)
{
    const Factors& factors = method.at(level);
    std::vector<int> ones;
    for (const int loop : loopsInOrder(nest, method, level)) {
        const std::int64_t factor = factors[static_cast<std::size_t>(loop)];
        if (factor == 1) {
            ones.push_back(loop);
            continue;
        }
        NestBar bar = nestBar(nest, column, loop, factor);
        for (int op = 0; op < kOperands; ++op)
            if ((reuseLoops(nest, method, level, op) >> loop & 1u) != 0)
                bar.reuseOf = op;
        column.bars.push_back(std::move(bar));
    }
    foldLoops(column, nest, ones);
}

NestOperand operandOf(const LoopNest& nest, const MappingCost& e, std::size_t op)
{
    const OperandReport& r = e.operands[op];
    NestOperand out;
    out.name = word(nest.operands[op].name);
    out.written = op == kWritten;
    out.kept = r.kept;
    const QString spm = number(r.reuseSpm);
    const QString dram = number(r.reuseDram);
    if (r.kept)
        out.reuse = {tr("kept in RF · ×%1 at DRAM").arg(dram), tr("kept · DRAM ×%1").arg(dram),
                     tr("kept ×%1").arg(dram)};
    else if (r.reuseSpm == 1 && r.reuseDram == 1)
        out.reuse = {tr("no reuse")};
    else
        out.reuse = {tr("reused SPM ×%1 · DRAM ×%2").arg(spm, dram), tr("SPM ×%1 · DRAM ×%2").arg(spm, dram),
                     tr("×%1 · ×%2").arg(spm, dram)};
    const auto brief = [](std::int64_t n) { return shortNumber(static_cast<double>(n)); };
    const QString all = tr("RF %1 · array %2 · SPM %3");
    out.data = {all.arg(number(r.dataRf), number(r.dataArray), number(r.dataSpm)),
                all.arg(brief(r.dataRf), brief(r.dataArray), brief(r.dataSpm)),
                tr("RF %1 · SPM %2").arg(brief(r.dataRf), brief(r.dataSpm))};
    out.tip =
        tr("elements in one RF %1, in the array %2, in the SPM %3 (%4 banks)<br>reuse ×%5 at SPM, ×%6 at "
           "DRAM%7")
            .arg(number(r.dataRf), number(r.dataArray), number(r.dataSpm), number(r.spmBanks), spm, dram,
                 r.kept ? tr(", kept in the register files") : QString());
    return out;
}

void addFourLevels(NestModel& out, const MappingDocument& state)
{
    out.fits = tr("fits PEs, register files and scratchpad");
    const LoopNest& nest = state.nest();
    for (std::size_t op = 0; op < kOperands; ++op)
        out.operands[op] = operandOf(nest, state.evaluation(), op);
    for (std::size_t l = 0; l < kLevels; ++l) {
        const auto level = static_cast<Level>(l);
        NestColumn& column = out.columns.emplace_back();
        column.title = column.place = levelText(level);
        column.isOrdered = level == Level::Dram || level == Level::Spm;
        column.note = column.isOrdered          ? tr("outermost first")
                      : level == Level::Spatial ? tr("in parallel")
                                                : tr("in one PE");
        fillDetail(column, level, state.setup(), state.evaluation());
        addLoops(column, nest, state.setup().method, level);
    }
}

NestDrop makeDrop(const MappingDocument& state, const Method& method, QString what)
{
    const Architecture& architecture = state.setup().architecture;
    const MovePreview preview = previewMove(state.nest(), architecture, state.evaluation(), method);
    NestDrop out;
    out.what = std::move(what);
    out.preview = {preview.method, figuresOf(preview.after), preview.energyChange,
                   static_cast<double>(preview.cyclesChange), preview.edpChange};
    if (const auto& violation = preview.after.violation) {
        out.broken = out.brokenShort = QString::fromStdString(violation->message);
        for (const MemoryFill& fill : memoryFill(architecture, preview.after)) {
            const ViolationCode code = fill.level == Level::Spm  ? ViolationCode::Spm
                                       : fill.level == Level::Rf ? ViolationCode::Rf
                                                                 : ViolationCode::Pes;
            if (code == violation->code)
                out.brokenShort =
                    tr("%1 %2 of %3").arg(levelText(fill.level), number(fill.total), number(fill.capacity));
        }
    }
    out.allowed = preview.after.valid() || !state.figures().valid();
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

QString moveText(const LoopNest& nest, int loop, std::int64_t factor, const QString& from, const QString& to)
{
    return tr("%1 ×%2: %3 → %4")
        .arg(word(nest.loopNames[static_cast<std::size_t>(loop)]), number(factor), from, to);
}

QStringList modelWords(const MappingSetup& setup, const LoopNest& nest)
{
    QStringList out;
    if (setup.levels) {
        out << tr("cost model: %1").arg(word(setup.costModel()));
        if (setup.levels->imperfect)
            out << tr("imperfect factors");
        for (const auto* texts : {&setup.asked.factors, &setup.asked.orders})
            for (const std::string& text : *texts)
                out << QString::fromStdString(text);
        return out;
    }
    const ModelOptions& options = setup.architecture.options;
    const EnergyTable& pj = setup.architecture.energyPj;
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

NestBar nestBar(const LoopNest& nest, const NestColumn& column, int loop, std::int64_t factor)
{
    NestBar out;
    out.loop = loop;
    out.name = word(nest.loopNames[static_cast<std::size_t>(loop)]);
    out.factor = factor;
    out.primes = primePowers(factor);
    out.nth = static_cast<int>(std::ranges::count(column.bars, loop, &NestBar::loop));
    return out;
}

void foldLoops(NestColumn& column, const LoopNest& nest, const std::vector<int>& loops)
{
    QStringList folded, meanings;
    for (const int loop : loops) {
        const std::string_view name = nest.loopNames[static_cast<std::size_t>(loop)];
        folded << word(name);
        meanings << tr("%1 (%2)").arg(word(name), loopMeaning(name));
    }
    column.folded = folded.join(QLatin1Char(' '));
    column.foldedMeaning = meanings.join(QStringLiteral(", "));
}

QString reorderText(const NestColumn& column, std::size_t from, std::size_t slot)
{
    const bool inwards = slot > from;
    const NestBar& neighbour = column.bars[inwards ? slot - 1 : slot];
    return (inwards ? tr("%1 inside %2 at %3") : tr("%1 outside %2 at %3"))
        .arg(column.bars[from].name, neighbour.name, column.place);
}

const NestBar* barOf(const NestColumn& column, const NestItem& item)
{
    for (const NestBar& bar : column.bars)
        if (bar.loop == item.loop && bar.nth == item.nth)
            return &bar;
    return nullptr;
}

const NestBar* barOf(const NestModel& model, const NestItem& item)
{
    return item.column < model.columns.size() ? barOf(model.columns[item.column], item) : nullptr;
}

NestModel buildNest(const MappingDocument& state)
{
    const MappingSetup& setup = state.setup();
    const LoopNest& nest = state.nest();
    NestModel out;
    const std::string description = describe(setup.layer);
    out.title = QString::fromStdString(setup.layer.name.empty() ? description : setup.layer.name);
    out.subtitle = tr("%1 · %2 MACs").arg(QString::fromStdString(description), number(nest.macs));
    if (!setup.hardwareName().empty())
        out.subtitle += QStringLiteral(" · ") + QString::fromStdString(setup.hardwareName());
    for (const QString& words : modelWords(setup, nest))
        out.subtitle += QStringLiteral(" · ") + words;
    out.operand = state.operand();
    const MappingFigures& figures = state.figures();
    out.violation = QString::fromStdString(figures.violation);
    out.code = QString::fromStdString(figures.code);
    const FoundPtr& found = state.search().found();
    const auto& baseline = state.baseline();
    const MappingFigures before = baseline ? baseline->evaluation.figures : MappingFigures{};
    out.optimumProven = found && found->proven && !found->reduced;
    using Figure = std::tuple<QString, QString, double, double>;
    const std::array<Figure, kObjectives> shown{
        Figure{tr("Energy, pJ"), number(std::round(figures.energy)), figures.energy, before.energy},
        Figure{tr("Cycles"), number(figures.cycles), figures.cycles, before.cycles},
        Figure{tr("Energy × delay"), scientific(figures.edp), figures.edp, before.edp}};
    for (std::size_t o = 0; o < shown.size(); ++o) {
        const auto& [name, value, exact, was] = shown[o];
        const auto best = found ? found->best[o] : std::nullopt;
        out.metrics[o] = figures.hasNumbers
                             ? metric(name, value, exact, was,
                                      best ? best->value(static_cast<mapping::Objective>(o)) : 0.0)
                             : NestMetric{name, QStringLiteral("–"), {}, {}, {}};
        out.metrics[o].optimumProven = found && found->optimal[o] && !found->reduced;
    }
    // If the mapping is optimal for an objective, the objective is named.
    for (const NestMetric& m : out.metrics)
        if (m.aboveOptimum && std::abs(*m.aboveOptimum) < 1e-9)
            out.subtitle += (setup.levels && !m.optimumProven ? tr(" · least %1 found") : tr(" · minimum %1"))
                                .arg(m.name.section(QLatin1Char(','), 0, 0).toLower());
    if (setup.levels)
        addLevels(out, state);
    else
        addFourLevels(out, state);
    return out;
}

std::optional<NestDrop> dropOnColumn(const MappingDocument& state, const NestItem& item, std::size_t to)
{
    if (to == item.column)
        return std::nullopt;
    if (state.setup().levels)
        return dropOnPlace(state, item, to);
    const auto loop = static_cast<std::size_t>(item.loop);
    const auto from = static_cast<Level>(item.column);
    const MappingSetup& setup = state.setup();
    const std::int64_t factor = item.factor > 0 ? item.factor : setup.method.at(from)[loop];
    if (factor < 2)
        return std::nullopt;
    const auto moved =
        moveFactor(state.nest(), setup.method, item.loop, factor, from, static_cast<Level>(to));
    if (!moved)
        return std::nullopt;
    // With imperfect factors, the smallest legal factor of one level can be larger than necessary after it
    // moves to another level, so the factors are reduced.
    return makeDrop(
        state, setup.architecture.options.imperfect ? tightened(state.nest(), *moved) : *moved,
        moveText(state.nest(), item.loop, factor, levelText(from), levelText(static_cast<Level>(to))));
}

std::optional<NestDrop> dropInOrder(const MappingDocument& state, const NestItem& item, std::size_t slot)
{
    if (state.setup().levels)
        return dropInOrderOfLevel(state, item, slot);
    const auto level = static_cast<Level>(item.column);
    if (level != Level::Dram && level != Level::Spm)
        return std::nullopt;
    const Method& method = state.setup().method;
    NestColumn column;
    column.place = levelText(level);
    addLoops(column, state.nest(), method, level);
    const NestBar* bar = barOf(column, item);
    if (!bar)
        return std::nullopt;
    const auto from = static_cast<std::size_t>(bar - column.bars.data());
    if (slot == from || slot == from + 1)
        return std::nullopt;
    // The position in the order is that of the neighbouring bar, because loops of factor 1 have no bars.
    const LoopOrder& order = level == Level::Dram ? method.dramOrder : method.spmOrder;
    const int neighbour = column.bars[slot > from ? slot - 1 : slot].loop;
    const auto position = std::ranges::find(order, neighbour) - order.begin();
    const auto moved = reorderLoop(state.nest(), method, level, item.loop, static_cast<int>(position));
    return moved ? std::optional(makeDrop(state, *moved, reorderText(column, from, slot))) : std::nullopt;
}

} // namespace tilewright::ui
