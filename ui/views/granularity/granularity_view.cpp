// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/granularity/granularity_view.h"

#include "theme/number.h"
#include "workspace/schedule_edits.h"

#include <QComboBox>
#include <QMouseEvent>
#include <QPainter>
#include <QSignalBlocker>
#include <QWheelEvent>

#include <algorithm>

namespace tilewright::ui {

namespace {

/// The selected subgraph, else the first that computes a selected op, else the first.
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
        else if (m_depth->itemText(i) != text) // setting an unchanged text would cause a layout of the bar
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

/// The wheel is passed on: the map does not zoom or pan, the page that contains it scrolls.
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
