// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/view.h"
#include "panels/inspector/inspector_facts.h"

#include <QList>
#include <QTimer>

#include <array>
#include <memory>

class QBoxLayout;
class QComboBox;
class QLabel;
class QPlainTextEdit;
class QPushButton;
class QScrollArea;
class QVBoxLayout;

namespace tilewright::ui {

class ChoiceSpinBox;
class FuseOffer;
class GranularityView;
class RetainList;
class ScheduleOverview;
class TensorPage;

inline constexpr std::array kTraversalPresets{TraversalKind::Raster, TraversalKind::Snake,
                                              TraversalKind::Column, TraversalKind::ColumnSnake,
                                              TraversalKind::Spiral};

/// Shows the current subgraph: cost and its reasons, granularity, retained tensors, traversal, and the most
/// useful single changes. For several selected subgraphs it shows sums and means, for a selected tensor a
/// page about the tensor.
class InspectorView : public View
{
    Q_OBJECT
public:
    explicit InspectorView(const ViewContext& context, QWidget* parent = nullptr);
    ~InspectorView() override;
    QSize exportSize() const override { return {380, 1000}; }
    void settle() override;

    /// Small enough that rows of fields are never cut: the view scrolls vertically only.
    [[nodiscard]] QSize minimumSizeHint() const override
    {
        return {34 * fontMetrics().averageCharWidth(), 120};
    }
    [[nodiscard]] QLabel* summaryLabel() const { return m_summary; }
    [[nodiscard]] QLabel* arithmeticLabel() const { return m_arithmetic; }
    [[nodiscard]] QLabel* arrayLabel() const { return m_array; }
    /// The buttons of the suggested changes, best first.
    [[nodiscard]] QList<QPushButton*> suggestionButtons() const;
    [[nodiscard]] ScheduleOverview* overview() const { return m_overview; }
    [[nodiscard]] FuseOffer* fuseOffer() const { return m_fuseOffer; }
    [[nodiscard]] RetainList* retainList() const { return m_retain; }
    [[nodiscard]] TensorPage* tensorPage() const { return m_tensorPage; }

protected:
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    void bringUpToDate() override { refresh(); }

private:
    void build();
    void buildGranularity(QWidget* page, QVBoxLayout* column);
    void buildTraversal(QWidget* page, QVBoxLayout* column);
    void fitMap();
    void chooseBestTraversal();
    void useTraversal(TraversalKind kind);
    void toggleRetain(TensorId tensor);
    void follow(const QString& link);
    void refresh();
    /// Updates the texts and returns the names of the subgraph's ops.
    QStringList refreshTexts(const Snapshot& snapshot, SubgraphId id);
    void refreshGranularity(const Snapshot& snapshot, SubgraphId id);
    void refreshArray(const Snapshot& snapshot, SubgraphId id, const QStringList& opNames);
    void refreshRetain(const Snapshot& snapshot, SubgraphId id);
    void refreshFacts(const Snapshot& snapshot, SubgraphId id);
    void showFacts(const InspectorFacts& facts);
    void setFactsEnabled(bool enabled);
    void showArithmetic();
    void requestFacts();
    void applyGranularity();
    [[nodiscard]] std::optional<SubgraphId> current() const;

    QLabel* m_hint = nullptr;
    QLabel* m_summary = nullptr;
    FuseOffer* m_fuseOffer = nullptr;
    QScrollArea* m_overviewPane = nullptr; ///< the scroll area of m_overview
    ScheduleOverview* m_overview = nullptr;
    QScrollArea* m_tensorPane = nullptr; ///< the scroll area of m_tensorPage
    TensorPage* m_tensorPage = nullptr;
    QScrollArea* m_summaryPane = nullptr; ///< the scroll area of m_summary
    QScrollArea* m_body = nullptr;
    std::vector<OpId> m_shownOps;  ///< ops of the subgraph that the page shows
    QBoxLayout* m_sizes = nullptr; ///< layout of w, h and k; one column in a narrow pane
    QLabel* m_title = nullptr;
    QLabel* m_numbers = nullptr;
    QLabel* m_arithmetic = nullptr;
    QLabel* m_binds = nullptr;
    QVBoxLayout* m_suggestions = nullptr;
    ChoiceSpinBox* m_w = nullptr;
    ChoiceSpinBox* m_h = nullptr;
    ChoiceSpinBox* m_k = nullptr;
    /// Problems and selected ops; they are below the fields, so that the fields do not move.
    QLabel* m_remarks = nullptr;
    QLabel* m_grid = nullptr;
    QLabel* m_array = nullptr; ///< text about the tile on the systolic array
    GranularityView* m_map = nullptr;
    QComboBox* m_traversal = nullptr;
    QPushButton* m_bestTraversal = nullptr;
    RetainList* m_retain = nullptr;
    QLabel* m_tensors = nullptr;
    QPlainTextEdit* m_note = nullptr;
    std::vector<QWidget*> m_productLenses; ///< buttons that open a lens for one product
    std::unique_ptr<LatestJob<InspectorFacts>> m_facts;
    LatencyTexts m_latencyTexts;
    InspectorFacts m_shown;
    QTimer m_factsTimer; ///< delays the facts until edits pause
    bool m_refreshing = false;
};

} // namespace tilewright::ui
