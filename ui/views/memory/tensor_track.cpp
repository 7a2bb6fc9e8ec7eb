// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/memory/tensor_track.h"

#include <QStringList>

#include <algorithm>

namespace tilewright::ui {

namespace {

bool contains(std::span<const TensorId> list, TensorId t)
{
    return std::find(list.begin(), list.end(), t) != list.end();
}

bool touches(const Problem& problem, const TraceKey& key, TensorId t)
{
    if (contains(key.resident, t) || contains(key.subgraph->retain, t))
        return true;
    return std::any_of(key.subgraph->ops.begin(), key.subgraph->ops.end(), [&](OpId o) {
        const Op& op = problem.op(o);
        return op.output == t || contains(op.inputs, t);
    });
}

MemoryUse useIn(const Step& step, const TraceKey& key, TensorId t, std::int64_t elements)
{
    MemoryUse use;
    if (contains(key.resident, t))
        use.resident = elements;
    else if (contains(key.subgraph->retain, t))
        use.retained = elements;
    for (const StepBuffer& b : step.buffers)
        if (b.tensor == t)
            use.input += b.rect.area();
    for (const StepSink& k : step.sinks)
        if (k.tensor == t) {
            use.accumulator += k.accumulators;
            use.output += k.outputElements;
        }
    // An output in the place of an input (R9.6) is counted once.
    use.input = std::min(use.input, step.inputElements - step.donatedElements);
    return use;
}

} // namespace

MemoryUse TensorTrack::use(const Timeline& timeline, std::size_t part, std::int64_t step) const
{
    return isIn(part) ? parts[part].byShape[timeline.parts[part].steps->shapeOf(step)] : MemoryUse();
}

std::shared_ptr<const TensorTrack> trackTensor(const Timeline& timeline, TensorId tensor)
{
    auto track = std::make_shared<TensorTrack>();
    track->tensor = tensor;
    track->parts.resize(timeline.parts.size());
    const std::int64_t elements = timeline.problem->tensor(tensor).elements();
    for (std::size_t p = 0; p < timeline.parts.size(); ++p) {
        const TimelinePart& part = timeline.parts[p];
        if (!part.isKnown() || !touches(*timeline.problem, part.key, tensor))
            continue;
        // One step of each shape is evaluated.
        const StepTable& table = *part.steps;
        std::vector<std::int64_t> counts(table.shapeCount(), 0);
        std::vector<MemoryUse> uses(table.shapeCount());
        for (std::int64_t i = 0; i < table.size(); ++i)
            if (const std::size_t shape = table.shapeOf(i); ++counts[shape] == 1)
                uses[shape] = useIn(table.step(i), part.key, tensor, elements);
        TensorTrack::Part& out = track->parts[p];
        for (std::size_t shape = 0; shape < uses.size(); ++shape)
            if (const std::int64_t n = uses[shape].total(); n > 0) {
                out.high = std::max(out.high, n);
                out.time += static_cast<double>(counts[shape]) * table.sumsOfShape(shape).latency;
            }
        if (out.high > 0)
            out.byShape = std::move(uses);
        track->high = std::max(track->high, out.high);
        track->time += out.time;
    }
    return track;
}

QString subgraphsText(const TensorTrack& track)
{
    QStringList runs;
    for (std::size_t i = 0; i < track.parts.size(); ++i) {
        if (!track.isIn(i))
            continue;
        std::size_t last = i;
        while (last + 1 < track.parts.size() && track.isIn(last + 1))
            ++last;
        runs << (last > i ? QStringLiteral("%1–%2").arg(i).arg(last) : QString::number(i));
        i = last;
    }
    return runs.join(QStringLiteral(", "));
}

} // namespace tilewright::ui
