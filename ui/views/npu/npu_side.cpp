// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/npu/npu_side.h"

#include "theme/icon.h"
#include "theme/number.h"
#include "theme/text_row.h"
#include "views/npu/npu_text.h"

#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QListWidget>
#include <QPainter>
#include <QPushButton>
#include <QScrollArea>
#include <QTableView>
#include <QTableWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace tilewright::ui {

// -- instructions ----------------------------------------------------------------------------------------

void InstructionModel::set(NpuResultPtr result, std::shared_ptr<const Programs> programs, std::size_t core)
{
    beginResetModel();
    m_result = std::move(result);
    m_programs = std::move(programs);
    m_core = core;
    endResetModel();
}

const npu::Instruction* InstructionModel::at(int row) const
{
    if (!m_programs || m_core >= m_programs->size() || row < 0 || row >= rowCount())
        return nullptr;
    return &(*m_programs)[m_core][static_cast<std::size_t>(row)];
}

int InstructionModel::rowAt(npu::Cycle time) const
{
    // Rows are in program order, in which loads of the next node may be issued early.
    int best = -1;
    npu::Cycle latest = -1;
    for (int i = 0; i < rowCount(); ++i)
        if (at(i)->issued <= time && at(i)->issued >= latest) {
            latest = at(i)->issued;
            best = i;
        }
    return best;
}

int InstructionModel::rowCount(const QModelIndex& parent) const
{
    if (parent.isValid() || !m_programs || m_core >= m_programs->size())
        return 0;
    return static_cast<int>((*m_programs)[m_core].size());
}

int InstructionModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : 3;
}

QVariant InstructionModel::data(const QModelIndex& index, int role) const
{
    const npu::Instruction* i = at(index.row());
    if (!i)
        return {};
    if (role == Qt::TextAlignmentRole && index.column() == 0)
        return QVariant(Qt::AlignRight | Qt::AlignVCenter);
    if (role == Qt::ToolTipRole)
        return nodeTooltip(*m_result, i->node);
    if (role != Qt::DisplayRole)
        return {};
    switch (index.column()) {
    case 0:
        return ui::number(i->issued);
    case 1:
        return word(npu::toString(i->opcode));
    default:
        return i->tile == npu::kNone ? nodeText(*m_result->graph, i->node)
                                     : tileText(*m_result->graph, i->tile);
    }
}

QVariant InstructionModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    return section == 0 ? tr("Cycle") : section == 1 ? tr("Opcode") : tr("Tile or node");
}

// -- the tabs --------------------------------------------------------------------------------------------

NpuSide::NpuSide(const ViewContext& context, NpuDocument& state, QWidget* parent)
    : QTabWidget(parent), m_context(context), m_state(state)
{
    setObjectName(QStringLiteral("npu.side"));
    setAccessibleName(tr("Details of the run"));
    setDocumentMode(true);
    setUsesScrollButtons(true);

    m_stalls = new QTableWidget(this);
    m_stalls->setObjectName(QStringLiteral("npu.stalls"));
    m_stalls->setAccessibleName(tr("Cycles of each core by state"));
    m_stalls->setToolTip(tr(
        "Share of the makespan that each core spent in each state; the tooltip of a cell has the cycles."));
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
    m_systolic->setToolTip(tr("Look at this MatMul tile cycle by cycle on a systolic array."));
    connect(m_systolic, &QPushButton::clicked, this, [this] {
        if (m_state.result() && m_state.node())
            openInSystolic(m_context.workspace, *m_state.result()->graph, *m_state.node());
    });
    column->addWidget(m_systolic);
    column->addStretch(1);
    scroll->setWidget(page);
    addTab(scroll, tr("Node"));

    page = new QWidget(this);
    column = new QVBoxLayout(page);
    column->setContentsMargins(4, 4, 4, 4);
    m_core = new QComboBox(page);
    m_core->setObjectName(QStringLiteral("npu.instructionCore"));
    m_core->setAccessibleName(tr("Core"));
    m_core->setToolTip(tr("Whose instructions are listed."));
    column->addWidget(m_core);
    m_instructions = new InstructionModel(this);
    m_list = new QTableView(page);
    m_list->setObjectName(QStringLiteral("npu.instructions"));
    m_list->setAccessibleName(tr("Instructions"));
    m_list->setToolTip(
        tr("Program of the core; its replay reproduces the timeline. A click moves the cursor."));
    m_list->setModel(m_instructions);
    m_list->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_list->setSelectionMode(QAbstractItemView::SingleSelection);
    m_list->verticalHeader()->hide();
    m_list->verticalHeader()->setDefaultSectionSize(m_list->fontMetrics().height() + 4);
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
                const npu::Instruction* i = m_instructions->at(now.row());
                if (!i || m_following)
                    return;
                m_following = true; // the list leads, it does not follow
                m_state.selectNode(i->node);
                m_state.setCursor(i->issued);
                m_following = false;
            });
    connect(&m_state, &NpuDocument::resultChanged, this, [this] {
        refreshStalls();
        refreshNode();
        refreshInstructions();
    });
    connect(&context.themes, &ThemeSource::changed, this, &NpuSide::refreshStalls); // its swatches
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
    if (!r) {
        m_stalls->setRowCount(0);
        return;
    }
    const auto& cores = r->run->cores;
    const int n = static_cast<int>(cores.size());
    m_stalls->setRowCount(static_cast<int>(npu::kCoreStates));
    m_stalls->setColumnCount(n + 1);
    QStringList columns;
    for (int c = 0; c < n; ++c)
        columns << tr("Core %1").arg(c);
    columns << tr("All");
    m_stalls->setHorizontalHeaderLabels(columns);
    const double makespan = static_cast<double>(std::max<npu::Cycle>(1, r->run->makespan));
    for (int s = 0; s < static_cast<int>(npu::kCoreStates); ++s) {
        const auto state = static_cast<npu::CoreState>(s);
        auto* head = new QTableWidgetItem(stateName(state));
        QPixmap swatch(14, 14);
        swatch.fill(Qt::transparent);
        QPainter painter(&swatch);
        fillState(painter, QRectF(0, 0, 14, 14), state, m_context.themes.theme());
        painter.end();
        head->setIcon(swatch);
        m_stalls->setVerticalHeaderItem(s, head);
        for (int c = 0; c <= n; ++c) {
            const npu::Cycle cycles =
                c < n ? cores[static_cast<std::size_t>(c)].of(state) : r->sums[static_cast<std::size_t>(s)];
            auto* item =
                new QTableWidgetItem(percent(static_cast<double>(cycles) / makespan / (c < n ? 1 : n)));
            item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
            item->setToolTip(counted(cycles, tr("cycle"), tr("cycles")));
            m_stalls->setItem(s, c, item);
        }
    }
    m_stalls->resizeColumnsToContents();
    const int core = m_core->currentIndex();
    m_core->blockSignals(true);
    m_core->clear();
    for (int c = 0; c < n; ++c)
        m_core->addItem(tr("Core %1").arg(c));
    m_core->setCurrentIndex(std::clamp(core, 0, n - 1));
    m_core->blockSignals(false);
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
    m_node->setText(known
                        ? nodeTooltip(*r, *node)
                        : tr("Click a tile's work in the chart or a cell of the tile graph to see everything "
                             "about it."));
    m_systolic->setVisible(known && isGemm(*r->graph, *node));
}

void NpuSide::refreshInstructions()
{
    const NpuResultPtr& r = m_state.result();
    if (!r || currentIndex() != 2) {
        m_instructions->set(nullptr, nullptr, 0);
        return;
    }
    if (m_made.first != r) {
        m_instructions->set(nullptr, nullptr, 0);
        if (m_asked != r) {
            m_asked = r;
            m_job->request([r](std::stop_token) {
                return Made(r, std::make_shared<const InstructionModel::Programs>(
                                   npu::instructionsOf(*r->graph, *r->run)));
            });
        }
        return;
    }
    m_following = true;
    m_instructions->set(r, m_made.second, static_cast<std::size_t>(std::max(0, m_core->currentIndex())));
    m_list->setColumnWidth(0, m_list->fontMetrics().horizontalAdvance(ui::number(r->run->makespan)) + 18);
    m_list->setColumnWidth(1, m_list->fontMetrics().horizontalAdvance(QStringLiteral("TSOFTMAX")) + 16);
    m_following = false;
    followCursor();
}

void NpuSide::followCursor()
{
    if (m_following || !m_state.cursor() || m_instructions->rowCount() == 0)
        return;
    const int row = m_instructions->rowAt(*m_state.cursor());
    if (row < 0)
        return;
    m_following = true;
    const QModelIndex index = m_instructions->index(row, 0);
    m_list->setCurrentIndex(index);
    m_list->scrollTo(index);
    m_following = false;
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
