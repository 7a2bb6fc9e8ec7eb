// SPDX-License-Identifier: GPL-3.0-or-later
#include "onnx/strip_weights.h"

#include <cstdint>
#include <optional>

namespace tilewright::onnx {

namespace {

enum class Message { Model, Graph, Function, Node, Attribute, Tensor, SparseTensor };

constexpr int kMaxMessageDepth = 90;                           ///< below the nesting limit of the parser
constexpr std::size_t kMaxWholeBytes = std::size_t{512} << 10; ///< size limit for a tensor of int32 or int64
constexpr std::size_t kMaxOtherBytes = 4096;

/// Returns the type of message in a field, if it can contain tensors.
std::optional<Message> messageIn(Message message, std::uint64_t field)
{
    switch (message) {
    case Message::Model:
        if (field == 7)
            return Message::Graph;
        return field == 25 ? std::optional(Message::Function) : std::nullopt;
    case Message::Graph:
        if (field == 1)
            return Message::Node;
        if (field == 5)
            return Message::Tensor;
        return field == 15 ? std::optional(Message::SparseTensor) : std::nullopt;
    case Message::Function:
        return field == 7 ? std::optional(Message::Node) : std::nullopt;
    case Message::Node:
        return field == 5 ? std::optional(Message::Attribute) : std::nullopt;
    case Message::Attribute:
        if (field == 5 || field == 10)
            return Message::Tensor;
        if (field == 6 || field == 11)
            return Message::Graph;
        return field == 22 || field == 23 ? std::optional(Message::SparseTensor) : std::nullopt;
    case Message::SparseTensor:
        return field == 1 || field == 2 ? std::optional(Message::Tensor) : std::nullopt;
    case Message::Tensor:
        break;
    }
    return std::nullopt;
}

/// True for the content fields of a TensorProto: float_data, int32_data, string_data, int64_data, raw_data,
/// double_data, uint64_data.
bool isContents(std::uint64_t field)
{
    return (field >= 4 && field <= 7) || (field >= 9 && field <= 11);
}

struct Field
{
    std::uint64_t number = 0, value = 0; ///< `value`: for a varint
    unsigned wireType = 0;
    std::string_view whole;   ///< bytes of the field with its tag
    std::string_view content; ///< content of a length-delimited field
};

/// Reads the fields one after the other. next() returns nothing at the end and at a malformed field.
class Fields
{
public:
    explicit Fields(std::string_view message) : m_message(message) {}

    std::optional<Field> next()
    {
        if (m_at == m_message.size())
            return std::nullopt;
        Field f;
        const std::size_t start = m_at;
        const auto tag = varint();
        if (!tag || *tag >> 3 == 0)
            return broken(start);
        f.number = *tag >> 3;
        f.wireType = static_cast<unsigned>(*tag & 7);
        std::uint64_t length = 0;
        if (f.wireType == 0) {
            const auto value = varint();
            if (!value)
                return broken(start);
            f.value = *value;
        } else if (f.wireType == 1 || f.wireType == 5) {
            length = f.wireType == 1 ? 8 : 4;
        } else if (f.wireType == 2) {
            const auto bytes = varint();
            if (!bytes)
                return broken(start);
            length = *bytes;
        } else { // groups (deprecated) do not occur in ONNX files
            return broken(start);
        }
        if (length > m_message.size() - m_at)
            return broken(start);
        f.content = m_message.substr(m_at, static_cast<std::size_t>(length));
        m_at += static_cast<std::size_t>(length);
        f.whole = m_message.substr(start, m_at - start);
        return f;
    }
    [[nodiscard]] bool isBroken() const noexcept { return m_broken; }

private:
    std::optional<Field> broken(std::size_t at)
    {
        m_at = at;
        m_broken = true;
        return std::nullopt;
    }
    std::optional<std::uint64_t> varint()
    {
        std::uint64_t out = 0;
        for (unsigned shift = 0; shift < 64 && m_at < m_message.size(); shift += 7) {
            const auto byte = static_cast<unsigned char>(m_message[m_at++]);
            out |= std::uint64_t{byte & 0x7fU} << shift;
            if (byte < 0x80)
                return out;
        }
        return std::nullopt;
    }

    std::string_view m_message;
    std::size_t m_at = 0;
    bool m_broken = false;
};

void appendVarint(std::string& out, std::uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        out += static_cast<char>(static_cast<unsigned char>(value | 0x80));
    out += static_cast<char>(static_cast<unsigned char>(value));
}

class Stripper
{
public:
    explicit Stripper(std::string_view model) : m_model(model) {}

    Result<std::string> run()
    {
        std::string out;
        if (!message(m_model, Message::Model, out, 0))
            return Error{ErrorCode::Syntax, m_reason, {}, {}};
        return out;
    }

private:
    bool message(std::string_view in, Message kind, std::string& out, int depth)
    {
        if (depth > kMaxMessageDepth) {
            m_reason = "its graphs are nested too deep";
            return false;
        }
        if (kind == Message::Tensor)
            return tensor(in, out);
        Fields fields(in);
        while (const auto f = fields.next()) {
            const auto inner = f->wireType == 2 ? messageIn(kind, f->number) : std::nullopt;
            if (!inner) {
                out += f->whole;
                continue;
            }
            std::string stripped;
            if (!message(f->content, *inner, stripped, depth + 1))
                return false;
            appendVarint(out, f->number << 3 | 2);
            appendVarint(out, stripped.size());
            out += stripped;
        }
        return whole(fields, in);
    }

    bool tensor(std::string_view in, std::string& out)
    {
        constexpr std::uint64_t kInt32 = 6, kInt64 = 7;
        std::uint64_t type = 0;
        std::size_t bytes = 0;
        Fields scan(in);
        while (const auto f = scan.next())
            if (f->number == 2 && f->wireType == 0)
                type = f->value;
            else if (isContents(f->number))
                bytes += f->whole.size();
        if (!whole(scan, in))
            return false;
        const bool keep = bytes <= (type == kInt32 || type == kInt64 ? kMaxWholeBytes : kMaxOtherBytes);
        Fields copy(in);
        while (const auto f = copy.next())
            if (keep || !isContents(f->number))
                out += f->whole;
        return true;
    }

    bool whole(const Fields& fields, std::string_view in)
    {
        if (!fields.isBroken())
            return true;
        m_reason = "is not a complete ONNX file: it is truncated or damaged between the bytes " +
                   std::to_string(in.data() - m_model.data()) + " and " +
                   std::to_string(in.data() - m_model.data() + static_cast<std::ptrdiff_t>(in.size()));
        return false;
    }

    std::string_view m_model;
    std::string m_reason;
};

} // namespace

Result<std::string> stripWeights(std::string_view model)
{
    return Stripper(model).run();
}

} // namespace tilewright::onnx
