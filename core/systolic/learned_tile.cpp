// SPDX-License-Identifier: GPL-3.0-or-later
#include "systolic/learned_tile.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

namespace tilewright::systolic {

namespace {

constexpr TileTrainingRow kTraining[] = {
#include "systolic/tile_training_data.inc"
};

/// Kernel width in units of log2. It was the best of 0.2 to 1.0 on measureLearned(4000, 5, 16x16), whose
/// GEMMs are in neither the training set nor the held-out set.
constexpr double kSigma = 0.7;

using Features = std::array<double, 4>;

Features featuresOf(std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t cap)
{
    return {std::log2(static_cast<double>(m)), std::log2(static_cast<double>(n)),
            std::log2(static_cast<double>(k)),
            std::log2(static_cast<double>(std::max<std::int64_t>(1, cap)))};
}

/// Features and targets of the training rows, computed once.
struct Prepared
{
    Features x;
    double tiConservative, tjConservative, tiAggressive, tjAggressive;
};

std::vector<Prepared> prepare(std::span<const TileTrainingRow> rows)
{
    const auto lg = [](std::int64_t v) { return std::log2(static_cast<double>(v)); };
    std::vector<Prepared> out;
    out.reserve(rows.size());
    for (const TileTrainingRow& r : rows)
        out.push_back({featuresOf(r.m, r.n, r.k, r.cap), lg(r.tiConservative), lg(r.tjConservative),
                       lg(r.tiAggressive), lg(r.tjAggressive)});
    return out;
}

struct Prediction
{
    double ti, tj;
};

Prediction regress(const TileQuery& q, const std::vector<Prepared>& rows)
{
    const Features x = featuresOf(q.gemm.m, q.gemm.n, q.gemm.k, q.cap());
    const auto distance = [&](const Prepared& r) {
        double d = 0;
        for (std::size_t i = 0; i < x.size(); ++i)
            d += (x[i] - r.x[i]) * (x[i] - r.x[i]);
        return d;
    };
    std::vector<double> distances(rows.size());
    double nearest = 1e300;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        distances[i] = distance(rows[i]);
        nearest = std::min(nearest, distances[i]);
    }
    // Distances are relative to the nearest row, so that the weights do not vanish if all rows are far away.
    double weights = 0;
    double ti = 0;
    double tj = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const double exponent = (distances[i] - nearest) / (2 * kSigma * kSigma);
        if (exponent > 30)
            continue;
        const double w = std::exp(-exponent);
        const bool c = q.footprint == Footprint::Conservative;
        weights += w;
        ti += w * (c ? rows[i].tiConservative : rows[i].tiAggressive);
        tj += w * (c ? rows[i].tjConservative : rows[i].tjAggressive);
    }
    return {std::exp2(ti / weights), std::exp2(tj / weights)};
}

/// The two candidates min(size, multiple of step) just below and just above the predicted value.
std::array<std::int64_t, 2> around(double value, std::int64_t size, std::int64_t step)
{
    const auto v = static_cast<std::int64_t>(std::min(value, static_cast<double>(size)));
    const std::int64_t below = std::min(size, std::max(step, roundDown(v, step)));
    return {below, std::min(size, below + step)};
}

TileQuery transposed(TileQuery q)
{
    std::swap(q.gemm.m, q.gemm.n);
    std::swap(q.array.rows, q.array.cols);
    return q;
}

Result<TileChoice> predict(const TileQuery& q, const std::vector<Prepared>& rows)
{
    if (const auto ok = checkTileQuery(q); !ok)
        return ok.error();
    const Prediction p = regress(q, rows);
    const std::int64_t leastK = std::min(kTileDepth, q.gemm.k);
    const TileQuery flipped = transposed(q);
    std::int64_t visited = 0;
    TileShape best;
    std::int64_t bestElements = 0;
    const auto consider = [&](std::int64_t ti, std::int64_t tj) {
        ++visited;
        if (ti == 0 || tj == 0)
            return;
        const std::int64_t elements = tileTraffic(q.gemm, ti, tj);
        if (best.tk == 0 || elements < bestElements) {
            best = {ti, tj, deepestTile(q, ti, tj)};
            bestElements = elements;
        }
    };
    // Repair of a prediction that does not fit: one predicted side is kept, the other one becomes the largest
    // that fits.
    for (const std::int64_t ti : around(p.ti, q.gemm.m, q.array.rows))
        consider(ti, widestTile(q, ti, leastK));
    for (const std::int64_t tj : around(p.tj, q.gemm.n, q.array.cols))
        consider(widestTile(flipped, tj, leastK), tj);
    if (best.tk == 0) {
        // If neither predicted side can be kept, the repair starts with the smallest candidate side.
        const std::int64_t ti = std::min(q.gemm.m, q.array.rows);
        consider(ti, widestTile(q, ti, leastK));
    }
    if (best.tk == 0)
        return nothingFits(q, q.footprint);
    TileChoice choice;
    choice.method = TileMethod::Learned;
    choice.tile = best;
    choice.footprintElements = tileFootprint(best, q.footprint);
    choice.fits = tileFits(q, best);
    choice.elements = bestElements;
    choice.pointsVisited = visited;
    choice.spaceReduction = static_cast<double>(macs(q.gemm)) / static_cast<double>(visited);
    return choice;
}

TileQuery randomQuery(std::mt19937_64& rng, const ArrayShape& array)
{
    // Random bits are converted here, because the distributions of the standard library differ between
    // platforms.
    const auto logUniform = [&](double low, double high) {
        const double u = static_cast<double>(rng() >> 11) * 0x1p-53;
        return static_cast<std::int64_t>(std::exp2(low + u * (high - low)));
    };
    TileQuery q;
    q.gemm = {logUniform(0, 13), logUniform(0, 13), logUniform(0, 13)};
    q.array = array;
    q.elementBytes = 1;
    q.capacityBytes = logUniform(10, 20);
    return q;
}

} // namespace

std::vector<TileTrainingRow> generateTileTraining(std::size_t count, std::uint64_t seed)
{
    std::mt19937_64 rng(seed);
    std::vector<TileTrainingRow> rows;
    while (rows.size() < count) {
        TileQuery q = randomQuery(rng, {16, 16});
        const auto conservative = exhaustiveTile(q);
        q.footprint = Footprint::Aggressive;
        // No limit of the PEs; a prediction is later repaired for the PEs of its query.
        q.sumsPerPe = kMaxArea;
        const auto aggressive = exhaustiveTile(q);
        if (conservative && aggressive)
            rows.push_back({q.gemm.m, q.gemm.n, q.gemm.k, q.capacityBytes, conservative->tile.ti,
                            conservative->tile.tj, aggressive->tile.ti, aggressive->tile.tj});
    }
    return rows;
}

std::span<const TileTrainingRow> builtInTileTraining() noexcept
{
    return kTraining;
}

std::string tileTrainingText(std::span<const TileTrainingRow> rows)
{
    std::string out = "// SPDX-License-Identifier: GPL-3.0-or-later\n"
                      "// Generated by `tilewright-cli tile --write-training-set FILE`; do not edit.\n"
                      "// M, N, K, capacity in elements, conservative Ti, Tj, aggressive Ti, Tj\n";
    for (const TileTrainingRow& r : rows) {
        out += "{";
        for (const std::int64_t v :
             {r.m, r.n, r.k, r.cap, r.tiConservative, r.tjConservative, r.tiAggressive})
            out += std::to_string(v) + ", ";
        out += std::to_string(r.tjAggressive) + "},\n";
    }
    return out;
}

Result<TileChoice> learnedTile(const TileQuery& query, std::span<const TileTrainingRow> training)
{
    if (training.empty())
        return Error{ErrorCode::Problem, "the training set is empty", "training", {}};
    return predict(query, prepare(training));
}

Result<TileChoice> learnedTile(const TileQuery& query)
{
    static const std::vector<Prepared> prepared = prepare(kTraining);
    return predict(query, prepared);
}

LearnedQuality measureLearned(std::size_t count, std::uint64_t seed, const ArrayShape& array)
{
    std::mt19937_64 rng(seed);
    LearnedQuality quality;
    double sum = 0;
    while (quality.cases < count) {
        TileQuery q = randomQuery(rng, array);
        q.footprint = quality.cases % 2 == 0 ? Footprint::Conservative : Footprint::Aggressive;
        const auto optimum = exhaustiveTile(q);
        const auto learned = learnedTile(q);
        if (!optimum || !learned)
            continue;
        const double ratio = static_cast<double>(learned->elements) / static_cast<double>(optimum->elements);
        ++quality.cases;
        quality.within10Percent += ratio <= 1.1;
        quality.optimal += learned->elements == optimum->elements;
        quality.worstRatio = std::max(quality.worstRatio, ratio);
        sum += ratio;
    }
    quality.meanRatio = quality.cases == 0 ? 1 : sum / static_cast<double>(quality.cases);
    return quality;
}

} // namespace tilewright::systolic
