// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "workspace/actions.h"

#include <QKeySequenceEdit>
#include <QWidget>

class QLabel;
class QLineEdit;
class QPushButton;
class QTreeWidget;
class QTreeWidgetItem;

namespace tilewright::ui {

/// Tells of a key as soon as it is pressed, and takes no sequences: pictures know none.
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

/// Every command with its keys, to be changed: searched by a command, a view or a key. A key that another
/// command has is told, and taken from it only when the person says so. Nothing is changed outside.
class KeysPage : public QWidget
{
    Q_OBJECT
public:
    explicit KeysPage(const Actions& actions, QWidget* parent = nullptr);
    [[nodiscard]] const KeyChoices& choices() const { return m_choices; }

private:
    [[nodiscard]] QList<QKeySequence> keysOf(const QAction* action) const;
    [[nodiscard]] const QAction* current() const;
    /// Another command that answers to this key where the current one does.
    [[nodiscard]] const QAction* holderOf(const QKeySequence& key) const;
    void choose(const QAction* action, const QList<QKeySequence>& keys);
    void typed(const QKeySequence& key);
    void take(); ///< the typed key, also from the command that has it
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
    QPushButton* m_take;
    QLabel* m_message;
};

} // namespace tilewright::ui
