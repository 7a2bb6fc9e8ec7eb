// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/model.h"

#include <string>
#include <vector>

namespace tilewright::model {

/// Builds a model operator by operator. The output of an operator has the operator's name. build() returns
/// the first error.
class ModelBuilder
{
public:
    explicit ModelBuilder(std::string name, int dtypeBytes = 2);

    ModelTensorId input(std::string name, Shape shape);
    ModelTensorId constant(std::string name, Shape shape);
    /// Adds an operator and returns its output. `declared` is the shape of the output, for kinds whose
    /// attributes do not determine it.
    ModelTensorId add(OperatorKind kind, const std::string& name, std::vector<ModelTensorId> inputs,
                      Attributes attributes, Shape declared = {});
    ModelTensorId add(OperatorKind kind, const std::string& name, std::vector<ModelTensorId> inputs)
    {
        return add(kind, name, std::move(inputs), attributesOf(kind));
    }
    ModelTensorId matmul(const std::string& name, ModelTensorId a, ModelTensorId b)
    {
        return add(OperatorKind::MatMul, name, {a, b});
    }
    /// Adds a product of `x` and a new weight, which turns [.., K] into [.., columns].
    ModelTensorId linear(const std::string& name, ModelTensorId x, std::int64_t columns);
    ModelTensorId elementwise(const std::string& function, const std::string& name,
                              std::vector<ModelTensorId> inputs, std::int64_t passes = 0);
    ModelTensorId reshape(const std::string& name, ModelTensorId x, Shape shape)
    {
        return add(OperatorKind::Reshape, name, {x}, NoAttributes{}, std::move(shape));
    }

    [[nodiscard]] const Shape& shape(ModelTensorId t) const { return m_model.tensors[t].shape; }
    [[nodiscard]] Result<Model> build() &&;

private:
    Model m_model;
    std::optional<Error> m_error;
};

} // namespace tilewright::model
