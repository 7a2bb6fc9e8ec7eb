// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/table_model.h"
#include "mapping/model_search.h"

#include <memory>

namespace tilewright::ui {

/// One row per layer of a model, then one row of totals per objective.
class LayerTable : public TableModel
{
    Q_OBJECT
public:
    enum Column { Name, Shape, Count, Energy, Cycles, Edp, Share, Proven, Seconds, Columns };

    explicit LayerTable(QObject* parent = nullptr);

    void setModel(const mapping::Model& model); ///< no results yet
    void add(const mapping::LayerResult& layer);
    void setResult(std::shared_ptr<const mapping::ModelResult> result);
    /// -1: each number is the optimum of its own objective; otherwise all three belong to the method of one
    /// objective.
    void setMethods(int objective);

    [[nodiscard]] int layerCount() const { return static_cast<int>(m_model.layers.size()); }
    [[nodiscard]] bool isTotal(std::integral auto row) const { return static_cast<int>(row) >= layerCount(); }
    [[nodiscard]] const std::shared_ptr<const mapping::ModelResult>& result() const { return m_result; }
    [[nodiscard]] const std::vector<mapping::LayerResult>& found() const { return m_found; }
    /// The layer's share of the sum of EDPs, 0 to 1; nullopt for a total.
    [[nodiscard]] std::optional<double> share(std::size_t row) const
    {
        return row < m_shares.size() ? m_shares[row] : std::nullopt;
    }

private:
    void fill();
    [[nodiscard]] std::optional<double> best(std::size_t layer, mapping::Objective objective) const;
    [[nodiscard]] static QString optimumOf(const mapping::SearchResult& search);

    mapping::Model m_model;
    std::vector<mapping::LayerResult> m_found; ///< results of the first layers
    std::shared_ptr<const mapping::ModelResult> m_result;
    std::vector<std::optional<double>> m_shares;
    int m_methods = -1;
};

} // namespace tilewright::ui
