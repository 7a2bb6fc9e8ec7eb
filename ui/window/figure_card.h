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

/// Explains a figure: its meaning, the tree of values from which it is computed, what it leaves out, its
/// names in other programs, and its change if each value of the machine grows by 10 %. The card stays open
/// beside the window until it is closed, and shows the next figure that the user asks about, by Alt+click on
/// a figure or by ? over it.
class FigureCard : public QDialog
{
    Q_OBJECT
public:
    FigureCard(Workspace& workspace, QWidget* window);
    ~FigureCard() override;

    /// Shows the figure with this lens and address: "schedule:subgraphs.3.latency". False if there is none.
    bool ask(const QString& figure);
    /// Shows the figure under the mouse, or else the one with the focus, or else the main figure of the lens.
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
    QStringList m_before; ///< addresses of the figures that were shown before, for Back
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
