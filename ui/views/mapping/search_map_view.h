// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/control_bar.h"
#include "views/mapping/search_map_paint.h"

class QCheckBox;
class QDoubleSpinBox;
class QSpinBox;

namespace tilewright::ui {

/// Energy against cycles for the whole space, and the search that proves which methods are best.
class SearchMapView : public ToolCanvas
{
    Q_OBJECT
public:
    explicit SearchMapView(const ViewContext& context, QWidget* parent = nullptr);

    void settle() override;
    [[nodiscard]] QSize exportSize() const override { return {1280, 640}; }
    [[nodiscard]] QString copyText() const override;
    void zoomBy(double factor, QPointF anchor) override;
    void panBy(QPointF pixels) override;
    void fitAll() override;
    void fitSelection() override; ///< the Pareto front and the current method
    [[nodiscard]] std::optional<QRectF> shownPart() const override;
    void showPart(const QRectF& part) override;

    [[nodiscard]] MappingState& state() { return m_state; }
    [[nodiscard]] const SearchMapModel& model() const { return m_model; }
    [[nodiscard]] SearchMapPlaces places() const { return searchMapPlaces(contentArea(), m_model); }
    [[nodiscard]] QPointF pointOf(const MapPoint& point) const; ///< in widget coordinates
    void startOrStop();

protected:
    void paintContent(QPainter& painter, const QRectF& area, const Theme& theme, bool exporting) override;
    [[nodiscard]] QString tooltipAt(QPointF position) const override;
    [[nodiscard]] QPointF focusPoint() const override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    void createControls();
    void addOwnKeys();
    void refresh();
    void applySettings();
    [[nodiscard]] std::pair<Axis, Axis> axes(const QRectF& plot, bool fitted) const;
    /// What a click there loads: a marked point, or the best method seen in the cell of the density.
    [[nodiscard]] std::optional<MapPoint> pointAt(QPointF position) const;
    void load(const MapPoint& point);

    MappingState& m_state;
    SearchMapModel m_model;
    std::optional<MapPoint> m_marked;
    int m_frontIndex = -1;                       ///< of the keyboard
    std::optional<std::pair<Axis, Axis>> m_zoom; ///< values only; nothing: everything fits
    QPointF m_pressedAt;
    QAction* m_start = nullptr;
    QComboBox* m_mode = nullptr;
    QDoubleSpinBox* m_seconds = nullptr;
    std::array<QSpinBox*, 3> m_use{};
    QCheckBox* m_noReduction = nullptr;
    QCheckBox* m_noFilter = nullptr;
};

} // namespace tilewright::ui
