// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/json_document.h"
#include "figures/figure.h"

namespace tilewright::figures {

std::string figureJson(const Figure& figure)
{
    Json out{{"address", figure.address}, {"title", figure.kind.title}, {"meaning", figure.kind.meaning}};
    if (!figure.of.empty())
        out["of"] = figure.of;
    if (!figure.kind.leavesOut.empty())
        out["leaves_out"] = figure.kind.leavesOut;
    if (!figure.kind.elsewhere.empty())
        out["elsewhere"] = figure.kind.elsewhere;
    out["explanation"] = parsedJson(explanationJson(figure.value));
    return dumpByField(out);
}

} // namespace tilewright::figures
