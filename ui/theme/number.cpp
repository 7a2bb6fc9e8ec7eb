// SPDX-License-Identifier: GPL-3.0-or-later
#include "theme/number.h"

#include "base/text.h"

#include <QStringList>

#include <algorithm>
#include <cmath>

namespace tilewright::ui {

QString number(double value)
{
    return QString::fromStdString(formatGrouped(value));
}

QString number(std::int64_t value)
{
    return QString::fromStdString(formatGrouped(value));
}

QString exactNumber(double value)
{
    return QString::fromStdString(formatNumber(value));
}

QString fixedNumber(double value, int decimals)
{
    return QString::fromStdString(tilewright::fixedNumber(value, decimals));
}

QString significantNumber(double value, int digits)
{
    return QString::fromStdString(tilewright::significantNumber(value, digits));
}

QString shortNumber(double value)
{
    return QString::fromStdString(tilewright::shortNumber(value));
}

QString scientific(double value)
{
    return QString::fromStdString(tilewright::scientific(value));
}

QString superscript(int value)
{
    return QString::fromStdString(tilewright::superscript(value));
}

QString signedNumber(double value)
{
    return QString::fromStdString(tilewright::signedNumber(value));
}

double change(double before, double after)
{
    const double by = after - before;
    return std::abs(by) <= 1e-9 * std::max(std::abs(before), std::abs(after)) ? 0 : by;
}

QString signedPercent(double fraction)
{
    return QString::fromStdString(tilewright::signedPercent(fraction));
}

QString percent(double fraction)
{
    return QString::fromStdString(tilewright::percent(fraction));
}

QString secondsText(double seconds)
{
    return QString::fromStdString(tilewright::secondsText(seconds));
}

QString sizeText(std::initializer_list<std::int64_t> sizes, const QString& times)
{
    QStringList parts;
    for (const std::int64_t size : sizes)
        parts << number(size);
    return parts.join(times);
}

QString bytesText(std::int64_t bytes)
{
    return QString::fromStdString(tilewright::bytesText(bytes));
}

QString plainNumbers(QString text)
{
    return text.remove(QChar(0x202F))
        .replace(QChar(0xA0), QLatin1Char(' '))
        .replace(QChar(0x2212), QLatin1Char('-'));
}

QString counted(std::int64_t n, const QString& one, const QString& many)
{
    return number(n) + QChar(0xA0) + (n == 1 ? one : many);
}

} // namespace tilewright::ui
