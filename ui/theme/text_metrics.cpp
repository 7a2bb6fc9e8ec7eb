// SPDX-License-Identifier: GPL-3.0-or-later
#include "theme/text_metrics.h"

#include <QFont>
#include <QPainter>
#include <QStringList>

#include <algorithm>
#include <unordered_map>

namespace tilewright::ui {

namespace {

struct FontHash
{
    std::size_t operator()(const QFont& font) const { return qHash(font); }
};

QHash<QString, double>& widthsOf(const QFont& font)
{
    thread_local std::unordered_map<QFont, QHash<QString, double>, FontHash> known;
    return known[font];
}

} // namespace

TextMetrics::TextMetrics(const QFont& font) : QFontMetricsF(font), m_widths(widthsOf(font)) {}

double TextMetrics::horizontalAdvance(const QString& text) const
{
    constexpr qsizetype kMost = 5000; // maximum number of cached widths per font
    if (const auto it = m_widths.constFind(text); it != m_widths.cend())
        return *it;
    if (m_widths.size() >= kMost)
        m_widths.clear();
    return *m_widths.insert(text, QFontMetricsF::horizontalAdvance(text));
}

double writeLine(QPainter& painter, QPointF corner, double width, const QString& text, const QFont& font,
                 const QColor& ink, Qt::TextElideMode elide)
{
    const TextMetrics fm(font);
    painter.setFont(font);
    painter.setPen(ink);
    painter.drawText(corner + QPointF(0, fm.ascent()),
                     fm.horizontalAdvance(text) <= width ? text : fm.elidedText(text, elide, width));
    return fm.height();
}

void writeAcross(QPainter& painter, const QRectF& box, const QString& text, const QFont& font,
                 const QColor& ink)
{
    const TextMetrics fm(font);
    painter.setFont(font);
    painter.setPen(ink);
    painter.drawText(
        box, Qt::AlignLeft | Qt::AlignVCenter,
        fm.horizontalAdvance(text) <= box.width() ? text : fm.elidedText(text, Qt::ElideRight, box.width()));
}

namespace {

bool isSeparator(char c)
{
    return c == '.' || c == '/' || c == ':';
}

/// Splits a name into parts that end with a dot, slash or colon, or with an underscore if it has none of
/// these.
QStringList parts(const QString& name)
{
    QStringList out;
    const bool paths = std::any_of(name.begin(), name.end(),
                                   [](QChar c) { return c.unicode() < 128 && isSeparator(c.toLatin1()); });
    qsizetype from = 0;
    for (qsizetype i = 0; i + 1 < name.size(); ++i)
        if (paths ? (name[i].unicode() < 128 && isSeparator(name[i].toLatin1()))
                  : name[i] == QLatin1Char('_')) {
            out << name.mid(from, i + 1 - from);
            from = i + 1;
        }
    out << name.mid(from);
    return out;
}

/// Returns the first letter, the digits and the separator of a part: "head1." gives "h1.", "norm." gives
/// "n.".
QString initial(const QString& part)
{
    QString out;
    for (qsizetype i = 0; i < part.size(); ++i)
        if (i == 0 || part[i].isDigit() || (i + 1 == part.size() && !part[i].isLetter()))
            out += part[i];
    return out;
}

} // namespace

std::string commonNamePrefix(std::span<const std::string> names)
{
    if (names.size() < 2)
        return {};
    std::size_t shared = names.front().size();
    for (const std::string& name : names) {
        shared = std::min(shared, name.size());
        const auto differ = std::mismatch(name.begin(), name.begin() + static_cast<std::ptrdiff_t>(shared),
                                          names.front().begin());
        shared = static_cast<std::size_t>(differ.first - name.begin());
    }
    while (shared > 0 && !isSeparator(names.front()[shared - 1]))
        --shared;
    const bool somethingLeft =
        std::all_of(names.begin(), names.end(), [&](const std::string& n) { return n.size() > shared; });
    return somethingLeft ? names.front().substr(0, shared) : std::string();
}

QString withoutPrefix(const std::string& name, const std::string& prefix)
{
    const bool drop = !prefix.empty() && name.size() > prefix.size() && name.starts_with(prefix);
    return QString::fromStdString(drop ? name.substr(prefix.size()) : name);
}

QString fittingName(const QString& name, const std::function<bool(const QString&)>& fits)
{
    if (fits(name))
        return name;
    QStringList list = parts(name);
    for (qsizetype i = 0; i + 1 < list.size(); ++i) {
        list[i] = initial(list[i]);
        if (QString text = list.join(QString()); fits(text))
            return text;
    }
    const QString dots(QChar(0x2026));
    // A part with a number is kept, and the last word is elided instead: "h1.cont…".
    const auto isNumbered = [](const QString& part) {
        return std::any_of(part.begin(), part.end(), [](QChar c) { return c.isDigit(); });
    };
    constexpr qsizetype kLeast = 4; // minimum number of letters of an elided name
    if (list.size() == 2 && isNumbered(list.front()) && !isNumbered(list.back()))
        for (qsizetype kept = list.back().size() - 1; kept >= kLeast; --kept)
            if (QString text = list.front() + list.back().left(kept) + dots; fits(text))
                return text;
    for (qsizetype i = 1; i < list.size(); ++i)
        if (QString text = dots + list.mid(i).join(QString()); fits(text))
            return text;
    // The name is elided in the middle, because its beginning and end identify it best.
    const QString last = list.back();
    for (qsizetype kept = last.size() - 1; kept > 1; --kept) {
        const qsizetype head = kept / 2;
        if (QString text = last.left(head) + dots + last.right(kept - head); fits(text))
            return text;
    }
    return {};
}

QString fittingName(const QString& name, const QFontMetricsF& metrics, double width)
{
    return fittingName(name, [&](const QString& text) { return metrics.horizontalAdvance(text) <= width; });
}

QString fittingName(const QString& name, const TextMetrics& metrics, double width)
{
    return fittingName(name, [&](const QString& text) { return metrics.horizontalAdvance(text) <= width; });
}

} // namespace tilewright::ui
