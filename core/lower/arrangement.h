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

/// Id of a list of elements in a fixed order: a matrix of the problem, or a rearrangement of other sources
/// that strides cannot describe (a concatenation, a gather).
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

/// The images that form a matrix [images * height * width, channels], and the zeros around each image, which
/// are not stored.
struct ImageShape
{
    std::int64_t n = 1, h = 1, w = 1;
    /// Number of rows of zeros above, columns on the left, rows below, columns on the right.
    std::array<std::int64_t, 4> zeros{0, 0, 0, 0};
};

/// Returns the map (R1.8) by which the arrangement reads a matrix of `rows` x `cols` elements; nothing if
/// none of the three kinds of maps describes it exactly. With `image`, arrangements of three row axes (image,
/// row, column) and one or three column axes (row and column in a window, channel) are windows of images.
/// Their strides and offset refer to the images including their zeros.
[[nodiscard]] std::optional<IndexMap> mapOf(const Arrangement& arrangement, std::int64_t rows,
                                            std::int64_t cols, const std::optional<ImageShape>& image = {});

/// The matrices of a problem that is being built. An arrangement that is a whole matrix in its own order
/// becomes that matrix. Any other arrangement becomes a view whose bases are not views: with a map (R1.8) if
/// mapOf() finds one, else a plain view (R1.7). Equal arrangements share one view. An arrangement of a
/// constant becomes a new constant, because constants can be stored in any order. Widths are values of
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
    /// Adds a rearrangement of the sources `from`. Rearrangements with equal keys and sources are added only
    /// once. `segments` is true if the rearrangement consists of all elements of each source in its own
    /// order, source after source.
    SourceId addRearranged(std::string key, const std::vector<SourceId>& from, std::int64_t elements,
                           bool segments = false);
    /// Adds the images of a placement [images, channels, height, width], stored as [images, height, width,
    /// channels], with zeros around each image. Equal ones are added only once.
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
    /// True for a view without a map. It has the size at which it is read.
    [[nodiscard]] bool isPlainView(TensorId tensor) const;
    /// Returns a key that is equal for equal arrangements.
    [[nodiscard]] std::string keyOf(const Arrangement& arrangement) const;

private:
    struct Source
    {
        std::string name;
        std::int64_t rows = 0, cols = 0; ///< size, if the source is a matrix
        std::int64_t elements = 0;
        bool constant = false;
        std::vector<SourceId> bases; ///< sources of a rearrangement; empty for a matrix
        /// Sources, if the rearrangement is a sequence of whole sources; see addRearranged().
        std::vector<SourceId> segments;
        std::optional<TensorId> tensor; ///< tensor of the problem for this matrix, if it has one already
        std::int64_t bits = 0;
        std::optional<ImageShape> image; ///< shape of the images, if the matrix consists of images
        /// For images with zeros around them: the matrix without the zeros, and its first channel.
        std::optional<std::pair<SourceId, std::int64_t>> inside;
    };
    /// A matrix, and the map by which an arrangement reads it.
    struct Reading
    {
        SourceId base = 0;
        IndexMap map;
    };
    /// An arrangement with joined axes, on the source that stores its elements.
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

/// The placement of a whole matrix that stores the dimensions in `order`, the slowest first.
[[nodiscard]] Placement placed(SourceId source, const model::Shape& shape,
                               const std::vector<std::size_t>& order);
/// The placement of a whole matrix in the order of its dimensions.
[[nodiscard]] Placement placed(SourceId source, const model::Shape& shape);
/// Arrangement with the last dimension of `order` as columns and all others as rows.
[[nodiscard]] Arrangement arranged(const Placement& placement, const std::vector<std::size_t>& order);
/// Returns the placement of the same elements in the same order under another shape; nothing if strides
/// cannot describe it.
[[nodiscard]] std::optional<Placement> reshaped(const Placement& placement, const model::Shape& shape);

} // namespace tilewright::lower
