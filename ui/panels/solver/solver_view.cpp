// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/solver/solver_view.h"

#include "document/schedule_edits.h"
#include "report/take_snapshot.h"
#include "theme/icon.h"
#include "theme/number.h"

#include <QComboBox>
#include <QCoreApplication>
#include <QDoubleSpinBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QSpinBox>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <cmath>
#include <thread>

namespace tilewright::ui {

class SolverCurveWidget : public QWidget
{
public:
    SolverCurveWidget(const SolverCurve& curve, const ThemeSource& themes, QWidget* parent)
        : QWidget(parent), m_curve(curve), m_themes(themes)
    {
        setMinimumSize(260, 120);
        setAccessibleName(QCoreApplication::translate("SolverView", "Best latency over time"));
    }
    const Theme* exportTheme = nullptr;

protected:
    void paintEvent(QPaintEvent*) override
    {
        const Theme& theme = exportTheme ? *exportTheme : m_themes.theme();
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.fillRect(rect(), theme.canvas);
        paintSolverCurve(painter, rect(), m_curve, theme);
    }

private:
    const SolverCurve& m_curve;
    const ThemeSource& m_themes;
};

SolverView::SolverView(const ViewContext& context, QWidget* parent)
    : View(context, QStringLiteral("solver"), tr("Solver"), parent)
{
    build();
    m_alternatives = std::make_unique<LatestJob<Alternatives>>(
        [this](const Alternatives& all) {
            for (std::size_t i = 0; i < all.size() && static_cast<int>(i) < m_why->topLevelItemCount(); ++i)
                for (const SolveAlternative& a : all[i]) {
                    auto* item = new QTreeWidgetItem(m_why->topLevelItem(static_cast<int>(i)),
                                                     {QString::fromStdString(a.text), signedNumber(a.loss)});
                    item->setToolTip(0, tr("Instead: %1. The total would be %2.")
                                            .arg(QString::fromStdString(a.text), number(a.total)));
                }
        },
        true);
    registry().add(
        {QStringLiteral("solve.auto"),
         tr("Solve"),
         tr("&Auto-solve"),
         QStringLiteral("solve"),
         {QKeySequence(Qt::Key_F9)},
         tr("Search for a better schedule with the settings of the Solver pane; again: stop and keep the "
            "best.")},
        [this](bool) { startOrStop(); });
    registry().add({QStringLiteral("solve.selection"),
                    tr("Solve"),
                    tr("Solve &selection only"),
                    {},
                    {QKeySequence(Qt::SHIFT | Qt::Key_F9)},
                    tr("Only subgraphs that run a selected op may change.")},
                   [this](bool) {
                       m_from->setCurrentIndex(SelectionOnly);
                       startOrStop();
                   });
    connect(&m_job, &SolverJob::improved, this, [this](double seconds, double total) {
        m_curve.points.emplace_back(seconds, total);
        m_plot->update();
    });
    connect(&m_job, &SolverJob::status, this, [this](const SolveStatus& s) {
        m_curve.seconds = s.seconds;
        m_curve.lowerBound = s.lowerBound;
        m_progress->setText(tr("%1 s · best %2 · gap %3")
                                .arg(s.seconds, 0, 'f', 1)
                                .arg(std::isfinite(s.best) ? number(s.best) : QStringLiteral("–"),
                                     std::isfinite(s.best) && s.lowerBound > 0
                                         ? percent(s.best / s.lowerBound - 1)
                                         : QStringLiteral("–")));
        m_plot->update();
    });
    connect(&m_job, &SolverJob::finished, this, &SolverView::showFinished);
    connect(&m_job, &SolverJob::failed, this, [this](const QString& why) {
        m_progress->setText(why);
        refresh();
    });
    connect(&document(), &Document::problemChanged, this, [this] {
        // A late result would name ops of a problem that is gone.
        m_job.abandon();
        m_alternatives->cancel();
        m_curve = {};
        m_result = nullptr;
        m_progress->clear();
        m_card->clear();
        m_why->clear();
        m_plot->update();
        refresh();
    });
    refresh();
}

void SolverView::build()
{
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(8, 8, 8, 8);
    auto* left = new QVBoxLayout;
    auto* controls = new QHBoxLayout;
    const auto labelled = [&](const QString& text, QWidget* field, const QString& tip) {
        auto* label = new QLabel(text, this);
        label->setBuddy(field);
        field->setToolTip(tip);
        field->setAccessibleName(QString(text).remove(QLatin1Char('&')));
        controls->addWidget(label);
        controls->addWidget(field);
    };
    m_seconds = new QDoubleSpinBox(this);
    m_seconds->setRange(0.1, 3600);
    m_seconds->setValue(5);
    m_seconds->setSuffix(tr(" s"));
    m_threads = new QSpinBox(this);
    m_threads->setRange(1, 256);
    m_threads->setValue(std::max(1, static_cast<int>(std::thread::hardware_concurrency())));
    m_from = new QComboBox(this);
    m_from->addItems({tr("from the current schedule"), tr("from scratch"), tr("selection only")});
    labelled(tr("&Budget"), m_seconds, tr("How long to search. You can stop at any time and keep the best."));
    labelled(tr("&Threads"), m_threads, tr("With one thread and the same seed the result repeats."));
    labelled(
        tr("&Start"), m_from,
        tr("The result is never worse than what it starts from. Locked subgraphs keep ops and granularity."));
    m_start = new QPushButton(icon(QStringLiteral("solve")), tr("Auto-solve"), this);
    m_start->setToolTip(tr("F9"));
    controls->addWidget(m_start);
    controls->addStretch();
    left->addLayout(controls);
    m_progress = new QLabel(this);
    m_progress->setTextInteractionFlags(Qt::TextSelectableByMouse);
    left->addWidget(m_progress);
    m_plot = new SolverCurveWidget(m_curve, context().themes, this);
    left->addWidget(m_plot, 1);
    row->addLayout(left, 3);

    auto* right = new QVBoxLayout;
    m_card = new QLabel(this);
    m_card->setWordWrap(true);
    m_card->setTextInteractionFlags(Qt::TextSelectableByMouse);
    right->addWidget(m_card);
    auto* buttons = new QHBoxLayout;
    m_apply = new QPushButton(icon(QStringLiteral("ok")), tr("Apply"), this);
    m_apply->setToolTip(
        tr("Replace the schedule by the result: one undo step; the state before becomes the baseline."));
    m_keep = new QPushButton(icon(QStringLiteral("pin")), tr("Keep as baseline"), this);
    m_keep->setToolTip(tr("Leave the schedule as it is and show the result as a ghost."));
    m_discard = new QPushButton(tr("Discard"), this);
    m_discard->setToolTip(tr("Forget the result."));
    for (QPushButton* b : {m_apply, m_keep, m_discard})
        buttons->addWidget(b);
    buttons->addStretch();
    right->addLayout(buttons);
    m_why = new QTreeWidget(this);
    m_why->setAccessibleName(tr("Alternatives tried"));
    m_why->setHeaderLabels({tr("Subgraph and what else was tried"), tr("Latency / loss")});
    m_why->header()->setSectionResizeMode(0, QHeaderView::Stretch);
    m_why->header()->setStretchLastSection(false);
    m_why->setColumnWidth(1, 130);
    right->addWidget(m_why, 1);
    row->addLayout(right, 2);

    connect(m_start, &QPushButton::clicked, this, &SolverView::startOrStop);
    connect(m_apply, &QPushButton::clicked, this, &SolverView::applyResult);
    connect(m_keep, &QPushButton::clicked, this, [this] {
        document().addBaseline(tr("Solver"), takeSnapshot(document().problem(), m_result->schedule,
                                                          document().rules(), m_result->lowerBound, 0));
    });
    connect(m_discard, &QPushButton::clicked, this, [this] {
        m_result = nullptr;
        refresh();
    });
    connect(m_why, &QTreeWidget::currentItemChanged, this, [this](QTreeWidgetItem* item) {
        // After Apply the rows are the subgraphs of the document.
        if (item && m_result && document().schedule() == m_result->schedule) {
            const int top = m_why->indexOfTopLevelItem(item->parent() ? item->parent() : item);
            selection().selectSubgraph(SubgraphId(static_cast<std::size_t>(top)));
        }
    });
}

void SolverView::startOrStop()
{
    if (m_job.isRunning()) {
        m_job.stop();
        return;
    }
    if (!document().hasProblem())
        return;
    SolveOptions options;
    options.rules = document().rules();
    options.seconds = m_seconds->value();
    options.threads = m_threads->value();
    if (m_from->currentIndex() != FromScratch)
        options.start = document().schedule();
    else
        for (const SubgraphPtr& s : document().schedule().subgraphs)
            if (s->locked) // locks hold from scratch too
                options.start = document().schedule();
    if (m_from->currentIndex() == SelectionOnly) {
        options.selection = selectedOps(document(), selection());
        if (options.selection.empty()) {
            m_progress->setText(tr("Select the ops or subgraphs that may change first."));
            return;
        }
    }
    document().waitForSnapshot();
    m_before = document().snapshot();
    m_curve = {};
    m_curve.budget = options.seconds;
    m_curve.before = m_before && m_before->evaluation.valid() ? m_before->evaluation.total : 0;
    m_result = nullptr;
    m_why->clear();
    m_progress->setText(tr("Starting…"));
    m_job.start(document().problem(), std::move(options));
    Q_EMIT started();
    refresh();
}

void SolverView::showFinished(const std::shared_ptr<const SolveResult>& result)
{
    m_result = result;
    m_curve.points = result->curve;
    m_curve.seconds = result->seconds;
    m_curve.lowerBound = result->lowerBound;
    m_plot->update();
    m_why->clear();
    for (std::size_t i = 0; i < result->schedule.size(); ++i) {
        const Subgraph& s = result->schedule[SubgraphId(i)];
        QStringList ops;
        for (const OpId o : s.ops)
            ops << QString::fromStdString(document().problem()->opName(o));
        auto* item = new QTreeWidgetItem(
            m_why, {tr("%1: %2 · %3×%4×%5")
                        .arg(i)
                        .arg(ops.join(QStringLiteral(", ")))
                        .arg(s.granularity.w)
                        .arg(s.granularity.h)
                        .arg(s.granularity.k),
                    i < result->latencies.size() ? number(result->latencies[i]) : QString()});
        item->setToolTip(0, item->text(0));
    }
    m_alternatives->request([problem = document().problem(), schedule = result->schedule,
                             rules = document().rules()](std::stop_token stop) {
        return solveAlternatives(*problem, schedule, rules, {stop, {}});
    });
    refresh();
}

void SolverView::applyResult()
{
    if (!m_result)
        return;
    if (m_before)
        document().addBaseline(tr("Before auto-solve"), m_before);
    const auto result = std::exchange(m_result, nullptr);
    document().apply(result->schedule, tr("Auto-solve"));
    refresh();
    Q_EMIT applied();
}

void SolverView::refresh()
{
    const bool running = m_job.isRunning();
    m_start->setEnabled(document().hasProblem());
    m_start->setText(running ? tr("Stop and keep the best") : tr("Auto-solve"));
    m_start->setIcon(icon(running ? QStringLiteral("stop") : QStringLiteral("solve")));
    for (QWidget* w : std::initializer_list<QWidget*>{m_seconds, m_threads, m_from})
        w->setEnabled(!running);
    for (QWidget* w : std::initializer_list<QWidget*>{m_apply, m_keep, m_discard, m_why})
        w->setVisible(m_result != nullptr);
    if (!document().hasProblem()) {
        m_card->setText(tr("Open a problem first."));
    } else if (!m_result) {
        m_card->setText(
            running ? tr("Searching…")
                    : tr("The solver groups, tiles, orders and retains on its own; the result waits here "
                         "until you apply it."));
    } else {
        const double before = m_curve.before;
        QString text = tr("<b>%1</b>").arg(number(m_result->total));
        if (before > 0)
            text += tr(" (before %1, %2)").arg(number(before), signedPercent(m_result->total / before - 1));
        text += tr("<br>bound %1, gap %2, found in %3 s")
                    .arg(number(m_result->lowerBound), percent(m_result->gap()))
                    .arg(m_result->curve.empty() ? 0.0 : m_result->curve.back().first, 0, 'f', 2);
        if (m_result->provenOptimal)
            text += tr("<br>Proven optimal: %1").arg(QString::fromStdString(m_result->provenSpace));
        m_card->setText(text);
    }
}

void SolverView::settle()
{
    while (m_job.isRunning())
        QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
    m_alternatives->waitIdle();
}

void SolverView::paintExport(QPainter& painter, const QSize& size, const Theme& theme)
{
    m_plot->exportTheme = &theme;
    View::paintExport(painter, size, theme);
    m_plot->exportTheme = nullptr;
}

} // namespace tilewright::ui
