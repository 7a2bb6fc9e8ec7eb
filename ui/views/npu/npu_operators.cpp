// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/npu/npu_operators.h"

#include "npu/output.h"
#include "theme/text.h"
#include "views/npu/npu_text.h"

#include <QHeaderView>
#include <QScopedValueRollback>

#include <algorithm>
#include <array>

namespace tilewright::ui {

Table operatorTable(const NpuResult& result)
{
    Table out;
    out.columns = {{tr("Operator")},
                   {tr("Tile")},
                   {tr("Nodes"), ColumnKind::Number},
                   {tr("Start"), ColumnKind::Number},
                   {tr("End"), ColumnKind::Number},
                   {tr("Tensor"), ColumnKind::Number},
                   {tr("Vector"), ColumnKind::Number}};
    constexpr std::array kWaits{npu::CoreState::WaitDram, npu::CoreState::WaitNoc, npu::CoreState::WaitSpm,
                                npu::CoreState::WaitDependency};
    for (const npu::CoreState wait : kWaits)
        out.columns.push_back({stateName(wait), ColumnKind::Number});
    const bool hasPassed = result.run->hardware.coreToCore, hasShared = result.run->hardware.shared.bytes > 0;
    out.columns.push_back({tr("Bytes"), ColumnKind::Number});
    if (hasShared)
        out.columns.push_back({tr("From shared"), ColumnKind::Number});
    if (hasPassed)
        out.columns.push_back({tr("From cores"), ColumnKind::Number});
    for (const QString& title : {tr("Cores"), tr("Energy (nJ)")})
        out.columns.push_back({title, ColumnKind::Number});
    // Name of the figure in each column; empty for columns that are no figures.
    constexpr std::array kFigures{"",         "",         "nodes",           "start",
                                  "end",      "tensor",   "vector",          "wait_dram",
                                  "wait_noc", "wait_spm", "wait_dependency", "loaded_bytes"};
    for (std::size_t c = 0; c < kFigures.size(); ++c)
        if (*kFigures[c] != 0)
            out.columns[c].figure = std::string("npu:operators.*.") + kFigures[c];
    if (hasShared)
        out.columns[kFigures.size()].figure = "npu:operators.*.shared_bytes";
    out.columns.back().figure = "npu:operators.*.energy_pj.total";
    for (const npu::OpReport& r : npu::opReports(*result.graph, *result.run)) {
        std::vector<TableCell> row{TableCell(r.name),  TableCell(npu::tileText(r.type, r.tile)),
                                   TableCell(r.nodes), TableCell(r.start),
                                   TableCell(r.end),   TableCell(r.tensor),
                                   TableCell(r.vector)};
        for (const npu::CoreState wait : kWaits)
            row.emplace_back(r.stallsOf(wait));
        row.emplace_back(r.loaded + r.stored);
        if (hasShared)
            row.emplace_back(r.shared);
        if (hasPassed)
            row.emplace_back(r.passed);
        row.emplace_back(r.cores.size());
        row.emplace_back(r.energyPj() / 1000);
        out.add(std::move(row));
    }
    return out;
}

NpuOperators::NpuOperators(NpuDocument& state, QWidget* parent) : QTableView(parent), m_state(state)
{
    setObjectName(QStringLiteral("npu.operators"));
    setToolTip(
        tr("What the run did for every operator: first start and last store, cycles of the engines, "
           "cycles that cores waited for one of its nodes, bytes loaded and stored (of these, from the "
           "scratchpads of cores). A click selects its first node."));
    m_model = new TableModel(this);
    m_rows = new SortedRows(*m_model, tr("the order of the model"), this);
    asList(*this, tr("Operators of the run"), *m_rows);
    m_rows->sortBy(*this);
    connect(selectionModel(), &QItemSelectionModel::currentRowChanged, this, &NpuOperators::selectRow);
    // Clicked, because a click on the current row does not change the current row.
    connect(this, &QTableView::clicked, this, &NpuOperators::selectRow);
    connect(&m_state, &NpuDocument::resultChanged, this, &NpuOperators::refresh);
    connect(&m_state, &NpuDocument::nodeChanged, this, &NpuOperators::followNode);
}

void NpuOperators::showEvent(QShowEvent* event)
{
    QTableView::showEvent(event);
    refresh();
}

void NpuOperators::refresh()
{
    if (!isVisible() || m_shown == m_state.result())
        return;
    m_shown = m_state.result();
    const QScopedValueRollback following(m_following, true);
    m_model->setTable(m_shown ? operatorTable(*m_shown) : Table());
    resizeColumnsToContents();
    m_following = false;
    followNode();
}

void NpuOperators::followNode()
{
    const auto node = m_state.node();
    if (m_following || !m_shown || m_shown != m_state.result() || !node)
        return;
    const QScopedValueRollback following(m_following, true);
    const int row = m_rows->rowOf(static_cast<int>(m_shown->graph->nodes[*node].op));
    if (row >= 0 && row != currentIndex().row())
        setCurrentIndex(m_rows->index(row, 0));
}

void NpuOperators::selectRow(const QModelIndex& now)
{
    if (m_following || !now.isValid() || !m_shown || m_shown != m_state.result())
        return;
    const auto op = static_cast<std::size_t>(m_rows->sourceRow(now.row()));
    const auto& nodes = m_shown->graph->nodes;
    const auto first = std::ranges::find(nodes, op, [](const npu::TileNode& n) { return std::size_t{n.op}; });
    if (first == nodes.end())
        return;
    const QScopedValueRollback following(m_following, true);
    const auto node = static_cast<std::uint32_t>(first - nodes.begin());
    m_state.selectNode(node);
    m_state.setCursor(m_shown->startAt[node]);
}

} // namespace tilewright::ui
