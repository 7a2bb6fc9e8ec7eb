// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/solver/solver_front.h"

#include "theme/icon.h"
#include "theme/text.h"

#include <QMouseEvent>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>

namespace tilewright::ui {

PlotModel frontPlot(const SolverOutcome& outcome, std::optional<int> chosen, const Theme& theme)
{
    const Front& front = outcome.front;
    PlotModel p;
    p.x = {SolverFrontPlot::tr("latency"), Scale::Linear, front.front().latency, front.back().latency};
    p.y = {SolverFrontPlot::tr("energy in pJ"), Scale::Linear, front.back().energy, front.front().energy};
    const Evaluation& before = outcome.before->evaluation;
    const Evaluation& after = outcome.after->evaluation;
    if (before.valid())
        p.cover(before.total, before.energy);
    p.cover(after.total, after.energy);
    for (PlotAxis* axis : {&p.x, &p.y}) {
        const double margin = std::max((axis->high - axis->low) * 0.12, axis->high * 0.01);
        axis->low -= margin;
        axis->high += margin;
    }
    PlotLine line{SolverFrontPlot::tr("front"), {}, QPen(theme.accent, 1.5), true};
    for (const FrontPoint& f : front)
        line.points.emplace_back(f.latency, f.energy);
    p.lines.push_back(std::move(line));
    if (before.valid()) {
        PlotMark m{before.total, before.energy};
        m.shape = PlotShape::Square;
        m.pen = QPen(theme.muted, 1.5);
        p.marks.push_back(m);
        const QPointF at(m.x, m.y);
        p.labels.push_back({{SolverFrontPlot::tr("before")}, at, at, theme.muted});
    }
    for (std::size_t i = 0; i < front.size(); ++i) {
        PlotMark m{front[i].latency, front[i].energy, static_cast<int>(i)};
        const bool isResult = front[i].latency == after.total && front[i].energy == after.energy;
        m.shape = isResult ? PlotShape::Diamond : PlotShape::Disc;
        m.radius = isResult ? 6 : 4.5;
        m.brush = theme.accent;
        m.pen = chosen == m.id ? QPen(theme.text, 2) : QPen(theme.canvas, 1);
        p.marks.push_back(m);
        if (isResult) {
            const QPointF at(m.x, m.y);
            p.labels.push_back({{SolverFrontPlot::tr("result")}, at, at, theme.text});
        }
    }
    return p;
}

SolverFrontPlot::SolverFrontPlot(const ViewContext& context, QWidget* parent)
    : PlotCanvas(context, QStringLiteral("solver-front"), tr("Latency against energy"), parent)
{
    addKeys("along", tr("Move along the front"), {QKeySequence(Qt::Key_Left), QKeySequence(Qt::Key_Right)},
            tr("Choose the next schedule on the front of latency and energy."), [this](const KeyUse& use) {
                const int count = m_outcome ? static_cast<int>(m_outcome->front.size()) : 0;
                if (count == 0)
                    return;
                const int by = use.index == 0 ? -1 : 1;
                choose(m_chosen ? std::clamp(*m_chosen + by, 0, count - 1) : by > 0 ? 0 : count - 1);
            });
    addKeys("adopt", tr("Adopt the chosen schedule"), {QKeySequence(Qt::Key_Return)},
            tr("Replace the schedule by the chosen one of the front: one undo step."), [this] { adopt(); });
    addGesture("adopt-by-mouse", tr("Adopt a schedule"), tr("double click"),
               tr("Replace the schedule by the one of the point: one undo step."));
}

QSize SolverFrontPlot::minimumSizeHint() const
{
    return {0, fontMetrics().height() * 7};
}

void SolverFrontPlot::setOutcome(SolverOutcomePtr outcome)
{
    m_outcome = std::move(outcome);
    fitAll();
    choose(std::nullopt);
}

void SolverFrontPlot::choose(std::optional<int> index)
{
    m_chosen = index;
    outdatePlots();
    Q_EMIT chosenChanged();
}

void SolverFrontPlot::adopt()
{
    if (m_chosen)
        Q_EMIT adoptRequested(m_outcome->front[static_cast<std::size_t>(*m_chosen)].schedule);
}

QPointF SolverFrontPlot::pointOf(int index) const
{
    const FrontPoint& p = m_outcome->front[static_cast<std::size_t>(index)];
    return frame().toPixel(p.latency, p.energy);
}

QPointF SolverFrontPlot::focusPoint() const
{
    return m_chosen ? pointOf(*m_chosen) : PlotCanvas::focusPoint();
}

std::vector<PlotModel> SolverFrontPlot::buildPlots(const Theme& theme) const
{
    return {frontPlot(*m_outcome, m_chosen, theme)};
}

QString SolverFrontPlot::hint() const
{
    return m_outcome && !m_outcome->front.empty() ? QString() : tr("The problem states no energies.");
}

QString SolverFrontPlot::markTooltip(const PlotMark& mark) const
{
    const FrontPoint& p = m_outcome->front[static_cast<std::size_t>(mark.id)];
    return tr("latency <b>%1</b><br>energy <b>%2 pJ</b><br>EDP %3<br><i>Double-click to adopt it.</i>")
        .arg(number(p.latency), number(p.energy), number(p.latency * p.energy));
}

void SolverFrontPlot::markClicked(QPointF, const PlotMark* mark, Qt::KeyboardModifiers)
{
    choose(mark && mark->id >= 0 ? std::optional(mark->id) : std::nullopt);
}

void SolverFrontPlot::mouseDoubleClickEvent(QMouseEvent* event)
{
    PlotCanvas::mouseDoubleClickEvent(event);
    if (plots().empty() || event->button() != Qt::LeftButton)
        return;
    if (const PlotMark* mark = plotMarkAt(plots().front(), frame(), event->position());
        mark && mark->id >= 0) {
        choose(mark->id);
        adopt();
    }
}

SolverFront::SolverFront(const ViewContext& context, QWidget* parent)
    : QWidget(parent), m_plot(new SolverFrontPlot(context, this)),
      m_adopt(new QPushButton(icon(QStringLiteral("ok")), tr("Adopt this point"), this))
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 4);
    column->addWidget(m_plot, 1);
    auto* row = new QHBoxLayout;
    row->setContentsMargins(8, 0, 8, 0);
    row->addWidget(m_adopt);
    row->addStretch(1);
    column->addLayout(row);
    m_adopt->setToolTip(tr("Replace the schedule by the chosen one of the front: one undo step."));
    m_adopt->setEnabled(false);
    connect(m_adopt, &QPushButton::clicked, m_plot, &SolverFrontPlot::adopt);
    connect(m_plot, &SolverFrontPlot::chosenChanged, this,
            [this] { m_adopt->setEnabled(m_plot->chosen().has_value()); });
    connect(m_plot, &SolverFrontPlot::adoptRequested, this, &SolverFront::adoptRequested);
}

} // namespace tilewright::ui
