// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/control_bar.h"
#include "canvas/viewport.h"
#include "chart/keys.h"
#include "views/npu/npu_graph_model.h"

class QComboBox;

namespace tilewright::ui {

struct NpuGraphPicture
{
    NpuGraphColour colour = NpuGraphColour::Core;
    npu::Cycle time = 0; ///< cycle whose node states the colouring by state shows
    std::optional<std::uint32_t> node, hoverNode;
    std::optional<std::size_t> group;     ///< group with the keyboard focus
    const NpuGraphFound* found = nullptr; ///< search hits; all else is dimmed; null: no search
};

/// Colour of a node's cell.
[[nodiscard]] QColor npuCellColour(const NpuResult& result, std::uint32_t node,
                                   const NpuGraphPicture& picture, const Theme& theme);
void paintNpuGraph(QPainter& painter, const NpuGraphModel& model, const QRectF& area,
                   const Viewport& viewport, const NpuGraphPicture& picture, const Theme& theme);
/// Returns the legend entries for the colours.
[[nodiscard]] std::vector<ChartKey> npuGraphKeys(const NpuGraphModel& model, const NpuGraphPicture& picture,
                                                 const Theme& theme);

/// The tile graph grouped by operator. A group can be opened to show its nodes.
class NpuGraphView : public ToolCanvas
{
    Q_OBJECT
public:
    explicit NpuGraphView(const ViewContext& context, QWidget* parent = nullptr);
    ~NpuGraphView() override;

    void settle() override;
    [[nodiscard]] QString copyText() const override;
    void zoomBy(double factor, QPointF anchor) override;
    void panBy(QPointF pixels) override;
    void fitAll() override;
    void fitSelection() override; ///< zooms to the group of the selected node
    void actualSize() override;
    [[nodiscard]] std::optional<QRectF> shownPart() const override;
    void showPart(const QRectF& part) override;
    [[nodiscard]] QRectF selectedPart() const override;

    [[nodiscard]] const std::shared_ptr<const NpuGraphModel>& model() const { return m_model; }
    [[nodiscard]] NpuDocument& state() { return m_state; }
    /// Centre of the node's cell in widget coordinates.
    [[nodiscard]] QPointF pointOf(std::uint32_t node) const;
    /// A point on the title of the operator's box, in widget coordinates.
    [[nodiscard]] QPointF titleOf(std::uint32_t op) const;
    [[nodiscard]] bool isOpen(std::uint32_t op) const { return m_open.count(op) > 0; }
    void setAllOpen(bool open);
    [[nodiscard]] const NpuGraphFound& found() const { return m_found; }

protected:
    bool event(QEvent* event) override;
    void paintContent(QPainter& painter, const QRectF& area, const Theme& theme, bool exporting) override;
    void contentResized() override;
    [[nodiscard]] QString tooltipAt(QPointF position) const override;
    [[nodiscard]] QStringList keysAt(QPointF position) const override;
    void showEvent(QShowEvent* event) override;
    [[nodiscard]] QPointF focusPoint() const override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    void resultChanged();
    void requestLayout();
    void toggle(std::uint32_t op);
    void select(std::uint32_t node);
    void showContextMenu(QPointF position) override;
    void addSearch();
    void addOwnKeys();
    void stepCritical(int by);
    void stepGroup(int by);
    void refreshFound();
    void showHitCount();
    void searchNext(int direction);
    void showHit(const NpuGraphHit& hit);
    [[nodiscard]] QRectF drawing() const; ///< area of the graph, below the legend
    [[nodiscard]] QRectF drawingOf(const QRectF& area) const;
    [[nodiscard]] static QRectF keysOf(const QRectF& area);
    [[nodiscard]] NpuGraphPicture picture() const;

    NpuDocument& m_state;
    QComboBox* m_colour = nullptr;
    std::shared_ptr<const NpuGraphModel> m_model;
    std::shared_ptr<const npu::NpuGraph> m_openFor;
    std::set<std::uint32_t> m_open;
    std::optional<std::size_t> m_group;
    SearchField* m_search = nullptr;
    NpuGraphFound m_found;
    std::size_t m_hit = 0; ///< index of the hit that is shown
    std::optional<std::uint32_t> m_showWhenLaidOut;
    Viewport m_viewport;
    bool m_fitted = true;
    std::unique_ptr<LatestJob<std::shared_ptr<const NpuGraphModel>>> m_job;
    QPointF m_pressed;
    bool m_leftPan = false;
    QPointF m_panFrom;
};

} // namespace tilewright::ui
