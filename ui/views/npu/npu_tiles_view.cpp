// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/npu/npu_tiles_view.h"

#include "chart/plot_paint.h"
#include "npu/output.h"
#include "theme/text.h"
#include "theme/text_metrics.h"
#include "theme/theme.h"

#include <QAction>
#include <QComboBox>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace tilewright::ui {

namespace {

/// Returns the indices of the two sizes that influence the operator's time most: for the horizontal and the
/// vertical axis.
std::pair<std::size_t, std::size_t> axesOf(npu::OpType type)
{
    switch (type) {
    case npu::OpType::Conv2d:
        return {0, 2}; // sizes c_out and h
    case npu::OpType::Attention:
        return {2, 1}; // sizes t and q
    case npu::OpType::MatMul:
    case npu::OpType::KvAppend:
    case npu::OpType::KvLoad:
    case npu::OpType::Elementwise:
    case npu::OpType::View:
        return {1, 0}; // sizes n and m, or t and heads, or cols and rows
    default:
        return {0, 0}; // size rows on both axes
    }
}

std::vector<std::int64_t> sizesOf(const npu::OperatorTiles& tiles, const npu::TileField& field)
{
    std::vector<std::int64_t> out;
    for (const npu::TileCandidate& c : tiles.candidates)
        out.push_back(c.tile.*field.size);
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

QString tileWords(npu::OpType type, const npu::TileSizes& tile)
{
    return QString::fromStdString(npu::tileText(type, tile));
}

QString aloneText(const npu::TileCandidate& c)
{
    return c.cycles ? counted(*c.cycles, tr("cycle"), tr("cycles")) + tr(" alone")
                    : tr("at least %1 alone").arg(counted(c.bound, tr("cycle"), tr("cycles")));
}

/// True if candidate `a` is simulated and `b` is not, or if both are in the same state and `a` is faster.
bool isBetter(const npu::TileCandidate& a, const npu::TileCandidate& b)
{
    if (a.cycles.has_value() != b.cycles.has_value())
        return a.cycles.has_value();
    return a.cycles ? *a.cycles < *b.cycles : a.bound < b.bound;
}

} // namespace

double NpuTilesModel::intensity(npu::Cycle cycles) const
{
    const double at = std::log10(static_cast<double>(std::max<npu::Cycle>(1, cycles)));
    return highest > lowest ? std::clamp((at - lowest) / (highest - lowest), 0.0, 1.0) : 0.0;
}

QString NpuTilesModel::readout(std::size_t cell) const
{
    if (!cells[cell]) {
        QString text =
            QStringLiteral("%1 %2").arg(QLatin1String(y.key), number(heights[cell / widths.size()]));
        if (x.size != y.size)
            text += QStringLiteral(" %1 %2").arg(QLatin1String(x.key), number(widths[cell % widths.size()]));
        return tr("%1 does not fit into SPM").arg(text);
    }
    const npu::TileCandidate& c = candidate(cell);
    QString text = tileWords(type, c.tile) + QStringLiteral(": ") + aloneText(c);
    if (c.cycles)
        text += QStringLiteral(", ") + bytesText(c.dramBytes);
    else
        text += tr(": not simulated to the end");
    return text;
}

QString NpuTilesModel::asText() const
{
    if (tiles == nullptr)
        return {};
    QString out = QStringLiteral("tile\tcycles_alone\tbound\tdram_bytes\n");
    for (const npu::TileCandidate& c : tiles->candidates)
        out += textRow(tileWords(type, c.tile), c.cycles.value_or(0), c.bound, c.dramBytes);
    return out;
}

NpuTilesModel buildNpuTiles(const NpuDocument& state, std::size_t op)
{
    NpuTilesModel m;
    const auto& search = state.tileSearch();
    if (state.isSearchingTiles())
        m.hint = tr("Searching the tiles of every operator … %1").arg(state.tileSearchText());
    else if (search && !search->error.isEmpty() && search->model == state.model())
        m.hint = search->error;
    else if (!state.model())
        m.hint = tr("Open an NPU model (JSON) to search its tiles.");
    else if (!state.isTileSearchCurrent())
        m.hint = tr("Search tiles simulates every operator with all tiles that fit, and uses the fastest.");
    if (!m.hint.isEmpty())
        return m;
    m.search = search;
    m.tiles = search->found.of(op);
    if (m.tiles == nullptr) {
        m.hint = tr("The tiles of this operator are those of the attention that reads it.");
        return m;
    }
    const npu::NpuModel& model = *search->model;
    m.type = model.ops[op].type;
    const auto fields = npu::tileFields(m.type);
    const auto [across, up] = axesOf(m.type);
    m.x = fields[across];
    m.y = fields[up];
    const bool single = across == up;
    m.heights = sizesOf(*m.tiles, m.y);
    m.widths = single ? std::vector<std::int64_t>{0} : sizesOf(*m.tiles, m.x);
    m.cells.resize(m.widths.size() * m.heights.size());
    const auto cellOf = [&](const npu::TileSizes& tile) {
        const auto at = [](const std::vector<std::int64_t>& sizes, std::int64_t size) {
            const auto found = std::lower_bound(sizes.begin(), sizes.end(), size);
            return found != sizes.end() && *found == size ? std::optional(found - sizes.begin())
                                                          : std::nullopt;
        };
        const auto row = at(m.heights, tile.*m.y.size);
        const auto column = single ? std::optional<std::ptrdiff_t>(0) : at(m.widths, tile.*m.x.size);
        return row && column ? std::optional(static_cast<std::size_t>(*row) * m.widths.size() +
                                             static_cast<std::size_t>(*column))
                             : std::nullopt;
    };
    npu::Cycle slowest = 1, fastest = npu::kNever;
    for (std::size_t i = 0; i < m.tiles->candidates.size(); ++i) {
        const npu::TileCandidate& c = m.tiles->candidates[i];
        auto& cell = m.cells[*cellOf(c.tile)];
        if (!cell || isBetter(c, m.tiles->candidates[*cell]))
            cell = i;
        if (c.cycles) {
            slowest = std::max(slowest, *c.cycles);
            fastest = std::min(fastest, *c.cycles);
        }
    }
    m.lowest = std::log10(static_cast<double>(std::min(fastest, slowest)));
    m.highest = std::log10(static_cast<double>(slowest));
    m.before = cellOf(m.tiles->candidates.front().tile);
    m.fastest = cellOf(m.tiles->candidates[m.tiles->fastest].tile);
    m.chosen = cellOf(m.tiles->candidates[m.tiles->chosen].tile);
    if (const NpuResultPtr& r = state.result(); r && r->model == state.model())
        m.current = cellOf(r->graph->tileSizes[op]);
    const npu::TileCandidate &chosen = m.tiles->candidates[m.tiles->chosen],
                             &first = m.tiles->candidates.front();
    m.title = QString::fromStdString(model.ops[op].name);
    if (m.tiles->ops.size() > 1)
        m.title += tr(" and %1 alike").arg(number(static_cast<std::int64_t>(m.tiles->ops.size()) - 1));
    m.title +=
        QStringLiteral(" · ") + tileWords(m.type, chosen.tile) + QStringLiteral(" · ") + aloneText(chosen);
    const npu::TileSearch& found = search->found;
    m.subtitle = tr("%1 before: %2. ").arg(tileWords(m.type, first.tile), aloneText(first)) +
                 (m.tiles->proven ? tr("No tile of %1 is faster alone. ") : tr("The fastest of %1 so far. "))
                     .arg(number(static_cast<std::int64_t>(m.tiles->candidates.size()))) +
                 tr("The whole model under the dynamic scheduler: %1 instead of %2, %3 instead of %4.")
                     .arg(counted(found.after, tr("cycle"), tr("cycles")), number(found.before),
                          bytesText(found.bytesAfter), bytesText(found.bytesBefore));
    return m;
}

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
    if (m_state.isSearchingTiles())
        return m_state.stopTileSearch();
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
            continue; // not listed: it has the tiles of the attention that reads its result
        std::int64_t elements = op.type == npu::OpType::MatMul || op.type == npu::OpType::Conv2d ? 1 : 0;
        for (const std::int64_t d : m_listed->tensors[op.inputs.back()].shape)
            elements *= d;
        if (elements > most) {
            most = elements;
            largest = static_cast<std::size_t>(m_operator->count());
        }
        m_operator->addItem(QString::fromStdString(op.name), static_cast<int>(i));
    }
    m_operator->setCurrentIndex(static_cast<int>(largest)); // initially the operator with the most weights
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
    m_start->setEnabled(m_state.model() != nullptr);
    m_start->setText(m_state.isSearchingTiles() ? tr("Stop the search") : tr("Search tiles"));
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
