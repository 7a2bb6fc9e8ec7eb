// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/control_bar.h"
#include "views/mapping/layer_table.h"
#include "workspace/mapping_document.h"

class QComboBox;
class QLabel;
class QProgressBar;
class QPushButton;
class QTableView;

namespace tilewright::ui {

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
        std::shared_ptr<const mapping::ModelResult> result;
        QString error;
    };
    void createControls();
    void start();
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
    QPushButton* m_start = nullptr;
    QPushButton* m_csv = nullptr;
    QProgressBar* m_progress = nullptr;
    QLabel* m_status = nullptr;
    std::unique_ptr<LatestJob<Outcome>> m_job;
    mapping::Architecture m_architecture; ///< the architecture of the rows
    bool m_started = false;               ///< true after a search of this model
    bool m_running = false;
    bool m_showing = false; ///< true while a row is selected because an op is selected
};

} // namespace tilewright::ui
