// SPDX-License-Identifier: GPL-3.0-or-later
// The walk over the (tile, k) steps of a subgraph, which traceSubgraph() uses.
#pragma once

#include "eval/cost.h"
#include "eval/key_table.h"
#include "eval/step_links.h"
#include "eval/trace.h"

#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace tilewright {

/// Takes one step after another, exactly as the rules are written. The plan and the subgraph must outlive it.
class StepWalker
{
    using Slot = SubgraphPlan::Slot;
    using Use = SubgraphPlan::Use;

public:
    StepWalker(const SubgraphPlan& plan, const Subgraph& subgraph, std::span<const TensorId> residentBefore);

    /// Calls the visitor for each step, until it returns false.
    void walk(const std::function<bool(const Step&)>& visit);
    /// Same as walk(), with the sources from which the runs of each step read.
    void walkWithLinks(const std::function<bool(const Step&, const StepLinks&)>& visit);

    // The following functions walk step by step: goTo() for each tile, then takeStep() and nextStep() for
    // each of its k steps. goTo() moves to a tile and sets Step::kSteps for it.
    void goTo(std::int64_t row, std::int64_t col);
    void takeStep();
    void nextStep();
    /// The number of the first step (Step::index), if the walk begins later in the order of the tiles.
    void beginAt(std::int64_t index) { m_step.index = index; }
    /// Computes links() for the last step taken.
    void findLinks();
    [[nodiscard]] const Step& step() const noexcept { return m_step; }
    [[nodiscard]] const StepLinks& links() const noexcept { return m_links; }

private:
    struct Range
    {
        std::int64_t begin = 0, end = 0;
    };
    struct Request
    {
        std::uint32_t input; // index in the plan's inputs()
        TensorId tensor;
        Role role;
        Rect rect;
        Rect box;            // part of the stored tensor that the request touches (R1.8)
        std::int64_t volume; // number of elements that it touches
        StepRead read;       // source that serves the request
    };

    void findRepeatable();
    void findRanges();
    [[nodiscard]] Rect rectOf(std::uint32_t rowSlot, std::uint32_t colSlot) const
    {
        const Range& rows = m_range[rowSlot];
        const Range& cols = m_range[colSlot];
        return {rows.begin, rows.end, cols.begin, cols.end};
    }
    [[nodiscard]] Rect tileOf(std::size_t sink) const;

    // Runs and requests (R6).
    void request(const Use& u);
    bool addRun(const Use& u);
    void follow(std::uint32_t root);
    [[nodiscard]] bool isActive(std::uint32_t root, bool completes) const;
    void runSink(const SubgraphPlan::Sink& sink, bool completes);

    // Buffers and working set (R7, R9), in trace_memory.cpp.
    [[nodiscard]] bool isWhole(const Request& r) const;
    void serve();
    [[nodiscard]] std::vector<TensorId> donate();
    void holdInterior();

    // Sources from which runs read (step_links.cpp).
    [[nodiscard]] StepRead readOf(const Use& use) const;
    [[nodiscard]] StepRead readOfEpilogue(const Use& run, TensorId operand) const;
    void orderRuns();

    const SubgraphPlan& m_plan;
    const Problem& m_problem;
    const Subgraph& m_subgraph;
    const Rules& m_rules;
    StepCosts m_cost;
    // for each input: true if resident; true if retained by this subgraph
    std::vector<char> m_resident, m_kept;
    bool m_readsResident = false; // true if some input is resident
    std::optional<StepEnergy> m_energy;
    // by input: the parts of a retained input that are already in fast memory (R9.7), at the first input that
    // reads the same stored tensor
    std::vector<std::vector<Rect>> m_covered;
    std::vector<std::size_t> m_coveredBy;
    std::vector<char> m_interior;       // for each product: true if it is neither a sink nor retained (R9.9)
    std::vector<std::int64_t> m_kSteps; // number of k steps of each sink, n(t)
    std::vector<char> m_retained;       // for each sink: true if retained
    std::vector<Range> m_range;         // the range of each slot in the current step
    TileGrid m_grid;
    std::int64_t m_reserved = 0;
    std::vector<StepBuffer> m_previous;
    std::vector<Request> m_requests;
    std::vector<std::vector<std::uint32_t>> m_requestsOf; // by input: positions of the requests in this step
    std::vector<std::vector<std::uint32_t>> m_runsOf;     // for each op, its runs in the current step
    std::vector<std::uint32_t> m_pending;                 // stack of uses that are still to be followed
    std::vector<char> m_repeatable;                       // for each op, true if it may repeat a run
    std::vector<std::pair<OpId, Rect>> m_accumulators;    // accumulators of the current step (R9.1d)
    KeyTable<7> m_earlier;                                // op, rectangle and k range of runs (R8.1)
    Step m_step;

    std::vector<std::uint32_t> m_useOf;     // by run of the current step: the use that requested it first
    std::vector<std::size_t> m_activeSinks; // by sink of the current step: index in the plan
    std::vector<StepRead> m_chunk;          // by use: the last run of a driver in the current tile
    std::vector<char> m_placed;             // by run: true if it is in StepLinks::order
    StepLinks m_links;
};

} // namespace tilewright
