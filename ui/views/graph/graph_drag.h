// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/graph/graph_paint.h"
#include "workspace/document.h"
#include "workspace/schedule_edits.h"

#include <QObject>

#include <map>

namespace tilewright::ui {

/// A drag of ops over the graph: which targets there are and what a drop on each would do. Verdicts are trial
/// evaluations in the background, the target under the cursor first, then all others by distance; the window
/// is never blocked.
class GraphDrag : public QObject
{
    Q_OBJECT
public:
    explicit GraphDrag(Document& document, QObject* parent = nullptr);

    /// `order`: the subgraphs in the order in which verdicts are wanted.
    void begin(std::vector<OpId> ops, std::optional<SubgraphId> from, std::vector<SubgraphId> order);
    /// `target`: none = empty space, a new subgraph. Modifiers: Ctrl recomputes, Alt forces.
    void update(std::optional<SubgraphId> target, bool recompute, bool force);
    /// Over nothing that takes ops: a drop changes nothing. `why` may be empty.
    void leave(const QString& why);
    void cancel();
    struct Dropped
    {
        OpDrop drop;
        SnapshotPtr judged; ///< what the verdict was about; null where it had not come yet
    };
    /// The drop at the last update; nothing when the drag was cancelled, or when it changes nothing.
    [[nodiscard]] std::optional<Dropped> finish();

    [[nodiscard]] bool isActive() const { return m_active; }
    [[nodiscard]] const OpDrop& drop() const { return m_drop; }
    [[nodiscard]] bool isOverTarget() const { return m_over; } ///< false after leave()
    /// Verdict of the target under the cursor, `Unknown` while it is being computed.
    [[nodiscard]] GraphVerdict verdict() const;
    /// What Ctrl would do at a target that refuses the ops; nothing where that is no way out either, or not
    /// known yet.
    [[nodiscard]] std::optional<GraphVerdict> recomputeInstead() const;
    /// What the verdict under the cursor is about, and what a drop applies; null before it has come.
    [[nodiscard]] SnapshotPtr judged() const;
    /// Verdicts of all subgraphs known so far, for the present modifiers.
    [[nodiscard]] std::map<SubgraphId, GraphVerdict> verdicts() const;
    /// The same as they are written at the targets: where the ops are refused and recomputing them there
    /// would gain, that.
    [[nodiscard]] std::map<SubgraphId, GraphVerdict> labels() const;
    /// "Move op5 to subgraph 3", "Move op5 of subgraph 1 to subgraph 3" where it is in several.
    [[nodiscard]] QString sentence() const;
    /// For tests: waits until every target has its verdict.
    void waitForVerdicts();

Q_SIGNALS:
    void begun();
    void changed(bool underCursor); ///< another verdict is known, that of the target or of another one

private:
    struct Key
    {
        std::int64_t target = -1; ///< -1 = a new subgraph
        bool recompute = false;
        bool force = false;
        auto operator<=>(const Key&) const = default;
    };
    [[nodiscard]] Key key() const;
    [[nodiscard]] bool changesNothing(const Key& key) const;
    [[nodiscard]] GraphVerdict judge(const Result<SnapshotPtr>& trial) const;
    /// Whether there is nothing to be learnt about a drop under the cursor.
    [[nodiscard]] bool isJudged(const Key& key) const;
    void ask();
    void judgeAnew();

    Document& m_document;
    bool m_active = false;
    bool m_over = true;
    QString m_whyNot;           ///< while it is over nothing
    std::optional<Key> m_asked; ///< the newest question without an answer
    OpDrop m_drop;
    std::vector<SubgraphId> m_order;
    std::map<Key, GraphVerdict> m_verdicts;
    std::optional<std::pair<Key, SnapshotPtr>> m_judged; ///< of the target that was last under the cursor
    std::uint64_t m_generation = 0;                      // answers of an earlier drag are ignored
};

} // namespace tilewright::ui
