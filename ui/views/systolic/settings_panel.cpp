// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/systolic/settings_panel.h"

#include "theme/text.h"
#include "theme/theme.h"
#include "verbs/workload.h"
#include "views/systolic/gantt_model.h"
#include "workspace/lens_links.h"

#include <QLabel>
#include <QPushButton>
#include <QStandardItemModel>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <limits>

namespace tilewright::ui {

using namespace systolic;

namespace {

/// Returns memories and array of a machine preset.
Hierarchy presetHierarchy(int index)
{
    return lower::hierarchyOf(*machinePreset(machinePresets()[static_cast<std::size_t>(index)].name));
}

int presetCount()
{
    return static_cast<int>(machinePresets().size());
}

} // namespace

SettingsPanel::SettingsPanel(const ViewContext& context, SystolicDocument* state, QAction* follow,
                             QAction* use, QWidget* parent)
    : QScrollArea(parent), m_context(context), m_state(state),
      m_fields(
          QStringLiteral("systolic."), [this] { return m_state->settings(); },
          [this](SystolicSettings next, const QString&) {
              if (next.gemm != m_state->settings().gemm) {
                  next.origin.clear();
                  next.ownTile.reset();
              }
              m_state->set(next);
          })
{
    setObjectName(QStringLiteral("systolic.settings"));
    setUpFormPane(*this, tr("Settings of the systolic array"));
    auto* content = new QWidget(this);
    auto* column = new QVBoxLayout(content);
    column->setContentsMargins(8, 8, 8, 8);
    column->setSpacing(8);

    auto* following = new QToolButton(content);
    following->setObjectName(QStringLiteral("systolic.follow"));
    following->setDefaultAction(follow);
    following->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    column->addWidget(following);
    m_part = new QComboBox(content);
    m_part->setObjectName(QStringLiteral("systolic.part"));
    m_part->setAccessibleName(tr("Part of the selected product"));
    m_part->addItems({tr("the whole layer"), tr("the schedule's tile")});
    m_part->setToolTip(
        tr("What is followed: all of the selected product, or its largest tile in the schedule."));
    column->addWidget(m_part);
    connect(m_part, &QComboBox::activated, this,
            [this](int i) { m_context.workspace.links().showInSystolic(static_cast<SystolicPart>(i)); });
    auto* taking = new QToolButton(content);
    taking->setDefaultAction(use);
    taking->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    column->addWidget(taking);
    m_offer = new QPushButton(content);
    m_offer->setObjectName(QStringLiteral("systolic.offer"));
    column->addWidget(m_offer);
    connect(m_offer, &QPushButton::clicked, this,
            [this] { m_context.workspace.links().setFollowing(Lens::Systolic, true); });
    m_origin = new QLabel(content);
    m_origin->setTextFormat(Qt::PlainText);
    m_origin->setObjectName(QStringLiteral("systolic.origin"));
    m_origin->setWordWrap(true);
    column->addWidget(m_origin);
    m_why = new QLabel(content);
    m_why->setTextFormat(Qt::PlainText);
    m_why->setObjectName(QStringLiteral("systolic.why"));
    m_why->setWordWrap(true);
    column->addWidget(m_why);
    m_error = new QLabel(content);
    m_error->setTextFormat(Qt::PlainText);
    m_error->setObjectName(QStringLiteral("systolic.error"));
    m_error->setWordWrap(true);
    m_error->setAccessibleName(tr("Why the settings are refused"));
    column->addWidget(m_error);

    const auto group = [&](const char* name, const QString& title, bool open) {
        auto* fold =
            new FoldGroup(QStringLiteral("systolic.group.") + QLatin1String(name), title, open, content);
        column->addWidget(fold);
        return &fold->form();
    };
    const auto number = [this](QFormLayout* form, const char* name, const QString& label, int low, int high,
                               const QString& tip, auto part, std::int64_t unit = 1) {
        return m_fields.number(*form, QLatin1String(name), label, low, high, tip, part, unit);
    };
    const auto choice = [this](QFormLayout* form, const char* name, const QString& label,
                               const QStringList& choices, const QString& tip, auto part, int first = 0) {
        return m_fields.choice(*form, QLatin1String(name), label, choices, tip, part, first);
    };
    using S = SystolicSettings;
    constexpr int kMostSize = std::numeric_limits<int>::max();
    QFormLayout* gemm = group("gemm", tr("GEMM"), true);
    auto* product = new QLabel(tr("C[M,N] = A[M,K] × B[K,N]"), content);
    product->setWordWrap(true);
    gemm->addRow(product);
    number(gemm, "m", tr("M"), 1, kMostSize, tr("Rows of A and C."), member(&S::gemm, &Gemm::m));
    number(gemm, "n", tr("N"), 1, kMostSize, tr("Columns of B and C."), member(&S::gemm, &Gemm::n));
    number(gemm, "k", tr("K"), 1, kMostSize, tr("Columns of A and rows of B: the reduction."),
           member(&S::gemm, &Gemm::k));

    QFormLayout* array = group("array", tr("Array"), true);
    number(array, "rows", tr("Rows"), 1, 4096, tr("Rows of processing elements."),
           member(&S::hierarchy, &Hierarchy::array, &ArrayShape::rows));
    number(array, "cols", tr("Columns"), 1, 4096, tr("Columns of processing elements."),
           member(&S::hierarchy, &Hierarchy::array, &ArrayShape::cols));
    choice(array, "dataflow", tr("Dataflow"),
           {tr("output-stationary"), tr("weight-stationary"), tr("input-stationary")},
           tr("Operand that stays in the PEs: sums of C, a block of B, or a block of A."),
           member(&S::timing, &TimingOptions::dataflow));
    choice(array, "readout", tr("Read-out"),
           {tr("shadow registers"), tr("shift (paper)"), tr("SCALE-Sim v2")},
           tr("How the cycle count includes the read-out of results: hidden by shadow registers, shifted out "
              "after every fold as in the SCALE-Sim paper, or as the SCALE-Sim v2 program counts."),
           member(&S::timing, &TimingOptions::readout));
    m_weights =
        choice(array, "weights", tr("Weight buffers"), {tr("1, load then run"), tr("2, load while running")},
               tr("For weight- and input-stationary: whether the next block is loaded while the current one "
                  "is used."),
               member(&S::timing, &TimingOptions::weightBuffers), 1);

    QFormLayout* edges = group("fifos", tr("Edge FIFOs"), false);
    number(edges, "fifo", tr("Depth"), 1, 4096, tr("Elements in the FIFO of each row or column."),
           member(&S::supply, &EdgeSupply::depth));
    QSpinBox* west = number(edges, "west", tr("West per cycle"), 0, 1 << 20,
                            tr("Elements per cycle that the streamers bring to all rows together."),
                            member(&S::supply, &EdgeSupply::westPerCycle));
    QSpinBox* north = number(edges, "north", tr("North per cycle"), 0, 1 << 20,
                             tr("Elements per cycle that the streamers bring to all columns together."),
                             member(&S::supply, &EdgeSupply::northPerCycle));
    for (QSpinBox* box : {west, north})
        box->setSpecialValueText(tr("unlimited"));

    QFormLayout* program = group("programs", tr("Programs"), true);
    m_fields.choice(
        *program, QStringLiteral("bandwidth"), tr("Bandwidth"), {tr("unlimited"), tr("of the memories")},
        tr("Unlimited: data moves in the pipeline take no time."),
        [](S& s) { return s.unlimitedBandwidth ? 0 : 1; },
        [](S& s, int i) { s.unlimitedBandwidth = i == 0; });
    m_tile = m_fields.choice(
        *program, QStringLiteral("tile"), tr("Tile"),
        {tr("of the array"), tr("of the tile search"), tr("by hand")},
        tr("Tile that DMA and block movers move: the block of the array, the choice of the tile search, or "
           "the one "
           "that was clicked in its map."),
        [](S& s) { return s.ownTile        ? 2
                          : s.searchedTile ? 1
                                           : 0; },
        [](S& s, int i) {
            if (i < 2)
                s.ownTile.reset();
            s.searchedTile = i == 1;
        });
    choice(program, "footprint", tr("Footprint"), {tr("A, B and C"), tr("A and B, C in PEs")},
           tr("Tiles that must fit the level in the tile search: all three, or C stays in the PEs."),
           member(&S::footprint));
    m_schedule = m_fields.choice(
        *program, QStringLiteral("schedule"), tr("Schedule of L2"), scheduleChoices(),
        tr("Order and reuse of tiles in L2, for the pipelined output-stationary program. By the size of L2: "
           "A + "
           "row reuse, or B if L2 is too small."),
        [](S& s) { return scheduleChoice(s); }, [](S& s, int i) { chooseSchedule(s, i); });
    m_passes =
        number(program, "passes", tr("Passes over K"), 0, 1 << 20,
               tr("Passes of schedule B over the reduction: more passes need less L2 and move more sums. "
                  "Automatic: two, or the fewest that fit."),
               member(&S::passes));
    m_passes->setSpecialValueText(tr("automatic"));
    choice(program, "layout", tr("Bank layout"), {tr("as printed"), tr("split")},
           tr("Positions of tiles in the banks of L2: the layout printed in the source document, which has "
              "conflicts, or A in one half and B in the other."),
           member(&S::layout));
    m_depth = number(
        program, "depth", tr("k step"), 1, 1 << 20,
        tr("Length of the part of the reduction that one COMPUTE instruction streams (Tk). Programs of a "
           "tile of the search or by hand take the deepest that L1 holds."),
        member(&S::depth));
    m_depth->setSingleStep(16);
    if (auto* items = qobject_cast<QStandardItemModel*>(m_tile->model()))
        items->item(2)->setEnabled(false); // this entry is set by a click on the map and cannot be chosen

    QFormLayout* memory = group("memories", tr("Memories"), false);
    m_preset = new QComboBox(content);
    m_preset->setObjectName(QStringLiteral("systolic.preset"));
    for (const MachinePreset& preset : machinePresets())
        m_preset->addItem(QString::fromStdString(std::string(preset.name)));
    m_preset->addItem(tr("edited"));
    addFormRow(*memory, tr("Preset"), m_preset,
               tr("Use the array, sizes and bandwidths of a machine in this lens only."));
    connect(m_preset, &QComboBox::activated, this, &SettingsPanel::loadPreset);
    m_fields
        .decimal(*memory, QStringLiteral("frequency"), tr("Clock"), 0.01, 100, 2, 0.1,
                 tr("Clock of the array."), member(&S::hierarchy, &Hierarchy::frequencyGhz))
        ->setSuffix(tr(" GHz"));
    for (const auto& [level, name] :
         {std::pair{Level::External, tr("DRAM")},
          {Level::L3, tr("L3")},
          {Level::L2, tr("L2")},
          {Level::L1, tr("L1")}}) { // without the host, whose bandwidth and size this lens does not use
        const QString id = QString::fromStdString(std::string(levelName(level)));
        auto* bandwidth = m_fields.decimal(
            *memory, QStringLiteral("bandwidth.") + id, name, 0.01, 1e6, 1, 16,
            tr("All buffers of the level together."), [level = level](S & s) -> auto& {
                return s.hierarchy.at(level).gbPerSecond;
            });
        bandwidth->setAccessibleName(tr("%1 bandwidth").arg(name));
        bandwidth->setSuffix(tr(" GB/s"));
        if (level != Level::External)
            m_fields
                .number(
                    *memory, QStringLiteral("size.") + id, tr("%1 buffer").arg(name), 1, 1 << 24,
                    tr("Size of one buffer of the level."),
                    [level = level](S& s) -> decltype(auto) { return (s.hierarchy.at(level).bytes); }, 1024)
                ->setSuffix(tr(" KiB"));
    }
    column->addStretch(1);
    setWidget(content);

    connect(m_state, &SystolicDocument::changed, this, &SettingsPanel::read);
    connect(m_state, &SystolicDocument::errorChanged, this, [this] {
        const QString& why = m_state->error();
        m_error->setText(why.isEmpty() ? QString() : QStringLiteral("⚠ ") + why);
        m_error->setVisible(!why.isEmpty());
    });
    connect(&m_context.workspace.links(), &LensLinks::followingChanged, this, &SettingsPanel::readOffer);
    connect(&m_context.workspace.links(), &LensLinks::systolicPartChanged, this, &SettingsPanel::readOffer);
    connect(&m_context.selection, &Selection::changed, this, &SettingsPanel::readOffer);
    m_context.document.whenChanged(this, Part::Problem | Part::Snapshot, &SettingsPanel::readOffer);
    read();
    readOffer();
}

QSize SettingsPanel::sizeHint() const
{
    return {widget()->sizeHint().width() + 18, 400};
}

void SettingsPanel::read()
{
    m_fields.show();
    const SystolicSettings& s = m_state->settings();
    m_weights->setEnabled(s.timing.dataflow != Dataflow::Os && s.timing.readout == Readout::Shadow);
    const bool isOs = s.timing.dataflow == Dataflow::Os;
    m_schedule->setEnabled(isOs);
    m_passes->setEnabled(isOs && s.schedule == L2Schedule::PartialC);
    m_depth->setEnabled(!s.ownTile && !s.searchedTile);
    int preset = presetCount();
    for (int i = 0; i < presetCount(); ++i)
        if (const Hierarchy h = presetHierarchy(i); h.name == s.hierarchy.name) {
            Hierarchy like = s.hierarchy;
            like.array = h.array; // equal arrays, so that only the memories are compared
            if (like == h)
                preset = i;
        }
    m_preset->setCurrentIndex(preset);
    m_origin->setText(s.origin.empty() ? QString() : tr("GEMM of %1").arg(QString::fromStdString(s.origin)));
    m_origin->setVisible(!s.origin.empty());
    m_error->setText({});
    m_error->hide();
}

void SettingsPanel::loadPreset(int index)
{
    if (index >= presetCount())
        return;
    SystolicSettings s = m_state->settings();
    s.hierarchy = presetHierarchy(index);
    m_state->set(s);
}

void SettingsPanel::readOffer()
{
    const LensLinks& links = m_context.workspace.links();
    const auto product = links.isFollowing(Lens::Systolic) ? std::nullopt : links.product();
    m_part->setCurrentIndex(static_cast<int>(links.systolicPart()));
    m_offer->setVisible(product && m_context.selection.state().subgraph);
    if (product) {
        m_offer->setText(links.systolicPart() == SystolicPart::Tile
                             ? tr("Use the tile of subgraph %1").arg(product->subgraph.index())
                             : tr("Use the selected product"));
        m_offer->setToolTip(tr("Show it on this array, and follow the selection."));
    }
    QString why = links.why(Lens::Systolic);
    if (const auto& machine = m_context.workspace.schedule().machine(); // the same note as the verb prints
        why.isEmpty() && machine && links.isFollowing(Lens::Systolic))
        if (const std::string note = verbs::oneArrayText(*machine); !note.empty())
            why = wholeSentence(note);
    m_why->setText(why);
    m_why->setVisible(!why.isEmpty());
}

} // namespace tilewright::ui
