// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/tiles/tiles_model.h"

#include "theme/text.h"
#include "workspace/texts.h"

#include <QStringList>

#include <algorithm>
#include <cstdlib>

namespace tilewright::ui {

namespace {

/// Returns the share of the last tile along an axis that is inside the tensor. The largest sink decides.
double lastFraction(const Problem& problem, const Subgraph& subgraph, bool rows)
{
    std::int64_t largest = 0;
    for (const TensorId t : boundaryOf(problem, subgraph.ops).sinks)
        largest = std::max(largest, rows ? problem.tensor(t).height : problem.tensor(t).width);
    const std::int64_t tile = rows ? subgraph.granularity.h : subgraph.granularity.w;
    const std::int64_t rest = largest % tile;
    return rest == 0 ? 1.0 : static_cast<double>(rest) / static_cast<double>(tile);
}

} // namespace

std::shared_ptr<const TileTrace> buildTileTrace(const TraceKey& key, const Progress& progress,
                                                std::int64_t expectedSteps)
{
    auto out = std::make_shared<TileTrace>();
    out->key = key;
    out->steps =
        StepTable::build(*key.problem, *key.subgraph, key.resident, key.rules, progress, expectedSteps);
    const StepTable& steps = *out->steps;
    if (steps.end() == StepTable::End::Stopped)
        return nullptr;
    if (steps.end() == StepTable::End::Invalid)
        return out;
    out->grid = tileGrid(*key.problem, key.subgraph->ops, key.subgraph->granularity);
    out->lastRow = lastFraction(*key.problem, *key.subgraph, true);
    out->lastCol = lastFraction(*key.problem, *key.subgraph, false);
    if (out->grid.tiles() > kMaxTiles)
        return out;
    out->tiles.resize(static_cast<std::size_t>(out->grid.tiles()));
    bool first = true;
    const auto visits = steps.visits();
    for (std::size_t v = 0; v < visits.size(); ++v) {
        TileSums& tile = out->tiles[static_cast<std::size_t>(visits[v].tile)];
        tile.visit = static_cast<std::int32_t>(v);
        const std::int64_t end = steps.visitEnd(static_cast<std::int64_t>(v));
        for (std::int64_t i = visits[v].firstStep; i < end; ++i) {
            const StepSums& s = steps.sums(i);
            tile.latency += s.latency;
            tile.compute += s.compute;
            tile.memory += s.memory;
            tile.loadElements += s.loadElements;
            tile.storeElements += s.storeElements;
            tile.peakWorkingSet = std::max(tile.peakWorkingSet, s.workingSet);
        }
        out->lowLatency = first ? tile.latency : std::min(out->lowLatency, tile.latency);
        out->highLatency = std::max(out->highLatency, tile.latency);
        out->lowLoad = first ? tile.loadElements : std::min(out->lowLoad, tile.loadElements);
        out->highLoad = std::max(out->highLoad, tile.loadElements);
        first = false;
    }
    return out;
}

OrderDrawing::OrderDrawing(const TileGrid& grid)
    : m_grid(grid), m_drawn(static_cast<std::size_t>(grid.tiles()), false)
{
}

void OrderDrawing::append(std::int64_t tile)
{
    if (tile < 0 || tile >= m_grid.tiles() || m_drawn[static_cast<std::size_t>(tile)])
        return;
    m_drawn[static_cast<std::size_t>(tile)] = true;
    m_tiles.push_back(tile);
}

void OrderDrawing::removeLast()
{
    if (m_tiles.empty())
        return;
    m_drawn[static_cast<std::size_t>(m_tiles.back())] = false;
    m_tiles.pop_back();
}

void OrderDrawing::resume(const std::vector<std::int64_t>& tiles)
{
    for (const std::int64_t t : tiles)
        append(t);
}

void OrderDrawing::moveTo(std::int64_t tile)
{
    if (tile < 0 || tile >= m_grid.tiles())
        return;
    if (m_tiles.empty()) {
        append(tile);
        return;
    }
    if (m_tiles.size() >= 2 && m_tiles[m_tiles.size() - 2] == tile) {
        removeLast();
        return;
    }
    // Tiles on the line between two positions are added, because the mouse may skip tiles between two events.
    const std::int64_t r0 = m_tiles.back() / m_grid.cols;
    const std::int64_t c0 = m_tiles.back() % m_grid.cols;
    const std::int64_t dr = tile / m_grid.cols - r0;
    const std::int64_t dc = tile % m_grid.cols - c0;
    const std::int64_t n = std::max(std::abs(dr), std::abs(dc));
    for (std::int64_t i = 1; i <= n; ++i) {
        const auto along = [&](std::int64_t d) { return (2 * d * i + (d >= 0 ? n : -n)) / (2 * n); };
        append((r0 + along(dr)) * m_grid.cols + c0 + along(dc));
    }
}

std::vector<std::int64_t> OrderDrawing::completed(std::span<const std::int64_t> before) const
{
    std::vector<std::int64_t> out = m_tiles;
    out.reserve(before.size());
    for (const std::int64_t t : before)
        if (!m_drawn[static_cast<std::size_t>(t)])
            out.push_back(t);
    return out;
}

Traversal OrderDrawing::traversal(const Traversal& before) const
{
    return Traversal::simplest(completed(tileOrder(before, m_grid.rows, m_grid.cols)), m_grid.rows,
                               m_grid.cols);
}

QString orderRuns(std::span<const std::int64_t> order, std::int64_t cols, int most)
{
    QStringList runs;
    const std::size_t n = order.size();
    for (std::size_t i = 0; i < n;) {
        if (runs.size() == most)
            return runs.join(QStringLiteral(", ")) + QStringLiteral(" …");
        // Extends the run as long as it continues in the same direction within a row or column.
        std::size_t last = i;
        std::int64_t step = 0;
        while (last + 1 < n) {
            const std::int64_t d = order[last + 1] - order[last];
            const bool alongRow = std::abs(d) == 1 && order[last + 1] / cols == order[last] / cols;
            if ((!alongRow && std::abs(d) != cols) || (step != 0 && d != step))
                break;
            step = d;
            ++last;
        }
        QString run = QString::number(order[i]);
        if (last > i)
            run += QStringLiteral("–%1").arg(order[last]);
        if (std::abs(step) == cols && cols > 1)
            run += step > 0 ? QStringLiteral(" ↓") : QStringLiteral(" ↑");
        runs << run;
        i = last + 1;
    }
    return runs.join(QStringLiteral(", "));
}

namespace {

QString opNames(const Problem& problem, const Subgraph& subgraph)
{
    constexpr std::size_t kShown = 4;
    QStringList names;
    for (std::size_t i = 0; i < std::min(kShown, subgraph.ops.size()); ++i)
        names << QString::fromStdString(problem.opName(subgraph.ops[i]));
    if (subgraph.ops.size() > kShown)
        names << tr("%1 more").arg(subgraph.ops.size() - kShown);
    return names.join(QStringLiteral(", "));
}

QString traversalText(TraversalKind kind)
{
    switch (kind) {
    case TraversalKind::Raster:
        return tr("raster");
    case TraversalKind::Snake:
        return tr("snake");
    case TraversalKind::Column:
        return tr("columns");
    case TraversalKind::ColumnSnake:
        return tr("column snake");
    case TraversalKind::Spiral:
        return tr("spiral");
    case TraversalKind::Custom:
        break;
    }
    return tr("custom order");
}

/// Text of a custom order as runs of tiles, because the grid has room for the numbers only if tiles are few
/// and large.
QString orderText(const Traversal& traversal, std::int64_t cols)
{
    QString name = traversalText(traversal.kind());
    if (traversal.kind() != TraversalKind::Custom)
        return name;
    return name + QStringLiteral(": ") + orderRuns(traversal.explicitOrder(), cols, 24);
}

QString range(std::int64_t from, std::int64_t to)
{
    return to - from == 1 ? number(from) : QStringLiteral("%1–%2").arg(number(from), number(to - 1));
}

QString sliceText(const Rect& r)
{
    return tr("rows %1, columns %2").arg(range(r.r0, r.r1), range(r.c0, r.c1));
}

QString roleText(Role role)
{
    return role == Role::Lhs ? tr("left") : role == Role::Rhs ? tr("right") : tr("pointwise");
}

StepRow tensorRow(const Problem& problem, StepRow::Kind kind, TensorId t, const Rect& slice,
                  const QString& detail, std::int64_t units)
{
    const Tensor& tensor = problem.tensor(t);
    StepRow row;
    row.kind = kind;
    row.tensor = t;
    row.name = QString::fromStdString(problem.tensorName(t));
    row.detail = detail;
    row.amount = problem.elementsOf(units);
    row.height = tensor.height;
    row.width = tensor.width;
    row.isView = problem.isView(t);
    row.slice = slice;
    return row;
}

} // namespace

std::optional<double> TilesModel::intensity(std::int64_t tile) const
{
    if (!trace || tile < 0 || tile >= static_cast<std::int64_t>(trace->tiles.size()))
        return std::nullopt;
    const TileSums& t = trace->tiles[static_cast<std::size_t>(tile)];
    if (t.visit < 0)
        return std::nullopt;
    // If all values are equal, all get the middle of the ramp.
    const auto between = [](double v, double low, double high) {
        return high > low ? (v - low) / (high - low) : 0.25;
    };
    switch (options.colour) {
    case TileColour::Loads:
        return between(static_cast<double>(t.loadElements), static_cast<double>(trace->lowLoad),
                       static_cast<double>(trace->highLoad));
    case TileColour::Order:
        return between(t.visit, 0, static_cast<double>(trace->tiles.size()) - 1);
    case TileColour::Latency:
    case TileColour::Bound:
        break;
    }
    return between(t.latency, trace->lowLatency, trace->highLatency);
}

std::optional<SubgraphId> shownSubgraph(const Snapshot& snapshot, const SelectionState& selection)
{
    const std::size_t n = snapshot.schedule.size();
    if (n == 0)
        return std::nullopt;
    if (selection.subgraph)
        return selection.subgraph->index() < n ? selection.subgraph : std::nullopt;
    for (std::size_t i = 0; i < n && !selection.ops.empty(); ++i)
        for (const OpId o : snapshot.schedule.subgraphs[i]->ops)
            if (selection.ops.count(o))
                return SubgraphId(i);
    return SubgraphId(0);
}

TilesModel buildTiles(const Snapshot* snapshot, const SelectionState& selection,
                      std::shared_ptr<const TileTrace> trace, const TilesOptions& options)
{
    TilesModel model;
    model.options = options;
    if (!snapshot) {
        model.hint = tr("Open a problem to see the order in which a subgraph visits its tiles.");
        return model;
    }
    const auto shown = shownSubgraph(*snapshot, selection);
    if (!shown) {
        model.hint = tr("Select a subgraph in the list or in the graph to see its tiles.");
        return model;
    }
    const Subgraph& subgraph = snapshot->schedule[*shown];
    const Problem& problem = *snapshot->problem;
    const SubgraphEvaluation& e = snapshot->evaluation.subgraphs[shown->index()];
    model.subgraph = shown;
    model.capacity = problem.capacityUnits();
    model.subgraphStart = startOf(*snapshot, *shown);
    const Granularity& g = subgraph.granularity;
    model.title = tr("Subgraph %1 · %2 · %3 × %4 × %5")
                      .arg(shown->index())
                      .arg(opNames(problem, subgraph), number(g.w), number(g.h), number(g.k));
    if (!e.structurallyValid) {
        QString why;
        for (const Issue& issue : snapshot->evaluation.issues)
            if (issue.subgraph == shown) {
                why = sentence(issue.text);
                break;
            }
        model.hint = tr("Subgraph %1 cannot run: %2.").arg(shown->index()).arg(why);
        return model;
    }
    model.grid = {e.rows, e.cols};
    model.aspect = std::clamp(static_cast<double>(g.h) / static_cast<double>(g.w), 0.5, 2.0);
    model.subtitle = tr("%1, %2, %3")
                         .arg(tilesText(e.rows, e.cols), counted(e.steps, tr("step"), tr("steps")),
                              orderText(subgraph.traversal, e.cols));
    if (e.rows * e.cols > kMaxTiles) {
        model.hint = tr("%1 tiles are too many to show one by one. Choose a larger granularity.")
                         .arg(number(e.rows * e.cols));
        return model;
    }
    if (trace && trace->key == traceKey(*snapshot, *shown))
        model.trace = std::move(trace);
    return model;
}

StepModel buildStep(const TileTrace& trace, std::int64_t index)
{
    using Kind = StepRow::Kind;
    const Problem& problem = *trace.key.problem;
    StepModel m;
    m.step = trace.steps->step(index);
    const Step& s = m.step;
    for (const StepBuffer& b : s.buffers) {
        QString detail = b.full ? tr("whole, %1").arg(sliceText(b.rect))
                                : tr("%1, %2").arg(roleText(b.role), sliceText(b.rect));
        m.rows.push_back(
            tensorRow(problem, b.loaded ? Kind::Loaded : Kind::Reused, b.tensor, b.rect, detail, b.size));
    }
    for (const StepBuffer& b : s.keptLoads)
        m.rows.push_back(tensorRow(problem, Kind::Loaded, b.tensor, b.rect,
                                   tr("to be retained, %1").arg(sliceText(b.rect)), b.size));
    for (const TensorId t : s.residentReads) {
        const Tensor& tensor = problem.tensor(t);
        m.rows.push_back(tensorRow(problem, Kind::Resident, t, {0, tensor.height, 0, tensor.width},
                                   tr("a view, nothing to load"), problem.sizeUnits(t)));
    }
    const auto listed = [](const std::vector<TensorId>& v, TensorId t) {
        return std::find(v.begin(), v.end(), t) != v.end();
    };
    const auto reserve = [&](TensorId t, const QString& why) {
        const Tensor& tensor = problem.tensor(t);
        m.rows.push_back(tensorRow(problem, Kind::Reserved, t, {0, tensor.height, 0, tensor.width}, why,
                                   problem.sizeUnits(t)));
    };
    for (const TensorId t : trace.key.resident) {
        m.residentElements += problem.sizeUnits(t);
        if (!listed(s.residentReads, t))
            reserve(t, tr("retained by the previous subgraph"));
    }
    for (const StepSink& k : s.sinks) {
        const Kind kind = k.stored ? Kind::Stored : Kind::Progress;
        QString detail = sliceText(k.tile);
        if (!k.completes)
            detail = tr("accumulates, %1").arg(detail);
        else if (!k.stored)
            detail = tr("stays resident, %1").arg(detail);
        m.rows.push_back(
            tensorRow(problem, kind, k.tensor, k.tile, detail, k.tile.area() * problem.units(k.tensor)));
        if (k.accumulators > 0) {
            StepRow sums = tensorRow(problem, Kind::Progress, k.tensor, k.tile,
                                     tr("partial sums of the MatMuls behind its tile"), k.accumulators);
            m.rows.push_back(std::move(sums));
        }
    }
    for (const TensorId t : trace.key.subgraph->retain)
        if (!listed(trace.key.resident, t))
            reserve(t, tr("retained for the next subgraph"));
    for (const StepRun& r : s.runs) {
        StepRow row;
        row.kind = Kind::Run;
        row.op = r.op;
        row.name = QString::fromStdString(problem.opName(r.op));
        row.detail = sliceText(r.rect);
        if (r.k1 > r.k0)
            row.detail += tr(", k %1").arg(range(r.k0, r.k1));
        if (r.repeated)
            row.detail += tr(", computed before: no cost");
        row.amount = r.cost;
        const Tensor& out = problem.tensor(problem.op(r.op).output);
        row.height = out.height;
        row.width = out.width;
        row.slice = r.rect;
        m.rows.push_back(row);
    }
    std::stable_sort(m.rows.begin(), m.rows.end(),
                     [](const StepRow& a, const StepRow& b) { return a.kind < b.kind; });
    m.reads = mappedReads(problem, s);
    std::stable_sort(m.reads.begin(), m.reads.end(), [&](const MappedRead& a, const MappedRead& b) {
        const auto windows = [&](const MappedRead& r) { return problem.map(r.view)->index() == 0; };
        return windows(a) != windows(b) ? windows(a) : a.halo > b.halo;
    });
    m.where = tr("Tile row %1, column %2").arg(number(s.row), number(s.col));
    const auto visits = static_cast<std::int64_t>(trace.steps->visits().size());
    m.count = tr("visit %1 of %2").arg(number(trace.steps->visitOf(index) + 1), number(visits));
    if (s.kSteps > 1)
        m.count += tr(" · k step %1 of %2").arg(number(s.kStep + 1), number(s.kSteps));
    m.count += tr(" · step %1 of %2").arg(number(index + 1), number(trace.steps->size()));
    return m;
}

QStringList mappedReadTexts(const Problem& problem, const MappedRead& read)
{
    const TensorId base = problem.stored(read.view);
    return {tr("%1 of %2")
                .arg(volumeText(problem, base, read.touched.volume), number(problem.tensor(base).elements())),
            tr("halo %1, %2")
                .arg(volumeText(problem, base, read.halo),
                     percent(static_cast<double>(read.halo) / static_cast<double>(read.touched.volume)))};
}

QString stepRowHeading(StepRow::Kind kind)
{
    switch (kind) {
    case StepRow::Kind::Loaded:
        return tr("↓ Loaded");
    case StepRow::Kind::Reused:
        return tr("↻ Reused");
    case StepRow::Kind::Resident:
        return tr("■ Read from resident");
    case StepRow::Kind::Stored:
        return tr("↑ Stored");
    case StepRow::Kind::Progress:
        return tr("… Not stored in this step");
    case StepRow::Kind::Reserved:
        return tr("□ Reserved");
    case StepRow::Kind::Run:
        break;
    }
    return tr("▶ Runs");
}

QString tileTooltip(const TilesModel& model, std::int64_t tile)
{
    if (!model.trace || tile < 0 || tile >= static_cast<std::int64_t>(model.trace->tiles.size()))
        return {};
    const TileSums& t = model.trace->tiles[static_cast<std::size_t>(tile)];
    QString text = tr("<b>Tile %1</b> (row %2, column %3)")
                       .arg(tile)
                       .arg(tile / model.grid.cols)
                       .arg(tile % model.grid.cols);
    if (t.visit < 0)
        return text + tr("<br>not traced: the subgraph has too many steps");
    text += tr("<br>visit number %1").arg(t.visit + 1);
    text += tr("<br>latency %1 = sum over its steps of max(compute, memory)").arg(exactNumber(t.latency));
    text += tr("<br>compute %1, memory %2").arg(exactNumber(t.compute), exactNumber(t.memory));
    const Problem& problem = *model.trace->key.problem;
    text += tr("<br>loads %1, stores %2 %3")
                .arg(elementsText(problem, t.loadElements), elementsText(problem, t.storeElements),
                     elementWord(problem));
    text += tr("<br>peak working set %1 of %2")
                .arg(elementsText(problem, t.peakWorkingSet), elementsText(problem, model.capacity));
    const auto first = model.trace->steps->visits()[static_cast<std::size_t>(t.visit)].firstStep;
    for (const MappedRead& read : mappedReads(problem, model.trace->steps->step(first)))
        if (read.halo > 0)
            text +=
                tr("<br>%1 reads %2 through %3: %4")
                    .arg(
                        QString::fromStdString(problem.opName(read.op)).toHtmlEscaped(),
                        QString::fromStdString(problem.tensorName(problem.stored(read.view))).toHtmlEscaped(),
                        mapLabel(*problem.map(read.view)),
                        mappedReadTexts(problem, read).join(QStringLiteral("; ")));
    if (t.peakWorkingSet > model.capacity)
        text += tr("<br><b>does not fit</b>");
    return text;
}

QString stepsAsText(const TileTrace& trace, std::int64_t limit)
{
    QString out = QStringLiteral("step\ttile\trow\tcolumn\tk_step\tstart\tlatency\tcompute\tmemory\tload_"
                                 "elements\tstore_elements\tworking_set\n");
    const std::int64_t n = std::min(trace.steps->size(), limit);
    for (std::int64_t v = 0; v < static_cast<std::int64_t>(trace.steps->visits().size()); ++v) {
        const StepTable::Visit& visit = trace.steps->visits()[static_cast<std::size_t>(v)];
        double start = visit.start;
        for (std::int64_t i = visit.firstStep; i < std::min(n, trace.steps->visitEnd(v)); ++i) {
            const StepSums& s = trace.steps->sums(i);
            out += textRow(i, visit.tile, visit.tile / trace.grid.cols, visit.tile % trace.grid.cols,
                           i - visit.firstStep, start, s.latency, s.compute, s.memory, s.loadElements,
                           s.storeElements, s.workingSet);
            start += s.latency;
        }
        if (visit.firstStep >= n)
            break;
    }
    return out;
}

} // namespace tilewright::ui
