// SPDX-License-Identifier: GPL-3.0-or-later
#include "report/html_report.h"

#include "base/text.h"
#include "eval/explain.h"
#include "eval/lower_bound.h"
#include "report/markup.h"
#include "report/problem_summary.h"

#include <algorithm>

namespace tilewright {

namespace {

constexpr std::string_view kStyle =
    R"(:root { --canvas: #FFFFFF; --panel: #F4F5F7; --text: #1A1C1F; --muted: #5A6068;
  --line: #DCDFE4; --error: #B3261E; --ok: #1B6E3C; color-scheme: light dark; }
@media (prefers-color-scheme: dark) { :root { --canvas: #1B1D21; --panel: #24262B; --text: #E6E8EB; --muted: #A0A7B0;
  --line: #3A3E46; --error: #FF8A80; --ok: #7BD69A; } }
body { background: var(--canvas); color: var(--text); font: 15px/1.45 system-ui, sans-serif; margin: 2rem auto;
  max-width: 1280px; padding: 0 1rem; }
h1 { font-size: 1.6rem; margin-bottom: 0; } h2 { font-size: 1.15rem; margin: 2rem 0 .5rem; }
.note, .muted { color: var(--muted); } .error { color: var(--error); } .ok { color: var(--ok); }
.figures { display: flex; flex-wrap: wrap; gap: .75rem; margin: 1rem 0; padding: 0; list-style: none; }
.figures li { background: var(--panel); border-radius: 6px; padding: .6rem .9rem; }
.figures b { display: block; font-size: 1.25rem; font-variant-numeric: tabular-nums; }
.wide { overflow-x: auto; } table { border-collapse: collapse; font-size: .87rem; }
th { text-align: left; color: var(--muted); font-weight: 500; }
th, td { border-bottom: 1px solid var(--line); padding: .25rem .55rem; vertical-align: top; }
td.n, td.size { font-variant-numeric: tabular-nums; white-space: nowrap; } td.n { text-align: right; }
td.says { min-width: 20rem; }
figure { margin: 0; overflow-x: auto; } figure svg { max-width: 100%; height: auto; display: block; }
.in-dark { display: none; }
@media (prefers-color-scheme: dark) { .in-light { display: none; } .in-dark { display: block; } }
)";

constexpr std::string_view kHowToGetPictures =
    "Tables only; the charts come with: tilewright report PROBLEM SCHEDULE -o FILE.html";

std::string pageStart(const std::string& title, const std::string& note)
{
    std::string out = "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/>\n"
                      "<meta name=\"viewport\" content=\"width=device-width\"/>\n<title>" +
                      escapeMarkup(title) + "</title>\n<style>\n" + std::string(kStyle) +
                      "</style></head><body>\n<h1>" + escapeMarkup(title) + "</h1>\n";
    if (!note.empty())
        out += "<p class=\"note\">" + escapeMarkup(note) + "</p>\n";
    return out;
}

std::string pictureElement(const ReportPicture& picture)
{
    return "<h2>" + escapeMarkup(picture.title) + "</h2>\n<figure class=\"in-light\">" + picture.light +
           "</figure>\n<figure class=\"in-dark\">" + picture.dark + "</figure>\n";
}

std::string tableElement(const ReportTable& table)
{
    std::string out = "<h2>" + escapeMarkup(table.title) + "</h2>\n<div class=\"wide\"><table>\n";
    std::string_view rest = table.rows;
    for (bool head = true; !rest.empty(); head = false) {
        std::string_view line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(line.size() + 1, rest.size()));
        out += "<tr>";
        for (;;) {
            const std::size_t tab = std::min(line.find('\t'), line.size());
            const std::string cell = escapeMarkup(line.substr(0, tab));
            out += head ? "<th>" + cell + "</th>" : "<td>" + cell + "</td>";
            if (tab == line.size())
                break;
            line.remove_prefix(tab + 1);
        }
        out += "</tr>\n";
    }
    return out + "</table></div>\n";
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
        m_out = pageStart(title, m_options.note);
        figures();
        issues();
        notes();
        pictures();
        subgraphs();
        comparison();
        bound();
        return std::move(m_out) + "</body></html>\n";
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
        figure("total latency", formatGrouped(e.total), e.valid() ? "" : "muted");
        if (e.rules != e.rules.onArray())
            figure("on the array itself (compute=array)", formatGrouped(m_s.arrayTotal),
                   e.valid() ? "" : "muted");
        figure("lower bound", formatGrouped(m_s.lowerBound));
        if (m_s.lowerBound > 0 && e.valid())
            figure("above the bound", percent(m_s.gap()));
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
                               formatGrouped(hw.nativeHeight) + ", bandwidth " +
                               formatGrouped(hw.slowMemoryBandwidth));
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
        if (m_options.pictures.empty())
            m_out += "<p class=\"note\">" + escapeMarkup(kHowToGetPictures) + "</p>\n";
        for (const ReportPicture& picture : m_options.pictures) {
            m_out += pictureElement(picture);
        }
    }

    /// `kind` as the style sheet has it: a number, a size, a sentence, or any text.
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
        heading("Subgraphs");
        header({"#", "ops", "w × h × k", "order", "steps", "compute", "memory", "latency", "share", "loads",
                "stores", "working set", "keeps", "what binds it"});
        for (std::size_t i = 0; i < m_s.evaluation.subgraphs.size(); ++i) {
            const Subgraph& s = m_s.schedule[SubgraphId(i)];
            const SubgraphEvaluation& e = m_s.evaluation.subgraphs[i];
            m_out += "<tr>";
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
                                     : "could not be evaluated",
                 "says");
            m_out += "</tr>\n";
        }
        m_out += "</table></div>\n";
    }

    void comparison()
    {
        if (!m_options.comparison)
            return;
        const Comparison& c = *m_options.comparison;
        heading("Compared with the baseline");
        m_out += "<p>" + formatGrouped(c.before) + " → " + formatGrouped(c.after) + " (" +
                 signedNumber(c.after - c.before) + ")</p>\n";
        header({"difference", "subgraphs", "baseline", "this schedule", "change of the total"});
        for (const Contribution& x : c.contributions) {
            const auto number = [](SubgraphId i) { return std::to_string(i.value); };
            m_out += "<tr>";
            cell(std::string(differenceName(x.difference.kind)), "text");
            cell(joined(x.difference.before, number) + " → " + joined(x.difference.after, number), "text");
            cell(x.difference.textBefore, "text");
            cell(x.difference.textAfter, "text");
            cell(signedNumber(x.delta));
            m_out += "</tr>\n";
        }
        m_out += "</table></div>\n";
    }

    void bound()
    {
        const LowerBound b = lowerBound(m_problem, m_s.evaluation.rules);
        heading("Lower bound");
        m_out += "<p>No valid schedule is faster than " + formatGrouped(b.value) +
                 ": computing takes at least " + formatGrouped(b.compute) + ", moving data " +
                 formatGrouped(b.memory) + ".</p>\n<ul>\n";
        constexpr std::size_t kShown = 50;
        for (std::size_t i = 0; i < b.parts.size() && i < kShown; ++i)
            m_out += "<li>" + escapeMarkup(b.parts[i].text) + "</li>\n";
        if (b.parts.size() > kShown)
            m_out += "<li>and " + formatGrouped(b.parts.size() - kShown) + " more parts</li>\n";
        m_out += "</ul>\n";
    }

    const Snapshot& m_s;
    const Problem& m_problem;
    const HtmlReportOptions& m_options;
    std::string m_out;
};

} // namespace

std::string htmlPage(const std::string& title, const std::string& note,
                     const std::vector<ReportPicture>& pictures, const std::vector<ReportTable>& tables)
{
    std::string out = pageStart(title, note);
    for (const ReportPicture& picture : pictures)
        out += pictureElement(picture);
    for (const ReportTable& table : tables)
        if (!table.rows.empty())
            out += tableElement(table);
    return out + "</body></html>\n";
}

std::string htmlReport(const Snapshot& snapshot, const HtmlReportOptions& options)
{
    return Report(snapshot, options).write();
}

} // namespace tilewright
