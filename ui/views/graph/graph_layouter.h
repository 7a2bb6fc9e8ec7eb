// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/view.h"
#include "views/graph/graph_model.h"
#include "views/graph/graph_rearrange.h"
#include "views/graph/graph_traffic.h"
#include "workspace/latest_job.h"

#include <memory>
#include <optional>

namespace tilewright::ui {

/// The picture of the schedule as data: how it is arranged (large graphs in the background), its model, its
/// labels, and what is shown on the way from one picture to the next. A preview takes the document's place
/// while there is one.
class GraphLayouter : public QObject
{
    Q_OBJECT
public:
    using GeometryPtr = std::shared_ptr<const GraphGeometry>;

    /// `view`: whose font gives the sizes, and which is painted anew.
    GraphLayouter(const ViewContext& context, QWidget& view);
    ~GraphLayouter() override;

    [[nodiscard]] const GraphModel* model() const { return m_model.get(); }
    /// The model, or one on the way to it.
    [[nodiscard]] const GraphModel& shownModel() const { return m_between ? *m_between : *m_model; }
    [[nodiscard]] const GraphGeometry* geometry() const { return m_shown.get(); } ///< of the model
    [[nodiscard]] const GraphTraffic& traffic() const { return m_traffic; }
    [[nodiscard]] const GraphOptions& options() const { return m_options; }
    [[nodiscard]] const GraphShape& shape() const { return m_shape; }
    /// Its areas are not the document's.
    [[nodiscard]] bool isPreview() const { return m_isPreview; }

    void setOptions(const GraphOptions& options) { m_options = options; } // taken up by refresh()
    void setShape(const GraphShape& shape) { m_shape = shape; }           // likewise
    /// Moves nodes by hand, at once and without an undo step: those of the document, or on the way there.
    void setNudges(const GraphNudges& nudges);
    void startAnew(); ///< another problem
    void refresh();
    void beginPreview(); ///< or goes on to the next one
    void endPreview();
    void waitForLayout() { m_layoutJob.waitIdle(); }
    void settle();

Q_SIGNALS:
    void aboutToArrange(const GraphGeometry& next);
    void geometryChanged();
    void modelChanged();
    void arranged(bool sameShape); ///< the picture stands elsewhere than before
    void labelsChanged();
    void previewBegun();
    void previewEnded(); ///< and what was shown before it is shown again

private:
    /// A model with its labels, made by a worker.
    struct Labelled
    {
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

    GeometryPtr m_geometry; ///< as it was arranged
    GeometryPtr m_shown;    ///< with what was moved by hand; of m_model
    GraphNudges m_nudges;
    GeometryPtr m_arranged; ///< m_geometry, or that from which a provisional one was made
    std::unique_ptr<GraphModel> m_model;
    /// What was shown before, the latest last: undo, and an edit that is taken back by another, show it
    /// again.
    std::vector<GeometryPtr> m_remembered;
    bool m_isPreview = false;
    GeometryPtr m_beforePreview; ///< what the graph returns to
    LatestJob<GeometryPtr> m_layoutJob;
    GraphTraffic m_traffic;                         ///< of m_model; empty while it is being counted
    std::shared_ptr<TrafficMemory> m_trafficMemory; ///< the worker's
    LatestJob<Labelled> m_labelJob;

    std::unique_ptr<GraphModel> m_before; // of a running transition
    std::unique_ptr<GraphModel> m_between;
    double m_transition = 1;
};

} // namespace tilewright::ui
