// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/view.h"

#include <QDialog>

#include <functional>
#include <vector>

class QLineEdit;
class QListWidget;

namespace tilewright::ui {

/// Ctrl+K: type to find commands, ops, tensors and subgraphs ("op 42", "t17", "subgraph 5"); Enter runs or
/// jumps.
class CommandPalette : public QDialog
{
    Q_OBJECT
public:
    explicit CommandPalette(const ViewContext& context, QWidget* parent = nullptr);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    struct Entry
    {
        QString text;
        QString detail;
        QIcon icon;
        std::function<void()> run;
    };
    void collect();
    void filter(const QString& query);
    void runCurrent();

    ViewContext m_context;
    std::vector<Entry> m_entries;
    QLineEdit* m_query;
    QListWidget* m_list;
};

} // namespace tilewright::ui
