// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/viewport.h"
#include "chart/playback.h"
#include "views/tiles/step_panel.h"
#include "views/tiles/tiles_model.h"
#include "views/tiles/tiles_paint.h"

#include <QTimer>

#include <atomic>
#include <memory>
#include <optional>

class QComboBox;

namespace tilewright::ui {

/// The tile grid of the current subgraph: the traversal order, the cost of each tile, and for each step what
/// is loaded, reused, stored and resident. Dragging across tiles draws a custom order. Keys can draw, too:
/// arrow keys with Enter (adds the tile) or with Shift; Ctrl+Enter applies the order, Escape cancels.
class TilesView : public ToolCanvas
{
    Q_OBJECT
public:
    explicit TilesView(const ViewContext& context, QWidget* parent = nullptr);
    ~TilesView() override;

    void settle() override;
    [[nodiscard]] QString copyText() const override;
    /// Passes pictures of the grids of the subgraphs, slowest subgraph first, each with its steps.
    void livePictures(const std::function<bool(LivePicture)>& take) override;
    void zoomBy(double factor, QPointF anchor) override;
    void panBy(QPointF pixels) override;
    void fitAll() override;
    void fitSelection() override;
    [[nodiscard]] std::optional<QRectF> shownPart() const override;
    void showPart(const QRectF& part) override;
    [[nodiscard]] QRectF selectedPart() const override;
    [[nodiscard]] QString tableText() const override; ///< table of the first steps as text

    [[nodiscard]] const TilesModel& model() const { return m_model; }
    /// The step that is shown; nullopt without a trace.
    [[nodiscard]] const std::optional<StepModel>& step() const { return m_step; }
    [[nodiscard]] QPointF tileCentre(std::int64_t tile) const; ///< centre of a tile in widget coordinates
    void setColour(TileColour colour);
    [[nodiscard]] Playback& playback() const { return *m_playback; }
    void showStep(std::int64_t step);
    void showTile(std::int64_t tile); ///< shows the first step of the tile
    [[nodiscard]] const TilesOverlay& overlay() const { return m_overlay; }

protected:
    void bringUpToDate() override { refresh(); }
    void paintContent(QPainter& painter, const QRectF& area, const Theme& theme, bool exporting) override;
    void contentResized() override;
    [[nodiscard]] QString tooltipAt(QPointF position) const override;
    [[nodiscard]] QPointF focusPoint() const override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    struct Places
    {
        /// Areas of the parts; `panel` is empty if there is no room for it.
        QRectF header, grid, legend, panel;
    };
    [[nodiscard]] static Places placesIn(const QRectF& area);
    [[nodiscard]] static Viewport fitted(const TilesModel& model, const QRectF& grid);
    [[nodiscard]] Viewport fitted(const QRectF& grid) const { return fitted(m_model, grid); }
    [[nodiscard]] static LivePicture livePicture(const std::shared_ptr<const TilesModel>& model);
    [[nodiscard]] std::optional<std::int64_t> tileUnder(QPointF position) const;

    void createControls();
    void addOwnKeys();
    void follow();
    void refresh();     ///< updates the view after a change of document or selection
    void refreshStep(); ///< updates the view after a change of the step
    void rebuild(std::shared_ptr<const TileTrace> trace);
    void placeScroll();
    /// Positions of the rows of the panel, in the width without the scroll bar.
    [[nodiscard]] StepPanelLayout panelLayout() const;
    void ensureTileVisible(std::int64_t tile);
    void applyTraversal(const Traversal& traversal, const QString& text);
    void moveCursor(std::int64_t rows, std::int64_t cols, bool draw);
    void appendCursor();
    bool startDrawing(std::int64_t tile);
    void drawingChanged();
    void finishDrawing();
    void cancelDrawing();
    void updateHover(QPointF position);

    TilesModel m_model;
    std::shared_ptr<const TileTrace> m_trace;
    std::unique_ptr<LatestJob<std::shared_ptr<const TileTrace>>> m_job;
    std::optional<TraceKey> m_requested;
    std::shared_ptr<std::atomic<int>> m_percent;
    QTimer m_progressTimer;
    QImage m_image;
    const Theme* m_imageTheme = nullptr;
    std::optional<StepModel> m_step;

    Viewport m_viewport;
    bool m_autoFit = true;
    ListScroll* m_scroll;
    TilesOverlay m_overlay;
    std::optional<int> m_hoveredRow;

    std::optional<std::int64_t> m_pressed;
    /// True if the order is drawn by mouse, so that releasing the button ends the drawing.
    bool m_mouseDraws = false;
    std::optional<OrderDrawing> m_drawing;
    /// The tiles of the last drawing, which can be continued at its end.
    std::vector<std::int64_t> m_lastDrawn;
    QComboBox* m_colour = nullptr;
    QComboBox* m_order = nullptr;
    Playback* m_playback = nullptr;
    Scrubber* m_scrubber = nullptr;
};

} // namespace tilewright::ui
