// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/status_strip.h"

#include "canvas/figure_address.h"
#include "lower/floor.h"
#include "lower/launch.h"
#include "theme/icon.h"
#include "theme/text.h"
#include "theme/text_metrics.h"
#include "workspace/lens_links.h"
#include "workspace/texts.h"

#include <QApplication>
#include <QClipboard>
#include <QEvent>
#include <QLabel>
#include <QMenu>
#include <QPainter>
#include <QToolButton>

#include <algorithm>
#include <cmath>
#include <map>

namespace tilewright::ui {

/// A selectable label that measures its width only when text or font have changed. It avoids the slow layout
/// of QLabel, because its text changes with every edit.
class StatusText final : public QLabel
{
public:
    using QLabel::QLabel;
    void show(const QString& text, const QColor& colour)
    {
        if (palette().color(QPalette::WindowText) != colour) {
            QPalette changed = palette();
            changed.setColor(QPalette::WindowText, colour);
            setPalette(changed);
        }
        setText(text);
    }
    [[nodiscard]] QSize sizeHint() const override
    {
        if (text() != m_text || font() != m_font) {
            m_text = text();
            m_font = font();
            const QFontMetrics metrics(m_font);
            m_size = {m_text.isEmpty() ? 0 : metrics.horizontalAdvance(m_text) + 2, metrics.height()};
        }
        return m_size;
    }
    [[nodiscard]] QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent* event) override
    {
        if (width() >= sizeHint().width())
            return QLabel::paintEvent(event);
        QPainter painter(this);
        writeAcross(painter, rect(), text(), font(), palette().color(QPalette::WindowText));
    }

private:
    mutable QString m_text; ///< the text for which m_size was measured
    mutable QFont m_font;   ///< the font for which m_size was measured
    mutable QSize m_size;
};

StatusStrip::StatusStrip(const ViewContext& context, QWidget* parent) : QWidget(parent), m_context(context)
{
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    // The fields are placed by fitRow(). A QLayout would lay out the whole window again when a number gets
    // longer.
    const auto label = [&](const QString& name) {
        auto* l = new StatusText(this);
        l->setAccessibleName(name);
        l->setTextFormat(Qt::PlainText);
        l->setTextInteractionFlags(Qt::TextSelectableByMouse);
        return l;
    };
    const auto button = [&](const QString& name) {
        auto* b = new QToolButton(this);
        b->setAccessibleName(name);
        b->setAutoRaise(true);
        b->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
        return b;
    };
    m_name = label(tr("Workload"));
    m_name->setFont(uiFont(1.15, QFont::DemiBold));
    m_total = label(tr("Total latency"));
    m_total->setFont(uiFont(1.15, QFont::DemiBold));
    m_unit = label(tr("Unit of the total"));
    m_seconds = label(tr("Total in seconds"));
    m_rate = label(tr("Rate and share of the peak"));
    m_floor = button(tr("Multiple of the floor"));
    connect(m_floor, &QToolButton::clicked, this, &StatusStrip::floorClicked);
    m_array = label(tr("Total on the array"));
    m_npu = label(tr("Makespan on the NPU"));
    m_energy = label(tr("Energy"));
    m_change = label(tr("Change of the last edit"));
    m_against = label(tr("Change against the baseline"));
    m_gap = button(tr("Lower bound and gap"));
    m_gap->setToolTip(tr("Gap between the total and the lower bound. Click for the breakdown."));
    m_peak = label(tr("Peak working set"));
    m_validity = button(tr("Validity"));
    m_rules = button(tr("Rule set"));
    connect(m_rules, &QToolButton::clicked, this, &StatusStrip::rulesClicked);
    m_more = button(tr("More figures"));
    m_more->setObjectName(QStringLiteral("status.more"));
    m_more->setText(QStringLiteral("…"));
    m_more->setToolTip(tr("Figures without room in this row."));
    m_more->setPopupMode(QToolButton::InstantPopup);
    m_more->setMenu(new QMenu(m_more));
    m_more->menu()->setToolTipsVisible(true);
    connect(m_more->menu(), &QMenu::aboutToShow, this, &StatusStrip::fillMenu);
    m_time = label(tr("Evaluation time"));
    connect(m_gap, &QToolButton::clicked, this, &StatusStrip::gapClicked);
    connect(m_validity, &QToolButton::clicked, this, &StatusStrip::validityClicked);
    for (const auto& [widget, figure] : {std::pair<QWidget*, const char*>{m_total, "schedule:total_latency"},
                                         {m_unit, "schedule:total_latency"},
                                         {m_seconds, "schedule:total_latency"},
                                         {m_floor, "schedule:floor"},
                                         {m_array, "schedule:array_total"},
                                         {m_npu, "npu:makespan"},
                                         {m_energy, "schedule:energy_pj"},
                                         {m_gap, "schedule:lower_bound"}})
        setFigure(widget, QString::fromLatin1(figure));
    m_context.document.whenChanged(
        this, Part::Snapshot | Part::Baseline | Part::RuleSet | Part::Preview | Part::Proof,
        &StatusStrip::refresh);
    connect(&m_context.workspace.links(), &LensLinks::makespanChanged, this, &StatusStrip::refresh);
    connect(&m_context.themes, &ThemeSource::changed, this, &StatusStrip::refresh);
    refresh();
}

QSize StatusStrip::sizeHint() const
{
    int height = 0;
    for (const QWidget* w : row())
        height = std::max(height, w->sizeHint().height());
    return {400, height + 4};
}

QWidget* StatusStrip::evaluationTime() const
{
    return m_time;
}

std::array<QWidget*, 15> StatusStrip::row() const
{
    return {m_name,   m_total,  m_unit,    m_seconds, m_rate, m_floor,    m_array, m_npu,
            m_energy, m_change, m_against, m_gap,     m_peak, m_validity, m_rules};
}

bool StatusStrip::event(QEvent* event)
{
    if (event->type() == QEvent::LayoutRequest || event->type() == QEvent::Resize)
        fitRow();
    if (event->type() == QEvent::FontChange)
        updateGeometry();
    return QWidget::event(event);
}

void StatusStrip::fitRow()
{
    constexpr int kMargin = 8, kGap = 16;
    const QFontMetrics metrics(m_peak->font());
    const auto saves = [&](const Wording& text) {
        return std::max(0, metrics.horizontalAdvance(text.whole) - metrics.horizontalAdvance(text.brief));
    };
    const auto widthOf = [this](const QWidget* w) {
        return w == m_floor && m_floor->text().isEmpty() ? 0 : w->sizeHint().width();
    };
    // The widths of all fields without abbreviation.
    std::map<const QWidget*, int> widths;
    for (const QWidget* w : row())
        widths[w] = widthOf(w);
    widths[m_gap] += m_gap->text() == m_gapText.whole ? 0 : saves(m_gapText);
    widths[m_peak] += m_peak->text() == m_peakText.whole ? 0 : saves(m_peakText);
    m_inMenu.clear();
    const auto fits = [&] {
        int needed = 2 * kMargin - kGap + (m_inMenu.empty() ? 0 : widthOf(m_more) + kGap);
        for (const QWidget* w : row())
            needed += widths[w] > 0 ? widths[w] + kGap : 0;
        return needed <= width();
    };
    const auto drop = [&](std::initializer_list<QWidget*> fields) {
        for (QWidget* w : fields)
            if (widths[w] > 0 && !fits()) {
                if (std::ranges::find(m_inMenu, w) == m_inMenu.end())
                    m_inMenu.push_back(w);
                widths[w] = 0;
            }
    };
    const auto shorten = [&](QWidget* w, int by) {
        if (by <= 0 || widths[w] == 0 || fits())
            return false;
        m_inMenu.push_back(w);
        widths[w] -= by;
        return true;
    };
    drop({m_energy, m_rules, m_against, m_npu, m_array});
    const bool briefGap = shorten(m_gap, saves(m_gapText));
    const bool briefPeak = shorten(m_peak, saves(m_peakText));
    drop({m_rate, m_change});
    shorten(m_name, widths[m_name] - 14 * metrics.averageCharWidth());
    drop({m_peak, m_floor, m_seconds, m_unit, m_gap, m_name});
    m_gap->setText(briefGap ? m_gapText.brief : m_gapText.whole);
    m_peak->setText(briefPeak ? m_peakText.brief : m_peakText.whole);

    int room = width() - 2 * kMargin + kGap - (m_inMenu.empty() ? 0 : widthOf(m_more) + kGap);
    for (const QWidget* w : row())
        room -= widths[w] > 0 ? widths[w] + kGap : 0;
    if (widths[m_name] > 0) // a shortened name gets the remaining width
        widths[m_name] = std::min(widthOf(m_name), widths[m_name] + std::max(0, room));
    int x = kMargin;
    const auto place = [&](QWidget* w, int across) {
        const int height = w->sizeHint().height();
        w->setVisible(across > 0);
        if (across <= 0)
            return;
        w->setGeometry(x, (this->height() - height) / 2, across, height);
        x += across + kGap;
    };
    for (QWidget* w : row())
        place(w, widths[w]);
    place(m_more, m_inMenu.empty() ? 0 : widthOf(m_more));
}

void StatusStrip::fillMenu()
{
    QMenu& menu = *m_more->menu();
    menu.clear();
    for (QWidget* w : row()) {
        if (std::ranges::find(m_inMenu, w) == m_inMenu.end())
            continue;
        auto* button = qobject_cast<QToolButton*>(w);
        const auto* label = qobject_cast<QLabel*>(w);
        const QString text = w == m_gap    ? m_gapText.whole
                             : w == m_peak ? m_peakText.whole
                             : button      ? button->text()
                                           : label->text();
        QAction* action = menu.addAction(QString(text).replace(QLatin1Char('&'), QLatin1String("&&")));
        action->setToolTip(button ? button->toolTip() : tr("Click to copy the text."));
        if (button)
            connect(action, &QAction::triggered, button, &QToolButton::click);
        else
            connect(action, &QAction::triggered, this, [text] { QApplication::clipboard()->setText(text); });
    }
}

/// Shows the total with the cycles of the array. Hidden under rules for which it is the normal total.
void StatusStrip::refreshArray(const Snapshot* shown, bool valid)
{
    if (!shown || !valid || shown->evaluation.rules.compute == Rules::Compute::Array) {
        m_array->clear();
        return;
    }
    const Theme& theme = m_context.themes.theme();
    const Hardware& hw = shown->problem->hardware();
    m_array->show(tr("on the array %1").arg(number(shown->arrayTotal)), theme.text);
    m_array->setToolTip(
        tr("%1: total latency of the same schedule with the cycles of the systolic array of %2 × %3 (rule "
           "switch compute=array). These include filling and draining the array in every step, and idle rows "
           "and columns for slices that are smaller than the array. The total ignores fill and drain, and "
           "charges a smaller slice like a whole tile of the array.")
            .arg(exactNumber(shown->arrayTotal), number(hw.nativeHeight), number(hw.nativeWidth)));
}

/// Shows the unit of the total and the machine.
void StatusStrip::refreshUnit()
{
    const Document& document = m_context.document;
    const QColor& muted = m_context.themes.theme().muted;
    m_seconds->clear();
    if (!document.model()) {
        m_unit->show(timeUnitText(nullptr), muted);
        m_unit->setToolTip(tr("The base costs and the bandwidth of this problem define its unit of time. "
                              "Choose a machine to see cycles."));
        return;
    }
    const Machine& machine = document.model()->machine;
    const auto preset = machinePreset(machine.name);
    const QString name = QString::fromStdString(machine.name);
    const QString cycles = timeUnitText(document.model());
    QString text =
        tr("%1 on %2").arg(cycles, preset && *preset != machine ? tr("%1 (edited)").arg(name) : name);
    QString tip = tr("One core of the machine %1 at %2 GHz.").arg(name, exactNumber(machine.clockGhz));
    if (const auto& language = document.model()->workload->language;
        language && language->options.layers != llm::kAllLayers) {
        const auto most = static_cast<std::int64_t>(language->whole.layers.size());
        text += language->options.layers == llm::kEachKind
                    ? tr(", one layer of each kind of %1").arg(number(most))
                    : tr(", %1 of %2 layers").arg(number(language->options.layers), number(most));
        tip += QLatin1Char(' ') + tr("The Summary has the whole model: times and tokens a second.");
    }
    m_unit->show(text, muted);
    if (const SnapshotPtr shown = document.lastValid(); shown && machine.clockGhz > 0) {
        if (m_launchModel != document.model()) {
            m_launchModel = document.model();
            m_launches = lower::launchOf(*m_launchModel).value * 1e-3;
        }
        const double seconds = shown->evaluation.total * document.secondsOfUnit() + m_launches;
        tip += QLatin1Char(' ') + tr("The total is %1.").arg(secondsText(seconds));
        if (m_launches > 0)
            tip +=
                QLatin1Char(' ') + tr("%1 of them are launches of operators.").arg(secondsText(m_launches));
        m_seconds->show(secondsText(seconds),
                        document.snapshot()->evaluation.valid() ? m_context.themes.theme().text : muted);
    }
    m_unit->setToolTip(plain(tip + QLatin1Char(' ') + tr("The Machine view shows its values.")));
}

/// Shows the total of a lowered model as a multiple of the floor of one core.
void StatusStrip::refreshFloor(const Snapshot* shown, bool valid)
{
    const lower::ModelOnMachinePtr& model = m_context.document.model();
    if (m_floorModel != model) {
        m_floorModel = model;
        m_floorOf = model ? std::optional(lower::floorOf(*model, 1)) : std::nullopt;
    }
    const auto multiple = model && shown && valid
                              ? lower::multipleOfFloor(*model, *m_floorOf, shown->evaluation.total)
                              : std::nullopt;
    m_rate->clear();
    if (!multiple)
        return m_floor->setText({});
    if (const auto rate = lower::rateOf(*model, *m_floorOf, shown->evaluation.total)) {
        m_rate->show(tr("%1 TOPS, %2 of peak").arg(significantNumber(rate->tops), percent(rate->ofPeak)),
                     m_context.themes.theme().text);
        m_rate->setToolTip(tr("Rate of the schedule: two operations per multiply-accumulate of the products, "
                              "and its share of the largest rate of the array of one core."));
    }
    m_floor->setText(tr("%1 × floor").arg(significantNumber(*multiple)));
    m_floor->setToolTip(
        tr("No lens takes fewer than %1 cycles for this model on one core of this machine: all "
           "products at the largest rate of the array, or the bytes that must move (R19). Click "
           "for the Summary: the figures of every lens, and what each is made of.")
            .arg(number(m_floorOf->cycles.value)));
}

/// Shows the makespan if the NPU lens has simulated the open model.
void StatusStrip::refreshNpu()
{
    const auto makespan = m_context.workspace.links().makespan();
    if (!makespan) {
        m_npu->clear();
        return;
    }
    const Document& document = m_context.document;
    const std::int64_t unit = document.model() ? document.model()->lowered.timeUnit : 1;
    m_npu->show(tr("NPU %1").arg(number(*makespan)), m_context.themes.theme().text);
    m_npu->setToolTip(
        tr("%1 cycles: simulation of the whole model on %2, tile by tile, "
           "including waits for DRAM, network and other cores. Its tiles are those of the NPU lens. The "
           "total on the left is the latency on one "
           "core "
           "with a constant memory bandwidth. One unit of time of the total is %3.")
            .arg(exactNumber(static_cast<double>(*makespan)),
                 counted(document.machine() ? document.machine()->cores : 1, tr("core"), tr("cores")),
                 counted(unit, tr("cycle"), tr("cycles"))));
}

void StatusStrip::refresh()
{
    const Document& document = m_context.document;
    const Theme& theme = m_context.themes.theme();
    const SnapshotPtr snapshot = document.snapshot();
    m_time->setVisible(snapshot != nullptr);
    if (!snapshot)
        return;
    m_name->show(QString::fromStdString(document.problem()->name()), theme.text);
    const bool valid = snapshot->evaluation.valid();
    const auto judged = [&theme](double by) {
        return by < 0 ? theme.ok : by > 0 ? theme.warning : theme.muted;
    };

    // While the schedule is invalid, the last valid total is shown in grey.
    const SnapshotPtr shown = valid ? snapshot : document.lastValid();
    const QString total = shown ? number(shown->evaluation.total) : QStringLiteral("–");
    m_total->show(valid   ? tr("Total %1").arg(total)
                  : shown ? tr("Total – (was %1)").arg(total)
                          : tr("Total –"),
                  valid ? theme.text : theme.muted);
    m_total->setToolTip(shown ? tr("Total latency %1").arg(exactNumber(shown->evaluation.total))
                              : tr("There has been no valid schedule yet."));
    refreshUnit();
    refreshFloor(shown.get(), valid);
    refreshArray(shown.get(), valid);
    refreshNpu();

    const SnapshotPtr& before = document.lastStep().before;
    if (const SnapshotPtr& preview = document.preview()) {
        // The total is still that of the document; the preview's text replaces the change of the last edit.
        QString text = tr("Preview %1").arg(number(preview->evaluation.total));
        if (valid && snapshot->evaluation.total > 0)
            text += QStringLiteral(" (%1)").arg(
                signedPercent(preview->evaluation.total / snapshot->evaluation.total - 1));
        m_change->show(text, theme.accent);
    } else if (valid && before && before->evaluation.valid() && before->evaluation.total > 0) {
        using Way = Document::LastStep::Way;
        // If the clocks differ, times are compared, because cycles have different lengths.
        const double unit = document.secondsOfUnit(), unitBefore = document.lastStep().secondsOfUnit;
        const bool inSeconds = unit > 0 && unitBefore > 0 && unit != unitBefore;
        const double was = before->evaluation.total * (inSeconds ? unitBefore : 1);
        const double by = snapshot->evaluation.total * (inSeconds ? unit : 1) - was;
        const QString what = document.lastStep().way == Way::Undo   ? tr("Undo")
                             : document.lastStep().way == Way::Redo ? tr("Redo")
                                                                    : tr("Last edit");
        QString text =
            QStringLiteral("%1 %2 (%3)")
                .arg(what,
                     !inSeconds ? signedNumber(by)
                                : (by < 0 ? QChar(0x2212) : QLatin1Char('+')) + secondsText(std::abs(by)),
                     signedPercent(by / was));
        // If an edit changes only the cycles on the array (for example a smaller k), that change is shown.
        const double array = before->arrayTotal > 0 ? snapshot->arrayTotal / before->arrayTotal - 1 : 0;
        constexpr double kLeastShown = 0.01;
        const bool onlyArray = by == 0 && std::abs(array) >= kLeastShown;
        if (onlyArray)
            text += tr(", on the array %1").arg(signedPercent(array));
        m_change->show(text, judged(onlyArray ? array : by));
    } else {
        m_change->clear();
    }
    QFont font = m_change->font();
    font.setItalic(document.preview() != nullptr);
    m_change->setFont(font);
    m_change->setToolTip(document.preview()
                             ? tr("Best schedule that the solver has found so far; not applied yet.")
                             : QString());
    const SnapshotPtr baseline = document.baseline();
    if (valid && !document.preview() && baseline && baseline->evaluation.valid() &&
        baseline->evaluation.total > 0) {
        const double was = baseline->evaluation.total * document.unitOfBaseline();
        const double by = snapshot->evaluation.total - was;
        const Baseline& pinned = document.baselines()[static_cast<std::size_t>(document.baselineIndex())];
        const QString machine = document.otherMachineOf(pinned);
        const QString change = signedPercent(by / was);
        m_against->show(machine.isEmpty() ? tr("vs baseline %1").arg(change)
                                          : tr("vs baseline on %1 %2").arg(machine, change),
                        judged(by));
    } else {
        m_against->clear();
    }

    if (valid && snapshot->problem->hasEnergy()) {
        m_energy->show(energyText(snapshot->evaluation.energy), theme.text);
        m_energy->setToolTip(tr("Energy of the schedule: %1 pJ; latency × energy %2 pJ %3.")
                                 .arg(exactNumber(snapshot->evaluation.energy),
                                      exactNumber(snapshot->evaluation.edp()),
                                      timesUnitText(document.model())));
    } else {
        m_energy->clear();
    }

    const QString bound = tr("Bound %1").arg(number(snapshot->lowerBound));
    const QString gap = tr("gap %1").arg(percent(snapshot->gap()));
    const bool proven = valid && !document.preview() && document.proof();
    m_gapText = {!valid ? bound : bound + QStringLiteral("   ") + (proven ? tr("proven optimal") : gap),
                 !valid   ? bound
                 : proven ? tr("Optimal")
                          : tr("Gap %1").arg(percent(snapshot->gap()))};
    if (m_gap->text() != m_gapText.brief)
        m_gap->setText(m_gapText.whole);

    double peak = 0;
    for (const SubgraphEvaluation& s : snapshot->evaluation.subgraphs)
        peak = std::max(peak, s.peakWorkingSet);
    const std::int64_t capacity = snapshot->problem->hardware().fastMemoryCapacity;
    m_peakText = {tr("Peak %1 / %2").arg(number(peak), number(capacity)),
                  tr("Peak %1").arg(percent(static_cast<double>(peak) / static_cast<double>(capacity)))};
    m_peak->show(m_peak->text() == m_peakText.brief ? m_peakText.brief : m_peakText.whole,
                 peak > capacity ? theme.error : theme.text);

    if (m_showsValid != valid)
        m_validity->setIcon(icon(valid ? QStringLiteral("ok") : QStringLiteral("problem")));
    m_showsValid = valid;
    if (valid) {
        m_validity->setText(tr("Valid"));
        m_validity->setToolTip(tr("The schedule breaks no rule."));
    } else {
        m_validity->setText(counted(std::ssize(snapshot->evaluation.issues), tr("problem"), tr("problems")));
        m_validity->setToolTip(plain(sentence(snapshot->evaluation.issues.front().text)));
    }
    if (const QColor colour = valid ? theme.ok : theme.error;
        m_validity->palette().color(QPalette::ButtonText) != colour) {
        QPalette palette;
        palette.setColor(QPalette::ButtonText, colour);
        m_validity->setPalette(palette);
    }

    const auto name = ruleSetTitle(snapshot->evaluation.rules);
    const QString title = QLatin1String(name.data(), static_cast<qsizetype>(name.size()));
    m_rules->setText(tr("Rules: %1").arg(title));
    m_rules->setToolTip(document.rulesReason().isEmpty()
                            ? tr("Rules for costs and validity: %1. The Rules view "
                                 "changes single rules.")
                                  .arg(title)
                            : document.rulesReason());
    m_time->show(tr("evaluated in %1").arg(secondsText(snapshot->evaluationMs / 1000)), theme.muted);
    fitRow();
}

} // namespace tilewright::ui
