// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/summary/summary_view.h"

#include "canvas/control_bar.h"
#include "canvas/number_box.h"
#include "panels/summary/summary_tables.h"
#include "theme/icon.h"
#include "theme/text.h"

#include <QAction>
#include <QHeaderView>
#include <QLabel>
#include <QSplitter>
#include <QTabWidget>
#include <QTableView>
#include <QToolButton>
#include <QTreeView>
#include <QVBoxLayout>

#include <algorithm>

namespace tilewright::ui {

using verbs::SummaryFigure;
using verbs::SummaryKind;
using State = verbs::SummaryRow::State;

SummaryView::SummaryView(const ViewContext& context, QWidget* parent)
    : View(context, QStringLiteral("summary"), tr("Summary"), parent), m_headline(new QLabel(this)),
      m_bar(new ControlBar(this)), m_seconds(new DecimalBox(this)),
      m_rows(new TableModel(
          this,
          [this](int row, int column, int role) {
              if (role != Qt::ForegroundRole || row < 0 || column < SummaryFirstFigure)
                  return QVariant();
              const auto kind = kindOf(row);
              const bool isSilent = column < SummaryFirstFigure + int(verbs::kSummaryFigures) &&
                                    !figuresOf(row)[std::size_t(column - SummaryFirstFigure)];
              const bool failed = kind && m_summary.rows[indexOf(*kind)].state == State::Failed;
              return isSilent ? QVariant(failed ? theme().error : theme().muted) : QVariant();
          })),
      m_halves(new QSplitter(Qt::Vertical, this)), m_table(new QTableView), m_pages(new QTabWidget),
      m_about(new QLabel), m_explained(new ExplanationModel(this)), m_tree(new QTreeView),
      m_layerRows(new TableModel(this)), m_layerName(new QLabel), m_layer(new QTableView)
{
    m_pool.setMaxThreadCount(2);
    for (const SummaryKind kind : verbs::kSummaryKinds)
        m_jobs[indexOf(kind)] =
            std::make_unique<Job>([this, kind](Row row) { deliver(kind, std::move(row)); }, true, &m_pool);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(8, 8, 8, 4);
    column->setSpacing(4);
    for (QLabel* label : {m_headline, m_about, m_layerName}) {
        label->setWordWrap(true);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    }
    m_headline->setObjectName(QStringLiteral("summary.headline"));
    m_about->setObjectName(QStringLiteral("summary.about"));
    m_layerName->setObjectName(QStringLiteral("summary.layer"));
    column->addWidget(m_headline);
    addCommands();
    column->addWidget(m_bar);
    m_halves->setChildrenCollapsible(false);
    column->addWidget(m_halves, 1);

    m_rows->alignHeadings();
    m_rows->setTable(emptySummaryTable());
    asList(*m_table, tr("Figures of every lens"), *m_rows);
    m_table->setSelectionBehavior(QAbstractItemView::SelectItems);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setAlternatingRowColors(true);
    m_table->setTabKeyNavigation(false);
    m_table->setMinimumHeight(1);
    m_table->setContextMenuPolicy(Qt::CustomContextMenu);
    m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_table->horizontalHeader()->setSectionResizeMode(SummaryLeftOut, QHeaderView::Stretch);
    m_halves->addWidget(m_table);
    connect(m_table, &QWidget::customContextMenuRequested, this, &SummaryView::showMenu);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentChanged, this, &SummaryView::explain);
    connect(m_table, &QTableView::activated, this, [this](const QModelIndex& cell) { // Enter, double click
        if (const auto kind = kindOf(cell.row());
            kind && m_summary.rows[indexOf(*kind)].state != State::Done && !isRunning(*kind))
            run(*kind);
    });

    auto* explanation = new QWidget;
    auto* below = new QVBoxLayout(explanation);
    below->setContentsMargins(0, 4, 0, 0);
    below->addWidget(m_about);
    m_tree->setModel(m_explained);
    m_tree->setAccessibleName(tr("What the figure is made of"));
    m_tree->setAlternatingRowColors(true);
    m_tree->setUniformRowHeights(true);
    m_tree->setFrameShape(QFrame::NoFrame);
    m_tree->setMinimumHeight(1);
    m_tree->header()->setSectionResizeMode(QHeaderView::ResizeToContents);
    below->addWidget(m_tree, 1);
    m_pages->setAccessibleName(tr("What the figure is made of, and the selected operator"));
    m_pages->addTab(explanation, tr("What the figure is made of"));
    auto* layer = new QWidget;
    auto* lenses = new QVBoxLayout(layer);
    lenses->setContentsMargins(0, 4, 0, 0);
    lenses->addWidget(m_layerName);
    m_layerRows->alignHeadings();
    m_layerRows->setTable(layerTable({}, {}));
    asList(*m_layer, tr("The selected operator in every lens"), *m_layerRows);
    m_layer->setAlternatingRowColors(true);
    m_layer->setTabKeyNavigation(false);
    m_layer->setMinimumHeight(1);
    m_layer->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    lenses->addWidget(m_layer, 1);
    m_pages->addTab(layer, tr("One layer in four lenses"));
    m_halves->addWidget(m_pages);
    m_halves->setStretchFactor(0, 3);
    m_halves->setStretchFactor(1, 2);

    document().whenChanged(this, Part::Problem | Part::Machine | Part::RuleSet | Part::Snapshot,
                           &SummaryView::outdate);
    connect(&selection(), &Selection::changed, this, [this] {
        if (isSeen())
            showLayer();
    });
    bringUpToDate();
}

SummaryView::~SummaryView()
{
    for (auto& job : m_jobs) // each asks its work to stop; the pool waits for the end
        job.reset();
}

verbs::SummarySubject SummaryView::subject() const
{
    verbs::SummarySubject out;
    out.model = m_model;
    out.workload.workload = m_model->workload;
    out.workload.machine = m_model->machine;
    out.workload.file = document().problemPath().toStdString();
    out.rules = document().rules();
    out.rulesReason = document().rulesReason().toStdString();
    out.schedule = document().schedule();
    out.solve = m_seconds->value();
    return out;
}

bool SummaryView::isRunning(SummaryKind kind) const
{
    return m_jobs[indexOf(kind)]->isBusy();
}

void SummaryView::reset()
{
    for (auto& job : m_jobs)
        job->cancel();
    m_summary = m_model ? verbs::emptySummary(subject()) : verbs::Summary();
    m_explained->clear();
    m_about->clear();
    m_done = {};
}

void SummaryView::bringUpToDate()
{
    const lower::ModelOnMachinePtr& model = document().lensModel();
    if (m_model != model || (model && m_summary.rows.empty())) {
        m_model = model;
        reset();
        if (m_model)
            run(SummaryKind::Systolic);
    }
    if (m_model)
        run(SummaryKind::Schedule); // the only row that an edit changes
    showRows();
    showLayer();
}

void SummaryView::settle()
{
    for (const SummaryKind kind : {SummaryKind::Schedule, SummaryKind::Systolic})
        m_jobs[indexOf(kind)]->waitIdle();
}

void SummaryView::run(SummaryKind kind)
{
    m_seconds->interpretText();
    const std::size_t at = indexOf(kind);
    m_done[at] = 0;
    const auto report = m_jobs[at]->reporter();
    m_jobs[at]->request([this, report, kind, at, subject = subject()](const std::stop_token& stop) {
        double told = 0;
        return verbs::summaryRow(subject, kind, {stop, [&](double fraction, std::string_view) {
                                                     constexpr double kStep = 0.01;
                                                     if (fraction < told + kStep)
                                                         return;
                                                     told = fraction;
                                                     report([this, at, fraction] {
                                                         m_done[at] = fraction;
                                                         showRows();
                                                     });
                                                 }});
    });
    if (kind != SummaryKind::Schedule && kind != SummaryKind::Systolic)
        showRows();
}

void SummaryView::toggle(SummaryKind kind)
{
    if (isRunning(kind))
        m_jobs[indexOf(kind)]->finishEarly(); // a search gives the best so far
    else
        run(kind);
}

void SummaryView::deliver(SummaryKind kind, Row row)
{
    // What was stopped before it had a result has not been run.
    if (row.state == State::Failed && row.interrupted)
        row = verbs::rowNotRun(kind);
    m_summary.rows[indexOf(kind)] = std::move(row);
    showRows();
    showLayer();
    if (m_table->currentIndex().row() == tableRow(kind))
        explain(m_table->currentIndex());
}

QToolButton* SummaryView::button(SummaryKind kind) const
{
    return m_buttons[indexOf(kind)];
}

int SummaryView::tableRow(SummaryKind kind) const
{
    return static_cast<int>(m_summary.floors.size() + indexOf(kind));
}

std::optional<SummaryKind> SummaryView::kindOf(int tableRow) const
{
    const int row = tableRow - static_cast<int>(m_summary.floors.size());
    if (row < 0 || row >= static_cast<int>(m_summary.rows.size()))
        return std::nullopt;
    return verbs::kSummaryKinds[static_cast<std::size_t>(row)];
}

const verbs::SummaryFigures& SummaryView::figuresOf(int tableRow) const
{
    static const verbs::SummaryFigures kNone;
    if (const auto kind = kindOf(tableRow))
        return m_summary.rows[indexOf(*kind)].figures;
    return tableRow >= 0 && tableRow < static_cast<int>(m_summary.floorFigures.size())
               ? m_summary.floorFigures[static_cast<std::size_t>(tableRow)]
               : kNone;
}

QString SummaryView::about(int tableRow) const
{
    const auto kind = kindOf(tableRow);
    if (!kind)
        return tr(
            "The least cycles that any lens can reach on these cores: all products at the largest rate of "
            "the arrays, or the bytes that must move at the bandwidth of the external memory (R19).");
    const Row& row = m_summary.rows[indexOf(*kind)];
    if (row.state == State::Failed)
        return sentence(row.error);
    if (row.state == State::NotRun)
        return tr("This row has not been run.");
    QStringList parts{wholeSentence(row.how), wholeSentence(tr("Binds: ").toStdString() + row.binds)};
    for (const std::string& leftOut : row.leftOut)
        parts << wholeSentence(tr("Leaves out: ").toStdString() + leftOut);
    return parts.join(QLatin1Char(' '));
}

void SummaryView::showRows()
{
    Table out = emptySummaryTable();
    const auto add = [&](const QString& title, int tableRow, const QString& cycles, const QString& binds,
                         const QString& bindsTip, const QString& leftOut) {
        std::vector<TableCell> cells{title, QString()};
        const verbs::SummaryFigures& figures = figuresOf(tableRow);
        const auto kind = kindOf(tableRow);
        for (const verbs::SummaryColumn& column : verbs::summaryColumns()) {
            const auto& figure = figures[static_cast<std::size_t>(column.figure)];
            if (column.figure == SummaryFigure::Cycles && !cycles.isEmpty())
                cells.emplace_back(TableValue(), cycles);
            else if (figure)
                cells.emplace_back(figure->value, verbs::figureText(column.figure, figure->value));
            else
                cells.emplace_back(TableValue(),
                                   kind ? m_summary.rows[indexOf(*kind)].text(column.figure) : std::string());
        }
        cells.emplace_back(binds, binds, std::nullopt, plain(bindsTip));
        cells.emplace_back(leftOut, leftOut, std::nullopt, plain(leftOut));
        out.add(std::move(cells));
    };
    for (std::size_t i = 0; i < m_summary.floors.size(); ++i) {
        const lower::Floor& floor = m_summary.floors[i];
        add(tr("Floor on %1").arg(counted(floor.cores, tr("core"), tr("cores"))), static_cast<int>(i), {},
            floor.boundByMemory() ? tr("memory") : tr("compute"), {}, {});
    }
    for (const Row& row : m_summary.rows) {
        const bool isShort = row.kind == SummaryKind::Schedule || row.kind == SummaryKind::Systolic;
        QString cycles;
        if (isRunning(row.kind) && (!isShort || row.state == State::NotRun))
            cycles = tr("running, %1").arg(percent(m_done[indexOf(row.kind)]));
        QStringList leftOut;
        for (const std::string& part : row.leftOut)
            leftOut << QString::fromStdString(part);
        add(text(verbs::titleOf(row.kind)), tableRow(row.kind), cycles,
            QString::fromStdString(row.bindsInShort()), QString::fromStdString(row.binds),
            leftOut.join(QStringLiteral("; ")));
    }
    m_rows->setTable(std::move(out));
    showButtons();
    if (!m_table->currentIndex().isValid() && !m_summary.floors.empty())
        m_table->setCurrentIndex(m_rows->index(0, SummaryFirstFigure)); // the floor is explained at first
    if (m_summary.floors.empty()) {
        m_headline->setText(tr("No model is open."));
    } else {
        const lower::Floor& floor = m_summary.floors.front();
        m_headline->setText(rich(
            tr("<b>%1</b> on %2: no lens takes fewer than <b>%3</b> cycles on %4 (the floor, bound by %5).")
                .arg(QString::fromStdString(m_summary.model).toHtmlEscaped(),
                     QString::fromStdString(m_summary.machine).toHtmlEscaped(), number(floor.cycles.value),
                     counted(floor.cores, tr("core"), tr("cores")),
                     floor.boundByMemory() ? tr("memory") : tr("compute"))));
    }
    const auto& solved = m_summary.rows.empty() ? nullptr : m_summary.rows[1].solved;
    Actions::setAvailable(m_apply,
                          {solved != nullptr, tr("No schedule has been searched in the Summary yet.")});
}

void SummaryView::showButtons()
{
    for (const Row& row : m_summary.rows) {
        const SummaryKind kind = row.kind;
        if (kind == SummaryKind::Schedule || kind == SummaryKind::Systolic)
            continue; // always current
        const QModelIndex cell = m_rows->index(tableRow(kind), SummaryButton);
        QToolButton*& button = m_buttons[indexOf(kind)];
        if (m_table->indexWidget(cell) == nullptr) { // the table was reset, which deletes the buttons
            button = new QToolButton;
            button->setObjectName(QStringLiteral("summary.run.%1").arg(text(toString(kind))));
            button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
            button->setAutoRaise(true);
            m_table->setIndexWidget(cell, button);
            connect(button, &QToolButton::clicked, this, [this, kind] { toggle(kind); });
        }
        const bool running = isRunning(kind);
        const QString word = running                      ? tr("Cancel")
                             : row.state == State::NotRun ? tr("Run")
                                                          : tr("Run again");
        button->setText(word);
        button->setIcon(icon(running ? QStringLiteral("stop") : QStringLiteral("play")));
        button->setAccessibleName(tr("%1: %2").arg(word, text(verbs::titleOf(kind))));
        button->setToolTip(plain(running ? tr("Stop; a search keeps the best result so far.")
                                         : tr("Compute the row \"%1\".").arg(text(verbs::titleOf(kind)))));
    }
    if (m_summary.rows.empty())
        m_buttons = {};
}

void SummaryView::explain(const QModelIndex& cell)
{
    if (!cell.isValid())
        return;
    m_about->setText(plain(about(cell.row())));
    const int figure =
        std::clamp(cell.column() - int(SummaryFirstFigure), 0, int(verbs::kSummaryFigures) - 1);
    const auto& value = figuresOf(cell.row())[static_cast<std::size_t>(figure)];
    if (!value) {
        m_explained->clear();
        return;
    }
    m_explained->setExplanation(*value);
    m_tree->expandToDepth(1);
}

void SummaryView::showLayer()
{
    std::optional<OperatorId> op;
    const auto& ops = selection().state().ops;
    if (m_model && !ops.empty() && ops.begin()->index() < m_model->lowered.source.size())
        op = m_model->operatorOf(*ops.begin());
    m_layerName->setText(
        op ? rich(tr("<b>%1</b>, %2: its figures in every row that has been run.")
                      .arg(QString::fromStdString(m_model->model().operators[*op].name).toHtmlEscaped(),
                           text(m_model->model().operators[*op].typeName()).toHtmlEscaped()))
           : tr("Select an operator, for example in the graph, to see its figures in every lens."));
    m_layerRows->setTable(layerTable(m_summary, op));
}

void SummaryView::resizeEvent(QResizeEvent* event)
{
    View::resizeEvent(event);
    constexpr int kLowLines = 22;
    const bool isLow = height() < kLowLines * fontMetrics().height() && width() > 2 * height();
    m_halves->setOrientation(isLow ? Qt::Horizontal : Qt::Vertical);
}

} // namespace tilewright::ui
