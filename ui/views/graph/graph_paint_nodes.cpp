// SPDX-License-Identifier: GPL-3.0-or-later
// Ops, tensors and cards, and the rings round what is marked.
#include "views/graph/graph_painting.h"
#include "views/graph/graph_shapes.h"

#include <QCoreApplication>
#include <QFontMetricsF>

#include <cmath>

namespace tilewright::ui {

namespace {

class NodePainting : public GraphPainting
{
public:
    explicit NodePainting(const GraphPainting& painting) : GraphPainting(painting) {}

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

    void rings()
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
};

} // namespace

void GraphPainting::paintNodes()
{
    NodePainting painting(*this);
    if (m_deviceScale < kGraphBlocksBelow) {
        painting.paintBlocks();
        return;
    }
    for (std::size_t v = 0; v < m_model.nodes.size(); ++v)
        if (m_model.nodes[v].rect.intersects(m_visible))
            painting.paintNode(v);
}

void GraphPainting::paintRings()
{
    NodePainting(*this).rings();
}

} // namespace tilewright::ui
