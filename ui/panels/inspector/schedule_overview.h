// SPDX-License-Identifier: GPL-3.0-or-later
// Summaries of the Inspector: of the whole schedule, and of several selected subgraphs.
#pragma once

#include "canvas/view.h"
#include "edit/advice.h"
#include "explain/critical_resources.h"
#include "snapshot/snapshot.h"
#include "workspace/selection.h"

#include <QList>
#include <QString>
#include <QThreadPool>
#include <QTimer>

#include <cstddef>
#include <optional>
#include <vector>

class QLabel;
class QVBoxLayout;

namespace tilewright::ui {

/// Summary of the whole schedule, shown while nothing is selected: its cost, its limits, the most useful
/// single changes (a click applies one), and how to edit by hand.
class ScheduleOverview : public QWidget
{
    Q_OBJECT
public:
    ScheduleOverview(const ViewContext& context, QWidget* parent);

    /// Shows the document's snapshot. Results that take long to compute follow when edits pause.
    void refresh();
    void cancel(); ///< stops the background work; called when the view is hidden
    void settle(); ///< waits for the background work, for tests and image export

    [[nodiscard]] QLabel* figures() const { return m_figures; }
    [[nodiscard]] QLabel* searched() const { return m_none; }

private:
    struct Facts
    {
        std::uint64_t revision = 0;
        BestChanges best;
        std::optional<CriticalResources> resources;
        bool measured = false; ///< true if `resources` were measured
        bool complete = false; ///< false while the search for changes is running
    };
    void request(std::size_t subgraphs);
    void show(const Facts& facts);
    [[nodiscard]] QString changesText(const BestChanges& best, bool complete) const;

    ViewContext m_context;
    QLabel* m_figures;
    QLabel* m_limits;
    QLabel* m_none; ///< progress of the search for changes, or the reason why there are none
    QVBoxLayout* m_changes;
    QThreadPool
        /// A pool of its own, because the search can take minutes and other jobs must not wait for it.
        m_pool;
    LatestJob<Facts> m_job;
    std::vector<Advice> m_offered; ///< the changes that have buttons
    QTimer m_timer;
    bool m_proven = false;                ///< true if the schedule shown is proven optimal
    std::optional<std::uint64_t> m_shown; ///< revision of the snapshot whose facts are shown
};

struct Theme;

/// Returns the selected subgraphs and those that compute selected ops, in ascending order.
[[nodiscard]] std::vector<SubgraphId> concernedSubgraphs(const Schedule& schedule,
                                                         const SelectionState& selection);

/// True if the selection concerns several subgraphs. False if the current subgraph has all selected ops.
[[nodiscard]] bool showsSeveral(const Schedule& schedule, const SelectionState& selection);

/// Rich text about several subgraphs: their number; sum, minimum, mean and maximum of their costs; their
/// share of the work; links ("subgraph:3", "op:5").
[[nodiscard]] QString selectionSummary(const Snapshot& snapshot, const SelectionState& selection,
                                       const Theme& theme);

/// "3 of its ops are selected: 24 % of all work". Empty if no ops are selected.
[[nodiscard]] QString selectedOpsText(const Snapshot& snapshot, const SelectionState& selection);

} // namespace tilewright::ui
