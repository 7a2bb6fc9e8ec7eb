// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "chart/plot_canvas.h"
#include "views/mapping/search_map.h"

class QCheckBox;
class QDoubleSpinBox;
class QSpinBox;

namespace tilewright::ui {

/// Plot of energy against cycles for all methods, and the search that proves which methods are best.
class SearchMapView : public PlotCanvas
{
    Q_OBJECT
public:
    explicit SearchMapView(const ViewContext& context, QWidget* parent = nullptr);

    void settle() override;
    [[nodiscard]] QSize exportSize() const override { return {1280, 640}; }
    [[nodiscard]] QString copyText() const override;
    void fitSelection() override; ///< fits the Pareto front and the current method

    [[nodiscard]] MappingDocument& state() { return m_state; }
    [[nodiscard]] const SearchMapModel& model() const { return m_model; }
    [[nodiscard]] SearchMapPlaces places() const { return searchMapPlaces(contentArea(), m_model); }
    /// Position of a point, in widget coordinates.
    [[nodiscard]] QPointF pointOf(const MapPoint& point) const;
    void startOrStop();

protected:
    [[nodiscard]] std::vector<PlotModel> buildPlots(const Theme& theme) const override;
    [[nodiscard]] QString hint() const override { return {}; }
    [[nodiscard]] std::vector<QRectF> plotAreas(const QRectF& area) const override
    {
        return {searchMapPlaces(area, m_model).map};
    }
    void paintBeside(QPainter& painter, const QRectF& area, const Theme& theme, bool exporting) override;
    [[nodiscard]] QString tooltipAt(QPointF position) const override;
    [[nodiscard]] QPointF focusPoint() const override;
    [[nodiscard]] std::optional<int> hoveredMark() const override
    {
        return std::nullopt;
    } // nothing: the hovered mark has a ring of its own
    void markHovered(QPointF at, const PlotMark* mark) override;
    void markClicked(QPointF at, const PlotMark* mark, Qt::KeyboardModifiers modifiers) override;

private:
    void createControls();
    void addOwnKeys();
    void refresh();
    void applySettings();
    void showControls();
    /// Returns the point that a click at a position loads: a marked point, or the best method in the density
    /// cell at the position.
    [[nodiscard]] std::optional<MapPoint> pointAt(QPointF position, const PlotMark* mark) const;
    void load(const MapPoint& point);

    MappingDocument& m_state;
    SearchMapModel m_model;
    std::optional<MapPoint> m_marked;
    int m_frontIndex = -1; ///< index of the front's point that was chosen by keyboard; -1 if none
    QAction* m_start = nullptr;
    QComboBox* m_mode = nullptr;
    QComboBox* m_objective = nullptr; ///< visible for an architecture with levels only
    QDoubleSpinBox* m_seconds = nullptr;
    std::array<QSpinBox*, 3> m_use{};
    QCheckBox* m_noReduction = nullptr;
    QCheckBox* m_noFilter = nullptr;
};

} // namespace tilewright::ui
