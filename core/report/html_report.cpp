// SPDX-License-Identifier: GPL-3.0-or-later
#include "report/html_report.h"

#include "base/text.h"
#include "base/utf8.h"
#include "eval/explain.h"
#include "eval/lower_bound.h"
#include "report/summary.h"

#include <algorithm>
#include <charconv>

namespace tilewright {

namespace {

constexpr std::string_view kReplacement = "\ufffd";

} // namespace

std::string escapeMarkup(std::string_view text)
{
    std::string out;
    while (!text.empty()) {
        const Utf8Character c = firstCharacter(text);
        const std::size_t n = std::max<std::size_t>(1, c.length);
        switch (text.front()) {
        case '&':
            out += "&amp;";
            break;
        case '<':
            out += "&lt;";
            break;
        case '>':
            out += "&gt;";
            break;
        case '"':
            out += "&quot;";
            break;
        case '\'':
            out += "&#39;";
            break;
        default:
            if (c.length > 0 && (c.code < 0x20 || c.code == 0x7f))
                out += ' ';
            else
                out += c.length > 0 && isShown(c.code) ? text.substr(0, n) : kReplacement;
        }
        text.remove_prefix(n);
    }
    return out;
}

namespace {

constexpr std::string_view kHowToGetPictures =
    "This file contains tables only. To include charts, use: tilewright report PROBLEM SCHEDULE -o FILE.html";

std::string tableSection(const std::string& id, const std::string& markup)
{
    return "<section class=\"table\" id=\"" + id + "\"><h2>" + markup + "</h2>\n";
}

/// The digits of a whole cell for reading: grouped, four significant ones of a fraction. Empty: no number.
std::string readableNumber(const std::string& cell)
{
    if (cell.find_first_of("0123456789") == std::string::npos) // "inf" may be a name
        return {};
    std::int64_t whole = 0;
    double value = 0;
    const char* const end = cell.data() + cell.size();
    constexpr std::int64_t kLargest = 1'000'000'000'000'000; // from there on an exponent is easier to read
    if (const auto [at, error] = std::from_chars(cell.data(), end, whole);
        error == std::errc() && at == end && whole > -kLargest && whole < kLargest)
        return formatGrouped(whole);
    if (const auto [at, error] = std::from_chars(cell.data(), end, value); error == std::errc() && at == end)
        return significantNumber(value, 4);
    return {};
}

/// The name of a column as words: "wait_dram" is that of JSON.
std::string inWords(std::string name)
{
    std::ranges::replace(name, '_', ' ');
    return name;
}

std::string tableElement(const std::string& id, const ReportTable& table)
{
    std::string out = tableSection(id, escapeMarkup(table.title)) + "<div class=\"wide\"><table>\n";
    bool head = true;
    for (const std::vector<std::string>& row : rowsOf(table)) {
        out += "<tr>";
        for (const std::string& cell : row) {
            const std::string digits = readableNumber(cell);
            if (head)
                out += "<th scope=\"col\">" + escapeMarkup(inWords(cell)) + "</th>";
            else if (digits.empty())
                out += "<td>" + escapeMarkup(cell) + "</td>";
            else
                out += "<td title=\"" + escapeMarkup(cell) + "\">" + digits + "</td>";
        }
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
        if (!m_options.summary.rows.empty())
            m_out += tableElement("summary", m_options.summary);
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
        for (const auto& [name, value] : m_options.figures)
            figure(name, value);
        figure("total latency, units of time", e.valid() ? formatGrouped(e.total) : "–",
               e.valid() ? "" : "muted");
        if (e.rules != e.rules.onArray())
            figure("with the cycles of the systolic array", formatGrouped(m_s.arrayTotal),
                   e.valid() ? "" : "muted");
        figure("lower bound", formatGrouped(m_s.lowerBound));
        if (!m_options.provenSpace.empty())
            figure("proven optimal over", m_options.provenSpace);
        else if (m_s.lowerBound > 0 && e.valid())
            figure("gap to the lower bound", percent(m_s.gap()));
        figure("verdict", e.valid() ? "valid" : std::string(issueCodeName(e.verdict()->code)),
               e.valid() ? "ok" : "error");
        figure("rules", std::string(ruleSetTitle(e.rules)));
        double peak = 0;
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

    /// Writes a table cell. `kind` is a class of the style sheet, for a number, a size, a sentence or text.
    void cell(const std::string& text, const char* kind = "n")
    {
        m_out += std::string("<td class=\"") + kind + "\">" + escapeMarkup(text) + "</td>";
    }

    void header(const std::vector<const char*>& names)
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
        std::vector<const char*> columns{"#",      "ops",     "w × h × k", "order", "steps",  "compute",
                                         "memory", "latency", "share",     "loads", "stores", "working set"};
        if (m_problem.hasEnergy())
            columns.emplace_back("energy in pJ");
        columns.insert(columns.end(), {"retains", "bottleneck"});
        header(columns);
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
                for (const double v : {e.loadElements, e.storeElements, e.peakWorkingSet})
                    cell(formatGrouped(v));
                if (m_problem.hasEnergy())
                    cell(formatGrouped(e.energy));
            } else {
                for (int empty = m_problem.hasEnergy() ? -1 : 0; empty < 8; ++empty)
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
        const auto sentence = [&] {
            if (!m_options.baseline.empty())
                m_out += "<p>" + escapeMarkup(m_options.baseline) + "</p>\n";
        };
        if (!m_options.comparison) {
            if (m_options.baseline.empty())
                return;
            m_out += "<section id=\"comparison\"><h2>Compared with the baseline</h2>\n";
            sentence();
            m_out += "</section>\n";
            return;
        }
        const Comparison& c = *m_options.comparison;
        m_out += tableSection("comparison", "Compared with the baseline");
        sentence();
        m_out += "<p>" + formatGrouped(c.before) + " → " + formatGrouped(c.after) + " (" +
                 signedNumber(c.after - c.before) + ")</p>\n";
        header({"difference", "subgraphs", "baseline", "this schedule", "change of the total"});
        for (const Contribution& x : c.contributions) {
            const auto number = [](SubgraphId i) { return std::to_string(i.value); };
            std::string keys; // keys of the subgraphs of the current schedule
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

    /// Writes an empty section for the steps. The script creates the visible rows from the JSON data.
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
        if (m_s.lowerBound > b.value * (1 + 1e-12))
            m_out += "<p>A search has proven that no valid schedule is faster than " +
                     formatGrouped(m_s.lowerBound) +
                     ". The parts of the bound without a search are below.</p>\n";
        m_out += "<p>No valid schedule is faster than " + formatGrouped(b.value) +
                 ", the sum of the parts below. Compute time alone is at least " + formatGrouped(b.compute) +
                 ", transfer time alone at least " + formatGrouped(b.memory) + ".</p>\n<ul>\n";
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
    std::string before, after;
    for (std::size_t i = 0; i < tables.size(); ++i) {
        ReportTable table = tables[i];
        const bool hasPicture =
            std::ranges::find(charts.pictures, table.title, &ReportPicture::title) != charts.pictures.end();
        if (hasPicture)
            table.title += ": table";
        if (!table.rows.empty())
            (hasPicture ? after : before) += tableElement("table-" + std::to_string(i), table);
    }
    return pageStart(title, note, charts) + before + pictureSections(charts) + after +
           pageEnd(charts, "null");
}

std::string htmlReport(const Snapshot& snapshot, const HtmlReportOptions& options)
{
    return Report(snapshot, options).write();
}

namespace {

constexpr std::string_view kLight = "color-scheme:light;--canvas:#FFFFFF;--panel:#F4F5F7;--text:#1A1C1F;"
                                    "--muted:#5A6068;--line:#DCDFE4;--outline:#8A9099;--accent:#1F5FBF;"
                                    "--selection:#D8E6FB;--error:#B3261E;--ok:#1B6E3C;";
constexpr std::string_view kDark = "color-scheme:dark;--canvas:#1B1D21;--panel:#24262B;--text:#E6E8EB;"
                                   "--muted:#A0A7B0;--line:#3A3E46;--outline:#7A818B;--accent:#7FB0FF;"
                                   "--selection:#2B3F60;--error:#FF8A80;--ok:#7BD69A;";

/// CSS rules of one theme for the selector `root`: values of the variables, and the visibility of parts that
/// belong to the other theme.
std::string themeRules(const std::string& root, std::string_view page, const std::string& pictures, bool dark)
{
    return root + "{" + std::string(page) + pictures + "}" + root + (dark ? " .in-light" : " .in-dark") +
           "{display:none}";
}

/// Escapes JSON for a script element. The escaped characters occur only inside strings of the JSON.
std::string inScript(std::string_view json)
{
    std::string out;
    out.reserve(json.size());
    for (const char c : json)
        switch (c) {
        case '<':
            out += "\\u003c";
            break;
        case '>':
            out += "\\u003e";
            break;
        case '&':
            out += "\\u0026";
            break;
        default:
            out += c;
        }
    return out;
}

std::string dataElement(const std::string& id, std::string_view json)
{
    return "<script type=\"application/json\" id=\"" + id + "\">" + inScript(json) + "</script>\n";
}

} // namespace

std::vector<std::vector<std::string>> rowsOf(const ReportTable& table)
{
    std::vector<std::vector<std::string>> rows;
    for (std::string_view rest = table.rows; !rest.empty();) {
        std::string_view line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(line.size() + 1, rest.size()));
        rows.emplace_back();
        for (;;) {
            const std::size_t tab = std::min(line.find('\t'), line.size());
            rows.back().emplace_back(line.substr(0, tab));
            if (tab == line.size())
                break;
            line.remove_prefix(tab + 1);
        }
    }
    return rows;
}

std::string pageStart(const std::string& title, const std::string& note, const ReportCharts& charts)
{
    // Print uses the light theme. The screen follows the setting of the browser until the reader uses the
    // switch of the page.
    const std::string colours =
        "@media print{" + themeRules(":root", kLight, charts.lightColours, false) + "}\n@media screen{" +
        themeRules(":root:not([data-theme=dark])", kLight, charts.lightColours, false) +
        themeRules(":root[data-theme=dark]", kDark, charts.darkColours, true) +
        "}\n@media screen and (prefers-color-scheme:dark){" +
        themeRules(":root:not([data-theme=light])", kDark, charts.darkColours, true) +
        ":root:not([data-theme=light]) .in-dark{display:inline}}\n";
    std::string out = "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/>\n"
                      "<meta name=\"viewport\" content=\"width=device-width\"/>\n<title>" +
                      escapeMarkup(title) + "</title>\n<style>\n" + colours + std::string(reportStyle()) +
                      "</style></head><body>\n<h1>" + escapeMarkup(title) + "</h1>\n";
    if (!note.empty())
        out += "<p class=\"note\">" + escapeMarkup(note) + "</p>\n";
    return out;
}

std::string pictureSections(const ReportCharts& charts)
{
    std::string out;
    for (const ReportPicture& picture : charts.pictures)
        out += "<section class=\"chart\" id=\"view-" + picture.name + "\"><h2>" +
               escapeMarkup(picture.title) + "</h2>\n" + picture.figures + "</section>\n";
    return out;
}

std::string pageEnd(const ReportCharts& charts, const std::string& schedule)
{
    // CDATA hides the script from XML parsers; "//" makes it a comment for the script itself.
    return dataElement("charts", charts.data) + dataElement("schedule", schedule) + "<script>//<![CDATA[\n" +
           std::string(reportScript()) + "//]]></script>\n</body></html>\n";
}

} // namespace tilewright
