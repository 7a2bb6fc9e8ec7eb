// SPDX-License-Identifier: GPL-3.0-or-later
#include "canvas/number_box.h"

#include "theme/text.h"
#include "workspace/texts.h"

#include <QAccessible>
#include <QToolTip>

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace tilewright::ui {

void showRefusal(QWidget& field, const QString& why)
{
    QToolTip::showText(field.mapToGlobal(field.rect().bottomLeft()),
                       rich(QStringLiteral("<span>%1</span>").arg(why.toHtmlEscaped())), &field);
    QAccessibleEvent event(&field, QAccessible::Alert);
    QAccessible::updateAccessibility(&event);
}

template <typename Box> QString TypedBox<Box>::unit() const
{
    return m_unit.isEmpty() ? this->suffix().trimmed() : m_unit;
}

template <typename Box> Result<double> TypedBox<Box>::read(const QString& text) const
{
    constexpr bool isWhole = std::is_same_v<Box, QSpinBox>;
    const bool hasSpecial = !this->specialValueText().isEmpty();
    if (hasSpecial && text == this->specialValueText())
        return static_cast<double>(this->minimum());
    // The text that the box itself shows always means the current value, even if other locales would read it
    // differently.
    const QString shown = this->textFromValue(this->value());
    QString number = text;
    if (!this->prefix().isEmpty() && number.startsWith(this->prefix()))
        number.remove(0, this->prefix().size());
    if (!this->suffix().isEmpty() && number.endsWith(this->suffix()))
        number.chop(this->suffix().size());
    if (number == shown)
        return static_cast<double>(this->value());
    auto value = readNumber(number.toStdString(), unit().toStdString(), localNumberStyle());
    if (!value)
        return value;
    const auto refuse = [&](const QString& why) {
        return Error{ErrorCode::Field, why.toStdString(), {}, {}};
    };
    const auto limit = [](auto bound) { return exactNumber(static_cast<double>(bound)); };
    if (*value < this->minimum())
        return refuse(tr("at least %1").arg(limit(this->minimum())));
    if (*value > this->maximum())
        return refuse(tr("at most %1").arg(limit(this->maximum())));
    int decimals = 0;
    if constexpr (!isWhole)
        decimals = this->decimals();
    const double steps = *value * std::pow(10, decimals);
    if (std::abs(steps - std::round(steps)) > 1e-6 * std::max(1.0, std::abs(steps)))
        return refuse(isWhole
                          ? tr("expected a whole number, got %1").arg(exactNumber(*value))
                          : tr("%1 has more than %2")
                                .arg(exactNumber(*value), counted(decimals, tr("decimal"), tr("decimals"))));
    return value;
}

template <typename Box> QSize TypedBox<Box>::minimumSizeHint() const
{
    const QSize usual = Box::minimumSizeHint();
    const QFontMetrics metrics = this->fontMetrics();
    return {std::min(usual.width(), metrics.horizontalAdvance(QStringLiteral("000000")) + metrics.height()),
            usual.height()};
}

template <typename Box> QValidator::State TypedBox<Box>::validate(QString& text, int&) const
{
    return read(text) ? QValidator::Acceptable : QValidator::Intermediate;
}

template <typename Box> void TypedBox<Box>::fixup(QString& text) const
{
    if (const auto value = read(text); !value && !this->cleanText().isEmpty())
        showRefusal(const_cast<TypedBox&>(*this), wholeSentence(value.error().message));
}

template class TypedBox<QSpinBox>;
template class TypedBox<QDoubleSpinBox>;

int NumberBox::valueFromText(const QString& text) const
{
    const auto number = read(text);
    return number ? static_cast<int>(*number) : value();
}

double DecimalBox::valueFromText(const QString& text) const
{
    const auto number = read(text);
    return number ? *number : value();
}

} // namespace tilewright::ui
