// SPDX-License-Identifier: GPL-3.0-or-later
#include "workspace/op_names.h"

#include "theme/name.h"

#include <QCoreApplication>
#include <QStringList>

#include <algorithm>
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

} // namespace tilewright::ui
