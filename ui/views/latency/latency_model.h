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

/// One subgraph: its latency, and its compute and memory times.
struct LatencyBar
{
    SubgraphId id;
    QString ops;
    OpNames names;     ///< short names for narrow places
    bool runs = false; ///< structurally valid; otherwise it has no latency
    bool fits = true;
    double latency = 0, compute = 0, load = 0, store = 0;
    Bound bound = Bound::Balanced;
    double share = 0;         ///< share of the total
    double energy = 0;        ///< energy in pJ
    double heat = 0;          ///< energy as a share of the highest of all subgraphs
    std::size_t category = 0; ///< colour of the subgraph
    /// The latency of the same ops in the baseline; nullopt if the baseline mixes them with ops of other
    /// subgraphs.
    std::optional<double> before;
    std::optional<double> ghost;       ///< `before`, or the share of it for mixed ops (BaselineShare)
    std::vector<SubgraphId> beforeIds; ///< the subgraphs of the baseline with ops of this one
    std::optional<RunDifference> run;  ///< length in the run of the schedule (R20), and why it differs
    /// Change against the baseline; 0 without a baseline or a change.
    [[nodiscard]] double change() const;
};

struct LatencyModel
{
    QString hint;
    QString title;
    std::vector<LatencyBar> bars; ///< in drawing order
    double total = 0;
    double high = 0; ///< the longest bar or ghost
    bool hasBaseline = false;
    bool hasEnergy = false; ///< true if the problem states energies
    bool hasRun = false;    ///< true if the bars stand beside their lengths in the run
    LatencyOptions options;
};

/// `colours`: category per subgraph (Document::colours()). `run`: the run of the snapshot's schedule, or
/// null.
[[nodiscard]] LatencyModel buildLatency(const Snapshot* snapshot, const Snapshot* baseline,
                                        const std::vector<std::size_t>& colours,
                                        const LatencyOptions& options, const LiveRunPtr& run);
/// The name of a subgraph that fits the width: all its ops, or the first op with its block ("h0.query").
[[nodiscard]] QString latencyName(const OpNames& names, const QFontMetricsF& metrics, double width);
/// Change from R10's latency to the length in the run, of a bar with a run: "−12.0 %".
[[nodiscard]] QString runChange(const LatencyBar& bar);
[[nodiscard]] QString latencyTooltip(const LatencyBar& bar);
[[nodiscard]] QString latencyAsText(const LatencyModel& model);

struct LatencyOverlay
{
    std::set<SubgraphId> selected;
    std::optional<SubgraphId> current;
    std::optional<SubgraphId> hover;
};

/// Bars side by side, one unit of the axis each, above the numbers of their subgraphs. `overlay` may change
/// later.
[[nodiscard]] LaneModel latencyLanes(const std::shared_ptr<const LatencyModel>& model,
                                     const std::shared_ptr<const LatencyOverlay>& overlay);

} // namespace tilewright::ui
