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

/// Whether an action can be used now; where it cannot, the sentence that says why.
struct Availability
{
    QString whyNot; ///< empty: it can be used

    Availability() = default;
    Availability(bool on, const QString& why) : whyNot(on ? QString() : why) {}
    [[nodiscard]] bool isAvailable() const { return whyNot.isEmpty(); }
};

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
    // Asked by Actions::refresh(); what is not given never changes.
    std::function<Availability()> available{};
    std::function<bool()> checked{};
    std::function<QString()> textNow{};
};

class Actions : public QObject
{
    Q_OBJECT
public:
    using QObject::QObject;

    /// Registers and returns the action; `run` is called when it is triggered (with the check state).
    QAction* add(const ActionSpec& spec, std::function<void(bool)> run);
    /// The same for a command that is no switch. `available` may be missing.
    QAction* add(QAnyStringView id, const QString& menu, const QString& text, QAnyStringView iconName,
                 const QList<QKeySequence>& keys, const QString& tip,
                 const std::function<Availability()>& available, const std::function<void()>& run);
    /// Registers a command of a widget of which there may be several: triggered, it acts on the one that can
    /// be seen, otherwise on the one made last. The keys are the widget's own business. Returns the one
    /// action.
    QAction* offer(QWidget* owner, ActionSpec spec, std::function<void(bool)> run);
    /// Registers what keys or the mouse do without being a command: a row of the shortcut sheet.
    void note(const ActionSpec& spec);
    /// An action that is in no registry.
    [[nodiscard]] static QAction* make(const ActionSpec& spec, QObject* parent);
    /// Asks all actions anew whether they can be used, are checked, and what they are called. To be called
    /// when something has changed that an answer depends on.
    void refresh();
    /// The action with this id; null when there is none.
    [[nodiscard]] QAction* find(const QString& id) const;
    [[nodiscard]] const std::vector<QAction*>& all() const { return m_actions; }
    [[nodiscard]] static QString menuOf(const QAction* action);
    /// Its keys and gestures for reading: "Ctrl+C", "comma", "arrows".
    [[nodiscard]] static QString keysOf(const QAction* action);
    [[nodiscard]] static bool isCommand(const QAction* action);
    /// Enables or disables; a disabled action says in its tooltip and in the status bar why it is. For the
    /// entries of a menu that is made when it opens; registered actions know themselves.
    static void setAvailable(QAction* action, const Availability& available);

private:
    struct Offer
    {
        QPointer<QWidget> owner;
        std::function<void(bool)> run;
        std::function<Availability()> available;
    };
    /// The widget's that an offered action acts on; null when none is left.
    const Offer* offerInUse(const QAction* action);

    std::vector<QAction*> m_actions;
    std::map<const QAction*, std::vector<Offer>> m_offers;
    std::map<const QAction*, ActionSpec> m_specs;  ///< of those that can change
    std::map<const QAction*, QString> m_described; ///< text and reason that its tooltip was made from
};

} // namespace tilewright::ui
