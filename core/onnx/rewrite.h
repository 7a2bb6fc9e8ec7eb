// SPDX-License-Identifier: GPL-3.0-or-later
// Rewrites that need the whole graph: normalisations folded into convolutions, pairs of quantisers,
// attention.
#pragma once

#include "onnx/import.h"

namespace tilewright::onnx {

/// A model and its import report, while operators are removed and replaced.
class Rewrite
{
public:
    Rewrite(model::Model& model, ImportReport& report, const std::vector<ModelTensorId>& outputs);

    void foldNorms();
    void foldQuantisers();
    void recogniseAttention();
    /// Removes replaced operators and unused tensors. The ids change.
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
    /// Returns the only operator that reads the tensor; kNone if there are several or the tensor is a result
    /// of the model.
    [[nodiscard]] std::uint32_t onlyReader(ModelTensorId t) const;
    [[nodiscard]] bool isConstant(ModelTensorId t) const { return m_model.tensors[t].constant; }
    void remove(std::uint32_t i);
    std::uint32_t append(model::Operator op);
    ModelTensorId addTensor(const std::string& name, model::Shape shape, ModelTensorId like);
    void countLeftOut(ModelTensorId t);
    void setOutcome(std::uint32_t i, Fate fate, std::uint32_t now, const std::string& note);
    /// Removes operators whose results nothing reads, from the tensor `from` backwards.
    void removeUnread(ModelTensorId from, std::uint32_t now, const std::string& note);

    std::optional<ModelTensorId> scoresOf(std::uint32_t softmax, Chain& chain) const;
    std::optional<std::uint32_t> contextOf(std::uint32_t softmax, Chain& chain) const;
    [[nodiscard]] ModelTensorId withoutHeadRepetition(ModelTensorId t) const;
    ModelTensorId asHeads(ModelTensorId t, const std::string& name);
    void replaceByAttention(std::uint32_t softmax);

    model::Model& m_model;
    ImportReport& m_report;
    std::vector<std::uint32_t> m_writer; ///< per tensor: operator that writes it
    /// Per tensor: operators that read it, one entry per read.
    std::vector<std::vector<std::uint32_t>> m_readers;
    std::vector<bool> m_isOutput;                  ///< per tensor: true if it is a result of the model
    std::vector<bool> m_removed;                   ///< per operator: true if it was removed
    std::vector<std::vector<std::size_t>> m_nodes; ///< per operator: indices of its nodes in the report
};

} // namespace tilewright::onnx
