// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/systolic/listing_pane.h"

#include "base/output_file.h"
#include "theme/icon.h"
#include "theme/text.h"
#include "theme/theme.h"
#include "views/systolic/gantt_model.h"

#include <QComboBox>
#include <QCoreApplication>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QScrollBar>
#include <QSignalBlocker>
#include <QTableView>
#include <QVBoxLayout>
#include <QWheelEvent>

#include <algorithm>
#include <limits>

namespace tilewright::ui {

using namespace systolic;

namespace {

constexpr std::int64_t kCopiedCommands = 100'000;
constexpr std::int64_t kStretch = 4000; // number of commands in the table of a program that was run in parts
constexpr std::int64_t kMargin = 1000;  // number of these commands before the requested one

const PipelineRun& runOf(const PipelineComparison& c, ProgramStyle style)
{
    return style == ProgramStyle::Pipelined ? c.pipelinedRun : c.barrieredRun;
}

const Program& programOf(const PipelineComparison& c, ProgramStyle style)
{
    return style == ProgramStyle::Pipelined ? c.pipelined : c.barriered;
}

/// Table with one row per command. Cells are made when they are shown, because programs are long. `at`:
/// returns the command of a row; the table owns the data to which it refers.
Table listingTable(std::size_t rows, const std::function<TimedCommand(int)>& at)
{
    constexpr auto figure = ColumnKind::Number;
    Table out;
    out.count = rows;
    using Cell = TableCell (*)(const TimedCommand&);
    const auto column = [&](const QString& title, ColumnKind kind, const QString& tip, Cell cell) {
        TableColumn c{title, kind, tip};
        c.cell = [at, cell](std::size_t row) { return cell(at(static_cast<int>(row))); };
        out.columns.push_back(std::move(c));
    };
    column(tr("#"), figure, tr("Number of the command in the program."),
           [](const TimedCommand& c) { return TableCell(std::int64_t{c.number}); });
    column(tr("Command"), ColumnKind::Text, tr("The instruction and its tile."),
           [](const TimedCommand& c) { return TableCell(commandTitle(c.command)); });
    column(tr("Unit"), ColumnKind::Text, tr("The unit that executes it."), [](const TimedCommand& c) {
        const auto resource = resourceOf(c.command.kind);
        return resource ? TableCell(QStringLiteral("%1 %2").arg(resourceText(*resource)).arg(c.event.unit))
                        : TableCell(TableValue());
    });
    column(tr("Start"), figure, tr("Cycle in which it starts."),
           [](const TimedCommand& c) { return TableCell(c.event.start); });
    column(tr("End"), figure, tr("Cycle in which its unit is free again."),
           [](const TimedCommand& c) { return TableCell(c.event.end); });
    column(tr("Ready"), figure, tr("Cycle in which its result can be used."),
           [](const TimedCommand& c) { return TableCell(c.event.ready); });
    column(tr("Bytes"), figure, tr("Bytes that it moves."), [](const TimedCommand& c) {
        return c.command.bytes > 0 ? TableCell(c.command.bytes) : TableCell(TableValue());
    });
    column(tr("Waits for"), ColumnKind::Text, tr("Numbers of the commands whose results it needs."),
           [](const TimedCommand& c) {
               QStringList waits;
               for (const std::uint32_t w : c.command.waits)
                   waits << QString::number(w);
               return TableCell(waits.join(QStringLiteral(", ")));
           });
    return out;
}

} // namespace

ListingPane::ListingPane(const ViewContext& context, QWidget* parent)
    : SystolicPaneOf(context, QStringLiteral("systolic-listing"), tr("Systolic listing"), parent),
      m_model(new TableModel(this,
                             [this](int row, int, int role) -> QVariant {
                                 return role == Qt::FontRole && row >= 0 &&
                                                std::ranges::binary_search(m_running, numberOf(row))
                                            ? QVariant(uiFont(1, QFont::DemiBold))
                                            : QVariant();
                             })),
      m_view(new QTableView(this)), m_title(new QLabel(this))
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto* bar = new ControlBar(this);
    m_style = bar->addChoice(tr("Program"), {tr("pipelined"), tr("barriered")},
                             tr("The program whose commands are listed."));
    connect(m_style, &QComboBox::currentIndexChanged, this, [this] { outdated(); });
    m_save = new QPushButton(icon(QStringLiteral("export")), tr("Save…"));
    m_save->setObjectName(QStringLiteral("systolic.saveListing"));
    bar->add(m_save, tr("Save the listing"), tr("Write every command of the program to a text file."));
    connect(m_save, &QPushButton::clicked, this, &ListingPane::save);
    column->addWidget(bar);
    m_title->setContentsMargins(8, 2, 8, 4);
    m_title->setTextFormat(Qt::PlainText);
    m_title->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_title->setWordWrap(true);
    m_title->setAccessibleName(tr("The listed program"));
    column->addWidget(m_title);
    m_model->alignHeadings();
    asList(*m_view, tr("Commands of the program"), *m_model);
    m_view->setSelectionMode(QAbstractItemView::SingleSelection);
    m_view->setTabKeyNavigation(false);
    m_view->horizontalHeader()->setStretchLastSection(true);
    auto* list = new QHBoxLayout;
    list->setSpacing(0);
    list->addWidget(m_view, 1);
    m_scroll = new QScrollBar(Qt::Vertical, this);
    m_scroll->setObjectName(QStringLiteral("systolic.listingScroll"));
    m_scroll->setAccessibleName(tr("Scroll the commands"));
    m_scroll->hide();
    list->addWidget(m_scroll);
    column->addLayout(list, 1);
    connect(m_scroll, &QScrollBar::valueChanged, this, &ListingPane::scrolled);
    m_view->viewport()->installEventFilter(this);
    m_job = std::make_unique<LatestJob<std::shared_ptr<const ListedStretch>>>(
        [this](std::shared_ptr<const ListedStretch> stretch) { take(std::move(stretch)); });
    setFocusProxy(m_view);
    // A click on a row moves the cursor to the start of its command.
    connect(m_view, &QTableView::clicked, this, [this](const QModelIndex& index) {
        if (program())
            state().setPipelineTime(commandIn(index.row()).event.start);
    });
    connect(&state(), &SystolicDocument::pipelineChanged, this, [this] { outdated(); });
    connect(&state(), &SystolicDocument::cycleChanged, this, [this] {
        if (isVisible())
            followCursor();
    });
}

ProgramStyle ListingPane::style() const
{
    return m_style->currentIndex() == 0 ? ProgramStyle::Pipelined : ProgramStyle::Barriered;
}

const Program* ListingPane::program() const
{
    return m_result ? &programOf(*m_result->comparison, m_shown) : nullptr;
}

bool ListingPane::isLong() const
{
    return m_result && runOf(*m_result->comparison, m_shown).replay;
}

TimedCommand ListingPane::commandIn(int row) const
{
    const auto i = static_cast<std::size_t>(row);
    if (m_stretch)
        return m_stretch->commands[i];
    return {static_cast<std::uint32_t>(row), program()->commands[i],
            runOf(*m_result->comparison, m_shown).events[i]};
}

std::uint32_t ListingPane::numberOf(int row) const
{
    return static_cast<std::uint32_t>(row) + (m_stretch ? m_stretch->commands.front().number : 0);
}

int ListingPane::rowOf(std::uint32_t number) const
{
    const std::int64_t row = std::int64_t{number} - numberOf(0);
    return row >= 0 && row < m_model->rowCount() ? static_cast<int>(row) : -1;
}

void ListingPane::settle()
{
    SystolicPaneOf::settle();
    m_job->waitIdle();
}

void ListingPane::rebuild()
{
    state().needPipeline();
    const auto& result = state().pipeline();
    const PipelineComparison* now = state().comparison();
    const bool has = now && now->has(style());
    if (has && m_result == result && m_shown == style())
        return followCursor();
    m_shown = style();
    m_result = has ? result : nullptr;
    m_running.clear();
    m_stretch.reset();
    const bool whole = has && !isLong();
    m_model->setTable(whole ? listingTable(program()->commands.size(),
                                           [this, keep = m_result](int row) { return commandIn(row); })
                            : Table());
    m_view->setVisible(has);
    m_view->setVerticalScrollBarPolicy(isLong() ? Qt::ScrollBarAlwaysOff : Qt::ScrollBarAsNeeded);
    m_scroll->setVisible(isLong());
    if (isLong()) {
        const QSignalBlocker quiet(m_scroll);
        m_scroll->setRange(0, static_cast<int>(std::min<std::int64_t>(program()->length - 1,
                                                                      std::numeric_limits<int>::max())));
        m_scroll->setPageStep(100);
    }
    m_save->setEnabled(has);
    QString title;
    if (has)
        title = tr("%1 · %2 · %3")
                    .arg(counted(program()->length, tr("command"), tr("commands")),
                         word(programScheduleText(*program())),
                         counted(runOf(*now, m_shown).cycles, tr("cycle"), tr("cycles")));
    else if (now)
        title = missingText(*now, m_shown);
    else if (result && !result->comparison)
        title = (result->waiting > 0 ? tr("Programs not run yet: %1.") : tr("No programs: %1."))
                    .arg(result->error);
    else
        title = tr("Running the barriered and the pipelined program …");
    m_title->setText(title);
    setAccessibleDescription(title);
    if (whole)
        widenColumns();
    followCursor();
}

/// Sets the widths of the columns for the longest possible entries, without measuring each row.
void ListingPane::widenColumns()
{
    const QFontMetrics metrics(uiFont(1, QFont::DemiBold));
    const int digits = metrics.horizontalAdvance(number(runOf(*m_result->comparison, m_shown).cycles)) + 30;
    for (int c = 0; c < m_model->columnCount(); ++c)
        m_view->setColumnWidth(
            c, c == 1   ? metrics.horizontalAdvance(QStringLiteral("STR_FEED_WEIGHTS A[000,000] 00,00,00"))
               : c == 2 ? metrics.horizontalAdvance(QStringLiteral("block mover 00")) + 20
                        : digits);
}

void ListingPane::request(std::optional<std::int64_t> wanted, std::optional<std::int64_t> time)
{
    m_job->request([result = m_result, style = m_shown, wanted, time](std::stop_token stop) {
        auto out = std::make_shared<ListedStretch>();
        out->of = result;
        out->style = style;
        const ProgramReplay& replay = *runOf(*result->comparison, style).replay;
        const Progress progress{stop, {}};
        std::int64_t at = wanted.value_or(0);
        if (time) {
            out->running = replay.runningAt(*time, progress);
            if (!out->running->empty())
                at = out->running->front();
        }
        out->commands = replay.commands(std::max<std::int64_t>(0, at - kMargin), kStretch, progress);
        return std::shared_ptr<const ListedStretch>(std::move(out));
    });
}

void ListingPane::take(std::shared_ptr<const ListedStretch> stretch)
{
    if (stretch->of != m_result || stretch->style != m_shown || stretch->commands.empty())
        return; // the result belongs to a program that is no longer shown
    const bool isFirst = !m_stretch;
    if (stretch->running)
        m_running = *stretch->running;
    m_stretch = std::move(stretch);
    m_model->setTable(listingTable(m_stretch->commands.size(), [keep = m_stretch](int row) {
        return keep->commands[static_cast<std::size_t>(row)];
    }));
    if (isFirst)
        widenColumns();
    m_stretch->running ? showRunning() : scrolled(m_scroll->value());
}

/// Makes the command number of the scroll bar the first one that is shown, or requests the stretch around it.
void ListingPane::scrolled(int value)
{
    if (!isLong())
        return;
    const std::int64_t last = m_stretch ? m_stretch->commands.back().number : -1;
    const int row = m_stretch ? rowOf(static_cast<std::uint32_t>(value)) : -1;
    const int screen = m_view->viewport()->height() / std::max(1, m_view->rowHeight(0));
    if (row < 0 || (value + screen > last && last + 1 < program()->length))
        return request(value, std::nullopt);
    m_view->scrollTo(m_model->index(row, 0), QAbstractItemView::PositionAtTop);
}

bool ListingPane::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::Wheel && isLong()) { // the wheel scrolls through the whole program
        QCoreApplication::sendEvent(m_scroll, event);
        return true;
    }
    return SystolicPaneOf::eventFilter(watched, event);
}

void ListingPane::followCursor()
{
    if (!program())
        return;
    if (isLong())
        return request(std::nullopt, state().pipelineTime());
    m_running = runOf(*m_result->comparison, m_shown).runningAt(state().pipelineTime());
    showRunning();
}

void ListingPane::showRunning()
{
    m_view->viewport()->update();
    // The current row is the one that was clicked, or else the row of the array's command, which the other
    // panes show.
    const auto isShown = [&](std::uint32_t c) { return rowOf(c) >= 0; };
    const auto shown = std::ranges::find_if(m_running, isShown);
    if (shown == m_running.end())
        return;
    const int current = m_view->currentIndex().row();
    const auto clicked = current < 0 ? m_running.end() : std::ranges::find(m_running, numberOf(current));
    const auto compute = std::ranges::find_if(m_running, [&](std::uint32_t c) {
        return isShown(c) && commandIn(rowOf(c)).command.kind == CommandKind::Compute;
    });
    const std::uint32_t at = clicked != m_running.end()   ? *clicked
                             : compute != m_running.end() ? *compute
                                                          : *shown;
    const QModelIndex row = m_model->index(rowOf(at), 0);
    if (!m_view->viewport()->rect().contains(m_view->visualRect(row).center()))
        m_view->scrollTo(row, QAbstractItemView::PositionAtCenter);
    m_view->setCurrentIndex(row);
    if (isLong()) {
        const QSignalBlocker quiet(m_scroll);
        m_scroll->setValue(static_cast<int>(numberOf(std::max(0, m_view->rowAt(0)))));
    }
}

void ListingPane::save()
{
    const QString path =
        QFileDialog::getSaveFileName(this, tr("Save the listing"), tr("program.txt"), tr("Text (*.txt)"));
    if (path.isEmpty())
        return;
    if (const Status done = saveListing(path); !done)
        m_title->setText(QStringLiteral("⚠ ") + QString::fromStdString(done.error().text()));
}

Status ListingPane::saveListing(const QString& path) const
{
    if (!program())
        return Error{ErrorCode::Refused, "there is no program to save", {}, path.toStdString()};
    OutputFile file(path.toStdString());
    if (Status written = writeProgramText(*program(), program()->length,
                                          [&file](std::string_view part) -> Status {
                                              file.write(part);
                                              return Unit{};
                                          });
        !written)
        return written;
    const auto committed = file.commit();
    return committed ? Status(Unit{}) : committed.error();
}

QString ListingPane::copyText() const
{
    return program() ? QString::fromStdString(programText(*program(), kCopiedCommands)) : QString();
}

QString ListingPane::tableText() const
{
    return rowsAsText(*m_model, true, {},
                      [this](int row) { return std::ranges::binary_search(m_running, numberOf(row)); });
}

} // namespace tilewright::ui
