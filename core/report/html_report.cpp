// SPDX-License-Identifier: GPL-3.0-or-later
#include "report/html_report.h"

#include "base/text.h"
#include "eval/explain.h"
#include "eval/lower_bound.h"
#include "report/html_shell.h"
#include "report/markup.h"
#include "report/problem_summary.h"
#include "report/report_data.h"

#include <algorithm>

namespace tilewright {

namespace {

constexpr std::string_view kHowToGetPictures =
    "This file contains tables only. To include charts, use: tilewright report PROBLEM SCHEDULE -o FILE.html";

std::string tableSection(const std::string& id, const std::string& markup)
{
    return "<section class=\"table\" id=\"" + id + "\"><h2>" + markup + "</h2>\n";
}

std::string tableElement(const std::string& id, const ReportTable& table)
{
    std::string out = tableSection(id, escapeMarkup(table.title)) + "<div class=\"wide\"><table>\n";
    bool head = true;
    for (const std::vector<std::string>& row : rowsOf(table)) {
        out += "<tr>";
        for (const std::string& cell : row)
            out += head ? "<th scope=\"col\">" + escapeMarkup(cell) + "</th>"
                        : "<td>" + escapeMarkup(cell) + "</td>";
        out += "</tr>\n";
        head = false;
    }
    return out + "</table></div></section>\n";
}

class Report
{
public:
    Report(const Snapshot& snapshot, const HtmlReportOptions& options)
        : m_s(snapshot), m_problem(*snapshot.problem), m_options(options)
    {
    }

    std::string write()
    {
        std::string title = m_options.title.empty() ? m_problem.name() : m_options.title;
        if (title.empty())
            title = "Schedule";
        m_out = pageStart(title, m_options.note, m_options.charts);
        figures();
        issues();
        notes();
        pictures();
        subgraphs();
        comparison();
        steps();
        bound();
        return std::move(m_out) + pageEnd(m_options.charts, reportData(m_s));
    }

private:
    void heading(const std::string& markup) { m_out += "<h2>" + markup + "</h2>\n"; }

    void figure(const std::string& name, const std::string& value, const std::string& style = {})
    {
        m_out += "<li>" + escapeMarkup(name) + "<b" + (style.empty() ? "" : " class=\"" + style + "\"") +
                 ">" + escapeMarkup(value) + "</b></li>\n";
    }

    void figures()
    {
        const Evaluation& e = m_s.evaluation;
        m_out += "<ul class=\"figures\">\n";
        figure("total latency, units of time", formatGrouped(e.total), e.valid() ? "" : "muted");
        if (e.rules != e.rules.onArray())
            figure("with the cycles of the systolic array", formatGrouped(m_s.arrayTotal),
                   e.valid() ? "" : "muted");
        figure("lower bound", formatGrouped(m_s.lowerBound));
        if (m_s.lowerBound > 0 && e.valid())
            figure("gap to the lower bound", percent(m_s.gap()));
        figure("verdict", e.valid() ? "valid" : std::string(issueCodeName(e.verdict()->code)),
               e.valid() ? "ok" : "error");
        figure("rules", std::string(ruleSetTitle(e.rules)));
        std::int64_t peak = 0;
        for (const SubgraphEvaluation& s : e.subgraphs)
            peak = std::max(peak, s.peakWorkingSet);
        figure("peak working set", formatGrouped(peak) + " of " +
                                       formatGrouped(m_problem.hardware().fastMemoryCapacity) + " elements");
        const ProblemSummary p = summarise(m_problem);
        figure("problem", formatGrouped(m_problem.opCount()) + " ops (" + formatGrouped(p.matMuls) +
                              " MatMul), " + formatGrouped(m_s.schedule.size()) + " subgraphs");
        const Hardware& hw = m_problem.hardware();
        figure("hardware", "native " + formatGrouped(hw.nativeWidth) + " × " +
                               formatGrouped(hw.nativeHeight) + ", fast memory " +
                               formatGrouped(hw.fastMemoryCapacity) + " elements, slow memory " +
                               formatGrouped(hw.slowMemoryBandwidth) + " elements per unit of time");
        m_out += "</ul>\n";
    }

    void issues()
    {
        if (m_s.evaluation.valid())
            return;
        heading("Problems");
        m_out += "<ul>\n";
        for (const Issue& issue : m_s.evaluation.issues)
            m_out +=
                "<li class=\"error\">" + std::string(issueCodeName(issue.code)) +
                (issue.subgraph ? " in subgraph " + std::to_string(issue.subgraph->value) : std::string()) +
                ": " + escapeMarkup(issue.text) + "</li>\n";
        m_out += "</ul>\n";
    }

    void notes()
    {
        if (m_options.notes.empty())
            return;
        heading("Notes");
        m_out += "<dl>\n";
        for (const auto& [about, text] : m_options.notes)
            m_out += "<dt><b>" + escapeMarkup(about) + "</b></dt><dd style=\"white-space: pre-wrap\">" +
                     escapeMarkup(text) + "</dd>\n";
        m_out += "</dl>\n";
    }

    void pictures()
    {
        if (m_options.charts.pictures.empty())
            m_out += "<p class=\"note\">" + escapeMarkup(kHowToGetPictures) + "</p>\n";
        m_out += pictureSections(m_options.charts);
    }

    /// Writes a cell. `kind` is a class of the style sheet: a number, a size, a sentence or text.
    void cell(const std::string& text, const char* kind = "n")
    {
        m_out += std::string("<td class=\"") + kind + "\">" + escapeMarkup(text) + "</td>";
    }

    void header(std::initializer_list<const char*> names)
    {
        m_out += "<div class=\"wide\"><table>\n<tr>";
        for (const char* name : names)
            m_out += std::string("<th scope=\"col\">") + name + "</th>";
        m_out += "</tr>\n";
    }

    template <typename Ids, typename Name> static std::string joined(const Ids& ids, Name name)
    {
        std::string out;
        for (const auto id : ids)
            out += (out.empty() ? "" : ", ") + name(id);
        return out;
    }

    [[nodiscard]] std::string opNames(std::span<const OpId> ops) const
    {
        return joined(ops, [&](OpId o) { return m_problem.opName(o); });
    }

    void subgraphs()
    {
        m_out += tableSection("subgraphs", "Subgraphs");
        header({"#", "ops", "w × h × k", "order", "steps", "compute", "memory", "latency", "share", "loads",
                "stores", "working set", "retains", "bottleneck"});
        for (std::size_t i = 0; i < m_s.evaluation.subgraphs.size(); ++i) {
            const Subgraph& s = m_s.schedule[SubgraphId(i)];
            const SubgraphEvaluation& e = m_s.evaluation.subgraphs[i];
            m_out += "<tr data-k=\"s" + std::to_string(i) + "\">";
            cell(std::to_string(i));
            cell(opNames(s.ops), "text");
            const Granularity& g = s.granularity;
            cell(formatGrouped(g.w) + " × " + formatGrouped(g.h) + " × " + formatGrouped(g.k), "size");
            cell(std::string(traversalName(s.traversal.kind())), "text");
            if (e.structurallyValid) {
                cell(formatGrouped(e.steps));
                for (const double v : {e.compute, e.memory, e.latency})
                    cell(formatGrouped(v));
                cell(m_s.evaluation.total > 0 ? percent(e.latency / m_s.evaluation.total) : "");
                for (const std::int64_t v : {e.loadElements, e.storeElements, e.peakWorkingSet})
                    cell(formatGrouped(v));
            } else {
                for (int empty = 0; empty < 8; ++empty)
                    cell("-");
            }
            cell(joined(s.retain, [&](TensorId t) { return m_problem.tensorName(t); }), "text");
            cell(e.structurallyValid ? whatBinds(m_problem, m_s.schedule, m_s.evaluation, SubgraphId(i)).text
                                     : "cannot be evaluated",
                 "says");
            m_out += "</tr>\n";
        }
        m_out += "</table></div></section>\n";
    }

    void comparison()
    {
        if (!m_options.comparison)
            return;
        const Comparison& c = *m_options.comparison;
        m_out += tableSection("comparison", "Compared with the baseline");
        m_out += "<p>" + formatGrouped(c.before) + " → " + formatGrouped(c.after) + " (" +
                 signedNumber(c.after - c.before) + ")</p>\n";
        header({"difference", "subgraphs", "baseline", "this schedule", "change of the total"});
        for (const Contribution& x : c.contributions) {
            const auto number = [](SubgraphId i) { return std::to_string(i.value); };
            std::string keys; // keys of the subgraphs of the present schedule
            for (const SubgraphId after : x.difference.after)
                keys += (keys.empty() ? "s" : " s") + number(after);
            m_out += keys.empty() ? "<tr>" : "<tr data-k=\"" + keys + "\">";
            cell(std::string(differenceName(x.difference.kind)), "text");
            cell(joined(x.difference.before, number) + " → " + joined(x.difference.after, number), "text");
            cell(x.difference.textBefore, "text");
            cell(x.difference.textAfter, "text");
            cell(signedNumber(x.delta));
            m_out += "</tr>\n";
        }
        m_out += "</table></div></section>\n";
    }

    /// Writes an empty section. The script creates the rows that are visible from the JSON data.
    void steps()
    {
        std::int64_t all = 0;
        for (const SubgraphEvaluation& e : m_s.evaluation.subgraphs)
            all += e.structurallyValid ? e.steps : 0;
        if (all == 0)
            return;
        m_out += "<section id=\"steps\"><h2>Steps</h2>\n<p class=\"note\">" + formatGrouped(all) + " steps. ";
        if (all > kReportSteps)
            m_out += "This file contains the first steps of every subgraph; evaluate --trace FILE.csv writes "
                     "all steps. ";
        m_out += "</p>\n<div class=\"wide\"></div></section>\n";
    }

    void bound()
    {
        const LowerBound b = lowerBound(m_problem, m_s.evaluation.rules);
        m_out += "<section id=\"bound\">";
        heading("Lower bound");
        m_out += "<p>No valid schedule is faster than " + formatGrouped(b.value) +
                 ": the compute time is at least " + formatGrouped(b.compute) + ", the transfer time " +
                 formatGrouped(b.memory) + ".</p>\n<ul>\n";
        constexpr std::size_t kShown = 50;
        for (std::size_t i = 0; i < b.parts.size() && i < kShown; ++i)
            m_out += "<li>" + escapeMarkup(b.parts[i].text) + "</li>\n";
        if (b.parts.size() > kShown)
            m_out += "<li>and " + formatGrouped(b.parts.size() - kShown) + " more parts</li>\n";
        m_out += "</ul></section>\n";
    }

    const Snapshot& m_s;
    const Problem& m_problem;
    const HtmlReportOptions& m_options;
    std::string m_out;
};

} // namespace

std::string htmlPage(const std::string& title, const std::string& note, const ReportCharts& charts,
                     const std::vector<ReportTable>& tables)
{
    std::string out = pageStart(title, note, charts) + pictureSections(charts);
    for (std::size_t i = 0; i < tables.size(); ++i)
        if (!tables[i].rows.empty())
            out += tableElement("table-" + std::to_string(i), tables[i]);
    return out + pageEnd(charts, "null");
}

std::string htmlReport(const Snapshot& snapshot, const HtmlReportOptions& options)
{
    return Report(snapshot, options).write();
}

} // namespace tilewright
