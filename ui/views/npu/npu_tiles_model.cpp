// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/npu/npu_tiles_model.h"

#include "npu/op_report.h"
#include "theme/number.h"
#include "theme/text_row.h"
#include "theme/words.h"

#include <algorithm>
#include <cmath>

namespace tilewright::ui {

namespace {

/// The two sizes with the most influence on the operator's time: horizontal and vertical axis.
std::pair<std::size_t, std::size_t> axesOf(npu::OpType type)
{
    switch (type) {
    case npu::OpType::Conv2d:
        return {0, 2}; // c_out, h
    case npu::OpType::Attention:
        return {2, 1}; // t, q
    case npu::OpType::MatMul:
    case npu::OpType::KvAppend:
    case npu::OpType::KvLoad:
    case npu::OpType::Elementwise:
    case npu::OpType::View:
        return {1, 0}; // n, m; t, heads; cols, rows
    default:
        return {0, 0}; // rows
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

/// True if `a` is simulated and `b` is not, or if `a` is faster.
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
        m.hint = tr("Searching the tiles of every operator …");
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
                 tr("The whole model: %1 instead of %2, %3 instead of %4.")
                     .arg(counted(found.after, tr("cycle"), tr("cycles")), number(found.before),
                          bytesText(found.bytesAfter), bytesText(found.bytesBefore));
    return m;
}

} // namespace tilewright::ui
