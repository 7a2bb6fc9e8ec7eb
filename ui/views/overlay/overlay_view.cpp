// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/overlay/overlay_view.h"

#include "base/file.h"
#include "model/machine.h"
#include "theme/text.h"

#include <QAction>
#include <QComboBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QHeaderView>
#include <QListWidget>
#include <QPainter>
#include <QTableView>
#include <QToolButton>

#include <algorithm>
#include <array>
#include <cmath>

namespace tilewright::ui {

namespace {

constexpr double kGap = 16;
constexpr int kMostListed = 4; ///< maximum number of files that are visible without scrolling
constexpr std::array kShapes{PlotShape::Disc, PlotShape::Square, PlotShape::TriangleUp, PlotShape::Diamond,
                             PlotShape::TriangleDown};

bool isPoint(const validation::ComparedRow& row)
{
    return row.error.empty() && row.predicted > 0 && row.measured > 0;
}

QString nameOf(const OverlayFile& file)
{
    return QFileInfo(file.path).fileName();
}

} // namespace

OverlayView::OverlayView(const ViewContext& context, QWidget* parent)
    : PlotCanvas(context, QStringLiteral("overlay"), tr("Measured"), parent),
      m_overlays(Overlays::of(context.workspace)), m_list(new QListWidget(this)),
      m_rows(new TableModel(this)), m_sorted(new SortedRows(*m_rows, tr("the order of the model"), this)),
      m_table(new QTableView(this)), m_strangers(new TableModel(this)),
      m_sortedStrangers(new SortedRows(*m_strangers, tr("the order of the file"), this)),
      m_strangerTable(new QTableView(this))
{
    m_pool.setMaxThreadCount(1);
    m_job = std::make_unique<LatestJob<Outcome>>([this](Outcome outcome) { takeFit(std::move(outcome)); },
                                                 true, &m_pool);
    addControls();
    m_list->setObjectName(QStringLiteral("overlay.files"));
    m_list->setAccessibleName(tr("Files of values"));
    // Long texts are cut; the tables have the complete information.
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_list->setTextElideMode(Qt::ElideRight);
    m_table->setObjectName(QStringLiteral("overlay.table"));
    asList(*m_table, tr("Rows of the file"), *m_sorted);
    m_sorted->sortBy(*m_table);
    m_strangerTable->setObjectName(QStringLiteral("overlay.unmatched"));
    asList(*m_strangerTable, tr("Names without a partner"), *m_sortedStrangers);
    m_sortedStrangers->sortBy(*m_strangerTable);
    connect(m_list, &QListWidget::itemChanged, this, [this](QListWidgetItem* item) {
        if (!m_updating)
            m_overlays.setOn(static_cast<std::size_t>(m_list->row(item)), item->checkState() == Qt::Checked);
    });
    connect(m_list, &QListWidget::currentRowChanged, this, [this] {
        if (!m_updating)
            refreshTables();
    });
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            &OverlayView::takeTableRow);
    connect(&m_overlays, &Overlays::changed, this, &OverlayView::outdateLater);
    connect(&selection(), &Selection::changed, this, &OverlayView::outdatePlots);
    document().whenChanged(this, Part::Problem | Part::Machine | Part::Snapshot, &OverlayView::dropFit);
    refresh();
}

OverlayView::~OverlayView()
{
    m_job->cancel();
}

void OverlayView::addControls()
{
    addBarCommand(QStringLiteral("overlay.open"), tr("Open overlay…"), QStringLiteral("open"), {},
                  tr("Open values by the names of operators: a profiler's table (CSV, JSON), a report of "
                     "SCALE-Sim, statistics of Timeloop."),
                  [this] { choose(); });
    m_close = addBarCommand(QStringLiteral("overlay.close"), tr("Close overlay"), QStringLiteral("delete"),
                            {}, tr("Close the chosen file of values."), [this] { closeFile(); });
    m_fit = addBarCommand(
        QStringLiteral("overlay.fit"), tr("Fit the machine"), QStringLiteral("settings"), {},
        tr("Look for the rates and the launch time of the machine with which our figures come nearest to the "
           "chosen file. Press again to stop. Nothing changes before you say so."),
        [this] {
            if (m_job->isBusy())
                m_job->finishEarly();
            else
                fitMachine();
        });
    m_use =
        addBarCommand(QStringLiteral("overlay.use"), tr("Use the fitted machine"), QStringLiteral("ok"), {},
                      tr("Make the fitted machine that of the window (one undo step). Its values name the "
                         "file as their source."),
                      [this] { useFitted(); });
    m_save = addBarCommand(
        QStringLiteral("overlay.save"), tr("Save the fitted machine…"), QStringLiteral("save"), {},
        tr("Write the fitted machine into a file. Its values name the file of values as their "
           "source."),
        [this] { chooseMachineFile(); });
    for (QToolButton* button : bar().findChildren<QToolButton*>())
        button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    QStringList lenses;
    for (const verbs::SummaryKind kind : verbs::overlayLenses())
        lenses << word(verbs::titleOf(kind));
    m_lens =
        bar().addChoice(tr("&Lens"), lenses, tr("What states the figures of ours: a row of the Summary."));
    m_lens->setObjectName(QStringLiteral("overlay.lens"));
    connect(m_lens, &QComboBox::activated, this,
            [this](int i) { m_overlays.setLens(verbs::overlayLenses()[static_cast<std::size_t>(i)]); });
    m_figure =
        bar().addChoice(tr("&Figure"), {tr("by the unit"), tr("latency"), tr("DRAM bytes"), tr("energy")},
                        tr("The figure that the values are compared with."));
    m_figure->setObjectName(QStringLiteral("overlay.figure"));
    connect(m_figure, &QComboBox::activated, this, [this](int i) {
        m_overlays.setFigure(i > 0 ? std::optional(overlay::kFigures[static_cast<std::size_t>(i) - 1])
                                   : std::nullopt);
    });
    m_shown =
        bar().addChoice(tr("&Colour"), {tr("value"), tr("difference"), tr("ratio")},
                        tr("What the graph shows with the colour \"measured\": the value, ours less it, or "
                           "ours divided by it."));
    m_shown->setObjectName(QStringLiteral("overlay.shown"));
    connect(m_shown, &QComboBox::activated, this, [this](int i) {
        m_overlays.setShown(overlay::kShown[static_cast<std::size_t>(i)]);
        if (QAction* const colour = registry().find(QStringLiteral("graph.colour.measured"));
            colour && shownFile())
            colour->trigger(); // make a newly chosen colouring visible
    });
}

void OverlayView::choose()
{
    const QString path =
        QFileDialog::getOpenFileName(this, tr("Open overlay"), QFileInfo(document().problemPath()).path(),
                                     tr("Values (*.csv *.json *.txt);;All files (*)"));
    if (path.isEmpty())
        return;
    if (const Status opened = m_overlays.open(path); !opened)
        Q_EMIT workspace().refused(wholeSentence(opened.error().text()));
}

void OverlayView::closeFile()
{
    if (const int row = m_list->currentRow(); row >= 0)
        m_overlays.close(static_cast<std::size_t>(row));
}

void OverlayView::fitMachine()
{
    const OverlayFile* file = shownFile();
    verbs::SummarySubject subject = m_overlays.subject();
    if (!file || !subject.model)
        return;
    m_fitted.reset();
    m_job->request([values = file->values, subject = std::move(subject),
                    lens = m_overlays.lens()](const std::stop_token& stop) {
        Outcome out;
        if (auto fitted = verbs::fitOverlay(values, subject, lens, {stop, {}}))
            out.fitted = std::move(*fitted);
        else
            out.error = wholeSentence(fitted.error().text());
        return out;
    });
    refreshTables();
}

void OverlayView::takeFit(Outcome outcome)
{
    m_fitted = std::move(outcome.fitted);
    if (!outcome.error.isEmpty())
        Q_EMIT workspace().refused(outcome.error);
    refreshTables();
}

void OverlayView::dropFit()
{
    if (!m_fitted && !m_job->isBusy())
        return;
    m_job->cancel();
    m_fitted.reset();
    refreshTables();
}

void OverlayView::useFitted()
{
    if (!m_fitted)
        return;
    const Machine machine = m_fitted->machine;
    const QString file = shownFile() ? nameOf(*shownFile()) : QString();
    if (const Status done = document().setMachine(machine, tr("Fit the machine to %1").arg(file)); !done)
        Q_EMIT workspace().refused(wholeSentence(done.error().text()));
}

void OverlayView::saveFitted(const QString& path)
{
    if (const Status done = writeFileAtomically(path.toStdString(), writeMachine(m_fitted->machine)); !done)
        Q_EMIT workspace().refused(wholeSentence(done.error().text()));
}

void OverlayView::chooseMachineFile()
{
    const QString path = QFileDialog::getSaveFileName(
        this, tr("Save the fitted machine"),
        QString::fromStdString(m_fitted->machine.name) + QStringLiteral(".json"), tr("Machines (*.json)"));
    if (!path.isEmpty())
        saveFitted(path);
}

const OverlayFile* OverlayView::shownFile() const
{
    const auto& files = m_overlays.files();
    const int row = m_list->currentRow();
    return row >= 0 && row < std::ssize(files) ? &files[static_cast<std::size_t>(row)] : nullptr;
}

const overlay::Overlay* OverlayView::shownOverlay() const
{
    const OverlayFile* file = shownFile();
    return file && file->compared ? &*file->compared : nullptr;
}

void OverlayView::refresh()
{
    m_updating = true;
    refreshList();
    const auto lenses = verbs::overlayLenses();
    m_lens->setCurrentIndex(static_cast<int>(std::ranges::find(lenses, m_overlays.lens()) - lenses.begin()));
    m_figure->setCurrentIndex(m_overlays.figure() ? 1 + static_cast<int>(*m_overlays.figure()) : 0);
    m_shown->setCurrentIndex(static_cast<int>(m_overlays.shown()));
    m_updating = false;
    refreshTables();
}

void OverlayView::refreshList()
{
    const auto& files = m_overlays.files();
    const int before = m_list->currentRow();
    const bool isMore = std::ssize(files) > m_list->count();
    m_list->clear();
    for (const OverlayFile& file : files) {
        const QString text = !file.error.isEmpty() ? tr("%1: %2").arg(nameOf(file), file.error)
                             : file.compared
                                 ? tr("%1, %2: %3")
                                       .arg(nameOf(file), QString::fromStdString(file.values.column.name),
                                            sentence(overlay::matchedText(*file.compared)))
                                 : nameOf(file);
        auto* item = new QListWidgetItem(text, m_list);
        item->setFlags(item->flags() | Qt::ItemIsUserCheckable);
        item->setCheckState(file.isOn ? Qt::Checked : Qt::Unchecked);
        item->setToolTip(plain(file.path));
    }
    const int last = m_list->count() - 1;
    m_list->setCurrentRow(isMore ? last : std::clamp(before, std::min(0, last), last));
    m_list->setVisible(!files.empty());
    Actions::setAvailable(m_close, {!files.empty(), tr("Open an overlay first.")});
}

void OverlayView::refreshTables()
{
    m_updating = true;
    const overlay::Overlay* shown = shownOverlay();
    const Table none;
    m_rows->setTable(shown ? overlay::overlayTable(*shown) : none);
    m_strangers->setTable(shown ? overlay::unmatchedTable(*shown) : none);
    m_table->resizeColumnsToContents();
    m_strangerTable->resizeColumnsToContents();
    m_table->setVisible(shown && !shown->parts.empty());
    m_strangerTable->setVisible(shown && m_strangers->rowCount() > 0);
    m_updating = false;
    const bool running = m_job->isBusy();
    m_fit->setText(running ? tr("Stop the fit") : tr("Fit the machine"));
    Actions::setAvailable(
        m_fit, {running || (shown && !shown->parts.empty()), tr("Open an overlay of the open model first.")});
    Actions::setAvailable(m_use, {m_fitted.has_value(), tr("Fit the machine first.")});
    Actions::setAvailable(m_save, {m_fitted.has_value(), tr("Fit the machine first.")});
    contentResized();
    QString description = hint();
    if (shown) {
        QStringList lines{sentence(overlay::matchedText(*shown))};
        for (const auto& [name, text] : figures())
            lines << name + QLatin1Char(' ') + text;
        description = lines.join(QStringLiteral(", "));
    }
    setAccessibleDescription(description);
    outdatePlots();
}

void OverlayView::takeTableRow()
{
    const overlay::Overlay* shown = shownOverlay();
    const QModelIndex now = m_table->currentIndex();
    if (m_updating || !shown || !now.isValid())
        return;
    const auto row = static_cast<std::size_t>(m_sorted->sourceRow(now.row()));
    const std::vector<OpId> ops = m_overlays.opsOf(*shown, row);
    selection().selectOps({ops.begin(), ops.end()});
}

// -- painting --------------------------------------------------------------------------------------------

QString OverlayView::hint() const
{
    const auto& files = m_overlays.files();
    if (files.empty())
        return tr("What does a profiler or another tool say? Open values by the names of operators.");
    if (!document().hasProblem())
        return tr("Open the model whose operators the values name.");
    if (!m_overlays.refusal().isEmpty())
        return m_overlays.refusal();
    const bool any = std::ranges::any_of(files, [](const OverlayFile& file) {
        return file.isOn && file.compared && std::ranges::any_of(file.compared->comparison.rows, isPoint);
    });
    if (any)
        return {};
    if (m_overlays.isBusy())
        return tr("Computing …");
    if (const OverlayFile* file = shownFile(); file && !file->error.isEmpty())
        return file->error;
    return tr("No row of a file that is on has a value beside a figure of ours.");
}

OverlayView::Place OverlayView::placeOf(int id) const
{
    auto rest = static_cast<std::size_t>(id);
    const auto& files = m_overlays.files();
    for (std::size_t f = 0; f < files.size(); ++f) {
        const std::size_t rows = files[f].compared ? files[f].compared->parts.size() : 0;
        if (rest < rows)
            return {f, rest};
        rest -= rows;
    }
    return {};
}

int OverlayView::idOf(const Place& place) const
{
    std::size_t out = place.row;
    for (std::size_t f = 0; f < place.file; ++f)
        if (const auto& compared = m_overlays.files()[f].compared)
            out += compared->parts.size();
    return static_cast<int>(out);
}

bool OverlayView::isSelected(const overlay::Overlay& of, std::size_t row) const
{
    const std::set<OpId>& selected = selection().state().ops;
    return !selected.empty() &&
           std::ranges::any_of(m_overlays.opsOf(of, row), [&](OpId op) { return selected.contains(op); });
}

std::vector<PlotModel> OverlayView::buildPlots(const Theme& theme) const
{
    PlotModel p;
    const auto& files = m_overlays.files();
    double low = std::numeric_limits<double>::infinity(), high = 0;
    // The axes have one unit: the unit of the chosen file, or else of the first file that is shown.
    const auto isShown = [](const OverlayFile& file) { return file.isOn && file.compared; };
    const OverlayFile* leader = shownFile();
    if (!leader || !isShown(*leader))
        leader = m_overlays.first();
    const auto quantity = leader ? leader->compared->comparison.quantity : validation::Quantity::Plain;
    const QString unit = word(validation::unitOf(quantity));
    bool others = false;
    for (std::size_t f = 0; f < files.size(); ++f) {
        if (!isShown(files[f]))
            continue;
        const validation::Comparison& c = files[f].compared->comparison;
        if (c.quantity != quantity) {
            others = true;
            continue;
        }
        for (std::size_t i = 0; i < c.rows.size(); ++i) {
            const validation::ComparedRow& row = c.rows[i];
            if (!isPoint(row))
                continue;
            low = std::min({low, row.measured, row.predicted});
            high = std::max({high, row.measured, row.predicted});
            const bool chosen = isSelected(*files[f].compared, i);
            PlotMark mark{row.measured, row.predicted, idOf({f, i})};
            mark.shape = kShapes[f % kShapes.size()];
            mark.radius = chosen ? 7 : 5;
            mark.brush = Theme::mix(theme.canvas, theme.category(f), 0.75);
            mark.pen = chosen ? QPen(theme.accent, 2.5) : QPen(theme.categoryBorder(f), 1);
            p.marks.push_back(std::move(mark));
        }
    }
    if (high <= 0)
        return {p};
    low /= 1.5, high *= 1.5;
    const auto in = [&](const QString& what) { return unit.isEmpty() ? what : tr("%1, %2").arg(what, unit); };
    p.title = tr("Measured and ours, by the lens %1").arg(m_lens->currentText());
    p.x = {in(tr("measured")), Scale::Log, low, high, 0.5};
    p.y = {in(tr("ours")), Scale::Log, low, high, 0.5};
    const double far = p.x.farHigh() * 2, from = p.x.farLow() / 2;
    const auto line = [&](double ratio, const QPen& pen) {
        return PlotLine{{}, {{from, from * ratio}, {far, far * ratio}}, pen};
    };
    const QPen equal(theme.outline, 1.5), near(theme.outline, 1, Qt::DashLine);
    p.lines = {line(1, equal), line(1.25, near), line(0.75, near)};
    p.labels.push_back({{tr("equal")}, {low, low}, {high, high}, theme.muted});
    p.keys = {{tr("dashed: 25 % more and less")}};
    if (others)
        p.keys.push_back({tr("files in other units are not shown: choose one")});
    return {p};
}

QRectF OverlayView::sideArea(const QRectF& area) const
{
    return area.adjusted(std::max(area.width() * 0.5, area.width() - 640) + kGap, kGap, -kGap, -kGap);
}

std::vector<QRectF> OverlayView::plotAreas(const QRectF& area) const
{
    QRectF left = area;
    left.setRight(sideArea(area).left() - kGap);
    return {left};
}

std::vector<std::pair<QString, QString>> OverlayView::figures() const
{
    std::vector<std::pair<QString, QString>> out;
    const auto add = [&](const std::vector<std::pair<std::string, std::string>>& lines) {
        for (const auto& [name, text] : lines)
            out.emplace_back(QString::fromStdString(name), sentence(text));
    };
    if (m_fitted)
        add(m_fitted->lines());
    if (const overlay::Overlay* shown = shownOverlay())
        add(validation::agreementLines(shown->comparison.agreement));
    return out;
}

double OverlayView::listHeight() const
{
    const int rows = std::clamp(m_list->count(), 1, kMostListed);
    return m_list->sizeHintForRow(0) * rows + 2 * m_list->frameWidth() + 4;
}

double OverlayView::figuresHeight() const
{
    // In a low pane the figures get at most 40 % of the height, so that the tables have room.
    const double all = static_cast<double>(figures().size()) * QFontMetricsF(uiFont()).lineSpacing();
    return std::min(all, 0.4 * sideArea(contentArea()).height()) + kGap;
}

void OverlayView::paintBeside(QPainter& painter, const QRectF& area, const Theme& theme, bool exporting)
{
    const overlay::Overlay* shown = shownOverlay();
    if (!shown)
        return;
    const QRectF side = sideArea(area);
    painter.setFont(uiFont());
    const double line = QFontMetricsF(painter.font()).lineSpacing();
    double y = side.top() + (exporting ? 0 : listHeight() + kGap / 2);
    const auto add = [&](const QString& name, const QString& text) {
        const QRectF row(side.left(), y, side.width(), line);
        const QFontMetricsF letters(painter.font());
        const double room = side.width() - letters.horizontalAdvance(text) - kGap;
        painter.setPen(theme.muted);
        painter.drawText(row, Qt::AlignLeft, letters.elidedText(name, Qt::ElideRight, room));
        painter.setPen(theme.text);
        painter.drawText(row, Qt::AlignRight, text);
        y += line;
    };
    if (exporting)
        for (const OverlayFile& file : m_overlays.files())
            if (file.compared)
                add(nameOf(file), sentence(overlay::matchedText(*file.compared)));
    const double end = exporting ? side.bottom() : y + figuresHeight() - kGap;
    for (const auto& [name, text] : figures())
        if (y + line <= end + 1)
            add(name, text);
}

void OverlayView::contentResized()
{
    const QRectF side = sideArea(contentArea());
    const double list = listHeight();
    m_list->setGeometry(QRectF(side.left(), side.top(), side.width(), list).toRect());
    QRectF below = side.adjusted(0, list + kGap / 2 + figuresHeight(), 0, 0);
    if (m_strangerTable->isVisibleTo(this)) {
        // In a low pane the rows get all of the height: two tables would have headers only.
        const bool isLow = below.height() < 9 * m_table->verticalHeader()->defaultSectionSize();
        QRectF lower = below;
        lower.setTop(below.bottom() - (isLow ? 0 : below.height() / 3));
        m_strangerTable->setGeometry(lower.toRect());
        below.setBottom(lower.top() - kGap / 2);
    }
    m_table->setGeometry(below.toRect());
}

QPointF OverlayView::pointOf(std::size_t file, std::size_t row) const
{
    const validation::ComparedRow& r = m_overlays.files()[file].compared->comparison.rows[row];
    return frame().toPixel(r.measured, r.predicted);
}

QString OverlayView::markTooltip(const PlotMark& mark) const
{
    const Place place = placeOf(mark.id);
    const OverlayFile& file = m_overlays.files()[place.file];
    const validation::Comparison& c = file.compared->comparison;
    const validation::ComparedRow& row = c.rows[place.row];
    const QString unit = word(validation::unitOf(c.quantity));
    return plain(tr("%1 in %2, %3: measured %4, ours %5 %6, ratio %7")
                     .arg(QString::fromStdString(row.name), nameOf(file),
                          QString::fromStdString(overlay::placeOf(file.values.form, row.line)),
                          significantNumber(row.measured, 4), significantNumber(row.predicted, 4), unit,
                          significantNumber(row.ratio())));
}

void OverlayView::markClicked(QPointF, const PlotMark* mark, Qt::KeyboardModifiers)
{
    if (!mark)
        return selection().selectOps({});
    const Place place = placeOf(mark->id);
    m_list->setCurrentRow(static_cast<int>(place.file));
    const QModelIndex cell = m_sorted->index(m_sorted->rowOf(static_cast<int>(place.row)), 0);
    m_table->setCurrentIndex(cell);
    m_table->scrollTo(cell);
    takeTableRow();
}

QString OverlayView::copyText() const
{
    const overlay::Overlay* shown = shownOverlay();
    return shown ? QString::fromStdString(csvOf(overlay::overlayTable(*shown), "\t")) : QString();
}

} // namespace tilewright::ui
