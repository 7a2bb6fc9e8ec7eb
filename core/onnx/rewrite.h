// SPDX-License-Identifier: GPL-3.0-or-later
// What only shows when the whole graph is there: norms that go into convolutions, pairs of quantisers,
// attention.
#pragma once

#include "onnx/import.h"

namespace tilewright::onnx {

/// A model and its report while operators are taken out and replaced.
class Rewrite
{
public:
    Rewrite(model::Model& model, ImportReport& report, const std::vector<ModelTensorId>& outputs);

    void foldNorms();
    void foldQuantisers();
    void recogniseAttention();
    /// Removes what was replaced, and tensors that nothing reads or writes; ids change.
    void finish();

private:
    using Kind = model::OperatorKind;
    struct Chain;

    static constexpr std::uint32_t kNone = ~std::uint32_t{0};
    [[nodiscard]] model::Operator& op(std::uint32_t i) { return m_model.operators[OperatorId(i)]; }
    [[nodiscard]] const model::Operator& op(std::uint32_t i) const
    {
        return m_model.operators[OperatorId(i)];
    }
    [[nodiscard]] const model::Shape& shape(ModelTensorId t) const { return m_model.shape(t); }
    [[nodiscard]] std::uint32_t writer(ModelTensorId t) const { return m_writer[t.index()]; }
    /// The one operator that reads the tensor, if it is one and the tensor is no result of the model.
    [[nodiscard]] std::uint32_t onlyReader(ModelTensorId t) const;
    [[nodiscard]] bool isConstant(ModelTensorId t) const { return m_model.tensors[t].constant; }
    void remove(std::uint32_t i);
    std::uint32_t append(model::Operator op);
    ModelTensorId addTensor(const std::string& name, model::Shape shape, ModelTensorId like);
    void leaveOut(ModelTensorId t);
    void tellNodes(std::uint32_t i, Fate fate, std::uint32_t now, const std::string& note);
    /// Removes operators that nothing reads any more, from `from` backwards.
    void removeUnread(ModelTensorId from, std::uint32_t now, const std::string& note);

    std::optional<ModelTensorId> scoresOf(std::uint32_t softmax, Chain& chain) const;
    std::optional<std::uint32_t> contextOf(std::uint32_t softmax, Chain& chain) const;
    [[nodiscard]] ModelTensorId ungrouped(ModelTensorId t) const;
    ModelTensorId asHeads(ModelTensorId t, const std::string& name);
    void becomeAttention(std::uint32_t softmax);

    model::Model& m_model;
    ImportReport& m_report;
    std::vector<std::uint32_t> m_writer;               ///< per tensor
    std::vector<std::vector<std::uint32_t>> m_readers; ///< per tensor, one entry a read
    std::vector<bool> m_isOutput;                      ///< per tensor
    std::vector<bool> m_gone;                          ///< per operator
    std::vector<std::vector<std::size_t>> m_nodes;     ///< per operator: nodes of the report
};

} // namespace tilewright::onnx
