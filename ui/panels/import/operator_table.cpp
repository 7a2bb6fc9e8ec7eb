// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/import/operator_table.h"

#include "theme/number.h"
#include "theme/words.h"

namespace tilewright::ui {

using lower::NodeStatus;

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

void OperatorTable::setNodes(std::vector<lower::NodeReport> nodes)
{
    beginResetModel();
    m_nodes = std::move(nodes);
    endResetModel();
}

int OperatorTable::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_nodes.size());
}

int OperatorTable::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : Columns;
}

QVariant OperatorTable::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || index.row() >= rowCount())
        return {};
    const lower::NodeReport& n = m_nodes[static_cast<std::size_t>(index.row())];
    const bool figure = index.column() == Macs || index.column() == Bytes;
    if (role == Qt::TextAlignmentRole && figure)
        return QVariant(Qt::AlignRight | Qt::AlignVCenter);
    if (role == Qt::ToolTipRole)
        return n.note.empty() ? QString::fromStdString(n.name)
                              : QString::fromStdString(n.name) + QStringLiteral(": ") + sentence(n.note);
    if (role != Qt::DisplayRole && role != kSortRole)
        return {};
    switch (index.column()) {
    case Name:
        return role == kSortRole ? QVariant(index.row()) : QVariant(QString::fromStdString(n.name));
    case Type:
        return QString::fromStdString(n.type);
    case Status:
        return role == kSortRole ? QVariant(static_cast<int>(n.status)) : QVariant(statusText(n.status));
    case Macs:
        return role == kSortRole ? QVariant(static_cast<qlonglong>(n.macs))
                                 : QVariant(n.macs > 0 ? number(n.macs) : QString());
    case Bytes:
        return role == kSortRole ? QVariant(static_cast<qlonglong>(n.bytes)) : QVariant(number(n.bytes));
    default:
        return sentence(n.note);
    }
}

QVariant OperatorTable::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    struct Head
    {
        QString title, tip;
    };
    const Head heads[Columns] = {
        {tr("Operator"), tr("Its name in the model; a click here sorts in the order of the model.")},
        {tr("Type"), tr("What the file calls it.")},
        {tr("Status"),
         tr("mapped: its work runs as it is; folded: nothing is left of it; approximated: something of "
            "it is not modelled; dropped: it is not there.")},
        {tr("MACs"), tr("Multiply-accumulates of the model.")},
        {tr("Bytes"), tr("Of its operands and results.")},
        {tr("What became of it"), tr("What the lowering changed or left out.")}};
    const Head& h = heads[section];
    return role == Qt::DisplayRole   ? QVariant(h.title)
           : role == Qt::ToolTipRole ? QVariant(h.tip)
                                     : QVariant();
}

void TypeTable::setTypes(std::vector<lower::TypeReport> types, std::int64_t macs)
{
    beginResetModel();
    m_types = std::move(types);
    m_macs = macs;
    endResetModel();
}

int TypeTable::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_types.size());
}

int TypeTable::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : Columns;
}

QVariant TypeTable::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || index.row() >= rowCount())
        return {};
    const lower::TypeReport& t = m_types[static_cast<std::size_t>(index.row())];
    const bool sorting = role == OperatorTable::kSortRole;
    if (role == Qt::TextAlignmentRole && index.column() != Type && index.column() != Became)
        return QVariant(Qt::AlignRight | Qt::AlignVCenter);
    if (role != Qt::DisplayRole && !sorting)
        return {};
    const double share = m_macs > 0 ? static_cast<double>(t.macs) / static_cast<double>(m_macs) : 0;
    switch (index.column()) {
    case Type:
        return QString::fromStdString(t.type);
    case Nodes:
        return sorting ? QVariant(static_cast<qlonglong>(t.nodes)) : QVariant(number(t.nodes));
    case Macs:
        return sorting ? QVariant(static_cast<qlonglong>(t.macs))
                       : QVariant(t.macs > 0 ? number(t.macs) : QString());
    case Share:
        return sorting ? QVariant(share) : QVariant(t.macs > 0 ? percent(share) : QString());
    case Bytes:
        return sorting ? QVariant(static_cast<qlonglong>(t.bytes)) : QVariant(number(t.bytes));
    default:
        break;
    }
    QStringList became;
    for (const NodeStatus s :
         {NodeStatus::Mapped, NodeStatus::Folded, NodeStatus::Approximated, NodeStatus::Dropped})
        if (const std::size_t n = t.became[static_cast<std::size_t>(s)]; n > 0)
            became << QStringLiteral("%1 %2").arg(number(n), statusText(s));
    return became.join(QStringLiteral(", "));
}

QVariant TypeTable::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    const QString heads[Columns] = {tr("Type"),          tr("Operators"), tr("MACs"),
                                    tr("Share of MACs"), tr("Bytes"),     tr("What became of them")};
    return heads[section];
}

} // namespace tilewright::ui
