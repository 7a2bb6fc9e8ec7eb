// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/table_model.h"
#include "report/baseline_shares.h"
#include "workspace/document.h"
#include "workspace/op_names.h"

#include <vector>

namespace tilewright::ui {

/// The schedule as rows; one row a subgraph, in execution order. Rows can be dragged: a drop only announces
/// reorderRequested(), the document does the rest.
class SubgraphModel : public TableModel
{
    Q_OBJECT
public:
    enum Column { Number, Ops, Size, Latency, Change, Time, Memory, ColumnCount };

    explicit SubgraphModel(Document& document, QObject* parent = nullptr);

    Qt::ItemFlags flags(const QModelIndex& index) const override;
    Qt::DropActions supportedDropActions() const override { return Qt::MoveAction; }
    QStringList mimeTypes() const override;
    QMimeData* mimeData(const QModelIndexList& indexes) const override;
    bool dropMimeData(const QMimeData* data, Qt::DropAction action, int row, int column,
                      const QModelIndex& parent) override;

    /// Rows and the place among those that stay.
    struct Move
    {
        std::vector<SubgraphId> rows;
        std::size_t position = 0;
        bool operator==(const Move&) const = default;
    };
    /// What dropping this before that row means; nothing for something else than rows.
    [[nodiscard]] std::optional<Move> moveOf(const QMimeData* data, int row) const;

    [[nodiscard]] const Snapshot* snapshot() const { return m_snapshot.get(); }
    /// Longest latency of any row: the full width of the time bars.
    [[nodiscard]] double longest() const { return m_longest; }
    /// The row's latency minus that of the same ops in the baseline, or its share of it (BaselineShare).
    [[nodiscard]] std::optional<double> change(std::size_t row) const;
    /// The first problem of the row; null when it has none.
    [[nodiscard]] const Issue* issue(std::size_t row) const;
    [[nodiscard]] std::size_t colour(std::size_t row) const;
    /// The ops in short, for the cell.
    [[nodiscard]] OpNames names(std::size_t row) const;
    [[nodiscard]] bool hasBaseline() const { return m_document.baseline() != nullptr; }
    /// Some row has a mark beside its number: a problem or a lock.
    [[nodiscard]] bool hasMarks() const;

Q_SIGNALS:
    void reorderRequested(const std::vector<tilewright::SubgraphId>& rows, std::size_t position);

private:
    [[nodiscard]] Table subgraphs();
    [[nodiscard]] TableCell cellOf(std::size_t row, Column column) const;
    [[nodiscard]] QString tipOf(std::size_t row) const;
    void follow(); ///< the document
    void refreshBaseline();
    void share();

    Document& m_document;
    SnapshotPtr m_snapshot;
    double m_longest = 0;
    std::vector<std::size_t> m_colours;  ///< of the rows, as they were announced
    std::vector<BaselineShare> m_shares; ///< of the rows; empty without a baseline
    ProblemPtr m_named;                  ///< the problem of m_prefix
    QString m_prefix;                    ///< of the names of all its ops
};

} // namespace tilewright::ui
