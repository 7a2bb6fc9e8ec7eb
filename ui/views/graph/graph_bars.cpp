// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/graph/graph_bars.h"

#include "theme/icon.h"
#include "theme/text.h"
#include "theme/text_metrics.h"
#include "views/graph/graph_paint.h"
#include "workspace/model_file.h"

#include <QAction>
#include <QComboBox>
#include <QFontMetricsF>
#include <QLabel>
#include <QMenu>
#include <QPainter>
#include <QToolButton>

#include <algorithm>

namespace tilewright::ui {

GraphToolbar::GraphToolbar(Actions& actions, QWidget* parent) : ControlBar(parent)
{
    setObjectName(QStringLiteral("graphToolbar"));
    m_colouring = new QComboBox(this);
    const std::pair<GraphColouring, QString> colourings[] = {
        {GraphColouring::Automatic, tr("Colour: automatic")},
        {GraphColouring::Subgraph, tr("Colour: subgraph")},
        {GraphColouring::OpType, tr("Colour: op type")},
        {GraphColouring::Bound, tr("Colour: bound")},
        {GraphColouring::Latency, tr("Colour: latency")},
        {GraphColouring::Intensity, tr("Colour: intensity")},
        {GraphColouring::Measured, tr("Colour: measured")},
        {GraphColouring::None, tr("Colour: none")}};
    for (const auto& [colouring, text] : colourings)
        m_colouring->addItem(text, static_cast<int>(colouring));
    m_colouring->setPlaceholderText(tr("Colour: query"));
    add(m_colouring, tr("Colour by"), tr("Quantity that the colour of the ops shows."));
    connect(m_colouring, &QComboBox::activated, this, [this](int i) {
        Q_EMIT colouringChosen(static_cast<GraphColouring>(m_colouring->itemData(i).toInt()));
    });

    m_neighbourhood = new QComboBox(this);
    m_neighbourhood->addItem(tr("All ops"));
    for (int hops = 1; hops <= 4; ++hops)
        m_neighbourhood->addItem(hops == 1 ? tr("≤ 1 hop") : tr("≤ %1 hops").arg(hops));
    add(m_neighbourhood, tr("Neighbourhood"),
        tr("Show only ops within this number of hops from the selection along producers and consumers."));
    connect(m_neighbourhood, &QComboBox::activated, this, &GraphToolbar::hopsChosen);

    auto* view = new QToolButton(this);
    view->setText(tr("View"));
    view->setPopupMode(QToolButton::InstantPopup);
    view->setToolButtonStyle(Qt::ToolButtonTextOnly);
    add(view, tr("View options"), tr("Labels, direction, columns, overview, collapsing."));
    m_menu = new QMenu(view);
    m_end = m_menu->addSeparator();
    connect(m_menu->addAction(tr("Collapse all subgraphs")), &QAction::triggered, this,
            &GraphToolbar::collapseAll);
    connect(m_menu->addAction(tr("Expand all subgraphs")), &QAction::triggered, this,
            &GraphToolbar::expandAll);
    view->setMenu(m_menu);

    m_search = new SearchField(*this, tr("Find op, tensor, subgraph"), tr("Find in the graph"),
                               tr("Part of a name, or \"op 12\", \"t17\", \"subgraph 5\". Enter: next, "
                                  "Shift+Enter: previous, Esc: back ({graph.find|Ctrl+F})."),
                               actions);
    m_search->setMinimumWidth(90);
    m_search->setMaximumWidth(260);
    m_search->addAction(icon(QStringLiteral("search")), QLineEdit::LeadingPosition);
}

QAction* GraphToolbar::addSwitch(const QString& text)
{
    auto* action = new QAction(text, m_menu);
    action->setCheckable(true);
    m_menu->insertAction(m_end, action);
    return action;
}

void GraphToolbar::setOptions(std::optional<GraphColouring> colouring, int hops)
{
    m_colouring->setCurrentIndex(colouring ? m_colouring->findData(static_cast<int>(*colouring)) : -1);
    m_neighbourhood->setCurrentIndex(hops);
}

GraphBars::GraphBars(const ViewContext& context, const GraphLayouter& layouter, QWidget& view)
    : m_context(context), m_layouter(layouter), m_view(view),
      m_toolbar(new GraphToolbar(context.actions, &view)), m_note(new QLabel(&view))
{
    m_note->setObjectName(QStringLiteral("graphNote"));
    m_note->setAutoFillBackground(true);
    m_note->setAlignment(Qt::AlignCenter);
    m_note->setMargin(4);
    m_note->setWordWrap(true);
    m_note->setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
    m_note->setAccessibleName(tr("What the graph hides"));
    m_note->hide();
    connect(m_note, &QLabel::linkActivated, this, &GraphBars::linkActivated);
}

QRectF GraphBars::content() const
{
    QRectF area = m_view.rect();
    area.setTop(m_layouter.isPreview() ? banner().bottom() : barsBottom());
    return area;
}

QRectF GraphBars::freeRoom() const
{
    QRectF room = content();
    if (m_legend && m_layouter.model())
        room.setBottom(room.bottom() - graphLegendHeight(*m_layouter.model(), room));
    return room;
}

double GraphBars::barsBottom() const
{
    double bottom = 0;
    for (const QWidget* bar : {static_cast<const QWidget*>(m_toolbar), static_cast<const QWidget*>(m_note)})
        if (!bar->isHidden())
            bottom += bar->height();
    return bottom;
}

void GraphBars::place()
{
    const int width = m_view.width();
    m_toolbar->setGeometry(0, 0, width, m_toolbar->heightForWidth(width));
    m_note->setGeometry(0, m_toolbar->height(), width, m_note->heightForWidth(width));
}

QString GraphBars::noteText() const
{
    const GraphGeometry* geometry = m_layouter.geometry();
    if (!geometry)
        return {};
    const std::size_t all = geometry->nodeOfOp.size();
    QString text;
    if (geometry->hiddenOps > 0)
        text = tr("%1 of %2 ops shown: within %3 of the selection.")
                   .arg(number(static_cast<std::int64_t>(all - geometry->hiddenOps)),
                        number(static_cast<std::int64_t>(all)),
                        counted(m_layouter.shape().hops, tr("hop"), tr("hops")));
    if (geometry->opsInCards > 0) {
        const auto cards = std::count_if(geometry->keys.begin(), geometry->keys.end(), [](GraphKey k) {
            return k.kind == GraphKey::Kind::Card || k.kind == GraphKey::Kind::Section;
        });
        text += (text.isEmpty() ? QString() : QStringLiteral(" ")) +
                (cards == 1 ? tr("%1 ops are shown as %2 card; double-click opens it.")
                            : tr("%1 ops are shown as %2 cards; double-click opens one."))
                    .arg(number(static_cast<std::int64_t>(geometry->opsInCards)),
                         number(static_cast<std::int64_t>(cards)));
    }
    return text;
}

void GraphBars::showNote()
{
    QString text = noteText();
    const auto link = [&text](const char* what, const QString& words) {
        text += QStringLiteral(" <a href=\"%1\">%2</a>").arg(QLatin1String(what), words);
    };
    if (const ComparedModel& other = m_context.workspace.compared(); other.isOpen()) {
        text += (text.isEmpty() ? QString() : QStringLiteral(" ")) +
                tr("Compared with %1.").arg(other.name().toHtmlEscaped());
        link("compare", tr("Show"));
        link("leave", tr("Leave the comparison"));
    }
    const GraphGeometry* geometry = m_layouter.geometry();
    if (geometry && geometry->hiddenOps > 0)
        link("all", tr("Show all ops"));
    if (geometry && geometry->opsInCards > 0)
        link("open", tr("Expand all"));
    m_note->setText(rich(text));
    m_note->setVisible(!text.isEmpty() && m_context.document.hasProblem());
    place();
}

QRectF GraphBars::banner() const
{
    if (!m_layouter.isPreview())
        return {};
    return {0, barsBottom(), static_cast<double>(m_view.width()), QFontMetricsF(uiFont()).height() + 10};
}

void GraphBars::paintBanner(QPainter& painter, const QRectF& banner, const Theme& theme) const
{
    painter.fillRect(banner, Theme::mix(theme.canvas, theme.accent, 0.16));
    painter.setPen(QPen(theme.accent, 1));
    painter.drawLine(banner.bottomLeft(), banner.bottomRight());
    const double total = m_context.document.preview()->evaluation.total;
    const SnapshotPtr& own = m_context.document.snapshot();
    QString text = tr("Preview of the solver's best schedule: %1").arg(number(total));
    if (own && own->evaluation.valid() && own->evaluation.total > 0)
        text += QStringLiteral(" (%1)").arg(signedPercent(total / own->evaluation.total - 1));
    const QFont bold = uiFont(1.0, QFont::DemiBold);
    const QRectF line = banner.adjusted(12, 0, -12, 0);
    writeAcross(painter, line, text, bold, theme.text);
    const QRectF rest = line.adjusted(TextMetrics(bold).horizontalAdvance(text) + 16, 0, 0, 0);
    if (rest.width() < 80)
        return;
    painter.setFont(uiFont());
    painter.setPen(theme.muted);
    for (const QString& hint : {tr("Your schedule is unchanged. Click here or press {graph.letGo|Esc} to see "
                                   "it, or start an edit."),
                                tr("Click here or press {graph.letGo|Esc} for your own schedule."),
                                tr("{graph.letGo|Esc}: your own schedule")})
        if (const QString told = m_context.actions.withKeys(hint);
            QFontMetricsF(uiFont()).horizontalAdvance(told) <= rest.width()) {
            painter.drawText(rest, Qt::AlignVCenter | Qt::AlignLeft, told);
            return;
        }
}

} // namespace tilewright::ui
