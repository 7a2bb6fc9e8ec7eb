// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/mapping/mapping_form.h"

#include "canvas/form_guard.h"

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QGroupBox>
#include <QLabel>
#include <QSpinBox>
#include <QVBoxLayout>

namespace tilewright::ui {

using namespace mapping;

MappingForm::MappingForm(MappingDocument& state, QWidget* parent) : QScrollArea(parent), m_state(state)
{
    setWidgetResizable(true);
    setFrameShape(QFrame::NoFrame);
    setAccessibleName(tr("Layer and hardware"));
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* page = new QWidget(this);
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(8, 4, 8, 4);
    m_error = new QLabel(page);
    m_error->setWordWrap(true);
    m_error->setForegroundRole(QPalette::BrightText);
    m_error->hide();
    column->addWidget(m_error);

    auto* layerBox = new QGroupBox(tr("Layer"), page);
    m_layerForm = new QFormLayout(layerBox);
    m_kind = new QComboBox(layerBox);
    m_kind->addItems({tr("convolution"), tr("depthwise convolution"), tr("matrix product")});
    m_kind->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_kind->setAccessibleName(tr("Kind of layer"));
    m_kind->setObjectName(QStringLiteral("kind"));
    m_kind->setToolTip(tr("What the layer computes; it decides which loops there are."));
    FormGuard::protect(m_kind);
    m_layerForm->addRow(tr("Kind"), m_kind);
    connect(m_kind, &QComboBox::activated, this, [this](int kind) {
        MappingSetup next = m_state.setup();
        next.layer.kind = static_cast<LayerKind>(kind);
        if (next.layer.kind == LayerKind::DwConv)
            next.layer.outChannels = next.layer.inChannels;
        next.layer.name.clear();
        apply(next, true, {});
    });
    const auto layer = [&](const QString& name, const char* key, const QString& tip,
                           std::int64_t Layer::*field, int least = 1) {
        addInteger(
            m_layerForm, name, QLatin1String(key), tip, true,
            [field](MappingSetup& s) -> std::int64_t& { return s.layer.*field; }, least);
    };
    layer(tr("Batch"), "batch", tr("Loop N: inputs that are processed together."), &Layer::batch);
    layer(tr("Input channels"), "in_channels", tr("Loop C."), &Layer::inChannels);
    layer(tr("Output channels"), "out_channels", tr("Loop M."), &Layer::outChannels);
    layer(tr("Height"), "height", tr("Rows of the input without padding."), &Layer::height);
    layer(tr("Width"), "width", tr("Columns of the input without padding."), &Layer::width);
    addInteger(m_layerForm, tr("Kernel height"), QStringLiteral("kernel0"), tr("Loop Fx."), true,
               [](MappingSetup& s) -> std::int64_t& { return s.layer.kernel[0]; });
    addInteger(m_layerForm, tr("Kernel width"), QStringLiteral("kernel1"), tr("Loop Fy."), true,
               [](MappingSetup& s) -> std::int64_t& { return s.layer.kernel[1]; });
    layer(tr("Stride"), "stride", tr("Input rows and columns between two outputs."), &Layer::stride);
    layer(tr("Padding"), "padding", tr("Rows and columns of zeros on each side."), &Layer::padding, 0);
    m_gemmFields = true;
    layer(tr("M (X)"), "m", tr("Rows of A and C, loop X."), &Layer::m);
    layer(tr("N (Y)"), "n", tr("Columns of B and C, loop Y."), &Layer::n);
    layer(tr("K"), "k", tr("Columns of A, rows of B, loop K."), &Layer::k);
    m_gemmFields = false;
    column->addWidget(layerBox);

    auto* hardwareBox = new QGroupBox(tr("Hardware"), page);
    auto* hardware = new QFormLayout(hardwareBox);
    const auto whole = [&](const QString& name, const char* key, const QString& tip,
                           std::int64_t Architecture::*field) {
        addInteger(hardware, name, QLatin1String(key), tip, false,
                   [field](MappingSetup& s) -> std::int64_t& { return s.architecture.*field; });
    };
    const auto number = [&](const QString& name, const char* key, const QString& tip,
                            double Architecture::*field) {
        addNumber(hardware, name, QLatin1String(key), tip,
                  [field](MappingSetup& s) -> double& { return s.architecture.*field; });
    };
    const auto energy = [&](const QString& name, const char* key, const QString& tip,
                            double EnergyTable::*field) {
        addNumber(hardware, name, QLatin1String(key), tip,
                  [field](MappingSetup& s) -> double& { return s.architecture.energyPj.*field; });
    };
    whole(tr("PEs"), "pes", tr("Processing elements of the array."), &Architecture::pes);
    whole(tr("RF, bytes"), "rf_bytes", tr("Register file of one PE."), &Architecture::rfBytes);
    whole(tr("SPM banks"), "spm_banks", tr("Banks of one half of the double-buffered scratchpad."),
          &Architecture::spmBanks);
    whole(tr("Bank, bytes"), "spm_bank_bytes", tr("Size of one bank."), &Architecture::spmBankBytes);
    whole(tr("Element, bytes"), "element_bytes", tr("Size of one number."), &Architecture::elementBytes);
    number(tr("DMA start, cycles"), "dma_init_cycles", tr("DMA cycles before the first byte of a burst."),
           &Architecture::dmaInitCycles);
    number(tr("DMA, cycles/byte"), "dma_cycles_per_byte", tr("DMA cycles for each byte."),
           &Architecture::dmaCyclesPerByte);
    number(tr("DMA, MHz"), "dma_mhz", tr("Clock of the DMA."), &Architecture::dmaMhz);
    number(tr("Array, MHz"), "array_mhz", tr("Clock of the array, in which cycles are counted."),
           &Architecture::arrayMhz);
    energy(tr("RF, pJ"), "energy_rf", tr("Energy of one access to a register file."), &EnergyTable::rf);
    energy(tr("Network, pJ"), "energy_noc", tr("Energy to send one element to or from a PE."),
           &EnergyTable::noc);
    energy(tr("SPM, pJ"), "energy_spm", tr("Energy of one element of the scratchpad."), &EnergyTable::spm);
    energy(tr("DRAM, pJ"), "energy_dram", tr("Energy of one element of DRAM."), &EnergyTable::dram);
    energy(tr("MAC, pJ"), "energy_mac", tr("Energy of one multiplication and addition."), &EnergyTable::mac);
    column->addWidget(hardwareBox);
    column->addStretch();
    setWidget(page);
    connect(&m_state, &MappingDocument::setupChanged, this, &MappingForm::refresh);
    refresh();
}

void MappingForm::addInteger(QFormLayout* form, const QString& name, const QString& key, const QString& tip,
                             bool layer, ReadInteger field, int least)
{
    auto* spin = new QSpinBox(form->parentWidget());
    spin->setRange(least, 2'000'000'000);
    spin->setKeyboardTracking(false);
    spin->setObjectName(key);
    spin->setAccessibleName(name);
    spin->setToolTip(tip);
    spin->setMinimumWidth(70);
    FormGuard::protect(spin);
    form->addRow(name, spin);
    connect(spin, &QSpinBox::valueChanged, this, [this, field, layer, key](int value) {
        if (m_refreshing)
            return;
        MappingSetup next = m_state.setup();
        field(next) = value;
        if (layer && next.layer.kind == LayerKind::DwConv) { // both numbers are one loop
            if (key == QLatin1String("in_channels"))
                next.layer.outChannels = value;
            if (key == QLatin1String("out_channels"))
                next.layer.inChannels = value;
        }
        if (layer)
            next.layer.name.clear();
        else
            next.architecture.name = "changed";
        apply(next, layer, key);
    });
    m_integers.push_back({spin, std::move(field), m_gemmFields, layer});
}

void MappingForm::addNumber(QFormLayout* form, const QString& name, const QString& key, const QString& tip,
                            ReadNumber field)
{
    auto* spin = new QDoubleSpinBox(form->parentWidget());
    spin->setRange(0, 1e6);
    spin->setDecimals(4);
    spin->setKeyboardTracking(false);
    spin->setObjectName(key);
    spin->setAccessibleName(name);
    spin->setToolTip(tip);
    spin->setMinimumWidth(70);
    FormGuard::protect(spin);
    form->addRow(name, spin);
    connect(spin, &QDoubleSpinBox::valueChanged, this, [this, field, key](double value) {
        if (m_refreshing)
            return;
        MappingSetup next = m_state.setup();
        field(next) = value;
        next.architecture.name = "changed";
        apply(next, false, key);
    });
    m_numbers.push_back({spin, std::move(field)});
}

void MappingForm::apply(const MappingSetup& next, bool layer, const QString& key)
{
    const Status done =
        layer ? m_state.applyLayer(next.layer, key) : m_state.applyArchitecture(next.architecture, key);
    m_error->setVisible(!done);
    m_error->setText(done ? QString() : QString::fromStdString(done.error().text()));
    m_error->setAccessibleName(m_error->text());
    if (!done)
        m_kind->setCurrentIndex(static_cast<int>(m_state.setup().layer.kind));
}

void MappingForm::refresh()
{
    m_refreshing = true;
    MappingSetup setup = m_state.setup();
    const bool gemm = setup.layer.kind == LayerKind::Gemm;
    m_kind->setCurrentIndex(static_cast<int>(setup.layer.kind));
    for (const IntegerField& f : m_integers) {
        f.spin->setValue(static_cast<int>(f.field(setup)));
        if (f.layer) {
            f.spin->setVisible(f.gemm == gemm);
            m_layerForm->labelForField(f.spin)->setVisible(f.gemm == gemm);
        }
    }
    for (const NumberField& f : m_numbers)
        f.spin->setValue(f.field(setup));
    m_error->hide();
    m_refreshing = false;
}

} // namespace tilewright::ui
