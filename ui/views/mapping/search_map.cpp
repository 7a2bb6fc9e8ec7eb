// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/mapping/search_map.h"

#include "chart/plot_paint.h"
#include "theme/text.h"
#include "theme/text_metrics.h"
#include "theme/theme.h"
#include "views/mapping/nest_model.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace tilewright::ui {

using namespace mapping;

namespace {

/// Describes what a search has proven.
QString verdict(const FoundMappings& found, bool levels)
{
    const mapping::Objective objective = found.asked.value_or(mapping::Objective::Edp);
    const auto o = static_cast<std::size_t>(objective);
    const QString name = objective == mapping::Objective::Energy   ? tr("energy")
                         : objective == mapping::Objective::Cycles ? tr("cycles")
                                                                   : tr("EDP");
    if (!found.wanted())
        return !found.reason.empty() ? tr("No mapping: %1").arg(QString::fromStdString(found.reason))
               : !found.proven       ? tr("No method that fits has been found yet")
               : levels              ? tr("Proven: no mapping of this layer fits the hardware")
                                     : tr("Proven: no method of this space fits the hardware");
    if (found.proven && found.reduced)
        return tr("Proven within the reduced space");
    if (found.proven)
        return found.asked && found.constrained
                   ? tr("Proven within the constraints: no mapping has less %1").arg(name)
               : found.asked ? tr("Proven: no mapping has less %1").arg(name)
                             : tr("Proven: no method is better");
    if (found.optimal[o])
        return tr("Proven minimum of %1; the Pareto front is not complete").arg(name);
    if (!std::isfinite(found.gap[o]))
        return tr("Not proven: no bound of %1 is known").arg(name);
    return tr("Not proven: %1 at most %2 above the optimum").arg(name, percent(found.gap[o]));
}

void describeFourLevels(SearchMapModel& out, const MappingDocument& state, const MappingSearch& search)
{
    SearchCounts counts;
    double seconds = 0;
    bool reduced = search.settings().mode != SearchMode::Proven;
    if (const SearchResultPtr& r = search.result()) {
        counts = r->counts;
        seconds = r->seconds;
        out.settled = r->settled;
        reduced = r->reductions.any();
    } else if (const auto& status = search.status()) {
        counts = status->counts;
        seconds = status->seconds;
        out.settled = status->settled;
    }
    out.progress = percent(out.settled);
    if (out.running && reduced)
        out.headline = tr("Searching a reduced space …");
    out.facts = {{tr("tilings in the space"), counts.space ? number(*counts.space) : tr("more than 2⁶³")},
                 {tr("do not fit"), number(counts.invalid)},
                 {tr("visited"), number(counts.visited)},
                 {tr("discarded by a bound"), number(counts.cut)},
                 {tr("costs computed"), number(counts.evaluations)},
                 {tr("time"), secondsText(seconds)}};
    if (const auto& padding = search.padding()) {
        for (std::size_t l = 0; l < kMaxLoops; ++l)
            if (const auto trip = state.nest().trips[l]; padding->trips[l] != trip)
                out.facts.push_back({tr("padding %1").arg(word(state.nest().loopNames[l])),
                                     tr("%1 to %2").arg(number(trip), number(padding->trips[l]))});
        const double now = search.result()->of(mapping::Objective::Edp)->edp;
        out.facts.push_back(
            {tr("effect of padding"), tr("%1 less EDP").arg(percent(1 - padding->best.edp / now))});
    }
    if (out.density && out.density->tried > 0)
        out.facts.push_back({tr("points in the density"), number(out.density->methods)});
}

/// The number of tilings of an architecture with levels is not known, so the elapsed time determines the
/// progress.
void describeLevels(SearchMapModel& out, const MappingSearch& search)
{
    const double limit = search.settings().seconds;
    if (const LevelsResultPtr& r = search.levelsResult()) {
        out.settled = r->proven ? 1 : std::min(1.0, r->seconds / limit);
        out.facts = {{tr("tilings looked at"), number(r->tilings)},
                     {tr("discarded by a bound"), number(r->cut)},
                     {tr("costs and bounds computed"), number(r->evaluations)},
                     {tr("time"), secondsText(r->seconds)}};
    } else if (const auto& status = search.levelsStatus()) {
        out.settled = std::min(1.0, status->seconds / limit);
        out.progress =
            tr("at most %1 left").arg(secondsText(std::ceil(std::max(0.0, limit - status->seconds))));
        out.facts = {{tr("costs and bounds computed"), number(status->evaluations)}};
        const std::array<QString, kObjectives> names{tr("least energy so far, pJ"),
                                                     tr("fewest cycles so far"), tr("least EDP so far")};
        for (std::size_t o = 0; o < kObjectives; ++o)
            if (status->best[o])
                out.facts.emplace_back(names[o], o + 1 < kObjectives ? number(std::round(*status->best[o]))
                                                                     : scientific(*status->best[o]));
    }
}

void describeSearch(SearchMapModel& out, const MappingDocument& state, const MappingSearch& search)
{
    const MappingSetup& setup = state.setup();
    if (const FoundPtr& found = search.found()) {
        out.proven = found->proven;
        out.headline = verdict(*found, setup.levels.has_value());
    } else {
        out.headline = tr("Press Start to search");
    }
    if (out.running)
        out.headline = tr("Searching the whole space …");
    if (setup.levels)
        describeLevels(out, search);
    else
        describeFourLevels(out, state, search);
    out.facts.insert(out.facts.begin(), {tr("hardware"), QString::fromStdString(setup.hardwareName())});
    const QStringList words = modelWords(setup, state.nest());
    for (qsizetype i = 0; i < words.size(); ++i)
        out.facts.insert(out.facts.begin() + 1 + i, {i == 0 ? tr("model") : QString(), words[i]});
}

} // namespace

double MapPoint::x() const
{
    return std::log10(std::max(1.0, cycles));
}

double MapPoint::y() const
{
    return std::log10(std::max(1e-3, energy));
}

SearchMapModel buildSearchMap(const MappingDocument& state, const MappingSearch& search)
{
    SearchMapModel out;
    out.title = QString::fromStdString(state.setup().layer.name.empty() ? describe(state.setup().layer)
                                                                        : state.setup().layer.name);
    out.running = search.isRunning();
    out.density = search.density() && search.density()->tilings > 0 ? search.density() : nullptr;
    const std::array<QString, kObjectives> minima{tr("minimum energy"), tr("fewest cycles"),
                                                  tr("minimum EDP")};
    const std::array<QString, kObjectives> found{tr("least energy found"), tr("fewest cycles found"),
                                                 tr("least EDP found")};
    for (std::size_t o = 0; o < kObjectives; ++o)
        out.names[o] =
            state.setup().levels && !(search.found() && search.found()->optimal[o]) ? found[o] : minima[o];
    const auto& names = out.names;
    if (const FoundPtr& result = search.found()) {
        for (const FoundMapping& m : result->front)
            out.front.push_back({result->asked ? tr("front, not complete") : tr("Pareto front"), m.energy,
                                 m.cycles, m.mapping});
        for (std::size_t o = 0; o < kObjectives; ++o)
            if (const auto& best = result->best[o])
                out.optima[o] = MapPoint{names[o], best->energy, best->cycles, best->mapping};
    } else if (const auto& status = search.status()) {
        for (const Cost& c : status->front)
            out.front.push_back(
                {tr("Pareto front so far"), c.energy, static_cast<double>(c.cycles), std::nullopt});
        for (std::size_t o = 0; o < kObjectives; ++o)
            if (const auto& best = status->best[o])
                out.optima[o] =
                    MapPoint{names[o], best->energy, static_cast<double>(best->cycles), std::nullopt};
    }
    const MappingFigures& now = state.figures();
    if (now.hasNumbers)
        out.current = MapPoint{tr("current"), now.energy, now.cycles, state.setup().shown()};
    out.currentValid = now.valid();
    if (const auto& b = state.baseline(); b && b->evaluation.figures.hasNumbers &&
                                          b->setup.levels.has_value() == state.setup().levels.has_value())
        out.baseline = MapPoint{tr("baseline"), b->evaluation.figures.energy, b->evaluation.figures.cycles,
                                b->setup.shown()};

    bool any = false;
    const auto cover = [&](double x, double y) {
        if (!any) {
            out.x0 = out.x1 = x;
            out.y0 = out.y1 = y;
        }
        any = true;
        out.x0 = std::min(out.x0, x);
        out.x1 = std::max(out.x1, x);
        out.y0 = std::min(out.y0, y);
        out.y1 = std::max(out.y1, y);
    };
    if (out.density) {
        cover(out.density->minLogCycles, out.density->minLogEnergy);
        cover(out.density->maxLogCycles, out.density->maxLogEnergy);
    }
    for (const MapPoint& p : out.front)
        cover(p.x(), p.y());
    for (const auto* p : {&out.current, &out.baseline, &out.optima[0], &out.optima[1], &out.optima[2]})
        if (*p)
            cover((*p)->x(), (*p)->y());
    const double marginX = std::max(0.05, (out.x1 - out.x0) * 0.05);
    const double marginY = std::max(0.02, (out.y1 - out.y0) * 0.07);
    out.x0 -= marginX;
    out.x1 += marginX;
    out.y0 -= marginY;
    out.y1 += marginY;
    describeSearch(out, state, search);
    return out;
}

QString searchMapAsText(const SearchMapModel& model)
{
    QString out = tr("method\tenergy pJ\tcycles\tEDP\n");
    const auto row = [&](const MapPoint& p) { out += textRow(p.name, p.energy, p.cycles, p.edp()); };
    for (const auto& p : model.optima)
        if (p)
            row(*p);
    if (model.current)
        row(*model.current);
    for (const MapPoint& p : model.front)
        row(p);
    return out;
}

namespace {

PlotMark optimumMark(std::size_t objective, const Theme& theme)
{
    PlotMark m;
    m.shape = objective == 0   ? PlotShape::TriangleDown // symbol of the mapping with the least energy
              : objective == 1 ? PlotShape::TriangleLeft // symbol of the mapping with the fewest cycles
                               : PlotShape::Diamond;     // symbol of the mapping with the least EDP
    m.radius = objective == 2 ? 8 : 7.5;
    m.halo = QPen(theme.canvas, 3);
    m.pen = QPen(theme.text, 1.5);
    m.brush = theme.category(7);
    return m;
}

PlotMark placed(PlotMark mark, const MapPoint& point, int id = -1)
{
    mark.x = point.cycles;
    mark.y = point.energy;
    mark.id = id;
    return mark;
}

QPointF valueOf(const MapPoint& point)
{
    return {point.cycles, point.energy};
}

PlotRaster rasterOf(const mapping::Density& d)
{
    PlotRaster out{d.columns,
                   d.rows,
                   {std::pow(10, d.minLogCycles), std::pow(10, d.minLogEnergy)},
                   {std::pow(10, d.maxLogCycles), std::pow(10, d.maxLogEnergy)},
                   {}};
    const double most = std::log1p(static_cast<double>(*std::max_element(d.counts.begin(), d.counts.end())));
    for (int row = 0; row < d.rows; ++row)
        for (int column = 0; column < d.columns; ++column) {
            const std::uint32_t n = d.counts[d.cell(column, row)];
            out.shares.push_back(n == 0 ? -1 : 0.08 + 0.92 * std::log1p(static_cast<double>(n)) / most);
        }
    return out;
}

/// Adds the front and fills the region below and left of it, in which there are no points.
void addFront(PlotModel& p, const std::vector<MapPoint>& front, const Theme& theme)
{
    if (front.empty())
        return;
    PlotLine stairs{{}, {{valueOf(front.back()).x(), p.y.farHigh()}}, QPen(theme.canvas, 4), true};
    for (std::size_t i = front.size(); i-- > 0;)
        stairs.points.push_back(valueOf(front[i]));
    stairs.points.emplace_back(p.x.farHigh(), valueOf(front.front()).y());
    p.lines.push_back(stairs); // drawn twice, so that the line is visible on any background
    stairs.pen = QPen(theme.accent, 2);
    p.lines.push_back(std::move(stairs));
    PlotMark mark;
    mark.pen = QPen(theme.accent, 1.5);
    mark.brush = theme.canvas;
    for (std::size_t i = 0; i < front.size(); ++i)
        p.marks.push_back(placed(mark, front[i], kFirstOfFront + static_cast<int>(i)));
}

void paintRow(QPainter& painter, const QRectF& row, const QString& name, const std::optional<MapPoint>& p,
              const PlotMark& mark, bool hot, const Theme& theme)
{
    painter.setPen(QPen(hot ? theme.accent : theme.grid, hot ? 2 : 1));
    painter.setBrush(theme.panel);
    painter.drawRoundedRect(row.adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
    const QFont bold = uiFont(1, QFont::DemiBold);
    const QFont small = uiFont(0.85);
    const TextMetrics fm(small);
    const QPointF at = row.topLeft() + QPointF(30, 4);
    const double width = row.right() - 6 - at.x();
    paintPlotMark(painter, QPointF(row.left() + 15, row.center().y()), mark);
    const double below = at.y() + 1 + writeLine(painter, at, width, name, bold, theme.text);
    const QString edp = p ? tr("EDP %1").arg(scientific(p->edp())) : QString();
    const double room = fm.horizontalAdvance(edp);
    if (at.x() + TextMetrics(bold).horizontalAdvance(name) + 10 + room <= row.right() - 8)
        writeLine(painter, {row.right() - 8 - room, below - 1 - fm.height()}, room, edp, small, theme.muted);
    writeLine(painter, {at.x(), below}, width,
              p ? tr("%1 pJ · %2 cycles").arg(number(std::round(p->energy)), number(p->cycles))
                : QStringLiteral("–"),
              small, theme.muted);
}

} // namespace

PlotModel searchMapPlot(const SearchMapModel& model, const Theme& theme)
{
    PlotModel p;
    p.x = {tr("cycles"), Scale::Log, std::pow(10, model.x0), std::pow(10, model.x1)};
    p.y = {tr("energy, pJ"), Scale::Log, std::pow(10, model.y0), std::pow(10, model.y1)};
    if (model.density) {
        p.raster = rasterOf(*model.density);
        p.keys = {rampKey(tr("few methods"), tr("many"), theme)};
    }
    addFront(p, model.front, theme);
    if (model.baseline) {
        PlotMark mark;
        mark.radius = 9;
        mark.pen = QPen(theme.text, 1.5, Qt::DashLine);
        p.marks.push_back(placed(mark, *model.baseline, kBaselineMark));
        if (model.current)
            p.lines.push_back(
                {{}, {valueOf(*model.baseline), valueOf(*model.current)}, QPen(theme.text, 1, Qt::DotLine)});
    }
    for (std::size_t o = 0; o < model.optima.size(); ++o)
        if (model.optima[o])
            p.marks.push_back(placed(optimumMark(o, theme), *model.optima[o], static_cast<int>(o)));
    if (model.current) {
        PlotMark mark;
        mark.shape = PlotShape::Target;
        mark.radius = 9;
        mark.halo = QPen(theme.canvas, 5);
        mark.pen = model.currentValid ? QPen(theme.computeBound, 3) : QPen(theme.error, 3, Qt::DotLine);
        p.marks.push_back(
            // Without an id: a click has no effect, because the current method is loaded already.
            placed(mark, *model.current));
    }
    const auto name = [&](const std::optional<MapPoint>& point, const QString& text) {
        if (point)
            p.labels.push_back({{text}, valueOf(*point), valueOf(*point), theme.text, false, true});
    };
    name(model.current, model.currentValid ? tr("current") : tr("current, does not fit"));
    for (const std::size_t o : {2, 0, 1})
        name(model.optima[o], model.names[o]);
    name(model.baseline, tr("baseline"));
    return p;
}

const MapPoint* mapPointOf(const SearchMapModel& model, const PlotMark& mark)
{
    const auto i = static_cast<std::size_t>(mark.id);
    return i < model.optima.size()    ? &*model.optima[i]
           : mark.id == kBaselineMark ? &*model.baseline
                                      : &model.front[i - kFirstOfFront];
}

SearchMapPlaces searchMapPlaces(const QRectF& area, const SearchMapModel& model)
{
    SearchMapPlaces out;
    const QFontMetricsF fm(uiFont());
    const QFontMetricsF small(uiFont(0.85));
    const double row = fm.height() + small.height() + 9;
    const double facts = static_cast<double>(model.facts.size()) * (small.height() + 1);
    const double panelHeight = fm.height() * 2 + 30 + facts + 4 * (row + 5);
    const double digit = fm.horizontalAdvance(QLatin1Char('8'));
    const bool wide = area.width() >= std::max(640.0, digit * 76);
    // A low pane has no room for plot and panel one below the other.
    const bool beside = wide || (area.height() < 24 * fm.height() && area.width() >= digit * 52);
    const double least = wide ? std::max(300.0, digit * 36) : digit * 26;
    const double panelWidth = std::clamp(area.width() * 0.3, least, std::max(least, area.width() * 0.5));
    QRectF map = area;
    if (beside) {
        out.panel = QRectF(area.right() - panelWidth, area.top() + 8, panelWidth - 12, area.height() - 16);
        map.setRight(out.panel.left() - 12);
    } else {
        map.setHeight(std::max(140.0, area.height() - panelHeight - 8));
        out.panel = QRectF(area.left() + 12, map.bottom(), area.width() - 24,
                           std::min(panelHeight, area.bottom() - map.bottom() - 8));
    }
    out.map = map;
    double y = out.panel.top() + 2 * fm.height() + 6;
    out.progress = QRectF(out.panel.left(), y, out.panel.width(), 10);
    y += 18;
    // In a low view the facts are left out before the rows, because rows can be clicked.
    const double rows = 4 * (row + 5);
    const double room = out.panel.bottom() - y - rows;
    const double factsShown = room >= facts + 4 ? facts : 0;
    out.facts = QRectF(out.panel.left(), y, out.panel.width(), factsShown);
    y += factsShown + (factsShown > 0 ? 8 : 0);
    for (QRectF& r : out.rows) {
        r = QRectF(out.panel.left(), y, out.panel.width(), row);
        y += row + 5;
    }
    return out;
}

void paintSearchPanel(QPainter& painter, const SearchMapModel& model, const SearchMapPlaces& places,
                      const std::optional<MapPoint>& marked, const Theme& theme)
{
    const QRectF& panel = places.panel;
    const double head = panel.top() + 2 +
                        writeLine(painter, panel.topLeft(), panel.width(), model.title,
                                  uiFont(1.1, QFont::DemiBold), theme.text);
    const bool proven = model.proven && !model.running;
    const QColor& ink = proven ? theme.ok : theme.muted;
    const QString& share = model.progress;
    const double room = TextMetrics(uiFont()).horizontalAdvance(share);
    writeLine(painter, {panel.left(), head}, panel.width() - room - 10,
              (proven ? QStringLiteral("✓ ") : QString()) + model.headline, uiFont(), ink);
    writeLine(painter, {panel.right() - room, head}, room, share, uiFont(), ink);
    painter.setPen(QPen(theme.outline, 1));
    painter.setBrush(theme.canvas);
    painter.drawRoundedRect(places.progress.adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
    QRectF done = places.progress.adjusted(1.5, 1.5, -1.5, -1.5);
    done.setWidth(done.width() * std::clamp(model.settled, 0.0, 1.0));
    painter.setPen(Qt::NoPen);
    painter.setBrush(model.proven ? theme.ok : theme.accent);
    painter.drawRoundedRect(done, 3, 3);
    painter.setFont(uiFont(0.85));
    const QFontMetricsF small(painter.font());
    double factY = places.facts.top() + small.ascent();
    for (const auto& [name, value] : model.facts) {
        if (places.facts.height() <= 0)
            break;
        painter.setPen(theme.muted);
        painter.drawText(QPointF(panel.left(), factY), name);
        painter.setPen(theme.text);
        painter.drawText(QPointF(panel.right() - small.horizontalAdvance(value), factY), value);
        factY += small.height() + 1;
    }
    for (std::size_t o = 0; o < 3; ++o) {
        const bool hot =
            marked && model.optima[o] && marked->mapping && marked->mapping == model.optima[o]->mapping;
        const QString name = model.names[o].left(1).toUpper() + model.names[o].mid(1);
        paintRow(painter, places.rows[o], name, model.optima[o], optimumMark(o, theme), hot, theme);
    }
    PlotMark current;
    current.radius = 6;
    current.pen = QPen(theme.computeBound, 3);
    paintRow(painter, places.rows[3], model.currentValid ? tr("Current") : tr("Current, does not fit"),
             model.current, current, false, theme);
}

} // namespace tilewright::ui
