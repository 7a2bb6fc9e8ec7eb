// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/integer.h"
#include "model/model.h"
#include "workload/problem.h"

#include <array>
#include <cstdint>
#include <optional>
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

/// The images of a matrix [images * height * width, channels], and zeros around each that are not stored.
struct ImageShape
{
    std::int64_t n = 1, h = 1, w = 1;
    std::array<std::int64_t, 4> zeros{0, 0, 0, 0}; ///< rows above, columns left, rows below, columns right
};

/// Returns the map (R1.8) under which the arrangement reads a matrix of `rows` x `cols` elements; nothing if
/// none of the three maps is exactly the arrangement. With `image`, arrangements of three row axes (image,
/// row, column) and one or three column axes (row and column of a window, channel) are windows of images;
/// their strides and offset are those of the images with their zeros.
[[nodiscard]] std::optional<IndexMap> mapOf(const Arrangement& arrangement, std::int64_t rows,
                                            std::int64_t cols, const std::optional<ImageShape>& image = {});

/// The matrices of a problem that is being built. An arrangement that is a whole matrix in its own order
/// becomes that matrix. Any other arrangement becomes a view whose bases are not views: one with a map (R1.8)
/// if mapOf() finds one, otherwise a plain one (R1.7). Equal arrangements share one view. An arrangement of a
/// constant becomes a new constant, because constants can be stored in any order. Widths are those of
/// Tensor::bits; 0 is the width of the machine's elements.
class MatrixTable
{
public:
    explicit MatrixTable(Problem::Data& data) : m_data(data) {}

    /// Adds a graph input. It becomes a tensor of the problem when it is first read.
    SourceId addInput(std::string name, std::int64_t rows, std::int64_t cols, bool constant,
                      std::int64_t bits = 0);
    /// Adds the result of an op.
    SourceId addResult(std::string name, std::int64_t rows, std::int64_t cols, std::int64_t bits = 0);
    /// Adds a rearrangement of the sources `from`. Rearrangements with equal keys and sources are added once.
    /// `segments` is true if the elements are those of all sources one after another, each whole and in its
    /// own order.
    SourceId addRearranged(std::string key, const std::vector<SourceId>& from, std::int64_t elements,
                           bool segments = false);
    /// Adds the images of a placement [images, channels, height, width] with zeros around each, stored as
    /// [images, height, width, channels]. Equal ones are added once.
    SourceId addPadded(const Placement& images, const std::array<std::int64_t, 4>& zeros);
    /// States that the rows of a matrix are the pixels of images.
    void setImage(SourceId matrix, const ImageShape& image) { m_sources[matrix].image = image; }

    /// Returns the tensor of the problem that holds the arrangement. A new tensor is called `name`.
    [[nodiscard]] TensorId read(const Arrangement& arrangement, const std::string& name);
    [[nodiscard]] TensorId tensorOf(SourceId result) const { return *m_sources[result].tensor; }
    /// True if the arrangement is a whole matrix in its own order, so that no view is needed.
    [[nodiscard]] bool isMatrix(const Arrangement& arrangement) const;
    [[nodiscard]] bool isConstant(SourceId source) const { return m_sources[source].constant; }
    [[nodiscard]] std::int64_t elements(SourceId source) const { return m_sources[source].elements; }
    [[nodiscard]] std::int64_t bits(SourceId source) const { return m_sources[source].bits; }
    /// True for a view without a map: it is read at its own size.
    [[nodiscard]] bool isPlainView(TensorId tensor) const;
    /// Returns a key that is equal for equal arrangements.
    [[nodiscard]] std::string keyOf(const Arrangement& arrangement) const;

private:
    struct Source
    {
        std::string name;
        std::int64_t rows = 0, cols = 0; ///< size of a matrix
        std::int64_t elements = 0;
        bool constant = false;
        std::vector<SourceId> bases; ///< sources of a rearrangement; empty for a matrix
        /// sources, if the rearrangement is a sequence of whole sources (see addRearranged())
        std::vector<SourceId> segments;
        std::optional<TensorId> tensor; ///< tensor of a matrix that is already in the problem
        std::int64_t bits = 0;
        std::optional<ImageShape> image; ///< shape of the images of a matrix of images
        /// of images with zeros around them: the matrix without the zeros, and the first of its channels
        std::optional<std::pair<SourceId, std::int64_t>> inside;
    };
    /// A matrix and the map under which an arrangement reads it.
    struct Reading
    {
        SourceId base = 0;
        IndexMap map;
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
    [[nodiscard]] std::optional<Reading> readingOf(const Arrangement& arrangement,
                                                   const Normal& normal) const;
    TensorId addTensor(std::int64_t rows, std::int64_t cols, std::string name, std::int64_t bits);

    Problem::Data& m_data;
    std::vector<Source> m_sources;
    std::unordered_map<std::string, SourceId> m_rearranged;
    std::unordered_map<std::string, TensorId> m_views;
};

/// The placement of a whole matrix whose dimensions lie in `order`, the slowest first.
[[nodiscard]] Placement placed(SourceId source, const model::Shape& shape,
                               const std::vector<std::size_t>& order);
/// The placement of a whole matrix in the order of its dimensions.
[[nodiscard]] Placement placed(SourceId source, const model::Shape& shape);
/// Rows over all but the last of `order`, columns over the last.
[[nodiscard]] Arrangement arranged(const Placement& placement, const std::vector<std::size_t>& order);
/// The strides of another shape over the same elements in the same order, or nothing when there are none.
[[nodiscard]] std::optional<Placement> reshaped(const Placement& placement, const model::Shape& shape);

} // namespace tilewright::lower
