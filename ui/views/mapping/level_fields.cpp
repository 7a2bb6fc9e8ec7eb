// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/mapping/level_fields.h"

#include "theme/text.h"

#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace tilewright::ui {

namespace {

using Levels = hierarchy::Architecture;

/// Name of an operand in convolutions and in products: "W (B)".
QString operandName(std::size_t operand)
{
    return QStringLiteral("%1 (%2)").arg(word(mapping::kOperandNames[operand][0]),
                                         word(mapping::kOperandNames[operand][1]));
}

/// True if both architectures need the same fields: they have levels, axes and memories of the same names.
bool haveSameFields(const Levels& a, const Levels& b)
{
    return std::ranges::equal(a.levels, b.levels, [](const hierarchy::Level& x, const hierarchy::Level& y) {
        return x.name == y.name && x.holds == y.holds && x.memories.has_value() == y.memories.has_value() &&
               std::ranges::equal(x.axes, y.axes, {}, &hierarchy::Axis::name, &hierarchy::Axis::name);
    });
}

} // namespace

LevelFields::LevelFields(MappingDocument& state, std::function<void(const QString&)> tell,
                         std::function<void()> load, QWidget* parent)
    : QWidget(parent), m_state(state), m_tell(std::move(tell)), m_load(std::move(load)),
      m_constraints(
          QStringLiteral("levels."), [this] { return m_state.setup().asked; },
          [this](const hierarchy::ConstraintTexts& next, const QString&) {
              const Status done = m_state.applyAsked(next);
              m_tell(done ? QString() : QString::fromStdString(done.error().text()));
          })
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    addConstraints();
    connect(&m_state, &MappingDocument::setupChanged, this, &LevelFields::refresh);
    refresh();
}

void LevelFields::refresh()
{
    const auto& levels = m_state.setup().levels;
    setVisible(levels.has_value());
    if (!levels)
        return;
    if (!m_page || m_kind != m_state.nest().kind || !haveSameFields(m_built, *levels))
        build();
    m_built = *levels;
    m_fields->show();
    m_constraints.show();
}

void LevelFields::build()
{
    if (m_page)
        m_page->deleteLater();
    m_page = new QWidget(this);
    auto* column = new QVBoxLayout(m_page);
    column->setContentsMargins(0, 0, 0, 0);
    layout()->removeWidget(m_constraintGroup);
    layout()->addWidget(m_page);
    layout()->addWidget(m_constraintGroup);
    m_kind = m_state.nest().kind;
    m_before = std::move(m_fields);
    m_fields = std::make_unique<ValueForm<Levels>>(
        QStringLiteral("levels."), [this] { return m_state.setup().levels.value_or(m_built); },
        [this](const Levels& next, const QString& name) { apply(next, name); });
    addCommon();
    for (std::size_t i = 0; i < m_state.setup().levels->levels.size(); ++i)
        addLevel(i);
    m_page->show();
}

void LevelFields::addCommon()
{
    auto* fold = new FoldGroup(QStringLiteral("mapping.level.all"), tr("All levels"), false, m_page);
    m_page->layout()->addWidget(fold);
    QFormLayout& form = fold->form();
    const auto bits = [&](const QString& name, const QString& label, const QString& tip, auto part) {
        m_fields->number(form, name, label, 1, 128, tip, part)->setUnit(QStringLiteral("bit"));
    };
    for (std::size_t op = 0; op < mapping::kOperands; ++op)
        bits(QStringLiteral("bits%1").arg(op), tr("Bits of %1").arg(operandName(op)),
             tr("Width of an element."), [op](Levels& a) -> std::int64_t& { return a.bits[op]; });
    bits(QStringLiteral("accumulator_bits"), tr("Bits of a sum"),
         tr("Width of a partial sum of %1 inside the outermost level.").arg(operandName(mapping::kWritten)),
         [](Levels& a) -> std::int64_t& { return a.accumulatorBits; });
    m_fields
        ->decimal(form, QStringLiteral("mac_pj"), tr("MAC"), 0, 1e6, 7, 0.125,
                  tr("Energy of one multiplication."), [](Levels& a) -> double& { return a.macPj; })
        ->setUnit(QStringLiteral("pJ"));
    m_fields->check(form, QStringLiteral("imperfect"), tr("Imperfect factors"),
                    tr("Factors need not divide a loop; the last tile is then smaller."),
                    [](Levels& a) -> bool& { return a.imperfect; });
}

/// Adds check boxes for the operands that a level holds. The outermost level holds all.
void LevelFields::addHeld(QFormLayout& form, std::size_t i)
{
    for (std::size_t op = 0; i > 0 && op < mapping::kOperands; ++op)
        m_fields->check(
            form, QString::number(i) + QStringLiteral(".holds%1").arg(op),
            tr("Holds %1").arg(operandName(op)),
            tr("An operand that the level does not hold skips it: it moves between the levels "
               "outside and inside."),
            [i, op](Levels& a) { return a.levels[i].holds[op]; },
            [i, op](Levels& a, bool on) { hierarchy::setHeld(a.levels[i], op, on); });
}

void LevelFields::addAxis(QFormLayout& form, std::size_t i, std::size_t axis)
{
    const hierarchy::Axis& built = m_state.setup().levels->levels[i].axes[axis];
    const QString key = QString::number(i) + QStringLiteral(".axis%1").arg(axis);
    const QString name = QString::fromStdString(built.name);
    m_fields->number(form, key, tr("Axis %1").arg(name), 1, 1 << 24,
                     tr("Number of instances along the axis."),
                     [i, axis](Levels& a) -> std::int64_t& { return a.levels[i].axes[axis].size; });
    const auto loops = [i, axis](Levels& a, mapping::LayerKind kind) -> unsigned& {
        hierarchy::Axis& one = a.levels[i].axes[axis];
        return kind == mapping::LayerKind::Gemm ? one.gemmLoops : one.convLoops;
    };
    m_fields->text(
        form, key + QStringLiteral(".loops"), tr("Loops on %1").arg(name), tr("none"),
        tr("The loops whose factors the axis may take, for this kind of layer: %1.").arg(loopNames(~0u)),
        [this, loops](Levels& a) { return loopNames(loops(a, m_state.nest().kind)); },
        [this, loops](Levels& a, const QString& text) {
            const auto read = hierarchy::readLoops(m_state.nest(), text.toStdString());
            m_fault = read ? QString() : QString::fromStdString(read.error().text());
            // Loops that this layer does not have keep their setting.
            const unsigned all = (1u << m_state.nest().loopCount) - 1u;
            unsigned& mask = loops(a, m_state.nest().kind);
            if (read)
                mask = (mask & ~all) | *read;
        });
}

/// Names of the loops in a set, for the kind of the current layer: "X, K".
QString LevelFields::loopNames(unsigned loops) const
{
    QStringList out;
    for (int l = 0; l < m_state.nest().loopCount; ++l)
        if ((loops >> l & 1u) != 0)
            out << word(m_state.nest().loopNames[static_cast<std::size_t>(l)]);
    return out.join(QStringLiteral(", "));
}

void LevelFields::addConstraints()
{
    m_constraintGroup =
        new FoldGroup(QStringLiteral("mapping.group.constraints"), tr("Constraints"), false, this);
    layout()->addWidget(m_constraintGroup);
    QFormLayout& form = m_constraintGroup->form();
    const auto texts = [&](const QString& name, const QString& label, const QString& example,
                           const QString& separator, const QString& tip,
                           std::vector<std::string> hierarchy::ConstraintTexts::*list) {
        m_constraints.text(
            form, name, label, example, tip,
            [list, separator](hierarchy::ConstraintTexts& asked) {
                QStringList out;
                for (const std::string& text : asked.*list)
                    out << QString::fromStdString(text);
                return out.join(separator + QLatin1Char(' '));
            },
            [list, separator](hierarchy::ConstraintTexts& asked, const QString& text) {
                (asked.*list).clear();
                for (const QString& one : text.split(separator, Qt::SkipEmptyParts))
                    if (!one.trimmed().isEmpty())
                        (asked.*list).push_back(one.trimmed().toStdString());
            });
    };
    texts(QStringLiteral("factors"), tr("Factors"), QStringLiteral("buffer.K=8, buffer.rows.K<=4"),
          QStringLiteral(","),
          tr("Factors that the search keeps: level (and axis), loop, then =, <= or >= and a number. Separate "
             "several by commas. X on a loop of the nest fixes or frees its factor."),
          &hierarchy::ConstraintTexts::factors);
    texts(QStringLiteral("orders"), tr("Orders"), QStringLiteral("buffer=K,X"), QStringLiteral(";"),
          tr("Innermost temporal loops of a level, from the outermost of them inwards. Separate levels by "
             "semicolons. O on a level of the nest fixes or frees its order."),
          &hierarchy::ConstraintTexts::orders);
    auto* load = new QPushButton(tr("Load constraints…"), this);
    load->setObjectName(QStringLiteral("levels.constraints"));
    load->setToolTip(tr("Add the constraints of a Timeloop file (YAML): factors, spatial factors and orders. "
                        "What this lens does not know is refused by name."));
    connect(load, &QPushButton::clicked, this, [this] { m_load(); });
    form.addRow(load);
}

void LevelFields::addLevel(std::size_t i)
{
    const hierarchy::Level& level = m_state.setup().levels->levels[i];
    const QString key = QString::number(i) + QLatin1Char('.');
    auto* fold = new FoldGroup(QStringLiteral("mapping.level.%1").arg(i), QString::fromStdString(level.name),
                               false, m_page);
    m_page->layout()->addWidget(fold);
    QFormLayout& form = fold->form();
    addHeld(form, i);
    const auto bytes = [&](const QString& name, const QString& label, auto part) {
        m_fields
            ->number(form, key + name, label, 1, 2'000'000'000,
                     tr("Size of one instance. Twice the tiles must fit if it is double-buffered."), part)
            ->setUnit(QStringLiteral("B"));
    };
    if (level.memories) {
        for (std::size_t op = 0; op < mapping::kOperands; ++op)
            if (level.holds[op])
                bytes(QStringLiteral("memory%1").arg(op), tr("Bytes for %1").arg(operandName(op)),
                      [i, op](Levels& a) -> std::int64_t& { return (*a.levels[i].memories)[op]; });
    } else if (level.bytes && *level.bytes <= 2'000'000'000) {
        bytes(QStringLiteral("bytes"), tr("Bytes"),
              [i](Levels& a) -> std::int64_t& { return *a.levels[i].bytes; });
    }
    const auto port = [&](const QString& name, const QString& label,
                          std::optional<double> hierarchy::Level::*field) {
        // A negative value means unlimited.
        DecimalBox* box = m_fields->decimal(
            form, key + name, label, -1, 1e9, 4, 1,
            tr("Bytes per cycle of one instance, all memories together."),
            [i, field](Levels& a) { return (a.levels[i].*field).value_or(-1); },
            [i, field](Levels& a, double n) {
                a.levels[i].*field = n < 0 ? std::nullopt : std::optional(n);
            });
        box->setSpecialValueText(tr("unlimited"));
    };
    port(QStringLiteral("read_bytes"), tr("Reads, B/cycle"), &hierarchy::Level::readBytesPerCycle);
    port(QStringLiteral("write_bytes"), tr("Writes, B/cycle"), &hierarchy::Level::writeBytesPerCycle);
    const auto energy = [&](const QString& name, const QString& label, double hierarchy::Level::*field) {
        m_fields->decimal(form, key + name, label, 0, 1e6, 7, 0.125, tr("Energy for one bit."),
                          [i, field](Levels& a) -> double& { return a.levels[i].*field; });
    };
    energy(QStringLiteral("read_pj"), tr("Read, pJ/bit"), &hierarchy::Level::readPj);
    energy(QStringLiteral("write_pj"), tr("Write, pJ/bit"), &hierarchy::Level::writePj);
    for (std::size_t axis = 0; axis < level.axes.size(); ++axis)
        addAxis(form, i, axis);
    m_fields->check(form, key + QStringLiteral("double_buffered"), tr("Double-buffered"),
                    tr("One half is filled while the other half is in use."), [i](Levels& a) -> bool& {
                        a.levels[i].doubleBuffered = a.isDoubleBuffered(i);
                        return *a.levels[i].doubleBuffered;
                    });
    if (level.axes.empty())
        return;
    m_fields->check(form, key + QStringLiteral("multicast"), tr("Multicast"),
                    tr("One read reaches all instances that need it."),
                    [i](Levels& a) -> bool& { return a.levels[i].multicast; });
    m_fields->check(form, key + QStringLiteral("reduction"), tr("Adder tree"),
                    tr("The fan-out adds what its instances send."),
                    [i](Levels& a) -> bool& { return a.levels[i].reductionTree; });
}

void LevelFields::apply(const Levels& next, const QString& name)
{
    if (!m_fault.isEmpty())
        return m_tell(std::exchange(m_fault, QString()));
    Levels changed = next;
    changed.name = "changed";
    const Status done = m_state.applyLevels(changed, QStringLiteral("levels.") + name);
    m_tell(done ? QString() : QString::fromStdString(done.error().text()));
}

} // namespace tilewright::ui
