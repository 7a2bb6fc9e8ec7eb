// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/table_model.h"
#include "canvas/view.h"
#include "panels/summary/explanation_model.h"
#include "panels/summary/summary_tables.h"
#include "verbs/summary.h"
#include "workspace/latest_job.h"

#include <array>
#include <memory>

class QAction;
class QDoubleSpinBox;
class QLabel;
class QMenu;
class QSplitter;
class QTabWidget;
class QTableView;
class QToolButton;
class QTreeView;

namespace tilewright::ui {

class ControlBar;
class LanguagePage;

/// The Summary has one row per lens, with the figures of the lens beside the floor (R19). Rows are searched
/// or simulated on request. Below the rows are an explanation of each figure, and the figures of the selected
/// operator in every lens. Another machine, or another model on this machine, gets a second block of rows
/// with the ratio of each figure.
class SummaryView : public View
{
    Q_OBJECT
public:
    explicit SummaryView(const ViewContext& context, QWidget* parent = nullptr);
    ~SummaryView() override;
    void settle() override;
    QSize exportSize() const override;
    QString copyText() const override;
    QString tableText() const override; ///< text of the figures as the table shows them

    [[nodiscard]] QTableView* table() const { return m_table; }
    [[nodiscard]] QTreeView* explanation() const { return m_tree; }
    [[nodiscard]] QTableView* layer() const { return m_layer; }
    [[nodiscard]] QTabWidget* pages() const { return m_pages; }
    /// Summary of a block of rows: 0 = the open model, 1 = the machine or model that it is compared with.
    [[nodiscard]] const verbs::Summary& summary(std::size_t block = 0) const { return m_summaries[block]; }
    [[nodiscard]] bool isComparing() const { return m_summaries.size() > 1; }
    /// The button of a row, which runs it or cancels the run.
    [[nodiscard]] QToolButton* button(verbs::SummaryKind kind, std::size_t block = 0) const;
    /// Row of the table that shows a row of the Summary.
    [[nodiscard]] int tableRow(verbs::SummaryKind kind, std::size_t block = 0) const;

    /// Compares with the open model on another machine.
    void compareWith(const Machine& machine);
    /// Compares with the machine or the model of a file. The Error names the file.
    [[nodiscard]] Status compareWithFile(const QString& path);
    void endComparison();

    /// Writes the table as CSV if the file ends in .csv, otherwise as JSON with the explanations.
    [[nodiscard]] Status exportTable(const QString& path) const;

protected:
    void bringUpToDate() override;
    void resizeEvent(QResizeEvent* event) override; ///< in a low pane both parts are side by side

private:
    using Row = verbs::SummaryRow;
    using Job = LatestJob<Row>;
    static constexpr std::size_t kRows = verbs::kSummaryKinds.size();

    /// The subject of the second block: the same model on another machine, or another model.
    struct Other
    {
        std::optional<Machine> machine;
        verbs::WorkloadCall workload; ///< workload of the other model; unused for another machine
    };
    /// The runs of the rows of one summary.
    struct Runs
    {
        std::array<double, kRows> done{}; ///< completed fraction of each running row
        std::array<std::unique_ptr<Job>, kRows> jobs;
        std::array<QToolButton*, kRows> buttons{};
    };

    void addCommands();
    void fillCompareMenu();
    void reset(std::size_t block); ///< clears the block's runs after a change of model or machine
    void renewOther();
    void setOther(std::optional<Other> other);
    void run(verbs::SummaryKind kind, std::size_t block);
    void toggle(verbs::SummaryKind kind, std::size_t block);
    void deliver(verbs::SummaryKind kind, std::size_t block, Row row);
    [[nodiscard]] verbs::SummarySubject subject(std::size_t block) const;
    [[nodiscard]] bool isRunning(verbs::SummaryKind kind, std::size_t block) const;

    void compareMeasured(); ///< the rows beside the first overlay that is on
    void showRows();
    void showHeadline();
    void showButtons();
    void explain(const QModelIndex& cell);
    void showLayer();
    void showMenu(const QPoint& position);
    void saveTable();
    void chooseOther(bool isMachine);
    void applySolved();
    /// Colour of the cell of a row in the column SummaryMeasured.
    [[nodiscard]] QVariant measuredLook(const verbs::SummaryLine& line, int role) const;
    [[nodiscard]] verbs::SummaryLine lineOf(int tableRow) const;
    /// The row of the Summary; null for a floor or a heading.
    [[nodiscard]] const Row* rowOf(int tableRow) const;
    [[nodiscard]] QString about(const QModelIndex& cell) const; ///< text on a row in addition to its figures

    lower::ModelOnMachinePtr m_model; ///< the open model on its machine, to which the rows belong
    MeasuredRows m_measured;          ///< measured values beside the rows
    std::optional<Other> m_other;
    std::optional<verbs::SummarySubject> m_otherSubject; ///< subject of the second block
    QString m_otherError;                                ///< the reason why there is no second block
    /// summary of the open model; in a comparison, also that of the second block
    std::vector<verbs::Summary> m_summaries{1};
    std::vector<verbs::SummaryLine> m_lines; ///< lines of the table
    QThreadPool m_pool;
    std::array<Runs, 2> m_runs; ///< runs of each block
    QLabel* m_headline;
    ControlBar* m_bar;
    QDoubleSpinBox* m_seconds;
    QMenu* m_compare;
    QToolButton* m_end; ///< button that ends the comparison
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
    LanguagePage* m_language;
};

} // namespace tilewright::ui
