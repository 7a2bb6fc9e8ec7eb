// SPDX-License-Identifier: GPL-3.0-or-later
// Configurations for the tests of language models.
#pragma once

#include "base/file.h"
#include "llm/config.h"

#include <QFile>

#include <string>

namespace tilewright::test_llm {

/// The file of our own configuration of a published model: a sample, or one for tests alone.
inline std::string publishedFile(const std::string& name)
{
    const std::string sample = TILEWRIGHT_SOURCE_DIR "/samples/language/" + name + ".config.json";
    return QFile::exists(QString::fromStdString(sample))
               ? sample
               : TILEWRIGHT_SOURCE_DIR "/tests/data/llm/" + name + ".config.json";
}

inline llm::LlmConfig published(const std::string& name)
{
    const std::string path = publishedFile(name);
    const auto text = readFile(path);
    if (!text)
        qFatal("%s", text.error().text().c_str());
    auto out = llm::readLlmConfig(*text, path);
    if (!out)
        qFatal("%s", out.error().text().c_str());
    return *out;
}

/// A small llama with other fields in it: `fields` is ", \"key\": value".
inline Result<llm::LlmConfig> small(const std::string& fields, const std::string& type = "llama",
                                    std::optional<std::string_view> quant = {})
{
    return llm::readLlmConfig(
        R"({"model_type": ")" + type +
            R"(", "hidden_size": 256, "num_hidden_layers": 4, "num_attention_heads": 4,)"
            R"( "intermediate_size": 512, "vocab_size": 1000, "torch_dtype": "bfloat16")" +
            fields + "}",
        "config.json", quant, "hf_quant_config.json");
}

} // namespace tilewright::test_llm
