// SPDX-License-Identifier: GPL-3.0-or-later
#include "llm/config_fields_json.h"
#include "llm/families.h"

#include <algorithm>

namespace tilewright::llm {

namespace {

constexpr std::int64_t kMostHidden = std::int64_t{1} << 20;
constexpr std::int64_t kMostLayers = 4096;
constexpr std::int64_t kMostExperts = 1 << 14;
constexpr std::int64_t kMostWords = std::int64_t{1} << 24;
constexpr std::int64_t kMostPositions = std::int64_t{1} << 30;

/// A field that changes sizes, with the family whose reader supports it.
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

/// Reads one configuration. Keeps the first error.
class ConfigReader : public ConfigFields
{
public:
    ConfigReader(const JsonCursor& root, const std::string& file) : ConfigFields(root), m_file(file) {}

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
                return fail(at->error("is not a field of the family " + type +
                                      ": what it adds to a layer is not known")),
                       false;
        return true;
    }
    /// False for a value that means that the feature is not used.
    static bool says(const Json& node)
    {
        if (node.is_boolean())
            return node.get<bool>();
        if (node.is_number())
            return node.get<double>() != 0;
        if (node.is_string())
            return !node.get_ref<const std::string&>().empty();
        return !node.is_array() || !node.empty();
    }

    void readSizes()
    {
        LlmConfig& c = m_out;
        c.hidden = needed({"hidden_size", "n_embd", "d_model"}, kMostHidden);
        const std::int64_t count = needed({"num_hidden_layers", "n_layer"}, kMostLayers);
        c.heads = needed({"num_attention_heads", "n_head"}, kMostHidden);
        c.kvHeads = integer({"num_key_value_heads"}, 1, kMostHidden).value_or(c.heads);
        if (m_family->latent)
            c.kvHeads = c.heads; // the field has no meaning for this family
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
        m_out.hasType = !type.empty();
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

    const std::string& m_file;
    const Family* m_family = nullptr;
    LlmConfig m_out;
};

} // namespace

Result<LlmConfig> configOf(const JsonCursor& root, const std::string& file)
{
    return ConfigReader(root, file).run();
}

} // namespace tilewright::llm
