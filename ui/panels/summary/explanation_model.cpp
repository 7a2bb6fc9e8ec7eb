// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/summary/explanation_model.h"

#include "theme/text.h"

#include <QHeaderView>
#include <QTreeView>

#include <array>

namespace tilewright::ui {

/// A value with its position in the tree. The root owns the explanation; the other items point into it.
struct ExplanationModel::Item
{
    Item(const ExplainedValue& shown, const Item* above, int place) : value(&shown), parent(above), row(place)
    {
        for (const ExplainedValue& part : shown.parts)
            children.push_back(std::make_unique<Item>(part, this, static_cast<int>(children.size())));
    }
    explicit Item(std::unique_ptr<const ExplainedValue> shown) : Item(*shown, nullptr, 0)
    {
        owned = std::move(shown);
    }
    std::unique_ptr<const ExplainedValue> owned;
    const ExplainedValue* value;
    const Item* parent;
    int row;
    std::vector<std::unique_ptr<Item>> children;
};

ExplanationModel::ExplanationModel(QObject* parent) : QAbstractItemModel(parent) {}
ExplanationModel::~ExplanationModel() = default;

void ExplanationModel::setExplanation(ExplainedValue explanation)
{
    beginResetModel();
    m_root = std::make_unique<Item>(std::make_unique<const ExplainedValue>(std::move(explanation)));
    endResetModel();
}

void ExplanationModel::clear()
{
    beginResetModel();
    m_root.reset();
    endResetModel();
}

const ExplainedValue* ExplanationModel::explanation() const
{
    return m_root ? m_root->value : nullptr;
}

const ExplanationModel::Item* ExplanationModel::itemOf(const QModelIndex& index) const
{
    return index.isValid() ? static_cast<const Item*>(index.constInternalPointer()) : nullptr;
}

QModelIndex ExplanationModel::index(int row, int column, const QModelIndex& parent) const
{
    if (!hasIndex(row, column, parent))
        return {};
    const Item* above = itemOf(parent);
    return createIndex(row, column,
                       above ? above->children[static_cast<std::size_t>(row)].get() : m_root.get());
}

const ExplainedValue* ExplanationModel::valueAt(const QModelIndex& index) const
{
    const Item* item = itemOf(index);
    return item ? item->value : nullptr;
}

QModelIndex ExplanationModel::parent(const QModelIndex& index) const
{
    const Item* item = itemOf(index);
    return item && item->parent ? createIndex(item->parent->row, 0, item->parent) : QModelIndex();
}

int ExplanationModel::rowCount(const QModelIndex& parent) const
{
    if (parent.column() > 0)
        return 0;
    const Item* item = itemOf(parent);
    return item ? static_cast<int>(item->children.size()) : m_root ? 1 : 0;
}

int ExplanationModel::columnCount(const QModelIndex&) const
{
    return kColumns;
}

QVariant ExplanationModel::data(const QModelIndex& index, int role) const
{
    const Item* item = itemOf(index);
    if (!item)
        return {};
    const ExplainedValue& e = *item->value;
    if (role == Qt::TextAlignmentRole && index.column() == Value)
        return static_cast<int>(Qt::AlignRight | Qt::AlignVCenter);
    if (role == Qt::ToolTipRole)
        return plain(QStringLiteral("%1: %2 %3\n%4")
                         .arg(QString::fromStdString(e.name), exactNumber(e.value),
                              QString::fromStdString(e.unit), QString::fromStdString(originText(e))));
    if (role != Qt::DisplayRole)
        return {};
    switch (index.column()) {
    case Name:
        return QString::fromStdString(e.name);
    case Value:
        return QString::fromStdString(valueText(e));
    case Unit:
        return QString::fromStdString(e.unit);
    default:
        return QString::fromStdString(originText(e));
    }
}

QVariant ExplanationModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    static const std::array<QString, kColumns> titles{tr("Value of"), tr("Value"), tr("Unit"), tr("From")};
    if (orientation != Qt::Horizontal || section >= kColumns)
        return {};
    if (role == Qt::TextAlignmentRole && section == Value)
        return static_cast<int>(Qt::AlignRight | Qt::AlignVCenter);
    return role == Qt::DisplayRole ? QVariant(titles[static_cast<std::size_t>(section)]) : QVariant();
}

void asExplanation(QTreeView& tree, const QString& name, ExplanationModel& model)
{
    tree.setModel(&model);
    tree.setAccessibleName(name);
    tree.setAlternatingRowColors(true);
    tree.setUniformRowHeights(true);
    tree.setFrameShape(QFrame::NoFrame);
    tree.setMinimumHeight(1);
    tree.header()->setSectionResizeMode(QHeaderView::ResizeToContents);
    // The user can change the width of the column of names: long names must not push the values out of view.
    tree.header()->setSectionResizeMode(0, QHeaderView::Interactive);
    const auto fit = [&tree] {
        tree.resizeColumnToContents(0);
        if (const int most = tree.viewport()->width() / 2; most > 0 && tree.columnWidth(0) > most)
            tree.setColumnWidth(0, most);
    };
    QObject::connect(&model, &QAbstractItemModel::modelReset, &tree, fit, Qt::QueuedConnection);
    QObject::connect(&tree, &QTreeView::expanded, &tree, fit, Qt::QueuedConnection);
}

} // namespace tilewright::ui
