// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/run/run_text.h"

#include "theme/text.h"
#include "theme/theme.h"
#include "workspace/texts.h"

#include <QStringList>

#include <algorithm>

namespace tilewright::ui {

namespace {

QString rangeText(std::int64_t from, std::int64_t to)
{
    return QStringLiteral("%1:%2").arg(from).arg(to);
}

QString rectText(const Rect& r)
{
    return QStringLiteral("[%1, %2]").arg(rangeText(r.r0, r.r1), rangeText(r.c0, r.c1));
}

/// Text on the size of a transfer: elements, and bits if the problem states widths.
QString transferText(const Problem& problem, std::int64_t units)
{
    QString elements = QStringLiteral("%1 %2").arg(elementsText(problem, units), elementWord(problem));
    if (!problem.data().elementBits)
        return elements;
    return tr("%1, %2 bits").arg(elements, number(static_cast<double>(units) * problem.bitsPerUnit()));
}

/// Text of the rectangle of a command and of its range of k.
QString placeText(const RunCommand& c)
{
    if (c.kept || c.network)
        return {};
    const bool matmul = c.unit == RunUnit::Array && c.k1 > c.k0;
    return matmul ? tr("%1, k %2").arg(rectText(c.rect), rangeText(c.k0, c.k1)) : rectText(c.rect);
}

/// Returns the last `count` parts of a name, which are separated by '.' or '/': "down.weight" of
/// "layer0.down.weight".
QString lastParts(const QString& name, int count)
{
    qsizetype divider = name.size();
    for (; count > 0 && divider >= 0; --count) {
        const QStringView before = QStringView(name).left(divider);
        divider = std::max(before.lastIndexOf(QLatin1Char('.')), before.lastIndexOf(QLatin1Char('/')));
    }
    return divider + 1 < name.size() ? name.mid(divider + 1) : name;
}

/// Returns the part of a name behind the prefix.
QString shortened(const std::string& name, const QString& prefix)
{
    return QString::fromStdString(name).mid(prefix.size());
}

} // namespace

QString unitName(RunUnit unit)
{
    switch (unit) {
    case RunUnit::Load:
        return tr("load");
    case RunUnit::Array:
        return tr("array");
    case RunUnit::Vector:
        return tr("vector");
    case RunUnit::Store:
        break;
    }
    return tr("store");
}

QString waitName(RunWait wait)
{
    switch (wait) {
    case RunWait::Room:
        return tr("room");
    case RunWait::Prefetch:
        return tr("prefetch");
    case RunWait::Load:
        return tr("loads");
    case RunWait::Run:
        return tr("runs");
    case RunWait::Store:
        return tr("stores");
    case RunWait::Channel:
        return tr("the channel");
    case RunWait::Nothing:
        break;
    }
    return tr("nothing left");
}

QString waitsFor(RunWait wait)
{
    return wait == RunWait::Nothing ? waitName(wait) : tr("waits for %1").arg(waitName(wait));
}

QString waitExplanation(RunWait wait)
{
    switch (wait) {
    case RunWait::Room:
        return tr("The next step does not fit into fast memory beside the steps that have not ended.");
    case RunWait::Prefetch:
        return tr(
            "The next step fits, but may not begin: prefetch limits how many steps are ahead of the oldest "
            "one that has not ended.");
    case RunWait::Load:
        return tr("The next run reads a slice that is still to be loaded.");
    case RunWait::Run:
        return tr("A run whose result is needed has not ended.");
    case RunWait::Store:
        return tr("The next load reads a tensor that an earlier subgraph is still to store.");
    case RunWait::Channel:
        return tr("Loads and stores share one channel to slow memory, which serves the other queue.");
    case RunWait::Nothing:
        break;
    }
    return tr("No command is left for this unit.");
}

MarkStyle waitStyle(RunWait wait, const Theme& theme)
{
    const QColor fill = Theme::mix(theme.canvas, theme.muted, theme.dark ? 0.22 : 0.14);
    const auto pattern = [&](Qt::BrushStyle brush, const QColor& colour) {
        return MarkStyle{fill, brush, Theme::mix(fill, colour, 0.75)};
    };
    switch (wait) {
    case RunWait::Room:
        return pattern(Qt::Dense5Pattern, theme.resident);
    case RunWait::Prefetch:
        return pattern(Qt::Dense6Pattern, theme.muted);
    case RunWait::Load:
        return pattern(Qt::BDiagPattern, theme.loadTime);
    case RunWait::Run:
        return pattern(Qt::HorPattern, theme.computeTime);
    case RunWait::Store:
        return pattern(Qt::FDiagPattern, theme.storeTime);
    case RunWait::Channel:
        return pattern(Qt::DiagCrossPattern, theme.muted);
    case RunWait::Nothing:
        break;
    }
    return {Theme::mix(theme.canvas, theme.muted, 0.07)};
}

QString RunNames::op(OpId op) const
{
    return shortened(result->problem().opName(op), prefix);
}

QString RunNames::tensor(TensorId tensor) const
{
    const std::string name = result->problem().tensorName(tensor);
    const bool shares = QString::fromStdString(name).startsWith(prefix);
    return shortened(name, shares ? prefix : QString());
}

QString RunNames::step(std::size_t step) const
{
    const RunStep& s = result->run.steps[step];
    const QString out = tr("subgraph %1, step %2").arg(number(s.subgraph.index()), number(s.index));
    return result->run.cores.size() == 1 ? out : tr("core %1, %2").arg(number(s.core), out);
}

QString RunNames::label(const RunCommand& c) const
{
    return lastParts(nameOf(c), c.op ? 1 : 2);
}

QString RunNames::nameOf(const RunCommand& c) const
{
    return c.op        ? op(*c.op)
           : c.kept    ? tr("kept tensors")
           : c.network ? tr("from other cores")
           : c.tensor  ? tensor(*c.tensor)
                       : QString();
}

QString RunNames::facts(const RunCommand& c) const
{
    const QString what = QStringLiteral("%1 %2%3").arg(unitName(c.unit), nameOf(c), placeText(c));
    const QString where = step(static_cast<std::size_t>(c.step));
    if (c.op)
        return tr("%1 · %2").arg(what, where);
    return tr("%1 · %2 · %3").arg(what, where, transferText(result->problem(), c.units));
}

QString RunNames::tooltip(const RunCommand& c) const
{
    const RunStep& s = result->run.steps[static_cast<std::size_t>(c.step)];
    QStringList lines;
    lines << QStringLiteral("<b>%1</b> %2").arg(unitName(c.unit), nameOf(c).toHtmlEscaped());
    if (c.op && c.tensor)
        lines << tr("makes %1%2").arg(tensor(*c.tensor).toHtmlEscaped(), placeText(c));
    else if (!c.kept && !c.network)
        lines << placeText(c);
    lines << tr("%1: tile %2, k step %3 of %4")
                 .arg(step(static_cast<std::size_t>(c.step)), number(s.tile), number(s.kStep + 1),
                      number(s.kSteps));
    lines << tr("from %1 to %2, %3 long")
                 .arg(exactNumber(c.begin), exactNumber(c.end), exactNumber(c.end - c.begin));
    if (!c.op)
        lines << transferText(result->problem(), c.units);
    return lines.join(QStringLiteral("<br>"));
}

QString RunNames::reason(const RunStall& s) const
{
    switch (s.wait) {
    case RunWait::Room:
        return tr("no room in fast memory for the next step");
    case RunWait::Prefetch:
        return tr("as many steps ahead as prefetch allows");
    case RunWait::Load:
        return s.tensor ? tr("waits for the load of %1").arg(tensor(*s.tensor)) : waitsFor(s.wait);
    case RunWait::Run:
        return s.op ? tr("waits for the run of %1").arg(op(*s.op)) : waitsFor(s.wait);
    case RunWait::Store:
        return s.tensor ? tr("waits for the store of %1").arg(tensor(*s.tensor)) : waitsFor(s.wait);
    case RunWait::Channel:
        return result->run.cores.size() > 1 ? tr("the channel or the network serves others")
               : s.unit == RunUnit::Load    ? tr("the channel serves a store")
                                            : tr("the channel serves a load");
    case RunWait::Nothing:
        break;
    }
    return tr("nothing left to do");
}

QString RunNames::facts(RunUnit unit, const RunPiece& piece) const
{
    const QString span = spanText(piece.begin, piece.end);
    if (piece.waits)
        return QStringLiteral("%1: %2 · %3")
            .arg(unitName(unit), reason(result->run.stalls[piece.index]), span);
    return QStringLiteral("%1 · %2").arg(facts(result->run.commands[piece.index]), span);
}

QString RunNames::now(RunUnit unit, double time, std::size_t core) const
{
    const auto at = pieceAt(result->index, unit, time, core);
    if (!at)
        return tr("nothing left to do");
    const RunPiece& piece = result->index.of(unit, core)[*at];
    if (piece.waits)
        return reason(result->run.stalls[piece.index]);
    const RunCommand& c = result->run.commands[piece.index];
    return QStringLiteral("%1%2").arg(nameOf(c), placeText(c));
}

QString RunNames::briefly(RunUnit unit, double time, std::size_t core) const
{
    const auto at = pieceAt(result->index, unit, time, core);
    const QString does = !at ? waitName(RunWait::Nothing)
                         : result->index.of(unit, core)[*at].waits
                             ? waitsFor(result->run.stalls[result->index.of(unit, core)[*at].index].wait)
                             : label(result->run.commands[result->index.of(unit, core)[*at].index]);
    return QStringLiteral("%1 %2").arg(unitName(unit), does);
}

QString roomName(RunRoom::Kind kind)
{
    switch (kind) {
    case RunRoom::Input:
        return tr("inputs");
    case RunRoom::Reserved:
        return tr("kept tensors");
    case RunRoom::Output:
        return tr("outputs");
    case RunRoom::Accumulator:
        return tr("accumulators");
    case RunRoom::Interior:
        break;
    }
    return tr("interior");
}

const QColor& roomColour(RunRoom::Kind kind, const Theme& theme)
{
    switch (kind) {
    case RunRoom::Input:
        return theme.input;
    case RunRoom::Reserved:
        return theme.retained;
    case RunRoom::Output:
        return theme.output;
    case RunRoom::Accumulator:
        return theme.accumulator;
    case RunRoom::Interior:
        break;
    }
    return theme.interior;
}

QColor unitColour(RunUnit unit, const Theme& theme)
{
    switch (unit) {
    case RunUnit::Load:
        return theme.loadTime;
    case RunUnit::Array:
        return theme.computeTime;
    case RunUnit::Vector:
        return theme.category(7);
    case RunUnit::Store:
        break;
    }
    return theme.storeTime;
}

QString spanText(double begin, double end)
{
    return tr("%1 – %2 (%3)").arg(number(begin), number(end), number(end - begin));
}

} // namespace tilewright::ui
