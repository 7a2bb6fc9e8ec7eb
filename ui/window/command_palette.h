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

/// Ctrl+K: every command, op, tensor and subgraph by typing a part of its name, or its number ("op 42",
/// "t17", "subgraph 5", "step 3").
class CommandPalette : public QDialog
{
    Q_OBJECT
public:
    explicit CommandPalette(const ViewContext& context, QWidget* parent = nullptr);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    /// The order among equal matches.
    enum class Kind { Command, Subgraph, Op, Tensor, Unavailable };
    struct Entry
    {
        Kind kind;
        QString label;  ///< "op 4"
        QString name;   ///< "layer0.norm", the text of a command; may be empty
        QString detail; ///< keys, type, or why the command cannot be used
        QIcon icon;
        std::function<void()> run;
        QString more{}; ///< what it does, and other words for it
    };
    void collect();
    void filter(const QString& query);
    void runCurrent();
    /// What the query names by number; nothing when it names nothing that there is.
    [[nodiscard]] std::optional<Entry> numbered(const QString& query) const;
    void addRow(const Entry& entry, std::function<void()> run);

    ViewContext m_context;
    QLineEdit* m_query;
    QListWidget* m_list;
    std::vector<Entry> m_entries;
    std::vector<std::function<void()>> m_runs; ///< of the rows
};

} // namespace tilewright::ui
