// SPDX-License-Identifier: GPL-3.0-or-later
#include "explained.h"

#include "figures/explain.h"

#include <iostream>

namespace tilewright::cli {

Result<std::optional<figures::Figure>> explained(const std::string& asked, const std::string& headline,
                                                 const std::function<figures::Figures()>& figures)
{
    if (asked.empty())
        return std::optional<figures::Figure>();
    auto figure = figures().find(asked == kHeadline ? headline : asked);
    if (!figure) {
        Error error = figure.error();
        error.path = "--explain";
        return error;
    }
    return std::optional(*std::move(figure));
}

std::string withExplanation(const std::string& document, const std::optional<figures::Figure>& figure)
{
    return figure ? figures::withExplanation(document, *figure) : document;
}

void printExplanation(const std::optional<figures::Figure>& figure)
{
    if (figure)
        std::cout << '\n' << figures::figureText(*figure);
}

} // namespace tilewright::cli
