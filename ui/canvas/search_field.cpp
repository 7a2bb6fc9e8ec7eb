// SPDX-License-Identifier: GPL-3.0-or-later
#include "canvas/search_field.h"

#include "canvas/control_bar.h"
#include "workspace/actions.h"

#include <QKeyEvent>
#include <QLabel>

namespace tilewright::ui {

SearchField::SearchField(ControlBar& bar, const QString& placeholder, const QString& name, const QString& tip,
                         Actions& actions)
    : QLineEdit(&bar), m_hits(new QLabel(&bar))
{
    setPlaceholderText(placeholder);
    setClearButtonEnabled(true);
    bar.add(this, name, tip, true);
    actions.explain(this, tip);
    m_hits->setMinimumWidth(m_hits->fontMetrics().horizontalAdvance(QStringLiteral("000/000")));
    bar.add(m_hits, tr("Matches"), tr("Number of the shown match, and of all matches."));
    m_hits->setFocusPolicy(Qt::NoFocus);
}

void SearchField::setHits(std::size_t current, std::optional<std::size_t> count)
{
    m_hits->setText(count ? QStringLiteral("%1/%2").arg(*count == 0 ? 0 : current + 1).arg(*count)
                          : QString());
}

void SearchField::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) {
        Q_EMIT next(event->modifiers() & Qt::ShiftModifier ? -1 : 1);
    } else if (event->key() == Qt::Key_Escape) {
        clear();
        Q_EMIT left();
    } else {
        QLineEdit::keyPressEvent(event);
    }
}

} // namespace tilewright::ui
