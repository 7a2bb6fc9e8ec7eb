// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/sweep/sweep_form.h"

#include "canvas/number_box.h"
#include "theme/text.h"
#include "theme/theme.h"

#include <QCheckBox>
#include <QComboBox>
#include <QKeyEvent>
#include <QLineEdit>
#include <QMouseEvent>
#include <QPainter>
#include <QScopedValueRollback>
#include <QSpinBox>
#include <QStandardItemModel>

#include <algorithm>
#include <cmath>

namespace tilewright::ui {

namespace {
constexpr int kWidth = 150;
constexpr double kRadius = 6;
constexpr double kSteps =
    /// Number of steps of a linear scale; a logarithmic scale has steps of a factor of the square root of 2.
    64;
} // namespace

RangeBar::RangeBar(ThemeSource& themes, QWidget* parent) : QWidget(parent), m_themes(themes)
{
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    connect(&themes, &ThemeSource::changed, this, qOverload<>(&QWidget::update));
}

QSize RangeBar::sizeHint() const
{
    return {kWidth, std::max(22, fontMetrics().height() + 6)};
}

void RangeBar::setScale(double least, double most, double now, bool logarithmic, bool whole)
{
    m_logarithmic = logarithmic && least > 0;
    m_minimum = least;
    m_maximum = std::max(most, least + 1e-9);
    m_now = now;
    m_whole = whole;
    update();
}

void RangeBar::setRange(double from, double to)
{
    m_from = from;
    m_to = to;
    update();
}

double RangeBar::share(double value) const
{
    const double s = m_logarithmic
                         ? std::log(std::max(value, 1e-300) / m_minimum) / std::log(m_maximum / m_minimum)
                         : (value - m_minimum) / (m_maximum - m_minimum);
    return std::clamp(s, 0.0, 1.0);
}

double RangeBar::valueAt(double share) const
{
    share = std::clamp(share, 0.0, 1.0);
    double value = 0;
    if (m_logarithmic) {
        // Steps are half powers of two of the current value, so that they are round numbers if the current
        // value is round.
        const double base = m_now > 0 ? m_now : 1;
        const double exact = m_minimum * std::pow(m_maximum / m_minimum, share);
        value = base * std::exp2(std::round(2 * std::log2(exact / base)) / 2);
    } else {
        value = m_minimum + std::round(share * kSteps) / kSteps * (m_maximum - m_minimum);
    }
    if (m_whole)
        value = std::max(1.0, std::round(value));
    return std::clamp(value, m_minimum, m_maximum);
}

QPointF RangeBar::handle(bool upper) const
{
    return {kRadius + 1 + share(upper ? m_to : m_from) * (width() - 2 * kRadius - 2), height() / 2.0};
}

void RangeBar::paintEvent(QPaintEvent*)
{
    const Theme& theme = m_themes.theme();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const double y = height() / 2.0;
    painter.setPen(QPen(theme.outline, 3, Qt::SolidLine, Qt::RoundCap));
    painter.drawLine(QPointF(kRadius + 1, y), QPointF(width() - kRadius - 1, y));
    painter.setPen(QPen(theme.accent, 4, Qt::SolidLine, Qt::RoundCap));
    painter.drawLine(handle(false), handle(true));
    const double now = kRadius + 1 + share(m_now) * (width() - 2 * kRadius - 2);
    painter.setPen(QPen(theme.text, 1.5));
    painter.drawLine(QPointF(now, y - 8), QPointF(now, y + 8));
    for (const bool upper : {false, true}) {
        painter.setPen(QPen(hasFocus() && upper == m_upper ? theme.text : theme.accent, 2));
        painter.setBrush(theme.raised);
        painter.drawEllipse(handle(upper), kRadius - 1, kRadius - 1);
    }
}

void RangeBar::move(double to)
{
    const double value = valueAt(to);
    const double from = m_upper ? m_from : std::min(value, m_to);
    const double upto = m_upper ? std::max(value, m_from) : m_to;
    if (from == m_from && upto == m_to)
        return;
    setRange(from, upto);
    Q_EMIT changed(m_from, m_to);
}

void RangeBar::mousePressEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton)
        return;
    const double x = event->position().x();
    const double lower = std::abs(x - handle(false).x());
    const double upper = std::abs(x - handle(true).x());
    m_upper = upper < lower || (upper == lower && x > handle(true).x());
    m_dragging = true;
    update();
}

void RangeBar::mouseMoveEvent(QMouseEvent* event)
{
    if (m_dragging)
        move((event->position().x() - kRadius - 1) / std::max(1.0, width() - 2 * kRadius - 2));
}

void RangeBar::mouseReleaseEvent(QMouseEvent* event)
{
    if (event->button() == Qt::LeftButton && std::exchange(m_dragging, false))
        move((event->position().x() - kRadius - 1) / std::max(1.0, width() - 2 * kRadius - 2));
}

void RangeBar::step(int by)
{
    const double now = m_upper ? m_to : m_from;
    const double next =
        m_logarithmic ? now * std::exp2(by / 2.0) : now + by * (m_maximum - m_minimum) / kSteps;
    move(share(std::clamp(next, m_minimum, m_maximum)));
}

void RangeBar::keyPressEvent(QKeyEvent* event)
{
    switch (event->key()) {
    case Qt::Key_Left:
    case Qt::Key_Down:
        return step(-1);
    case Qt::Key_Right:
    case Qt::Key_Up:
        return step(1);
    case Qt::Key_Home:
    case Qt::Key_End:
        m_upper = event->key() == Qt::Key_End;
        return update();
    default:
        QWidget::keyPressEvent(event);
    }
}

namespace {

constexpr double kReach = 256; ///< range of the bar: from 1/kReach to kReach times the current value
constexpr int kMostPoints = 200;
constexpr int kMostIterations = 100'000'000;
constexpr int kMostSeconds = 3600;
/// Maximum number of characters of an axis name in the form; the list shows the whole name.
constexpr int kNameLength = 22;

bool searches(SweepTask task)
{
    return task == SweepTask::Solve || task == SweepTask::SolveHere || task == SweepTask::Traffic ||
           task == SweepTask::Run;
}

} // namespace

SweepForm::SweepForm(Document& document, ThemeSource& themes, ControlBar& bar, QObject* parent)
    : QObject(parent), m_document(document), m_themes(themes), m_bar(bar)
{
    m_task = bar.addChoice(
        tr("At each point"),
        {tr("solve from scratch"), tr("solve from this schedule, keeping locks"),
         tr("this schedule as it is"), tr("lower bound"), tr("least traffic"), tr("NPU run, dynamic"),
         tr("NPU run, static"), tr("NPU run, tiles searched"), tr("mappings, proven"),
         tr("systolic network table"), tr("run of a solved schedule"), tr("run of this schedule"),
         tr("step of a language model, floor"), tr("step, one op per subgraph"), tr("step, NPU run")},
        tr("What is computed for every machine. From scratch: without the open schedule and its locks. From "
           "this schedule: if a locked subgraph does not fit, the point fails; locks are never dropped."));
    m_task->setObjectName(QStringLiteral("sweep.task"));
    connect(m_task, &QComboBox::currentIndexChanged, this, [this](int i) {
        if (m_showing)
            return;
        m_setup.task = static_cast<SweepTask>(i);
        m_setup.metric.clear();
        follow();
        Q_EMIT sweepChanged();
    });
    addAxis(0);
    addAxis(1);
    const auto number = [&](const char* name, int low, int high, const QString& label, const QString& tip,
                            int SweepSetup::*part) {
        auto* box = new NumberBox;
        box->setObjectName(QLatin1String(name));
        box->setRange(low, high);
        bar.addLabelled(label, box, tip);
        connect(box, &QSpinBox::valueChanged, this,
                [this, part](int n) { change([&](SweepSetup& s) { s.*part = n; }, true); });
        return box;
    };
    m_iterations = number("sweep.iterations", 1, kMostIterations, tr("Steps"),
                          tr("Search steps at each point. Equal steps give equal results on every computer."),
                          &SweepSetup::iterations);
    m_iterations->setSingleStep(10'000);
    m_seconds = number("sweep.seconds", 0, kMostSeconds, tr("Seconds"),
                       tr("Time limit of each point; 0 = until the optimum is proven, however long that "
                          "takes. Results with a time limit are not reproducible."),
                       &SweepSetup::seconds);
    m_seconds->setUnit(QStringLiteral("s"));
    m_seconds->setSpecialValueText(tr("until proven"));
}

QString SweepForm::titleOf(const SweepSetup& setup) const
{
    QStringList over;
    int points = 1;
    const auto parameters = sweepParameters(m_document, setup.task);
    for (std::size_t i = 0; i < setup.axisCount(); ++i) {
        const SweepAxis& axis = setup.axes.at(i);
        const auto it = std::ranges::find(parameters, axis.path, &SweepParameter::path);
        over << (it == parameters.end()
                     ? axis.path
                     : tr("%1 %2 to %3").arg(it->title, it->text(axis.from), it->text(axis.to)));
        if (!axis.words.isEmpty())
            over.back() = tr("%1 %2").arg(it == parameters.end() ? axis.path : it->title,
                                          axis.words.join(QStringLiteral(", ")));
        points *= axis.points;
    }
    return tr("%1: %2, %3")
        .arg(m_task->itemText(static_cast<int>(setup.task)), over.join(tr(" and ")),
             counted(points, tr("point"), tr("points")));
}

void SweepForm::addPictures()
{
    m_picture = m_bar.addChoice(tr("Show"), {tr("curve"), tr("heat map"), tr("front"), tr("table")},
                                tr("A curve over the first axis, a heat map over both, the Pareto front of "
                                   "two objectives, or a table of all numbers."));
    m_picture->setObjectName(QStringLiteral("sweep.picture"));
    connect(m_picture, &QComboBox::currentIndexChanged, this, [this](int i) {
        change([&](SweepSetup& s) { s.picture = static_cast<SweepPicture>(i); }, false);
        show();
    });
    m_metric = m_bar.addChoice(tr("of"), {}, tr("Objective that is drawn."));
    m_metric->setObjectName(QStringLiteral("sweep.metric"));
    connect(m_metric, &QComboBox::currentIndexChanged, this, [this](int i) {
        change([&](SweepSetup& s) { s.metric = m_metric->itemData(i).toString(); }, false);
    });
    m_against = m_bar.addChoice(tr("against"), {}, tr("Second objective of the front."));
    m_against->setObjectName(QStringLiteral("sweep.against"));
    connect(m_against, &QComboBox::currentIndexChanged, this, [this](int i) {
        change([&](SweepSetup& s) { s.against = m_against->itemData(i).toString(); }, false);
    });
    m_within = new NumberBox;
    m_within->setObjectName(QStringLiteral("sweep.within"));
    m_within->setRange(0, 100);
    m_within->setSuffix(tr(" %"));
    m_bar.addLabelled(tr("Within"), m_within,
                      tr("Marks the smallest value of the axis at which the curve is within this share of "
                         "its best value."));
    connect(m_within, &QSpinBox::valueChanged, this,
            [this](int n) { change([&](SweepSetup& s) { s.within = n; }, false); });
    m_limit = new DecimalBox;
    m_limit->setObjectName(QStringLiteral("sweep.limit"));
    m_limit->setRange(0, 1e15);
    m_limit->setDecimals(3);
    m_limit->setSpecialValueText(tr("none"));
    m_bar.addLabelled(
        tr("Limit"), m_limit,
        tr("Which machines meet it: the drawn objective is at most this number (tokens per second: at "
           "least)."));
    connect(m_limit, &QDoubleSpinBox::valueChanged, this,
            [this](double n) { change([&](SweepSetup& s) { s.limit = n; }, false); });
    follow();
}

void SweepForm::addAxis(std::size_t axis)
{
    const bool first = axis == 0;
    AxisControls& c = m_axes.at(axis);
    const auto named = [&](QWidget* widget, const char* name) {
        widget->setObjectName(QStringLiteral("sweep.%1.%2").arg(axis).arg(QLatin1String(name)));
    };
    c.name =
        m_bar.addChoice(first ? tr("along") : tr("and"), {},
                        first ? tr("Machine parameter that is varied.")
                              : tr("A second machine parameter. All combinations of both are computed."));
    named(c.name, "name");
    c.name->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    c.name->setMinimumContentsLength(kNameLength);
    connect(c.name, &QComboBox::currentIndexChanged, this, [this, axis, box = c.name](int i) {
        if (!m_showing)
            chooseAxis(axis, box->itemData(i).toString());
    });
    for (const bool upper : {false, true}) {
        auto* edit = new QLineEdit;
        (upper ? c.to : c.from) = edit;
        named(edit, upper ? "to" : "from");
        edit->setMaximumWidth(edit->fontMetrics().horizontalAdvance(QStringLiteral("8 888 888 KiB")));
        connect(edit, &QLineEdit::editingFinished, this, [this, axis, upper] { typed(axis, upper); });
        if (!upper) {
            m_bar.add(edit, tr("From"), tr("Smallest value, as a number or with a unit: 64 KiB."));
            c.range = new RangeBar(m_themes, &m_bar);
            named(c.range, "range");
            m_bar.add(c.range, tr("Range"),
                      tr("Drag the ends of the range; the tick marks the current value. Home and End choose "
                         "an end, the arrows move it."));
            connect(c.range, &RangeBar::changed, this, [this, axis](double from, double to) {
                change(
                    [&](SweepSetup& s) {
                        s.axes.at(axis).from = from;
                        s.axes.at(axis).to = to;
                    },
                    true);
                showAxis(axis);
            });
        } else {
            m_bar.add(edit, tr("To"), tr("Largest value, as a number or with a unit: 4 MiB."));
        }
    }
    c.points = new NumberBox;
    named(c.points, "points");
    c.points->setRange(1, kMostPoints);
    c.points->setSuffix(tr(" values"));
    m_bar.add(c.points, tr("Values"), tr("Number of values in the range."));
    connect(c.points, &QSpinBox::valueChanged, this,
            [this, axis](int n) { change([&](SweepSetup& s) { s.axes.at(axis).points = n; }, true); });
    c.logarithmic = new QCheckBox(tr("log"));
    named(c.logarithmic, "log");
    m_bar.add(c.logarithmic, tr("Logarithmic"),
              tr("Space the values by equal factors instead of equal differences."));
    connect(c.logarithmic, &QCheckBox::toggled, this, [this, axis](bool on) {
        change([&](SweepSetup& s) { s.axes.at(axis).isLogarithmic = on; }, true);
        showAxis(axis);
    });
    c.words = new QLineEdit;
    named(c.words, "words");
    m_bar.add(c.words, tr("Names"), tr("Names of presets, with commas between them."));
    connect(c.words, &QLineEdit::editingFinished, this, [this, axis] { typedWords(axis); });
}

const SweepParameter* SweepForm::parameter(const QString& path) const
{
    const auto at = std::ranges::find(m_parameters, path, &SweepParameter::path);
    return at == m_parameters.end() ? nullptr : &*at;
}

std::vector<SweepParameter> SweepForm::chosen() const
{
    std::vector<SweepParameter> out;
    for (const SweepAxis& axis : m_setup.axes)
        if (const SweepParameter* p = parameter(axis.path))
            out.push_back(*p);
    return out;
}

void SweepForm::change(const std::function<void(SweepSetup&)>& edit, bool points)
{
    if (m_showing)
        return;
    const SweepSetup before = m_setup;
    edit(m_setup);
    if (m_setup == before)
        return;
    if (points)
        Q_EMIT sweepChanged();
    else
        Q_EMIT pictureChanged();
}

void SweepForm::chooseAxis(std::size_t axis, const QString& path)
{
    change(
        [&](SweepSetup& s) {
            const SweepParameter* p = parameter(path);
            s.axes.at(axis) = p ? defaultAxis(*p) : SweepAxis();
            if (axis == 0 && s.axes[1].path == path)
                s.axes[1] = {};
            if (s.axisCount() == 1 && s.picture == SweepPicture::HeatMap)
                s.picture = SweepPicture::Curve;
            if (axis == 1 && p && s.picture == SweepPicture::Curve)
                s.picture = SweepPicture::HeatMap;
            s.against.clear();
        },
        true);
    show();
}

void SweepForm::typed(std::size_t axis, bool upper)
{
    const SweepParameter* p = parameter(m_setup.axes.at(axis).path);
    QLineEdit& edit = upper ? *m_axes.at(axis).to : *m_axes.at(axis).from;
    double& now = upper ? m_setup.axes.at(axis).to : m_setup.axes.at(axis).from;
    if (p && edit.text() != p->text(now)) {
        if (const auto value = p->typed(edit.text()))
            change([&](SweepSetup&) { now = *value; }, true);
        else
            showRefusal(edit, wholeSentence(value.error().message));
    }
    showAxis(axis); // a text that is not a number is replaced by the old value
}

void SweepForm::typedWords(std::size_t axis)
{
    SweepAxis& now = m_setup.axes.at(axis);
    const SweepParameter* p = parameter(now.path);
    QLineEdit& edit = *m_axes.at(axis).words;
    if (!p || p->words.isEmpty() || edit.text() == now.words.join(QStringLiteral(", ")))
        return;
    QStringList names;
    QString wrong;
    for (const QString& part : edit.text().split(QLatin1Char(','), Qt::SkipEmptyParts)) {
        const QString name = part.trimmed();
        if (!p->words.contains(name))
            wrong = name;
        else if (!names.contains(name))
            names << name;
    }
    if (!wrong.isEmpty())
        showRefusal(
            edit, tr("There is no preset %1; there are %2.").arg(wrong, p->words.join(QStringLiteral(", "))));
    else if (!names.isEmpty())
        change(
            [&](SweepSetup&) {
                now.words = names;
                now.to = static_cast<double>(names.size() - 1);
                now.points = static_cast<int>(names.size());
            },
            true);
    showAxis(axis); // unknown names are replaced by the old ones
}

void SweepForm::setSetup(const SweepSetup& setup)
{
    m_setup = setup;
    follow();
}

void SweepForm::follow()
{
    m_parameters = sweepParameters(m_document, m_setup.task);
    if (!m_parameters.empty()) { // without an open file the choices stay as they are
        if (!parameter(m_setup.axes[0].path))
            m_setup.axes[0] = defaultAxis(m_parameters.front());
        if (!parameter(m_setup.axes[1].path) || m_setup.axes[1].path == m_setup.axes[0].path)
            m_setup.axes[1] = {};
        if (m_setup.axisCount() == 1 && m_setup.picture == SweepPicture::HeatMap)
            m_setup.picture = SweepPicture::Curve;
    }
    show();
}

void SweepForm::showAxis(std::size_t axis)
{
    const QScopedValueRollback showing(m_showing, true);
    const AxisControls& c = m_axes.at(axis);
    const SweepAxis& a = m_setup.axes.at(axis);
    const SweepParameter* p = parameter(a.path);
    const bool hasWords = p && !p->words.isEmpty();
    for (QWidget* w : std::initializer_list<QWidget*>{c.from, c.range, c.to, c.points, c.logarithmic})
        m_bar.setShown(w, p && !hasWords);
    m_bar.setShown(c.words, hasWords);
    if (axis == 0 && m_limit) {
        m_bar.setShown(m_limit, hasWords);
        m_bar.setShown(m_within, !hasWords && (m_setup.picture == SweepPicture::Curve ||
                                               m_setup.picture == SweepPicture::HeatMap));
        m_limit->setValue(m_setup.limit);
    }
    if (hasWords)
        c.words->setText(a.words.join(QStringLiteral(", ")));
    if (!p || hasWords)
        return;
    c.from->setText(p->text(a.from));
    c.to->setText(p->text(a.to));
    const bool whole = !p->isFractional();
    const double now = p->now > 0 ? p->now : 1;
    const double least = whole ? std::max(1.0, now / kReach) : now / kReach;
    c.range->setScale(std::min(least, a.from), std::max(now * kReach, a.to), p->now, a.isLogarithmic, whole);
    c.range->setRange(a.from, a.to);
    c.points->setValue(a.points);
    c.logarithmic->setChecked(a.isLogarithmic);
}

void SweepForm::fillMetrics()
{
    m_metric->clear();
    m_against->clear();
    for (const SweepParameter& p : chosen())
        m_against->addItem(p.title, p.path);
    for (const QString& name : sweepMetrics(taskPlan(m_setup))) {
        m_metric->addItem(sweepMetricTitle(name), name);
        m_against->addItem(sweepMetricTitle(name), name);
    }
    const int chosenMetric = m_metric->findData(m_setup.metric);
    m_metric->setCurrentIndex(
        std::max(0, chosenMetric >= 0 ? chosenMetric : m_metric->findData(usualMetric(taskPlan(m_setup)))));
    m_against->setCurrentIndex(std::max(0, m_against->findData(m_setup.against)));
}

void SweepForm::show()
{
    if (!m_within)
        return; // the controls do not exist yet
    {
        const QScopedValueRollback showing(m_showing, true);
        m_task->setCurrentIndex(static_cast<int>(m_setup.task));
        const auto& model = m_document.model();
        auto* tasks = qobject_cast<QStandardItemModel*>(m_task->model());
        for (int task = 0; task <= static_cast<int>(kLastSweepTask); ++task)
            if (isOfLanguage(static_cast<SweepTask>(task)))
                tasks->item(task)->setEnabled(model && model->workload->language);
        for (std::size_t axis = 0; axis < 2; ++axis) {
            QComboBox* box = m_axes.at(axis).name;
            box->clear();
            if (axis == 1)
                box->addItem(tr("nothing else"), QString());
            for (const SweepParameter& p : m_parameters)
                if (axis == 0 || p.path != m_setup.axes[0].path)
                    box->addItem(p.title, p.path);
            box->setCurrentIndex(std::max(0, box->findData(m_setup.axes.at(axis).path)));
        }
        m_iterations->setValue(m_setup.iterations);
        m_bar.setShown(m_iterations, searches(m_setup.task));
        m_seconds->setValue(m_setup.seconds);
        m_bar.setShown(m_seconds, m_setup.task == SweepTask::Mapping);
        m_picture->setCurrentIndex(static_cast<int>(m_setup.picture));
        fillMetrics();
        m_bar.setShown(m_against, m_setup.picture == SweepPicture::Front);
        m_within->setValue(m_setup.within);
    }
    for (std::size_t axis = 0; axis < 2; ++axis)
        showAxis(axis);
}

} // namespace tilewright::ui
