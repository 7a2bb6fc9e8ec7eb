// SPDX-License-Identifier: GPL-3.0-or-later
#include "validation/language_rows.h"

#include "base/text.h"
#include "base/utf8.h"

#include <algorithm>

namespace tilewright::validation {

namespace {

constexpr const char* kOperator = "op";

/// Reads the sizes in these columns, in their order. The Error is that of the first cell that is not a size.
Result<std::vector<std::int64_t>> sizesOf(const RowCells& row,
                                          std::initializer_list<std::initializer_list<const char*>> names)
{
    std::vector<std::int64_t> out;
    for (const auto& name : names) {
        const auto size = row.size(row.column(name));
        if (!size)
            return size.error();
        out.push_back(*size);
    }
    return out;
}

/// Reads the phase of a row: true for prefill, false for decode.
Result<bool> isPrefill(const RowCells& row)
{
    const std::string_view phase = row.cell(row.column({"phase"}));
    if (phase != "prefill" && phase != "decode")
        return row.fail("phase: expected prefill or decode, got " + quotedText(phase));
    return phase == "prefill";
}

/// Builds causal attention of one sequence: each query attends to its own key and the keys before it.
model::ModelBuilder prefillAttention(const std::string& name, std::int64_t heads, std::int64_t kvHeads,
                                     std::int64_t size, std::int64_t length)
{
    model::ModelBuilder builder(name);
    const auto q = builder.input("q", {length, heads * size});
    const auto k = builder.input("k", {length, kvHeads * size}),
               v = builder.input("v", {length, kvHeads * size});
    builder.add(model::OperatorKind::Attention, kOperator, {q, k, v},
                model::AttentionAttributes{heads, kvHeads == heads ? 0 : kvHeads, true});
    return builder;
}

/// Builds attention of one query per sequence. The queries of heads that share keys are the rows of one
/// product.
model::ModelBuilder decodeAttention(const std::string& name, const model::Shape& queries, std::int64_t length,
                                    std::int64_t valueSize)
{
    const std::int64_t batch = queries[0], kvHeads = queries[1], size = queries[3];
    model::ModelBuilder builder(name);
    const auto q = builder.input("q", queries), k = builder.input("k", {batch, kvHeads, length, size});
    // With latent attention, the values are a part of the keys.
    const auto v = valueSize == size ? builder.input("v", {batch, kvHeads, length, size})
                                     : builder.add(model::OperatorKind::Slice, "values", {k},
                                                   model::SliceAttributes{{3}, {0}, {valueSize}, {1}});
    builder.add(model::OperatorKind::Attention, kOperator, {q, k, v},
                model::AttentionAttributes{kvHeads, 0, false});
    return builder;
}

} // namespace

LanguageRow languageRowOf(const std::set<std::string>& columns)
{
    const auto has = [&](std::initializer_list<const char*> all) {
        return std::ranges::all_of(all, [&](const char* name) { return columns.contains(name); });
    };
    return has({"config", "phase"})                                         ? LanguageRow::Step
           : has({"heads", "dim", "length", "phase"})                       ? LanguageRow::Attention
           : has({"num_local_experts", "tokens_per_expert", "hidden_size"}) ? LanguageRow::Experts
                                                                            : LanguageRow::None;
}

Status readStep(const RowCells& row, MeasuredRow& out)
{
    out.config = printable(row.cell(row.column({"config"})));
    if (out.config.empty())
        return row.fail("config: expected the file of a configuration");
    const auto prefill = isPrefill(row);
    if (!prefill)
        return prefill.error();
    std::map<std::string, std::int64_t> sizes{{"phase", *prefill ? 1 : 2}};
    for (const char* name : {"batch", "prompt", "cached", "tokens", "chips", "stages", "expert_chips",
                             "kv_bits", "weight_bits", "activation_bits"})
        if (const auto at = row.column({name}); at && !row.cell(at).empty()) {
            const auto value = row.size(at);
            if (!value)
                return value.error();
            sizes[name] = *value;
        }
    out.dimensions = std::move(sizes);
    const auto options = llm::optionsOf(out.dimensions);
    if (!options)
        return row.fail(options.error().text());
    out.tokens = options->batch * (*prefill ? options->prompt : std::max<std::int64_t>(1, options->tokens));
    if (out.tokens == 0)
        return row.fail("prompt: a row of prefill needs the tokens of a sequence");
    const std::string_view name = row.cell(row.column({"model"}));
    out.name = (name.empty() ? out.config : printable(name)) + ", " + std::string(toString(options->phase));
    return Unit{};
}

Result<model::ModelBuilder> attentionOf(const RowCells& row, MeasuredRow& out)
{
    const auto prefill = isPrefill(row);
    const auto sizes =
        sizesOf(row, {{"heads"}, {"kv_heads_or_dim", "kv_heads"}, {"dim"}, {"batch"}, {"length"}});
    if (!prefill || !sizes)
        return !prefill ? prefill.error() : sizes.error();
    const std::int64_t heads = (*sizes)[0], second = (*sizes)[1], dim = (*sizes)[2], batch = (*sizes)[3],
                       length = (*sizes)[4];
    const bool latent = row.cell(row.column({"kind"})) == "mla";
    if (*prefill && (latent || batch != 1))
        return row.fail("prefill is predicted for one sequence of attention without a latent cache");
    if (!latent && heads % second != 0)
        return row.fail("heads: expected a multiple of " + std::to_string(second) + ", got " +
                        std::to_string(heads));
    out.name = (latent ? "latent attention, " : "attention, ") + std::to_string(heads) + " heads, " +
               (*prefill ? "prompt " : "batch " + std::to_string(batch) + ", cache ") +
               std::to_string(length);
    if (*prefill)
        return prefillAttention(out.name, heads, second, dim, length);
    return latent ? decodeAttention(out.name, {batch, 1, heads, second + dim}, length, second)
                  : decodeAttention(out.name, {batch, second, heads / second, dim}, length, dim);
}

Result<model::ModelBuilder> expertsOf(const RowCells& row, const std::string& measured, MeasuredRow& out)
{
    const auto sizes =
        sizesOf(row, {{"num_local_experts"}, {"tokens_per_expert"}, {"hidden_size"}, {"intermediate_size"}});
    if (!sizes)
        return sizes.error();
    const std::int64_t experts = (*sizes)[0], tokens = (*sizes)[1], hidden = (*sizes)[2], inner = (*sizes)[3];
    const std::string column = lowerCase(measured);
    const bool up = column.starts_with("up_");
    if (!up && !column.starts_with("down_"))
        return row.fail("the measured column of experts is one that begins with up_ or down_, got " +
                        quotedText(measured));
    out.name = std::to_string(experts) + " experts, " + std::to_string(tokens) + " x " +
               (up ? std::to_string(hidden) + " x " + std::to_string(2 * inner)
                   : std::to_string(inner) + " x " + std::to_string(hidden));
    model::ModelBuilder builder(out.name);
    const auto a = builder.input("A", {experts, tokens, up ? hidden : inner});
    const auto b = builder.constant("B", up ? model::Shape{experts, hidden, 2 * inner}
                                            : model::Shape{experts, inner, hidden});
    builder.matmul(kOperator, a, b);
    return builder;
}

} // namespace tilewright::validation
