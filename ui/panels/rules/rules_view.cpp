// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/rules/rules_view.h"

#include "theme/text.h"

#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace tilewright::ui {

namespace {

enum Column { kSwitch, kValue, kEffect, kMeaning, kName };
constexpr int kTarget = Qt::UserRole;    ///< role of the first column: the subgraph of a row
constexpr int kExact = Qt::UserRole + 1; ///< role of a cell: the text for the clipboard
constexpr std::size_t kMostRows = 100;

QString subgraphs(std::size_t n)
{
    return counted(static_cast<std::int64_t>(n), RulesView::tr("subgraph"), RulesView::tr("subgraphs"));
}

QString problems(std::size_t n)
{
    return counted(static_cast<std::int64_t>(n), RulesView::tr("problem"), RulesView::tr("problems"));
}

/// Text for the clipboard: the effect of another value of a switch, with all digits.
QString exactEffectText(const RuleEffect& e, double total)
{
    if (e.validBefore && e.validAfter && e.change != 0)
        return RulesView::tr("total %1, subgraphs: %2").arg(exactNumber(e.change)).arg(e.parts.size());
    if (!e.validBefore && e.validAfter)
        return RulesView::tr("makes it valid: total %1").arg(exactNumber(total + e.change));
    return {};
}

/// Text in one line: the effect of another value of a switch.
QString effectText(const RuleEffect& e, double total)
{
    if (e.validBefore && e.validAfter) {
        if (e.change != 0)
            return RulesView::tr("total %1 in %2").arg(signedNumber(e.change), subgraphs(e.parts.size()));
        return e.parts.empty() ? RulesView::tr("no change")
                               : RulesView::tr("other working sets in %1").arg(subgraphs(e.parts.size()));
    }
    if (e.validBefore)
        return RulesView::tr("breaks it: %1").arg(problems(e.appears.size()));
    if (e.validAfter)
        return RulesView::tr("makes it valid: total %1").arg(number(total + e.change));
    if (e.appears.empty() && e.disappears.empty())
        return e.parts.empty() ? RulesView::tr("no change")
                               : RulesView::tr("other costs in %1").arg(subgraphs(e.parts.size()));
    return RulesView::tr("%1 fewer, %2 more").arg(problems(e.disappears.size())).arg(e.appears.size());
}

QString partText(const RuleEffect::Part& part)
{
    QStringList changes;
    if (part.latencyChange != 0)
        changes << RulesView::tr("latency %1").arg(signedNumber(part.latencyChange));
    if (part.peakChange != 0)
        changes << RulesView::tr("working set %1").arg(signedNumber(static_cast<double>(part.peakChange)));
    return changes.join(QStringLiteral(", "));
}

} // namespace

RulesView::RulesView(const ViewContext& context, QWidget* parent)
    : View(context, QStringLiteral("rules"), tr("Rules"), parent), m_summary(new QLabel(this)),
      m_list(new QTreeWidget(this))
{
    m_effects =
        std::make_unique<LatestJob<Effects>>([this](const Effects& effects) { showEffects(effects); });
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(8, 8, 8, 0);
    m_summary->setWordWrap(true);
    m_summary->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_summary->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    column->addWidget(m_summary);
    column->addWidget(m_list, 1);
    m_list->setAccessibleName(tr("Rule switches"));
    m_list->setHeaderLabels(
        {tr("Allowed or assumed"), tr("Value"), tr("Another value costs"), tr("Meaning"), tr("Switch")});
    m_list->setAlternatingRowColors(true);
    m_list->setFrameShape(QFrame::NoFrame);
    m_list->header()->setStretchLastSection(true);
    // The column of meanings is last and takes the remaining width.
    m_list->header()->moveSection(kName, kMeaning);
    const auto wide = [&](const QString& text) { return fontMetrics().horizontalAdvance(text) + 16; };
    m_list->setColumnWidth(kSwitch, wide(tr("whole rows for vector work before a product")) +
                                        2 * m_list->indentation() + 8);
    m_list->setColumnWidth(kValue, wide(QStringLiteral("neutral")));
    m_list->setColumnWidth(kEffect, wide(tr("total %1 in %2").arg(signedNumber(-123456.7), subgraphs(100))));
    for (const RuleSwitch& s : ruleSwitches()) {
        auto* item = new QTreeWidgetItem(m_list, {word(s.words), {}, {}, word(s.meaning), word(s.name)});
        item->setFlags(item->flags() | Qt::ItemIsUserCheckable);
        const QString tip = QStringLiteral("<p><b>%1</b>: %2</p><p>%3</p>")
                                .arg(word(s.name), word(s.meaning).toHtmlEscaped(),
                                     tr("%1 in contest final, %2 in contest first statement, %3 on a "
                                        "machine; the values are %4")
                                         .arg(word(s.finalValue()), word(s.seedValue), word(s.machineValue),
                                              QString::fromStdString(s.valueList(", "))));
        for (const int c : {kSwitch, kValue, kMeaning, kName})
            item->setToolTip(c, tip);
        m_values.push_back(nullptr);
        if (s.count == 2)
            continue; // a check box shows the value instead of a text
        auto* values = new QComboBox(m_list);
        for (const std::string_view value : s.values())
            values->addItem(word(value));
        values->setAccessibleName(tr("Value of %1").arg(word(s.name)));
        values->setToolTip(tip);
        values->setAutoFillBackground(true);
        connect(values, &QComboBox::activated, this,
                [this, &s](int value) { setValue(s, static_cast<std::size_t>(value)); });
        m_list->setItemWidget(item, kValue, values);
        m_list->setColumnWidth(kValue, std::max(m_list->columnWidth(kValue), values->sizeHint().width()));
        m_values.back() = values;
    }
    connect(m_list, &QTreeWidget::itemChanged, this, &RulesView::toggle);
    connect(m_list, &QTreeWidget::itemClicked, this, &RulesView::jump);
    connect(m_list, &QTreeWidget::itemActivated, this, &RulesView::jump);
    document().whenChanged(this, Part::Snapshot | Part::RuleSet, &RulesView::outdate);
    refresh();
}

void RulesView::toggle(QTreeWidgetItem* item, int column)
{
    const int row = m_list->indexOfTopLevelItem(item);
    if (m_refreshing || column != kSwitch || row < 0)
        return;
    const RuleSwitch& rule = ruleSwitches()[static_cast<std::size_t>(row)];
    setValue(rule, item->checkState(kSwitch) == Qt::Checked ? rule.ticked : rule.unticked());
}

void RulesView::setValue(const RuleSwitch& rule, std::size_t value)
{
    Rules rules = document().rules();
    rule.set(rules, value);
    document().setRules(rules);
}

void RulesView::jump(QTreeWidgetItem* item)
{
    const QVariant target = item->data(kSwitch, kTarget);
    if (item->parent() && target.isValid())
        selection().selectSubgraph(SubgraphId(static_cast<std::size_t>(target.toULongLong())));
}

void RulesView::settle()
{
    document().waitForSnapshot();
    refresh();
    m_effects->waitIdle();
}

void RulesView::refresh()
{
    m_refreshing = true;
    const Rules& rules = document().rules();
    m_summary->setText(
        tr("Rules: <b>%1</b>%2. A ticked line holds for this schedule. Beside it stands what another value "
           "would cost; open a line to see which subgraphs that changes.")
            .arg(word(ruleSetTitle(rules)),
                 document().rulesReason().isEmpty()
                     ? QString()
                     : QStringLiteral(" – ") + document().rulesReason().toHtmlEscaped()));
    for (std::size_t i = 0; i < ruleSwitches().size(); ++i) {
        const RuleSwitch& s = ruleSwitches()[i];
        QTreeWidgetItem* item = m_list->topLevelItem(static_cast<int>(i));
        item->setText(kValue, word(ruleValue(rules, s.name)));
        item->setCheckState(kSwitch, s.get(rules) == s.ticked ? Qt::Checked : Qt::Unchecked);
        if (m_values[i])
            m_values[i]->setCurrentIndex(static_cast<int>(s.get(rules)));
        if (!document().snapshot()) {
            item->setText(kEffect, {});
            item->setData(kEffect, kExact, {});
            qDeleteAll(item->takeChildren());
        }
    }
    m_refreshing = false;
    if (const SnapshotPtr snapshot = document().snapshot())
        m_effects->request([snapshot](std::stop_token stop) {
            return Effects{snapshot,
                           ruleEffects(*snapshot->problem, snapshot->schedule, snapshot->evaluation, stop)};
        });
}

void RulesView::showEffects(const Effects& effects)
{
    if (effects.snapshot != document().snapshot())
        return;
    m_refreshing = true;
    const RuleSwitch* rule = nullptr;
    bool open = false;
    for (const RuleEffect& e : effects.effects) {
        QTreeWidgetItem* item = m_list->topLevelItem(static_cast<int>(e.rule - ruleSwitches().data()));
        // If a rule switch has more than two values, the text names the value whose effect it shows.
        const QString value = e.rule->count > 2 ? word(e.value) + QStringLiteral(": ") : QString();
        const double total = effects.snapshot->evaluation.total;
        const QString effect = value + effectText(e, total);
        const QString exactly = exactEffectText(e, total);
        const QString copied = exactly.isEmpty() ? effect : value + exactly;
        if (e.rule != rule) {
            rule = e.rule;
            open = item->isExpanded();
            qDeleteAll(item->takeChildren());
            item->setText(kEffect, effect);
            item->setData(kEffect, kExact, copied);
        } else {
            item->setText(kEffect, item->text(kEffect) + QStringLiteral("; ") + effect);
            item->setData(kEffect, kExact,
                          item->data(kEffect, kExact).toString() + QStringLiteral("; ") + copied);
        }
        item->setToolTip(kEffect, item->text(kEffect));
        const auto row = [&](const std::optional<SubgraphId>& where, const QString& text,
                             const QString& tip) {
            if (static_cast<std::size_t>(item->childCount()) >= kMostRows)
                return;
            auto* child = new QTreeWidgetItem(
                item, {where ? tr("Subgraph %1").arg(where->index()) : tr("Schedule"), {}, value + text, {}});
            if (where) {
                child->setData(kSwitch, kTarget, static_cast<qulonglong>(where->index()));
                child->setForeground(kSwitch, palette().color(QPalette::Link));
                child->setToolTip(kSwitch, tr("Select this subgraph."));
            }
            child->setToolTip(kEffect, tip);
            if (!tip.isEmpty())
                child->setText(kMeaning, tip);
        };
        for (const Issue& issue : e.appears)
            row(issue.subgraph, tr("would break %1").arg(word(issueCodeName(issue.code))),
                sentence(issue.text));
        for (const Issue& issue : e.disappears)
            row(issue.subgraph, tr("would no longer break %1").arg(word(issueCodeName(issue.code))),
                sentence(issue.text));
        for (const RuleEffect::Part& part : e.parts)
            row(part.subgraph, partText(part), {});
        item->setExpanded(open);
    }
    m_refreshing = false;
}

QString RulesView::copyText() const
{
    QString out = tr("allowed or assumed\tvalue\tanother value costs\tmeaning\tswitch\n");
    for (int i = 0; i < m_list->topLevelItemCount(); ++i) {
        QStringList cells;
        for (int c = 0; c < m_list->columnCount(); ++c) {
            const QString exact = m_list->topLevelItem(i)->data(c, kExact).toString();
            cells << (exact.isEmpty() ? m_list->topLevelItem(i)->text(c) : exact);
        }
        out += textRow(cells);
    }
    return out;
}

} // namespace tilewright::ui
