// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QComboBox>
#include <QStyledItemDelegate>

namespace tilewright::ui {

/// Columns and roles of the list of values.
enum Column { kField, kValue, kFrom };
inline constexpr int kPath = Qt::UserRole;      ///< role of the first column: path of the field
inline constexpr int kRaw = Qt::UserRole + 1;   ///< role of the value column: the text to edit
inline constexpr int kWords = Qt::UserRole + 2; ///< role of the value column: the possible choices

/// Editor of values: sizes with a unit, choices from a list.
class ValueDelegate : public QStyledItemDelegate
{
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    QWidget* createEditor(QWidget* parent, const QStyleOptionViewItem& option,
                          const QModelIndex& index) const override
    {
        if (index.column() != kValue)
            return nullptr;
        const QStringList words = index.data(kWords).toStringList();
        if (words.isEmpty())
            return QStyledItemDelegate::createEditor(parent, option, index);
        auto* box = new QComboBox(parent);
        box->addItems(words);
        connect(box, &QComboBox::activated, this, [this, box] {
            auto* self = const_cast<ValueDelegate*>(this);
            Q_EMIT self->commitData(box);
            Q_EMIT self->closeEditor(box);
        });
        return box;
    }
    void setEditorData(QWidget* editor, const QModelIndex& index) const override
    {
        if (auto* box = qobject_cast<QComboBox*>(editor))
            box->setCurrentText(index.data(kRaw).toString());
        else
            editor->setProperty("text", index.data(kRaw));
    }
    void setModelData(QWidget* editor, QAbstractItemModel* model, const QModelIndex& index) const override
    {
        const auto* box = qobject_cast<QComboBox*>(editor);
        model->setData(index, box ? box->currentText() : editor->property("text").toString(), Qt::EditRole);
    }
};

} // namespace tilewright::ui
