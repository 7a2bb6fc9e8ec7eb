// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "explanation/explanation.h"

#include <QAbstractItemModel>

#include <memory>

class QTreeView;

namespace tilewright::ui {

/// Item model of an explanation: a tree of named values, each with its value, its unit and its origin.
class ExplanationModel : public QAbstractItemModel
{
    Q_OBJECT
public:
    enum Column { Name, Value, Unit, Origin, kColumns };
    explicit ExplanationModel(QObject* parent = nullptr);
    ~ExplanationModel() override;

    void setExplanation(ExplainedValue explanation);
    void clear();
    /// The explanation that is shown; null if there is none.
    [[nodiscard]] const ExplainedValue* explanation() const;
    /// Returns the value of a row; null if the index does not belong to this model.
    [[nodiscard]] const ExplainedValue* valueAt(const QModelIndex& index) const;

    [[nodiscard]] QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    [[nodiscard]] QModelIndex parent(const QModelIndex& index) const override;
    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role = Qt::DisplayRole) const override;

private:
    struct Item;
    [[nodiscard]] const Item* itemOf(const QModelIndex& index) const;
    std::unique_ptr<Item> m_root;
};

/// Sets up a tree view that shows the model in the common style of explanations.
void asExplanation(QTreeView& tree, const QString& name, ExplanationModel& model);

} // namespace tilewright::ui
