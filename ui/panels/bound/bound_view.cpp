// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/bound/bound_view.h"

#include "eval/lower_bound.h"
#include "report/summary.h"
#include "theme/number.h"
#include "theme/text_row.h"
#include "theme/words.h"

#include <QHeaderView>
#include <QLabel>
#include <QTreeWidget>
#include <QVBoxLayout>

namespace tilewright::ui {

BoundView::BoundView(const ViewContext& context, QWidget* parent)
    : View(context, QStringLiteral("bound"), tr("Lower bound"), parent), m_summary(new QLabel(this)),
      m_parts(new QTreeWidget(this))
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(8, 8, 8, 0);
    m_summary->setWordWrap(true);
    m_summary->setTextInteractionFlags(Qt::TextSelectableByMouse);
    column->addWidget(m_summary);
    column->addWidget(m_parts, 1);
    m_parts->setAccessibleName(tr("Parts of the lower bound"));
    m_parts->setHeaderLabels(
        {tr("Part"), tr("Value"), tr("Compute"), tr("Memory"), tr("In"), tr("Out"), tr("Spilled")});
    m_parts->setRootIsDecorated(false);
    m_parts->setAlternatingRowColors(true);
    m_parts->setFrameShape(QFrame::NoFrame);
    m_parts->header()->setStretchLastSection(false);
    m_parts->header()->setSectionResizeMode(0, QHeaderView::Stretch);
    for (int c = 1; c < 7; ++c)
        m_parts->setColumnWidth(c, fontMetrics().horizontalAdvance(QStringLiteral("123 456 789.0")) + 16);
    document().whenChanged(this, Part::Problem | Part::Snapshot, &BoundView::outdate);
    refresh();
}

void BoundView::refresh()
{
    m_parts->clear();
    const SnapshotPtr snapshot = document().snapshot();
    m_parts->setVisible(snapshot != nullptr);
    if (!snapshot) {
        m_summary->setText(tr("Open a problem to see what no schedule can beat, and why."));
        return;
    }
    const LowerBound bound = lowerBound(*snapshot->problem, snapshot->evaluation.rules);
    std::vector<SubgraphId> all;
    for (std::size_t i = 0; i < snapshot->schedule.size(); ++i)
        all.emplace_back(i);
    const SubgraphsSummary whole = summarise(*snapshot, all);
    m_summary->setText(rich(
        tr("No valid schedule is faster than <b>%1</b>: compute takes at least %2, compulsory traffic %3. "
           "This schedule computes for %4 and moves data for %5; its latency is %6 (gap %7).")
            .arg(number(bound.value), number(bound.compute), number(bound.memory), number(whole.compute.sum),
                 number(whole.memory.sum), number(snapshot->evaluation.total), percent(snapshot->gap()))));
    for (const BoundPart& part : bound.parts) {
        auto* item = new QTreeWidgetItem(m_parts, {sentence(part.text)});
        item->setToolTip(0, sentence(part.text));
        item->setData(0, Qt::UserRole, QString::fromStdString(part.text));
        const auto cell = [item](int column, auto value) {
            item->setText(column, number(value));
            item->setData(column, Qt::UserRole, static_cast<double>(value)); // in full, for copying
            item->setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
        };
        cell(1, part.value);
        cell(2, part.compute);
        cell(3, part.memory);
        cell(4, part.inputElements);
        cell(5, part.outputElements);
        cell(6, part.spilledElements);
    }
}

QString BoundView::copyText() const
{
    QString out;
    for (int i = 0; i < m_parts->topLevelItemCount(); ++i) {
        const QTreeWidgetItem* item = m_parts->topLevelItem(i);
        QStringList cells{item->data(0, Qt::UserRole).toString()};
        for (int c = 1; c < m_parts->columnCount(); ++c)
            cells << exactNumber(item->data(c, Qt::UserRole).toDouble());
        out += textRow(cells);
    }
    return out;
}

} // namespace tilewright::ui
