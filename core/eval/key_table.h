// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/hash.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace tilewright {

/// Assigns consecutive numbers to different keys of N integers, in the order of first appearance. A hash
/// table with open addressing for millions of keys.
template <std::size_t N> class KeyTable
{
public:
    using Key = std::array<std::int64_t, N>;
    struct Added
    {
        std::uint32_t index;
        bool isNew;
    };
    /// Returns the number of the key, which is added if it is new.
    Added add(const Key& key)
    {
        if (m_keys.size() * 2 >= m_table.size()) {
            m_table.assign(std::max<std::size_t>(64, m_table.size() * 4), 0);
            for (std::size_t i = 0; i < m_keys.size(); ++i)
                m_table[placeOf(m_keys[i])] = static_cast<std::uint32_t>(i + 1);
        }
        std::uint32_t& place = m_table[placeOf(key)];
        const bool isNew = place == 0;
        if (isNew) {
            m_keys.push_back(key);
            place = static_cast<std::uint32_t>(m_keys.size());
        }
        return {place - 1, isNew};
    }
    [[nodiscard]] std::size_t size() const noexcept { return m_keys.size(); }
    void clear()
    {
        m_keys.clear();
        std::ranges::fill(m_table, 0);
    }

private:
    /// Returns the table index of the key, or the free index at which it would be stored.
    [[nodiscard]] std::size_t placeOf(const Key& key) const
    {
        std::size_t at = ListHash()(key) & (m_table.size() - 1);
        while (m_table[at] != 0 && m_keys[m_table[at] - 1] != key)
            at = (at + 1) & (m_table.size() - 1);
        return at;
    }

    std::vector<Key> m_keys;
    std::vector<std::uint32_t> m_table; // index + 1; 0 = free
};

} // namespace tilewright
