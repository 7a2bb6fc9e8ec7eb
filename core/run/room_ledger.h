// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "eval/step_links.h"
#include "run/run.h"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace tilewright {

/// The items in fast memory during a run, and the memory that they occupy (R20). Steps that hold the same
/// item share its memory.
class RoomLedger
{
public:
    using ItemId = std::uint32_t;

    explicit RoomLedger(const Problem& problem);

    /// Sets the tensors that the following steps reserve (R9.1a).
    void reserve(std::span<const TensorId> tensors);
    /// Items of a step, given the loads so far. The buffers come first, in the order of Step::buffers. Must
    /// be called for each step in order.
    [[nodiscard]] std::vector<ItemId> itemsOf(const Step& step, const StepLinks& links, std::uint64_t loads);
    /// Items of the reserved tensors.
    [[nodiscard]] const std::vector<ItemId>& reserved() const noexcept { return m_reserved; }
    /// Number of loads that must have ended before the item of a buffer is in fast memory.
    [[nodiscard]] std::uint64_t loadOf(ItemId item) const { return m_items[item].load; }
    /// Additional memory that is occupied if these items are held.
    [[nodiscard]] std::int64_t added(std::span<const ItemId> items) const;
    void hold(std::span<const ItemId> items);
    void release(std::span<const ItemId> items);
    [[nodiscard]] const std::array<std::int64_t, RunRoom::kKinds>& taken() const noexcept { return m_taken; }
    [[nodiscard]] std::int64_t total() const noexcept { return m_total; }

private:
    struct Item
    {
        std::int64_t units = 0;
        std::uint64_t load = 0;
        std::uint32_t holders = 0; // number of steps that hold it
        bool listed = false;       // true if it is in one of the lists below
        RunRoom::Kind kind = RunRoom::Input;
    };
    template <class Key> struct Named
    {
        Key key;
        ItemId item;
    };
    [[nodiscard]] ItemId add(RunRoom::Kind kind, std::int64_t units, std::uint64_t load = 0);
    void freeIfUnused(ItemId item);
    /// Replaces the names of the previous step by the new ones.
    template <class Key> void replace(std::vector<Named<Key>>& old, std::vector<Named<Key>>& fresh);

    const Problem& m_problem;
    std::vector<Item> m_items;
    std::vector<ItemId> m_free;
    IdVector<TensorId, ItemId> m_reservedItem; // per tensor: its reserved item, or kNone
    std::vector<ItemId> m_reserved;
    // For the last step of itemsOf(): the item of each buffer, sink and accumulator. m_fresh...: those of the
    // step that itemsOf() is working on.
    std::vector<Named<StepBuffer>> m_buffers, m_freshBuffers;
    std::vector<Named<TensorId>> m_sinks, m_freshSinks;
    std::vector<Named<StepLinks::Accumulator>> m_accumulators, m_freshAccumulators;
    std::array<std::int64_t, RunRoom::kKinds> m_taken{};
    std::int64_t m_total = 0;
};

} // namespace tilewright
