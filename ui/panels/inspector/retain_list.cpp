// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/inspector/retain_list.h"

#include "panels/inspector/controls.h"
#include "theme/text.h"
#include "theme/theme.h"

#include <QCheckBox>
#include <QLabel>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace tilewright::ui {

namespace {

/// Shortens a name in the middle, because its ends are the most distinctive: "layer0.head3.softmax.out"
/// becomes "layer0…softmax.out".
QString shortName(const QString& name)
{
    constexpr qsizetype kLongest = 24;
    return name.size() <= kLongest ? name : name.left(7) + QStringLiteral("…") + name.right(kLongest - 8);
}

} // namespace

RetainList::RetainList(QWidget* parent)
    : QWidget(parent), m_column(new QVBoxLayout(this)), m_none(paragraph(this))
{
    m_column->setContentsMargins(0, 0, 0, 0);
    m_column->setSpacing(2);
    m_column->addWidget(m_none);
}

/// Adapts the number of rows. Rows are reused, because creating and measuring widgets takes most of the time
/// of an edit's display.
void RetainList::setRows(std::size_t count)
{
    while (m_boxes.size() > count) {
        for (QWidget* w : {static_cast<QWidget*>(m_boxes.back()), static_cast<QWidget*>(m_notes.back())}) {
            m_column->removeWidget(w);
            w->hide();
            w->deleteLater();
        }
        m_boxes.pop_back();
        m_notes.pop_back();
    }
    while (m_boxes.size() < count) {
        auto* box = new QCheckBox(this);
        // Long names must not widen the pane; the tooltip has the whole name.
        box->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
        connect(box, &QCheckBox::clicked, this,
                [this, row = m_boxes.size()] { Q_EMIT toggled(m_candidates[row].tensor); });
        QLabel* label = paragraph(this);
        label->setFont(uiFont(0.9));
        label->setIndent(22);
        label->setForegroundRole(QPalette::PlaceholderText);
        label->hide();
        m_column->addWidget(box);
        m_column->addWidget(label);
        box->show(); // shown at once, so that no second layout pass is needed
        m_boxes.push_back(box);
        m_notes.push_back(label);
    }
}

void RetainList::setCandidates(const Problem& problem, const std::vector<RetainCandidate>& candidates,
                               bool last)
{
    std::vector<RetainCandidate> shown;
    for (const RetainCandidate& c : candidates)
        if (c.retained || c.useful || (!c.refusal.empty() && !last))
            shown.push_back(c);
    const std::vector<RetainCandidate> before = std::exchange(m_candidates, std::move(shown));
    setRows(m_candidates.size());
    m_none->setText(last ? tr("This is the last subgraph: no later one could use a retained tensor.")
                         : tr("The next subgraph reads no tensor that this one produces."));
    m_none->setVisible(m_candidates.empty());
    for (std::size_t i = 0; i < m_candidates.size(); ++i) {
        const RetainCandidate& c = m_candidates[i];
        const QString name = QString::fromStdString(problem.tensorName(c.tensor));
        QCheckBox* box = m_boxes[i];
        box->setText(QStringLiteral("%1  %2").arg(
            shortName(name), shortNumber(static_cast<double>(problem.tensor(c.tensor).elements()))));
        box->setChecked(c.retained);
        const bool same = i < before.size() && before[i].tensor == c.tensor &&
                          before[i].retained == c.retained && before[i].useful == c.useful &&
                          before[i].refusal.empty();
        box->setEnabled(c.refusal.empty());
        const QString note = sentence(c.refusal);
        box->setToolTip(
            QStringLiteral("<p><b>%1</b></p><p>%2</p>")
                .arg(name.toHtmlEscaped(),
                     c.refusal.empty()
                         ? tr("Retain the whole tensor in fast memory until the next subgraph has run.")
                         : tr("Cannot be changed: %1.").arg(note.toHtmlEscaped())));
        box->setAccessibleDescription(note);
        if (same && note.isEmpty())
            continue;
        m_notes[i]->setText(plain(note));
        m_notes[i]->setVisible(!note.isEmpty());
    }
}

void RetainList::setChanges(std::span<const InspectorFacts::Retain> rows)
{
    for (const InspectorFacts::Retain& row : rows) {
        const RetainCandidate& c = row.candidate;
        const auto at = std::find_if(m_candidates.begin(), m_candidates.end(),
                                     [&c](const RetainCandidate& shown) { return shown.tensor == c.tensor; });
        if (at == m_candidates.end() || !c.refusal.empty())
            continue; // setCandidates() has already set the reason why the tensor cannot be retained
        QLabel* note = m_notes[static_cast<std::size_t>(at - m_candidates.begin())];
        if (row.change)
            note->setText(
                (c.retained ? tr("%1 if released") : tr("%1 if retained")).arg(signedNumber(*row.change)));
        else if (!row.broken.empty())
            note->setText(c.retained ? tr("cannot be released: %1").arg(sentence(row.broken))
                                     : tr("cannot be retained: %1").arg(sentence(row.broken)));
        else
            note->clear();
        note->setVisible(!note->text().isEmpty());
    }
}

QString RetainList::note(std::size_t i) const
{
    return i < m_notes.size() ? m_notes[i]->text() : QString();
}

} // namespace tilewright::ui
