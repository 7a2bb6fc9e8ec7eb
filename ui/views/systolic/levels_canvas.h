// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/viewport.h"
#include "views/systolic/levels_model.h"
#include "views/systolic/systolic_view.h"

#include <array>
#include <optional>

namespace tilewright::ui {

/// Pane with cards on the memories: L2 schedules, banks, roofline, dataflows, DRAM, capacities, and
/// corrections of the source documents.
class LevelsCanvas : public SystolicPane
{
    Q_OBJECT
public:
    explicit LevelsCanvas(const ViewContext& context, QWidget* parent = nullptr);

    [[nodiscard]] QString copyText() const override;
    [[nodiscard]] QSize exportSize() const override { return {1400, 980}; }
    void panBy(QPointF pixels) override;
    void zoomBy(double factor, QPointF anchor) override; ///< nothing: the wheel scrolls
    void fitAll() override;
    [[nodiscard]] const LevelsModel& model() const { return m_model; }

protected:
    void rebuild() override;
    void paintContent(QPainter& painter, const QRectF& area, const Theme& theme, bool exporting) override;
    [[nodiscard]] QString tooltipAt(QPointF position) const override;
    void wheelEvent(QWheelEvent* event) override;
    void contentResized() override;

private:
    struct Placed
    {
        std::size_t card = 0;
        QRectF place;
    };
    [[nodiscard]] const std::vector<Placed>& layout(const QRectF& area) const;
    [[nodiscard]] std::vector<Placed> placed(const QRectF& area) const;
    [[nodiscard]] double heightIn(const QRectF& area) const;
    [[nodiscard]] QRectF cardArea() const; ///< area of the cards, without the scroll bar

    LevelsModel m_model;
    ListScroll* m_scroll;
    struct CachedLayout
    {
        QRectF area;
        QFont font;
        std::vector<Placed> places;
    };
    /// The current layouts with and without a scroll bar. Cached, because every mouse move needs them and a
    /// layout measures all tables.
    mutable std::array<std::optional<CachedLayout>, 2> m_layouts;
};

} // namespace tilewright::ui
