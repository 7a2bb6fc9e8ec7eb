// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/systolic/tile_map_model.h"

#include "theme/text.h"

#include <algorithm>
#include <cmath>

namespace tilewright::ui {

using namespace systolic;

QString tileText(const TileShape& t)
{
    return QStringLiteral("%1 × %2 × %3").arg(number(t.ti), number(t.tj), number(t.tk));
}

QString methodText(TileMethod method)
{
    return method == TileMethod::Analytic     ? tr("analytic")
           : method == TileMethod::Exhaustive ? tr("exhaustive")
                                              : tr("learned");
}

double TileMapModel::shade(const LandscapeCell& cell) const
{
    if (!(highest > lowest))
        return 0;
    return std::clamp((std::log10(static_cast<double>(cell.elements)) - lowest) / (highest - lowest), 0.0,
                      1.0);
}

TileCell cellOf(const TileLandscape& landscape, const TileShape& tile)
{
    const auto nearest = [](const std::vector<std::int64_t>& values, std::int64_t v) {
        std::size_t best = 0;
        for (std::size_t i = 1; i < values.size(); ++i)
            if (std::abs(values[i] - v) < std::abs(values[best] - v))
                best = i;
        return best;
    };
    return {nearest(landscape.ti, tile.ti), nearest(landscape.tj, tile.tj)};
}

TileMapModel buildTileMap(const SystolicDocument& state)
{
    TileMapModel m;
    const SystolicSettings& s = state.settings();
    m.result = state.tiles();
    if (!m.result || m.result->of.gemm != s.gemm || m.result->of.hierarchy != s.hierarchy) {
        m.result.reset();
        m.hint = tr("Searching tiles …");
        return m;
    }
    const TileResult& r = *m.result;
    if (r.landscape.cells.empty()) {
        m.hint = tr("No tiles: %1").arg(r.error);
        return m;
    }
    // The map shows the cells that fit, which determine the range of colours, and a margin of cells that do
    // not fit.
    const TileLandscape& l = r.landscape;
    double low = 0;
    double high = 0;
    for (std::size_t i = 0; i < l.ti.size(); ++i)
        for (std::size_t j = 0; j < l.tj.size(); ++j) {
            const LandscapeCell& c = l.at(i, j);
            if (!c.feasible)
                continue;
            const double e = std::max(1.0, static_cast<double>(c.elements));
            low = low > 0 ? std::min(low, e) : e;
            high = std::max(high, e);
            m.rows = std::max(m.rows, i + 1);
            m.cols = std::max(m.cols, j + 1);
        }
    if (high > 0) {
        m.lowest = std::log10(low);
        m.highest = std::log10(high);
    }
    const auto withMargin = [](std::size_t fitting, std::size_t all) {
        return fitting == 0 ? all : std::min(all, fitting + std::max<std::size_t>(2, fitting / 5));
    };
    m.rows = withMargin(m.rows, l.ti.size());
    m.cols = withMargin(m.cols, l.tj.size());

    const TileQuery q = r.of.tileQuery();
    m.title = tr("Tiles of %1 × %2 × %3 for %4 KiB of %5%6, %7")
                  .arg(number(s.gemm.m), number(s.gemm.n), number(s.gemm.k),
                       number(static_cast<double>(q.capacityBytes) / 1024),
                       QString::fromUtf8(levelName(r.of.tileLevel).data(),
                                         static_cast<qsizetype>(levelName(r.of.tileLevel).size()))
                           .toUpper(),
                       q.buffering > 1 ? tr(", double-buffered") : QString(),
                       q.footprint == Footprint::Conservative ? tr("C counted") : tr("C stays in the PEs"));
    const auto& best = r.picks[static_cast<std::size_t>(TileMethod::Exhaustive)];
    const auto over = [&](const TileChoice& c) {
        return best && best->elements > 0
                   ? signedPercent(static_cast<double>(c.elements) / static_cast<double>(best->elements) - 1)
                   : QString();
    };
    m.methods.title = tr("Choices");
    m.methods.head = {tr("method"),  tr("Ti × Tj × Tk"), tr("elements moved"),
                      tr("to best"), tr("fill"),         tr("time")};
    m.methods.numeric = {false, true, true, true, true, true};
    for (const TileMethod method : {TileMethod::Analytic, TileMethod::Exhaustive, TileMethod::Learned}) {
        const auto i = static_cast<std::size_t>(method);
        if (!r.picks[i]) {
            m.methods.rows.push_back({methodText(method), tr("none fits"), {}, {}, {}, {}});
            continue;
        }
        const TileChoice& c = *r.picks[i];
        m.picks[i] = cellOf(r.landscape, c.tile);
        if (!r.of.ownTile && r.of.method == method)
            m.methods.marked = static_cast<int>(i);
        m.methods.rows.push_back({methodText(method), tileText(c.tile), number(c.elements), over(c),
                                  percent(static_cast<double>(c.footprintElements) /
                                          static_cast<double>(std::max<std::int64_t>(1, q.cap()))),
                                  secondsText(r.microseconds[i] * 1e-6)});
    }
    if (r.of.ownTile && r.current) {
        m.methods.marked = 3;
        m.methods.rows.push_back({tr("by hand"),
                                  tileText(r.current->choice.tile),
                                  number(r.current->choice.elements),
                                  over(r.current->choice),
                                  percent(static_cast<double>(r.current->choice.footprintElements) /
                                          static_cast<double>(std::max<std::int64_t>(1, q.cap()))),
                                  {}});
    }
    if (best)
        m.methods.note = tr("exhaustive evaluated %1, %2 times fewer than all of M × N × K; it minimises the "
                            "elements that move into the level")
                             .arg(counted(best->pointsVisited, tr("tile"), tr("tiles")),
                                  number(std::round(best->spaceReduction)));
    if (!r.current) {
        m.headline = r.error;
        return m;
    }
    const TileChoice& c = r.current->choice;
    m.current = cellOf(r.landscape, c.tile);
    m.rows = std::max(m.rows, m.current->i + 1);
    m.cols = std::max(m.cols, m.current->j + 1);
    m.headline = tr("current %1 (%2), %3 elements moved")
                     .arg(tileText(c.tile), r.of.ownTile ? tr("by hand") : methodText(r.of.method),
                          number(c.elements));
    if (best)
        m.headline += tr(", %1 against the optimum").arg(over(c));
    if (!c.fits)
        m.headline += tr(" · does not fit");
    m.constraints = r.current->constraints();
    verbs::SystolicRequest request = verbs::requestOf(s);
    request.tile = c.tile;
    if (auto roofline = verbs::rooflineOf(request))
        m.roofline = std::move(*roofline);
    request.tile = best ? best->tile : c.tile;
    if (request.tile != c.tile)
        if (auto roofline = verbs::rooflineOf(request))
            m.optimum = std::move(*roofline);
    if (auto levels = r.current->threeLevels())
        m.levels = *levels;
    return m;
}

} // namespace tilewright::ui
