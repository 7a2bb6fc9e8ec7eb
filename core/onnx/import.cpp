// SPDX-License-Identifier: GPL-3.0-or-later
#include "onnx/import.h"

#include "base/notice.h"
#include "base/text.h"
#include "base/utf8.h"
#include "model/finish_import.h"
#include "onnx/graph_walk.h"
#include "onnx/library_shapes.h"
#include "onnx/rewrite.h"
#include "onnx/strip_weights.h"

#include <google/protobuf/descriptor.h>

#include <algorithm>

namespace tilewright::onnx {

namespace pb = ::onnx;

namespace {

Error inFile(Error error, const std::string& file)
{
    error.file = file;
    return error;
}

/// Makes all texts of a message printable, because protobuf does not check their encoding. Returns the number
/// of changed texts.
std::size_t makePrintable(google::protobuf::Message& message)
{
    std::size_t changed = 0;
    const google::protobuf::Reflection& reflection = *message.GetReflection();
    std::vector<const google::protobuf::FieldDescriptor*> fields;
    reflection.ListFields(message, &fields);
    const auto clean = [&](const std::string& text, const auto& set) {
        if (std::string shown = printable(text); shown != text) {
            set(std::move(shown));
            ++changed;
        }
    };
    for (const google::protobuf::FieldDescriptor* field : fields) {
        const int count = field->is_repeated() ? reflection.FieldSize(message, field) : 0;
        if (field->cpp_type() == google::protobuf::FieldDescriptor::CPPTYPE_MESSAGE) {
            if (!field->is_repeated())
                changed += makePrintable(*reflection.MutableMessage(&message, field));
            for (int i = 0; i < count; ++i)
                changed += makePrintable(*reflection.MutableRepeatedMessage(&message, field, i));
        } else if (field->type() == google::protobuf::FieldDescriptor::TYPE_STRING) {
            if (!field->is_repeated())
                clean(reflection.GetString(message, field),
                      [&](std::string text) { reflection.SetString(&message, field, std::move(text)); });
            for (int i = 0; i < count; ++i)
                clean(reflection.GetRepeatedString(message, field, i), [&](std::string text) {
                    reflection.SetRepeatedString(&message, field, i, std::move(text));
                });
        }
    }
    return changed;
}

Status parse(std::string_view content, const std::string& file, pb::ModelProto& out)
{
    TextSource source(content);
    const auto stripped = stripWeights(source);
    if (!stripped)
        return inFile(stripped.error(), file);
    if (stripped->size() > INT32_MAX)
        return Error{ErrorCode::Syntax, "is larger than 2 GiB without its weights", {}, file};
    google::protobuf::LogSilencer silent;
    if (!out.ParseFromArray(stripped->data(), static_cast<int>(stripped->size())))
        return Error{ErrorCode::Syntax,
                     "is not an ONNX model: its fields do not parse or are nested too deep",
                     {},
                     file};
    if (!out.has_graph())
        return Error{ErrorCode::Problem, "is an ONNX file without a graph", {}, file};
    out.clear_doc_string();
    if (makePrintable(out) > 0)
        notice({ErrorCode::Syntax,
                "names with bytes that are not UTF-8 are read as Windows-1252, control characters as signs",
                {},
                file});
    for (const pb::ValueInfoProto& input : out.graph().input())
        for (const auto& d : input.type().tensor_type().shape().dim())
            if (d.dim_value() < -1) // some programs write -1 or 0 for an unknown size
                return Error{ErrorCode::Problem,
                             "the input \"" + input.name() + "\" has the size " +
                                 std::to_string(d.dim_value()),
                             {},
                             file};
    if (std::string unknown = unknownAttributeOf(out.graph(), opsetOf(out)); !unknown.empty())
        notice({ErrorCode::Problem, std::move(unknown), {}, file});
    return Unit{};
}

std::vector<FreeDimension> freeDimensionsOf(const pb::ModelProto& file)
{
    std::vector<std::string_view> constants;
    for (const auto& t : file.graph().initializer())
        constants.push_back(t.name());
    std::sort(constants.begin(), constants.end());
    std::vector<FreeDimension> out;
    for (const pb::ValueInfoProto& input : file.graph().input()) {
        if (!input.type().has_tensor_type() ||
            std::binary_search(constants.begin(), constants.end(), std::string_view(input.name())))
            continue;
        const auto sizes = sizesOf(input.type(), input.name());
        for (std::size_t axis = 0; axis < sizes.size(); ++axis) {
            if (sizes[axis].name.empty())
                continue;
            const auto known = std::find_if(
                out.begin(), out.end(), [&](const FreeDimension& d) { return d.name == sizes[axis].name; });
            if (known == out.end()) {
                const std::int64_t example = axis == 0 ? 1 : sizes.size() == 4 && axis >= 2 ? 224 : 128;
                out.push_back({sizes[axis].name, {input.name()}, example});
            } else if (known->inputs.back() != input.name()) {
                known->inputs.push_back(input.name());
            }
        }
    }
    return out;
}

/// Checks that each free dimension has a value and that there is no other value.
Status checkDimensions(const pb::ModelProto& proto, const Dimensions& given, const std::string& file)
{
    const std::vector<FreeDimension> free = freeDimensionsOf(proto);
    std::string names, example;
    bool complete = true;
    for (const FreeDimension& d : free) {
        names += (names.empty() ? "\"" : ", \"") + d.name + "\"";
        const auto value = given.find(d.name);
        complete &= value != given.end();
        example += " --dim " +
                   shellWord(d.name + "=" + std::to_string(value == given.end() ? d.example : value->second));
        if (value != given.end() && (value->second < 0 || value->second > kMaxDimension))
            return Error{ErrorCode::Field, "expected a size from 0 to 2147483648", "--dim " + d.name, file};
    }
    for (const auto& entry : given) {
        const std::string& name = entry.first; // clang 14 cannot capture a structured binding in a lambda
        const auto& inputs = proto.graph().input();
        const bool isKnown =
            std::any_of(free.begin(), free.end(), [&](const FreeDimension& d) { return d.name == name; }) ||
            std::any_of(inputs.begin(), inputs.end(), [&](const pb::ValueInfoProto& input) {
                return input.name() == name && isNumber(input.type());
            });
        if (!isKnown)
            return Error{ErrorCode::Field,
                         free.empty() ? "the model has no free dimension"
                                      : "the model has no such free dimension; it has " + names,
                         "--dim " + name, file};
    }
    if (!complete)
        return Error{ErrorCode::Problem,
                     "leaves " + std::string(free.size() == 1 ? "the size " : "the sizes ") + names +
                         " open; give each a value, for example" + example,
                     {},
                     file};
    return Unit{};
}

} // namespace

Result<FileContent> readFile(const std::string& path)
{
    return readContent(path, {isOnnx, stripWeights});
}

Result<Imported> importModel(std::string_view content, const std::string& file, const Dimensions& dimensions)
{
    pb::ModelProto proto;
    if (Status s = parse(content, file, proto); !s)
        return s.error();
    if (Status s = checkDimensions(proto, dimensions, file); !s)
        return s.error();
    GraphWalk walk(proto, dimensions);
    if (Status s = walk.run(); !s)
        return inFile(s.error(), file);
    Imported out{walk.takeModel(), walk.takeReport()};
    Rewrite rewrite(out.model, out.report, walk.outputs());
    rewrite.foldNorms();
    rewrite.foldQuantisers();
    rewrite.recogniseAttention();
    rewrite.finish();
    model::chooseElementBytes(out.model);
    out.model.name = model::nameOfModel(proto.graph().name(), file);
    out.model.file = file;
    if (out.model.operators.empty())
        return Error{
            ErrorCode::Problem, "computes nothing: every node is constant or not supported", {}, file};
    if (Status s = model::checkModel(out.model); !s)
        return inFile(s.error(), file);
    return out;
}

Result<std::vector<FreeDimension>> freeDimensions(std::string_view content, const std::string& file)
{
    pb::ModelProto proto;
    if (Status s = parse(content, file, proto); !s)
        return s.error();
    return freeDimensionsOf(proto);
}

} // namespace tilewright::onnx
