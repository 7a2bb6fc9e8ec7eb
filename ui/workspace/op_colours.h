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

/// A number for each op, and a description of the quantity.
struct OpValues
{
    /// Position of a number on the colour ramp: linear, logarithmic, or symmetric about the middle of the
    /// ramp. The middle is 0 or, for the logarithmic one, 1.
    enum class Scale : std::uint8_t { Linear, Logarithm, AroundZero, AroundOne };
    QString title;                             ///< heading of the legend
    std::vector<std::optional<double>> values; ///< number of each op; empty if it is not known
    Scale scale = Scale::Linear;
    std::function<QString(double)> text; ///< text of a number in nodes and legend
    QString unknown;                     ///< text of a node whose op has no number
};
using OpValuesPtr = std::shared_ptr<const OpValues>;

/// Values of the ops from an answer in the Query pane. While they are set, the graph shows them as colours
/// instead of the colouring that is chosen in the graph.
class OpColours : public QObject
{
    Q_OBJECT
public:
    using QObject::QObject;

    /// The numbers; null: the graph shows its chosen colouring.
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
