// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cassert>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace tilewright {

/// Strongly typed index: an OpId cannot be passed as a TensorId.
template <typename Tag> struct Id
{
    std::uint32_t value = 0;

    Id() = default;
    constexpr explicit Id(std::size_t v) noexcept : value(static_cast<std::uint32_t>(v)) {}
    [[nodiscard]] constexpr std::size_t index() const noexcept { return value; }
    auto operator<=>(const Id&) const = default;
};

using OpId = Id<struct OpTag>;                   ///< op of a problem
using TensorId = Id<struct TensorTag>;           ///< tensor of a problem
using SubgraphId = Id<struct SubgraphTag>;       ///< subgraph of a schedule, by position
using OperatorId = Id<struct OperatorTag>;       ///< operator of a model
using ModelTensorId = Id<struct ModelTensorTag>; ///< tensor of a model

/// Vector whose index is a strongly typed id.
template <typename IdT, typename T> class IdVector
{
public:
    IdVector() = default;
    explicit IdVector(std::vector<T> values) : m_values(std::move(values)) {}
    IdVector(std::size_t n, const T& value) : m_values(n, value) {}

    [[nodiscard]] decltype(auto) operator[](IdT id) const
    {
        assert(id.index() < m_values.size());
        return m_values[id.index()];
    }
    [[nodiscard]] decltype(auto) operator[](IdT id)
    {
        assert(id.index() < m_values.size());
        return m_values[id.index()];
    }
    [[nodiscard]] std::size_t size() const noexcept { return m_values.size(); }
    [[nodiscard]] bool empty() const noexcept { return m_values.empty(); }
    void push_back(T value) { m_values.push_back(std::move(value)); }
    [[nodiscard]] auto begin() const noexcept { return m_values.begin(); }
    [[nodiscard]] auto end() const noexcept { return m_values.end(); }
    [[nodiscard]] auto begin() noexcept { return m_values.begin(); }
    [[nodiscard]] auto end() noexcept { return m_values.end(); }
    [[nodiscard]] const std::vector<T>& raw() const noexcept { return m_values; }
    bool operator==(const IdVector&) const = default;

private:
    std::vector<T> m_values;
};

} // namespace tilewright

template <typename Tag> struct std::hash<tilewright::Id<Tag>>
{
    std::size_t operator()(tilewright::Id<Tag> id) const noexcept
    {
        return std::hash<std::uint32_t>{}(id.value);
    }
};
