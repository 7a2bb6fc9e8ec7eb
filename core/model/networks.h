// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/model.h"

#include <span>
#include <string_view>

namespace tilewright::model {

enum class NetworkKind : std::uint8_t {
    ResNet18,
    ResNet50,
    MobileNetV2,
    Bert,
    Gpt2,
    Llama,
    LlamaDecode,
    MixtureOfExperts,
};

struct NetworkKindInfo
{
    NetworkKind kind;
    std::string_view name;    ///< name on the command line
    std::string_view meaning; ///< short description for the user
};
[[nodiscard]] std::span<const NetworkKindInfo> networkKinds();
[[nodiscard]] std::optional<NetworkKind> networkKindOf(std::string_view name);

/// Sizes of a network. 0 selects the size of the published model.
struct NetworkOptions
{
    NetworkKind kind = NetworkKind::ResNet18;
    std::int64_t layers = 0;  ///< number of blocks of a transformer
    std::int64_t batch = 0;   ///< number of images
    std::int64_t size = 0;    ///< height and width of an image
    std::int64_t classes = 0; ///< number of classes of a classifier, or of words of a vocabulary
    std::int64_t tokens = 0;
    std::int64_t cached = 0; ///< number of tokens already in the KV cache
    std::int64_t hidden = 0;
    std::int64_t ffn = 0;
    std::int64_t heads = 0;
    std::int64_t kvHeads = 0; ///< grouped-query attention: number of heads of keys and values
    std::int64_t experts = 0; ///< number of experts; two of them process each token
};

/// Builds a network as a model with names. The path of an Error is the name of the option that is out of
/// range.
[[nodiscard]] Result<Model> generateNetwork(const NetworkOptions& options);

} // namespace tilewright::model
