// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/mapping/mapping_form.h"

#include <QComboBox>
#include <QGroupBox>
#include <QLabel>
#include <QVBoxLayout>

namespace tilewright::ui {

using namespace mapping;

MappingForm::MappingForm(MappingDocument& state, QWidget* parent)
    : QScrollArea(parent), m_state(state),
      m_fields(
          {}, [this] { return m_state.setup(); },
          [this](const MappingSetup& next, const QString& name) { apply(next, name); })
{
    setUpFormPane(*this, tr("Layer and hardware"));
    auto* page = new QWidget(this);
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(8, 4, 8, 4);
    m_error = new QLabel(page);
    m_error->setWordWrap(true);
    m_error->setForegroundRole(QPalette::BrightText);
    m_error->hide();
    column->addWidget(m_error);

    using Setup = MappingSetup;
    const auto group = [&](const QString& title) {
        auto* box = new QGroupBox(title, page);
        column->addWidget(box);
        return new QFormLayout(box);
    };
    const auto integer = [&](QFormLayout* form, const QString& name, const char* key, const QString& tip,
                             auto part, int least = 1) {
        QSpinBox* box = m_fields.number(*form, QLatin1String(key), name, least, 2'000'000'000, tip, part);
        box->setMinimumWidth(70);
        return box;
    };
    m_layerForm = group(tr("Layer"));
    m_kind = m_fields.choice(*m_layerForm, QStringLiteral("kind"), tr("Kind"),
                             {tr("convolution"), tr("depthwise convolution"), tr("matrix product")},
                             tr("What the layer computes; it decides which loops there are."),
                             [](Setup& s) -> decltype(auto) { return (s.layer.kind); });
    m_kind->setAccessibleName(tr("Kind of layer"));
    m_kind->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    const auto layer = [&](bool gemm, const QString& name, const char* key, const QString& tip, auto part,
                           int least = 1) {
        m_ofKind.emplace_back(integer(
                                  m_layerForm, name, key, tip,
                                  [part](Setup& s) -> std::int64_t& { return std::invoke(part, s.layer); },
                                  least),
                              gemm);
    };
    layer(false, tr("Batch"), "batch", tr("Loop N: inputs that are processed together."), &Layer::batch);
    layer(false, tr("Input channels"), "in_channels", tr("Loop C."), &Layer::inChannels);
    layer(false, tr("Output channels"), "out_channels", tr("Loop M."), &Layer::outChannels);
    layer(false, tr("Height"), "height", tr("Rows of the input without padding."), &Layer::height);
    layer(false, tr("Width"), "width", tr("Columns of the input without padding."), &Layer::width);
    layer(false, tr("Kernel height"), "kernel0", tr("Loop Fx."),
          [](Layer& l) -> std::int64_t& { return l.kernel[0]; });
    layer(false, tr("Kernel width"), "kernel1", tr("Loop Fy."),
          [](Layer& l) -> std::int64_t& { return l.kernel[1]; });
    layer(false, tr("Stride"), "stride", tr("Input rows and columns between two outputs."), &Layer::stride);
    layer(false, tr("Padding"), "padding", tr("Rows and columns of zeros on each side."), &Layer::padding, 0);
    layer(true, tr("M (X)"), "m", tr("Rows of A and C, loop X."), &Layer::m);
    layer(true, tr("N (Y)"), "n", tr("Columns of B and C, loop Y."), &Layer::n);
    layer(true, tr("K"), "k", tr("Columns of A, rows of B, loop K."), &Layer::k);

    QFormLayout* hardware = group(tr("Hardware"));
    const auto whole = [&](const QString& name, const char* key, const QString& tip,
                           std::int64_t Architecture::*field) {
        integer(hardware, name, key, tip,
                [field](Setup& s) -> decltype(auto) { return (s.architecture.*field); });
    };
    const auto number = [&](const QString& name, const char* key, const QString& tip, auto part) {
        m_fields
            .decimal(*hardware, QLatin1String(key), name, 0, 1e6, 4, 1, tip,
                     [part](Setup& s) -> double& { return std::invoke(part, s.architecture); })
            ->setMinimumWidth(70);
    };
    const auto energy = [&](const QString& name, const char* key, const QString& tip,
                            double EnergyTable::*field) {
        number(name, key, tip, [field](Architecture& a) -> double& { return a.energyPj.*field; });
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
    column->addStretch();
    setWidget(page);
    connect(&m_state, &MappingDocument::setupChanged, this, &MappingForm::refresh);
    refresh();
}

void MappingForm::apply(MappingSetup next, const QString& name)
{
    Layer& layer = next.layer;
    const Layer& before = m_state.setup().layer;
    Status done = Unit{};
    if (layer != before) {
        const bool ofOut = layer.outChannels != before.outChannels;
        if (layer.kind == LayerKind::DwConv) // both numbers are one loop
            layer.inChannels = layer.outChannels = ofOut ? layer.outChannels : layer.inChannels;
        layer.name.clear();
        done = m_state.applyLayer(layer, layer.kind != before.kind ? QString() : name);
    } else {
        next.architecture.name = "changed";
        done = m_state.applyArchitecture(next.architecture, name);
    }
    m_error->setVisible(!done);
    m_error->setText(done ? QString() : QString::fromStdString(done.error().text()));
    m_error->setAccessibleName(m_error->text());
    const QSignalBlocker quiet(m_kind);
    m_kind->setCurrentIndex(static_cast<int>(m_state.setup().layer.kind));
}

void MappingForm::refresh()
{
    m_fields.show();
    const bool gemm = m_state.setup().layer.kind == LayerKind::Gemm;
    for (const auto& [box, ofGemm] : m_ofKind) {
        box->setVisible(ofGemm == gemm);
        m_layerForm->labelForField(box)->setVisible(ofGemm == gemm);
    }
    m_error->hide();
}

} // namespace tilewright::ui
