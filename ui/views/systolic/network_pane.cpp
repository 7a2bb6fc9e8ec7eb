// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/systolic/network_pane.h"

#include "theme/text.h"
#include "theme/theme.h"
#include "views/systolic/gantt_model.h"
#include "workspace/lens_links.h"

#include <QHeaderView>
#include <QLabel>
#include <QPainter>
#include <QScopedValueRollback>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>

namespace tilewright::ui {

namespace {

/// The first columns: they show which layers use the array badly.
constexpr std::array kFirstColumns{verbs::NetworkLayer, verbs::NetworkUtilization, verbs::NetworkOs,
                                   verbs::NetworkWs,    verbs::NetworkIs,          verbs::NetworkBinding};

/// Returns the table of core/verbs with tooltips that name the operators.
Table shownTable(const verbs::NetworkAnswer& answer)
{
    Table out = verbs::networkRows(answer);
    for (std::size_t row = 0; row + 1 < out.rows.size(); ++row)
        out.rows[row].front().tip =
            plain(QString::fromStdString(out.rows[row].front().value.exact())) +
            tr("\nSelect the row to select the layer in every lens; double-click to see the whole product.");
    return out;
}

} // namespace

bool NetworkPane::Subject::operator==(const Subject& other) const
{
    return model == other.model && request.timing == other.request.timing &&
           request.hierarchy == other.request.hierarchy && request.energy == other.request.energy;
}

NetworkPane::NetworkPane(const ViewContext& context, QWidget* parent)
    : SystolicPaneOf(context, QStringLiteral("systolic-network"), tr("Systolic network"), parent),
      m_model(new TableModel(this,
                             [this](int row, int, int role) -> QVariant {
                                 return role == Qt::FontRole && row >= 0 && !product(row)
                                            ? QVariant(uiFont(1, QFont::DemiBold))
                                            : QVariant();
                             })),
      m_rows(new SortedRows(*m_model, tr("the order of the model"), this)), m_view(new QTableView(this)),
      m_title(new QLabel(this)), m_job(std::make_unique<LatestJob<Outcome>>(
                                     [this](Outcome outcome) { showOutcome(std::move(outcome)); }))
{
    m_title->setContentsMargins(8, 4, 8, 4);
    m_title->setTextFormat(Qt::PlainText);
    m_title->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_title->setWordWrap(true);
    m_title->setAccessibleName(tr("Totals of the network"));
    m_model->alignHeadings();
    m_rows->setFixedRows(1);
    asList(*m_view, tr("Products of the network"), *m_rows);
    m_rows->sortBy(*m_view);
    m_bars = new TableDelegate(
        context.themes,
        [this](QPainter& painter, const QStyleOptionViewItem& option, const QModelIndex& index,
               const Theme& theme) {
            if (const auto share = utilization(index.data(TableModel::RowRole).toInt())) {
                QRectF bar = QRectF(option.rect).adjusted(2, 4, -2, -4);
                bar.setWidth(bar.width() * std::clamp(*share, 0.0, 1.0));
                painter.fillRect(bar, Theme::mix(theme.canvas, theme.computeTime, 0.45));
            }
            return false;
        },
        m_view);
    m_view->setItemDelegateForColumn(verbs::NetworkUtilization, m_bars);
    m_view->setAlternatingRowColors(true);
    m_view->setSelectionMode(QAbstractItemView::SingleSelection);
    m_view->setTabKeyNavigation(false);
    m_view->horizontalHeader()->setStretchLastSection(false);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_title);
    column->addWidget(m_view, 1);
    setFocusProxy(m_view);
    // selectionChanged and not currentChanged: a table also gets a current row when it gets the focus
    connect(m_view->selectionModel(), &QItemSelectionModel::selectionChanged, this,
            [this](const QItemSelection& now) {
                if (!m_showing && !now.isEmpty())
                    select(m_rows->mapToSource(now.indexes().front()).row());
            });
    connect(m_view, &QTableView::activated, this, [this](const QModelIndex& index) {
        if (product(m_rows->mapToSource(index).row()))
            workspace().links().showInSystolic(SystolicPart::Layer);
    });
    connect(&selection(), &Selection::changed, this, &NetworkPane::showSelected);
    // levelsChanged changes the energies
    connect(&state(), &SystolicDocument::levelsChanged, this, [this] { outdated(); });
    document().whenChanged(this, Part::Problem | Part::Machine, [this](Parts) { outdated(); });
}

void NetworkPane::rebuild()
{
    const Subject subject{document().lensModel(), state().networkRequest()};
    if (m_asked == subject)
        return;
    m_asked = subject;
    if (!subject.model) {
        m_job->cancel();
        showOutcome({});
        return;
    }
    m_computing = true;
    m_title->setText(summary());
    m_job->request([subject](std::stop_token) {
        Outcome out;
        if (auto answer = verbs::networkOf(*subject.model, subject.request))
            out.answer = std::move(*answer);
        else
            out.error = QString::fromStdString(answer.error().text());
        return out;
    });
}

void NetworkPane::showOutcome(Outcome outcome)
{
    m_computing = false;
    m_outcome = std::move(outcome);
    const bool hadRows = m_model->rowCount() > 0;
    {
        const QScopedValueRollback showing(m_showing, true);
        m_model->setTable(answer() ? shownTable(*answer()) : Table());
    }
    m_view->setVisible(answer() != nullptr);
    m_title->setText(summary());
    setAccessibleDescription(summary());
    if (answer() && !hadRows)
        for (std::size_t i = 0; i < kFirstColumns.size(); ++i) {
            QHeaderView* header = m_view->horizontalHeader();
            header->moveSection(header->visualIndex(kFirstColumns[i]), static_cast<int>(i));
        }
    m_view->resizeColumnsToContents();
    for (int c = 0; c < m_model->columnCount(); ++c)
        m_view->setColumnWidth(c, m_view->columnWidth(c) + 14);
    showSelected();
}

QString NetworkPane::summary() const
{
    if (m_computing && !answer())
        return tr("Computing the products of the network …");
    if (!m_outcome.error.isEmpty())
        return QStringLiteral("⚠ ") + m_outcome.error;
    if (!answer())
        return tr("Open a model to see every product of it on the array.");
    const lower::NetworkTable& table = answer()->table;
    const systolic::Hierarchy& h = answer()->request.hierarchy;
    if (table.rows.empty())
        return tr("%1 has no matrix product.").arg(QString::fromStdString(answer()->name));
    const auto least = std::ranges::min_element(
        answer()->dataflows, {}, [](const lower::NetworkTable& t) { return t.total.boundCycles; });
    return tr("%1 on %2 × %3 PEs of %4, %5: utilisation %6, with DRAM %7 · fewest with DRAM: %8, %9 cycles")
        .arg(QString::fromStdString(answer()->name), number(h.array.rows), number(h.array.cols),
             QString::fromStdString(h.name), dataflowText(answer()->request.timing.dataflow),
             percent(table.total.timing.utilization),
             counted(table.total.boundCycles, tr("cycle"), tr("cycles")),
             dataflowText(static_cast<systolic::Dataflow>(least - answer()->dataflows.begin())),
             number(least->total.boundCycles));
}

const lower::NetworkRow* NetworkPane::product(int row) const
{
    return answer() && row >= 0 && row < static_cast<int>(answer()->table.rows.size())
               ? &answer()->table.rows[static_cast<std::size_t>(row)]
               : nullptr;
}

std::optional<double> NetworkPane::utilization(int row) const
{
    if (!answer())
        return std::nullopt;
    const lower::NetworkRow* one = product(row);
    return (one ? *one : answer()->table.total).timing.utilization;
}

void NetworkPane::select(int row)
{
    if (const lower::NetworkRow* one = product(row))
        // A copy, because selecting the product may replace the table.
        workspace().links().selectProduct(lower::GemmLayer(one->layer));
}

void NetworkPane::showSelected()
{
    const QScopedValueRollback showing(m_showing, true);
    for (int row = 0; const lower::NetworkRow* one = product(row); ++row)
        if (workspace().links().isProductOf(one->layer)) {
            const int at = m_rows->rowOf(row);
            if (!m_view->selectionModel()->isRowSelected(at)) {
                m_view->selectRow(at);
                m_view->scrollTo(m_rows->index(at, 0));
            }
            return;
        }
    m_view->clearSelection();
}

void NetworkPane::settle()
{
    SystolicPaneOf::settle();
    m_job->waitIdle();
}

QSize NetworkPane::exportSize() const
{
    const int row = m_view->verticalHeader()->defaultSectionSize();
    return {1280, 64 + row * (m_model->rowCount() + 2)};
}

void NetworkPane::paintExport(QPainter& painter, const QSize& size, const Theme& theme)
{
    settle();
    m_bars->setTheme(&theme);
    View::paintExport(painter, size, theme);
    m_bars->setTheme(nullptr);
}

QString NetworkPane::copyText() const
{
    return rowsAsText(*m_rows, true);
}

} // namespace tilewright::ui
