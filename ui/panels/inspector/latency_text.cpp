// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/inspector/latency_text.h"

#include "eval/trace.h"
#include "theme/number.h"

#include <QCoreApplication>

#include <algorithm>
#include <map>
#include <tuple>

namespace tilewright::ui {

LatencyArithmetic latencyArithmetic(const Snapshot& snapshot, SubgraphId subgraph, std::stop_token stop)
{
    constexpr std::int64_t kMaxSteps = 1'000'000;
    LatencyArithmetic out;
    std::map<std::tuple<double, std::int64_t, std::int64_t>, StepGroup> groups;
    std::int64_t steps = 0;
    traceSubgraph(*snapshot.problem, snapshot.schedule[subgraph], snapshot.residentBefore(subgraph),
                  snapshot.evaluation.rules, [&](const Step& step) {
                      StepGroup& g = groups[{step.compute, step.loadElements, step.storeElements}];
                      ++g.count;
                      g.compute = step.compute;
                      g.memory = step.memory;
                      g.loadElements = step.loadElements;
                      g.storeElements = step.storeElements;
                      out.complete = ++steps < kMaxSteps && !stop.stop_requested();
                      return out.complete;
                  });
    for (const auto& [key, group] : groups)
        out.groups.push_back(group);
    std::sort(out.groups.begin(), out.groups.end(), [](const StepGroup& a, const StepGroup& b) {
        return static_cast<double>(a.count) * a.latency() > static_cast<double>(b.count) * b.latency();
    });
    return out;
}

QString latencyText(const LatencyArithmetic& arithmetic, double total)
{
    const auto tr = [](const char* s) { return QCoreApplication::translate("LatencyText", s); };
    constexpr std::size_t kShown = 5;
    QStringList lines;
    double shown = 0;
    for (std::size_t i = 0; i < arithmetic.groups.size() && i < kShown; ++i) {
        const StepGroup& g = arithmetic.groups[i];
        QStringList traffic;
        if (g.loadElements > 0)
            traffic << tr("%1 in").arg(number(g.loadElements));
        if (g.storeElements > 0)
            traffic << tr("%1 out").arg(number(g.storeElements));
        const bool compute = g.compute >= g.memory;
        const QString a = tr("%1 compute").arg(number(g.compute));
        const QString b = traffic.isEmpty() ? tr("0 memory")
                                            : tr("%1 memory").arg(number(g.memory)) + QStringLiteral(" (") +
                                                  traffic.join(QStringLiteral(", ")) + QLatin1Char(')');
        const double sum = static_cast<double>(g.count) * g.latency();
        shown += sum;
        lines << QStringLiteral("%1 × max(%2, %3) = %4")
                     .arg(number(g.count), compute ? QStringLiteral("<b>%1</b>").arg(a) : a,
                          compute ? b : QStringLiteral("<b>%1</b>").arg(b), number(sum));
    }
    if (arithmetic.groups.size() > kShown && arithmetic.complete)
        lines << tr("%1 other kinds of steps = %2")
                     .arg(arithmetic.groups.size() - kShown)
                     .arg(number(total - shown));
    if (!arithmetic.complete)
        lines << tr("(counted over the first million steps)");
    return lines.join(QStringLiteral("<br>"));
}

} // namespace tilewright::ui
