// SPDX-License-Identifier: GPL-3.0-or-later
#include "document/actions.h"

#include "theme/icon.h"

namespace tilewright::ui {

namespace {

constexpr const char* kMenuProperty = "tilewrightMenu";

/// Tooltip and status tip: what the action does or, when it cannot be used, why not.
void describe(QAction* action, const QString& why)
{
    QString plain = action->text();
    plain.remove(QLatin1Char('&'));
    const QKeySequence key = action->shortcut();
    const QString keys =
        key.isEmpty() ? QString() : QStringLiteral(" (%1)").arg(key.toString(QKeySequence::NativeText));
    const QString tip = action->whatsThis();
    action->setToolTip(QStringLiteral("<p><b>%1</b>%2</p><p>%3</p>").arg(plain, keys, tip) +
                       (why.isEmpty() ? QString() : QStringLiteral("<p><i>%1</i></p>").arg(why)));
    action->setStatusTip(why.isEmpty() ? tip : why);
}

} // namespace

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
    action->setWhatsThis(spec.tip);
    describe(action, {});
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

void Actions::setAvailable(QAction* action, bool on, const QString& why)
{
    action->setEnabled(on);
    describe(action, on ? QString() : why);
}

QString Actions::menuOf(const QAction* action)
{
    return action->property(kMenuProperty).toString();
}

} // namespace tilewright::ui
