// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/tour.h"

#include "theme/theme.h"
#include "window/main_window.h"
#include "window/message_bar.h"
#include "workspace/installed_files.h"

#include <QCoreApplication>
#include <QDockWidget>
#include <QHBoxLayout>
#include <QLabel>
#include <QMouseEvent>
#include <QPainter>
#include <QPushButton>
#include <QScrollArea>
#include <QStatusBar>
#include <QToolBar>
#include <QVBoxLayout>

#include <algorithm>
#include <tuple>

namespace tilewright::ui {

namespace {

void sendMouse(const Spot& spot, QEvent::Type type, Qt::MouseButton button, Qt::MouseButtons held,
               Qt::KeyboardModifiers modifiers = {})
{
    QMouseEvent event(type, spot.at, spot.control->mapToGlobal(spot.at), button, held, modifiers);
    QCoreApplication::sendEvent(spot.control, &event);
}

} // namespace

Gesture clickOn(const QString& caption, std::function<Spot()> where, Qt::KeyboardModifiers modifiers)
{
    return {caption, std::move(where), [modifiers](const Spot& spot) {
                sendMouse(spot, QEvent::MouseButtonPress, Qt::LeftButton, Qt::LeftButton, modifiers);
                if (spot.control)
                    sendMouse(spot, QEvent::MouseButtonRelease, Qt::LeftButton, Qt::NoButton, modifiers);
            }};
}

namespace {

constexpr int kPollMs = 200;
/// Distance in pixels between the card and its control, and between the card and the edges.
constexpr int kApart = 8;

/// Frame around the control of a step. Mouse events pass through it.
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
    setFrameStyle(QFrame::Box | QFrame::Plain); // a frame, so that a white card is visible on a white view
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
    column->addWidget(m_count);
    row->addStretch();
    const auto button = [&](const QString& text, const QString& tip) {
        auto* b = new QPushButton(text, this);
        b->setToolTip(tip);
        // A click on the button leaves the keyboard focus where the step needs it.
        b->setFocusPolicy(Qt::TabFocus);
        return b;
    };
    m_leave = button(tr("Leave"), tr("Leave the tour. Your edits are kept."));
    m_back = button(tr("Back"), tr("Go back to the previous step."));
    m_skip = button(tr("Skip"), tr("Skip this step."));
    connect(m_leave, &QPushButton::clicked, this, &TourGuide::leave);
    connect(m_back, &QPushButton::clicked, this, [this] { goTo(m_step - 1); });
    connect(m_skip, &QPushButton::clicked, this, [this] { goTo(m_step + 1); });
    m_offer = button({}, {});
    m_offer->setAccessibleName(tr("Do this step"));
    connect(m_offer, &QPushButton::clicked, this, [this] {
        if (m_step >= m_tour.steps.size() || !m_tour.steps[m_step].doIt)
            return;
        m_tour.steps[m_step].doIt();
        m_file = m_window.state().document.problemPath();
    });
    for (QPushButton* b : {m_offer, m_back, m_skip, m_leave})
        row->addWidget(b);
    column->addLayout(row);
    setCursor(Qt::SizeAllCursor);
    for (QPushButton* b : {m_offer, m_back, m_skip, m_leave})
        b->setCursor(Qt::ArrowCursor);
    m_timer.setInterval(kPollMs);
    connect(&m_timer, &QTimer::timeout, this, &TourGuide::poll);
    hide();
}

void TourGuide::start(const Tour& tour)
{
    leave();
    if (!m_window.openPaths({samplesFolder() + QLatin1Char('/') + tour.file}))
        return;
    // A tour starts without baselines, selection and messages from an earlier session of the file.
    AppState& state = m_window.state();
    state.document.clearBaselines();
    state.selection.clear();
    if (QAction* edit = state.actions.find(QStringLiteral("view.perspective.Edit")))
        edit->trigger();
    for (auto* message : m_window.statusBar()->findChildren<MessageBar*>())
        message->dismiss();
    m_tour = tour;
    m_file = state.document.problemPath();
    m_timer.start();
    goTo(0);
    m_revisited = false;
}

void TourGuide::leave()
{
    // Baselines of the tour are removed at its end, because they would be stored with the file.
    if (Document& document = m_window.state().document; isRunning() && document.problemPath() == m_file)
        document.clearBaselines();
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

void TourGuide::goTo(std::size_t step)
{
    m_step = std::min(step, m_tour.steps.size());
    m_dragged.reset();
    m_revisited = m_step < m_tour.steps.size() && m_tour.steps[m_step].done();
    if (m_step < m_tour.steps.size())
        bringForward(m_tour.steps[m_step].pane);
    show();
}

void TourGuide::bringForward(const QString& pane)
{
    View* view = pane.isEmpty() ? nullptr : m_window.view(pane);
    if (!view || view->isSeen())
        return;
    // raise() and not showView(), which would move the keyboard focus.
    if (auto* dock = qobject_cast<QDockWidget*>(view->parentWidget())) {
        dock->show();
        dock->raise();
    } else {
        m_window.showView(pane);
    }
}

void TourGuide::poll()
{
    if (m_window.state().document.problemPath() != m_file)
        return leave();
    std::size_t now = m_step;
    while (now < m_tour.steps.size() && m_tour.steps[now].done() && !m_revisited)
        ++now;
    if (now != m_step) {
        goTo(now);
        m_revisited = false;
        return;
    }
    if (m_revisited && m_step < m_tour.steps.size())
        m_revisited = m_tour.steps[m_step].done();
    updateText();
    place();
}

void TourGuide::updateText()
{
    const bool ended = m_step >= m_tour.steps.size();
    QString text = ended ? m_tour.end : m_tour.steps[m_step].text;
    if (const auto& more = ended ? m_tour.outcome : m_tour.steps[m_step].advice)
        if (const QString now = more(); !now.isEmpty())
            text += QStringLiteral("\n\n") + now;
    m_text->setText(m_window.state().actions.withKeys(text));
}

void TourGuide::show()
{
    const bool ended = m_step >= m_tour.steps.size();
    updateText();
    QStringList line{m_tour.title};
    if (!ended)
        line << tr("%1 of %2").arg(m_step + 1).arg(m_tour.steps.size());
    if (!m_note.isEmpty())
        line << m_note;
    m_count->setText(line.join(QStringLiteral(" · ")));
    m_leave->setText(ended ? tr("Close") : tr("Leave"));
    m_back->setVisible(m_step > 0);
    m_skip->setVisible(!ended);
    m_offer->setText(ended ? QString() : m_tour.steps[m_step].offer);
    m_offer->setVisible(!m_offer->text().isEmpty());
    setVisible(true);
    place();
}

QRect TourGuide::room() const
{
    QRect room = m_window.rect();
    if (const QWidget* menu = m_window.menuWidget(); menu && menu->isVisible())
        room.setTop(menu->geometry().bottom());
    for (const auto* bar : m_window.findChildren<QToolBar*>(QString(), Qt::FindDirectChildrenOnly))
        if (bar->isVisible() && bar->geometry().bottom() < m_window.height() / 2)
            room.setTop(std::max(room.top(), bar->geometry().bottom()));
    if (const QStatusBar* status = m_window.statusBar(); status->isVisible())
        room.setBottom(std::min(room.bottom(), status->geometry().top()));
    return room.adjusted(kApart, kApart, -kApart, -kApart);
}

QRect tourCardPlace(QSize card, const QRect& room, const QRect& target, const std::vector<QRect>& others)
{
    const auto area = [](const QRect& r) { return std::int64_t{r.width()} * r.height(); };
    const auto within = [](int value, int low, int high) { return std::max(low, std::min(value, high)); };
    const int right = room.right() - card.width() + 1, bottom = room.bottom() - card.height() + 1;
    QRect best;
    std::tuple<std::int64_t, std::int64_t, int> least;
    for (const int x : {target.right() + kApart, target.left() - kApart - card.width(), target.left(),
                        target.right() - card.width(), room.left(), right})
        for (const int y :
             {target.top(), target.bottom() - card.height(), target.top() - kApart - card.height(),
              target.bottom() + kApart, room.top(), bottom}) {
            const QRect place(QPoint(within(x, room.left(), right), within(y, room.top(), bottom)), card);
            std::int64_t covered = 0;
            for (const QRect& other : others)
                covered += area(place & other);
            const std::tuple cost(area(place & target.adjusted(-4, -4, 4, 4)), covered,
                                  (place.center() - target.center()).manhattanLength());
            if (best.isNull() || cost < least) {
                best = place;
                least = cost;
            }
        }
    return best;
}

void TourGuide::place()
{
    const bool ended = m_step >= m_tour.steps.size();
    const QWidget* before = m_target;
    m_target = ended ? nullptr : m_tour.steps[m_step].where();
    const bool seen = m_target && m_target->isVisible();
    if (seen && m_target != before)
        for (QWidget* w = m_target->parentWidget(); w; w = w->parentWidget())
            if (auto* area = qobject_cast<QScrollArea*>(w))
                area->ensureWidgetVisible(m_target, kApart, 4 * kApart);
    const auto areaOf = [this](const QWidget& w) {
        return QRect(w.mapTo(&m_window, QPoint(0, 0)), w.size());
    };
    const QRect room = this->room();
    const int width = std::min(
        std::max(fontMetrics().averageCharWidth() * 46, layout()->minimumSize().width()), room.width());
    const QSize size(width, std::max(layout()->minimumSize().height(), layout()->totalHeightForWidth(width)));
    QRect card(QPoint(), size);
    if (m_dragged) {
        card.moveTopLeft(*m_dragged);
    } else if (seen) {
        std::vector<QRect> others;
        for (const QString& pane : m_tour.steps[m_step].alsoNeeded)
            if (const View* view = m_window.view(pane); view && view->isSeen() && view->isVisible())
                others.push_back(areaOf(*view));
        card = tourCardPlace(size, room, areaOf(*m_target), others);
    } else {
        card.moveCenter(room.center());
    }
    if (geometry() != card)
        setGeometry(card);
    m_frame->setVisible(seen);
    if (seen) {
        m_frame->setGeometry(areaOf(*m_target).adjusted(-3, -3, 3, 3));
        m_frame->raise();
    }
    raise();
}

void TourGuide::mousePressEvent(QMouseEvent* event)
{
    m_grip = event->pos();
}

void TourGuide::mouseMoveEvent(QMouseEvent* event)
{
    if (!event->buttons().testFlag(Qt::LeftButton))
        return;
    const QRect all = m_window.rect();
    const QPoint to = mapToParent(event->pos() - m_grip);
    m_dragged = QPoint(std::clamp(to.x(), 0, std::max(0, all.width() - width())),
                       std::clamp(to.y(), 0, std::max(0, all.height() - height())));
    place();
}

} // namespace tilewright::ui
