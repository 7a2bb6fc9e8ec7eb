// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/systolic/systolic_view.h"

#include "views/systolic/gantt_canvas.h"
#include "views/systolic/levels_canvas.h"
#include "views/systolic/listing_pane.h"
#include "views/systolic/network_pane.h"
#include "views/systolic/settings_panel.h"
#include "views/systolic/tile_map_canvas.h"
#include "views/systolic/wavefront_canvas.h"

#include "workspace/lens_links.h"

#include <QHBoxLayout>
#include <QJsonObject>
#include <QSplitter>
#include <QTabWidget>

#include <algorithm>

namespace tilewright::ui {

using namespace systolic;

namespace {
constexpr QLatin1String kPipeline("systolic-pipeline");
} // namespace

SystolicView::SystolicView(const ViewContext& context, QWidget* parent)
    : View(context, QStringLiteral("systolic"), tr("Systolic"), parent),
      m_state(&context.workspace.systolic())
{
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    m_splitter = new QSplitter(Qt::Horizontal, this);
    m_splitter->setObjectName(QStringLiteral("systolic.splitter"));
    m_splitter->setChildrenCollapsible(true);
    row->addWidget(m_splitter);
    QAction* follow = addFollowCommand(
        Lens::Systolic, tr("Show the selected product on the machine's array, the whole layer or its tile "
                           "in the schedule, also while they are edited. Editing the GEMM or the array here "
                           "ends it."));
    m_settings =
        new SettingsPanel(context, m_state, follow, addUseInMachineCommand(Lens::Systolic), m_splitter);
    m_tabs = new QTabWidget(m_splitter);
    m_tabs->setObjectName(QStringLiteral("systolic.tabs"));
    m_tabs->setAccessibleName(tr("Panes of the systolic lens"));
    m_tabs->setDocumentMode(true);
    const auto add = [this](View* pane, const QString& title, const QString& tip) {
        const int i = m_tabs->addTab(pane, title);
        m_tabs->setTabToolTip(i, tip);
        connect(pane, &View::wanted, this, [this, pane] {
            m_tabs->setCurrentWidget(pane);
            Q_EMIT wanted();
        });
    };
    add(new WavefrontCanvas(context, m_tabs), tr("&Wavefront"),
        tr("The array cycle by cycle: operands, accumulators, utilisation."));
    add(new GanttCanvas(context, m_tabs), tr("&Pipeline"),
        tr("DMA, block movers, streamers, array and drain over time, for the barriered and the pipelined "
           "program."));
    add(new ListingPane(context, m_tabs), tr("&Listing"),
        tr("The commands of a program with their times; follows the cursor of the pipeline, and can be "
           "saved."));
    add(new TileMapCanvas(context, m_tabs), tr("&Tile search"),
        tr("Traffic over tile sizes, tiles that fit, and the choices of three methods."));
    add(new LevelsCanvas(context, m_tabs), tr("&Memories"),
        tr("Schedules of L2, banks, roofline, dataflows, DRAM. Without an open workload also values printed "
           "in the source documents, with corrections."));
    add(new NetworkPane(context, m_tabs), tr("&Network"),
        tr("Every product of the open workload on this array: cycles of the three dataflows, utilisation, "
           "what "
           "binds."));
    m_splitter->addWidget(m_settings);
    m_splitter->addWidget(m_tabs);
    m_splitter->setStretchFactor(0, 0);
    m_splitter->setStretchFactor(1, 1);
    m_splitter->setSizes({m_settings->sizeHint().width(), 2000});
    setFocusProxy(m_tabs);
    m_toggle = new PanelToggle(QStringLiteral("systolic.toggleSettings"), QStringLiteral("settings"),
                               tr("Show the settings"), this);
    m_tabs->setCornerWidget(m_toggle);
    connect(m_toggle, &QToolButton::clicked, this, [this](bool on) {
        m_wantsSettings = on;
        showSettings();
    });

    // When another lens sends a GEMM, the pane that shows it becomes the current one.
    connect(&context.workspace, &Workspace::gemmOpened, this,
            [this] { showPane(QStringLiteral("systolic-wavefront")); });
}

QJsonObject SystolicView::settings() const
{
    const bool isTile = context().workspace.links().systolicPart() == SystolicPart::Tile;
    QJsonObject out{{QStringLiteral("shows"), isTile ? QStringLiteral("tile") : QStringLiteral("layer")}};
    if (const QJsonObject pipeline = pane(kPipeline)->settings(); !pipeline.isEmpty())
        out[kPipeline] = pipeline;
    return out;
}

void SystolicView::restoreSettings(const QJsonObject& settings)
{
    context().workspace.links().setSystolicPart(
        settings[QStringLiteral("shows")].toString() == QLatin1String("tile") ? SystolicPart::Tile
                                                                              : SystolicPart::Layer);
    pane(kPipeline)->restoreSettings(settings[kPipeline].toObject());
}

void SystolicView::resizeEvent(QResizeEvent* event)
{
    View::resizeEvent(event);
    showSettings();
}

void SystolicView::showSettings()
{
    const bool room = width() > m_settings->sizeHint().width() + leastChartWidth(*this);
    const bool shown = m_wantsSettings.value_or(room);
    m_toggle->setChecked(shown);
    if (shown == !m_settings->isHidden())
        return;
    m_settings->setVisible(shown);
    // The settings are as wide as their fields need in the current font, but leave the chart at least a third
    // of the view.
    const int needed = std::min(m_settings->sizeHint().width(), width() * 2 / 3);
    if (shown)
        m_splitter->setSizes({needed, width() - needed});
}

View* SystolicView::current() const
{
    return static_cast<View*>(m_tabs->currentWidget());
}

View* SystolicView::pane(const QString& name) const
{
    for (int i = 0; i < m_tabs->count(); ++i)
        if (auto* pane = static_cast<View*>(m_tabs->widget(i)); pane->viewName() == name)
            return pane;
    return nullptr;
}

void SystolicView::showPane(const QString& name)
{
    if (View* p = pane(name))
        m_tabs->setCurrentWidget(p);
}

void SystolicView::settle()
{
    current()->settle();
}

QSize SystolicView::exportSize() const
{
    return current()->exportSize();
}

std::vector<PicturePart> SystolicView::partsIn(const QSize& size)
{
    return current()->partsIn(size);
}

void SystolicView::paintExport(QPainter& painter, const QSize& size, const Theme& theme)
{
    current()->paintExport(painter, size, theme);
}

QString SystolicView::copyText() const
{
    return current()->copyText();
}

QString SystolicView::tableText() const
{
    return current()->tableText();
}

} // namespace tilewright::ui
