// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "chart/plot_canvas.h"
#include "views/roofline/roofline_plot.h"

namespace tilewright::ui {

/// The roofline of the schedule: every subgraph as a dot between the roofs, the baseline as hollow dots with
/// arrows to their successors.
class RooflineView : public PlotCanvas
{
    Q_OBJECT
public:
    explicit RooflineView(const ViewContext& context, QWidget* parent = nullptr);

    void settle() override { document().waitForSnapshot(); }
    [[nodiscard]] QString copyText() const override { return rooflineAsText(m_model); }
    [[nodiscard]] QSize exportSize() const override { return {960, 640}; }

    [[nodiscard]] const RooflineModel& model() const { return m_model; }
    [[nodiscard]] QPointF dotCentre(SubgraphId id) const; ///< in widget coordinates

protected:
    void bringUpToDate() override { rebuild(); }
    [[nodiscard]] std::vector<PlotModel> buildPlots(const Theme& theme) const override;
    [[nodiscard]] QString hint() const override { return m_model.hint; }
    [[nodiscard]] QRectF chosenPart() const override;
    [[nodiscard]] std::optional<int> hoveredMark() const override;
    void markHovered(QPointF at, const PlotMark* mark) override;
    void markClicked(QPointF at, const PlotMark* mark, Qt::KeyboardModifiers modifiers) override;
    [[nodiscard]] QString markTooltip(const PlotMark& mark) const override;
    [[nodiscard]] QStringList keysOf(const PlotMark& mark) const override;
    [[nodiscard]] QPointF focusPoint() const override;

private:
    void rebuild();
    void move(int by);
    /// The dot of a subgraph.
    [[nodiscard]] const RooflineDot* dotOf(std::optional<SubgraphId> id) const;
    /// The dot of a mark; null for a ghost.
    [[nodiscard]] const RooflineDot* dotOf(const PlotMark* mark) const;

    RooflineModel m_model;
};

} // namespace tilewright::ui
