// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/view.h"
#include "explain/alternatives.h"
#include "report/compare.h"

#include <QTreeWidget>

#include <memory>

namespace tilewright::ui {

/// One finished run: what it started from and what it found.
struct SolverOutcome
{
    SnapshotPtr before;
    SnapshotPtr after;
    double seconds = 0;    ///< of the run
    double foundAfter = 0; ///< the best
    std::int64_t evaluations = 0;
    bool stopped = false; ///< by the person
    bool proven = false;
    QString provenSpace;
};
using SolverOutcomePtr = std::shared_ptr<const SolverOutcome>;

/// A list that is content with little room: the pane decides how much there is. Long texts wrap.
class CompactTree : public QTreeWidget
{
public:
    explicit CompactTree(QWidget* parent);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void resizeEvent(QResizeEvent* event) override;
};

/// What the run changed, the most valuable first; each row selects what it is about.
class SolverChanges : public CompactTree
{
    Q_OBJECT
public:
    SolverChanges(const ViewContext& context, QWidget* parent);
    void setOutcome(SolverOutcomePtr outcome);
    void settle() { m_job.waitIdle(); }
    [[nodiscard]] const Comparison& comparison() const { return m_comparison; }
    /// With full precision, by row.
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

/// For each subgraph of the result what else was tried and what it would cost. Found when it is first seen.
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
    bool m_wanted = false; ///< not yet asked for
    LatestJob<bool> m_job; ///< rows arrive one by one
};

} // namespace tilewright::ui
