// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/inspector/inspector_view.h"

#include "canvas/wheel_guard.h"
#include "document/schedule_edits.h"
#include "panels/inspector/choice_spin_box.h"
#include "schedule/useful_sizes.h"
#include "theme/icon.h"
#include "theme/number.h"
#include "views/granularity/granularity_view.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFormLayout>
#include <QGroupBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include <algorithm>
#include <array>
#include <limits>

namespace tilewright::ui {

namespace {

constexpr std::array kPresets{TraversalKind::Raster, TraversalKind::Snake, TraversalKind::Column,
                              TraversalKind::ColumnSnake, TraversalKind::Spiral};

QString latin1(std::string_view text)
{
    return QString::fromLatin1(text.data(), static_cast<qsizetype>(text.size()));
}

QGroupBox* section(const QString& title, QWidget* parent, QVBoxLayout* into)
{
    auto* box = new QGroupBox(title, parent);
    into->addWidget(box);
    return box;
}

/// "layer0.head3.softmax.out" -> "layer0…softmax.out": both ends tell most.
QString shortName(const QString& name)
{
    constexpr qsizetype kLongest = 22;
    return name.size() <= kLongest ? name : name.left(7) + QStringLiteral("…") + name.right(kLongest - 8);
}

void clearLayout(QLayout* layout)
{
    while (QLayoutItem* item = layout->takeAt(0)) {
        if (item->widget()) {
            item->widget()->hide();
            item->widget()->deleteLater();
        }
        delete item;
    }
}

QLabel* paragraph(QWidget* parent)
{
    auto* label = new QLabel(parent);
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::LinksAccessibleByMouse);
    label->setFocusPolicy(Qt::NoFocus); // Tab goes from field to field
    return label;
}

} // namespace

InspectorView::InspectorView(const ViewContext& context, QWidget* parent)
    : View(context, QStringLiteral("inspector"), tr("Inspector"), parent)
{
    m_facts =
        std::make_unique<LatestJob<InspectorFacts>>([this](InspectorFacts facts) { showFacts(facts); }, true);
    m_factsTimer.setSingleShot(true);
    m_factsTimer.setInterval(60);
    connect(&m_factsTimer, &QTimer::timeout, this, &InspectorView::requestFacts);
    build();
    connect(&document(), &Document::snapshotChanged, this, &InspectorView::refresh);
    connect(&document(), &Document::problemChanged, this, &InspectorView::refresh);
    connect(&document(), &Document::baselineChanged, this, &InspectorView::refresh);
    connect(&selection(), &Selection::changed, this, &InspectorView::refresh);
    refresh();
}

InspectorView::~InspectorView() = default;

void InspectorView::requestFacts()
{
    const auto id = current();
    if (!id)
        return;
    m_facts->request([snapshot = document().snapshot(), id = *id](std::stop_token stop) {
        return inspectorFacts(*snapshot, id, stop);
    });
}

void InspectorView::settle()
{
    if (m_factsTimer.isActive()) {
        m_factsTimer.stop();
        requestFacts();
    }
    m_facts->waitIdle();
    for (GranularityView* map : findChildren<GranularityView*>())
        map->settle();
}

void InspectorView::build()
{
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    m_hint = new QLabel(
        tr("Select a subgraph in the list or an op in the graph to see what it costs and why."), this);
    m_hint->setAlignment(Qt::AlignCenter);
    m_hint->setWordWrap(true);
    m_hint->setMargin(16);
    outer->addWidget(m_hint, 1);
    auto* scroll = new QScrollArea(this);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    outer->addWidget(scroll, 1);
    m_body = scroll;
    auto* page = new QWidget(scroll);
    page->setMinimumWidth(0);
    scroll->setWidget(page);
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(10, 8, 10, 8);
    column->setSpacing(8);

    m_title = paragraph(page);
    m_title->setFont(uiFont(1.1, QFont::DemiBold));
    column->addWidget(m_title);
    m_numbers = paragraph(page);
    column->addWidget(m_numbers);

    auto* tile = section(tr("Granularity"), page, column);
    auto* tileColumn = new QVBoxLayout(tile);
    auto* row = new QHBoxLayout;
    const auto box = [&](const QString& letter, const QString& name, const QString& tip) {
        auto* label = new QLabel(letter, tile);
        auto* spin = new ChoiceSpinBox(tile);
        label->setBuddy(spin);
        spin->setAccessibleName(name);
        spin->setToolTip(tip);
        row->addWidget(label);
        row->addWidget(spin, 1);
        connect(spin, &QSpinBox::valueChanged, this, &InspectorView::applyGranularity);
        return spin;
    };
    m_w =
        box(tr("&w"), tr("Tile width"), tr("Columns of an output tile. Arrows step through useful values."));
    m_h = box(tr("&h"), tr("Tile height"), tr("Rows of an output tile. Arrows step through useful values."));
    m_k = box(tr("&k"), tr("Reduction depth"), tr("Depth of one reduction step of the MatMuls."));
    tileColumn->addLayout(row);
    m_grid = paragraph(tile);
    tileColumn->addWidget(m_grid);
    // The same map as the dock of its own: choosing a tile is what this pane is for.
    auto* map = new GranularityView(context(), tile);
    map->setMinimumHeight(300);
    tileColumn->addWidget(map);

    auto* why = section(tr("Why this latency"), page, column);
    auto* whyColumn = new QVBoxLayout(why);
    m_arithmetic = paragraph(why);
    m_binds = paragraph(why);
    whyColumn->addWidget(m_arithmetic);
    whyColumn->addWidget(m_binds);
    m_suggestions = new QVBoxLayout;
    whyColumn->addLayout(m_suggestions);

    auto* order = section(tr("Traversal"), page, column);
    auto* orderRow = new QHBoxLayout(order);
    m_traversal = new QComboBox(order);
    WheelGuard::protect(m_traversal);
    m_traversal->setAccessibleName(tr("Traversal"));
    m_traversal->setToolTip(tr("The order in which tiles are visited. Draw your own in the tile grid."));
    for (const TraversalKind kind : kPresets)
        m_traversal->addItem(latin1(traversalName(kind)));
    m_traversal->addItem(tr("custom"));
    orderRow->addWidget(m_traversal, 1);
    m_bestTraversal = new QPushButton(tr("Best found"), order);
    m_bestTraversal->setToolTip(tr("Try every preset and take the one with the least latency."));
    orderRow->addWidget(m_bestTraversal);
    connect(m_traversal, &QComboBox::activated, this, [this](int index) {
        if (static_cast<std::size_t>(index) < kPresets.size())
            setTraversalOfSelection(document(), selection(), kPresets[static_cast<std::size_t>(index)]);
    });
    connect(m_bestTraversal, &QPushButton::clicked, this, [this] {
        const auto id = current();
        if (!id)
            return;
        document().waitForSnapshot();
        const SnapshotPtr snapshot = document().snapshot();
        double least = std::numeric_limits<double>::infinity();
        TraversalKind best = TraversalKind::Raster;
        for (const TraversalKind kind : kPresets) {
            const auto trial = edit::setTraversal(*snapshot->problem, snapshot->schedule, std::array{*id},
                                                  kind, editOptions(document().rules()));
            if (!trial)
                continue;
            const double latency =
                evaluate(*snapshot->problem, *trial, document().rules()).subgraphs[id->index()].latency;
            if (latency < least) {
                least = latency;
                best = kind;
            }
        }
        setTraversalOfSelection(document(), selection(), best);
    });

    auto* keep = section(tr("Retain for the next subgraph"), page, column);
    m_retain = new QVBoxLayout(keep);

    auto* tensors = section(tr("Tensors"), page, column);
    auto* tensorColumn = new QVBoxLayout(tensors);
    m_tensors = paragraph(tensors);
    tensorColumn->addWidget(m_tensors);
    connect(m_tensors, &QLabel::linkActivated, this,
            [this](const QString& link) { selection().selectTensor(TensorId(link.toULongLong())); });
    m_openGemm =
        new QPushButton(icon(QStringLiteral("systolic")), tr("Open this tile in the Systolic lens"), page);
    m_openGemm->setToolTip(tr("Look at the MatMul tile (h × w × k) cycle by cycle on a systolic array."));
    connect(m_openGemm, &QPushButton::clicked, this, [this] {
        if (const auto id = current()) {
            const Granularity& g = document().schedule()[*id].granularity;
            selection().openGemm(g.h, g.w, g.k, tr("subgraph %1").arg(id->index()));
        }
    });
    column->addWidget(m_openGemm);
    column->addStretch();
}

std::optional<SubgraphId> InspectorView::current() const
{
    const auto id = selection().state().subgraph;
    const SnapshotPtr snapshot = document().snapshot();
    if (!id || !snapshot || id->index() >= snapshot->schedule.size() ||
        id->index() >= document().schedule().size())
        return std::nullopt;
    return id;
}

void InspectorView::refresh()
{
    const auto id = current();
    m_hint->setVisible(!id);
    m_body->setVisible(id.has_value());
    if (!id) {
        m_facts->cancel();
        return;
    }
    m_refreshing = true;
    const SnapshotPtr snapshot = document().snapshot();
    const Problem& problem = *snapshot->problem;
    const Subgraph& s = snapshot->schedule[*id];
    const SubgraphEvaluation& e = snapshot->evaluation.subgraphs[id->index()];
    QStringList ops;
    bool matMul = false;
    for (const OpId o : s.ops) {
        ops << QString::fromStdString(problem.opName(o));
        matMul = matMul || problem.op(o).type == OpType::MatMul;
    }
    m_title->setText(tr("Subgraph %1 of %2 · %3")
                         .arg(id->index())
                         .arg(snapshot->schedule.size())
                         .arg(ops.join(QStringLiteral(", "))));
    m_openGemm->setVisible(matMul);

    QString text;
    if (e.structurallyValid) {
        text = tr("Latency <b>%1</b>, %2-bound").arg(number(e.latency), latin1(boundName(e.bound)));
        const SnapshotPtr baseline = document().baseline();
        if (baseline)
            for (std::size_t j = 0; j < baseline->schedule.size(); ++j)
                if (baseline->schedule[SubgraphId(j)].ops == s.ops)
                    text += tr(" (%1 against the baseline)")
                                .arg(signedNumber(e.latency - baseline->evaluation.subgraphs[j].latency));
        const std::int64_t capacity = problem.hardware().fastMemoryCapacity;
        text += tr("<br>Working set %1 of %2").arg(number(e.peakWorkingSet), number(capacity));
        if (!e.fits)
            text += QStringLiteral(" <span style='color:%1'>").arg(theme().error.name()) +
                    tr("— %1 too much").arg(number(e.peakWorkingSet - capacity)) + QStringLiteral("</span>");
        text += tr("<br>Traffic %1 in, %2 out").arg(number(e.loadElements), number(e.storeElements));
    }
    for (const Issue& issue : snapshot->evaluation.issues)
        if (issue.subgraph == id)
            text += QStringLiteral("<br><span style='color:%1'>⚠ %2</span>")
                        .arg(theme().error.name(), QString::fromStdString(issue.text).toHtmlEscaped());
    m_numbers->setText(text);

    refreshGranularity(*snapshot, *id);
    m_traversal->setCurrentIndex(
        static_cast<int>(std::find(kPresets.begin(), kPresets.end(), s.traversal.kind()) - kPresets.begin()));

    const Boundary boundary = boundaryOf(problem, s.ops);
    QString tensors;
    const auto list = [&](const QString& title, const std::vector<TensorId>& ids) {
        QStringList links;
        for (const TensorId t : ids)
            links << QStringLiteral("<a href='%1'>%2</a> %3×%4")
                         .arg(t.index())
                         .arg(QString::fromStdString(problem.tensorName(t)).toHtmlEscaped())
                         .arg(problem.tensor(t).height)
                         .arg(problem.tensor(t).width);
        if (!links.isEmpty())
            tensors += QStringLiteral("<p><b>%1</b> %2</p>").arg(title, links.join(QStringLiteral(", ")));
    };
    list(tr("In"), boundary.inputs);
    list(tr("Out"), boundary.sinks);
    list(tr("Ephemeral"), boundary.interior);
    m_tensors->setText(tensors);

    if (m_shown.revision != snapshot->revision || m_shown.subgraph != *id) {
        m_shown = {};
        m_arithmetic->setText(tr("Counting steps…"));
        m_binds->clear();
        clearLayout(m_suggestions);
        refreshRetain(*snapshot, *id);
        m_factsTimer.start();
    }
    m_refreshing = false;
}

void InspectorView::refreshGranularity(const Snapshot& snapshot, SubgraphId id)
{
    const Problem& problem = *snapshot.problem;
    const Hardware& hw = problem.hardware();
    const Subgraph& s = snapshot.schedule[id];
    const SubgraphEvaluation& e = snapshot.evaluation.subgraphs[id.index()];
    const bool ceil = snapshot.evaluation.rules.superNative == Rules::SuperNative::Ceil;
    const auto limit = [ceil](std::int64_t native) {
        return ceil ? std::numeric_limits<std::int64_t>::max() : native;
    };
    std::int64_t width = 1;
    std::int64_t height = 1;
    for (const TensorId t : boundaryOf(problem, s.ops).sinks) {
        width = std::max(width, problem.tensor(t).width);
        height = std::max(height, problem.tensor(t).height);
    }
    std::int64_t depth = 0;
    for (const OpId o : s.ops)
        if (problem.op(o).type == OpType::MatMul)
            depth = depth == 0 ? problem.reductionSize(o) : std::min(depth, problem.reductionSize(o));
    m_w->setChoices(usefulSizes(width, hw.nativeWidth, limit(hw.nativeWidth)));
    m_h->setChoices(usefulSizes(height, hw.nativeHeight, limit(hw.nativeHeight)));
    m_k->setChoices(depth > 0 ? usefulSizes(depth, hw.nativeK(), limit(hw.nativeK()))
                              : std::vector<std::int64_t>{1});
    m_k->setEnabled(depth > 0);
    // While a person types, the box keeps what is typed.
    for (const auto& [box, value] :
         {std::pair{m_w, s.granularity.w}, {m_h, s.granularity.h}, {m_k, s.granularity.k}}) {
        const QSignalBlocker quiet(box);
        if (box->value() != value)
            box->setValue(static_cast<int>(std::min<std::int64_t>(value, std::numeric_limits<int>::max())));
    }
    m_grid->setText(e.structurallyValid ? tr("%1 × %2 tiles, %3 steps · native %4 × %5")
                                              .arg(number(e.rows), number(e.cols), number(e.steps))
                                              .arg(hw.nativeWidth)
                                              .arg(hw.nativeHeight)
                                        : tr("native %1 × %2").arg(hw.nativeWidth).arg(hw.nativeHeight));
}

void InspectorView::applyGranularity()
{
    const auto id = current();
    if (!id || m_refreshing)
        return;
    const Granularity g{m_w->value(), m_h->value(), m_k->value()};
    EditOptions options = editOptions(document().rules());
    options.force = true; // an illegal size is shown as a problem, not refused: half-finished edits are fine
    document().apply(
        edit::setGranularity(*document().problem(), document().schedule(), std::array{*id}, g, options),
        tr("Granularity of subgraph %1").arg(id->index()), QStringLiteral("granularity.%1").arg(id->index()));
}

void InspectorView::refreshRetain(const Snapshot& snapshot, SubgraphId id)
{
    clearLayout(m_retain);
    m_retainBoxes.clear();
    const auto candidates =
        retainCandidates(*snapshot.problem, snapshot.schedule, id, editOptions(snapshot.evaluation.rules));
    for (const RetainCandidate& c : candidates) {
        auto* box = new QCheckBox(this);
        // Long names must not widen the pane; the whole name is in the tooltip.
        box->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
        box->setMinimumWidth(0);
        box->setText(QStringLiteral("%1  %2").arg(
            shortName(QString::fromStdString(snapshot.problem->tensorName(c.tensor))),
            shortNumber(static_cast<double>(snapshot.problem->tensor(c.tensor).elements()))));
        box->setChecked(c.retained);
        box->setEnabled(c.refusal.empty());
        box->setToolTip(c.refusal.empty()
                            ? tr("Keep it whole in fast memory until the next subgraph has run.")
                            : QString::fromStdString(c.refusal));
        connect(box, &QCheckBox::clicked, this, [this, tensor = c.tensor] {
            if (const auto now = current())
                if (!document().apply(
                        edit::toggleRetain(*document().problem(), document().schedule(), *now, tensor,
                                           editOptions(document().rules())),
                        tr("Retain or release %1")
                            .arg(QString::fromStdString(document().problem()->tensorName(tensor)))))
                    refresh();
        });
        m_retain->addWidget(box);
        m_retainBoxes.push_back(box);
    }
    if (candidates.empty())
        m_retain->addWidget(new QLabel(tr("Nothing here can stay resident.")));
}

void InspectorView::showFacts(const InspectorFacts& facts)
{
    const SnapshotPtr snapshot = document().snapshot();
    const auto id = current();
    if (!snapshot || !id || facts.revision != snapshot->revision || facts.subgraph != *id)
        return;
    m_shown = facts;
    const SubgraphEvaluation& e = snapshot->evaluation.subgraphs[id->index()];
    m_arithmetic->setText(e.structurallyValid ? latencyText(facts.arithmetic, e.latency)
                                              : tr("No steps: the subgraph breaks a rule."));
    m_binds->setText(QString::fromStdString(facts.explanation.text));
    clearLayout(m_suggestions);
    constexpr std::size_t kShown = 3;
    for (std::size_t i = 0; i < facts.explanation.suggestions.size() && i < kShown; ++i) {
        const Suggestion& suggestion = facts.explanation.suggestions[i];
        const QString text = QString::fromStdString(suggestion.text);
        const QString effect = suggestion.gain > 0 ? signedNumber(-suggestion.gain) : tr("fixes a problem");
        auto* button = new QPushButton(this);
        button->setIcon(icon(i == 0 ? QStringLiteral("ok") : QStringLiteral("step-forward")));
        // A button cannot wrap its text; the whole phrase is in the tooltip and the accessible name.
        button->setText(fontMetrics().elidedText(QStringLiteral("%1  %2").arg(effect, text), Qt::ElideRight,
                                                 std::max(160, width() - 90)));
        button->setToolTip(tr("<p><b>%1</b>: %2</p><p>The new total is %3. Applies as one undo step.</p>")
                               .arg(effect, text.toHtmlEscaped(), number(suggestion.total)));
        button->setAccessibleName(text);
        button->setStyleSheet(QStringLiteral("text-align: left; padding: 4px 6px;"));
        button->setMinimumWidth(0);
        button->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
        connect(button, &QPushButton::clicked, this, [this, suggestion] {
            document().apply(suggestion.schedule, QString::fromStdString(suggestion.text));
        });
        m_suggestions->addWidget(button);
    }
    for (std::size_t i = 0; i < facts.retain.size() && i < m_retainBoxes.size(); ++i)
        if (const auto& row = facts.retain[i]; row.change)
            m_retainBoxes[i]->setText(m_retainBoxes[i]->text() +
                                      tr("  %1%2 if %3")
                                          .arg(*row.change > 0 ? QStringLiteral("+") : QString(),
                                               shortNumber(*row.change),
                                               row.candidate.retained ? tr("released") : tr("kept")));
}

} // namespace tilewright::ui
