// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/systolic/systolic_pane.h"

namespace tilewright::ui {

using namespace systolic;

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
                                  const std::function<void()>& run)
{
    return addBarCommand(QStringLiteral("systolic.") + QLatin1String(id), text, iconName, keys, tip, run);
}

} // namespace tilewright::ui
