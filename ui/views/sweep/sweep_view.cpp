// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/sweep/sweep_view.h"

#include "theme/icon.h"
#include "theme/text.h"

#include <QAction>
#include <QApplication>
#include <QHeaderView>
#include <QMenu>
#include <QProgressBar>
#include <QTableView>
#include <QToolButton>

#include <algorithm>

namespace tilewright::ui {

namespace {

constexpr std::size_t kMostEarlier = 12;

} // namespace

SweepView::SweepView(const ViewContext& context, QWidget* parent)
    : PlotCanvas(context, QStringLiteral("sweep"), tr("Sweep"), parent),
      m_form(new SweepForm(context.document, context.themes, bar(), this)),
      m_progress(new QProgressBar(this)), m_points(new TableModel(this)), m_table(new QTableView(this))
{
    addCommands();
    m_form->addPictures();
    bar().add(m_progress, tr("Progress"), tr("Number of finished points."), true);
    m_progress->setMinimumWidth(
        fontMetrics().horizontalAdvance(QStringLiteral("888 of 888 points, about 88.8 s left")));
    m_progress->setObjectName(QStringLiteral("sweep.progress"));
    m_table->setObjectName(QStringLiteral("sweep.table"));
    asList(*m_table, tr("Points of the sweep"), *m_points);
    m_table->setAlternatingRowColors(true);
    m_table->hide();
    connect(m_table, &QTableView::activated, this, [this](const QModelIndex& point) {
        openPoint(static_cast<std::size_t>(point.row()),
                  QApplication::keyboardModifiers() & Qt::ShiftModifier);
    });
    addOwnKeys();
    m_changes = std::make_unique<LatestJob<std::vector<SweepChange>>>(
        [this](std::vector<SweepChange> changes) {
            m_model.changes = std::move(changes);
            outdatePlots();
        },
        true);
    connect(&m_run, &SweepRun::changed, this, &SweepView::refresh);
    connect(m_form, &SweepForm::pictureChanged, this, &SweepView::refresh);
    connect(m_form, &SweepForm::sweepChanged, this, [this] {
        m_error.clear();
        putAway();
        refresh();
    });
    document().whenChanged(this, Part::Problem | Part::Machine | Part::RuleSet | Part::Steps,
                           [this](Parts parts) { followDocument(parts); });
    refresh();
}

SweepView::~SweepView() = default;

void SweepView::addCommands()
{
    m_start = addBarCommand(
        QStringLiteral("sweep.run"), tr("Sweep"), QStringLiteral("play"),
        {QKeySequence(Qt::CTRL | Qt::Key_Return)},
        tr("Compute all points in the background. Press again to stop, and again to continue."), [this] {
            if (m_run.isRunning())
                m_run.stop();
            else
                run();
        });
    for (QToolButton* button : bar().findChildren<QToolButton*>())
        if (button->defaultAction() == m_start)
            button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_earlierButton = new QToolButton(this);
    m_earlierButton->setObjectName(QStringLiteral("sweep.earlier"));
    m_earlierButton->setText(tr("Earlier sweeps"));
    m_earlierButton->setPopupMode(QToolButton::InstantPopup);
    m_earlierMenu = new QMenu(m_earlierButton);
    m_earlierMenu->setObjectName(QStringLiteral("sweep.earlier.menu"));
    m_earlierButton->setMenu(m_earlierMenu);
    connect(m_earlierMenu, &QMenu::aboutToShow, this, &SweepView::fillEarlier);
    bar().add(m_earlierButton, tr("Earlier sweeps"),
              tr("Sweeps of this session whose choices have been changed since. A sweep comes back with its "
                 "choices and its results."));
    addBarCommand(QStringLiteral("sweep.csv"), tr("Export the table…"), QStringLiteral("export"), {},
                  tr("Write the table with full precision (CSV). For the chart: File ▸ Export view."),
                  [this] {
                      save(tr("Export the table"), QStringLiteral("sweep.csv"), tr("CSV (*.csv)"),
                           [this](const QString& path) { return exportTable(path); });
                  });
    addBarCommand(
        QStringLiteral("sweep.plan"), tr("Save the plan…"), QStringLiteral("save"), {},
        tr("Write the plan and copy the command that repeats this sweep, on one or many computers."), [this] {
            save(tr("Save the plan"), QStringLiteral("sweep.json"), tr("Plan (*.json)"),
                 [this](const QString& path) { return exportPlan(path); });
        });
}

void SweepView::addOwnKeys()
{
    addKeys("point", tr("Go to a point"), arrowKeys(), tr("Choose the next point of the curve or the map."),
            [this](const KeyUse& use) { moveCursor(use.arrow()); });
    addKeys("open", tr("Open the point"), {QKeySequence(Qt::Key_Return)},
            tr("Open the machine and the schedule of the chosen point: one undo step."), [this] {
                if (m_cursor)
                    openPoint(*m_cursor, false);
            });
    addKeys("compare", tr("Compare the point"), {QKeySequence(Qt::SHIFT | Qt::Key_Return)},
            tr("Open the chosen point beside the schedule that is open now."), [this] {
                if (m_cursor)
                    openPoint(*m_cursor, true);
            });
    addGesture("click", tr("Open a point"), tr("click (Shift: compare it with what is open)"),
               tr("Open its machine and its schedule: one undo step."));
}

// -- computing -------------------------------------------------------------------------------------------

void SweepView::run()
{
    m_error.clear();
    m_message.clear();
    auto main = sweepOf(document(), m_form->setup());
    if (!main) {
        m_run.forget();
        m_error = sentence(main.error().message);
        refresh();
        return;
    }
    std::vector<SweepResults> sweeps;
    if (auto beside = besideSweep(document(), m_form->setup()))
        sweeps.push_back(emptyResults(std::move(*beside)));
    SweepResults next = emptyResults(std::move(*main));
    // A stopped sweep is continued, unless the start schedule has changed.
    if (!m_run.results().empty()) {
        const SweepResults& before = m_run.results().back();
        if (before.sweep->plan() == next.sweep->plan() && before.rows.size() == next.rows.size() &&
            before.sweep->scheduleText == next.sweep->scheduleText && m_run.done() < m_run.points()) {
            next.rows = before.rows;
            next.schedules = before.schedules;
        }
    }
    sweeps.push_back(std::move(next));
    m_swept = m_form->setup();
    m_besideIsOpen = true;
    m_model.changes.clear();
    m_changes->cancel();
    m_run.start(std::move(sweeps));
}

void SweepView::followDocument(Parts parts)
{
    m_besideIsOpen = m_besideIsOpen && !(parts & Part::Steps);
    if (!(parts & (Part::Problem | Part::Machine | Part::RuleSet)))
        return refresh();
    if (parts & Part::Problem) {
        m_error.clear();
        m_message.clear();
        SweepSetup setup = m_form->setup(); // ranges belong to a workload, so they are set anew
        setup.axes = {};
        m_form->setSetup(setup);
    }
    m_form->follow();
    if (!m_run.results().empty()) {
        // Opening a point changes the current values of the axes; it stays the same sweep.
        if (!isOfThisWorkload(m_swept, m_run.results().back()))
            putAway();
    }
    refresh();
}

bool SweepView::isOfThisWorkload(const SweepSetup& setup, const SweepResults& results) const
{
    const auto now = sweepOf(document(), setup);
    return now && isSameSweep(*now, *results.sweep);
}

void SweepView::putAway()
{
    m_cursor.reset();
    if (m_run.done() > 0) {
        std::erase_if(m_earlier, [this](const Earlier& e) {
            return e.results.back().sweep->plan() == m_run.results().back().sweep->plan();
        });
        m_earlier.insert(m_earlier.begin(), {m_swept, m_run.results()});
        m_earlier.resize(std::min(m_earlier.size(), kMostEarlier));
    }
    m_run.forget();
}

void SweepView::takeUp(std::size_t earlier)
{
    Earlier taken = std::move(m_earlier.at(earlier));
    m_earlier.erase(m_earlier.begin() + static_cast<std::ptrdiff_t>(earlier));
    putAway();
    m_form->setSetup(taken.setup);
    m_swept = taken.setup;
    m_besideIsOpen = false; // the open schedule may have changed after the sweep
    m_error.clear();
    m_message.clear();
    m_model.changes.clear();
    m_changes->cancel();
    m_run.show(std::move(taken.results));
}

void SweepView::fillEarlier()
{
    m_earlierMenu->clear();
    for (std::size_t i = 0; i < m_earlier.size(); ++i) {
        const Earlier& e = m_earlier[i];
        if (isOfThisWorkload(e.setup, e.results.back()))
            m_earlierMenu->addAction(m_form->titleOf(e.setup), this, [this, i] { takeUp(i); });
    }
    if (m_earlierMenu->isEmpty())
        m_earlierMenu->addAction(tr("None for this model on this machine"))->setEnabled(false);
}

void SweepView::refresh()
{
    std::vector<SweepChange> changes = std::move(m_model.changes);
    m_model = {};
    if (!m_run.results().empty()) {
        const SweepResults& main = m_run.results().back();
        m_model.setup = m_form->setup();
        m_model.setup.axes = m_swept.axes;
        m_model.axes = m_form->chosen();
        for (std::size_t a = 0; a < m_model.axes.size(); ++a)
            if (SweepParameter& p = m_model.axes[a];
                !p.words.isEmpty()) { // the values are positions in the list of names of the sweep
                const QString now = p.text(p.now);
                p.words = m_swept.axes.at(a).words;
                p.now = static_cast<double>(p.words.indexOf(now));
            }
        m_model.changes = std::move(changes);
        m_model.besideIsOpen = m_besideIsOpen;
        sweep::Manifest manifest = main.sweep->manifest;
        const auto names = sweep::metricsOf(manifest.plan);
        const std::string metric = m_model.setup.metric.toStdString();
        const std::string against = m_model.setup.against.toStdString();
        manifest.plan.objectives = {
            std::ranges::find(names, metric) == names.end() ? std::string(names.front()) : metric,
            against.empty() ? manifest.plan.axes.front().name : against};
        m_model.table = sweep::tableOf(manifest, main.rows);
        if (m_run.results().size() > 1)
            m_model.beside =
                sweep::tableOf(m_run.results().front().sweep->manifest, m_run.results().front().rows);
        const std::string& shown = manifest.plan.objectives.front();
        const bool cycles = shown == "latency" || shown == "lower_bound" || shown == "makespan";
        m_model.unit = shown == "traffic"                                      ? tr("elements")
                       : cycles && !main.sweep->workloads.front().standsAsItIs ? tr("cycles")
                                                                               : QString();
        if (!m_run.isRunning() && m_model.changes.empty())
            requestChanges();
    }
    Actions::setAvailable(m_start, {document().hasProblem(), tr("Open a model or a problem first.")});
    m_earlierButton->setVisible(!m_earlier.empty());
    m_start->setText(m_run.isRunning() ? tr("Stop") : tr("Sweep"));
    m_start->setIcon(icon(m_run.isRunning() ? QStringLiteral("stop") : QStringLiteral("play")));
    updateProgress();
    const bool table = m_form->setup().picture == SweepPicture::Table && !m_model.isEmpty();
    if (table) {
        m_points->setTable(sweepTable(m_model));
        m_table->resizeColumnsToContents();
    }
    m_table->setVisible(table);
    setAccessibleDescription(m_model.isEmpty() ? hint() : sweepAnswer(m_model));
    outdatePlots();
}

void SweepView::requestChanges()
{
    if (m_run.results().back().schedules.empty() || m_model.axes.size() != 1 || m_changes->isBusy())
        return;
    m_changes->request([results = m_run.results().back(), model = m_model](const std::stop_token& stop) {
        return findSweepChanges(results, model, stop);
    });
}

void SweepView::updateProgress()
{
    QStringList parts;
    if (m_run.isRunning()) {
        parts << tr("%1 of %2 points").arg(m_run.done()).arg(m_run.points());
        if (m_run.secondsLeft() && *m_run.secondsLeft() >= 1)
            parts << tr("about %1 left").arg(secondsText(*m_run.secondsLeft()));
    } else if (m_run.done() < m_run.points()) {
        parts << tr("stopped after %1 of %2 points").arg(m_run.done()).arg(m_run.points());
    }
    if (m_model.table.failed > 0)
        parts << tr("%1 failed")
                     .arg(
                         counted(static_cast<std::int64_t>(m_model.table.failed), tr("point"), tr("points")));
    if (!m_message.isEmpty())
        parts << m_message;
    m_progress->setRange(0, static_cast<int>(std::max<std::size_t>(1, m_run.points())));
    m_progress->setValue(static_cast<int>(m_run.done()));
    const QString text = parts.join(QStringLiteral(", "));
    m_progress->setFormat(text);
    m_progress->setToolTip(plain(m_message));
    m_progress->setVisible(!text.isEmpty());
}

void SweepView::contentResized()
{
    m_table->setGeometry(contentArea().toRect());
}

void SweepView::settle()
{
    m_run.settle();
    m_changes->waitIdle();
}

void SweepView::restoreSettings(const QJsonObject& settings)
{
    putAway();
    m_form->setSetup(sweepSetupOf(settings));
    refresh();
}

// -- painting --------------------------------------------------------------------------------------------

bool SweepView::isGrid() const
{
    return m_form->setup().picture == SweepPicture::HeatMap && m_model.axes.size() == 2;
}

QString SweepView::hint() const
{
    if (!m_error.isEmpty())
        return m_error;
    if (!document().hasProblem())
        return tr("Open a model or a problem to see its results on other hardware.");
    if (!m_model.isEmpty() && m_model.table.done + m_model.table.failed > 0)
        return {};
    return m_run.isRunning() ? tr("Computing the first points …")
                             : tr("Which hardware is enough? Choose what to vary and press Sweep.");
}

std::vector<PlotModel> SweepView::buildPlots(const Theme& theme) const
{
    if (m_model.setup.picture != SweepPicture::Table)
        return sweepPlots(m_model, theme);
    SweepModel drawn = m_model; // the export of a table shows the curve instead
    drawn.setup.picture = SweepPicture::Curve;
    return sweepPlots(drawn, theme);
}

void SweepView::paintBeside(QPainter& painter, const QRectF& area, const Theme& theme, bool exporting)
{
    if (!isGrid())
        return;
    const HeatGrid grid = sweepGrid(m_model, theme);
    std::optional<std::size_t> hover;
    for (std::size_t cell = 0; m_cursor && !exporting && cell < grid.cells.size(); ++cell)
        if (sweepRowOfCell(m_model, cell) == *m_cursor)
            hover = cell;
    paintSweepGrid(painter, m_model, grid, sweepGridPlaces(grid, area), hover, theme);
}

void SweepView::paintExport(QPainter& painter, const QSize& size, const Theme& theme)
{
    if (m_run.results().empty() && document().hasProblem()) {
        run(); // run the sweep, because an exported picture shows results and not the hint to start
        settle();
    }
    PlotCanvas::paintExport(painter, size, theme);
}

QString SweepView::copyText() const
{
    return m_model.isEmpty() ? QString() : QString::fromStdString(csvOf(sweepTable(m_model), "\t"));
}

} // namespace tilewright::ui
