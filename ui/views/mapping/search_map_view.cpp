// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/mapping/search_map_view.h"

#include "canvas/number_box.h"
#include "theme/icon.h"
#include "theme/text.h"
#include "views/mapping/nest_model.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QPainter>
#include <QToolButton>

#include <cmath>

namespace tilewright::ui {

SearchMapView::SearchMapView(const ViewContext& context, QWidget* parent)
    : PlotCanvas(context, QStringLiteral("mapping-search"), tr("Mapping search"), parent),
      m_state(context.workspace.mapping())
{
    createControls();
    addOwnKeys();
    connect(&m_state, &MappingDocument::setupChanged, this, &SearchMapView::refresh);
    connect(&m_state, &MappingDocument::baselineChanged, this, &SearchMapView::refresh);
    connect(&m_state, &MappingDocument::spaceChanged, this, [this] {
        showControls();
        fitAll();
        m_marked.reset();
        m_frontIndex = -1;
    });
    connect(&m_state.search(), &MappingSearch::changed, this, &SearchMapView::refresh);
    refresh();
    followWorkload(Lens::Mapping);
}

void SearchMapView::createControls()
{
    m_start = addCommand({QStringLiteral("mapping.search"),
                          tr("Mapping"),
                          tr("Search for the best methods"),
                          QStringLiteral("play"),
                          {},
                          tr("Search the best methods for this layer on this hardware. Press again to stop "
                             "and keep the best.")},
                         [this](bool) { startOrStop(); });
    QToolButton* button = bar().addButton(m_start);
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    button->setObjectName(QStringLiteral("start"));
    bar().addButton(addCommand({QStringLiteral("mapping.zoomFront"),
                                tr("Mapping"),
                                tr("Zoom to the Pareto front"),
                                QStringLiteral("zoom-in"),
                                {},
                                tr("Zoom to the front and the current method ({canvas.fitSelection|F}); "
                                   "{canvas.fitAll|Home} shows everything.")},
                               [this](bool) { fitSelection(); }));
    bar().addButton(addCommand({QStringLiteral("mapping.zoomAll"),
                                tr("Mapping"),
                                tr("Show the whole search map"),
                                QStringLiteral("fit"),
                                {},
                                tr("Show all methods ({canvas.fitAll|Home}).")},
                               [this](bool) { fitAll(); }));
    m_mode = bar().addChoice(tr("Space"), {tr("whole, proven"), tr("quick"), tr("reduced by hand")},
                             tr("Whole: every tiling and order is searched or discarded by a bound. Quick: "
                                "only methods of high utilisation, as the reference project does, relaxed "
                                "until a method is found. Reduced by hand: your own limits."));
    connect(m_mode, &QComboBox::activated, this, &SearchMapView::applySettings);
    m_objective = bar().addChoice(
        tr("Settle"), {tr("minimum EDP"), tr("minimum energy"), tr("fewest cycles"), tr("all and the front")},
        tr("What the search proves. The front of energy against cycles is complete only if all is "
           "settled, which takes longer."));
    m_objective->setObjectName(QStringLiteral("objective"));
    connect(m_objective, &QComboBox::activated, this, [this] {
        applySettings();
        m_state.startSearch();
    });
    m_seconds = new DecimalBox;
    m_seconds->setRange(0.1, 3600);
    m_seconds->setDecimals(1);
    m_seconds->setValue(m_state.search().settings().seconds);
    m_seconds->setSuffix(tr(" s"));
    m_seconds->setPrefix(tr("at most "));
    bar().add(m_seconds, tr("Time limit"), tr("The search ends after this time and keeps the best methods."));
    connect(m_seconds, &QDoubleSpinBox::valueChanged, this, &SearchMapView::applySettings);
    const std::array<QString, 3> names{tr("PEs ≥ "), tr("RF ≥ "), tr("SPM ≥ ")};
    const mapping::Reductions quick = mapping::quickReductions();
    const std::array<double, 3> values{quick.minPeUse, quick.minRfUse, quick.minSpmUse};
    for (std::size_t i = 0; i < m_use.size(); ++i) {
        m_use[i] = new NumberBox;
        m_use[i]->setRange(0, 100);
        m_use[i]->setValue(static_cast<int>(std::lround(values[i] * 100)));
        m_use[i]->setPrefix(names[i]);
        m_use[i]->setSuffix(tr(" %"));
        bar().add(m_use[i], tr("Minimum utilisation %1").arg(names[i]),
                  tr("Methods with a lower utilisation are left out."));
        connect(m_use[i], &QSpinBox::valueChanged, this, &SearchMapView::applySettings);
    }
    m_noReduction = new QCheckBox(tr("no spatial reduction"));
    m_noReduction->setChecked(quick.noSpatialReduction);
    bar().add(m_noReduction, m_noReduction->text(),
              tr("Leave out methods in which several PEs add up one result."));
    m_noFilter = new QCheckBox(tr("no filter loops at DRAM"));
    m_noFilter->setChecked(quick.noFilterLoopsAtDram);
    bar().add(m_noFilter, m_noFilter->text(), tr("Leave out methods that split the kernel into DRAM tiles."));
    for (QCheckBox* box : {m_noReduction, m_noFilter})
        connect(box, &QCheckBox::toggled, this, &SearchMapView::applySettings);
    applySettings();
}

void SearchMapView::applySettings()
{
    SearchSettings s;
    s.mode = static_cast<SearchMode>(m_mode->currentIndex());
    s.seconds = m_seconds->value();
    s.reductions = {m_use[0]->value() / 100.0,  m_use[1]->value() / 100.0, m_use[2]->value() / 100.0,
                    m_noReduction->isChecked(), m_noFilter->isChecked(),   {}};
    switch (m_objective->currentIndex()) {
    case 0:
        s.objective = mapping::Objective::Edp;
        break;
    case 1:
        s.objective = mapping::Objective::Energy;
        break;
    case 2:
        s.objective = mapping::Objective::Cycles;
        break;
    default:
        s.objective.reset();
    }
    m_state.search().setSettings(s);
    showControls();
}

/// Shows the controls that apply to the cost model in use.
void SearchMapView::showControls()
{
    const bool levels = m_state.setup().levels.has_value();
    const bool byHand = !levels && m_state.search().settings().mode == SearchMode::Custom;
    for (QWidget* w :
         std::initializer_list<QWidget*>{m_use[0], m_use[1], m_use[2], m_noReduction, m_noFilter})
        w->setVisible(byHand);
    bar().setShown(m_mode, !levels);
    bar().setShown(m_objective, levels);
    bar().updateGeometry();
    QCoreApplication::postEvent(this, new QEvent(QEvent::LayoutRequest));
}

void SearchMapView::startOrStop()
{
    if (m_state.search().isRunning())
        m_state.search().stop();
    else
        m_state.startSearch();
}

void SearchMapView::refresh()
{
    m_model = buildSearchMap(m_state, m_state.search());
    m_start->setText(m_model.running ? tr("Stop") : tr("Start"));
    m_start->setIcon(icon(m_model.running ? QStringLiteral("stop") : QStringLiteral("play")));
    setAccessibleDescription(m_model.title + QStringLiteral("; ") + m_model.headline);
    outdatePlots();
}

void SearchMapView::settle()
{
    m_state.search().settleDensity();
}

QString SearchMapView::copyText() const
{
    return searchMapAsText(m_model);
}

// -- painting and navigation -----------------------------------------------------------------------------

std::vector<PlotModel> SearchMapView::buildPlots(const Theme& theme) const
{
    return {searchMapPlot(m_model, theme)};
}

void SearchMapView::paintBeside(QPainter& painter, const QRectF& area, const Theme& theme, bool exporting)
{
    paintSearchPanel(painter, m_model, searchMapPlaces(area, m_model), exporting ? std::nullopt : m_marked,
                     theme);
    if (exporting || !m_marked || !frame().plot.contains(pointOf(*m_marked)))
        return;
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(theme.text, 2));
    painter.drawEllipse(pointOf(*m_marked), 6, 6);
}

QPointF SearchMapView::focusPoint() const
{
    return m_marked ? pointOf(*m_marked) : contentArea().center();
}

void SearchMapView::fitSelection()
{
    if (measured() || m_model.front.empty())
        return PlotCanvas::fitSelection();
    QRectF part(QPointF(m_model.front[0].x(), m_model.front[0].y()), QSizeF(0, 0));
    const auto cover = [&](const MapPoint& p) {
        part.setCoords(std::min(part.left(), p.x()), std::min(part.top(), p.y()),
                       std::max(part.right(), p.x()), std::max(part.bottom(), p.y()));
    };
    for (const MapPoint& p : m_model.front)
        cover(p);
    if (m_model.current)
        cover(*m_model.current);
    const double marginX = std::max(0.01, part.width() * 0.15);
    const double marginY = std::max(0.005, part.height() * 0.15);
    showPart(part.adjusted(-marginX, -marginY, marginX, marginY));
}

QPointF SearchMapView::pointOf(const MapPoint& point) const
{
    return frame().toPixel(std::pow(10, point.x()), std::pow(10, point.y()));
}

std::optional<MapPoint> SearchMapView::pointAt(QPointF position, const PlotMark* mark) const
{
    const SearchMapPlaces p = places();
    for (std::size_t o = 0; o < m_model.optima.size(); ++o)
        if (p.rows[o].contains(position))
            return m_model.optima[o];
    if (mark)
        return *mapPointOf(m_model, *mark);
    const PlotFrame f = frame();
    if (!m_model.density || !f.plot.contains(position))
        return std::nullopt;
    const mapping::Density& d = *m_model.density;
    const double logCycles = std::log10(f.x.toValue(position.x()));
    const double logEnergy = std::log10(f.y.toValue(position.y()));
    if (logCycles < d.minLogCycles || logCycles > d.maxLogCycles || logEnergy < d.minLogEnergy ||
        logEnergy > d.maxLogEnergy)
        return std::nullopt;
    const int example = d.exampleOf[d.cellOf(
        {std::pow(10.0, logEnergy), static_cast<std::int64_t>(std::pow(10.0, logCycles))})];
    if (example < 0)
        return std::nullopt;
    const mapping::MethodCost& m = d.examples[static_cast<std::size_t>(example)];
    return MapPoint{tr("best method drawn here"), m.energy, static_cast<double>(m.cycles), m.method};
}

void SearchMapView::load(const MapPoint& point)
{
    if (point.mapping)
        m_state.applyMapping(*point.mapping, tr("Load a method of the map"));
}

QString SearchMapView::tooltipAt(QPointF position) const
{
    const PlotModel* plot = plots().empty() ? nullptr : &plots().front();
    const auto p = pointAt(position, plot ? plotMarkAt(*plot, frame(), position) : nullptr);
    if (!p)
        return {};
    return QStringLiteral("<b>%1</b><br>%2<br>%3<br>%4%5")
        .arg(p->name, tr("energy %1 pJ").arg(exactNumber(p->energy)), tr("cycles %1").arg(number(p->cycles)),
             tr("EDP %1").arg(exactNumber(p->edp())),
             p->mapping ? tr("<br><i>Click to load it into the editor.</i>") : QString());
}

// -- input -----------------------------------------------------------------------------------------------

void SearchMapView::markHovered(QPointF at, const PlotMark* mark)
{
    m_marked = pointAt(at, mark);
    setCursor(m_marked && m_marked->mapping ? Qt::PointingHandCursor : Qt::ArrowCursor);
}

void SearchMapView::markClicked(QPointF at, const PlotMark* mark, Qt::KeyboardModifiers)
{
    if (const auto p = pointAt(at, mark))
        load(*p);
}

void SearchMapView::addOwnKeys()
{
    // Along the front, energy increases while cycles decrease, so the next point is further left.
    addKeys("front", tr("Move along the front"), {QKeySequence(Qt::Key_Left), QKeySequence(Qt::Key_Right)},
            tr("Select the next method on the Pareto front of energy and cycles."),
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
    addKeys("load", tr("Load the selected method"), {QKeySequence(Qt::Key_Return)},
            tr("Load it into the editor."), [this] {
                if (m_marked)
                    load(*m_marked);
            });
    addGesture("click", tr("Load a method"), tr("click"),
               tr("Load the method of the point into the editor."));
}

} // namespace tilewright::ui
