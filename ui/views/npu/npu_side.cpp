// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/npu/npu_side.h"

#include "theme/icon.h"
#include "theme/text.h"
#include "views/npu/npu_operators.h"
#include "views/npu/npu_text.h"

#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QListWidget>
#include <QPainter>
#include <QPushButton>
#include <QScopedValueRollback>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>

namespace tilewright::ui {

// -- instructions ----------------------------------------------------------------------------------------

namespace {

using Program = std::shared_ptr<const std::vector<npu::Instruction>>;

QPixmap swatchOf(npu::CoreState state, const Theme& theme)
{
    QPixmap out(14, 14);
    out.fill(Qt::transparent);
    QPainter painter(&out);
    fillState(painter, QRectF(0, 0, 14, 14), state, theme);
    return out;
}

/// Returns the program of one core as a table: cycle, opcode, and tile or node.
Table instructionTable(const NpuResultPtr& result, const Program& program)
{
    Table out;
    out.count = program->size();
    out.columns = {{tr("Cycle"), ColumnKind::Number}, {tr("Opcode")}, {tr("Tile or node")}};
    for (std::size_t c = 0; c < out.columns.size(); ++c)
        out.columns[c].cell = [result, program, c](std::size_t row) -> TableCell {
            const npu::Instruction& i = (*program)[row];
            if (c < 2)
                return c == 0 ? TableCell(i.issued) : TableCell(npu::toString(i.opcode));
            return i.tile == npu::kNone ? nodeText(*result->graph, i.node) : tileText(*result->graph, i.tile);
        };
    out.rowTip = [result, program](std::size_t row) { return nodeTooltip(*result, (*program)[row].node); };
    return out;
}

/// Returns the last row that is issued at or before `time`; -1 if there is none.
int rowAt(const std::vector<npu::Instruction>& program, npu::Cycle time)
{
    // Rows are in program order, but loads of the next node may be issued earlier, so the cycles are not
    // sorted.
    int best = -1;
    npu::Cycle latest = -1;
    for (int i = 0; const npu::Instruction& instruction : program) {
        if (instruction.issued <= time && instruction.issued >= latest) {
            latest = instruction.issued;
            best = i;
        }
        ++i;
    }
    return best;
}

} // namespace

// -- the tabs --------------------------------------------------------------------------------------------

NpuSide::NpuSide(const ViewContext& context, NpuDocument& state, QWidget* parent)
    : QTabWidget(parent), m_context(context), m_state(state)
{
    setObjectName(QStringLiteral("npu.side"));
    setAccessibleName(tr("Details of the run"));
    setDocumentMode(true);
    setUsesScrollButtons(true);

    const auto heading = [this](int row, int column, int role) -> QVariant {
        if (column != TableModel::kHeading)
            return {};
        const auto state = static_cast<npu::CoreState>(row);
        return role == Qt::DisplayRole      ? QVariant(stateName(state))
               : role == Qt::DecorationRole ? QVariant(swatchOf(state, m_context.themes.theme()))
                                            : QVariant();
    };
    m_shares = new TableModel(this, heading);
    m_stalls = new QTableView(this);
    m_stalls->setModel(m_shares);
    m_stalls->setObjectName(QStringLiteral("npu.stalls"));
    m_stalls->setAccessibleName(tr("Cycles of each core by state"));
    m_stalls->setToolTip(tr(
        "Share of the makespan that each core spends in each state. The tooltip of a cell has the cycles."));
    m_stalls->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_stalls->verticalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    addTab(m_stalls, tr("Stalls"));

    auto* scroll = new QScrollArea(this);
    scroll->setAccessibleName(tr("Selected node"));
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    auto* page = new QWidget(scroll);
    auto* column = new QVBoxLayout(page);
    m_node = new QLabel(page);
    m_node->setObjectName(QStringLiteral("npu.node"));
    m_node->setWordWrap(true);
    m_node->setTextFormat(Qt::RichText);
    m_node->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    m_node->setAccessibleName(tr("Selected node"));
    column->addWidget(m_node);
    m_systolic = new QPushButton(icon(QStringLiteral("systolic")), tr("Open in the Systolic lens"), page);
    m_systolic->setObjectName(QStringLiteral("npu.openSystolic"));
    m_systolic->setToolTip(tr("Show this MatMul tile cycle by cycle on a systolic array."));
    connect(m_systolic, &QPushButton::clicked, this, [this] {
        if (m_state.result() && m_state.node())
            openInSystolic(m_context.workspace, *m_state.result()->graph, *m_state.node());
    });
    column->addWidget(m_systolic);
    column->addStretch(1);
    scroll->setWidget(page);
    addTab(scroll, tr("Node"));
    addTab(new NpuOperators(state, this), tr("Operators"));

    m_listPage = page = new QWidget(this);
    column = new QVBoxLayout(page);
    column->setContentsMargins(4, 4, 4, 4);
    m_core = new QComboBox(page);
    m_core->setObjectName(QStringLiteral("npu.instructionCore"));
    m_core->setAccessibleName(tr("Core"));
    m_core->setToolTip(tr("Core whose instructions are listed."));
    column->addWidget(m_core);
    m_instructions = new TableModel(this);
    m_list = new QTableView(page);
    m_list->setObjectName(QStringLiteral("npu.instructions"));
    m_list->setToolTip(
        tr("The program of the core. Its replay reproduces the timeline. A click moves the cursor."));
    m_list->setModel(m_instructions);
    m_list->setAccessibleName(tr("Instructions"));
    m_list->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_list->setSelectionMode(QAbstractItemView::SingleSelection);
    m_list->verticalHeader()->hide();
    m_list->horizontalHeader()->setStretchLastSection(true);
    column->addWidget(m_list, 1);
    addTab(page, tr("Instructions"));

    page = new QWidget(this);
    column = new QVBoxLayout(page);
    column->setContentsMargins(4, 4, 4, 4);
    m_verify = new QPushButton(icon(QStringLiteral("ok")), tr("Verify"), page);
    m_verify->setObjectName(QStringLiteral("npu.verify"));
    m_verify->setToolTip(
        tr("Check every rule of the tile graph and of this run, including the replay of the instructions."));
    connect(m_verify, &QPushButton::clicked, this, [this] { m_state.verify(); });
    column->addWidget(m_verify);
    m_checks = new QListWidget(page);
    m_checks->setObjectName(QStringLiteral("npu.checks"));
    m_checks->setAccessibleName(tr("Verified rules"));
    m_checks->setWordWrap(true);
    column->addWidget(m_checks, 1);
    addTab(page, tr("Checks"));

    m_job = std::make_unique<LatestJob<Made>>([this](Made made) {
        m_made = std::move(made);
        refreshInstructions();
    });
    connect(m_core, &QComboBox::currentIndexChanged, this, &NpuSide::refreshInstructions);
    connect(this, &QTabWidget::currentChanged, this, &NpuSide::refreshInstructions);
    connect(m_list->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& now) {
                if (!now.isValid() || m_following)
                    return;
                const npu::Instruction& i = (*m_program)[static_cast<std::size_t>(now.row())];
                m_following = true; // a click in the list moves the cursor, which must not scroll the list
                m_state.selectNode(i.node);
                m_state.setCursor(i.issued);
                m_following = false;
            });
    connect(&m_state, &NpuDocument::resultChanged, this, [this] {
        refreshStalls();
        refreshNode();
        refreshInstructions();
    });
    connect(&context.themes, &ThemeSource::changed, this,
            &NpuSide::refreshStalls); // updates the colours of the samples
    connect(&m_state, &NpuDocument::nodeChanged, this, &NpuSide::refreshNode);
    connect(&m_state, &NpuDocument::checksChanged, this, &NpuSide::refreshChecks);
    connect(&m_state, &NpuDocument::cursorChanged, this, &NpuSide::followCursor);
    refreshStalls();
    refreshNode();
    refreshChecks();
}

void NpuSide::settle()
{
    refreshInstructions();
    m_job->waitIdle();
}

void NpuSide::refreshStalls()
{
    const NpuResultPtr& r = m_state.result();
    if (!r)
        return m_shares->setTable({});
    const auto& cores = r->run->cores;
    Table table;
    const int core = m_core->currentIndex();
    const QSignalBlocker quiet(m_core);
    m_core->clear();
    table.columns.push_back({tr("All"), ColumnKind::Percent});
    for (std::size_t c = 0; c < cores.size(); ++c) {
        m_core->addItem(tr("Core %1").arg(c));
        table.columns.push_back({tr("Core %1").arg(c), ColumnKind::Percent});
    }
    m_core->setCurrentIndex(std::clamp(core, 0, m_core->count() - 1));
    const double makespan = static_cast<double>(std::max<npu::Cycle>(1, r->run->makespan));
    for (std::size_t s = 0; s < npu::kCoreStates; ++s) {
        std::vector<TableCell> row;
        const auto add = [&](npu::Cycle cycles, std::size_t of) {
            const double share = static_cast<double>(cycles) / makespan / static_cast<double>(of);
            row.push_back(TableCell(share, percent(share), {}, counted(cycles, tr("cycle"), tr("cycles"))));
        };
        add(r->sums[s], cores.size());
        for (const npu::CoreRun& c : cores)
            add(c.of(static_cast<npu::CoreState>(s)), 1);
        table.add(std::move(row));
    }
    m_shares->setTable(std::move(table));
    m_stalls->resizeColumnsToContents();
}

QString NpuSide::stallsAsText(const NpuResult& r)
{
    QString out = QStringLiteral("core");
    for (std::size_t s = 0; s < npu::kCoreStates; ++s)
        out += QLatin1Char('\t') + word(npu::toString(static_cast<npu::CoreState>(s)));
    out += QLatin1Char('\n');
    for (std::size_t c = 0; c < r.run->cores.size(); ++c) {
        out += QString::number(c);
        for (const npu::Cycle cycles : r.run->cores[c].cycles)
            out += QLatin1Char('\t') + QString::number(cycles);
        out += QLatin1Char('\n');
    }
    return out;
}

void NpuSide::refreshNode()
{
    const NpuResultPtr& r = m_state.result();
    const auto node = m_state.node();
    const bool known = r && node && *node < r->graph->nodes.size();
    m_node->setText(
        known ? nodeCard(*r, *node)
              : tr("Click the work of a tile in the chart or a cell of the tile graph to see its details."));
    m_systolic->setVisible(known && isGemm(*r->graph, *node));
}

void NpuSide::refreshInstructions()
{
    const NpuResultPtr& r = m_state.result();
    const QScopedValueRollback following(m_following, true);
    m_program = std::make_shared<const std::vector<npu::Instruction>>();
    m_instructions->setTable(instructionTable(r, m_program));
    if (!r || currentWidget() != m_listPage)
        return;
    if (m_made.first != r) {
        if (std::exchange(m_requestedResult, r) != r)
            m_job->request([r](std::stop_token) {
                return Made(r, std::make_shared<const Programs>(npu::instructionsOf(*r->graph, *r->run)));
            });
        return;
    }
    const auto core = static_cast<std::size_t>(std::max(0, m_core->currentIndex()));
    m_program = {m_made.second, &(*m_made.second)[core]};
    m_instructions->setTable(instructionTable(r, m_program));
    m_list->setColumnWidth(0, m_list->fontMetrics().horizontalAdvance(ui::number(r->run->makespan)) + 18);
    m_list->setColumnWidth(1, m_list->fontMetrics().horizontalAdvance(QStringLiteral("TSOFTMAX")) + 16);
    m_following = false;
    followCursor();
}

void NpuSide::followCursor()
{
    if (m_following || !m_state.cursor())
        return;
    const int row = rowAt(*m_program, *m_state.cursor());
    if (row < 0)
        return;
    const QScopedValueRollback following(m_following, true);
    m_list->setCurrentIndex(m_instructions->index(row, 0));
    m_list->scrollTo(m_list->currentIndex());
}

void NpuSide::refreshChecks()
{
    const bool running = m_state.isVerifying();
    m_verify->setEnabled(m_state.result() && !running);
    m_verify->setText(running ? tr("Verifying …") : tr("Verify"));
    m_checks->clear();
    const auto& checks = m_state.checks();
    if (checks.empty()) {
        m_checks->addItem(running ? tr("Checking every rule …") : tr("Not verified yet."));
        return;
    }
    const auto passed = std::count_if(checks.begin(), checks.end(), [](const auto& c) { return c.passed; });
    m_checks->addItem(tr("%1 of %2 rules hold").arg(passed).arg(checks.size()));
    for (const npu::RuleCheck& c : checks) {
        auto* item = new QListWidgetItem(
            icon(c.passed ? QStringLiteral("ok") : QStringLiteral("error")),
            (c.passed ? tr("holds: %1 – %2") : tr("BROKEN: %1 – %2"))
                .arg(QString::fromStdString(c.rule).replace(QLatin1Char('_'), QLatin1Char(' ')),
                     QString::fromStdString(c.text)));
        m_checks->addItem(item);
    }
}

} // namespace tilewright::ui
