// SPDX-License-Identifier: GPL-3.0-or-later
#include "onnx/strip_weights.h"

#include <cstdint>
#include <optional>

namespace tilewright::onnx {

namespace {

enum class Message { Model, Graph, Function, Node, Attribute, Tensor, SparseTensor };

constexpr int kMaxMessageDepth = 90; ///< less than the nesting limit of the parser
/// Tensors of int32 or int64 are kept whole up to this size.
constexpr std::size_t kMaxWholeBytes = std::size_t{512} << 10;
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

/// A part [begin, end) of the file, in bytes.
struct Span
{
    std::size_t begin = 0, end = 0;

    [[nodiscard]] std::size_t size() const noexcept { return end - begin; }
};

struct Field
{
    std::uint64_t number = 0, value = 0; ///< number of the field; its value if it is a varint
    unsigned wireType = 0;
    Span whole;   ///< the field with its tag
    Span content; ///< content of a length-delimited field
};

/// The bytes of the file. A byte that cannot be read counts as 0.
class Bytes
{
public:
    explicit Bytes(ByteSource& file) : m_file(file) {}

    [[nodiscard]] std::size_t size() const { return m_file.size(); }
    [[nodiscard]] bool isIncomplete() const noexcept { return m_isIncomplete; }
    unsigned char operator[](std::size_t at)
    {
        if (at < m_start || at - m_start >= m_block.size())
            fetch(at);
        return m_block.empty() ? 0 : static_cast<unsigned char>(m_block[at - m_start]);
    }
    void append(std::string& out, Span span)
    {
        while (span.begin < span.end) {
            fetch(span.begin);
            if (m_block.empty())
                return;
            const std::string_view part = m_block.substr(0, span.size());
            out += part;
            span.begin += part.size();
        }
    }

private:
    void fetch(std::size_t at)
    {
        m_block = m_file.at(at);
        m_start = at;
        m_isIncomplete = m_isIncomplete || m_block.empty();
    }

    ByteSource& m_file;
    std::string_view m_block;
    std::size_t m_start = 0;
    bool m_isIncomplete = false; ///< the file has become shorter since it was opened
};

/// Reads fields one after another. next() returns nothing at the end and at a malformed field.
class Fields
{
public:
    Fields(Bytes& bytes, Span message) : m_bytes(bytes), m_at(message.begin), m_end(message.end) {}

    std::optional<Field> next()
    {
        if (m_at == m_end)
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
        if (length > m_end - m_at)
            return broken(start);
        f.content = {m_at, m_at + static_cast<std::size_t>(length)};
        m_at = f.content.end;
        f.whole = {start, m_at};
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
        for (unsigned shift = 0; shift < 64 && m_at < m_end; shift += 7) {
            const unsigned char byte = m_bytes[m_at++];
            out |= std::uint64_t{byte & 0x7fU} << shift;
            if (byte < 0x80)
                return out;
        }
        return std::nullopt;
    }

    Bytes& m_bytes;
    std::size_t m_at, m_end;
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
    explicit Stripper(ByteSource& model) : m_bytes(model) {}

    Result<std::string> run()
    {
        std::string out;
        const bool ok = message({0, m_bytes.size()}, Message::Model, out, 0);
        if (m_bytes.isIncomplete())
            return Error{
                ErrorCode::Io, "cannot be read to its end: it became shorter while it was read", {}, {}};
        if (!ok)
            return Error{ErrorCode::Syntax, m_reason, {}, {}};
        return out;
    }

private:
    bool message(Span in, Message kind, std::string& out, int depth)
    {
        if (depth > kMaxMessageDepth) {
            m_reason = "its graphs are nested too deep";
            return false;
        }
        if (kind == Message::Tensor)
            return tensor(in, out);
        Fields fields(m_bytes, in);
        while (const auto f = fields.next()) {
            const auto inner = f->wireType == 2 ? messageIn(kind, f->number) : std::nullopt;
            if (!inner) {
                m_bytes.append(out, f->whole);
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

    bool tensor(Span in, std::string& out)
    {
        constexpr std::uint64_t kInt32 = 6, kInt64 = 7;
        std::uint64_t type = 0;
        std::size_t bytes = 0;
        Fields scan(m_bytes, in);
        while (const auto f = scan.next())
            if (f->number == 2 && f->wireType == 0)
                type = f->value;
            else if (isContents(f->number))
                bytes += f->whole.size();
        if (!whole(scan, in))
            return false;
        const bool keep = bytes <= (type == kInt32 || type == kInt64 ? kMaxWholeBytes : kMaxOtherBytes);
        Fields copy(m_bytes, in);
        while (const auto f = copy.next())
            if (keep || !isContents(f->number))
                m_bytes.append(out, f->whole);
        return true;
    }

    bool whole(const Fields& fields, Span in)
    {
        if (!fields.isBroken())
            return true;
        m_reason = "is not a complete ONNX file: it is truncated or damaged between the bytes " +
                   std::to_string(in.begin) + " and " + std::to_string(in.end);
        return false;
    }

    Bytes m_bytes;
    std::string m_reason;
};

} // namespace

Result<std::string> stripWeights(ByteSource& model)
{
    return Stripper(model).run();
}

} // namespace tilewright::onnx
