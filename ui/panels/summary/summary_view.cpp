// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/summary/summary_view.h"

#include "canvas/control_bar.h"
#include "canvas/number_box.h"
#include "panels/summary/language_page.h"
#include "panels/summary/summary_tables.h"
#include "theme/icon.h"
#include "theme/text.h"
#include "theme/theme.h"
#include "workspace/overlays.h"

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
#include <cmath>

namespace tilewright::ui {

using verbs::SummaryKind;
using State = verbs::SummaryRow::State;

SummaryView::SummaryView(const ViewContext& context, QWidget* parent)
    : View(context, QStringLiteral("summary"), tr("Summary"), parent), m_headline(new QLabel(this)),
      m_bar(new ControlBar(this)), m_seconds(new DecimalBox(this)),
      m_rows(
          new TableModel(this,
                         [this](int row, int column, int role) {
                             const int figure = column - SummaryFirstFigure;
                             if (row < 0 || row >= int(m_lines.size()))
                                 return QVariant();
                             const verbs::SummaryLine& line = m_lines[std::size_t(row)];
                             if (role == Qt::FontRole && !line.floor && !line.kind) {
                                 QFont bold = font();
                                 bold.setBold(true);
                                 return QVariant(bold);
                             }
                             if (column == SummaryMeasured)
                                 return measuredLook(line, role);
                             if (role != Qt::ForegroundRole || figure < 0)
                                 return QVariant();
                             const bool isSilent = figure < int(verbs::kSummaryFigures) &&
                                                   !verbs::figuresOf(m_summaries, line)[std::size_t(figure)];
                             const bool failed = rowOf(row) && rowOf(row)->state == State::Failed;
                             return isSilent ? QVariant(failed ? theme().error : theme().muted) : QVariant();
                         })),
      m_halves(new QSplitter(Qt::Vertical, this)), m_table(new QTableView), m_pages(new QTabWidget),
      m_about(new QLabel), m_explained(new ExplanationModel(this)), m_tree(new QTreeView),
      m_layerRows(new TableModel(this)), m_layerName(new QLabel), m_layer(new QTableView),
      m_language(new LanguagePage)
{
    m_pool.setMaxThreadCount(2);
    for (std::size_t block = 0; block < m_runs.size(); ++block)
        for (const SummaryKind kind : verbs::kSummaryKinds)
            m_runs[block].jobs[indexOf(kind)] = std::make_unique<Job>(
                [this, kind, block](Row row) { deliver(kind, block, std::move(row)); }, true, &m_pool);
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
    m_rows->setTable(paneTable({}));
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
    connect(m_table, &QTableView::activated, this, [this](const QModelIndex& cell) { // Enter or double click
        const std::size_t block = lineOf(cell.row()).summary;
        if (const Row* row = rowOf(cell.row());
            row && row->state != State::Done && !isRunning(row->kind, block))
            run(row->kind, block);
    });

    auto* explanation = new QWidget;
    auto* below = new QVBoxLayout(explanation);
    below->setContentsMargins(0, 4, 0, 0);
    below->addWidget(m_about);
    asExplanation(*m_tree, tr("What the figure is made of"), *m_explained);
    below->addWidget(m_tree, 1);
    m_pages->setAccessibleName(tr("What the figure is made of, and the selected operator"));
    m_pages->addTab(explanation, tr("What the figure is made of"));
    auto* layer = new QWidget;
    auto* lenses = new QVBoxLayout(layer);
    lenses->setContentsMargins(0, 4, 0, 0);
    lenses->addWidget(m_layerName);
    m_layerName->setTextInteractionFlags(Qt::TextBrowserInteraction);
    connect(m_layerName, &QLabel::linkActivated, this, [this](const QString& id) {
        if (QAction* action = registry().find(id))
            action->trigger();
    });
    m_layerRows->alignHeadings();
    m_layerRows->setTable(layerTable({}, {}));
    asList(*m_layer, tr("The selected operator in every lens"), *m_layerRows);
    m_layer->setAlternatingRowColors(true);
    m_layer->setTabKeyNavigation(false);
    m_layer->setMinimumHeight(1);
    m_layer->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    lenses->addWidget(m_layer, 1);
    m_pages->addTab(layer, tr("One layer in four lenses"));
    m_pages->addTab(m_language, tr("Language model"));
    m_pages->setTabVisible(m_pages->indexOf(m_language), false);
    m_halves->addWidget(m_pages);
    m_halves->setStretchFactor(0, 3);
    m_halves->setStretchFactor(1, 2);

    document().whenChanged(this, Part::Problem | Part::Machine | Part::RuleSet | Part::Snapshot,
                           &SummaryView::outdate);
    connect(&selection(), &Selection::changed, this, [this] {
        if (!isSeen())
            return outdate(); // behind another pane it would show the operator of before when it comes
        showLayer();
    });
    connect(&Overlays::of(workspace()), &Overlays::changed, this, [this] {
        if (!isSeen())
            return outdate();
        compareMeasured();
        showRows();
        showLayer();
    });
    bringUpToDate();
}

QToolButton* SummaryView::button(SummaryKind kind, std::size_t block) const
{
    return m_runs[block].buttons[indexOf(kind)];
}

int SummaryView::tableRow(SummaryKind kind, std::size_t block) const
{
    const auto line = std::ranges::find_if(
        m_lines, [&](const verbs::SummaryLine& l) { return l.summary == block && l.kind == kind; });
    return line == m_lines.end() ? -1 : static_cast<int>(line - m_lines.begin());
}

verbs::SummaryLine SummaryView::lineOf(int tableRow) const
{
    return tableRow >= 0 && tableRow < static_cast<int>(m_lines.size())
               ? m_lines[static_cast<std::size_t>(tableRow)]
               : verbs::SummaryLine();
}

const verbs::SummaryRow* SummaryView::rowOf(int tableRow) const
{
    const verbs::SummaryLine line = lineOf(tableRow);
    return line.kind ? &m_summaries[line.summary].rows[indexOf(*line.kind)] : nullptr;
}

QString SummaryView::about(const QModelIndex& cell) const
{
    const verbs::SummaryLine line = lineOf(cell.row());
    const verbs::Summary& summary = m_summaries[line.summary];
    if (line.floor)
        return tr(
            "The least cycles that any lens can reach on these cores: all products at the largest rate of "
            "the arrays, or the bytes that must move at the bandwidth of the external memory (R19).");
    const Row* row = rowOf(cell.row());
    if (!row)
        return line.summary == 0
                   ? tr("The open model.")
                   : tr("The figures of %1 on %2. Behind each is its ratio to the same figure of the open "
                        "model.")
                         .arg(QString::fromStdString(summary.model), QString::fromStdString(summary.machine));
    if (row->state == State::Failed)
        return sentence(row->error);
    if (row->state == State::NotRun)
        return tr("This row has not been run.");
    QStringList parts{wholeSentence(row->how), wholeSentence(tr("Binds: ").toStdString() + row->binds)};
    for (const std::string& leftOut : row->leftOut)
        parts << wholeSentence(tr("Leaves out: ").toStdString() + leftOut);
    return parts.join(QLatin1Char(' '));
}

void SummaryView::compareMeasured()
{
    m_measured = {};
    const Overlays& overlays = Overlays::of(workspace());
    const OverlayFile* file = overlays.first();
    const auto& rows = m_summaries.front().rows;
    if (!file || !m_model || rows.empty())
        return;
    for (const SummaryKind kind : verbs::overlayLenses()) {
        const Row& row = rows[indexOf(kind)];
        const SnapshotPtr& snapshot = document().snapshot();
        if (row.state != State::Done ||
            (kind == SummaryKind::Schedule && !(snapshot && snapshot->evaluation.valid())))
            continue;
        const auto ours = kind == SummaryKind::Schedule // which operators run together
                              ? overlay::figuresOf(*m_model, snapshot->schedule, snapshot->evaluation)
                              : verbs::operatorFigures(*m_model, row);
        auto compared = overlay::overlayOf(file->values, *m_model, ours, std::string(verbs::toString(kind)),
                                           overlays.figure());
        if (compared && compared->comparison.agreement.rows > 0)
            m_measured[indexOf(kind)] = std::move(*compared);
    }
}

QVariant SummaryView::measuredLook(const verbs::SummaryLine& line, int role) const
{
    if (line.summary != 0 || !line.kind || !m_measured[indexOf(*line.kind)])
        return {};
    // As in the graph: the same colour for twice as much and for half as much, on the two sides.
    const double ratio = m_measured[indexOf(*line.kind)]->comparison.agreement.ratio;
    const QColor ground =
        Theme::mix(theme().canvas, theme().difference(std::clamp(std::log2(ratio), -1.0, 1.0)), 0.6);
    return role == Qt::BackgroundRole   ? QVariant(ground)
           : role == Qt::ForegroundRole ? QVariant(theme().inkOn(ground))
                                        : QVariant();
}

void SummaryView::showRows()
{
    m_lines = verbs::summaryLines(m_summaries);
    Table out = paneTable(m_summaries, m_measured);
    for (std::size_t i = 0; i < m_lines.size(); ++i) {
        const Row* row = rowOf(static_cast<int>(i));
        const std::size_t block = m_lines[i].summary;
        if (row && isRunning(row->kind, block) && (!verbs::isQuick(row->kind) || row->state == State::NotRun))
            out.rows[i][SummaryFirstFigure] = TableCell(
                TableValue(), tr("running, %1").arg(percent(m_runs[block].done[indexOf(row->kind)])));
    }
    const bool isMeasured = out.columns[SummaryMeasured].copied;
    m_rows->setTable(std::move(out));
    m_table->setColumnHidden(SummaryMeasured, !isMeasured);
    m_table->clearSpans();
    for (std::size_t i = 0; i < m_lines.size(); ++i)
        if (!m_lines[i].floor && !m_lines[i].kind)
            m_table->setSpan(static_cast<int>(i), 0, 1, SummaryLeftOut + 1);
    showButtons();
    if (!m_table->currentIndex().isValid() && !m_lines.empty()) // initially, explain the floor
        m_table->setCurrentIndex(m_rows->index(isComparing() ? 1 : 0, SummaryFirstFigure));
    showHeadline();
    // The explanation of the cell that was current before the rows were reset.
    if (!m_explained->explanation())
        explain(m_table->currentIndex());
    m_language->show(m_summaries);
    const int page = m_pages->indexOf(m_language);
    if (const bool isLanguage = m_summaries.front().language.has_value();
        isLanguage != m_pages->isTabVisible(page)) {
        m_pages->setTabVisible(page, isLanguage);
        if (isLanguage) { // for a language model, first explain the tokens per second
            const int height = m_halves->height();
            m_halves->setSizes({height / 3, height - height / 3});
        }
        m_pages->setCurrentIndex(isLanguage ? page : 0);
    }
    const auto& rows = m_summaries.front().rows;
    Actions::setAvailable(m_apply, {!rows.empty() && rows[indexOf(SummaryKind::ScheduleSolved)].solved,
                                    tr("No schedule has been searched in the Summary yet.")});
}

void SummaryView::showHeadline()
{
    QStringList parts;
    for (const verbs::Summary& summary : m_summaries) {
        if (summary.floors.empty())
            continue;
        const lower::Floor& floor = summary.floors.front();
        const QString sentence =
            isComparing() ? tr("<b>%1</b> on %2: at least <b>%3</b> cycles on %4, bound by %5.")
                          : tr("<b>%1</b> on %2: no lens takes fewer than <b>%3</b> cycles on %4 (the floor, "
                               "bound by %5).");
        parts << sentence.arg(QString::fromStdString(summary.model).toHtmlEscaped(),
                              QString::fromStdString(summary.machine).toHtmlEscaped(),
                              number(floor.cycles.value), counted(floor.cores, tr("core"), tr("cores")),
                              floor.boundByMemory() ? tr("memory") : tr("compute"));
        if (!summary.launchNote.empty())
            parts << ui::sentence(summary.launchNote).toHtmlEscaped();
    }
    if (!m_otherError.isEmpty())
        parts << sentence(m_otherError.toStdString()).toHtmlEscaped();
    m_bar->setShown(m_end, m_other.has_value());
    m_headline->setText(parts.isEmpty() ? tr("No model is open.") : rich(parts.join(QLatin1Char(' '))));
}

void SummaryView::showButtons()
{
    for (Runs& runs : m_runs)
        if (static_cast<std::size_t>(&runs - m_runs.data()) >= m_summaries.size() || m_lines.empty())
            runs.buttons = {};
    for (std::size_t i = 0; i < m_lines.size(); ++i) {
        const Row* row = rowOf(static_cast<int>(i));
        if (!row || verbs::isQuick(row->kind))
            continue; // such a row is always up to date
        const SummaryKind kind = row->kind;
        const std::size_t block = m_lines[i].summary;
        const QModelIndex cell = m_rows->index(static_cast<int>(i), SummaryButton);
        QToolButton*& button = m_runs[block].buttons[indexOf(kind)];
        // Create the button again, because a reset of the table deletes it.
        if (m_table->indexWidget(cell) == nullptr) {
            button = new QToolButton;
            button->setObjectName(
                QStringLiteral("summary.run.%1%2")
                    .arg(text(toString(kind)), block > 0 ? QStringLiteral(".other") : QString()));
            button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
            button->setAutoRaise(true);
            m_table->setIndexWidget(cell, button);
            connect(button, &QToolButton::clicked, this, [this, kind, block] { toggle(kind, block); });
        }
        const bool running = isRunning(kind, block);
        const QString word = running                       ? tr("Cancel")
                             : row->state == State::NotRun ? tr("Run")
                                                           : tr("Run again");
        QString title = text(verbs::titleOf(kind));
        if (isComparing())
            title = tr("%1, %2 on %3")
                        .arg(title, QString::fromStdString(m_summaries[block].model),
                             QString::fromStdString(m_summaries[block].machine));
        button->setText(word);
        button->setIcon(icon(running ? QStringLiteral("stop") : QStringLiteral("play")));
        button->setAccessibleName(tr("%1: %2").arg(word, title));
        button->setToolTip(plain(running ? tr("Stop; a search keeps the best result so far.")
                                         : tr("Compute the row \"%1\".").arg(title)));
    }
}

void SummaryView::explain(const QModelIndex& cell)
{
    if (!cell.isValid())
        return;
    m_about->setText(plain(about(cell)));
    const auto figure = static_cast<std::size_t>(
        std::clamp(cell.column() - int(SummaryFirstFigure), 0, int(verbs::kSummaryFigures) - 1));
    const auto& value = verbs::figuresOf(m_summaries, lineOf(cell.row()))[figure];
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
    const QAction* page = registry().find(QStringLiteral("help.four"));
    const QString link =
        page && page->isEnabled() ? tr(" <a href=\"help.four\">What the lenses count</a>") : QString();
    m_layerName->setText(
        op ? rich(tr("<b>%1</b>, %2: its figures in every row that has been run.")
                      .arg(QString::fromStdString(m_model->model().operators[*op].name).toHtmlEscaped(),
                           text(m_model->model().operators[*op].typeName()).toHtmlEscaped()) +
                  link)
           : rich(tr("Select an operator, for example in the graph, to see its figures in every lens.") +
                  link));
    // Numbers of operators belong to the open model, so the layer table is shown for it only.
    m_layerRows->setTable(layerTable(
        std::span(m_summaries).first(m_other && m_other->machine ? m_summaries.size() : 1), op, m_measured));
}

void SummaryView::resizeEvent(QResizeEvent* event)
{
    View::resizeEvent(event);
    constexpr int kLowLines = 22;
    const bool isLow = height() < kLowLines * fontMetrics().height() && width() > 2 * height();
    m_halves->setOrientation(isLow ? Qt::Horizontal : Qt::Vertical);
}

} // namespace tilewright::ui
