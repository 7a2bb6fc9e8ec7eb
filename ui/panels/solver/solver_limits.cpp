// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/solver/solver_limits.h"

#include "theme/number.h"

#include <QLabel>
#include <QPainter>
#include <QVBoxLayout>

#include <array>

namespace tilewright::ui {

namespace {

/// The bar above the sentences.
class LimitsBar : public QWidget
{
public:
    LimitsBar(const std::optional<CriticalResources>& resources, const ThemeSource& themes, QWidget* parent)
        : QWidget(parent), m_resources(resources), m_themes(themes)
    {
        setAccessibleName(SolverLimits::tr("Share of computing, loading and storing"));
    }
    QSize sizeHint() const override { return {200, fontMetrics().height() + 8}; }
    QSize minimumSizeHint() const override { return {0, fontMetrics().height() + 8}; }

protected:
    void paintEvent(QPaintEvent*) override
    {
        QPainter painter(this);
        if (m_resources)
            paintLimits(painter, rect(), *m_resources, m_themes.theme());
    }

private:
    const std::optional<CriticalResources>& m_resources;
    const ThemeSource& m_themes;
};

} // namespace

QStringList limitSentences(const CriticalResources& r)
{
    if (r.total <= 0)
        return {};
    const auto tr = [](const char* text) { return SolverLimits::tr(text); };
    const auto saves = [&](double gain) {
        return gain > 0 ? tr("saves %1 (%2)").arg(number(gain), signedPercent(-gain / r.total))
                        : tr("saves nothing");
    };
    const double memory = r.load + r.store;
    const QString compute = tr("<b>Compute</b> limits %1 of the time. 10 % faster computing %2.")
                                .arg(percent(r.compute / r.total), saves(r.fasterCompute));
    const QString bandwidth =
        tr("<b>Bandwidth</b> limits %1 of the time (loads %2, stores %3). 10 % more bandwidth %4.")
            .arg(percent(memory / r.total), percent(r.load / r.total), percent(r.store / r.total),
                 saves(r.moreBandwidth));
    QStringList out{compute, bandwidth};
    if (memory > r.compute)
        std::swap(out[0], out[1]);
    out << (r.unlimitedCapacity > 0
                ? tr("<b>Capacity</b>: 10 % more fast memory %1. With unlimited fast memory the same "
                     "subgraphs would take %2 less (%3). More ops might be fused as well: see Sweep.")
                      .arg(saves(r.moreCapacity), number(r.unlimitedCapacity),
                           signedPercent(-r.unlimitedCapacity / r.total))
                : tr("<b>Capacity</b>: more fast memory would not make these subgraphs faster, but more ops "
                     "might be fused: see Sweep."));
    if (!r.exact)
        out << tr("Some subgraphs have too many steps to analyse each step; they are counted by their "
                  "overall limit.");
    return out;
}

void paintLimits(QPainter& painter, const QRectF& area, const CriticalResources& r, const Theme& theme)
{
    if (r.total <= 0)
        return;
    struct Part
    {
        double time;
        const QColor& colour;
        QString name;
    };
    const std::array parts{Part{r.compute, theme.computeTime, SolverLimits::tr("compute")},
                           Part{r.load, theme.loadTime, SolverLimits::tr("load")},
                           Part{r.store, theme.storeTime, SolverLimits::tr("store")}};
    painter.setFont(uiFont(0.9));
    const QFontMetricsF fm(painter.font());
    double x = area.left();
    for (const Part& part : parts) {
        const QRectF box(x, area.top(), area.width() * part.time / r.total, area.height());
        x = box.right();
        painter.fillRect(box, part.colour);
        for (const QString& text :
             {QStringLiteral("%1 %2").arg(part.name, percent(part.time / r.total)), part.name})
            if (fm.horizontalAdvance(text) + 8 <= box.width()) {
                painter.setPen(theme.inkOn(part.colour));
                painter.drawText(box, Qt::AlignCenter, text);
                break;
            }
    }
}

SolverLimits::SolverLimits(const ViewContext& context, QWidget* parent)
    : QWidget(parent), m_bar(new LimitsBar(m_resources, context.themes, this)), m_text(new QLabel(this)),
      m_job(
          [this](const std::optional<CriticalResources>& resources) {
              m_resources = resources;
              m_bar->setVisible(resources.has_value());
              if (resources)
                  m_text->setText(QStringLiteral("<p>") +
                                  limitSentences(*resources).join(QStringLiteral("</p><p>")) +
                                  QStringLiteral("</p>"));
              m_bar->update();
          },
          true)
{
    auto* column = new QVBoxLayout(this);
    column->addWidget(m_bar);
    column->addWidget(m_text);
    column->addStretch();
    m_bar->hide();
    m_text->setWordWrap(true);
    m_text->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    m_text->setAccessibleName(tr("What limits the schedule"));
}

void SolverLimits::setOutcome(SolverOutcomePtr outcome)
{
    m_outcome = std::move(outcome);
    m_job.cancel();
    m_resources.reset();
    m_bar->hide();
    m_text->clear();
    m_wanted = m_outcome != nullptr;
    if (isVisible())
        request();
}

void SolverLimits::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    request();
}

void SolverLimits::request()
{
    if (!std::exchange(m_wanted, false))
        return;
    m_text->setText(tr("Measuring …"));
    m_job.request([o = m_outcome](std::stop_token stop) {
        return criticalResources(*o->after->problem, o->after->schedule, o->after->evaluation.rules,
                                 {stop, {}});
    });
}

void SolverLimits::settle()
{
    request();
    m_job.waitIdle();
}

} // namespace tilewright::ui
