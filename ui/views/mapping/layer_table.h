// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "mapping/model_search.h"

#include <QAbstractTableModel>

#include <memory>

namespace tilewright::ui {

/// A row per layer of a model, then a row of totals for each objective.
class LayerTable : public QAbstractTableModel
{
    Q_OBJECT
public:
    enum Column { Name, Shape, Count, Energy, Cycles, Edp, Share, Proven, Seconds, Columns };
    static constexpr int kShareRole = Qt::UserRole + 1; ///< 0..1, for the bar

    using QAbstractTableModel::QAbstractTableModel;

    void setModel(const mapping::Model& model); ///< nothing is known of its layers yet
    void add(const mapping::LayerResult& layer);
    void setResult(std::shared_ptr<const mapping::ModelResult> result);
    /// -1: each number is that of its own optimum; otherwise all three of the methods of one objective.
    void setMethods(int objective);

    [[nodiscard]] int layerCount() const { return static_cast<int>(m_model.layers.size()); }
    [[nodiscard]] bool isTotal(int row) const { return row >= layerCount(); }
    [[nodiscard]] const std::shared_ptr<const mapping::ModelResult>& result() const { return m_result; }
    [[nodiscard]] const std::vector<mapping::LayerResult>& found() const { return m_found; }
    /// All cells as tab-separated rows, numbers with full precision.
    [[nodiscard]] QString asText() const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    [[nodiscard]] double value(int row, int column) const; ///< NaN when not known
    [[nodiscard]] double edpSum() const;
    [[nodiscard]] QVariant share(int row) const;
    [[nodiscard]] QVariant sortValue(int row, int column) const;
    [[nodiscard]] QString cell(int row, int column, bool exact) const;

    mapping::Model m_model;
    std::vector<mapping::LayerResult> m_found; ///< the first layers
    std::shared_ptr<const mapping::ModelResult> m_result;
    int m_methods = -1;
};

} // namespace tilewright::ui
