// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/problems/problems_view.h"

#include "panels/problems/quick_fix.h"
#include "theme/icon.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QTreeWidget>
#include <QVBoxLayout>

namespace tilewright::ui {

ProblemsView::ProblemsView(const ViewContext& context, QWidget* parent)
    : View(context, QStringLiteral("problems"), tr("Problems"), parent), m_list(new QTreeWidget(this)),
      m_hint(new QLabel(this)), m_fix(new QPushButton(tr("Fix"), this)),
      m_fixAll(new QPushButton(tr("Fix all"), this))
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    m_hint->setAlignment(Qt::AlignCenter);
    m_hint->setWordWrap(true);
    m_hint->setMargin(16);
    column->addWidget(m_hint, 1);
    column->addWidget(m_list, 1);
    m_list->setAccessibleName(tr("Problems"));
    m_list->setHeaderLabels({tr("Where"), tr("Code"), tr("What is wrong")});
    m_list->setRootIsDecorated(false);
    m_list->setUniformRowHeights(true);
    m_list->setFrameShape(QFrame::NoFrame);
    m_list->setColumnWidth(0, 130);
    m_list->setColumnWidth(1, 130);
    m_list->header()->setStretchLastSection(false);
    m_list->header()->setSectionResizeMode(2, QHeaderView::Stretch);
    auto* buttons = new QHBoxLayout;
    buttons->setContentsMargins(8, 6, 8, 6);
    m_fix->setToolTip(tr("Repair the selected problem; one undo step."));
    m_fixAll->setToolTip(
        tr("Repair one problem after the other until none is left or none can be repaired."));
    buttons->addWidget(m_fix);
    buttons->addWidget(m_fixAll);
    buttons->addStretch();
    column->addLayout(buttons);
    connect(m_list, &QTreeWidget::itemDoubleClicked, this, &ProblemsView::jump);
    connect(m_list, &QTreeWidget::itemActivated, this, &ProblemsView::jump);
    connect(m_list, &QTreeWidget::currentItemChanged, this, [this] {
        // Only for the row that is looked at: finding a repair tries edits of the whole schedule.
        const Issue* issue = currentIssue();
        const auto fix = issue ? quickFix(*document().snapshot(), *issue) : std::nullopt;
        m_fix->setEnabled(fix.has_value());
        m_fix->setText(fix ? tr("Fix: %1").arg(fix->text) : tr("Fix"));
    });
    connect(m_fix, &QPushButton::clicked, this, &ProblemsView::fix);
    connect(m_fixAll, &QPushButton::clicked, this, [this] {
        // Each fix can reveal or remove others; the limit only guards against fixes that undo one another.
        document().undoStack().beginMacro(tr("Fix all problems"));
        for (int i = 0; i < 200; ++i) {
            document().evaluateNow();
            const SnapshotPtr snapshot = document().snapshot();
            std::optional<QuickFix> next;
            for (const Issue& issue : snapshot->evaluation.issues)
                if ((next = quickFix(*snapshot, issue)))
                    break;
            if (!next)
                break;
            document().apply(next->schedule, next->text);
        }
        document().undoStack().endMacro();
    });
    connect(&document(), &Document::snapshotChanged, this, &ProblemsView::refreshWhenSeen);
    connect(&document(), &Document::problemChanged, this, &ProblemsView::refreshWhenSeen);
    refresh();
}

void ProblemsView::refreshWhenSeen()
{
    if (isVisible())
        refresh();
}

void ProblemsView::showEvent(QShowEvent* event)
{
    View::showEvent(event);
    refresh();
}

const Issue* ProblemsView::currentIssue() const
{
    const SnapshotPtr snapshot = document().snapshot();
    const int row = m_list->indexOfTopLevelItem(m_list->currentItem());
    if (!snapshot || row < 0 || static_cast<std::size_t>(row) >= snapshot->evaluation.issues.size())
        return nullptr;
    return &snapshot->evaluation.issues[static_cast<std::size_t>(row)];
}

void ProblemsView::refresh()
{
    const SnapshotPtr snapshot = document().snapshot();
    const bool any = snapshot && !snapshot->evaluation.valid();
    m_hint->setText(!snapshot ? tr("Open a problem; what is wrong with its schedule is listed here.")
                              : tr("No problems: every rule holds and every working set fits."));
    m_hint->setVisible(!any);
    m_list->setVisible(any);
    m_fix->setVisible(any);
    m_fixAll->setVisible(any);
    m_list->clear();
    if (!any)
        return;
    for (const Issue& issue : snapshot->evaluation.issues) {
        const auto code = issueCodeName(issue.code);
        auto* item = new QTreeWidgetItem(
            m_list, {issue.subgraph ? tr("Subgraph %1").arg(issue.subgraph->index()) : tr("Schedule"),
                     QString::fromLatin1(code.data(), static_cast<qsizetype>(code.size())),
                     QString::fromStdString(issue.text)});
        item->setIcon(0, icon(QStringLiteral("error")));
        item->setToolTip(2, QString::fromStdString(issue.text));
    }
    m_list->setCurrentItem(m_list->topLevelItem(0));
}

void ProblemsView::jump()
{
    const Issue* found = currentIssue();
    if (!found)
        return;
    const Issue& issue = *found;
    SelectionState state;
    if (issue.subgraph) {
        state.subgraph = issue.subgraph;
        state.subgraphs = {*issue.subgraph};
    }
    if (issue.op)
        state.ops = {*issue.op};
    state.tensor = issue.tensor;
    selection().set(std::move(state));
}

void ProblemsView::fix()
{
    document().waitForSnapshot();
    const Issue* issue = currentIssue();
    if (!issue)
        return;
    if (auto next = quickFix(*document().snapshot(), *issue))
        document().apply(std::move(next->schedule), next->text);
}

QString ProblemsView::copyText() const
{
    QString out;
    for (int i = 0; i < m_list->topLevelItemCount(); ++i)
        out += m_list->topLevelItem(i)->text(0) + QLatin1Char('\t') + m_list->topLevelItem(i)->text(1) +
               QLatin1Char('\t') + m_list->topLevelItem(i)->text(2) + QLatin1Char('\n');
    return out;
}

} // namespace tilewright::ui
