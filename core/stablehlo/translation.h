// SPDX-License-Identifier: GPL-3.0-or-later
// Translates the statements of a program to operators of a model, in their order. The translate_*.cpp files
// implement it by family of operators.
#pragma once

#include "model/finish_import.h"
#include "stablehlo/import.h"
#include "stablehlo/program.h"

#include <deque>
#include <initializer_list>

namespace tilewright::stablehlo {

using ValueIndex = std::size_t;

/// The value of a name in the program. It becomes a tensor of the model when an operator reads it.
struct Value
{
    std::string name;
    Type type;
    bool constant = false;
    bool splat = false; ///< true for a constant whose elements are all equal
    std::optional<ModelTensorId> tensor{};
    std::optional<ModelTensorId> narrow{}; ///< the tensor that elementwise operators broadcast to the value
    /// For a broadcast that has not become an operator: the value that it repeats, in the shape
    /// `narrowShape`.
    std::optional<ValueIndex> source{};
    model::Shape narrowShape{};
    std::size_t node = 0; ///< for a broadcast: index of its node in the report
};

class Translation
{
public:
    explicit Translation(const Program& program) : m_program(program) {}

    /// Translates the function. An Error means that the program contradicts itself.
    Status run(const Function& function);
    [[nodiscard]] onnx::Imported take() && { return {std::move(m_model), std::move(m_report)}; }

private:
    using Kind = model::OperatorKind;
    using Tensors = std::vector<ModelTensorId>;
    using Names = std::unordered_map<std::string_view, ValueIndex>;
    using Integers = std::vector<std::int64_t>;

    /// A statement, and the values of its operands.
    struct Node
    {
        const Statement* statement = nullptr;
        std::string_view type; ///< name without its dialect: "dot_general"
        std::string name;
        std::vector<ValueIndex> operands, results;
        std::size_t index = 0; ///< index in the report
    };
    using Handler = Status (Translation::*)(const Node&);
    static const std::unordered_map<std::string_view, Handler>& handlers();

    Result<std::vector<ValueIndex>> body(const Function& function, Names& names, const std::string& prefix);
    Status statement(const Statement& s, Names& names, const std::string& prefix);
    /// Translates the function that the statement calls; its operators replace the call. Returns the results
    /// of the function.
    Result<std::vector<ValueIndex>> call(const Statement& s, const Node& node);
    Result<std::vector<ValueIndex>> operandsOf(const Statement& s, const Names& names) const;
    Status checkOperands(const Node& node) const;
    Status translate(const Node& node);
    void markNeeded(const std::vector<ValueIndex>& results);

    // Functions that all kinds of statements share:
    [[nodiscard]] const model::Shape& shape(ModelTensorId t) const { return m_model.shape(t); }
    [[nodiscard]] const model::Shape& shapeOf(const Node& node, std::size_t operand) const
    {
        return m_values[node.operands[operand]].type.shape;
    }
    [[nodiscard]] bool allConstant(const Node& node) const;
    Result<ModelTensorId> tensorOf(ValueIndex value);
    /// The tensor that an operator with broadcasting can read in place of the value. Each of its sizes is
    /// that of the value, or 1.
    Result<ModelTensorId> narrowOf(ValueIndex value);
    Result<Tensors> tensorsOf(const Node& node, std::size_t count);
    ModelTensorId addTensor(const std::string& name, const model::Shape& shape, const Type& type,
                            bool constant);
    /// Adds an operator and returns its result.
    Result<ModelTensorId> add(const Node& node, std::string name, Kind kind, Tensors inputs,
                              model::Attributes attributes, const model::Shape& declared,
                              const std::string& output, const Type& width);
    /// Adds an auxiliary operator "node/part".
    Result<ModelTensorId> helper(const Node& node, const char* part, Kind kind, ModelTensorId input,
                                 model::Attributes attributes, const model::Shape& declared = {});
    /// Returns the value with the given shape. A constant is stored with that shape; any other tensor gets an
    /// auxiliary reshape operator if its shape differs.
    Result<ModelTensorId> reshaped(const Node& node, const char* part, ModelTensorId x,
                                   const model::Shape& wanted);
    Result<ModelTensorId> transposed(const Node& node, const char* part, ModelTensorId x,
                                     const Integers& permutation);
    /// Adds the main operator of the node. Further operators bring its result into the shape of the node's
    /// result.
    Result<ModelTensorId> inner(const Node& node, Kind kind, Tensors inputs, model::Attributes attributes);
    /// Adds the operator that produces result `i` of the node.
    Status result(const Node& node, Kind kind, Tensors inputs, model::Attributes attributes,
                  std::size_t i = 0);
    /// Makes an existing tensor the first result of the node.
    Status resultIs(const Node& node, ModelTensorId tensor);
    [[nodiscard]] Value& valueOf(const Node& node, std::size_t i = 0) { return m_values[node.results[i]]; }
    void fold(const Node& node, std::string reason, std::optional<bool> splat = std::nullopt);
    Status drop(const Node& node, const std::string& reason, bool mayHaveMacs);
    [[nodiscard]] Error refuse(const Node& node, const std::string& message) const;
    /// The list in an attribute. If the attribute is missing, a list of `count` times `otherwise`.
    Result<Integers> list(const Node& node, std::initializer_list<std::string_view> names, std::size_t count,
                          std::int64_t otherwise) const;
    /// Like list(), for a list of any length. Returns an Error if there is no attribute with any of the
    /// names.
    Result<Integers> axes(const Node& node, std::initializer_list<std::string_view> names,
                          std::size_t rank) const;
    Status checkAxes(const Node& node, const Integers& axes, std::size_t rank) const;
    Result<std::int64_t> number(const Node& node, std::string_view name, std::int64_t otherwise) const;
    void tell(std::string note);

    // Implemented in translate_vector.cpp.
    Status constant(const Node& node);
    Status elementwise(const Node& node);
    Status identity(const Node& node);
    Status reduce(const Node& node);
    Status reduceWindow(const Node& node);
    Status batchNorm(const Node& node);
    Status customCall(const Node& node);
    Status withoutMacs(const Node& node);

    // Implemented in translate_products.cpp.
    Status dotGeneral(const Node& node);
    Status dot(const Node& node);
    Status product(const Node& node, const Integers& lhsBatch, const Integers& rhsBatch,
                   const Integers& lhsSum, const Integers& rhsSum);
    Status convolution(const Node& node);

    // Implemented in translate_views.cpp.
    Status broadcast(const Node& node);
    Status reshape(const Node& node);
    Status transpose(const Node& node);
    Status slice(const Node& node);
    Status dynamicSlice(const Node& node);
    Status concatenate(const Node& node);
    Status pad(const Node& node);
    Status gather(const Node& node);
    Status view(const Node& node);

    const Program& m_program;
    model::Model m_model;
    onnx::ImportReport m_report;
    std::vector<Value> m_values;
    model::NameUses m_names, m_nodeNames;
    std::optional<OperatorId> m_inner;
    std::deque<std::string> m_texts;        ///< names of the values of results that have several: "%0#1"
    std::vector<std::string_view> m_active; ///< functions that are currently being translated
    std::size_t m_steps = 0;
};

} // namespace tilewright::stablehlo
