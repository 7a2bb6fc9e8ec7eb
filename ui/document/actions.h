// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAction>
#include <QKeySequence>
#include <QList>
#include <QObject>
#include <QString>

#include <functional>
#include <vector>

namespace tilewright::ui {

/// What an action is, given once; menus, toolbar, context menus, the command palette, the shortcut sheet and
/// the tests all use the QAction made from it.
struct ActionSpec
{
    QString id;       ///< "schedule.fuse"
    QString menu;     ///< "Schedule"; the category in palette and shortcut sheet
    QString text;     ///< "Fuse selection"
    QString iconName; ///< of resources/icons; may be empty
    QList<QKeySequence> shortcuts;
    QString tip; ///< what it does, one sentence
    bool checkable = false;
};

class Actions : public QObject
{
    Q_OBJECT
public:
    using QObject::QObject;

    /// Registers and returns the action; `run` is called when it is triggered (with the check state).
    QAction* add(const ActionSpec& spec, std::function<void(bool)> run);
    /// The action with this id; null when there is none.
    [[nodiscard]] QAction* find(const QString& id) const;
    [[nodiscard]] const std::vector<QAction*>& all() const { return m_actions; }
    [[nodiscard]] static QString menuOf(const QAction* action);
    /// Enables or disables; a disabled action says `why` in its tooltip and in the status bar.
    static void setAvailable(QAction* action, bool on, const QString& why);

private:
    std::vector<QAction*> m_actions;
};

} // namespace tilewright::ui
