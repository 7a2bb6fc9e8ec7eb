// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/graph/graph_paint.h"

#include "theme/number.h"
#include "views/graph/graph_shapes.h"

#include <QCoreApplication>
#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace tilewright::ui {

namespace {

// Below these zooms (device pixels per scene unit) details are left out.
constexpr double kBlocksBelow = 0.24; // nodes are plain blocks, lines straight
constexpr double kArrowsFrom = 0.42;
constexpr double kLabelsFrom = 0.62;
constexpr double kSmallestText = 6.5;   // device pixels
constexpr double kSmallestHullTag = 26; // screen pixels, side of a hull that gets its number when far away

class Painting
{
public:
    Painting(QPainter& painter, const GraphModel& model, const Viewport& viewport, const QRectF& area,
             const Theme& theme, const GraphMarks& marks)
        : m_p(painter), m_model(model), m_viewport(viewport), m_theme(theme), m_marks(marks),
          m_visible(viewport.toScene(area)), m_scale(viewport.scale), m_titleFont(uiFont(1.0, QFont::Medium)),
          m_detailFont(uiFont(0.85)), m_tagFont(uiFont(0.85, QFont::DemiBold))
    {
        m_deviceScale = m_scale * painter.device()->devicePixelRatioF();
        m_titleVisible = QFontMetricsF(m_titleFont).height() * 0.75 * m_deviceScale >= kSmallestText;
        m_detailVisible = QFontMetricsF(m_detailFont).height() * 0.75 * m_deviceScale >= kSmallestText;
        const double margin = 40;
        m_visible.adjust(-margin, -margin, margin, margin);
    }

    void run()
    {
        m_p.setTransform(m_viewport.transform(), true);
        for (const GraphHull& hull : m_model.hulls)
            if (!hull.collapsed && hull.bounds.intersects(m_visible))
                paintHull(hull);
        paintLines();
        paintHighlights();
        if (m_deviceScale < kBlocksBelow)
            paintBlocks();
        else
            for (std::size_t v = 0; v < m_model.nodes.size(); ++v)
                if (m_model.nodes[v].rect.intersects(m_visible))
                    paintNode(v);
        paintRings();
        if (m_deviceScale >= kLabelsFrom)
            paintLabels();
        for (const GraphHull& hull : m_model.hulls)
            if (hull.bounds.intersects(m_visible))
                paintTab(hull);
    }

private:
    // -- subgraphs --------------------------------------------------------------------------------------

    [[nodiscard]] double hairline() const { return std::max(1.0, 1.0 / m_scale); }
    [[nodiscard]] bool isSelected(const GraphHull& hull) const
    {
        return m_marks.subgraphs.count(hull.subgraph) > 0;
    }

    /// A drop there would be refused.
    [[nodiscard]] bool isOutOfQuestion(const GraphHull& hull) const
    {
        const auto verdict = m_marks.verdicts.find(hull.subgraph);
        return verdict != m_marks.verdicts.end() && verdict->second.kind == GraphVerdict::Kind::Refused;
    }

    void paintHull(const GraphHull& hull)
    {
        const bool target = m_marks.dragging && m_marks.target == hull.subgraph;
        const bool hot = m_marks.hoverSubgraph == hull.subgraph || target;
        const bool neutral = hull.fill.role == GraphFill::Role::Neutral;
        const QColor base = fillColour(hull.fill, m_theme);
        const double strength = (neutral ? 0.10 : m_theme.dark ? 0.22 : 0.26) + (hot ? 0.10 : 0);
        QColor border =
            neutral ? m_theme.outline : Theme::mix(m_theme.canvas, borderColour(hull.fill, m_theme), 0.7);
        double width = 1.2;
        if (!hull.error.isEmpty()) {
            border = m_theme.error;
            width = 1.6;
        }
        if (isSelected(hull)) {
            border = m_theme.accent;
            width = 2.6;
        }
        if (m_marks.dragging) {
            const auto verdict = m_marks.verdicts.find(hull.subgraph);
            if (isOutOfQuestion(hull) && !target) {
                border = Theme::mix(m_theme.canvas, m_theme.outline, 0.5); // good targets are to be seen
                width = 1;
            } else if (verdict != m_marks.verdicts.end() &&
                       verdict->second.kind != GraphVerdict::Kind::Unknown) {
                border = verdictColour(verdict->second.kind, m_theme);
                width = target ? 3.2 : 2.2;
            }
        }
        QPen pen(border, std::max(width, width * 0.8 / m_scale));
        if (!hull.error.isEmpty() && !isSelected(hull))
            pen.setDashPattern({6, 3});
        m_p.setPen(pen);
        m_p.setBrush(neutral ? Theme::mix(m_theme.canvas, m_theme.muted, strength)
                             : Theme::mix(m_theme.canvas, base, strength));
        m_p.drawPath(hull.path);
        if (hull.satellites.isEmpty())
            return;
        QColor tint = neutral ? m_theme.muted : base;
        tint.setAlphaF(0.35F);
        m_p.setPen(Qt::NoPen);
        m_p.setBrush(tint);
        m_p.drawPath(hull.satellites);
        pen.setStyle(Qt::DashLine);
        pen.setWidthF(std::max(1.2, 1.0 / m_scale));
        m_p.setPen(pen);
        m_p.setBrush(Qt::NoBrush);
        m_p.drawPath(hull.satellites.simplified());
    }

    /// Number, granularity and latency on the upper edge; far away only the number, in screen size.
    void paintTab(const GraphHull& hull)
    {
        if (!m_titleVisible)
            return paintFarTag(hull);
        const auto verdict = m_marks.verdicts.find(hull.subgraph);
        const bool quiet = m_marks.dragging && isOutOfQuestion(hull) && m_marks.target != hull.subgraph;
        const bool judged = m_marks.dragging && !quiet && verdict != m_marks.verdicts.end() &&
                            verdict->second.kind != GraphVerdict::Kind::Unknown;
        if (hull.collapsed && !judged)
            return; // the card says it all
        m_p.setFont(m_tagFont);
        const QFontMetricsF tag(m_tagFont), detail(m_detailFont);
        const QString numberText = QString::number(hull.subgraph.value);
        const double height = tag.height() * 0.98;
        const QPointF at = hull.tab + QPointF(m_model.geometry->metrics.padding() * 0.9, -height / 2);
        const QRectF badge(at,
                           QSizeF(std::max(height * 1.15, tag.horizontalAdvance(numberText) + 10), height));

        // As much as fits between the badge and the right end of the outline.
        QStringList texts;
        if (judged) {
            texts = {verdict->second.text};
        } else if (!quiet) {
            QString all = hull.granularity;
            if (!hull.error.isEmpty())
                all = hull.error;
            else if (!hull.latency.isEmpty())
                all += QStringLiteral("  ") + hull.latency +
                       (hull.change.isEmpty() ? QString() : QStringLiteral(" (%1)").arg(hull.change));
            texts = {all, hull.error.isEmpty() ? hull.latency : hull.error};
        }
        const double room = hull.tabRoom - badge.width() - 2 * m_model.geometry->metrics.padding() * 0.9 - 8;
        QString text;
        for (const QString& candidate : texts)
            if (detail.horizontalAdvance(candidate) <= room || (judged && text.isEmpty())) {
                text = candidate;
                break;
            }
        const QColor fill =
            hull.fill.role == GraphFill::Role::Neutral ? m_theme.raised : fillColour(hull.fill, m_theme);
        QColor border =
            hull.fill.role == GraphFill::Role::Neutral ? m_theme.outline : borderColour(hull.fill, m_theme);
        QColor textColour = hull.error.isEmpty() ? m_theme.text : m_theme.error;
        if (isSelected(hull))
            border = m_theme.accent;
        if (judged)
            textColour = border = verdictColour(verdict->second.kind, m_theme);
        if (!text.isEmpty()) {
            const QRectF strip(badge.left(), badge.top(), badge.width() + detail.horizontalAdvance(text) + 12,
                               height);
            m_p.setPen(QPen(border, hairline()));
            m_p.setBrush(m_theme.raised);
            m_p.drawRoundedRect(strip, 4, 4);
            m_p.setPen(textColour);
            m_p.setFont(m_detailFont);
            m_p.drawText(strip.adjusted(badge.width() + 5, 0, 8, 0), Qt::AlignVCenter | Qt::AlignLeft, text);
        }
        m_p.setPen(QPen(border, isSelected(hull) ? 2 : hairline()));
        m_p.setBrush(fill);
        m_p.drawRoundedRect(badge, 4, 4);
        m_p.setFont(m_tagFont);
        m_p.setPen(hull.fill.role == GraphFill::Role::Neutral ? m_theme.text : m_theme.inkOn(fill));
        m_p.drawText(badge, Qt::AlignCenter, numberText);
    }

    void paintFarTag(const GraphHull& hull)
    {
        const QRectF onScreen(m_viewport.toScreen(hull.bounds));
        const auto verdict = m_marks.verdicts.find(hull.subgraph);
        const bool judged =
            m_marks.dragging && m_marks.target == hull.subgraph && verdict != m_marks.verdicts.end();
        if (!judged && (onScreen.width() < kSmallestHullTag || onScreen.height() < kSmallestHullTag * 0.55))
            return;
        m_p.save();
        m_p.setTransform(m_viewport.transform().inverted(), true);
        m_p.setFont(m_tagFont);
        const QFontMetricsF metrics(m_tagFont);
        const QString text = judged ? verdict->second.text : QString::number(hull.subgraph.value);
        const QSizeF size(metrics.horizontalAdvance(text) + 8, metrics.height());
        QRectF tag(onScreen.center() - QPointF(size.width() / 2, size.height() / 2), size);
        const bool neutral = hull.fill.role == GraphFill::Role::Neutral;
        m_p.setPen(QPen(isSelected(hull)        ? m_theme.accent
                        : !hull.error.isEmpty() ? m_theme.error
                        : neutral               ? m_theme.outline
                                                : borderColour(hull.fill, m_theme),
                        isSelected(hull) ? 2 : 1));
        m_p.setBrush(judged ? m_theme.raised : neutral ? m_theme.raised : fillColour(hull.fill, m_theme));
        m_p.drawRoundedRect(tag, 4, 4);
        m_p.setPen(judged    ? verdictColour(verdict->second.kind, m_theme)
                   : neutral ? m_theme.text
                             : m_theme.inkOn(fillColour(hull.fill, m_theme)));
        m_p.drawText(tag, Qt::AlignCenter, text);
        m_p.restore();
    }

    // -- lines ------------------------------------------------------------------------------------------

    void paintLines()
    {
        const QColor faint = Theme::mix(m_theme.canvas, m_theme.muted, m_marks.searching ? 0.35 : 0.75);
        if (m_deviceScale < kBlocksBelow) {
            // Thousands of lines: straight, unsmoothed, one call a style.
            std::vector<QLineF> lines;
            for (const GraphStroke& stroke : m_model.strokes)
                if (stroke.bounds.intersects(m_visible))
                    for (std::size_t i = 0; i + 1 < stroke.points.size(); ++i)
                        lines.emplace_back(stroke.points[i], stroke.points[i + 1]);
            QPen pen(Theme::mix(m_theme.canvas, faint, 0.7), 1);
            pen.setCosmetic(true);
            m_p.setPen(pen);
            m_p.setRenderHint(QPainter::Antialiasing, false);
            m_p.drawLines(lines.data(), static_cast<int>(lines.size()));
            m_p.setRenderHint(QPainter::Antialiasing, true);
            return;
        }
        m_p.setBrush(Qt::NoBrush);
        for (const GraphStroke& stroke : m_model.strokes)
            if (stroke.bounds.intersects(m_visible))
                paintStroke(stroke.path, stroke.style, faint, 1.5);
        if (m_deviceScale < kArrowsFrom)
            return;
        m_p.setPen(Qt::NoPen);
        m_p.setBrush(faint);
        for (const GraphEdge& edge : m_model.edges)
            if (m_visible.contains(edge.end))
                paintArrow(edge);
    }

    void paintStroke(const QPainterPath& path, EdgeStyle style, const QColor& colour, double width)
    {
        width = std::max(width, 0.9 / m_scale);
        QPen pen(colour, width);
        pen.setCapStyle(Qt::FlatCap);
        switch (style) {
        case EdgeStyle::Ephemeral:
            pen.setDashPattern({4, 2.5});
            m_p.setPen(pen);
            m_p.drawPath(path);
            break;
        case EdgeStyle::Retained:
            pen.setWidthF(3.2 * width);
            m_p.setPen(pen);
            m_p.drawPath(path);
            m_p.setPen(QPen(m_theme.canvas, 1.3 * width));
            m_p.drawPath(path);
            break;
        case EdgeStyle::Spilled:
            m_p.setPen(pen);
            m_p.drawPath(path);
            break;
        }
    }

    void paintArrow(const GraphEdge& edge)
    {
        const QPointF d = edge.end - edge.beforeEnd;
        const double length = std::hypot(d.x(), d.y());
        if (length < 1e-6)
            return;
        const QPointF u = d / length, n(-u.y(), u.x());
        const QPointF back = edge.end - u * 8;
        const QPointF points[] = {edge.end, back + n * 3.6, back - n * 3.6};
        m_p.drawPolygon(points, 3);
    }

    /// Lines of the selected tensor, and those that enter and leave selected or hovered ops.
    void paintHighlights()
    {
        const auto nodeOf = [&](const std::optional<OpId>& op) {
            return op ? m_model.geometry->nodeOf(*op) : std::nullopt;
        };
        std::set<std::size_t> near;
        if (m_marks.ops.size() <= 24)
            for (OpId op : m_marks.ops)
                if (const auto v = nodeOf(op))
                    near.insert(*v);
        const auto hover = nodeOf(m_marks.hoverOp);
        const bool any = m_marks.tensor || m_marks.hoverTensor || hover || !near.empty();
        if (!any || m_marks.dragging)
            return;
        for (const GraphEdge& edge : m_model.edges) {
            if (!edge.bounds.intersects(m_visible) && !edge.bounds.isEmpty())
                continue;
            const bool strong =
                m_marks.tensor == edge.tensor || near.count(edge.from) > 0 || near.count(edge.to) > 0;
            const bool weak = m_marks.hoverTensor == edge.tensor || hover == edge.from || hover == edge.to;
            if (!strong && !weak)
                continue;
            m_p.setBrush(Qt::NoBrush);
            const QColor colour = strong ? m_theme.accent : Theme::mix(m_theme.canvas, m_theme.accent, 0.75);
            paintStroke(edge.path, edge.style, colour, m_marks.tensor == edge.tensor ? 2.6 : 2.0);
            if (m_deviceScale >= kArrowsFrom) {
                m_p.setPen(Qt::NoPen);
                m_p.setBrush(colour);
                paintArrow(edge);
            }
        }
    }

    void paintLabels()
    {
        m_p.setFont(m_detailFont);
        for (const GraphEdge& edge : m_model.edges) {
            if (edge.label.isEmpty() || !edge.labelRect.intersects(m_visible))
                continue;
            QColor back = m_theme.canvas;
            back.setAlphaF(0.88F);
            m_p.setPen(Qt::NoPen);
            m_p.setBrush(back);
            m_p.drawRoundedRect(edge.labelRect, 4, 4);
            const bool strong = m_marks.tensor == edge.tensor || m_marks.hoverTensor == edge.tensor;
            m_p.setPen(strong ? m_theme.accent : m_theme.muted);
            m_p.drawText(edge.labelRect, Qt::AlignCenter | Qt::TextDontClip, edge.label);
        }
    }

    // -- nodes ------------------------------------------------------------------------------------------

    [[nodiscard]] QColor dimmed(const QColor& colour, std::size_t v) const
    {
        const GraphKey& key = m_model.nodes[v].key;
        const bool back = (m_marks.searching && m_marks.found.count(v) == 0) ||
                          (key.kind == GraphKey::Kind::Op && m_marks.carried.count(OpId(key.id)) > 0);
        return back ? Theme::mix(m_theme.canvas, colour, 0.28) : colour;
    }

    [[nodiscard]] std::vector<QColor> fills(std::size_t v) const
    {
        const GraphNode& node = m_model.nodes[v];
        std::vector<QColor> out;
        for (const GraphBadge& badge : node.badges)
            if (const QColor c = dimmed(fillColour(badge.fill, m_theme), v); out.empty() || out.back() != c)
                out.push_back(c);
        if (out.empty())
            out.push_back(dimmed(m_theme.raised, v));
        return out;
    }

    void paintBlocks()
    {
        m_p.setPen(Qt::NoPen);
        m_p.setRenderHint(QPainter::Antialiasing, false);
        for (std::size_t v = 0; v < m_model.nodes.size(); ++v) {
            const GraphNode& node = m_model.nodes[v];
            if (!node.rect.intersects(m_visible))
                continue;
            const bool tensor =
                node.key.kind == GraphKey::Kind::Input || node.key.kind == GraphKey::Kind::Output;
            if (tensor) {
                m_p.fillRect(node.rect, dimmed(Theme::mix(m_theme.canvas, m_theme.outline, 0.6), v));
                continue;
            }
            const auto colours = fills(v);
            const double width = node.rect.width() / static_cast<double>(colours.size());
            for (std::size_t i = 0; i < colours.size(); ++i)
                m_p.fillRect(QRectF(node.rect.left() + width * static_cast<double>(i), node.rect.top(), width,
                                    node.rect.height()),
                             colours[i]);
        }
        m_p.setRenderHint(QPainter::Antialiasing, true);
    }

    void paintNode(std::size_t v)
    {
        const GraphNode& node = m_model.nodes[v];
        const QPainterPath shape = nodeShape(node);
        const auto colours = fills(v);
        const bool tensor = node.key.kind == GraphKey::Kind::Input || node.key.kind == GraphKey::Kind::Output;
        QColor border = m_theme.outline;
        if (!node.badges.empty() && node.badges.front().fill.role == GraphFill::Role::Category)
            border = borderColour(node.badges.front().fill, m_theme);
        if (node.error)
            border = m_theme.error;
        if (node.uncovered && !tensor)
            border = m_theme.error;
        QPen pen(dimmed(border, v), node.error ? 1.8 : 1.2);
        if (node.uncovered && !tensor)
            pen.setDashPattern({4, 2});
        if (colours.size() == 1) {
            m_p.setPen(pen);
            m_p.setBrush(tensor ? dimmed(m_theme.panel, v) : colours.front());
            m_p.drawPath(shape);
        } else {
            m_p.save();
            m_p.setClipPath(shape, Qt::IntersectClip);
            const double width = node.rect.width() / static_cast<double>(colours.size());
            for (std::size_t i = 0; i < colours.size(); ++i)
                m_p.fillRect(QRectF(node.rect.left() + width * static_cast<double>(i), node.rect.top(),
                                    width + 0.5, node.rect.height()),
                             colours[i]);
            m_p.restore();
            m_p.setPen(pen);
            m_p.setBrush(Qt::NoBrush);
            m_p.drawPath(shape);
        }
        if (m_titleVisible)
            paintNodeText(v, colours, tensor);
    }

    void paintNodeText(std::size_t v, const std::vector<QColor>& colours, bool tensor)
    {
        const GraphNode& node = m_model.nodes[v];
        const QColor background =
            tensor || node.badges.empty() ? (tensor ? m_theme.panel : m_theme.raised) : colours.front();
        const QColor ink = tensor || node.badges.empty() ? dimmed(m_theme.text, v) : inkFor(background);
        const double line = m_model.geometry->metrics.line;
        m_p.setPen(ink);
        if (tensor) {
            m_p.setFont(m_detailFont);
            const QRectF box =
                node.rect.adjusted(node.rect.height() * 0.35, 0, -node.rect.height() * 0.35, 0);
            m_p.drawText(box, Qt::AlignCenter, elided(m_detailFont, node.title, box.width()));
            return;
        }
        // Badges of the subgraphs stand at the left, title and detail beside them.
        const double left = paintBadges(v);
        const bool matmul = node.type == OpType::MatMul;
        const QRectF box =
            node.rect.adjusted(left, 0, matmul && node.key.kind == GraphKey::Kind::Op ? -8 : -10, 0);
        m_p.setPen(ink);
        m_p.setFont(m_titleFont);
        const bool card = node.key.kind == GraphKey::Kind::Card;
        const bool two = m_detailVisible;
        const double rows = card ? 3 : 2;
        const double top = node.rect.center().y() - rows * line / 2 * 0.98;
        if (!two) {
            m_p.drawText(box, Qt::AlignCenter, elided(m_titleFont, node.title, box.width()));
            return;
        }
        m_p.drawText(QRectF(box.left(), top, box.width(), line), Qt::AlignCenter,
                     elided(m_titleFont, node.title, box.width()));
        m_p.setFont(m_detailFont);
        m_p.drawText(
            QRectF(box.left(), top + line * 0.98, box.width(), line), Qt::AlignCenter,
            elided(m_detailFont,
                   node.uncovered ? QCoreApplication::translate("Graph", "in no subgraph") : node.detail,
                   box.width()));
        if (card)
            m_p.drawText(QRectF(box.left(), top + 2 * line * 0.98, box.width(), line), Qt::AlignCenter,
                         elided(m_detailFont, node.extra, box.width()));
    }

    [[nodiscard]] QColor inkFor(const QColor& background) const { return m_theme.inkOn(background); }

    /// Returns the width taken.
    double paintBadges(std::size_t v)
    {
        const GraphNode& node = m_model.nodes[v];
        if (node.badges.empty())
            return 10;
        const QFontMetricsF metrics(m_tagFont);
        const double height = metrics.height() * 0.92;
        double x =
            node.rect.left() + (node.type == OpType::MatMul || node.key.kind == GraphKey::Kind::Card ? 6 : 9);
        const std::size_t shown = std::min<std::size_t>(node.badges.size(), 3);
        const bool recomputed = node.badges.size() > 1;
        m_p.setFont(m_tagFont);
        double widest = 0;
        for (std::size_t i = 0; i < shown; ++i) {
            QString text = QString::number(node.badges[i].subgraph.value);
            if (i + 1 == shown && node.badges.size() > shown)
                text = QStringLiteral("+%1").arg(node.badges.size() - shown + 1);
            widest = std::max(widest, std::max(height, metrics.horizontalAdvance(text) + 7));
            // One below the other when there are several; the node is two lines high.
            const double step = recomputed ? height * (shown == 2 ? 1.02 : 0.9) : 0;
            const double y = node.rect.center().y() - height / 2 +
                             step * (static_cast<double>(i) - (static_cast<double>(shown) - 1) / 2);
            const QRectF badge(x, y, std::max(height, metrics.horizontalAdvance(text) + 7), height);
            const QColor fill = fillColour(node.badges[i].fill, m_theme);
            m_p.setPen(QPen(dimmed(m_theme.ink, v), 1));
            m_p.setBrush(dimmed(recomputed ? fill : Theme::mix(fill, Qt::white, 0.55), v));
            m_p.drawRoundedRect(badge, height / 2.4, height / 2.4);
            m_p.setPen(recomputed ? m_theme.inkOn(fill) : m_theme.ink);
            m_p.drawText(badge, Qt::AlignCenter, text);
        }
        if (recomputed) {
            const double side = metrics.height() * 0.62;
            m_p.setPen(QPen(m_theme.ink, 1.6));
            m_p.setBrush(Qt::NoBrush);
            const QRectF sign(node.rect.right() - side - (node.type == OpType::MatMul ? 6 : 13),
                              node.rect.bottom() - side - 6, side, side);
            m_p.drawPath(recomputeSign(sign));
        }
        return x - node.rect.left() + widest + 3;
    }

    [[nodiscard]] QString elided(const QFont& font, const QString& text, double width) const
    {
        return QFontMetricsF(font).elidedText(text, Qt::ElideMiddle, width);
    }

    // -- rings ------------------------------------------------------------------------------------------

    void ring(std::size_t v, const QColor& colour, double width, Qt::PenStyle style = Qt::SolidLine)
    {
        GraphNode grown = m_model.nodes[v];
        const double by = 1.5 + width / 2;
        grown.rect.adjust(-by, -by, by, by);
        QPen pen(colour, std::max(width, width / m_scale * 0.8), style);
        m_p.setPen(pen);
        m_p.setBrush(Qt::NoBrush);
        m_p.drawPath(nodeShape(grown));
    }

    void paintRings()
    {
        for (std::size_t v = 0; v < m_model.nodes.size(); ++v)
            if (m_model.nodes[v].moved && m_model.nodes[v].rect.intersects(m_visible))
                ring(v, m_theme.warning, 1.6, Qt::DotLine);
        const auto ringOp = [&](OpId op, const QColor& colour, double width,
                                Qt::PenStyle style = Qt::SolidLine) {
            if (const auto v = m_model.geometry->nodeOf(op))
                ring(*v, colour, width, style);
        };
        for (std::size_t v : m_marks.found)
            ring(v, m_marks.currentFound == v ? m_theme.accent : m_theme.warning,
                 m_marks.currentFound == v ? 3.5 : 2);
        if (m_marks.hoverOp)
            ringOp(*m_marks.hoverOp, Theme::mix(m_theme.canvas, m_theme.accent, 0.6), 2);
        for (OpId op : m_marks.ops)
            ringOp(op, m_theme.accent, 2.8);
        if (m_marks.cursor)
            ringOp(*m_marks.cursor, m_theme.text, 1.4, Qt::DashLine);
        const auto ringTensor = [&](TensorId t, const QColor& colour, double width) {
            for (auto kind : {GraphKey::Kind::Input, GraphKey::Kind::Output})
                if (const auto it = m_model.geometry->index.find({kind, t.value});
                    it != m_model.geometry->index.end())
                    ring(it->second, colour, width);
        };
        if (m_marks.hoverTensor)
            ringTensor(*m_marks.hoverTensor, Theme::mix(m_theme.canvas, m_theme.accent, 0.6), 2);
        if (m_marks.tensor)
            ringTensor(*m_marks.tensor, m_theme.accent, 2.8);
    }

    QPainter& m_p;
    const GraphModel& m_model;
    const Viewport& m_viewport;
    const Theme& m_theme;
    const GraphMarks& m_marks;
    QRectF m_visible;
    double m_scale;
    double m_deviceScale = 1;
    QFont m_titleFont, m_detailFont, m_tagFont;
    bool m_titleVisible = true;
    bool m_detailVisible = true;
};

} // namespace

QColor fillColour(const GraphFill& fill, const Theme& theme)
{
    switch (fill.role) {
    case GraphFill::Role::Category:
        return theme.category(static_cast<std::size_t>(fill.value));
    case GraphFill::Role::Ramp:
        return theme.ramp(fill.value);
    case GraphFill::Role::Bound:
        switch (static_cast<Bound>(static_cast<int>(fill.value))) {
        case Bound::Compute:
            return theme.computeBound;
        case Bound::Memory:
            return theme.memoryBound;
        case Bound::Balanced:
            break;
        }
        return theme.balanced;
    case GraphFill::Role::Neutral:
        break;
    }
    return theme.raised;
}

QColor borderColour(const GraphFill& fill, const Theme& theme)
{
    return fill.role == GraphFill::Role::Category ? theme.categoryBorder(static_cast<std::size_t>(fill.value))
                                                  : theme.outline;
}

QColor verdictColour(GraphVerdict::Kind kind, const Theme& theme)
{
    switch (kind) {
    case GraphVerdict::Kind::Better:
        return theme.ok;
    case GraphVerdict::Kind::Worse:
        return theme.warning;
    case GraphVerdict::Kind::Invalid:
    case GraphVerdict::Kind::Refused:
        return theme.error;
    case GraphVerdict::Kind::Unknown:
    case GraphVerdict::Kind::Same:
        break;
    }
    return theme.muted;
}

void paintGraph(QPainter& painter, const GraphModel& model, const Viewport& viewport, const QRectF& area,
                const Theme& theme, const GraphMarks& marks)
{
    painter.save();
    painter.setClipRect(area, Qt::IntersectClip);
    painter.setRenderHint(QPainter::Antialiasing);
    Painting(painter, model, viewport, area, theme, marks).run();
    painter.restore();
}

} // namespace tilewright::ui
