// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/control_bar.h"
#include "canvas/search_field.h"
#include "canvas/view.h"
#include "views/graph/graph_layouter.h"
#include "views/graph/graph_model.h"

#include <QRectF>

class QAction;
class QComboBox;
class QMenu;
class QLabel;

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

/// What stands above the picture (the controls, the line that says what is left out, the banner of a preview)
/// and the room that it leaves.
class GraphBars : public QObject
{
    Q_OBJECT
public:
    GraphBars(const ViewContext& context, const GraphLayouter& layouter, QWidget& view);

    [[nodiscard]] GraphToolbar& toolbar() const { return *m_toolbar; }
    [[nodiscard]] QLabel& note() const { return *m_note; }
    [[nodiscard]] QString noteText() const; ///< without its links; empty for nothing
    [[nodiscard]] QRectF content() const;   ///< below everything
    [[nodiscard]] QRectF freeRoom() const;  ///< the same without the key
    [[nodiscard]] QRectF banner() const;    ///< empty without a preview
    [[nodiscard]] bool legend() const { return m_legend; }
    void setLegend(bool on) { m_legend = on; }
    void place();
    void showNote();
    /// Says that this is not the person's schedule, and how to get back to it.
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
