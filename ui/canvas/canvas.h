// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/view.h"

namespace tilewright::ui {

/// Base of the painted views: one paint function for screen, PNG, SVG and PDF; tooltips, focus ring,
/// middle- and right-drag panning, wheel zooming, keyboard panning and zooming, "copy as image".
/// Subclasses implement paint() as a pure function of their cached model and override the hooks they need.
class Canvas : public View
{
    Q_OBJECT
public:
    Canvas(const ViewContext& context, QString name, QString title, QWidget* parent = nullptr);

    /// Paints the view into `area`. `exporting`: no hover, no cursor, everything fitted.
    virtual void paint(QPainter& painter, const QRectF& area, const Theme& theme, bool exporting) = 0;

    void paintExport(QPainter& painter, const QSize& size, const Theme& theme) override;

    // Navigation, also reached by actions and keys. Defaults do nothing.
    virtual void zoomBy(double factor, QPointF anchor)
    {
        Q_UNUSED(factor)
        Q_UNUSED(anchor)
    }
    virtual void panBy(QPointF pixels) { Q_UNUSED(pixels) }
    virtual void fitAll() {}
    virtual void fitSelection() { fitAll(); }

protected:
    /// Rich text shown when the mouse rests at `position`; empty for none.
    [[nodiscard]] virtual QString tooltipAt(QPointF position) const
    {
        Q_UNUSED(position)
        return {};
    }

    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    [[nodiscard]] bool isPanning() const { return m_panning; }

private:
    bool m_panning = false;
    QPointF m_panFrom;
};

} // namespace tilewright::ui
