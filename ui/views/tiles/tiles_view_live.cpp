// SPDX-License-Identifier: GPL-3.0-or-later
// The tile grid view: pictures with their steps, for HTML reports.
#include "theme/number.h"
#include "views/tiles/tiles_view.h"

#include <QPainter>

#include <algorithm>
#include <numeric>

namespace tilewright::ui {

namespace {

constexpr QSize kPicture{500, 440};   // without the list of the step, which the page has
constexpr std::int64_t kFrames = 512; // largest number of frames of a picture
constexpr std::int64_t kTiles = 1024; // largest number of tiles with a tooltip
constexpr std::int64_t kStepsTraced = 200'000;

PictureFrame frameOf(const TilesModel& model, const Viewport& viewport, std::int64_t step)
{
    const StepModel s = buildStep(*model.trace, step);
    PictureFrame frame{viewport.toScreen(tileRect(model, s.step.tile)), {s.where, s.count}};
    frame.lines << QObject::tr("compute %1, memory %2\tlatency %3")
                       .arg(exactNumber(s.step.compute), exactNumber(s.step.memory),
                            exactNumber(s.step.latency))
                << QObject::tr("working set\t%1 of %2 elements")
                       .arg(number(s.step.workingSet), number(model.capacity));
    for (const StepRow& row : s.rows)
        frame.lines << QStringLiteral("%1 %2\t%3 (%4)")
                           .arg(stepRowHeading(row.kind), row.name, row.detail, exactNumber(row.amount));
    return frame;
}

} // namespace

LivePicture TilesView::livePicture(const std::shared_ptr<const TilesModel>& model)
{
    const Places places = placesIn(QRectF(QPointF(0, 0), kPicture));
    const Viewport viewport = fitted(*model, places.grid);
    LivePicture out;
    out.title = model->title;
    out.key = keyOf(*model->subgraph);
    out.size = kPicture;
    out.paint = [model, places, viewport](QPainter& painter, const Theme& theme) {
        const QRectF all(QPointF(0, 0), kPicture);
        painter.setRenderHints(QPainter::Antialiasing | QPainter::TextAntialiasing);
        painter.fillRect(all, theme.canvas);
        const bool small = viewport.scale * std::min(1.0, model->aspect) < kCellPixels;
        paintTiles(painter, *model, places.grid, viewport, small ? tilesImage(*model, theme) : QImage(),
                   theme, {});
        paintTilesHeader(painter, *model, places.header, theme);
        paintTilesLegend(painter, *model, places.legend, theme);
    };
    const auto visits = model->trace->steps->visits();
    for (std::int64_t tile = 0; model->grid.tiles() <= kTiles && tile < model->grid.tiles(); ++tile) {
        const std::int32_t visit = model->trace->tiles[static_cast<std::size_t>(tile)].visit;
        QStringList keys{out.key};
        if (visit >= 0)
            keys.prepend(keyOf(*model->subgraph, visits[static_cast<std::size_t>(visit)].firstStep));
        out.parts.push_back({viewport.toScreen(tileRect(*model, tile)), keys, tileTooltip(*model, tile)});
    }
    out.frameCount = model->trace->steps->size();
    for (std::int64_t i = 0; i < std::min(kFrames, out.frameCount); ++i)
        out.frames.push_back(frameOf(*model, viewport, i));
    return out;
}

void TilesView::livePictures(const std::function<bool(LivePicture)>& take)
{
    const SnapshotPtr snapshot = document().snapshot();
    if (!snapshot)
        return;
    const auto& subgraphs = snapshot->evaluation.subgraphs;
    std::vector<std::size_t> order(subgraphs.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return subgraphs[a].latency > subgraphs[b].latency;
    });
    for (const std::size_t i : order) {
        const SubgraphId id(i);
        if (!subgraphs[i].structurallyValid || subgraphs[i].steps > kStepsTraced)
            continue;
        SelectionState selection;
        selection.subgraph = id;
        auto model = std::make_shared<TilesModel>(
            buildTiles(snapshot.get(), selection,
                       buildTileTrace(traceKey(*snapshot, id), {}, subgraphs[i].steps), m_model.options));
        if (model->hint.isEmpty() && model->trace && !take(livePicture(model)))
            return;
    }
}

} // namespace tilewright::ui
