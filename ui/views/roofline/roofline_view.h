// SPDX-License-Identifier: GPL-3.0-or-later
// The roofline of a schedule: data, plot and view.
#pragma once

#include "chart/plot_canvas.h"
#include "chart/plot_model.h"
#include "eval/explain.h"
#include "snapshot/snapshot.h"
#include "workspace/selection.h"

#include <QString>

#include <set>
#include <utility>
#include <vector>

namespace tilewright::ui {

/// A subgraph between the roofs. Coordinates are finite even without traffic or work.
struct RooflineDot
{
    SubgraphPoint point;
    QString ops;
    double x = 1, y = 1; ///< intensity and throughput, moved to the border of the plot if infinite or 0
    double share = 0;    ///< share of the total latency: the area of the dot
    bool atEdge = false;
};

struct RooflineModel
{
    QString hint;
    QString title;
    ScheduleRoofline roofs;
    std::vector<RooflineDot> dots;   ///< largest first, so that small ones are drawn on top
    std::vector<RooflineDot> ghosts; ///< dots of the baseline, except those that have not moved
    /// (ghost, dot): the ops of one are part of the other's.
    std::vector<std::pair<std::size_t, std::size_t>> moves;
    bool hasBaseline = false;
    double xLow = 0.1, xHigh = 10, yLow = 0.01, yHigh = 1.5; ///< the visible range after "fit"
};

[[nodiscard]] RooflineModel buildRoofline(const Snapshot* snapshot, const Snapshot* baseline);
[[nodiscard]] QString rooflineTooltip(const RooflineModel& model, const RooflineDot& dot, bool ghost);
[[nodiscard]] QString rooflineAsText(const RooflineModel& model);

struct Theme;

struct RooflineMarks
{
    std::optional<SubgraphId> current;
    std::set<SubgraphId> selected;
};

/// The roofs as lines and the subgraphs as marks. The id of a mark is the index in RooflineModel::dots;
/// ghosts follow behind the dots.
[[nodiscard]] PlotModel rooflinePlot(const RooflineModel& model, const RooflineMarks& marks,
                                     const Theme& theme);

/// Radius in pixels; the area is proportional to the latency.
[[nodiscard]] double dotRadius(const RooflineModel& model, const RooflineDot& dot);

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
    /// Centre of a subgraph's dot, in widget coordinates.
    [[nodiscard]] QPointF dotCentre(SubgraphId id) const;

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
