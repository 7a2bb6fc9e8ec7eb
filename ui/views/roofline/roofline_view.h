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

/// The dot of a subgraph in the roofline. Its coordinates are finite even if the subgraph has no traffic or
/// no work.
struct RooflineDot
{
    SubgraphPoint point;
    QString ops;
    double x = 1, y = 1; ///< intensity and throughput; if infinite or 0, moved to the border of the plot
    double share = 0;    ///< share of the total latency, shown as the area of the dot
    bool atEdge = false;
};

struct RooflineModel
{
    QString hint;
    QString title;
    ScheduleRoofline roofs;
    std::vector<RooflineDot> dots;   ///< dots, largest first, so that small ones are painted on top
    std::vector<RooflineDot> ghosts; ///< dots of the baseline, except those that have not moved
    /// Pairs (ghost, dot) whose subgraphs have ops in common.
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

/// Returns a plot with the roofs as lines and the subgraphs as marks. The id of a mark is the index in
/// RooflineModel::dots; the ids of ghosts follow after those of the dots.
[[nodiscard]] PlotModel rooflinePlot(const RooflineModel& model, const RooflineMarks& marks,
                                     const Theme& theme);

/// Radius of a dot in pixels; its area is proportional to the latency.
[[nodiscard]] double dotRadius(const RooflineModel& model, const RooflineDot& dot);

/// The roofline of the schedule: every subgraph is a dot below the roofs. The baseline's subgraphs are hollow
/// dots, with arrows to the subgraphs that have their ops now.
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
    /// Returns the dot of a subgraph.
    [[nodiscard]] const RooflineDot* dotOf(std::optional<SubgraphId> id) const;
    /// Returns the dot that a mark shows; null for a ghost.
    [[nodiscard]] const RooflineDot* dotOf(const PlotMark* mark) const;

    RooflineModel m_model;
};

} // namespace tilewright::ui
