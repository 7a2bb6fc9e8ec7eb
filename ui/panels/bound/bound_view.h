// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/table_model.h"
#include "canvas/view.h"
#include "workspace/solver_job.h"

#include <QTimer>

class QAction;
class QDoubleSpinBox;
class QLabel;
class QTreeView;

namespace tilewright::ui {

class ControlBar;

/// Shows the parts of the lower bound, the gap of the schedule to it, and the search for a higher bound. A
/// click on a part selects its ops.
class BoundView : public View
{
    Q_OBJECT
public:
    explicit BoundView(const ViewContext& context, QWidget* parent = nullptr);
    QSize exportSize() const override { return {900, 320}; }
    void settle() override { refresh(); }
    QString copyText() const override;

    [[nodiscard]] BoundJob& job() { return m_job; }
    [[nodiscard]] QTreeView* parts() const { return m_parts; }

protected:
    void bringUpToDate() override { refresh(); }

private:
    void addCommands();
    void toggle();
    void follow(const ProofState& state);
    void applyBetter();
    void showProgress();
    void showOffer();
    void refresh();
    void selectOps();
    /// Text of the gap to the lower bound; empty for an invalid schedule.
    [[nodiscard]] QString gapText() const;
    [[nodiscard]] QString presetText() const;
    [[nodiscard]] QString coverText() const;

    BoundJob m_job;
    ProofState m_state;    ///< state of the last proof; valid while m_tried
    LowerBoundPtr m_shown; ///< the lower bound whose parts the table shows
    ControlBar* m_bar;
    QAction* m_prove = nullptr;
    QAction* m_applyBetter = nullptr;
    QWidget* m_applyButton = nullptr; ///< the button that applies the better schedule of a proof
    QLabel* m_offer;
    QLabel* m_summary;
    QDoubleSpinBox* m_limit;
    QLabel* m_progress;
    TableModel* m_rows;
    QTreeView* m_parts;   ///< the table of the parts of the bound; its rows are m_rows
    bool m_tried = false; ///< true after a proof was started for this problem and these rules
    QTimer m_ticking;
};

} // namespace tilewright::ui
