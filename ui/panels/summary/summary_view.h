// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/table_model.h"
#include "canvas/view.h"
#include "panels/summary/explanation_model.h"
#include "verbs/summary.h"
#include "workspace/latest_job.h"

#include <array>
#include <memory>

class QAction;
class QDoubleSpinBox;
class QLabel;
class QSplitter;
class QTabWidget;
class QTableView;
class QToolButton;
class QTreeView;

namespace tilewright::ui {

class ControlBar;

/// The Summary: a row a lens with its figures beside the floor (R19), rows that are searched or simulated
/// when asked, what each figure is made of, and the figures of the selected operator in every lens.
class SummaryView : public View
{
    Q_OBJECT
public:
    explicit SummaryView(const ViewContext& context, QWidget* parent = nullptr);
    ~SummaryView() override;
    void settle() override;
    QSize exportSize() const override;
    QString copyText() const override;
    QString tableText() const override; ///< as the table shows the figures

    [[nodiscard]] QTableView* table() const { return m_table; }
    [[nodiscard]] QTreeView* explanation() const { return m_tree; }
    [[nodiscard]] QTableView* layer() const { return m_layer; }
    [[nodiscard]] QTabWidget* pages() const { return m_pages; }
    [[nodiscard]] const verbs::Summary& summary() const { return m_summary; }
    /// The button of a row, which runs it or cancels the run.
    [[nodiscard]] QToolButton* button(verbs::SummaryKind kind) const;
    /// Row of the table that shows a row of the Summary.
    [[nodiscard]] int tableRow(verbs::SummaryKind kind) const;
    /// Writes the table as CSV or, for another ending than .csv, as JSON with the explanations.
    [[nodiscard]] Status exportTable(const QString& path) const;

protected:
    void bringUpToDate() override;
    void resizeEvent(QResizeEvent* event) override; ///< a low pane has both parts side by side

private:
    using Row = verbs::SummaryRow;
    using Job = LatestJob<Row>;
    static constexpr std::size_t kRows = verbs::kSummaryKinds.size();

    void addCommands();
    void reset(); ///< another model or machine: no row has been run
    void run(verbs::SummaryKind kind);
    void toggle(verbs::SummaryKind kind);
    void deliver(verbs::SummaryKind kind, Row row);
    [[nodiscard]] verbs::SummarySubject subject() const;
    [[nodiscard]] bool isRunning(verbs::SummaryKind kind) const;

    void showRows();
    void showButtons();
    void explain(const QModelIndex& cell);
    void showLayer();
    void showMenu(const QPoint& position);
    void saveTable();
    void applySolved();
    [[nodiscard]] std::optional<verbs::SummaryKind> kindOf(int tableRow) const;
    [[nodiscard]] const verbs::SummaryFigures& figuresOf(int tableRow) const;
    [[nodiscard]] QString about(int tableRow) const; ///< what a row says beside its figures

    lower::ModelOnMachinePtr m_model; ///< of the rows
    verbs::Summary m_summary;
    std::array<double, kRows> m_done{}; ///< share of a running row that is done
    QThreadPool m_pool;
    std::array<std::unique_ptr<Job>, kRows> m_jobs;
    std::array<QToolButton*, kRows> m_buttons{};
    QLabel* m_headline;
    ControlBar* m_bar;
    QDoubleSpinBox* m_seconds;
    QAction* m_apply = nullptr;
    TableModel* m_rows;
    QSplitter* m_halves;
    QTableView* m_table;
    QTabWidget* m_pages;
    QLabel* m_about;
    ExplanationModel* m_explained;
    QTreeView* m_tree;
    TableModel* m_layerRows;
    QLabel* m_layerName;
    QTableView* m_layer;
};

} // namespace tilewright::ui
