// SPDX-License-Identifier: GPL-3.0-or-later
// Matrix products and convolutions.
#include "stablehlo/translation.h"

#include <algorithm>
#include <array>

namespace tilewright::stablehlo {

using model::Shape;

/// Translates dot_general. Its dimensions are written as "contracting_dims = [1] x [0]", or as four lists.
Status Translation::dotGeneral(const Node& node)
{
    // Batch dimensions of both operands, then summed dimensions of both operands.
    std::array<Integers, 4> lists;
    constexpr std::array<std::string_view, 2> kPairs{"batching_dims", "contracting_dims"};
    constexpr std::array<std::string_view, 4> kNames{"lhs_batching_dimensions", "rhs_batching_dimensions",
                                                     "lhs_contracting_dimensions",
                                                     "rhs_contracting_dimensions"};
    for (std::size_t i = 0; i < 2; ++i)
        if (auto at = m_program.attribute(*node.statement, kPairs[i])) {
            auto lhs = m_program.integersAt(*at);
            if (!lhs)
                return lhs.error();
            if (!m_program.token(*at).isWord("x"))
                return refuse(node, std::string(kPairs[i]) + " must have the form \"[1] x [0]\"");
            auto rhs = m_program.integersAt(++*at);
            if (!rhs)
                return rhs.error();
            lists[2 * i] = std::move(*lhs);
            lists[2 * i + 1] = std::move(*rhs);
        }
    for (std::size_t i = 0; i < 4; ++i) {
        auto found = m_program.integers(*node.statement, kNames[i]);
        if (!found)
            return found.error();
        if (*found)
            lists[i] = std::move(**found);
    }
    return product(node, lists[0], lists[1], lists[2], lists[3]);
}

/// Translates the older operator dot: a product of matrices or vectors.
Status Translation::dot(const Node& node)
{
    if (node.operands.empty() || shapeOf(node, 0).empty())
        return refuse(node, "an operand is a scalar");
    return product(node, {}, {}, {static_cast<std::int64_t>(shapeOf(node, 0).size()) - 1}, {0});
}

Status Translation::product(const Node& node, const Integers& lhsBatch, const Integers& rhsBatch,
                            const Integers& lhsSum, const Integers& rhsSum)
{
    if (node.operands.size() != 2 || node.results.size() != 1)
        return refuse(node, "needs two operands and one result");
    const Shape a = shapeOf(node, 0), b = shapeOf(node, 1);
    if (lhsBatch.size() != rhsBatch.size() || lhsSum.size() != rhsSum.size())
        return refuse(node, "the dimensions of its operands are not given in pairs");
    const auto both = [](Integers batch, const Integers& sum) {
        batch.insert(batch.end(), sum.begin(), sum.end());
        return batch;
    };
    const Integers lhs = both(lhsBatch, lhsSum), rhs = both(rhsBatch, rhsSum);
    if (Status s = checkAxes(node, lhs, a.size()); !s)
        return s;
    if (Status s = checkAxes(node, rhs, b.size()); !s)
        return s;
    // Each dimension gets a letter; two dimensions that form a pair get the same letter.
    std::string left(a.size(), ' '), right(b.size(), ' '), out;
    char next = 'a';
    for (std::size_t i = 0; i < lhs.size(); ++i) {
        const auto l = static_cast<std::size_t>(lhs[i]), r = static_cast<std::size_t>(rhs[i]);
        if (a[l] != b[r])
            return refuse(node, "dimension " + std::to_string(l) + " of " + model::shapeText(a) +
                                    " and dimension " + std::to_string(r) + " of " + model::shapeText(b) +
                                    " have different sizes");
        left[l] = right[r] = next;
        if (i < lhsBatch.size())
            out += next;
        ++next;
    }
    for (std::string* const term : {&left, &right})
        for (char& c : *term)
            if (c == ' ') {
                c = next++;
                out += c;
            }
    if (allConstant(node)) {
        fold(node, "known before the model runs");
        return Unit{};
    }
    auto inputs = tensorsOf(node, 2);
    if (!inputs)
        return inputs.error();
    const std::size_t batch = lhsBatch.size();
    bool isMatMul =
        lhsSum.size() == 1 && a.size() >= batch + 2 && b.size() == batch + 2 &&
        (a.size() == batch + 2 || (batch == 0 && lhsSum[0] == static_cast<std::int64_t>(a.size()) - 1));
    for (std::size_t i = 0; i < batch; ++i)
        isMatMul &= lhsBatch[i] == static_cast<std::int64_t>(i) && rhsBatch[i] == lhsBatch[i];
    if (!isMatMul)
        return result(node, Kind::Einsum, std::move(*inputs),
                      model::EinsumAttributes{left + "," + right + "->" + out});
    return result(node, Kind::MatMul, std::move(*inputs),
                  model::MatMulAttributes{lhsSum[0] != static_cast<std::int64_t>(a.size()) - 1,
                                          rhsSum[0] != static_cast<std::int64_t>(batch)});
}

namespace {

/// The order of the dimensions of a convolution's operand as letters: "[b, 0, 1, f]".
struct Layout
{
    std::vector<std::string_view> letters;

    /// Position of the letter; the number of dimensions if the letter does not occur.
    [[nodiscard]] std::size_t find(std::string_view letter) const
    {
        return static_cast<std::size_t>(std::ranges::find(letters, letter) - letters.begin());
    }
};

/// Positions of the two letters, then of the spatial dimensions in order. Empty if one of them is missing.
std::vector<std::int64_t> orderOf(const Layout& layout, std::string_view first, std::string_view second)
{
    std::vector<std::string> wanted{std::string(first), std::string(second)};
    for (std::size_t i = 0; i + 2 < layout.letters.size(); ++i)
        wanted.push_back(std::to_string(i));
    std::vector<std::int64_t> out;
    for (const std::string& letter : wanted)
        if (const std::size_t at = layout.find(letter); at < layout.letters.size())
            out.push_back(static_cast<std::int64_t>(at));
    return out.size() == layout.letters.size() ? out : std::vector<std::int64_t>();
}

Shape permuted(const Shape& shape, const std::vector<std::int64_t>& order)
{
    Shape out;
    for (const std::int64_t axis : order)
        out.push_back(shape[static_cast<std::size_t>(axis)]);
    return out;
}

} // namespace

Status Translation::convolution(const Node& node)
{
    if (node.operands.size() != 2 || node.results.size() != 1)
        return refuse(node, "needs two operands and one result");
    auto at = m_program.attribute(*node.statement, "dim_numbers");
    if (!at)
        at = m_program.attribute(*node.statement, "dimension_numbers");
    if (!at)
        return refuse(node, "has no \"dim_numbers\"");
    std::size_t i = *at;
    if (m_program.token(i).kind == Token::Kind::Alias && m_program.token(i + 1).isSign('<'))
        i += 2;
    std::array<Layout, 3> layouts;
    for (std::size_t part = 0; part < 3; ++part) {
        if (!m_program.token(i).isSign('['))
            return refuse(node, "dim_numbers must have the form \"[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]\"");
        for (std::size_t k = i + 1; k < m_program.token(i).match; ++k)
            if (!m_program.token(k).isSign(','))
                layouts[part].letters.push_back(m_program.token(k).text);
        i = m_program.token(i).match + 1;
        if (part < 2)
            ++i; // skips "x" or "->"
    }
    const Shape x = shapeOf(node, 0), w = shapeOf(node, 1), y = valueOf(node).type.shape;
    const Integers input = orderOf(layouts[0], "b", "f"), kernel = orderOf(layouts[1], "o", "i"),
                   output = orderOf(layouts[2], "b", "f");
    const std::size_t rank = x.size();
    if (input.size() != rank || kernel.size() != w.size() || output.size() != y.size() || w.size() != rank ||
        y.size() != rank || rank < 2)
        return refuse(node, "dim_numbers do not name each dimension of " + model::shapeText(x) + ", " +
                                model::shapeText(w) + " and " + model::shapeText(y));
    const std::size_t spatial = rank - 2;
    const auto stride = list(node, {"stride", "window_strides"}, spatial, 1);
    const auto padding = list(node, {"pad", "padding"}, 2 * spatial, 0);
    const auto hole = list(node, {"lhs_dilate", "lhs_dilation"}, spatial, 1);
    const auto dilation = list(node, {"rhs_dilate", "rhs_dilation"}, spatial, 1);
    const auto groups = number(node, "feature_group_count", 1);
    const auto batches = number(node, "batch_group_count", 1);
    for (const auto* part : {&stride, &padding, &hole, &dilation})
        if (!*part)
            return part->error();
    if (!groups || !batches)
        return groups ? batches.error() : groups.error();
    if (*batches != 1)
        return drop(node, "a batch_group_count other than 1 is not supported", true);
    if (spatial > 3)
        return drop(node, "a convolution of more than three axes is not supported", true);
    if (std::ranges::any_of(*hole, [](auto d) { return d != 1; }))
        return drop(node, "an lhs_dilation other than 1 (a transposed convolution) is not supported", true);
    if (std::ranges::any_of(*padding, [](auto p) { return p < 0; }))
        return drop(node, "a negative padding is not supported", true);
    const auto isTooLarge = [](std::int64_t size) { return size > 1 << 20; };
    for (const auto* part : {&*stride, &*dilation, &*padding})
        if (std::ranges::any_of(*part, isTooLarge) ||
            (part != &*padding && std::ranges::any_of(*part, [](auto s) { return s < 1; })))
            return refuse(node, "strides and dilations must be from 1 to 1048576, padding from 0");
    if (allConstant(node)) {
        fold(node, "known before the model runs");
        return Unit{};
    }
    model::WindowAttributes a;
    a.groups = *groups;
    for (std::size_t s = spatial > 2 ? spatial - 2 : 0, to = spatial > 2 ? 0 : 2 - spatial; s < spatial;
         ++s, ++to) {
        a.stride[to] = (*stride)[s];
        a.dilation[to] = (*dilation)[s];
        a.padding[to] = (*padding)[2 * s];
        a.padding[2 + to] = (*padding)[2 * s + 1];
    }
    const auto inputs = tensorsOf(node, 2);
    if (!inputs)
        return inputs.error();
    auto image = transposed(node, "input", (*inputs)[0], input);
    auto weights = transposed(node, "weights", (*inputs)[1], kernel);
    if (!image || !weights)
        return image ? weights.error() : image.error();
    const auto asImage = [](Shape s) {
        s.insert(s.begin() + 2, 4 - s.size(), 1);
        return s;
    };
    const Shape in = permuted(x, input), taps = permuted(w, kernel), out = permuted(y, output);
    if (spatial == 3) {
        // Each layer of the result is an image. The layers in its window become additional channels.
        const std::int64_t depth =
            model::windowOutput(in[2], taps[2], (*stride)[0], (*padding)[0] + (*padding)[1], (*dilation)[0]);
        const Shape layers{saturatingMul(in[0], depth), saturatingMul(in[1], taps[2]), in[3], in[4]};
        if (depth < 1 || model::elementsOf(layers) > kMaxArea)
            return refuse(node, "the kernel does not fit its operand " + model::shapeText(x));
        image = helper(node, "layers", Kind::View, *image, model::NoAttributes{}, layers);
        weights =
            reshaped(node, "taps", *weights, {taps[0], saturatingMul(taps[1], taps[2]), taps[3], taps[4]});
    } else {
        image = reshaped(node, "image", *image, asImage(in));
        weights = reshaped(node, "taps", *weights, asImage(taps));
    }
    if (!image || !weights)
        return image ? weights.error() : image.error();
    if (spatial == 2 && std::ranges::is_sorted(output))
        return result(node, Kind::Conv2d, {*image, *weights}, a);
    auto sums = inner(node, Kind::Conv2d, {*image, *weights}, a);
    if (!sums)
        return sums.error();
    if (spatial == 3)
        sums = helper(node, "volume", Kind::View, *sums, model::NoAttributes{}, out);
    else if (spatial < 2 && shape(*sums) == asImage(out))
        sums = reshaped(node, "line", *sums, out);
    if (!sums)
        return sums.error();
    Integers back(rank, 0);
    for (std::size_t k = 0; k < rank; ++k)
        back[static_cast<std::size_t>(output[k])] = static_cast<std::int64_t>(k);
    if (shape(*sums) != out)
        return refuse(node, "its result is " + model::shapeText(out) + ", but its operands give " +
                                model::shapeText(shape(*sums)));
    return std::ranges::is_sorted(back)
               ? resultIs(node, *sums)
               : result(node, Kind::Transpose, {*sums}, model::TransposeAttributes{back});
}

} // namespace tilewright::stablehlo
