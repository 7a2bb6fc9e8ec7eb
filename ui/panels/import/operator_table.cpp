// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/import/operator_table.h"

#include "theme/number.h"
#include "theme/words.h"

namespace tilewright::ui {

using lower::NodeStatus;

namespace {

/// The number, or an empty cell for zero and negative values.
TableCell figure(std::int64_t value)
{
    return value > 0 ? TableCell(value) : TableCell("", "", value);
}

} // namespace

QString statusText(NodeStatus status)
{
    switch (status) {
    case NodeStatus::Mapped:
        return tr("mapped");
    case NodeStatus::Folded:
        return tr("folded");
    case NodeStatus::Approximated:
        return tr("approximated");
    case NodeStatus::Dropped:
        break;
    }
    return tr("dropped");
}

OperatorTable::OperatorTable(const std::vector<lower::NodeReport>& nodes)
{
    columns = {{tr("Operator"), ColumnKind::Text,
                tr("Name in the model. A click on this heading sorts in the order of the model.")},
               {tr("Type"), ColumnKind::Text, tr("Type name in the file.")},
               {tr("Status"), ColumnKind::Text,
                tr("mapped: all its work is modelled; folded: no work is left of it; approximated: a "
                   "part of it is not modelled; dropped: none of it is modelled.")},
               {tr("MACs"), ColumnKind::Number, tr("Multiply-accumulates of the model.")},
               {tr("Bytes"), ColumnKind::Number, tr("Bytes of its operands and results.")},
               {tr("Note"), ColumnKind::Text, tr("What the lowering changed or left out.")}};
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const lower::NodeReport& n = nodes[i];
        const QString note = sentence(n.note);
        add(TableCell(n.name, n.name, i), n.type,
            TableCell(statusText(n.status), statusText(n.status), static_cast<int>(n.status)), figure(n.macs),
            n.bytes, TableCell(plainNumbers(note), note));
    }
    rowTip = [nodes](std::size_t row) {
        const lower::NodeReport& n = nodes[row];
        const QString name = QString::fromStdString(n.name);
        return plain(n.note.empty() ? name : name + QStringLiteral(": ") + sentence(n.note));
    };
}

TypeTable::TypeTable(const std::vector<lower::TypeReport>& types, std::int64_t macs)
{
    columns = {{tr("Type")},
               {tr("Operators"), ColumnKind::Number},
               {tr("MACs"), ColumnKind::Number},
               {tr("Share of MACs"), ColumnKind::Percent},
               {tr("Bytes"), ColumnKind::Number},
               {tr("Notes")}};
    for (const lower::TypeReport& t : types) {
        const double share = macs > 0 ? static_cast<double>(t.macs) / static_cast<double>(macs) : 0;
        const QString shown = t.macs > 0 ? percent(share) : QString();
        QStringList became;
        for (const NodeStatus s :
             {NodeStatus::Mapped, NodeStatus::Folded, NodeStatus::Approximated, NodeStatus::Dropped})
            if (const std::size_t n = t.became[static_cast<std::size_t>(s)]; n > 0)
                became << QStringLiteral("%1 %2").arg(number(n), statusText(s));
        const QString all = became.join(QStringLiteral(", "));
        add(t.type, t.nodes, figure(t.macs), TableCell(plainNumbers(shown), shown, share), t.bytes,
            TableCell(plainNumbers(all), all));
    }
}

} // namespace tilewright::ui
