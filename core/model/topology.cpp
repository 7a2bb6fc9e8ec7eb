// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/topology.h"

#include "base/csv.h"
#include "base/text.h"
#include "base/utf8.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

namespace tilewright::model {

namespace {

using Cells = std::vector<std::string_view>;

std::string_view trimmed(std::string_view text)
{
    const std::size_t first = text.find_first_not_of(" \t\r");
    return first == std::string_view::npos ? std::string_view()
                                           : text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

/// Meaning of a column. Batch and Sparsity are accepted only with values that have no effect.
enum class Col {
    Layer,
    M,
    N,
    K,
    Height,
    Width,
    FilterHeight,
    FilterWidth,
    Channels,
    Filters,
    Down,
    Across,
    Batch,
    Sparsity,
    Count ///< number of equal products
};
constexpr std::size_t kColumns = 15;
constexpr std::int64_t kMostProducts = 100'000; ///< maximum number of products of a list with counts

struct TopologyName
{
    const char* name; ///< name of the column: only letters and digits, in lower case
    Col column;
};
constexpr TopologyName kTopologyNames[] = {
    {"layer", Col::Layer},
    {"layername", Col::Layer},
    {"layers", Col::Layer},
    {"name", Col::Layer},
    {"m", Col::M},
    {"n", Col::N},
    {"k", Col::K},
    {"ifmapheight", Col::Height},
    {"ifmaph", Col::Height},
    {"ifmapwidth", Col::Width},
    {"ifmapw", Col::Width},
    {"filterheight", Col::FilterHeight},
    {"filterh", Col::FilterHeight},
    {"filterwidth", Col::FilterWidth},
    {"filterw", Col::FilterWidth},
    {"channels", Col::Channels},
    {"channel", Col::Channels},
    {"numfilter", Col::Filters},
    {"numfilters", Col::Filters},
    {"filters", Col::Filters},
    {"strides", Col::Down},
    {"stride", Col::Down},
    {"strideh", Col::Down},
    {"strideheight", Col::Down},
    {"stridew", Col::Across},
    {"stridewidth", Col::Across},
    {"batch", Col::Batch},
    {"batchsize", Col::Batch},
    {"sparsity", Col::Sparsity},
    {"sparsitysupport", Col::Sparsity},
    {"count", Col::Count},
};
/// Columns that each form needs, as messages name them.
constexpr std::pair<Col, const char*> kGemm[] = {{Col::M, "M"}, {Col::N, "N"}, {Col::K, "K"}};
constexpr std::pair<Col, const char*> kConvolution[] = {{Col::Height, "IFMAP Height"},
                                                        {Col::Width, "IFMAP Width"},
                                                        {Col::FilterHeight, "Filter Height"},
                                                        {Col::FilterWidth, "Filter Width"},
                                                        {Col::Channels, "Channels"},
                                                        {Col::Filters, "Num Filter"},
                                                        {Col::Down, "Strides"}};

std::optional<Col> columnOf(std::string_view cell)
{
    std::string plain;
    for (const char c : cell)
        if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))
            plain += c;
        else if (c >= 'A' && c <= 'Z')
            plain += static_cast<char>(c - 'A' + 'a');
    for (const TopologyName& known : kTopologyNames)
        if (plain == known.name)
            return known.column;
    return std::nullopt;
}

/// First line of a table: the meaning of each column.
struct TopologyHeader
{
    char separator = ',';
    std::array<std::optional<std::size_t>, kColumns> at; ///< position of each column
    std::size_t size = 0;
    std::string fault; ///< why the table cannot be read; empty if it can
    bool areGemms = false;
    bool isTopology = false;

    [[nodiscard]] std::optional<std::size_t>& operator[](Col c) { return at[static_cast<std::size_t>(c)]; }
    [[nodiscard]] bool has(Col c) const { return at[static_cast<std::size_t>(c)].has_value(); }
};

std::string quotedCell(std::string_view cell)
{
    std::string out = "\"";
    for (const char c : cell.substr(0, 40))
        out += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
    return out + "\"";
}

TopologyHeader headerWith(std::string_view line, char separator)
{
    TopologyHeader out;
    out.separator = separator;
    const Cells cells = csvCells(line, separator);
    out.size = cells.size();
    const auto refuse = [&out](std::string why) {
        if (out.fault.empty())
            out.fault = std::move(why);
    };
    for (std::size_t i = 0; i < cells.size(); ++i) {
        auto column = columnOf(cells[i]);
        if (column == Col::Down && out.has(Col::Down) && !out.has(Col::Across))
            column = Col::Across; // the second stride is the horizontal one
        if (!column && i == 0)
            column = Col::Layer; // the name of this column is not part of the format
        if (!column)
            refuse("the column " + quotedCell(cells[i]) + " is none of a topology");
        else if (out.has(*column))
            refuse("the column " + quotedCell(cells[i]) + " occurs twice");
        else
            out[*column] = i;
    }
    const auto count = [&out](const auto& needed) {
        return std::ranges::count_if(needed, [&](const auto& c) { return out.has(c.first); });
    };
    const auto gemm = count(kGemm), convolution = count(kConvolution);
    out.areGemms = gemm >= convolution;
    out.isTopology = gemm >= 2 || convolution >= 3;
    const auto complete = [&](const auto& needed) {
        for (const auto& [column, name] : needed)
            if (!out.has(column))
                refuse(std::string("the column \"") + name + "\" is missing");
    };
    if (out.areGemms)
        complete(kGemm);
    else
        complete(kConvolution);
    if (!out.has(Col::Layer) && !out.areGemms)
        refuse("the column \"Layer\" is missing");
    if (out.has(Col::Count) && !out.areGemms)
        refuse("the column \"Count\" is one of products");
    if (gemm > 0 && (convolution > 0 || out.has(Col::Across)))
        refuse("it has columns of products and of convolutions");
    return out;
}

TopologyHeader headerOf(std::string_view text)
{
    if (text.starts_with("\xef\xbb\xbf"))
        text.remove_prefix(3);
    const std::string_view line = text.substr(0, text.find('\n'));
    constexpr std::size_t kLongest = 4096;
    if (line.size() > kLongest)
        return {};
    TopologyHeader first = headerWith(line, ',');
    for (const char separator : {';', '\t'})
        if (TopologyHeader other = headerWith(line, separator); !first.isTopology && other.isTopology)
            first = std::move(other);
    return first;
}

struct Reader
{
    ModelBuilder builder;
    std::string file;
    TopologyHeader head;
    std::size_t line = 0;
    std::int64_t products = 0; ///< products read so far, counts included

    [[nodiscard]] Error fail(std::string message) const
    {
        return {ErrorCode::Field, std::move(message), "line " + std::to_string(line), file};
    }

    /// Reads a cell as an integer from 1 to 2^31; `what` names it in the Error.
    Result<std::int64_t> number(const Cells& cells, std::size_t i, const char* what) const
    {
        if (i >= cells.size())
            return fail(std::string("the column \"") + what + "\" is missing");
        std::int64_t value = 0;
        const auto [end, error] = std::from_chars(cells[i].data(), cells[i].data() + cells[i].size(), value);
        if (error != std::errc() || end != cells[i].data() + cells[i].size() || value < 1 ||
            value > kMaxDimension)
            return fail(std::string(what) + ": expected a whole number from 1 to 2147483648, got " +
                        quotedCell(cells[i]));
        return value;
    }

    template <std::size_t N>
    Result<std::array<std::int64_t, N>> numbers(const Cells& cells,
                                                const std::pair<Col, const char*> (&columns)[N])
    {
        std::array<std::int64_t, N> out;
        for (std::size_t i = 0; i < N; ++i) {
            const auto value = number(cells, *head[columns[i].first], columns[i].second);
            if (!value)
                return value.error();
            out[i] = *value;
        }
        return out;
    }

    /// Returns an Error for values that would change the work of a layer in a way that is not modelled.
    Status checkRest(const Cells& cells)
    {
        const auto cell = [&](Col c) {
            return head.has(c) && *head[c] < cells.size() ? cells[*head[c]] : std::string_view();
        };
        if (const std::string_view batch = cell(Col::Batch); !batch.empty() && batch != "1")
            return fail("Batch: only 1 is read, got " + quotedCell(batch));
        const std::string_view sparsity = cell(Col::Sparsity);
        const std::size_t colon = std::min(sparsity.find(':'), sparsity.size());
        const bool isDense =
            sparsity.empty() || (colon < sparsity.size() &&
                                 trimmed(sparsity.substr(0, colon)) == trimmed(sparsity.substr(colon + 1)));
        if (!isDense)
            return fail("Sparsity: only dense layers are read (N:N), got " + quotedCell(sparsity));
        const bool hasSecondStride =
            !head.areGemms && !head.has(Col::Across) && *head[Col::Down] + 1 == head.size;
        if (cells.size() > head.size + (hasSecondStride ? 1 : 0))
            return fail("the cell " + quotedCell(cells[head.size]) + " has no column: there are " +
                        std::to_string(head.size));
        return Unit{};
    }

    Status gemm(const std::string& name, const Cells& cells)
    {
        const auto sizes = numbers(cells, kGemm);
        if (!sizes)
            return sizes.error();
        const auto [m, n, k] = *sizes;
        std::int64_t count = 1;
        if (head.has(Col::Count)) {
            const auto value = number(cells, *head[Col::Count], "Count");
            if (!value)
                return value.error();
            count = *value;
        }
        products = saturatingAdd(products, count);
        if (head.has(Col::Count) && products > kMostProducts)
            return fail("the counts are more than " + formatGrouped(kMostProducts) + " together up to here");
        for (std::int64_t i = 0; i < count; ++i) {
            const std::string one = count > 1 ? name + "[" + std::to_string(i) + "]" : name;
            const ModelTensorId a = builder.input(one + ".A", {m, k});
            const ModelTensorId b = builder.constant(one + ".B", {k, n});
            builder.matmul(one, a, b);
        }
        return Unit{};
    }

    Status convolution(const std::string& name, const Cells& cells)
    {
        const auto sizes = numbers(cells, kConvolution);
        if (!sizes)
            return sizes.error();
        const auto [height, width, filterHeight, filterWidth, channels, filters, down] = *sizes;
        std::int64_t across = down;
        // If no column is named for the horizontal stride, it may follow the last column, as in SCALE-Sim.
        if (const std::size_t i = head.has(Col::Across) ? *head[Col::Across] : head.size; i < cells.size()) {
            const auto value = number(cells, i, "Strides");
            if (!value)
                return value.error();
            across = *value;
        }
        if (filterHeight > height || filterWidth > width)
            return fail("the filter is larger than the input");
        WindowAttributes window;
        window.stride = {down, across};
        // The output size of SCALE-Sim is ceil((i - f + s) / s) for input size i, filter size f and stride s:
        // the last window may extend past the input.
        const auto beyond = [](std::int64_t in, std::int64_t filter, std::int64_t stride) {
            return (ceilDiv(in - filter + stride, stride) - 1) * stride + filter - in;
        };
        window.padding = {0, 0, beyond(height, filterHeight, down), beyond(width, filterWidth, across)};
        const bool depthwise = name.starts_with("DP");
        if (depthwise)
            window.groups = channels;
        const ModelTensorId x = builder.input(name + ".ifmap", {1, channels, height, width});
        const ModelTensorId w =
            builder.constant(name + ".filter", {depthwise ? channels : filters, depthwise ? 1 : channels,
                                                filterHeight, filterWidth});
        builder.add(OperatorKind::Conv2d, name, {x, w}, window);
        return Unit{};
    }
};

} // namespace

bool isTopology(std::string_view text)
{
    return headerOf(text).isTopology;
}

Result<Model> readTopology(std::string_view bytes, const std::string& file)
{
    const std::string content = textOfBytes(bytes, file);
    const std::string_view text = content;
    TopologyHeader head = headerOf(text);
    const std::size_t slash = file.find_last_of('/');
    const std::string name = printable(slash == std::string::npos ? file : file.substr(slash + 1));
    Reader reader{ModelBuilder(name.substr(0, name.rfind('.')), 1), file, head, 0};
    if (!head.isTopology)
        return reader.fail("is not a topology: the first line must contain the column names");
    reader.line = 1;
    if (!head.fault.empty())
        return reader.fail(head.fault + "; expected " + std::string(kTopologyColumns));
    // Rows are counted before anything is built: 64 MiB of text can hold many times the limit.
    std::size_t rows = 0;
    for (std::size_t i = 1; i < text.size(); ++i)
        rows += text[i - 1] == '\n' && text[i] != '\n' && text[i] != '\r' ? 1U : 0U;
    if (rows > kMaxOperators)
        return Error{
            ErrorCode::Problem, "more than " + formatGrouped(kMaxOperators) + " operators", {}, file};
    for (std::size_t start = text.find('\n'); start < text.size();) {
        const std::size_t end = std::min(text.find('\n', ++start), text.size());
        const Cells cells = csvCells(text.substr(start, end - start), head.separator);
        start = end;
        ++reader.line;
        if (cells.empty())
            continue;
        const std::size_t at = head[Col::Layer].value_or(cells.size());
        std::string layer = printable(at < cells.size() ? cells[at] : std::string_view());
        if (!head.has(Col::Layer))
            layer = "gemm" + std::to_string(reader.line - 2);
        if (layer.empty())
            return reader.fail("the layer has no name");
        Status s = reader.checkRest(cells);
        if (s)
            s = head.areGemms ? reader.gemm(layer, cells) : reader.convolution(layer, cells);
        if (!s)
            return s.error();
    }
    auto model = std::move(reader.builder).build();
    if (!model) {
        Error error = model.error();
        error.file = file;
        return error;
    }
    model->file = file;
    return model;
}

} // namespace tilewright::model
