// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/systolic/levels_model.h"

#include "lower/network_table.h"
#include "theme/text.h"
#include "views/systolic/gantt_model.h"
#include "views/systolic/roofline_plot.h"
#include "views/systolic/tile_map_model.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

namespace tilewright::ui {

using namespace systolic;

namespace {

LevelsCard l2Card(const LevelsResult& r)
{
    LevelsCard card;
    PaintedTable& t = card.table;
    t.title = tr("Schedules of L2 (%1 × %2 × %3 array tiles)")
                  .arg(number(r.l2.nM), number(r.l2.nN), number(r.l2.nK));
    const auto best = bestL2Schedule(r.l2.plans);
    t.head = {tr("schedule"), tr("traffic"), tr("minimum L2"), tr("double-buffered"), tr("fits")};
    t.numeric = {false, true, true, true, false};
    for (const L2Plan& p : r.l2.plans) {
        if (best && best->schedule == p.schedule)
            t.marked = static_cast<int>(t.rows.size());
        QString name = word(l2ScheduleName(p.schedule));
        if (p.schedule == L2Schedule::PartialC)
            name += QStringLiteral(", ") + counted(p.passes, tr("pass"), tr("passes"));
        t.rows.push_back({name, bytesText(p.trafficBytes()), bytesText(p.minBytes), bytesText(p.doubleBytes),
                          p.fits ? tr("✓ yes") : tr("✗ no")});
    }
    t.note = best ? tr("marked: the least traffic of the schedules that fit %1 of L2")
                        .arg(bytesText(r.of.hierarchy.at(Level::L2).totalBytes()))
                  : tr("none fits L2");
    return card;
}

LevelsCard bankCard(const LevelsResult& r, BankLayout layout)
{
    LevelsCard card;
    card.kind = LevelsCard::Kind::Banks;
    card.layout = layout;
    const auto& conflicts = r.conflicts[static_cast<std::size_t>(layout)];
    const QString name =
        layout == BankLayout::Seed ? tr("Banks, layout of the source document") : tr("Banks, split layout");
    card.table.title =
        conflicts
            ? tr("%1: %2 of %3 steps conflict").arg(name, number(conflicts->count), number(conflicts->steps))
            : tr("%1: too many steps to list").arg(name);
    if (conflicts && conflicts->count > 0) {
        QStringList first;
        for (std::size_t i = 0; i < std::min<std::size_t>(8, conflicts->listed.size()); ++i) {
            const BankConflict& c = conflicts->listed[i];
            first << QStringLiteral("A[%1,%2]+B[%2,%3]").arg(c.i).arg(c.k).arg(c.j);
        }
        card.table.note = tr("in one bank: %1").arg(first.join(QStringLiteral(", ")));
        if (conflicts->count > 8)
            card.table.note += QStringLiteral(", …");
    } else {
        card.table.note = tr("numbers are banks; A and B of a step are read together");
    }
    return card;
}

LevelsCard rooflineCard(const Roofline& r)
{
    LevelsCard card;
    card.kind = LevelsCard::Kind::Roofline;
    card.table.title = rooflineTitle(r);
    card.table.head = {tr("level"), tr("moved"), tr("at its port"), tr("FLOP/byte"), tr("roof GFLOP/s")};
    card.table.numeric = {false, true, true, true, true};
    for (const RooflinePoint& p : r.points) {
        if (bindingText(r.binding) == rooflineLevel(p.level))
            card.table.marked = static_cast<int>(card.table.rows.size());
        card.table.rows.push_back({rooflineLevel(p.level), bytesText(p.bytes), bytesText(p.portBytes),
                                   significantNumber(p.intensity), number(std::round(p.roofGflops))});
    }
    card.table.note = tr("at its port: the least that a program of this tile moves through the port that "
                         "limits it; no program is above its roof");
    return card;
}

LevelsCard energyCard(const LevelsResult& r, const Machine::Energy& table)
{
    verbs::SystolicRequest request = verbs::requestOf(r.of);
    request.energy = table;
    const lower::ArrayEnergy energy = verbs::energyOf(request, *r.roofline);
    LevelsCard card;
    PaintedTable& t = card.table;
    t.title = tr("Energy %1 nJ, tile %2")
                  .arg(number(std::round(energy.total() / 1000)), tileText(r.tile->choice.tile));
    t.head = {tr("for"), tr("pJ each"), tr("nJ"), tr("share")};
    t.numeric = {false, true, true, true};
    for (const auto& [name, each, pj] : {std::tuple{tr("multiply-accumulates"), table.mac, energy.mac},
                                         {tr("registers"), table.rf, energy.rf},
                                         {tr("network"), table.noc, energy.noc},
                                         {tr("SRAM"), table.spm, energy.spm},
                                         {tr("DRAM"), table.dram, energy.dram}})
        t.rows.push_back({name, significantNumber(each), number(std::round(pj / 1000)),
                          percent(energy.total() > 0 ? pj / energy.total() : 0)});
    t.note = tr("energies from the machine's table, per multiply-accumulate or element moved");
    return card;
}

LevelsCard dataflowCard(const LevelsResult& r)
{
    LevelsCard card;
    PaintedTable& t = card.table;
    t.title = r.of.ownTile || r.of.searchedTile
                  ? tr("Dataflows with DRAM, tile %1").arg(tileText(r.tile->choice.tile))
                  : tr("Dataflows with DRAM, tiles of the array");
    t.head = {tr("dataflow"),
              tr("array cycles"),
              tr("DRAM"),
              tr("DRAM cycles"),
              tr("stalls"),
              tr("total"),
              r.dataflows->ran ? tr("program") : tr("program, at least")};
    t.numeric = {false, true, true, true, true, true, true};
    const auto& programs = r.dataflows->programCycles;
    std::int64_t least = -1;
    for (std::size_t i = 0; i < programs.size(); ++i) {
        const DataflowTime& d = r.dataflows->of[i];
        const std::int64_t cycles = r.dataflows->ofPrograms()
                                        ? programs[i].value_or(std::numeric_limits<std::int64_t>::max())
                                        : d.totalCycles;
        if (r.dataflows->osFewer() && (least < 0 || cycles < least)) {
            least = cycles;
            t.marked = static_cast<int>(t.rows.size());
        }
        t.rows.push_back({word(dataflowName(d.dataflow)).toUpper(), number(d.arrayCycles),
                          bytesText(d.dramBytes), number(d.dramCycles), number(d.stallCycles()),
                          number(d.totalCycles), programs[i] ? number(*programs[i]) : tr("none fits")});
    }
    const auto fewer = r.dataflows->osFewer();
    if (!fewer)
        t.note = tr("the programs are too long to run here, so which dataflow is faster is not known; ");
    else
        t.note =
            (*fewer < 0 ? tr("output-stationary takes %1 more cycles than weight-stationary at %2 GB/s of "
                             "DRAM, %3; ")
                        : tr("output-stationary takes %1 fewer cycles than weight-stationary at %2 GB/s of "
                             "DRAM, %3; "))
                .arg(percent(std::abs(*fewer)),
                     significantNumber(r.of.hierarchy.at(Level::External).gbPerSecond),
                     word(r.dataflows->comparedBy()));
    t.note += tr("total = the longer of array and DRAM, with partial sums in L3 only");
    return card;
}

/// Card with the programs of the dataflows, as `systolic --compare` prints them.
LevelsCard programsCard(const LevelsResult& r)
{
    LevelsCard card;
    PaintedTable& t = card.table;
    t.title = tr("Programs of the dataflows");
    const Table rows = verbs::programRows(r.dataflows->programs);
    for (const TableColumn& column : rows.columns) {
        t.head << QString::fromStdString(column.title);
        t.numeric.push_back(column.kind != ColumnKind::Text);
    }
    std::int64_t least = -1;
    for (std::size_t row = 0; row < rows.rowCount(); ++row) {
        const verbs::ProgramOfDataflow& p = r.dataflows->programs[row];
        if (p.refusal.empty() && (least < 0 || p.cycles < least)) {
            least = p.cycles;
            t.marked = static_cast<int>(row);
        }
        QStringList cells;
        for (std::size_t column = 0; column < rows.columns.size(); ++column)
            cells << word(rows.shown(row, column));
        t.rows.push_back(cells);
    }
    const double rate = r.of.hierarchy.at(Level::External).gbPerSecond;
    t.note =
        tr("pipelined, at the bandwidths of the memories (%1 GB/s of DRAM)").arg(significantNumber(rate));
    if (const auto fewer = verbs::osFewerOf(r.dataflows->programs))
        t.note += (*fewer < 0 ? tr("; output-stationary takes %1 more cycles than weight-stationary")
                              : tr("; output-stationary takes %1 fewer cycles than weight-stationary"))
                      .arg(percent(std::abs(*fewer)));
    return card;
}

LevelsCard orderCard(const LevelsResult& r)
{
    LevelsCard card;
    PaintedTable& t = card.table;
    t.title = tr("DRAM traffic by loop order, tile %1").arg(tileText(r.tile->choice.tile));
    t.head = {tr("order"), tr("A"), tr("B"), tr("C"), tr("LRU"), tr("Belady")};
    t.numeric = {false, true, true, true, true, true};
    const ReuseFactors reuse = r.tile->reuse();
    std::int64_t least = -1;
    for (const verbs::DramOfOrder& o : r.orders) {
        if (least < 0 || o.lru.bytes() < least) {
            least = o.lru.bytes();
            t.marked = static_cast<int>(t.rows.size());
        }
        const auto moved = [&](Matrix m) {
            return bytesText(o.lru.of(m).loadBytes + o.lru.of(m).storeBytes);
        };
        t.rows.push_back({word(loopOrderName(o.order)), moved(Matrix::A), moved(Matrix::B), moved(Matrix::C),
                          bytesText(o.lru.bytes()), o.belady ? bytesText(o.belady->bytes()) : tr("–")});
    }
    t.note = tr("compulsory %1; reuse A %2×, B %3×, C %4×; %5 tile transfers with full reuse, %6 without")
                 .arg(bytesText(r.orders.front().lru.compulsoryBytes), number(reuse.a), number(reuse.b),
                      number(reuse.c), number(reuse.transfersFullReuse), number(reuse.transfersNoReuse));
    return card;
}

LevelsCard adaptiveCard(const AdaptiveStationary& a, const TileShape& tile)
{
    LevelsCard card;
    PaintedTable& t = card.table;
    t.title = tr("Adaptive stationary, tile %1").arg(tileText(tile));
    t.head = {tr("against"), tr("DRAM"), tr("saving")};
    t.numeric = {false, true, true};
    for (const Dataflow d : {Dataflow::Os, Dataflow::Ws, Dataflow::Is}) {
        const auto i = static_cast<std::size_t>(d);
        t.rows.push_back({dataflowText(d), bytesText(a.fixedBytes[i]), percent(a.saving[i])});
    }
    t.marked = static_cast<int>(t.rows.size());
    std::array<std::size_t, 3> chosen{};
    for (const Dataflow d : a.rows)
        ++chosen[static_cast<std::size_t>(d)];
    t.rows.push_back(
        {a.perRow ? tr("chosen row by row: OS %1, WS %2, IS %3").arg(chosen[0]).arg(chosen[1]).arg(chosen[2])
                  : tr("chosen: %1 for all").arg(dataflowText(a.bestFixed)),
         bytesText(a.bytes), QString()});
    return card;
}

LevelsCard tilingCard(const ThreeLevelTiling& l)
{
    LevelsCard card;
    PaintedTable& t = card.table;
    t.title = tr("Three nested tiles");
    t.head = {tr("level"), tr("tile"), tr("used"), tr("of"), tr("moved in")};
    t.numeric = {false, true, true, true, true};
    for (const LevelTile& x : l.level)
        t.rows.push_back({rooflineLevel(x.level), tileText(x.tile), bytesText(x.usedBytes),
                          bytesText(x.capacityBytes), bytesText(x.trafficBytes)});
    t.note =
        tr("each tile is part of the one above; moved in: without reuse between tiles of the level above");
    return card;
}

/// Replaces typed characters by typographic signs.
QString typeset(const std::string& text)
{
    return QString::fromStdString(text)
        .replace(QLatin1String("->"), QStringLiteral("→"))
        .replace(QLatin1String("<="), QStringLiteral("≤"))
        .replace(QLatin1String("^2"), QStringLiteral("²"))
        .replace(QLatin1String("^3"), QStringLiteral("³"));
}

LevelsCard correctionsCard(const std::vector<Correction>& corrections)
{
    LevelsCard card;
    PaintedTable& t = card.table;
    t.title = tr("Values printed in the source documents, with corrections");
    t.head = {tr("place"), tr("as printed"), tr("correct")};
    t.numeric = {false, false, false};
    for (const Correction& c : corrections)
        t.rows.push_back({QString::fromStdString(c.place), typeset(c.seed),
                          (c.agrees ? QStringLiteral("✓ ") : QStringLiteral("≠ ")) + typeset(c.correct)});
    return card;
}

} // namespace

LevelsModel buildLevels(const SystolicDocument& state, bool printed)
{
    LevelsModel m;
    m.result = state.levels();
    const SystolicSettings& s = state.settings();
    if (!m.result || m.result->of.gemm != s.gemm || m.result->of.hierarchy.array != s.hierarchy.array) {
        m.result.reset();
        m.hint = tr("Computing the traffic between the levels …");
        return m;
    }
    const LevelsResult& r = *m.result;
    m.title = tr("%1 × %2 × %3 between the levels of %4")
                  .arg(number(s.gemm.m), number(s.gemm.n), number(s.gemm.k),
                       QString::fromStdString(r.of.hierarchy.name));
    m.headline = r.error.isEmpty() ? QString() : QStringLiteral("⚠ ") + r.error;
    if (m.headline.isEmpty() && r.roofline)
        m.headline = tr("%1 % of the peak is attainable, bound by %2")
                         .arg(number(100 * r.roofline->attainableGflops / r.roofline->peakGflops),
                              bindingText(r.roofline->binding));
    if (!r.l2.plans.empty())
        m.cards.push_back(l2Card(r));
    if (r.roofline) {
        m.cards.push_back(rooflineCard(*r.roofline));
        m.cards.push_back(energyCard(r, state.energyTable()));
    }
    if (printed)
        m.cards.push_back(correctionsCard(r.corrections));
    m.cards.push_back(bankCard(r, BankLayout::Seed));
    m.cards.push_back(bankCard(r, BankLayout::Split));
    if (r.dataflows)
        m.cards.push_back(dataflowCard(r));
    if (r.dataflows && r.dataflows->ran)
        m.cards.push_back(programsCard(r));
    if (!r.orders.empty())
        m.cards.push_back(orderCard(r));
    if (!r.tile)
        return m;
    LevelsCard card;
    card.kind = LevelsCard::Kind::Capacities;
    m.cards.push_back(card);
    if (const auto levels = r.tile->threeLevels())
        m.cards.push_back(tilingCard(*levels));
    if (r.tile->adaptive)
        m.cards.push_back(adaptiveCard(*r.tile->adaptive, r.tile->choice.tile));
    return m;
}

} // namespace tilewright::ui
