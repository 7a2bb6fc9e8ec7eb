// SPDX-License-Identifier: GPL-3.0-or-later
// Nodes become operators of a model, one at a time and in an order in which operands come first; shared by
// the files that translate the families of nodes.
#pragma once

#include "onnx/import.h"
#include "onnx/values.h"

#include <unordered_map>

namespace tilewright::onnx {

class Translation
{
public:
    Translation(Values& values, ImportReport& report) : m_values(values), m_report(report) {}

    /// Adds what the node does to the model and says in the report what became of it. The Error is a
    /// contradiction of the file.
    Status translate(const Node& node);
    /// The node is not understood; its results, as far as their shapes are known, stand as inputs.
    void drop(const Node& node, const std::string& why);
    void fold(const Node& node, std::string why);
    /// Result `i` of a loop: what its steps gave, one beside the other.
    Status stack(const Node& node, std::size_t i, const std::vector<ValueId>& steps);
    /// What stands at `index` along an axis of operand `i`, which isTensor(); without that axis.
    Result<ValueId> sliceOf(const Node& node, std::size_t i, std::size_t axis, std::int64_t index);

    /// A name that no tensor has yet.
    std::string freshName(const std::string& name);
    std::string freshNodeName(const std::string& name);

    [[nodiscard]] model::Model& model() { return m_model; }

private:
    using Kind = model::OperatorKind;
    using Handler = Status (Translation::*)(const Node&);
    static const std::unordered_map<std::string_view, Handler>& handlers();
    static const std::unordered_map<std::string_view, Handler>& microsoftHandlers();
    using Tensors = std::vector<ModelTensorId>;

    // what all families use
    [[nodiscard]] const model::Shape& shape(ModelTensorId t) const { return m_model.shape(t); }
    /// The tensor of a value that isTensor().
    ModelTensorId tensorOf(ValueId value);
    /// Of the operand, or nothing when it is not there, empty or of unknown shape.
    std::optional<ModelTensorId> operand(const Node& node, std::size_t i);
    /// Of these operands; drops the node and gives nothing when one cannot be a tensor.
    std::optional<Tensors> operands(const Node& node, const std::vector<std::size_t>& which);
    /// The first operand and the axis of it that the node names; nothing when the node was dropped.
    Result<std::optional<std::pair<ModelTensorId, std::size_t>>> operandAlong(const Node& node);
    /// An operator beside the node's own, "node/part"; its result is a tensor of that name.
    Result<ModelTensorId> helper(const Node& node, const char* part, Kind kind, Tensors inputs,
                                 model::Attributes attributes, model::Shape declared = {});
    Result<ModelTensorId> reshape(const Node& node, const char* part, ModelTensorId x, model::Shape shape);
    /// The node's own operator, with a result that something else reshapes to the node's.
    Result<ModelTensorId> inner(const Node& node, Kind kind, Tensors inputs, model::Attributes attributes);
    /// The operator that gives the node's result `i`; the node's own one unless inner() was.
    Status result(const Node& node, Kind kind, Tensors inputs, model::Attributes attributes,
                  model::Shape declared = {}, std::size_t i = 0);
    Status result(const Node& node, Kind kind, Tensors inputs)
    {
        return result(node, kind, std::move(inputs), model::attributesOf(kind));
    }
    /// The shape that the library found for result `i`, else `own`; drops the node when there is none.
    std::optional<model::Shape> resultShape(const Node& node, std::optional<model::Shape> own = std::nullopt,
                                            std::size_t i = 0);
    /// Counts constant operands that no operator reads.
    void leaveOut(const Node& node, const std::vector<std::size_t>& which);
    [[nodiscard]] Error refuse(const Node& node, const std::string& message) const;
    Result<std::vector<ModelTensorId>> add(const Node& node, std::string name, Kind kind, Tensors inputs,
                                           model::Attributes attributes, std::vector<model::Shape> declared,
                                           const std::vector<std::string>& outputs, int bytes);

    // translate_vector.cpp
    Status elementwise(const Node& node);
    Status quantisedElementwise(const Node& node);
    Status quantise(const Node& node);
    Status identity(const Node& node);
    Status rows(const Node& node);
    Status batchNorm(const Node& node);
    Status reduce(const Node& node);
    Status argReduce(const Node& node);

    // translate_products.cpp
    Status matMul(const Node& node);
    Status gemm(const Node& node);
    Status einsum(const Node& node);
    Status turnedEinsum(const Node& node);
    Status recurrent(const Node& node);

    // translate_fused.cpp
    Result<ModelTensorId> asHeads(const Node& node, const std::string& part, ModelTensorId x,
                                  std::int64_t heads);
    Status attention(const Node& node);
    Status packedMatMul(const Node& node);
    Status fusedMatMul(const Node& node);
    Status skipNorm(const Node& node);
    Status rotary(const Node& node);

    // translate_windows.cpp
    Status convolution(const Node& node);
    Status transposedConvolution(const Node& node);
    Status transposedConvolution3d(const Node& node, Tensors inputs, const model::WindowAttributes& a,
                                   std::int64_t depth, std::int64_t terms);
    Status pool(const Node& node);
    Status globalPool(const Node& node);

    // translate_views.cpp
    Status reshaping(const Node& node);
    Status transpose(const Node& node);
    Status slice(const Node& node);
    Status split(const Node& node);
    Status concat(const Node& node);
    Status expand(const Node& node);
    Status tile(const Node& node);
    Status pad(const Node& node);
    Status gather(const Node& node);
    Status resize(const Node& node);
    Status depthToSpace(const Node& node);
    Status view(const Node& node);

    Values& m_values;
    ImportReport& m_report;
    model::Model m_model;
    std::unordered_map<std::string, std::size_t> m_names, m_nodeNames; ///< with the next number behind it
    std::optional<OperatorId> m_inner;
};

} // namespace tilewright::onnx
