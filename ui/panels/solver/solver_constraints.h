// SPDX-License-Identifier: GPL-3.0-or-later
// Constraints and locks of the schedule in the solver panel, with the cost of each.
#pragma once

#include "base/constraint_cost.h"
#include "panels/solver/solver_lists.h"
#include "panels/solver/tile_range_form.h"
#include "solve/plan/solve_options.h"

#include <QPushButton>
#include <QWidget>

#include <optional>
#include <vector>

namespace tilewright::ui {

/// List with one row for each constraint and each locked subgraph of the open schedule; hidden if there are
/// none. A row also names the subgraphs that break its constraint now.
class SolverConstraints : public QWidget
{
    Q_OBJECT
public:
    SolverConstraints(const ViewContext& context, QWidget* parent);

    [[nodiscard]] QTreeWidget& list() const { return *m_list; }
    [[nodiscard]] QPushButton& remove() const { return *m_remove; }
    [[nodiscard]] QPushButton& price() const { return *m_price; }
    [[nodiscard]] TileRangeForm& range() const { return *m_range; }

    /// Opens the fields for a constraint on the tiles of the selected ops, or of all ops if none are
    /// selected.
    void editTilesOfSelection();
    void setRunning(bool running);
    /// To be called when a search for the costs of the listed constraints begins.
    void expectCosts() { m_asked = m_rows; }
    /// Shows the costs that the search has found, unless the constraints have changed since it began.
    void showCosts(const SolveResult& result);

Q_SIGNALS:
    void priceClicked();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    struct Row
    {
        QString text;
        SubgraphPtr lock; ///< the locked subgraph; null for a constraint
        SubgraphId subgraph{};
        /// True if both rows are the same constraint or lock, even if the locked subgraph has another
        /// position.
        bool operator==(const Row& other) const
        {
            return lock && other.lock ? *lock == *other.lock : !lock && !other.lock && text == other.text;
        }
    };
    [[nodiscard]] std::vector<Row> rowsOf(const ScheduleConstraints& constraints) const;
    void refresh(Parts parts); ///< lists the constraints and locks of the current schedule
    void fillCosts();
    void updateButtons();
    void removeSelected();
    void editRow(int row);
    [[nodiscard]] std::optional<std::size_t> selectedRow() const;

    ViewContext m_context;
    CompactTree* m_list;
    QPushButton *m_remove, *m_price;
    QLabel* m_note;
    TileRangeForm* m_range;
    std::vector<Row> m_rows, m_asked, m_priced;
    /// Costs of the constraints; they belong to the first rows of m_priced.
    std::vector<ConstraintCost> m_costs;
    QString m_costsNote;
    bool m_isRunning = false;
};

} // namespace tilewright::ui
