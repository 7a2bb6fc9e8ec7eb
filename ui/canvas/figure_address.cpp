// SPDX-License-Identifier: GPL-3.0-or-later
#include "canvas/figure_address.h"

#include "canvas/canvas.h"
#include "canvas/table_model.h"

#include <QAbstractItemView>
#include <QVariant>
#include <QWidget>

namespace tilewright::ui {

namespace {

constexpr const char* kProperty = "figure";

/// Returns the figure that belongs to the item of a picture: "s3" is a subgraph, "o12" an op.
QString figureOfKeys(const QStringList& keys)
{
    for (const QString& key : keys) {
        bool isNumber = false;
        const int index = QStringView(key).mid(1).toInt(&isNumber);
        if (isNumber && key.startsWith(QLatin1Char('s')))
            return QStringLiteral("schedule:subgraphs.%1.latency").arg(index);
        if (isNumber && key.startsWith(QLatin1Char('o')))
            return QStringLiteral("schedule:ops.%1.latency").arg(index);
    }
    return {};
}

} // namespace

void setFigure(QWidget* widget, const QString& address)
{
    widget->setProperty(kProperty, address);
}

QString figureAt(const QWidget& widget, QPoint position)
{
    QPoint at = position;
    for (const QWidget* w = &widget; w != nullptr; w = w->parentWidget()) {
        if (const auto* list = qobject_cast<const QAbstractItemView*>(w)) {
            const QWidget* const viewport = list->viewport();
            const QPoint inside = viewport->mapFrom(list, widget.mapTo(list, position));
            if (QString cell = list->indexAt(inside).data(TableModel::FigureRole).toString();
                viewport->rect().contains(inside) && !cell.isEmpty())
                return cell;
        }
        if (const auto* canvas = dynamic_cast<const Canvas*>(w))
            if (QString item = figureOfKeys(canvas->itemAt(at)); !item.isEmpty())
                return item;
        if (QString own = w->property(kProperty).toString(); !own.isEmpty())
            return own;
        if (w->isWindow())
            break;
        at = w->mapToParent(at);
    }
    return {};
}

QString figureOfFocus(const QWidget& widget)
{
    if (const auto* list = qobject_cast<const QAbstractItemView*>(&widget))
        return list->currentIndex().data(TableModel::FigureRole).toString();
    if (const auto* canvas = dynamic_cast<const Canvas*>(&widget))
        return figureOfKeys(canvas->itemOfFocus());
    return widget.property(kProperty).toString();
}

} // namespace tilewright::ui
