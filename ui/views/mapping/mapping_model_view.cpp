// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/mapping/mapping_model_view.h"

#include "base/file.h"
#include "hierarchy/report.h"
#include "mapping/report.h"
#include "theme/icon.h"
#include "theme/text.h"
#include "theme/theme.h"
#include "verbs/map_hierarchy.h"
#include "workspace/lens_links.h"

#include <QComboBox>
#include <QFileDialog>
#include <QHeaderView>
#include <QLabel>
#include <QPainter>
#include <QProgressBar>
#include <QPushButton>
#include <QScopedValueRollback>
#include <QTableView>
#include <QVBoxLayout>

#include <array>
#include <cmath>
#include <stop_token>

namespace tilewright::ui {

using namespace mapping;

FoundModel foundBy(mapping::ModelResult result)
{
    FoundModel out;
    out.layers.reserve(result.layers.size());
    for (const LayerResult& layer : result.layers)
        out.layers.push_back({foundBy(layer.search), layer.repeated});
    out.totals = result.totals;
    out.proven = result.proven;
    out.complete = result.complete;
    out.interrupted = result.interrupted;
    out.seconds = result.seconds;
    out.csv = mapping::modelCsv(result);
    out.fourLevels = std::make_shared<const mapping::ModelResult>(std::move(result));
    return out;
}

FoundModel foundBy(const hierarchy::ModelResult& result)
{
    FoundModel out;
    out.layers.reserve(result.layers.size());
    for (const hierarchy::LayerResult& layer : result.layers)
        out.layers.push_back({foundBy(layer.search, result.objective), layer.repeated});
    out.totals[static_cast<std::size_t>(result.objective)] = {result.energy, result.cycles, result.edp};
    out.asked = result.objective;
    out.proven = result.proven;
    out.complete = result.complete;
    out.interrupted = result.interrupted;
    out.seconds = result.seconds;
    out.csv = hierarchy::modelCsv(result);
    return out;
}

LayerTable::LayerTable(QObject* parent)
    : TableModel(parent, [this](int row, int column, int role) -> QVariant {
          if (row == kHeading) // left-aligned, because bars begin at the left
              return column == Share && role == Qt::TextAlignmentRole
                         ? QVariant(int(Qt::AlignLeft | Qt::AlignVCenter))
                         : QVariant();
          return role == Qt::FontRole && isTotal(row) && column >= Energy
                     ? QVariant(uiFont(1, QFont::DemiBold))
                     : QVariant();
      })
{
    alignHeadings();
    fill();
}

void LayerTable::setModel(const Model& model, const std::optional<mapping::Objective>& asked)
{
    m_model = model;
    m_asked = asked;
    m_found.clear();
    m_result = nullptr;
    fill();
}

void LayerTable::add(const FoundLayer& layer)
{
    if (static_cast<int>(m_found.size()) < layerCount())
        m_found.push_back(layer);
    fill();
}

void LayerTable::setResult(std::shared_ptr<const FoundModel> result)
{
    m_result = std::move(result);
    m_found = m_result->layers;
    fill();
}

void LayerTable::setMethods(int objective)
{
    m_methods = objective;
    fill();
}

void LayerTable::fill()
{
    constexpr auto figure = ColumnKind::Number;
    Table out;
    out.columns = {{tr("Layer")},
                   {tr("Shape")},
                   {tr("Count"), figure},
                   {tr("Energy, pJ"), figure},
                   {tr("Cycles"), figure},
                   {tr("EDP"), figure,
                    tr("Energy times cycles of one run. The totals are the sums over all runs of all layers, "
                       "which are less than energy times cycles of the same row.")},
                   {tr("Share of EDP"), ColumnKind::Percent},
                   {tr("Optimum")},
                   {tr("Time, s"), figure}};
    const auto rounded = [](const std::optional<double>& v, bool wide) {
        return TableCell(v, !v ? QStringLiteral("–") : wide ? scientific(*v) : number(std::round(*v)));
    };
    const auto seconds = [](double s) { return TableCell(s, fixedNumber(s, 3)); };
    std::vector<std::optional<double>> edps; // EDPs of all layers, each counted as often as the layer runs
    double sum = 0;
    for (std::size_t i = 0; i < m_found.size(); ++i) {
        const auto edp = best(i, mapping::Objective::Edp);
        edps.push_back(edp ? std::optional(*edp * static_cast<double>(m_model.layers[i].runs()))
                           : std::nullopt);
        sum += edps.back().value_or(0);
    }
    m_shares.assign(static_cast<std::size_t>(layerCount()), std::nullopt);
    for (std::size_t i = 0; i < m_shares.size(); ++i) {
        const Layer& layer = m_model.layers[i];
        const FoundLayer* found = i < m_found.size() ? &m_found[i] : nullptr;
        if (found && edps[i] && sum > 0)
            m_shares[i] = *edps[i] / sum;
        const QString share = m_shares[i] ? percent(*m_shares[i]) : QString();
        out.add(layer.name, describe(layer), layer.count, rounded(best(i, mapping::Objective::Energy), false),
                rounded(best(i, mapping::Objective::Cycles), false),
                rounded(best(i, mapping::Objective::Edp), true),
                TableCell(share, share, m_shares[i] ? TableValue(*m_shares[i]) : TableValue()),
                found ? optimumOf(found->found) : QString(),
                !found            ? TableCell(TableValue())
                : found->repeated ? TableCell(tr("same shape"), tr("same shape"), found->found.seconds)
                                  : seconds(found->found.seconds));
    }
    const std::array names{tr("Total, minimum energy per layer"), tr("Total, fewest cycles per layer"),
                           tr("Total, minimum EDP per layer")};
    for (std::size_t o = 0; o < kObjectives && layerCount() > 0; ++o) {
        if (m_asked && *m_asked != static_cast<mapping::Objective>(o))
            continue;
        const bool known = m_result && m_result->complete;
        const auto total = [&](double ModelTotals::*member) {
            return known ? std::optional(m_result->totals[o].*member) : std::nullopt;
        };
        const QString proven = !m_result ? QString() : m_result->proven ? tr("✓ all") : tr("not all");
        out.add(names[o], TableValue(), TableValue(), rounded(total(&ModelTotals::energy), false),
                rounded(total(&ModelTotals::cycles), false), rounded(total(&ModelTotals::edp), true),
                TableValue(), proven,
                m_result && (m_asked || o == 0) ? seconds(m_result->seconds) : TableCell(TableValue()));
    }
    for (std::size_t row = 0; row < out.rows.size(); ++row)
        for (TableCell& cell : out.rows[row])
            cell.tip = plain(
                (isTotal(row) ? tr("%1: %2") : tr("%1: %2\nDouble-click to edit the layer's loop nest."))
                    .arg(QString::fromStdString(out.shown(row, Name)),
                         QString::fromStdString(cell.value.exact())));
    setTable(std::move(out));
}

std::optional<double> LayerTable::best(std::size_t layer, mapping::Objective objective) const
{
    if (layer >= m_found.size())
        return std::nullopt;
    // -1: each number has its own objective
    const auto one = m_asked ? static_cast<int>(*m_asked) : m_methods;
    const auto& cost =
        m_found[layer].found.best[static_cast<std::size_t>(one < 0 ? static_cast<int>(objective) : one)];
    return cost ? std::optional(cost->value(objective)) : std::nullopt;
}

QString LayerTable::optimumOf(const FoundMappings& found)
{
    if (!found.wanted())
        return found.proven ? tr("✗ nothing fits") : tr("nothing found");
    if (found.proven)
        return found.reduced ? tr("✓ reduced space") : tr("✓ proven");
    const double gap = found.gap[static_cast<std::size_t>(found.asked.value_or(mapping::Objective::Edp))];
    return std::isfinite(gap) ? tr("gap %1").arg(percent(gap)) : tr("not proven");
}

namespace {

/// Paints a bar behind the number, whose length is the layer's share of the sum.
bool paintShare(const LayerTable& layers, QPainter& painter, const QStyleOptionViewItem& option,
                const QModelIndex& index, const Theme& theme)
{
    if (const auto share = layers.share(index.data(TableModel::RowRole).toUInt())) {
        QRectF bar = QRectF(option.rect).adjusted(2, 4, -2, -4);
        bar.setWidth(bar.width() * *share);
        painter.fillRect(bar, Theme::mix(theme.canvas, theme.loadTime, 0.45));
    }
    return false;
}

} // namespace

MappingModelView::MappingModelView(const ViewContext& context, QWidget* parent)
    : View(context, QStringLiteral("mapping-model"), tr("Mapping of a model"), parent),
      m_state(context.workspace.mapping()), m_table(new LayerTable(this))
{
    createControls();
    m_job = std::make_unique<LatestJob<Outcome>>([this](const Outcome& outcome) { finish(outcome); }, true);
    connect(&m_state, &MappingDocument::modelChanged, this, &MappingModelView::modelChanged);
    connect(&m_state, &MappingDocument::spaceChanged, this, [this] {
        if (!m_state.setup().onSameHardware(m_hardware))
            modelChanged();
    });
    modelChanged();
    followWorkload(Lens::Mapping);
}

void MappingModelView::createControls()
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    m_bar = new ControlBar(this);
    column->addWidget(m_bar);
    QStringList names{tr("choose…")};
    QStringList paths{QString()};
    for (const MappingSample& s : mappingSamples(QStringLiteral("models"))) {
        names << s.name;
        paths << QStringLiteral("models/") + s.name + QStringLiteral(".json");
    }
    m_samples = m_bar->addChoice(tr("Model"), names, tr("Open one of the models that come with Tilewright."));
    connect(m_samples, &QComboBox::activated, this, [this, paths](int i) {
        if (i > 0)
            if (const auto file = mapping::readLayers(mappingSampleText(paths[i]), paths[i].toStdString()))
                m_state.openModel(file->model);
        m_samples->setCurrentIndex(0);
    });
    m_start = new QPushButton(icon(QStringLiteral("play")), tr("Start"));
    m_start->setObjectName(QStringLiteral("start"));
    m_bar->add(m_start, tr("Search all layers"),
               tr("Search the best methods of every layer. Press again to stop."));
    connect(m_start, &QPushButton::clicked, this, &MappingModelView::startOrStop);
    m_mode = m_bar->addChoice(tr("Space"), {tr("whole, proven"), tr("quick")},
                              tr("Whole: the optima are proven. Quick: only methods of high utilisation."));
    m_methods = m_bar->addChoice(tr("Show"),
                                 {tr("each optimum"), tr("methods of minimum energy"),
                                  tr("methods of fewest cycles"), tr("methods of minimum EDP")},
                                 tr("Show the optimum of each number, or the three numbers of one method."));
    connect(m_methods, &QComboBox::currentIndexChanged, m_table,
            [this](int i) { m_table->setMethods(i - 1); });
    m_objective = m_bar->addChoice(tr("Minimise"), {tr("EDP"), tr("energy"), tr("cycles")},
                                   tr("What every layer is searched for."));
    m_objective->setObjectName(QStringLiteral("objective"));
    connect(m_objective, &QComboBox::activated, this, &MappingModelView::modelChanged);
    m_csv = new QPushButton(icon(QStringLiteral("export")), tr("CSV…"));
    m_csv->setObjectName(QStringLiteral("csv"));
    m_bar->add(m_csv, tr("Export CSV"), tr("Write the table with full precision."));
    connect(m_csv, &QPushButton::clicked, this, [this] {
        const QString path =
            QFileDialog::getSaveFileName(this, tr("Export the table"), tr("model.csv"), tr("CSV (*.csv)"));
        if (path.isEmpty())
            return;
        if (const Status done = exportCsv(path); !done)
            m_status->setText(QString::fromStdString(done.error().text()));
    });
    m_progress = new QProgressBar;
    m_progress->setMinimumWidth(120);
    m_bar->add(m_progress, tr("Progress"), tr("Number of finished layers."), true);

    m_status = new QLabel(this);
    m_status->setContentsMargins(8, 2, 8, 4);
    m_status->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_status->setWordWrap(true);
    m_status->setTextFormat(Qt::PlainText);
    column->addWidget(m_status);
    m_view = new QTableView(this);
    m_rows = new SortedRows(*m_table, tr("the order of the model"), this);
    m_rows->setFixedRows(m_table->totalCount());
    asList(*m_view, tr("Layers"), *m_rows);
    m_rows->sortBy(*m_view);
    m_bars = new TableDelegate(
        context().themes,
        [this](auto& painter, auto& option, auto& index, auto& theme) {
            return paintShare(*m_table, painter, option, index, theme);
        },
        m_view);
    m_view->setItemDelegateForColumn(LayerTable::Share, m_bars);
    m_view->setAlternatingRowColors(true);
    m_view->setTabKeyNavigation(false);
    m_view->verticalHeader()->setDefaultSectionSize(std::max(24, QFontMetrics(font()).height() + 8));
    m_view->horizontalHeader()->setMinimumSectionSize(56);
    m_view->horizontalHeader()->setSectionResizeMode(LayerTable::Share, QHeaderView::Stretch);
    // selectionChanged and not currentChanged: a table also gets a current row when it gets the focus
    connect(m_view->selectionModel(), &QItemSelectionModel::selectionChanged, this,
            [this](const QItemSelection& now) {
                const int row = now.isEmpty() ? -1 : m_rows->mapToSource(now.indexes().front()).row();
                if (!m_showing && row >= 0 && row < m_table->layerCount())
                    workspace().links().selectLayer(layerAt(row).name);
            });
    connect(&selection(), &Selection::changed, this, &MappingModelView::showSelected);
    connect(m_view, &QTableView::activated, this,
            [this](const QModelIndex& i) { openRow(m_rows->mapToSource(i).row()); });
    column->addWidget(m_view, 1);
    m_start->setFocusPolicy(Qt::StrongFocus);
    setFocusProxy(m_view);
}

void MappingModelView::modelChanged()
{
    m_job->cancel();
    m_running = false;
    m_started = false;
    m_hardware = m_state.setup();
    m_table->setModel(m_state.model(), asked());
    const bool levels = m_hardware.levels.has_value();
    m_bar->setShown(m_mode, !levels);
    m_bar->setShown(m_methods, !levels);
    m_bar->setShown(m_objective, levels);
    m_rows->setFixedRows(m_table->totalCount());
    m_view->clearSpans();
    for (int i = 0; i < m_table->totalCount(); ++i)
        m_view->setSpan(m_table->layerCount() + i, LayerTable::Name, 1, 3);
    refresh();
    if (isVisible())
        start();
}

void MappingModelView::showEvent(QShowEvent* event)
{
    View::showEvent(event);
    if (!m_started)
        start();
}

void MappingModelView::startOrStop()
{
    if (m_running)
        m_job->finishEarly();
    else
        start();
}

std::optional<mapping::Objective> MappingModelView::asked() const
{
    constexpr std::array kChoices{mapping::Objective::Edp, mapping::Objective::Energy,
                                  mapping::Objective::Cycles};
    if (!m_state.setup().levels)
        return std::nullopt;
    return kChoices[static_cast<std::size_t>(m_objective->currentIndex())];
}

MappingModelView::Outcome MappingModelView::search(const Model& model, const MappingSetup& setup, bool quick,
                                                   mapping::Objective objective, const std::stop_token& stop,
                                                   const std::function<void(const FoundLayer&)>& tell)
{
    const auto outcome = [](const auto& done) {
        return done ? Outcome{std::make_shared<const FoundModel>(foundBy(*done)), {}}
                    : Outcome{nullptr, QString::fromStdString(done.error().text())};
    };
    verbs::MapCall call;
    if (!setup.levels) {
        call.quick = quick;
        return outcome(
            verbs::mapModel({model, setup.architecture}, call, stop, {}, {}, [&](const LayerResult& layer) {
                tell({foundBy(layer.search), layer.repeated});
            }));
    }
    call.hierarchy = setup.levels;
    call.objective = objectiveName(objective);
    return outcome(
        verbs::mapModelOnHierarchy({model, {}}, call, stop, {}, {}, [&](const hierarchy::LayerResult& layer) {
            tell({foundBy(layer.search, objective), layer.repeated});
        }));
}

void MappingModelView::start()
{
    if (m_state.model().layers.empty())
        return;
    m_table->setModel(m_state.model(), asked());
    m_hardware = m_state.setup();
    m_started = m_running = true;
    m_job->request([this, model = m_state.model(), setup = m_hardware, quick = m_mode->currentIndex() == 1,
                    objective = asked().value_or(mapping::Objective::Edp),
                    tell = m_job->reporter()](std::stop_token stop) {
        return search(model, setup, quick, objective, stop, [&](const FoundLayer& layer) {
            tell([this, layer] {
                m_table->add(layer);
                refresh();
            });
        });
    });
    refresh();
}

void MappingModelView::finish(const Outcome& outcome)
{
    m_running = false;
    if (outcome.result)
        m_table->setResult(outcome.result);
    refresh();
    if (!outcome.error.isEmpty())
        m_status->setText(outcome.error);
}

void MappingModelView::refresh()
{
    m_start->setText(m_running ? tr("Stop") : tr("Start"));
    m_start->setIcon(icon(m_running ? QStringLiteral("stop") : QStringLiteral("play")));
    m_csv->setEnabled(m_table->result() != nullptr);
    m_progress->setRange(0, std::max(1, m_table->layerCount()));
    m_progress->setValue(static_cast<int>(m_table->found().size()));
    m_progress->setFormat(tr("%1 of %2 layers").arg(m_table->found().size()).arg(m_table->layerCount()));
    QString text = tr("%1 on %2")
                       .arg(QString::fromStdString(m_state.model().name),
                            QString::fromStdString(m_state.setup().hardwareName()));
    if (m_state.setup().levels)
        text += tr(" · cost model: %1").arg(word(m_state.setup().costModel()));
    if (const auto& r = m_table->result())
        text += r->interrupted ? tr(" · stopped")
                : r->proven    ? tr(" · every layer proven in %1").arg(secondsText(r->seconds))
                               : tr(" · not every layer proven in %1").arg(secondsText(r->seconds));
    else if (m_running)
        text += tr(" · searching …");
    else
        text += tr(" · press Start to search its layers");
    m_status->setText(text);
    setAccessibleDescription(text);
    m_view->resizeColumnsToContents();
    for (int c = 0; c < LayerTable::Columns; ++c)
        if (c != LayerTable::Share)
            m_view->setColumnWidth(c, m_view->columnWidth(c) + 14);
}

QSize MappingModelView::exportSize() const
{
    const int row = m_view->verticalHeader()->defaultSectionSize();
    return {1200, m_bar->heightForWidth(1200) + 64 + row * (m_table->rowCount() + 1)};
}

void MappingModelView::settle()
{
    if (!m_started)
        start(); // an exported picture or table shows the result and not the hint to start
    m_job->waitIdle();
}

void MappingModelView::paintExport(QPainter& painter, const QSize& size, const Theme& theme)
{
    settle();
    m_bars->setTheme(&theme);
    View::paintExport(painter, size, theme);
    m_bars->setTheme(nullptr);
}

Status MappingModelView::exportCsv(const QString& path) const
{
    if (!m_table->result())
        return Error{ErrorCode::Refused, "there is no finished search to export", {}, path.toStdString()};
    return writeFileAtomically(path.toStdString(), m_table->result()->csv);
}

void MappingModelView::openRow(int row)
{
    if (row < 0 || row >= m_table->layerCount())
        return;
    // If the layer belongs to the open workload, the lens follows it; any other layer is opened as a file.
    if (workspace().links().isFollowing(Lens::Mapping) && workspace().links().selectLayer(layerAt(row).name))
        return workspace().goTo(Lens::Mapping);
    m_state.openLayer(layerAt(row));
    workspace().show(Lens::Mapping);
}

const mapping::Layer& MappingModelView::layerAt(int row) const
{
    return m_state.model().layers[static_cast<std::size_t>(row)];
}

void MappingModelView::showSelected()
{
    const QString name = QString::fromStdString(workspace().links().selectedLayer());
    for (int row = 0; row < m_table->layerCount() && !name.isEmpty(); ++row)
        if (QString::fromStdString(layerAt(row).name) == name) {
            const QScopedValueRollback showing(m_showing, true);
            m_view->selectRow(m_rows->rowOf(row));
        }
}

} // namespace tilewright::ui
