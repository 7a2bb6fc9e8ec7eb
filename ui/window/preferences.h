// SPDX-License-Identifier: GPL-3.0-or-later
// Preferences: values, dialog, and its page of keys.
#pragma once

#include "workspace/actions.h"

#include <QDialog>
#include <QKeySequenceEdit>
#include <QString>
#include <QWidget>

class QLabel;
class QLineEdit;
class QPushButton;
class QTreeWidget;
class QTreeWidgetItem;
class QCheckBox;
class QComboBox;
class QSpinBox;

namespace tilewright::ui {

/// Preferences of the user, stored in the settings.
struct Preferences
{
    QString theme = QStringLiteral("system"); ///< "system", "light", "dark"
    bool reduceMotion = false;
    bool wheelScrolls = false; ///< true: the mouse wheel scrolls; false: it zooms
    bool reopenLast = true;    ///< true: reopen the files of the last session at start
    int fontSize = 0;          ///< font size in points; 0 = that of the system
    int autosaveSeconds = 5;   ///< seconds from the first unsaved edit to the recovery copy
    KeyChoices keys{};

    [[nodiscard]] static Preferences load();
    void save() const;
    bool operator==(const Preferences&) const = default;
};

/// Input field for a single key, which is reported as soon as it is pressed. Views do not support sequences
/// of keys.
class KeyEdit : public QKeySequenceEdit
{
    Q_OBJECT
public:
    using QKeySequenceEdit::QKeySequenceEdit;

Q_SIGNALS:
    void pressed(const QKeySequence& key);

protected:
    void keyPressEvent(QKeyEvent* event) override;
};

/// Page of the preferences for keys: lists all commands with their keys, searches them and changes keys. A
/// key of another command is reassigned only after confirmation. The page collects choices() and does not
/// apply them.
class KeysPage : public QWidget
{
    Q_OBJECT
public:
    explicit KeysPage(const Actions& actions, QWidget* parent = nullptr);
    [[nodiscard]] const KeyChoices& choices() const { return m_choices; }

private:
    [[nodiscard]] QList<QKeySequence> keysOf(const QAction* action) const;
    [[nodiscard]] const QAction* current() const;
    /// Returns another command that has this key, if it would be ambiguous with the current command; null if
    /// there is none.
    [[nodiscard]] const QAction* conflictOf(const QKeySequence& key) const;
    void choose(const QAction* action, const QList<QKeySequence>& keys);
    void typed(const QKeySequence& key);
    void assign(); ///< assigns the typed key to the current command, and removes it from all others
    void showCurrent();
    void showRow(QTreeWidgetItem* row);
    void filter(const QString& text);

    const Actions& m_actions;
    KeyChoices m_choices;
    QLineEdit* m_filter;
    QTreeWidget* m_list;
    QLabel* m_name;
    KeyEdit* m_key;
    QPushButton* m_none;
    QPushButton* m_reset;
    QPushButton* m_resetAll;
    QPushButton* m_assign;
    QLabel* m_message;
};

class Actions;

class PreferencesDialog : public QDialog
{
    Q_OBJECT
public:
    PreferencesDialog(const Preferences& preferences, bool graphLeftToRight, const Actions& actions,
                      QWidget* parent);
    [[nodiscard]] Preferences preferences() const;
    [[nodiscard]] bool graphLeftToRight() const;

private:
    QComboBox* m_theme;
    QComboBox* m_wheel;
    QComboBox* m_direction;
    QCheckBox* m_reduceMotion;
    QCheckBox* m_reopenLast;
    QSpinBox* m_fontSize;
    QSpinBox* m_autosave;
    KeysPage* m_keys;
};

} // namespace tilewright::ui
