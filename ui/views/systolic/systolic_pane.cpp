// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/systolic/systolic_pane.h"

#include <QAction>
#include <QToolButton>

namespace tilewright::ui {

SystolicPane::SystolicPane(const ViewContext& context, QString name, QString title, QWidget* parent)
    : ToolCanvas(context, std::move(name), std::move(title), parent), m_state(SystolicState::of(context))
{
    connect(m_state, &SystolicState::changed, this, &SystolicPane::outdated);
}

void SystolicPane::settle()
{
    outdated();
    m_outdated = true;
    ensureFresh();
    m_state->waitIdle();
    m_outdated = true;
    ensureFresh();
}

void SystolicPane::outdated()
{
    m_outdated = true;
    if (isVisible())
        ensureFresh();
}

void SystolicPane::ensureFresh()
{
    if (!m_outdated)
        return;
    m_outdated = false;
    rebuild();
    update();
}

void SystolicPane::showEvent(QShowEvent* event)
{
    ToolCanvas::showEvent(event);
    ensureFresh();
}

QAction* SystolicPane::addCommand(const char* id, const QString& text, const QString& iconName,
                                  const QList<QKeySequence>& keys, const QString& tip,
                                  std::function<void()> run)
{
    const QString name = QStringLiteral("systolic.") + QLatin1String(id);
    const ActionSpec spec{name, tr("Systolic"), text, iconName, keys, tip};
    QAction* action = nullptr;
    if (!registry().find(name)) {
        const QPointer<SystolicPane> self(this); // the registry lives longer than the pane
        action = registry().add(spec, [self, run](bool) {
            if (self)
                run();
        });
    } else {
        Actions own;
        action = own.add(spec, [run](bool) { run(); });
        action->setParent(this);
        connect(action, &QAction::triggered, this, run);
    }
    action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    addAction(action);
    QToolButton* button = bar().addButton(action);
    if (iconName.isEmpty())
        button->setToolButtonStyle(Qt::ToolButtonTextOnly);
    return action;
}

} // namespace tilewright::ui
