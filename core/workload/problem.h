// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/ids.h"
#include "base/result.h"
#include "workload/index_map.h"
#include "workload/rules.h"

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
    std::string name;      ///< optional; if empty, the tensor is called "t7" by its number
    std::int64_t bits = 0; ///< R1.9: width of an element in 1/1024 bit; 0: Problem::Data::elementBits
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
/// arrangement. It is available as soon as all its bases are in slow memory. R1.8: with a map, reading it is
/// reading its one base.
struct TensorView
{
    TensorId tensor;
    std::vector<TensorId> bases;
    std::optional<IndexMap> map{};
    bool operator==(const TensorView&) const = default;
};

/// R1.9: widths are integers in 1/1024 bit.
inline constexpr std::int64_t kPartsOfBit = 1024;
inline constexpr std::int64_t kWidestElement = 64 * kPartsOfBit;

/// R17: energies in pJ. `mac` and `vector` have one entry, or one per op.
struct EnergyCosts
{
    double slow = 0;               ///< energy of a bit loaded or stored
    double fast = 0;               ///< energy of a bit written to or read from fast memory
    std::vector<double> mac{0};    ///< energy of a multiplication of a MatMul
    std::vector<double> vector{0}; ///< energy of an element of a Pointwise
    bool operator==(const EnergyCosts&) const = default;
};

/// R8.4: what multiplies. The extents of a systolic array are Hardware::nativeHeight and nativeWidth.
struct ComputeArray
{
    enum class Kind : std::uint8_t { Systolic, DotProduct } kind = Kind::Systolic;
    std::int64_t inputs = 1;  ///< of a dot-product array: number of inputs summed at once
    std::int64_t outputs = 1; ///< of a dot-product array: number of columns computed at once
    std::int64_t arrays = 1;  ///< arrays of a core
    bool operator==(const ComputeArray&) const = default;
};

struct Hardware
{
    std::int64_t fastMemoryCapacity = 1;  ///< in elements
    std::int64_t slowMemoryBandwidth = 1; ///< in elements per unit of time
    std::int64_t nativeWidth = 1;
    std::int64_t nativeHeight = 1;
    std::optional<std::int64_t> nativeDepth; ///< third entry of native_granularity
    ComputeArray array{};                    ///< used with compute=array
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
        /// R1.9: width of the element that capacity and bandwidth count, in 1/1024 bit. If no tensor has a
        /// width of its own, it may be missing.
        std::optional<std::int64_t> elementBits;
        std::optional<std::int64_t> accumulatorBits; ///< R1.9: in 1/1024 bit
        std::optional<EnergyCosts> energy;           ///< R17
        std::optional<Rules> rules; ///< R18: those of its schedules, unless something else states them
        std::string extra; ///< unknown fields of the file, as the text of one JSON object; kept on save
    };

    /// Checks R1.3, R1.4, R1.7 to R1.9 and the limits of docs/design.md 2.2 (dimensions up to 2^31, areas and
    /// sums up to 2^62) and derives the adjacency. The Error's path names the invalid field of the problem
    /// file.
    [[nodiscard]] static Result<std::shared_ptr<const Problem>> build(Data data);

    /// A copy that knows a time which no schedule goes below, in units of time: the floor of the model that
    /// it was lowered from (R19). Files do not have it.
    [[nodiscard]] std::shared_ptr<const Problem> withFloor(double time) const;
    [[nodiscard]] double floor() const noexcept { return m_floor; } ///< 0 if no floor is known

    [[nodiscard]] const std::string& name() const noexcept { return m_data.name; }
    [[nodiscard]] const Hardware& hardware() const noexcept { return m_data.hardware; }
    [[nodiscard]] const Data& data() const noexcept { return m_data; }
    /// R18: the rules of its schedules, unless something else states them.
    [[nodiscard]] Rules rules() const noexcept { return m_data.rules.value_or(Rules::final()); }

    [[nodiscard]] std::size_t tensorCount() const noexcept { return m_data.tensors.size(); }
    [[nodiscard]] std::size_t opCount() const noexcept { return m_data.ops.size(); }
    [[nodiscard]] const Tensor& tensor(TensorId t) const { return m_data.tensors[t]; }
    /// The op as a node of the graph: R1.8, an input that is a view with a map is the base of the view.
    [[nodiscard]] const Op& op(OpId o) const { return ops()[o]; }
    [[nodiscard]] const IdVector<TensorId, Tensor>& tensors() const noexcept { return m_data.tensors; }
    [[nodiscard]] const IdVector<OpId, Op>& ops() const noexcept
    {
        return m_maps.empty() ? m_data.ops : m_graphOps;
    }
    /// The tensors that the op computes with: its inputs with their shapes, views with maps included.
    [[nodiscard]] const std::vector<TensorId>& operands(OpId o) const { return m_data.ops[o].inputs; }

    /// Name of the op in the file, or "op3" if it has none.
    [[nodiscard]] std::string opName(OpId o) const;
    [[nodiscard]] std::string tensorName(TensorId t) const;

    [[nodiscard]] std::optional<OpId> producer(TensorId t) const { return m_producers[t]; }
    /// Ops that read t directly, ascending, without duplicates.
    [[nodiscard]] std::span<const OpId> consumers(TensorId t) const { return m_consumers[t]; }
    /// R1.7, R1.8: the bases of a view, with or without a map; empty for any other tensor.
    [[nodiscard]] std::span<const TensorId> bases(TensorId t) const
    {
        return m_bases.empty() ? std::span<const TensorId>() : m_bases[t];
    }
    [[nodiscard]] bool isView(TensorId t) const { return !bases(t).empty(); }
    /// Views of t without a map that some op reads, ascending. If there is one, t must be in slow memory
    /// before that op runs.
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

    /// R1.8: the map of a view; null for any other tensor.
    [[nodiscard]] const IndexMap* map(TensorId t) const
    {
        return m_maps.empty() || !m_maps[t] ? nullptr : &*m_data.views[*m_maps[t]].map;
    }
    [[nodiscard]] bool hasMaps() const noexcept { return !m_maps.empty(); }
    /// The tensor that holds the elements of t: the base of a view with a map, otherwise t itself.
    [[nodiscard]] TensorId stored(TensorId t) const { return map(t) ? m_bases[t].front() : t; }
    /// Number of elements that reading the whole of t touches: R1.8 for a view with a map, else its elements.
    [[nodiscard]] std::int64_t volume(TensorId t) const
    {
        return map(t) ? m_volumes[*m_maps[t]] : tensor(t).elements();
    }

    /// True if reading the whole of t touches every element of the tensor that holds its elements.
    [[nodiscard]] bool readsAll(TensorId t) const
    {
        return !map(t) || volume(t) == tensor(stored(t)).elements();
    }

    /// R1.9: true if tensors have other sizes than their elements.
    [[nodiscard]] bool hasWidths() const noexcept { return !m_units.empty(); }
    /// R1.9: sizes are counted in units, so that they are integers. Without widths a unit is an element.
    /// Units of one element of t.
    [[nodiscard]] std::int64_t units(TensorId t) const { return m_units.empty() ? 1 : m_units[t]; }
    /// Units of one accumulated element of t (accumulator_bits).
    [[nodiscard]] std::int64_t accumulatorUnits(TensorId t) const
    {
        return m_accumulatorUnits > 0 ? m_accumulatorUnits : units(t);
    }
    /// Units of the element that capacity and bandwidth count.
    [[nodiscard]] std::int64_t unitsPerElement() const noexcept { return m_unitsPerElement; }
    /// A size in units as a number of elements that capacity and bandwidth count.
    [[nodiscard]] double elementsOf(std::int64_t units) const noexcept
    {
        return static_cast<double>(units) / static_cast<double>(m_unitsPerElement);
    }
    /// Bits of a unit; 1 / unitsPerElement() if the problem has no element_bits (R17).
    [[nodiscard]] double bitsPerUnit() const noexcept { return m_bitsPerUnit; }
    [[nodiscard]] std::int64_t capacityUnits() const noexcept
    {
        return m_data.hardware.fastMemoryCapacity * m_unitsPerElement;
    }
    [[nodiscard]] std::int64_t bandwidthUnits() const noexcept
    {
        return m_data.hardware.slowMemoryBandwidth * m_unitsPerElement;
    }
    /// The size of t in units.
    [[nodiscard]] std::int64_t sizeUnits(TensorId t) const { return tensor(t).elements() * units(t); }

    /// R17: true if the problem states energies.
    [[nodiscard]] bool hasEnergy() const noexcept { return m_data.energy.has_value(); }
    /// R17: pJ of one MAC of a MatMul, or of one element of a Pointwise. Requires hasEnergy().
    [[nodiscard]] double energyOf(OpId o) const;

    /// Reduction size K of a MatMul (width of its LHS); 1 for Pointwise.
    [[nodiscard]] std::int64_t reductionSize(OpId o) const;

private:
    Problem() = default;
    void readThroughMaps();
    [[nodiscard]] std::optional<Error> countUnits();
    Data m_data;
    double m_floor = 0;
    IdVector<OpId, Op> m_graphOps; // ops with bases instead of views with maps; empty without maps
    IdVector<TensorId, std::optional<std::size_t>> m_maps; // by tensor: index in views; empty without maps
    std::vector<std::int64_t> m_volumes;                   // by index in views, for those with a map
    IdVector<TensorId, std::int64_t> m_units;              // empty if every unit is an element
    std::int64_t m_unitsPerElement = 1;
    std::int64_t m_accumulatorUnits = 0;
    double m_bitsPerUnit = 1;
    IdVector<TensorId, std::optional<OpId>> m_producers;
    IdVector<TensorId, std::vector<OpId>> m_consumers;
    IdVector<TensorId, std::vector<TensorId>> m_bases,
        m_views; // by tensor; empty if the problem has no views
    std::vector<TensorId> m_graphInputs;
    std::vector<TensorId> m_graphOutputs;
    std::vector<OpId> m_topologicalOrder;
};

using ProblemPtr = std::shared_ptr<const Problem>;

/// Returns the names of the ops, such as "layer0.up, layer0.gelu": as many as fit in a line, and the number
/// of the others. Ops without a name in the file are left out; the result is empty if no op has a name.
[[nodiscard]] std::string opNames(const Problem& problem, std::span<const OpId> ops);

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

/// Kind of rearrangement of a view, derived from sizes only (R1.7), or its map (R1.8).
enum class ViewKind : std::uint8_t {
    Rearrangement, ///< one base, each element once
    Transposition, ///< one base, each element once, height and width exchanged
    Slice,         ///< one base, fewer elements than the base
    Patches, ///< one base, more elements than the base: elements are read several times (im2col, broadcast)
    Concatenation, ///< several bases, each element once
    Gather,        ///< several bases, another number of elements than all bases together
    Mapped,        ///< one base, read through an index map (R1.8)
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
