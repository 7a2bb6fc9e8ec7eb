// SPDX-License-Identifier: GPL-3.0-or-later
// Search over all layers of a model: table and view.
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

/// The result of a search for a layer, under either cost model.
struct FoundLayer
{
    FoundMappings found;
    bool repeated = false; ///< true if the layer has the shape of an earlier layer and shares its result
};

/// The result of a search for a whole model.
struct FoundModel
{
    std::vector<FoundLayer> layers;
    /// For each objective, the sums over all layers, each with its best mapping for that objective.
    std::array<mapping::ModelTotals, mapping::kObjectives> totals{};
    /// On an architecture with levels: the objective for which all layers were searched, and of which there
    /// is a row of totals. Otherwise nullopt.
    std::optional<mapping::Objective> asked;
    bool proven = false;
    bool complete = false; ///< true if every layer has a mapping
    bool interrupted = false;
    double seconds = 0;
    std::string csv; ///< the table as CSV in the format of `map --csv`
    /// Result of the search on an architecture of four levels; otherwise null.
    std::shared_ptr<const mapping::ModelResult> fourLevels;
};
[[nodiscard]] FoundModel foundBy(mapping::ModelResult result);
[[nodiscard]] FoundModel foundBy(const hierarchy::ModelResult& result);

/// Table with one row per layer of a model, followed by a row of totals for each objective that was searched.
class LayerTable : public TableModel
{
    Q_OBJECT
public:
    enum Column { Name, Shape, Count, Energy, Cycles, Edp, Share, Proven, Seconds, Columns };

    explicit LayerTable(QObject* parent = nullptr);

    /// Lists the layers without results. `asked`: see FoundModel::asked.
    void setModel(const mapping::Model& model, const std::optional<mapping::Objective>& asked);
    void add(const FoundLayer& layer);
    void setResult(std::shared_ptr<const FoundModel> result);
    /// Chooses the mappings that the rows show. -1: each number is the optimum of its own objective.
    /// Otherwise all three numbers belong to the best mapping for this objective. With FoundModel::asked the
    /// latter is always so.
    void setMethods(int objective);

    [[nodiscard]] int layerCount() const { return static_cast<int>(m_model.layers.size()); }
    [[nodiscard]] bool isTotal(std::integral auto row) const { return static_cast<int>(row) >= layerCount(); }
    [[nodiscard]] int totalCount() const
    {
        return layerCount() == 0 ? 0 : m_asked ? 1 : mapping::kObjectives;
    }
    [[nodiscard]] const std::shared_ptr<const FoundModel>& result() const { return m_result; }
    [[nodiscard]] const std::vector<FoundLayer>& found() const { return m_found; }
    /// Returns the layer's share of the sum of EDPs, from 0 to 1; nullopt for a row of totals.
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
    std::vector<FoundLayer> m_found; ///< results so far, for the first layers of the model
    std::shared_ptr<const FoundModel> m_result;
    std::vector<std::optional<double>> m_shares;
    int m_methods = -1;
};

class SortedRows;
class TableDelegate;

/// View of a whole model: one row per layer with its optimal figures, and the totals.
class MappingModelView : public View
{
    Q_OBJECT
public:
    explicit MappingModelView(const ViewContext& context, QWidget* parent = nullptr);

    void settle() override;
    [[nodiscard]] QSize exportSize() const override; ///< large enough to show every row
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
    /// Writes the table as CSV in the format of `map --csv`. Returns an Error if no search has finished.
    [[nodiscard]] Status exportCsv(const QString& path) const;
    void openRow(int row); ///< opens the layer of a row in the loop-nest editor

protected:
    void showEvent(QShowEvent* event) override;

private:
    struct Outcome
    {
        std::shared_ptr<const FoundModel> result;
        QString error;
    };
    /// The work of m_job: searches all layers on the hardware of `setup`.
    [[nodiscard]] static Outcome search(const mapping::Model& model, const MappingSetup& setup, bool quick,
                                        mapping::Objective objective, const std::stop_token& stop,
                                        const std::function<void(const FoundLayer&)>& tell);
    void createControls();
    void start();
    /// The objective that is chosen for an architecture with levels; nullopt for an architecture of four
    /// levels.
    [[nodiscard]] std::optional<mapping::Objective> asked() const;
    void modelChanged();
    void finish(const Outcome& outcome);
    void refresh();
    void showSelected(); ///< selects the row whose layer is the selected op
    [[nodiscard]] const mapping::Layer& layerAt(int row) const;

    MappingDocument& m_state;
    LayerTable* m_table = nullptr;
    SortedRows* m_rows = nullptr; ///< the rows of m_table in sorted order
    QTableView* m_view = nullptr;
    TableDelegate* m_bars = nullptr; ///< delegate that paints the shares as bars
    ControlBar* m_bar = nullptr;
    QComboBox* m_samples = nullptr;
    QComboBox* m_mode = nullptr;
    QComboBox* m_methods = nullptr;
    QComboBox* m_objective = nullptr; ///< visible for an architecture with levels only
    QPushButton* m_start = nullptr;
    QPushButton* m_csv = nullptr;
    QProgressBar* m_progress = nullptr;
    QLabel* m_status = nullptr;
    std::unique_ptr<LatestJob<Outcome>> m_job;
    MappingSetup m_hardware; ///< the setup on whose hardware the rows were searched
    bool m_started = false;  ///< true after a search of this model was started
    bool m_running = false;
    bool m_showing = false; ///< true while a selected op selects its row
};

} // namespace tilewright::ui
