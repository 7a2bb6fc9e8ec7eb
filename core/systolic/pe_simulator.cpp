// SPDX-License-Identifier: GPL-3.0-or-later
#include "systolic/pe_simulator.h"

#include "base/text.h"
#include "systolic/pe_array.h"

#include <algorithm>

namespace tilewright::systolic {

using detail::PeArray;
using detail::Registers;

namespace {

constexpr std::size_t kCheckpointBytes = std::size_t{48} << 20; ///< memory for all checkpoints together
constexpr std::int64_t kFirstSpacing = 64;

} // namespace

struct PeSimulator::Impl : PeArray
{
    EdgeClock clock;
    std::int64_t now = -1;
    std::vector<Registers> checkpoints;
    std::int64_t spacing = kFirstSpacing;
    std::int64_t frontier = 0; ///< number of ticks whose results were recorded
    std::int64_t macs = 0;

    Impl(const FoldPlan& p, std::vector<double> av, std::vector<double> bv, const EdgeSupply& supply)
        : PeArray(p, std::move(av), std::move(bv)), clock(p, supply)
    {
        checkpoints.push_back(state);
    }

    void step()
    {
        const bool recording = state.tick >= frontier;
        tick(recording);
        if (!recording)
            return;
        frontier = state.tick;
        macs += state.active;
        if (state.tick % spacing == 0)
            keep();
    }

    /// Adds a checkpoint. If all checkpoints together need too much memory, every other one is dropped.
    void keep()
    {
        checkpoints.push_back(state);
        const std::size_t most = std::max<std::size_t>(4, kCheckpointBytes / state.bytes());
        if (checkpoints.size() <= most)
            return;
        spacing *= 2;
        std::erase_if(checkpoints, [&](const Registers& r) { return r.tick % spacing != 0; });
    }

    void toTick(std::int64_t target)
    {
        const auto after = std::upper_bound(checkpoints.begin(), checkpoints.end(), target,
                                            [](std::int64_t t, const Registers& r) { return t < r.tick; });
        const Registers& nearest = *(after - 1);
        if (target < state.tick || nearest.tick > state.tick) {
            state = nearest;
            enter();
        }
        while (state.tick < target)
            step();
    }
};

Result<PeSimulator> PeSimulator::create(const Gemm& gemm, const ArrayShape& array,
                                        const TimingOptions& options, std::vector<double> a,
                                        std::vector<double> b, const EdgeSupply& supply)
{
    for (const Status& ok : {checkGemm(gemm), checkArray(array), checkSupply(supply)})
        if (!ok)
            return ok.error();
    if (array.rows > kMaxSimulatedSide || array.cols > kMaxSimulatedSide)
        return Error{ErrorCode::Problem,
                     "the register-level simulator takes arrays up to 1024x1024, got " +
                         std::to_string(array.rows) + "x" + std::to_string(array.cols),
                     "array",
                     {}};
    // M*K, K*N and M*N are each at most 2^59, as M*N*K is, so their sum cannot overflow.
    if (compulsoryElements(gemm) > kMaxSimulatedElements)
        return Error{ErrorCode::Problem,
                     "the register-level simulator takes up to " + formatGrouped(kMaxSimulatedElements) +
                         " elements in A, B and C together, got " + formatGrouped(compulsoryElements(gemm)),
                     "gemm",
                     {}};
    if (a.size() != static_cast<std::size_t>(gemm.m * gemm.k) ||
        b.size() != static_cast<std::size_t>(gemm.k * gemm.n))
        return Error{ErrorCode::Problem, "the operands must have M*K and K*N elements", "operands", {}};
    return PeSimulator(
        std::make_unique<Impl>(FoldPlan(gemm, array, options), std::move(a), std::move(b), supply));
}

Result<PeSimulator> PeSimulator::createRandom(const Gemm& gemm, const ArrayShape& array,
                                              const TimingOptions& options, std::uint64_t seed,
                                              const EdgeSupply& supply)
{
    if (const auto ok = checkGemm(gemm); !ok)
        return ok.error();
    if (compulsoryElements(gemm) > kMaxSimulatedElements)
        return create(gemm, array, options, {}, {}, supply);
    std::uint64_t x = seed * 0x9E3779B97F4A7C15u + 1;
    const auto next = [&x] {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        return static_cast<double>(static_cast<std::int64_t>(x >> 60) - 8);
    };
    std::vector<double> a(static_cast<std::size_t>(gemm.m * gemm.k));
    std::vector<double> b(static_cast<std::size_t>(gemm.k * gemm.n));
    std::generate(a.begin(), a.end(), next);
    std::generate(b.begin(), b.end(), next);
    return create(gemm, array, options, std::move(a), std::move(b), supply);
}

PeSimulator::PeSimulator(std::unique_ptr<Impl> impl) : m_impl(std::move(impl)) {}
PeSimulator::~PeSimulator() = default;
PeSimulator::PeSimulator(PeSimulator&&) noexcept = default;
PeSimulator& PeSimulator::operator=(PeSimulator&&) noexcept = default;

const FoldPlan& PeSimulator::plan() const noexcept
{
    return m_impl->plan;
}

const EdgeClock& PeSimulator::clock() const noexcept
{
    return m_impl->clock;
}

std::int64_t PeSimulator::cycles() const noexcept
{
    return m_impl->clock.cycles();
}

bool PeSimulator::run(const Progress& progress)
{
    Impl& s = *m_impl;
    constexpr std::int64_t kSlice = 256;
    if (s.state.tick != s.frontier)
        s.toTick(s.frontier);
    while (s.state.tick < s.ticks) {
        if (progress.stopRequested())
            return false;
        s.toTick(std::min(s.ticks, s.state.tick + kSlice));
        progress.tell(static_cast<double>(s.state.tick) / static_cast<double>(s.ticks), "simulating");
    }
    s.now = s.clock.cycles() - 1;
    return true;
}

void PeSimulator::seek(std::int64_t cycle)
{
    m_impl->now = std::clamp<std::int64_t>(cycle, -1, cycles() - 1);
    m_impl->toTick(m_impl->clock.ticksBefore(m_impl->now + 1));
}

std::int64_t PeSimulator::cycle() const noexcept
{
    return m_impl->now;
}

PeRegisters PeSimulator::pe(std::int64_t row, std::int64_t col) const
{
    const Impl& s = *m_impl;
    const auto p = static_cast<std::size_t>(row) * s.cols + static_cast<std::size_t>(col);
    PeRegisters out;
    out.west = s.state.west[p];
    out.north = s.state.north[p];
    out.accumulator = s.state.held[p];
    out.shadow = s.state.spare[p];
    out.active = s.now >= 0 && !s.clock.stallAt(s.now) &&
                 (s.state.westValid[p] & s.state.otherValid[p]) != 0 && s.state.active > 0;
    out.work = s.plan.peAt(s.state.tick - 1, row, col);
    return out;
}

std::int64_t PeSimulator::activePes() const noexcept
{
    const Impl& s = *m_impl;
    return s.now < 0 || s.clock.stallAt(s.now) ? 0 : s.state.active;
}

const std::vector<double>& PeSimulator::product() const noexcept
{
    return m_impl->product;
}

std::vector<double> PeSimulator::referenceProduct() const
{
    const Impl& s = *m_impl;
    const auto m = static_cast<std::size_t>(s.plan.gemm().m);
    const auto n = static_cast<std::size_t>(s.plan.gemm().n);
    const auto kk = static_cast<std::size_t>(s.plan.gemm().k);
    std::vector<double> c(m * n);
    for (std::size_t i = 0; i < m; ++i)
        for (std::size_t k = 0; k < kk; ++k)
            for (std::size_t j = 0; j < n; ++j)
                c[i * n + j] += s.a[i * kk + k] * s.b[k * n + j];
    return c;
}

std::int64_t PeSimulator::measuredCycles() const noexcept
{
    const Impl& s = *m_impl;
    const std::int64_t ticks = s.lastEvent - (s.plan.options().readout == Readout::ScaleSim ? 1 : 0);
    return ticks + s.clock.stalledCycles();
}

std::int64_t PeSimulator::measuredMacs() const noexcept
{
    return m_impl->macs;
}

double PeSimulator::partialSum(std::int64_t m, std::int64_t n) const
{
    // The timetable of folds gives the MACs of C[m,n] done so far. Their sum is computed again from the
    // operands.
    const Impl& s = *m_impl;
    const ArrayShape& array = s.plan.array();
    const Gemm& g = s.plan.gemm();
    const std::int64_t u = s.state.tick;
    double sum = 0;
    for (std::int64_t k = 0; k < g.k; ++k) {
        std::int64_t fold = 0;
        std::int64_t wave = 0;
        switch (s.plan.options().dataflow) {
        case Dataflow::Os:
            fold = m / array.rows * s.plan.innerBlocks() + n / array.cols;
            wave = k + m % array.rows + n % array.cols;
            break;
        case Dataflow::Ws:
            fold = n / array.cols * s.plan.innerBlocks() + k / array.rows;
            wave = m + k % array.rows + n % array.cols;
            break;
        case Dataflow::Is:
            fold = m / array.cols * s.plan.innerBlocks() + k / array.rows;
            wave = n + k % array.rows + m % array.cols;
            break;
        }
        if (s.plan.start(fold) + wave < u)
            sum += s.a[static_cast<std::size_t>(m * g.k + k)] * s.b[static_cast<std::size_t>(k * g.n + n)];
    }
    return sum;
}

} // namespace tilewright::systolic
