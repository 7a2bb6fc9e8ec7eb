// SPDX-License-Identifier: GPL-3.0-or-later
#include "theme/number.h"

#include "base/text.h"

#include <array>
#include <cmath>

namespace tilewright::ui {

namespace {

constexpr QChar kThinSpace(0x202F);                 // narrow and never broken at the end of a line
const QString kPercent = QStringLiteral("\u00A0%"); // a line never ends between the two
constexpr QChar kMinus(0x2212);

QString grouped(QString digits)
{
    const qsizetype point = digits.indexOf(QLatin1Char('.'));
    const qsizetype end = point < 0 ? digits.size() : point;
    const qsizetype first = digits.startsWith(kMinus) ? 1 : 0;
    for (qsizetype i = end - 3; i > first; i -= 3)
        digits.insert(i, kThinSpace);
    return digits;
}

} // namespace

QString number(double value)
{
    if (!std::isfinite(value))
        return QStringLiteral("–");
    if (std::abs(value) >= 1e15)
        return QString::number(value, 'g', 6);
    QString text = QString::number(std::abs(value), 'f', 1);
    if (text.endsWith(QLatin1String(".0")))
        text.chop(2);
    if (value < 0 && text != QLatin1String("0"))
        text.prepend(kMinus);
    return grouped(text);
}

QString number(std::int64_t value)
{
    QString text = QString::number(value);
    text.replace(QLatin1Char('-'), kMinus);
    return grouped(text);
}

QString exactNumber(double value)
{
    return QString::fromStdString(formatNumber(value));
}

QString shortNumber(double value)
{
    constexpr std::array<const char*, 6> kSuffix{"", "k", "M", "G", "T", "P"};
    double scaled = std::abs(value);
    std::size_t step = 0;
    while (scaled >= 999.5 && step + 1 < kSuffix.size()) {
        scaled /= 1000;
        ++step;
    }
    QString text = QString::number(scaled, 'g', 3);
    if (scaled < 1e-3 && scaled > 0)
        text = QString::number(scaled, 'g', 2);
    return (value < 0 ? QString(kMinus) : QString()) + text + QLatin1String(kSuffix[step]);
}

QString signedNumber(double value)
{
    if (value == 0)
        return QStringLiteral("±0");
    // A change too small for one decimal must not look like none.
    const QString text =
        std::abs(value) < 0.05 ? QString::number(std::abs(value), 'g', 2) : number(std::abs(value));
    return (value > 0 ? QStringLiteral("+") : QString(kMinus)) + text;
}

QString signedPercent(double fraction)
{
    if (fraction == 0)
        return QStringLiteral("±0") + kPercent;
    const double p = std::abs(fraction) * 100;
    return (fraction > 0 ? QStringLiteral("+") : QString(kMinus)) +
           (p < 0.05 ? QString::number(p, 'g', 2) : QString::number(p, 'f', 1)) + kPercent;
}

QString percent(double fraction)
{
    return QString::number(fraction * 100, 'f', 1) + kPercent;
}

QString counted(std::int64_t n, const QString& one, const QString& many)
{
    return number(n) + QChar(0xA0) + (n == 1 ? one : many);
}

} // namespace tilewright::ui
