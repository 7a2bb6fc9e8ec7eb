// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/control_bar.h"
#include "canvas/search_field.h"
#include "views/graph/graph_model.h"

class QAction;
class QComboBox;
class QMenu;

namespace tilewright::ui {

/// The strip above the graph: colouring, neighbourhood, view options, search.
class GraphToolbar : public ControlBar
{
    Q_OBJECT
public:
    GraphToolbar(Actions& actions, QWidget* parent);

    [[nodiscard]] SearchField* searchField() const { return m_search; }
    /// A switch in the menu of the options.
    [[nodiscard]] QAction* addSwitch(const QString& text);
    void setOptions(GraphColouring colouring, int hops);

Q_SIGNALS:
    void colouringChosen(GraphColouring colouring);
    void hopsChosen(int hops);
    void collapseAll();
    void expandAll();

private:
    QComboBox* m_colouring;
    QComboBox* m_neighbourhood;
    QMenu* m_menu;
    QAction* m_end; ///< of the switches
    SearchField* m_search;
};

} // namespace tilewright::ui
