// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/granularity/granularity_view.h"

#include "chart/plot_paint.h"
#include "theme/text.h"
#include "theme/text_metrics.h"
#include "theme/theme.h"
#include "workspace/schedule_edits.h"

#include <QComboBox>
#include <QMouseEvent>
#include <QPainter>
#include <QSignalBlocker>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace tilewright::ui {

namespace {

QString titleText(const GranularityModel& model)
{
    return model.owner.isEmpty() ? model.title : model.owner + QStringLiteral(" · ") + model.title;
}

HeatSign signOf(CubeCell::State state)
{
    return state == CubeCell::State::OutOfMemory   ? HeatSign::Hatch
           : state == CubeCell::State::SuperNative ? HeatSign::Dots
           : state == CubeCell::State::Forbidden   ? HeatSign::Cross
                                                   : HeatSign::None;
}

PlotMark bestMark(const Theme& theme)
{
    PlotMark m;
    m.radius = 4.5;
    m.pen = QPen(theme.ink, 1.5);
    m.brush = Qt::white;
    return m;
}

std::vector<ChartKey> keysOf(const GranularityModel& model, const Theme& theme)
{
    std::vector<ChartKey> keys;
    if (model.best)
        keys.push_back(rampKey(tr("latency %1").arg(shortNumber(model.low)), shortNumber(model.high), theme));
    if (model.current)
        keys.push_back(heatRingKey(tr("now"), theme));
    if (model.best)
        keys.push_back(markKey(tr("best on this map"), bestMark(theme)));
    for (const auto& [state, text] : {std::pair(CubeCell::State::OutOfMemory, tr("does not fit")),
                                      std::pair(CubeCell::State::SuperNative, tr("above native")),
                                      std::pair(CubeCell::State::Forbidden, tr("not allowed"))})
        if (std::any_of(model.shown.begin(), model.shown.end(),
                        [&, s = state](std::size_t i) { return model.cube->cells[i].state == s; }))
            keys.push_back(heatSignKey(text, signOf(state), theme));
    return keys;
}

/// The label of a size, shortened: typed sizes can be longer than the space on the axis.
QString sizeLabel(std::int64_t size)
{
    constexpr std::int64_t kLong = 1'000'000;
    return size < kLong ? number(size) : shortNumber(static_cast<double>(size));
}

HeatAxis axisOf(const QString& title, const std::vector<std::int64_t>& sizes, std::int64_t native)
{
    HeatAxis axis{title};
    for (const std::int64_t size : sizes) {
        if (size == native)
            axis.strong = axis.labels.size();
        axis.labels << sizeLabel(size);
    }
    return axis;
}

/// Paints the title. The cell under the mouse or the key cursor is described in place of the subtitle.
void paintTitle(QPainter& painter, const GranularityModel& model, const GranularityPlaces& p,
                const Theme& theme, std::optional<std::size_t> hover)
{
    const QRectF area = p.title;
    double y = area.top() + 5;
    const auto line = [&](const QString& text, const QFont& font, const QColor& colour, int rows) {
        painter.setFont(font);
        painter.setPen(colour);
        const TextMetrics fm(font);
        const double width = area.width() - 16;
        const bool wraps = fm.horizontalAdvance(text) > width && rows > 1;
        const QRectF place(area.left() + 8, y, width, fm.height() * (wraps ? rows : 1));
        painter.drawText(place,
                         static_cast<int>(Qt::AlignLeft | Qt::AlignTop | (wraps ? Qt::TextWordWrap : 0)),
                         wraps ? text : fm.elidedText(text, Qt::ElideRight, width));
        y += place.height() + 1;
    };
    line(titleText(model), uiFont(1.0, QFont::DemiBold), theme.text, p.titleRows);
    line(hover && model.cube ? granularityReadout(model, *hover) : model.subtitle, uiFont(0.9),
         hover && model.cube ? theme.text : theme.muted, p.subtitleRows);
}

} // namespace

HeatGrid granularityGrid(const GranularityModel& model, const Theme& theme)
{
    const Hardware& hw = model.cube->key.problem->hardware();
    HeatGrid grid;
    grid.columns = model.cube->widths.size();
    grid.rows = model.cube->heights.size();
    grid.x = axisOf(tr("tile width w"), model.cube->widths, hw.nativeWidth);
    grid.y = axisOf(tr("tile height h"), model.cube->heights, hw.nativeHeight);
    for (std::size_t i = 0; i < model.shown.size(); ++i) {
        const CubeCell& c = model.cell(i);
        HeatCell cell{{}, signOf(c.state)};
        if (cell.sign == HeatSign::None) {
            cell.fill = theme.ramp(model.intensity(c.latency));
            if (model.best != i)
                cell.text = shortNumber(c.latency);
        }
        grid.cells.push_back(std::move(cell));
    }
    grid.current = model.current;
    if (model.current) {
        grid.x.now = static_cast<qsizetype>(*model.current % grid.columns);
        grid.y.now = static_cast<qsizetype>(*model.current / grid.columns);
    }
    if (model.best)
        grid.marks.push_back({*model.best, bestMark(theme)});
    grid.keys = keysOf(model, theme);
    return grid;
}

GranularityPlaces granularityPlaces(const QRectF& area, const GranularityModel& model)
{
    GranularityPlaces p;
    const TextMetrics head(uiFont(1.0, QFont::DemiBold));
    const TextMetrics sub(uiFont(0.9));
    const TextMetrics fm(uiFont(0.85));
    const double side = std::min(0.4 * area.width(), head.horizontalAdvance(QLatin1Char('n')) * 32);
    const bool beside =
        area.width() > 1.5 * area.height() && side > head.horizontalAdvance(QLatin1Char('n')) * 22;
    const double width = (beside ? side : area.width()) - 16;
    p.titleRows = head.horizontalAdvance(titleText(model)) > width ? 2 : 1;
    p.subtitleRows = beside ? 3
                     : sub.horizontalAdvance(model.subtitle) > width
                         ? 2
                         : 1; // three lines have room for the text of a hovered cell
    const double textHeight = p.titleRows * head.height() + p.subtitleRows * sub.height() + 10;
    p.title = QRectF(area.left(), area.top(), beside ? side : area.width(), textHeight);
    if (!model.cube)
        return p;
    double widest = 0;
    for (const std::int64_t h : model.cube->heights)
        widest = std::max(widest, fm.horizontalAdvance(sizeLabel(h)) * 1.1);
    QRectF room = area.adjusted(widest + 16, fm.height() + 6, -12, -2 * fm.height() - 8);
    if (!beside) {
        const double legend = keysHeight(keysOf(model, Theme::light()), area.width() - 16);
        p.legend = QRectF(area.left(), area.bottom() - legend, area.width(), legend);
        room.setTop(p.title.bottom() + fm.height() + 6);
        room.setBottom(p.legend.top() - 2 * fm.height() - 8);
    } else {
        room.setRight(area.right() - side - 12);
    }
    const auto nw = static_cast<double>(model.cube->widths.size());
    const auto nh = static_cast<double>(model.cube->heights.size());
    // Cells of whole pixels have sharp edges. Cells are a little wider than high, to suit the numbers in
    // them.
    const double cellHeight = std::clamp(std::floor(room.height() / nh), 2.0, 40.0);
    const double cellWidth =
        std::clamp(std::floor(room.width() / nw), 2.0, std::max(beside ? 60.0 : 24.0, cellHeight * 2.2));
    p.map.map = QRectF(std::round(room.left()), std::round(room.top()), cellWidth * nw, cellHeight * nh);
    p.map.columns = model.cube->widths.size();
    p.map.rows = model.cube->heights.size();
    if (beside) {
        p.title.moveLeft(p.map.map.right() + 16);
        p.title.setRight(area.right());
        p.legend = QRectF(p.title.left(), p.title.bottom() + 4, p.title.width(),
                          std::max(0.0, area.bottom() - p.title.bottom() - 8));
    }
    return p;
}

void paintGranularity(QPainter& painter, const GranularityModel& model, const GranularityPlaces& p,
                      const Theme& theme, std::optional<std::size_t> hover)
{
    paintTitle(painter, model, p, theme, hover);
    if (!model.cube)
        return;
    const HeatGrid grid = granularityGrid(model, theme);
    paintHeatGrid(painter, grid, p.map, hover, theme);
    paintKeys(painter, grid.keys, p.legend.adjusted(8, 0, -4, 0), theme);
}

namespace {

/// Returns the selected subgraph, or else the first one that computes a selected op, or else the first one.
std::optional<SubgraphId> subgraphOf(const Snapshot& snapshot, const SelectionState& selection)
{
    if (selection.subgraph)
        return selection.subgraph;
    for (const OpId o : selection.ops)
        if (const auto with = subgraphsWith(snapshot.schedule, o); !with.empty())
            return with.front();
    return snapshot.schedule.size() > 0 ? std::optional(SubgraphId(0)) : std::nullopt;
}

} // namespace

GranularityView::GranularityView(const ViewContext& context, QWidget* parent)
    : ToolCanvas(context, QStringLiteral("granularity"), tr("Granularity map"), parent),
      m_percent(std::make_shared<std::atomic<int>>(0))
{
    m_job = std::make_unique<LatestJob<std::shared_ptr<const GranularityCube>>>(
        [this](std::shared_ptr<const GranularityCube> cube) {
            m_requested.reset();
            m_progressTimer.stop();
            if (cube)
                m_cube = std::move(cube);
            rebuild();
        },
        true);
    m_progressTimer.setInterval(100);
    connect(&m_progressTimer, &QTimer::timeout, this, qOverload<>(&QWidget::update));
    m_depth = bar().addChoice(tr("k"), {tr("best k")},
                              tr("The k for which the map is drawn, or for each tile shape its best k."));
    connect(m_depth, &QComboBox::activated, this, [this](int i) {
        setDepth(i == 0 ? std::nullopt : std::optional<std::int64_t>(m_depth->itemData(i).toLongLong()));
    });
    document().whenChanged(this, Part::Problem | Part::Snapshot, &GranularityView::outdate);
    connect(&selection(), &Selection::changed, this, &GranularityView::outdate);
    addOwnKeys();
    refresh();
}

GranularityView::~GranularityView() = default;

void GranularityView::refresh()
{
    const SnapshotPtr& snapshot = document().snapshot();
    const auto subgraph = snapshot ? subgraphOf(*snapshot, selection().state()) : std::nullopt;
    if (subgraph != m_subgraph) {
        m_subgraph = subgraph;
        m_chosen =
            m_bestDepth; // The choice "best k" applies to the next subgraph as well, a single k does not.
        m_hover.reset();
    }
    // A hidden view computes nothing; showEvent() updates it.
    if (snapshot && subgraph && subgraph->index() < snapshot->schedule.size() && (m_wanted || isVisible())) {
        const Subgraph& s = snapshot->schedule[*subgraph];
        const CubeKey key = cubeKey(*snapshot, *subgraph);
        const bool have = m_cube && m_cube->key == key && m_cube->covers(s.granularity);
        const bool asked = m_requested && m_requested->first == key && m_requested->second == s.granularity;
        const bool wellFormed =
            !s.ops.empty() && s.granularity.w >= 1 && s.granularity.h >= 1 && s.granularity.k >= 1;
        if (!have && !asked && wellFormed) {
            m_requested = {key, s.granularity};
            m_percent->store(0);
            m_progressTimer.start();
            m_job->request([key, g = s.granularity, percent = m_percent](std::stop_token stop) {
                return buildCube(key, g, {stop, [&](double f, std::string_view) {
                                              percent->store(static_cast<int>(f * 100));
                                          }});
            });
        }
    }
    rebuild();
}

void GranularityView::rebuild()
{
    const SnapshotPtr& snapshot = document().snapshot();
    std::optional<std::int64_t> depth;
    if (m_chosen)
        depth = m_bestDepth ? std::nullopt : m_shownDepth;
    else if (snapshot && m_subgraph && m_subgraph->index() < snapshot->schedule.size())
        depth = snapshot->schedule[*m_subgraph].granularity.k;
    m_model = buildGranularity(snapshot.get(), m_subgraph, m_cube, depth);
    if (m_embedded)
        m_model.owner.clear();
    if (m_model.cube && m_hover && *m_hover >= m_model.shown.size())
        m_hover.reset();
    fillDepths();
    setAccessibleDescription(m_model.hint.isEmpty() ? m_model.owner + QLatin1Char(' ') + m_model.title +
                                                          QStringLiteral(", ") + m_model.subtitle
                                                    : m_model.hint);
    update();
}

void GranularityView::fillDepths()
{
    if (!m_model.cube)
        return;
    const Snapshot& snapshot = *document().snapshot();
    const std::int64_t now = snapshot.schedule[*m_model.subgraph].granularity.k;
    const QSignalBlocker quiet(m_depth);
    const auto& depths = m_model.cube->depths;
    while (m_depth->count() > static_cast<int>(depths.size()) + 1)
        m_depth->removeItem(m_depth->count() - 1);
    for (int i = 1; i <= static_cast<int>(depths.size()); ++i) {
        const std::int64_t k = depths[static_cast<std::size_t>(i) - 1];
        const QString text = k == now ? tr("%1 (now)").arg(number(k)) : number(k);
        if (i == m_depth->count())
            m_depth->addItem(text);
        // Only if the text has changed, because setting it causes a layout of the bar.
        else if (m_depth->itemText(i) != text)
            m_depth->setItemText(i, text);
        m_depth->setItemData(i, QVariant::fromValue<qlonglong>(k));
    }
    const std::int64_t shown = m_chosen && m_shownDepth ? *m_shownDepth : now;
    m_depth->setCurrentIndex(
        m_chosen && m_bestDepth ? 0 : m_depth->findData(QVariant::fromValue<qlonglong>(shown)));
    m_depth->setEnabled(m_model.cube->hasDepth);
    m_depth->setToolTip(m_model.cube->hasDepth
                            ? m_depth->accessibleDescription()
                            : tr("No op of this subgraph has a reduction: k is always 1."));
}

void GranularityView::setDepth(std::optional<std::int64_t> k)
{
    m_chosen = true;
    m_bestDepth = !k;
    m_shownDepth = k;
    rebuild();
}

void GranularityView::settle()
{
    document().waitForSnapshot();
    m_wanted = true; // an export paints without showing the view
    refresh();
    m_job->waitIdle();
    m_wanted = false;
}

QString GranularityView::copyText() const
{
    return m_model.cube ? granularityAsText(*m_model.cube) : QString();
}

void GranularityView::paintContent(QPainter& painter, const QRectF& area, const Theme& theme, bool exporting)
{
    if (!m_model.hint.isEmpty()) {
        paintEmptyHint(painter, area, m_model.hint, theme);
        return;
    }
    const GranularityPlaces places = granularityPlaces(area, m_model);
    paintGranularity(painter, m_model, places, theme, exporting ? std::nullopt : m_hover);
    if (!m_model.cube)
        paintEmptyHint(painter, area, tr("Trying the granularities … %1 %").arg(m_percent->load()), theme);
}

QPointF GranularityView::cellCentre(std::int64_t w, std::int64_t h) const
{
    if (!m_model.cube)
        return {};
    const auto& ws = m_model.cube->widths;
    const auto& hs = m_model.cube->heights;
    const auto x = static_cast<std::size_t>(std::lower_bound(ws.begin(), ws.end(), w) - ws.begin());
    const auto y = static_cast<std::size_t>(std::lower_bound(hs.begin(), hs.end(), h) - hs.begin());
    return map().cell(y * ws.size() + x).center();
}

QString GranularityView::tooltipAt(QPointF position) const
{
    const auto at = map().cellAt(position);
    return at ? granularityTooltip(m_model, *at) : QString();
}

void GranularityView::applyCell(std::size_t position, bool force)
{
    if (!m_model.cube || !m_model.subgraph || position >= m_model.shown.size())
        return;
    const Granularity g = m_model.cube->granularity(m_model.shown[position]);
    const SubgraphId subgraphs[] = {*m_model.subgraph};
    document().apply(
        edit::setGranularity(*document().problem(), document().schedule(), subgraphs, g,
                             editOptions(document().rules(), force)),
        tr("Granularity of subgraph %1: %2")
            .arg(QString::number(m_model.subgraph->index()), sizeText({g.w, g.h, g.k}, QStringLiteral("×"))));
}

void GranularityView::mousePressEvent(QMouseEvent* event)
{
    ToolCanvas::mousePressEvent(event);
    if (event->button() != Qt::LeftButton)
        return;
    if (const auto at = map().cellAt(event->position()))
        applyCell(*at, event->modifiers() & Qt::AltModifier);
}

void GranularityView::mouseMoveEvent(QMouseEvent* event)
{
    ToolCanvas::mouseMoveEvent(event);
    const auto at = map().cellAt(event->position());
    if (at == m_hover)
        return;
    m_hover = at;
    setCursor(at ? Qt::PointingHandCursor : Qt::ArrowCursor);
    update();
}

/// Passes the wheel to the page that contains the map: the map itself does not zoom or pan.
void GranularityView::wheelEvent(QWheelEvent* event)
{
    event->ignore();
}

void GranularityView::leaveEvent(QEvent* event)
{
    m_hover.reset();
    update();
    ToolCanvas::leaveEvent(event);
}

void GranularityView::showEvent(QShowEvent* event)
{
    ToolCanvas::showEvent(event);
    refresh();
}

void GranularityView::addOwnKeys()
{
    addKeys("cell", tr("Choose a granularity"), arrowKeys(),
            tr("Move to the next wider, narrower, higher or lower tile."),
            [this](const KeyUse& use) { moveCell(use.arrow()); });
    addKeys("deeper", tr("Greater k"), {QKeySequence(Qt::Key_PageUp)},
            tr("Show the map of the next greater k."), [this] { moveDepth(1); });
    addKeys("shallower", tr("Smaller k"), {QKeySequence(Qt::Key_PageDown)},
            tr("Show the map of the next smaller k; below the smallest, the map of the best k."),
            [this] { moveDepth(-1); });
    addKeys(
        "apply", tr("Apply the chosen granularity"),
        {QKeySequence(Qt::Key_Return), QKeySequence(Qt::Key_Space), QKeySequence(Qt::ALT | Qt::Key_Return)},
        tr("Apply the cell that the arrows chose; with Alt even if it does not fit."),
        [this](const KeyUse& use) {
            if (m_hover && m_model.cube)
                applyCell(*m_hover, use.modifiers & Qt::AltModifier);
        });
    addGesture("click", tr("Apply a granularity"), tr("click (Alt: even if it does not fit)"),
               tr("Apply the cell."));
}

void GranularityView::moveCell(QPoint arrow)
{
    if (!m_model.cube)
        return;
    m_hover = map().beside(m_hover.value_or(m_model.here), arrow);
    setAccessibleDescription(granularityReadout(m_model, *m_hover));
    update();
}

void GranularityView::moveDepth(int by)
{
    if (!m_model.cube)
        return;
    const int next = std::clamp(m_depth->currentIndex() + by, 0, m_depth->count() - 1);
    setDepth(next == 0 ? std::nullopt : std::optional<std::int64_t>(m_depth->itemData(next).toLongLong()));
}

} // namespace tilewright::ui
