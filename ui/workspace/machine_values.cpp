// SPDX-License-Identifier: GPL-3.0-or-later
#include "workspace/machine_values.h"

#include "theme/number.h"
#include "theme/words.h"

#include <QRegularExpression>

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

QString typedMachineValue(const QString& text, MachineUnit unit)
{
    QString plain = plainNumbers(text.trimmed());
    if (unit == MachineUnit::Word)
        return plain;
    static const QRegularExpression form(
        QStringLiteral("^([0-9.,eE+ ]+?)\\s*(k|m|g|ki|mi|gi|kib|mib|gib|b|gb/s|ghz|mhz|b/cycle|cycles|pj)?$"),
        QRegularExpression::CaseInsensitiveOption);
    const auto match = form.match(plain);
    if (!match.hasMatch())
        return plain;
    QString digits = match.captured(1);
    digits.remove(QLatin1Char(' ')).remove(QLatin1Char(','));
    const QChar prefix = match.captured(2).isEmpty() ? QChar() : match.captured(2).at(0).toLower();
    bool ok = false;
    const double value = digits.toDouble(&ok);
    if (!ok)
        return plain;
    if (unit != MachineUnit::Bytes || match.captured(2).size() > 3)
        return digits;
    const double scale = prefix == QLatin1Char('k')   ? 1024.0
                         : prefix == QLatin1Char('m') ? 1024.0 * 1024
                         : prefix == QLatin1Char('g') ? 1024.0 * 1024 * 1024
                                                      : 1.0;
    return exactNumber(value * scale);
}

} // namespace tilewright::ui
