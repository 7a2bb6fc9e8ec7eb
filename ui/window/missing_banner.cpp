// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/missing_banner.h"

#include "lower/workload.h"
#include "theme/text.h"
#include "theme/theme.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QToolButton>

namespace tilewright::ui {

MissingBanner::MissingBanner(const ViewContext& context, QWidget* parent)
    : QWidget(parent), m_context(context), m_text(new QLabel(this))
{
    setObjectName(QStringLiteral("missing"));
    parent->layout()->addWidget(this);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(12, 2, 8, 2);
    m_text->setTextFormat(Qt::PlainText);
    m_text->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    auto* show = new QToolButton(this);
    show->setText(tr("Show"));
    show->setToolTip(tr("Show the dropped operators in the Import panel."));
    connect(show, &QToolButton::clicked, this, &MissingBanner::importWanted);
    row->addWidget(m_text, 1);
    row->addWidget(show);
    context.document.whenChanged(this, Part::Problem | Part::Machine, &MissingBanner::refresh);
    connect(&context.themes, &ThemeSource::changed, this, &MissingBanner::refresh);
    refresh();
}

void MissingBanner::refresh()
{
    const auto& model = m_context.document.model();
    m_full = model ? sentence(lower::missingText(*model->workload)) : QString();
    const Theme& theme = m_context.themes.theme();
    QPalette colours = palette();
    colours.setColor(QPalette::WindowText, theme.dark ? theme.canvas : theme.panel);
    m_text->setPalette(colours);
    setAccessibleName(tr("Error: %1").arg(m_full));
    m_text->setToolTip(plain(m_full));
    setVisible(!m_full.isEmpty());
    fitText();
    update();
}

void MissingBanner::fitText()
{
    m_text->setText(m_text->fontMetrics().elidedText(m_full, Qt::ElideRight, m_text->width()));
}

void MissingBanner::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    fitText();
}

void MissingBanner::paintEvent(QPaintEvent*)
{
    QPainter(this).fillRect(rect(), m_context.themes.theme().error);
}

} // namespace tilewright::ui
