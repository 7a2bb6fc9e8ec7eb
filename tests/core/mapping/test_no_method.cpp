// SPDX-License-Identifier: GPL-3.0-or-later
// Where no method is valid, the smallest set of limits that excludes all of them is named.
#include "mapping/fast_evaluator.h"
#include "mapping/no_method.h"
#include "mapping_brute_force.h"
#include "random_cases.h"
#include "test_main.h"

#include <QTest>

#include <algorithm>
#include <map>

namespace test_no_method {

using namespace tilewright;
using namespace tilewright::mapping;

namespace {

constexpr std::int64_t kAmple = 1 << 20;

/// A product or a convolution with limits, each of which can be left out.
struct Case
{
    LoopNest nest;
    Architecture architecture;
    Reductions reductions;

    /// By every factorisation, and the definitions of the reductions.
    [[nodiscard]] bool exists() const
    {
        const Reductions& r = reductions;
        const auto allowed = [&](const Method& m) {
            std::int64_t pes = 1, reduced = 1, rf = 0, spm = 0;
            Factors small{}, large{};
            for (std::size_t l = 0; l < kMaxLoops; ++l) {
                const std::int64_t spatial = m.at(Level::Spatial)[l];
                pes *= spatial;
                reduced *= (nest.operands[kWritten].freeMask >> l & 1U) != 0 ? spatial : 1;
                small[l] = m.at(Level::Rf)[l];
                large[l] = small[l] * spatial * m.at(Level::Spm)[l];
            }
            for (int op = 0; op < kOperands; ++op) {
                rf += nest.elements(op, small);
                spm += nest.elements(op, large);
            }
            const auto fills = [](std::int64_t used, double share, std::int64_t all) {
                return static_cast<double>(used) >= share * static_cast<double>(all);
            };
            const Factors& dram = m.at(Level::Dram);
            return r.constraints.allows(m) && fills(pes, r.minPeUse, m_pes) && fills(rf, r.minRfUse, m_rf) &&
                   fills(spm, r.minSpmUse, m_spm) && !(r.noSpatialReduction && reduced > 1) &&
                   !(r.noFilterLoopsAtDram && nest.loopCount == kMaxLoops && dram[5] * dram[6] > 1);
        };
        return bruteForce(nest, architecture, allowed).valid > 0;
    }
    /// The shares are those of the machine as it is, whatever rooms are left out.
    void keepShares()
    {
        m_pes = architecture.pes;
        m_rf = architecture.rfElements();
        m_spm = architecture.spmElements();
    }
    [[nodiscard]] Case with(const std::vector<ExcludingLimit>& limits) const
    {
        const auto isNamed = [&](const std::string& name, char sign = 0) {
            return std::ranges::any_of(limits, [&](const ExcludingLimit& l) {
                return l.name == name && (sign == 0 || l.value[0] == sign);
            });
        };
        Case out = *this;
        const Constraints none;
        if (!isNamed("pes"))
            out.architecture.pes = kAmple;
        if (!isNamed("rf"))
            out.architecture.rfBytes = kAmple;
        if (!isNamed("spm_banks"))
            out.architecture.spmBanks = kAmple;
        for (std::size_t level = 0; level < kLevels; ++level)
            for (std::size_t l = 0; l < static_cast<std::size_t>(nest.loopCount); ++l) {
                const std::string name =
                    std::string(levelName(static_cast<Level>(level))) + "." + std::string(nest.loopNames[l]);
                if (!isNamed(name, '>'))
                    out.reductions.constraints.least[level][l] = 1;
                if (!isNamed(name, '<'))
                    out.reductions.constraints.most[level][l] = none.most[level][l];
            }
        Reductions& r = out.reductions;
        r.minPeUse = isNamed("min_pe_use") ? r.minPeUse : 0;
        r.minRfUse = isNamed("min_rf_use") ? r.minRfUse : 0;
        r.minSpmUse = isNamed("min_spm_use") ? r.minSpmUse : 0;
        r.noSpatialReduction = r.noSpatialReduction && isNamed("no_spatial_reduction");
        r.noFilterLoopsAtDram = r.noFilterLoopsAtDram && isNamed("no_filter_loops_at_dram");
        return out;
    }

private:
    std::int64_t m_pes = 1, m_rf = 1, m_spm = 1;
};

Case drawCase(random_cases::Source& rnd)
{
    Layer layer;
    const std::vector<std::int64_t> sizes{2, 4, 6, 6};
    if (rnd.chance(70)) {
        layer.kind = LayerKind::Gemm;
        layer.m = rnd.pick(sizes);
        layer.n = rnd.pick(sizes);
        layer.k = rnd.pick(sizes);
    } else {
        layer.outChannels = rnd.between(1, 2);
        layer.inChannels = rnd.between(1, 2);
        layer.height = layer.width = rnd.between(2, 3);
        layer.kernel = {2, 1};
    }
    Case out;
    out.nest = *makeNest(layer);
    Architecture& a = out.architecture;
    a.pes = rnd.between(1, 8);
    a.elementBytes = 2;
    a.rfBytes = 2 * rnd.between(rnd.chance(10) ? 2 : 3, 14);
    a.spmBankBytes = rnd.pick(std::vector<std::int64_t>{4, 8});
    a.spmBanks = rnd.between(rnd.chance(10) ? 2 : 3, 12);
    Reductions& r = out.reductions;
    for (auto bounds = rnd.between(0, 3); bounds > 0; --bounds) {
        const auto level = static_cast<std::size_t>(rnd.between(0, 3));
        const auto l = static_cast<std::size_t>(rnd.between(0, out.nest.loopCount - 1));
        const std::int64_t value = rnd.pick(std::vector<std::int64_t>{1, 2, 2, 4, 3, 6});
        std::int64_t& least = r.constraints.least[level][l];
        std::int64_t& most = r.constraints.most[level][l];
        if (rnd.chance(60) && value <= most)
            least = value;
        else if (value >= least)
            most = value;
    }
    if (rnd.chance(20))
        r.minPeUse = 0.5;
    if (rnd.chance(15))
        r.minRfUse = 0.75;
    if (rnd.chance(15))
        r.minSpmUse = 0.5;
    r.noSpatialReduction = rnd.chance(20);
    r.noFilterLoopsAtDram = rnd.chance(20);
    out.keepShares();
    return out;
}

} // namespace

class TestNoMethod : public QObject
{
    Q_OBJECT

private slots:
    void rule_7_1_theSetIsSmallest();
    void theRoomIsNamed();
    void imperfectFactorsCount();
};

void TestNoMethod::rule_7_1_theSetIsSmallest()
{
    random_cases::Source rnd(7);
    int explained = 0, feasible = 0;
    std::map<std::size_t, int> sizes;
    while (explained < 200) {
        const Case c = drawCase(rnd);
        const auto why = whyNoMethod(c.nest, c.architecture, c.reductions);
        const bool exists = c.exists();
        QVERIFY2(exists == !why, why ? why->text().c_str() : "not explained");
        if (exists) {
            ++feasible;
            continue;
        }
        ++explained;
        ++sizes[why->limits.size()];
        QVERIFY2(!c.with(why->limits).exists(), why->text().c_str());
        for (std::size_t i = 0; i < why->limits.size(); ++i) {
            std::vector<ExcludingLimit> fewer = why->limits;
            fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
            QVERIFY2(c.with(fewer).exists(), (why->text() + ", without " + why->limits[i].name).c_str());
        }
    }
    qInfo("%d feasible; sets of 1: %d, 2: %d, 3 and more: %d", feasible, sizes[1], sizes[2],
          explained - sizes[1] - sizes[2]);
    QVERIFY(sizes[1] > 20 && sizes[2] > 20);
}

void TestNoMethod::theRoomIsNamed()
{
    Layer layer;
    layer.kind = LayerKind::Gemm;
    layer.m = layer.n = layer.k = 64;
    const LoopNest nest = *makeNest(layer);
    Architecture a;
    a.rfBytes = 4; // two elements of 2 bytes
    const auto one = whyNoMethod(nest, a, {});
    QVERIFY(one);
    QCOMPARE(one->text(),
             std::string("rf 2 elements: the data of one PE takes at least 3 elements in a register "
                         "file; 3 elements in a register file would do"));
    a = {};
    a.rfBytes = 64;
    Reductions asked;
    asked.constraints = *parseConstraints(nest, {"RF.K>=16"});
    const auto two = whyNoMethod(nest, a, asked);
    QVERIFY(two);
    QCOMPARE(two->text(),
             std::string("rf 32 elements and RF.K >= 16: the data of one PE takes at least 33 "
                         "elements in a register file; 33 elements in a register file or RF.K >= 8 "
                         "would do"));
}

void TestNoMethod::imperfectFactorsCount()
{
    Layer layer;
    layer.kind = LayerKind::Gemm;
    layer.m = 7;
    layer.n = layer.k = 1;
    const LoopNest nest = *makeNest(layer);
    Architecture a;
    Reductions asked;
    asked.constraints = *parseConstraints(nest, {"RF.X>=2", "RF.X<=4"});
    QVERIFY(whyNoMethod(nest, a, asked)); // only 1 and 7 divide 7
    a.options.imperfect = true;
    QVERIFY(!whyNoMethod(nest, a, asked));
    SearchOptions options;
    options.reductions = asked;
    QVERIFY(search(nest, a, options).best[0]);
}

TILEWRIGHT_TEST(TestNoMethod)

} // namespace test_no_method
#include "test_no_method.moc"
