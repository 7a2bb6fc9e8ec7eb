// SPDX-License-Identifier: GPL-3.0-or-later
// Why no tile of an operator fits into the SPM of a core (docs/rules/npu.md 2.6).
#include "base/text.h"
#include "npu/fit_tiles.h"

#include <algorithm>

namespace tilewright::npu {

namespace {

/// The limits of an operator by index: 0 is the SPM, the others are the requested tile sizes.
class TileLimits
{
public:
    TileLimits(const NpuModel& model, const NpuHardware& hardware, std::size_t op)
        : m_model(model), m_hardware(hardware), m_op(op)
    {
        for (const TileField& field : tileFields(model.ops[op].type))
            if (model.ops[op].tile.*field.size > 0)
                m_fields.push_back(field);
    }

    [[nodiscard]] std::size_t count() const { return 1 + m_fields.size(); }
    [[nodiscard]] const TileField& field(std::size_t limit) const { return m_fields[limit - 1]; }
    [[nodiscard]] std::vector<std::size_t> all() const
    {
        std::vector<std::size_t> out(count());
        for (std::size_t i = 0; i < out.size(); ++i)
            out[i] = i;
        return out;
    }

    /// The requested sizes among the limits `kept`. Other sizes follow the default rule.
    [[nodiscard]] TileSizes sizes(const std::vector<std::size_t>& kept) const
    {
        TileSizes out;
        for (const std::size_t limit : kept)
            if (limit > 0)
                out.*field(limit).size = m_model.ops[m_op].tile.*field(limit).size;
        return out;
    }
    [[nodiscard]] std::optional<std::int64_t> need(const TileSizes& tile, std::int64_t spm) const
    {
        NpuHardware hardware = m_hardware;
        hardware.spmBytes = spm;
        return spmOfLargestNode(m_model, hardware, m_op, tile);
    }
    [[nodiscard]] bool fits(const TileSizes& tile, std::int64_t spm) const
    {
        const auto bytes = need(tile, spm);
        return bytes && *bytes <= spm;
    }
    /// True if no tile meets the limits `kept`.
    [[nodiscard]] bool exclude(const std::vector<std::size_t>& kept) const
    {
        if (kept.empty() || kept.front() != 0)
            return false;
        const auto bytes = need(sizes(kept), m_hardware.spmBytes);
        return bytes && *bytes > m_hardware.spmBytes;
    }
    /// The smallest SPM in bytes into which a tile of these sizes fits.
    [[nodiscard]] std::optional<std::int64_t> leastSpm(const TileSizes& tile) const
    {
        std::int64_t below = m_hardware.spmBytes;
        const auto most = need(tile, below);
        if (!most || *most <= below || !fits(tile, *most))
            return std::nullopt;
        std::int64_t enough = *most;
        while (enough - below > 1) {
            const std::int64_t middle = below + (enough - below) / 2;
            (fits(tile, middle) ? enough : below) = middle;
        }
        return enough;
    }
    /// The largest size on one axis with which the tile fits, all other sizes as requested.
    [[nodiscard]] std::optional<std::int64_t> largest(const TileField& axis) const
    {
        TileSizes tile = sizes(all());
        const auto isEnough = [&](std::int64_t size) {
            tile.*axis.size = size;
            return fits(tile, m_hardware.spmBytes);
        };
        std::int64_t enough = 1, above = tile.*axis.size;
        if (above == 1 || !isEnough(1))
            return std::nullopt;
        while (above - enough > 1) {
            const std::int64_t middle = enough + (above - enough) / 2;
            (isEnough(middle) ? enough : above) = middle;
        }
        return enough;
    }

private:
    const NpuModel& m_model;
    const NpuHardware& m_hardware;
    std::size_t m_op;
    std::vector<TileField> m_fields;
};

} // namespace

std::optional<Exclusion> whyNoTile(const NpuModel& model, const NpuHardware& hardware, std::size_t op)
{
    const TileLimits limits(model, hardware, op);
    if (!limits.exclude(limits.all()))
        return std::nullopt;
    const std::vector<std::size_t> core = smallestExcluding(
        limits.count(), [&](const std::vector<std::size_t>& kept) { return limits.exclude(kept); });
    Exclusion out;
    for (const std::size_t limit : core) {
        if (limit == 0) {
            ExcludingLimit spm{"SPM", formatGrouped(hardware.spmBytes) + " bytes", {}};
            if (const auto least = limits.leastSpm(limits.sizes(limits.all())))
                spm.enough.push_back(formatGrouped(*least) + " bytes of SPM");
            out.limits.push_back(std::move(spm));
            continue;
        }
        const TileField& field = limits.field(limit);
        ExcludingLimit size{
            "tile " + std::string(field.key), formatGrouped(model.ops[op].tile.*field.size), {}};
        if (const auto most = limits.largest(field))
            size.enough.push_back("tile " + std::string(field.key) + " " + formatGrouped(*most));
        out.limits.push_back(std::move(size));
    }
    const auto least = limits.leastSpm(limits.sizes(core));
    out.because = "the largest node of " + model.ops[op].name + " takes at least " +
                  formatGrouped(least.value_or(*limits.need(limits.sizes(core), hardware.spmBytes))) +
                  " bytes";
    return out;
}

} // namespace tilewright::npu
