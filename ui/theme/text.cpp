// SPDX-License-Identifier: GPL-3.0-or-later
#include "theme/text.h"

#include "base/text.h"
#include "eval/evaluation.h"

#include <QCoreApplication>
#include <QRegularExpression>
#include <QTextDocument>
#include <array>

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

QString energyText(double picojoules)
{
    constexpr std::array kUnits{"pJ", "nJ", "µJ", "mJ", "J"};
    constexpr double kStep = 1000;
    std::size_t unit = 0;
    double value = picojoules;
    for (; value >= kStep && unit + 1 < kUnits.size(); ++unit)
        value /= kStep;
    const double scale = value < 10 ? 1000 : value < 100 ? 100 : 10;
    return number(std::round(value * scale) / scale) + QLatin1Char(' ') + QString::fromUtf8(kUnits[unit]);
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

QString progressText(double fraction, double seconds)
{
    if (seconds < 0.5 || fraction < 0.01 || fraction >= 1)
        return percent(fraction);
    const double left = seconds * (1 - fraction) / fraction;
    return tr("%1, about %2 left").arg(percent(fraction), secondsText(std::max(1.0, std::round(left))));
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

QString tr(const char* text)
{
    return QCoreApplication::translate("Tilewright", text);
}

QString boundText(Bound bound)
{
    return bound == Bound::Compute  ? tr("compute-bound")
           : bound == Bound::Memory ? tr("memory-bound")
                                    : tr("balanced");
}

QString boundSign(Bound bound)
{
    return bound == Bound::Compute  ? QStringLiteral("△")
           : bound == Bound::Memory ? QStringLiteral("▽")
                                    : QStringLiteral("◇");
}

QString tilesText(std::int64_t rows, std::int64_t cols)
{
    return rows * cols == 1 ? tr("1 tile") : tr("%1 × %2 tiles").arg(number(rows), number(cols));
}

QString rich(QString html)
{
    const QChar thin(0x202F);
    return html.replace(thin, QStringLiteral("<span style=\"white-space:pre\">%1</span>").arg(thin));
}

QString plain(const QString& text)
{
    return Qt::mightBeRichText(text)
               ? QStringLiteral("<span style=\"white-space:pre-wrap\">%1</span>").arg(text.toHtmlEscaped())
               : text;
}

QString sentence(const QString& text)
{
    // Matches whole numbers, with or without commas between groups, that stand alone. Does not match numbers
    // in names ("op1024", "conv-2048", "a/4096.json").
    static const QRegularExpression form(QStringLiteral(
        "(?<![\\w.,/:-])(?:\\d{1,3}(?:,\\d{3})+|\\d{4,15})(?=(?:\\.\\d+)?(?![\\w-]|\\.\\w|/|,\\d))"));
    QString out;
    qsizetype at = 0;
    for (auto it = form.globalMatch(text); it.hasNext();) {
        const auto match = it.next();
        out += text.mid(at, match.capturedStart() - at);
        out += number(static_cast<std::int64_t>(match.captured().remove(QLatin1Char(',')).toLongLong()));
        at = match.capturedEnd();
    }
    out += text.mid(at);
    static const QRegularExpression share(QStringLiteral("(?<=\\d) %"));
    static const QRegularExpression times(QStringLiteral("(?<=\\d) x (?=\\d)"));
    return out.replace(share, QStringLiteral("\u00A0%")).replace(times, QStringLiteral(" × "));
}

QString sentence(const std::string& text)
{
    return sentence(QString::fromStdString(text));
}

QString wholeSentence(const std::string& text)
{
    QString out = sentence(text);
    if (!out.isEmpty())
        out[0] = out[0].toUpper();
    if (!out.isEmpty() && !out.endsWith(QLatin1Char('.')))
        out += QLatin1Char('.');
    return out;
}

} // namespace tilewright::ui
