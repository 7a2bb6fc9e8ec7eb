// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/import/coverage_bar.h"

#include "theme/number.h"

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>

namespace tilewright::ui {

namespace {

/// A pattern over the colour, so that parts can be distinguished without colour vision.
QBrush hatch(const Theme& theme)
{
    return {theme.canvas, Qt::BDiagPattern};
}

} // namespace

CoverageBar::CoverageBar(const ThemeSource& themes, QWidget* parent) : QWidget(parent), m_themes(themes)
{
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleName(tr("Coverage of the model"));
    connect(&themes, &ThemeSource::changed, this, qOverload<>(&QWidget::update));
}

void CoverageBar::setCoverage(const lower::Coverage& coverage, std::int64_t macs)
{
    m_coverage = coverage;
    m_macs = macs;
    QStringList text;
    for (const Part& part : parts())
        text << QStringLiteral("%1 %2").arg(percent(part.share), part.name);
    setAccessibleDescription(text.join(QStringLiteral(", ")));
    update();
}

std::array<CoverageBar::Part, 3> CoverageBar::parts() const
{
    const Theme& t = m_themes.theme();
    return {Part{tr("mapped"), m_coverage.mapped, t.ok, false},
            Part{tr("approximated"), m_coverage.approximated, t.warning, true},
            Part{tr("dropped"), m_coverage.dropped, t.error, false}};
}

QSize CoverageBar::sizeHint() const
{
    return {320, 2 * fontMetrics().height() + 14};
}

void CoverageBar::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const Theme& theme = m_themes.theme();
    const double height = fontMetrics().height();
    const QRectF bar(0.5, 0.5, width() - 1.0, height + 2);
    painter.fillRect(bar, theme.raised);
    double x = bar.left();
    for (const Part& part : parts()) {
        // A part that is not empty is at least 3 pixels wide.
        const double w = part.share > 0 ? std::max(3.0, part.share * bar.width()) : 0;
        const QRectF piece(x, bar.top(), std::min(w, bar.right() - x), bar.height());
        if (w > 0) {
            painter.fillRect(piece, part.colour);
            if (part.hatched)
                painter.fillRect(piece, hatch(theme));
        }
        x += w;
    }
    painter.setPen(theme.outline);
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(bar);
    // The legend shows the figures.
    double at = 0;
    const double y = bar.bottom() + 4;
    painter.setFont(font());
    for (const Part& part : parts()) {
        const QString text = QStringLiteral("%1 %2").arg(part.name, percent(part.share));
        const QRectF mark(at, y + height * 0.2, height * 0.6, height * 0.6);
        painter.fillRect(mark, part.colour);
        if (part.hatched)
            painter.fillRect(mark, hatch(theme));
        painter.setPen(theme.text);
        painter.drawText(QPointF(mark.right() + 4, y + fontMetrics().ascent()), text);
        at = mark.right() + 4 + fontMetrics().horizontalAdvance(text) + 14;
    }
}

bool CoverageBar::event(QEvent* event)
{
    if (event->type() == QEvent::ToolTip) {
        QString text = QStringLiteral("<p>%1</p>")
                           .arg(tr("Of %1 multiply-accumulates of the model:").arg(number(m_macs)));
        for (const Part& part : parts())
            text += QStringLiteral("%1: %2<br>").arg(part.name, percent(part.share));
        text += tr("Folded: %1 of the operators.").arg(percent(m_coverage.folded));
        QToolTip::showText(static_cast<QHelpEvent*>(event)->globalPos(), text, this);
        return true;
    }
    return QWidget::event(event);
}

} // namespace tilewright::ui
