// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cmath>

namespace tilewright {

/// Reduced cost (cost minus dual prices of the covered rows) with a bound on its rounding error.
class Slack
{
public:
    explicit Slack(double cost) noexcept : m_value(cost), m_sum(cost) {}
    void subtract(double price) noexcept
    {
        m_value -= price;
        m_sum += std::abs(price);
    }
    [[nodiscard]] double value() const noexcept { return m_value; }
    [[nodiscard]] double error() const noexcept { return m_sum * kRounding; }
    /// True if the reduced cost is certainly not negative, in spite of rounding errors.
    [[nodiscard]] bool isNonNegative() const noexcept { return m_value >= error() && m_value >= 0; }

private:
    /// Upper bound on the relative rounding error of a sum of hundreds of products.
    static constexpr double kRounding = 1e-13;
    double m_value, m_sum;
};

} // namespace tilewright
