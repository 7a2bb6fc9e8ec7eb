// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/tour.h"

#include "theme/theme.h"
#include "window/main_window.h"
#include "workspace/installed_files.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>

namespace tilewright::ui {

namespace {

constexpr int kLookMs = 200;
constexpr int kApart = 8;

/// Round the control that is meant; the mouse goes through.
class Ring : public QWidget
{
public:
    explicit Ring(QWidget* parent) : QWidget(parent)
    {
        setAttribute(Qt::WA_TransparentForMouseEvents);
        setFocusPolicy(Qt::NoFocus);
        hide();
    }

protected:
    void paintEvent(QPaintEvent*) override
    {
        QPainter painter(this);
        painter.setPen(QPen(palette().color(QPalette::Highlight), 3));
        painter.drawRect(QRectF(rect()).adjusted(1.5, 1.5, -1.5, -1.5));
    }
};

} // namespace

TourGuide::TourGuide(MainWindow& window) : QFrame(&window), m_window(window), m_frame(new Ring(&window))
{
    setObjectName(QStringLiteral("tour"));
    setAccessibleName(tr("Guided tour"));
    setFrameStyle(QFrame::Box | QFrame::Plain); // on white panes a white card has no edge
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::ToolTipBase);
    setForegroundRole(QPalette::ToolTipText);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(12, 10, 12, 10);
    m_text = new QLabel(this);
    m_text->setWordWrap(true);
    m_text->setForegroundRole(QPalette::ToolTipText);
    column->addWidget(m_text);
    auto* row = new QHBoxLayout;
    m_count = new QLabel(this);
    m_count->setForegroundRole(QPalette::ToolTipText);
    m_count->setWordWrap(true);
    row->addWidget(m_count, 1);
    m_leave = new QPushButton(tr("Leave the tour"), this);
    m_leave->setFocusPolicy(Qt::TabFocus); // the keyboard stays where the step needs it
    connect(m_leave, &QPushButton::clicked, this, &TourGuide::leave);
    row->addWidget(m_leave);
    column->addLayout(row);
    m_timer.setInterval(kLookMs);
    connect(&m_timer, &QTimer::timeout, this, &TourGuide::look);
    hide();
}

void TourGuide::start(const Tour& tour)
{
    leave();
    if (!m_window.openPaths({samplesFolder() + QLatin1Char('/') + tour.file}))
        return;
    m_tour = tour;
    m_step = 0;
    m_timer.start();
    show();
}

void TourGuide::leave()
{
    m_timer.stop();
    hide();
    m_frame->hide();
    m_target = nullptr;
    m_note.clear();
}

void TourGuide::setNote(const QString& note)
{
    m_note = note;
    if (isRunning())
        show();
}

QString TourGuide::text() const
{
    return isRunning() ? m_text->text() : QString();
}

void TourGuide::look()
{
    const std::size_t before = m_step;
    while (m_step < m_tour.steps.size() && m_tour.steps[m_step].done())
        ++m_step;
    m_step == before ? place() : show();
}

void TourGuide::show()
{
    const bool ended = m_step >= m_tour.steps.size();
    m_text->setText(m_window.state().actions.withKeys(ended ? m_tour.end : m_tour.steps[m_step].text));
    QStringList line{m_tour.title};
    if (!ended)
        line << tr("%1 of %2").arg(m_step + 1).arg(m_tour.steps.size());
    if (!m_note.isEmpty())
        line << m_note;
    m_count->setText(line.join(QStringLiteral(" · ")));
    m_leave->setText(ended ? tr("Close") : tr("Leave the tour"));
    setVisible(true);
    place();
}

void TourGuide::place()
{
    const bool ended = m_step >= m_tour.steps.size();
    m_target = ended ? nullptr : m_tour.steps[m_step].where();
    const bool seen = m_target && m_target->isVisible();
    const QRect around =
        seen ? QRect(m_target->mapTo(&m_window, QPoint(0, 0)), m_target->size()) : m_window.rect();
    const int width = std::min(fontMetrics().averageCharWidth() * 46, m_window.width() - 2 * kApart);
    const int height = std::max(sizeHint().height(), layout()->totalHeightForWidth(width));
    // Beside the control where there is room, else in the corner of the window that is farthest from it.
    const QRect room = m_window.rect().adjusted(kApart, kApart, -kApart, -kApart);
    QRect card(0, 0, width, height);
    card.moveCenter(room.center());
    if (seen) {
        card.moveTopLeft({around.right() + kApart, around.top()});
        if (!room.contains(card))
            card.moveTopRight({around.left() - kApart, around.top()});
        if (!room.contains(card))
            card.moveBottomLeft({around.left(), around.top() - kApart});
        if (!room.contains(card))
            card.moveTopLeft({around.left(), around.bottom() + kApart});
        card.moveRight(std::min(card.right(), room.right()));
        card.moveBottom(std::min(card.bottom(), room.bottom()));
        card.moveLeft(std::max(card.left(), room.left()));
        card.moveTop(std::max(card.top(), room.top()));
    }
    setGeometry(card);
    raise();
    m_frame->setVisible(seen);
    if (seen) {
        m_frame->setGeometry(around.adjusted(-3, -3, 3, 3));
        m_frame->raise();
        raise();
    }
}

} // namespace tilewright::ui
