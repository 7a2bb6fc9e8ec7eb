// SPDX-License-Identifier: GPL-3.0-or-later
// Includes the protobuf messages of ONNX, so only files of the ONNX reader include it.
#pragma once

#include "onnx/import.h"
#include "onnx/translation.h"
#include "onnx/values.h"

#include <onnx/onnx_pb.h>

#include <map>
#include <unordered_map>

namespace tilewright::onnx {

/// Version of the standard operator set of a file.
[[nodiscard]] std::int64_t opsetOf(const ::onnx::ModelProto& file);

/// Visits the nodes of a graph in topological order, including branches, loop bodies and functions that
/// certainly run.
class GraphWalk
{
public:
    GraphWalk(const ::onnx::ModelProto& file, const Dimensions& dimensions);

    /// Translates the graph. An Error names the node.
    Status run();
    [[nodiscard]] model::Model takeModel() { return std::move(m_translation.model()); }
    /// Graph outputs that are tensors of the model.
    [[nodiscard]] std::vector<ModelTensorId> outputs() const;
    [[nodiscard]] ImportReport takeReport() { return std::move(m_report); }

private:
    static constexpr std::size_t kMaxNestedNodes = 100'000; ///< largest number of nodes inside control flow
    using Nodes = ::google::protobuf::RepeatedPtrField<::onnx::NodeProto>;

    Status addConstants(const ::onnx::GraphProto& graph);
    Status addInputs(const ::onnx::GraphProto& graph);
    void addDeclared(const ::onnx::GraphProto& graph);
    Status walk(const Nodes& nodes, std::int64_t opset, int depth);
    Status walkNode(const ::onnx::NodeProto& proto, std::int64_t opset, int depth);
    [[nodiscard]] Status checkWritten(const std::vector<std::string>& names) const;
    /// Translates a branch, loop or function. Returns true if the node is one.
    Result<bool> walkNested(Node& node, int depth);
    Status branch(Node& node, int depth);
    Status loop(Node& node, int depth);
    Status scan(Node& node, int depth);
    /// Translates the nodes of a loop body once, with the given input values. Returns the values of its
    /// results.
    Result<std::vector<ValueId>> walkBody(const ::onnx::GraphProto& body, const std::vector<ValueId>& given,
                                          std::int64_t opset, int depth);
    /// Sets the results of a loop: the final state and the collected results of all iterations.
    Status setLoopResults(Node& node, const std::vector<ValueId>& state,
                          const std::vector<std::vector<ValueId>>& collected, std::int64_t steps);
    Status function(Node& node, const ::onnx::FunctionProto& function, int depth);
    void infer(const Node& node);
    /// Records that something reads the results of the node which produces the value.
    void markNeeded(ValueId value);
    bool foldIfConstant(const Node& node);
    [[nodiscard]] std::optional<model::Shape> declaredShape(const ::onnx::TypeProto& type) const;

    const ::onnx::ModelProto& m_file;
    const Dimensions& m_dimensions;
    Values m_values;
    ImportReport m_report;
    std::unordered_map<ValueId, std::size_t>
        m_writers; ///< per result of a node: index of the node in the report
    Translation m_translation;
    std::unordered_map<std::string, const ::onnx::TypeProto*> m_declared;
    std::map<std::pair<std::string, std::string>, const ::onnx::FunctionProto*> m_functions;
    std::size_t m_nestedNodes = 0;
};

/// Returns the nodes in topological order; this is the order of the file if possible. The Error names a node
/// of a cycle.
[[nodiscard]] Result<std::vector<int>>
nodeOrder(const ::google::protobuf::RepeatedPtrField<::onnx::NodeProto>& nodes);

/// Size of one dimension: a known value, or the name of a free dimension ("INPUT.AXIS" if the file has no
/// name).
struct Size
{
    std::int64_t value = 0;
    std::string name; ///< name of a free dimension; empty if the value is known
};
[[nodiscard]] std::vector<Size> sizesOf(const ::onnx::TypeProto& type, const std::string& input);
/// True for the type of a single integer or boolean, whose value may decide a branch.
[[nodiscard]] bool isNumber(const ::onnx::TypeProto& type);

} // namespace tilewright::onnx
