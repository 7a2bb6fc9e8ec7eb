// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cmath>

namespace tilewright {

/// What a cost is above the prices of what is got for it, and what rounding may have done to that.
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
    /// Whether the cost is surely not below the prices.
    [[nodiscard]] bool holds() const noexcept { return m_value >= error() && m_value >= 0; }

private:
    static constexpr double kRounding = 1e-13; ///< relative error of a sum of some hundred products, amply
    double m_value, m_sum;
};

} // namespace tilewright
