// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/subgraphs/subgraphs_view.h"

#include "canvas/table_model.h"
#include "edit/edits.h"
#include "theme/text.h"
#include "workspace/schedule_edits.h"

#include <QDropEvent>
#include <QEvent>
#include <QFrame>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>
#include <numeric>

namespace tilewright::ui {

namespace {
/// Maximum number of rows whose texts determine the widths of the number columns.
constexpr int kMeasuredRows = 300;
constexpr double kLargestNames = 0.6; ///< largest share of the pane for the names of the ops
} // namespace

SubgraphsView::SubgraphsView(const ViewContext& context, QWidget* parent)
    : View(context, QStringLiteral("subgraphs"), tr("Subgraphs"), parent),
      m_model(new SubgraphModel(context.document, this)),
      m_rows(new SortedRows(*m_model, tr("the execution order, in which rows can be dragged"), this)),
      m_delegate(new SubgraphDelegate(*m_model, context.themes, this)), m_table(new QTableView(this)),
      m_hint(new QLabel(tr("Open a problem to see its schedule here, one row per subgraph."), this))
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(m_hint);
    column->addWidget(m_table);
    m_hint->setAlignment(Qt::AlignCenter);
    m_hint->setWordWrap(true);
    m_hint->setMargin(16);

    asList(*m_table, tr("Subgraphs in execution order"), *m_rows);
    m_rows->sortBy(*m_table);
    m_table->setItemDelegate(m_delegate);
    m_table->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_table->setDragDropMode(QAbstractItemView::InternalMove);
    m_table->setDragDropOverwriteMode(false);
    m_table->setDropIndicatorShown(false); // Qt's drop indicator is only one cell wide
    m_table->setContextMenuPolicy(Qt::CustomContextMenu);
    m_table->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    m_table->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    QHeaderView* header = m_table->horizontalHeader();
    header->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    header->setStretchLastSection(false);
    header->setMinimumSectionSize(24);
    connect(header, &QHeaderView::sortIndicatorChanged, this, &SubgraphsView::refreshDragging);
    m_table->viewport()->installEventFilter(this);
    m_line = new QFrame(m_table->viewport());
    m_line->setFrameShape(QFrame::NoFrame);
    m_line->setBackgroundRole(QPalette::Highlight);
    m_line->setAutoFillBackground(true);
    m_verdict = new QLabel(m_table->viewport());
    m_verdict->setBackgroundRole(QPalette::ToolTipBase);
    m_verdict->setForegroundRole(QPalette::ToolTipText);
    m_verdict->setAutoFillBackground(true);
    m_verdict->setMargin(4);
    m_verdict->setTextFormat(Qt::PlainText);
    m_verdict->setAccessibleName(tr("Effect of a drop here"));
    for (QWidget* aim : {static_cast<QWidget*>(m_line), static_cast<QWidget*>(m_verdict)}) {
        aim->setAttribute(Qt::WA_TransparentForMouseEvents);
        aim->hide();
    }
    const auto measureAll = [this] {
        measure(0, m_model->rowCount() - 1);
        layOutColumns();
    };
    measureAll();
    connect(header, &QHeaderView::sectionResized, this,
            [this] { m_handSized = m_handSized || !m_layingOut; });
    connect(m_model, &QAbstractItemModel::dataChanged, this,
            [this](const QModelIndex& from, const QModelIndex& to) {
                measure(from.row(), to.row());
                layOutColumns();
            });
    connect(m_model, &QAbstractItemModel::modelReset, this, measureAll);

    connect(m_table, &QWidget::customContextMenuRequested, this, &SubgraphsView::showMenu);
    connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this,
            &SubgraphsView::toSelection);
    connect(&selection(), &Selection::changed, this, &SubgraphsView::fromSelection);
    connect(m_rows, &QAbstractItemModel::modelReset, this, &SubgraphsView::fromSelection);
    connect(m_model, &SubgraphModel::reorderRequested, this,
            [this](const std::vector<SubgraphId>& rows, std::size_t position) {
                reorderSubgraphs(document(), selection(), rows, position);
            });
    const auto refresh = [this] {
        m_hint->setVisible(!document().hasProblem());
        m_table->setVisible(document().hasProblem());
    };
    document().whenChanged(this, Part::Problem, refresh);
    refresh();
    connect(&Overlays::of(workspace()), &Overlays::changed, this, [this] {
        const Overlays& overlays = Overlays::of(workspace());
        m_model->setMeasured(overlays.valuesOfOps(), overlays.shown());
    });
}

void SubgraphsView::layOutColumns()
{
    if (m_layingOut)
        return;
    m_layingOut = true;
    m_table->setColumnHidden(SubgraphModel::Change, !m_model->hasBaseline());
    m_table->setColumnHidden(SubgraphModel::Energy, !m_model->hasEnergy());
    m_table->setColumnHidden(SubgraphModel::Measured, !m_model->hasMeasured());
    if (!m_model->hasHalos())
        m_table->setColumnHidden(SubgraphModel::Halo, true);
    if (!m_handSized) {
        const int before = m_table->viewport()->width();
        fitColumns();
        if (m_table->viewport()->width() != before) // a scroll bar has come or gone
            fitColumns();
    }
    m_layingOut = false;
}

void SubgraphsView::measure(int first, int last)
{
    const int rows = std::min(m_model->rowCount(), kMeasuredRows);
    for (const auto column : {SubgraphModel::Size, SubgraphModel::Latency, SubgraphModel::Change,
                              SubgraphModel::Energy, SubgraphModel::Measured}) {
        std::vector<qsizetype>& letters = m_letters[column];
        letters.resize(static_cast<std::size_t>(rows));
        for (int r = first; r <= std::min(last, rows - 1); ++r)
            letters[static_cast<std::size_t>(r)] = m_model->index(r, column).data().toString().size();
    }
}

void SubgraphsView::fitColumns()
{
    const QFontMetrics fm(numberFont());
    const auto wide = [&](const QString& sample) { return fm.horizontalAdvance(sample) + 10; };
    const QString last = QString::number(std::max(9, m_model->rowCount() - 1));
    // All digits of the number font have the same width, so the longest text is the widest one.
    const auto widest = [&](SubgraphModel::Column column, const QString& sample) {
        const std::vector<qsizetype>& letters = m_letters[column];
        const auto most = std::max_element(letters.begin(), letters.end());
        if (most == letters.end() || *most <= sample.size())
            return wide(sample);
        return wide(m_model->index(static_cast<int>(most - letters.begin()), column).data().toString());
    };
    // The width of every column fits its contents; the column of ops gets the remaining width.
    std::array<int, SubgraphModel::ColumnCount> widths{};
    widths[SubgraphModel::Number] =
        wide(last) + std::max(14, fm.height() * 2 / 3) + (m_model->hasMarks() ? 18 : 0);
    widths[SubgraphModel::Size] = widest(SubgraphModel::Size, QStringLiteral("64×64×64"));
    widths[SubgraphModel::Latency] = widest(SubgraphModel::Latency, QStringLiteral("12 345.6"));
    if (m_model->hasBaseline())
        widths[SubgraphModel::Change] = widest(SubgraphModel::Change, QStringLiteral("+12 345"));
    if (m_model->hasEnergy())
        widths[SubgraphModel::Energy] = widest(SubgraphModel::Energy, QStringLiteral("12 345.6"));
    if (m_model->hasMeasured())
        widths[SubgraphModel::Measured] = std::max(widest(SubgraphModel::Measured, QStringLiteral("× 0.123")),
                                                   fontMetrics().horizontalAdvance(tr("Measured")) + 12);
    widths[SubgraphModel::Time] = std::max(76, fontMetrics().horizontalAdvance(tr("Time")) + 24);
    widths[SubgraphModel::Memory] = std::max(56, fontMetrics().horizontalAdvance(tr("Memory")) + 12);
    const auto left = [&] {
        return m_table->viewport()->width() - std::accumulate(widths.begin(), widths.end(), 0);
    };
    const int least = fontMetrics().horizontalAdvance(QStringLiteral("contex…10"));
    const int pleasant = fontMetrics().horizontalAdvance(QStringLiteral("h0.context, …"));
    // If there is no room, these columns are hidden: the Inspector shows the energy, tables and cards the
    // waste.
    for (const auto& [column, sample] :
         {std::pair{SubgraphModel::Again, tr("Again")}, std::pair{SubgraphModel::Padding, tr("Padding")},
          std::pair{SubgraphModel::Halo, tr("Halo")}}) {
        const bool exists = column != SubgraphModel::Halo || m_model->hasHalos();
        // Not by their contents, which are computed when they are seen.
        const int width =
            std::max(wide(QStringLiteral("12 345 678")), fontMetrics().horizontalAdvance(sample) + 12);
        const bool shown = exists && left() - width >= pleasant;
        m_table->setColumnHidden(column, !shown);
        if (shown)
            widths[static_cast<std::size_t>(column)] = width;
    }
    const bool hidesEnergy = left() < least;
    m_table->setColumnHidden(SubgraphModel::Energy, !m_model->hasEnergy() || hidesEnergy);
    if (hidesEnergy)
        widths[SubgraphModel::Energy] = 0;
    // Bars this short, in pixels, are still readable, and better than a column that must be scrolled into
    // view.
    constexpr int kShortestBars = 36;
    for (const auto column : {SubgraphModel::Time, SubgraphModel::Memory})
        if (const int lacking = pleasant - left(); lacking > 0) {
            const QString heading = column == SubgraphModel::Time ? tr("Time") : tr("Memory");
            const int floor = std::max(kShortestBars, m_table->fontMetrics().horizontalAdvance(heading) + 10);
            int& width = widths[static_cast<std::size_t>(column)];
            width = std::max(std::min(floor, width), width - lacking);
        }
    // If the table must be scrolled anyway because of a large font, names are not cut.
    widths[SubgraphModel::Ops] = left() >= least ? left() : std::max(least, widestName());
    for (int c = 0; c < SubgraphModel::ColumnCount; ++c)
        if (m_table->columnWidth(c) != widths[static_cast<std::size_t>(c)] && !m_table->isColumnHidden(c))
            m_table->setColumnWidth(c, widths[static_cast<std::size_t>(c)]);
}

int SubgraphsView::widestName() const
{
    const int rows = std::min(m_model->rowCount(), kMeasuredRows);
    double widest = 0;
    for (int r = 0; r < rows; ++r)
        widest = std::max(widest, m_delegate->nameWidth(static_cast<std::size_t>(r), m_table->font()));
    constexpr double kMargins = 10;
    return static_cast<int>(std::min(widest + kMargins, kLargestNames * m_table->viewport()->width()));
}

bool SubgraphsView::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::Resize)
        layOutColumns();
    else if (event->type() == QEvent::DragMove || event->type() == QEvent::DragEnter) {
        const auto* drag = static_cast<QDropEvent*>(event);
        showDropTarget(drag->mimeData(), drag->position());
    } else if (event->type() == QEvent::DragLeave || event->type() == QEvent::Drop) {
        clearDropTarget();
    }
    return View::eventFilter(watched, event);
}

void SubgraphsView::showDropTarget(const QMimeData* rows, QPointF at)
{
    const QModelIndex over = m_table->indexAt(at.toPoint());
    int before = m_model->rowCount();
    if (over.isValid())
        before = over.row() + (at.y() > m_table->visualRect(over).center().y() ? 1 : 0);
    const auto move = document().hasProblem() ? m_model->moveOf(rows, before) : std::nullopt;
    if (!move)
        return clearDropTarget();
    constexpr int kThick = 3;
    const int y = m_table->rowViewportPosition(std::min(before, m_model->rowCount() - 1)) +
                  (before == m_model->rowCount() ? m_table->rowHeight(before - 1) : 0);
    m_line->setGeometry(0, std::max(0, y - kThick / 2 - 1), m_table->viewport()->width(), kThick);
    m_line->show();
    m_line->raise();
    const auto say = [this](const QString& text) {
        m_verdict->setText(text);
        m_verdict->adjustSize();
        const QRect room = m_table->viewport()->rect();
        const bool above = m_line->geometry().bottom() + m_verdict->height() > room.bottom();
        m_verdict->move(std::max(0, room.right() - m_verdict->width() - 4),
                        above ? m_line->y() - m_verdict->height() : m_line->geometry().bottom() + 1);
        m_verdict->show();
        m_verdict->raise();
    };
    if (m_dropTarget == move)
        return;
    m_dropTarget = move;
    const Schedule& now = document().schedule();
    document().requestTrial(
        [problem = document().problem(), now, move = *move, options = editOptions(document().rules())] {
            return edit::reorder(*problem, now, move.rows, move.position, options);
        },
        [this, move, say](const Result<SnapshotPtr>& trial) {
            if (m_dropTarget != move)
                return;
            const Evaluation& here = document().snapshot()->evaluation;
            if (!trial)
                say(sentence(QString::fromStdString(trial.error().message)));
            else if ((*trial)->schedule == document().schedule())
                say(tr("stays where it is"));
            else if (!(*trial)->evaluation.valid())
                say(sentence((*trial)->evaluation.issues.front().text));
            else
                say(here.valid() ? tr("total %1 (%2)")
                                       .arg(number((*trial)->evaluation.total),
                                            signedNumber(change(here.total, (*trial)->evaluation.total)))
                                 : tr("total %1").arg(number((*trial)->evaluation.total)));
        });
}

void SubgraphsView::clearDropTarget()
{
    if (m_dropTarget)
        document().cancelTrial();
    m_dropTarget.reset();
    m_line->hide();
    m_verdict->hide();
}

void SubgraphsView::fromSelection()
{
    if (m_updating)
        return;
    m_updating = true;
    const SelectionState& state = selection().state();
    QItemSelection rows;
    for (const SubgraphId s : state.subgraphs)
        if (s.index() < static_cast<std::size_t>(m_model->rowCount())) {
            const QModelIndex i = m_rows->index(m_rows->rowOf(static_cast<int>(s.index())), 0);
            rows.select(i, i);
        }
    QItemSelectionModel* model = m_table->selectionModel();
    model->select(rows, QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
    if (state.subgraph && state.subgraph->index() < static_cast<std::size_t>(m_model->rowCount())) {
        const QModelIndex current =
            m_rows->index(m_rows->rowOf(static_cast<int>(state.subgraph->index())), 0);
        model->setCurrentIndex(current, QItemSelectionModel::NoUpdate);
        m_table->scrollTo(current);
    }
    m_updating = false;
}

void SubgraphsView::toSelection()
{
    if (m_updating)
        return;
    m_updating = true;
    SelectionState state = selection().state();
    state.subgraphs.clear();
    for (const QModelIndex& row : m_table->selectionModel()->selectedRows())
        state.subgraphs.insert(SubgraphId(row.data(SubgraphModel::RowRole).toUInt()));
    const SubgraphId currentId(m_table->currentIndex().data(SubgraphModel::RowRole).toUInt());
    std::optional<SubgraphId> next;
    if (state.subgraphs.count(currentId))
        next = currentId;
    else if (!state.subgraphs.empty())
        next = *state.subgraphs.begin();
    if (next != state.subgraph)
        state.step = 0;
    state.subgraph = next;
    state.ops.clear();
    state.tensor.reset();
    selection().set(state);
    m_updating = false;
}

void SubgraphsView::refreshDragging()
{
    m_table->setDragDropMode(m_rows->isSorted() ? QAbstractItemView::NoDragDrop
                                                : QAbstractItemView::InternalMove);
}

void SubgraphsView::showMenu(const QPoint& position)
{
    QMenu menu(this);
    menu.setToolTipsVisible(true);
    for (const char* id : {"schedule.fuse", "schedule.splitApart", "schedule.duplicate", "schedule.delete",
                           "", "schedule.mergePrevious", "schedule.mergeNext", "schedule.moveUp",
                           "schedule.moveDown", "", "schedule.lock", "edit.copy"}) {
        if (*id == 0)
            menu.addSeparator();
        else if (QAction* action = registry().find(QLatin1String(id)))
            menu.addAction(action);
    }
    menu.exec(m_table->viewport()->mapToGlobal(position));
}

void SubgraphsView::paintExport(QPainter& painter, const QSize& size, const Theme& theme)
{
    m_delegate->setTheme(&theme);
    View::paintExport(painter, size, theme);
    m_delegate->setTheme(nullptr);
}

QString SubgraphsView::copyText() const
{
    const QItemSelectionModel& chosen = *m_table->selectionModel();
    return rowsAsText(*m_rows, true, {},
                      [&](int row) { return !chosen.hasSelection() || chosen.isRowSelected(row); });
}

} // namespace tilewright::ui
