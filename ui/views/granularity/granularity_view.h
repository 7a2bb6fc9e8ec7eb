// SPDX-License-Identifier: GPL-3.0-or-later
// The granularity map: painting and view.
#pragma once

#include "canvas/control_bar.h"
#include "chart/heat_grid.h"
#include "views/granularity/granularity_model.h"
#include "workspace/latest_job.h"

#include <QTimer>

#include <atomic>
#include <memory>

class QComboBox;

namespace tilewright::ui {

/// Positions of the parts of the map: the title above; the legend below or, in a low and wide area, beside
/// the map. Heights grow upwards. The index of a cell is its position in GranularityModel::shown.
struct GranularityPlaces
{
    QRectF title, legend;
    HeatFrame map;
    int titleRows = 1, subtitleRows = 1; ///< number of text lines in `title`
};
[[nodiscard]] GranularityPlaces granularityPlaces(const QRectF& area, const GranularityModel& model);
[[nodiscard]] HeatGrid granularityGrid(const GranularityModel& model, const Theme& theme);
void paintGranularity(QPainter& painter, const GranularityModel& model, const GranularityPlaces& places,
                      const Theme& theme, std::optional<std::size_t> hover);

/// The granularity map of the current subgraph: tile width against tile height, with latency as colour, for
/// one k or for the best k of every tile shape. A click (or arrow keys and Enter) applies a cell; Alt forces
/// a cell that the rules forbid.
class GranularityView : public ToolCanvas
{
    Q_OBJECT
public:
    explicit GranularityView(const ViewContext& context, QWidget* parent = nullptr);
    ~GranularityView() override;

    void settle() override;
    [[nodiscard]] QString copyText() const override;
    [[nodiscard]] QSize exportSize() const override { return {760, 620}; }
    [[nodiscard]] QSize minimumSizeHint() const override { return {220, 220}; }
    [[nodiscard]] QSize sizeHint() const override { return {340, 340}; }

    [[nodiscard]] const GranularityModel& model() const { return m_model; }
    /// Centre of a cell, in widget coordinates.
    [[nodiscard]] QPointF cellCentre(std::int64_t w, std::int64_t h) const;
    /// Omits the name of the subgraph, because the map is part of a pane that shows it.
    void setEmbedded() { m_embedded = true; }
    /// Shows this k; nullopt: the best k of every tile shape.
    void setDepth(std::optional<std::int64_t> k);

protected:
    void bringUpToDate() override { refresh(); }
    void paintContent(QPainter& painter, const QRectF& area, const Theme& theme, bool exporting) override;
    [[nodiscard]] QString tooltipAt(QPointF position) const override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    void refresh();
    void rebuild();
    void addOwnKeys();
    void moveCell(QPoint arrow);
    [[nodiscard]] HeatFrame map() const { return granularityPlaces(contentArea(), m_model).map; }
    void moveDepth(int by);
    void fillDepths();
    void applyCell(std::size_t position, bool force);

    GranularityModel m_model;
    std::shared_ptr<const GranularityCube> m_cube;
    std::unique_ptr<LatestJob<std::shared_ptr<const GranularityCube>>> m_job;
    std::optional<std::pair<CubeKey, Granularity>> m_requested;
    std::shared_ptr<std::atomic<int>> m_percent;
    QTimer m_progressTimer;
    QComboBox* m_depth = nullptr;
    std::optional<std::int64_t> m_shownDepth; ///< the k that the user has chosen
    bool m_bestDepth = false;                 ///< true if the best k of every shape is chosen
    /// true if the user has chosen k; if false, the view shows the k of the schedule
    bool m_chosen = false;
    bool m_embedded = false;
    bool m_wanted = false; ///< true if the map is computed even while the view is hidden
    std::optional<SubgraphId> m_subgraph;
    std::optional<std::size_t> m_hover;
};

} // namespace tilewright::ui
