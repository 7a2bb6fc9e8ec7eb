// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/mapping/mapping_form.h"

#include "base/file.h"
#include "theme/text.h"
#include "views/mapping/level_fields.h"
#include "workspace/texts.h"

#include <QComboBox>
#include <QFileDialog>
#include <QLabel>
#include <QPushButton>
#include <QRegularExpression>
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
    m_error->setTextFormat(Qt::PlainText);
    m_error->setForegroundRole(QPalette::BrightText);
    m_error->hide();
    column->addWidget(m_error);

    using Setup = MappingSetup;
    const auto group = [&](const char* name, const QString& title, bool open) {
        auto* fold = new FoldGroup(QStringLiteral("mapping.group.") + QLatin1String(name), title, open, page);
        column->addWidget(fold);
        return &fold->form();
    };
    const auto integer = [&](QFormLayout* form, const QString& name, const char* key, const QString& tip,
                             auto part, int least = 1) {
        NumberBox* box = m_fields.number(*form, QLatin1String(key), name, least, 2'000'000'000, tip, part);
        return box;
    };
    m_layerForm = group("layer", tr("Layer"), true);
    m_kind = m_fields.choice(*m_layerForm, QStringLiteral("kind"), tr("Kind"),
                             {tr("convolution"), tr("depthwise convolution"), tr("matrix product")},
                             tr("Kind of the layer. It decides which loops exist."),
                             member(&Setup::layer, &Layer::kind));
    m_kind->setAccessibleName(tr("Kind of layer"));
    m_kind->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_kind->setMinimumContentsLength(8);
    m_kind->setMinimumWidth(0); // 0 removes the fixed minimum: the contents decide
    const auto layer = [&](bool gemm, const QString& name, const char* key, const QString& tip, auto part,
                           int least = 1) {
        m_kindFields.emplace_back(
            integer(
                m_layerForm, name, key, tip,
                [part](Setup& s) -> std::int64_t& { return std::invoke(part, s.layer); }, least),
            gemm);
    };
    layer(false, tr("Batch"), "batch", tr("Loop N: number of inputs that are processed together."),
          &Layer::batch);
    layer(false, tr("Input channels"), "in_channels", tr("Loop C."), &Layer::inChannels);
    layer(false, tr("Output channels"), "out_channels", tr("Loop M."), &Layer::outChannels);
    layer(false, tr("Height"), "height", tr("Rows of the input without padding."), &Layer::height);
    layer(false, tr("Width"), "width", tr("Columns of the input without padding."), &Layer::width);
    layer(false, tr("Kernel height"), "kernel0", tr("Loop Fx."),
          [](Layer& l) -> std::int64_t& { return l.kernel[0]; });
    layer(false, tr("Kernel width"), "kernel1", tr("Loop Fy."),
          [](Layer& l) -> std::int64_t& { return l.kernel[1]; });
    layer(false, tr("Stride, rows"), "stride0", tr("Input rows between two outputs."),
          [](Layer& l) -> std::int64_t& { return l.stride[0]; });
    layer(false, tr("Stride, columns"), "stride1", tr("Input columns between two outputs."),
          [](Layer& l) -> std::int64_t& { return l.stride[1]; });
    layer(false, tr("Dilation, rows"), "dilation0", tr("Input rows between two taps of the kernel."),
          [](Layer& l) -> std::int64_t& { return l.dilation[0]; });
    layer(false, tr("Dilation, columns"), "dilation1", tr("Input columns between two taps of the kernel."),
          [](Layer& l) -> std::int64_t& { return l.dilation[1]; });
    layer(false, tr("Groups"), "groups",
          tr("Groups of channels. The loops are those of one group; the layer runs once per group."),
          &Layer::groups);
    layer(false, tr("Padding"), "padding", tr("Rows and columns of zeros on each side."), &Layer::padding, 0);
    layer(true, tr("M (X)"), "m", tr("Rows of A and C, loop X."), &Layer::m);
    layer(true, tr("N (Y)"), "n", tr("Columns of B and C, loop Y."), &Layer::n);
    layer(true, tr("K"), "k", tr("Columns of A, rows of B, loop K."), &Layer::k);

    createArchitectureChoice(*column);
    QFormLayout* hardware = group("hardware", tr("Hardware"), false);
    m_ofFourLevels.push_back(column->itemAt(column->count() - 1)->widget());
    const auto whole = [&](const QString& name, const char* key, const QString& tip,
                           std::int64_t Architecture::*field) {
        NumberBox* box = integer(hardware, name, key, tip, member(&Setup::architecture, field));
        if (name.endsWith(QLatin1String("bytes")))
            box->setUnit(QStringLiteral("B"));
    };
    const auto number = [&](QFormLayout* form, const QString& name, const char* key, const QString& tip,
                            auto... path) {
        DecimalBox* box = m_fields.decimal(*form, QLatin1String(key), name, 0, 1e6, 4, 1, tip,
                                           member(&Setup::architecture, path...));
        box->setUnit(name.section(QStringLiteral(", "), 1)); // "MHz", "pJ", "cycles"
    };
    const auto energy = [&](QFormLayout* form, const QString& name, const char* key, const QString& tip,
                            double EnergyTable::*field) {
        number(form, name, key, tip, &Architecture::energyPj, field);
    };
    whole(tr("PEs"), "pes", tr("Processing elements of the array."), &Architecture::pes);
    whole(tr("RF, bytes"), "rf_bytes", tr("Register file of one PE."), &Architecture::rfBytes);
    whole(tr("SPM banks"), "spm_banks", tr("Banks of one half of the double-buffered scratchpad."),
          &Architecture::spmBanks);
    whole(tr("Bank, bytes"), "spm_bank_bytes", tr("Size of one bank."), &Architecture::spmBankBytes);
    whole(tr("Element, bytes"), "element_bytes", tr("Size of one number."), &Architecture::elementBytes);
    number(hardware, tr("DMA start, cycles"), "dma_init_cycles",
           tr("DMA cycles before the first byte of a burst."), &Architecture::dmaInitCycles);
    number(hardware, tr("DMA, cycles/byte"), "dma_cycles_per_byte", tr("DMA cycles for each byte."),
           &Architecture::dmaCyclesPerByte);
    number(hardware, tr("DMA, MHz"), "dma_mhz", tr("Clock of the DMA."), &Architecture::dmaMhz);
    number(hardware, tr("Array, MHz"), "array_mhz", tr("Clock of the array, in which cycles are counted."),
           &Architecture::arrayMhz);
    energy(hardware, tr("RF, pJ"), "energy_rf", tr("Energy of one access to a register file."),
           &EnergyTable::rf);
    energy(hardware, tr("Network, pJ"), "energy_noc", tr("Energy to send one element to or from a PE."),
           &EnergyTable::noc);
    energy(hardware, tr("SPM, pJ"), "energy_spm", tr("Energy of one element of the scratchpad."),
           &EnergyTable::spm);
    energy(hardware, tr("DRAM, pJ"), "energy_dram", tr("Energy of one element of DRAM."), &EnergyTable::dram);
    energy(hardware, tr("MAC, pJ"), "energy_mac", tr("Energy of one multiplication and addition."),
           &EnergyTable::mac);

    QFormLayout* model = group("model", tr("Model"), false);
    m_ofFourLevels.push_back(column->itemAt(column->count() - 1)->widget());
    const auto option = [&](const QString& name, const char* key, const QString& tip,
                            bool ModelOptions::*field) {
        m_fields.check(*model, QLatin1String(key), name, tip,
                       member(&Setup::architecture, &Architecture::options, field));
    };
    option(tr("Imperfect factors"), "imperfect",
           tr("Factors need not divide a loop; the last tile is then smaller."), &ModelOptions::imperfect);
    option(tr("Reduction tree"), "reduction_tree",
           tr("Partial results of PEs are added pairwise instead of one after the other."),
           &ModelOptions::reductionTree);
    option(tr("Overlapped cycles"), "overlapped",
           tr("All resources work at the same time and the busiest one counts: a roofline."),
           &ModelOptions::overlapped);
    for (std::size_t op = 0; op < m_bypass.size(); ++op)
        m_bypass[op] =
            m_fields.check(*model, QStringLiteral("bypass%1").arg(op), tr("Bypass"),
                           tr("The operand bypasses the scratchpad: DRAM feeds the array."),
                           [op](Setup& s) -> bool& { return s.architecture.options.bypassSpm[op]; });
    const auto write = [&](const QString& name, const char* key, const QString& tip,
                           std::optional<double> EnergyTable::*field) {
        // A negative value means the same energy as a read.
        DecimalBox* box = m_fields.decimal(
            *model, QLatin1String(key), name, -1, 1e6, 4, 1, tip,
            [field](Setup& s) { return (s.architecture.energyPj.*field).value_or(-1); },
            [field](Setup& s, double n) {
                s.architecture.energyPj.*field = n < 0 ? std::nullopt : std::optional(n);
            });
        box->setSpecialValueText(tr("as a read"));
        box->setUnit(QStringLiteral("pJ"));
    };
    write(tr("RF write, pJ"), "energy_rf_write", tr("Energy of one write to a register file."),
          &EnergyTable::rfWrite);
    write(tr("SPM write, pJ"), "energy_spm_write",
          tr("Energy of writing one element of a result into the scratchpad."), &EnergyTable::spmWrite);
    write(tr("DRAM write, pJ"), "energy_dram_write",
          tr("Energy of writing one element of a result into DRAM."), &EnergyTable::dramWrite);
    energy(model, tr("RF fill, pJ"), "energy_rf_fill",
           tr("Energy of writing one element from the network into a register file."), &EnergyTable::rfFill);
    energy(model, tr("SPM fill, pJ"), "energy_spm_fill",
           tr("Energy of writing one element from DRAM into the scratchpad."), &EnergyTable::spmFill);
    energy(model, tr("Leakage, pJ/cycle"), "energy_leakage", tr("Energy of the whole machine in each cycle."),
           &EnergyTable::leakage);
    m_fields.text(
        *model, QStringLiteral("factors"), tr("Factors"), QStringLiteral("SPATIAL.M=16, RF.C<=8"),
        tr("Constraints on the tiling factors for the search: level, loop, then =, <= or >= and a number. "
           "Separate several by commas. The result is proven within them."),
        [](Setup& s) {
            QStringList texts;
            for (const std::string& text : s.factors)
                texts << QString::fromStdString(text);
            return texts.join(QStringLiteral(", "));
        },
        [](Setup& s, const QString& text) {
            s.factors.clear();
            for (const QString& one :
                 text.split(QRegularExpression(QStringLiteral("[,;\\s]+")), Qt::SkipEmptyParts))
                s.factors.push_back(one.toStdString());
        });
    auto* constraints = new QPushButton(tr("Load constraints…"), page);
    constraints->setObjectName(QStringLiteral("mapping.constraints"));
    constraints->setToolTip(tr("Add the constraints of a Timeloop file (YAML): factors, spatial factors and "
                               "bypass. What this lens does not know is refused by name."));
    connect(constraints, &QPushButton::clicked, this, &MappingForm::loadConstraints);
    model->addRow(constraints);
    m_levels = new LevelFields(
        m_state, [this](const QString& text) { tell(text); }, [this] { loadConstraints(); }, page);
    column->addWidget(m_levels);
    column->addStretch();
    setWidget(page);
    connect(&m_state, &MappingDocument::setupChanged, this, &MappingForm::refresh);
    refresh();
}

void MappingForm::createArchitectureChoice(QVBoxLayout& column)
{
    m_architecture = new QComboBox(column.parentWidget());
    m_architecture->setObjectName(QStringLiteral("architecture"));
    m_architecture->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_architecture->setMinimumContentsLength(8);
    m_architecture->setAccessibleName(tr("Architecture"));
    m_architecture->setToolTip(
        tr("The hardware. An architecture with levels of its own selects the cost model "
           "\"hierarchy\", one of four levels the cost model \"four levels\". Figures of the "
           "two cannot be compared."));
    FormGuard::protect(m_architecture);
    auto* heading = new QLabel(tr("&Architecture"), column.parentWidget());
    heading->setBuddy(m_architecture);
    column.addWidget(heading);
    column.addWidget(m_architecture);
    m_costModel = new QLabel(column.parentWidget());
    m_costModel->setObjectName(QStringLiteral("cost_model"));
    m_costModel->setWordWrap(true);
    m_costModel->setTextFormat(Qt::PlainText);
    column.addWidget(m_costModel);
    connect(m_architecture, &QComboBox::activated, this, &MappingForm::chooseArchitecture);
}

void MappingForm::listArchitectures()
{
    const MappingSetup& setup = m_state.setup();
    const QSignalBlocker quiet(m_architecture);
    m_architecture->clear();
    const QString name = QString::fromStdString(setup.hardwareName());
    m_architecture->addItem(name.isEmpty() ? tr("without a name") : name);
    for (const char* folder : {"architectures", "hierarchies"})
        for (const MappingSample& sample : mappingSamples(QLatin1String(folder)))
            m_architecture->addItem(sample.name, sample.path);
    if (setup.levels)
        m_architecture->addItem(
            tr("the four levels of before (%1)").arg(QString::fromStdString(setup.architecture.name)),
            QStringLiteral("four levels"));
    m_architecture->addItem(tr("Open a file…"), QStringLiteral("file"));
    m_costModel->setText(tr("Cost model: %1").arg(word(setup.costModel())));
}

void MappingForm::chooseArchitecture(int index)
{
    const QString chosen = m_architecture->itemData(index).toString();
    Status done = Unit{};
    if (chosen == QLatin1String("file")) {
        const QString path = QFileDialog::getOpenFileName(this, tr("Open an architecture"), {},
                                                          tr("Architectures (*.json);;All files (*)"));
        if (!path.isEmpty())
            done = m_state.openFile(path);
    } else if (chosen == QLatin1String("four levels")) {
        done = m_state.applyArchitecture(m_state.setup().architecture);
    } else if (!chosen.isEmpty()) {
        done = m_state.openText(mappingSampleText(chosen.section(QStringLiteral("mapping/"), 1)), chosen);
    }
    listArchitectures();
    if (!done)
        tell(QString::fromStdString(done.error().text()));
}

void MappingForm::apply(MappingSetup next, const QString& name)
{
    Layer& layer = next.layer;
    const Layer& before = m_state.setup().layer;
    Status done = Unit{};
    if (layer != before) {
        const bool ofOut = layer.outChannels != before.outChannels;
        // A depthwise layer has one loop for both channel numbers, and each channel is a group.
        if (layer.kind == LayerKind::DwConv) {
            layer.inChannels = layer.outChannels = ofOut ? layer.outChannels : layer.inChannels;
            layer.groups = 1;
        }
        layer.name.clear();
        done = m_state.applyLayer(layer, layer.kind != before.kind ? QString() : name);
    } else if (next.factors != m_state.setup().factors) {
        done = m_state.applyFactors(next.factors);
    } else {
        next.architecture.name = "changed";
        done = m_state.applyArchitecture(next.architecture, name);
    }
    tell(done ? QString() : QString::fromStdString(done.error().text()));
    const QSignalBlocker quiet(m_kind);
    m_kind->setCurrentIndex(static_cast<int>(m_state.setup().layer.kind));
}

void MappingForm::loadConstraints()
{
    const QString path = QFileDialog::getOpenFileName(
        this, tr("Load constraints"), {}, tr("Timeloop constraints (*.yaml *.yml);;All files (*)"));
    if (path.isEmpty())
        return;
    const std::string file = path.toStdString();
    const auto text = readFile(file);
    const auto notes =
        text ? m_state.applyConstraints(*text, file) : Result<std::vector<std::string>>(text.error());
    if (!notes)
        return tell(QString::fromStdString(notes.error().text()));
    QStringList lines;
    for (const std::string& note : *notes)
        lines << sentence(note);
    tell(lines.join(QLatin1Char(' ')));
}

void MappingForm::tell(const QString& text)
{
    m_error->setVisible(!text.isEmpty());
    m_error->setText(text);
    m_error->setAccessibleName(text);
}

void MappingForm::refresh()
{
    m_fields.show();
    listArchitectures();
    for (QWidget* groupOfFour : m_ofFourLevels)
        groupOfFour->setVisible(!m_state.setup().levels);
    const bool gemm = m_state.setup().layer.kind == LayerKind::Gemm;
    for (const auto& [box, ofGemm] : m_kindFields) {
        box->setVisible(ofGemm == gemm);
        m_layerForm->labelForField(box)->setVisible(ofGemm == gemm);
    }
    for (std::size_t op = 0; op < m_bypass.size(); ++op) {
        const std::string_view name = m_state.nest().operands[op].name;
        m_bypass[op]->setText(tr("%1 bypasses the SPM").arg(word(name)));
        m_bypass[op]->setAccessibleName(m_bypass[op]->text());
    }
    m_error->hide();
}

} // namespace tilewright::ui
