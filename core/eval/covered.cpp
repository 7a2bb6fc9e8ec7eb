// SPDX-License-Identifier: GPL-3.0-or-later
#include "eval/covered.h"

#include <algorithm>

namespace tilewright {

std::int64_t cover(std::vector<Rect>& covered, const Rect& rect)
{
    std::vector<Rect> fresh{rect};
    for (const Rect& c : covered) {
        std::vector<Rect> rest;
        for (const Rect& f : fresh) {
            const Rect cut{std::max(f.r0, c.r0), std::min(f.r1, c.r1), std::max(f.c0, c.c0),
                           std::min(f.c1, c.c1)};
            if (cut.r0 >= cut.r1 || cut.c0 >= cut.c1) {
                rest.push_back(f);
                continue;
            }
            for (const Rect& piece : {Rect{f.r0, cut.r0, f.c0, f.c1}, Rect{cut.r1, f.r1, f.c0, f.c1},
                                      Rect{cut.r0, cut.r1, f.c0, cut.c0}, Rect{cut.r0, cut.r1, cut.c1, f.c1}})
                if (piece.r0 < piece.r1 && piece.c0 < piece.c1)
                    rest.push_back(piece);
        }
        fresh = std::move(rest);
    }
    std::int64_t area = 0;
    for (const Rect& f : fresh) {
        area += f.area();
        covered.push_back(f);
    }
    return area;
}

void addCovered(std::vector<Rect>& covered, Rect rect)
{
    while (!covered.empty()) {
        const Rect& last = covered.back();
        const Rect both{std::min(last.r0, rect.r0), std::max(last.r1, rect.r1), std::min(last.c0, rect.c0),
                        std::max(last.c1, rect.c1)};
        const bool apart =
            last.r1 <= rect.r0 || rect.r1 <= last.r0 || last.c1 <= rect.c0 || rect.c1 <= last.c0;
        if (both != last && both != rect && !(apart && both.area() == last.area() + rect.area()))
            break;
        rect = both;
        covered.pop_back();
    }
    covered.push_back(rect);
}

} // namespace tilewright
