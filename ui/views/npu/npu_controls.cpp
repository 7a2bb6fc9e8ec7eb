// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/npu/npu_controls.h"

#include "canvas/form_guard.h"
#include "theme/theme.h"
#include "views/npu/npu_tiling_form.h"
#include "workspace/samples.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDir>
#include <QDoubleSpinBox>
#include <QFile>
#include <QFileDialog>
#include <QFormLayout>
#include <QLabel>
#include <QPushButton>
#include <QSpinBox>

namespace tilewright::ui {

namespace {

/// Steps through powers of two; any number can be typed.
class DoublingSpinBox : public QSpinBox
{
public:
    using QSpinBox::QSpinBox;
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

constexpr const char* kPresets[] = {"default", "edge", "stacked_memory", "ample_bandwidth"};

std::optional<npu::NpuHardware> preset(const char* name)
{
    QFile file(QStringLiteral(":/npu/%1.json").arg(QLatin1String(name)));
    if (!file.open(QIODevice::ReadOnly))
        return std::nullopt;
    const QByteArray text = file.readAll();
    auto hw = npu::parseHardware({text.constData(), static_cast<std::size_t>(text.size())}, name);
    if (!hw)
        return std::nullopt;
    return *hw;
}

} // namespace

NpuControls::NpuControls(Workspace& workspace, NpuChartOptions& options, QWidget* parent)
    : QScrollArea(parent), m_workspace(workspace), m_state(workspace.npu())
{
    setObjectName(QStringLiteral("npu.controls"));
    setAccessibleName(tr("NPU settings"));
    setFrameShape(QFrame::NoFrame);
    setWidgetResizable(true);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* page = new QWidget(this);
    auto* form = new QFormLayout(page);
    form->setContentsMargins(8, 8, 8, 8);
    form->setVerticalSpacing(4);
    form->setFieldGrowthPolicy(QFormLayout::ExpandingFieldsGrow);
    form->setLabelAlignment(Qt::AlignLeft);
    addModelRows(form);
    heading(form, tr("Tiles"));
    form->addRow(new NpuTilingForm(m_state, this));
    addSchedulerRows(form);
    addHardwareRows(form);
    addViewRows(form, options);
    setWidget(page);
    connect(&m_state, &NpuDocument::settingsChanged, this, &NpuControls::refresh);
    connect(&m_state, &NpuDocument::resultChanged, this, &NpuControls::refresh);
    refresh();
}

void NpuControls::heading(QFormLayout* form, const QString& text)
{
    auto* label = new QLabel(text, this);
    label->setFont(uiFont(1.0, QFont::DemiBold));
    form->addRow(label);
}

void NpuControls::row(QFormLayout* form, const QString& label, QWidget* control, const QString& tip)
{
    control->setToolTip(tip);
    control->setAccessibleName(label);
    control->setAccessibleDescription(tip);
    FormGuard::protect(control);
    if (qobject_cast<QCheckBox*>(control) || qobject_cast<QPushButton*>(control)) {
        form->addRow(control);
        return;
    }
    control->setMinimumWidth(40);
    control->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    auto* text = new QLabel(label, this);
    text->setBuddy(control);
    text->setToolTip(tip);
    form->addRow(text, control);
}

QSpinBox* NpuControls::number(QFormLayout* form, const QString& name, const QString& label, int low, int high,
                              bool doubling, const QString& tip)
{
    QSpinBox* box = doubling ? new DoublingSpinBox(this) : new QSpinBox(this);
    box->setObjectName(name);
    box->setRange(low, high);
    box->setKeyboardTracking(false); // a half-typed number is not simulated
    connect(box, &QSpinBox::valueChanged, this, &NpuControls::apply);
    row(form, label, box, tip);
    return box;
}

void NpuControls::addModelRows(QFormLayout* form)
{
    heading(form, tr("Model"));
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
    row(form, tr("Sample"), m_model, tr("Models from the samples folder, and the file that is open."));
    auto* open = new QPushButton(tr("Open model …"), this);
    connect(open, &QPushButton::clicked, this, &NpuControls::chooseFile);
    row(form, tr("Open model"), open, tr("Open an NPU model file (JSON)."));
    auto* save = new QPushButton(tr("Save model …"), this);
    connect(save, &QPushButton::clicked, this, &NpuControls::saveFile);
    row(form, tr("Save model"), save,
        tr("Save the model with the tiles and the hardware that are set here."));
}

void NpuControls::addSchedulerRows(QFormLayout* form)
{
    heading(form, tr("Scheduler"));
    m_scheduler = new QComboBox(this);
    m_scheduler->setObjectName(QStringLiteral("npu.scheduler"));
    m_scheduler->addItems({tr("static"), tr("dynamic")});
    connect(m_scheduler, &QComboBox::currentIndexChanged, this, &NpuControls::apply);
    row(form, tr("Kind"), m_scheduler,
        tr("Static: lists made before the run. Dynamic: an idle core takes the ready unit with the best "
           "score."));
    m_assignment = new QComboBox(this);
    m_assignment->setObjectName(QStringLiteral("npu.assignment"));
    m_assignment->addItems({tr("round robin"), tr("cost aware"), tr("head parallel")});
    connect(m_assignment, &QComboBox::currentIndexChanged, this, &NpuControls::apply);
    row(form, tr("Assignment"), m_assignment,
        tr("Which core runs a unit. The dynamic scheduler only keeps head parallel: a head stays on one "
           "core."));
    const QString names[3] = {tr("w1 path"), tr("w2 intensity"), tr("w3 stall")};
    const QString tips[3] = {
        tr("Weight of the critical path in the dynamic score."),
        tr("Weight of compute cycles per byte in the dynamic score."),
        tr("Weight of the expected DRAM stall, which is taken off the dynamic score."),
    };
    for (int i = 0; i < 3; ++i) {
        m_weights[i] = new QDoubleSpinBox(this);
        m_weights[i]->setObjectName(QStringLiteral("npu.w%1").arg(i + 1));
        m_weights[i]->setRange(0, 100);
        m_weights[i]->setDecimals(2);
        m_weights[i]->setSingleStep(0.1);
        m_weights[i]->setKeyboardTracking(false);
        connect(m_weights[i], &QDoubleSpinBox::valueChanged, this, &NpuControls::apply);
        row(form, names[i], m_weights[i], tips[i]);
    }
    m_memoryFirst = new QCheckBox(tr("Memory-bound first"), this);
    m_memoryFirst->setObjectName(QStringLiteral("npu.memoryFirst"));
    connect(m_memoryFirst, &QCheckBox::toggled, this, &NpuControls::apply);
    row(form, tr("Memory-bound first"), m_memoryFirst,
        tr("Dynamic: ready units that DRAM limits go before those that the engines limit."));
}

void NpuControls::addHardwareRows(QFormLayout* form)
{
    heading(form, tr("Hardware"));
    m_preset = new QComboBox(this);
    m_preset->setObjectName(QStringLiteral("npu.preset"));
    for (const char* name : kPresets)
        if (const auto hw = preset(name)) {
            m_presets.push_back(*hw);
            m_preset->addItem(QString::fromLatin1(name).replace(QLatin1Char('_'), QLatin1Char(' ')));
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
    row(form, tr("Preset"), m_preset, tr("All hardware values at once."));
    m_cores = number(form, QStringLiteral("npu.cores"), tr("Cores"), 1, npu::kMaxCores, false,
                     tr("Cores that share DRAM and the trunk of the NoC."));
    m_spm = number(form, QStringLiteral("npu.spm"), tr("SPM KiB"), 1, 1 << 20, true,
                   tr("Scratchpad of one core in KiB. Tiles are cut anew."));
    m_channels = number(form, QStringLiteral("npu.channels"), tr("Channels"), 1, npu::kMaxChannels, true,
                        tr("DRAM channels, each with its own data bus."));
    m_banks = number(form, QStringLiteral("npu.banks"), tr("Banks"), 1, npu::kMaxBanks, true,
                     tr("Banks of one channel."));
    m_burst = number(form, QStringLiteral("npu.burst"), tr("Burst bytes"), 1, 65536, true,
                     tr("Bytes of one burst, a power of two; loads and stores are rounded to it."));
    m_arbiter = new QComboBox(this);
    m_arbiter->setObjectName(QStringLiteral("npu.arbiter"));
    m_arbiter->addItems({tr("oldest first"), tr("DRAM aware")});
    connect(m_arbiter, &QComboBox::currentIndexChanged, this, &NpuControls::apply);
    row(form, tr("Arbiter"), m_arbiter,
        tr("Which burst a channel takes next; DRAM aware: row hits, other banks, other heads, oldest."));
    m_link = number(form, QStringLiteral("npu.link"), tr("NoC link"), 1, 1 << 20, true,
                    tr("Bytes a cycle between one core and the trunk."));
    m_trunk = number(form, QStringLiteral("npu.trunk"), tr("NoC trunk"), 1, 1 << 20, true,
                     tr("Bytes a cycle that all cores share."));
}

void NpuControls::addViewRows(QFormLayout* form, NpuChartOptions& options)
{
    heading(form, tr("Picture"));
    const auto check = [&](const QString& text, bool& value, const QString& tip) {
        auto* box = new QCheckBox(text, this);
        box->setChecked(value);
        connect(box, &QCheckBox::toggled, this, [this, &value](bool on) {
            value = on;
            Q_EMIT optionsChanged();
        });
        row(form, text, box, tip);
        return box;
    };
    check(tr("Engines and DMA"), options.engines, tr("Lanes of each core's engines and transfers."))
        ->setObjectName(QStringLiteral("npu.showEngines"));
    check(tr("DRAM banks"), options.banks, tr("Heat map of every DRAM bank."))
        ->setObjectName(QStringLiteral("npu.showBanks"));
    check(tr("Colour by row misses"), options.misses,
          tr("Heat map: share of row misses instead of bytes a cycle."))
        ->setObjectName(QStringLiteral("npu.showMisses"));
    m_keepGhost = new QCheckBox(tr("Keep this run as ghost"), this);
    m_keepGhost->setObjectName(QStringLiteral("npu.keepGhost"));
    connect(m_keepGhost, &QCheckBox::toggled, this, [this](bool on) {
        if (!m_refreshing)
            m_state.setGhostKept(on);
    });
    row(form, tr("Keep this run as ghost"), m_keepGhost,
        tr("Compare all further changes with the present run, instead of each with the one before it."));
    m_clearGhost = new QPushButton(tr("Clear ghost"), this);
    connect(m_clearGhost, &QPushButton::clicked, this, [this] { m_state.clearGhost(); });
    row(form, tr("Clear ghost"), m_clearGhost, tr("Do not draw the run before."));
}

void NpuControls::openFile(const QString& path)
{
    if (const auto opened = m_workspace.open(path); !opened)
        Q_EMIT m_state.refused(QString::fromStdString(opened.error().text()));
    refresh(); // what was not opened is not to be named
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

void NpuControls::refresh()
{
    m_refreshing = true;
    const QString path = m_state.modelPath();
    int at = m_model->findData(path);
    if (at < 0) {
        const QFileInfo info(path);
        m_model->addItem(path.isEmpty() ? tr("BERT block") : info.completeBaseName(), path);
        at = m_model->count() - 1;
    }
    m_model->setCurrentIndex(at);
    const NpuSettings& s = m_state.settings();
    m_scheduler->setCurrentIndex(static_cast<int>(s.options.scheduler));
    m_assignment->setCurrentIndex(static_cast<int>(s.options.assignment));
    m_weights[0]->setValue(s.options.weights.criticalPath);
    m_weights[1]->setValue(s.options.weights.intensity);
    m_weights[2]->setValue(s.options.weights.dramStall);
    m_memoryFirst->setChecked(s.options.memoryBoundFirst);
    const bool dynamic = s.options.scheduler == npu::Scheduler::Dynamic;
    for (QDoubleSpinBox* w : m_weights)
        w->setEnabled(dynamic);
    m_memoryFirst->setEnabled(dynamic);
    const npu::NpuHardware& hw = s.hardware;
    m_cores->setValue(hw.cores);
    m_spm->setValue(static_cast<int>(hw.spmBytes / 1024));
    m_channels->setValue(hw.dram.channels);
    m_banks->setValue(hw.dram.banks);
    m_burst->setValue(static_cast<int>(hw.dram.burstBytes));
    m_arbiter->setCurrentIndex(static_cast<int>(hw.dram.arbiter));
    m_link->setValue(static_cast<int>(hw.linkBytesPerCycle));
    m_trunk->setValue(static_cast<int>(hw.trunkBytesPerCycle));
    int chosen = m_preset->count() - 1;
    for (std::size_t i = 0; i < m_presets.size(); ++i) {
        npu::NpuHardware known = m_presets[i];
        known.name = hw.name;
        if (known == hw)
            chosen = static_cast<int>(i);
    }
    m_preset->setCurrentIndex(chosen);
    m_keepGhost->setChecked(m_state.isGhostKept());
    m_clearGhost->setEnabled(m_state.ghost() != nullptr);
    m_refreshing = false;
}

void NpuControls::apply()
{
    if (m_refreshing)
        return;
    NpuSettings s = m_state.settings();
    s.options.scheduler = static_cast<npu::Scheduler>(m_scheduler->currentIndex());
    s.options.assignment = static_cast<npu::Assignment>(m_assignment->currentIndex());
    s.options.weights = {m_weights[0]->value(), m_weights[1]->value(), m_weights[2]->value()};
    s.options.memoryBoundFirst = m_memoryFirst->isChecked();
    npu::NpuHardware& hw = s.hardware;
    hw.cores = m_cores->value();
    // SPM sizes that are no whole KiB are kept until the number is changed.
    if (hw.spmBytes / 1024 != m_spm->value())
        hw.spmBytes = std::int64_t{1024} * m_spm->value();
    hw.dram.channels = m_channels->value();
    hw.dram.banks = m_banks->value();
    hw.dram.burstBytes = m_burst->value();
    hw.dram.arbiter = static_cast<npu::Arbiter>(m_arbiter->currentIndex());
    hw.linkBytesPerCycle = m_link->value();
    hw.trunkBytesPerCycle = m_trunk->value();
    m_state.setSettings(s);
}

} // namespace tilewright::ui
