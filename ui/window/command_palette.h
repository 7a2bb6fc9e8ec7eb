// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/view.h"

#include <QDialog>
#include <QIcon>

#include <functional>
#include <vector>

class QLineEdit;
class QListWidget;

namespace tilewright::ui {

/// Dialog (Ctrl+K) that finds a command, rule, op, tensor or subgraph by a part of its name or by its number
/// ("op 42", "t17", "subgraph 5", "step 3").
class CommandPalette : public QDialog
{
    Q_OBJECT
public:
    explicit CommandPalette(const ViewContext& context, QWidget* parent = nullptr);

Q_SIGNALS:
    void ruleChosen(int rule); ///< `rule`: index in ruleSwitches()

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    /// Kinds of entries, in the order in which equally good matches are listed.
    enum class Kind { Command, Rule, Subgraph, Op, Tensor, Unavailable };
    struct Entry
    {
        Kind kind;
        QString label;  ///< "op 4"
        QString name;   ///< name of an op or tensor ("layer0.norm") or text of a command; may be empty
        QString detail; ///< text at the right: keys, type, or the reason why the command is disabled
        QIcon icon;
        std::function<void()> run;
        QString more{}; ///< further texts in which words of the query are found: description and synonyms
    };
    void collect();
    void filter(const QString& query);
    void runCurrent();
    /// Returns the entry for a query with a number, such as "op 42"; nothing if there is no such item.
    [[nodiscard]] std::optional<Entry> numbered(const QString& query) const;
    void addRow(const Entry& entry, std::function<void()> run);

    ViewContext m_context;
    QLineEdit* m_query;
    QListWidget* m_list;
    std::vector<Entry> m_entries;
    std::vector<std::function<void()>> m_runs; ///< function that each row of m_list runs
};

} // namespace tilewright::ui
