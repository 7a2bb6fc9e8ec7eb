// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/ids.h"
#include "base/result.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tilewright {

enum class OpType : std::uint8_t { MatMul, Pointwise };

/// A matrix of height x width elements (rows x columns).
struct Tensor
{
    std::int64_t width = 1;
    std::int64_t height = 1;
    std::string name; ///< optional; if empty, the tensor is called "t7" by its number
    [[nodiscard]] std::int64_t elements() const noexcept { return width * height; }
    bool operator==(const Tensor&) const = default;
};

/// One operation with one output. MatMul has exactly two inputs: LHS, RHS.
struct Op
{
    OpType type = OpType::Pointwise;
    std::vector<TensorId> inputs;
    TensorId output;
    std::int64_t baseCost = 0; ///< compute time of one native tile (w x h, full reduction depth)
    std::string name;          ///< optional; if empty, the op is called "op3" by its number
    bool operator==(const Op&) const = default;
};

/// R1.7: a tensor without producer whose elements are read from its bases in slow memory in another
/// arrangement. It is available as soon as all its bases are in slow memory.
struct TensorView
{
    TensorId tensor;
    std::vector<TensorId> bases;
    bool operator==(const TensorView&) const = default;
};

struct Hardware
{
    std::int64_t fastMemoryCapacity = 1;  ///< in elements
    std::int64_t slowMemoryBandwidth = 1; ///< in elements per unit of time
    std::int64_t nativeWidth = 1;
    std::int64_t nativeHeight = 1;
    std::optional<std::int64_t> nativeDepth; ///< third entry of native_granularity
    /// R1.6: the third entry, otherwise native_w.
    [[nodiscard]] std::int64_t nativeK() const noexcept { return nativeDepth.value_or(nativeWidth); }
    bool operator==(const Hardware&) const = default;
};

/// An immutable, validated graph of ops and tensors with its hardware (R1).
class Problem
{
public:
    struct Data
    {
        std::string name;
        IdVector<TensorId, Tensor> tensors;
        IdVector<OpId, Op> ops;
        Hardware hardware;
        std::vector<TensorView> views;
        std::string extra; ///< unknown fields of the file, as the text of one JSON object; kept on save
    };

    /// Checks R1.3, R1.4, R1.7 and the limits of docs/design.md 2.2 (dimensions up to 2^31, areas and sums up
    /// to 2^62) and derives the adjacency. The Error's path names the invalid field of the problem file.
    [[nodiscard]] static Result<std::shared_ptr<const Problem>> build(Data data);

    [[nodiscard]] const std::string& name() const noexcept { return m_data.name; }
    [[nodiscard]] const Hardware& hardware() const noexcept { return m_data.hardware; }
    [[nodiscard]] const Data& data() const noexcept { return m_data; }

    [[nodiscard]] std::size_t tensorCount() const noexcept { return m_data.tensors.size(); }
    [[nodiscard]] std::size_t opCount() const noexcept { return m_data.ops.size(); }
    [[nodiscard]] const Tensor& tensor(TensorId t) const { return m_data.tensors[t]; }
    [[nodiscard]] const Op& op(OpId o) const { return m_data.ops[o]; }
    [[nodiscard]] const IdVector<TensorId, Tensor>& tensors() const noexcept { return m_data.tensors; }
    [[nodiscard]] const IdVector<OpId, Op>& ops() const noexcept { return m_data.ops; }

    /// Name of the op in the file, or "op3" if it has none.
    [[nodiscard]] std::string opName(OpId o) const;
    [[nodiscard]] std::string tensorName(TensorId t) const;

    [[nodiscard]] std::optional<OpId> producer(TensorId t) const { return m_producers[t]; }
    /// Ops that read t directly, ascending, without duplicates.
    [[nodiscard]] std::span<const OpId> consumers(TensorId t) const { return m_consumers[t]; }
    /// R1.7: the bases of a view; empty for any other tensor.
    [[nodiscard]] std::span<const TensorId> bases(TensorId t) const
    {
        return m_bases.empty() ? std::span<const TensorId>() : m_bases[t];
    }
    [[nodiscard]] bool isView(TensorId t) const { return !bases(t).empty(); }
    /// Views of t that some op reads, ascending. If there is one, t must be in slow memory before that op
    /// runs.
    [[nodiscard]] std::span<const TensorId> viewsOf(TensorId t) const
    {
        return m_views.empty() ? std::span<const TensorId>() : m_views[t];
    }
    /// Ops that read t or a view of t, ascending, without duplicates.
    [[nodiscard]] std::vector<OpId> readers(TensorId t) const;
    /// Ops that produce t or, if t is a view, its bases; ascending, without duplicates.
    [[nodiscard]] std::vector<OpId> sources(TensorId t) const;
    /// R1.5: true if t has no producer, is not a view and is read by some op, directly or through a view.
    [[nodiscard]] bool isGraphInput(TensorId t) const
    {
        return !m_producers[t] && !isView(t) && (!m_consumers[t].empty() || !viewsOf(t).empty());
    }
    /// R1.5: true if t is produced and no op reads it, directly or through a view.
    [[nodiscard]] bool isGraphOutput(TensorId t) const
    {
        return m_producers[t] && m_consumers[t].empty() && viewsOf(t).empty();
    }
    [[nodiscard]] const std::vector<TensorId>& graphInputs() const noexcept { return m_graphInputs; }
    [[nodiscard]] const std::vector<TensorId>& graphOutputs() const noexcept { return m_graphOutputs; }
    /// Ops in topological order (Kahn's algorithm, ties by id).
    [[nodiscard]] const std::vector<OpId>& topologicalOrder() const noexcept { return m_topologicalOrder; }

    /// Reduction size K of a MatMul (width of its LHS); 1 for Pointwise.
    [[nodiscard]] std::int64_t reductionSize(OpId o) const;

private:
    Problem() = default;
    Data m_data;
    IdVector<TensorId, std::optional<OpId>> m_producers;
    IdVector<TensorId, std::vector<OpId>> m_consumers;
    IdVector<TensorId, std::vector<TensorId>> m_bases,
        m_views; // by tensor; empty if the problem has no views
    std::vector<TensorId> m_graphInputs;
    std::vector<TensorId> m_graphOutputs;
    std::vector<OpId> m_topologicalOrder;
};

using ProblemPtr = std::shared_ptr<const Problem>;

/// Tensors that a set of ops reads and writes (R3.1). Each list is ascending and without duplicates, except
/// `sinks`.
struct Boundary
{
    std::vector<TensorId> inputs;   ///< consumed and not produced inside
    std::vector<TensorId> sinks;    ///< produced and not consumed inside; in the order of the ops
    std::vector<TensorId> interior; ///< produced and consumed inside (ephemeral)
};
[[nodiscard]] Boundary boundaryOf(const Problem& problem, std::span<const OpId> ops);

/// Transitive reachability between ops, along tensors and views. An op does not reach itself.
class Reachability
{
public:
    explicit Reachability(const Problem& problem);
    [[nodiscard]] bool reaches(OpId from, OpId to) const
    {
        return (m_bits[from.index() * m_words + to.index() / 64] >> (to.index() % 64)) & 1;
    }

private:
    std::size_t m_words;
    std::vector<std::uint64_t> m_bits;
};

/// Kind of rearrangement of a view (R1.7), derived from sizes only: a problem does not store the index map.
enum class ViewKind : std::uint8_t {
    Rearrangement, ///< one base, each element once
    Transposition, ///< one base, each element once, height and width exchanged
    Slice,         ///< one base, fewer elements than the base
    Patches, ///< one base, more elements than the base: elements are read several times (im2col, broadcast)
    Concatenation, ///< several bases, each element once
    Gather,        ///< several bases, another number of elements than all bases together
};
struct ViewReading
{
    ViewKind kind = ViewKind::Rearrangement;
    std::int64_t elements = 0;     ///< number of elements of the view
    std::int64_t baseElements = 0; ///< number of elements of all bases
};
/// Classifies a view. Requires problem.isView(view).
[[nodiscard]] ViewReading viewReading(const Problem& problem, TensorId view);

} // namespace tilewright
