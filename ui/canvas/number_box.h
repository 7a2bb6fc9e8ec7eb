// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <QDoubleSpinBox>
#include <QSpinBox>

namespace tilewright::ui {

/// Shows why a typed text is refused, below its field and to screen readers.
void showRefusal(QWidget& field, const QString& why);

/// A spin box that reads numbers as people type them (core/base/typed_number.h): "4k", "1e3", and units other
/// than its own. If it cannot read a text, it explains why and keeps its value. All spin boxes of the window
/// are NumberBox or DecimalBox; a test refuses others.
template <typename Box> class TypedBox : public Box
{
public:
    /// No keyboard tracking: the number is accepted with Return or when the field loses the focus, not while
    /// it is typed.
    explicit TypedBox(QWidget* parent = nullptr) : Box(parent) { this->setKeyboardTracking(false); }
    /// Sets the unit of the value (as in readNumber()), if the suffix does not name it.
    void setUnit(const QString& unit) { m_unit = unit; }

    /// The minimum width has room for six digits, so that a box in a narrow form can be smaller than its
    /// largest number.
    [[nodiscard]] QSize minimumSizeHint() const override;
    [[nodiscard]] QValidator::State validate(QString& text, int& position) const override;
    /// Shows why the current text is refused.
    void fixup(QString& text) const override;

protected:
    /// Reads a number from a text; the Error is a sentence for the user.
    [[nodiscard]] Result<double> read(const QString& text) const;
    [[nodiscard]] QString unit() const;

private:
    QString m_unit;
};

extern template class TypedBox<QSpinBox>;
extern template class TypedBox<QDoubleSpinBox>;

class NumberBox : public TypedBox<QSpinBox>
{
public:
    using TypedBox::TypedBox;

protected:
    [[nodiscard]] int valueFromText(const QString& text) const override;
};

class DecimalBox : public TypedBox<QDoubleSpinBox>
{
public:
    using TypedBox::TypedBox;
    [[nodiscard]] double valueFromText(const QString& text) const override;
};

} // namespace tilewright::ui
