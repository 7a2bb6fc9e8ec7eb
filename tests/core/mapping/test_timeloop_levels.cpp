// SPDX-License-Identifier: GPL-3.0-or-later
// Architectures with levels and their mappings as files of Timeloop (docs/rules/hierarchy.md 10).
#include "drawn_cases.h"
#include "hierarchy_by_hand.h"
#include "hierarchy_cases.h"
#include "test_main.h"
#include "timeloop/timeloop.h"

#include <QTest>

#include <algorithm>
#include <string>

namespace test_timeloop_levels {

using namespace tilewright;
using namespace tilewright::hierarchy;

namespace {

/// The loops of factor above 1, those of the same name together where the first of them is.
std::vector<TiledLoop> once(const std::vector<TiledLoop>& loops)
{
    std::vector<TiledLoop> out;
    for (const TiledLoop& tiled : loops) {
        if (tiled.factor == 1)
            continue;
        const auto same = std::ranges::find(out, tiled.loop, &TiledLoop::loop);
        if (same == out.end())
            out.push_back(tiled);
        else
            same->factor *= tiled.factor;
    }
    return out;
}

/// The mapping as a file of Timeloop can state it: one factor a loop, axes in the architecture's order.
Mapping plain(const Architecture& architecture, const Mapping& mapping)
{
    Mapping out;
    for (std::size_t i = 0; i < mapping.levels.size(); ++i) {
        LevelLoops& level = out.levels.emplace_back();
        level.temporal = once(mapping.levels[i].temporal);
        for (const Axis& axis : architecture.levels[i].axes)
            for (const AxisLoops& used : mapping.levels[i].spatial)
                if (used.axis == axis.name && !once(used.loops).empty())
                    level.spatial.push_back({axis.name, once(used.loops)});
    }
    return out;
}

mapping::Layer productByHand()
{
    mapping::Layer out;
    out.kind = mapping::LayerKind::Gemm;
    out.m = 4;
    out.n = 2;
    out.k = 4;
    return out;
}

timeloop::Files filesByHand()
{
    const ByHand c;
    return timeloop::writeFiles(productByHand(), c.nest, c.architecture, c.mapping).value();
}

QString replaced(const std::string& text, const char* before, const char* after)
{
    const QString out = QString::fromStdString(text);
    return out.contains(QLatin1String(before))
               ? QString(out).replace(QLatin1String(before), QLatin1String(after))
               : QString();
}

} // namespace

class TestTimeloopLevels : public QObject
{
    Q_OBJECT

private slots:
    void rule_10_roundTrip();
    void rule_11_residues();
    void rule_10_names();
    void rule_10_byHand();
    void rule_10_wordsOfTimeloop();
    void rule_10_loopTwice();
    void rule_10_3_constraints_data();
    void rule_10_3_constraints();
    void badArchitecture_data();
    void badArchitecture();
    void badMapping_data();
    void badMapping();
};

void TestTimeloopLevels::rule_10_roundTrip()
{
    HierarchyDraw draw(10);
    int spatial = 0, shared = 0, residues = 0;
    for (int i = 0; i < test::drawnCases(400); ++i) {
        const mapping::Layer layer = draw.layer(512);
        const auto nest = makeNest(layer).value();
        Architecture architecture = draw.architecture(5, draw.chance(2));
        architecture.clockGhz = draw.chance(2) ? 1 : 0.7;
        architecture.name = draw.chance(2) ? "" : "machine " + std::to_string(i);
        if (draw.chance(4))
            architecture.levels.back().axes.push_back(axis("third", 2));
        architecture.imperfect = draw.chance(3);
        Mapping mapping = plain(architecture, draw.mapping(nest, architecture, false));
        if (architecture.imperfect) // two loops joined may be larger than needed
            mapping = plain(architecture,
                            tightened(nest, architecture,
                                      plain(architecture, draw.imperfectMapping(nest, architecture, false))));
        QVERIFY(evaluate(nest, architecture, mapping).hasNumbers);
        const auto files = timeloop::writeFiles(layer, nest, architecture, mapping);
        QVERIFY(files);
        const auto read = timeloop::readArchitecture(files->architecture, "arch.yaml");
        QVERIFY2(read, read ? "" : read.error().text().c_str());
        QVERIFY2(*read == architecture, files->architecture.c_str());
        const auto back = timeloop::readLevelMapping(files->mapping, "mapping.yaml", nest, architecture);
        QVERIFY2(back, back ? "" : back.error().text().c_str());
        QVERIFY2(*back == mapping, files->mapping.c_str());
        for (const LevelLoops& level : mapping.levels)
            spatial += static_cast<int>(!level.spatial.empty());
        shared += static_cast<int>(files->mapping.find("axis: ") != std::string::npos);
        architecture.imperfect = false;
        residues += static_cast<int>(checkMapping(nest, architecture, mapping).has_value());
    }
    QVERIFY(residues >= test::drawnAtLeast(10));
    QVERIFY(spatial >= test::drawnAtLeast(150));
    QVERIFY(shared >= test::drawnAtLeast(20));
}

void TestTimeloopLevels::rule_11_residues()
{
    ByHand c;
    c.architecture.imperfect = true;
    c.nest = gemm(5, 2, 3);
    // The last step of X 3 has one of two rows, the last step of K 2 one of two products.
    const Mapping mapping{{{{{K, 2}}, {}}, {{{X, 3}, {Y, 2}}, {{"rows", {{X, 2}}}}}, {{{K, 2}}, {}}}};
    mapping::Layer layer;
    layer.kind = mapping::LayerKind::Gemm;
    layer.m = 5;
    layer.n = 2;
    layer.k = 3;
    const std::string text = timeloop::writeFiles(layer, c.nest, c.architecture, mapping)->mapping;
    QVERIFY2(text.find("M=2,1") != std::string::npos && text.find("K=2,1") != std::string::npos &&
                 text.find("M=3 N=2") != std::string::npos,
             text.c_str());
    const auto read = [&](const std::string& from, const std::string& to) {
        std::string changed = text;
        changed.replace(changed.find(from), from.size(), to);
        const auto back = timeloop::readLevelMapping(changed, "m.yaml", c.nest, c.architecture);
        return back ? std::string() : back.error().text();
    };
    QCOMPARE(read("M=2,1", "M=2,1"), "");
    QCOMPARE(read("M=2,1", "M=2,2"),
             "m.yaml: mapping: dimension M: factors and residues make 6, the layer has 5");
    QCOMPARE(read("M=2,1", "M=2,3"),
             "m.yaml: mapping[2].factors: the residue of M must be from 1 to its factor");
}

void TestTimeloopLevels::rule_10_names()
{
    ByHand c;
    c.architecture.levels[1].name = "a: \"b\" #c";
    c.architecture.levels[1].axes[0].name = "rows, all";
    c.architecture.levels[2].name = "1.5";
    c.architecture.name = "null";
    c.mapping.levels[1].spatial[0].axis = "rows, all";
    const auto files = timeloop::writeFiles(productByHand(), c.nest, c.architecture, c.mapping).value();
    QVERIFY2(timeloop::readArchitecture(files.architecture, "a.yaml").value() == c.architecture,
             files.architecture.c_str());
    QVERIFY(timeloop::readLevelMapping(files.mapping, "m.yaml", c.nest, c.architecture).value() == c.mapping);
}

void TestTimeloopLevels::rule_10_byHand()
{
    const timeloop::Files files = filesByHand();
    const auto has = [](const std::string& text, const char* part) {
        return text.find(part) != std::string::npos;
    };
    QVERIFY2(has(files.problem, "dimensions: [M, N, K]"), files.problem.c_str());
    QVERIFY2(has(files.architecture, "name: at_regs[0..1]") && has(files.architecture, "depth: 28") &&
                 has(files.architecture, "multiple-buffering: 2") && has(files.architecture, "class: intmac"),
             files.architecture.c_str());
    // The buffer's outermost loop is X; the row is the only axis. An access is a word of 16 bits.
    QVERIFY2(has(files.mapping,
                 "target: buffer\n    type: temporal\n    factors: M=2 N=2 K=1\n    permutation: NMK"),
             files.mapping.c_str());
    QVERIFY2(has(files.mapping, "type: spatial\n    factors: M=2 N=1 K=1"), files.mapping.c_str());
    QVERIFY2(has(files.mapping, "keep: [C]\n    bypass: [A, B]"), files.mapping.c_str());
    QVERIFY2(has(files.energies, "{name: read, arguments: {}, energy: 128}") &&
                 has(files.energies, "{name: compute, arguments: {}, energy: 0.5}"),
             files.energies.c_str());
}

/// A file that others wrote: sizes and rates in words, instances by the mesh, energies of a bit beside them.
void TestTimeloopLevels::rule_10_wordsOfTimeloop()
{
    const auto read = timeloop::readArchitecture(R"(architecture:
  version: 0.3
  subtree:
  - name: system
    local:
    - {name: DRAM, class: DRAM, attributes: {word-bits: 16, read_bandwidth: 4, write_bandwidth: 2,
                                             read_pj: 8, write_pj: 9}}
    subtree:
    - name: chip
      local:
      - {name: glb, class: SRAM, attributes: {word-bits: 16, width: 64, depth: 1024, multiple-buffering: 1,
                                              read_pj: 1, write_pj: 1}}
      subtree:
      - name: PE[0..11]
        local:
        - {name: spad, class: smartbuffer_RF, attributes: {meshX: 4, word-bits: 16, sizeKB: 2,
                                                           read_pj: 0.5, write_pj: 0.5}}
        - {name: mac, class: intmac, attributes: {bits: {I: 16, W: 16, O: 16}, accumulator_bits: 32, mac_pj: 2}}
)",
                                                 "arch.yaml");
    QVERIFY2(read, read ? "" : read.error().text().c_str());
    QCOMPARE(read->levels.size(), std::size_t{3});
    QVERIFY(!read->levels[0].bytes && read->levels[0].readBytesPerCycle == 8.0 &&
            read->levels[0].writeBytesPerCycle == 4.0);
    const Level& glb = read->levels[1];
    QVERIFY(glb.bytes == 8192 && !glb.readBytesPerCycle && glb.doubleBuffered == false);
    QCOMPARE(glb.axes.size(), std::size_t{2});
    QVERIFY(glb.axes[0].name == "X" && glb.axes[0].size == 4 && glb.axes[1].size == 3);
    QVERIFY(read->levels[2].bytes == 2048 && read->levels[2].axes.empty());
}

void TestTimeloopLevels::rule_10_loopTwice()
{
    ByHand c;
    c.mapping.levels[1].temporal = {{X, 2}, {Y, 2}, {X, 1}};
    QVERIFY(timeloop::writeFiles(productByHand(), c.nest, c.architecture, c.mapping));
    c.mapping.levels[1].temporal = {{X, 2}, {Y, 2}, {X, 2}};
    const auto files = timeloop::writeFiles(productByHand(), c.nest, c.architecture, c.mapping);
    QVERIFY(!files);
    QCOMPARE(QString::fromStdString(files.error().text()),
             QStringLiteral("--export: level buffer has loop X twice, for which Timeloop has one factor"));
}

void TestTimeloopLevels::rule_10_3_constraints_data()
{
    QTest::addColumn<QString>("fields"); // of one constraint
    QTest::addColumn<QString>("texts");  // what it asks for; with ": " the sentence of the error
    QTest::newRow("factors") << "target: buffer, type: temporal, factors: M=2 K<=2 N>=1"
                             << "buffer.X=2 buffer.K<=2 buffer.Y>=1";
    QTest::newRow("whole") << "target: DRAM, type: temporal, factors: K0"
                           << "DRAM.K=4";
    QTest::newRow("order") << "target: buffer, type: temporal, permutation: KNM"
                           << "buffer=X,Y,K";
    QTest::newRow("part of an order") << "target: buffer, type: temporal, permutation: [K, M]"
                                      << "buffer=X,K";
    QTest::newRow("one axis") << "target: buffer, type: spatial, factors: M=2, permutation: MNK"
                              << "buffer.rows.X=2";
    QTest::newRow("split, first")
        << "target: DRAM, type: spatial, factors: M=2 N=2, permutation: MNK, split: 1"
        << "DRAM.a.X=2 DRAM.b.X=1 DRAM.a.Y=1 DRAM.b.Y=2";
    QTest::newRow("axis by name") << "target: DRAM, type: spatial, factors: M=2, axis: b"
                                  << "DRAM.b.X=2";
    QTest::newRow("operands") << "target: regs, type: bypass, keep: [C], bypass: [A]"
                              << "";
    QTest::newRow("no split") << "target: DRAM, type: spatial, factors: M=2"
                              << "constraints[0].split: level DRAM has two axes";
    QTest::newRow("another bypass")
        << "target: buffer, type: bypass, bypass: [A]"
        << "constraints[0].bypass: level buffer holds A: --bypass buffer.A takes it away";
    QTest::newRow("no level") << "target: SPM, type: temporal"
                              << "constraints[0].target: the architecture has no level";
    QTest::newRow("no kind") << "target: buffer, type: utilization"
                             << "constraints[0].type: a constraint of type";
    QTest::newRow("other field") << "target: buffer, type: temporal, min: 3"
                                 << "constraints[0]: \"min\" has no counterpart";
    QTest::newRow("residue") << "target: buffer, type: temporal, factors: 'M=2,1'"
                             << "constraints[0].factors: the residue of M";
    QTest::newRow("contradiction") << "target: buffer, type: temporal, factors: M<=2 M>=3"
                                   << "c.yaml: \"buffer.X>=3\": contradicts an earlier constraint";
}

void TestTimeloopLevels::rule_10_3_constraints()
{
    QFETCH(QString, fields);
    QFETCH(QString, texts);
    ByHand c;
    c.architecture.levels[0].axes = {axis("a", 2), axis("b", 2)};
    const std::string file = "constraints:\n- {" + fields.toStdString() + "}\n";
    const auto read = timeloop::readConstraints(file, "c.yaml", c.nest, c.architecture);
    if (texts.contains(": ")) {
        QVERIFY(!read);
        const std::string found = read.error().text();
        QVERIFY2(found.starts_with("c.yaml: ") && found.find(texts.toStdString()) != std::string::npos,
                 found.c_str());
        return;
    }
    QVERIFY2(read, read ? "" : read.error().text().c_str());
    QStringList all;
    for (const auto* list : {&read->factors, &read->orders})
        for (const std::string& text : *list)
            all.append(QString::fromStdString(text));
    QCOMPARE(all.join(' '), texts);
}

void TestTimeloopLevels::badArchitecture_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("sentence");
    const std::string good = filesByHand().architecture;
    QTest::newRow("no tree") << "levels: 3"
                             << "a.yaml: architecture: expected the tree of Timeloop's version 0.3";
    QTest::newRow("no YAML") << "a: ["
                             << "a.yaml: line ";
    QTest::newRow("other fan-out") << replaced(good, "at_regs[0..1]", "at_regs[0..2]")
                                   << "has 3 instances in one of buffer, whose axes have 2";
    QTest::newRow("no energy") << replaced(good, "read_pj: 8", "leak: 8")
                               << "a.yaml: levels[0]: the field \"read_pj\" is missing";
    QTest::newRow("a word for a size") << replaced(good, "bytes: 56", "bytes: many") << "levels[1].bytes: ";
    QTest::newRow("no multiplier") << replaced(good, "class: intmac", "class: adder")
                                   << "has no component whose class";
    QTest::newRow("no names of values")
        << QString::fromStdString(good.substr(0, good.rfind("attributes:"))) + "attributes: many\n"
        << "attributes: expected names with values";
    QTest::newRow("two trees") << replaced(good, "  subtree:\n    - name: at_DRAM\n",
                                           "  subtree:\n    - name: other\n    - name: at_DRAM\n")
                               << "expected a list of one node";
}

void TestTimeloopLevels::badArchitecture()
{
    QFETCH(QString, text);
    QFETCH(QString, sentence);
    QVERIFY(!text.isEmpty());
    const auto read = timeloop::readArchitecture(text.toStdString(), "a.yaml");
    QVERIFY(!read);
    const std::string found = read.error().text();
    QVERIFY2(found.starts_with("a.yaml: ") && found.find(sentence.toStdString()) != std::string::npos,
             found.c_str());
    QVERIFY(found.find('\n') == std::string::npos);
}

void TestTimeloopLevels::badMapping_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("sentence");
    const std::string good = filesByHand().mapping;
    QTest::newRow("no list") << "mapping: {a: b}"
                             << "m.yaml: mapping: expected a list of directives";
    QTest::newRow("other level") << replaced(good, "target: buffer", "target: SPM")
                                 << "m.yaml: mapping[1].target: the architecture has no level \"SPM\"";
    QTest::newRow("other dimension") << replaced(good, "M=2 N=2 K=1", "M=2 N=2 P=1")
                                     << "mapping[1].factors: this layer has no dimension \"P\"";
    QTest::newRow("twice") << replaced(good, "M=2 N=2 K=1", "M=2 M=2 K=1") << "dimension M is named twice";
    QTest::newRow("residue") << replaced(good, "M=2 N=2 K=1", "M=2,1 N=2 K=1")
                             << "dimension M has a residue: the last tile is smaller only with imperfect "
                                "factors (--imperfect)";
    QTest::newRow("permutation") << replaced(good, "permutation: NMK", "permutation: NNK")
                                 << "mapping[1].permutation: dimension N is named twice";
    QTest::newRow("bypass") << replaced(good, "keep: [C]\n    bypass: [A, B]",
                                        "keep: [A, C]\n    bypass: [B]")
                            << "keep: level regs does not hold A";
    QTest::newRow("unknown field") << replaced(good, "split: 3", "spread: 3")
                                   << "mapping[2]: unknown field \"spread\"";
    QTest::newRow("axis") << replaced(good, "split: 3", "axis: cols")
                          << "mapping[2].axis: level buffer has no axis \"cols\"";
    QTest::newRow("second") << replaced(good, "type: spatial", "type: temporal")
                            << "mapping[2]: a second temporal directive for this level";
    QTest::newRow("type") << replaced(good, "type: spatial", "type: both")
                          << "mapping[2].type: expected temporal";
}

void TestTimeloopLevels::badMapping()
{
    QFETCH(QString, text);
    QFETCH(QString, sentence);
    QVERIFY(!text.isEmpty());
    const ByHand c;
    const auto read = timeloop::readLevelMapping(text.toStdString(), "m.yaml", c.nest, c.architecture);
    QVERIFY(!read);
    const std::string found = read.error().text();
    QVERIFY2(found.starts_with("m.yaml: ") && found.find(sentence.toStdString()) != std::string::npos,
             found.c_str());
}

TILEWRIGHT_TEST(TestTimeloopLevels)

} // namespace test_timeloop_levels
#include "test_timeloop_levels.moc"
