// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/text.h"
#include "llm/families.h"
#include "llm/quantisation_json.h"

#include <algorithm>
#include <filesystem>

namespace tilewright::llm {

namespace {

constexpr std::int64_t kMostHidden = std::int64_t{1} << 20;
constexpr std::int64_t kMostLayers = 4096;
constexpr std::int64_t kMostExperts = 1 << 14;
constexpr std::int64_t kMostWords = std::int64_t{1} << 24;
constexpr std::int64_t kMostPositions = std::int64_t{1} << 30;

/// A field that changes sizes, with the family whose reader knows it.
struct SizeField
{
    std::string_view key;
    bool (*known)(const Family&);
};
bool never(const Family&)
{
    return false;
}
constexpr SizeField kSizeFields[] = {
    {"kv_lora_rank", [](const Family& f) { return f.latent; }},
    {"index_topk", [](const Family& f) { return f.latent; }},
    {"n_routed_experts", [](const Family& f) { return f.routing == Routing::DeepSeek; }},
    {"num_experts", [](const Family& f) { return f.routing == Routing::Qwen; }},
    {"num_local_experts", [](const Family& f) { return f.routing == Routing::Mixtral; }},
    {"shared_expert_intermediate_size", [](const Family& f) { return f.routing == Routing::Qwen; }},
    {"linear_num_key_heads", never},
    {"ssm_state_size", never},
    {"hybrid_override_pattern", never},
    {"attention_chunk_size", never},
    {"interleave_moe_layer_step", never},
    {"hidden_size_per_layer_input", never},
    {"num_kv_shared_layers", never},
    {"attention_k_eq_v", never},
    {"add_cross_attention", never},
    {"qk_layernorm", never},
    {"multi_query", never},
};

/// Reads one configuration; the first error stays.
class ConfigReader
{
public:
    ConfigReader(const JsonCursor& root, const std::string& file) : m_root(root), m_at(root), m_file(file) {}

    Result<LlmConfig> run()
    {
        if (const auto nested = fieldOf(m_root, "text_config")) {
            m_at = *nested;
            if (const Status s = m_at.object(); !s)
                return s.error();
        }
        if (!readFamily())
            return *m_error;
        m_out.family = std::string(m_family->type);
        m_out.file = m_file;
        readSizes();
        readTraits();
        readPositions();
        if (m_family->latent)
            readLatent();
        readExperts();
        readLayers();
        readLeftOut();
        if (m_error)
            return *m_error;
        return std::move(m_out);
    }

private:
    void fail(Error error)
    {
        if (!m_error)
            m_error = std::move(error);
    }
    void wrong(std::string_view key, const std::string& message)
    {
        const auto at = fieldOf(m_at, key);
        fail(at ? at->error(message) : m_at.error(std::string(key) + ": " + message));
    }
    /// The value of the first of these names that the file has. Two of them with different values are an
    /// error.
    std::optional<std::int64_t> integer(std::initializer_list<std::string_view> names, std::int64_t min,
                                        std::int64_t max)
    {
        std::optional<std::int64_t> out;
        for (const std::string_view name : names)
            if (const auto at = fieldOf(m_at, name)) {
                const auto value = at->integer(min, max);
                if (!value)
                    fail(value.error());
                else if (out && *out != *value)
                    fail(at->error("contradicts " + std::string(*names.begin()) + ", which is " +
                                   std::to_string(*out)));
                else
                    out = *value;
            }
        return out;
    }
    std::int64_t needed(std::initializer_list<std::string_view> names, std::int64_t max)
    {
        const auto out = integer(names, 1, max);
        if (!out)
            fail(m_at.error("the field " + std::string(*names.begin()) + " is missing"));
        return out.value_or(1);
    }
    bool flag(const JsonCursor& at, std::string_view key, bool other)
    {
        const auto found = fieldOf(at, key);
        if (!found)
            return other;
        const auto value = found->boolean();
        if (!value)
            fail(value.error());
        return value ? *value : other;
    }
    bool flag(std::string_view key, bool other) { return flag(m_at, key, other); }
    std::string word(std::initializer_list<std::string_view> names)
    {
        for (const std::string_view name : names)
            if (const auto at = fieldOf(m_at, name)) {
                const auto value = at->string();
                if (value)
                    return *value;
                fail(value.error());
            }
        return {};
    }
    /// A share of a head that is turned, as "partial_rotary_factor".
    double share(std::initializer_list<std::string_view> names)
    {
        for (const std::string_view name : names)
            if (const auto at = fieldOf(m_at, name)) {
                const auto value = at->number(0, 1);
                if (value)
                    return *value;
                fail(value.error());
            }
        return 1;
    }

    bool readFamily()
    {
        std::string type;
        for (const JsonCursor& at : {m_root, m_at})
            if (const auto field = fieldOf(at, "model_type")) {
                const auto value = field->string();
                if (!value)
                    return fail(value.error()), false;
                type = *value;
                const std::string_view missing = missingOf(type);
                if (!missing.empty())
                    return fail(field->error("\"" + type + "\" is not covered: it needs " +
                                             std::string(missing))),
                           false;
                m_family = familyOf(type);
            }
        if (type.empty())
            return fail(m_at.error("the field model_type is missing")), false;
        if (!m_family) {
            std::string known;
            for (const std::string_view name : llmFamilies())
                known += (known.empty() ? "" : ", ") + std::string(name);
            return fail(m_at.error("model_type: the family \"" + type +
                                   "\" is not known; to add it, the "
                                   "matrices of its layers, its norms and biases and its cache would be "
                                   "needed; known are " +
                                   known)),
                   false;
        }
        for (const SizeField& f : kSizeFields)
            if (const auto at = fieldOf(m_at, f.key); at && !f.known(*m_family) && says(at->node()))
                return fail(at->error("is no field of the family " + type +
                                      ": what it adds to a layer is not known")),
                       false;
        return true;
    }
    /// False for a value that leaves its feature out.
    static bool says(const Json& node)
    {
        return !(node == 0 || node == false || node == "" || (node.is_array() && node.empty()));
    }

    void readSizes()
    {
        LlmConfig& c = m_out;
        c.hidden = needed({"hidden_size", "n_embd", "d_model"}, kMostHidden);
        const std::int64_t count = needed({"num_hidden_layers", "n_layer"}, kMostLayers);
        c.heads = needed({"num_attention_heads", "n_head"}, kMostHidden);
        c.kvHeads = integer({"num_key_value_heads"}, 1, kMostHidden).value_or(c.heads);
        if (m_family->latent)
            c.kvHeads = c.heads; // the field has no meaning there
        const auto size = integer({"head_dim"}, 1, kMostHidden);
        if (!size && !m_family->latent && c.hidden % c.heads != 0)
            wrong("num_attention_heads", "does not divide hidden_size, and head_dim is missing");
        c.headSize = size.value_or(c.hidden / c.heads);
        if (c.heads % c.kvHeads != 0)
            wrong("num_key_value_heads", "does not divide num_attention_heads");
        c.feedForward =
            integer({"intermediate_size", "ffn_dim", "n_inner"}, 1, kMostHidden * 4).value_or(4 * c.hidden);
        c.layers.resize(static_cast<std::size_t>(count));
        if (m_family->type != "vit")
            c.vocabulary = needed({"vocab_size"}, kMostWords);
        else
            readImages();
    }

    void readImages()
    {
        LlmImages& i = m_out.images;
        i.size = integer({"image_size"}, 1, kMostHidden).value_or(224);
        i.patch = integer({"patch_size"}, 1, kMostHidden).value_or(16);
        i.channels = integer({"num_channels"}, 1, 4096).value_or(3);
        i.classes = integer({"num_labels"}, 1, kMostWords).value_or(0);
        if (const auto labels = fieldOf(m_at, "id2label"); labels && i.classes == 0)
            i.classes = static_cast<std::int64_t>(labels->size());
        if (i.patches() < 1)
            wrong("patch_size", "is larger than the image");
    }

    void readTraits()
    {
        LlmConfig& c = m_out;
        const Family& f = *m_family;
        c.gated = f.gated;
        c.norm = f.norm;
        c.layerNorms = f.norms;
        c.normsAfter = f.norms == 4 || f.type == "bert";
        c.finalNorm = f.type != "bert";
        c.causal = f.causal;
        c.fusedQkv = f.fused;
        c.fusedGateUp = f.fused && f.gated;
        c.qkNorm = f.qkNorm;
        c.parallel = f.parallel && flag("use_parallel_residual", true);
        c.headBias = f.headBias;
        c.sinks = f.type == "gpt_oss";
        c.pooler = f.type == "bert";
        c.tokenTypes = f.type == "bert" ? integer({"type_vocab_size"}, 1, 4096).value_or(2) : 0;
        c.activation = std::string(f.activation);
        if (const std::string name =
                word({"hidden_activation", "hidden_act", "activation_function", "hidden_act"});
            !name.empty())
            c.activation = name.starts_with("gelu") ? "gelu" : name;
        const bool attention = flag("attention_bias", f.biases == Biases::All);
        c.qkvBias = f.biases == Biases::Qkv || attention;
        c.outBias = attention;
        c.mlpBias = flag("mlp_bias", f.biases == Biases::All || f.biases == Biases::Mlp);
        c.tied = flag("tie_word_embeddings", flag(m_root, "tie_word_embeddings", f.tied));
        const auto requireField = [&](std::string_view key, bool value) {
            if (flag(key, value) != value)
                wrong(key, std::string("only ") + (value ? "true" : "false") + " is covered");
        };
        requireField("do_layer_norm_before", true);
        requireField("qkv_bias", true);
        requireField("enable_bias", true);
        if (const auto width = integer({"word_embed_proj_dim"}, 1, kMostHidden); width && *width != c.hidden)
            wrong("word_embed_proj_dim", "only the value of hidden_size is covered");
        readType();
    }

    void readType()
    {
        std::string type;
        for (const JsonCursor& at : {m_at, m_root})
            for (const std::string_view key : {"dtype", "torch_dtype"}) {
                const auto field = fieldOf(at, key);
                if (!field)
                    continue;
                const auto value = field->string();
                if (!value)
                    return fail(value.error());
                if (!type.empty() && type != *value)
                    return fail(field->error("contradicts the other type, \"" + type + "\""));
                type = *value;
            }
        std::int64_t bits = 32;
        if (type == "bfloat16" || type == "float16")
            bits = 16;
        else if (type == "float8_e4m3fn" || type == "float8_e5m2")
            bits = 8;
        else if (!type.empty() && type != "float32")
            return wrong(fieldOf(m_at, "dtype") ? "dtype" : "torch_dtype",
                         "the type \"" + type + "\" is not known");
        m_out.elementBits = m_out.embeddingBits = m_out.headBits = m_out.activationBits = bits * kBit;
    }

    void readPositions()
    {
        LlmConfig& c = m_out;
        const auto most = integer({"max_position_embeddings", "n_positions"}, 1, kMostPositions);
        c.mostPositions = most.value_or(0);
        if (m_family->type == "vit") {
            c.positions = c.images.patches() + 1;
            c.mostPositions = c.positions;
        } else if (m_family->learnedPositions) {
            if (!most)
                fail(m_at.error("the field max_position_embeddings is missing"));
            c.positions = c.mostPositions + (m_family->type == "opt" ? 2 : 0);
        } else {
            const double part = share({"partial_rotary_factor", "rotary_pct"});
            c.rotary = integer({"rotary_dim"}, 1, kMostHidden)
                           .value_or(static_cast<std::int64_t>(part * static_cast<double>(c.headSize)));
        }
    }

    void readLatent()
    {
        LlmLatent m;
        m.queryRank = integer({"q_lora_rank"}, 0, kMostHidden).value_or(0);
        m.cacheRank = needed({"kv_lora_rank"}, kMostHidden);
        m.nope = needed({"qk_nope_head_dim"}, kMostHidden);
        m.rope = needed({"qk_rope_head_dim"}, kMostHidden);
        m.value = needed({"v_head_dim"}, kMostHidden);
        m_out.latent = m;
        m_out.headSize = m.nope + m.rope;
        m_out.rotary = m.rope;
        if (!fieldOf(m_at, "index_topk"))
            return;
        m_out.indexer =
            LlmIndexer{needed({"index_n_heads"}, kMostHidden), needed({"index_head_dim"}, kMostHidden),
                       needed({"index_topk"}, kMostPositions)};
    }

    void readExperts()
    {
        LlmExperts e;
        const auto perToken = [&] {
            const std::int64_t k = needed({"num_experts_per_tok", "experts_per_token"}, kMostExperts);
            if (k > e.count)
                wrong("num_experts_per_tok", "is more than there are experts");
            return k;
        };
        switch (m_family->routing) {
        case Routing::None:
            return;
        case Routing::Mixtral:
            e.count = needed({"num_local_experts"}, kMostExperts);
            e.perToken = perToken();
            e.size = m_out.feedForward;
            e.biased = m_family->type == "gpt_oss";
            break;
        case Routing::Qwen:
            e.count = needed({"num_experts"}, kMostExperts);
            e.perToken = perToken();
            e.size = needed({"moe_intermediate_size"}, kMostHidden);
            e.shared = integer({"shared_expert_intermediate_size"}, 0, kMostHidden).value_or(0);
            e.sharedGate = e.shared > 0;
            break;
        case Routing::DeepSeek:
            if (!fieldOf(m_at, "n_routed_experts"))
                return;
            e.count = needed({"n_routed_experts"}, kMostExperts);
            e.perToken = perToken();
            e.size = needed({"moe_intermediate_size"}, kMostHidden);
            e.shared = integer({"n_shared_experts"}, 0, kMostExperts).value_or(0) * e.size;
            e.corrected = word({"topk_method"}) == "noaux_tc" || m_family->type == "deepseek_v3" ||
                          m_family->type == "deepseek_v32";
            break;
        }
        m_out.experts = e;
    }

    void readLayers()
    {
        LlmConfig& c = m_out;
        const auto count = static_cast<std::int64_t>(c.layers.size());
        if (c.experts) {
            const std::int64_t first = integer({"first_k_dense_replace"}, 0, kMostLayers).value_or(0);
            const std::int64_t every = integer({"moe_layer_freq"}, 1, kMostLayers).value_or(1);
            const std::int64_t step = integer({"decoder_sparse_step"}, 1, kMostLayers).value_or(1);
            for (std::int64_t i = 0; i < count; ++i)
                c.layers[static_cast<std::size_t>(i)].sparse =
                    i >= first && i % every == 0 && (i + 1) % step == 0;
            if (const auto dense = fieldOf(m_at, "mlp_only_layers")) {
                const auto list = dense->integers(0, count - 1);
                if (!list)
                    return fail(list.error());
                for (const std::int64_t i : *list)
                    c.layers[static_cast<std::size_t>(i)].sparse = false;
            }
        }
        readWindows();
    }

    void readWindows()
    {
        auto& layers = m_out.layers;
        const auto size = integer({"sliding_window"}, 1, kMostPositions);
        const auto types = fieldOf(m_at, "layer_types");
        if (types) {
            const auto list = types->array(layers.size());
            if (!list)
                return fail(list.error());
            for (std::size_t i = 0; i < layers.size(); ++i) {
                const auto type = (*list)[i].string();
                if (!type)
                    return fail(type.error());
                if (*type != "sliding_attention" && *type != "full_attention")
                    return fail((*list)[i].error("the kind of layer \"" + *type + "\" is not known"));
                if (*type == "sliding_attention" && !size)
                    return fail((*list)[i].error("the field sliding_window is missing"));
                layers[i].window = *type == "sliding_attention" ? *size : 0;
            }
            return;
        }
        if (!size)
            return;
        const std::int64_t from = integer({"max_window_layers"}, 0, kMostPositions).value_or(0);
        const std::int64_t pattern = integer({"sliding_window_pattern"}, 1, kMostLayers).value_or(6);
        const bool used = flag("use_sliding_window", false);
        for (std::size_t i = 0; i < layers.size(); ++i) {
            const auto at = static_cast<std::int64_t>(i);
            const bool holds = m_family->windows == Windows::All ||
                               (m_family->windows == Windows::FromLayer && used && at >= from) ||
                               (m_family->windows == Windows::EvenLayers && at % 2 == 0) ||
                               (m_family->windows == Windows::Pattern && (at + 1) % pattern != 0);
            layers[i].window = holds ? *size : 0;
        }
    }

    void readLeftOut()
    {
        m_out.extraLayers = integer({"num_nextn_predict_layers"}, 0, kMostLayers).value_or(0);
        if (m_out.extraLayers > 0)
            m_out.notes.push_back("layers that predict further tokens (num_nextn_predict_layers " +
                                  std::to_string(m_out.extraLayers) + ") are left out");
        if (fieldOf(m_root, "vision_config"))
            m_out.notes.emplace_back("the part for images (vision_config) is left out");
    }

    JsonCursor m_root, m_at;
    const std::string& m_file;
    const Family* m_family = nullptr;
    LlmConfig m_out;
    std::optional<Error> m_error;
};

std::string bitsText(std::int64_t bits)
{
    return formatNumber(static_cast<double>(bits) / static_cast<double>(kBit));
}

/// The quantisation of both files, which must not contradict each other.
Result<std::optional<LlmQuantisation>>
quantisationOfFiles(const JsonCursor& root, std::optional<std::string_view> text, const std::string& file)
{
    std::optional<LlmQuantisation> out;
    const auto nested = fieldOf(root, "text_config");
    for (const auto& at : {std::optional(root), nested})
        if (const auto field = at ? fieldOf(*at, "quantization_config") : std::nullopt) {
            auto read = quantisationOf(*field);
            if (!read)
                return read.error();
            out = std::move(*read);
        }
    if (!text)
        return out;
    auto beside = readQuantisation(*text, file);
    if (!beside)
        return beside.error();
    const auto contradiction = [&](const char* what, std::int64_t here, std::int64_t there) {
        return Error{ErrorCode::Field,
                     std::string(what) + ": " + bitsText(there) + " bits, but config.json says " +
                         bitsText(here),
                     "quantization", file};
    };
    if (out && out->format.bits != beside->format.bits)
        return contradiction("weights", out->format.bits, beside->format.bits);
    if (out && out->kvBits && beside->kvBits && *out->kvBits != *beside->kvBits)
        return contradiction("cache of keys and values", *out->kvBits, *beside->kvBits);
    if (out && out->kvBits && !beside->kvBits)
        beside->kvBits = out->kvBits;
    return std::optional(std::move(*beside));
}

/// Sets the widths of all weights.
void applyQuantisation(LlmConfig& c, const std::optional<LlmQuantisation>& q)
{
    if (q) {
        c.quantisation = q->method;
        c.kvBits = q->kvBits.value_or(c.kvBits);
        const std::int64_t activations = q->format.bits > 0 || q->own.empty()
                                             ? q->format.activationBits
                                             : q->own.front().second.activationBits;
        if (activations > 0)
            c.activationBits = activations;
    }
    const std::optional<ModuleFormats> formats =
        q ? std::optional<ModuleFormats>(std::in_place, *q) : std::nullopt;
    const auto bitsOf = [&](const std::string& module, const LlmMatrix& m) {
        const LlmFormat* format = formats && !m.router ? formats->of(module, m.count > 1) : nullptr;
        return format ? format->weightBits(m.rows, m.columns) : c.elementBits;
    };
    for (std::size_t i = 0; i < c.layers.size(); ++i)
        for (const LlmMatrix& m : matricesOf(c, c.layers[i]))
            c.layers[i].bits.push_back(bitsOf("model.layers." + std::to_string(i) + "." + m.module, m));
    if (q && q->headToo && !c.tied) {
        LlmMatrix head;
        head.rows = c.hidden;
        head.columns = c.vocabulary;
        c.headBits = bitsOf("lm_head", head);
    }
}

/// The name of the model in a path: the file's name without "config.json", else that of its folder.
std::string nameOf(const std::string& file)
{
    const std::filesystem::path path(file);
    std::string name = path.filename().string();
    for (const std::string_view end : {".config.json", ".json"})
        if (name.ends_with(end) && name != "config.json") {
            name.resize(name.size() - end.size());
            return name;
        }
    const std::string folder = path.parent_path().filename().string();
    return name == "config.json" && !folder.empty() ? folder : name;
}

/// The word behind "model_type" in a text that is no JSON.
std::string_view familyIn(std::string_view text)
{
    constexpr std::string_view kKey = "\"model_type\"";
    const std::size_t key = text.find(kKey);
    const std::size_t begin = key == std::string_view::npos ? key : text.find('"', key + kKey.size());
    const std::size_t end = begin == std::string_view::npos ? begin : text.find('"', begin + 1);
    return end == std::string_view::npos ? std::string_view() : text.substr(begin + 1, end - begin - 1);
}

} // namespace

Result<LlmConfig> readLlmConfig(std::string_view text, const std::string& file,
                                std::optional<std::string_view> quantText, const std::string& quantFile)
{
    const auto document = parseJson(text, file);
    if (!document) {
        // Python writes Infinity, which is no JSON, into files of families that are not covered.
        const std::string_view type = familyIn(text), missing = missingOf(type);
        if (missing.empty())
            return document.error();
        return Error{ErrorCode::Field,
                     "\"" + std::string(type) + "\" is not covered: it needs " + std::string(missing),
                     "model_type", file};
    }
    const JsonCursor root(*document, file);
    if (const Status s = root.object(); !s)
        return s.error();
    auto out = ConfigReader(root, file).run();
    if (!out)
        return out;
    const auto quantisation = quantisationOfFiles(root, quantText, quantFile);
    if (!quantisation)
        return quantisation.error();
    applyQuantisation(*out, *quantisation);
    out->name = nameOf(file);
    return out;
}

} // namespace tilewright::llm
