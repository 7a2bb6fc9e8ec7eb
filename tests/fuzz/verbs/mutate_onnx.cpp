// SPDX-License-Identifier: GPL-3.0-or-later
// ONNX models on the level of protobuf's fields, with the numbers that onnx.proto gives them: nothing of the
// reader's libraries, so that what these would never write is written too.
#include "mutation.h"

#include <algorithm>
#include <map>

namespace tilewright::fuzz {

namespace {

/// A message of onnx.proto: its fields by number; a field with a message of its own names it.
struct FieldKind
{
    const char* name;
    const char* message = nullptr;
    bool isText = false;
};
using Fields = std::map<std::uint64_t, FieldKind>;

const Fields& fieldsOf(const std::string& message)
{
    static const std::map<std::string, Fields> kMessages{
        {"model",
         {{1, {"ir_version"}},
          {2, {"producer_name", nullptr, true}},
          {3, {"producer_version", nullptr, true}},
          {4, {"domain", nullptr, true}},
          {5, {"model_version"}},
          {6, {"doc_string", nullptr, true}},
          {7, {"graph", "graph"}},
          {8, {"opset_import", "opset"}},
          {14, {"metadata_props", "entry"}},
          {25, {"functions", "function"}}}},
        {"opset", {{1, {"domain", nullptr, true}}, {2, {"version"}}}},
        {"entry", {{1, {"key", nullptr, true}}, {2, {"value", nullptr, true}}}},
        {"function", {{1, {"name", nullptr, true}}, {7, {"node", "node"}}}},
        {"graph",
         {{1, {"node", "node"}},
          {2, {"name", nullptr, true}},
          {5, {"initializer", "tensor"}},
          {10, {"doc_string", nullptr, true}},
          {11, {"input", "value"}},
          {12, {"output", "value"}},
          {13, {"value_info", "value"}}}},
        {"node",
         {{1, {"input", nullptr, true}},
          {2, {"output", nullptr, true}},
          {3, {"name", nullptr, true}},
          {4, {"op_type", nullptr, true}},
          {5, {"attribute", "attribute"}},
          {6, {"doc_string", nullptr, true}},
          {7, {"domain", nullptr, true}}}},
        {"attribute",
         {{1, {"name", nullptr, true}},
          {2, {"f"}},
          {3, {"i"}},
          {4, {"s", nullptr, true}},
          {5, {"t", "tensor"}},
          {6, {"g", "graph"}},
          {7, {"floats"}},
          {8, {"ints"}},
          {20, {"type"}}}},
        {"tensor",
         {{1, {"dims"}},
          {2, {"data_type"}},
          {7, {"int64_data"}},
          {8, {"name", nullptr, true}},
          {9, {"raw_data"}},
          {13, {"external_data", "entry"}},
          {14, {"data_location"}}}},
        {"value", {{1, {"name", nullptr, true}}, {2, {"type", "type"}}}},
        {"type", {{1, {"tensor_type", "tensor_type"}}}},
        {"tensor_type", {{1, {"elem_type"}}, {2, {"shape", "shape"}}}},
        {"shape", {{1, {"dim", "dimension"}}}},
        {"dimension", {{1, {"dim_value"}}, {2, {"dim_param", nullptr, true}}}},
    };
    static const Fields kNone;
    const auto found = kMessages.find(message);
    return found == kMessages.end() ? kNone : found->second;
}

struct WireField;
using Message = std::vector<WireField>;
struct WireField
{
    std::uint64_t number = 0;
    unsigned wire = 0;
    std::uint64_t value = 0; ///< of a varint
    std::string bytes;       ///< of anything else but a message
    Message message;
    bool isMessage = false;
};

bool takeVarint(std::string_view& in, std::uint64_t& value)
{
    value = 0;
    for (unsigned shift = 0; shift < 64 && !in.empty(); shift += 7) {
        const auto byte = static_cast<unsigned char>(in.front());
        in.remove_prefix(1);
        value |= static_cast<std::uint64_t>(byte & 0x7fU) << shift;
        if (byte < 0x80)
            return true;
    }
    return false;
}

void putVarint(std::string& out, std::uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        out += static_cast<char>(value | 0x80);
    out += static_cast<char>(value);
}

Message read(std::string_view in, const std::string& kind)
{
    Message out;
    while (!in.empty()) {
        WireField field;
        std::uint64_t tag = 0, size = 0;
        if (!takeVarint(in, tag))
            break;
        field.number = tag >> 3;
        field.wire = tag & 7;
        if (field.wire == 0) {
            takeVarint(in, field.value);
        } else {
            if (field.wire == 2)
                takeVarint(in, size);
            else
                size = field.wire == 1 ? 8 : 4;
            const std::string_view part = in.substr(0, size);
            in.remove_prefix(part.size());
            const auto& fields = fieldsOf(kind);
            const auto known = fields.find(field.number);
            field.isMessage = field.wire == 2 && known != fields.end() && known->second.message;
            if (field.isMessage)
                field.message = read(part, known->second.message);
            else
                field.bytes = part;
        }
        out.push_back(std::move(field));
    }
    return out;
}

void write(const Message& message, std::string& out)
{
    for (const WireField& field : message) {
        putVarint(out, field.number << 3 | field.wire);
        if (field.wire == 0) {
            putVarint(out, field.value);
            continue;
        }
        std::string inner;
        if (field.isMessage)
            write(field.message, inner);
        const std::string& bytes = field.isMessage ? inner : field.bytes;
        if (field.wire == 2)
            putVarint(out, bytes.size());
        out += bytes;
    }
}

class OnnxMutator : public Mutator
{
public:
    explicit OnnxMutator(const std::string& input) : m_input(input), m_model(read(input, "model"))
    {
        std::vector<std::size_t> place;
        collect(m_model, "model", "", place);
        for (auto& [path, places] : m_places)
            m_paths.push_back(path);
    }

    [[nodiscard]] Mutation mutate(Random& random) const override
    {
        if (random.oneIn(16))
            return damaged(m_input, random);
        Message model = m_model;
        const std::string& path = random.any(m_paths);
        const std::vector<std::size_t>& place = random.any(m_places.at(path));
        Message* parent = &model;
        for (std::size_t i = 0; i + 1 < place.size(); ++i)
            parent = &(*parent)[place[i]].message;
        WireField& field = (*parent)[place.back()];
        const auto there = parent->begin() + static_cast<std::ptrdiff_t>(place.back());
        Mutation out{{}, {}, path, path.substr(path.rfind('.') + 1), Owes::Nothing, false};
        const std::size_t choice = random.below(20);
        if (choice == 0) {
            out.kind = "dropped-field";
            parent->erase(there);
        } else if (choice == 1) {
            out.kind = "doubled-field";
            const WireField copy = field;
            parent->insert(there, copy);
        } else if (choice == 2) {
            out.kind = "moved-field";
            std::swap(field, (*parent)[random.below(parent->size())]);
        } else if (choice == 3) {
            out.kind = "unknown-field";
            WireField odd;
            odd.number = 4000 + random.below(100);
            odd.wire = 2;
            odd.bytes = foreignText(random);
            parent->insert(there, odd);
        } else if (choice == 4) {
            out.kind = "wrong-wire-type";
            field.wire = static_cast<unsigned>(random.below(6));
        } else if (choice == 5 && path == "graph.node.attribute") {
            out.kind = "unknown-attribute";
            out.owes = Owes::Name;
            out.word = "unheard_of";
            WireField copy = field;
            for (WireField& f : copy.message)
                if (f.number == 1)
                    f.bytes = out.word;
            parent->insert(there, copy);
        } else if (field.isMessage) {
            out.kind = "emptied-field";
            field.message.clear();
        } else if (field.wire == 0) {
            static constexpr std::uint64_t kOdd[] = {
                0,          1,          std::uint64_t(-1), std::uint64_t(-5),
                1ULL << 31, 1ULL << 40, 1ULL << 62,        (1ULL << 63) - 1,
                1ULL << 63, 3,          1'000'003};
            const bool odd = random.oneIn(3);
            const std::uint64_t others[] = {field.value + 1, field.value * 2, field.value / 2,
                                            field.value - 1};
            const std::uint64_t before = field.value;
            out.kind = odd ? "extreme-number" : "value";
            field.value = odd ? random.any(kOdd) : random.any(others);
            if (!odd && field.value != before)
                out.owes = Owes::Effect;
        } else if (field.wire == 2 && isText(path)) {
            if (random.oneIn(3)) {
                out.kind = "foreign-text";
                field.bytes = foreignText(random);
            } else if (path == "graph.node.attribute.name") {
                out.kind = "misspelt-attribute";
                out.owes = Owes::Name;
                out.word = misspelt(field.bytes, random);
                field.bytes = out.word;
            } else {
                const auto& same = m_places.at(path);
                out.kind = "value";
                const std::string before = field.bytes;
                field.bytes = random.oneIn(3) ? misspelt(before, random) : textAt(random.any(same));
                out.word = field.bytes;
                if (field.bytes != before)
                    out.owes = Owes::Effect;
            }
        } else {
            out.kind = "bytes";
            if (!field.bytes.empty())
                field.bytes[random.below(field.bytes.size())] ^= static_cast<char>(1 << random.below(8));
        }
        write(model, out.input);
        if (out.input == m_input)
            out.owes = Owes::Nothing;
        return out;
    }

private:
    void collect(const Message& message, const std::string& kind, const std::string& path,
                 std::vector<std::size_t>& place)
    {
        const Fields& fields = fieldsOf(kind);
        for (std::size_t i = 0; i < message.size(); ++i) {
            const auto known = fields.find(message[i].number);
            const std::string name =
                known == fields.end() ? std::to_string(message[i].number) : known->second.name;
            const std::string here = path.empty() ? name : path + '.' + name;
            place.push_back(i);
            m_places[here].push_back(place);
            if (known != fields.end() && known->second.isText)
                m_texts.push_back(here);
            if (message[i].isMessage)
                collect(message[i].message, known->second.message, here, place);
            place.pop_back();
        }
    }

    [[nodiscard]] bool isText(const std::string& path) const
    {
        return std::find(m_texts.begin(), m_texts.end(), path) != m_texts.end();
    }

    [[nodiscard]] const std::string& textAt(const std::vector<std::size_t>& place) const
    {
        const Message* message = &m_model;
        for (std::size_t i = 0; i + 1 < place.size(); ++i)
            message = &(*message)[place[i]].message;
        return (*message)[place.back()].bytes;
    }

    std::string m_input;
    Message m_model;
    std::map<std::string, std::vector<std::vector<std::size_t>>> m_places; ///< by path
    std::vector<std::string> m_paths, m_texts;
};

} // namespace

std::unique_ptr<Mutator> makeOnnxMutator(const std::string& input)
{
    return std::make_unique<OnnxMutator>(input);
}

} // namespace tilewright::fuzz
