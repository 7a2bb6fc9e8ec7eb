// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/text.h"
#include "report/html_report.h"
#include "validation/comparison.h"

#include <algorithm>
#include <cmath>

namespace tilewright::validation {

namespace {

constexpr double kLeft = 70, kTop = 12, kSide = 520;

/// Range of both axes, in powers of ten.
struct Decades
{
    int first = 0, last = 1;

    [[nodiscard]] double at(double value) const
    {
        return (std::log10(value) - first) / (last - first) * kSide;
    }
    [[nodiscard]] double x(double value) const { return kLeft + at(value); }
    [[nodiscard]] double y(double value) const { return kTop + kSide - at(value); }
};

bool isPoint(const ComparedRow& row)
{
    return row.error.empty() && row.predicted > 0;
}

Decades decadesOf(const std::vector<ComparedRow>& rows)
{
    double least = std::numeric_limits<double>::infinity(), most = 0;
    for (const ComparedRow& row : rows)
        if (isPoint(row)) {
            least = std::min({least, row.measured, row.predicted});
            most = std::max({most, row.measured, row.predicted});
        }
    if (most <= 0)
        return {};
    Decades out{static_cast<int>(std::floor(std::log10(least))),
                static_cast<int>(std::ceil(std::log10(most)))};
    out.last = std::max(out.last, out.first + 1);
    return out;
}

std::string pixels(double value)
{
    return formatNumber(std::round(value * 10) / 10);
}

std::string line(double x1, double y1, double x2, double y2, const char* colour, const char* more = "")
{
    return "<line x1=\"" + pixels(x1) + "\" y1=\"" + pixels(y1) + "\" x2=\"" + pixels(x2) + "\" y2=\"" +
           pixels(y2) + "\" stroke=\"var(--" + colour + ")\"" + more + "/>\n";
}

std::string label(double x, double y, const char* anchor, const std::string& text,
                  const std::string& more = {})
{
    return "<text x=\"" + pixels(x) + "\" y=\"" + pixels(y) + "\" text-anchor=\"" + anchor +
           "\" fill=\"var(--muted)\" font-size=\"12\"" + more + ">" + escapeMarkup(text) + "</text>\n";
}

std::string rowText(const ComparedRow& row, const std::string& unit)
{
    return row.name + ": measured " + significantNumber(row.measured, 4) + ", predicted " +
           significantNumber(row.predicted, 4) + " " + unit + ", ratio " + significantNumber(row.ratio());
}

std::string scatter(const Comparison& c)
{
    const Decades d = decadesOf(c.rows);
    const std::string unit(unitOf(c.quantity));
    const double right = kLeft + kSide, bottom = kTop + kSide;
    std::string out = "<figure><svg class=\"scatter\" viewBox=\"0 0 " + pixels(right + 20) + " " +
                      pixels(bottom + 50) + "\" width=\"" + pixels(right + 20) +
                      "\" role=\"img\" aria-label=\"Predicted against measured\">\n";
    for (int decade = d.first; decade <= d.last; ++decade) {
        const double value = std::pow(10.0, decade);
        const std::string text = std::abs(decade) <= 3 ? formatNumber(value) : "10" + superscript(decade);
        out += line(d.x(value), kTop, d.x(value), bottom, "line") +
               line(kLeft, d.y(value), right, d.y(value), "line") +
               label(d.x(value), bottom + 16, "middle", text) + label(kLeft - 6, d.y(value) + 4, "end", text);
    }
    // Lines for equality, and for 25 % above and below.
    const double low = std::pow(10.0, d.first), high = std::pow(10.0, d.last);
    out += line(d.x(low), d.y(low), d.x(high), d.y(high), "outline");
    out +=
        line(d.x(low), d.y(low * 1.25), d.x(high / 1.25), d.y(high), "outline", " stroke-dasharray=\"3 4\"");
    out +=
        line(d.x(low / 0.75), d.y(low), d.x(high), d.y(high * 0.75), "outline", " stroke-dasharray=\"3 4\"");
    for (std::size_t i = 0; i < c.rows.size(); ++i)
        if (const ComparedRow& row = c.rows[i]; isPoint(row)) {
            const std::string n = std::to_string(i);
            out.append("<a href=\"#row-").append(n).append("\" id=\"point-").append(n);
            out.append("\"><circle cx=\"").append(pixels(d.x(row.measured)));
            out.append("\" cy=\"").append(pixels(d.y(row.predicted)));
            out.append("\" r=\"4\" fill=\"var(--accent)\" fill-opacity=\"0.6\"><title>");
            out.append(escapeMarkup(rowText(row, unit))).append("</title></circle></a>\n");
        }
    out += label(kLeft + kSide / 2, bottom + 38, "middle", "measured, " + unit);
    out += label(16, kTop + kSide / 2, "middle", "predicted, " + unit,
                 " transform=\"rotate(-90 16 " + pixels(kTop + kSide / 2) + ")\"");
    return out + "</svg></figure>\n";
}

std::string table(const Comparison& c)
{
    const std::string unit(unitOf(c.quantity));
    std::string out =
        "<div class=\"wide\"><table>\n<tr><th>row</th><th class=\"n\">line</th><th class=\"n\">measured, " +
        unit + "</th><th class=\"n\">predicted, " + unit + "</th><th class=\"n\">ratio</th></tr>\n";
    for (std::size_t i = 0; i < c.rows.size(); ++i) {
        const ComparedRow& row = c.rows[i];
        const std::string n = std::to_string(i);
        const auto number = [](const std::string& text) {
            return "<td class=\"n\">" + escapeMarkup(text) + "</td>";
        };
        out.append("<tr id=\"row-").append(n).append("\"><td>");
        if (isPoint(row))
            out.append("<a href=\"#point-").append(n).append("\">");
        out.append(escapeMarkup(row.name)).append(isPoint(row) ? "</a></td>" : "</td>");
        out += number(std::to_string(row.line)) + number(significantNumber(row.measured, 4));
        out += row.error.empty()
                   ? number(significantNumber(row.predicted, 4)) + number(significantNumber(row.ratio()))
                   : "<td class=\"error\" colspan=\"2\">" + escapeMarkup(row.error) + "</td>";
        out += "</tr>\n";
    }
    return out + "</table></div>\n";
}

std::string list(const std::vector<std::string>& lines)
{
    std::string out = "<ul>\n";
    for (const std::string& text : lines)
        out += "<li>" + escapeMarkup(text) + "</li>\n";
    return out + "</ul>\n";
}

} // namespace

std::string comparisonHtml(const Comparison& c)
{
    const ReportCharts none;
    std::string out = pageStart("Validation: " + c.file,
                                "lens " + c.lens + " on " + c.machine + " against " + c.column, none);
    out += "<ul class=\"figures\">\n";
    for (const auto& [name, value] : agreementLines(c.agreement))
        out += "<li>" + escapeMarkup(name) + "<b>" + escapeMarkup(value) + "</b></li>\n";
    out += "</ul>\n<section><h2>Rows</h2>\n<p class=\"note\">A click on a point leads to its row, a click on "
           "a row to "
           "its point. The dashed lines are 25 % from equality.</p>\n" +
           scatter(c) + table(c) + "</section>\n";
    if (!c.notModelled.empty())
        out += "<section><h2>Not modelled</h2>\n" + list(c.notModelled) + "</section>\n";
    if (!c.head.empty())
        out += "<section><h2>Source</h2>\n" + list(c.head) + "</section>\n";
    return out + pageEnd(none, "null");
}

} // namespace tilewright::validation
