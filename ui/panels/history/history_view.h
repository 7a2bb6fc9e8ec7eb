// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/table_model.h"
#include "canvas/view.h"
#include "workspace/latest_job.h"

#include <optional>
#include <vector>

class QTableView;

namespace tilewright::ui {

/// The edits of the current lens, oldest first, with the total after each edit and its change. The first row
/// is the state at opening.
class HistoryModel : public TableModel
{
    Q_OBJECT
public:
    enum Column { Edit, Total, Change };

    HistoryModel(const ViewContext& context, QObject* parent);

    /// Returns the row of the current state.
    [[nodiscard]] int current() const;
    /// Undoes or redoes until the document has the state of `row`.
    void goTo(int row);
    void settle(); ///< waits until all totals that can be computed are known

private:
    /// A state of the document before or after an edit.
    struct State
    {
        ProblemPtr problem;
        Schedule schedule;
        Rules rules;
        /// Total latency; nullopt while it is unknown, NaN if the schedule is not valid.
        std::optional<double> total;
    };
    [[nodiscard]] QUndoStack* stack() const;
    [[nodiscard]] bool hasTotals() const;
    [[nodiscard]] std::optional<double> total(std::size_t row) const;
    [[nodiscard]] Table edits();
    [[nodiscard]] QVariant lookOf(int row, int column, int role) const;
    void takeState();
    void takeTotal();
    void evaluate();
    void refresh();

    ViewContext m_context;
    std::vector<State> m_states; ///< one state per row
    LatestJob<std::vector<std::pair<std::size_t, State>>> m_job;
};

/// All edits of the current lens since its file was opened. A click on a row undoes or redoes to that state.
class HistoryView : public View
{
    Q_OBJECT
public:
    explicit HistoryView(const ViewContext& context, QWidget* parent = nullptr);
    void settle() override { m_model->settle(); }
    QString copyText() const override;
    [[nodiscard]] QTableView* table() const { return m_table; }

protected:
    void showEvent(QShowEvent* event) override;
    void bringUpToDate() override { refresh(); }

private:
    void refresh();

    HistoryModel* m_model;
    QTableView* m_table;
};

} // namespace tilewright::ui
