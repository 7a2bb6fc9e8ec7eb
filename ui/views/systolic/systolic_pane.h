// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/control_bar.h"
#include "views/systolic/systolic_state.h"

#include <functional>

namespace tilewright::ui {

/// Base of the painted panes of the Systolic lens: they share the state, and rebuild their model only while
/// they are seen (or exported).
class SystolicPane : public ToolCanvas
{
    Q_OBJECT
public:
    SystolicPane(const ViewContext& context, QString name, QString title, QWidget* parent);

    void settle() override;
    [[nodiscard]] SystolicState& state() const { return *m_state; }

protected:
    /// Asks the state for results and rebuilds the model from what is there.
    virtual void rebuild() = 0;
    /// Marks the model as outdated; rebuilds at once when the pane is visible.
    void outdated();
    /// Brings an outdated model up to date.
    void ensureFresh();
    void showEvent(QShowEvent* event) override;
    /// A command of the pane: button in the bar, key in this widget, entry in the palette for the first pane.
    QAction* addCommand(const char* id, const QString& text, const QString& iconName,
                        const QList<QKeySequence>& keys, const QString& tip,
                        const std::function<void()>& run);

private:
    SystolicState* m_state;
    bool m_outdated = true;
};

} // namespace tilewright::ui
