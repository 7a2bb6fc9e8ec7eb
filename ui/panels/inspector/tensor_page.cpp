// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/inspector/tensor_page.h"

#include "edit/edits.h"
#include "panels/inspector/controls.h"
#include "theme/icon.h"
#include "theme/text.h"
#include "workspace/schedule_edits.h"

#include <QAction>
#include <QCheckBox>
#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace tilewright::ui {

namespace {

QString subgraphLink(SubgraphId id)
{
    return QStringLiteral("<a href='subgraph:%1'>%2</a>")
        .arg(id.index())
        .arg(TensorPage::tr("subgraph %1").arg(id.index()));
}

QString opLinks(const Problem& problem, const std::vector<OpId>& ops)
{
    constexpr std::size_t kShown = 12;
    QStringList out;
    for (std::size_t i = 0; i < std::min(ops.size(), kShown); ++i)
        out << QStringLiteral("<a href='op:%1'>%2</a>")
                   .arg(ops[i].index())
                   .arg(QString::fromStdString(problem.opName(ops[i])).toHtmlEscaped());
    if (ops.size() > kShown)
        out << TensorPage::tr("%1 more").arg(ops.size() - kShown);
    return out.join(QStringLiteral(", "));
}

/// Returns the size of a tensor as text: "512 × 128, 65 536 elements of 16 bits, 128 KiB".
QString sizeOf(const Problem& problem, TensorId tensor)
{
    const Tensor& t = problem.tensor(tensor);
    QString out = TensorPage::tr("%1, %2").arg(
        sizeText({t.height, t.width}),
        counted(t.elements(), TensorPage::tr("element"), TensorPage::tr("elements")));
    if (problem.hasWidths()) {
        const double bits = static_cast<double>(problem.units(tensor)) * problem.bitsPerUnit();
        out += TensorPage::tr(" of %1 bits, %2")
                   .arg(significantNumber(bits, 4), bytesText(static_cast<std::int64_t>(std::ceil(
                                                        static_cast<double>(t.elements()) * bits / 8))));
    }
    return out;
}

/// Returns a text on the role of the tensor in a subgraph and on the data that moves.
QString useText(const Problem& problem, const TensorUse& use)
{
    QStringList parts;
    if (use.computed)
        parts << (use.interior ? TensorPage::tr("computed and used up inside") : TensorPage::tr("computed"));
    if (use.resident)
        parts << TensorPage::tr("in fast memory from the subgraph before");
    if (use.read && !use.interior)
        parts << TensorPage::tr("read");
    if (use.retained)
        parts << TensorPage::tr("retained for the next subgraph");
    if (!use.traffic) {
        parts << TensorPage::tr("traffic not counted");
        return parts.join(QStringLiteral(", "));
    }
    const auto moved = [&](std::int64_t units, const QString& text) {
        if (units > 0)
            parts << text.arg(number(problem.elementsOf(units)));
    };
    moved(use.traffic->load, TensorPage::tr("%1 loaded"));
    moved(use.traffic->store, TensorPage::tr("%1 stored"));
    const auto size = static_cast<double>(problem.sizeUnits(problem.stored(use.traffic->tensor)));
    if (const double times = static_cast<double>(use.traffic->load) / size; times > 1.005)
        parts << TensorPage::tr("%1 times its size").arg(significantNumber(times));
    if (use.traffic->load + use.traffic->store == 0)
        parts << TensorPage::tr("nothing moves");
    return parts.join(QStringLiteral(", "));
}

} // namespace

TensorPage::TensorPage(const ViewContext& context, QWidget* parent) : QWidget(parent), m_context(context)
{
    m_job = std::make_unique<LatestJob<Facts>>([this](const Facts& facts) { showUses(facts); }, true);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(6);
    m_title = paragraph(this);
    m_title->setAccessibleName(tr("Tensor"));
    column->addWidget(m_title);
    m_ends = paragraph(this);
    column->addWidget(m_ends);
    auto* find = new WrapButton(icon(QStringLiteral("search")), {}, tr("Find in the graph"), this);
    find->setToolTip(tr("Zoom the graph to the ops that compute and read the tensor."));
    connect(find, &QPushButton::clicked, this, [this] {
        if (QAction* action = m_context.actions.find(QStringLiteral("graph.showSelection")))
            action->trigger();
    });
    column->addWidget(find);
    m_uses = paragraph(this);
    m_uses->setAccessibleName(tr("Where it lives"));
    section(tr("Where it lives"), this, column)->addWidget(m_uses);
    auto* retain = section(tr("Retention"), this, column);
    m_retain = new QCheckBox(tr("Retain"), this);
    m_retain->setObjectName(QStringLiteral("tensor.retain"));
    retain->addWidget(m_retain);
    m_retainNote = paragraph(this);
    retain->addWidget(m_retainNote);
    connect(m_retain, &QCheckBox::clicked, this, [this] {
        toggleRetainOfSelection(m_context.document, m_context.selection);
        if (const SnapshotPtr snapshot = m_context.document.snapshot())
            refresh(); // resets the check box, because the change was refused
    });
    for (QLabel* label : {m_title, m_ends, m_uses})
        connect(label, &QLabel::linkActivated, this, &TensorPage::linkActivated);
    column->addStretch();
}

TensorPage::~TensorPage() = default;

void TensorPage::refresh()
{
    const SnapshotPtr snapshot = m_context.document.snapshot();
    const auto selected = m_context.selection.state().tensor;
    if (!snapshot || !selected || selected->index() >= snapshot->problem->tensorCount())
        return;
    const TensorId tensor = *selected;
    const Problem& problem = *snapshot->problem;
    m_title->setText(
        rich(tr("<b>Tensor</b> %1").arg(QString::fromStdString(problem.tensorName(tensor)).toHtmlEscaped()) +
             QStringLiteral("<br>") + sizeOf(problem, tensor)));
    QStringList ends;
    if (const auto producer = problem.producer(tensor))
        ends << tr("Computed by %1.").arg(opLinks(problem, {*producer}));
    else if (problem.isView(tensor))
        ends << tr("A view of other tensors: it moves no elements of its own.");
    else
        ends << tr("An input of the graph.");
    if (const std::vector<OpId> readers = problem.readers(tensor); !readers.empty())
        ends << tr("Read by %1.").arg(opLinks(problem, readers));
    if (problem.isGraphOutput(tensor))
        ends << tr("An output of the graph.");
    m_ends->setText(rich(ends.join(QStringLiteral("<br>"))));
    refreshRetain(*snapshot, tensor);
    if (m_shown.tensor != tensor || m_shown.revision == 0)
        m_uses->setText(tr("Counting what moves…"));
    if (m_shown.tensor == tensor && m_shown.revision == snapshot->revision)
        return;
    m_job->request([snapshot, tensor](const std::stop_token& stop) {
        return Facts{
            snapshot->revision, tensor,
            tensorUses(*snapshot->problem, snapshot->schedule, snapshot->evaluation.rules, tensor, stop)};
    });
}

void TensorPage::showUses(const Facts& facts)
{
    const SnapshotPtr snapshot = m_context.document.snapshot();
    if (!snapshot || snapshot->revision != facts.revision ||
        m_context.selection.state().tensor != facts.tensor)
        return;
    m_shown = facts;
    const Problem& problem = *snapshot->problem;
    QStringList lines;
    std::int64_t load = 0, store = 0;
    for (const TensorUse& use : facts.uses) {
        lines << QStringLiteral("%1: %2").arg(subgraphLink(use.subgraph), useText(problem, use));
        if (use.traffic) {
            load += use.traffic->load;
            store += use.traffic->store;
        }
    }
    if (lines.isEmpty())
        lines << tr("No subgraph uses it.");
    else
        lines << tr("In sum %1 loaded, %2 stored.")
                     .arg(number(problem.elementsOf(load)), number(problem.elementsOf(store)));
    m_uses->setText(rich(lines.join(QStringLiteral("<br>"))));
}

void TensorPage::refreshRetain(const Snapshot& snapshot, TensorId tensor)
{
    const Problem& problem = *snapshot.problem;
    const auto id =
        retainingSubgraph(problem, snapshot.schedule, tensor, m_context.selection.state().subgraph);
    const QSignalBlocker quiet(m_retain);
    m_retain->setVisible(id.has_value());
    m_retainNote->setVisible(true);
    if (!id) {
        m_retainNote->setText(tr("No subgraph can retain it."));
        return;
    }
    m_retain->setText(tr("Retain after subgraph %1").arg(id->index()));
    m_retain->setToolTip(tr("Keep the tensor in fast memory for the next subgraph."));
    const auto candidates =
        retainCandidates(problem, snapshot.schedule, *id, editOptions(snapshot.evaluation.rules));
    const auto own = std::ranges::find(candidates, tensor, &RetainCandidate::tensor);
    const QString refusal =
        own == candidates.end() ? tr("The subgraph cannot retain it.") : sentence(own->refusal);
    m_retain->setChecked(own != candidates.end() && own->retained);
    m_retain->setEnabled(own != candidates.end() && own->refusal.empty());
    m_retainNote->setText(refusal.isEmpty() && !own->useful && !own->retained
                              ? tr("The next subgraph does not read it.")
                              : refusal);
    m_retainNote->setVisible(!m_retainNote->text().isEmpty());
}

} // namespace tilewright::ui
