// SPDX-License-Identifier: GPL-3.0-or-later
// Which operators there are, and what translates each.
#include "stablehlo/translation.h"

#include <algorithm>

namespace tilewright::stablehlo {

const std::unordered_map<std::string_view, Translation::Handler>& Translation::handlers()
{
    using T = Translation;
    static const auto kHandlers = [] {
        std::unordered_map<std::string_view, Handler> out;
        const auto put = [&](Handler handler, std::initializer_list<std::string_view> types) {
            for (const std::string_view t : types)
                out.emplace(t, handler);
        };
        put(&T::constant, {"constant", "iota", "create_token"});
        put(&T::elementwise, {"abs",
                              "acos",
                              "acosh",
                              "add",
                              "and",
                              "asin",
                              "asinh",
                              "atan",
                              "atan2",
                              "atanh",
                              "bessel_i1e",
                              "cbrt",
                              "ceil",
                              "clamp",
                              "compare",
                              "complex",
                              "conj",
                              "cosh",
                              "cosine",
                              "count_leading_zeros",
                              "digamma",
                              "divide",
                              "erf",
                              "erf_inv",
                              "erfc",
                              "exponential",
                              "exponential_minus_one",
                              "floor",
                              "imag",
                              "is_finite",
                              "is_inf",
                              "is_neg_inf",
                              "is_pos_inf",
                              "lgamma",
                              "log",
                              "log_plus_one",
                              "logistic",
                              "maximum",
                              "minimum",
                              "multiply",
                              "negate",
                              "next_after",
                              "not",
                              "or",
                              "polygamma",
                              "popcnt",
                              "power",
                              "real",
                              "reduce_precision",
                              "remainder",
                              "round_nearest_afz",
                              "round_nearest_even",
                              "rsqrt",
                              "select",
                              "shift_left",
                              "shift_right_arithmetic",
                              "shift_right_logical",
                              "sign",
                              "sine",
                              "sinh",
                              "sqrt",
                              "square",
                              "subtract",
                              "tan",
                              "tanh",
                              "uniform_dequantize",
                              "uniform_quantize",
                              "xor",
                              "zeta"});
        put(&T::identity, {"convert", "optimization_barrier", "bitcast_convert", "sdy.sharding_constraint"});
        put(&T::reduce, {"reduce"});
        put(&T::reduceWindow, {"reduce_window"});
        put(&T::batchNorm, {"batch_norm_inference"});
        put(&T::customCall, {"custom_call"});
        put(&T::dotGeneral, {"dot_general"});
        put(&T::dot, {"dot"});
        put(&T::convolution, {"convolution"});
        put(&T::broadcast, {"broadcast_in_dim"});
        put(&T::reshape, {"reshape"});
        put(&T::transpose, {"transpose"});
        put(&T::slice, {"slice"});
        put(&T::dynamicSlice, {"dynamic_slice"});
        put(&T::concatenate, {"concatenate"});
        put(&T::pad, {"pad"});
        put(&T::gather, {"gather"});
        put(&T::view, {"dynamic_update_slice", "reverse", "scatter"});
        put(&T::withoutMacs, {"after_all",
                              "all_gather",
                              "all_reduce",
                              "all_to_all",
                              "collective_broadcast",
                              "collective_permute",
                              "infeed",
                              "outfeed",
                              "partition_id",
                              "recv",
                              "reduce_scatter",
                              "replica_id",
                              "rng",
                              "rng_bit_generator",
                              "select_and_scatter",
                              "send",
                              "sort",
                              "top_k",
                              "batch_norm_training",
                              "batch_norm_grad"});
        return out;
    }();
    return kHandlers;
}

Status Translation::translate(const Node& node)
{
    m_inner.reset();
    const auto known = handlers().find(node.type);
    if (known == handlers().end())
        return drop(node, "this operator is not supported", true);
    if (known->second == &Translation::withoutMacs)
        return withoutMacs(node);
    const auto isEmpty = [&](ValueIndex v) {
        return !m_values[v].type.isTensor || m_values[v].type.isEmpty();
    };
    if (std::ranges::all_of(node.results, isEmpty)) {
        fold(node, "its result is empty");
        return Unit{};
    }
    if (node.operands.empty() && known->second != &Translation::constant &&
        known->second != &Translation::customCall)
        return refuse(node, "has no operand");
    if (std::ranges::any_of(node.operands, isEmpty) && known->second != &Translation::concatenate) {
        fold(node, "it reads nothing: an operand is empty");
        return Unit{};
    }
    return (this->*known->second)(node);
}

} // namespace tilewright::stablehlo
