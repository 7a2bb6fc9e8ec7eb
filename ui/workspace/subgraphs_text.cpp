// SPDX-License-Identifier: GPL-3.0-or-later
#include "workspace/subgraphs_text.h"

#include "theme/text_row.h"
#include "theme/words.h"

#include <QCoreApplication>
#include <QStringList>

namespace tilewright::ui {

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

} // namespace tilewright::ui
