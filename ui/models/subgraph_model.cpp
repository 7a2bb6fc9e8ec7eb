// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/subgraph_model.h"

#include "theme/number.h"

#include <QDataStream>
#include <QIODevice>
#include <QMimeData>

#include <algorithm>
#include <set>

namespace tilewright::ui {

namespace {
const QString kMimeType = QStringLiteral("application/x-tilewright-subgraphs");

QString boundText(Bound bound)
{
    switch (bound) {
    case Bound::Compute:
        return SubgraphModel::tr("△ compute");
    case Bound::Memory:
        return SubgraphModel::tr("▽ memory");
    case Bound::Balanced:
        return SubgraphModel::tr("◇ balanced");
    }
    return {};
}
} // namespace

SubgraphModel::SubgraphModel(Document& document, QObject* parent)
    : QAbstractTableModel(parent), m_document(document)
{
    connect(&document, &Document::snapshotChanged, this, &SubgraphModel::refresh);
    connect(&document, &Document::problemChanged, this, &SubgraphModel::refresh);
    connect(&document, &Document::baselineChanged, this, [this] {
        if (rowCount() > 0)
            Q_EMIT dataChanged(index(0, Change), index(rowCount() - 1, Change));
    });
    refresh();
}

void SubgraphModel::refresh()
{
    const SnapshotPtr next = m_document.snapshot();
    const int before = rowCount();
    const int after = next ? static_cast<int>(next->schedule.size()) : 0;
    // Same number of rows: keep selection and scroll position by announcing changed data only.
    if (before != after)
        beginResetModel();
    m_snapshot = next;
    m_longest = 0;
    if (m_snapshot)
        for (const SubgraphEvaluation& e : m_snapshot->evaluation.subgraphs)
            m_longest = std::max({m_longest, e.latency, e.compute, e.memory});
    if (before != after)
        endResetModel();
    else if (after > 0)
        Q_EMIT dataChanged(index(0, 0), index(after - 1, ColumnCount - 1));
}

int SubgraphModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() || !m_snapshot ? 0 : static_cast<int>(m_snapshot->schedule.size());
}

int SubgraphModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QString SubgraphModel::opsText(std::size_t row) const
{
    QStringList names;
    for (const OpId o : m_snapshot->schedule[SubgraphId(row)].ops)
        names << QString::fromStdString(m_snapshot->problem->opName(o));
    return names.join(QStringLiteral(", "));
}

std::optional<double> SubgraphModel::change(std::size_t row) const
{
    const SnapshotPtr baseline = m_document.baseline();
    if (!baseline || !m_snapshot)
        return std::nullopt;
    std::vector<OpId> ops = m_snapshot->schedule[SubgraphId(row)].ops;
    std::sort(ops.begin(), ops.end());
    for (std::size_t j = 0; j < baseline->schedule.size(); ++j) {
        std::vector<OpId> other = baseline->schedule[SubgraphId(j)].ops;
        std::sort(other.begin(), other.end());
        if (other == ops)
            return m_snapshot->evaluation.subgraphs[row].latency - baseline->evaluation.subgraphs[j].latency;
    }
    return std::nullopt;
}

const Issue* SubgraphModel::issue(std::size_t row) const
{
    for (const Issue& issue : m_snapshot->evaluation.issues)
        if (issue.subgraph && issue.subgraph->index() == row)
            return &issue;
    return nullptr;
}

std::size_t SubgraphModel::colour(std::size_t row) const
{
    const auto& colours = m_document.colours();
    return row < colours.size() ? colours[row] : 0;
}

QVariant SubgraphModel::data(const QModelIndex& index, int role) const
{
    const auto row = static_cast<std::size_t>(index.row());
    if (!m_snapshot || row >= m_snapshot->evaluation.subgraphs.size() || row >= m_snapshot->schedule.size())
        return {};
    const SubgraphEvaluation& e = m_snapshot->evaluation.subgraphs[row];
    const Subgraph& s = m_snapshot->schedule[SubgraphId(row)];
    const Granularity& g = s.granularity;
    if (role == Qt::DisplayRole || role == Qt::AccessibleTextRole || role == RawRole) {
        const bool raw = role == RawRole;
        switch (index.column()) {
        case Number:
            return index.row();
        case Ops:
            return opsText(row);
        case Size:
            return QStringLiteral("%1×%2×%3").arg(g.w).arg(g.h).arg(g.k);
        case Latency:
            return raw                   ? exactNumber(e.latency)
                   : e.structurallyValid ? number(e.latency)
                                         : QStringLiteral("–");
        case Time:
            return raw ? exactNumber(e.compute) + QLatin1Char('\t') + exactNumber(e.memory)
                       : QVariant(QString());
        case BoundColumn:
            return e.structurallyValid ? boundText(e.bound) : QString();
        case Memory:
            return raw ? QString::number(e.peakWorkingSet) : QString();
        case Change: {
            const auto by = change(row);
            return by ? raw ? exactNumber(*by) : signedNumber(*by) : QString();
        }
        default:
            return {};
        }
    }
    if (role == Qt::TextAlignmentRole && (index.column() == Latency || index.column() == Change))
        return int(Qt::AlignRight | Qt::AlignVCenter);
    if (role == Qt::ToolTipRole) {
        QString text =
            tr("<b>Subgraph %1</b>: %2<br>tile %3 (w×h×k), %4 × %5 tiles, %6 steps<br>"
               "latency %7<br>compute %8, memory %9 (%10 in, %11 out)<br>working set %12 of %13")
                .arg(row)
                .arg(opsText(row).toHtmlEscaped())
                .arg(QStringLiteral("%1×%2×%3").arg(g.w).arg(g.h).arg(g.k))
                .arg(e.rows)
                .arg(e.cols)
                .arg(number(e.steps), exactNumber(e.latency), number(e.compute), number(e.memory),
                     number(e.loadElements), number(e.storeElements))
                .arg(number(e.peakWorkingSet), number(m_snapshot->problem->hardware().fastMemoryCapacity));
        if (const Issue* problem = issue(row))
            text += tr("<br><b>%1</b>").arg(QString::fromStdString(problem->text).toHtmlEscaped());
        return text;
    }
    return {};
}

QVariant SubgraphModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::DisplayRole)
        switch (section) {
        case Number:
            return tr("#");
        case Ops:
            return tr("Ops");
        case Size:
            return tr("w×h×k");
        case Latency:
            return tr("Latency");
        case Time:
            return tr("Compute / memory");
        case BoundColumn:
            return tr("Bound");
        case Memory:
            return tr("Working set");
        case Change:
            return tr("Δ");
        default:
            return {};
        }
    if (role == Qt::ToolTipRole)
        switch (section) {
        case Time:
            return tr(
                "Upper bar: compute time. Lower bar: load and store time. Full width: the slowest subgraph.");
        case Memory:
            return tr("Peak working set against the capacity of fast memory (the line).");
        case Change:
            return tr("Latency against the same ops in the pinned baseline.");
        default:
            return {};
        }
    return {};
}

Qt::ItemFlags SubgraphModel::flags(const QModelIndex& index) const
{
    if (!index.isValid())
        return Qt::ItemIsDropEnabled; // between rows only
    return Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsDragEnabled;
}

QStringList SubgraphModel::mimeTypes() const
{
    return {kMimeType};
}

QMimeData* SubgraphModel::mimeData(const QModelIndexList& indexes) const
{
    std::set<int> rows;
    for (const QModelIndex& i : indexes)
        rows.insert(i.row());
    QByteArray bytes;
    QDataStream out(&bytes, QIODevice::WriteOnly);
    for (const int row : rows)
        out << row;
    auto* mime = new QMimeData;
    mime->setData(kMimeType, bytes);
    return mime;
}

bool SubgraphModel::dropMimeData(const QMimeData* data, Qt::DropAction, int row, int,
                                 const QModelIndex& parent)
{
    if (!data->hasFormat(kMimeType) || parent.isValid())
        return false;
    std::vector<SubgraphId> rows;
    QDataStream in(data->data(kMimeType));
    while (!in.atEnd()) {
        int r = 0;
        in >> r;
        rows.emplace_back(static_cast<std::size_t>(r));
    }
    auto position = static_cast<std::size_t>(row < 0 ? rowCount() : row);
    // The position is meant among the rows that stay.
    position -= static_cast<std::size_t>(
        std::count_if(rows.begin(), rows.end(), [position](SubgraphId r) { return r.index() < position; }));
    Q_EMIT reorderRequested(rows, position);
    return false; // the document moved them; the view must not
}

} // namespace tilewright::ui
