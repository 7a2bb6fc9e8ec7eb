// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/lens_cover.h"

#include "workspace/lens_links.h"

#include <QEvent>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace tilewright::ui {

LensCover::LensCover(const ViewContext& context, Lens lens, View& view)
    : QWidget(&view), m_context(context), m_lens(lens), m_view(view), m_text(new QLabel(this))
{
    setAutoFillBackground(true);
    m_text->setWordWrap(true);
    m_text->setTextFormat(Qt::PlainText);
    m_text->setAlignment(Qt::AlignCenter);
    auto* other = new QPushButton(tr("Show the earlier content of this lens"), this);
    other->setToolTip(
        tr("Show a sample or a workload that was open earlier. The lens stops following the open workload."));
    connect(other, &QPushButton::clicked, this,
            [this] { m_context.workspace.links().setFollowing(m_lens, false); });
    auto* column = new QVBoxLayout(this);
    column->addStretch(1);
    column->addWidget(m_text);
    column->addWidget(other, 0, Qt::AlignHCenter);
    column->addStretch(1);
    view.installEventFilter(this);
    const LensLinks& links = m_context.workspace.links();
    for (auto signal : {&LensLinks::followingChanged, &LensLinks::whyChanged})
        connect(&links, signal, this, &LensCover::refresh);
    m_context.document.whenChanged(this, Part::Problem, &LensCover::refresh);
    refresh();
}

QString LensCover::text() const
{
    return isHidden() ? QString() : m_text->text();
}

void LensCover::refresh()
{
    const LensLinks& links = m_context.workspace.links();
    m_text->setText(links.why(m_lens));
    setVisible(links.cannotShowWorkload(m_lens));
    setGeometry(m_view.rect());
    raise();
}

bool LensCover::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::Resize)
        setGeometry(m_view.rect());
    return QWidget::eventFilter(watched, event);
}

} // namespace tilewright::ui
