// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "lower/lowered.h"

#include <QAbstractTableModel>

namespace tilewright::ui {

/// "mapped", "approximated" ...
[[nodiscard]] QString statusText(lower::NodeStatus status);

/// A row an operator of a model: what became of it.
class OperatorTable : public QAbstractTableModel
{
    Q_OBJECT
public:
    enum Column { Name, Type, Status, Macs, Bytes, Note, Columns };
    static constexpr int kSortRole = Qt::UserRole + 1;

    using QAbstractTableModel::QAbstractTableModel;

    void setNodes(std::vector<lower::NodeReport> nodes);
    [[nodiscard]] const std::vector<lower::NodeReport>& nodes() const { return m_nodes; }

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::vector<lower::NodeReport> m_nodes;
};

/// A row a type of operators.
class TypeTable : public QAbstractTableModel
{
    Q_OBJECT
public:
    enum Column { Type, Nodes, Macs, Share, Bytes, Became, Columns };

    using QAbstractTableModel::QAbstractTableModel;

    void setTypes(std::vector<lower::TypeReport> types, std::int64_t macs);
    [[nodiscard]] const std::vector<lower::TypeReport>& types() const { return m_types; }

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::vector<lower::TypeReport> m_types;
    std::int64_t m_macs = 0; ///< of the whole model
};

} // namespace tilewright::ui
