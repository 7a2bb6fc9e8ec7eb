// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/inspector/retain_list.h"

#include "panels/inspector/pane.h"
#include "theme/number.h"
#include "theme/theme.h"

#include <QCheckBox>
#include <QLabel>
#include <QVBoxLayout>

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

void RetainList::setCandidates(const Problem& problem, const std::vector<RetainCandidate>& candidates)
{
    clearLayout(m_column);
    m_boxes.clear();
    m_notes.clear();
    for (const RetainCandidate& c : candidates) {
        const QString name = QString::fromStdString(problem.tensorName(c.tensor));
        auto* box = new QCheckBox(this);
        // Long names must not widen the pane; the whole name is in the tooltip.
        box->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
        box->setText(QStringLiteral("%1  %2").arg(
            shortName(name), shortNumber(static_cast<double>(problem.tensor(c.tensor).elements()))));
        box->setChecked(c.retained);
        box->setEnabled(c.refusal.empty());
        const QString note = !c.refusal.empty()         ? QString::fromStdString(c.refusal)
                             : !c.useful && !c.retained ? tr("the next subgraph does not read it")
                                                        : QString();
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
    if (candidates.empty()) {
        QLabel* none = paragraph(this);
        none->setText(tr("Nothing here can stay resident."));
        m_column->addWidget(none);
    }
}

void RetainList::setChanges(std::span<const InspectorFacts::Retain> rows)
{
    for (std::size_t i = 0; i < rows.size() && i < m_notes.size(); ++i) {
        const RetainCandidate& c = rows[i].candidate;
        if (!rows[i].change || (!c.useful && !c.retained))
            continue;
        const QString change = signedNumber(*rows[i].change);
        m_notes[i]->setText(c.retained ? tr("%1 if released").arg(change) : tr("%1 if kept").arg(change));
        m_notes[i]->show();
    }
}

QString RetainList::note(std::size_t i) const
{
    return i < m_notes.size() ? m_notes[i]->text() : QString();
}

} // namespace tilewright::ui
