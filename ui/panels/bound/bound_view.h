// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/view.h"
#include "workspace/bound_job.h"

#include <QTimer>

class QDoubleSpinBox;
class QLabel;
class QTreeWidget;

namespace tilewright::ui {

class ControlBar;

/// What the lower bound is made of, where this schedule is above it, and the search for a higher one. A click
/// on a part selects its ops.
class BoundView : public View
{
    Q_OBJECT
public:
    explicit BoundView(const ViewContext& context, QWidget* parent = nullptr);
    QSize exportSize() const override { return {900, 320}; }
    void settle() override { refresh(); }
    QString copyText() const override;

    [[nodiscard]] BoundJob& job() { return m_job; }
    [[nodiscard]] QTreeWidget* parts() const { return m_parts; }

protected:
    void bringUpToDate() override { refresh(); }

private:
    void addCommands(ControlBar& bar);
    void toggle();
    void showProgress();
    void refresh();
    void fillParts();
    void selectOps();
    [[nodiscard]] QString gapText() const; ///< of a valid state

    BoundJob m_job;
    LowerBoundPtr m_shown; ///< in the table
    QLabel* m_summary;
    QDoubleSpinBox* m_limit;
    QLabel* m_progress;
    QTreeWidget* m_parts;
    bool m_tried = false; ///< a proof of this problem, by these rules
    QTimer m_ticking;
};

} // namespace tilewright::ui
