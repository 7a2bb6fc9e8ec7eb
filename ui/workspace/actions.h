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
    bool keysAreFixed = false; ///< keys that differ (arrows), or that mean this only in one place (Esc)
};

/// Keys that a person has chosen, by the id of the action; the others have those they came with.
using KeyChoices = std::map<QString, QList<QKeySequence>>;

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
    /// Registers what keys or the mouse do without being a command: a row of the shortcut sheet. Returns the
    /// one of this id.
    QAction* note(const ActionSpec& spec);
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

    // -- keys of a person's own choice
    [[nodiscard]] const KeyChoices& keyChoices() const { return m_choices; }
    /// Gives every action its chosen keys or, without a choice, those it came with; also to actions that are
    /// registered later.
    void setKeyChoices(const KeyChoices& choices);
    [[nodiscard]] const QList<QKeySequence>& usualKeys(const QAction* action) const;
    [[nodiscard]] bool mayHaveOtherKeys(const QAction* action) const;
    /// Those that would not know which of them is meant, were they given the same key: of the whole window,
    /// of one view, or of one view and all pictures.
    [[nodiscard]] static bool meet(const QAction* a, const QAction* b);
    /// A text with the key of a command in the place of its id in braces, "{graph.find}"; of a command
    /// without a key its name.
    [[nodiscard]] QString withKeys(QString text) const;
    /// Hands such a text to `tell`, now and whenever keys change, as long as `owner` lives.
    void tellKeys(QObject* owner, const QString& text, const std::function<void(const QString&)>& tell);
    /// The same as the tooltip of a control.
    void explain(QWidget* control, const QString& tip);

Q_SIGNALS:
    void keysChanged();

public:
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
    void enter(QAction* action, const ActionSpec& spec);
    void tellKeysInTips();

    std::vector<QAction*> m_actions;
    std::map<const QAction*, std::vector<Offer>> m_offers;
    std::map<const QAction*, ActionSpec> m_specs;  ///< of those that can change
    std::map<const QAction*, QString> m_described; ///< text and reason that its tooltip was made from
    /// The keys that an action came with.
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
