// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/validation/validation_view.h"

#include "canvas/number_box.h"
#include "npu/hardware.h"
#include "theme/icon.h"
#include "theme/text.h"

#include <QAction>
#include <QCheckBox>
#include <QComboBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QLineEdit>
#include <QPainter>
#include <QProgressBar>
#include <QTableView>
#include <QToolButton>

#include <algorithm>
#include <chrono>
#include <cmath>

namespace tilewright::ui {

namespace {

constexpr double kGap = 16;

bool isPoint(const validation::ComparedRow& row)
{
    return row.error.empty() && row.predicted > 0 && row.measured > 0;
}

/// Returns a line on which the ratio of both axes is constant, over the range of both axes.
PlotLine ratioLine(double ratio, double low, double high, const QPen& pen)
{
    return {{}, {{low, low * ratio}, {high, high * ratio}}, pen};
}

} // namespace

ValidationView::ValidationView(const ViewContext& context, QWidget* parent)
    : PlotCanvas(context, QStringLiteral("validation"), tr("Validation"), parent),
      m_rows(new TableModel(this)), m_sorted(new SortedRows(*m_rows, tr("the order of the file"), this)),
      m_table(new QTableView(this))
{
    m_pool.setMaxThreadCount(1);
    m_job = std::make_unique<LatestJob<Outcome>>([this](Outcome outcome) { take(std::move(outcome)); }, true,
                                                 &m_pool);
    addControls();
    m_table->setObjectName(QStringLiteral("validation.table"));
    asList(*m_table, tr("Rows of the measured set"), *m_sorted);
    m_sorted->sortBy(*m_table);
    m_table->setAlternatingRowColors(true);
    m_table->hide();
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            &ValidationView::outdatePlots);
    document().whenChanged(this, Part::Problem | Part::Machine, [this] {
        if ((m_comparison || isRunning()) && !(m_predicted == machine()))
            changed();
    });
    connect(&this->workspace(), &Workspace::measurementsOpened, this, [this](const QString& path) {
        openMeasurements(path);
        predict();
    });
    refresh();
}

ValidationView::~ValidationView()
{
    m_job->cancel();
}

void ValidationView::addControls()
{
    addBarCommand(QStringLiteral("validation.open"), tr("Open measurements…"), QStringLiteral("open"), {},
                  tr("Open a table of measured operators (CSV): their shapes, and a time, cycles or bytes."),
                  [this] { choose(); });
    m_start = addBarCommand(QStringLiteral("validation.run"), tr("Predict"), QStringLiteral("play"),
                            {QKeySequence(Qt::CTRL | Qt::Key_Return)},
                            tr("Predict every row on the machine. Press again to stop."), [this] {
                                if (isRunning())
                                    m_job->finishEarly();
                                else
                                    predict();
                            });
    m_fit = addBarCommand(
        QStringLiteral("validation.fit"), tr("Fit the machine"), QStringLiteral("settings"), {},
        tr("Look for the rates and the launch time of the machine with which the predictions come "
           "nearest to the measurements. Nothing changes before you say so."),
        [this] { fitMachine(); });
    m_use = addBarCommand(
        QStringLiteral("validation.use"), tr("Use the fitted machine"), QStringLiteral("ok"), {},
        tr("Make the fitted machine that of the window (one undo step). Its values name the "
           "measurements as their source."),
        [this] { useFitted(); });
    for (QToolButton* button : bar().findChildren<QToolButton*>())
        button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    QStringList machines{tr("of the window")};
    for (const MachinePreset& preset : machinePresets())
        machines << word(preset.name);
    m_machine =
        bar().addChoice(tr("&Machine"), machines,
                        tr("The machine on which the rows are predicted: that of the window, or a preset."));
    m_machine->setObjectName(QStringLiteral("validation.machine"));
    connect(m_machine, &QComboBox::currentIndexChanged, this, &ValidationView::changed);
    QStringList lenses;
    for (const std::string_view lens : verbs::validationLenses())
        lenses << word(lens);
    m_lens =
        bar().addChoice(tr("&Lens"), lenses,
                        tr("What predicts: a row of the Summary, the machine's floor, or the arrays alone "
                           "(without memories)."));
    m_lens->setObjectName(QStringLiteral("validation.lens"));
    m_lens->setCurrentText(QString::fromStdString(verbs::ValidateCall().lens));
    connect(m_lens, &QComboBox::currentTextChanged, this, &ValidationView::changed);
    const auto text = [this](const QString& name, const QString& label, const QString& empty,
                             const QString& tip) {
        auto* field = new QLineEdit(this);
        field->setObjectName(name);
        field->setPlaceholderText(empty);
        bar().addLabelled(label, field, tip);
        connect(field, &QLineEdit::editingFinished, this, &ValidationView::changed);
        return field;
    };
    m_measured = text(QStringLiteral("validation.measured"), tr("&Column"), tr("the one with a unit"),
                      tr("Column of the measurements. Empty: the column with a time or cycles."));
    m_where =
        text(QStringLiteral("validation.where"), tr("&Rows"), tr("all"),
             tr("Take only rows that meet these conditions: COLUMN=VALUE, or with !=, < or >; several are "
                "separated by commas."));
    m_operator =
        bar().addChoice(tr("&Operator"),
                        {tr("by the columns"), QStringLiteral("softmax"), QStringLiteral("layer_norm"),
                         QStringLiteral("rms_norm"), QStringLiteral("elementwise")},
                        tr("Operator of a table of vectors."));
    m_operator->setObjectName(QStringLiteral("validation.operator"));
    connect(m_operator, &QComboBox::currentIndexChanged, this, &ValidationView::changed);
    constexpr int kMostBits = 64;
    const auto box = [this](const QString& name, const QString& label, int most, const QString& tip) {
        auto* out = new NumberBox(this);
        out->setObjectName(name);
        out->setRange(0, most);
        out->setSpecialValueText(tr("machine's"));
        bar().addLabelled(label, out, tip);
        connect(out, &QSpinBox::valueChanged, this, &ValidationView::changed);
        return out;
    };
    m_bits = box(QStringLiteral("validation.bits"), tr("&Bits"), kMostBits,
                 tr("Bits of an element of the operands."));
    m_cores = box(QStringLiteral("validation.cores"), tr("Co&res"), npu::kMaxCores,
                  tr("Number of cores of the NPU lens and of the floor."));
    m_launch = new QCheckBox(tr("with the l&aunch"), this);
    m_launch->setObjectName(QStringLiteral("validation.launch"));
    m_launch->setChecked(true);
    bar().add(
        m_launch, tr("Launch"),
        tr("Count the launch of an operator, if the machine states one. Off: times of the device alone."));
    connect(m_launch, &QCheckBox::toggled, this, &ValidationView::changed);
    m_tiles = new QCheckBox(tr("with its &tiles"), this);
    m_tiles->setObjectName(QStringLiteral("validation.tiles"));
    m_tiles->setChecked(true);
    bar().add(m_tiles, tr("Tiles"),
              tr("The NPU lens takes the tiles that the table names. Off: the default tiles of the lens."));
    connect(m_tiles, &QCheckBox::toggled, this, &ValidationView::changed);
    m_progress = new QProgressBar(this);
    m_progress->setObjectName(QStringLiteral("validation.progress"));
    m_progress->setMinimumWidth(
        fontMetrics().horizontalAdvance(QStringLiteral("100 %, 16384 x 12288 x 12288")));
    m_progress->hide();
    bar().add(m_progress, tr("Progress"), tr("Share of the rows that are predicted."), true);
}

Machine ValidationView::machine() const
{
    if (m_machine->currentIndex() > 0)
        return *machinePreset(m_machine->currentText().toStdString());
    return document().machine().value_or(document().nextMachine());
}

verbs::FitCall ValidationView::call() const
{
    verbs::FitCall out;
    out.measurements = m_file.toStdString();
    out.workload.machine = machine();
    out.lens = m_lens->currentText().toStdString();
    out.measured = m_measured->text().trimmed().toStdString();
    if (m_operator->currentIndex() > 0)
        out.operatorKind = m_operator->currentText().toStdString();
    for (const QString& condition : m_where->text().split(QLatin1Char(','), Qt::SkipEmptyParts))
        out.where.push_back(condition.trimmed().toStdString());
    out.bits = m_bits->value();
    out.cores = m_cores->value();
    out.noLaunch = !m_launch->isChecked();
    out.defaultTiles = !m_tiles->isChecked();
    return out;
}

void ValidationView::choose()
{
    const QString path = QFileDialog::getOpenFileName(this, tr("Open measurements"), QFileInfo(m_file).path(),
                                                      tr("Tables (*.csv);;All files (*)"));
    if (path.isEmpty())
        return;
    openMeasurements(path);
    predict();
}

void ValidationView::openMeasurements(const QString& path)
{
    m_file = path;
    changed();
}

void ValidationView::changed()
{
    m_job->cancel();
    m_comparison.reset();
    m_fitted.reset();
    m_error.clear();
    refresh();
}

void ValidationView::predict()
{
    start(call(), false);
}

void ValidationView::fitMachine()
{
    start(call(), true);
}

void ValidationView::useFitted()
{
    if (!m_fitted)
        return;
    const Machine machine = m_fitted->machine;
    const QString file = QFileInfo(m_file).fileName();
    if (const Status done = document().setMachine(machine, tr("Fit the machine to %1").arg(file)); !done)
        return Q_EMIT workspace().refused(wholeSentence(done.error().text()));
    m_machine->setCurrentIndex(0);
    predict();
}

void ValidationView::start(verbs::FitCall call, bool fit)
{
    m_error.clear();
    m_fitted.reset();
    m_predicted = machine();
    if (Status read = verbs::readFiles(call); !read) {
        m_comparison.reset();
        m_error = wholeSentence(read.error().text());
        return refresh();
    }
    const auto tell = m_job->reporter();
    m_job->request([this, call = std::move(call), fit, tell](const std::stop_token& stop) {
        auto last = std::chrono::steady_clock::now();
        const Progress progress{stop, [&](double fraction, std::string_view row) {
                                    const auto now = std::chrono::steady_clock::now();
                                    if (now - last < std::chrono::milliseconds(100))
                                        return;
                                    last = now;
                                    tell(
                                        [this, fraction, name = word(row)] { showProgress(fraction, name); });
                                }};
        Outcome out;
        if (fit) {
            if (auto fitted = verbs::fitMachine(call, progress))
                out.fitted = std::move(*fitted);
            else
                out.error = wholeSentence(fitted.error().text());
            if (!out.error.isEmpty())
                return out;
        }
        auto made = verbs::validate(call, fit ? Progress() : progress);
        if (made)
            out.comparison = std::move(*made);
        else
            out.error = wholeSentence(made.error().text());
        return out;
    });
    showProgress(0, {});
    refresh();
}

void ValidationView::showProgress(double fraction, const QString& row)
{
    m_progress->setRange(0, 1000);
    m_progress->setValue(static_cast<int>(1000 * fraction));
    m_progress->setFormat(row.isEmpty()
                              ? percent(fraction)
                              : tr("%1, %2", "share of the rows, name of a row").arg(percent(fraction), row));
}

void ValidationView::take(Outcome outcome)
{
    m_comparison = std::move(outcome.comparison);
    m_fitted = std::move(outcome.fitted);
    m_error = outcome.error;
    if (m_comparison) {
        m_rows->setTable(validation::comparisonTable(*m_comparison));
        m_table->resizeColumnsToContents();
    }
    fitAll();
    refresh();
}

void ValidationView::refresh()
{
    const bool running = isRunning();
    Actions::setAvailable(m_start, {!m_file.isEmpty(), tr("Open measurements first.")});
    Actions::setAvailable(m_fit, {!m_file.isEmpty() && !running, tr("Open measurements first.")});
    Actions::setAvailable(m_use, {m_fitted.has_value(), tr("Fit the machine first.")});
    m_start->setText(running ? tr("Stop") : tr("Predict"));
    m_start->setIcon(icon(running ? QStringLiteral("stop") : QStringLiteral("play")));
    bar().setShown(m_progress, running);
    m_table->setVisible(m_comparison && !m_comparison->rows.empty());
    contentResized();
    QString description = hint();
    if (m_comparison) {
        QStringList lines;
        for (const auto& [name, text] : figures())
            lines << name + QLatin1Char(' ') + text;
        description = lines.join(QStringLiteral(", "));
    }
    setAccessibleDescription(description);
    outdatePlots();
}

std::optional<std::size_t> ValidationView::chosenRow() const
{
    const QModelIndex now = m_table->currentIndex();
    return m_comparison && now.isValid()
               ? std::optional(static_cast<std::size_t>(m_sorted->sourceRow(now.row())))
               : std::nullopt;
}

// -- painting --------------------------------------------------------------------------------------------

QString ValidationView::hint() const
{
    if (!m_error.isEmpty())
        return m_error;
    if (m_comparison)
        return std::ranges::any_of(m_comparison->rows, isPoint)
                   ? QString()
                   : tr("No row has a prediction: see the table.");
    if (isRunning())
        return tr("Predicting %1 …").arg(QFileInfo(m_file).fileName());
    if (m_file.isEmpty())
        return tr("How good are the predictions? Open a table of measured operators.");
    return tr("Press Predict to compute %1 on %2.")
        .arg(QFileInfo(m_file).fileName(), QString::fromStdString(machine().name));
}

std::vector<PlotModel> ValidationView::buildPlots(const Theme& theme) const
{
    const validation::Comparison& c = *m_comparison;
    const QString unit = word(validation::unitOf(c.quantity));
    PlotModel p;
    p.title = tr("%1 by the lens %2 on %3")
                  .arg(QFileInfo(QString::fromStdString(c.file)).fileName(), QString::fromStdString(c.lens),
                       QString::fromStdString(c.machine));
    double low = std::numeric_limits<double>::infinity(), high = 0;
    for (const validation::ComparedRow& row : c.rows)
        if (isPoint(row)) {
            low = std::min({low, row.measured, row.predicted});
            high = std::max({high, row.measured, row.predicted});
        }
    low /= 1.5, high *= 1.5;
    p.x = {tr("measured, %1").arg(unit), Scale::Log, low, high, 0.5};
    p.y = {tr("predicted, %1").arg(unit), Scale::Log, low, high, 0.5};
    const QPen equal(theme.outline, 1.5), near(theme.outline, 1, Qt::DashLine);
    const double far = p.x.farHigh() * 2, from = p.x.farLow() / 2;
    p.lines = {ratioLine(1, from, far, equal), ratioLine(1.25, from, far, near),
               ratioLine(0.75, from, far, near)};
    p.labels.push_back({{tr("equal")}, {low, low}, {high, high}, theme.muted});
    p.keys = {{tr("dashed: 25 % more and less")}};
    const std::optional<std::size_t> chosen = chosenRow();
    for (std::size_t i = 0; i < c.rows.size(); ++i)
        if (const validation::ComparedRow& row = c.rows[i]; isPoint(row)) {
            PlotMark mark{row.measured, row.predicted, static_cast<int>(i)};
            const bool within = std::abs(row.ratio() - 1) <= 0.25;
            const QColor& fill = within ? theme.ok : theme.warning;
            mark.shape = within ? PlotShape::Disc : PlotShape::Diamond;
            mark.radius = chosen == i ? 7 : 5;
            mark.brush = Theme::mix(theme.canvas, fill, 0.75);
            mark.pen = chosen == i ? QPen(theme.accent, 2.5) : QPen(fill, 1);
            p.marks.push_back(std::move(mark));
        }
    return {p};
}

QRectF ValidationView::sideArea(const QRectF& area) const
{
    return area.adjusted(std::max(area.width() * 0.55, area.width() - 560) + kGap, kGap, -kGap, -kGap);
}

std::vector<QRectF> ValidationView::plotAreas(const QRectF& area) const
{
    QRectF left = area;
    left.setRight(sideArea(area).left() - kGap);
    return {left};
}

std::vector<std::pair<QString, QString>> ValidationView::figures() const
{
    std::vector<std::pair<QString, QString>> out;
    for (const auto& [name, text] : validation::agreementLines(m_comparison->agreement))
        out.emplace_back(QString::fromStdString(name), sentence(text));
    if (!m_fitted)
        return out;
    for (const auto& [name, text] : m_fitted->lines())
        out.emplace_back(QString::fromStdString(name), sentence(text));
    return out;
}

double ValidationView::figuresHeight() const
{
    return static_cast<double>(figures().size()) * QFontMetricsF(uiFont()).lineSpacing() + kGap;
}

void ValidationView::paintBeside(QPainter& painter, const QRectF& area, const Theme& theme, bool exporting)
{
    if (!m_comparison)
        return;
    const QRectF side = sideArea(area);
    painter.setFont(uiFont());
    const double line = QFontMetricsF(painter.font()).lineSpacing();
    double y = side.top();
    for (const auto& [name, text] : figures()) {
        const QRectF row(side.left(), y, side.width(), line);
        painter.setPen(theme.muted);
        painter.drawText(row, Qt::AlignLeft, name);
        painter.setPen(theme.text);
        painter.drawText(row, Qt::AlignRight, text);
        y += line;
    }
    if (!exporting)
        return; // only exports show these texts; in the window the table is in their place
    painter.setPen(theme.muted);
    QStringList below;
    for (const std::string& text : m_comparison->notModelled)
        below << tr("Not modelled: %1").arg(sentence(text));
    painter.drawText(side.adjusted(0, figuresHeight(), 0, 0), Qt::AlignLeft | Qt::TextWordWrap,
                     below.join(QLatin1Char('\n')));
}

void ValidationView::contentResized()
{
    if (m_comparison)
        m_table->setGeometry(sideArea(contentArea()).adjusted(0, figuresHeight(), 0, 0).toRect());
}

void ValidationView::paintExport(QPainter& painter, const QSize& size, const Theme& theme)
{
    if (!m_comparison && !m_file.isEmpty() && m_error.isEmpty()) {
        predict(); // predict the rows, because an exported picture shows them and not the hint to start
        settle();
    }
    PlotCanvas::paintExport(painter, size, theme);
}

QPointF ValidationView::pointOf(std::size_t row) const
{
    const validation::ComparedRow& r = m_comparison->rows[row];
    return frame().toPixel(r.measured, r.predicted);
}

QString ValidationView::markTooltip(const PlotMark& mark) const
{
    const validation::ComparedRow& row = m_comparison->rows[static_cast<std::size_t>(mark.id)];
    const QString unit = word(validation::unitOf(m_comparison->quantity));
    return plain(tr("%1, line %2: measured %3, predicted %4 %5, ratio %6")
                     .arg(QString::fromStdString(row.name), number(row.line),
                          significantNumber(row.measured, 4), significantNumber(row.predicted, 4), unit,
                          significantNumber(row.ratio())));
}

std::optional<int> ValidationView::hoveredMark() const
{
    if (const auto hovered = PlotCanvas::hoveredMark())
        return hovered;
    const auto row = chosenRow();
    return row ? std::optional(static_cast<int>(*row)) : std::nullopt;
}

void ValidationView::markClicked(QPointF, const PlotMark* mark, Qt::KeyboardModifiers)
{
    if (!mark)
        return;
    const QModelIndex cell = m_sorted->index(m_sorted->rowOf(mark->id), 0);
    m_table->setCurrentIndex(cell);
    m_table->scrollTo(cell);
    outdatePlots();
}

QString ValidationView::copyText() const
{
    return m_comparison ? QString::fromStdString(csvOf(validation::comparisonTable(*m_comparison), "\t"))
                        : QString();
}

// -- session ---------------------------------------------------------------------------------------------

QJsonObject ValidationView::settings() const
{
    if (m_file.isEmpty())
        return {};
    return {{QStringLiteral("file"), m_file},
            {QStringLiteral("machine"), m_machine->currentIndex() > 0 ? m_machine->currentText() : QString()},
            {QStringLiteral("lens"), m_lens->currentText()},
            {QStringLiteral("column"), m_measured->text()},
            {QStringLiteral("rows"), m_where->text()},
            {QStringLiteral("operator"), m_operator->currentIndex()},
            {QStringLiteral("bits"), m_bits->value()},
            {QStringLiteral("cores"), m_cores->value()},
            {QStringLiteral("launch"), m_launch->isChecked()},
            {QStringLiteral("tiles"), m_tiles->isChecked()}};
}

void ValidationView::restoreSettings(const QJsonObject& settings)
{
    m_file = settings[QStringLiteral("file")].toString();
    m_machine->setCurrentIndex(
        std::max(0, m_machine->findText(settings[QStringLiteral("machine")].toString())));
    if (const int lens = m_lens->findText(settings[QStringLiteral("lens")].toString()); lens >= 0)
        m_lens->setCurrentIndex(lens);
    m_measured->setText(settings[QStringLiteral("column")].toString());
    m_where->setText(settings[QStringLiteral("rows")].toString());
    m_operator->setCurrentIndex(
        std::clamp(settings[QStringLiteral("operator")].toInt(), 0, m_operator->count() - 1));
    m_bits->setValue(settings[QStringLiteral("bits")].toInt());
    m_cores->setValue(settings[QStringLiteral("cores")].toInt());
    m_launch->setChecked(settings[QStringLiteral("launch")].toBool(true));
    m_tiles->setChecked(settings[QStringLiteral("tiles")].toBool(true));
    changed();
}

} // namespace tilewright::ui
