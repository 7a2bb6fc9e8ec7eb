// SPDX-License-Identifier: GPL-3.0-or-later
#include "canvas/view.h"

#include "theme/text.h"
#include "workspace/lens_links.h"

#include <QEvent>
#include <QPainter>
#include <QTextOption>

#include <utility>

namespace tilewright::ui {

View::View(const ViewContext& context, QString name, QString title, QWidget* parent)
    : QWidget(parent), m_context(context), m_name(std::move(name)), m_title(std::move(title))
{
    setObjectName(m_name);
    setAccessibleName(m_title);
    connect(&m_context.themes, &ThemeSource::changed, this, qOverload<>(&QWidget::update));
}

QAction* View::addCommand(const ActionSpec& spec, const std::function<void(bool)>& run)
{
    const bool first = !registry().find(spec.id);
    QAction* action = registry().offer(this, spec, [this, run](bool on) {
        if (!isSeen())
            Q_EMIT wanted();
        run(on);
    });
    if (!first) {
        const QAction* known = registry().find(spec.id);
        ActionSpec own = spec;
        own.tip = known->whatsThis(); // the tooltip of an existing action already contains the keys
        action = Actions::make(own, this);
        connect(action, &QAction::triggered, this, run);
        const auto takeKeys = [action, known] { action->setShortcuts(known->shortcuts()); };
        connect(&registry(), &Actions::keysChanged, action, takeKeys);
        takeKeys();
    }
    action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    addAction(action);
    return action;
}

bool View::isSeen() const
{
    if (!window()->isVisible())
        return true;
    if (!isVisible())
        return false;
    // visibleRegion() would be empty if child widgets cover the view.
    QRect area = rect();
    for (const QWidget* w = this; !w->isWindow(); w = w->parentWidget())
        area = area.translated(w->pos()) & w->parentWidget()->rect();
    return !area.isEmpty();
}

void View::outdate()
{
    m_outdated = true;
    if (isSeen())
        catchUp();
}

void View::outdateLater()
{
    m_outdated = true;
    QMetaObject::invokeMethod(
        this,
        [this] {
            if (isSeen())
                catchUp();
        },
        Qt::QueuedConnection);
}

void View::catchUp()
{
    if (!std::exchange(m_outdated, false))
        return;
    bringUpToDate();
}

void View::followWorkload(Lens lens)
{
    m_lens = lens;
    connect(&workspace().links(), &LensLinks::outdated, this, [this](Lens which) {
        if (which == m_lens)
            outdate();
    });
    outdate();
}

QAction* View::addFollowCommand(Lens lens, const QString& tip)
{
    ActionSpec spec;
    spec.id = QStringLiteral("lens.follow.%1").arg(static_cast<int>(lens));
    spec.menu = title();
    spec.text = tr("Follow the selection");
    spec.iconName = QStringLiteral("link");
    spec.tip = tip;
    spec.checkable = true;
    LensLinks& links = workspace().links();
    QAction* action = addCommand(spec, [&links, lens](bool on) { links.setFollowing(lens, on); });
    const auto show = [this, action, &links, lens] {
        action->setChecked(links.isFollowing(lens));
        Actions::setAvailable(action, {document().hasProblem(), tr("Open a model or a problem first.")});
    };
    connect(&links, &LensLinks::followingChanged, action, show);
    document().whenChanged(action, Part::Problem, show);
    show();
    return action;
}

QAction* View::addUseInMachineCommand(Lens lens)
{
    ActionSpec spec;
    spec.id = QStringLiteral("lens.useInMachine.%1").arg(static_cast<int>(lens));
    spec.menu = title();
    spec.text = tr("Use in the machine");
    spec.iconName = QStringLiteral("up");
    spec.tip =
        tr("Give the machine of the open model the hardware that this lens shows. The other direction is "
           "Follow the selection.");
    LensLinks& links = workspace().links();
    QAction* action = addCommand(spec, [&links, this, lens](bool) {
        if (const Status used = links.useInMachine(lens); !used)
            Q_EMIT workspace().refused(sentence(used.error().text()));
    });
    const auto show = [this, action, &links, lens] {
        Actions::setAvailable(action, {document().machine().has_value() && !links.isFollowing(lens),
                                       document().machine() ? tr("The lens shows the machine of the model.")
                                                            : tr("Open a model or a problem first.")});
    };
    connect(&links, &LensLinks::followingChanged, action, show);
    document().whenChanged(action, Part::Problem | Part::Machine, show);
    show();
    return action;
}

void View::bringUpToDate()
{
    if (m_lens)
        workspace().links().catchUp(*m_lens);
}

bool View::event(QEvent* event)
{
    // A view that a splitter or scroll bar makes visible gets a paint event, unless child widgets cover it.
    // For docks, the window calls catchUp().
    if (event->type() == QEvent::Show || event->type() == QEvent::Paint)
        catchUp();
    return QWidget::event(event);
}

void View::paintExport(QPainter& painter, const QSize& size, const Theme& theme)
{
    // Widgets paint with their own palette and size: both are changed during the painting.
    const QSize before = this->size();
    const QPalette palette = this->palette();
    setPalette(theme.palette());
    resize(size);
    ensurePolished();
    painter.fillRect(QRect(QPoint(0, 0), size), theme.panel);
    render(&painter, QPoint(), QRegion(), QWidget::DrawWindowBackground | QWidget::DrawChildren);
    setPalette(palette);
    resize(before);
}

void View::livePictures(const std::function<bool(LivePicture)>& take)
{
    const QSize size = exportSize();
    take({title(),
          {},
          size,
          [this, size](QPainter& painter, const Theme& theme) { paintExport(painter, size, theme); },
          partsIn(size)});
}

void paintEmptyHint(QPainter& painter, const QRectF& area, const QString& text, const Theme& theme)
{
    painter.save();
    painter.setFont(uiFont());
    painter.setPen(theme.muted);
    QTextOption option(Qt::AlignCenter);
    option.setWrapMode(QTextOption::WordWrap);
    const double margin = std::min(24.0, area.width() / 8);
    painter.drawText(area.adjusted(margin, 8, -margin, -8), text, option);
    painter.restore();
}

} // namespace tilewright::ui
