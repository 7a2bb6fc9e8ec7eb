// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/systolic/settings_panel.h"

#include "canvas/form_guard.h"
#include "canvas/view.h"
#include "theme/number.h"
#include "theme/theme.h"
#include "workload/problem.h"

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFile>
#include <QFormLayout>
#include <QGroupBox>
#include <QLabel>
#include <QPushButton>
#include <QSpinBox>
#include <QVBoxLayout>

#include <algorithm>
#include <limits>

namespace tilewright::ui {

using namespace systolic;

namespace {

constexpr const char* kPresets[] = {"kpu", "edge-8x8", "server-128x128"};
// The levels whose bandwidth and size matter to the lens (the host's do not).
constexpr Level kEdited[] = {Level::External, Level::L3, Level::L2, Level::L1};

Result<Hierarchy> presetHierarchy(int index)
{
    const QString name = QStringLiteral(":/hierarchies/%1.json").arg(QLatin1String(kPresets[index]));
    QFile file(name);
    if (!file.open(QIODevice::ReadOnly))
        return Error{ErrorCode::Io, "cannot be read", {}, name.toStdString()};
    return parseHierarchy(file.readAll().toStdString(), name.toStdString());
}

} // namespace

SettingsPanel::SettingsPanel(const ViewContext& context, SystolicDocument* state, QWidget* parent)
    : QScrollArea(parent), m_context(context), m_state(state)
{
    setObjectName(QStringLiteral("systolic.settings"));
    setAccessibleName(tr("Settings of the systolic array"));
    setWidgetResizable(true);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* content = new QWidget(this);
    auto* column = new QVBoxLayout(content);
    column->setContentsMargins(8, 8, 8, 8);
    column->setSpacing(8);

    m_offer = new QPushButton(content);
    m_offer->setObjectName(QStringLiteral("systolic.offer"));
    column->addWidget(m_offer);
    connect(m_offer, &QPushButton::clicked, this, [this] { m_state->setGemm(m_offered, m_offeredFrom); });
    m_origin = new QLabel(content);
    m_origin->setObjectName(QStringLiteral("systolic.origin"));
    m_origin->setWordWrap(true);
    column->addWidget(m_origin);
    m_error = new QLabel(content);
    m_error->setObjectName(QStringLiteral("systolic.error"));
    m_error->setWordWrap(true);
    m_error->setAccessibleName(tr("Why the settings are refused"));
    column->addWidget(m_error);

    const auto group = [&](const QString& title) {
        auto* box = new QGroupBox(title, content);
        auto* form = new QFormLayout(box);
        form->setContentsMargins(8, 4, 8, 8);
        form->setVerticalSpacing(4);
        form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
        column->addWidget(box);
        return form;
    };
    constexpr int kMostSize = std::numeric_limits<int>::max();
    QFormLayout* gemm = group(tr("GEMM  C[M,N] = A[M,K] × B[K,N]"));
    m_m = addNumber(gemm, "m", tr("M"), 1, kMostSize, tr("Rows of A and C."));
    m_n = addNumber(gemm, "n", tr("N"), 1, kMostSize, tr("Columns of B and C."));
    m_k = addNumber(gemm, "k", tr("K"), 1, kMostSize, tr("Columns of A, rows of B: what is summed over."));

    QFormLayout* array = group(tr("Array"));
    m_rows = addNumber(array, "rows", tr("Rows"), 1, 4096, tr("Rows of processing elements."));
    m_cols = addNumber(array, "cols", tr("Columns"), 1, 4096, tr("Columns of processing elements."));
    m_dataflow = addChoice(array, "dataflow", tr("Dataflow"),
                           {tr("output-stationary"), tr("weight-stationary"), tr("input-stationary")},
                           tr("What stays in the PEs: sums of C, a block of B, or a block of A."));
    m_readout = addChoice(
        array, "readout", tr("Read-out"), {tr("shadow registers"), tr("shift (paper)"), tr("SCALE-Sim v2")},
        tr("The convention of the cycle count: hidden behind shadow registers, shifted out after "
           "every fold as in the SCALE-Sim paper, or what the SCALE-Sim v2 program prints."));
    m_weights =
        addChoice(array, "weights", tr("Weight buffers"), {tr("1, load then run"), tr("2, load behind")},
                  tr("For weight- and input-stationary: whether the next block loads while this one works."));

    QFormLayout* edges = group(tr("Edge FIFOs"));
    m_fifo = addNumber(edges, "fifo", tr("Depth"), 1, 4096,
                       tr("Elements that the FIFO of a row or column holds."));
    m_west = addNumber(edges, "west", tr("West per cycle"), 0, 1 << 20,
                       tr("Elements that the streamers bring to all rows together in a cycle."));
    m_north = addNumber(edges, "north", tr("North per cycle"), 0, 1 << 20,
                        tr("Elements that the streamers bring to all columns together in a cycle."));
    for (QSpinBox* box : {m_west, m_north})
        box->setSpecialValueText(tr("unlimited"));

    QFormLayout* program = group(tr("Programs"));
    m_speedOf = addChoice(program, "bandwidth", tr("Bandwidth"), {tr("unlimited"), tr("of the memories")},
                          tr("Whether moving data takes time in the pipeline."));
    m_layout =
        addChoice(program, "layout", tr("Bank layout"), {tr("as printed"), tr("split")},
                  tr("Where tiles lie in the banks of L2: the layout printed in the source document, which "
                     "conflicts, or A in one half and B in the other."));
    m_depth = addNumber(program, "depth", tr("k step"), 1, 1 << 20,
                        tr("Operands that one COMPUTE of the program streams (Tk)."));
    m_depth->setSingleStep(16);

    QFormLayout* memory = group(tr("Memories"));
    m_preset = addChoice(memory, "preset", tr("Preset"),
                         {tr("kpu"), tr("edge 8×8"), tr("server 128×128"), tr("edited")},
                         tr("Loads a hierarchy: array, sizes and bandwidths."));
    connect(m_preset, &QComboBox::activated, this, &SettingsPanel::loadPreset);
    m_frequency = new QDoubleSpinBox(content);
    m_frequency->setRange(0.01, 100);
    m_frequency->setDecimals(2);
    m_frequency->setSingleStep(0.1);
    m_frequency->setKeyboardTracking(false);
    m_frequency->setSuffix(tr(" GHz"));
    prepare(m_frequency, "frequency", tr("Clock"), tr("Clock of the array."));
    memory->addRow(tr("Clock"), m_frequency);
    connect(m_frequency, &QDoubleSpinBox::valueChanged, this, &SettingsPanel::write);
    const QString names[] = {tr("DRAM"), tr("L3"), tr("L2"), tr("L1")};
    for (std::size_t i = 0; i < 4; ++i) {
        const auto level = static_cast<std::size_t>(kEdited[i]);
        auto* bandwidth = new QDoubleSpinBox(content);
        bandwidth->setRange(0.01, 1e6);
        bandwidth->setDecimals(1);
        bandwidth->setSingleStep(16);
        bandwidth->setKeyboardTracking(false);
        bandwidth->setSuffix(tr(" GB/s"));
        const std::string id = "bandwidth." + std::string(levelName(kEdited[i]));
        prepare(bandwidth, id.c_str(), tr("%1 bandwidth").arg(names[i]),
                tr("All buffers of the level together."));
        memory->addRow(names[i], bandwidth);
        connect(bandwidth, &QDoubleSpinBox::valueChanged, this, &SettingsPanel::write);
        m_bandwidth[level] = bandwidth;
        if (kEdited[i] == Level::External)
            continue;
        auto* size =
            addNumber(memory, ("size." + std::string(levelName(kEdited[i]))).c_str(),
                      tr("%1 buffer").arg(names[i]), 1, 1 << 24, tr("Size of one buffer of the level."));
        size->setSuffix(tr(" KiB"));
        m_kilobytes[level] = size;
    }
    column->addStretch(1);
    setWidget(content);

    connect(m_state, &SystolicDocument::changed, this, &SettingsPanel::read);
    connect(m_state, &SystolicDocument::errorChanged, this, [this] {
        const QString& why = m_state->error();
        m_error->setText(why.isEmpty() ? QString() : QStringLiteral("⚠ ") + why);
        m_error->setVisible(!why.isEmpty());
    });
    connect(&m_context.selection, &Selection::changed, this, &SettingsPanel::readOffer);
    m_context.document.whenChanged(this, Part::Problem | Part::Snapshot, &SettingsPanel::readOffer);
    read();
    readOffer();
}

QSize SettingsPanel::sizeHint() const
{
    return {widget()->sizeHint().width() + 18, 400};
}

void SettingsPanel::prepare(QWidget* control, const char* name, const QString& label, const QString& tip)
{
    control->setObjectName(QStringLiteral("systolic.") + QLatin1String(name));
    control->setAccessibleName(label);
    control->setAccessibleDescription(tip);
    control->setToolTip(tip);
    FormGuard::protect(control);
}

QSpinBox* SettingsPanel::addNumber(QFormLayout* form, const char* name, const QString& label, int low,
                                   int high, const QString& tip)
{
    auto* box = new QSpinBox(form->parentWidget());
    box->setRange(low, high);
    box->setKeyboardTracking(false); // a number half typed is not a request
    box->setMinimumWidth(90);
    prepare(box, name, label, tip);
    form->addRow(label, box);
    connect(box, &QSpinBox::valueChanged, this, &SettingsPanel::write);
    return box;
}

QComboBox* SettingsPanel::addChoice(QFormLayout* form, const char* name, const QString& label,
                                    const QStringList& choices, const QString& tip)
{
    auto* box = new QComboBox(form->parentWidget());
    box->addItems(choices);
    box->setMinimumWidth(90);
    prepare(box, name, label, tip);
    form->addRow(label, box);
    connect(box, &QComboBox::activated, this, &SettingsPanel::write);
    return box;
}

void SettingsPanel::read()
{
    m_reading = true;
    const SystolicSettings& s = m_state->settings();
    m_m->setValue(static_cast<int>(s.gemm.m));
    m_n->setValue(static_cast<int>(s.gemm.n));
    m_k->setValue(static_cast<int>(s.gemm.k));
    m_rows->setValue(static_cast<int>(s.hierarchy.array.rows));
    m_cols->setValue(static_cast<int>(s.hierarchy.array.cols));
    m_dataflow->setCurrentIndex(static_cast<int>(s.timing.dataflow));
    m_readout->setCurrentIndex(static_cast<int>(s.timing.readout));
    m_weights->setCurrentIndex(s.timing.weightBuffers - 1);
    m_weights->setEnabled(s.timing.dataflow != Dataflow::Os && s.timing.readout == Readout::Shadow);
    m_fifo->setValue(static_cast<int>(s.supply.depth));
    m_west->setValue(static_cast<int>(s.supply.westPerCycle));
    m_north->setValue(static_cast<int>(s.supply.northPerCycle));
    m_speedOf->setCurrentIndex(s.unlimitedBandwidth ? 0 : 1);
    m_layout->setCurrentIndex(static_cast<int>(s.layout));
    m_depth->setValue(static_cast<int>(s.depth));
    m_frequency->setValue(s.hierarchy.frequencyGhz);
    for (const Level level : kEdited) {
        const auto i = static_cast<std::size_t>(level);
        m_bandwidth[i]->setValue(s.hierarchy.at(level).gbPerSecond);
        if (m_kilobytes[i])
            m_kilobytes[i]->setValue(static_cast<int>(s.hierarchy.at(level).bytes / 1024));
    }
    int preset = 3;
    for (int i = 0; i < 3; ++i)
        if (const auto h = presetHierarchy(i); h && h->name == s.hierarchy.name) {
            Hierarchy like = s.hierarchy;
            like.array = h->array; // the shape is set apart
            if (like == *h)
                preset = i;
        }
    m_preset->setCurrentIndex(preset);
    m_origin->setText(s.origin.empty() ? QString() : tr("GEMM of %1").arg(QString::fromStdString(s.origin)));
    m_origin->setVisible(!s.origin.empty());
    m_error->setText({});
    m_error->hide();
    m_reading = false;
}

void SettingsPanel::write()
{
    if (m_reading)
        return;
    SystolicSettings s = m_state->settings();
    const Gemm gemm{m_m->value(), m_n->value(), m_k->value()};
    if (gemm != s.gemm) {
        s.origin.clear();
        s.ownTile.reset();
    }
    s.gemm = gemm;
    s.hierarchy.array = {m_rows->value(), m_cols->value()};
    s.timing = {static_cast<Dataflow>(m_dataflow->currentIndex()),
                static_cast<Readout>(m_readout->currentIndex()), m_weights->currentIndex() + 1};
    s.supply.depth = m_fifo->value();
    s.supply.westPerCycle = m_west->value();
    s.supply.northPerCycle = m_north->value();
    s.unlimitedBandwidth = m_speedOf->currentIndex() == 0;
    s.layout = static_cast<BankLayout>(m_layout->currentIndex());
    s.depth = m_depth->value();
    s.hierarchy.frequencyGhz = m_frequency->value();
    for (const Level level : kEdited) {
        const auto i = static_cast<std::size_t>(level);
        s.hierarchy.at(level).gbPerSecond = m_bandwidth[i]->value();
        if (m_kilobytes[i] && m_kilobytes[i]->value() != s.hierarchy.at(level).bytes / 1024)
            s.hierarchy.at(level).bytes = std::int64_t{1024} * m_kilobytes[i]->value();
    }
    m_state->set(s);
}

void SettingsPanel::loadPreset(int index)
{
    if (index >= 3)
        return;
    const auto hierarchy = presetHierarchy(index);
    if (!hierarchy)
        return;
    SystolicSettings s = m_state->settings();
    s.hierarchy = *hierarchy;
    m_state->set(s);
}

void SettingsPanel::readOffer()
{
    // The tile (h x w x k) of the current subgraph, when it multiplies matrices.
    m_offer->hide();
    const SnapshotPtr& snapshot = m_context.document.snapshot();
    const auto id = m_context.selection.state().subgraph;
    if (!snapshot || !id || id->index() >= snapshot->schedule.size())
        return;
    const Subgraph& subgraph = snapshot->schedule[*id];
    const Problem& problem = *snapshot->problem;
    const bool matMul = std::any_of(subgraph.ops.begin(), subgraph.ops.end(), [&](OpId op) {
        return op.index() < problem.ops().size() && problem.op(op).type == OpType::MatMul;
    });
    if (!matMul)
        return;
    m_offered = {subgraph.granularity.h, subgraph.granularity.w, subgraph.granularity.k};
    m_offeredFrom = tr("subgraph %1").arg(id->index());
    m_offer->setText(tr("Use tile of subgraph %1: %2")
                         .arg(id->index())
                         .arg(sizeText({m_offered.m, m_offered.n, m_offered.k})));
    m_offer->setToolTip(tr("Look at the tile (h × w × k) of the selected subgraph as a GEMM on this array."));
    m_offer->setVisible(true);
}

} // namespace tilewright::ui
