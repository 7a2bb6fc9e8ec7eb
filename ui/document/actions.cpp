// SPDX-License-Identifier: GPL-3.0-or-later
#include "document/actions.h"

#include "theme/icon.h"

namespace tilewright::ui {

namespace {
constexpr const char* kMenuProperty = "tilewrightMenu";
}

QAction* Actions::add(const ActionSpec& spec, std::function<void(bool)> run)
{
    Q_ASSERT_X(!find(spec.id), "Actions::add", qPrintable(spec.id));
    auto* action = new QAction(spec.text, this);
    action->setObjectName(spec.id);
    action->setProperty(kMenuProperty, spec.menu);
    action->setCheckable(spec.checkable);
    if (!spec.iconName.isEmpty())
        action->setIcon(icon(spec.iconName));
    action->setShortcuts(spec.shortcuts);
    QString plain = spec.text;
    plain.remove(QLatin1Char('&'));
    const QString keys =
        spec.shortcuts.isEmpty()
            ? QString()
            : QStringLiteral(" (%1)").arg(spec.shortcuts.first().toString(QKeySequence::NativeText));
    action->setToolTip(QStringLiteral("<p><b>%1</b>%2</p><p>%3</p>").arg(plain, keys, spec.tip));
    action->setStatusTip(spec.tip);
    action->setWhatsThis(spec.tip);
    connect(action, &QAction::triggered, this, [run = std::move(run)](bool checked) { run(checked); });
    m_actions.push_back(action);
    return action;
}

QAction* Actions::find(const QString& id) const
{
    for (QAction* action : m_actions)
        if (action->objectName() == id)
            return action;
    return nullptr;
}

QString Actions::menuOf(const QAction* action)
{
    return action->property(kMenuProperty).toString();
}

} // namespace tilewright::ui
