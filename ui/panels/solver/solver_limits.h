// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "explain/critical_resources.h"
#include "panels/solver/solver_lists.h"

#include <optional>

class QLabel;

namespace tilewright::ui {

/// One sentence per limiting resource of a schedule, the strongest limit first.
[[nodiscard]] QStringList limitSentences(const CriticalResources& resources);
/// Paints the latency as one bar: compute, load and store.
void paintLimits(QPainter& painter, const QRectF& area, const CriticalResources& resources,
                 const Theme& theme);

/// The resources that limit the result, and what better hardware would save. Computed when first shown.
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
