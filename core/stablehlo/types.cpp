// SPDX-License-Identifier: GPL-3.0-or-later
#include "stablehlo/types.h"

#include "base/integer.h"

#include <charconv>

namespace tilewright::stablehlo {

namespace {

Error fail(const Token& at, std::string message)
{
    return problemError(lineText(at.line), std::move(message));
}

/// Sets the width of an element type; returns false if the word is not an element type.
bool setWidth(std::string_view element, Type& type)
{
    const auto numberIn = [](std::string_view text) -> int {
        int out = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
        return error == std::errc() && end == text.data() + text.size() && out >= 1 && out <= 64 ? out : 0;
    };
    const auto set = [&](int bytes, int bits) {
        type.bytes = bytes;
        type.bits = std::int64_t{1024} * bits;
        return bytes > 0;
    };
    if (element == "index")
        return set(8, 64);
    if (element == "bf16" || element == "f16")
        return set(2, 0);
    if (element == "f32" || element == "tf32")
        return set(4, 0);
    if (element == "f64")
        return set(8, 0);
    for (const auto& [begin, bits] : {std::pair("f8E", 8), std::pair("f6E", 6), std::pair("f4E", 4)})
        if (element.starts_with(begin))
            return set(1, bits);
    for (const std::string_view begin : {"i", "ui", "si"})
        if (element.starts_with(begin))
            if (const int bits = numberIn(element.substr(begin.size())); bits > 0)
                return set((bits + 7) / 8, bits == 1 ? 8 : bits); // a truth value takes one byte
    return false;
}

/// Sets `at` to the token after the ">" that closes the "<" at `at`.
Status skipAngles(std::span<const Token> tokens, std::size_t& at)
{
    const std::size_t begin = at;
    int depth = 0;
    for (; at < tokens.size(); ++at) {
        depth += tokens[at].isSign('<') ? 1 : tokens[at].isSign('>') ? -1 : 0;
        if (depth == 0) {
            ++at;
            return Unit{};
        }
    }
    return fail(tokens[begin], "the bracket \"<\" is not closed");
}

/// Reads the sizes at the beginning of "1x128xf32"; `word` becomes the rest, the element type.
Status readSizes(const Token& token, std::string_view& word, Type& type)
{
    const std::string text = "tensor<" + std::string(word) + ">";
    while (!word.empty()) {
        const std::size_t end = word.find_first_not_of("0123456789");
        if (end == std::string_view::npos)
            return fail(token, "the type " + text + " has no element");
        if (end == 0 && (word[0] == '?' || word[0] == '*'))
            return fail(token,
                        "the type " + text +
                            " has a size that is open; write the program with every size given, for "
                            "example with jax.jit(f).lower(jax.ShapeDtypeStruct((1, 128), \"float32\")) "
                            "or stablehlo-opt --stablehlo-refine-arguments=types=tensor<1x128xf32> "
                            "--stablehlo-refine-shapes");
        if (end == 0 || word[end] != 'x')
            return Unit{};
        std::int64_t size = 0;
        const auto [last, error] = std::from_chars(word.data(), word.data() + end, size);
        if (error != std::errc() || size > kMaxDimension)
            return fail(token, "the type " + text + " has a size above 2147483648");
        if (type.shape.size() == model::kMaxRank)
            return fail(token, "the type " + text + " has more than 8 dimensions");
        type.shape.push_back(size);
        word.remove_prefix(end + 1);
    }
    return Unit{};
}

Result<Type> tensorAt(std::span<const Token> tokens, std::size_t& at)
{
    Type out;
    out.isTensor = true;
    std::size_t i = at + 2;
    const auto isKind = [&](Token::Kind kind) { return i < tokens.size() && tokens[i].kind == kind; };
    std::string_view element;
    if (isKind(Token::Kind::Word)) {
        element = tokens[i].text;
        if (Status s = readSizes(tokens[i], element, out); !s)
            return s.error();
        ++i;
    }
    bool known = false;
    if (element.empty() && isKind(Token::Kind::Alias) && tokens[i].text.starts_with("!quant")) {
        i += 2; // skips "<" and the type that is stored
        known = isKind(Token::Kind::Word) && setWidth(tokens[i].text, out);
    } else if (element == "complex" && i + 1 < tokens.size() && tokens[i].isSign('<')) {
        ++i;
        known = isKind(Token::Kind::Word) && setWidth(tokens[i].text, out);
        out.bytes *= 2;
    } else {
        known = setWidth(element, out);
    }
    if (!known)
        return fail(tokens[at], "the element \"" + std::string(element.substr(0, 40)) +
                                    "\" of a tensor is not supported");
    ++at;
    if (Status s = skipAngles(tokens, at); !s)
        return s.error();
    return out;
}

} // namespace

std::int64_t Type::allBytes() const noexcept
{
    const std::int64_t elements = model::elementsOf(shape);
    return bits > 0 ? ceilDiv(saturatingMul(elements, bits / 1024), 8) : saturatingMul(elements, bytes);
}

Result<Type> typeAt(std::span<const Token> tokens, std::size_t& at)
{
    const bool hasAngles = at + 1 < tokens.size() && tokens[at + 1].isSign('<');
    if (at < tokens.size() && tokens[at].isWord("tensor") && hasAngles)
        return tensorAt(tokens, at);
    if (at >= tokens.size() ||
        (tokens[at].kind != Token::Kind::Word && tokens[at].kind != Token::Kind::Alias))
        return fail(tokens[std::min(at, tokens.size() - 1)], "a type is expected here");
    ++at;
    if (hasAngles)
        if (Status s = skipAngles(tokens, at); !s)
            return s.error();
    return Type{};
}

} // namespace tilewright::stablehlo
