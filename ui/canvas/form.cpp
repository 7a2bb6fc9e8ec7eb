// SPDX-License-Identifier: GPL-3.0-or-later
#include "canvas/form.h"

#include "canvas/view.h"
#include "theme/icon.h"
#include "theme/text.h"
#include "theme/theme.h"

#include <QAbstractButton>
#include <QAbstractScrollArea>
#include <QAbstractSpinBox>
#include <QApplication>
#include <QComboBox>
#include <QEvent>
#include <QKeyEvent>
#include <QLineEdit>
#include <QPushButton>
#include <QScopedValueRollback>
#include <QScrollBar>
#include <QSettings>
#include <QVBoxLayout>
#include <QWheelEvent>
#include <QWidget>

#include <algorithm>

namespace tilewright::ui {

void FormGuard::protect(QWidget* control)
{
    control->setFocusPolicy(Qt::StrongFocus);
    control->installEventFilter(new FormGuard(control));
}

bool FormGuard::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() != QEvent::Wheel || static_cast<QWidget*>(watched)->hasFocus())
        return false;
    // Qt sends an ignored event to the parents, but a spin box never ignores wheel events: send them to the
    // form here.
    for (QWidget* w = static_cast<QWidget*>(watched)->parentWidget(); w; w = w->parentWidget())
        if (const auto* area = qobject_cast<QAbstractScrollArea*>(w)) {
            QApplication::sendEvent(area->verticalScrollBar(), event);
            break;
        }
    event->accept();
    return true;
}

namespace {

/// Returns the line edit of a field; null if the field has none.
QLineEdit* lineOf(QObject* field)
{
    if (auto* line = qobject_cast<QLineEdit*>(field))
        return line;
    const bool isField = qobject_cast<QAbstractSpinBox*>(field) || qobject_cast<QComboBox*>(field);
    return isField ? field->findChild<QLineEdit*>() : nullptr;
}

} // namespace

FieldKeys::FieldKeys(QWidget& window) : QObject(&window), m_window(window)
{
    qApp->installEventFilter(this);
    connect(qApp, &QApplication::focusChanged, this, &FieldKeys::keepInView);
}

bool FieldKeys::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() != QEvent::ShortcutOverride && event->type() != QEvent::KeyPress)
        return false;
    auto* const line = lineOf(watched);
    if (!line || line->window() != &m_window)
        return false;
    const auto* key = static_cast<QKeyEvent*>(event);
    if (key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter) {
        // Return accepts the text, so it counts as no longer edited. Queued, because the field must read the
        // text first.
        QMetaObject::invokeMethod(
            line, [line] { line->setModified(false); }, Qt::QueuedConnection);
        return false;
    }
    if (line->isModified() || !(key->matches(QKeySequence::Undo) || key->matches(QKeySequence::Redo)))
        return false;
    event->ignore();
    return true;
}

void FieldKeys::keepInView(const QWidget* before, const QWidget* now)
{
    if (!now || now->window() != &m_window || !qobject_cast<const QAbstractButton*>(before) ||
        (before->isEnabled() && before->isVisible()))
        return;
    for (QWidget* w = before->parentWidget(); w; w = w->parentWidget())
        if (auto* view = qobject_cast<View*>(w); view && view->isVisible() && view->isEnabled()) {
            view->setFocus(Qt::OtherFocusReason);
            return;
        }
}

bool ScrollPane::event(QEvent* event)
{
    if (event->type() == QEvent::Resize)
        setVerticalScrollBarPolicy(Qt::ScrollBarAsNeeded);
    return QScrollArea::event(event);
}

bool ScrollPane::eventFilter(QObject* watched, QEvent* event)
{
    if (watched != widget() || event->type() != QEvent::Resize)
        return QScrollArea::eventFilter(watched, event);
    constexpr int kBackAndForth = 4;
    const QScopedValueRollback resizing(m_resizing, m_resizing + 1);
    if (m_resizing == kBackAndForth) {
        setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOn);
        // Request one more layout after the nested resizes, each of which has set the range of the scroll
        // bar.
        QCoreApplication::postEvent(this, new QEvent(QEvent::LayoutRequest));
    }
    return m_resizing < kBackAndForth && QScrollArea::eventFilter(watched, event);
}

QSize WrappedLabel::minimumSizeHint() const
{
    return {1, std::max(0, heightForWidth(width()))};
}

void WrappedLabel::resizeEvent(QResizeEvent* event)
{
    QLabel::resizeEvent(event);
    if (event->size().width() != event->oldSize().width())
        updateGeometry();
}

void setUpFormPane(QScrollArea& pane, const QString& name)
{
    pane.setAccessibleName(name);
    pane.setFrameShape(QFrame::NoFrame);
    pane.setWidgetResizable(true);
}

void addFormRow(QFormLayout& form, const QString& label, QWidget* control, const QString& tip)
{
    control->setToolTip(tip);
    control->setAccessibleName(label);
    control->setAccessibleDescription(tip);
    FormGuard::protect(control);
    if (qobject_cast<QAbstractButton*>(control)) {
        form.addRow(control);
        return;
    }
    if (!qobject_cast<QAbstractSpinBox*>(control)) // a spin box has a minimum width of its own
        control->setMinimumWidth(40);
    control->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    auto* text = new QLabel(label, control->parentWidget());
    text->setBuddy(control);
    text->setToolTip(tip);
    form.addRow(text, control);
}

PanelToggle::PanelToggle(const QString& name, const QString& iconName, const QString& tip, QWidget* parent)
    : QToolButton(parent)
{
    setObjectName(name);
    setIcon(ui::icon(iconName));
    setIconSize(QSize(toolIconSize(), toolIconSize()));
    setCheckable(true);
    setChecked(true);
    setAutoRaise(true);
    setToolTip(tip);
    setAccessibleName(tip);
}

void PanelToggle::changeEvent(QEvent* event)
{
    QToolButton::changeEvent(event);
    if (event->type() == QEvent::FontChange)
        setIconSize(QSize(toolIconSize(), toolIconSize()));
}

int leastChartWidth(const QWidget& view)
{
    return std::max(320, 24 * view.fontMetrics().horizontalAdvance(QLatin1Char('m')));
}

FoldGroup::FoldGroup(const QString& name, const QString& title, bool open, QWidget* parent)
    : QWidget(parent), m_heading(new QToolButton(this)), m_fields(new QWidget(this)),
      m_form(new QFormLayout(m_fields))
{
    setObjectName(name);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(2);
    m_heading->setText(title);
    m_heading->setFont(uiFont(1.0, QFont::DemiBold));
    m_heading->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_heading->setAutoRaise(true);
    m_heading->setCheckable(true);
    m_heading->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    m_heading->setToolTip(tr("Show or hide these fields."));
    m_form->setContentsMargins(8, 0, 0, 6);
    m_form->setVerticalSpacing(4);
    m_form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    // In a narrow pane the labels are above the fields, so that no text is cut.
    m_form->setRowWrapPolicy(QFormLayout::WrapLongRows);
    column->addWidget(m_heading);
    column->addWidget(m_fields);
    show(QSettings().value(QStringLiteral("forms/") + name, open).toBool());
    connect(m_heading, &QToolButton::clicked, this, [this](bool now) {
        QSettings().setValue(QStringLiteral("forms/") + objectName(), now);
        show(now);
    });
}

void FoldGroup::setOpen(bool open)
{
    if (open != isOpen())
        m_heading->click();
}

void FoldGroup::show(bool open)
{
    m_heading->setChecked(open);
    m_heading->setArrowType(open ? Qt::DownArrow : Qt::RightArrow);
    m_fields->setVisible(open);
}

} // namespace tilewright::ui
