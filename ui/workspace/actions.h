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

/// Says whether an action can be used now and, if not, the reason.
struct Availability
{
    QString whyNot; ///< reason as a sentence; empty if the action can be used

    Availability() = default;
    Availability(bool on, const QString& why) : whyNot(on ? QString() : why) {}
    [[nodiscard]] bool isAvailable() const { return whyNot.isEmpty(); }
};

/// Description of an action. Menus, toolbar, context menus, command palette, shortcut sheet and tests all use
/// the QAction that is made from it.
struct ActionSpec
{
    QString id;       ///< "schedule.fuse"
    QString menu;     ///< "Schedule": menu, and category in the palette and the shortcut sheet
    QString text;     ///< "Fuse selection"
    QString iconName; ///< name of a file in resources/icons without extension; may be empty
    QList<QKeySequence> shortcuts;
    QString tip; ///< one sentence that says what the action does
    bool checkable = false;
    QString gesture{}; ///< mouse gesture, or key that is not a shortcut: "wheel", "Enter"
    // The following functions are called by Actions::refresh(). They may be missing if their value never
    // changes.
    std::function<Availability()> available{};
    std::function<bool()> checked{};
    std::function<QString()> textNow{};
    bool keysAreFixed = false; ///< the user cannot change the keys (arrow keys, Esc, …)
};

/// Keys that the user has assigned, by id of the action. Other actions have their default keys.
using KeyChoices = std::map<QString, QList<QKeySequence>>;

/// Registry of all actions of the window.
class Actions : public QObject
{
    Q_OBJECT
public:
    using QObject::QObject;

    /// Registers an action and returns it. When the action is triggered, `run` is called with its check
    /// state.
    QAction* add(const ActionSpec& spec, std::function<void(bool)> run);
    /// Registers an action that is not checkable. `available` may be empty.
    QAction* add(QAnyStringView id, const QString& menu, const QString& text, QAnyStringView iconName,
                 const QList<QKeySequence>& keys, const QString& tip,
                 const std::function<Availability()>& available, const std::function<void()>& run);
    /// Registers one action for a command of a widget that may have several instances. The command acts on
    /// the visible instance, or else on the one that was created last. The widget handles the keys itself.
    QAction* offer(QWidget* owner, ActionSpec spec, std::function<void(bool)> run);
    /// Registers a key or mouse gesture that is not a command, so that the shortcut sheet shows it. Returns
    /// the existing entry if the id is already registered.
    QAction* note(const ActionSpec& spec);
    /// Creates an action without registering it.
    [[nodiscard]] static QAction* make(const ActionSpec& spec, QObject* parent);
    /// Updates availability, check state and text of all actions. To be called when something has changed on
    /// which these depend.
    void refresh();
    /// Returns the action with this id; null if there is none.
    [[nodiscard]] QAction* find(const QString& id) const;
    [[nodiscard]] const std::vector<QAction*>& all() const { return m_actions; }
    [[nodiscard]] static QString menuOf(const QAction* action);
    /// Keys and gesture of an action as text: "Ctrl+C", "comma", "arrows".
    [[nodiscard]] static QString keysOf(const QAction* action);
    [[nodiscard]] static bool isCommand(const QAction* action);

    // -- keys assigned by the user
    [[nodiscard]] const KeyChoices& keyChoices() const { return m_choices; }
    /// Sets the keys of all actions, including those that are registered later: the assigned keys, or the
    /// default keys.
    void setKeyChoices(const KeyChoices& choices);
    /// Default keys of an action.
    [[nodiscard]] const QList<QKeySequence>& usualKeys(const QAction* action) const;
    /// True if the user may change the keys of this action.
    [[nodiscard]] bool mayHaveOtherKeys(const QAction* action) const;
    /// True if the same key would be ambiguous for both actions: one of them works in the whole window, or
    /// both belong to the same view, or one of them belongs to all canvases.
    [[nodiscard]] static bool canConflict(const QAction* a, const QAction* b);
    /// Replaces ids of commands in braces, such as "{graph.find}", by the keys of the command, or by its name
    /// if it has no key.
    [[nodiscard]] QString withKeys(QString text) const;
    /// Calls `tell` with withKeys(text), now and whenever keys change, as long as `owner` exists.
    void tellKeys(QObject* owner, const QString& text, const std::function<void(const QString&)>& tell);
    /// Sets the tooltip of a control to withKeys(tip), and updates it when keys change.
    void explain(QWidget* control, const QString& tip);

Q_SIGNALS:
    void keysChanged();

public:
    /// Enables or disables an action. If it is disabled, tooltip and status bar show the reason. For actions
    /// that are not registered, such as entries of context menus.
    static void setAvailable(QAction* action, const Availability& available);

private:
    struct Offer
    {
        QPointer<QWidget> owner;
        std::function<void(bool)> run;
        std::function<Availability()> available;
    };
    /// Returns the instance on which an offered action acts; null if there is none.
    const Offer* offerInUse(const QAction* action);
    void enter(QAction* action, const ActionSpec& spec);
    void updateKeysInTooltips();

    std::vector<QAction*> m_actions;
    std::map<const QAction*, std::vector<Offer>> m_offers;
    /// Descriptions of the actions that have available, checked or textNow.
    std::map<const QAction*, ActionSpec> m_specs;
    std::map<const QAction*, QString> m_described; ///< text and reason in the current tooltip of each action
    /// Default keys of an action.
    struct Usual
    {
        QList<QKeySequence> keys;
        bool areFixed = false;
    };
    std::map<const QAction*, Usual> m_usual;
    std::map<QAction*, QString> m_tipsWithKeys;
    KeyChoices m_choices;
};

} // namespace tilewright::ui
