// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/mapping/search_map_model.h"

#include "theme/number.h"
#include "theme/text_row.h"
#include "theme/words.h"
#include "views/mapping/nest_model.h"

#include <algorithm>
#include <cmath>

namespace tilewright::ui {

using namespace mapping;

namespace {

void describeSearch(SearchMapModel& out, const MappingDocument& state, const MappingSearch& search)
{
    SearchCounts counts;
    double seconds = 0;
    bool reduced = search.settings().mode != SearchMode::Proven;
    if (const SearchResultPtr& r = search.result()) {
        counts = r->counts;
        seconds = r->seconds;
        out.settled = r->settled;
        out.proven = r->proven;
        reduced = r->reductions.any();
        out.headline =
            !r->best[0]            ? (r->proven ? tr("Proven: no method of this space fits the hardware")
                                                : tr("No method that fits has been found yet"))
            : r->proven && reduced ? tr("Proven within the reduced space")
            : r->proven            ? tr("Proven: no method is better")
            : r->isOptimal(Objective::Edp)
                ? tr("Proven minimum of EDP; the Pareto front is not complete")
                : tr("Not proven: EDP at most %1 above the optimum").arg(percent(r->gap(Objective::Edp)));
    } else if (const auto& status = search.status()) {
        counts = status->counts;
        seconds = status->seconds;
        out.settled = status->settled;
    }
    if (out.running)
        out.headline = reduced ? tr("Searching a reduced space …") : tr("Searching the whole space …");
    else if (out.headline.isEmpty())
        out.headline = tr("Press Start to search");
    out.facts = {{tr("tilings in the space"), counts.space ? number(*counts.space) : tr("more than 2⁶³")},
                 {tr("do not fit"), number(counts.invalid)},
                 {tr("visited"), number(counts.visited)},
                 {tr("discarded by a bound"), number(counts.cut)},
                 {tr("costs computed"), number(counts.evaluations)},
                 {tr("time"), secondsText(seconds)}};
    out.facts.insert(out.facts.begin(),
                     {tr("hardware"), QString::fromStdString(state.setup().architecture.name)});
    const QStringList words = modelWords(state.setup(), state.nest());
    for (qsizetype i = 0; i < words.size(); ++i)
        out.facts.insert(out.facts.begin() + 1 + i, {i == 0 ? tr("model") : QString(), words[i]});
    if (const auto& padding = search.padding()) {
        for (std::size_t l = 0; l < kMaxLoops; ++l)
            if (const auto trip = state.nest().trips[l]; padding->trips[l] != trip)
                out.facts.push_back({tr("padding %1").arg(word(state.nest().loopNames[l])),
                                     tr("%1 to %2").arg(number(trip), number(padding->trips[l]))});
        const double now = search.result()->of(Objective::Edp)->edp;
        out.facts.push_back(
            {tr("effect of padding"), tr("%1 less EDP").arg(percent(1 - padding->best.edp / now))});
    }
    if (out.density && out.density->tried > 0)
        out.facts.push_back({tr("points in the density"), number(out.density->methods)});
}

} // namespace

double MapPoint::x() const
{
    return std::log10(static_cast<double>(std::max<std::int64_t>(1, cycles)));
}

double MapPoint::y() const
{
    return std::log10(std::max(1e-3, energy));
}

SearchMapModel buildSearchMap(const MappingDocument& state, const MappingSearch& search)
{
    SearchMapModel out;
    out.title = QString::fromStdString(state.setup().layer.name.empty() ? describe(state.setup().layer)
                                                                        : state.setup().layer.name);
    out.running = search.isRunning();
    out.density = search.density() && search.density()->tilings > 0 ? search.density() : nullptr;
    const std::array<QString, kObjectives> names{tr("minimum energy"), tr("fewest cycles"),
                                                 tr("minimum EDP")};
    if (const SearchResultPtr& r = search.result()) {
        for (const MethodCost& m : r->front)
            out.front.push_back({tr("Pareto front"), m.energy, m.cycles, m.method});
        for (std::size_t o = 0; o < kObjectives; ++o)
            if (const auto& best = r->best[o])
                out.optima[o] = MapPoint{names[o], best->energy, best->cycles, best->method};
    } else if (const auto& status = search.status()) {
        for (const Cost& c : status->front)
            out.front.push_back({tr("Pareto front so far"), c.energy, c.cycles, std::nullopt});
        for (std::size_t o = 0; o < kObjectives; ++o)
            if (const auto& best = status->best[o])
                out.optima[o] = MapPoint{names[o], best->energy, best->cycles, std::nullopt};
    }
    const mapping::MappingCost& e = state.evaluation();
    if (e.hasNumbers)
        out.current = MapPoint{tr("current"), e.energy, e.cycles, state.setup().method};
    out.currentValid = e.valid();
    if (const auto& b = state.baseline(); b && b->evaluation.hasNumbers)
        out.baseline = MapPoint{tr("baseline"), b->evaluation.energy, b->evaluation.cycles, b->setup.method};

    bool any = false;
    const auto cover = [&](double x, double y) {
        if (!any) {
            out.x0 = out.x1 = x;
            out.y0 = out.y1 = y;
        }
        any = true;
        out.x0 = std::min(out.x0, x);
        out.x1 = std::max(out.x1, x);
        out.y0 = std::min(out.y0, y);
        out.y1 = std::max(out.y1, y);
    };
    if (out.density) {
        cover(out.density->minLogCycles, out.density->minLogEnergy);
        cover(out.density->maxLogCycles, out.density->maxLogEnergy);
    }
    for (const MapPoint& p : out.front)
        cover(p.x(), p.y());
    for (const auto* p : {&out.current, &out.baseline, &out.optima[0], &out.optima[1], &out.optima[2]})
        if (*p)
            cover((*p)->x(), (*p)->y());
    const double marginX = std::max(0.05, (out.x1 - out.x0) * 0.05);
    const double marginY = std::max(0.02, (out.y1 - out.y0) * 0.07);
    out.x0 -= marginX;
    out.x1 += marginX;
    out.y0 -= marginY;
    out.y1 += marginY;
    describeSearch(out, state, search);
    return out;
}

QString searchMapAsText(const SearchMapModel& model)
{
    QString out = tr("method\tenergy pJ\tcycles\tEDP\n");
    const auto row = [&](const MapPoint& p) { out += textRow(p.name, p.energy, p.cycles, p.edp()); };
    for (const auto& p : model.optima)
        if (p)
            row(*p);
    if (model.current)
        row(*model.current);
    for (const MapPoint& p : model.front)
        row(p);
    return out;
}

} // namespace tilewright::ui
