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

/// A cache of the traffic of subgraphs: for the next schedule only the traffic of changed subgraphs is
/// counted. Not thread-safe.
class TrafficMemory
{
public:
    /// Counts the traffic of all subgraphs. A subgraph that cannot be counted (too many steps, a broken rule)
    /// gets an empty list.
    [[nodiscard]] GraphTraffic count(const Snapshot& snapshot, std::stop_token stop = {});
    /// Number of subgraphs counted since construction.
    [[nodiscard]] std::size_t counted() const { return m_counted; }

private:
    /// The traffic of a subgraph that has certain resident and retained tensors.
    struct Entry
    {
        SubgraphPtr subgraph; // held so that the address of the subgraph, which identifies it, is not reused
        std::vector<TensorId> resident;
        Rules rules;
        std::vector<TensorTraffic> traffic;
    };
    std::unordered_multimap<const Subgraph*, Entry> m_entries;
    std::size_t m_counted = 0;
};

/// The picture of the schedule as data: layout (of large graphs in the background), model, labels, and
/// transitions between pictures. During a preview it shows the schedule of the preview in place of the
/// document's schedule.
class GraphLayouter : public QObject
{
    Q_OBJECT
public:
    using GeometryPtr = std::shared_ptr<const GraphGeometry>;

    /// `view`: the widget that is repainted and whose font determines the sizes.
    GraphLayouter(const ViewContext& context, QWidget& view);
    ~GraphLayouter() override;

    [[nodiscard]] const GraphModel* model() const { return m_model.get(); }
    /// The model that is painted: the current one, or an intermediate step of a transition to it.
    [[nodiscard]] const GraphModel& shownModel() const { return m_between ? *m_between : *m_model; }
    [[nodiscard]] const GraphGeometry* geometry() const
    {
        return m_shown.get();
    } ///< the geometry to which the model belongs
    [[nodiscard]] const GraphTraffic& traffic() const { return m_traffic; }
    [[nodiscard]] const GraphOptions& options() const { return m_options; }
    [[nodiscard]] const GraphShape& shape() const { return m_shape; }
    /// True if the picture shows a preview and not the document's schedule.
    [[nodiscard]] bool isPreview() const { return m_isPreview; }

    // Takes effect at the next refresh().
    void setOptions(const GraphOptions& options) { m_options = options; }
    void setShape(const GraphShape& shape) { m_shape = shape; } // takes effect at the next refresh()
    /// Moves nodes by hand, at once and without an undo step. `nudges`: those of the document, or those of an
    /// unfinished drag.
    void setNudges(const GraphNudges& nudges);
    void startAnew(); ///< forgets all layouts, because another problem was opened
    void refresh();
    void beginPreview(); ///< begins a preview, or shows its next schedule
    void endPreview();
    void waitForLayout() { m_layoutJob.waitIdle(); }
    void settle();

Q_SIGNALS:
    void aboutToArrange(const GraphGeometry& next);
    void geometryChanged();
    void modelChanged();
    void arranged(bool sameShape); ///< emitted after the positions have changed
    void labelsChanged();
    void previewBegun();
    void previewEnded(); ///< emitted when the preview has ended and the previous picture is shown again

private:
    /// A model with labels, as a worker thread returns it.
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
    GeometryPtr m_shown;    ///< m_geometry with the nodes that were moved by hand; m_model uses it
    GraphNudges m_nudges;
    /// The last layout that is not provisional: m_geometry, or the layout from which m_geometry was made.
    GeometryPtr m_arranged;
    std::shared_ptr<const GraphModel> m_model; ///< shared with the worker thread that adds labels to a copy
    /// Earlier layouts, latest last. They are shown again after an undo or an edit that reverts another edit.
    std::vector<GeometryPtr> m_remembered;
    bool m_isPreview = false;
    GeometryPtr m_beforePreview; ///< the layout that is shown again after the preview
    LatestJob<GeometryPtr> m_layoutJob;
    GraphTraffic m_traffic; ///< traffic of the schedule in m_model; empty while it is being counted
    std::shared_ptr<TrafficMemory> m_trafficMemory; ///< cache that the worker thread uses
    LatestJob<Labelled> m_labelJob;

    std::shared_ptr<const GraphModel> m_before; // model at the start of a running transition
    std::shared_ptr<const GraphModel> m_between;
    double m_transition = 1;
};

} // namespace tilewright::ui
