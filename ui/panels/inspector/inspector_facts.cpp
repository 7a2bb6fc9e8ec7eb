// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/inspector/inspector_facts.h"

#include "edit/advice.h"
#include "theme/text.h"
#include "workspace/schedule_edits.h"

#include <QApplication>
#include <QTextDocument>

#include <algorithm>
#include <functional>
#include <utility>

namespace tilewright::ui {

LatencyArithmetic latencyArithmetic(const Snapshot& snapshot, SubgraphId subgraph,
                                    const std::stop_token& stop)
{
    StepKinds steps =
        stepKinds(*snapshot.problem, snapshot.schedule, snapshot.evaluation.rules, subgraph, 1'000'000, stop);
    std::ranges::stable_sort(steps.kinds, std::ranges::greater(), &StepKind::latency);
    return {std::move(steps.kinds), steps.complete, snapshot.problem->unitsPerElement()};
}

QString latencyText(const LatencyArithmetic& arithmetic, double total, LatencyForm form)
{
    const auto tr = [](const char* s) { return QCoreApplication::translate("LatencyText", s); };
    // At most kMost kinds of steps are listed; a last line stands for the others. If only one kind is left,
    // it is listed instead.
    constexpr std::size_t kMost = 5;
    const std::size_t kinds = arithmetic.groups.size();
    const std::size_t listed = kinds == kMost + 1 ? kinds : std::min(kinds, kMost);
    const bool lines = form == LatencyForm::Lines;
    const bool wide = form == LatencyForm::WideTable;
    const auto cell = [](const QString& text) {
        return QStringLiteral("<td align='right' style='padding-left:7px; white-space:nowrap'>%1</td>")
            .arg(text);
    };
    const auto larger = [](const QString& text, bool is) {
        return is ? QStringLiteral("<b>%1</b>").arg(text) : text;
    };
    QString html;
    if (!lines) {
        html = QStringLiteral("<table cellspacing='0' cellpadding='1'><tr>") + cell(tr("steps"));
        if (wide)
            html += cell(tr("in")) + cell(tr("out"));
        html += cell(tr("compute")) + cell(tr("memory")) + cell(tr("total")) + QStringLiteral("</tr>");
    }
    double shown = 0;
    for (std::size_t i = 0; i < listed; ++i) {
        const StepKind& g = arithmetic.groups[i];
        const bool compute = g.first.compute >= g.first.memory;
        const QString a = larger(number(g.first.compute), compute);
        const QString b = larger(number(g.first.memory), !compute);
        const auto elements = [&](std::int64_t units) {
            return number(static_cast<double>(units) / static_cast<double>(arithmetic.unitsPerElement));
        };
        const double sum = g.latency();
        shown += sum;
        if (lines) {
            html += QStringLiteral("%1 × max(%2, %3) = %4<br>").arg(number(g.count), a, b, number(sum));
            continue;
        }
        html += QStringLiteral("<tr>") + cell(number(g.count) + QStringLiteral(" ×"));
        if (wide)
            html += cell(elements(g.first.loadElements)) + cell(elements(g.first.storeElements));
        html += cell(a) + cell(b) + cell(QStringLiteral("= ") + number(sum)) + QStringLiteral("</tr>");
    }
    const auto last = [&](const QString& what, const QString& value) {
        html += lines ? QStringLiteral("%1 %2<br>").arg(what, value)
                      : QStringLiteral("<tr><td colspan='%1' align='right'>%2</td>%3</tr>")
                            .arg(wide ? 5 : 3)
                            .arg(what, cell(value));
    };
    if (kinds > listed && arithmetic.complete)
        last(counted(static_cast<std::int64_t>(kinds - listed), tr("other kind of step"),
                     tr("other kinds of steps")),
             QStringLiteral("= ") + number(total - shown));
    if (arithmetic.groups.size() > 1 && arithmetic.complete)
        last(tr("latency"), QStringLiteral("<b>%1</b>").arg(number(total)));
    if (!lines)
        html += QStringLiteral("</table>");
    if (!arithmetic.complete)
        html += tr("(counted over the first million steps)");
    return html;
}

QString LatencyTexts::fitting(const LatencyArithmetic& arithmetic, double total, int width)
{
    const auto widthOf = [this](const QString& text) {
        QTextDocument document;
        document.setDefaultFont(m_font);
        document.setHtml(text);
        return document.idealWidth();
    };
    const auto forms = {LatencyForm::WideTable, LatencyForm::Table};
    if (m_usual.empty() || m_font != QApplication::font()) {
        m_font = QApplication::font();
        m_usual.clear();
        StepKind usual;
        usual.count = 100;
        usual.first.compute = usual.first.memory = usual.first.latency = 1'000.5;
        usual.first.loadElements = usual.first.storeElements = 1'000;
        for (const LatencyForm form : forms)
            m_usual.push_back(widthOf(latencyText({{usual}}, 0, form)));
    }
    auto usual = m_usual.begin();
    for (const LatencyForm form : forms)
        if (*usual++ <= width)
            if (QString text = latencyText(arithmetic, total, form); widthOf(text) <= width)
                return text;
    return latencyText(arithmetic, total, LatencyForm::Lines);
}

InspectorFacts inspectorFacts(const Snapshot& snapshot, SubgraphId subgraph, std::stop_token stop)
{
    InspectorFacts out;
    out.revision = snapshot.revision;
    out.subgraph = subgraph;
    out.arithmetic = latencyArithmetic(snapshot, subgraph, stop);
    out.energy = energyParts(*snapshot.problem, snapshot.schedule, snapshot.evaluation, subgraph);
    const EditOptions options = editOptions(snapshot.evaluation.rules);
    for (RetainCandidate& candidate :
         retainCandidates(*snapshot.problem, snapshot.schedule, subgraph, options)) {
        InspectorFacts::Retain row{std::move(candidate), std::nullopt, {}};
        if (row.candidate.refusal.empty() && !stop.stop_requested()) {
            const auto toggled = edit::toggleRetain(*snapshot.problem, snapshot.schedule, subgraph,
                                                    row.candidate.tensor, options);
            if (toggled) {
                const Evaluation e = evaluate(*snapshot.problem, *toggled, snapshot.evaluation.rules);
                if (e.valid() && snapshot.evaluation.valid())
                    row.change = e.total - snapshot.evaluation.total;
                else if (snapshot.evaluation.valid())
                    row.broken = e.verdict()->text;
            }
        }
        out.retain.push_back(std::move(row));
    }
    out.explanation = whatBinds(*snapshot.problem, snapshot.schedule, snapshot.evaluation, subgraph);
    out.suggestions = changesOf(*snapshot.problem, snapshot.schedule, snapshot.evaluation, subgraph, stop);
    return out;
}

} // namespace tilewright::ui
