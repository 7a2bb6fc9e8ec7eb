// SPDX-License-Identifier: GPL-3.0-or-later
// Lists of the solver panel: runs, changes, alternatives, limiting resources.
#pragma once

#include "canvas/view.h"
#include "eval/objective.h"
#include "explain/alternatives.h"
#include "explain/critical_resources.h"
#include "report/compare.h"

#include <QTreeWidget>

#include <memory>
#include <optional>

class QLabel;

namespace tilewright::ui {

/// A finished run of the solver: the schedule before it, and its result.
struct SolverOutcome
{
    SnapshotPtr before;
    SnapshotPtr after;
    double seconds = 0;    ///< duration of the run
    double foundAfter = 0; ///< seconds from the start until the result was found
    std::int64_t evaluations = 0;
    bool stopped = false; ///< true if the user stopped the run
    bool proven = false;
    QString provenSpace;
    SolveObjective objective = SolveObjective::Latency;
    double energyBound = 0; ///< lower bound of the energy; 0 if the problem states no energies
    Front front;            ///< the Pareto front in SolveResult::front
    /// decisions of the finish on the run; null if the finish was not requested
    std::shared_ptr<const RunFinish> onRun;
    /// Gap: how far the objective's value is above its lower bound.
    [[nodiscard]] double gap() const
    {
        const double bound = valueOf(objective, after->lowerBound, energyBound);
        const double value = valueOf(objective, after->evaluation.total, after->evaluation.energy);
        return bound > 0 ? value / bound - 1 : 0;
    }
};
using SolverOutcomePtr = std::shared_ptr<const SolverOutcome>;

/// A tree with wrapped texts and a small minimum size, so that the pane decides its height.
class CompactTree : public QTreeWidget
{
public:
    explicit CompactTree(QWidget* parent);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void resizeEvent(QResizeEvent* event) override;
};

/// The changes of the run, the most valuable first; each row selects its subgraph or ops.
class SolverChanges : public CompactTree
{
    Q_OBJECT
public:
    SolverChanges(const ViewContext& context, QWidget* parent);
    void setOutcome(SolverOutcomePtr outcome);
    void settle() { m_job.waitIdle(); }
    [[nodiscard]] const Comparison& comparison() const { return m_comparison; }
    /// Text of the gain of a row with all digits.
    [[nodiscard]] QString gain(int row) const;

Q_SIGNALS:
    void counted(int changes);

private:
    void fill(Comparison comparison);
    void selectRow(const QTreeWidgetItem* item);

    ViewContext m_context;
    SolverOutcomePtr m_outcome;
    Comparison m_comparison;
    std::vector<std::size_t> m_order;
    LatestJob<Comparison> m_job;
};

/// Shows the alternatives that were tried for each subgraph of the result, with their cost. They are computed
/// when first shown.
class SolverAlternatives : public CompactTree
{
    Q_OBJECT
public:
    SolverAlternatives(const ViewContext& context, QWidget* parent);
    void setOutcome(SolverOutcomePtr outcome);
    void settle();

protected:
    void showEvent(QShowEvent* event) override;

private:
    void request();
    void fill(SubgraphId subgraph, const std::vector<SolveAlternative>& found);

    ViewContext m_context;
    SolverOutcomePtr m_outcome;
    bool m_wanted = false; ///< true before the alternatives have been requested
    LatestJob<bool> m_job; ///< the job that delivers the rows one by one
};

/// One sentence per limiting resource of a schedule, the strongest limit first.
[[nodiscard]] QStringList limitSentences(const CriticalResources& resources);
/// Paints the latency as a bar with three parts: compute, load and store.
void paintLimits(QPainter& painter, const QRectF& area, const CriticalResources& resources,
                 const Theme& theme);

/// Shows the resources that limit the result, and what better hardware would save. They are computed when
/// first shown.
class SolverLimits : public QWidget
{
    Q_OBJECT
public:
    SolverLimits(const ViewContext& context, QWidget* parent);
    void setOutcome(SolverOutcomePtr outcome);
    void settle();
    [[nodiscard]] const std::optional<CriticalResources>& resources() const { return m_resources; }

protected:
    void showEvent(QShowEvent* event) override;

private:
    void request();

    SolverOutcomePtr m_outcome;
    bool m_wanted = false;
    std::optional<CriticalResources> m_resources;
    QWidget* m_bar;
    QLabel* m_text;
    LatestJob<std::optional<CriticalResources>> m_job;
};

} // namespace tilewright::ui
