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
    if (ops.size() == 1) { // the part in front of the last one
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
    case MachineUnit::Loops:
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
                                   "B/cycle", "cycles", "pJ",   "µs",  ""}; // by MachineUnit
    if (unit == MachineUnit::Word || unit == MachineUnit::Loops)
        return text.trimmed();
    const auto value = readNumber(text.toStdString(), kUnits.at(static_cast<std::size_t>(unit)), style);
    if (!value)
        return value.error();
    return exactNumber(*value);
}

} // namespace tilewright::ui
