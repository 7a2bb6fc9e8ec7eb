// SPDX-License-Identifier: GPL-3.0-or-later
// Timeloop's files (docs/rules/mapping.md 11): our reader, and one of its own in Python that knows only the
// published grammar (tests/timeloop/figures.py).
#include "base/file.h"
#include "mapping/evaluate.h"
#include "mapping/factors.h"
#include "mapping/imperfect.h"
#include "test_main.h"
#include "timeloop/timeloop.h"

#include <QDir>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <nlohmann/json.hpp>

#include <random>

namespace test_timeloop {

using nlohmann::json;
using namespace tilewright;
using namespace tilewright::mapping;

namespace {

Layer randomLayer(std::mt19937& random)
{
    const auto pick = [&](std::initializer_list<int> values) {
        return static_cast<std::int64_t>(*(values.begin() + random() % values.size()));
    };
    Layer l;
    l.kind = std::array{LayerKind::Gemm, LayerKind::Conv, LayerKind::DwConv}[random() % 3];
    l.m = pick({1, 12, 64, 100});
    l.n = pick({6, 30, 128});
    l.k = pick({5, 16, 96});
    l.batch = pick({1, 2, 4});
    l.inChannels = pick({1, 8, 24});
    l.outChannels = l.kind == LayerKind::DwConv ? l.inChannels : pick({4, 18, 32});
    l.kernel = {pick({1, 3}), pick({1, 3, 5})};
    l.stride = {pick({1, 2}), pick({1, 2})};
    l.dilation = {pick({1, 1, 2}), 1};
    l.padding = pick({0, 1, 2});
    l.height = pick({9, 14, 28});
    l.width = pick({7, 16});
    return l;
}

Architecture randomArchitecture(std::mt19937& random)
{
    Architecture a;
    a.pes = std::array{16, 256, 1024}[random() % 3];
    a.dmaInitCycles = std::array{0.0, 37.5, 291.0}[random() % 3];
    a.dmaCyclesPerByte = std::array{0.24, 1.1}[random() % 2];
    a.arrayMhz = std::array{500.0, 700.0}[random() % 2];
    a.elementBytes = std::array{1, 2, 4}[random() % 3];
    a.energyPj.mac = 0.3;
    if (random() % 2 == 0) {
        a.energyPj.rfWrite = 1.4;
        a.energyPj.spmWrite = 17;
        a.energyPj.dramWrite = 260;
    }
    return a;
}

/// Factors that divide; the PEs suffice.
Method randomMethod(const LoopNest& nest, const Architecture& a, std::mt19937& random)
{
    Method m = trivialMethod(nest);
    std::int64_t pes = 1;
    for (std::size_t l = 0; l < static_cast<std::size_t>(nest.loopCount); ++l)
        for (const PrimePower& p : primePowers(nest.trips[l]))
            for (int e = 0; e < p.exponent; ++e) {
                const auto to = static_cast<Level>(random() % kLevels);
                if (to == Level::Spatial && pes * p.prime > a.pes)
                    continue;
                pes *= to == Level::Spatial ? p.prime : 1;
                m.tiling[0][l] /= p.prime;
                m.at(to)[l] *= p.prime;
            }
    std::shuffle(m.dramOrder.begin(), m.dramOrder.begin() + nest.loopCount, random);
    std::shuffle(m.spmOrder.begin(), m.spmOrder.begin() + nest.loopCount, random);
    return m;
}

bool sameMethod(const LoopNest& nest, const Method& a, const Method& b)
{
    return a.tiling == b.tiling &&
           std::equal(a.dramOrder.begin(), a.dramOrder.begin() + nest.loopCount, b.dramOrder.begin()) &&
           std::equal(a.spmOrder.begin(), a.spmOrder.begin() + nest.loopCount, b.spmOrder.begin());
}

LoopNest product(std::int64_t m, std::int64_t n, std::int64_t k)
{
    Layer l;
    l.kind = LayerKind::Gemm;
    l.m = m;
    l.n = n;
    l.k = k;
    return makeNest(l).value();
}

} // namespace

class TestTimeloop : public QObject
{
    Q_OBJECT

private slots:
    void rule_11_twoHundredMethodsComeBack();
    void rule_11_imperfectMethodsComeBack();
    void rule_11_grammar();
    void rule_11_refusals_data();
    void rule_11_refusals();
    void rule_11_bypassWhenItIsOn();
    void rule_11_constraints();
    void rule_11_constraintsWithoutCounterpart();
};

void TestTimeloop::rule_11_twoHundredMethodsComeBack()
{
    std::mt19937 random(200);
    const QTemporaryDir dir;
    QStringList folders;
    std::vector<MappingCost> expected;
    while (expected.size() < 200) {
        const Layer layer = randomLayer(random);
        const auto nest = makeNest(layer);
        if (!nest)
            continue;
        const Architecture a = randomArchitecture(random);
        const Method m = randomMethod(*nest, a, random);
        const timeloop::Files files = timeloop::writeFiles(layer, *nest, a, m);
        const auto read = timeloop::readMapping(files.mapping, "mapping.yaml", *nest, a);
        QVERIFY2(read, read ? "" : read.error().text().c_str());
        QVERIFY2(sameMethod(*nest, read->method, m), files.mapping.c_str());
        QCOMPARE(read->notes.size(), std::size_t(2)); // of the register file and the PEs
        expected.push_back(evaluate(*nest, a, read->method));
        const QString folder = dir.filePath(QString::number(expected.size()));
        QVERIFY(QDir().mkpath(folder));
        for (const auto& [name, text] : {std::pair{"/problem.yaml", files.problem},
                                         {"/arch.yaml", files.architecture},
                                         {"/ert.yaml", files.energies},
                                         {"/mapping.yaml", files.mapping}})
            QVERIFY(writeFileAtomically((folder + QLatin1String(name)).toStdString(), text));
        folders << folder;
    }
    QProcess python;
    python.start("python3",
                 QStringList{QStringLiteral(TILEWRIGHT_SOURCE_DIR "/tests/timeloop/figures.py")} + folders);
    if (!python.waitForStarted())
        QSKIP("python3 is not installed");
    QVERIFY(python.waitForFinished(120'000));
    if (python.exitCode() == 77)
        QSKIP("python3-yaml is not installed");
    QVERIFY2(python.exitCode() == 0, python.readAllStandardError().constData());
    const QList<QByteArray> lines = python.readAllStandardOutput().trimmed().split('\n');
    QCOMPARE(static_cast<std::size_t>(lines.size()), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        const json found = json::parse(lines[static_cast<int>(i)].toStdString());
        QCOMPARE(found["cycles"].get<std::int64_t>(), expected[i].cycles);
        QVERIFY(std::abs(found["energy"].get<double>() - expected[i].energy) <= 1e-11 * expected[i].energy);
    }
}

void TestTimeloop::rule_11_imperfectMethodsComeBack()
{
    std::mt19937 random(11);
    Architecture a;
    a.options.imperfect = true;
    const LoopNest nest = product(23, 17, 41);
    Layer layer;
    layer.kind = LayerKind::Gemm;
    int residues = 0;
    for (int i = 0; i < 200; ++i) {
        Method m = trivialMethod(nest);
        for (std::size_t l = 0; l < 3; ++l)
            for (const Level level : {Level::Rf, Level::Spatial, Level::Spm})
                m.at(level)[l] = 1 + static_cast<std::int64_t>(random() % 5);
        m = tightened(nest, m);
        const std::string text = timeloop::writeFiles(layer, nest, a, m).mapping;
        residues += text.find(',') != std::string::npos ? 1 : 0;
        const auto read = timeloop::readMapping(text, "m.yaml", nest, a);
        QVERIFY2(read, read ? "" : read.error().text().c_str());
        QVERIFY(sameMethod(nest, read->method, m));
        QVERIFY(!checkMethod(nest, a, read->method) ||
                checkMethod(nest, a, read->method)->code != ViolationCode::Tiling);
    }
    QVERIFY(residues > 100);
}

void TestTimeloop::rule_11_grammar()
{
    const LoopNest nest = product(20, 6, 4);
    const auto read =
        timeloop::readMapping("mapping:\n"
                              "- {target: DRAM, type: temporal, factors: M5 N=2, permutation: KNM}\n"
                              "- {target: 1, type: temporal, factors: 'M=2, N = 3', permutation: [M, K]}\n"
                              "- {target: SPM, type: spatial, factors: M2 K0}\n"
                              "- {target: RF, type: temporal, factors: '', permutation: MNK}\n"
                              "- {target: SPM, type: bypass, keep: [A, B, C], bypass: []}\n",
                              "m.yaml", nest, {});
    QVERIFY2(read, read ? "" : read.error().text().c_str());
    const Method& m = read->method;
    QCOMPARE(m.at(Level::Dram), (Factors{5, 2, 1, 1, 1, 1, 1}));
    QCOMPARE(m.at(Level::Spm), (Factors{2, 3, 1, 1, 1, 1, 1}));
    QCOMPARE(m.at(Level::Spatial), (Factors{2, 1, 4, 1, 1, 1, 1})); // 0: the whole dimension
    QVERIFY(!checkMethod(nest, {}, m));
    // The innermost first: K innermost at DRAM; what is left out goes outside.
    QCOMPARE(std::vector(m.dramOrder.begin(), m.dramOrder.begin() + 3), (std::vector{0, 1, 2}));
    QCOMPARE(std::vector(m.spmOrder.begin(), m.spmOrder.begin() + 3), (std::vector{1, 2, 0}));
    QCOMPARE(read->notes.size(), std::size_t(1));
    QVERIFY(read->notes[0].find("permutation at RF is ignored") != std::string::npos);
}

void TestTimeloop::rule_11_refusals_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("sentence");
    const auto row = [](const char* name, const char* text, const char* sentence) {
        QTest::newRow(name) << QString(text) << QString(sentence);
    };
    row("bypass", "[{target: SPM, type: bypass, bypass: [B]}]", "B bypasses SPM, which is off");
    row("bypass of the registers", "[{target: RF, type: datatype, bypass: [A]}]", "only the scratchpad");
    row("residue", "[{target: DRAM, type: temporal, factors: 'M=7,6'}]", "only with imperfect factors");
    row("residue in a flow mapping", "[{target: DRAM, type: temporal, factors: M=7,6 N=2}]",
        "unknown field \"6 N=2\"");
    row("other level", "[{target: Buffer2, type: temporal, factors: M=2}]", "unknown level \"Buffer2\"");
    row("spatial at DRAM", "[{target: DRAM, type: spatial, factors: M=2}]", "spatial factors at DRAM");
    row("spatial at RF", "[{target: RF, type: spatial, factors: M=2}]", "spatial factors at RF");
    row("dimension", "[{target: RF, type: temporal, factors: R=2}]", "no dimension \"R\"");
    row("number", "[{target: RF, type: temporal, factors: M=x}]", "expected a whole number after M");
    row("twice", "[{target: RF, type: temporal, factors: M=2 M=3}]", "named twice");
    row("second", "[{target: RF, type: temporal}, {target: RF, type: temporal}]",
        "a second temporal directive");
    row("type", "[{target: RF, type: skew}]", "expected temporal, spatial or bypass");
    row("no target", "[{type: temporal}]", "has no target");
    row("no list", "mapping: 3", "expected a list");
    row("no yaml", "mapping: [", "m.yaml");
    row("two documents", "mapping: []\n---\nmapping: []",
        "line 3: expected one document, got 2 (separated by ---)");
    row("key twice", "mapping: []\nmapping: []", "line 2: the key \"mapping\" occurs twice in one map");
    row("key twice below", "[{target: RF, type: temporal, factors: M=2,\n factors: M=4}]",
        "line 2: the key \"factors\" occurs twice in one map");
    static const QByteArray kDeep(100'000, '[');
    row("deep", kDeep.constData(), "is nested too deep");
    row("anchor in itself", "- &x [1, *x]", "is nested more than 64 levels deep");
    row("aliases",
        "- &a [1,1,1,1,1,1,1,1,1,1]\n- &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\n"
        "- &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\n- &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\n"
        "- &e [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d]\n- &f [*e,*e,*e,*e,*e,*e,*e,*e,*e,*e]",
        "more than 100000 values");
    row("permutation", "[{target: DRAM, type: temporal, permutation: MNQ}]", "no dimension \"Q\"");
}

void TestTimeloop::rule_11_refusals()
{
    QFETCH(QString, text);
    QFETCH(QString, sentence);
    const auto read = timeloop::readMapping(text.toStdString(), "m.yaml", product(20, 6, 4), {});
    QVERIFY(!read);
    const QString said = QString::fromStdString(read.error().text());
    QVERIFY2(said.contains(sentence), qPrintable(said));
    QVERIFY(said.contains("m.yaml"));
}

void TestTimeloop::rule_11_bypassWhenItIsOn()
{
    Architecture a;
    a.options.bypassSpm[1] = true;
    const LoopNest nest = product(20, 6, 4);
    const timeloop::Files files = timeloop::writeFiles({}, nest, a, trivialMethod(nest));
    QVERIFY(files.mapping.find("bypass: [B]") != std::string::npos);
    QVERIFY(timeloop::readMapping(files.mapping, "m.yaml", nest, a));
    QVERIFY(!timeloop::readMapping(files.mapping, "m.yaml", nest, {}));
}

void TestTimeloop::rule_11_constraints()
{
    const LoopNest nest = product(20, 6, 4);
    const std::string text = R"(
architecture_constraints:
  version: 0.3
  targets:
    - target: GlobalBuffer
      type: spatial
      factors: M=5 N<=3
      permutation: MNK
    - {target: RegFile, type: temporal, factors: [K=0], permutation: [K]}
    - {target: DRAM, type: spatial, factors: M1 N1 K1}
mapspace_constraints:
  - {target: SPM, type: dataspace, keep: [A, C], bypass: [B]}
  - {target: DRAM, type: temporal, factors: "N>=2"}
)";
    const auto read = timeloop::readConstraints(text, "c.yaml", nest);
    QVERIFY2(read, read ? "" : read.error().text().c_str());
    const auto name = [&](std::size_t l) { return std::string(nest.loopNames[l]); };
    const std::vector<std::string> want{"SPATIAL." + name(0) + "=5", "SPATIAL." + name(1) + "<=3",
                                        "RF." + name(2) + "=4", "DRAM." + name(1) + ">=2"};
    QVERIFY(read->factors == want);
    QVERIFY((read->bypassSpm == std::array{false, true, false}));
    QCOMPARE(read->notes.size(), std::size_t{2});
    QCOMPARE(read->notes[1], std::string("the permutation at RF is ignored: it does not change the cost"));
    // A list alone, and the section of older files.
    QVERIFY(timeloop::readConstraints("- {target: RF, type: temporal, factors: M=2}", "c", nest));
    QVERIFY(timeloop::readConstraints("mapspace: {constraints: [{target: 1, type: bypass}]}", "c", nest));
}

void TestTimeloop::rule_11_constraintsWithoutCounterpart()
{
    const LoopNest nest = product(20, 6, 4);
    const auto refused = [&](const std::string& one, const std::string& why) {
        const auto read = timeloop::readConstraints("constraints: [" + one + "]", "c.yaml", nest);
        QVERIFY2(!read, one.c_str());
        const std::string text = read.error().text();
        QVERIFY2(text.starts_with("c.yaml: ") && text.find(why) != std::string::npos, text.c_str());
    };
    refused("{target: L3, type: temporal}", "constraints[0].target: unknown level \"L3\"");
    refused("{type: temporal}", "target: is missing");
    refused("{target: SPM, type: utilization, min: 0.5}", "of type \"utilization\" has no counterpart");
    refused("{target: SPM, type: spatial, split: 1}", "\"split\" has no counterpart");
    refused("{target: SPM, type: temporal, permutation: MNK}", "order of loops at SPM has no counterpart");
    refused("{target: DRAM, type: temporal, permutation: MNK}", "order of loops at DRAM has no counterpart");
    refused("{target: DRAM, type: spatial, factors: M=2}", "spatial factors at DRAM");
    refused("{target: RF, type: spatial, factors: \"M<=2\"}", "spatial factors at RF");
    refused("{target: RF, type: bypass, bypass: [A]}", "A bypasses RF: only the scratchpad");
    refused("{target: SPM, type: bypass, bypass: [D]}", "no data space \"D\"");
    refused("{target: SPM, type: temporal, factors: Q=2}", "no dimension \"Q\"");
    refused("{target: SPM, type: temporal, factors: [\"M=3,2\"]}", "residue of M has no counterpart");
    refused("{target: SPM, type: temporal, factors: M}", "expected a whole number after M");
    refused("{target: RF, type: temporal, factors: M=2}, {target: RF, type: temporal, factors: M=4}",
            "contradicts an earlier constraint");
    refused("3", "expected a constraint with target and type");
    for (const char* file : {"architecture: {version: 0.4}", "problem: {}", "{}", "constraints: 3", ""})
        QVERIFY2(!timeloop::readConstraints(file, "c.yaml", nest), file);
}

TILEWRIGHT_TEST(TestTimeloop)

} // namespace test_timeloop
#include "test_timeloop.moc"
