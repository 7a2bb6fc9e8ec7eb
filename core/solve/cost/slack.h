// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cmath>

namespace tilewright {

/// A reduced cost: a cost minus the dual prices of the rows it covers, with a bound on the rounding error.
class Slack
{
public:
    explicit Slack(double cost) noexcept : m_value(cost), m_sum(cost) {}
    void take(double price) noexcept
    {
        m_value -= price;
        m_sum += std::abs(price);
    }
    [[nodiscard]] double value() const noexcept { return m_value; }
    [[nodiscard]] double error() const noexcept { return m_sum * kRounding; }
    /// Whether the reduced cost is certainly not negative.
    [[nodiscard]] bool holds() const noexcept { return m_value >= error() && m_value >= 0; }

private:
    static constexpr double kRounding = 1e-13; ///< above the relative error of a sum of hundreds of products
    double m_value, m_sum;
};

} // namespace tilewright
