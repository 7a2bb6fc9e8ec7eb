// SPDX-License-Identifier: GPL-3.0-or-later
// The latency of each subgraph as data, and the lanes that show it.
#pragma once

#include "chart/lane.h"
#include "snapshot/snapshot.h"
#include "workspace/live_run.h"
#include "workspace/selection.h"
#include "workspace/texts.h"

#include <QFontMetricsF>
#include <QString>

#include <optional>
#include <set>
#include <vector>

namespace tilewright::ui {

enum class LatencySort { Order, Latency, Change };
enum class LatencyColour { Parts, Bound, Subgraph, Energy };

struct LatencyOptions
{
    LatencySort sort = LatencySort::Order;
    LatencyColour colour = LatencyColour::Parts;
};

/// The bar of a subgraph: its latency, and its compute and memory times.
struct LatencyBar
{
    SubgraphId id;
    QString ops;
    OpNames names;     ///< short names of the ops, for narrow places
    bool runs = false; ///< true if the subgraph is structurally valid; otherwise it has no latency
    bool fits = true;
    double latency = 0, compute = 0, load = 0, store = 0;
    Bound bound = Bound::Balanced;
    double share = 0;         ///< share of the total latency
    double energy = 0;        ///< energy in pJ
    double heat = 0;          ///< energy divided by the highest energy of a subgraph
    std::size_t category = 0; ///< category of the subgraph's colour
    /// Latency of the same ops in the baseline; nullopt if a subgraph of the baseline also has other ops.
    std::optional<double> before;
    /// `before`; for ops that share a baseline subgraph with others, the share of its latency (BaselineShare)
    std::optional<double> ghost;
    std::vector<SubgraphId> beforeIds; ///< subgraphs of the baseline that have ops of this subgraph
    /// length in the run of the schedule (R20), and the reasons why it differs from the latency
    std::optional<RunDifference> run;
    /// Change against the baseline; 0 without a baseline or a change.
    [[nodiscard]] double change() const;
};

struct LatencyModel
{
    QString hint;
    QString title;
    std::vector<LatencyBar> bars; ///< bars in the order of drawing
    double total = 0;
    double high = 0; ///< height of the longest bar or ghost
    bool hasBaseline = false;
    bool hasEnergy = false; ///< true if the problem states energies
    bool hasRun = false;    ///< true if each bar is beside its length in the run
    LatencyOptions options;
};

/// Builds the model. `colours`: category of each subgraph (Document::colours()). `run`: the run of the
/// snapshot's schedule, or null.
[[nodiscard]] LatencyModel buildLatency(const Snapshot* snapshot, const Snapshot* baseline,
                                        const std::vector<std::size_t>& colours,
                                        const LatencyOptions& options, const LiveRunPtr& run);
/// Returns the name of a subgraph that fits the width: all its ops, or the first op with its block
/// ("h0.query").
[[nodiscard]] QString latencyName(const OpNames& names, const QFontMetricsF& metrics, double width);
/// Text of the change from the latency (R10) to the length in the run, for a bar with a run: "−12.0 %".
[[nodiscard]] QString runChange(const LatencyBar& bar);
[[nodiscard]] QString latencyTooltip(const LatencyBar& bar);
[[nodiscard]] QString latencyAsText(const LatencyModel& model);

struct LatencyOverlay
{
    std::set<SubgraphId> selected;
    std::optional<SubgraphId> current;
    std::optional<SubgraphId> hover;
};

/// Returns lanes with the bars side by side, one unit of the axis per bar, above the numbers of their
/// subgraphs. `overlay` may change later.
[[nodiscard]] LaneModel latencyLanes(const std::shared_ptr<const LatencyModel>& model,
                                     const std::shared_ptr<const LatencyOverlay>& overlay);

} // namespace tilewright::ui
