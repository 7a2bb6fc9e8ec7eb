// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/inspector/controls.h"

#include "canvas/form.h"
#include "eval/evaluator.h"
#include "theme/icon.h"
#include "theme/text.h"
#include "theme/theme.h"
#include "workspace/schedule_edits.h"
#include "workspace/texts.h"

#include <QAbstractTextDocumentLayout>
#include <QCoreApplication>
#include <QEvent>
#include <QKeyEvent>
#include <QLabel>
#include <QPainter>
#include <QScopedValueRollback>
#include <QStyleOptionButton>
#include <QStylePainter>
#include <QVBoxLayout>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

namespace tilewright::ui {

namespace {

/// A label that lays its text out only once. QLabel lays out its document four times for each text: it
/// measures, returns to the previous width, and measures again before it paints. In this class QLabel's own
/// document is not used until the mouse selects text or follows a link.
class Paragraph final : public QLabel
{
public:
    using QLabel::QLabel;

    [[nodiscard]] int heightForWidth(int width) const override
    {
        takeText();
        const auto known = m_heights.constFind(width);
        if (known != m_heights.cend())
            return *known;
        const QMargins around = contentsMargins();
        layOut(width - around.left() - around.right() - std::max(0, indent()));
        const int height = static_cast<int>(std::ceil(m_document->size().height()));
        return *m_heights.insert(width, std::max(height + around.top() + around.bottom(), minimumHeight()));
    }
    /// The layouts of the Inspector use heightForWidth(). sizeHint() does not measure: the label's current
    /// width is often not the final one, and measuring would take as long again.
    [[nodiscard]] QSize sizeHint() const override
    {
        return {width(), m_heights.value(width(), fontMetrics().height())};
    }
    [[nodiscard]] QSize minimumSizeHint() const override { return {1, fontMetrics().height()}; }

protected:
    void paintEvent(QPaintEvent* event) override
    {
        if (hasSelectedText()) {
            QLabel::paintEvent(event);
            return;
        }
        takeText();
        const QRect room = contentsRect().adjusted(std::max(0, indent()), 0, 0, 0);
        layOut(room.width());
        QAbstractTextDocumentLayout::PaintContext context;
        context.palette = palette();
        if (isEnabled())
            context.palette.setColor(QPalette::Text, context.palette.color(foregroundRole()));
        const int height = m_document->size().toSize().height();
        QPainter painter(this);
        painter.translate(room.left(), room.top() + std::max(0, (room.height() - height) / 2));
        painter.setClipRect(0, 0, room.width(), height);
        m_document->documentLayout()->draw(&painter, context);
    }

private:
    void takeText() const
    {
        if (text() == m_text && font() == m_font && contentsMargins() == m_margins && indent() == m_indent)
            return;
        m_text = text();
        m_font = font();
        m_margins = contentsMargins();
        m_indent = indent();
        m_heights.clear();
        // A new document is laid out when its size is requested, a known document after each change. So a new
        // one is made.
        m_document = std::make_unique<QTextDocument>();
        m_document->setUndoRedoEnabled(false);
        m_document->setDefaultFont(m_font);
        m_document->setDocumentMargin(0);
        if (Qt::mightBeRichText(m_text))
            m_document->setHtml(m_text);
        else
            m_document->setPlainText(m_text);
    }
    void layOut(int width) const
    {
        if (m_document->textWidth() != width)
            m_document->setTextWidth(width);
    }

    mutable std::unique_ptr<QTextDocument> m_document = std::make_unique<QTextDocument>();
    mutable QString m_text; ///< the text in m_document; the next three members also describe m_document
    mutable QFont m_font;
    mutable QMargins m_margins;
    mutable int m_indent = 0;
    /// Height by width, because layouts request the same widths repeatedly.
    mutable QHash<int, int> m_heights;
};

} // namespace

void clearLayout(QLayout* layout)
{
    while (QLayoutItem* item = layout->takeAt(0)) {
        if (item->layout())
            clearLayout(item->layout());
        if (item->widget()) {
            item->widget()->hide();
            item->widget()->deleteLater();
        }
        delete item;
    }
}

QLabel* paragraph(QWidget* parent)
{
    auto* label = new Paragraph(parent);
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::LinksAccessibleByMouse);
    label->setFocusPolicy(Qt::NoFocus); // labels are skipped: Tab moves from field to field
    QSizePolicy policy(QSizePolicy::Ignored,
                       QSizePolicy::Preferred); // the width is that of the pane, not that of the words
    policy.setHeightForWidth(true);
    label->setSizePolicy(policy);
    return label;
}

QVBoxLayout* section(const QString& title, QWidget* page, QVBoxLayout* into)
{
    QLabel* heading = paragraph(page);
    heading->setText(title);
    heading->setFont(uiFont(1.0, QFont::DemiBold));
    heading->setContentsMargins(0, 6, 0, 0);
    into->addWidget(heading);
    auto* column = new QVBoxLayout;
    column->setSpacing(4);
    into->addLayout(column);
    return column;
}

namespace {
constexpr int kMargin = 6;
constexpr int kIcon = 16;
} // namespace

WrapButton::WrapButton(const QIcon& icon, const QString& lead, const QString& text, QWidget* parent)
    : QPushButton(parent)
{
    m_document.setDefaultFont(font());
    m_document.setDocumentMargin(0);
    m_document.setHtml(lead.isEmpty() ? text.toHtmlEscaped()
                                      : QStringLiteral("<b>%1</b>&nbsp; %2").arg(lead, text.toHtmlEscaped()));
    setIcon(icon);
    setAccessibleName(lead.isEmpty() ? text : lead + QStringLiteral(": ") + text);
    QSizePolicy policy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
}

QRect WrapButton::textRect(int width, int height) const
{
    const int left = kMargin + (icon().isNull() ? 0 : kIcon + kMargin);
    return {left, kMargin, std::max(20, width - left - kMargin), std::max(0, height - 2 * kMargin)};
}

int WrapButton::heightForWidth(int width) const
{
    if (const auto known = m_heights.constFind(width); known != m_heights.cend())
        return *known;
    layOut(width);
    const int height = std::max(kIcon, static_cast<int>(std::ceil(m_document.size().height()))) + 2 * kMargin;
    m_heights.insert(width, height);
    return height;
}

void WrapButton::layOut(int width) const
{
    if (const int room = textRect(width, 0).width(); m_document.textWidth() != room)
        m_document.setTextWidth(room);
}

QSize WrapButton::sizeHint() const
{
    constexpr int kWidth = 240;
    return {kWidth, heightForWidth(kWidth)};
}

QSize WrapButton::minimumSizeHint() const
{
    return {60, kIcon + 2 * kMargin};
}

void WrapButton::resizeEvent(QResizeEvent*)
{
    // A form layout in a scroll area first asks for the height at another width, and keeps that height.
    setMinimumHeight(heightForWidth(width()));
}

void WrapButton::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::FontChange) {
        m_heights.clear();
        m_document.setDefaultFont(font());
    }
    QPushButton::changeEvent(event);
}

void WrapButton::paintEvent(QPaintEvent*)
{
    QStylePainter painter(this);
    QStyleOptionButton option;
    initStyleOption(&option);
    option.text.clear();
    option.icon = {};
    painter.drawControl(QStyle::CE_PushButton, option);
    if (!icon().isNull())
        painter.drawItemPixmap(QRect(kMargin, kMargin, kIcon, kIcon), Qt::AlignCenter,
                               icon().pixmap(QSize(kIcon, kIcon), devicePixelRatio(),
                                             isEnabled() ? QIcon::Normal : QIcon::Disabled));
    const QRect place = textRect(width(), height());
    layOut(width());
    QAbstractTextDocumentLayout::PaintContext context;
    context.palette.setColor(
        QPalette::Text,
        palette().color(isEnabled() ? QPalette::Active : QPalette::Disabled, QPalette::ButtonText));
    painter.translate(place.topLeft());
    m_document.documentLayout()->draw(&painter, context);
}

namespace {

/// Highlights the subgraph of a button in all views while the mouse or the focus is on the button.
class Pointer : public QObject
{
public:
    Pointer(Selection& selection, SubgraphId subgraph, QObject* parent)
        : QObject(parent), m_selection(selection), m_subgraph(subgraph)
    {
    }
    bool eventFilter(QObject* watched, QEvent* event) override
    {
        if (event->type() == QEvent::Enter || event->type() == QEvent::FocusIn)
            m_selection.setHover({.op = {}, .tensor = {}, .subgraph = m_subgraph});
        else if (event->type() == QEvent::Leave || event->type() == QEvent::FocusOut ||
                 event->type() == QEvent::Hide)
            m_selection.setHover({});
        return QObject::eventFilter(watched, event);
    }

private:
    Selection& m_selection;
    SubgraphId m_subgraph;
};

} // namespace

QPushButton* changeButton(const ViewContext& context, const Snapshot& snapshot, SubgraphId subgraph,
                          const Suggestion& change, bool best, bool named, QWidget* parent)
{
    const auto tr = [](const char* text) { return QCoreApplication::translate("ChangeButton", text); };
    const QString text = sentence(change.text);
    const QString about = tr("Subgraph %1: %2").arg(subgraph.index()).arg(text);
    // A repair shows the resulting total: the current schedule is invalid and has no total to compare with.
    QString gain = signedNumber(-change.gain);
    if (const double total = snapshot.evaluation.total; snapshot.evaluation.valid() && total > 0)
        gain += QStringLiteral(" (%1)").arg(signedPercent(-change.gain / total));
    const QString effect = change.fixes == 0
                               ? snapshot.evaluation.valid() ? gain : tr("%1 in valid subgraphs").arg(gain)
                           : change.fixes == snapshot.evaluation.issues.size()
                               ? tr("fixes it, total %1").arg(number(change.total))
                               : tr("fixes a problem");
    auto* button = new WrapButton(icon(best ? QStringLiteral("ok") : QStringLiteral("step-forward")), effect,
                                  named ? about : text, parent);
    // The tooltip has the names of the ops: numbers of subgraphs change with every edit, names do not.
    const QString names = fullOpNames(*snapshot.problem, snapshot.schedule[subgraph].ops);
    button->setToolTip(rich(
        tr("<p>Subgraph %1: <b>%2</b></p><p>The new total is %3. A click applies it as one undo step.</p>")
            .arg(QString::number(subgraph.index()), names.toHtmlEscaped(), number(change.total))));
    button->installEventFilter(new Pointer(context.selection, subgraph, button));
    QObject::connect(button, &QPushButton::clicked, &context.document,
                     [&document = context.document, schedule = change.schedule, about] {
                         document.apply(schedule, about);
                     });
    return button;
}

ChoiceSpinBox::ChoiceSpinBox(QWidget* parent) : NumberBox(parent)
{
    setRange(1, std::numeric_limits<int>::max());
    FormGuard::protect(this);
    setAlignment(Qt::AlignRight);
    // The range has no practical limit, so the width does not fit its longest number.
    setMinimumWidth(fontMetrics().horizontalAdvance(QStringLiteral("0000000")) + 12);
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
}

void ChoiceSpinBox::setChoices(std::vector<std::int64_t> choices)
{
    m_choices = std::move(choices);
    std::sort(m_choices.begin(), m_choices.end());
}

void ChoiceSpinBox::stepBy(int steps)
{
    if (m_byOne) { // Qt multiplies the steps by ten while Ctrl is held.
        setValue(value() + (steps > 0) - (steps < 0));
        selectAll();
        return;
    }
    std::int64_t v = value();
    for (; steps > 0; --steps) {
        const auto next = std::upper_bound(m_choices.begin(), m_choices.end(), v);
        if (next == m_choices.end())
            break;
        v = *next;
    }
    for (; steps < 0; ++steps) {
        const auto at = std::lower_bound(m_choices.begin(), m_choices.end(), v);
        if (at == m_choices.begin())
            break;
        v = *std::prev(at);
    }
    setValue(static_cast<int>(v));
    selectAll();
}

QAbstractSpinBox::StepEnabled ChoiceSpinBox::stepEnabled() const
{
    if (m_choices.empty())
        return StepNone;
    if (m_byOne)
        return StepUpEnabled | (value() > 1 ? StepEnabled(StepDownEnabled) : StepNone);
    StepEnabled out = StepNone;
    if (value() > m_choices.front())
        out |= StepDownEnabled;
    if (value() < m_choices.back())
        out |= StepUpEnabled;
    return out;
}

void ChoiceSpinBox::keyPressEvent(QKeyEvent* event)
{
    const QScopedValueRollback byOne(m_byOne, event->modifiers().testFlag(Qt::ControlModifier));
    NumberBox::keyPressEvent(event);
}

void ChoiceSpinBox::wheelEvent(QWheelEvent* event)
{
    const QScopedValueRollback byOne(m_byOne, event->modifiers().testFlag(Qt::ControlModifier));
    NumberBox::wheelEvent(event);
}

FuseOffer::FuseOffer(const ViewContext& context, QWidget* parent)
    : QWidget(parent), m_context(context), m_note(paragraph(this)), m_column(new QVBoxLayout),
      m_job([this](const Trial& trial) { show(trial); }, true)
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addLayout(m_column);
    column->addWidget(m_note);
}

void FuseOffer::refresh(bool wanted)
{
    const SnapshotPtr snapshot = m_context.document.snapshot();
    if (!wanted || !snapshot) {
        m_job.cancel();
        m_shown.reset();
        return;
    }
    const SelectionState& selection = m_context.selection.state();
    if (m_shown && m_shown->revision == snapshot->revision && m_shown->selection.ops == selection.ops &&
        m_shown->selection.subgraphs == selection.subgraphs)
        return;
    m_shown.reset();
    clearLayout(m_column);
    m_note->clear();
    m_job.request([snapshot, selection](const std::stop_token&) {
        Trial trial{snapshot->revision, selection, {}, {}};
        const Rules& rules = snapshot->evaluation.rules;
        const auto next = fused(*snapshot->problem, snapshot->schedule, rules, selection);
        if (next)
            trial.after = evaluate(*snapshot->problem, *next, rules);
        else
            trial.refusal = next.error().message;
        return trial;
    });
}

void FuseOffer::show(const Trial& trial)
{
    const SnapshotPtr snapshot = m_context.document.snapshot();
    if (!snapshot || snapshot->revision != trial.revision)
        return;
    m_shown = trial;
    clearLayout(m_column);
    if (!trial.after) {
        m_note->setText(plain(tr("Cannot be fused: %1.").arg(sentence(trial.refusal))));
        return;
    }
    const bool comparable = trial.after->valid() && snapshot->evaluation.valid();
    auto* button = new WrapButton(
        icon(QStringLiteral("fuse")),
        comparable ? signedNumber(change(snapshot->evaluation.total, trial.after->total)) : QString(),
        m_context.actions.withKeys(tr("fuse them ({schedule.fuse|G})")), this);
    connect(button, &QPushButton::clicked, this,
            [this] { fuseSelection(m_context.document, m_context.selection); });
    m_column->addWidget(button);
    m_note->setText(trial.after->valid() ? tr("The new total would be %1.").arg(number(trial.after->total))
                                         : plain(sentence(trial.after->verdict()->text)));
}

} // namespace tilewright::ui
