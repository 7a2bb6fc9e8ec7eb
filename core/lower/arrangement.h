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

/// A list of elements in some order: a matrix of the problem, or a rearrangement of others that no strides
/// describe (a concatenation, a gather).
using SourceId = std::uint32_t;

/// Where the elements of a model's tensor lie: element (i, j, ...) is the one at offset + i * strides[0] +
/// ... of the source.
struct Placement
{
    SourceId source = 0;
    std::int64_t offset = 0;
    model::Shape shape;
    std::vector<std::int64_t> strides; ///< one a dimension; 0 repeats
};

struct Axis
{
    std::int64_t size = 1, stride = 0;
};

/// A matrix that an op reads: what its rows and its columns run over, the slowest first.
struct Arrangement
{
    SourceId source = 0;
    std::int64_t offset = 0;
    std::vector<Axis> rows, cols;

    void addRows(std::int64_t size, std::int64_t stride) { rows.push_back({size, stride}); }
    void addCols(std::int64_t size, std::int64_t stride) { cols.push_back({size, stride}); }
};

/// The matrices of a problem while it is made. An arrangement that is a matrix as it stands is that matrix;
/// any other becomes a view (R1.7), one for all equal arrangements, on bases that are no views; of a constant
/// it becomes a constant of its own, because constants can be stored in any order.
class MatrixTable
{
public:
    explicit MatrixTable(Problem::Data& data) : m_data(data) {}

    /// A graph input; it is in the problem only when something reads it.
    SourceId addInput(std::string name, std::int64_t rows, std::int64_t cols, bool constant);
    /// The result of an op.
    SourceId addResult(std::string name, std::int64_t rows, std::int64_t cols);
    /// A rearrangement of others; equal keys on equal sources are one. `segments`: source i lies whole and in
    /// its own order behind the ones before it.
    SourceId addRearranged(std::string key, const std::vector<SourceId>& from, std::int64_t elements,
                           bool segments = false);

    /// The tensor of the problem that holds the arrangement; `name` when it is a new one.
    [[nodiscard]] TensorId read(const Arrangement& arrangement, const std::string& name);
    [[nodiscard]] TensorId tensorOf(SourceId result) const { return *m_sources[result].tensor; }
    /// Is it a matrix as it stands, no view?
    [[nodiscard]] bool isMatrix(const Arrangement& arrangement) const;
    [[nodiscard]] bool isConstant(SourceId source) const { return m_sources[source].constant; }
    [[nodiscard]] std::int64_t elements(SourceId source) const { return m_sources[source].elements; }
    /// Equal for equal matrices.
    [[nodiscard]] std::string keyOf(const Arrangement& arrangement) const;

private:
    struct Source
    {
        std::string name;
        std::int64_t rows = 0, cols = 0; ///< of a matrix
        std::int64_t elements = 0;
        bool constant = false;
        std::vector<SourceId> bases;    ///< of a rearrangement; empty for a matrix
        std::vector<SourceId> segments; ///< of a rearrangement of whole sources
        std::optional<TensorId> tensor; ///< of a matrix, once it is in the problem
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
