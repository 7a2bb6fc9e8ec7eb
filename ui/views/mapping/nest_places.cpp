// SPDX-License-Identifier: GPL-3.0-or-later
#include "theme/theme.h"
#include "views/mapping/nest_paint.h"

#include <QFontMetricsF>

#include <algorithm>
#include <cmath>

namespace tilewright::ui {

namespace {
constexpr double kMargin = 12;
constexpr double kGap = 8;
constexpr double kPad = 8; // space inside a column, in pixels

double rowHeight()
{
    return std::max(26.0, std::ceil(QFontMetricsF(uiFont()).height()) + 8);
}

} // namespace

const NestBarPlace* NestPlaces::bar(std::size_t column, int loop, int nth) const
{
    const auto at = std::find_if(bars.begin(), bars.end(), [&](const NestBarPlace& b) {
        return b.column == column && b.loop == loop && b.nth == nth;
    });
    return at == bars.end() ? nullptr : &*at;
}

std::optional<NestItem> NestPlaces::itemAt(QPointF position) const
{
    for (const NestBarPlace& b : bars) {
        if (!b.rect.contains(position))
            continue;
        for (const auto& [prime, rect] : b.chips)
            if (rect.contains(position))
                return NestItem{b.column, b.loop, prime, b.nth};
        return NestItem{b.column, b.loop, 0, b.nth};
    }
    return std::nullopt;
}

std::optional<std::size_t> NestPlaces::columnAt(QPointF position) const
{
    for (std::size_t i = 0; i < columns.size(); ++i)
        if (columns[i].contains(position))
            return i;
    return std::nullopt;
}

std::size_t NestPlaces::slotAt(std::size_t column, QPointF position) const
{
    std::size_t slot = 0;
    for (const NestBarPlace& b : bars)
        if (b.column == column && position.y() > b.rect.center().y())
            slot = b.index + 1;
    return slot;
}

double axisHeadHeight()
{
    return QFontMetricsF(uiFont(0.85)).height() + 8;
}

namespace {

/// A card: a column with the axes below it. Every card of a row is as high as the highest one of that row
/// needs to be.
struct Card
{
    std::size_t first = 0, end = 0; ///< the columns [first, end) of the card
};

std::vector<Card> cardsOf(const NestModel& model)
{
    std::vector<Card> out;
    for (std::size_t i = 0; i < model.columns.size(); ++i) {
        if (!model.columns[i].isAxis || out.empty())
            out.push_back({i, i});
        out.back().end = i + 1;
    }
    return out;
}

/// Sizes of the parts of a card.
struct CardSizes
{
    double row = 0, head = 0, axisHead = 0, foot = 0;

    [[nodiscard]] double bars(std::size_t count) const { return static_cast<double>(count) * (row + 4); }
    [[nodiscard]] double axis(const NestColumn& column) const
    {
        return axisHead + bars(std::max<std::size_t>(1, column.bars.size())) + 4;
    }
    [[nodiscard]] double axes(const NestModel& model, const Card& card) const
    {
        double out = 0;
        for (std::size_t i = card.first + 1; i < card.end; ++i)
            out += axis(model.columns[i]);
        return out;
    }
    [[nodiscard]] double card(const NestModel& model, const Card& card) const
    {
        return head + bars(std::max<std::size_t>(2, model.columns[card.first].bars.size())) + foot +
               axes(model, card);
    }
};

void placeBars(NestPlaces& out, const NestModel& model, std::size_t index, double top, double row)
{
    const NestColumn& column = model.columns[index];
    const QRectF& rect = out.columns[index];
    const QFontMetricsF fm(uiFont());
    const double indent = std::min(8.0, rect.width() * 0.03);
    for (std::size_t b = 0; b < column.bars.size(); ++b) {
        const NestBar& bar = column.bars[b];
        NestBarPlace place{index, bar.loop, bar.nth, b, {}, {}};
        const double x = rect.left() + kPad + static_cast<double>(b) * indent;
        place.rect = {x, top, rect.right() - kPad - x, row};
        double right = place.rect.right() - 4;
        for (std::size_t c = bar.primes.size(); c-- > 0;) {
            const double w = std::max(24.0, fm.horizontalAdvance(powerText(bar.primes[c])) + 10);
            place.chips.insert(place.chips.begin(), {bar.primes[c].prime, {right - w, top + 2, w, row - 4}});
            right -= w + 3;
        }
        out.bars.push_back(std::move(place));
        top += row + 4;
    }
}

void placeCard(NestPlaces& out, const NestModel& model, const Card& card, const QRectF& rect,
               const CardSizes& sizes)
{
    out.cards[card.first] = rect;
    const double axes = sizes.axes(model, card);
    out.columns[card.first] = rect.adjusted(0, 0, 0, -axes);
    placeBars(out, model, card.first, rect.top() + sizes.head, sizes.row);
    double y = rect.bottom() - axes;
    for (std::size_t i = card.first + 1; i < card.end; ++i) {
        const double height = sizes.axis(model.columns[i]);
        out.columns[i] = {rect.left(), y, rect.width(), height};
        placeBars(out, model, i, y + sizes.axisHead, sizes.row);
        y += height;
    }
}

/// Places the cards from the top of `area` downwards. If they fit into one row, they grow to the height of
/// `area`. Returns the y of the lower end plus a gap.
double placeCards(NestPlaces& out, const NestModel& model, const QRectF& area)
{
    const std::vector<Card> cards = cardsOf(model);
    out.columns.resize(model.columns.size());
    out.cards.resize(model.columns.size());
    // As many cards are side by side as there is room for, in rows of about equal numbers of cards.
    const QFontMetricsF fm(uiFont());
    const double small = QFontMetricsF(uiFont(0.85)).height();
    const double least = fm.horizontalAdvance(QLatin1Char('8')) * 14.5;
    const double width = area.width();
    double y = area.top();
    const auto room = static_cast<std::size_t>(std::max(2.0, std::floor(width / least + 1e-9)));
    const std::size_t rows = (cards.size() + room - 1) / room;
    const std::size_t perRow = (cards.size() + rows - 1) / rows;
    const double cardsWidth = (width - static_cast<double>(perRow - 1) * kGap) / static_cast<double>(perRow);
    const CardSizes sizes{rowHeight(), fm.height() + small + 12, axisHeadHeight(),
                          2 * small + 14}; // room for the folded loops and the effect of a drop
    for (std::size_t first = 0; first < cards.size(); first += perRow) {
        const std::size_t end = std::min(first + perRow, cards.size());
        double height = 0;
        for (std::size_t i = first; i < end; ++i)
            height = std::max(height, sizes.card(model, cards[i]));
        if (rows == 1)
            height = std::max(height, area.height());
        for (std::size_t i = first; i < end; ++i)
            placeCard(
                out, model, cards[i],
                {area.left() + static_cast<double>(i - first) * (cardsWidth + kGap), y, cardsWidth, height},
                sizes);
        y += height + kGap;
    }
    return y;
}

} // namespace

NestPlaces nestPlaces(const QRectF& area, double bodyWidth, const NestModel& model)
{
    NestPlaces out;
    const QFontMetricsF fm(uiFont());
    const QFontMetricsF small(uiFont(0.85));
    const double left = area.left() + kMargin;
    double width = std::max(240.0, area.width() - 2 * kMargin);
    double y = area.top() + 8;

    // Title and metrics are side by side if there is enough room.
    const double cardHeight = small.height() * 2 + fm.height() * 1.2 + 10;
    const double cardWidth = std::max(130.0, fm.horizontalAdvance(QLatin1Char('8')) * 19);
    const double cards = 3 * cardWidth + 2 * kGap;
    const double titleHeight = fm.height() * 1.25 + small.height() * 2 + 6;
    if (width - cards >= 260) {
        out.title = {left, y, width - cards - 16, std::max(titleHeight, cardHeight)};
        for (std::size_t i = 0; i < 3; ++i)
            out.metrics[i] = {left + width - cards + static_cast<double>(i) * (cardWidth + kGap), y,
                              cardWidth, std::max(titleHeight, cardHeight)};
        y = out.title.bottom() + kGap;
    } else {
        out.title = {left, y, width, titleHeight};
        y = out.title.bottom() + 4;
        const double w = (width - 2 * kGap) / 3;
        const QFontMetricsF values(metricFont());
        double widest = 0;
        for (const NestMetric& metric : model.metrics)
            widest = std::max(widest, values.horizontalAdvance(metric.value) + 2 * kMetricMargin);
        if (widest <= w) {
            for (std::size_t i = 0; i < 3; ++i)
                out.metrics[i] = {left + static_cast<double>(i) * (w + kGap), y, w, cardHeight};
            y += cardHeight + kGap;
        } else { // each metric has a line of its own
            for (QRectF& metric : out.metrics) {
                metric = {left, y, width, values.height() + 6};
                y += metric.height() + 4;
            }
            y += kGap - 4;
        }
    }

    width = std::max(240.0, bodyWidth - 2 * kMargin);
    const double operandHeight = fm.height() + small.height() + 10;
    const double operandWidth = (width - 2 * kGap) / 3;
    for (std::size_t i = 0; i < 3; ++i)
        out.operands[i] = {left + static_cast<double>(i) * (operandWidth + kGap), y, operandWidth,
                           operandHeight};
    y += operandHeight + kGap;

    y = placeCards(out, model, {left, y, width, std::max(0.0, area.bottom() - kMargin - y)});
    out.height = y - area.top() + 4;
    return out;
}

} // namespace tilewright::ui
