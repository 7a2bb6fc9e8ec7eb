// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/graph/graph_sections.h"

#include <algorithm>
#include <string>

namespace tilewright::ui {

namespace {

constexpr std::size_t kWantedSections = 96; // approximate number of sections
constexpr std::size_t kSmallest = 8;        // minimum number of ops in a section

std::string firstPart(const std::string& name)
{
    return name.substr(0, name.find_first_of("./:"));
}

/// Returns for each op the number of sections up to the last section of `blocks` on which it depends.
std::vector<std::uint32_t> blocksBefore(const Problem& problem, const BlockSections& blocks)
{
    std::vector<std::uint32_t> out(problem.opCount(), 0);
    for (const OpId op : problem.topologicalOrder())
        for (const TensorId input : problem.op(op).inputs)
            for (const OpId source : problem.sources(input)) {
                const std::uint32_t section = blocks.ofOp[source.index()];
                out[op.index()] =
                    std::max({out[op.index()], out[source.index()], section == kNoSection ? 0 : section + 1});
            }
    return out;
}

} // namespace

BlockSections blockSections(const Problem& problem, const std::vector<Repetition>& repetitions)
{
    BlockSections out;
    if (repetitions.empty())
        return out;
    out.ofOp.assign(problem.opCount(), kNoSection);
    for (std::size_t r = 0; r < repetitions.size(); ++r)
        for (std::size_t b = 0; b < repetitions[r].count(); ++b) {
            for (const OpId op : repetitions[r].blocks[b])
                out.ofOp[op.index()] = static_cast<std::uint32_t>(out.blocks.size());
            out.blocks.push_back({r, b, 1});
        }
    return out;
}

BlockPassage passageOf(const Problem& problem, const std::vector<Repetition>& repetitions)
{
    BlockPassage out;
    for (const Repetition& r : repetitions)
        for (std::size_t i = 0; r.count() > 1 && i < r.period(); ++i) {
            const Op &first = problem.op(r.blocks[0][i]), &second = problem.op(r.blocks[1][i]);
            for (std::size_t k = 0; k < first.inputs.size(); ++k)
                if (problem.sources(first.inputs[k]).empty() && !problem.sources(second.inputs[k]).empty())
                    out.enters.emplace(first.inputs[k], r.blocks[0][i]);
            const TensorId last = problem.op(r.blocks.back()[i]).output;
            if (problem.isGraphOutput(last) &&
                !problem.isGraphOutput(problem.op(r.blocks[r.count() - 2][i]).output))
                out.leaves.insert(last);
        }
    return out;
}

std::vector<std::uint32_t> sectionsOf(const Problem& problem, const BlockSections& blocks)
{
    std::vector<OpId> order = problem.topologicalOrder();
    std::vector<std::uint32_t> out(problem.opCount()), before(problem.opCount(), 0);
    if (!blocks.ofOp.empty()) {
        out = blocks.ofOp;
        before = blocksBefore(problem, blocks);
        std::erase_if(order, [&](OpId op) { return out[op.index()] != kNoSection; });
        std::stable_sort(order.begin(), order.end(),
                         [&](OpId a, OpId b) { return before[a.index()] < before[b.index()]; });
    }
    const std::size_t wanted = std::max(kSmallest, (order.size() + kWantedSections - 1) / kWantedSections);
    auto section = static_cast<std::uint32_t>(blocks.blocks.size());
    std::size_t size = 0;
    std::string part;
    std::uint32_t behind = 0;
    for (const OpId op : order) {
        std::string next = firstPart(problem.opName(op));
        const bool another = next != part && next.size() < problem.opName(op).size();
        if (size >= 2 * wanted || (size >= wanted && (another || next.size() == problem.opName(op).size())) ||
            (another && 2 * size >= wanted) || (size > 0 && before[op.index()] != behind)) {
            ++section;
            size = 0;
        }
        part = std::move(next);
        behind = before[op.index()];
        out[op.index()] = section;
        ++size;
    }
    return out;
}

} // namespace tilewright::ui
