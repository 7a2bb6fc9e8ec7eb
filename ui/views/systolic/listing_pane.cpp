// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/systolic/listing_pane.h"

#include "base/file.h"
#include "theme/icon.h"
#include "theme/text.h"
#include "theme/theme.h"
#include "views/systolic/gantt_model.h"

#include <QComboBox>
#include <QFileDialog>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>

namespace tilewright::ui {

using namespace systolic;

namespace {

constexpr std::size_t kCopiedCommands = 100'000;

const PipelineRun& runOf(const PipelineComparison& c, ProgramStyle style)
{
    return style == ProgramStyle::Pipelined ? c.pipelinedRun : c.barrieredRun;
}

const Program& programOf(const PipelineComparison& c, ProgramStyle style)
{
    return style == ProgramStyle::Pipelined ? c.pipelined : c.barriered;
}

/// A row for each command of a program. Programs are long, so cells are made when they are shown.
Table listingTable(const std::shared_ptr<const PipelineResult>& result, ProgramStyle style)
{
    constexpr auto figure = ColumnKind::Number;
    Table out;
    out.count = programOf(*result->comparison, style).commands.size();
    using Cell = TableCell (*)(const Command&, const PipelineEvent&, std::size_t);
    const auto column = [&](const QString& title, ColumnKind kind, const QString& tip, Cell cell) {
        TableColumn c{title, kind, tip};
        c.cell = [result, style, cell](std::size_t row) {
            return cell(programOf(*result->comparison, style).commands[row],
                        runOf(*result->comparison, style).events[row], row);
        };
        out.columns.push_back(std::move(c));
    };
    column(tr("#"), figure, tr("Number of the command in the program."),
           [](const Command&, const PipelineEvent&, std::size_t row) { return TableCell(row); });
    column(tr("Command"), ColumnKind::Text, tr("The instruction and its tile."),
           [](const Command& c, const PipelineEvent&, std::size_t) { return TableCell(commandTitle(c)); });
    column(tr("Unit"), ColumnKind::Text, tr("The unit that executes it."),
           [](const Command& c, const PipelineEvent& e, std::size_t) {
               const auto resource = resourceOf(c.kind);
               return resource ? TableCell(QStringLiteral("%1 %2").arg(resourceText(*resource)).arg(e.unit))
                               : TableCell(TableValue());
           });
    column(tr("Start"), figure, tr("Cycle in which it starts."),
           [](const Command&, const PipelineEvent& e, std::size_t) { return TableCell(e.start); });
    column(tr("End"), figure, tr("Cycle in which its unit is free again."),
           [](const Command&, const PipelineEvent& e, std::size_t) { return TableCell(e.end); });
    column(tr("Ready"), figure, tr("Cycle in which its result can be used."),
           [](const Command&, const PipelineEvent& e, std::size_t) { return TableCell(e.ready); });
    column(tr("Bytes"), figure, tr("Bytes that it moves."),
           [](const Command& c, const PipelineEvent&, std::size_t) {
               return c.bytes > 0 ? TableCell(c.bytes) : TableCell(TableValue());
           });
    column(tr("Waits for"), ColumnKind::Text, tr("Numbers of the commands whose results it needs."),
           [](const Command& c, const PipelineEvent&, std::size_t) {
               QStringList waits;
               for (const std::uint32_t w : c.waits)
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
                                                std::ranges::binary_search(m_running,
                                                                           static_cast<std::uint32_t>(row))
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
    column->addWidget(m_view, 1);
    setFocusProxy(m_view);
    // A row moves the cursor to the start of its command.
    connect(m_view, &QTableView::clicked, this, [this](const QModelIndex& index) {
        if (program())
            state().setPipelineTime(
                runOf(*m_result->comparison, m_shown).events[static_cast<std::size_t>(index.row())].start);
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
    m_model->setTable(has ? listingTable(result, m_shown) : Table());
    m_view->setVisible(has);
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
    if (has) {
        // As wide as the longest entries need; not measured row by row.
        const QFontMetrics metrics(uiFont(1, QFont::DemiBold));
        const int digits = metrics.horizontalAdvance(number(runOf(*now, m_shown).cycles)) + 30;
        for (int c = 0; c < m_model->columnCount(); ++c)
            m_view->setColumnWidth(
                c, c == 1 ? metrics.horizontalAdvance(QStringLiteral("STR_FEED_WEIGHTS A[000,000] 00,00,00"))
                   : c == 2 ? metrics.horizontalAdvance(QStringLiteral("block mover 00")) + 20
                            : digits);
    }
    followCursor();
}

void ListingPane::followCursor()
{
    if (!program())
        return;
    m_running = runOf(*m_result->comparison, m_shown).runningAt(state().pipelineTime());
    m_view->viewport()->update();
    if (m_running.empty())
        return;
    // The row that was clicked, else the command of the array, which the other panes show.
    const auto& commands = program()->commands;
    const auto clicked =
        std::ranges::find(m_running, static_cast<std::uint32_t>(m_view->currentIndex().row()));
    const auto compute = std::ranges::find_if(
        m_running, [&](std::uint32_t c) { return commands[c].kind == CommandKind::Compute; });
    const std::uint32_t at = clicked != m_running.end()   ? *clicked
                             : compute != m_running.end() ? *compute
                                                          : m_running.front();
    const QModelIndex row = m_model->index(static_cast<int>(at), 0);
    if (!m_view->viewport()->rect().contains(m_view->visualRect(row).center()))
        m_view->scrollTo(row, QAbstractItemView::PositionAtCenter);
    m_view->setCurrentIndex(row);
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
    return writeFileAtomically(path.toStdString(), programText(*program(), program()->length));
}

QString ListingPane::copyText() const
{
    return program() ? QString::fromStdString(programText(*program(), kCopiedCommands)) : QString();
}

QString ListingPane::tableText() const
{
    return rowsAsText(*m_model, true, {}, [this](int row) {
        return std::ranges::binary_search(m_running, static_cast<std::uint32_t>(row));
    });
}

} // namespace tilewright::ui
