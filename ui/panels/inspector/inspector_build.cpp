// SPDX-License-Identifier: GPL-3.0-or-later
// Builds the controls of the inspector.
#include "canvas/form.h"
#include "panels/inspector/controls.h"
#include "panels/inspector/inspector_view.h"
#include "panels/inspector/retain_list.h"
#include "panels/inspector/schedule_overview.h"
#include "panels/inspector/tensor_page.h"
#include "theme/icon.h"
#include "theme/text.h"
#include "views/granularity/granularity_view.h"

#include <QComboBox>
#include <QCoreApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QScrollArea>

namespace tilewright::ui {

void InspectorView::build()
{
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    m_hint = new QLabel(tr("Open a problem to see the cost of its schedule and the reasons."), this);
    m_hint->setAlignment(Qt::AlignCenter);
    m_hint->setWordWrap(true);
    m_hint->setMargin(16);
    outer->addWidget(m_hint, 1);
    const auto pane = [&](QScrollArea*& scrolled) {
        auto* scroll = new QScrollArea(this);
        scroll->setAccessibleName(QCoreApplication::translate("InspectorView", "Inspector"));
        scroll->setWidgetResizable(true);
        scroll->setFrameShape(QFrame::NoFrame);
        scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
        // The scroll bar is always shown. If it appeared and disappeared, the width for which text was
        // wrapped would change and the text would be cut.
        scroll->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOn);
        outer->addWidget(scroll, 1);
        scrolled = scroll;
        auto* page = new QWidget(scroll);
        scroll->setWidget(page);
        auto* column = new QVBoxLayout(page);
        column->setContentsMargins(10, 8, 10, 8);
        column->setSpacing(6);
        return std::pair(page, column);
    };
    const auto [several, severalColumn] = pane(m_summaryPane);
    m_summary = paragraph(several);
    m_summary->setAccessibleName(tr("Selection"));
    connect(m_summary, &QLabel::linkActivated, this, &InspectorView::follow);
    severalColumn->addWidget(m_summary);
    m_fuseOffer = new FuseOffer(context(), several);
    severalColumn->addWidget(m_fuseOffer);
    severalColumn->addStretch();

    const auto [whole, wholeColumn] = pane(m_overviewPane);
    m_overview = new ScheduleOverview(context(), whole);
    wholeColumn->addWidget(m_overview);

    const auto [tensor, tensorColumn] = pane(m_tensorPane);
    m_tensorPage = new TensorPage(context(), tensor);
    connect(m_tensorPage, &TensorPage::linkActivated, this, &InspectorView::follow);
    tensorColumn->addWidget(m_tensorPage);

    const auto [page, column] = pane(m_body);
    m_title = paragraph(page);
    connect(m_title, &QLabel::linkActivated, this, &InspectorView::follow);
    column->addWidget(m_title);
    m_numbers = paragraph(page);
    column->addWidget(m_numbers);
    buildGranularity(page, column);

    auto* why = section(tr("Why this latency"), page, column);
    m_arithmetic = paragraph(page);
    m_binds = paragraph(page);
    why->addWidget(m_arithmetic);
    why->addWidget(m_binds);
    m_suggestions = new QVBoxLayout;
    why->addLayout(m_suggestions);

    buildTraversal(page, column);
    m_retain = new RetainList(page);
    section(tr("Retain for the next subgraph"), page, column)->addWidget(m_retain);
    connect(m_retain, &RetainList::toggled, this, &InspectorView::toggleRetain);
    auto* tensors = section(tr("Tensors"), page, column);
    m_tensors = paragraph(page);
    tensors->addWidget(m_tensors);
    connect(m_tensors, &QLabel::linkActivated, this, &InspectorView::follow);
    m_note = new QPlainTextEdit(page);
    m_note->setAccessibleName(tr("Note"));
    m_note->setToolTip(
        tr("Your note on this subgraph. It is saved with the session and included in reports."));
    m_note->setPlaceholderText(tr("Write a note"));
    m_note->setTabChangesFocus(true);
    m_note->setMinimumHeight(0);
    m_note->setFixedHeight(3 * fontMetrics().lineSpacing() + 12);
    section(tr("Note"), page, column)->addWidget(m_note);
    connect(m_note, &QPlainTextEdit::textChanged, this, [this] {
        if (const auto id = current(); id && !m_refreshing)
            document().setNote(Document::subgraphNote(document().schedule()[*id]), m_note->toPlainText());
    });
    auto* lenses = section(tr("In the other lenses"), page, column);
    const auto lens = [&, page = page](Lens to, const QString& iconName, const QString& text,
                                       const QString& tip) {
        auto* button = new WrapButton(icon(iconName), {}, text, page);
        button->setToolTip(tip);
        connect(button, &QPushButton::clicked, this, [this, to] { workspace().goTo(to); });
        lenses->addWidget(button);
        if (to != Lens::Npu)
            m_productLenses.push_back(button);
    };
    lens(Lens::Systolic, QStringLiteral("systolic"), tr("Wavefront of the product"),
         tr("Show the largest MatMul cycle by cycle on the machine's array."));
    lens(Lens::Mapping, QStringLiteral("loops"), tr("Map the product"),
         tr("Map the selected op, or the largest MatMul of this subgraph, onto the machine's memories."));
    lens(Lens::Npu, QStringLiteral("cores"), tr("Run on the NPU"),
         tr("Simulate the whole model on the machine's cores, tile by tile."));
    column->addStretch();
}

void InspectorView::buildGranularity(QWidget* page, QVBoxLayout* column)
{
    auto* tile = section(tr("Granularity"), page, column);
    m_sizes = new QBoxLayout(
        QBoxLayout::TopToBottom); // one column until the pane is wide enough, see resizeEvent()
    const auto box = [&](const QString& letter, const QString& name, const QString& tip) {
        auto* row = new QHBoxLayout;
        auto* label = new QLabel(letter, page);
        auto* spin = new ChoiceSpinBox(page);
        label->setBuddy(spin);
        spin->setAccessibleName(name);
        spin->setAccessibleDescription(tip); // refreshGranularity() adds the limits to the description.
        row->addWidget(label);
        row->addWidget(spin, 1);
        m_sizes->addLayout(row, 1);
        connect(spin, &QSpinBox::valueChanged, this, &InspectorView::applyGranularity);
        return spin;
    };
    m_w = box(tr("&w"), tr("Tile width"),
              tr("Width of an output tile in columns. Arrows and wheel step through useful values, with Ctrl "
                 "by one."));
    m_h = box(tr("&h"), tr("Tile height"),
              tr("Height of an output tile in rows. Arrows and wheel step through useful values, with Ctrl "
                 "by one."));
    m_k = box(tr("&k"), tr("Reduction depth"),
              tr("Length of the part of the reduction that one step of the MatMuls computes. Arrows and "
                 "wheel step through useful values, with Ctrl by one."));
    tile->addLayout(m_sizes);
    m_remarks = paragraph(page);
    m_remarks->setAccessibleName(tr("Notes"));
    tile->addWidget(m_remarks);
    m_grid = paragraph(page);
    tile->addWidget(m_grid);
    m_array = paragraph(page);
    m_array->setAccessibleName(tr("On the array"));
    m_array->setToolTip(
        tr("Tiles of the MatMuls on an output-stationary systolic array of the native size: cycles of one "
           "run (rows × columns of the output, over one part of the reduction), cycles of all runs in this "
           "subgraph, and the share of the array's time that is spent multiplying. The rest is fill, drain "
           "and padding. Click a name to select the op."));
    connect(m_array, &QLabel::linkActivated, this, &InspectorView::follow);
    tile->addWidget(m_array);
    // The map of the Granularity dock is also shown in this pane, because tiles are chosen here.
    m_map = new GranularityView(context(), page);
    m_map->setEmbedded();
    fitMap();
    tile->addWidget(m_map);
}

void InspectorView::buildTraversal(QWidget* page, QVBoxLayout* column)
{
    auto* order = section(tr("Traversal"), page, column);
    auto* row = new QHBoxLayout;
    order->addLayout(row);
    m_traversal = new QComboBox(page);
    FormGuard::protect(m_traversal);
    m_traversal->setAccessibleName(tr("Traversal"));
    m_traversal->setToolTip(
        tr("The order in which the tiles are visited. Draw your own order in the tile grid."));
    m_traversal->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    for (const TraversalKind kind : kTraversalPresets) {
        const std::string_view name = traversalName(kind);
        m_traversal->addItem(word(name));
    }
    m_traversal->addItem(tr("custom"));
    row->addWidget(m_traversal, 1);
    m_bestTraversal = new QPushButton(tr("Best found"), page);
    m_bestTraversal->setToolTip(tr("Try all presets and use the one with the lowest latency."));
    row->addWidget(m_bestTraversal);
    connect(m_traversal, &QComboBox::activated, this, [this](int index) {
        if (static_cast<std::size_t>(index) < kTraversalPresets.size())
            useTraversal(kTraversalPresets[static_cast<std::size_t>(index)]);
    });
    connect(m_bestTraversal, &QPushButton::clicked, this, &InspectorView::chooseBestTraversal);
}

} // namespace tilewright::ui
