// SPDX-License-Identifier: GPL-3.0-or-later
#include "systolic/gemm.h"

#include <charconv>
#include <vector>

namespace tilewright::systolic {

namespace {

Error refused(std::string message, std::string path)
{
    return {ErrorCode::Problem, std::move(message), std::move(path), {}};
}

/// Reads `count` positive integers from a text such as "64x64x32".
Result<std::vector<std::int64_t>> parseSizes(std::string_view text, std::size_t count, std::string_view shape,
                                             std::string_view what)
{
    const auto bad = [&](const std::string& why) {
        return refused("expected " + std::string(shape) + " such as " + (count == 3 ? "64x64x64" : "16x16") +
                           ", got \"" + std::string(text) + "\"" + why,
                       std::string(what));
    };
    std::vector<std::int64_t> sizes;
    const char* at = text.data();
    const char* const end = text.data() + text.size();
    while (true) {
        std::int64_t value = 0;
        const auto [next, ec] = std::from_chars(at, end, value);
        if (ec == std::errc::result_out_of_range)
            return bad(" (a size is out of range)");
        if (ec != std::errc())
            return bad("");
        sizes.push_back(value);
        at = next;
        if (at == end)
            break;
        if ((*at != 'x' && *at != 'X') || sizes.size() == count)
            return bad("");
        ++at;
    }
    if (sizes.size() != count)
        return bad("");
    return sizes;
}

Status checkSize(std::int64_t value, std::int64_t max, const char* name, const char* path)
{
    if (value < 1)
        return refused(std::string(name) + " must be at least 1, got " + std::to_string(value), path);
    if (value > max)
        return refused(std::string(name) + " must be at most " + std::to_string(max) + ", got " +
                           std::to_string(value),
                       path);
    return Unit{};
}

} // namespace

std::string_view dataflowName(Dataflow dataflow) noexcept
{
    return dataflow == Dataflow::Os ? "os" : dataflow == Dataflow::Ws ? "ws" : "is";
}

std::string_view readoutName(Readout readout) noexcept
{
    return readout == Readout::Shadow ? "shadow" : readout == Readout::Shift ? "shift" : "scale-sim";
}

std::string_view matrixName(Matrix matrix) noexcept
{
    return matrix == Matrix::A ? "A" : matrix == Matrix::B ? "B" : "C";
}

Result<Dataflow> parseDataflow(std::string_view text)
{
    for (const Dataflow d : {Dataflow::Os, Dataflow::Ws, Dataflow::Is})
        if (text == dataflowName(d))
            return d;
    return refused("expected os, ws or is, got \"" + std::string(text) + "\"", "dataflow");
}

Result<Readout> parseReadout(std::string_view text)
{
    for (const Readout r : {Readout::Shadow, Readout::Shift, Readout::ScaleSim})
        if (text == readoutName(r))
            return r;
    return refused("expected shadow, shift or scale-sim, got \"" + std::string(text) + "\"", "readout");
}

Result<Gemm> parseGemm(std::string_view text)
{
    const auto sizes = parseSizes(text, 3, "MxNxK", "gemm");
    if (!sizes)
        return sizes.error();
    const Gemm gemm{(*sizes)[0], (*sizes)[1], (*sizes)[2]};
    if (const auto ok = checkGemm(gemm); !ok)
        return ok.error();
    return gemm;
}

Result<ArrayShape> parseArrayShape(std::string_view text)
{
    const auto sizes = parseSizes(text, 2, "RxC", "array");
    if (!sizes)
        return sizes.error();
    const ArrayShape array{(*sizes)[0], (*sizes)[1]};
    if (const auto ok = checkArray(array); !ok)
        return ok.error();
    return array;
}

Result<TileShape> parseTileShape(std::string_view text)
{
    const auto sizes = parseSizes(text, 3, "TixTjxTk", "tile");
    if (!sizes)
        return sizes.error();
    return TileShape{(*sizes)[0], (*sizes)[1], (*sizes)[2]};
}

Status checkGemm(const Gemm& gemm)
{
    for (const auto& [value, name] : {std::pair{gemm.m, "M"}, {gemm.n, "N"}, {gemm.k, "K"}})
        if (auto ok = checkSize(value, kMaxDimension, name, "gemm"); !ok)
            return ok;
    const auto area = checkedMul(gemm.m, gemm.n);
    const auto volume = area ? checkedMul(*area, gemm.k) : std::nullopt;
    if (!volume || *volume > kMaxMacs)
        return refused("M*N*K must be at most 2^59 = " + std::to_string(kMaxMacs), "gemm");
    return Unit{};
}

Status checkArray(const ArrayShape& array)
{
    if (auto ok = checkSize(array.rows, kMaxArraySide, "the number of rows", "array"); !ok)
        return ok;
    return checkSize(array.cols, kMaxArraySide, "the number of columns", "array");
}

Status checkTile(const Gemm& gemm, const TileShape& tile)
{
    if (auto ok = checkSize(tile.ti, gemm.m, "Ti", "tile"); !ok)
        return ok;
    if (auto ok = checkSize(tile.tj, gemm.n, "Tj", "tile"); !ok)
        return ok;
    return checkSize(tile.tk, gemm.k, "Tk", "tile");
}

} // namespace tilewright::systolic
