// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/npu/npu_controls.h"

#include "lower/lens_coverage.h"
#include "lower/machine_lenses.h"
#include "theme/text.h"
#include "theme/theme.h"
#include "views/npu/npu_tiling_form.h"
#include "workspace/installed_files.h"
#include "workspace/lens_links.h"

#include <QApplication>
#include <QDir>
#include <QFileDialog>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QScrollBar>
#include <QTimer>
#include <QToolButton>

namespace tilewright::ui {

namespace {

/// Spin box whose arrows step through powers of two. Any number can be typed.
class DoublingSpinBox : public NumberBox
{
public:
    using NumberBox::NumberBox;
    void stepBy(int steps) override
    {
        int v = std::max(1, value());
        for (; steps > 0; --steps)
            v = v > maximum() / 2 ? maximum() : v * 2;
        for (; steps < 0; ++steps)
            v = std::max(minimum(), v / 2);
        setValue(v);
    }
};

} // namespace

NpuControls::NpuControls(Workspace& workspace, NpuChartOptions& options, const QList<QAction*>& commands,
                         const QList<QAction*>& exports, QWidget* parent)
    : QScrollArea(parent), m_workspace(workspace), m_state(workspace.npu()),
      m_fields(
          QStringLiteral("npu."), [this] { return m_state.settings(); },
          [this](const NpuSettings& next, const QString&) { m_state.setSettings(next); })
{
    setObjectName(QStringLiteral("npu.controls"));
    setUpFormPane(*this, tr("NPU settings"));
    auto* page = new QWidget(this);
    auto* form = new QFormLayout(page);
    form->setContentsMargins(8, 8, 8, 8);
    form->setVerticalSpacing(4);
    form->setFieldGrowthPolicy(QFormLayout::ExpandingFieldsGrow);
    form->setLabelAlignment(Qt::AlignLeft);
    addModelRows(group(*form, "model", tr("Model"), true), commands, exports);
    group(*form, "tiles", tr("Tiles"), true).addRow(new NpuTilingForm(m_state, this));
    addSchedulerRows(group(*form, "scheduler", tr("Scheduler"), false));
    addHardwareRows(group(*form, "hardware", tr("Hardware"), false));
    addViewRows(group(*form, "chart", tr("Chart"), true), options);
    setWidget(page);
    connect(&m_state, &NpuDocument::settingsChanged, this, &NpuControls::refresh);
    connect(&m_state, &NpuDocument::resultChanged, this, &NpuControls::refresh);
    refresh();
}

QFormLayout& NpuControls::group(QFormLayout& form, const char* name, const QString& title, bool open)
{
    auto* fold = new FoldGroup(QStringLiteral("npu.group.") + QLatin1String(name), title, open, this);
    form.addRow(fold);
    return fold->form();
}

void NpuControls::addModelRows(QFormLayout& form, const QList<QAction*>& commands,
                               const QList<QAction*>& exports)
{
    for (QAction* command : commands) {
        auto* button = new QToolButton(this);
        button->setObjectName(QStringLiteral("button.") + command->objectName());
        button->setDefaultAction(command);
        button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
        form.addRow(button);
    }
    m_followed = new WrappedLabel(this);
    m_followed->setObjectName(QStringLiteral("npu.followed"));
    m_followed->setWordWrap(true);
    m_followed->setTextFormat(Qt::PlainText);
    form.addRow(m_followed);
    for (auto signal : {&LensLinks::followingChanged, &LensLinks::whyChanged})
        connect(&m_workspace.links(), signal, this, &NpuControls::refresh);
    m_workspace.schedule().whenChanged(this, Part::Problem | Part::Machine, &NpuControls::refresh);
    m_model = new QComboBox(this);
    m_model->setObjectName(QStringLiteral("npu.model"));
    m_model->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_model->setMinimumContentsLength(10);
    const QDir folder(samplesFolder() + QStringLiteral("/npu"));
    for (const QFileInfo& file : folder.entryInfoList({QStringLiteral("*.json")}, QDir::Files, QDir::Name))
        m_model->addItem(file.completeBaseName().replace(QLatin1Char('_'), QLatin1Char(' ')),
                         file.absoluteFilePath());
    connect(m_model, &QComboBox::activated, this, [this](int i) {
        const QString path = m_model->itemData(i).toString();
        if (!path.isEmpty())
            openFile(path);
    });
    addFormRow(form, tr("Sample"), m_model, tr("Models of the samples folder, and the open file."));
    auto* open = new QPushButton(tr("Open model …"), this);
    connect(open, &QPushButton::clicked, this, &NpuControls::chooseFile);
    addFormRow(form, tr("Open model"), open, tr("Open an NPU model file (JSON)."));
    auto* save = new QPushButton(tr("Save model …"), this);
    connect(save, &QPushButton::clicked, this, &NpuControls::saveFile);
    addFormRow(form, tr("Save model"), save,
               tr("Save the model with the tiles and the hardware of these settings."));
    auto* files = new QPushButton(tr("Export …"), this);
    files->setObjectName(QStringLiteral("npu.export"));
    files->setMenu(new QMenu(files));
    files->menu()->addActions(exports);
    addFormRow(form, tr("Export"), files, tr("Save the tile graph, a trace or the table of operators."));
}

void NpuControls::addSchedulerRows(QFormLayout& form)
{
    m_fields.choice(
        form, QStringLiteral("scheduler"), tr("Kind"), {tr("best"), tr("static"), tr("dynamic")},
        tr("Static: unit lists are made before the run. Dynamic: an idle core takes the ready unit with the "
           "best score. Best: all of them are run, with every assignment, and the fastest is shown."),
        [](NpuSettings& s) { return s.best                                          ? 0
                                    : s.options.scheduler == npu::Scheduler::Static ? 1
                                                                                    : 2; },
        [](NpuSettings& s, int i) {
            s.best = i == 0;
            s.options.scheduler = i == 1 ? npu::Scheduler::Static : npu::Scheduler::Dynamic;
        });
    m_schedulers = new WrappedLabel(this);
    m_schedulers->setObjectName(QStringLiteral("npu.schedulers"));
    m_schedulers->setWordWrap(true);
    m_schedulers->setTextFormat(Qt::PlainText);
    form.addRow(m_schedulers);
    m_fields.choice(form, QStringLiteral("assignment"), tr("Assignment"),
                    {tr("round robin"), tr("cost aware"), tr("head parallel")},
                    tr("How units are assigned to cores. The dynamic scheduler uses only head parallel: all "
                       "units of a head run on one core. Of kind best, head parallel leaves the other "
                       "assignments out; otherwise all are run."),
                    member(&NpuSettings::options, &npu::RunOptions::assignment));
    const auto weight = [&](const char* name, const QString& label, const QString& tip, auto part) {
        m_dynamic.push_back(m_fields.decimal(form, QLatin1String(name), label, 0, 100, 2, 0.1, tip,
                                             member(&NpuSettings::options, &npu::RunOptions::weights, part)));
    };
    weight("w1", tr("w1 path"), tr("Weight of the critical path in the dynamic score."),
           &npu::Weights::criticalPath);
    weight("w2", tr("w2 intensity"), tr("Weight of compute cycles per byte in the dynamic score."),
           &npu::Weights::intensity);
    weight("w3", tr("w3 stall"),
           tr("Weight of the expected DRAM stall, which is subtracted from the dynamic score."),
           &npu::Weights::dramStall);
    m_dynamic.push_back(m_fields.check(
        form, QStringLiteral("memoryFirst"), tr("Memory-bound first"),
        tr("Dynamic: ready units limited by DRAM are taken before units limited by the engines."),
        member(&NpuSettings::options, &npu::RunOptions::memoryBoundFirst)));
}

void NpuControls::addHardwareRows(QFormLayout& form)
{
    m_preset = new QComboBox(this);
    m_preset->setObjectName(QStringLiteral("npu.preset"));
    m_presets.emplace_back();
    m_preset->addItem(tr("default"));
    for (const MachinePreset& machine : machinePresets()) {
        m_presets.push_back(lower::npuHardwareOf(*machinePreset(machine.name)));
        m_preset->addItem(QString::fromStdString(std::string(machine.name)));
    }
    m_preset->addItem(tr("custom"));
    m_preset->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_preset->setMinimumContentsLength(8);
    connect(m_preset, &QComboBox::activated, this, [this](int i) {
        if (i >= 0 && static_cast<std::size_t>(i) < m_presets.size()) {
            NpuSettings next = m_state.settings();
            next.hardware = m_presets[static_cast<std::size_t>(i)];
            m_state.setSettings(next);
        }
        refresh();
    });
    addFormRow(form, tr("Preset"), m_preset,
               tr("Set all hardware values to those of a machine that comes with Tilewright."));
    const auto number = [&](const char* name, const QString& label, int high, const QString& tip, auto part,
                            std::int64_t unit = 1) {
        return m_fields.number(form, QLatin1String(name), label, 1, high, tip, part, unit,
                               new DoublingSpinBox(this));
    };
    m_fields.number(form, QStringLiteral("cores"), tr("Cores"), 1, npu::kMaxCores,
                    tr("Number of cores. They share DRAM and the trunk of the NoC."),
                    member(&NpuSettings::hardware, &npu::NpuHardware::cores));
    number("spm", tr("SPM KiB"), 1 << 20, tr("Scratchpad of one core in KiB. A change cuts the tiles again."),
           member(&NpuSettings::hardware, &npu::NpuHardware::spmBytes), 1024);
    number("channels", tr("Channels"), npu::kMaxChannels, tr("DRAM channels, each with its own data bus."),
           member(&NpuSettings::hardware, &npu::NpuHardware::dram, &npu::DramHardware::channels));
    number("banks", tr("Banks"), npu::kMaxBanks, tr("Banks of one channel."),
           member(&NpuSettings::hardware, &npu::NpuHardware::dram, &npu::DramHardware::banks));
    number("burst", tr("Burst bytes"), 65536,
           tr("Bytes of one burst, a power of two. Loads and stores are rounded up to it."),
           member(&NpuSettings::hardware, &npu::NpuHardware::dram, &npu::DramHardware::burstBytes))
        ->setUnit(QStringLiteral("B"));
    m_fields.choice(form, QStringLiteral("arbiter"), tr("Arbiter"), {tr("oldest first"), tr("DRAM aware")},
                    tr("Which burst a channel serves next. DRAM aware prefers, in this order: row hits, "
                       "other banks, other heads, the oldest."),
                    member(&NpuSettings::hardware, &npu::NpuHardware::dram, &npu::DramHardware::arbiter));
    number("link", tr("NoC link"), 1 << 20, tr("Bytes per cycle between one core and the trunk."),
           member(&NpuSettings::hardware, &npu::NpuHardware::linkBytesPerCycle))
        ->setUnit(QStringLiteral("B/cycle"));
    number("trunk", tr("NoC trunk"), 1 << 20, tr("Bytes per cycle of the trunk, shared by all cores."),
           member(&NpuSettings::hardware, &npu::NpuHardware::trunkBytesPerCycle))
        ->setUnit(QStringLiteral("B/cycle"));
    const auto hardware = [](auto... part) { return member(&NpuSettings::hardware, part...); };
    const auto dram = [&](auto part) { return hardware(&npu::NpuHardware::dram, part); };
    number("rows", tr("Engine rows"), 4096, tr("Rows of the matrix engine of a core."),
           hardware(&npu::NpuHardware::engineRows));
    number("columns", tr("Engine columns"), 4096, tr("Columns of the matrix engine of a core."),
           hardware(&npu::NpuHardware::engineCols));
    number("lanes", tr("Vector lanes"), 1 << 20, tr("Elements that the vector engine takes in a cycle."),
           hardware(&npu::NpuHardware::vectorLanes));
    m_fields.decimal(form, QStringLiteral("clock"), tr("Clock GHz"), 0.001, 1000, 3, 0.1,
                     tr("Clock of cores, NoC and DRAM: cycles become times with it."),
                     hardware(&npu::NpuHardware::clockGhz));
    number("accumulator", tr("Accumulator bytes"), 16, tr("Bytes of one partial sum."),
           hardware(&npu::NpuHardware::accumulatorBytes));
    number("dramRate", tr("Channel rate"), 4096, tr("Bytes per cycle of the data bus of one channel."),
           dram(&npu::DramHardware::bytesPerCycle))
        ->setUnit(QStringLiteral("B/cycle"));
    number("interleave", tr("Interleave bytes"), 1 << 20,
           tr("Consecutive bytes in one channel, a power of two."),
           dram(&npu::DramHardware::interleaveBytes));
    number("row", tr("Row bytes"), 1 << 20, tr("Bytes of one row of a bank, a power of two."),
           dram(&npu::DramHardware::rowBytes));
    number("rowHit", tr("Row hit cycles"), 1 << 20, tr("Cycles of a burst in the open row of a bank."),
           dram(&npu::DramHardware::rowHitCycles));
    number("rowMiss", tr("Row miss cycles"), 1 << 20, tr("Cycles of a burst in another row of a bank."),
           dram(&npu::DramHardware::rowMissCycles));
    for (const auto& [name, label, part] :
         {std::tuple{"passSoftmax", tr("Passes of softmax"), &npu::VectorPasses::softmax},
          std::tuple{"passLayerNorm", tr("Passes of layer norm"), &npu::VectorPasses::layerNorm},
          std::tuple{"passRmsNorm", tr("Passes of RMS norm"), &npu::VectorPasses::rmsNorm},
          std::tuple{"passElementwise", tr("Passes of others"), &npu::VectorPasses::elementwise}})
        number(name, label, 1024, tr("Times the vector engine goes over its operand."),
               hardware(&npu::NpuHardware::passes, part));
    for (const auto& [name, label, part] : {std::tuple{"pjMac", tr("pJ per MAC"), &npu::NpuEnergy::mac},
                                            std::tuple{"pjSpm", tr("pJ in SPM"), &npu::NpuEnergy::spm},
                                            std::tuple{"pjNoc", tr("pJ on NoC"), &npu::NpuEnergy::noc},
                                            std::tuple{"pjDram", tr("pJ in DRAM"), &npu::NpuEnergy::dram}})
        m_fields.decimal(form, QLatin1String(name), label, 0, 1e9, 4, 1,
                         tr("Energy of a multiply-accumulate, or of an element moved."),
                         hardware(&npu::NpuHardware::energy, part));
}

void NpuControls::addViewRows(QFormLayout& form, NpuChartOptions& options)
{
    const auto check = [&](const char* name, const QString& text, bool& value, const QString& tip) {
        auto* box = new QCheckBox(text, this);
        box->setObjectName(QStringLiteral("npu.") + QLatin1String(name));
        box->setChecked(value);
        connect(box, &QCheckBox::toggled, this, [this, &value](bool on) {
            value = on;
            Q_EMIT optionsChanged();
        });
        addFormRow(form, text, box, tip);
    };
    check("showEngines", tr("Engines and DMA"), options.engines,
          tr("Show the engines and transfers of each core as lanes."));
    check("showBanks", tr("DRAM banks"), options.banks, tr("Show a heat map of every DRAM bank."));
    check("showMisses", tr("Colour by row misses"), options.misses,
          tr("Heat map: share of row misses instead of bytes per cycle."));
    m_keepGhost = new QCheckBox(tr("Keep this run as baseline"), this);
    m_keepGhost->setObjectName(QStringLiteral("npu.keepGhost"));
    connect(m_keepGhost, &QCheckBox::clicked, &m_state, &NpuDocument::setGhostKept);
    addFormRow(form, tr("Keep this run as baseline"), m_keepGhost,
               tr("Compare all later runs with this one, instead of each with the run before."));
    m_clearGhost = new QPushButton(tr("Clear baseline"), this);
    connect(m_clearGhost, &QPushButton::clicked, &m_state, &NpuDocument::clearGhost);
    addFormRow(form, tr("Clear baseline"), m_clearGhost, tr("Do not draw the earlier run."));
}

void NpuControls::openFile(const QString& path)
{
    if (const auto opened = m_workspace.open(path); !opened)
        Q_EMIT m_state.refused(QString::fromStdString(opened.error().text()));
    refresh(); // resets the choice: a file that could not be opened must not be shown as chosen
}

void NpuControls::chooseFile()
{
    const QString path = QFileDialog::getOpenFileName(this, tr("Open NPU model"), m_state.modelPath(),
                                                      tr("NPU models (*.json);;All files (*)"));
    if (!path.isEmpty())
        openFile(path);
}

void NpuControls::saveFile()
{
    const QString path = QFileDialog::getSaveFileName(this, tr("Save NPU model"), m_state.modelPath(),
                                                      tr("NPU models (*.json);;All files (*)"));
    if (path.isEmpty())
        return;
    if (const Status saved = m_state.save(path); !saved)
        Q_EMIT m_state.refused(QString::fromStdString(saved.error().text()));
}

/// Keeps the field with the focus at its place under the mouse when texts above it come and go.
void NpuControls::keepFieldInPlace()
{
    QWidget* const field = QApplication::focusWidget();
    if (!field || !viewport()->isAncestorOf(field))
        return;
    const int y = field->mapToGlobal(QPoint()).y();
    QTimer::singleShot(0, field, [this, field, y] {
        QScrollBar* const bar = verticalScrollBar();
        bar->setValue(bar->value() + field->mapToGlobal(QPoint()).y() - y);
    });
}

void NpuControls::refresh()
{
    keepFieldInPlace();
    const QString path = m_state.modelPath();
    int at = m_model->findData(path);
    if (at < 0) {
        const QFileInfo info(path);
        m_model->addItem(path.isEmpty() ? tr("BERT block") : info.completeBaseName(), path);
        at = m_model->count() - 1;
    }
    m_model->setCurrentIndex(at);
    m_fields.show();
    const NpuSettings& s = m_state.settings();
    for (QWidget* control : m_dynamic)
        control->setEnabled(s.best || s.options.scheduler == npu::Scheduler::Dynamic);
    const NpuResultPtr& r = m_state.result();
    m_schedulers->setVisible(s.best && r && r->settings.best);
    if (s.best && r && r->settings.best)
        m_schedulers->setText(wholeSentence(npu::policySentence(r->run->options, r->schedulers)));
    int chosen = m_preset->count() - 1;
    for (std::size_t i = 0; i < m_presets.size(); ++i) {
        npu::NpuHardware known = m_presets[i];
        known.name = s.hardware.name;
        if (known == s.hardware)
            chosen = static_cast<int>(i);
    }
    m_preset->setCurrentIndex(chosen);
    const LensLinks& links = m_workspace.links();
    const QString& why = links.why(Lens::Npu);
    QString followed = why;
    if (why.isEmpty() && links.showsWorkload(Lens::Npu)) {
        const lower::ModelOnMachinePtr& model = m_workspace.schedule().lensModel();
        if (model != m_leftOutOf) {
            m_leftOutOf = model;
            QStringList left;
            if (const auto nodes =
                    model ? lower::lensNodes(*model, MachineLens::Npu) : std::vector<lower::NodeReport>())
                for (const std::string& text :
                     {lower::leftOutText(*nodes), model ? leftOutText(model->machine, MachineLens::Npu) : ""})
                    if (!text.empty())
                        left << wholeSentence(text);
            m_leftOut = left.join(QLatin1Char(' '));
        }
        followed = m_leftOut;
    }
    if (m_state.openOperators() > 0 && m_state.model())
        followed += (followed.isEmpty() ? QString() : QStringLiteral(" ")) +
                    tr("%1 have the default tiles, which are not optimised: press Search tiles.")
                        .arg(number(m_state.openOperators()));
    if (const NpuResultPtr r = m_state.result(); r && !r->cutAnew.isEmpty())
        followed +=
            (followed.isEmpty() ? QString() : QStringLiteral(" ")) + wholeSentence(r->cutAnew.toStdString());
    if (!links.isFollowing(Lens::Npu) && m_state.model() && m_workspace.schedule().hasProblem() &&
        !links.isOfWorkload(*m_state.model()))
        followed = tr("This lens shows %1, not the open model: Follow the selection shows that.")
                       .arg(QString::fromStdString(m_state.model()->name));
    else if (const auto& on = m_workspace.schedule().lensModel();
             !links.isFollowing(Lens::Npu) && m_state.model() && on && links.isOfWorkload(*m_state.model()) &&
             !(m_state.settings().hardware == lower::npuHardwareOf(on->machine)))
        followed =
            tr("The hardware is not that of the machine of the schedule: Follow the selection takes that.");
    m_followed->setText(followed);
    m_followed->setToolTip(links.showsWorkload(Lens::Npu)
                               ? tr("The total of the schedule is for one core with a memory of fixed "
                                    "bandwidth. In the NPU run all cores share DRAM and NoC, burst by burst, "
                                    "so the two numbers of cycles are not comparable.")
                               : QString());
    m_followed->setVisible(!followed.isEmpty());
    if (links.showsWorkload(Lens::Npu))
        m_model->setItemText(at, tr("the open model"));
    else if (path.isEmpty() && m_state.model())
        m_model->setItemText(at, QString::fromStdString(m_state.model()->name));
    m_keepGhost->setChecked(m_state.isGhostKept());
    m_clearGhost->setEnabled(m_state.ghost() != nullptr);
}

} // namespace tilewright::ui
