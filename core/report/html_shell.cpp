// SPDX-License-Identifier: GPL-3.0-or-later
#include "report/html_shell.h"

#include "report/markup.h"

#include <algorithm>

namespace tilewright {

namespace {

constexpr std::string_view kLight = "color-scheme:light;--canvas:#FFFFFF;--panel:#F4F5F7;--text:#1A1C1F;"
                                    "--muted:#5A6068;--line:#DCDFE4;--outline:#8A9099;--accent:#1F5FBF;"
                                    "--selection:#D8E6FB;--error:#B3261E;--ok:#1B6E3C;";
constexpr std::string_view kDark = "color-scheme:dark;--canvas:#1B1D21;--panel:#24262B;--text:#E6E8EB;"
                                   "--muted:#A0A7B0;--line:#3A3E46;--outline:#7A818B;--accent:#7FB0FF;"
                                   "--selection:#2B3F60;--error:#FF8A80;--ok:#7BD69A;";

/// CSS rules of one theme below the selector `root`: variables, and visibility of the parts for the other
/// theme.
std::string themeRules(const std::string& root, std::string_view page, const std::string& pictures, bool dark)
{
    return root + "{" + std::string(page) + pictures + "}" + root + (dark ? " .in-light" : " .in-dark") +
           "{display:none}";
}

/// Escapes JSON for a script element. In JSON these characters occur in strings only.
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
    // Print uses the light theme. The screen follows the browser setting until the reader uses the switch of
    // the page.
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
    // CDATA hides the script from XML parsers; "//" makes it a comment for the script.
    return dataElement("charts", charts.data) + dataElement("schedule", schedule) + "<script>//<![CDATA[\n" +
           std::string(reportScript()) + "//]]></script>\n</body></html>\n";
}

} // namespace tilewright
