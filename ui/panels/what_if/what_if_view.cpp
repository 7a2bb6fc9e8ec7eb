// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/what_if/what_if_view.h"

#include "theme/icon.h"
#include "theme/number.h"
#include "theme/text_row.h"

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QLabel>
#include <QPushButton>

#include <algorithm>
#include <array>

namespace tilewright::ui {

namespace {
constexpr std::array kFactors{0.25, 0.35, 0.5, 0.7, 1.0, 1.4, 2.0, 2.8, 4.0};

std::optional<double> latencyOf(const WhatIfPoint& point, bool solved)
{
    return solved ? point.solved : point.current;
}

/// A solid line and discs are schedules solved anew, a dashed line and squares the one there is.
void addSweep(PlotModel& plot, const std::vector<WhatIfPoint>& points, bool solved, const Theme& theme)
{
    const QColor& colour = solved ? theme.accent : theme.computeBound;
    const QPen pen(colour, 2, solved ? Qt::SolidLine : Qt::DashLine);
    PlotMark mark;
    mark.shape = solved ? PlotShape::Disc : PlotShape::Square;
    mark.pen = QPen(colour, 1.5);
    mark.brush = solved ? colour : theme.canvas;
    plot.keys.push_back(lineKey(
        solved ? WhatIfView::tr("solved for each point") : WhatIfView::tr("this schedule"), pen, mark));
    PlotLine line{{}, {}, pen};
    for (std::size_t i = 0; i < points.size(); ++i) {
        const auto latency = latencyOf(points[i], solved);
        if (latency) {
            mark.x = static_cast<double>(points[i].value);
            mark.y = *latency;
            mark.id = static_cast<int>(i);
            plot.marks.push_back(mark);
            line.points.emplace_back(mark.x, mark.y);
        }
        if (!latency || i + 1 == points.size()) // a gap where the schedule is not valid
            plot.lines.push_back(std::exchange(line, {{}, {}, pen}));
    }
}

} // namespace

WhatIfView::WhatIfView(const ViewContext& context, QWidget* parent)
    : PlotCanvas(context, QStringLiteral("what-if"), tr("What-if"), parent),
      m_seconds(new QDoubleSpinBox(this)),
      m_run(new QPushButton(icon(QStringLiteral("play")), tr("Sweep"), this)), m_progress(new QLabel(this))
{
    m_parameter = bar().addChoice(
        tr("Parameter"), {tr("Fast memory capacity"), tr("Slow memory bandwidth"), tr("Native size")},
        tr("The hardware parameter that is multiplied by 1/4 to 4."));
    m_seconds->setRange(0, 60);
    m_seconds->setSingleStep(0.1);
    m_seconds->setValue(0.3);
    m_seconds->setSuffix(tr(" s a point"));
    m_seconds->setSpecialValueText(tr("do not solve"));
    bar().add(m_seconds, tr("Solving time for each point"),
              tr("How long the solver searches for each point; 0 only evaluates this schedule."));
    bar().add(m_run, tr("Sweep"), tr("Evaluate and solve nine points; again: stop."));
    bar().add(m_progress, tr("Progress"), tr("How many points are done."), true);
    m_progress->setFocusPolicy(Qt::NoFocus);
    m_job = std::make_unique<LatestJob<std::vector<WhatIfPoint>>>([this](std::vector<WhatIfPoint> points) {
        m_points = std::move(points);
        const auto free = std::ranges::count_if(m_points, &WhatIfPoint::withoutLocks);
        m_progress->setText(m_points.size() < kFactors.size() ? tr("stopped")
                            : free == 0                       ? QString()
                                        : tr("no locks where a locked subgraph does not fit (%1)")
                                              .arg(counted(free, tr("point"), tr("points"))));
        refresh();
    });
    connect(m_run, &QPushButton::clicked, this, [this] {
        if (m_job->isBusy()) {
            m_job->cancel();
            m_progress->setText(tr("stopped"));
            refresh();
        } else {
            run();
        }
    });
    connect(m_parameter, &QComboBox::currentIndexChanged, this, [this] {
        m_points.clear();
        refresh();
    });
    document().whenChanged(this, Part::Problem | Part::Machine, [this] {
        m_job->cancel();
        m_points.clear();
        refresh();
    });
    refresh();
}

WhatIfView::~WhatIfView() = default;

void WhatIfView::run()
{
    if (!document().hasProblem())
        return;
    WhatIfOptions options;
    options.rules = document().rules();
    options.parameter = static_cast<WhatIfParameter>(m_parameter->currentIndex());
    options.factors.assign(kFactors.begin(), kFactors.end());
    options.secondsPerPoint = m_seconds->value();
    m_points.clear();
    m_progress->setText(tr("sweeping…"));
    m_job->request([this, problem = document().problem(), schedule = document().schedule(), options,
                    tell = m_job->teller()](std::stop_token stop) mutable {
        options.stop = stop;
        options.onPoint = [&](const WhatIfPoint& point) {
            tell([this, point] {
                m_points.push_back(point);
                m_progress->setText(tr("%1 of %2 points").arg(m_points.size()).arg(kFactors.size()));
                outdatePlots();
            });
        };
        return whatIf(*problem, schedule, options);
    });
    refresh();
}

void WhatIfView::settle()
{
    m_job->waitIdle();
}

void WhatIfView::refresh()
{
    m_run->setEnabled(document().hasProblem());
    m_run->setText(m_job->isBusy() ? tr("Stop") : tr("Sweep"));
    outdatePlots();
}

QString WhatIfView::hint() const
{
    const bool any = std::any_of(m_points.begin(), m_points.end(),
                                 [](const WhatIfPoint& p) { return p.current || p.solved; });
    return any ? QString()
               : tr("Choose a parameter and press Sweep to see what other hardware would change.");
}

std::vector<PlotModel> WhatIfView::buildPlots(const Theme& theme) const
{
    PlotModel plot;
    plot.pick = PlotPick::Column;
    plot.x = {{}, Scale::Log, 1e300, 0, 0, shortNumber}; // a title would hide the last values
    plot.y = {tr("latency by %1").arg(m_parameter->currentText().toLower()), Scale::Linear, 0, 0};
    for (const WhatIfPoint& p : m_points) {
        const auto value = static_cast<double>(p.value);
        plot.cover(value, std::max(p.current.value_or(0), p.solved.value_or(0)) * 1.05);
        plot.x.ticks.push_back(value);
        if (p.factor == 1)
            plot.x.current = value;
    }
    plot.x.low /= 1.1;
    plot.x.high *= 1.1;
    for (const bool solved : {false, true})
        addSweep(plot, m_points, solved, theme);
    return {plot};
}

QString WhatIfView::markTooltip(const PlotMark& mark) const
{
    const WhatIfPoint& p = m_points[static_cast<std::size_t>(mark.id)];
    const auto text = [](const std::optional<double>& latency) {
        return latency ? number(*latency) : tr("not valid");
    };
    QString tip = tr("<b>%1</b> (×%2)<br>this schedule: %3<br>solved: %4")
                      .arg(number(p.value))
                      .arg(p.factor)
                      .arg(text(p.current), text(p.solved));
    if (p.withoutLocks)
        tip += tr("<br>A locked subgraph does not fit here: solved without the locks.");
    return tip;
}

void WhatIfView::paintExport(QPainter& painter, const QSize& size, const Theme& theme)
{
    if (m_points.empty() && document().hasProblem()) {
        run(); // an exported picture shows the sweep, not the invitation to start it
        settle();
    }
    PlotCanvas::paintExport(painter, size, theme);
}

QString WhatIfView::copyText() const
{
    QString out = tr("factor\tvalue\tthis schedule\tsolved\n");
    for (const WhatIfPoint& p : m_points)
        out += textRow(p.factor, p.value, p.current, p.solved);
    return out;
}

} // namespace tilewright::ui
