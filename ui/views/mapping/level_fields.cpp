// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/mapping/level_fields.h"

#include "theme/text.h"

#include <QVBoxLayout>

#include <algorithm>

namespace tilewright::ui {

namespace {

using Levels = hierarchy::Architecture;

/// Whether both have the same fields: levels, axes and memories of the same names.
bool haveSameFields(const Levels& a, const Levels& b)
{
    return std::ranges::equal(a.levels, b.levels, [](const hierarchy::Level& x, const hierarchy::Level& y) {
        return x.name == y.name && x.holds == y.holds && x.memories.has_value() == y.memories.has_value() &&
               std::ranges::equal(x.axes, y.axes, {}, &hierarchy::Axis::name, &hierarchy::Axis::name);
    });
}

} // namespace

LevelFields::LevelFields(MappingDocument& state, std::function<void(const QString&)> tell, QWidget* parent)
    : QWidget(parent), m_state(state), m_tell(std::move(tell))
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    connect(&m_state, &MappingDocument::setupChanged, this, &LevelFields::refresh);
    refresh();
}

void LevelFields::refresh()
{
    const auto& levels = m_state.setup().levels;
    setVisible(levels.has_value());
    if (!levels)
        return;
    if (!m_page || !haveSameFields(m_built, *levels))
        build();
    m_built = *levels;
    m_fields->show();
}

void LevelFields::build()
{
    if (m_page)
        m_page->deleteLater();
    m_page = new QWidget(this);
    auto* column = new QVBoxLayout(m_page);
    column->setContentsMargins(0, 0, 0, 0);
    layout()->addWidget(m_page);
    m_fields = std::make_unique<ValueForm<Levels>>(
        QStringLiteral("levels."), [this] { return m_state.setup().levels.value_or(m_built); },
        [this](const Levels& next, const QString& name) { apply(next, name); });
    for (std::size_t i = 0; i < m_state.setup().levels->levels.size(); ++i)
        addLevel(i);
    m_page->show();
}

void LevelFields::addLevel(std::size_t i)
{
    const hierarchy::Level& level = m_state.setup().levels->levels[i];
    const QString key = QString::number(i) + QLatin1Char('.');
    auto* fold = new FoldGroup(QStringLiteral("mapping.level.%1").arg(i), QString::fromStdString(level.name),
                               false, m_page);
    m_page->layout()->addWidget(fold);
    QFormLayout& form = fold->form();
    const auto bytes = [&](const QString& name, const QString& label, auto part) {
        m_fields
            ->number(form, key + name, label, 1, 2'000'000'000,
                     tr("Size of one instance. Twice the tiles must fit if it is double-buffered."), part)
            ->setUnit(QStringLiteral("B"));
    };
    if (level.memories) {
        for (std::size_t op = 0; op < mapping::kOperands; ++op)
            if (level.holds[op])
                bytes(QStringLiteral("memory%1").arg(op),
                      tr("Bytes for %1 (%2)")
                          .arg(word(mapping::kOperandNames[op][0]), word(mapping::kOperandNames[op][1])),
                      [i, op](Levels& a) -> std::int64_t& { return (*a.levels[i].memories)[op]; });
    } else if (level.bytes && *level.bytes <= 2'000'000'000) {
        bytes(QStringLiteral("bytes"), tr("Bytes"),
              [i](Levels& a) -> std::int64_t& { return *a.levels[i].bytes; });
    }
    const auto port = [&](const QString& name, const QString& label,
                          std::optional<double> hierarchy::Level::*field) {
        // A negative value means: unlimited.
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
        m_fields->number(form, key + QStringLiteral("axis%1").arg(axis),
                         tr("Axis %1").arg(QString::fromStdString(level.axes[axis].name)), 1, 1 << 24,
                         tr("Number of instances along the axis."),
                         [i, axis](Levels& a) -> std::int64_t& { return a.levels[i].axes[axis].size; });
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
    Levels changed = next;
    changed.name = "changed";
    const Status done = m_state.applyLevels(changed, QStringLiteral("levels.") + name);
    m_tell(done ? QString() : QString::fromStdString(done.error().text()));
}

} // namespace tilewright::ui
