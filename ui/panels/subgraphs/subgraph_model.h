// SPDX-License-Identifier: GPL-3.0-or-later
// The schedule as a table: item model, and painting of its rows.
#pragma once

#include "canvas/table_model.h"
#include "eval/waste.h"
#include "report/compare.h"
#include "workspace/document.h"
#include "workspace/overlays.h"
#include "workspace/texts.h"

#include <vector>

namespace tilewright::ui {

/// The schedule as a table with one row per subgraph, in execution order. Dropping dragged rows only emits
/// reorderRequested(): the document changes the order.
class SubgraphModel : public TableModel
{
    Q_OBJECT
public:
    enum Column {
        Number,
        Ops,
        Size,
        Latency,
        Change,
        Time,
        Memory,
        Energy,
        Padding,
        Again,
        Halo,
        Measured,
        ColumnCount
    };

    explicit SubgraphModel(Document& document, QObject* parent = nullptr);

    Qt::ItemFlags flags(const QModelIndex& index) const override;
    Qt::DropActions supportedDropActions() const override { return Qt::MoveAction; }
    QStringList mimeTypes() const override;
    QMimeData* mimeData(const QModelIndexList& indexes) const override;
    bool dropMimeData(const QMimeData* data, Qt::DropAction action, int row, int column,
                      const QModelIndex& parent) override;

    /// Rows to move and their new position among the other rows.
    struct Move
    {
        std::vector<SubgraphId> rows;
        std::size_t position = 0;
        bool operator==(const Move&) const = default;
    };
    /// Returns the move that results from dropping `data` before row `row`; nullopt if `data` has no rows.
    [[nodiscard]] std::optional<Move> moveOf(const QMimeData* data, int row) const;

    [[nodiscard]] const Snapshot* snapshot() const { return m_snapshot.get(); }
    /// Longest latency of any row: the full width of the time bars.
    [[nodiscard]] double longest() const { return m_longest; }
    /// Returns the row's latency minus the baseline's latency for the same ops; if the row has only a share
    /// of a baseline subgraph, minus that share (BaselineShare).
    [[nodiscard]] std::optional<double> change(std::size_t row) const;
    /// The first problem of the row; null if it has none.
    [[nodiscard]] const Issue* issue(std::size_t row) const;
    [[nodiscard]] std::size_t colour(std::size_t row) const;
    /// Names of the ops of a row, abbreviated.
    [[nodiscard]] OpNames names(std::size_t row) const;
    [[nodiscard]] bool hasBaseline() const { return m_document.baseline() != nullptr; }
    [[nodiscard]] bool hasEnergy() const { return m_snapshot && m_snapshot->problem->hasEnergy(); }
    /// Returns the waste of a row, which is computed at the first call.
    [[nodiscard]] const Waste& waste(std::size_t row) const;
    /// True if ops read through windows of images, so that there can be halos.
    [[nodiscard]] bool hasHalos() const { return m_hasHalos; }
    /// Sets the value of each op in an overlay and how it is shown; empty if there is no overlay.
    void setMeasured(std::vector<std::optional<double>> ofOps, overlay::Shown shown);
    [[nodiscard]] bool hasMeasured() const { return !m_measured.empty(); }
    /// Returns the overlay value that all ops of a row have in common; nothing if they have none.
    [[nodiscard]] std::optional<double> measured(std::size_t row) const;
    /// True if some row has a mark beside its number for a problem or a lock.
    [[nodiscard]] bool hasMarks() const;

Q_SIGNALS:
    void reorderRequested(const std::vector<tilewright::SubgraphId>& rows, std::size_t position);

private:
    [[nodiscard]] Table subgraphs();
    [[nodiscard]] TableCell cellOf(std::size_t row, Column column) const;
    [[nodiscard]] QString tipOf(std::size_t row) const;
    void follow(); ///< updates the model to the document's state
    void refreshBaseline();
    void keepWaste(const Snapshot* before);
    void share();

    Document& m_document;
    SnapshotPtr m_snapshot;
    double m_longest = 0;
    std::vector<std::size_t> m_colours;                ///< row colours at the time of the last announcement
    mutable std::vector<std::optional<Waste>> m_waste; ///< waste of the rows for which it was computed
    std::vector<BaselineShare> m_shares;           ///< baseline shares of the rows; empty without a baseline
    std::vector<std::optional<double>> m_measured; ///< overlay value of each op
    overlay::Shown m_shown = overlay::Shown::Ratio;
    ProblemPtr m_named; ///< the problem from which m_prefix was computed
    bool m_hasHalos = false;
    QString m_prefix; ///< common prefix of the names of all ops
};

/// Paints number badges, time bars and working-set bars of the subgraph rows.
class SubgraphDelegate : public TableDelegate
{
    Q_OBJECT
public:
    SubgraphDelegate(const SubgraphModel& model, const ThemeSource& themes, QObject* parent = nullptr);

    /// Names of the ops of a row and of their common block, cut to the available width.
    [[nodiscard]] OpNames opsIn(std::size_t row, const QFont& font, double width) const;
    /// Returns the width of the first name with its block, plus an ellipsis that stands for further names.
    [[nodiscard]] double nameWidth(std::size_t row, const QFont& font) const;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

private:
    bool paintCell(QPainter& painter, const QStyleOptionViewItem& option, const QModelIndex& index) const;
    void paintNumber(QPainter& painter, const QRectF& cell, std::size_t row) const;
    void paintOps(QPainter& painter, const QRectF& cell, const QFont& font, std::size_t row) const;
    void paintTime(QPainter& painter, const QRectF& whole, const SubgraphEvaluation& e) const;
    void paintMemory(QPainter& painter, const QRectF& cell, const SubgraphEvaluation& e) const;

    const SubgraphModel& m_model;
};

} // namespace tilewright::ui
