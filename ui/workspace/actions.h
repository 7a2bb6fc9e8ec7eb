// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAction>
#include <QKeySequence>
#include <QList>
#include <QObject>
#include <QPointer>
#include <QString>
#include <QWidget>

#include <functional>
#include <map>
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
    QString gesture{}; ///< what the mouse does for it, or keys that are no shortcut: "wheel", "Enter"
};

class Actions : public QObject
{
    Q_OBJECT
public:
    using QObject::QObject;

    /// Registers and returns the action; `run` is called when it is triggered (with the check state).
    QAction* add(const ActionSpec& spec, std::function<void(bool)> run);
    /// Registers a command of a widget of which there may be several: triggered, it acts on the one that can
    /// be seen, otherwise on the one made last. The keys are the widget's own business. Returns the one
    /// action.
    QAction* offer(QWidget* owner, ActionSpec spec, std::function<void(bool)> run);
    /// Registers what keys or the mouse do without being a command: a row of the shortcut sheet.
    void note(ActionSpec spec);
    /// An action that is in no registry.
    [[nodiscard]] static QAction* make(const ActionSpec& spec, QObject* parent);
    /// The action with this id; null when there is none.
    [[nodiscard]] QAction* find(const QString& id) const;
    [[nodiscard]] const std::vector<QAction*>& all() const { return m_actions; }
    [[nodiscard]] static QString menuOf(const QAction* action);
    /// Its keys and gestures for reading: "Ctrl+C", "comma", "arrows".
    [[nodiscard]] static QString keysOf(const QAction* action);
    [[nodiscard]] static bool isCommand(const QAction* action);
    /// Enables or disables; a disabled action says `why` in its tooltip and in the status bar.
    static void setAvailable(QAction* action, bool on, const QString& why);

private:
    struct Offer
    {
        QPointer<QWidget> owner;
        std::function<void(bool)> run;
    };
    std::vector<QAction*> m_actions;
    std::map<const QAction*, std::vector<Offer>> m_offers;
};

} // namespace tilewright::ui
