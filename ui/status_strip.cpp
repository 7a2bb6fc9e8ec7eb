// SPDX-License-Identifier: GPL-3.0-or-later
#include "status_strip.h"

#include "theme/icon.h"
#include "theme/number.h"
#include "theme/words.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>

#include <algorithm>

namespace tilewright::ui {

/// A line that can be selected. It knows its width without laying out a document, as it changes with every
/// edit.
class StatusText final : public QLabel
{
public:
    using QLabel::QLabel;
    void show(const QString& text, const QColor& colour)
    {
        if (palette().color(QPalette::WindowText) != colour) {
            QPalette changed = palette();
            changed.setColor(QPalette::WindowText, colour);
            setPalette(changed);
        }
        setText(text);
    }
    [[nodiscard]] QSize sizeHint() const override
    {
        const QFontMetrics metrics(font());
        return {text().isEmpty() ? 0 : metrics.horizontalAdvance(text()) + 2, metrics.height()};
    }
    [[nodiscard]] QSize minimumSizeHint() const override { return sizeHint(); }
};

StatusStrip::StatusStrip(const ViewContext& context, QWidget* parent) : QWidget(parent), m_context(context)
{
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(8, 2, 8, 2);
    row->setSpacing(16);
    row->setSizeConstraint(QLayout::SetNoConstraint);
    const auto label = [&](const QString& name) {
        auto* l = new StatusText(this);
        l->setAccessibleName(name);
        l->setTextFormat(Qt::PlainText);
        l->setTextInteractionFlags(Qt::TextSelectableByMouse);
        row->addWidget(l);
        return l;
    };
    const auto button = [&](const QString& name) {
        auto* b = new QToolButton(this);
        b->setAccessibleName(name);
        b->setAutoRaise(true);
        b->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
        row->addWidget(b);
        return b;
    };
    m_total = label(tr("Total latency"));
    m_total->setFont(uiFont(1.15, QFont::DemiBold));
    m_change = label(tr("Change of the last edit"));
    m_against = label(tr("Change against the baseline"));
    m_gap = button(tr("Lower bound and gap"));
    m_gap->setToolTip(tr("How far the total is from what no schedule can beat. Click for the breakdown."));
    m_peak = label(tr("Peak working set"));
    m_validity = button(tr("Validity"));
    m_rules = label(tr("Rule set"));
    row->addStretch();
    m_time = label(tr("Evaluation time"));
    connect(m_gap, &QToolButton::clicked, this, &StatusStrip::gapClicked);
    connect(m_validity, &QToolButton::clicked, this, &StatusStrip::validityClicked);
    for (auto signal : {&Document::snapshotChanged, &Document::baselineChanged, &Document::rulesChanged,
                        &Document::previewChanged})
        connect(&m_context.document, signal, this, &StatusStrip::refresh);
    connect(&m_context.themes, &ThemeSource::changed, this, &StatusStrip::refresh);
    refresh();
}

void StatusStrip::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    fitRow();
}

void StatusStrip::fitRow()
{
    QWidget* const dispensable[] = {m_time, m_rules, m_against, m_change, m_peak, m_gap};
    const auto isEmpty = [](const QWidget* w) { return w->minimumSizeHint().width() == 0; };
    const QMargins margins = layout()->contentsMargins();
    int needed = margins.left() + margins.right() - layout()->spacing();
    for (const QWidget* w : {static_cast<QWidget*>(m_total), static_cast<QWidget*>(m_validity)})
        needed += w->minimumSizeHint().width() + layout()->spacing();
    for (const QWidget* w : dispensable)
        if (!isEmpty(w))
            needed += w->minimumSizeHint().width() + layout()->spacing();
    for (QWidget* w : dispensable) {
        const bool fits = needed <= width();
        if (!isEmpty(w) && !fits)
            needed -= w->minimumSizeHint().width() + layout()->spacing();
        w->setVisible(!isEmpty(w) && fits);
    }
}

void StatusStrip::refresh()
{
    const Document& document = m_context.document;
    const Theme& theme = m_context.themes.theme();
    const SnapshotPtr snapshot = document.snapshot();
    setVisible(snapshot != nullptr);
    if (!snapshot)
        return;
    const bool valid = snapshot->evaluation.valid();
    const auto judged = [&theme](double by) {
        return by < 0 ? theme.ok : by > 0 ? theme.warning : theme.muted;
    };

    // While the state is illegal the last legal total stays, greyed.
    const SnapshotPtr shown = valid ? snapshot : document.lastValid();
    const QString total = shown ? number(shown->evaluation.total) : QStringLiteral("–");
    m_total->show(valid ? tr("Total %1").arg(total) : tr("Total – (was %1)").arg(total),
                  valid ? theme.text : theme.muted);
    m_total->setToolTip(shown ? tr("Total latency %1").arg(exactNumber(shown->evaluation.total))
                              : tr("No valid state yet"));

    const SnapshotPtr before = document.beforeLastEdit();
    if (const SnapshotPtr& preview = document.preview()) {
        // Beside the total that stays the person's own, where else the last change stands.
        QString text = tr("Preview %1").arg(number(preview->evaluation.total));
        if (valid && snapshot->evaluation.total > 0)
            text += QStringLiteral(" (%1)").arg(
                signedPercent(preview->evaluation.total / snapshot->evaluation.total - 1));
        m_change->show(text, theme.accent);
    } else if (valid && before && before->evaluation.valid() && before->evaluation.total > 0) {
        const double by = snapshot->evaluation.total - before->evaluation.total;
        m_change->show(
            tr("Last edit %1 (%2)").arg(signedNumber(by), signedPercent(by / before->evaluation.total)),
            judged(by));
    } else {
        m_change->clear();
    }
    QFont font = m_change->font();
    font.setItalic(document.preview() != nullptr);
    m_change->setFont(font);
    m_change->setToolTip(document.preview() ? tr("Best schedule of the running solver so far; not applied.")
                                            : QString());
    const SnapshotPtr baseline = document.baseline();
    if (valid && !document.preview() && baseline && baseline->evaluation.valid() &&
        baseline->evaluation.total > 0) {
        const double by = snapshot->evaluation.total - baseline->evaluation.total;
        m_against->show(tr("vs baseline %1").arg(signedPercent(by / baseline->evaluation.total)), judged(by));
    } else {
        m_against->clear();
    }

    m_gap->setText(valid ? tr("Bound %1   gap %2").arg(number(snapshot->lowerBound), percent(snapshot->gap()))
                         : tr("Bound %1").arg(number(snapshot->lowerBound)));

    std::int64_t peak = 0;
    for (const SubgraphEvaluation& s : snapshot->evaluation.subgraphs)
        peak = std::max(peak, s.peakWorkingSet);
    const std::int64_t capacity = snapshot->problem->hardware().fastMemoryCapacity;
    m_peak->show(tr("Peak %1 / %2").arg(number(peak), number(capacity)),
                 peak > capacity ? theme.error : theme.text);

    if (m_showsValid != valid)
        m_validity->setIcon(icon(valid ? QStringLiteral("ok") : QStringLiteral("problem")));
    m_showsValid = valid;
    if (valid) {
        m_validity->setText(tr("Valid"));
        m_validity->setToolTip(tr("Every rule holds"));
    } else {
        m_validity->setText(counted(std::ssize(snapshot->evaluation.issues), tr("problem"), tr("problems")));
        m_validity->setToolTip(sentence(snapshot->evaluation.issues.front().text));
    }
    if (const QColor colour = valid ? theme.ok : theme.error;
        m_validity->palette().color(QPalette::ButtonText) != colour) {
        QPalette palette;
        palette.setColor(QPalette::ButtonText, colour);
        m_validity->setPalette(palette);
    }

    const auto name = ruleSetName(snapshot->evaluation.rules);
    m_rules->show(tr("Rules: %1").arg(QLatin1String(name.data(), static_cast<qsizetype>(name.size()))),
                  theme.text);
    m_rules->setToolTip(document.rulesReason());
    m_time->show(tr("evaluated in %1 ms").arg(snapshot->evaluationMs, 0, 'f', 2), theme.muted);
    fitRow();
}

} // namespace tilewright::ui
