// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/integer.h"
#include "base/result.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace tilewright::systolic {

/// Sizes of C[m,n] = A[m,k] x B[k,n], in elements.
struct Gemm
{
    std::int64_t m = 0;
    std::int64_t n = 0;
    std::int64_t k = 0;
    bool operator==(const Gemm&) const = default;
};

/// Rows and columns of PEs in the systolic array.
struct ArrayShape
{
    std::int64_t rows = 16;
    std::int64_t cols = 16;
    bool operator==(const ArrayShape&) const = default;
};

/// Sizes of a tile in elements.
struct TileShape
{
    std::int64_t ti = 0;
    std::int64_t tj = 0;
    std::int64_t tk = 0;
    bool operator==(const TileShape&) const = default;
};

/// Operand that stays in the PEs: outputs (OS), weights B (WS) or inputs A (IS).
enum class Dataflow { Os, Ws, Is };

/// Convention of the cycle count (docs/rules/systolic.md 1.3).
enum class Readout {
    Shadow,   ///< results leave through shadow registers at no cost; consecutive folds stream without a gap
    Shift,    ///< formula of the SCALE-Sim paper: 2R + C + T - 2 cycles per fold
    ScaleSim, ///< cycle count of the SCALE-Sim v2 program
};

enum class Matrix { A, B, C };

/// Largest M*N*K of a GEMM (docs/rules/systolic.md 9).
inline constexpr std::int64_t kMaxMacs = std::int64_t{1} << 59;
/// Largest number of rows or columns for the closed forms. Up to it, every sum fits into 64 bits.
inline constexpr std::int64_t kMaxArraySide = std::int64_t{1} << 24;

[[nodiscard]] std::string_view dataflowName(Dataflow dataflow) noexcept; ///< "os", "ws", "is"
[[nodiscard]] std::string_view readoutName(Readout readout) noexcept;    ///< "shadow", "shift", "scale-sim"
[[nodiscard]] std::string_view matrixName(Matrix matrix) noexcept;       ///< "A", "B", "C"
[[nodiscard]] Result<Dataflow> parseDataflow(std::string_view text);
[[nodiscard]] Result<Readout> parseReadout(std::string_view text);
/// Reads sizes such as "64x64x32" (M x N x K).
[[nodiscard]] Result<Gemm> parseGemm(std::string_view text);
/// Reads a shape such as "16x16" (rows x columns).
[[nodiscard]] Result<ArrayShape> parseArrayShape(std::string_view text);

/// Reads a tile such as "64x64x32" (Ti x Tj x Tk). checkTile() checks it against a GEMM.
[[nodiscard]] Result<TileShape> parseTileShape(std::string_view text);

/// Checks a GEMM. Returns an Error for sizes that are not positive or too large (each at most 2^31, M*N*K at
/// most 2^59).
[[nodiscard]] Status checkGemm(const Gemm& gemm);
[[nodiscard]] Status checkArray(const ArrayShape& array);
/// Returns an Error unless each tile size is from 1 to the size of the GEMM.
[[nodiscard]] Status checkTile(const Gemm& gemm, const TileShape& tile);

[[nodiscard]] constexpr std::int64_t macs(const Gemm& gemm) noexcept
{
    return gemm.m * gemm.n * gemm.k;
}

/// Number of elements that must be moved at least once: those of A, B and C.
[[nodiscard]] constexpr std::int64_t compulsoryElements(const Gemm& gemm) noexcept
{
    return gemm.m * gemm.k + gemm.k * gemm.n + gemm.m * gemm.n;
}

} // namespace tilewright::systolic
