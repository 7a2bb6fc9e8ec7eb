// SPDX-License-Identifier: GPL-3.0-or-later
// Pane for questions in SQL about the open documents.
#pragma once

#include "canvas/table_model.h"
#include "canvas/view.h"
#include "panels/query/query_plot.h"
#include "workspace/latest_job.h"

#include <QStringList>
#include <QThreadPool>

#include <memory>

class QAction;
class QComboBox;
class QLabel;
class QMenu;
class QPlainTextEdit;
class QStackedWidget;
class QTableView;
class QToolButton;

namespace tilewright::ui {

class ControlBar;

/// Pane for a question in SQL about the open schedule, machine and run. The answer is shown as a table, as a
/// plot, and as colours of the graph. The tables are those of the verb `tables`. After every change the last
/// question is asked again in the background.
class QueryView : public View
{
    Q_OBJECT
public:
    explicit QueryView(const ViewContext& context, QWidget* parent = nullptr);
    ~QueryView() override;

    [[nodiscard]] QSize exportSize() const override { return {900, 520}; }
    void settle() override { m_job->waitIdle(); }
    [[nodiscard]] QString copyText() const override;
    [[nodiscard]] QJsonObject settings() const override;
    void restoreSettings(const QJsonObject& settings) override;

    /// Asks the question in the field, or stops the question that is being answered.
    void ask();
    [[nodiscard]] bool isBusy() const { return m_job->isBusy(); }
    /// The last answer; null if there is none.
    [[nodiscard]] const QueryResultPtr& answer() const { return m_answer; }
    [[nodiscard]] const QStringList& history() const { return m_history; }
    [[nodiscard]] QPlainTextEdit* question() const { return m_question; }
    [[nodiscard]] QTableView* table() const { return m_table; }
    [[nodiscard]] QueryPlot* plot() const { return m_plot; }

protected:
    void bringUpToDate() override { askAgain(); }

private:
    struct Outcome
    {
        std::shared_ptr<const tables::Database> database;
        QueryResultPtr answer;
        QString error;
        double seconds = 0;
    };

    void addControls();
    void fillMenus();
    void askNow();   ///< asks the question in the field
    void askAgain(); ///< asks the last question again
    void take(Outcome outcome);
    void showAnswer();
    void showChoices();
    void showPlot();
    void showState(const QString& text, bool isError);
    void colourGraph(bool on);
    /// The column of numbers that can colour the graph if the answer also has a column `op`; nothing if there
    /// is none.
    [[nodiscard]] std::optional<std::size_t> colourColumn() const;
    void selectRow(std::size_t row);
    [[nodiscard]] tables::Subject subject() const;
    [[nodiscard]] std::optional<std::size_t> chosenColumn(const QComboBox& choice) const;

    QThreadPool m_pool; ///< own pool: a question may take seconds
    std::unique_ptr<LatestJob<Outcome>> m_job;
    /// Tables of the snapshot `m_of` and its run; null until they are made.
    std::shared_ptr<const tables::Database> m_database;
    tables::Subject m_of;
    QString m_asked; ///< the question to which m_answer belongs
    QStringList m_history;
    QueryResultPtr m_answer;
    ControlBar* m_bar;
    QPlainTextEdit* m_question;
    QLabel* m_state;
    QStackedWidget* m_pages; ///< pages: table and plot
    TableModel* m_rows;
    SortedRows* m_sorted; ///< the rows of m_rows in the shown order
    QTableView* m_table;
    QueryPlot* m_plot;
    QAction* m_ask = nullptr;
    QAction* m_colour = nullptr;
    QMenu* m_examples = nullptr;
    QMenu* m_earlier = nullptr;
    QComboBox* m_shown = nullptr;
    QComboBox* m_x = nullptr;
    QComboBox* m_y = nullptr;
};

} // namespace tilewright::ui
