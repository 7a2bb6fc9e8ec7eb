// SPDX-License-Identifier: GPL-3.0-or-later
#include "place/step_items.h"

#include "base/integer.h"
#include "base/text.h"
#include "rules/check.h"

#include <algorithm>
#include <utility>

namespace tilewright {

namespace {

/// Collects the items of a schedule from the steps of its subgraphs.
class ItemCollector
{
public:
    ItemCollector(const Problem& problem, StepItems& out) : m_problem(problem), m_out(out) {}

    /// Adds the items that are reserved from the first to the last step (R9.1a).
    void beginSubgraph(SubgraphId id, std::span<const TensorId> resident, std::span<const TensorId> retain)
    {
        m_subgraph = id;
        m_out.firstStep.push_back(m_out.steps);
        std::vector<Known> reserved;
        const auto reserve = [&](TensorId t) {
            const auto is = [&](const Known& k) { return k.tensor == t; };
            if (std::any_of(reserved.begin(), reserved.end(), is))
                return;
            const auto before = std::find_if(m_reserved.begin(), m_reserved.end(), is);
            const std::size_t item = before != m_reserved.end()
                                         ? before->item
                                         : add({Resident::Kind::Retained, t, m_problem.sizeUnits(t),
                                                std::nullopt, std::nullopt, false},
                                               0);
            reserved.push_back({t, item});
        };
        for (const TensorId t : resident)
            reserve(t);
        for (const TensorId t : retain)
            reserve(t);
        m_reserved = std::move(reserved);
        m_inputs.clear();
    }

    void take(const Step& step)
    {
        m_step = step.index;
        takeInputs(step);
        if (step.kStep == 0) {
            m_outputs.clear();
            m_accumulators.clear();
        }
        takeOutputs(step);
        takeAccumulators(step);
        for (const StepInterior& s : step.interiors) // interior slices live in this step only (R9.9)
            add({Resident::Kind::Interior, s.tensor, s.size, s.rect, std::nullopt, false}, step.index);
        ++m_out.steps;
    }

    void endSubgraph()
    {
        for (const Known& k : m_reserved)
            use(k.item);
    }

private:
    struct Known
    {
        TensorId tensor;
        std::size_t item = 0;
    };
    struct Buffer
    {
        StepBuffer buffer;
        std::size_t item = 0;
    };
    struct Accumulator
    {
        Rect tile;
        std::size_t item = 0;
    };

    std::size_t add(const Resident& what, std::int64_t step)
    {
        StepItem item;
        item.what = what;
        item.subgraph = item.lastSubgraph = m_subgraph;
        item.firstStep = item.lastStep = step;
        item.lower = m_out.firstStep.back() + step;
        item.upper = item.lower + 1;
        m_out.items.push_back(item);
        return m_out.items.size() - 1;
    }

    /// Marks an item as alive in the current step.
    void use(std::size_t item)
    {
        StepItem& i = m_out.items[item];
        i.lastSubgraph = m_subgraph;
        i.lastStep = m_step;
        i.upper = m_out.firstStep.back() + m_step + 1;
    }

    /// An input that is not loaded stays in the buffer of the previous step (R7.1, R7.2).
    void takeInputs(const Step& step)
    {
        std::vector<Buffer> now;
        now.reserve(step.buffers.size());
        for (const StepBuffer& b : step.buffers) {
            const auto before = std::find_if(m_inputs.begin(), m_inputs.end(), [&](const Buffer& known) {
                return !b.loaded && sameBuffer(known.buffer, b);
            });
            if (before != m_inputs.end()) {
                use(before->item);
                now.push_back({b, before->item});
            } else {
                now.push_back({b, add({Resident::Kind::Input, b.tensor, b.size,
                                       b.full ? std::nullopt : std::optional(b.rect), b.role, b.loaded},
                                      step.index)});
            }
        }
        m_inputs = std::move(now);
    }

    void takeOutputs(const Step& step)
    {
        for (const StepSink& s : step.sinks) {
            if (s.outputElements == 0)
                continue;
            auto known = std::find_if(m_outputs.begin(), m_outputs.end(),
                                      [&](const Known& k) { return k.tensor == s.tensor; });
            if (known == m_outputs.end())
                known =
                    m_outputs.insert(known, {s.tensor, add({Resident::Kind::Output, s.tensor,
                                                            s.outputElements, s.tile, std::nullopt, false},
                                                           step.index)});
            use(known->item);
            if (s.takesOver)
                takeOver(m_out.items[known->item], s);
        }
    }

    /// Makes a tile take over a buffer (R9.6). A tile that was beside the buffer in an earlier step cannot
    /// move onto it.
    void takeOver(StepItem& tile, const StepSink& sink)
    {
        const Buffer* buffer = nullptr;
        for (const Buffer& b : m_inputs)
            if (b.buffer.tensor == *sink.takesOver &&
                (b.buffer.full || (b.buffer.role == Role::Pointwise && b.buffer.rect == sink.tile)))
                buffer = &b;
        if (buffer &&
            std::max(tile.lower, m_out.items[buffer->item].lower) == m_out.firstStep.back() + m_step)
            tile.takesOver = buffer->item;
    }

    /// Adds the accumulators of the current tile (R9.1d). A shared accumulator counts for the first active
    /// sink, so only the number of accumulators of a tile is known. It decreases as the sinks of the tile
    /// complete.
    void takeAccumulators(const Step& step)
    {
        for (std::size_t i = 0; i < step.sinks.size(); ++i) {
            const Rect& tile = step.sinks[i].tile;
            const auto sameTile = [&](const StepSink& s) { return s.tile == tile; };
            if (std::any_of(step.sinks.begin(), step.sinks.begin() + static_cast<std::ptrdiff_t>(i),
                            sameTile))
                continue;
            std::int64_t count = 0, size = 0;
            for (const StepSink& s : step.sinks)
                if (sameTile(s)) {
                    count += s.accumulatorCount;
                    size += s.accumulators;
                }
            if (count > 0)
                size = ceilDiv(size,
                               // All have one width (R1.9), unless drivers of several widths have
                               // accumulators of their own.
                               count);
            for (const Accumulator& a : m_accumulators)
                if (a.tile == tile && count > 0) {
                    use(a.item);
                    --count;
                }
            for (; count > 0; --count)
                m_accumulators.push_back({tile, add({Resident::Kind::Accumulator, step.sinks[i].tensor, size,
                                                     tile, std::nullopt, false},
                                                    step.index)});
        }
    }

    const Problem& m_problem;
    StepItems& m_out;
    SubgraphId m_subgraph;
    std::int64_t m_step = 0; // index of the step in the current subgraph
    std::vector<Known> m_reserved;
    std::vector<Buffer> m_inputs;
    std::vector<Known> m_outputs;            // outputs of the current tile
    std::vector<Accumulator> m_accumulators; // accumulators of the current tile
};

} // namespace

Result<StepItems> stepItems(const Problem& problem, const Schedule& schedule, const Rules& rules,
                            const Progress& progress)
{
    StepItems out;
    ItemCollector collector(problem, out);
    bool stopped = false;
    for (std::size_t i = 0; i < schedule.size() && !stopped; ++i) {
        const std::vector<TensorId> resident = residentBefore(problem, schedule, rules, SubgraphId(i));
        const Subgraph& subgraph = *schedule.subgraphs[i];
        collector.beginSubgraph(SubgraphId(i), resident, subgraph.retain);
        traceSubgraph(problem, subgraph, resident, rules, [&](const Step& step) {
            stopped = (step.index & 255) == 0 && progress.stopRequested();
            if (stopped || out.items.size() > kMaxStepItems)
                return false;
            collector.take(step);
            return true;
        });
        collector.endSubgraph();
        if (out.items.size() > kMaxStepItems)
            return Error{ErrorCode::Refused,
                         "more than " + formatGrouped(kMaxStepItems) +
                             " buffers to place; larger tiles need fewer of them",
                         "subgraphs[" + std::to_string(i) + "]",
                         {}};
        progress.tell(static_cast<double>(i + 1) / static_cast<double>(schedule.size()), "steps");
    }
    if (stopped)
        return Error{ErrorCode::Refused, "stopped before every step was seen", {}, {}};
    return out;
}

PlacementOfItems shapesOf(const StepItems& items)
{
    PlacementOfItems out;
    out.shapeOf.resize(items.items.size());
    for (std::size_t i = 0; i < items.items.size(); ++i) {
        const StepItem& item = items.items[i];
        // the item has no shape of its own: below, it is merged with the item whose buffer it takes over
        if (item.takesOver)
            continue;
        out.shapeOf[i] = out.shapes.size();
        out.shapes.push_back({item.lower, item.upper, item.what.elements, item.lower, 0});
    }
    for (std::size_t i = 0; i < items.items.size(); ++i) {
        const StepItem& tile = items.items[i];
        if (!tile.takesOver)
            continue;
        out.shapeOf[i] = out.shapeOf[*tile.takesOver];
        PlacementItem& shape = out.shapes[out.shapeOf[i]];
        if (tile.lower >= shape.lower)
            continue;
        shape.narrowUntil = tile.what.elements < shape.size ? shape.lower : tile.lower;
        shape.narrowSize = tile.what.elements < shape.size ? tile.what.elements : 0;
        shape.lower = tile.lower;
    }
    return out;
}

Result<PlacedSchedule> placeSchedule(const Problem& problem, const Schedule& schedule, const Rules& rules,
                                     const Progress& progress, const PlacementOptions& options)
{
    auto items = stepItems(problem, schedule, rules, progress);
    if (!items)
        return items.error();
    const PlacementOfItems shapes = shapesOf(*items);
    PlacedSchedule out{std::move(*items),
                       findPlacement(shapes.shapes, problem.capacityUnits(), progress, options)};
    std::vector<std::int64_t> offsets;
    offsets.reserve(shapes.shapeOf.size());
    for (const std::size_t shape : shapes.shapeOf)
        offsets.push_back(out.placement.offsets[shape]);
    out.placement.offsets = std::move(offsets);
    return out;
}

std::string placementText(const Placement& placement, std::int64_t capacity)
{
    const std::string height = formatGrouped(placement.height);
    const std::string least = formatGrouped(placement.leastHeight);
    const std::string memory = formatGrouped(capacity);
    if (placement.height <= capacity)
        return "placed in " + height + " of " + memory + " elements, " +
               (placement.proven() ? "minimal, proven" : "at least " + least + " are needed");
    if (placement.leastHeight <= capacity)
        return "not placed in " + memory + " elements yet: the best found needs " + height + ", at least " +
               least + " are needed";
    return "cannot be placed in " + memory + " elements: " +
           (placement.proven() ? "the least height is " + height
                               : "at least " + least + " are needed, the best found needs " + height);
}

namespace {

/// Indices of the items that are alive in a step.
std::vector<std::size_t> aliveIn(const StepItems& items, std::int64_t step)
{
    std::vector<std::size_t> out;
    for (std::size_t i = 0; i < items.items.size(); ++i)
        if (items.items[i].lower <= step && step < items.items[i].upper)
            out.push_back(i);
    return out;
}

/// The step in the life of an item at which the sum of the sizes of all live items is largest.
std::int64_t fullestStep(const StepItems& items, const StepItem& of)
{
    std::vector<std::pair<std::int64_t, std::int64_t>> changes;
    for (const StepItem& item : items.items)
        if (item.lower < of.upper && of.lower < item.upper) {
            changes.emplace_back(std::max(item.lower, of.lower), item.what.elements);
            changes.emplace_back(item.upper, -item.what.elements);
        }
    std::sort(changes.begin(), changes.end()); // at equal times, ends come before starts
    std::int64_t sum = 0;
    std::int64_t most = 0;
    std::int64_t step = of.lower;
    for (const auto& [at, change] : changes)
        if ((sum += change) > most) {
            most = sum;
            step = at;
        }
    return step;
}

} // namespace

std::optional<PlacementConflict> placementConflict(const Problem& problem, const PlacedSchedule& placed)
{
    const std::int64_t capacity = problem.capacityUnits();
    const Placement& placement = placed.placement;
    if (placement.leastHeight <= capacity)
        return std::nullopt;
    const auto& items = placed.items.items;
    std::size_t highest = 0;
    const auto end = [&](std::size_t i) { return placement.offsets[i] + items[i].what.elements; };
    for (std::size_t i = 0; i < items.size(); ++i)
        if (end(i) > end(highest))
            highest = i;
    const std::int64_t fullest = fullestStep(placed.items, items[highest]);
    PlacementConflict out;
    const auto& starts = placed.items.firstStep;
    const auto subgraph = std::upper_bound(starts.begin(), starts.end(), fullest) - starts.begin() - 1;
    out.subgraph = SubgraphId(static_cast<std::size_t>(subgraph));
    out.step = fullest - starts[out.subgraph.index()];
    out.items = aliveIn(placed.items, fullest);
    std::stable_partition(out.items.begin(), out.items.end(), [&](std::size_t i) { return i == highest; });
    std::string names;
    for (const std::size_t i : out.items)
        names += (i == out.items.front()  ? ""
                  : i == out.items.back() ? " and "
                                          : ", ") +
                 problem.tensorName(items[i].what.tensor);
    out.text = "every working set fits, but the buffers " + placementText(placement, capacity) +
               "; in step " + formatGrouped(out.step) + " there is no room for all of " + names;
    return out;
}

} // namespace tilewright
