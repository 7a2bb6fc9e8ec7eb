// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/mapping/search_map_view.h"

#include "theme/icon.h"
#include "theme/number.h"
#include "views/mapping/nest_model.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QMouseEvent>
#include <QPainter>
#include <QToolButton>

#include <cmath>

namespace tilewright::ui {

namespace {
constexpr double kNear = 12; // pixels within which a click means a point
constexpr double kClick = 4;
} // namespace

SearchMapView::SearchMapView(const ViewContext& context, QWidget* parent)
    : ToolCanvas(context, QStringLiteral("mapping-search"), tr("Mapping search"), parent),
      m_state(MappingState::of(context))
{
    createControls();
    addOwnKeys();
    connect(&m_state, &MappingState::setupChanged, this, &SearchMapView::refresh);
    connect(&m_state, &MappingState::baselineChanged, this, &SearchMapView::refresh);
    connect(&m_state, &MappingState::spaceChanged, this, [this] {
        m_zoom.reset();
        m_marked.reset();
        m_frontIndex = -1;
    });
    connect(&m_state.search(), &MappingSearch::changed, this, &SearchMapView::refresh);
    refresh();
}

void SearchMapView::createControls()
{
    m_start = addCommand({QStringLiteral("mapping.search"),
                          tr("Mapping"),
                          tr("Search for the best methods"),
                          QStringLiteral("play"),
                          {},
                          tr("Search this layer's methods on this hardware; again: stop and keep the best.")},
                         [this](bool) { startOrStop(); });
    QToolButton* button = bar().addButton(m_start);
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    button->setObjectName(QStringLiteral("start"));
    bar().addButton(
        addCommand({QStringLiteral("mapping.zoomFront"),
                    tr("Mapping"),
                    tr("Zoom to the Pareto front"),
                    QStringLiteral("zoom-in"),
                    {},
                    tr("Show the front and the current method large (F); Home shows everything.")},
                   [this](bool) { fitSelection(); }));
    bar().addButton(addCommand({QStringLiteral("mapping.zoomAll"),
                                tr("Mapping"),
                                tr("Show the whole search map"),
                                QStringLiteral("fit"),
                                {},
                                tr("Show all methods (Home).")},
                               [this](bool) { fitAll(); }));
    m_mode = bar().addChoice(tr("Space"), {tr("whole, proven"), tr("quick"), tr("reduced by hand")},
                             tr("Whole: every tiling and order is settled. Quick: only methods of high "
                                "utilisation, as the reference "
                                "project does, relaxed until something is found. By hand: your own limits."));
    connect(m_mode, &QComboBox::activated, this, &SearchMapView::applySettings);
    m_seconds = new QDoubleSpinBox;
    m_seconds->setRange(0.1, 3600);
    m_seconds->setDecimals(1);
    m_seconds->setValue(m_state.search().settings().seconds);
    m_seconds->setSuffix(tr(" s"));
    m_seconds->setPrefix(tr("at most "));
    bar().add(m_seconds, tr("Time limit"), tr("The search ends after this time and keeps the best."));
    connect(m_seconds, &QDoubleSpinBox::valueChanged, this, &SearchMapView::applySettings);
    const std::array<QString, 3> names{tr("PEs ≥ "), tr("RF ≥ "), tr("SPM ≥ ")};
    const mapping::Reductions quick = mapping::quickReductions();
    const std::array<double, 3> values{quick.minPeUse, quick.minRfUse, quick.minSpmUse};
    for (std::size_t i = 0; i < m_use.size(); ++i) {
        m_use[i] = new QSpinBox;
        m_use[i]->setRange(0, 100);
        m_use[i]->setValue(static_cast<int>(std::lround(values[i] * 100)));
        m_use[i]->setPrefix(names[i]);
        m_use[i]->setSuffix(tr(" %"));
        bar().add(m_use[i], tr("Least utilisation %1").arg(names[i]),
                  tr("Methods that use less of it are left out."));
        connect(m_use[i], &QSpinBox::valueChanged, this, &SearchMapView::applySettings);
    }
    m_noReduction = new QCheckBox(tr("no spatial reduction"));
    m_noReduction->setChecked(quick.noSpatialReduction);
    bar().add(m_noReduction, m_noReduction->text(),
              tr("Leave out methods in which PEs add up one result together."));
    m_noFilter = new QCheckBox(tr("no filter loops at DRAM"));
    m_noFilter->setChecked(quick.noFilterLoopsAtDram);
    bar().add(m_noFilter, m_noFilter->text(), tr("Leave out methods that split the kernel over DRAM tiles."));
    for (QCheckBox* box : {m_noReduction, m_noFilter})
        connect(box, &QCheckBox::toggled, this, &SearchMapView::applySettings);
    applySettings();
}

void SearchMapView::applySettings()
{
    SearchSettings s;
    s.mode = static_cast<SearchMode>(m_mode->currentIndex());
    s.seconds = m_seconds->value();
    s.reductions = {m_use[0]->value() / 100.0, m_use[1]->value() / 100.0, m_use[2]->value() / 100.0,
                    m_noReduction->isChecked(), m_noFilter->isChecked()};
    for (QWidget* w :
         std::initializer_list<QWidget*>{m_use[0], m_use[1], m_use[2], m_noReduction, m_noFilter})
        w->setVisible(s.mode == SearchMode::Custom);
    m_state.search().setSettings(s);
    bar().updateGeometry();
    QCoreApplication::postEvent(this, new QEvent(QEvent::LayoutRequest));
}

void SearchMapView::startOrStop()
{
    if (m_state.search().isRunning())
        m_state.search().stop();
    else
        m_state.search().start(m_state.nest(), m_state.setup().architecture);
}

void SearchMapView::refresh()
{
    m_model = buildSearchMap(m_state, m_state.search());
    m_start->setText(m_model.running ? tr("Stop") : tr("Start"));
    m_start->setIcon(icon(m_model.running ? QStringLiteral("stop") : QStringLiteral("play")));
    setAccessibleDescription(m_model.title + QStringLiteral("; ") + m_model.headline);
    update();
}

void SearchMapView::settle()
{
    m_state.settle();
}

QString SearchMapView::copyText() const
{
    return searchMapAsText(m_model);
}

// -- painting and navigation -----------------------------------------------------------------------------

std::pair<Axis, Axis> SearchMapView::axes(const QRectF& plot, bool fitted) const
{
    Axis x{m_model.x0, m_model.x1, plot.left(), plot.right()};
    Axis y{m_model.y0, m_model.y1, plot.bottom(), plot.top()};
    if (!fitted && m_zoom) {
        x.v0 = m_zoom->first.v0;
        x.v1 = m_zoom->first.v1;
        y.v0 = m_zoom->second.v0;
        y.v1 = m_zoom->second.v1;
    }
    return {x, y};
}

void SearchMapView::paintContent(QPainter& painter, const QRectF& area, const Theme& theme, bool exporting)
{
    const SearchMapPlaces p = searchMapPlaces(area, m_model);
    const auto [x, y] = axes(p.plot, exporting);
    paintSearchMap(painter, m_model, p, x, y, exporting ? std::nullopt : m_marked, theme);
}

void SearchMapView::zoomBy(double factor, QPointF anchor)
{
    auto [x, y] = axes(places().plot, false);
    x = x.zoomed(factor, std::clamp(anchor.x(), x.p0, x.p1), m_model.x0, m_model.x1);
    y = y.zoomed(factor, std::clamp(anchor.y(), y.p1, y.p0), m_model.y0, m_model.y1);
    m_zoom = {x, y};
    update();
}

void SearchMapView::panBy(QPointF pixels)
{
    auto [x, y] = axes(places().plot, false);
    m_zoom = {x.panned(pixels.x(), m_model.x0, m_model.x1), y.panned(pixels.y(), m_model.y0, m_model.y1)};
    update();
}

void SearchMapView::fitAll()
{
    m_zoom.reset();
    update();
}

std::optional<QRectF> SearchMapView::shownPart() const
{
    if (!m_zoom)
        return QRectF();
    const auto& [x, y] = *m_zoom;
    return QRectF(QPointF(x.v0, y.v0), QPointF(x.v1, y.v1));
}

void SearchMapView::showPart(const QRectF& part)
{
    if (part.isEmpty()) {
        fitAll();
        return;
    }
    auto [x, y] = axes(places().plot, true);
    x.v0 = part.left(), x.v1 = part.right();
    y.v0 = part.top(), y.v1 = part.bottom();
    m_zoom = {x, y};
    panBy({}); // inside the map
}

QPointF SearchMapView::focusPoint() const
{
    return m_marked ? pointOf(*m_marked) : contentArea().center();
}

void SearchMapView::fitSelection()
{
    auto [x, y] = axes(places().plot, true);
    bool any = false;
    const auto cover = [&, &x = x, &y = y](const MapPoint& p) {
        x.v0 = any ? std::min(x.v0, p.x()) : p.x();
        x.v1 = any ? std::max(x.v1, p.x()) : p.x();
        y.v0 = any ? std::min(y.v0, p.y()) : p.y();
        y.v1 = any ? std::max(y.v1, p.y()) : p.y();
        any = true;
    };
    for (const MapPoint& p : m_model.front)
        cover(p);
    if (!any)
        return fitAll();
    if (m_model.current)
        cover(*m_model.current);
    const double marginX = std::max(0.01, (x.v1 - x.v0) * 0.15);
    const double marginY = std::max(0.005, (y.v1 - y.v0) * 0.15);
    x.v0 = std::max(m_model.x0, x.v0 - marginX);
    x.v1 = std::min(m_model.x1, x.v1 + marginX);
    y.v0 = std::max(m_model.y0, y.v0 - marginY);
    y.v1 = std::min(m_model.y1, y.v1 + marginY);
    m_zoom = {x, y};
    update();
}

QPointF SearchMapView::pointOf(const MapPoint& point) const
{
    const auto [x, y] = axes(places().plot, false);
    return {x.toPixel(point.x()), y.toPixel(point.y())};
}

std::optional<MapPoint> SearchMapView::pointAt(QPointF position) const
{
    const SearchMapPlaces p = places();
    for (std::size_t o = 0; o < m_model.optima.size(); ++o)
        if (p.rows[o].contains(position))
            return m_model.optima[o];
    if (!p.plot.contains(position))
        return std::nullopt;
    std::optional<MapPoint> best;
    double nearest = kNear;
    const auto consider = [&](const MapPoint& candidate) {
        const double d = QLineF(pointOf(candidate), position).length();
        if (d < nearest) {
            nearest = d;
            best = candidate;
        }
    };
    for (const auto& o : m_model.optima)
        if (o)
            consider(*o);
    if (m_model.baseline)
        consider(*m_model.baseline);
    for (const MapPoint& f : m_model.front)
        consider(f);
    if (best || !m_model.density)
        return best;
    const auto [x, y] = axes(p.plot, false);
    const mapping::Density& d = *m_model.density;
    const double logCycles = x.toValue(position.x());
    const double logEnergy = y.toValue(position.y());
    if (logCycles < d.minLogCycles || logCycles > d.maxLogCycles || logEnergy < d.minLogEnergy ||
        logEnergy > d.maxLogEnergy)
        return std::nullopt;
    const int example = d.exampleOf[d.cellOf(
        {std::pow(10.0, logEnergy), static_cast<std::int64_t>(std::pow(10.0, logCycles))})];
    if (example < 0)
        return std::nullopt;
    const mapping::MethodCost& m = d.examples[static_cast<std::size_t>(example)];
    return MapPoint{tr("best of what was drawn here"), m.energy, m.cycles, m.method};
}

void SearchMapView::load(const MapPoint& point)
{
    if (point.method)
        m_state.applyMethod(*point.method, tr("Load a method of the map"));
}

QString SearchMapView::tooltipAt(QPointF position) const
{
    const auto p = pointAt(position);
    if (!p)
        return {};
    return QStringLiteral("<b>%1</b><br>%2<br>%3<br>%4%5")
        .arg(p->name, tr("energy %1 pJ").arg(exactNumber(p->energy)), tr("cycles %1").arg(p->cycles),
             tr("EDP %1").arg(exactNumber(p->edp())),
             p->method ? tr("<br><i>Click to load it into the editor.</i>") : QString());
}

// -- input -----------------------------------------------------------------------------------------------

void SearchMapView::mousePressEvent(QMouseEvent* event)
{
    m_pressedAt = event->position();
    ToolCanvas::mousePressEvent(event);
}

void SearchMapView::mouseMoveEvent(QMouseEvent* event)
{
    if (isPanning()) {
        ToolCanvas::mouseMoveEvent(event);
        return;
    }
    m_marked = pointAt(event->position());
    setCursor(m_marked && m_marked->method ? Qt::PointingHandCursor : Qt::ArrowCursor);
    update();
}

void SearchMapView::mouseReleaseEvent(QMouseEvent* event)
{
    if (event->button() == Qt::LeftButton && QLineF(m_pressedAt, event->position()).length() < kClick)
        if (const auto p = pointAt(event->position()))
            load(*p);
    ToolCanvas::mouseReleaseEvent(event);
}

void SearchMapView::addOwnKeys()
{
    // Energies ascend along the front, cycles descend: the next point lies to the left.
    addKeys("front", tr("Walk along the front"), {QKeySequence(Qt::Key_Left), QKeySequence(Qt::Key_Right)},
            tr("Mark the next mapping that nothing beats in both energy and cycles."),
            [this](const KeyUse& use) {
                const int count = static_cast<int>(m_model.front.size());
                if (count == 0)
                    return;
                const int by = use.index == 0 ? 1 : -1;
                m_frontIndex =
                    m_frontIndex < 0 ? (by > 0 ? 0 : count - 1) : std::clamp(m_frontIndex + by, 0, count - 1);
                m_marked = m_model.front[static_cast<std::size_t>(m_frontIndex)];
                update();
            });
    addKeys("load", tr("Take the marked mapping"), {QKeySequence(Qt::Key_Return)},
            tr("Open it in the mapping."), [this] {
                if (m_marked)
                    load(*m_marked);
            });
    addGesture("click", tr("Take a mapping"), tr("click"), tr("Open the point in the mapping."));
}

void SearchMapView::leaveEvent(QEvent* event)
{
    m_marked.reset();
    update();
    ToolCanvas::leaveEvent(event);
}

} // namespace tilewright::ui
