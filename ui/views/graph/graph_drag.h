// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/graph/graph_paint.h"
#include "workspace/document.h"
#include "workspace/schedule_edits.h"

#include <QObject>

#include <map>

namespace tilewright::ui {

/// A drag of ops over the graph: its targets, and the effect of a drop on each target (the verdict). Verdicts
/// are trial evaluations in the background: first for the target under the cursor, then for all others by
/// distance. The window is never blocked.
class GraphDrag : public QObject
{
    Q_OBJECT
public:
    explicit GraphDrag(Document& document, QObject* parent = nullptr);

    /// `order`: the subgraphs in the order in which verdicts are computed.
    void begin(std::vector<OpId> ops, std::optional<SubgraphId> from, std::vector<SubgraphId> order);
    /// `target`: nullopt = empty space, a new subgraph. Modifiers: Ctrl recomputes, Alt forces.
    void update(std::optional<SubgraphId> target, bool recompute, bool force);
    /// To be called when the cursor is over a place that takes no ops, so that a drop changes nothing. `why`:
    /// the reason; may be empty.
    void leave(const QString& why);
    void cancel();
    struct Dropped
    {
        OpDrop drop;
        SnapshotPtr judged; ///< evaluated schedule of the verdict; null if it has not arrived
    };
    /// Ends the drag and returns the drop at the last update; nullopt if the drag was cancelled or changes
    /// nothing.
    [[nodiscard]] std::optional<Dropped> finish();

    [[nodiscard]] bool isActive() const { return m_active; }
    [[nodiscard]] const OpDrop& drop() const { return m_drop; }
    [[nodiscard]] bool isOverTarget() const { return m_over; } ///< false after leave()
    /// Verdict for the target under the cursor; Unknown while it is being computed.
    [[nodiscard]] GraphVerdict verdict() const;
    /// If the target under the cursor refuses the move: the verdict for recomputing the ops there. nullopt if
    /// that is refused as well or not known yet.
    [[nodiscard]] std::optional<GraphVerdict> recomputeInstead() const;
    /// The evaluated schedule behind the verdict under the cursor, which a drop applies; null until it
    /// arrives.
    [[nodiscard]] SnapshotPtr judged() const;
    /// All verdicts known so far for the current modifiers, by subgraph.
    [[nodiscard]] std::map<SubgraphId, GraphVerdict> verdicts() const;
    /// The verdicts that the targets show. If a move is refused and recomputing would reduce the latency,
    /// this is the verdict for recomputing.
    [[nodiscard]] std::map<SubgraphId, GraphVerdict> labels() const;
    /// "Move op5 to subgraph 3", or "Move op5 of subgraph 1 to subgraph 3" if several subgraphs run it.
    [[nodiscard]] QString sentence() const;
    /// For tests: waits until every target has its verdict.
    void waitForVerdicts();

Q_SIGNALS:
    void begun();
    void
    /// Emitted when a verdict has arrived, for the target under the cursor or for another one.
    changed(bool underCursor);

private:
    struct Key
    {
        std::int64_t target = -1; ///< index of the target subgraph; -1 = a new subgraph
        bool recompute = false;
        bool force = false;
        auto operator<=>(const Key&) const = default;
    };
    [[nodiscard]] Key key() const;
    [[nodiscard]] bool changesNothing(const Key& key) const;
    [[nodiscard]] GraphVerdict judge(const Result<SnapshotPtr>& trial) const;
    /// True if the full verdict for a drop under the cursor is known.
    [[nodiscard]] bool isJudged(const Key& key) const;
    void ask();
    void reevaluateTargets();

    Document& m_document;
    bool m_active = false;
    bool m_over = true;
    QString m_refusal;              ///< the reason of leave(), while there is no target under the cursor
    std::optional<Key> m_requested; ///< the newest request without a result
    OpDrop m_drop;
    std::vector<SubgraphId> m_order;
    std::map<Key, GraphVerdict> m_verdicts;
    /// Verdict and snapshot for the last target under the cursor.
    std::optional<std::pair<Key, SnapshotPtr>> m_judged;
    std::uint64_t m_generation = 0; // number of the drag; results of earlier drags are ignored
};

} // namespace tilewright::ui
