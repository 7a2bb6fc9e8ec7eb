// SPDX-License-Identifier: GPL-3.0-or-later
// What explains the figures of one product on the array: of a layer of a network, or of `systolic --gemm`.
#pragma once

#include "explanation/explanation.h"
#include "lower/network_table.h"

#include <array>
#include <optional>
#include <string>

namespace tilewright::figures {

/// A product on an array, and where its figures are.
struct Product
{
    systolic::Gemm gemm;
    systolic::ArrayShape array;
    systolic::Dataflow dataflow = systolic::Dataflow::Os;
    systolic::ArrayTiming timing;
    lower::ArrayPadding padding;
    lower::ArrayUse use;
    std::int64_t cycles = 0; ///< cycles including stalls
    double utilization = 0;  ///< utilization in these cycles
    std::string at;          ///< what stands before the names of its figures: "layers.3."
};

/// An extent of a product, by the name of its figure.
struct Extent
{
    const char* name;
    std::int64_t systolic::Gemm::*of;
};
inline constexpr std::array kExtents{Extent{"m", &systolic::Gemm::m}, Extent{"n", &systolic::Gemm::n},
                                     Extent{"k", &systolic::Gemm::k}};

/// The figures of a product; nothing where it has none.
namespace ofProduct {

[[nodiscard]] std::optional<ExplainedValue> cycles(const Product& p);
[[nodiscard]] std::optional<ExplainedValue> utilization(const Product& p);
[[nodiscard]] std::optional<ExplainedValue> mapping(const Product& p);
[[nodiscard]] std::optional<ExplainedValue> paddedExtent(const Product& p, std::size_t extent);
template <std::size_t extent> [[nodiscard]] std::optional<ExplainedValue> padded(const Product& p)
{
    return paddedExtent(p, extent);
}
[[nodiscard]] std::optional<ExplainedValue> paddedMacs(const Product& p);
[[nodiscard]] std::optional<ExplainedValue> idlePes(const Product& p);
/// Idle PEs of an array by the mapping efficiency, which is the figure `at` "mapping_efficiency".
[[nodiscard]] ExplainedValue idlePesOf(const systolic::ArrayShape& array, double mapping,
                                       const std::string& at);
/// The multiply-accumulates of a product: m times n times k.
[[nodiscard]] ExplainedValue macs(const Product& p);

} // namespace ofProduct

} // namespace tilewright::figures
