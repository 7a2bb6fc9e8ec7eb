// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/table_model.h"
#include "canvas/view.h"
#include "workspace/bound_job.h"

#include <QTimer>

class QAction;
class QDoubleSpinBox;
class QLabel;
class QTreeView;

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
    [[nodiscard]] QTreeView* parts() const { return m_parts; }

protected:
    void bringUpToDate() override { refresh(); }

private:
    void addCommands();
    void toggle();
    void follow(const ProofState& state);
    void takeBetter();
    void showProgress();
    void showOffer();
    void refresh();
    void selectOps();
    [[nodiscard]] QString gapText() const; ///< of a valid state
    [[nodiscard]] QString presetText() const;
    [[nodiscard]] QString coverText() const;

    BoundJob m_job;
    ProofState m_state;    ///< of the last proof, while m_tried
    LowerBoundPtr m_shown; ///< in the table
    ControlBar* m_bar;
    QAction* m_prove = nullptr;
    QAction* m_takeBetter = nullptr;
    QWidget* m_take = nullptr; ///< its button
    QLabel* m_offer;
    QLabel* m_summary;
    QDoubleSpinBox* m_limit;
    QLabel* m_progress;
    TableModel* m_rows;
    QTreeView* m_parts;   ///< shows m_rows
    bool m_tried = false; ///< a proof of this problem, by these rules
    QTimer m_ticking;
};

} // namespace tilewright::ui
