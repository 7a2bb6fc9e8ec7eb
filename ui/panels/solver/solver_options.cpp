// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/solver/solver_options.h"

#include "canvas/number_box.h"
#include "theme/icon.h"
#include "theme/text.h"
#include "workspace/actions.h"
#include "workspace/constraint_edits.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QPushButton>
#include <QSettings>
#include <QSignalBlocker>
#include <QSpinBox>

#include <thread>

namespace tilewright::ui {

namespace {

QString key(const char* name)
{
    return QStringLiteral("solver/") + QLatin1String(name);
}

bool hasConstraints(const Document& document)
{
    const auto constraints = constraintsOf(document);
    return !constraints || constraints->any();
}

} // namespace

SolverOptions::SolverOptions(Document& document, Actions& actions, QWidget* parent)
    : ControlBar(parent), m_document(document), m_budget(new DecimalBox(this)),
      m_threads(new NumberBox(this)), m_finish(new QCheckBox(tr("Finish on the run"), this)),
      m_placeable(new QCheckBox(tr("Placeable only"), this)),
      m_preview(new QCheckBox(tr("Preview in graph"), this)),
      m_run(new QPushButton(icon(QStringLiteral("solve")), tr("Auto-solve"), this)),
      m_pause(new QPushButton(icon(QStringLiteral("pause")), tr("Pause"), this)),
      m_stop(new QPushButton(icon(QStringLiteral("stop")), tr("Stop and keep"), this)),
      m_patience(new DecimalBox(this))
{
    const QSettings settings;
    const verbs::SolveCall defaults;
    add(m_run, tr("Auto-solve"), {});
    actions.explain(m_run, tr("Start the search ({solve.auto|F9})."));
    add(m_pause, tr("Pause"), tr("Pause or resume the search. The time limit is paused too."));
    add(m_stop, tr("Stop and keep"), {});
    actions.explain(m_stop,
                    tr("End the search and keep the best schedule ({solve.auto|F9}, or Esc in this pane)."));
    m_budget->setRange(0, 3600);
    m_budget->setDecimals(1);
    m_budget->setSuffix(tr(" s"));
    m_budget->setStepType(QAbstractSpinBox::AdaptiveDecimalStepType);
    m_budget->setValue(settings.value(key("seconds"), 0).toDouble());
    addLabelled(tr("&Budget"), m_budget,
                tr("Time limit of the search; 0 chooses by the size of the problem. You can stop at any time "
                   "and keep the best schedule."));
    m_patience->setRange(0, 3600);
    m_patience->setDecimals(1);
    m_patience->setSuffix(tr(" s"));
    m_patience->setStepType(QAbstractSpinBox::AdaptiveDecimalStepType);
    m_patience->setSpecialValueText(tr("never"));
    m_patience->setValue(settings.value(key("patience"), defaults.patience).toDouble());
    addLabelled(tr("&Patience"), m_patience,
                tr("End the search after this time without a better schedule; 0 uses the whole budget."));
    m_threads->setRange(1, 256);
    m_threads->setValue(
        settings.value(key("threads"), std::max(1, static_cast<int>(std::thread::hardware_concurrency())))
            .toInt());
    addLabelled(tr("&Threads"), m_threads, tr("Number of cores that search at the same time."));
    m_start =
        addChoice(tr("&Start from"), {tr("current"), tr("scratch"), tr("selection")},
                  tr("current: improve the present schedule; scratch: start without one; selection: change "
                     "only the selected subgraphs or ops. The result is never worse than the start. Locked "
                     "subgraphs keep their ops, granularity, retained tensors and drawn order."));
    m_start->setCurrentIndex(settings.value(key("start"), FromCurrent).toInt());
    m_rules = addChoice(tr("&Rules"), {tr("contest final"), tr("contest first statement"), tr("machine")},
                        tr("The rules of the schedule, which the solver uses as well."));
    m_rules->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_rules->setMinimumContentsLength(12); // as "contest final"
    m_rules->setPlaceholderText(tr("own choice"));
    m_objective =
        addChoice(tr("&Minimise"), {tr("latency"), tr("energy"), tr("latency × energy")},
                  tr("What the search minimises. The front of a run shows the other schedules it has "
                     "found."));
    m_objective->setCurrentIndex(settings.value(key("objective"), 0).toInt());
    m_finish->setChecked(settings.value(key("finish"), defaults.finish == "run").toBool());
    add(m_finish, m_finish->text(),
        tr("After the search, run the schedules found (see the pane Run) and try larger and smaller tiles "
           "for the one that ends first: the end of the run decides instead of the latency. Only for the "
           "least latency, of all subgraphs, without Placeable only and without constraints."));
    m_placeable->setChecked(settings.value(key("placeable"), defaults.placeable).toBool());
    add(m_placeable, m_placeable->text(),
        tr("Only schedules whose buffers can all be placed at addresses in fast memory; the sum of their "
           "sizes is not enough."));
    m_preview->setChecked(settings.value(key("preview"), true).toBool());
    add(m_preview, m_preview->text(),
        tr("While the solver runs, the graph shows its best schedule so far. Your schedule is not changed; "
           "an edit ends the preview."));

    connect(m_run, &QPushButton::clicked, this, &SolverOptions::runClicked);
    connect(m_pause, &QPushButton::clicked, this, &SolverOptions::pauseClicked);
    connect(m_patience, &QDoubleSpinBox::valueChanged, this,
            [](double seconds) { QSettings().setValue(key("patience"), seconds); });
    connect(m_stop, &QPushButton::clicked, this, &SolverOptions::stopClicked);
    connect(m_budget, &QDoubleSpinBox::valueChanged, this,
            [](double seconds) { QSettings().setValue(key("seconds"), seconds); });
    connect(m_threads, &QSpinBox::valueChanged, this,
            [](int threads) { QSettings().setValue(key("threads"), threads); });
    connect(m_start, &QComboBox::activated, this,
            [](int start) { QSettings().setValue(key("start"), start); });
    connect(m_objective, &QComboBox::activated, this,
            [](int objective) { QSettings().setValue(key("objective"), objective); });
    connect(m_rules, &QComboBox::activated, this, [this](int i) {
        if (const auto rules = ruleSetNamed(ruleSetNames()[static_cast<std::size_t>(i)]))
            m_document.setRules(*rules);
    });
    connect(m_finish, &QCheckBox::toggled, this, [](bool on) { QSettings().setValue(key("finish"), on); });
    connect(m_placeable, &QCheckBox::toggled, this, [this](bool on) {
        QSettings().setValue(key("placeable"), on);
        refreshFinish();
    });
    connect(m_start, &QComboBox::currentIndexChanged, this, &SolverOptions::refreshFinish);
    connect(m_objective, &QComboBox::currentIndexChanged, this, &SolverOptions::refreshFinish);
    connect(m_preview, &QCheckBox::toggled, this, [this](bool on) {
        QSettings().setValue(key("preview"), on);
        Q_EMIT previewToggled(on);
    });
    m_document.whenChanged(this, Part::Problem | Part::Machine | Part::RuleSet, &SolverOptions::refresh);
    m_document.whenChanged(this, Part::Steps, &SolverOptions::refreshFinish);
    setRunning(false);
    refresh();
}

verbs::SolveCall SolverOptions::call() const
{
    verbs::SolveCall out;
    out.rules.value = m_document.rules();
    if (m_budget->value() > 0)
        out.seconds = m_budget->value();
    out.patience = m_patience->value();
    out.threads = m_threads->value();
    out.placeable = m_placeable->isChecked();
    if (m_objective->isEnabled())
        out.objective = kObjectiveNames[static_cast<std::size_t>(std::max(0, m_objective->currentIndex()))];
    if (m_finish->isEnabled() && m_finish->isChecked())
        out.finish = "run";
    return out;
}

/// Disables the options that a finish on the run excludes, as in verbs::SolveCall.
void SolverOptions::refreshFinish()
{
    m_finish->setEnabled(m_document.hasProblem() && !m_placeable->isChecked() &&
                         (!m_objective->isEnabled() || m_objective->currentIndex() <= 0) &&
                         m_start->currentIndex() != SelectionOnly && !hasConstraints(m_document));
}

void SolverOptions::refresh()
{
    const bool open = m_document.hasProblem();
    m_run->setEnabled(open && !m_running);
    m_rules->setEnabled(open);
    m_objective->setEnabled(open && m_document.problem()->hasEnergy());
    refreshFinish();
    const auto names = ruleSetNames(); // "custom" is none of them
    const auto at = std::ranges::find(names, ruleSetName(m_document.rules()));
    m_rules->setCurrentIndex(at == names.end() ? -1 : static_cast<int>(at - names.begin()));
    const double suited = suggestedSeconds(open ? m_document.problem()->opCount() : 0);
    m_budget->setSpecialValueText(open ? tr("auto (%1)").arg(secondsText(suited)) : tr("auto"));
    m_budget->setMinimumWidth(m_budget->sizeHint().width());
}

void SolverOptions::setRunning(bool running)
{
    // Each button keeps its place, so that a late click does not hit another button.
    m_running = running;
    m_run->setEnabled(!running && m_document.hasProblem());
    m_stop->setEnabled(running);
    m_pause->setEnabled(running);
    if (!running)
        setPaused(false);
}

void SolverOptions::setPaused(bool paused)
{
    m_pause->setText(paused ? tr("Resume") : tr("Pause"));
    m_pause->setIcon(icon(paused ? QStringLiteral("play") : QStringLiteral("pause")));
}

void SolverOptions::restorePreview()
{
    const QSignalBlocker quiet(m_preview);
    m_preview->setChecked(QSettings().value(key("preview"), true).toBool());
}

void SolverOptions::pausePreview()
{
    const QSignalBlocker quiet(m_preview);
    m_preview->setChecked(false);
}

} // namespace tilewright::ui
