// SPDX-License-Identifier: GPL-3.0-or-later
// Translates ONNX nodes to operators of a model, one node at a time in topological order. The translate_*.cpp
// files implement it by family of nodes.
#pragma once

#include "onnx/import.h"
#include "onnx/values.h"

#include <unordered_map>

namespace tilewright::onnx {

class Translation
{
public:
    Translation(Values& values, ImportReport& report) : m_values(values), m_report(report) {}

    /// Adds the operators of the node to the model, and the outcome to the report. The Error means that the
    /// file contradicts itself.
    Status translate(const Node& node);
    /// Records that the node is not supported. Its results of known shape become inputs of the model.
    void drop(const Node& node, const std::string& reason);
    void fold(const Node& node, std::string reason);
    /// True for products and for operators about which nothing is known.
    [[nodiscard]] bool mayHaveMacs(const Node& node) const;
    /// Sets result `i` of a loop: the results of its iterations, concatenated.
    Status stack(const Node& node, std::size_t i, const std::vector<ValueId>& steps);
    /// Returns the slice at `index` along an axis of operand `i`, without that axis. The operand must be a
    /// tensor (isTensor()).
    Result<ValueId> sliceOf(const Node& node, std::size_t i, std::size_t axis, std::int64_t index);

    /// Returns a name that no tensor has yet.
    std::string freshName(const std::string& name);
    std::string freshNodeName(const std::string& name);

    [[nodiscard]] model::Model& model() { return m_model; }

private:
    using Kind = model::OperatorKind;
    using Handler = Status (Translation::*)(const Node&);
    static const std::unordered_map<std::string_view, Handler>& handlers();
    static const std::unordered_map<std::string_view, Handler>& microsoftHandlers();
    using Tensors = std::vector<ModelTensorId>;

    // Functions that all kinds of nodes share:
    [[nodiscard]] const model::Shape& shape(ModelTensorId t) const { return m_model.shape(t); }
    /// Returns the tensor of a value. Requires isTensor().
    ModelTensorId tensorOf(ValueId value);
    /// Returns the tensor of operand `i`; empty if it is missing, has no elements or has an unknown shape.
    std::optional<ModelTensorId> operand(const Node& node, std::size_t i);
    /// Returns the tensors of the operands. If one cannot be a tensor, drops the node and returns nothing.
    std::optional<Tensors> operands(const Node& node, const std::vector<std::size_t>& which);
    /// Returns the first operand and the axis that the node specifies; empty if the node was dropped.
    Result<std::optional<std::pair<ModelTensorId, std::size_t>>> operandAlong(const Node& node);
    /// Adds an auxiliary operator "node/part" and returns its result, a tensor of that name.
    Result<ModelTensorId> helper(const Node& node, const char* part, Kind kind, Tensors inputs,
                                 model::Attributes attributes, model::Shape declared = {});
    Result<ModelTensorId> reshape(const Node& node, const char* part, ModelTensorId x, model::Shape shape);
    /// Adds the main operator of the node. Its intermediate result is reshaped to the result of the node.
    Result<ModelTensorId> inner(const Node& node, Kind kind, Tensors inputs, model::Attributes attributes);
    /// Adds the operator that produces result `i` of the node. It is the main operator unless inner() was
    /// called.
    Status result(const Node& node, Kind kind, Tensors inputs, model::Attributes attributes,
                  model::Shape declared = {}, std::size_t i = 0);
    Status result(const Node& node, Kind kind, Tensors inputs)
    {
        return result(node, kind, std::move(inputs), model::attributesOf(kind));
    }
    /// Returns the shape of result `i` from the library, or else `own`. If both are unknown, drops the node
    /// and returns nothing.
    std::optional<model::Shape> resultShape(const Node& node, std::optional<model::Shape> own = std::nullopt,
                                            std::size_t i = 0);
    /// Adds the bytes of constant operands that no operator reads to the bytes that are left out.
    void countLeftOut(const Node& node, const std::vector<std::size_t>& which);
    [[nodiscard]] Error refuse(const Node& node, const std::string& message) const;
    Result<std::vector<ModelTensorId>> add(const Node& node, std::string name, Kind kind, Tensors inputs,
                                           model::Attributes attributes, std::vector<model::Shape> declared,
                                           const std::vector<std::string>& outputs, Width width);
    [[nodiscard]] Width widthLike(ModelTensorId t) const
    {
        return {m_model.tensors[t].elementBytes, m_model.tensors[t].bits};
    }

    // Implemented in translate_vector.cpp.
    Status elementwise(const Node& node);
    Status quantisedElementwise(const Node& node);
    Status quantise(const Node& node);
    Status identity(const Node& node);
    Status rows(const Node& node);
    Status batchNorm(const Node& node);
    Status reduce(const Node& node);
    Status argReduce(const Node& node);

    // Implemented in translate_products.cpp.
    Status matMul(const Node& node);
    Status gemm(const Node& node);
    Status einsum(const Node& node);
    Status permutingEinsum(const Node& node);
    Status recurrent(const Node& node);

    // Implemented in translate_products.cpp.
    Result<ModelTensorId> asHeads(const Node& node, const std::string& part, ModelTensorId x,
                                  std::int64_t heads);
    Status attention(const Node& node);
    Status packedMatMul(const Node& node);
    Status fusedMatMul(const Node& node);
    Status skipNorm(const Node& node);
    Status rotary(const Node& node);

    // Implemented in translate_windows.cpp.
    Status convolution(const Node& node);
    Status transposedConvolution(const Node& node);
    Status transposedConvolution3d(const Node& node, Tensors inputs, const model::WindowAttributes& a,
                                   std::int64_t depth, std::int64_t terms);
    Status pool(const Node& node);
    Status globalPool(const Node& node);

    // Implemented in translate_views.cpp.
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
    std::unordered_map<std::string, std::size_t> m_names, m_nodeNames; ///< number of uses of each name
    std::optional<OperatorId> m_inner;
};

} // namespace tilewright::onnx
