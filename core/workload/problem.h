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
    std::int64_t bits = 0; ///< width of an element in 1/1024 bit (R1.9); 0: Problem::Data::elementBits
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

/// A tensor without a producer whose elements are read from its bases in slow memory in another arrangement
/// (R1.7). It is available as soon as all its bases are in slow memory. If it has a map, reading it means
/// reading its one base (R1.8).
struct TensorView
{
    TensorId tensor;
    std::vector<TensorId> bases;
    std::optional<IndexMap> map{};
    bool operator==(const TensorView&) const = default;
};

/// Number of parts of a bit: widths are integers in 1/1024 bit (R1.9).
inline constexpr std::int64_t kPartsOfBit = 1024;
inline constexpr std::int64_t kWidestElement = 64 * kPartsOfBit;

/// Energies in pJ (R17). `mac` and `vector` have one entry in total, or one per op.
struct EnergyCosts
{
    double slow = 0;               ///< energy of loading or storing a bit
    double fast = 0;               ///< energy of writing a bit to fast memory or reading it
    std::vector<double> mac{0};    ///< energy of a multiplication, per MatMul
    std::vector<double> vector{0}; ///< energy of an element, per Pointwise
    bool operator==(const EnergyCosts&) const = default;
};

/// The array that multiplies (R8.4). The extents of a systolic array are Hardware::nativeHeight and
/// nativeWidth.
struct ComputeArray
{
    enum class Kind : std::uint8_t { Systolic, DotProduct } kind = Kind::Systolic;
    std::int64_t inputs = 1;  ///< dot-product array: number of inputs summed at once
    std::int64_t outputs = 1; ///< dot-product array: number of columns computed at once
    std::int64_t arrays = 1;  ///< number of arrays of a core
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
    /// The native k (R1.6): the third entry of native_granularity, or native_w if it is missing.
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
        /// Width in 1/1024 bit of the element in which capacity and bandwidth are counted (R1.9). It may be
        /// missing if no tensor has a width of its own.
        std::optional<std::int64_t> elementBits;
        std::optional<std::int64_t> accumulatorBits; ///< width of an accumulated element in 1/1024 bit (R1.9)
        std::optional<EnergyCosts> energy;           ///< energies (R17)
        std::optional<Rules> rules;                  ///< default rules for schedules of this problem (R18)
        std::string extra; ///< unknown fields of the file, as the text of one JSON object; kept on save
    };

    /// Builds a problem. Checks R1.3, R1.4, R1.7 to R1.9 and the limits of docs/design.md 2.2 (dimensions up
    /// to 2^31, areas and sums up to 2^62), and derives the adjacency. The path of the Error names the
    /// invalid field of the problem file.
    [[nodiscard]] static Result<std::shared_ptr<const Problem>> build(Data data);

    /// Returns a copy with a lower bound of the time of all schedules, in units of time: the floor of the
    /// model from which the problem was lowered (R19). Files do not contain it.
    [[nodiscard]] std::shared_ptr<const Problem> withFloor(double time) const;
    [[nodiscard]] double floor() const noexcept { return m_floor; } ///< 0 if no floor is known

    [[nodiscard]] const std::string& name() const noexcept { return m_data.name; }
    [[nodiscard]] const Hardware& hardware() const noexcept { return m_data.hardware; }
    [[nodiscard]] const Data& data() const noexcept { return m_data; }
    /// The default rules for schedules of this problem (R18).
    [[nodiscard]] Rules rules() const noexcept { return m_data.rules.value_or(Rules::final()); }

    [[nodiscard]] std::size_t tensorCount() const noexcept { return m_data.tensors.size(); }
    [[nodiscard]] std::size_t opCount() const noexcept { return m_data.ops.size(); }
    [[nodiscard]] const Tensor& tensor(TensorId t) const { return m_data.tensors[t]; }
    /// The op as a node of the graph: inputs that are views with a map are replaced by the bases of the views
    /// (R1.8).
    [[nodiscard]] const Op& op(OpId o) const { return ops()[o]; }
    [[nodiscard]] const IdVector<TensorId, Tensor>& tensors() const noexcept { return m_data.tensors; }
    [[nodiscard]] const IdVector<OpId, Op>& ops() const noexcept
    {
        return m_maps.empty() ? m_data.ops : m_graphOps;
    }
    /// The tensors that the op computes with: its inputs, including views with maps, with their own shapes.
    [[nodiscard]] const std::vector<TensorId>& operands(OpId o) const { return m_data.ops[o].inputs; }

    /// Name of the op in the file, or "op3" if it has none.
    [[nodiscard]] std::string opName(OpId o) const;
    [[nodiscard]] std::string tensorName(TensorId t) const;

    [[nodiscard]] std::optional<OpId> producer(TensorId t) const { return m_producers[t]; }
    /// Ops that read t directly, ascending, without duplicates.
    [[nodiscard]] std::span<const OpId> consumers(TensorId t) const { return m_consumers[t]; }
    /// The bases of a view, with or without a map (R1.7, R1.8); empty for any other tensor.
    [[nodiscard]] std::span<const TensorId> bases(TensorId t) const
    {
        return m_bases.empty() ? std::span<const TensorId>() : m_bases[t];
    }
    [[nodiscard]] bool isView(TensorId t) const { return !bases(t).empty(); }
    /// Views without a map of t that some op reads, ascending. If there is one, t must be in slow memory
    /// before that op runs.
    [[nodiscard]] std::span<const TensorId> viewsOf(TensorId t) const
    {
        return m_views.empty() ? std::span<const TensorId>() : m_views[t];
    }
    /// Ops that read t or a view of t, ascending, without duplicates.
    [[nodiscard]] std::vector<OpId> readers(TensorId t) const;
    /// Ops that produce t; if t is a view, ops that produce its bases. Ascending, without duplicates.
    [[nodiscard]] std::vector<OpId> sources(TensorId t) const;
    /// True if t is a graph input (R1.5): it has no producer, is not a view, and some op reads it, directly
    /// or through a view.
    [[nodiscard]] bool isGraphInput(TensorId t) const
    {
        return !m_producers[t] && !isView(t) && (!m_consumers[t].empty() || !viewsOf(t).empty());
    }
    /// True if t is a graph output (R1.5): it is produced, and no op reads it, directly or through a view.
    [[nodiscard]] bool isGraphOutput(TensorId t) const
    {
        return m_producers[t] && m_consumers[t].empty() && viewsOf(t).empty();
    }
    [[nodiscard]] const std::vector<TensorId>& graphInputs() const noexcept { return m_graphInputs; }
    [[nodiscard]] const std::vector<TensorId>& graphOutputs() const noexcept { return m_graphOutputs; }
    /// Ops in topological order (Kahn's algorithm, ties by id).
    [[nodiscard]] const std::vector<OpId>& topologicalOrder() const noexcept { return m_topologicalOrder; }

    /// The map of a view (R1.8); null for any other tensor.
    [[nodiscard]] const IndexMap* map(TensorId t) const
    {
        return m_maps.empty() || !m_maps[t] ? nullptr : &*m_data.views[*m_maps[t]].map;
    }
    [[nodiscard]] bool hasMaps() const noexcept { return !m_maps.empty(); }
    /// The tensor that holds the elements of t: the base of a view with a map, otherwise t itself.
    [[nodiscard]] TensorId stored(TensorId t) const { return map(t) ? m_bases[t].front() : t; }
    /// Number of elements that reading the whole of t touches: those of its map for a view with a map (R1.8),
    /// else all its elements.
    [[nodiscard]] std::int64_t volume(TensorId t) const
    {
        return map(t) ? m_volumes[*m_maps[t]] : tensor(t).elements();
    }

    /// True if reading the whole of t touches every element of the tensor that holds its elements.
    [[nodiscard]] bool readsAll(TensorId t) const
    {
        return !map(t) || volume(t) == tensor(stored(t)).elements();
    }

    /// True if sizes differ from numbers of elements, because tensors have widths (R1.9).
    [[nodiscard]] bool hasWidths() const noexcept { return !m_units.empty(); }
    /// Number of units of one element of t. Sizes are counted in units so that they are integers (R1.9).
    /// Without widths, a unit is an element.
    [[nodiscard]] std::int64_t units(TensorId t) const { return m_units.empty() ? 1 : m_units[t]; }
    /// Number of units of one accumulated element of t (accumulator_bits).
    [[nodiscard]] std::int64_t accumulatorUnits(TensorId t) const
    {
        return m_accumulatorUnits > 0 ? m_accumulatorUnits : units(t);
    }
    /// Number of units of the element in which capacity and bandwidth are counted.
    [[nodiscard]] std::int64_t unitsPerElement() const noexcept { return m_unitsPerElement; }
    /// Converts a size in units to elements, as capacity and bandwidth count them.
    [[nodiscard]] double elementsOf(std::int64_t units) const noexcept
    {
        return static_cast<double>(units) / static_cast<double>(m_unitsPerElement);
    }
    /// Number of bits of a unit; 1 / unitsPerElement() if the problem has no element_bits (R17).
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

    /// True if the problem states energies (R17).
    [[nodiscard]] bool hasEnergy() const noexcept { return m_data.energy.has_value(); }
    /// Energy in pJ of one MAC of a MatMul, or of one element of a Pointwise (R17). Requires hasEnergy().
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
    // Per tensor: index in the list of views; empty if there are no maps.
    IdVector<TensorId, std::optional<std::size_t>> m_maps;
    std::vector<std::int64_t> m_volumes;      // per view with a map: number of elements touched
    IdVector<TensorId, std::int64_t> m_units; // per tensor; empty if every unit is an element
    std::int64_t m_unitsPerElement = 1;
    std::int64_t m_accumulatorUnits = 0;
    double m_bitsPerUnit = 1;
    IdVector<TensorId, std::optional<OpId>> m_producers;
    IdVector<TensorId, std::vector<OpId>> m_consumers;
    IdVector<TensorId, std::vector<TensorId>> m_bases,
        m_views; // per tensor; empty if the problem has no views
    std::vector<TensorId> m_graphInputs;
    std::vector<TensorId> m_graphOutputs;
    std::vector<OpId> m_topologicalOrder;
};

using ProblemPtr = std::shared_ptr<const Problem>;

/// Text with the names of the ops, such as "layer0.up, layer0.gelu": as many as fit in a line, and the number
/// of the others. Ops without a name in the file are left out; the text is empty if no op has a name.
[[nodiscard]] std::string opNames(const Problem& problem, std::span<const OpId> ops);

/// Tensors that a set of ops reads and writes (R3.1). Each list is ascending and without duplicates, except
/// `sinks`.
struct Boundary
{
    std::vector<TensorId> inputs;   ///< consumed and not produced by the ops
    std::vector<TensorId> sinks;    ///< produced and not consumed by the ops, in their order
    std::vector<TensorId> interior; ///< produced and consumed by the ops (ephemeral)
};
[[nodiscard]] Boundary boundaryOf(const Problem& problem, std::span<const OpId> ops);

/// Tells whether an op depends on another one, through tensors and views. An op does not reach itself.
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
    Rearrangement, ///< one base, each element once, in another order
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
