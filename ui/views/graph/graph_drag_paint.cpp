// SPDX-License-Identifier: GPL-3.0-or-later
// What is shown at the cursor while ops are dragged.
#include "views/graph/graph_drag_paint.h"

#include "views/graph/graph_picture.h"

#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>
#include <utility>
#include <vector>

namespace tilewright::ui {

namespace {

constexpr QSizeF kLargestGhost(190, 74); // of the picture of the ops
constexpr double kPad = 9;

double area(const QRectF& r)
{
    return r.isEmpty() ? 0 : r.width() * r.height();
}

} // namespace

QRectF placeBeside(QPointF cursor, QSizeF size, const QRectF& room, const QRectF& avoid,
                   std::span<const QRectF> others)
{
    constexpr double right = 18, left = 14, below = 22, above = 14;
    const double w = size.width(), h = size.height();
    const QPointF corners[] = {cursor + QPointF(right, below),
                               cursor + QPointF(-left - w, below),
                               cursor + QPointF(right, -above - h),
                               cursor + QPointF(-left - w, -above - h),
                               // Where the cursor leaves no room, past what is to be seen.
                               {cursor.x() + right, avoid.bottom() + 6},
                               {cursor.x() + right, avoid.top() - 6 - h},
                               {cursor.x() - left - w, avoid.bottom() + 6},
                               {cursor.x() - left - w, avoid.top() - 6 - h},
                               {avoid.right() + 6, cursor.y() + below},
                               {avoid.right() + 6, cursor.y() - above - h},
                               {avoid.left() - 6 - w, cursor.y() + below},
                               {avoid.left() - 6 - w, cursor.y() - above - h}};
    const QRectF inner = room.adjusted(4, 4, -4, -4);
    const QRectF pointer(cursor - QPointF(3, 3), QSizeF(16, 20));
    QRectF best;
    std::pair<double, double> bestCost; // what must not be covered, then what is better not
    for (const QPointF& corner : corners) {
        QRectF box(corner, size);
        box.moveRight(std::min(box.right(), inner.right()));
        box.moveBottom(std::min(box.bottom(), inner.bottom()));
        box.moveLeft(std::max(box.left(), inner.left()));
        box.moveTop(std::max(box.top(), inner.top()));
        std::pair cost(area(box & avoid) + 4 * area(box & pointer), 0.0);
        for (const QRectF& other : others)
            cost.second += area(box & other);
        if (best.isNull() || cost < bestCost) {
            best = box;
            bestCost = cost;
        }
    }
    return best;
}

void GraphPicture::paintDrag(QPainter& painter, const Theme& theme) const
{
    const GraphModel& model = *m_layouter.model();
    const GraphDrag& drag = m_gestures.drag();
    const Viewport& viewport = m_navigator.viewport();
    const QRectF room = m_bars.content();
    // The ops as they look in the graph, small, above the words: nothing covers the target's own verdict.
    GraphModel carried;
    carried.geometry = model.geometry;
    QRectF around;
    for (OpId op : drag.drop().ops)
        if (const auto v = model.geometry->nodeOf(op)) {
            carried.nodes.push_back(model.nodes[*v]);
            carried.nodes.back().moved = false;
            around |= carried.nodes.back().rect;
        }
    QSizeF ghost;
    if (!around.isEmpty()) {
        const double scale =
            std::min({kLargestGhost.width() / around.width(), kLargestGhost.height() / around.height(), 0.8});
        ghost = around.size() * scale + QSizeF(4, 4);
    }

    const GraphVerdict verdict = drag.verdict();
    const QColor colour = verdictColour(verdict.kind, theme);
    const QFont small = uiFont(0.9), large = uiFont(1.15, QFont::DemiBold);
    const QFontMetricsF sm(small), lm(large);
    const double widest =
        std::clamp(sm.averageCharWidth() * 50, 200.0, std::max(200.0, 0.6 * m_view.width()));
    const auto wrapped = [&](const QString& text) {
        return text.isEmpty() ? QRectF()
                              : sm.boundingRect(QRectF(0, 0, widest, 1000), Qt::TextWordWrap, text);
    };
    const QRectF sentence = wrapped(drag.sentence()), detail = wrapped(verdict.detail);
    QString keys;
    if (drag.isOverTarget()) {
        const auto instead = drag.recomputeInstead();
        if (verdict.kind == GraphVerdict::Kind::Refused && !drag.drop().force)
            keys = (instead ? tr("Ctrl: recompute there (%1)").arg(instead->text) + QLatin1Char('\n')
                            : QString()) +
                   tr("Alt: do it all the same");
        else if (!drag.drop().recompute)
            keys = tr("Ctrl: recompute there");
    }
    const QRectF hint = wrapped(keys);
    const double wide = std::min(widest, std::max({sentence.width(), lm.horizontalAdvance(verdict.text),
                                                   detail.width(), hint.width(), ghost.width()}) +
                                             4);
    const double words = sentence.height() + lm.height() + detail.height() + hint.height() + 14;
    const double above = ghost.isEmpty() ? 0 : ghost.height() + 6;

    QRectF badge; // of the target; generous, its words may be longer than the place for them
    if (const auto target = drag.drop().to;
        drag.isOverTarget() && target && target->index() < model.hulls.size()) {
        badge = viewport.toScreen(tabRect(model, model.hulls[target->index()]));
        badge = QRectF(badge.left(), badge.center().y() - 14, std::max(badge.width(), 120.0), 28);
        badge.moveTop(std::max(badge.top(), room.top()));
        badge.moveLeft(std::max(badge.left(), room.left()));
    }
    // Where else it would help stays to be read, as far as there is room.
    std::vector<QRectF> better;
    for (const auto& [s, label] : drag.labels())
        if (label.kind == GraphVerdict::Kind::Better && s.index() < model.hulls.size() && s != drag.drop().to)
            better.push_back(viewport.toScreen(model.hulls[s.index()].bounds));
    const QRectF box =
        placeBeside(m_gestures.mouse(), QSizeF(wide + 2 * kPad, words + above), room, badge, better);
    painter.setPen(QPen(colour, 1.6));
    painter.setBrush(theme.raised);
    painter.drawRoundedRect(box, 6, 6);
    if (!ghost.isEmpty()) {
        const QRectF at(box.left() + kPad, box.top() + 7, ghost.width(), ghost.height());
        paintGraph(painter, carried, Viewport::fit(around, at, 2, 1), at, theme);
    }
    QRectF line = box.adjusted(kPad, 6 + above, -kPad, 0);
    const auto write = [&](const QFont& font, double height, const QColor& ink, const QString& text) {
        painter.setFont(font);
        painter.setPen(ink);
        painter.drawText(QRectF(line.left(), line.top(), line.width(), height + 2), Qt::TextWordWrap, text);
        line.adjust(0, height, 0, 0);
    };
    write(small, sentence.height(), theme.text, drag.sentence());
    write(large, lm.height(), colour, verdict.text);
    write(small, detail.height(), theme.text, verdict.detail);
    write(small, hint.height(), theme.muted, keys);
}

} // namespace tilewright::ui
