// SPDX-License-Identifier: GPL-3.0-or-later
// Legend and overview of the graph.
#include "chart/keys.h"
#include "theme/text.h"
#include "theme/text_metrics.h"
#include "views/graph/graph_colouring.h"
#include "views/graph/graph_hit.h"
#include "views/graph/graph_paint.h"

#include <QPainter>

#include <cmath>

namespace tilewright::ui {

namespace {

void sampleLine(QPainter& p, const QRectF& box, EdgeStyle style, const Theme& theme)
{
    const double y = box.center().y();
    const QLineF line(box.left(), y, box.right(), y);
    QPen pen(graphRoles(theme).line, 1.5);
    if (style == EdgeStyle::Interior)
        pen.setDashPattern({4, 2.5});
    if (style == EdgeStyle::Retained)
        pen.setWidthF(4.8);
    p.setPen(pen);
    p.drawLine(line);
    if (style == EdgeStyle::Retained) {
        p.setPen(QPen(theme.canvas, 2));
        p.drawLine(line);
    }
}

/// Paints the colour ramp with its numbers, each in a text colour that can be read on the ramp.
void paintScale(QPainter& painter, const GraphLegend& legend, const QRectF& bar, const Theme& theme)
{
    QLinearGradient gradient(bar.topLeft(), bar.topRight());
    for (int i = 0; i <= 8; ++i)
        gradient.setColorAt(i / 8.0, theme.ramp(i / 8.0));
    painter.setPen(QPen(theme.outline, 1));
    painter.setBrush(gradient);
    painter.drawRect(bar);
    const std::size_t n = legend.scale.size();
    for (std::size_t i = 0; i < n; ++i) {
        const double at = n > 1 ? static_cast<double>(i) / static_cast<double>(n - 1) : 0.5;
        const Qt::Alignment side = n == 1       ? Qt::AlignHCenter
                                   : i == 0     ? Qt::AlignLeft
                                   : i + 1 == n ? Qt::AlignRight
                                                : Qt::AlignHCenter;
        painter.setPen(theme.inkOn(theme.ramp(n == 1 ? 0.5 : std::clamp(at, 0.1, 0.9))));
        painter.drawText(bar.adjusted(4, 0, -4, 0), Qt::AlignVCenter | side | Qt::TextDontClip,
                         legend.scale[i]);
    }
}

std::vector<ChartKey> keysOf(const GraphModel& model, const Theme& theme)
{
    constexpr double kWide = 1.8; // width of the shapes relative to their height
    const auto shape = [&theme](QPainterPath (*make)(const QRectF&), const QColor& fill) {
        return [make, fill, &theme](QPainter& p, const QRectF& box) {
            p.setPen(QPen(theme.outline, 1.2));
            p.setBrush(fill);
            p.drawPath(make(box));
        };
    };
    // The cut corner is larger than in the graph, because the shapes in the legend are small.
    const auto matMul = [&theme](const QColor& fill) {
        return [fill, &theme](QPainter& p, const QRectF& box) {
            const double cut = box.height() * 0.55;
            p.setPen(QPen(theme.outline, 1.2, Qt::SolidLine, Qt::SquareCap, Qt::MiterJoin));
            p.setBrush(fill);
            p.drawPolygon(QPolygonF{box.topLeft(),
                                    {box.right() - cut, box.top()},
                                    {box.right(), box.top() + cut},
                                    box.bottomRight(),
                                    box.bottomLeft()});
        };
    };
    // If the fill shows the op type, each shape is drawn once in the colour of its type.
    const auto& entries = model.legend.entries;
    const bool byType = !entries.empty() && entries.front().first == opTypeFill(OpType::MatMul);
    const auto typeFill = [&](OpType type) {
        return byType ? fillColour(opTypeFill(type), theme) : theme.raised;
    };
    const auto line = [&theme](EdgeStyle style) {
        return [style, &theme](QPainter& p, const QRectF& box) { sampleLine(p, box, style, theme); };
    };
    std::vector<ChartKey> keys{{tr("MatMul"), matMul(typeFill(OpType::MatMul))},
                               {tr("Pointwise"), shape(&pointwiseShape, typeFill(OpType::Pointwise))},
                               {tr("graph input"), shape(&inputShape, graphRoles(theme).tensorFill)},
                               {tr("graph output"), shape(&outputShape, graphRoles(theme).tensorFill)},
                               {tr("through slow memory (traffic)"), line(EdgeStyle::Spilled)},
                               {tr("retained in fast memory"), line(EdgeStyle::Retained)},
                               {tr("interior: stays inside a subgraph"), line(EdgeStyle::Interior)}};
    if (model.hasViews)
        keys.push_back({tr("view: rearranged data"), [&theme](QPainter& p, const QRectF& box) {
                            sampleLine(p, box, EdgeStyle::Spilled, theme);
                            const double inset = box.width() * 0.24;
                            paintViewSlab(p, box.adjusted(inset, 3, -inset, -3), graphRoles(theme).line,
                                          theme, 1.3);
                        }});
    const bool bySubgraph = model.legend.entries.empty() && model.legend.scale.empty();
    if (bySubgraph && !model.hulls.empty())
        keys.push_back({tr("subgraph, with its position in the execution order"),
                        [&model, &theme](QPainter& p, const QRectF& box) {
                            p.setPen(QPen(hullBorder(model.hulls.front().fill, theme), 1.2));
                            p.setBrush(hullColour(model.hulls.front().fill, theme));
                            p.drawRoundedRect(box, 3, 3);
                            p.setPen(theme.text);
                            p.drawText(box, Qt::AlignCenter, QStringLiteral("0"));
                        }});
    if (model.recomputes)
        keys.push_back({tr("recomputed in several subgraphs"), [&theme](QPainter& p, const QRectF& box) {
                            p.setPen(Qt::NoPen);
                            p.fillRect(box, theme.category(0));
                            p.fillRect(box.adjusted(box.width() / 2, 0, 0, 0), theme.category(7));
                            p.setPen(QPen(theme.ink, 1.4));
                            const double side = box.height() * 0.6;
                            p.drawPath(recomputeSign(
                                {box.center().x() - side / 2, box.center().y() - side / 2, side, side}));
                        }});
    if (model.hasBaseline)
        keys.push_back({tr("grouped differently in the baseline"), [&theme](QPainter& p, const QRectF& box) {
                            p.setPen(QPen(theme.warning, 1.6, Qt::DotLine));
                            p.setBrush(Qt::NoBrush);
                            p.drawPath(pointwiseShape(box));
                        }});
    if (!model.geometry->sections.empty())
        keys.push_back(
            {tr("card of several subgraphs; bar: their latencies"), [&theme](QPainter& p, const QRectF& box) {
                 p.setPen(QPen(theme.outline, 1.2));
                 p.setBrush(theme.raised);
                 p.drawRoundedRect(box, 3, 3);
                 const QRectF bar = box.adjusted(2, box.height() * 0.55, -2, -2);
                 for (int i = 0; i < 3; ++i)
                     p.fillRect(
                         QRectF(bar.left() + bar.width() * i / 3, bar.top(), bar.width() / 3, bar.height()),
                         theme.category(static_cast<std::size_t>(i)));
             }});
    if (model.hasStacks)
        keys.push_back({tr("equal blocks; bar: the first"), [&theme](QPainter& p, const QRectF& box) {
                            p.setPen(QPen(theme.outline, 1.2));
                            p.setBrush(theme.raised);
                            for (const int plate : {2, 1, 0})
                                p.drawRoundedRect(
                                    box.adjusted(2 * plate, 2 * plate, 2 * plate - 4, 2 * plate - 4), 3, 3);
                        }});
    for (const auto& [change, text] : {std::pair{model::OperatorChange::New, tr("new in this model")},
                                       std::pair{model::OperatorChange::Changed, tr("changed")},
                                       std::pair{model::OperatorChange::Gone, tr("gone")}})
        if (model.hasChange[static_cast<std::size_t>(change)])
            keys.push_back({text, [change = change, &theme](QPainter& p, const QRectF& box) {
                                p.setPen(QPen(changeColour(change, theme), 2.2, changeLine(change)));
                                p.setBrush(theme.raised);
                                p.drawRoundedRect(box.adjusted(1, 1, -1, -1), 3, 3);
                            }});
    if (!byType)
        for (const auto& [fill, text] : entries)
            keys.push_back({text, [fill = fill, &theme](QPainter& p, const QRectF& box) {
                                p.setPen(QPen(theme.outline, 1));
                                p.setBrush(fillColour(fill, theme));
                                p.drawRoundedRect(box, 3, 3);
                            }});
    for (ChartKey& key : keys)
        key.width = kWide;
    if (!model.legend.scale.empty()) {
        const TextMetrics fm(uiFont(0.85));
        double widest = 0;
        for (const QString& figure : model.legend.scale)
            widest = std::max(widest, fm.horizontalAdvance(figure));
        const double width = std::max(150.0, (widest + 8) * static_cast<double>(model.legend.scale.size()));
        keys.push_back(
            {{},
             [&model, &theme](QPainter& p, const QRectF& box) { paintScale(p, model.legend, box, theme); },
             width / (std::ceil(fm.height()) - 1),
             model.legend.title});
    }
    return keys;
}

constexpr double kPadding = 7, kMargin = 10;

QSizeF boxSize(const std::vector<ChartKey>& keys, double width)
{
    const double room = width - 2 * kMargin - 2 * kPadding;
    return {std::min(room, keysWidth(keys)) + 2 * kPadding, keysHeight(keys, room) + kPadding};
}

} // namespace

double graphLegendHeight(const GraphModel& model, const QRectF& area)
{
    const double height = boxSize(keysOf(model, Theme::light()), area.width()).height();
    return height > area.height() * 0.3 ? 0 : height + kMargin;
}

void paintGraphLegend(QPainter& painter, const GraphModel& model, const QRectF& area, const Theme& theme)
{
    if (graphLegendHeight(model, area) == 0)
        return;
    const std::vector<ChartKey> keys = keysOf(model, theme);
    const QSizeF size = boxSize(keys, area.width());
    const QRectF box(QPointF(area.left() + kMargin, area.bottom() - kMargin - size.height()), size);
    painter.save();
    QColor back = theme.panel;
    back.setAlphaF(0.94F);
    painter.setPen(QPen(theme.grid, 1));
    painter.setBrush(back);
    painter.drawRoundedRect(box, 6, 6);
    paintKeys(painter, keys, box.adjusted(kPadding, kPadding - 0.5, -kPadding, 0), theme);
    painter.restore();
}

void GraphLegendPicture::paint(QPainter& painter, const GraphModel& model, const QRectF& area,
                               const Theme& theme)
{
    const Key key{model.legend,
                  model.hulls.empty() ? std::nullopt : std::optional(model.hulls.front().fill),
                  model.recomputes,
                  !model.geometry->sections.empty(),
                  model.hasViews,
                  model.hasStacks,
                  model.hasBaseline,
                  model.hasChange,
                  area.size(),
                  painter.device()->devicePixelRatioF(),
                  &theme,
                  uiFont()};
    // Sizes are whole device pixels, so that the cached picture is as sharp as direct painting.
    const double height = std::ceil(graphLegendHeight(model, area));
    if (m_key != key) {
        m_key = key;
        m_picture = {};
        if (height > 0) {
            m_picture = QPixmap((QSizeF(area.width(), height) * key.ratio).toSize());
            m_picture.setDevicePixelRatio(key.ratio);
            m_picture.fill(Qt::transparent);
            QPainter p(&m_picture);
            p.setRenderHints(QPainter::Antialiasing | QPainter::TextAntialiasing);
            // Paints into an area of the same size, of which the pixmap holds the lower end.
            paintGraphLegend(p, model, {0, height - area.height(), area.width(), area.height()}, theme);
        }
    }
    if (!m_picture.isNull())
        painter.drawPixmap(QPointF(area.left(), area.bottom() - m_picture.deviceIndependentSize().height()),
                           m_picture);
}

void paintGraphOverview(QPainter& painter, const GraphModel& model, const QRectF& area, const Theme& theme)
{
    const Viewport viewport = Viewport::fit(model.bounds, area, 4, 1);
    painter.save();
    painter.setClipRect(area, Qt::IntersectClip);
    painter.setTransform(viewport.transform(), true);
    painter.setPen(Qt::NoPen);
    for (const GraphHull& hull : model.hulls) {
        const bool neutral = hull.fill.role == GraphFill::Role::Neutral;
        painter.setBrush(Theme::mix(theme.canvas, neutral ? theme.muted : fillColour(hull.fill, theme),
                                    neutral ? 0.2 : 0.45));
        painter.drawPath(hull.path);
    }
    for (const GraphNode& node : model.nodes) {
        double x = node.rect.left(), all = 0;
        for (const GraphShare& share : node.shares)
            all += share.weight;
        for (const GraphShare& share : node.shares) {
            const double width = all > 0 ? node.rect.width() * share.weight / all : 0;
            painter.fillRect(QRectF(x, node.rect.top(), width, node.rect.height()),
                             fillColour(share.fill, theme));
            x += width;
        }
        if (node.shares.empty())
            painter.fillRect(node.rect, node.badges.empty() ? graphRoles(theme).tensorBlock
                                                            : fillColour(node.badges.front().fill, theme));
    }
    painter.restore();
}

} // namespace tilewright::ui
