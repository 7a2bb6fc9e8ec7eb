// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/import/language_form.h"

#include "llm/shards.h"
#include "theme/text.h"
#include "workspace/document.h"

#include <QHBoxLayout>

#include <cmath>

namespace tilewright::ui {

using llm::LlmOptions;
using llm::LlmPhase;

LanguageForm::LanguageForm(Document& document, QWidget* parent)
    : QWidget(parent), m_document(document),
      m_fields(
          QStringLiteral("language."), [this] { return now(); },
          [this](const LlmOptions& next, const QString&) { take(next); })
{
    setObjectName(QStringLiteral("import.language"));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    // The form keeps its height; in a low pane the table below gets smaller.
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    const auto form = [&] {
        auto* fields = new QWidget(this);
        auto* out = new QFormLayout(fields);
        out->setContentsMargins(0, 0, 0, 0);
        row->addWidget(fields);
        return out;
    };
    QFormLayout& runs = *form();
    m_fields.choice(
        runs, QStringLiteral("phase"), tr("Phase"), {tr("prefill"), tr("decode"), tr("chunked prefill")},
        tr("What runs: a whole prompt, a step after the tokens in the cache, or a part of a prompt after "
           "them."),
        [](LlmOptions& o) { return static_cast<int>(o.phase); },
        // The numbers of tokens belong to the old phase: reset them to the defaults.
        [](LlmOptions& o, int phase) {
            o.phase = static_cast<LlmPhase>(phase);
            o.prompt = o.cached = o.tokens = 0;
        });
    constexpr int kMost = 1 << 24;
    const auto number = [&](QFormLayout& into, const char* name, const QString& label, int least, int most,
                            const QString& tip, std::int64_t LlmOptions::*part) {
        return m_fields.number(into, QLatin1String(name), label, least, most, tip,
                               [part](LlmOptions& o) -> std::int64_t& { return o.*part; });
    };
    number(runs, "batch", tr("Batch"), 1, 1 << 16, tr("Sequences at once."), &LlmOptions::batch);
    m_prompt = number(runs, "prompt", tr("Prompt"), 0, kMost,
                      tr("Tokens of a sequence that are computed. 0: 2048, or the longest context of the "
                         "model if that is less; 512 if chunked."),
                      &LlmOptions::prompt);
    m_cached = number(runs, "cached", tr("Cached"), 0, kMost,
                      tr("Tokens of a sequence in the cache. 0: 2048, or as many as the model has room for."),
                      &LlmOptions::cached);
    m_tokens = number(runs, "tokens", tr("Tokens a step"), 0, kMost,
                      tr("Tokens of a sequence in one step; more than one for speculative decoding. 0: 1."),
                      &LlmOptions::tokens);
    QFormLayout& chips = *form();
    number(chips, "chips", tr("Chips"), 1, static_cast<int>(llm::kMostChips),
           tr("Chips that share every layer. The graph is what one of them has."), &LlmOptions::chips);
    number(
        chips, "stages", tr("Stages"), 1, 1 << 16,
        tr("Groups of so many chips, one after another, that share the layers. The graph is the last one."),
        &LlmOptions::stages);
    m_expertChips = number(chips, "expertChips", tr("Chips of experts"), 1, static_cast<int>(llm::kMostChips),
                           tr("Chips that share the routed experts, each with sequences of its own."),
                           &LlmOptions::expertChips);
    m_expertSkew = m_fields.decimal(
        chips, QStringLiteral("expertSkew"), tr("Skew of experts"), 0,
        static_cast<double>(llm::kMostSkew) / llm::kSkewOfOne, 3, 0.1,
        tr("Expert I of a layer gets tokens in proportion to 1 / I to the power of this number. 0: all "
           "experts "
           "the same."),
        [](LlmOptions& o) { return static_cast<double>(o.expertSkew) / llm::kSkewOfOne; },
        [](LlmOptions& o, double skew) {
            o.expertSkew = std::llround(skew * static_cast<double>(llm::kSkewOfOne));
        });
    m_layers = m_fields.number(
        chips, QStringLiteral("layers"), tr("Layers"), 0, 1 << 20,
        tr("The first layers of the model. 0: one layer of each kind, which counts for all of its kind."),
        [](LlmOptions& o) -> std::int64_t& { return o.layers; });
    QFormLayout& sizes = *form();
    m_fields.choice(
        sizes, QStringLiteral("extent"), tr("Extent"), {tr("these layers"), tr("all layers")},
        tr("All layers as operators of their own: a large graph."),
        [](LlmOptions& o) { return o.layers == llm::kAllLayers ? 1 : 0; },
        [](LlmOptions& o, int all) { o.layers = all == 1 ? llm::kAllLayers : llm::kEachKind; });
    const auto width = [&](const char* name, const QString& label, const QString& tip,
                           std::int64_t LlmOptions::*part) {
        constexpr auto kBit = static_cast<double>(llm::kBit);
        DecimalBox* box = m_fields.decimal(
            sizes, QLatin1String(name), label, 0, 64, 3, 1, tip,
            [part](LlmOptions& o) { return static_cast<double>(o.*part) / kBit; },
            [part](LlmOptions& o, double bits) { o.*part = std::llround(bits * kBit); });
        box->setSpecialValueText(tr("as in the file"));
        box->setUnit(QStringLiteral("bits"));
    };
    width("weights", tr("Weight bits"), tr("Bits of a weight of the layers, with its share of scales."),
          &LlmOptions::weightBits);
    width("activations", tr("Activation bits"), tr("Bits of what quantised weights are multiplied with."),
          &LlmOptions::activationBits);
    width("kv", tr("KV bits"), tr("Bits of an element of the cache."), &LlmOptions::kvBits);
    m_layers->setSpecialValueText(tr("one of each kind"));
    row->addStretch();
}

LlmOptions LanguageForm::now() const
{
    const auto options = llm::optionsOf(m_document.dimensions());
    return options ? *options : LlmOptions{};
}

void LanguageForm::refresh()
{
    const lower::ModelOnMachinePtr& model = m_document.model();
    setVisible(model && model->workload->language);
    if (isHidden())
        return;
    const LlmOptions options = now();
    m_prompt->setEnabled(options.phase != LlmPhase::Decode);
    m_cached->setEnabled(options.phase != LlmPhase::Prefill);
    m_tokens->setEnabled(options.phase == LlmPhase::Decode);
    const bool hasExperts = model->workload->language->config.experts.has_value();
    m_expertChips->setEnabled(hasExperts);
    m_expertSkew->setEnabled(hasExperts);
    m_layers->setEnabled(options.layers != llm::kAllLayers);
    // The options in use, in which defaults have their values.
    const LlmOptions& used = model->workload->language->options;
    for (const auto& [box, tokens] : {std::pair(m_prompt, used.prompt), std::pair(m_cached, used.cached),
                                      std::pair(m_tokens, used.tokens)})
        box->setSpecialValueText(box->isEnabled() ? tr("%1 by default").arg(number(tokens)) : tr("none"));
    m_fields.show();
}

void LanguageForm::take(const LlmOptions& options)
{
    const Status taken = m_document.setDimensions(llm::dimensionsOf(options));
    Q_EMIT refused(taken ? QString() : sentence(taken.error().message));
    if (!taken)
        refresh();
}

} // namespace tilewright::ui
