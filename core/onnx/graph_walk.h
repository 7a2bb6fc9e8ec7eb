// SPDX-License-Identifier: GPL-3.0-or-later
// Includes the messages of ONNX files, so only for the files that walk over them.
#pragma once

#include "onnx/import.h"
#include "onnx/translation.h"
#include "onnx/values.h"

#include <onnx/onnx_pb.h>

#include <map>
#include <unordered_map>

namespace tilewright::onnx {

/// Walks over the nodes of a graph in an order in which operands come first, and into those branches, loop
/// bodies and functions that are known to run.
class GraphWalk
{
public:
    GraphWalk(const ::onnx::ModelProto& file, const Dimensions& dimensions);

    /// The Error names the node.
    Status run();
    [[nodiscard]] model::Model takeModel() { return std::move(m_translation.model()); }
    /// The results of the graph that are tensors of the model.
    [[nodiscard]] std::vector<ModelTensorId> outputs() const;
    [[nodiscard]] ImportReport takeReport() { return std::move(m_report); }

private:
    static constexpr std::size_t kMaxInside = 100'000; ///< nodes that stand where another one did
    using Nodes = ::google::protobuf::RepeatedPtrField<::onnx::NodeProto>;

    Status addConstants(const ::onnx::GraphProto& graph);
    Status addInputs(const ::onnx::GraphProto& graph);
    void addDeclared(const ::onnx::GraphProto& graph);
    Status walk(const Nodes& nodes, std::int64_t opset, int depth);
    Status walkNode(const ::onnx::NodeProto& proto, std::int64_t opset, int depth);
    [[nodiscard]] Status areWritten(const std::vector<std::string>& names) const;
    /// Branches, loops and functions; true when the node is one.
    Result<bool> walkInto(Node& node, int depth);
    Status branch(Node& node, int depth);
    Status loop(Node& node, int depth);
    Status scan(Node& node, int depth);
    /// The nodes of a body stand here once more, with these values as its inputs; gives its results.
    Result<std::vector<ValueId>> once(const ::onnx::GraphProto& body, const std::vector<ValueId>& given,
                                      std::int64_t opset, int depth);
    /// The results of a loop: what was carried through its steps, and what each of them gave.
    Status takeSteps(Node& node, const std::vector<ValueId>& state,
                     const std::vector<std::vector<ValueId>>& collected, std::int64_t steps);
    Status function(Node& node, const ::onnx::FunctionProto& function, int depth);
    void infer(const Node& node);
    bool isKnownBefore(const Node& node);
    [[nodiscard]] std::optional<model::Shape> declaredShape(const ::onnx::TypeProto& type) const;

    const ::onnx::ModelProto& m_file;
    const Dimensions& m_dimensions;
    Values m_values;
    ImportReport m_report;
    Translation m_translation;
    std::unordered_map<std::string, const ::onnx::TypeProto*> m_declared;
    std::map<std::pair<std::string, std::string>, const ::onnx::FunctionProto*> m_functions;
    std::size_t m_inside = 0;
};

/// An order of nodes in which operands come first: the file's where it is one. The Error names a node that
/// waits for its own result.
[[nodiscard]] Result<std::vector<int>>
nodeOrder(const ::google::protobuf::RepeatedPtrField<::onnx::NodeProto>& nodes);

/// The sizes of a type's shape: known, or the name of a free one ("INPUT.AXIS" where the file has none).
struct Size
{
    std::int64_t value = 0;
    std::string name; ///< of a free one
};
[[nodiscard]] std::vector<Size> sizesOf(const ::onnx::TypeProto& type, const std::string& input);
/// Is it one whole number or condition, whose value may decide branches?
[[nodiscard]] bool isNumber(const ::onnx::TypeProto& type);

} // namespace tilewright::onnx
