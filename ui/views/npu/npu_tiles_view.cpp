// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/npu/npu_tiles_view.h"

#include "chart/plot_paint.h"
#include "theme/number.h"
#include "theme/text_metrics.h"
#include "theme/theme.h"
#include "theme/words.h"

#include <QAction>
#include <QComboBox>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace tilewright::ui {

namespace {

enum class Pick { Before, Fastest, Chosen };

PlotMark pickMark(Pick pick, const Theme& theme)
{
    PlotMark m;
    m.shape = pick == Pick::Before    ? PlotShape::Square
              : pick == Pick::Fastest ? PlotShape::Diamond
                                      : PlotShape::TriangleUp;
    m.radius = 6;
    m.pen = QPen(theme.ink, 1.5);
    m.brush = pick == Pick::Before ? QColor(Qt::white) : theme.category(pick == Pick::Fastest ? 6 : 7);
    return m;
}

HeatAxis axisOf(const QString& title, const std::vector<std::int64_t>& sizes)
{
    HeatAxis axis{title};
    for (const std::int64_t size : sizes)
        axis.labels << (size > 0 ? number(size) : QString());
    return axis;
}

std::vector<ChartKey> keysOf(const NpuTilesModel& m, const Theme& theme)
{
    return {rampKey(shortNumber(std::pow(10, m.lowest)),
                    tr("%1 cycles alone").arg(shortNumber(std::pow(10, m.highest))), theme),
            heatSignKey(tr("does not fit"), HeatSign::Hatch, theme),
            heatSignKey(tr("not simulated to the end: slower, or out of budget"), HeatSign::Dots, theme),
            markKey(tr("before"), pickMark(Pick::Before, theme)),
            markKey(tr("fastest alone"), pickMark(Pick::Fastest, theme)),
            markKey(tr("fastest in the model"), pickMark(Pick::Chosen, theme)),
            heatRingKey(tr("in use"), theme)};
}

QString nameOf(const npu::TileField& field)
{
    return tr("tile %1").arg(QString::fromLatin1(field.key).replace(QLatin1Char('_'), QLatin1Char(' ')));
}

} // namespace

HeatGrid npuTilesGrid(const NpuTilesModel& m, const Theme& theme)
{
    HeatGrid grid;
    grid.columns = m.widths.size();
    grid.rows = m.heights.size();
    const bool single = m.x.size == m.y.size;
    grid.x = axisOf(single ? QString() : nameOf(m.x), m.widths);
    grid.y = axisOf(nameOf(m.y), m.heights);
    for (std::size_t i = 0; i < m.cells.size(); ++i) {
        HeatCell cell;
        if (!m.cells[i])
            cell.sign = HeatSign::Hatch;
        else if (const npu::TileCandidate& c = m.candidate(i); !c.cycles)
            cell.sign = HeatSign::Dots;
        else {
            cell.fill = theme.ramp(m.intensity(*c.cycles));
            if (i != m.before && i != m.fastest && i != m.chosen)
                cell.text = shortNumber(static_cast<double>(*c.cycles));
        }
        grid.cells.push_back(std::move(cell));
    }
    grid.current = m.current;
    for (const auto& [cell, pick] : {std::pair(m.before, Pick::Before), std::pair(m.fastest, Pick::Fastest),
                                     std::pair(m.chosen, Pick::Chosen)})
        if (cell)
            grid.marks.push_back({*cell, pickMark(pick, theme)});
    grid.keys = keysOf(m, theme);
    return grid;
}

NpuTilesPlaces npuTilesPlaces(const QRectF& area, const NpuTilesModel& m)
{
    NpuTilesPlaces p;
    const TextMetrics head(uiFont(1.0, QFont::DemiBold));
    const TextMetrics sub(uiFont(0.9));
    const TextMetrics fm(uiFont(0.85));
    const double width = area.width() - 16;
    const double lines = std::ceil(sub.horizontalAdvance(m.subtitle) / std::max(1.0, width * 0.92));
    p.title = QRectF(area.left() + 8, area.top() + 6, width,
                     head.height() + std::clamp(lines, 1.0, 3.0) * sub.height() + 6);
    if (m.tiles == nullptr)
        return p;
    const double keys = keysHeight(keysOf(m, Theme::light()), width);
    p.keys = QRectF(area.left() + 8, area.bottom() - keys - 4, width, keys);
    double widest = 0;
    for (const std::int64_t h : m.heights)
        widest = std::max(widest, fm.horizontalAdvance(number(h)) * 1.1);
    const QRectF room(QPointF(area.left() + widest + 20, p.title.bottom() + fm.height() + 8),
                      QPointF(area.right() - 12, p.keys.top() - 2 * fm.height() - 12));
    const auto columns = static_cast<double>(m.widths.size()), rows = static_cast<double>(m.heights.size());
    const double cellHeight = std::clamp(std::floor(room.height() / rows), 2.0, 44.0);
    const double cellWidth =
        std::clamp(std::floor(room.width() / columns), 2.0, std::max(72.0, 2.2 * cellHeight));
    p.map.map =
        QRectF(std::round(room.left()), std::round(room.top()), cellWidth * columns, cellHeight * rows);
    p.map.columns = m.widths.size();
    p.map.rows = m.heights.size();
    return p;
}

NpuTilesView::NpuTilesView(const ViewContext& context, QWidget* parent)
    : ToolCanvas(context, QStringLiteral("npu-tiles"), tr("NPU tiles"), parent),
      m_state(context.workspace.npu())
{
    m_operator = bar().addChoice(tr("Operator"), {}, tr("Operator whose tiles are shown."));
    m_operator->setObjectName(QStringLiteral("npu-tiles.operator"));
    m_operator->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_operator->setMinimumContentsLength(14);
    connect(m_operator, &QComboBox::currentIndexChanged, this, &NpuTilesView::rebuild);
    m_start = addBarCommand(QStringLiteral("search"), tr("Search tiles"), QStringLiteral("search"), {},
                            tr("Simulate every operator with all tiles that fit and use the tiles with the "
                               "shortest run: one undo step."),
                            [this] { startSearch(); });
    addKeys("tile", tr("Choose a tile"), arrowKeys(), tr("Choose the next larger or smaller tile."),
            [this](const KeyUse& use) { moveCell(use.arrow()); });
    addGesture("choose", tr("Choose a tile"), tr("click"), tr("Cut the operator into tiles of this size."));
    connect(&m_state, &NpuDocument::tileSearchChanged, this, &NpuTilesView::rebuild);
    connect(&m_state, &NpuDocument::resultChanged, this, &NpuTilesView::rebuild);
    connect(&m_state, &NpuDocument::settingsChanged, this, &NpuTilesView::rebuild);
    rebuild();
    followWorkload(Lens::Npu);
}

void NpuTilesView::settle()
{
    m_state.settle();
    if (!m_state.isTileSearchCurrent())
        m_state.searchTiles();
    m_state.settle();
    rebuild();
}

void NpuTilesView::startSearch()
{
    m_state.start();
    m_state.searchTiles();
}

void NpuTilesView::listOperators()
{
    if (m_listed == m_state.model())
        return;
    m_listed = m_state.model();
    const QSignalBlocker quiet(m_operator);
    m_operator->clear();
    std::size_t largest = 0;
    std::int64_t most = -1;
    for (std::size_t i = 0; m_listed && i < m_listed->ops.size(); ++i) {
        const npu::ModelOp& op = m_listed->ops[i];
        if (op.type == npu::OpType::KvLoad)
            continue; // has the tiles of the attention that reads it
        std::int64_t elements = op.type == npu::OpType::MatMul || op.type == npu::OpType::Conv2d ? 1 : 0;
        for (const std::int64_t d : m_listed->tensors[op.inputs.back()].shape)
            elements *= d;
        if (elements > most) {
            most = elements;
            largest = static_cast<std::size_t>(m_operator->count());
        }
        m_operator->addItem(QString::fromStdString(op.name), static_cast<int>(i));
    }
    m_operator->setCurrentIndex(static_cast<int>(largest)); // the operator with the most weights
}

std::size_t NpuTilesView::shownOperator() const
{
    return static_cast<std::size_t>(std::max(0, m_operator->currentData().toInt()));
}

void NpuTilesView::showOperator(std::size_t op)
{
    m_operator->setCurrentIndex(m_operator->findData(static_cast<int>(op)));
}

void NpuTilesView::rebuild()
{
    listOperators();
    m_model = buildNpuTiles(m_state, shownOperator());
    m_start->setEnabled(m_state.model() != nullptr && !m_state.isSearchingTiles());
    m_hover.reset();
    setAccessibleDescription(m_model.hint.isEmpty() ? m_model.title + QStringLiteral(". ") + m_model.subtitle
                                                    : m_model.hint);
    update();
}

void NpuTilesView::paintContent(QPainter& painter, const QRectF& area, const Theme& theme, bool exporting)
{
    if (!m_model.hint.isEmpty()) {
        paintEmptyHint(painter, area, m_model.hint, theme);
        return;
    }
    const NpuTilesPlaces p = npuTilesPlaces(area, m_model);
    const double head = writeLine(painter, p.title.topLeft(), p.title.width(), m_model.title,
                                  uiFont(1.0, QFont::DemiBold), theme.text);
    const auto hover = exporting ? std::nullopt : m_hover;
    painter.setFont(uiFont(0.9));
    painter.setPen(hover ? theme.text : theme.muted);
    painter.drawText(p.title.adjusted(0, head, 0, 0), Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap,
                     hover ? m_model.readout(*hover) : m_model.subtitle);
    const HeatGrid grid = npuTilesGrid(m_model, theme);
    paintHeatGrid(painter, grid, p.map, hover, theme);
    paintKeys(painter, grid.keys, p.keys, theme);
}

QPointF NpuTilesView::cellCentre(std::size_t cell) const
{
    return npuTilesPlaces(contentArea(), m_model).map.cell(cell).center();
}

QString NpuTilesView::tooltipAt(QPointF position) const
{
    if (!m_model.hint.isEmpty())
        return {};
    const auto cell = npuTilesPlaces(contentArea(), m_model).map.cellAt(position);
    return cell ? m_model.readout(*cell) : QString();
}

QPointF NpuTilesView::focusPoint() const
{
    return m_model.hint.isEmpty() && m_model.current ? cellCentre(*m_model.current)
                                                     : ToolCanvas::focusPoint();
}

void NpuTilesView::take(std::size_t cell)
{
    if (m_model.cells[cell])
        m_state.setTile(m_model.tiles->ops, m_model.candidate(cell).tile);
}

void NpuTilesView::moveCell(QPoint arrow)
{
    if (m_model.hint.isEmpty() && m_model.current)
        take(npuTilesPlaces(contentArea(), m_model).map.beside(*m_model.current, arrow));
}

void NpuTilesView::mousePressEvent(QMouseEvent* event)
{
    ToolCanvas::mousePressEvent(event);
    if (event->button() != Qt::LeftButton || !m_model.hint.isEmpty())
        return;
    if (const auto cell = npuTilesPlaces(contentArea(), m_model).map.cellAt(event->position()))
        take(*cell);
}

void NpuTilesView::mouseMoveEvent(QMouseEvent* event)
{
    ToolCanvas::mouseMoveEvent(event);
    if (!m_model.hint.isEmpty())
        return;
    const auto cell = npuTilesPlaces(contentArea(), m_model).map.cellAt(event->position());
    if (cell == m_hover)
        return;
    m_hover = cell;
    setCursor(cell ? Qt::PointingHandCursor : Qt::ArrowCursor);
    update();
}

void NpuTilesView::leaveEvent(QEvent* event)
{
    m_hover.reset();
    update();
    ToolCanvas::leaveEvent(event);
}

void NpuTilesView::showEvent(QShowEvent* event)
{
    ToolCanvas::showEvent(event);
    m_state.start();
}

} // namespace tilewright::ui
