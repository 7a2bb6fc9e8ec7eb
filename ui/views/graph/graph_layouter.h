// SPDX-License-Identifier: GPL-3.0-or-later
// The picture of the schedule as data, and the traffic that its lines show.
#pragma once

#include "canvas/view.h"
#include "views/graph/graph_model.h"
#include "views/graph/graph_rearrange.h"
#include "workspace/latest_job.h"

#include <memory>
#include <optional>
#include <stop_token>
#include <unordered_map>

namespace tilewright::ui {

/// A cache of the traffic of subgraphs: for the next schedule only changed subgraphs are counted. Not
/// thread-safe.
class TrafficMemory
{
public:
    /// Subgraphs that cannot be counted (too many steps, a broken rule) have an empty list.
    [[nodiscard]] GraphTraffic count(const Snapshot& snapshot, std::stop_token stop = {});
    /// Number of subgraphs counted since construction.
    [[nodiscard]] std::size_t counted() const { return m_counted; }

private:
    /// The traffic of a subgraph in its context.
    struct Entry
    {
        SubgraphPtr subgraph; // keeps the subgraph alive, so that its address is not reused
        std::vector<TensorId> resident;
        Rules rules;
        std::vector<TensorTraffic> traffic;
    };
    std::unordered_multimap<const Subgraph*, Entry> m_entries;
    std::size_t m_counted = 0;
};

/// The picture of the schedule as data: layout (of large graphs in the background), model, labels and
/// transitions between pictures. A preview replaces the document's schedule while it is shown.
class GraphLayouter : public QObject
{
    Q_OBJECT
public:
    using GeometryPtr = std::shared_ptr<const GraphGeometry>;

    /// `view`: its font determines the sizes, and it is repainted.
    GraphLayouter(const ViewContext& context, QWidget& view);
    ~GraphLayouter() override;

    [[nodiscard]] const GraphModel* model() const { return m_model.get(); }
    /// The model, or an intermediate step of a transition to it.
    [[nodiscard]] const GraphModel& shownModel() const { return m_between ? *m_between : *m_model; }
    [[nodiscard]] const GraphGeometry* geometry() const
    {
        return m_shown.get();
    } ///< the geometry of the model
    [[nodiscard]] const GraphTraffic& traffic() const { return m_traffic; }
    [[nodiscard]] const GraphOptions& options() const { return m_options; }
    [[nodiscard]] const GraphShape& shape() const { return m_shape; }
    /// True if the picture shows a preview and not the document's schedule.
    [[nodiscard]] bool isPreview() const { return m_isPreview; }

    void setOptions(const GraphOptions& options) { m_options = options; } // used by the next refresh()
    void setShape(const GraphShape& shape) { m_shape = shape; }           // used by the next refresh()
    /// Moves nodes by hand, at once and without an undo step: either the document's nudges or an unfinished
    /// drag.
    void setNudges(const GraphNudges& nudges);
    void startAnew(); ///< forgets earlier layouts: another problem was opened
    void refresh();
    void beginPreview(); ///< or moves on to the next preview
    void endPreview();
    void waitForLayout() { m_layoutJob.waitIdle(); }
    void settle();

Q_SIGNALS:
    void aboutToArrange(const GraphGeometry& next);
    void geometryChanged();
    void modelChanged();
    void arranged(bool sameShape); ///< the positions have changed
    void labelsChanged();
    void previewBegun();
    void previewEnded(); ///< and the picture from before the preview is shown again

private:
    /// A model with its labels, made by a worker thread.
    struct Labelled
    {
        std::shared_ptr<const GraphModel> plain; ///< the model without labels
        std::shared_ptr<const GraphModel> model;
        GraphTraffic traffic;
    };
    [[nodiscard]] const SnapshotPtr& shownSnapshot() const;
    [[nodiscard]] GraphMetrics metrics() const;
    [[nodiscard]] bool fitsNow(const GraphGeometry& geometry, const Snapshot& snapshot) const;
    void useGeometry(GeometryPtr geometry);
    void setGeometry(GeometryPtr geometry);
    [[nodiscard]] GeometryPtr remembered(const Snapshot& snapshot) const;
    void remember(const GeometryPtr& geometry);
    void rebuildModel(bool animate);
    void requestLabels();
    void takeLabels(const Labelled& labelled);
    void moveOn(double seconds);

    ViewContext m_context;
    QWidget& m_view;
    GraphOptions m_options;
    GraphShape m_shape;

    GeometryPtr m_geometry; ///< the automatic layout
    GeometryPtr m_shown;    ///< m_geometry with the nodes moved by hand, used by m_model
    GraphNudges m_nudges;
    GeometryPtr m_arranged; ///< m_geometry, or the layout that a provisional one was made from
    std::shared_ptr<const GraphModel> m_model; ///< shared with the worker thread that labels a copy
    /// Earlier layouts, latest last: undo, and edits that revert another edit, show them again.
    std::vector<GeometryPtr> m_remembered;
    bool m_isPreview = false;
    GeometryPtr m_beforePreview; ///< the layout to return to
    LatestJob<GeometryPtr> m_layoutJob;
    GraphTraffic m_traffic;                         ///< traffic of m_model; empty while it is being counted
    std::shared_ptr<TrafficMemory> m_trafficMemory; ///< cache of the worker thread
    LatestJob<Labelled> m_labelJob;

    std::shared_ptr<const GraphModel> m_before; // start of a running transition
    std::shared_ptr<const GraphModel> m_between;
    double m_transition = 1;
};

} // namespace tilewright::ui
