// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/layers/layers_view.h"

#include "snapshot/snapshot.h"
#include "theme/text.h"
#include "workspace/lens_links.h"
#include "workspace/overlays.h"
#include "workspace/texts.h"

#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>

namespace tilewright::ui {

namespace {

/// Size of an op as text: "128 × 64 × 512" for a MatMul (rows × columns × reduction), "128 × 64" for another
/// op.
QString sizeText(const Problem& problem, OpId op)
{
    const Tensor& out = problem.tensor(problem.op(op).output);
    QString text = number(out.height) + QStringLiteral(" × ") + number(out.width);
    if (problem.op(op).type == OpType::MatMul)
        text += QStringLiteral(" × ") + number(problem.reductionSize(op));
    return text;
}

/// Table with one row per op: name, size, the latency of its subgraph, and its value in an overlay.
Table layersTable(const Snapshot& snapshot, const Overlays& overlays)
{
    const Problem& problem = *snapshot.problem;
    const QString prefix = commonPrefix(problem);
    const std::vector<double> latency = snapshot.latencyOfOps();
    Table out;
    out.columns = {{tr("Layer")},
                   {tr("Size"), ColumnKind::Text,
                    tr("Rows × columns of the result, and × the reduction of a matrix product.")},
                   {tr("Latency"), ColumnKind::Number,
                    tr("Latency of the subgraphs that compute the op; ops of one subgraph have the same.")}};
    const std::vector<std::optional<double>> measured = overlays.valuesOfOps();
    if (!measured.empty())
        out.columns.push_back({shownTitle(overlays.shown()), ColumnKind::Number,
                               tr("What an overlay says of the operators that run together with the op.")});
    out.rows.reserve(problem.opCount());
    for (std::size_t i = 0; i < problem.opCount(); ++i) {
        const OpId op(i);
        QString name = QString::fromStdString(std::string(problem.opName(op)));
        const QString tip = plain(name);
        if (name.startsWith(prefix) && name.size() > prefix.size())
            name.remove(0, prefix.size());
        const Tensor& result = problem.tensor(problem.op(op).output);
        const QString size = sizeText(problem, op);
        out.add(TableCell(name, name, {}, tip),
                TableCell(size, size,
                          TableValue(static_cast<double>(result.height) * static_cast<double>(result.width))),
                latency[i]);
        if (measured.empty())
            continue;
        out.rows.back().push_back(i < measured.size() && measured[i]
                                      ? TableCell(*measured[i], shownText(*measured[i], overlays.shown()))
                                      : TableCell("", QStringLiteral("–")));
    }
    return out;
}

} // namespace

LayersView::LayersView(const ViewContext& context, QWidget* parent)
    : View(context, QStringLiteral("layers"), tr("Layers"), parent), m_name(new QLabel(this)),
      m_facts(new QLabel(this)), m_search(new QLineEdit(this)), m_model(new TableModel(this)),
      m_rows(new SortedRows(*m_model, tr("the order of the workload"), this)), m_table(new QTableView(this))
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(8, 6, 8, 0);
    column->setSpacing(4);
    m_name->setFont(uiFont(1.35, QFont::DemiBold));
    m_name->setAccessibleName(tr("Selected layer"));
    m_facts->setAccessibleName(tr("Size of the selected layer"));
    for (QLabel* label : {m_name, m_facts}) {
        label->setTextFormat(Qt::PlainText);
        label->setWordWrap(true);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
        column->addWidget(label);
    }
    m_search->setPlaceholderText(tr("Find a layer"));
    m_search->setAccessibleName(tr("Find a layer"));
    m_search->setClearButtonEnabled(true);
    column->addWidget(m_search);
    m_model->alignHeadings();
    asList(*m_table, tr("Layers of the workload"), *m_rows);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setAlternatingRowColors(true);
    m_table->horizontalHeader()->setStretchLastSection(false);
    m_rows->sortBy(*m_table);
    column->addWidget(m_table, 1);
    setFocusProxy(m_table);
    connect(m_search, &QLineEdit::textChanged, this, [this](const QString& text) {
        m_rows->setFilter([this, text](std::size_t row) {
            return QString::fromStdString(m_model->table().tip(row, 0)).contains(text, Qt::CaseInsensitive);
        });
        fromSelection();
    });
    connect(m_search, &QLineEdit::returnPressed, this, [this] {
        if (m_rows->rowCount() > 0)
            m_table->selectRow(0);
        m_table->setFocus();
    });
    connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this,
            &LayersView::toSelection);
    connect(&selection(), &Selection::changed, this, [this] {
        if (isFollowing())
            fromSelection();
        else
            outdate();
    });
    document().whenChanged(this, Part::Problem | Part::Snapshot, &LayersView::outdate);
    connect(&Overlays::of(workspace()), &Overlays::changed, this, &LayersView::outdate);
    refresh();
    QHeaderView* header = m_table->horizontalHeader();
    header->setSectionResizeMode(QHeaderView::ResizeToContents);
    header->setSectionResizeMode(0, QHeaderView::Fixed);
    connect(header, &QHeaderView::sectionResized, this, [this](int section) {
        if (section > 0)
            fitColumns();
    });
}

void LayersView::refresh()
{
    const SnapshotPtr snapshot = document().snapshot();
    m_updating = true;
    m_model->setTable(snapshot ? layersTable(*snapshot, Overlays::of(workspace()))
                               : tableOf("Layer,Size,Latency"));
    m_updating = false;
    fromSelection();
}

std::optional<OpId> LayersView::selectedOp() const
{
    if (!document().hasProblem())
        return std::nullopt;
    const SelectionState& now = selection().state();
    if (now.ops.size() == 1)
        return *now.ops.begin();
    if (const auto shown = workspace().links().mappable()) // the layer that the lenses show
        return shown->op;
    if (now.subgraph && now.subgraph->index() < document().schedule().size() &&
        !document().schedule()[*now.subgraph].ops.empty())
        return document().schedule()[*now.subgraph].ops.front();
    return std::nullopt;
}

void LayersView::fromSelection()
{
    const auto op = selectedOp();
    m_updating = true;
    const int row = op && static_cast<int>(op->index()) < m_model->rowCount()
                        ? m_rows->rowOf(static_cast<int>(op->index()))
                        : -1;
    if (row < 0)
        m_table->clearSelection();
    else if (!m_table->selectionModel()->isRowSelected(row)) {
        m_table->selectRow(row);
        m_table->scrollTo(m_rows->index(row, 0));
    }
    m_updating = false;
    refreshTitle();
}

void LayersView::refreshTitle()
{
    const auto op = selectedOp();
    const bool has = op && document().problem() && op->index() < document().problem()->opCount();
    m_name->setText(has ? QString::fromStdString(std::string(document().problem()->opName(*op))) : QString());
    m_facts->setText(
        has ? (document().problem()->op(*op).type == OpType::MatMul ? tr("MatMul %1") : tr("Pointwise %1"))
                  .arg(sizeText(*document().problem(), *op))
        : document().hasProblem() ? tr("Select a layer.")
                                  : tr("Open a model or a problem to see its layers."));
    m_name->setVisible(has);
}

void LayersView::toSelection()
{
    const QModelIndexList rows = m_table->selectionModel()->selectedRows();
    if (m_updating || rows.isEmpty() || !document().hasProblem())
        return;
    const OpId op(static_cast<std::size_t>(m_rows->sourceRow(rows.front().row())));
    selection().set(withOps(document().schedule(), selection().state(), {op}));
}

QString LayersView::selectedName() const
{
    return m_name->text();
}

QString LayersView::copyText() const
{
    return rowsAsText(*m_rows, true);
}

void LayersView::resizeEvent(QResizeEvent* event)
{
    View::resizeEvent(event);
    fitColumns();
}

void LayersView::fitColumns()
{
    // The columns of sizes and latencies fit their texts; names get the remaining width. In a narrow list the
    // table scrolls. The resize mode Stretch would keep the width that suited a smaller font.
    QHeaderView* header = m_table->horizontalHeader();
    m_table->setTextElideMode(Qt::ElideLeft); // names of layers differ at their ends
    const int rest = m_table->viewport()->width() - header->sectionSize(1) - header->sectionSize(2);
    header->resizeSection(0, std::max(10 * m_table->fontMetrics().averageCharWidth(), rest));
}

} // namespace tilewright::ui
