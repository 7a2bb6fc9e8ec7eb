// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "snapshot/snapshot.h"
#include "workspace/op_names.h"
#include "workspace/selection.h"

#include <QFontMetricsF>
#include <QString>

#include <optional>
#include <vector>

namespace tilewright::ui {

enum class LatencySort { Order, Latency, Change };
enum class LatencyColour { Parts, Bound, Subgraph };

struct LatencyOptions
{
    LatencySort sort = LatencySort::Order;
    LatencyColour colour = LatencyColour::Parts;
};

/// One subgraph: its latency, and the times of which it is the step-by-step maximum.
struct LatencyBar
{
    SubgraphId id;
    QString ops;
    OpNames names;     ///< the same for narrow places
    bool runs = false; ///< structurally valid; otherwise it has no latency
    bool fits = true;
    double latency = 0, compute = 0, load = 0, store = 0;
    Bound bound = Bound::Balanced;
    double share = 0;         ///< of the total
    std::size_t category = 0; ///< colour of the subgraph
    /// What the same ops took in the baseline; nothing when the baseline mixes them with ops of other
    /// subgraphs.
    std::optional<double> before;
    std::optional<double> ghost;       ///< the same or, there, its share (BaselineShare)
    std::vector<SubgraphId> beforeIds; ///< the subgraphs of the baseline with ops of this one
    /// Against the baseline; 0 where there is nothing to compare with or nothing has changed.
    [[nodiscard]] double change() const;
};

struct LatencyModel
{
    QString hint;
    QString title;
    std::vector<LatencyBar> bars; ///< in the order in which they are drawn
    double total = 0;
    double high = 0; ///< the longest bar or ghost
    bool hasBaseline = false;
    LatencyOptions options;
};

/// `colours`: category per subgraph (Document::colours()).
[[nodiscard]] LatencyModel buildLatency(const Snapshot* snapshot, const Snapshot* baseline,
                                        const std::vector<std::size_t>& colours,
                                        const LatencyOptions& options);
/// What tells the subgraph apart in that much room: all its ops, or the first with where it belongs
/// ("h0.query").
[[nodiscard]] QString latencyName(const OpNames& names, const QFontMetricsF& metrics, double width);
[[nodiscard]] QString latencyTooltip(const LatencyBar& bar);
[[nodiscard]] QString latencyAsText(const LatencyModel& model);

} // namespace tilewright::ui
