// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/integer.h"
#include "model/model.h"
#include "workload/problem.h"

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace tilewright::lower {

/// A list of elements in a fixed order: a matrix of the problem, or a rearrangement of other sources that
/// strides cannot describe (a concatenation, a gather).
using SourceId = std::uint32_t;

/// The position of a model's tensor in a source: element (i, j, ...) is element offset + i * strides[0] + ...
/// of the source.
struct Placement
{
    SourceId source = 0;
    std::int64_t offset = 0;
    model::Shape shape;
    std::vector<std::int64_t> strides; ///< stride of each dimension; 0 repeats the elements
};

struct Axis
{
    std::int64_t size = 1, stride = 0;
};

/// A matrix that an op reads: the axes of the source that form its rows and its columns, the slowest axis
/// first.
struct Arrangement
{
    SourceId source = 0;
    std::int64_t offset = 0;
    std::vector<Axis> rows, cols;

    void addRows(std::int64_t size, std::int64_t stride) { rows.push_back({size, stride}); }
    void addCols(std::int64_t size, std::int64_t stride) { cols.push_back({size, stride}); }
};

/// The matrices of a problem that is being built. An arrangement that is a whole matrix in its own order
/// becomes that matrix. Any other arrangement becomes a view (R1.7) whose bases are not views; equal
/// arrangements share one view. An arrangement of a constant becomes a new constant, because constants can be
/// stored in any order.
class MatrixTable
{
public:
    explicit MatrixTable(Problem::Data& data) : m_data(data) {}

    /// Adds a graph input. It becomes a tensor of the problem when it is first read.
    SourceId addInput(std::string name, std::int64_t rows, std::int64_t cols, bool constant);
    /// Adds the result of an op.
    SourceId addResult(std::string name, std::int64_t rows, std::int64_t cols);
    /// Adds a rearrangement of the sources `from`. Rearrangements with equal keys and sources are added once.
    /// `segments` is true if the elements are those of all sources one after another, each whole and in its
    /// own order.
    SourceId addRearranged(std::string key, const std::vector<SourceId>& from, std::int64_t elements,
                           bool segments = false);

    /// Returns the tensor of the problem that holds the arrangement. A new tensor is called `name`.
    [[nodiscard]] TensorId read(const Arrangement& arrangement, const std::string& name);
    [[nodiscard]] TensorId tensorOf(SourceId result) const { return *m_sources[result].tensor; }
    /// True if the arrangement is a whole matrix in its own order, so that no view is needed.
    [[nodiscard]] bool isMatrix(const Arrangement& arrangement) const;
    [[nodiscard]] bool isConstant(SourceId source) const { return m_sources[source].constant; }
    [[nodiscard]] std::int64_t elements(SourceId source) const { return m_sources[source].elements; }
    /// Returns a key that is equal for equal arrangements.
    [[nodiscard]] std::string keyOf(const Arrangement& arrangement) const;

private:
    struct Source
    {
        std::string name;
        std::int64_t rows = 0, cols = 0; ///< of a matrix
        std::int64_t elements = 0;
        bool constant = false;
        std::vector<SourceId> bases; ///< sources of a rearrangement; empty for a matrix
        /// sources, if the rearrangement is a sequence of whole sources (see addRearranged())
        std::vector<SourceId> segments;
        std::optional<TensorId> tensor; ///< tensor of a matrix that is already in the problem
    };
    /// Arrangement with adjacent axes joined, on the source that its elements really lie in.
    struct Normal
    {
        SourceId source = 0;
        std::int64_t offset = 0, rows = 1, cols = 1;
        std::vector<Axis> axes;
    };
    [[nodiscard]] Normal normalise(const Arrangement& arrangement) const;
    [[nodiscard]] bool isWhole(const Normal& normal) const;
    [[nodiscard]] static std::string keyOf(const Normal& normal);
    TensorId tensorOfBase(SourceId base);
    TensorId addTensor(std::int64_t rows, std::int64_t cols, std::string name);

    Problem::Data& m_data;
    std::vector<Source> m_sources;
    std::unordered_map<std::string, SourceId> m_rearranged;
    std::unordered_map<std::string, TensorId> m_views;
};

/// The placement of a whole matrix whose dimensions lie in `order`, the slowest first.
[[nodiscard]] Placement placed(SourceId source, const model::Shape& shape,
                               const std::vector<std::size_t>& order);
/// The same in the order of its dimensions.
[[nodiscard]] Placement placed(SourceId source, const model::Shape& shape);
/// Rows over all but the last of `order`, columns over the last.
[[nodiscard]] Arrangement arranged(const Placement& placement, const std::vector<std::size_t>& order);
/// The strides of another shape over the same elements in the same order, or nothing when there are none.
[[nodiscard]] std::optional<Placement> reshaped(const Placement& placement, const model::Shape& shape);

} // namespace tilewright::lower
