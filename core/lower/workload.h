// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "lower/lowered.h"
#include "mapping/layer.h"
#include "npu/model.h"
#include "onnx/import.h"
#include "systolic/gemm.h"

#include <optional>

namespace tilewright::lower {

/// A workload file of any kind (docs/rules/workload.md 1). The model is always there; the other is what the
/// file held when it was already lowered.
struct Workload
{
    model::Model model;
    std::optional<Error> noModel; ///< why a problem or layers are no model
    ProblemPtr problem;
    std::optional<mapping::Model> layers;
    bool oneLayer = false;                    ///< the file held just one
    std::optional<npu::NpuModel> npu;         ///< when the NPU lens can take the file as it stands
    std::optional<onnx::ImportReport> import; ///< of an ONNX file

    [[nodiscard]] bool isModel() const noexcept { return !oneLayer; }
};
/// Told by content, never by the name. `dimensions` are the values of an ONNX model's free ones; other files
/// have none. The Error says what is wrong with the file.
[[nodiscard]] Result<Workload> readWorkload(std::string_view text, const std::string& file,
                                            const onnx::Dimensions& dimensions = {});
/// The same of a file; an ONNX model may be of any size.
[[nodiscard]] Result<Workload> loadWorkload(const std::string& path, const onnx::Dimensions& dimensions = {});

/// What a lowering made of an ONNX model, told by the nodes of its file: beside what became of the operators,
/// the nodes that are none. Of another workload the report itself.
[[nodiscard]] LoweringReport reportOf(const Workload& workload, LoweringReport report);

/// A problem as a model: each op an operator of the same name.
[[nodiscard]] Result<model::Model> modelOf(const Problem& problem);
/// Each layer an operator on tensors of its own, as often as it occurs.
[[nodiscard]] Result<model::Model> modelOf(const mapping::Model& layers);

/// One product of a shape, as often as the network has it.
struct GemmLayer
{
    systolic::Gemm gemm;
    std::int64_t count = 1;
    std::vector<std::string> operators; ///< names, each once
};
/// The MatMuls of a lowered problem by shape, in the order of their first one; helpers are left out
/// (docs/rules/workload.md 4.2).
[[nodiscard]] std::vector<GemmLayer> gemmsOf(const LoweredProblem& lowered);

/// A convolution as a layer of the Mapping lens, without a name.
[[nodiscard]] mapping::Layer convolutionLayer(const model::Model& model, const model::Operator& op);

/// A layer of a shape, as often as the network has it.
struct NamedLayer
{
    mapping::Layer layer; ///< with its count
    std::vector<std::string> operators;
};
/// Convolutions with their seven loops, products as gemms (docs/rules/workload.md 4.1).
[[nodiscard]] std::vector<NamedLayer> layersOf(const model::Model& model, const LoweredProblem& lowered);
/// The same as a model of the Mapping lens, each layer named after its first operator.
[[nodiscard]] mapping::Model layerModel(const model::Model& model, const LoweredProblem& lowered);

} // namespace tilewright::lower
