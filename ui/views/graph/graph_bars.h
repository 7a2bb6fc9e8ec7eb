// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/view.h"
#include "views/graph/graph_layouter.h"

#include <QRectF>

class QLabel;

namespace tilewright::ui {

class GraphToolbar;

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
