// SPDX-License-Identifier: GPL-3.0-or-later
// Operators that move elements and compute nothing.
#include "stablehlo/translation.h"

#include <algorithm>
#include <numeric>

namespace tilewright::stablehlo {

using model::Shape;

/// Translates a broadcast. It is stored as the tensor that it repeats, which elementwise operators read
/// directly. It becomes an operator only when an operator of another kind reads it.
Status Translation::broadcast(const Node& node)
{
    const Shape x = shapeOf(node, 0), y = valueOf(node).type.shape;
    const auto dims = axes(node, {"dims", "broadcast_dimensions"}, y.size());
    if (!dims)
        return dims.error();
    if (dims->size() != x.size())
        return refuse(node, "dims has " + std::to_string(dims->size()) + " entries, its operand " +
                                std::to_string(x.size()) + " dimensions");
    for (std::size_t i = 0; i < x.size(); ++i)
        if (const std::int64_t size = y[static_cast<std::size_t>((*dims)[i])]; x[i] != 1 && x[i] != size)
            return refuse(node, "dimension " + std::to_string(i) + " of its operand " + model::shapeText(x) +
                                    " does not fit its result " + model::shapeText(y));
    const ValueIndex from = node.operands[0];
    if (m_values[from].splat) {
        fold(node, "known before the model runs", true);
        return Unit{};
    }
    fold(node, "read as a broadcast by the operators behind it");
    ValueIndex source = from;
    Shape narrow = x;
    if (m_values[from].source && !m_values[from].tensor) {
        source = *m_values[from].source;
        narrow = m_values[from].narrowShape;
    }
    Integers order(x.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::sort(order, {}, [&](std::int64_t i) { return (*dims)[static_cast<std::size_t>(i)]; });
    if (!std::ranges::is_sorted(order)) { // the broadcast also permutes the dimensions
        const auto t = tensorOf(from);
        const auto turned = t ? transposed(node, "transposed", *t, order) : t;
        if (!turned)
            return turned.error();
        Value value{node.name + "/transposed", m_values[from].type, m_values[from].constant};
        value.type.shape = shape(*turned);
        value.tensor = *turned;
        m_values.push_back(std::move(value));
        source = m_values.size() - 1;
        narrow = x;
    }
    Value& out = valueOf(node);
    out.constant = m_values[from].constant;
    out.source = source;
    out.node = node.index;
    out.narrowShape.assign(y.size(), 1);
    for (std::size_t i = 0; i < x.size(); ++i)
        out.narrowShape[static_cast<std::size_t>((*dims)[i])] = narrow[i];
    return Unit{};
}

Status Translation::reshape(const Node& node)
{
    const Shape x = shapeOf(node, 0), y = valueOf(node).type.shape;
    if (model::elementsOf(x) != model::elementsOf(y))
        return refuse(node, "its operand " + model::shapeText(x) + " and its result " + model::shapeText(y) +
                                " have different numbers of elements");
    if (allConstant(node)) {
        fold(node, "known before the model runs", m_values[node.operands[0]].splat);
        return Unit{};
    }
    auto inputs = tensorsOf(node, 1);
    return inputs ? result(node, Kind::Reshape, std::move(*inputs), model::NoAttributes{})
                  : Status(inputs.error());
}

Status Translation::transpose(const Node& node)
{
    const auto permutation = axes(node, {"dims", "permutation"}, shapeOf(node, 0).size());
    if (!permutation)
        return permutation.error();
    if (m_values[node.operands[0]].splat) {
        fold(node, "known before the model runs", true);
        return Unit{};
    }
    auto inputs = tensorsOf(node, 1);
    if (!inputs)
        return inputs.error();
    if (!m_values[node.operands[0]].constant || permutation->size() != shapeOf(node, 0).size())
        return result(node, Kind::Transpose, std::move(*inputs), model::TransposeAttributes{*permutation});
    fold(node, "known before the model runs");
    const auto stored = transposed(node, "stored", inputs->front(), *permutation);
    return stored ? resultIs(node, *stored) : Status(stored.error());
}

/// Translates a slice. The printed form has "[0:1, 2:4:2]" after the operand, the generic form three lists.
Status Translation::slice(const Node& node)
{
    const Shape x = shapeOf(node, 0);
    const std::size_t rank = x.size();
    Integers starts, ends, steps;
    const Range header = node.statement->header;
    std::size_t open = header.begin;
    while (open < header.end && !m_program.token(open).isSign('['))
        ++open;
    if (const auto at = m_program.attribute(*node.statement, "start_indices")) {
        const auto first = list(node, {"start_indices"}, rank, 0);
        const auto last = list(node, {"limit_indices"}, rank, 0);
        const auto step = list(node, {"strides"}, rank, 1);
        for (const auto* part : {&first, &last, &step})
            if (!*part)
                return part->error();
        starts = *first;
        ends = *last;
        steps = *step;
    } else if (open < header.end) {
        for (std::size_t i = open + 1; i < m_program.token(open).match;) {
            Integers parts;
            while (parts.size() < 3) {
                const auto number = m_program.integersAt(i);
                if (!number)
                    return number.error();
                parts.push_back(number->front());
                if (!m_program.token(i).isSign(':'))
                    break;
                ++i;
            }
            if (parts.size() < 2 || !(m_program.token(i).isSign(',') || i == m_program.token(open).match))
                return refuse(node, "a range of the form \"start:limit:stride\" is expected");
            starts.push_back(parts[0]);
            ends.push_back(parts[1]);
            steps.push_back(parts.size() > 2 ? parts[2] : 1);
            ++i;
        }
    }
    if (starts.size() != rank)
        return refuse(node, "has " + std::to_string(starts.size()) + " ranges, its operand " +
                                std::to_string(rank) + " dimensions");
    model::SliceAttributes a;
    for (std::size_t i = 0; i < rank; ++i)
        if (starts[i] != 0 || ends[i] != x[i] || steps[i] != 1) {
            a.axes.push_back(static_cast<std::int64_t>(i));
            a.starts.push_back(starts[i]);
            a.ends.push_back(ends[i]);
            a.steps.push_back(steps[i]);
        }
    if (allConstant(node)) {
        fold(node, "known before the model runs", m_values[node.operands[0]].splat);
        return Unit{};
    }
    auto inputs = tensorsOf(node, 1);
    if (!inputs)
        return inputs.error();
    return a.axes.empty() ? result(node, Kind::Identity, std::move(*inputs), model::NoAttributes{})
                          : result(node, Kind::Slice, std::move(*inputs), std::move(a));
}

/// Translates a slice whose start is known only when the model runs. Its size is known now.
Status Translation::dynamicSlice(const Node& node)
{
    const Shape x = shapeOf(node, 0), y = valueOf(node).type.shape;
    const auto sizes = list(node, {"sizes", "slice_sizes"}, x.size(), 1);
    if (!sizes)
        return sizes.error();
    if (*sizes != y)
        return refuse(node, "its sizes " + model::shapeText(*sizes) + " are not those of its result " +
                                model::shapeText(y));
    model::SliceAttributes a;
    for (std::size_t i = 0; i < x.size(); ++i)
        if (y[i] != x[i]) {
            a.axes.push_back(static_cast<std::int64_t>(i));
            a.starts.push_back(0);
            a.ends.push_back(y[i]);
            a.steps.push_back(1);
        }
    auto inputs = tensorsOf(node, 1);
    if (!inputs)
        return inputs.error();
    tell("a dynamic_slice, whose place is known when the model runs, is read at the start of its operand");
    return a.axes.empty() ? result(node, Kind::Identity, std::move(*inputs), model::NoAttributes{})
                          : result(node, Kind::Slice, std::move(*inputs), std::move(a));
}

Status Translation::concatenate(const Node& node)
{
    const auto axis = axes(node, {"dim", "dimension"}, valueOf(node).type.shape.size());
    if (!axis)
        return axis.error();
    if (axis->size() != 1)
        return refuse(node, "has more than one dimension");
    if (allConstant(node)) {
        fold(node, "known before the model runs");
        return Unit{};
    }
    Tensors inputs;
    for (const ValueIndex v : node.operands)
        if (!m_values[v].type.isEmpty()) {
            const auto t = tensorOf(v);
            if (!t)
                return t.error();
            inputs.push_back(*t);
        }
    if (inputs.empty())
        return refuse(node, "all its operands are empty");
    return inputs.size() == 1
               ? result(node, Kind::Identity, std::move(inputs), model::NoAttributes{})
               : result(node, Kind::Concat, std::move(inputs), model::AxisAttributes{axis->front(), {}});
}

Status Translation::pad(const Node& node)
{
    const std::size_t rank = shapeOf(node, 0).size();
    const auto low = list(node, {"low", "edge_padding_low"}, rank, 0);
    const auto high = list(node, {"high", "edge_padding_high"}, rank, 0);
    const auto inside = list(node, {"interior", "interior_padding"}, rank, 0);
    for (const auto* part : {&low, &high, &inside})
        if (!*part)
            return part->error();
    if (allConstant(node)) {
        fold(node, "known before the model runs");
        return Unit{};
    }
    const auto isNegative = [](std::int64_t p) { return p < 0; };
    auto inputs = tensorsOf(node, 1);
    if (!inputs)
        return inputs.error();
    if (std::ranges::any_of(*low, isNegative) || std::ranges::any_of(*high, isNegative) ||
        std::ranges::any_of(*inside, [](std::int64_t p) { return p != 0; }))
        return result(node, Kind::View, std::move(*inputs), model::NoAttributes{});
    return result(node, Kind::Pad, std::move(*inputs), model::PadAttributes{*low, *high});
}

/// Translates a gather. Rows of a table along one dimension become a look-up; any other gather becomes a
/// rearrangement of its operands.
Status Translation::gather(const Node& node)
{
    const Shape table = shapeOf(node, 0);
    const std::size_t rank = table.size();
    if (node.operands.size() != 2)
        return refuse(node, "has " + std::to_string(node.operands.size()) + " operands instead of 2");
    const auto sizes = list(node, {"slice_sizes"}, rank, 1);
    const auto collapsed = m_program.integers(*node.statement, "collapsed_slice_dims");
    const auto map = m_program.integers(*node.statement, "start_index_map");
    const auto batching = m_program.integers(*node.statement, "operand_batching_dims");
    const auto vector = number(node, "index_vector_dim", 0);
    if (!sizes || !vector)
        return sizes ? vector.error() : sizes.error();
    for (const auto* part : {&collapsed, &map, &batching})
        if (!*part)
            return part->error();
    if (allConstant(node)) {
        fold(node, "known before the model runs");
        return Unit{};
    }
    const auto inputs = tensorsOf(node, 2);
    if (!inputs)
        return inputs.error();
    bool isLookUp = *collapsed && *map && (*collapsed)->size() == 1 && **collapsed == **map &&
                    (!*batching || (*batching)->empty());
    const std::int64_t axis = isLookUp ? (*map)->front() : -1;
    isLookUp &= axis >= 0 && axis < static_cast<std::int64_t>(rank);
    for (std::size_t i = 0; i < rank; ++i)
        isLookUp &= (*sizes)[i] == (static_cast<std::int64_t>(i) == axis ? 1 : table[i]);
    Shape rows = shape((*inputs)[1]);
    const std::int64_t last = static_cast<std::int64_t>(rows.size());
    if (*vector >= 0 && *vector < last) {
        isLookUp &= rows[static_cast<std::size_t>(*vector)] == 1;
        rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(*vector));
    }
    Shape found = table;
    if (isLookUp) {
        found.erase(found.begin() + axis);
        found.insert(found.begin() + axis, rows.begin(), rows.end());
    }
    if (!isLookUp || found != valueOf(node).type.shape)
        return result(node, Kind::View, *inputs, model::NoAttributes{});
    const auto index = reshaped(node, "index", (*inputs)[1], rows);
    if (!index)
        return index.error();
    return result(node, Kind::Gather, {inputs->front(), *index}, model::AxisAttributes{axis, {}});
}

Status Translation::view(const Node& node)
{
    if (allConstant(node)) {
        fold(node, "known before the model runs");
        return Unit{};
    }
    Tensors inputs;
    for (std::size_t i = 0; i < node.operands.size(); ++i)
        // The operands after the first one are scalar indices.
        if (i == 0 || !m_values[node.operands[i]].type.shape.empty()) {
            const auto t = tensorOf(node.operands[i]);
            if (!t)
                return t.error();
            inputs.push_back(*t);
        }
    for (std::size_t i = 0; i < node.results.size(); ++i)
        if (Status s = result(node, Kind::View, inputs, model::NoAttributes{}, i); !s)
            return s;
    return Unit{};
}

} // namespace tilewright::stablehlo
