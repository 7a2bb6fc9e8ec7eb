// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "figures/what_if.h"
#include "workspace/latest_job.h"
#include "workspace/workspace.h"

#include <QDialog>

#include <memory>

class QComboBox;
class QLabel;
class QPushButton;
class QTableView;
class QTreeView;

namespace tilewright::ui {

class ExplanationModel;
class TableModel;

/// The card of a figure: what it is, the tree of values that it is made of, what it leaves out, what other
/// programs call it, and what 10 % more of each value of the machine changes. It stays open beside the window
/// until it is closed, and shows the next figure that is asked. Alt and a click on a figure, or ? over it,
/// ask.
class FigureCard : public QDialog
{
    Q_OBJECT
public:
    FigureCard(Workspace& workspace, QWidget* window);
    ~FigureCard() override;

    /// Shows a figure by lens and address: "schedule:subgraphs.3.latency". False if there is none.
    bool ask(const QString& figure);
    /// Shows the figure under the mouse, else the one that has the focus, else the main one of the lens.
    void askHere();
    [[nodiscard]] const QString& shown() const { return m_shown; }
    void done(int result) override;

protected:
    bool eventFilter(QObject* object, QEvent* event) override;

private:
    void build();
    void askLeaf(const QModelIndex& index);
    void goBack();
    void refreshButtons();
    void showWhatIf();

    Workspace& m_workspace;
    QWidget& m_window;
    QString m_shown;
    QStringList m_before; ///< figures that were shown before, for Back
    QComboBox* m_address = nullptr;
    QLabel* m_title = nullptr;
    QLabel* m_value = nullptr;
    QLabel* m_text = nullptr;
    QTreeView* m_tree = nullptr;
    ExplanationModel* m_explained = nullptr;
    QTableView* m_whatIf = nullptr;
    TableModel* m_whatIfRows = nullptr;
    QPushButton* m_back = nullptr;
    QPushButton* m_more = nullptr;
    std::unique_ptr<LatestJob<std::vector<figures::WhatIf>>> m_job;
};

} // namespace tilewright::ui
