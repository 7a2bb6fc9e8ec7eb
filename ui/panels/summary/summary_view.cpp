// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/summary/summary_view.h"

#include "base/file.h"
#include "canvas/control_bar.h"
#include "canvas/number_box.h"
#include "theme/icon.h"
#include "theme/text.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QFileDialog>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
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

namespace {

enum Column : std::uint8_t {
    Name,
    Button,
    FirstFigure,
    Binds = FirstFigure + verbs::kSummaryFigures,
    LeftOut
};
constexpr double kSolveSeconds = 10, kLongestSolve = 3600;

std::size_t indexOf(SummaryKind kind)
{
    return static_cast<std::size_t>(kind);
}

QString text(std::string_view utf8)
{
    return QString::fromUtf8(utf8.data(), static_cast<qsizetype>(utf8.size()));
}

QString tipOf(SummaryFigure figure)
{
    switch (figure) {
    case SummaryFigure::Cycles:
        return tr("Cycles of the machine's clock. Click a figure to see what it is made of.");
    case SummaryFigure::Milliseconds:
        return tr("Time at the machine's clock.");
    case SummaryFigure::OfFloor:
        return tr("Multiple of the floor for the cores of the row (R19): no lens takes fewer cycles.");
    case SummaryFigure::Tops:
        return tr("Multiplications and additions of all products in the time of the row.");
    case SummaryFigure::OfPeak:
        return tr("Share of the largest rate of the arrays of these cores.");
    case SummaryFigure::DramBytes:
        return tr("Bytes between external and on-chip memory.");
    case SummaryFigure::OfLeastBytes:
        return tr("Multiple of the bytes that must move: inputs that are read, and outputs.");
    case SummaryFigure::Energy:
        return tr("Energy from the machine's table of energies.");
    case SummaryFigure::Cores:
        return tr("Number of cores that the row models.");
    }
    return {};
}

Table emptyTable()
{
    Table out;
    TableColumn button{tr("Run")};
    button.copied = false;
    out.columns = {{tr("Lens")}, button};
    for (const verbs::SummaryColumn& column : verbs::summaryColumns()) {
        QString title = text(column.title);
        if (column.figure != SummaryFigure::Milliseconds) // a unit
            title[0] = title[0].toUpper();
        out.columns.push_back({title, ColumnKind::Number, tipOf(column.figure)});
    }
    out.columns.push_back({tr("Binds"), ColumnKind::Text, tr("The resource that limits the row.")});
    out.columns.push_back({tr("Leaves out"), ColumnKind::Text,
                           tr("Parts of model and machine that the figures "
                              "do not contain.")});
    return out;
}

/// The row of one lens for the selected operator.
Table layerTable(const verbs::Summary& summary, std::optional<OperatorId> op)
{
    Table out;
    out.columns = {
        {tr("Lens")},
        {tr("Cycles"), ColumnKind::Number, tr("Of this operator, or of the subgraph that runs it.")},
        {tr("DRAM bytes"), ColumnKind::Number},
        {tr("Energy µJ"), ColumnKind::Number},
        {tr("How")}};
    for (const verbs::SummaryRow& row : summary.rows) {
        const QString title = text(verbs::titleOf(row.kind));
        if (row.state != State::Done) {
            out.add(title, TableCell(TableValue(), row.state == State::NotRun ? tr("not run") : tr("error")),
                    TableValue(), TableValue(), QString());
            continue;
        }
        bool found = false;
        const auto figure = [](SummaryFigure f, const std::optional<double>& value) {
            return value ? TableCell(*value, verbs::figureText(f, *value))
                         : TableCell(TableValue(), tr("not modelled"));
        };
        for (const verbs::OperatorFigures& f : row.operators) {
            if (f.op != op)
                continue;
            found = true;
            out.add(title, figure(SummaryFigure::Cycles, f.cycles.value),
                    figure(SummaryFigure::DramBytes, f.dramBytes), figure(SummaryFigure::Energy, f.energyPj),
                    f.how);
        }
        if (!found && op)
            out.add(title, TableCell(TableValue(), tr("none")), TableValue(), TableValue(),
                    tr("This lens has no work of this operator."));
    }
    return out;
}

} // namespace

SummaryView::SummaryView(const ViewContext& context, QWidget* parent)
    : View(context, QStringLiteral("summary"), tr("Summary"), parent), m_headline(new QLabel(this)),
      m_bar(new ControlBar(this)), m_seconds(new DecimalBox(this)),
      m_rows(new TableModel(this,
                            [this](int row, int column, int role) {
                                if (role != Qt::ForegroundRole || row < 0 || column < FirstFigure)
                                    return QVariant();
                                const auto kind = kindOf(row);
                                const bool isSilent = column < FirstFigure + int(verbs::kSummaryFigures) &&
                                                      !figuresOf(row)[std::size_t(column - FirstFigure)];
                                const bool failed =
                                    kind && m_summary.rows[indexOf(*kind)].state == State::Failed;
                                return isSilent ? QVariant(failed ? theme().error : theme().muted)
                                                : QVariant();
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
    m_rows->setTable(emptyTable());
    asList(*m_table, tr("Figures of every lens"), *m_rows);
    m_table->setSelectionBehavior(QAbstractItemView::SelectItems);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setAlternatingRowColors(true);
    m_table->setTabKeyNavigation(false);
    m_table->setMinimumHeight(1);
    m_table->setContextMenuPolicy(Qt::CustomContextMenu);
    m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_table->horizontalHeader()->setSectionResizeMode(LeftOut, QHeaderView::Stretch);
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

void SummaryView::addCommands()
{
    ActionSpec all{
        QStringLiteral("summary.run"),
        tr("Solve"),
        tr("Run all rows"),
        QStringLiteral("play"),
        {},
        tr("Run the rows that have to be simulated or searched: the NPU, a schedule, the tiles of the "
           "NPU, a mapping of every layer.")};
    all.available = [&d = document()] {
        return Availability(d.hasProblem(), tr("Open a model or a problem first."));
    };
    auto* button = m_bar->addButton(addCommand(all, [this](bool) {
        catchUp();
        for (const SummaryKind kind : verbs::kSummaryKinds)
            if (m_model && m_summary.rows[indexOf(kind)].state == State::NotRun && !isRunning(kind))
                run(kind);
    }));
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_seconds->setObjectName(QStringLiteral("summary.seconds"));
    m_seconds->setRange(0.1, kLongestSolve);
    m_seconds->setDecimals(1);
    m_seconds->setSuffix(tr(" s"));
    m_seconds->setValue(kSolveSeconds);
    m_bar->addLabelled(tr("Search a schedule for"), m_seconds, tr("Time of the row \"Schedule, solved\"."));
    ActionSpec apply{QStringLiteral("summary.apply"),
                     tr("Solve"),
                     tr("Apply the schedule found"),
                     QStringLiteral("ok"),
                     {},
                     tr("Replace the schedule by the one of the row \"Schedule, solved\": one undo step.")};
    m_apply = addCommand(apply, [this](bool) { applySolved(); });
    m_bar->addButton(m_apply)->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    ActionSpec save{QStringLiteral("summary.save"),
                    tr("File"),
                    tr("Export the Summary…"),
                    QStringLiteral("export"),
                    {},
                    tr("Write the table as CSV, or as JSON with what every figure is made of.")};
    save.available = all.available;
    m_bar->addButton(addCommand(save, [this](bool) { saveTable(); }));
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
    Table out = emptyTable();
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
        m_table->setCurrentIndex(m_rows->index(0, FirstFigure)); // the floor is explained at first
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
        const QModelIndex cell = m_rows->index(tableRow(kind), Button);
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
    const int figure = std::clamp(cell.column() - int(FirstFigure), 0, int(verbs::kSummaryFigures) - 1);
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

void SummaryView::showMenu(const QPoint& position)
{
    const QModelIndex cell = m_table->indexAt(position);
    QMenu menu(this);
    menu.setObjectName(QStringLiteral("summary.menu"));
    if (cell.isValid()) {
        m_table->setCurrentIndex(cell);
        menu.addAction(icon(QStringLiteral("copy")), tr("Copy the figure"), this, [cell] {
            QApplication::clipboard()->setText(cell.data(TableModel::ExactRole).toString());
        });
        menu.addAction(tr("Copy what it is made of"), this,
                       [this] {
                           if (const ExplainedValue* e = m_explained->explanation())
                               QApplication::clipboard()->setText(
                                   QString::fromStdString(explanationText(*e)));
                       })
            ->setEnabled(m_explained->explanation() != nullptr);
        if (const auto kind = kindOf(cell.row()); kind && m_buttons[indexOf(*kind)])
            menu.addAction(m_buttons[indexOf(*kind)]->icon(), m_buttons[indexOf(*kind)]->text(), this,
                           [this, kind] { toggle(*kind); });
        menu.addSeparator();
    }
    menu.addAction(tr("Copy the table"), this, [this] { QApplication::clipboard()->setText(copyText()); });
    for (const char* id : {"summary.save", "file.export"})
        if (QAction* action = registry().find(QLatin1String(id)))
            menu.addAction(action);
    menu.exec(m_table->viewport()->mapToGlobal(position));
}

Status SummaryView::exportTable(const QString& path) const
{
    const std::span<const verbs::Summary> one(&m_summary, m_summary.rows.empty() ? 0 : 1);
    const bool isCsv = path.endsWith(QLatin1String(".csv"), Qt::CaseInsensitive);
    return writeFileAtomically(path.toStdString(),
                               isCsv ? verbs::summaryCsv(one) : verbs::summaryJson(one, true));
}

void SummaryView::saveTable()
{
    const QString path = QFileDialog::getSaveFileName(this, tr("Export the Summary"), tr("summary.csv"),
                                                      tr("CSV (*.csv);;JSON (*.json)"));
    if (path.isEmpty())
        return;
    if (const Status done = exportTable(path); !done)
        m_about->setText(plain(sentence(done.error().text())));
}

void SummaryView::applySolved()
{
    if (m_summary.rows.empty() || !m_summary.rows[1].solved)
        return;
    document().waitForSnapshot();
    if (const SnapshotPtr before = document().snapshot(); before && before->evaluation.valid())
        document().addBaseline(tr("Before the Summary's search"), before);
    document().apply(*m_summary.rows[1].solved, tr("Schedule of the Summary"));
}

void SummaryView::resizeEvent(QResizeEvent* event)
{
    View::resizeEvent(event);
    constexpr int kLowLines = 22;
    const bool isLow = height() < kLowLines * fontMetrics().height() && width() > 2 * height();
    m_halves->setOrientation(isLow ? Qt::Horizontal : Qt::Vertical);
}

QSize SummaryView::exportSize() const
{
    const QSize size(1280, 520);
    return (size * std::max(1.0, fontMetrics().height() / 17.0)).expandedTo(size);
}

QString SummaryView::tableText() const
{
    const Table& table = m_rows->table();
    QStringList lines;
    for (int row = TableModel::kHeading; row < static_cast<int>(table.rowCount()); ++row) {
        QStringList cells;
        for (std::size_t c = 0; c < table.columns.size(); ++c)
            if (table.columns[c].copied)
                cells << QString::fromStdString(row == TableModel::kHeading
                                                    ? table.heading(c)
                                                    : table.shown(static_cast<std::size_t>(row), c));
        lines << cells.join(QLatin1Char('\t'));
    }
    return lines.join(QLatin1Char('\n')) + QLatin1Char('\n');
}

QString SummaryView::copyText() const
{
    return rowsAsText(*m_rows, true);
}

} // namespace tilewright::ui
