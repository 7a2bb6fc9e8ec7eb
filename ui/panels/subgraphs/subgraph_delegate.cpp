// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/subgraphs/subgraph_delegate.h"

#include "canvas/bound_mark.h"
#include "theme/icon.h"
#include "theme/name.h"
#include "theme/text_metrics.h"

#include <QPainter>

#include <algorithm>

namespace tilewright::ui {

namespace {
constexpr double kApart = 8; // pixels between the names and the block
} // namespace

SubgraphDelegate::SubgraphDelegate(const SubgraphModel& model, const ThemeSource& themes, QObject* parent)
    : TableDelegate(
          themes,
          [this](QPainter& painter, const QStyleOptionViewItem& option, const QModelIndex& index,
                 const Theme&) { return paintCell(painter, option, index); },
          parent),
      m_model(model)
{
}

QSize SubgraphDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    QSize size = TableDelegate::sizeHint(option, index);
    size.setHeight(std::max(26, option.fontMetrics.height() + 10));
    return size;
}

bool SubgraphDelegate::paintCell(QPainter& painter, const QStyleOptionViewItem& option,
                                 const QModelIndex& index) const
{
    const std::size_t row = index.data(SubgraphModel::RowRole).toUInt(); // the table may be sorted
    const Snapshot* snapshot = m_model.snapshot();
    if (!snapshot || row >= snapshot->evaluation.subgraphs.size())
        return true;
    const bool selected = option.state & QStyle::State_Selected;
    const QRectF cell = QRectF(option.rect);
    // A pale selection keeps bars and colours readable.
    painter.fillRect(cell, selected          ? theme().selection
                           : index.row() % 2 ? Theme::mix(theme().canvas, theme().text, 0.025)
                                             : theme().canvas);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    const SubgraphEvaluation& e = snapshot->evaluation.subgraphs[row];
    switch (index.column()) {
    case SubgraphModel::Number:
        paintNumber(painter, cell, row);
        break;
    case SubgraphModel::Ops:
        paintOps(painter, cell.adjusted(4, 0, -4, 0), option.font, row);
        break;
    case SubgraphModel::Time:
        paintTime(painter, cell.adjusted(4, 5, -6, -5), e);
        break;
    case SubgraphModel::Memory:
        paintMemory(painter, cell.adjusted(4, 7, -4, -7), e);
        break;
    default: {
        QColor colour = theme().text;
        if (index.column() == SubgraphModel::Change)
            if (const auto by = m_model.change(row))
                colour = *by < 0 ? theme().ok : *by > 0 ? theme().warning : theme().muted;
        if (index.column() == SubgraphModel::Latency && (!e.structurallyValid || !e.fits))
            colour = theme().error;
        painter.setPen(colour);
        painter.setFont(numberFont());
        const QRectF text = cell.adjusted(4, 0, -4, 0);
        QString shown = index.data().toString();
        const TextMetrics fm(painter.font()); // all digits are equally wide
        if (fm.horizontalAdvance(QLatin1Char('0')) * static_cast<double>(shown.size()) > text.width())
            shown = fm.elidedText(shown, Qt::ElideMiddle, text.width());
        const Qt::Alignment side = index.column() == SubgraphModel::Size ? Qt::AlignLeft : Qt::AlignRight;
        painter.drawText(text, static_cast<int>(side | Qt::AlignVCenter), shown);
    }
    }
    painter.restore();
    return true;
}

void SubgraphDelegate::paintNumber(QPainter& painter, const QRectF& cell, std::size_t row) const
{
    const QString text = QString::number(row);
    painter.setFont(numberFont(0.95));
    const TextMetrics fm(painter.font());
    const double h = fm.height() + 2;
    const QRectF badge(cell.left() + 6, cell.center().y() - h / 2,
                       std::max(h, fm.horizontalAdvance(text) + 12), h);
    const std::size_t colour = m_model.colour(row);
    painter.setPen(QPen(theme().categoryBorder(colour), 1));
    painter.setBrush(theme().category(colour));
    painter.drawRoundedRect(badge, 4, 4);
    painter.setPen(theme().ink);
    painter.drawText(badge, Qt::AlignCenter, text);
    double x = badge.right() + 3;
    if (m_model.issue(row)) {
        painter.setPen(theme().error);
        painter.setFont(uiFont());
        const double w = TextMetrics(painter.font()).horizontalAdvance(QStringLiteral("⚠"));
        painter.drawText(QRectF(x, cell.top(), w + 2, cell.height()), Qt::AlignVCenter | Qt::AlignLeft,
                         QStringLiteral("⚠"));
        x += w + 2;
    }
    if (m_model.snapshot()->schedule[SubgraphId(row)].locked) {
        const double side = std::min(h, cell.right() - x);
        paintIcon(painter, QStringLiteral("lock"), {x, cell.center().y() - side / 2, side, side},
                  theme().text);
    }
}

void SubgraphDelegate::paintOps(QPainter& painter, const QRectF& cell, const QFont& font,
                                std::size_t row) const
{
    const auto [names, where] = opsIn(row, font, cell.width());
    painter.setFont(font);
    painter.setPen(theme().text);
    painter.drawText(cell, static_cast<int>(Qt::AlignVCenter | Qt::AlignLeft), names);
    if (where.isEmpty())
        return;
    painter.setPen(theme().muted);
    painter.drawText(cell.adjusted(TextMetrics(font).horizontalAdvance(names) + kApart, 0, 0, 0),
                     static_cast<int>(Qt::AlignVCenter | Qt::AlignLeft), where);
}

OpNames SubgraphDelegate::opsIn(std::size_t row, const QFont& font, double width) const
{
    // The distinctive parts of the names get the width first. The common part of the names ("head0"), shown
    // behind them, is cut first.
    const OpNames text = m_model.names(row);
    const TextMetrics fm(font);
    const auto fits = [&](const QString& shown, double room) { return fm.horizontalAdvance(shown) <= room; };
    // "pointwise12" keeps its number. Of several names the first ones are shown in full, or the first one
    // cut.
    const qsizetype comma = text.names.indexOf(QLatin1Char(','));
    const QString name = comma < 0 ? text.names : text.names.left(comma);
    const QString more = comma < 0 ? QString() : QStringLiteral(", …");
    const double room = width - fm.horizontalAdvance(more);
    const QString cut = fittingName(name, fm, room);
    const QString names = fits(name + more, width) ? fm.elidedText(text.names, Qt::ElideRight, width)
                          : cut.isEmpty()          ? fittingName(name, fm, width)
                                                   : cut + more;
    const double beside = width - fm.horizontalAdvance(names) - kApart;
    if (text.where.isEmpty() || beside >= fm.horizontalAdvance(QStringLiteral("mmm")))
        return {names, text.where.isEmpty() ? QString() : fm.elidedText(text.where, Qt::ElideLeft, beside)};
    // Without room for the block beside the names, an abbreviation precedes the first name, because equal
    // blocks differ in nothing else: "head1.query, scores" becomes "h1.query, …".
    const QString whole = text.where + QLatin1Char('.') + name;
    const QString dots(QChar(u'…'));
    for (const QString& sign : {more, comma < 0 ? QString() : dots})
        if (const QString shown = fittingName(whole, fm, width - fm.horizontalAdvance(sign));
            !shown.isEmpty() && !shown.contains(dots))
            return {shown + sign, {}};
    return {names, {}};
}

double SubgraphDelegate::nameWidth(std::size_t row, const QFont& font) const
{
    const OpNames text = m_model.names(row);
    const QString first = text.names.section(QLatin1Char(','), 0, 0);
    const QString more = first.size() < text.names.size() ? QStringLiteral(", …") : QString();
    const QString place = text.where.isEmpty() ? QString() : text.where + QLatin1Char('.');
    return TextMetrics(font).horizontalAdvance(place + first + more);
}

void SubgraphDelegate::paintTime(QPainter& painter, const QRectF& whole, const SubgraphEvaluation& e) const
{
    if (!e.structurallyValid || m_model.longest() <= 0)
        return;
    paintBoundMark(painter, QPointF(whole.left() + 5, whole.center().y()), 4.5, e.bound,
                   boundColour(e.bound, theme()));
    const QRectF cell = whole.adjusted(14, 0, 0, 0);
    const double scale = cell.width() / m_model.longest();
    const double half = (cell.height() - 2) / 2;
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.fillRect(cell, Theme::mix(theme().canvas, theme().text, 0.05));
    painter.fillRect(QRectF(cell.left(), cell.top(), std::max(1.0, e.compute * scale), half),
                     theme().computeTime);
    const double traffic = static_cast<double>(e.loadElements + e.storeElements);
    const double load = traffic > 0 ? e.memory * static_cast<double>(e.loadElements) / traffic : 0;
    const double y = cell.bottom() - half;
    painter.fillRect(QRectF(cell.left(), y, load * scale, half), theme().loadTime);
    painter.fillRect(QRectF(cell.left() + load * scale, y, (e.memory - load) * scale, half),
                     theme().storeTime);
    const double x = cell.left() + std::min(cell.width() - 1, e.latency * scale);
    painter.setPen(theme().text);
    painter.drawLine(QPointF(x, cell.top() - 1), QPointF(x, cell.bottom()));
}

void SubgraphDelegate::paintMemory(QPainter& painter, const QRectF& cell, const SubgraphEvaluation& e) const
{
    if (!e.structurallyValid)
        return;
    const auto capacity = static_cast<double>(m_model.snapshot()->problem->hardware().fastMemoryCapacity);
    // The capacity line is at 80 % of the cell, so that an overflow is visible.
    const double line = cell.width() * 0.8;
    const double used = std::min(cell.width(), static_cast<double>(e.peakWorkingSet) / capacity * line);
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.fillRect(QRectF(cell.left(), cell.top(), line, cell.height()),
                     Theme::mix(theme().canvas, theme().text, 0.07));
    const QRectF bar(cell.left(), cell.top(), used, cell.height());
    painter.fillRect(bar, e.fits ? theme().retained : theme().error);
    painter.setPen(QPen(theme().text, 1));
    painter.drawLine(QPointF(cell.left() + line, cell.top() - 3),
                     QPointF(cell.left() + line, cell.bottom() + 3));
}

} // namespace tilewright::ui
