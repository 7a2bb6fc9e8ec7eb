// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/topology.h"

#include "base/utf8.h"
#include "model/model_builder.h"

#include <algorithm>
#include <charconv>

namespace tilewright::model {

namespace {

using Cells = std::vector<std::string_view>;

std::string_view trimmed(std::string_view text)
{
    const std::size_t first = text.find_first_not_of(" \t\r");
    return first == std::string_view::npos ? std::string_view()
                                           : text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

/// Splits a line into cells. A trailing comma adds no empty cell.
Cells cellsOf(std::string_view line)
{
    Cells out;
    for (std::size_t start = 0; start <= line.size();) {
        const std::size_t comma = std::min(line.find(',', start), line.size());
        out.push_back(trimmed(line.substr(start, comma - start)));
        start = comma + 1;
    }
    while (!out.empty() && out.back().empty())
        out.pop_back();
    return out;
}

std::string lower(std::string_view text)
{
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return out;
}

enum class Form { None, Convolutions, Gemms };

Form formOf(const Cells& head)
{
    if (head.size() >= 4 && lower(head[1]) == "m" && lower(head[2]) == "n" && lower(head[3]) == "k")
        return Form::Gemms;
    if (head.size() >= 8 && lower(head[1]).starts_with("ifmap") && lower(head[3]).starts_with("filter"))
        return Form::Convolutions;
    return Form::None;
}

std::string_view firstLine(std::string_view text)
{
    return text.substr(0, text.find('\n'));
}

struct Reader
{
    ModelBuilder builder;
    std::string file;
    std::size_t line = 0;

    [[nodiscard]] Error fail(std::string message) const
    {
        return {ErrorCode::Field, std::move(message), "line " + std::to_string(line), file};
    }

    /// Reads column i of the line as an integer from 1 to 2^31.
    Result<std::int64_t> size(const Cells& cells, std::size_t i, const char* what) const
    {
        if (i >= cells.size())
            return fail(std::string("the column \"") + what + "\" is missing");
        std::int64_t value = 0;
        const auto [end, error] = std::from_chars(cells[i].data(), cells[i].data() + cells[i].size(), value);
        if (error != std::errc() || end != cells[i].data() + cells[i].size() || value < 1 ||
            value > kMaxDimension)
            return fail(std::string(what) + ": expected a whole number from 1 to 2147483648, got \"" +
                        std::string(cells[i].substr(0, 40)) + "\"");
        return value;
    }

    Status gemm(const std::string& name, const Cells& cells)
    {
        const auto m = size(cells, 1, "M"), n = size(cells, 2, "N"), k = size(cells, 3, "K");
        for (const auto* s : {&m, &n, &k})
            if (!*s)
                return s->error();
        const ModelTensorId a = builder.input(name + ".A", {*m, *k});
        const ModelTensorId b = builder.constant(name + ".B", {*k, *n});
        builder.matmul(name, a, b);
        return Unit{};
    }

    Status convolution(const std::string& name, const Cells& cells)
    {
        constexpr std::array kColumns{"IFMAP Height", "IFMAP Width", "Filter Height", "Filter Width",
                                      "Channels",     "Num Filter",  "Strides"};
        std::array<std::int64_t, 8> v{};
        for (std::size_t i = 0; i < kColumns.size(); ++i) {
            const auto value = size(cells, i + 1, kColumns[i]);
            if (!value)
                return value.error();
            v[i] = *value;
        }
        v[7] = v[6];
        if (cells.size() > 8) {
            const auto value = size(cells, 8, "Strides");
            if (!value)
                return value.error();
            v[7] = *value;
        }
        const auto [height, width, filterHeight, filterWidth, channels, filters, down, across] = v;
        if (filterHeight > height || filterWidth > width)
            return fail("the filter is larger than the input");
        WindowAttributes window;
        window.stride = {down, across};
        // SCALE-Sim's output size is ceil((i - f + s) / s): the last window may extend past the input.
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
    return formOf(cellsOf(firstLine(text))) != Form::None;
}

Result<Model> readTopology(std::string_view bytes, const std::string& file)
{
    const std::string content = textOfBytes(bytes, file);
    const std::string_view text = content;
    const Form form = formOf(cellsOf(firstLine(text)));
    const std::size_t slash = file.find_last_of('/');
    const std::string name = printable(slash == std::string::npos ? file : file.substr(slash + 1));
    Reader reader{ModelBuilder(name.substr(0, name.rfind('.')), 1), file, 0};
    if (form == Form::None)
        return reader.fail("is not a topology: the first line must contain the column names");
    for (std::size_t start = 0; start < text.size();) {
        const std::size_t end = std::min(text.find('\n', start), text.size());
        const Cells cells = cellsOf(text.substr(start, end - start));
        start = end + 1;
        if (++reader.line == 1 || cells.empty())
            continue;
        const std::string layer = printable(cells[0]);
        if (layer.empty())
            return reader.fail("the layer has no name");
        if (Status s = form == Form::Gemms ? reader.gemm(layer, cells) : reader.convolution(layer, cells); !s)
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
