// SPDX-License-Identifier: GPL-3.0-or-later
#include "llm/quantisation_json.h"

#include "llm/config.h"

#include <algorithm>
#include <cctype>

namespace tilewright::llm {

namespace {

using Of = LlmOverhead::Of;

constexpr std::int64_t kMostGroup = std::int64_t{1} << 20;

/// Reads the fields of one quantisation. Keeps the first error.
class Reader
{
public:
    explicit Reader(JsonCursor at) : m_at(std::move(at)) {}

    Result<LlmQuantisation> run()
    {
        if (Status s = m_at.object(); !s)
            return s.error();
        const std::string method = lower(word("quant_method", "")), algorithm = word("quant_algo", "");
        for (const char* list : {"modules_to_not_convert", "ignored_layers", "ignore", "exclude_modules",
                                 "llm_int8_skip_modules"})
            patterns(list, m_out.kept);
        m_out.method = method;
        if (!algorithm.empty() && (method.empty() || method == "modelopt"))
            modelopt(algorithm);
        else if (method == "gptq" || method == "awq")
            integers(method == "awq");
        else if (method == "fp8")
            floats();
        else if (method == "bitsandbytes")
            bitsandbytes();
        else if (method == "compressed-tensors")
            compressed();
        else if (method == "mxfp4")
            m_out.format = {4 * kBit, {{8, Of::Group, 32}}, 0}, m_out.expertsOnly = true;
        else if (method == "modelopt")
            fail(m_at.error("the field quant_algo is missing"));
        else
            fail(m_at.error("the format " +
                            std::string(method.empty() ? "without quant_method" : "\"" + method + "\"") +
                            " is not known; known are gptq, awq, fp8, bitsandbytes, compressed-tensors, "
                            "mxfp4 and modelopt"));
        cache();
        if (m_error)
            return *m_error;
        return std::move(m_out);
    }

private:
    static std::string lower(std::string text)
    {
        std::transform(text.begin(), text.end(), text.begin(),
                       [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        return text;
    }
    void fail(Error error)
    {
        if (!m_error)
            m_error = std::move(error);
    }
    /// The value of a result; `other` if it is an error.
    template <typename T> T take(Result<T> value, const T& other)
    {
        if (value)
            return std::move(*value);
        fail(value.error());
        return other;
    }
    std::string word(std::string_view key, const std::string& other) { return wordOf(m_at, key, other); }
    std::string wordOf(const JsonCursor& at, std::string_view key, const std::string& other)
    {
        const auto value = fieldOf(at, key);
        return value ? take(value->string(), other) : other;
    }
    bool flagOf(const JsonCursor& at, std::string_view key, bool other)
    {
        const auto value = fieldOf(at, key);
        return value ? take(value->boolean(), other) : other;
    }
    bool flag(std::string_view key, bool other = false) { return flagOf(m_at, key, other); }
    std::int64_t integerOf(const JsonCursor& at, std::string_view key, std::int64_t min, std::int64_t max,
                           std::int64_t other)
    {
        const auto value = fieldOf(at, key);
        return value ? take(value->integer(min, max), other) : other;
    }
    void patterns(std::string_view key, std::vector<std::string>& out)
    {
        const auto list = fieldOf(m_at, key);
        if (!list)
            return;
        const auto items = list->array();
        if (!items)
            return fail(items.error());
        for (const JsonCursor& item : *items)
            out.push_back(patternAt(item));
    }
    /// Visits the members of the object `key`, which must exist.
    template <typename Visit> void members(const char* key, const Visit& visit)
    {
        const auto at = fieldOf(m_at, key);
        if (!at)
            return fail(m_at.error("the field " + std::string(key) + " is missing"));
        if (const Status s = at->object(); !s)
            return fail(s.error());
        for (const auto& [name, value] : at->node().items()) {
            const auto member = at->member(name);
            if (!member)
                return fail(member.error());
            visit(name, *member);
        }
    }
    std::string patternAt(const JsonCursor& at)
    {
        std::string out = take(at.string(), std::string());
        if (const auto pattern = ModulePattern::of(out); !pattern)
            fail(at.error(pattern.error().message));
        return out;
    }
    static LlmOverhead scale(std::int64_t bits, std::int64_t group)
    {
        return group > 0 ? LlmOverhead{bits, Of::Group, group} : LlmOverhead{bits, Of::Row, 1};
    }

    void integers(bool isAwq)
    {
        const char* const bitsKey = isAwq && !fieldOf(m_at, "bits") ? "w_bit" : "bits";
        const char* const groupKey = isAwq && !fieldOf(m_at, "group_size") ? "q_group_size" : "group_size";
        if (!fieldOf(m_at, bitsKey))
            return fail(m_at.error("the field bits is missing"));
        const std::int64_t bits = integerOf(m_at, bitsKey, 1, 16, 4);
        const std::int64_t group = integerOf(m_at, groupKey, -1, kMostGroup, 128);
        m_out.format = {bits * kBit, {scale(16, group)}, 0};
        // This format stores zero points also for symmetric groups.
        if (isAwq ? flag("zero_point", true) : true)
            m_out.format.overheads.push_back(scale(bits, group));
        if (flag("desc_act"))
            m_out.format.overheads.push_back({32, Of::Column, 1});
        m_out.headToo = flag("lm_head");
    }

    void floats()
    {
        m_out.format = {8 * kBit, {}, 8 * kBit};
        std::int64_t block = 0;
        if (const auto size = fieldOf(m_at, "weight_block_size")) {
            const auto sides = size->integers(1, kMostGroup, 2);
            if (!sides)
                return fail(sides.error());
            block = (*sides)[1];
            m_out.format.overheads.push_back({32, Of::Group, (*sides)[0] * block});
        }
        if (word("activation_scheme", "static") == "dynamic" && block > 0)
            m_out.format.activationBits += 32 * kBit / block;
    }

    void bitsandbytes()
    {
        if (flag("load_in_8bit")) {
            m_out.format = {8 * kBit, {scale(32, -1)}, 0};
            return;
        }
        if (!flag("load_in_4bit"))
            return fail(m_at.error("neither load_in_4bit nor load_in_8bit is true"));
        const std::string type = word("bnb_4bit_quant_type", "fp4");
        if (type != "nf4" && type != "fp4")
            return fail(m_at.error("bnb_4bit_quant_type: expected nf4 or fp4, got \"" + type + "\""));
        m_out.method = type;
        m_out.format = {4 * kBit, {}, 0};
        if (flag("bnb_4bit_use_double_quant"))
            m_out.format.overheads = {{8, Of::Group, 64}, {32, Of::Group, std::int64_t{64} * 256}};
        else
            m_out.format.overheads = {{32, Of::Group, 64}};
    }

    /// Reads one side (weights or activations) of a group of compressed-tensors: its bits, including scales.
    LlmFormat sideOf(const JsonCursor& at, bool isWeight)
    {
        const std::int64_t bits = integerOf(at, "num_bits", 1, 16, 8);
        const bool isFloat4 = bits == 4 && wordOf(at, "type", "int") == "float";
        const std::int64_t group = integerOf(at, "group_size", -1, kMostGroup, -1);
        const std::string strategy = wordOf(at, "strategy", group > 0 ? "group" : "tensor");
        LlmFormat out{bits * kBit, {}, 0};
        const std::int64_t scaleBits = isFloat4 ? 8 : 16;
        if (strategy == "group" || strategy == "tensor_group")
            out.overheads.push_back(scale(scaleBits, group > 0 ? group : isFloat4 ? 16 : 128));
        else if (strategy == "channel" || strategy == "token")
            out.overheads.push_back(scale(isWeight ? 16 : 32, -1));
        else if (strategy == "block")
            out.overheads.push_back({32, Of::Group, blockOf(at)});
        else if (strategy != "tensor")
            fail(at.error("the strategy \"" + strategy + "\" is not known"));
        if (isWeight && !flagOf(at, "symmetric", true) && !out.overheads.empty()) {
            LlmOverhead zero = out.overheads.front();
            zero.bits = bits;
            out.overheads.push_back(zero);
        }
        return out;
    }
    std::int64_t blockOf(const JsonCursor& at)
    {
        const auto sides = fieldOf(at, "block_structure");
        if (!sides)
            return std::int64_t{128} * 128;
        const auto read = sides->integers(1, kMostGroup, 2);
        if (read)
            return (*read)[0] * (*read)[1];
        fail(read.error());
        return 1;
    }

    void compressed()
    {
        members("config_groups", [this](const std::string&, const JsonCursor& at) { group(at); });
        if (const auto scheme = fieldOf(m_at, "kv_cache_scheme"))
            m_out.kvBits = integerOf(*scheme, "num_bits", 1, 16, 16) * kBit;
    }
    void group(const JsonCursor& at)
    {
        const auto weights = fieldOf(at, "weights");
        if (!weights)
            return;
        LlmFormat format = sideOf(*weights, true);
        if (const auto inputs = fieldOf(at, "input_activations"))
            format.activationBits = sideOf(*inputs, false).weightBits(128, 128);
        const auto targets = fieldOf(at, "targets");
        const auto items = targets ? targets->array() : Result(std::vector<JsonCursor>());
        if (!items)
            return fail(items.error());
        bool all = items->empty();
        for (const JsonCursor& item : *items) {
            const std::string target = patternAt(item);
            if (target == "Linear")
                all = true;
            else
                m_out.own.emplace_back(target, format);
        }
        if (all)
            m_out.format = format;
    }

    LlmFormat algorithmOf(const JsonCursor& at, const std::string& name)
    {
        const std::int64_t group = integerOf(at, "group_size", 1, kMostGroup, name == "NVFP4" ? 16 : 128);
        if (name == "FP8")
            return {8 * kBit, {}, 8 * kBit};
        if (name == "NVFP4")
            return {4 * kBit, {scale(8, group)}, 4 * kBit + 8 * kBit / group};
        if (name == "W4A8_AWQ")
            return {4 * kBit, {scale(16, group)}, 8 * kBit};
        if (name == "W4A16_AWQ")
            return {4 * kBit, {scale(16, group)}, 0};
        fail(at.error("the quant_algo \"" + name +
                      "\" is not known; known are FP8, NVFP4, W4A8_AWQ, "
                      "W4A16_AWQ and MIXED_PRECISION"));
        return {};
    }

    void modelopt(const std::string& algorithm)
    {
        m_out.method = lower(algorithm);
        if (algorithm != "MIXED_PRECISION") {
            m_out.format = algorithmOf(m_at, algorithm);
            return;
        }
        members("quantized_layers", [this](const std::string& name, const JsonCursor& layer) {
            if (const auto pattern = ModulePattern::of(name); !pattern)
                return fail(layer.error(pattern.error().message));
            m_out.own.emplace_back(name, algorithmOf(layer, wordOf(layer, "quant_algo", "")));
        });
    }

    void cache()
    {
        const std::string word = this->word("kv_cache_quant_algo", "");
        if (word.empty() || word == "none" || word == "auto")
            return;
        if (word == "FP8" || word == "INT8")
            m_out.kvBits = 8 * kBit;
        else if (word == "NVFP4")
            m_out.kvBits = 4 * kBit + kBit / 2;
        else
            fail(m_at.error("kv_cache_quant_algo: expected FP8, INT8 or NVFP4, got \"" + word + "\""));
    }

    JsonCursor m_at;
    LlmQuantisation m_out;
    std::optional<Error> m_error;
};

} // namespace

std::optional<JsonCursor> fieldOf(const JsonCursor& at, std::string_view key)
{
    auto out = at.find(key);
    return out && !out->isNull() ? out : std::nullopt;
}

Result<LlmQuantisation> quantisationOf(const JsonCursor& at)
{
    return Reader(at).run();
}

Result<LlmQuantisation> readQuantisation(std::string_view text, const std::string& file)
{
    const auto document = parseJson(text, file);
    if (!document)
        return document.error();
    const JsonCursor root(*document, file);
    if (const Status s = root.object(); !s)
        return s.error();
    const auto inner = fieldOf(root, "quantization");
    if (!inner)
        return root.error("the field quantization is missing");
    return quantisationOf(*inner);
}

} // namespace tilewright::llm
