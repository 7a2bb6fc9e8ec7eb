// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/control_bar.h"
#include "canvas/view.h"
#include "views/graph/graph_layouter.h"
#include "views/graph/graph_model.h"

#include <QRectF>

#include <optional>

class QAction;
class QComboBox;
class QMenu;
class QLabel;

namespace tilewright::ui {

/// The controls above the graph: colouring, neighbourhood, view options, search.
class GraphToolbar : public ControlBar
{
    Q_OBJECT
public:
    GraphToolbar(Actions& actions, QWidget* parent);

    [[nodiscard]] SearchField* searchField() const { return m_search; }
    /// Adds a check item to the options menu.
    [[nodiscard]] QAction* addSwitch(const QString& text);
    /// Shows these options in the controls. `colouring`: nothing if an answer in the Query pane colours the
    /// graph.
    void setOptions(std::optional<GraphColouring> colouring, int hops);

Q_SIGNALS:
    void colouringChosen(GraphColouring colouring);
    void hopsChosen(int hops);
    void collapseAll();
    void expandAll();

private:
    QComboBox* m_colouring;
    QComboBox* m_neighbourhood;
    QMenu* m_menu;
    QAction* m_end; ///< the separator after the check items
    SearchField* m_search;
};

/// The items above the graph (controls, the note on hidden items, the banner of a preview), and the area that
/// they leave.
class GraphBars : public QObject
{
    Q_OBJECT
public:
    GraphBars(const ViewContext& context, const GraphLayouter& layouter, QWidget& view);

    [[nodiscard]] GraphToolbar& toolbar() const { return *m_toolbar; }
    [[nodiscard]] QLabel& note() const { return *m_note; }
    /// Text of the note on hidden items, without links; empty if nothing is hidden.
    [[nodiscard]] QString noteText() const;
    [[nodiscard]] QRectF content() const;  ///< the area below all bars
    [[nodiscard]] QRectF freeRoom() const; ///< content() without the legend
    [[nodiscard]] QRectF banner() const;   ///< area of the banner; empty without a preview
    [[nodiscard]] bool legend() const { return m_legend; }
    void setLegend(bool on) { m_legend = on; }
    void place();
    void showNote();
    /// Paints the banner, which says that the picture is a preview and how to return to the document's
    /// schedule.
    void paintBanner(QPainter& painter, const QRectF& banner, const Theme& theme) const;

Q_SIGNALS:
    void linkActivated(const QString& what); ///< "all", "cards", "open", "compare", "leave"

private:
    [[nodiscard]] double barsBottom() const;

    ViewContext m_context;
    const GraphLayouter& m_layouter;
    QWidget& m_view;
    GraphToolbar* m_toolbar;
    QLabel* m_note;
    bool m_legend = true;
};

} // namespace tilewright::ui
