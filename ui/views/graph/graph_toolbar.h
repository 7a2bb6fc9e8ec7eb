// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/control_bar.h"
#include "views/graph/graph_model.h"

class QAction;
class QComboBox;
class QLabel;
class QLineEdit;
class QToolButton;

namespace tilewright::ui {

/// The strip above the graph: colouring, neighbourhood, view options, search.
class GraphToolbar : public ControlBar
{
    Q_OBJECT
public:
    explicit GraphToolbar(QWidget* parent = nullptr);

    [[nodiscard]] QLineEdit* searchField() const { return m_search; }
    [[nodiscard]] QComboBox* colouringBox() const { return m_colouring; }
    [[nodiscard]] QComboBox* neighbourhoodBox() const { return m_neighbourhood; }
    void setOptions(const GraphOptions& options, const GraphShape& shape, bool overview, bool legend);
    void setHits(int current, int count); ///< count < 0: nothing is sought

Q_SIGNALS:
    void colouringChosen(GraphColouring colouring);
    void hopsChosen(int hops);
    void labelsToggled(bool on);
    void leftToRightToggled(bool on);
    void columnsToggled(bool on);
    void overviewToggled(bool on);
    void legendToggled(bool on);
    void cardsToggled(bool on);
    void collapseAll();
    void expandAll();
    void searchChanged(const QString& text);
    void searchNext(int direction);
    void searchLeft();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QComboBox* m_colouring;
    QComboBox* m_neighbourhood;
    QToolButton* m_view;
    QAction* m_labels;
    QAction* m_leftToRight;
    QAction* m_columns;
    QAction* m_cards;
    QAction* m_overview;
    QAction* m_legend;
    QLineEdit* m_search;
    QLabel* m_hits;
};

} // namespace tilewright::ui
