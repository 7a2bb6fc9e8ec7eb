// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/systolic/levels_canvas.h"

#include "chart/heat_grid.h"
#include "chart/plot_paint.h"
#include "theme/text.h"
#include "views/systolic/roofline_plot.h"
#include "views/systolic/tile_map_canvas.h"
#include "workspace/lens_links.h"

#include <QCoreApplication>
#include <QFontMetricsF>
#include <QPainter>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace tilewright::ui {

using namespace systolic;

namespace {

constexpr double kColumnGap = 28;
constexpr double kCardGap = 20;
constexpr std::int64_t kShownTiles = 12; // maximum number of tiles along each side of the bank map

double headerHeight()
{
    return 2 * (QFontMetricsF(uiFont()).height() + 2) + 16;
}

/// The bank maps of both operands side by side: A (M x K) and B (K x N).
struct BankGrids
{
    std::array<HeatGrid, 2> grids;
    std::array<HeatFrame, 2> frames;
};

/// Returns the bank maps; of a large GEMM they show only the first tiles.
BankGrids bankGrids(const LevelsResult& r, BankLayout layout, const QRectF& area, const Theme& theme)
{
    const std::int64_t nM = std::min(r.l2.nM, kShownTiles);
    const std::int64_t nN = std::min(r.l2.nN, kShownTiles);
    const std::int64_t nK = std::min(r.l2.nK, kShownTiles);
    const QFontMetricsF fm(uiFont(0.85));
    const double side = std::clamp((area.width() - 70) / static_cast<double>(nK + nN), 12.0, 26.0);
    const BankMap map = r.l2.bankMap(layout);
    BankGrids out;
    double left = area.left() + 4;
    const auto fill = [&](std::size_t which, const QString& name, std::int64_t rows, std::int64_t columns,
                          std::int64_t others, auto bank, auto conflicts) {
        HeatGrid& grid = out.grids[which];
        grid.rows = static_cast<std::size_t>(rows);
        grid.columns = static_cast<std::size_t>(columns);
        grid.downwards = true;
        grid.y.title = name;
        for (std::int64_t i = 0; i < rows; ++i)
            for (std::int64_t j = 0; j < columns; ++j) {
                const std::int64_t b = bank(i, j);
                bool conflict = false;
                for (std::int64_t x = 0; x < others && !conflict; ++x)
                    conflict = conflicts(i, j, x);
                grid.cells.push_back({theme.category(static_cast<std::size_t>(b)), HeatSign::None, conflict,
                                      QString::number(b)});
            }
        const QRectF place(left, area.top() + fm.height() + 2, static_cast<double>(columns) * side,
                           static_cast<double>(rows) * side);
        out.frames[which] = {place, grid.columns, grid.rows, true};
        left += std::max(place.width(), fm.horizontalAdvance(name)) + 28;
    };
    fill(
        0, LevelsCanvas::tr("A (i down, k across)"), nM, nK, nN,
        [&](std::int64_t i, std::int64_t k) { return map.bankA(i, k); },
        [&](std::int64_t i, std::int64_t k, std::int64_t j) { return map.conflicts(i, j, k); });
    fill(
        1, LevelsCanvas::tr("B (k down, j across)"), nK, nN, nM,
        [&](std::int64_t k, std::int64_t j) { return map.bankB(k, j); },
        [&](std::int64_t k, std::int64_t j, std::int64_t i) { return map.conflicts(i, j, k); });
    return out;
}

/// Area of the bank map, below the text of the card.
QRectF bankArea(const LevelsCard& card, const QRectF& area)
{
    PaintedTable head = card.table;
    head.note.clear();
    return area.adjusted(0, head.height(area.width()), 0, 0);
}

double cardHeight(const LevelsCard& card, const LevelsResult& r, double width)
{
    const double h = card.table.height(width);
    const QFontMetricsF fm(uiFont(0.85));
    switch (card.kind) {
    case LevelsCard::Kind::Table:
        return h;
    case LevelsCard::Kind::Banks: {
        const BankGrids b = bankGrids(r, card.layout, {0, 0, width, 0}, Theme::light());
        return h + std::max(b.frames[0].map.height(), b.frames[1].map.height()) + fm.height() + 12;
    }
    case LevelsCard::Kind::Roofline:
        return h + 210;
    case LevelsCard::Kind::Capacities:
        return QFontMetricsF(uiFont(1.0, QFont::DemiBold)).height() + 6 +
               static_cast<double>(r.tile->constraints().size()) * (fm.height() + 14);
    }
    return h;
}

void paintBankCard(QPainter& painter, const LevelsCard& card, const LevelsResult& r, const QRectF& area,
                   const Theme& theme)
{
    PaintedTable head = card.table;
    head.note.clear();
    head.paint(painter, area, theme);
    const BankGrids banks = bankGrids(r, card.layout, bankArea(card, area), theme);
    double bottom = 0;
    for (std::size_t i = 0; i < banks.grids.size(); ++i) {
        paintHeatGrid(painter, banks.grids[i], banks.frames[i], std::nullopt, theme);
        bottom = std::max(bottom, banks.frames[i].map.bottom());
    }
    painter.setFont(uiFont(0.85));
    painter.setPen(theme.muted);
    painter.drawText(QRectF(area.left(), bottom + 4, area.width(), area.bottom() - bottom), Qt::TextWordWrap,
                     card.table.note);
}

PlotFrame rooflineFrame(const LevelsCard& card, const LevelsResult& r, const QRectF& area, const Theme& theme)
{
    return plotFrame(levelRoofline(*r.roofline, nullptr, {}, theme),
                     area.adjusted(0, card.table.height(area.width()) + 6, 0, 0));
}

void paintCard(QPainter& painter, const LevelsCard& card, const LevelsResult& r, const QRectF& area,
               const Theme& theme)
{
    switch (card.kind) {
    case LevelsCard::Kind::Table:
        card.table.paint(painter, area, theme);
        break;
    case LevelsCard::Kind::Banks:
        paintBankCard(painter, card, r, area, theme);
        break;
    case LevelsCard::Kind::Roofline:
        card.table.paint(painter, area, theme);
        paintPlot(painter, levelRoofline(*r.roofline, nullptr, {}, theme),
                  rooflineFrame(card, r, area, theme), theme);
        break;
    case LevelsCard::Kind::Capacities:
        paintCapacityBars(painter, r.tile->constraints(), area, theme);
        break;
    }
}

} // namespace

LevelsCanvas::LevelsCanvas(const ViewContext& context, QWidget* parent)
    : SystolicPane(context, QStringLiteral("systolic-memory"), tr("Systolic memories"), parent),
      m_scroll(new ListScroll(tr("Scroll the memories"), this))
{
    connect(m_scroll, &QScrollBar::valueChanged, this, qOverload<>(&QWidget::update));
    connect(&state(), &SystolicDocument::levelsChanged, this, &LevelsCanvas::outdated);
}

void LevelsCanvas::rebuild()
{
    state().needLevels();
    m_model = buildLevels(state(), !workspace().links().showsWorkload(Lens::Systolic));
    m_layouts = {};
    contentResized();
    setAccessibleDescription(m_model.hint.isEmpty() ? m_model.title + QStringLiteral(". ") + m_model.headline
                                                    : m_model.hint);
}

QString LevelsCanvas::copyText() const
{
    QString out;
    for (const LevelsCard& card : m_model.cards)
        if (!card.table.rows.empty())
            out += card.table.asText() + QLatin1Char('\n');
    return out;
}

const std::vector<LevelsCanvas::Placed>& LevelsCanvas::layout(const QRectF& area) const
{
    auto& [latest, before] = m_layouts;
    const auto isThis = [&](const std::optional<CachedLayout>& known) {
        return known && known->area == area && known->font == uiFont();
    };
    if (!isThis(latest)) {
        std::swap(latest, before);
        if (!isThis(latest))
            latest = {area, uiFont(), placed(area)};
    }
    return latest->places;
}

std::vector<LevelsCanvas::Placed> LevelsCanvas::placed(const QRectF& area) const
{
    std::vector<Placed> out;
    if (!m_model.result)
        return out;
    const double width = area.width() - 2 * kPaneMargin;
    double needed = 430; // width of a card in pixels at which no table loses a column
    for (const LevelsCard& card : m_model.cards)
        if (!card.table.rows.empty())
            needed = std::max(needed, card.table.smallestWidth());
    const auto columns = static_cast<std::size_t>(
        std::clamp(std::floor((width + kColumnGap) / (needed + kColumnGap)), 1.0, 3.0));
    const double w = (width - kColumnGap * static_cast<double>(columns - 1)) / static_cast<double>(columns);
    std::vector<double> bottoms(columns, area.top() + headerHeight());
    for (std::size_t i = 0; i < m_model.cards.size(); ++i) {
        const auto shortest = std::min_element(bottoms.begin(), bottoms.end());
        const auto c = static_cast<double>(shortest - bottoms.begin());
        const double h = cardHeight(m_model.cards[i], *m_model.result, w);
        out.push_back({i, QRectF(area.left() + kPaneMargin + c * (w + kColumnGap), *shortest, w, h)});
        *shortest += h + kCardGap;
    }
    return out;
}

double LevelsCanvas::heightIn(const QRectF& area) const
{
    double bottom = area.top();
    for (const Placed& p : layout(area))
        bottom = std::max(bottom, p.place.bottom() + 8);
    return bottom - area.top();
}

QRectF LevelsCanvas::cardArea() const
{
    QRectF area = contentArea();
    area.setRight(area.right() - m_scroll->widthFor(area, heightIn(area)));
    return area;
}

void LevelsCanvas::paintContent(QPainter& painter, const QRectF& area, const Theme& theme, bool exporting)
{
    ensureFresh();
    if (!m_model.hint.isEmpty()) {
        paintEmptyHint(painter, area, m_model.hint, theme);
        return;
    }
    const double scroll = exporting ? 0 : m_scroll->value();
    const QRectF room = exporting ? area : cardArea();
    painter.save();
    painter.setClipRect(area);
    painter.translate(0, -scroll);
    paintSystolicHead(painter, room.adjusted(kPaneMargin, 8, -kPaneMargin, 0), m_model.title,
                      m_model.headline, theme);
    for (const Placed& p : layout(room))
        if (p.place.bottom() - scroll >= area.top() && p.place.top() - scroll <= area.bottom())
            paintCard(painter, m_model.cards[p.card], *m_model.result, p.place, theme);
    painter.restore();
}

QString LevelsCanvas::tooltipAt(QPointF position) const
{
    if (!m_model.result)
        return {};
    const QPointF at = position + QPointF(0, m_scroll->value());
    for (const Placed& p : layout(cardArea()))
        if (p.place.contains(at)) {
            const LevelsCard& card = m_model.cards[p.card];
            if (card.kind == LevelsCard::Kind::Roofline) {
                const Roofline& r = *m_model.result->roofline;
                const PlotModel plot = levelRoofline(r, nullptr, {}, theme());
                if (const PlotMark* m =
                        plotMarkAt(plot, rooflineFrame(card, *m_model.result, p.place, theme()), at))
                    return levelRooflineTooltip(r, nullptr, {}, *m);
                return tr("Every level has a roof (bandwidth × operational intensity). The lowest roof, or "
                          "the array, is the limit.");
            }
            if (card.kind == LevelsCard::Kind::Banks) {
                const BankGrids banks =
                    bankGrids(*m_model.result, card.layout, bankArea(card, p.place), theme());
                for (std::size_t i = 0; i < banks.grids.size(); ++i)
                    if (const auto cell = banks.frames[i].cellAt(at)) {
                        const HeatGrid& grid = banks.grids[i];
                        const QString name = QStringLiteral("%1[%2, %3]")
                                                 .arg(i == 0 ? QLatin1Char('A') : QLatin1Char('B'))
                                                 .arg(*cell / grid.columns)
                                                 .arg(*cell % grid.columns);
                        return grid.cells[*cell].framed
                                   ? tr("<b>%1</b> is in bank %2, together with the tile that is read with "
                                        "it")
                                         .arg(name, grid.cells[*cell].text)
                                   : tr("<b>%1</b> is in bank %2").arg(name, grid.cells[*cell].text);
                    }
                return tr("Bank of L2 of each tile. A framed tile shares its bank with the tile that is read "
                          "at the same time.");
            }
            return {};
        }
    return {};
}

void LevelsCanvas::wheelEvent(QWheelEvent* event)
{
    QCoreApplication::sendEvent(m_scroll, event);
}

void LevelsCanvas::panBy(QPointF pixels)
{
    m_scroll->setValue(m_scroll->value() - static_cast<int>(std::round(pixels.y())));
}

void LevelsCanvas::zoomBy(double factor, QPointF)
{
    m_scroll->setValue(m_scroll->value() + (factor > 1 ? -60 : 60));
}

void LevelsCanvas::fitAll()
{
    m_scroll->setValue(0);
}

void LevelsCanvas::contentResized()
{
    m_scroll->place(contentArea(), heightIn(cardArea()));
    update();
}

} // namespace tilewright::ui
