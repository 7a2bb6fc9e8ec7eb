// SPDX-License-Identifier: GPL-3.0-or-later
#include "workspace/machine_values.h"

#include "theme/number.h"
#include "theme/words.h"

#include <QLocale>

#include <array>

namespace tilewright::ui {

QString machineValueText(const MachineField& field)
{
    QString raw = QString::fromStdString(field.value);
    const double value = raw.toDouble();
    switch (field.unit) {
    case MachineUnit::Word:
        return raw;
    case MachineUnit::Bytes:
        return bytesText(static_cast<std::int64_t>(value));
    case MachineUnit::Count:
        return number(static_cast<std::int64_t>(value));
    case MachineUnit::GbPerSecond:
        return tr("%1 GB/s").arg(number(value));
    case MachineUnit::Ghz:
        return tr("%1 GHz").arg(exactNumber(value));
    case MachineUnit::Mhz:
        return tr("%1 MHz").arg(number(value));
    case MachineUnit::BytesPerCycle:
        return tr("%1 B/cycle").arg(number(value));
    case MachineUnit::Cycles:
        return tr("%1 cycles").arg(exactNumber(value));
    case MachineUnit::Pj:
        return tr("%1 pJ").arg(exactNumber(value));
    }
    return raw;
}

NumberStyle localNumberStyle()
{
    const QLocale locale;
    return {locale.decimalPoint().toStdString(), locale.groupSeparator().toStdString()};
}

Result<QString> typedMachineValue(const QString& text, MachineUnit unit, const NumberStyle& style)
{
    constexpr std::array kUnits = {"",    "B",       "GB/s",   "GHz",
                                   "MHz", "B/cycle", "cycles", "pJ"}; // by MachineUnit
    if (unit == MachineUnit::Word)
        return text.trimmed();
    const auto value = readNumber(text.toStdString(), kUnits.at(static_cast<std::size_t>(unit)), style);
    if (!value)
        return value.error();
    return exactNumber(*value);
}

} // namespace tilewright::ui
