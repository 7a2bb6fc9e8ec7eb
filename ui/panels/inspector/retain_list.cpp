// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/inspector/retain_list.h"

#include "panels/inspector/pane.h"
#include "theme/number.h"
#include "theme/theme.h"
#include "theme/words.h"

#include <QCheckBox>
#include <QLabel>
#include <QVBoxLayout>

#include <algorithm>

namespace tilewright::ui {

namespace {

/// "layer0.head3.softmax.out" -> "layer0…softmax.out": both ends tell most.
QString shortName(const QString& name)
{
    constexpr qsizetype kLongest = 24;
    return name.size() <= kLongest ? name : name.left(7) + QStringLiteral("…") + name.right(kLongest - 8);
}

} // namespace

RetainList::RetainList(QWidget* parent) : QWidget(parent), m_column(new QVBoxLayout(this))
{
    m_column->setContentsMargins(0, 0, 0, 0);
    m_column->setSpacing(2);
}

void RetainList::setCandidates(const Problem& problem, const std::vector<RetainCandidate>& candidates,
                               bool last)
{
    clearLayout(m_column);
    m_boxes.clear();
    m_notes.clear();
    m_tensors.clear();
    for (const RetainCandidate& c : candidates) {
        if (!c.retained && !c.useful && (c.refusal.empty() || last))
            continue;
        m_tensors.push_back(c.tensor);
        const QString name = QString::fromStdString(problem.tensorName(c.tensor));
        auto* box = new QCheckBox(this);
        // Long names must not widen the pane; the whole name is in the tooltip.
        box->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
        box->setText(QStringLiteral("%1  %2").arg(
            shortName(name), shortNumber(static_cast<double>(problem.tensor(c.tensor).elements()))));
        box->setChecked(c.retained);
        box->setEnabled(c.refusal.empty());
        const QString note = sentence(c.refusal);
        box->setToolTip(QStringLiteral("<p><b>%1</b></p><p>%2</p>")
                            .arg(name.toHtmlEscaped(),
                                 c.refusal.empty()
                                     ? tr("Keep it whole in fast memory until the next subgraph has run.")
                                     : tr("Cannot be changed: %1.").arg(note.toHtmlEscaped())));
        box->setAccessibleDescription(note);
        connect(box, &QCheckBox::clicked, this, [this, tensor = c.tensor] { Q_EMIT toggled(tensor); });
        m_column->addWidget(box);
        m_boxes.push_back(box);
        QLabel* label = paragraph(this);
        label->setFont(uiFont(0.9));
        label->setIndent(22);
        label->setForegroundRole(QPalette::PlaceholderText);
        label->setText(note);
        label->setVisible(!note.isEmpty());
        m_column->addWidget(label);
        m_notes.push_back(label);
    }
    if (m_tensors.empty()) {
        QLabel* none = paragraph(this);
        none->setText(last ? tr("This is the last subgraph: nothing comes that could use it.")
                           : tr("The next subgraph reads nothing of what this one produces."));
        m_column->addWidget(none);
    }
}

void RetainList::setChanges(std::span<const InspectorFacts::Retain> rows)
{
    for (const InspectorFacts::Retain& row : rows) {
        const RetainCandidate& c = row.candidate;
        const auto at = std::find(m_tensors.begin(), m_tensors.end(), c.tensor);
        if (at == m_tensors.end() || (!row.change && row.broken.empty()))
            continue;
        QLabel* note = m_notes[static_cast<std::size_t>(at - m_tensors.begin())];
        if (!row.change)
            note->setText(c.retained ? tr("not possible without: %1").arg(sentence(row.broken))
                                     : tr("does not go: %1").arg(sentence(row.broken)));
        else
            note->setText((c.retained ? tr("%1 if released") : tr("%1 if kept")).arg(signedNumber(*row.change)));
        note->show();
    }
}

QString RetainList::note(std::size_t i) const
{
    return i < m_notes.size() ? m_notes[i]->text() : QString();
}

} // namespace tilewright::ui
