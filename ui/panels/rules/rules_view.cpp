// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/rules/rules_view.h"

#include "theme/number.h"

#include <QHeaderView>
#include <QLabel>
#include <QTreeWidget>
#include <QVBoxLayout>

namespace tilewright::ui {

namespace {

QString latin1(std::string_view text)
{
    return QString::fromLatin1(text.data(), static_cast<qsizetype>(text.size()));
}

Rules flipped(Rules rules, const RuleSwitch& s)
{
    (void)setRule(rules, s.name, ruleValue(rules, s.name) == s.finalValue ? s.otherValue : s.finalValue);
    return rules;
}

/// What the schedule becomes under the other value of each switch.
std::vector<QString> effects(const Snapshot& snapshot, std::stop_token stop)
{
    std::vector<QString> out;
    for (const RuleSwitch& s : ruleSwitches()) {
        if (stop.stop_requested())
            break;
        const Evaluation e =
            evaluate(*snapshot.problem, snapshot.schedule, flipped(snapshot.evaluation.rules, s));
        if (!e.valid())
            out.push_back(
                snapshot.evaluation.valid()
                    ? RulesView::tr("invalid: %1").arg(QString::fromStdString(e.issues.front().text))
                    : RulesView::tr("still invalid"));
        else if (!snapshot.evaluation.valid())
            out.push_back(RulesView::tr("valid, total %1").arg(number(e.total)));
        else
            out.push_back(
                e.total == snapshot.evaluation.total
                    ? RulesView::tr("no change")
                    : RulesView::tr("total %1").arg(signedNumber(e.total - snapshot.evaluation.total)));
    }
    return out;
}

} // namespace

RulesView::RulesView(const ViewContext& context, QWidget* parent)
    : View(context, QStringLiteral("rules"), tr("Rules"), parent), m_summary(new QLabel(this)),
      m_list(new QTreeWidget(this))
{
    m_effects = std::make_unique<LatestJob<std::vector<QString>>>([this](const std::vector<QString>& texts) {
        for (std::size_t i = 0; i < texts.size() && static_cast<int>(i) < m_list->topLevelItemCount(); ++i) {
            m_list->topLevelItem(static_cast<int>(i))->setText(3, texts[i]);
            m_list->topLevelItem(static_cast<int>(i))->setToolTip(3, texts[i]);
        }
    });
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(8, 8, 8, 0);
    m_summary->setWordWrap(true);
    column->addWidget(m_summary);
    column->addWidget(m_list, 1);
    m_list->setAccessibleName(tr("Rule switches"));
    m_list->setHeaderLabels({tr("Switch"), tr("Value"), tr("What it means"), tr("The other value here")});
    m_list->setRootIsDecorated(false);
    m_list->setAlternatingRowColors(true);
    m_list->setFrameShape(QFrame::NoFrame);
    m_list->header()->setStretchLastSection(false);
    m_list->setColumnWidth(0, 170);
    m_list->setColumnWidth(1, 110);
    m_list->header()->setSectionResizeMode(2, QHeaderView::Stretch);
    m_list->setColumnWidth(3, 260);
    connect(m_list, &QTreeWidget::itemChanged, this, [this](QTreeWidgetItem* item, int col) {
        if (m_refreshing || col != 0)
            return;
        const auto& s = ruleSwitches()[static_cast<std::size_t>(m_list->indexOfTopLevelItem(item))];
        Rules rules = document().rules();
        (void)setRule(rules, s.name, item->checkState(0) == Qt::Checked ? s.finalValue : s.otherValue);
        document().setRules(rules);
    });
    connect(&document(), &Document::snapshotChanged, this, &RulesView::refreshWhenSeen);
    connect(&document(), &Document::rulesChanged, this, &RulesView::refreshWhenSeen);
    refresh();
}

void RulesView::refreshWhenSeen()
{
    if (isVisible())
        refresh();
}

void RulesView::showEvent(QShowEvent* event)
{
    View::showEvent(event);
    refresh();
}

void RulesView::settle()
{
    refresh();
    m_effects->waitIdle();
}

void RulesView::refresh()
{
    m_refreshing = true;
    const Rules& rules = document().rules();
    m_summary->setText(tr("Rule set <b>%1</b>%2. A ticked switch has the value of rule set final; untick it "
                          "to read the rules the other "
                          "way.")
                           .arg(latin1(ruleSetName(rules)),
                                document().rulesReason().isEmpty()
                                    ? QString()
                                    : QStringLiteral(" – ") + document().rulesReason().toHtmlEscaped()));
    m_list->clear();
    for (const RuleSwitch& s : ruleSwitches()) {
        auto* item = new QTreeWidgetItem(
            m_list, {latin1(s.name), latin1(ruleValue(rules, s.name)), latin1(s.meaning)});
        item->setFlags(item->flags() | Qt::ItemIsUserCheckable);
        item->setCheckState(0, ruleValue(rules, s.name) == s.finalValue ? Qt::Checked : Qt::Unchecked);
        item->setToolTip(2,
                         QStringLiteral("<p>%1</p><p>%2</p>")
                             .arg(latin1(s.meaning).toHtmlEscaped(),
                                  tr("final: %1, seed: %2").arg(latin1(s.finalValue), latin1(s.seedValue))));
    }
    m_refreshing = false;
    if (const SnapshotPtr snapshot = document().snapshot())
        m_effects->request([snapshot](std::stop_token stop) { return effects(*snapshot, stop); });
}

} // namespace tilewright::ui
