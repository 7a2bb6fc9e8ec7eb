// SPDX-License-Identifier: GPL-3.0-or-later
#include "validation/measured_set.h"

#include "base/csv.h"
#include "base/text.h"
#include "base/utf8.h"
#include "validation/language_rows.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <span>

namespace tilewright::validation {

namespace {

class Reader
{
public:
    Reader(std::string file, const ReadOptions& options) : m_options(options)
    {
        m_row.file = file;
        m_out.file = std::move(file);
    }

    Result<MeasuredSet> read(std::string_view text)
    {
        if (text.starts_with("\xef\xbb\xbf"))
            text.remove_prefix(3);
        bool hasHeader = false;
        for (std::size_t start = 0; start < text.size();) {
            const std::size_t end = std::min(text.find('\n', start), text.size());
            const std::string_view line = text.substr(start, end - start);
            start = end + 1;
            ++m_row.line;
            m_row.cells = csvCells(line);
            if (m_row.cells.empty())
                continue;
            if (line.starts_with('#')) {
                const std::size_t from = line.find_first_not_of("# ");
                if (!hasHeader && from != std::string_view::npos)
                    m_out.head.push_back(printable(line.substr(from)));
                continue;
            }
            if (const Status s = hasHeader ? row() : header(); !s)
                return s.error();
            hasHeader = true;
        }
        if (!hasHeader)
            return Error{ErrorCode::Field, "expected a line with the names of the columns", {}, m_out.file};
        if (m_out.rows.empty())
            return Error{
                ErrorCode::Field, "no row has a measurement and meets the conditions", {}, m_out.file};
        return std::move(m_out);
    }

private:
    Status header()
    {
        m_row.takeNames();
        for (const auto& column : m_row.columns)
            m_columnNames.insert(column.first);
        if (Status s = conditions(); !s)
            return s;
        return measurement();
    }

    Status conditions()
    {
        auto read = readConditions(m_options.where, m_row);
        if (!read)
            return read.error();
        m_conditions = std::move(*read);
        return Unit{};
    }

    Status measurement()
    {
        auto chosen = chosenColumn(m_row, m_options.column);
        if (!chosen)
            return chosen.error();
        m_measured = chosen->at;
        m_out.column = std::move(chosen->column);
        return Unit{};
    }

    [[nodiscard]] Error fail(std::string message) const { return m_row.fail(std::move(message)); }
    [[nodiscard]] std::optional<std::size_t> column(std::initializer_list<const char*> names) const
    {
        return m_row.column(names);
    }
    [[nodiscard]] std::string_view cell(std::optional<std::size_t> at) const { return m_row.cell(at); }
    Result<std::int64_t> size(std::optional<std::size_t> at) const { return m_row.size(at); }
    Result<std::int64_t> size(std::optional<std::size_t> at, std::int64_t otherwise) const
    {
        return m_row.size(at, otherwise);
    }

    /// Reads the sizes of the tile that the chip used for a product or a convolution.
    Status tile(npu::TileSizes& out) const
    {
        struct Side
        {
            const char* column;
            std::int64_t npu::TileSizes::*size;
        };
        constexpr Side kProduct[] = {
            {"tile_m", &npu::TileSizes::m}, {"tile_n", &npu::TileSizes::n}, {"tile_k", &npu::TileSizes::k}};
        constexpr Side kConvolution[] = {{"tile_k", &npu::TileSizes::cOut},
                                         {"tile_c", &npu::TileSizes::cIn},
                                         {"tile_p", &npu::TileSizes::height},
                                         {"tile_q", &npu::TileSizes::width}};
        for (const Side& side :
             column({"r"}) ? std::span<const Side>(kConvolution) : std::span<const Side>(kProduct))
            if (const auto at = column({side.column}); at && !cell(at).empty()) {
                const auto value = size(at);
                if (!value)
                    return value.error();
                out.*side.size = *value;
            }
        return Unit{};
    }

    Status row()
    {
        if (!meets(m_row, m_conditions) || cell(m_measured).empty())
            return ++m_out.leftOut, Unit{};
        const auto measured = numberOf(cell(m_measured));
        if (!measured || *measured <= 0)
            return fail(printable(m_row.names[m_measured]) + ": expected a number above 0, got " +
                        quotedText(cell(m_measured)));
        MeasuredRow out;
        out.line = m_row.line;
        out.measured = *measured * m_out.column.scale;
        const LanguageRow language = languageRowOf(m_columnNames);
        Status shape = language == LanguageRow::Step        ? readStep(m_row, out)
                       : language == LanguageRow::Attention ? built(attentionOf(m_row, out), out)
                       : language == LanguageRow::Experts
                           ? built(expertsOf(m_row, m_out.column.name, out), out)
                       : column({"m"}) && column({"n"}) && column({"k"}) ? product(out)
                       : column({"r"}) && column({"s"})                  ? convolution(out)
                       : column({"elements"}) || (column({"m"}) && column({"n"}))
                           ? vectors(out)
                           : fail("the columns have no shape of an operator: expected M, N and K, or C, K, "
                                  "R and S, or M and N, or elements; they are " +
                                  m_row.namesText());
        if (!shape)
            return shape;
        if (out.config.empty() == (m_out.column.quantity == Quantity::TokensPerSecond))
            return fail(out.config.empty() ? "tokens a second are those of a step of a language model"
                                           : "a step of a language model is measured in tokens_per_s");
        if (Status s = tile(out.tile); !s)
            return s;
        if (const std::string_view name = cell(column({"layer", "name"})); !name.empty())
            out.name = printable(name) + ", " + out.name;
        m_out.rows.push_back(std::move(out));
        return Unit{};
    }

    /// Sets the row's model to that of the builder, with the width of the operands.
    Status finish(MeasuredRow& out, model::ModelBuilder builder) const
    {
        auto built = std::move(builder).build();
        if (!built)
            return fail(built.error().text());
        out.model = std::move(*built);
        if (m_options.operandBits > 0)
            for (const ModelTensorId t : out.model.operators[OperatorId(0)].inputs)
                out.model.tensors[t].bits = m_options.operandBits;
        return Unit{};
    }

    Status built(Result<model::ModelBuilder> builder, MeasuredRow& out) const
    {
        return builder ? finish(out, std::move(*builder)) : builder.error();
    }

    Status product(MeasuredRow& out) const
    {
        const auto m = size(column({"m"})), n = size(column({"n"})), k = size(column({"k"}));
        for (const auto* value : {&m, &n, &k})
            if (!*value)
                return value->error();
        out.name = std::to_string(*m) + " x " + std::to_string(*n) + " x " + std::to_string(*k);
        model::ModelBuilder builder(out.name);
        const auto a = builder.input("A", {*m, *k});
        const auto b = builder.constant("B", {*k, *n});
        builder.matmul(kOperator, a, b);
        return finish(out, std::move(builder));
    }

    /// Sizes of one axis of a convolution.
    struct Axis
    {
        std::int64_t in = 0, kernel = 1, stride = 1, before = 0, after = 0;
    };
    Result<Axis> axis(std::initializer_list<const char*> in, std::initializer_list<const char*> out,
                      const char* kernel, const char* stride) const
    {
        Axis a;
        const auto k = size(column({kernel})), s = size(column({stride, "stride"}), 1);
        if (!k || !s)
            return !k ? k.error() : s.error();
        a.kernel = *k;
        a.stride = *s;
        const auto reach = [&a](std::int64_t n) { return (n - 1) * a.stride + a.kernel; };
        if (!column(in)) { // without the size of the input, there is no padding
            const auto n = size(column(out));
            if (!n)
                return n.error();
            a.in = reach(*n);
            return a;
        }
        const auto n = size(column(in));
        if (!n)
            return n.error();
        a.in = *n;
        std::int64_t padding = 0;
        if (const std::string_view padded = cell(column({"padded"})); !padded.empty()) {
            padding = padded == "0" ? 0 : std::max<std::int64_t>(0, reach(ceilDiv(a.in, a.stride)) - a.in);
        } else if (const auto at = column(out)) {
            const auto size2 = size(at);
            if (!size2)
                return size2.error();
            padding = std::max<std::int64_t>(0, reach(*size2) - a.in);
            a.in = std::min(a.in, reach(*size2)); // input that no window reads does not count
        }
        a.before = padding / 2;
        a.after = padding - a.before;
        return a;
    }

    Status convolution(MeasuredRow& out) const
    {
        const auto channels = column({"c", "in_channels"}), filters = column({"k", "out_channels"});
        if (!channels || !filters)
            return fail("a convolution needs columns for its channels: C and K");
        if (!column({"h", "in_h"}) && !column({"p", "out_h"}))
            return fail("a convolution needs columns for its input, H and W, or its output, P and Q");
        const auto c = size(channels), k = size(filters), batch = size(column({"n", "batch"}), 1),
                   groups = size(column({"groups"}), 1);
        for (const auto* value : {&c, &k, &batch, &groups})
            if (!*value)
                return value->error();
        const auto y = axis({"h", "in_h"}, {"p", "out_h"}, "r", "stride_h");
        const auto x = axis({"w", "in_w"}, {"q", "out_w"}, "s", "stride_w");
        if (!y || !x)
            return !y ? y.error() : x.error();
        if (y->kernel > y->in + y->before + y->after || x->kernel > x->in + x->before + x->after)
            return fail("the kernel is larger than the input");
        out.name = std::to_string(*c) + " to " + std::to_string(*k) + ", " + std::to_string(y->kernel) +
                   " x " + std::to_string(x->kernel) +
                   (y->stride > 1 ? " / " + std::to_string(y->stride) : "") + ", " + std::to_string(y->in) +
                   " x " + std::to_string(x->in);
        model::WindowAttributes window;
        window.stride = {y->stride, x->stride};
        window.padding = {y->before, x->before, y->after, x->after};
        window.groups = *groups;
        model::ModelBuilder builder(out.name);
        const auto input = builder.input("input", {*batch, *c * *groups, y->in, x->in});
        const auto weights = builder.constant("weights", {*k * *groups, *c, y->kernel, x->kernel});
        builder.add(model::OperatorKind::Conv2d, kOperator, {input, weights}, window);
        return finish(out, std::move(builder));
    }

    Status vectors(MeasuredRow& out) const
    {
        model::Shape shape;
        for (const auto at : column({"elements"}) ? std::vector{column({"elements"})}
                                                  : std::vector{column({"m"}), column({"n"})}) {
            const auto n = size(at);
            if (!n)
                return n.error();
            shape.push_back(*n);
        }
        if (shape.size() == 1)
            shape.insert(shape.begin(), 1);
        out.name = std::to_string(shape[0]) + " x " + std::to_string(shape[1]);
        model::ModelBuilder builder(out.name);
        const auto x = builder.input("x", shape);
        using Kind = model::OperatorKind;
        for (const Kind kind : {Kind::Softmax, Kind::LayerNorm, Kind::RmsNorm, Kind::Elementwise})
            if (toString(kind) == m_options.operatorKind) {
                builder.add(kind, kOperator, {x});
                return finish(out, std::move(builder));
            }
        return Error{ErrorCode::Field,
                     "rows of vectors need --operator softmax, layer_norm, rms_norm or elementwise",
                     {},
                     m_out.file};
    }

    static constexpr const char* kOperator = "op";

    const ReadOptions& m_options;
    MeasuredSet m_out;
    std::size_t m_measured = 0;
    RowCells m_row;
    std::set<std::string> m_columnNames; ///< names in lower case
    std::vector<Condition> m_conditions;
};

} // namespace

bool isMeasuredSet(std::string_view text)
{
    constexpr std::size_t kMostHead = 64
                                      // Maximum size of the comments at the top, since other files may have
                                      // one long line.
                                      << 10;
    text = text.substr(0, kMostHead);
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        if (line.starts_with('#') || line.find_first_not_of(" \t\r") == std::string_view::npos)
            continue;
        bool measured = false;
        std::set<std::string> names;
        for (const std::string_view cell : csvCells(line)) {
            measured = measured || measuredColumn(cell);
            names.insert(lowerCase(cell));
        }
        const auto has = [&](const char* a, const char* b) { return names.contains(a) && names.contains(b); };
        return measured && (has("m", "n") || has("r", "s") || names.contains("elements") ||
                            languageRowOf(names) != LanguageRow::None);
    }
    return false;
}

Result<MeasuredSet> readMeasuredSet(std::string_view text, const std::string& file,
                                    const ReadOptions& options)
{
    return Reader(file, options).read(text);
}

} // namespace tilewright::validation
