// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "hierarchy/setup.h"
#include "llm/model.h"
#include "lower/lowered.h"
#include "mapping/files.h"
#include "npu/model.h"
#include "onnx/import.h"
#include "systolic/gemm.h"

#include <optional>

namespace tilewright::lower {

/// A workload file of any kind (docs/rules/workload.md 1). Either `model` or `noModel` is set. `problem`,
/// `layers` and `npu` are set if the file has that form.
struct Workload
{
    model::Model model;
    std::optional<Error> noModel; ///< reason why a problem or layers cannot be converted to a model
    ProblemPtr problem;
    std::optional<mapping::Model> layers;
    bool oneLayer = false;               ///< true if the file is a single layer
    std::optional<mapping::Setup> setup; ///< set if the file is a document of the Mapping lens
    /// Set if the file is such a document with an architecture with levels.
    std::optional<hierarchy::Setup> levels;
    std::optional<npu::NpuModel> npu;         ///< set if the NPU lens can read the file itself
    std::optional<onnx::ImportReport> import; ///< report of the import of an ONNX or StableHLO file
    std::optional<llm::LlmScope> language;    ///< set if the file is the config.json of a language model

    [[nodiscard]] bool isModel() const noexcept { return !oneLayer; }
};
/// Reads a workload. Its kind is recognised by its content, never by the file name. `dimensions`: values of
/// the free dimensions of an ONNX model, or the options of a language model (llm::optionsOf()); other files
/// have none. The Error says what is wrong with the file.
[[nodiscard]] Result<Workload> readWorkload(std::string_view text, const std::string& file,
                                            const onnx::Dimensions& dimensions = {});
/// Reads a workload from a file. An ONNX model may be of any size.
[[nodiscard]] Result<Workload> loadWorkload(const std::string& path, const onnx::Dimensions& dimensions = {});

/// Returns missingText() of the operators of a model that no lens supports.
[[nodiscard]] std::string missingText(const Workload& workload);

/// Returns the report of a lowering for the nodes of an imported file, including the nodes that did not
/// become operators. For other workloads, returns `report`.
[[nodiscard]] LoweringReport reportOf(const Workload& workload, LoweringReport report);

/// Converts a problem to a model. Each op becomes an operator of the same name.
[[nodiscard]] Result<model::Model> modelOf(const Problem& problem);
/// Converts layers to a model. Each occurrence of a layer becomes an operator with its own tensors.
[[nodiscard]] Result<model::Model> modelOf(const mapping::Model& layers);

/// The arrays that compute a product, if they differ from one systolic array with one multiply-accumulate per
/// PE and cycle.
struct ArrayUse
{
    std::int64_t arrays = 1; ///< number of arrays that share the product
    double rate = 1;         ///< multiply-accumulates per PE and cycle
    /// Cycles at rate 1 on an array that is not systolic. They already account for `arrays`.
    std::optional<std::int64_t> fixedCycles = {};

    [[nodiscard]] bool isPlain() const noexcept { return arrays == 1 && rate == 1 && !fixedCycles; }
};

/// The shape of a product, and how often the network has it.
struct GemmLayer
{
    systolic::Gemm gemm;
    std::int64_t count = 1;
    std::vector<std::string> operators; ///< names of the operators, without duplicates
    ArrayUse use = {};
};
/// Returns the shape of a MatMul that is not a helper MatMul; nullopt for any other op.
[[nodiscard]] std::optional<systolic::Gemm> gemmOf(const LoweredProblem& lowered, OpId op);
/// Returns the shapes of the MatMuls of a lowered problem, in the order of their first occurrence, without
/// helper MatMuls (docs/rules/workload.md 4.2).
[[nodiscard]] std::vector<GemmLayer> gemmsOf(const LoweredProblem& lowered);

/// Converts a convolution to a layer of the Mapping lens, without a name.
[[nodiscard]] mapping::Layer convolutionLayer(const model::Model& model, const model::Operator& op);

/// The shape of a layer, and the operators that have it.
struct NamedLayer
{
    mapping::Layer layer; ///< its count is the number of occurrences
    std::vector<std::string> operators;
};
/// Converts convolutions to layers with seven loops, and products to GEMM layers (docs/rules/workload.md
/// 4.1).
[[nodiscard]] std::vector<NamedLayer> layersOf(const model::Model& model, const LoweredProblem& lowered);
/// Returns layersOf() as a model of the Mapping lens. Each layer has the name of its first operator.
[[nodiscard]] mapping::Model layerModel(const model::Model& model, const LoweredProblem& lowered);

} // namespace tilewright::lower
