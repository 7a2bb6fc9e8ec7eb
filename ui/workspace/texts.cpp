// SPDX-License-Identifier: GPL-3.0-or-later
#include "workspace/texts.h"

#include "theme/text.h"
#include "theme/text_metrics.h"

#include <QCoreApplication>
#include <QLocale>
#include <QStringList>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace tilewright::ui {

namespace {

QString nameOf(const Problem& problem, OpId o)
{
    return QString::fromStdString(problem.opName(o));
}

QString prefixOf(const Problem& problem, std::span<const OpId> ops)
{
    if (ops.size() == 1) { // the second-last part of the name
        const QString name = nameOf(problem, ops.front());
        return name.left(std::max(name.lastIndexOf(QLatin1Char('.')), name.lastIndexOf(QLatin1Char('/'))) +
                         1);
    }
    std::vector<std::string> names;
    for (const OpId o : ops)
        names.push_back(problem.opName(o));
    return QString::fromStdString(commonNamePrefix(names));
}

} // namespace

QString commonPrefix(const Problem& problem)
{
    std::vector<OpId> all;
    for (std::size_t o = 0; o < problem.opCount(); ++o)
        all.emplace_back(o);
    return all.size() > 1 ? prefixOf(problem, all) : QString();
}

QString namesWithoutPrefix(QString names, const QString& prefix)
{
    if (prefix.isEmpty())
        return names;
    for (const QString& before : {QStringLiteral(", "), QStringLiteral("| ")})
        names.replace(before + prefix, before);
    return names.startsWith(prefix) ? names.mid(prefix.size()) : names;
}

OpNames shortOpNames(const Problem& problem, std::span<const OpId> ops, const QString& dropped)
{
    const QString shared = prefixOf(problem, ops);
    QStringList names;
    for (const OpId o : ops)
        names << nameOf(problem, o).mid(shared.size());
    QString where = shared.mid(std::min(dropped.size(), shared.size()));
    where.chop(where.isEmpty() ? 0 : 1);
    return {names.join(QStringLiteral(", ")), where};
}

QString fullOpNames(const Problem& problem, std::span<const OpId> ops, std::size_t most)
{
    QStringList names;
    for (std::size_t i = 0; i < std::min(most, ops.size()); ++i)
        names << nameOf(problem, ops[i]);
    QString text = names.join(QStringLiteral(", "));
    if (ops.size() > most)
        text += QCoreApplication::translate("OpNames", " and %1 more").arg(ops.size() - most);
    return text;
}

QString subgraphsAsText(const Snapshot& snapshot)
{
    const Problem& problem = *snapshot.problem;
    QString out = QCoreApplication::translate(
        "Subgraphs", "subgraph\tops\tw×h×k\tlatency\tbound\tpeak working set\tretained\tproblem\n");
    const auto names = [](const auto& ids, const auto& name) {
        QStringList list;
        for (const auto id : ids)
            list << QString::fromStdString(name(id));
        return list.join(QStringLiteral(", "));
    };
    for (std::size_t i = 0; i < snapshot.schedule.size(); ++i) {
        const Subgraph& s = snapshot.schedule[SubgraphId(i)];
        const SubgraphEvaluation& e = snapshot.evaluation.subgraphs[i];
        QString issue;
        for (const Issue& candidate : snapshot.evaluation.issues)
            if (candidate.subgraph == SubgraphId(i) && issue.isEmpty())
                issue = QString::fromStdString(candidate.text);
        const auto figure = [&e](auto value) {
            return e.structurallyValid ? std::optional(value) : std::nullopt;
        };
        out +=
            textRow(i, names(s.ops, [&](OpId o) { return problem.opName(o); }),
                    QStringLiteral("%1×%2×%3").arg(s.granularity.w).arg(s.granularity.h).arg(s.granularity.k),
                    figure(e.latency), figure(boundText(e.bound)), figure(e.peakWorkingSet),
                    names(s.retain, [&](TensorId t) { return problem.tensorName(t); }), issue);
    }
    return out;
}

QString machineValueText(const MachineField& field)
{
    QString raw = QString::fromStdString(field.value);
    const double value = raw.toDouble();
    switch (field.unit) {
    case MachineUnit::Word:
    case MachineUnit::List:
        return raw;
    case MachineUnit::Factor:
        return exactNumber(value);
    case MachineUnit::Micros:
        return tr("%1 µs").arg(exactNumber(value));
    case MachineUnit::Bytes:
        return bytesText(static_cast<std::int64_t>(value));
    case MachineUnit::Count:
        return number(static_cast<std::int64_t>(value));
    case MachineUnit::GbPerSecond:
        return tr("%1 GB/s").arg(number(value));
    case MachineUnit::Ghz:
        return tr("%1 GHz").arg(exactNumber(value));
    case MachineUnit::Mhz:
        return tr("%1 MHz").arg(number(value));
    case MachineUnit::BytesPerCycle:
        return tr("%1 B/cycle").arg(number(value));
    case MachineUnit::Cycles:
        return tr("%1 cycles").arg(exactNumber(value));
    case MachineUnit::Pj:
        return tr("%1 pJ").arg(exactNumber(value));
    }
    return raw;
}

NumberStyle localNumberStyle()
{
    const QLocale locale;
    return {locale.decimalPoint().toStdString(), locale.groupSeparator().toStdString()};
}

Result<QString> typedMachineValue(const QString& text, MachineUnit unit, const NumberStyle& style)
{
    constexpr std::array kUnits = {"",        "B",      "GB/s", "GHz", "MHz",
                                   "B/cycle", "cycles", "pJ",   "µs",  ""}; // texts of units, by MachineUnit
    if (unit == MachineUnit::Word || unit == MachineUnit::List)
        return text.trimmed();
    const auto value = readNumber(text.toStdString(), kUnits.at(static_cast<std::size_t>(unit)), style);
    if (!value)
        return value.error();
    return exactNumber(*value);
}

QString mapLabel(const IndexMap& map)
{
    if (const auto* w = std::get_if<WindowsMap>(&map)) {
        const QString text = QStringLiteral("%1×%2").arg(w->window[0]).arg(w->window[1]);
        const auto [down, right] = w->stride;
        if (down != right)
            return text + QStringLiteral(" /%1×%2").arg(down).arg(right);
        return down > 1 ? text + QStringLiteral(" /%1").arg(down) : text;
    }
    if (std::holds_alternative<RepeatMap>(map))
        return tr("broadcast");
    return isTransposed(map) ? tr("transposed") : tr("slice");
}

QString mapText(const IndexMap& map)
{
    const auto pair = [](const std::array<std::int64_t, 2>& p) {
        return QStringLiteral("%1 × %2").arg(number(p[0]), number(p[1]));
    };
    if (const auto* w = std::get_if<WindowsMap>(&map)) {
        QString text = tr("windows of %1 in images of %2").arg(pair(w->window), pair({w->h, w->w}));
        if (w->n > 1)
            text += tr(", %1 images").arg(number(w->n));
        text += tr(", stride %1").arg(pair(w->stride));
        if (w->dilation != std::array<std::int64_t, 2>{1, 1})
            text += tr(", dilation %1").arg(pair(w->dilation));
        if (w->pad != std::array<std::int64_t, 4>{})
            text += tr(", padding %1 above, %2 left, %3 below, %4 right")
                        .arg(number(w->pad[0]), number(w->pad[1]), number(w->pad[2]), number(w->pad[3]));
        return text +
               tr(", %1 from channel %2 on")
                   .arg(counted(w->channels[1], tr("channel"), tr("channels")), number(w->channels[0]));
    }
    if (const auto* r = std::get_if<RepeatMap>(&map))
        return tr("broadcast: each of %1 %2 times one after another, each of %3 %4 times")
            .arg(counted(r->rows[0], tr("row"), tr("rows")), number(r->rows[1]),
                 counted(r->cols[0], tr("column"), tr("columns")), number(r->cols[1]));
    const auto& s = std::get<SliceMap>(map);
    const auto axis = [](const std::array<std::int64_t, 3>& a, const QString& one, const QString& many) {
        const QString text = tr("%1 from %2 on").arg(counted(a[2], one, many), number(a[0]));
        return a[1] > 1 ? text + tr(" at a stride of %1").arg(number(a[1])) : text;
    };
    return tr("slice%1: %2, %3")
        .arg(s.transposed ? tr(", transposed") : QString(), axis(s.rows, tr("row"), tr("rows")),
             axis(s.cols, tr("column"), tr("columns")));
}

QString elementsText(const Problem& problem, std::int64_t units)
{
    return number(problem.elementsOf(units));
}

QString elementWord(const Problem& problem)
{
    return problem.hasWidths() && problem.unitsPerElement() > 1
               ? tr("elements of %1 bits")
                     .arg(number(problem.bitsPerUnit() * static_cast<double>(problem.unitsPerElement())))
               : tr("elements");
}

QString volumeText(const Problem& problem, TensorId tensor, std::int64_t elements)
{
    QString text = counted(elements, tr("element"), tr("elements"));
    if (!problem.data().elementBits)
        return text;
    const double bits = static_cast<double>(elements * problem.units(tensor)) * problem.bitsPerUnit();
    return tr("%1 (%2)").arg(text, bytesText(std::llround(bits / 8)));
}

QString timeUnitText(const lower::ModelOnMachinePtr& model)
{
    if (!model)
        return tr("units of time");
    const std::int64_t unit = model->lowered.timeUnit;
    return unit == 1 ? tr("cycles") : tr("× %1 cycles").arg(number(unit));
}

QString timesUnitText(const lower::ModelOnMachinePtr& model)
{
    const QString unit = timeUnitText(model);
    return unit.startsWith(QChar(u'×')) ? unit : QStringLiteral("× ") + unit;
}

} // namespace tilewright::ui
