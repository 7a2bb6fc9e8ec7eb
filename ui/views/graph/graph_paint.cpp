// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/graph/graph_paint.h"

#include "theme/text_metrics.h"
#include "views/graph/graph_hit.h"

#include <QCoreApplication>
#include <QFontMetricsF>

namespace tilewright::ui {

namespace {
constexpr double kSmallestText = 6.5; // height of the smallest readable text, in pixels
// how far badges and tabs may extend beyond the border of a node or area, in scene units
constexpr double kOverhang = 40;
} // namespace

GraphPainting::GraphPainting(QPainter& painter, const GraphModel& model, const Viewport& viewport,
                             const QRectF& area, const Theme& theme, const GraphMarks& marks)
    : m_p(painter), m_model(model), m_viewport(viewport), m_theme(theme), m_roles(graphRoles(theme)),
      m_marks(marks), m_seen(viewport.toScene(area)),
      m_visible(m_seen.adjusted(-kOverhang, -kOverhang, kOverhang, kOverhang)), m_scale(viewport.scale),
      m_deviceScale(m_scale * painter.device()->devicePixelRatioF()), m_titleFont(uiFont(1.0, QFont::Medium)),
      m_detailFont(uiFont(0.85)), m_tagFont(uiFont(0.85, QFont::DemiBold)),
      m_farFont(uiFont(0.8, QFont::Medium))
{
    // Names are painted in scene size if they can be read, otherwise in screen size in nodes that are high
    // enough.
    const double title = QFontMetricsF(m_titleFont).height() * 0.75;
    if (model.geometry && title * m_scale < kSmallestText) {
        const GraphMetrics& metrics = model.geometry->metrics;
        const double highest = model.hasStacks              ? metrics.stackHeight()
                               : model.geometry->hasCards() ? metrics.sectionHeight()
                                                            : metrics.nodeHeight();
        m_farText = highest * m_scale >= std::max(kGraphFarTextFrom, 0.8 * QFontMetricsF(m_farFont).height());
    }
    m_titleVisible = !m_farText && title * m_deviceScale >= kSmallestText;
    m_detailVisible =
        m_titleVisible && QFontMetricsF(m_detailFont).height() * 0.75 * m_deviceScale >= kSmallestText;
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
    GraphPainting painting(painter, model, viewport, area, theme, marks);
    painter.setTransform(viewport.transform(), true);
    painting.paintHulls();
    painting.paintLines();
    painting.paintHighlights();
    painting.paintSlabs();
    painting.paintNodes();
    painting.paintRings();
    painting.paintLabels();
    painting.paintTabs();
    painter.restore();
}

// Painting of nodes: ops, tensors and cards, and rings around marked nodes.

namespace {

constexpr double kRingPixels = 7; // height in pixels below which nodes have no dotted ring

class NodePainting : public GraphPainting
{
public:
    explicit NodePainting(const GraphPainting& painting)
        : GraphPainting(painting), m_sceneTransform(m_p.transform())
    {
    }

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
            if (node.key.isTensor()) {
                if (m_deviceScale >= kGraphDotsBelow)
                    m_p.fillRect(node.rect, dimmed(m_roles.tensorBlock, v));
                continue;
            }
            if (!node.shares.empty()) {
                paintShares(v, node.rect);
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

    /// Paints the subgraphs of a section side by side, with widths proportional to their latencies.
    void paintShares(std::size_t v, const QRectF& bar)
    {
        double all = 0;
        for (const GraphShare& share : m_model.nodes[v].shares)
            all += share.weight;
        double x = bar.left();
        for (const GraphShare& share : m_model.nodes[v].shares) {
            const double width = all > 0 ? bar.width() * share.weight / all : 0;
            m_p.fillRect(QRectF(x, bar.top(), width, bar.height()),
                         dimmed(fillColour(share.fill, m_theme), v));
            x += width;
        }
    }

    void paintNode(std::size_t v)
    {
        const GraphNode& node = m_model.nodes[v];
        const QPainterPath shape = nodeShape(node);
        const auto colours = fills(v);
        const bool tensor = node.key.isTensor();
        QColor border = tensor ? m_roles.tensorBorder : m_theme.outline;
        if (!node.badges.empty() && node.badges.front().fill.role == GraphFill::Role::Category)
            border = borderColour(node.badges.front().fill, m_theme);
        if (node.error)
            border = m_theme.error;
        if (node.uncovered && !tensor)
            border = m_theme.error;
        QPen pen(dimmed(border, v), visible(node.error ? 1.8 : 1.2));
        if (node.uncovered && !tensor)
            pen.setDashPattern({4, 2});
        if (node.isStack)
            paintPlates(node.rect, dimmed(m_theme.outline, v), colours.front());
        if (colours.size() == 1) {
            m_p.setPen(pen);
            m_p.setBrush(tensor ? dimmed(m_roles.tensorFill, v) : colours.front());
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
        if (!node.shares.empty()) {
            m_p.save();
            m_p.setClipPath(shape, Qt::IntersectClip);
            const double height = m_titleVisible ? sectionBar() : node.rect.height() * 0.4;
            paintShares(v, node.rect.adjusted(0, node.rect.height() - height, 0, 0));
            m_p.restore();
            m_p.setPen(pen);
            m_p.setBrush(Qt::NoBrush);
            m_p.drawPath(shape);
        }
        if (m_titleVisible)
            paintNodeText(v, tensor);
        else if (m_farText)
            paintFarText(v);
    }

    /// Paints the plates that stand for the other equal blocks, behind the card.
    void paintPlates(const QRectF& card, const QColor& border, const QColor& fill)
    {
        m_p.setPen(QPen(border, visible(1.2)));
        m_p.setBrush(Theme::mix(m_theme.canvas, fill, 0.5));
        const double step = 0.3 * m_model.geometry->metrics.line;
        for (const int plate : {2, 1})
            m_p.drawPath(cardShape(card.translated(plate * step, plate * step)));
    }

    [[nodiscard]] double sectionBar() const { return 0.7 * m_model.geometry->metrics.line; }

    /// Returns the shortened name of a node; empty if it would be unclear. A name without its middle is
    /// unclear; the name of an op without its leading parts is not.
    static QString farName(const GraphNode& node, const TextMetrics& metrics, double width)
    {
        const QChar dots(0x2026);
        const auto fits = [&](const QString& text) { return metrics.horizontalAdvance(text) <= width; };
        if (!node.brief.isEmpty()) {
            const QString start =
                node.brief.section(QChar(0x2013), 0, 0) + dots; // the first name of a range of names
            for (const QString& text : {node.title, node.brief, start})
                if (fits(text))
                    return text;
            return {};
        }
        QString text = fittingName(node.title, fits);
        if (!text.contains(dots) || text == node.title)
            return text;
        if (node.key.isTensor())
            return {};
        // Names that differ in the number at the end, such as pointwise10 and pointwise11, must keep that
        // number.
        qsizetype digits = 0;
        while (digits < node.title.size() && node.title[node.title.size() - 1 - digits].isDigit())
            ++digits;
        if (digits > 0 && text.endsWith(node.title.right(digits)))
            return text;
        const QString last = node.title.section(QLatin1Char('.'), -1);
        // A text such as "…softmax" or "h1.soft…" is clear enough.
        return text.startsWith(dots) || text.endsWith(dots) ? text : fits(last) ? last : QString();
    }

    /// Paints only the name, in screen size; paints nothing if too little of the name would be left.
    void paintFarText(std::size_t v)
    {
        const GraphNode& node = m_model.nodes[v];
        const TextMetrics metrics(m_farFont);
        QRectF box = node.rect;
        if (!node.shares.empty())
            box.setBottom(box.bottom() - box.height() * 0.4);
        box = m_viewport.toScreen(box);
        if (box.height() < metrics.height() * 0.8)
            return;
        const double inset = node.key.isTensor() ? box.height() * 0.5
                             : node.key.kind == GraphKey::Kind::Op && node.type == OpType::Pointwise
                                 ? box.height() * 0.25
                                 : 3;
        box.adjust(inset, 0, -inset, 0);
        const QString text = farName(node, metrics, box.width());
        if (text.isEmpty())
            return;
        m_p.save();
        m_p.setTransform(m_viewport.transform().inverted(), true);
        m_p.setFont(m_farFont);
        eachInk(v, [&](const QColor& ink) {
            m_p.setPen(ink);
            m_p.drawText(box, Qt::AlignCenter | Qt::TextDontClip, text);
        });
        m_p.restore();
    }

    /// Calls `paint` with a text colour that can be read on the node. If the node has several fills, calls it
    /// once for each of them, clipped to the fill.
    template <typename Paint> void eachInk(std::size_t v, Paint paint)
    {
        const GraphNode& node = m_model.nodes[v];
        if (node.key.isTensor() || node.badges.empty()) {
            paint(dimmed(m_theme.text, v));
            return;
        }
        const auto colours = fills(v);
        if (colours.size() == 1) {
            paint(m_theme.inkOn(colours.front()));
            return;
        }
        const QTransform now = m_p.transform();
        const double width = node.rect.width() / static_cast<double>(colours.size());
        for (std::size_t i = 0; i < colours.size(); ++i) {
            m_p.save();
            m_p.setTransform(m_sceneTransform);
            m_p.setClipRect(QRectF(node.rect.left() + width * static_cast<double>(i), node.rect.top(), width,
                                   node.rect.height()),
                            Qt::IntersectClip);
            m_p.setTransform(now);
            paint(m_theme.inkOn(colours[i]));
            m_p.restore();
        }
    }

    void paintNodeText(std::size_t v, bool tensor)
    {
        const GraphNode& node = m_model.nodes[v];
        const double line = m_model.geometry->metrics.line;
        if (tensor) {
            const QRectF box =
                node.rect.adjusted(node.rect.height() * 0.35, 0, -node.rect.height() * 0.35, 0);
            m_p.setFont(m_detailFont);
            m_p.setPen(dimmed(m_theme.text, v));
            const QString title = named(m_detailFont, node.title, box.width());
            if (!m_detailVisible) {
                m_p.drawText(box, Qt::AlignCenter, title);
                return;
            }
            const double row = 0.9 * line;
            const double top = box.center().y() - row;
            m_p.drawText(QRectF(box.left(), top, box.width(), row), Qt::AlignCenter, title);
            m_p.setPen(dimmed(m_theme.muted, v));
            m_p.drawText(QRectF(box.left(), top + row, box.width(), row), Qt::AlignCenter,
                         elided(m_detailFont, node.detail, box.width()));
            return;
        }
        // The badges of the subgraphs are on the left; title and detail are beside them.
        const double left = paintBadges(v);
        const bool card = node.key.kind == GraphKey::Kind::Card || node.key.kind == GraphKey::Kind::Section;
        const QRectF box = node.rect.adjusted(left, 0, node.type == OpType::MatMul && !card ? -8 : -10, 0);
        const double bar = node.shares.empty() ? 0 : sectionBar();
        const int rows = node.isStack ? 4 : card ? 3 : 2;
        const double top = node.rect.center().y() - bar / 2 - rows * line / 2 * 0.98;
        const auto row = [&](int i) {
            return m_detailVisible ? QRectF(box.left(), top + i * line * 0.98, box.width(), line)
                                   : box.adjusted(0, 0, 0, -bar);
        };
        const QString title = named(m_titleFont, node.title, box.width());
        const QString detail = elided(
            m_detailFont,
            node.uncovered && !card ? QCoreApplication::translate("Graph", "in no subgraph") : node.detail,
            box.width());
        // The cost of an op is shown behind its sizes if there is room for both.
        const QString cost = QStringLiteral(" · ") + node.extra;
        const bool hasCost = !card && !node.uncovered &&
                             TextMetrics(m_detailFont).horizontalAdvance(node.detail + cost) <= box.width();
        eachInk(v, [&](const QColor& ink) {
            m_p.setPen(ink);
            m_p.setFont(m_titleFont);
            m_p.drawText(row(0), Qt::AlignCenter, title);
            if (node.badges.size() > 1)
                paintRecomputeSign(node, ink);
            if (!m_detailVisible)
                return;
            m_p.setPen(ink);
            m_p.setFont(m_detailFont);
            m_p.drawText(row(1), Qt::AlignCenter, hasCost ? node.detail + cost : detail);
            if (card)
                m_p.drawText(row(2), Qt::AlignCenter, elided(m_detailFont, node.extra, box.width()));
            if (node.isStack)
                m_p.drawText(row(3), Qt::AlignCenter, elided(m_detailFont, node.fourth, box.width()));
        });
    }

    void paintRecomputeSign(const GraphNode& node, const QColor& ink)
    {
        const double side = QFontMetricsF(m_tagFont).height() * 0.62;
        m_p.setPen(QPen(ink, 1.6));
        m_p.setBrush(Qt::NoBrush);
        m_p.drawPath(recomputeSign({node.rect.right() - side - (node.type == OpType::MatMul ? 6 : 13),
                                    node.rect.bottom() - side - 6, side, side}));
    }

    /// Paints the badges of a node and returns the width that they take.
    double paintBadges(std::size_t v)
    {
        const GraphNode& node = m_model.nodes[v];
        if (node.badges.empty())
            return 10;
        const TextMetrics metrics(m_tagFont);
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
            // Several badges are one below the other, because the node is two lines high.
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
        return x - node.rect.left() + widest + 3;
    }

    [[nodiscard]] QString named(const QFont& font, const QString& name, double width) const
    {
        return fittingName(name, TextMetrics(font), width);
    }

    [[nodiscard]] QString elided(const QFont& font, const QString& text, double width) const
    {
        return QFontMetricsF(font).elidedText(text, Qt::ElideRight, width);
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
        // At low zoom the dotted rings of many nodes would hide the colours, so they are left out.
        for (std::size_t v = 0; v < m_model.nodes.size(); ++v)
            if (m_model.nodes[v].moved && m_model.nodes[v].rect.height() * m_scale >= kRingPixels &&
                m_model.nodes[v].rect.intersects(m_visible))
                ring(v, m_theme.warning, 1.6, Qt::DotLine);
        for (std::size_t v = 0; v < m_model.nodes.size(); ++v)
            if (const GraphNode& node = m_model.nodes[v]; node.change != model::OperatorChange::Same &&
                                                          node.rect.height() * m_scale >= kRingPixels &&
                                                          node.rect.intersects(m_visible))
                ring(v, changeColour(node.change, m_theme), 2.2, changeLine(node.change));
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
        // A set, because a card is marked once even if several of its ops are selected.
        std::set<std::size_t> selected;
        for (OpId op : m_marks.ops)
            if (const auto v = m_model.geometry->nodeOf(op))
                selected.insert(*v);
        for (std::size_t v : selected)
            if (m_model.nodes[v].rect.intersects(m_visible))
                ring(v, m_theme.accent, 2.8);
        if (m_marks.cursor && *m_marks.cursor < m_model.nodes.size())
            ring(*m_marks.cursor, m_theme.text, 1.4, Qt::DashLine);
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

    QTransform m_sceneTransform;
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
