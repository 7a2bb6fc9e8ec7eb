// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/canvas.h"
#include "canvas/viewport.h"
#include "views/compare/compare_data.h"

#include <set>

namespace tilewright::ui {

/// The two graphs side by side; they pan and zoom together, and selecting an op selects it in both.
class ComparePanes : public Canvas
{
    Q_OBJECT
public:
    explicit ComparePanes(const ViewContext& context, QWidget* parent = nullptr);
    void setData(std::shared_ptr<const CompareData> data);
    /// Ops of the difference that is looked at.
    void setHighlight(std::set<OpId> ops);

    void paint(QPainter& painter, const QRectF& area, const Theme& theme, bool exporting) override;
    void zoomBy(double factor, QPointF anchor) override;
    void panBy(QPointF pixels) override;
    void fitAll() override;
    void actualSize() override;
    [[nodiscard]] std::optional<QRectF> shownPart() const override;
    void showPart(const QRectF& part) override;

protected:
    QString tooltipAt(QPointF position) const override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    struct Hit
    {
        bool right = false;
        const GraphNode* node = nullptr;
    };
    [[nodiscard]] Hit hit(QPointF position) const;
    [[nodiscard]] Viewport fitted(const QRectF& pane) const;

    std::shared_ptr<const CompareData> m_data;
    std::set<OpId> m_highlight;
    Viewport m_viewport; ///< of the left pane
    bool m_fit = true;   ///< refit on resize until the person pans or zooms
    std::optional<QPointF> m_pressed;
    bool m_dragged = false;
};

} // namespace tilewright::ui
