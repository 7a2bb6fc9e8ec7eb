// SPDX-License-Identifier: GPL-3.0-or-later
// Writes small ONNX files without weights, node by node, as exporters do: constants are named as lying in a
// file beside the model, which nobody needs to have.
#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace tilewright::test {

/// A size, or the name of a free one.
using FixtureSize = std::variant<std::int64_t, std::string>;

class GraphWriter
{
public:
    using Values = std::vector<std::string>;
    using Attribute =
        std::pair<const char*, std::variant<std::int64_t, float, std::string, std::vector<std::int64_t>>>;
    using Attributes = std::vector<Attribute>;

    GraphWriter(const std::string& name, std::int64_t opset) : GraphWriter(name)
    {
        m_file.set_ir_version(8);
        m_file.set_producer_name("tilewright fixtures");
        auto* set = m_file.add_opset_import();
        set->set_domain("");
        set->set_version(opset);
        graph().set_name(name);
    }
    /// A branch or a loop body.
    explicit GraphWriter(const std::string& name) { graph().set_name(name); }

    std::string input(const std::string& name, const std::vector<FixtureSize>& shape,
                      int type = ::onnx::TensorProto::FLOAT)
    {
        declare(*graph().add_input(), name, shape, type);
        return name;
    }
    void output(const std::string& name, const std::vector<FixtureSize>& shape = {},
                int type = ::onnx::TensorProto::FLOAT)
    {
        if (shape.empty()) {
            auto* v = graph().add_output();
            v->set_name(name);
            v->mutable_type()->mutable_tensor_type()->set_elem_type(type);
        } else {
            declare(*graph().add_output(), name, shape, type);
        }
    }
    std::string weight(const std::string& name, const std::vector<std::int64_t>& shape,
                       int type = ::onnx::TensorProto::FLOAT)
    {
        auto* t = graph().add_initializer();
        t->set_name(name);
        t->set_data_type(type);
        for (const std::int64_t d : shape)
            t->add_dims(d);
        t->set_data_location(::onnx::TensorProto::EXTERNAL);
        auto* where = t->add_external_data();
        where->set_key("location");
        where->set_value("weights.bin");
        return name;
    }
    std::string whole(const std::string& name, const std::vector<std::int64_t>& values, bool scalar = false)
    {
        auto* t = graph().add_initializer();
        t->set_name(name);
        t->set_data_type(::onnx::TensorProto::INT64);
        if (!scalar)
            t->add_dims(static_cast<std::int64_t>(values.size()));
        for (const std::int64_t v : values)
            t->add_int64_data(v);
        return name;
    }
    std::string number(const std::string& name, float value)
    {
        auto* t = graph().add_initializer();
        t->set_name(name);
        t->set_data_type(::onnx::TensorProto::FLOAT);
        t->add_float_data(value);
        return name;
    }
    /// Its results; the first is named after the node.
    Values node(const std::string& type, const std::string& name, const Values& inputs,
                const Attributes& attributes = {}, int outputs = 1)
    {
        auto* n = graph().add_node();
        n->set_op_type(type);
        n->set_name(name);
        for (const std::string& in : inputs)
            n->add_input(in);
        Values out;
        for (int i = 0; i < outputs; ++i) {
            out.push_back(name + (i > 0 ? ":" + std::to_string(i) : ".out"));
            n->add_output(out.back());
        }
        for (const auto& [key, value] : attributes)
            set(*n->add_attribute(), key, value);
        return out;
    }
    std::string add(const std::string& type, const std::string& name, const Values& inputs,
                    const Attributes& attributes = {})
    {
        return node(type, name, inputs, attributes).front();
    }
    void graphAttribute(const char* name, const GraphWriter& branch)
    {
        auto* a = graph().mutable_node(graph().node_size() - 1)->add_attribute();
        a->set_name(name);
        a->set_type(::onnx::AttributeProto::GRAPH);
        *a->mutable_g() = branch.m_file.graph();
    }
    [[nodiscard]] ::onnx::ModelProto& file() { return m_file; }
    [[nodiscard]] std::string text() const { return m_file.SerializeAsString(); }

private:
    static void declare(::onnx::ValueInfoProto& v, const std::string& name,
                        const std::vector<FixtureSize>& shape, int type)
    {
        v.set_name(name);
        auto* tensor = v.mutable_type()->mutable_tensor_type();
        tensor->set_elem_type(type);
        auto* s = tensor->mutable_shape();
        for (const FixtureSize& d : shape)
            if (const auto* size = std::get_if<std::int64_t>(&d))
                s->add_dim()->set_dim_value(*size);
            else
                s->add_dim()->set_dim_param(std::get<std::string>(d));
    }
    static void set(::onnx::AttributeProto& a, const char* key, const Attribute::second_type& value)
    {
        a.set_name(key);
        if (const auto* i = std::get_if<std::int64_t>(&value)) {
            a.set_type(::onnx::AttributeProto::INT);
            a.set_i(*i);
        } else if (const auto* f = std::get_if<float>(&value)) {
            a.set_type(::onnx::AttributeProto::FLOAT);
            a.set_f(*f);
        } else if (const auto* s = std::get_if<std::string>(&value)) {
            a.set_type(::onnx::AttributeProto::STRING);
            a.set_s(*s);
        } else {
            a.set_type(::onnx::AttributeProto::INTS);
            for (const std::int64_t v : std::get<std::vector<std::int64_t>>(value))
                a.add_ints(v);
        }
    }

    ::onnx::GraphProto& graph() { return *m_file.mutable_graph(); }

    ::onnx::ModelProto m_file;
};

} // namespace tilewright::test
