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

    /// The tensors that the steps from here on reserve (R9.1a).
    void reserve(std::span<const TensorId> tensors);
    /// Items of a step, given the loads so far: the buffers first, in the order of Step::buffers. Steps must
    /// be named in order.
    [[nodiscard]] std::vector<ItemId> itemsOf(const Step& step, const StepLinks& links, std::uint64_t loads);
    /// Items of the reserved tensors.
    [[nodiscard]] const std::vector<ItemId>& reserved() const noexcept { return m_reserved; }
    /// For a buffer: the number of loads that must have ended before it is there.
    [[nodiscard]] std::uint64_t loadOf(ItemId item) const { return m_items[item].load; }
    /// Room that holding these items would take in addition.
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
        std::uint32_t holders = 0; // steps
        bool listed = false;       // in a list below
        RunRoom::Kind kind = RunRoom::Input;
    };
    template <class Key> struct Named
    {
        Key key;
        ItemId item;
    };
    [[nodiscard]] ItemId add(RunRoom::Kind kind, std::int64_t units, std::uint64_t load = 0);
    void freeIfUnused(ItemId item);
    /// Lists the new names instead of the old ones.
    template <class Key> void replace(std::vector<Named<Key>>& old, std::vector<Named<Key>>& fresh);

    const Problem& m_problem;
    std::vector<Item> m_items;
    std::vector<ItemId> m_free;
    IdVector<TensorId, ItemId> m_reservedItem; // by tensor; kNone
    std::vector<ItemId> m_reserved;
    // of the step named last
    std::vector<Named<StepBuffer>> m_buffers, m_freshBuffers;
    std::vector<Named<TensorId>> m_sinks, m_freshSinks;
    std::vector<Named<StepLinks::Accumulator>> m_accumulators, m_freshAccumulators;
    std::array<std::int64_t, RunRoom::kKinds> m_taken{};
    std::int64_t m_total = 0;
};

} // namespace tilewright
