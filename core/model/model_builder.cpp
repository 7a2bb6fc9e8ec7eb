// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/model_builder.h"

namespace tilewright::model {

ModelBuilder::ModelBuilder(std::string name, int dtypeBytes)
{
    m_model.name = std::move(name);
    m_model.dtypeBytes = dtypeBytes;
}

ModelTensorId ModelBuilder::input(std::string name, Shape shape)
{
    m_model.tensors.push_back({std::move(name), std::move(shape), false, 0});
    return ModelTensorId(m_model.tensors.size() - 1);
}

ModelTensorId ModelBuilder::constant(std::string name, Shape shape)
{
    const ModelTensorId t = input(std::move(name), std::move(shape));
    m_model.tensors[t].constant = true;
    return t;
}

ModelTensorId ModelBuilder::add(OperatorKind kind, const std::string& name, std::vector<ModelTensorId> inputs,
                                Attributes attributes, Shape declared)
{
    Operator op{kind, name, {}, std::move(inputs), {}, std::move(attributes)};
    std::vector<Shape> shapes;
    for (const ModelTensorId t : op.inputs)
        shapes.push_back(shape(t));
    const auto out = outputShapes(op, shapes, std::span(&declared, 1));
    if (!out && !m_error)
        m_error = problemError("ops[" + std::to_string(m_model.operators.size()) + "]",
                               std::string(op.typeName()) + " \"" + name + "\": " + out.error().message);
    ModelTensorId first = input(name, out && !out->empty() ? out->front() : declared);
    op.outputs.push_back(first);
    for (std::size_t i = 1; out && i < out->size(); ++i)
        op.outputs.push_back(input(name + "[" + std::to_string(i) + "]", (*out)[i]));
    m_model.operators.push_back(std::move(op));
    return first;
}

ModelTensorId ModelBuilder::linear(const std::string& name, ModelTensorId x, std::int64_t columns)
{
    return matmul(name, x, constant(name + ".weight", {shape(x).back(), columns}));
}

ModelTensorId ModelBuilder::elementwise(const std::string& function, const std::string& name,
                                        std::vector<ModelTensorId> inputs, std::int64_t passes)
{
    return add(OperatorKind::Elementwise, name, std::move(inputs), ElementwiseAttributes{function, passes});
}

Result<Model> ModelBuilder::build() &&
{
    if (m_error)
        return *m_error;
    if (Status s = checkModel(m_model); !s)
        return s.error();
    return std::move(m_model);
}

} // namespace tilewright::model
