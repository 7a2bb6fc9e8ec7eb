// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace tilewright::ui {

/// A number for each op, with a description of the quantity.
struct OpValues
{
    /// Where a number lies on the ramp of colours: in proportion, by its logarithm, or the same on both sides
    /// of the middle, which is 0 or, by the logarithm, 1.
    enum class Scale : std::uint8_t { Linear, Logarithm, AroundZero, AroundOne };
    QString title;                             ///< heading of the legend
    std::vector<std::optional<double>> values; ///< by op; empty: unknown
    Scale scale = Scale::Linear;
    std::function<QString(double)> text; ///< a number as nodes and legend show it
    QString unknown;                     ///< text of a node without a number
};
using OpValuesPtr = std::shared_ptr<const OpValues>;

/// Numbers of the ops that the graph shows as colours instead of what it is set to: those of an answer in the
/// Query pane.
class OpColours : public QObject
{
    Q_OBJECT
public:
    using QObject::QObject;

    /// Null: the graph shows what it is set to.
    [[nodiscard]] const OpValuesPtr& values() const { return m_values; }
    void set(OpValuesPtr values)
    {
        if (!values && !m_values)
            return;
        m_values = std::move(values);
        Q_EMIT changed();
    }

Q_SIGNALS:
    void changed();

private:
    OpValuesPtr m_values;
};

} // namespace tilewright::ui
