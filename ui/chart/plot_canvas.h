// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/control_bar.h"
#include "chart/plot_paint.h"

namespace tilewright::ui {

/// View with one plot or several linked plots: zooming, panning, measuring by dragging, readout, hovered
/// mark, copying. Subclasses build the plots (buildPlots()) and handle clicks on marks.
class PlotCanvas : public ToolCanvas
{
    Q_OBJECT
public:
    PlotCanvas(const ViewContext& context, QString name, QString title, QWidget* parent = nullptr);

    [[nodiscard]] QString copyText() const override;
    [[nodiscard]] std::vector<PicturePart> partsIn(const QSize& size) override;
    void zoomBy(double factor, QPointF anchor) override;
    void panBy(QPointF pixels) override;
    void fitAll() override;
    void fitSelection() override { showPart(selectedPart()); }
    /// The measured range, or chosenPart() if nothing is measured.
    [[nodiscard]] QRectF selectedPart() const override;
    [[nodiscard]] std::optional<QRectF> shownPart() const override; ///< visible part of the first plot
    void showPart(const QRectF& part) override;

    [[nodiscard]] const std::vector<PlotModel>& plots() const;
    [[nodiscard]] PlotFrame frame(std::size_t plot = 0) const; ///< geometry of a plot on the screen
    /// Measured range, in the scale of the axes of the plot in which it was dragged.
    [[nodiscard]] const std::optional<QRectF>& measured() const { return m_measured; }

protected:
    /// Builds the plots in the colours of a theme; none if hint() is shown instead.
    [[nodiscard]] virtual std::vector<PlotModel> buildPlots(const Theme& theme) const = 0;
    [[nodiscard]] virtual QString hint() const = 0;
    [[nodiscard]] virtual std::vector<QRectF> plotAreas(const QRectF& area) const { return {area}; }
    /// Paints additional content beside the plots.
    virtual void paintBeside(QPainter& painter, const QRectF& area, const Theme& theme, bool exporting)
    {
        Q_UNUSED(painter)
        Q_UNUSED(area)
        Q_UNUSED(theme)
        Q_UNUSED(exporting)
    }
    /// Id of the mark that is drawn with a ring.
    [[nodiscard]] virtual std::optional<int> hoveredMark() const { return m_hovered; }
    virtual void markHovered(QPointF at, const PlotMark* mark);
    virtual void markClicked(QPointF at, const PlotMark* mark, Qt::KeyboardModifiers modifiers)
    {
        Q_UNUSED(at)
        Q_UNUSED(mark)
        Q_UNUSED(modifiers)
    }
    [[nodiscard]] virtual QString markTooltip(const PlotMark& mark) const
    {
        Q_UNUSED(mark)
        return {};
    }
    /// Keys of the PicturePart of a mark.
    [[nodiscard]] virtual QStringList keysOf(const PlotMark& mark) const
    {
        Q_UNUSED(mark)
        return {};
    }
    /// Bounds of the selection, in the scale of the axes of the first plot; may be empty.
    [[nodiscard]] virtual QRectF chosenPart() const { return {}; }
    /// Rebuilds the plots; the visible part is kept.
    void outdatePlots();

    void paintContent(QPainter& painter, const QRectF& area, const Theme& theme, bool exporting) override;
    [[nodiscard]] QString tooltipAt(QPointF position) const override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    [[nodiscard]] PlotFrame frameOf(const std::vector<PlotModel>& plots, std::size_t i, const QRectF& area,
                                    bool whole) const;
    [[nodiscard]] std::optional<std::size_t> plotAt(QPointF position) const;
    [[nodiscard]] const PlotMark* markAt(QPointF position) const;
    /// Mark that a click at this position opens; see PlotModel::clickOnMark.
    [[nodiscard]] const PlotMark* clickedMark(QPointF position) const;
    void measureTo(QPointF position, bool snap);

    mutable std::vector<PlotModel> m_plots;
    mutable bool m_fresh = false;
    QRectF m_part; ///< visible part of the first plot, in the scale of its axes; null: everything
    std::optional<int> m_hovered;
    std::optional<QPointF> m_mouse;
    std::optional<QPointF> m_pressed;
    std::optional<QRectF> m_measured;
    std::size_t m_measuredIn = 0;
    bool m_dragged = false;
};

} // namespace tilewright::ui
