// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/what_if/what_if_view.h"

#include "canvas/form_guard.h"
#include "chart/axis.h"
#include "theme/icon.h"
#include "theme/number.h"

#include <QApplication>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPainterPath>
#include <QPointer>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>
#include <array>
#include <cmath>

namespace tilewright::ui {

namespace {
constexpr std::array kFactors{0.25, 0.35, 0.5, 0.7, 1.0, 1.4, 2.0, 2.8, 4.0};

void paintSweep(QPainter& painter, const QRectF& area, const std::vector<WhatIfPoint>& points,
                const QString& what, const Theme& theme)
{
    double high = 0;
    for (const WhatIfPoint& p : points)
        high = std::max({high, p.current.value_or(0), p.solved.value_or(0)});
    if (high <= 0) {
        paintEmptyHint(painter, area,
                       WhatIfView::tr("Choose a parameter and press Sweep to see what other hardware would "
                                      "change."),
                       theme);
        return;
    }
    const QFontMetricsF fm(uiFont(0.9));
    const QRectF plot = area.adjusted(fm.horizontalAdvance(QStringLiteral("8.88M")) + 16,
                                      2 * fm.height() + 14, -20, -2 * fm.height() - 10);
    if (plot.width() < 60 || plot.height() < 40)
        return;
    const Axis y{0, high * 1.05, plot.bottom(), plot.top()};
    paintYAxis(painter, y, plot, {}, theme);
    const auto xOf = [&](double factor) {
        return plot.left() + (std::log2(factor) + 2.1) / 4.2 * plot.width();
    };
    painter.setFont(uiFont(0.9));
    double lastLabel = -1e9;
    for (const WhatIfPoint& p : points) {
        const double x = xOf(p.factor);
        painter.setPen(p.factor == 1 ? theme.outline : theme.grid);
        painter.drawLine(QPointF(x, plot.top()), QPointF(x, plot.bottom()));
        const QString label = shortNumber(static_cast<double>(p.value));
        const double w = fm.horizontalAdvance(label);
        if (x - w / 2 < lastLabel + 8)
            continue;
        lastLabel = x + w / 2;
        painter.setPen(theme.muted);
        painter.drawText(QPointF(x - w / 2, plot.bottom() + fm.ascent() + 4), label);
    }
    painter.setPen(theme.muted);
    painter.drawText(
        QPointF(plot.center().x() - fm.horizontalAdvance(what) / 2, plot.bottom() + 2 * fm.height() + 2),
        what);

    struct Line
    {
        const QColor& colour;
        QString name;
        bool solved;
    };
    double legend = plot.left();
    for (const Line& line : {Line{theme.computeBound, WhatIfView::tr("this schedule"), false},
                             Line{theme.accent, WhatIfView::tr("solved for each point"), true}}) {
        QPainterPath path;
        bool open = false;
        std::vector<QPointF> dots;
        for (const WhatIfPoint& p : points) {
            const auto value = line.solved ? p.solved : p.current;
            if (!value) {
                open = false; // a gap where the schedule is not valid
                continue;
            }
            const QPointF at(xOf(p.factor), y.toPixel(*value));
            open ? path.lineTo(at) : path.moveTo(at);
            open = true;
            dots.push_back(at);
        }
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(line.colour, 2, line.solved ? Qt::SolidLine : Qt::DashLine));
        painter.drawPath(path);
        painter.setPen(QPen(line.colour, 1.5));
        painter.setBrush(line.solved ? line.colour : theme.canvas);
        for (const QPointF& d : dots)
            line.solved ? painter.drawEllipse(d, 4, 4) : painter.drawRect(QRectF(d.x() - 4, d.y() - 4, 8, 8));
        const QPointF mark(legend + 6, plot.top() - fm.height() / 2 - 6);
        line.solved ? painter.drawEllipse(mark, 4, 4)
                    : painter.drawRect(QRectF(mark.x() - 4, mark.y() - 4, 8, 8));
        painter.setPen(theme.text);
        painter.drawText(QPointF(legend + 16, mark.y() + fm.ascent() / 2 - 1), line.name);
        legend += 16 + fm.horizontalAdvance(line.name) + 24;
    }
}

} // namespace

class WhatIfChart : public QWidget
{
public:
    WhatIfChart(const std::vector<WhatIfPoint>& points, const QComboBox& parameter, const ThemeSource& themes,
                QWidget* parent)
        : QWidget(parent), m_points(points), m_parameter(parameter), m_themes(themes)
    {
        setMinimumSize(260, 140);
        setAccessibleName(WhatIfView::tr("Latency against the parameter"));
    }
    const Theme* exportTheme = nullptr;

protected:
    void paintEvent(QPaintEvent*) override
    {
        const Theme& theme = exportTheme ? *exportTheme : m_themes.theme();
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.fillRect(rect(), theme.canvas);
        paintSweep(painter, rect(), m_points, m_parameter.currentText(), theme);
    }

private:
    const std::vector<WhatIfPoint>& m_points;
    const QComboBox& m_parameter;
    const ThemeSource& m_themes;
};

WhatIfView::WhatIfView(const ViewContext& context, QWidget* parent)
    : View(context, QStringLiteral("what-if"), tr("What-if"), parent), m_parameter(new QComboBox(this)),
      m_seconds(new QDoubleSpinBox(this)),
      m_run(new QPushButton(icon(QStringLiteral("play")), tr("Sweep"), this)), m_progress(new QLabel(this)),
      m_chart(new WhatIfChart(m_points, *m_parameter, context.themes, this))
{
    m_parameter->addItems({tr("Fast memory capacity"), tr("Slow memory bandwidth"), tr("Native size")});
    FormGuard::protect(m_parameter);
    FormGuard::protect(m_seconds);
    m_parameter->setAccessibleName(tr("Parameter"));
    m_parameter->setToolTip(tr("The hardware parameter that is multiplied by 1/4 to 4."));
    m_seconds->setRange(0, 60);
    m_seconds->setSingleStep(0.1);
    m_seconds->setValue(0.3);
    m_seconds->setSuffix(tr(" s a point"));
    m_seconds->setSpecialValueText(tr("do not solve"));
    m_seconds->setAccessibleName(tr("Solving time for each point"));
    m_seconds->setToolTip(tr("How long the solver searches for each point; 0 only evaluates this schedule."));
    m_run->setToolTip(tr("Evaluate and solve nine points; again: stop."));
    auto* row = new QHBoxLayout;
    row->addWidget(m_parameter);
    row->addWidget(m_seconds);
    row->addWidget(m_run);
    row->addWidget(m_progress, 1);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(8, 8, 8, 8);
    column->addLayout(row);
    column->addWidget(m_chart, 1);
    m_job = std::make_unique<LatestJob<std::vector<WhatIfPoint>>>([this](std::vector<WhatIfPoint> points) {
        m_points = std::move(points);
        m_progress->setText(m_points.size() == kFactors.size() ? QString() : tr("stopped"));
        refresh();
        m_chart->update();
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
        m_chart->update();
    });
    document().whenChanged(this, Part::Problem, [this] {
        m_job->cancel();
        m_points.clear();
        refresh();
        m_chart->update();
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
    QPointer<WhatIfView> self(this);
    m_job->request([self, problem = document().problem(), schedule = document().schedule(),
                    options](std::stop_token stop) mutable {
        options.stop = stop;
        options.onPoint = [&](const WhatIfPoint& point) {
            QMetaObject::invokeMethod(qApp, [self, point] {
                if (self && self->m_job->isBusy()) {
                    self->m_points.push_back(point);
                    self->m_progress->setText(
                        WhatIfView::tr("%1 of %2 points").arg(self->m_points.size()).arg(kFactors.size()));
                    self->m_chart->update();
                }
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
}

void WhatIfView::paintExport(QPainter& painter, const QSize& size, const Theme& theme)
{
    if (m_points.empty() && document().hasProblem()) {
        run(); // an exported picture shows the sweep, not the invitation to start it
        settle();
    }
    m_chart->exportTheme = &theme;
    View::paintExport(painter, size, theme);
    m_chart->exportTheme = nullptr;
}

QString WhatIfView::copyText() const
{
    QString out = tr("factor\tvalue\tthis schedule\tsolved\n");
    for (const WhatIfPoint& p : m_points)
        out += QStringLiteral("%1\t%2\t%3\t%4\n")
                   .arg(p.factor)
                   .arg(p.value)
                   .arg(p.current ? exactNumber(*p.current) : QString(),
                        p.solved ? exactNumber(*p.solved) : QString());
    return out;
}

} // namespace tilewright::ui
