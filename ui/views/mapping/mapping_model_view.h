// SPDX-License-Identifier: GPL-3.0-or-later
// The layers of a model: table and view.
#pragma once

#include "canvas/control_bar.h"
#include "canvas/table_model.h"
#include "hierarchy/model_search.h"
#include "mapping/model_search.h"
#include "workspace/mapping_document.h"

#include <functional>
#include <memory>
#include <stop_token>

class QComboBox;
class QLabel;
class QProgressBar;
class QPushButton;
class QTableView;

namespace tilewright::ui {

/// The result of a search of either cost model for a layer.
struct FoundLayer
{
    FoundMappings found;
    bool repeated = false; ///< has the shape of an earlier layer and shares its result
};

/// The result of a search for a whole model.
struct FoundModel
{
    std::vector<FoundLayer> layers;
    /// Sums over all layers, whose best mappings for the objective are used.
    std::array<mapping::ModelTotals, mapping::kObjectives> totals{};
    /// What every layer was searched for on an architecture with levels: there is one row of totals, for it.
    std::optional<mapping::Objective> asked;
    bool proven = false;
    bool complete = false; ///< every layer has a mapping
    bool interrupted = false;
    double seconds = 0;
    std::string csv; ///< table in the format of `map --csv`
    /// The result of the search on an architecture of four levels, else null.
    std::shared_ptr<const mapping::ModelResult> fourLevels;
};
[[nodiscard]] FoundModel foundBy(mapping::ModelResult result);
[[nodiscard]] FoundModel foundBy(const hierarchy::ModelResult& result);

/// One row per layer of a model, then one row of totals per objective, or for the one that was searched for.
class LayerTable : public TableModel
{
    Q_OBJECT
public:
    enum Column { Name, Shape, Count, Energy, Cycles, Edp, Share, Proven, Seconds, Columns };

    explicit LayerTable(QObject* parent = nullptr);

    /// Lists the layers without results. `asked`: as in FoundModel.
    void setModel(const mapping::Model& model, const std::optional<mapping::Objective>& asked);
    void add(const FoundLayer& layer);
    void setResult(std::shared_ptr<const FoundModel> result);
    /// -1: each number is the optimum of its own objective; otherwise all three belong to the method of one
    /// objective. They always do if one was asked for.
    void setMethods(int objective);

    [[nodiscard]] int layerCount() const { return static_cast<int>(m_model.layers.size()); }
    [[nodiscard]] bool isTotal(std::integral auto row) const { return static_cast<int>(row) >= layerCount(); }
    [[nodiscard]] int totalCount() const
    {
        return layerCount() == 0 ? 0 : m_asked ? 1 : mapping::kObjectives;
    }
    [[nodiscard]] const std::shared_ptr<const FoundModel>& result() const { return m_result; }
    [[nodiscard]] const std::vector<FoundLayer>& found() const { return m_found; }
    /// The layer's share of the sum of EDPs, 0 to 1; nullopt for a total.
    [[nodiscard]] std::optional<double> share(std::size_t row) const
    {
        return row < m_shares.size() ? m_shares[row] : std::nullopt;
    }

private:
    void fill();
    [[nodiscard]] std::optional<double> best(std::size_t layer, mapping::Objective objective) const;
    [[nodiscard]] static QString optimumOf(const FoundMappings& found);

    mapping::Model m_model;
    std::optional<mapping::Objective> m_asked;
    std::vector<FoundLayer> m_found; ///< results of the first layers
    std::shared_ptr<const FoundModel> m_result;
    std::vector<std::optional<double>> m_shares;
    int m_methods = -1;
};

class SortedRows;
class TableDelegate;

/// A whole model: one row per layer with its optima, and the totals.
class MappingModelView : public View
{
    Q_OBJECT
public:
    explicit MappingModelView(const ViewContext& context, QWidget* parent = nullptr);

    void settle() override;
    [[nodiscard]] QSize exportSize() const override; ///< shows every row
    void paintExport(QPainter& painter, const QSize& size, const Theme& theme) override;
    [[nodiscard]] QString copyText() const override { return rowsAsText(*m_table, true); }
    /// Empty until a search has found something.
    [[nodiscard]] QString tableText() const override
    {
        return m_table->found().empty() ? QString() : copyText();
    }

    [[nodiscard]] MappingDocument& state() { return m_state; }
    [[nodiscard]] const LayerTable& table() const { return *m_table; }
    [[nodiscard]] bool isRunning() const { return m_running; }
    void startOrStop();
    /// Writes the table as CSV in the format of `map --csv`; an Error without a finished search.
    [[nodiscard]] Status exportCsv(const QString& path) const;
    void openRow(int row); ///< opens the layer in the editor

protected:
    void showEvent(QShowEvent* event) override;

private:
    struct Outcome
    {
        std::shared_ptr<const FoundModel> result;
        QString error;
    };
    /// Work of m_job: searches all layers on the hardware of `setup`.
    [[nodiscard]] static Outcome search(const mapping::Model& model, const MappingSetup& setup, bool quick,
                                        mapping::Objective objective, const std::stop_token& stop,
                                        const std::function<void(const FoundLayer&)>& tell);
    void createControls();
    void start();
    /// The objective that is chosen for an architecture with levels; nullopt on one of four levels.
    [[nodiscard]] std::optional<mapping::Objective> asked() const;
    void modelChanged();
    void finish(const Outcome& outcome);
    void refresh();
    void showSelected(); ///< selects the row of the selected op
    [[nodiscard]] const mapping::Layer& layerAt(int row) const;

    MappingDocument& m_state;
    LayerTable* m_table = nullptr;
    SortedRows* m_rows = nullptr; ///< m_table in the sorted order
    QTableView* m_view = nullptr;
    TableDelegate* m_bars = nullptr; ///< paints the shares
    ControlBar* m_bar = nullptr;
    QComboBox* m_samples = nullptr;
    QComboBox* m_mode = nullptr;
    QComboBox* m_methods = nullptr;
    QComboBox* m_objective = nullptr; ///< on an architecture with levels
    QPushButton* m_start = nullptr;
    QPushButton* m_csv = nullptr;
    QProgressBar* m_progress = nullptr;
    QLabel* m_status = nullptr;
    std::unique_ptr<LatestJob<Outcome>> m_job;
    MappingSetup m_hardware; ///< the setup whose hardware the rows have
    bool m_started = false;  ///< true after a search of this model
    bool m_running = false;
    bool m_showing = false; ///< true while a row is selected because an op is selected
};

} // namespace tilewright::ui
