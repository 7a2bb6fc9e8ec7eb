// SPDX-License-Identifier: GPL-3.0-or-later
// Files of docs/rules/hierarchy.md 1 and 2.
#include "base/file.h"
#include "drawn_cases.h"
#include "hierarchy/evaluate.h"
#include "hierarchy/files.h"
#include "hierarchy_cases.h"
#include "test_main.h"

#include <QTest>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>

namespace test_mapping_hierarchy_files {

using namespace tilewright;
using namespace tilewright::hierarchy;
using nlohmann::json;

namespace {

const std::string kData = TILEWRIGHT_SOURCE_DIR "/tests/data/";
const std::string kInvalid = kData + "invalid_levels/";

std::string content(const std::string& path)
{
    return readFile(path).value();
}

LoopNest product()
{
    mapping::Layer out;
    out.kind = mapping::LayerKind::Gemm;
    out.m = 4;
    out.n = 2;
    out.k = 4;
    return makeNest(out).value();
}

Architecture byHand()
{
    return readArchitecture(content(kData + "levels/by-hand.json"), "by-hand.json").value();
}

/// Reads a file of one of both kinds, told by its name.
Status readEither(const std::string& name, const std::string& text)
{
    if (name.starts_with("arch-")) {
        const auto read = readArchitecture(text, name);
        return read ? Status(Unit{}) : Status(read.error());
    }
    const auto read = readMapping(text, name, product(), byHand());
    return read ? Status(Unit{}) : Status(read.error());
}

} // namespace

class TestMappingHierarchyFiles : public QObject
{
    Q_OBJECT

private slots:
    void rule_1_fields();
    void rule_1_defaults();
    void rule_1_memories();
    void rule_1_operandsOfBothKinds();
    void rule_1_chosenByLevels();
    void rule_2_mapping();
    void roundTrip();
    void invalidFiles_data();
    void invalidFiles();
    void mutatedFilesNeverCrash();
};

void TestMappingHierarchyFiles::rule_1_fields()
{
    const Architecture a = byHand();
    QCOMPARE(a.name, "by hand");
    QCOMPARE(a.bits, (std::array<std::int64_t, 3>{8, 8, 8}));
    QCOMPARE(a.accumulatorBits, 16);
    QCOMPARE(a.macPj, 0.5);
    QCOMPARE(a.levels.size(), 3U);
    QVERIFY(!a.levels[0].bytes);
    QCOMPARE(a.levels[1].bytes.value(), 56);
    QCOMPARE(a.levels[1].readBytesPerCycle.value(), 4.0);
    QCOMPARE(a.levels[1].axes.at(0).name, "rows");
    QCOMPARE(a.levels[1].axes.at(0).size, 2);
    QCOMPARE(a.levels[2].holds, (std::array{false, false, true}));
    QVERIFY(!a.levels[2].readBytesPerCycle);
    QCOMPARE(a.levels[2].writePj, 0.125);
}

void TestMappingHierarchyFiles::rule_1_defaults()
{
    const Architecture a = byHand();
    QCOMPARE(a.clockGhz, 1.0);
    const Level& buffer = a.levels[1];
    QCOMPARE(buffer.holds, (std::array{true, true, true}));
    QVERIFY(buffer.multicast);
    QVERIFY(!buffer.reductionTree);
    QVERIFY(!buffer.doubleBuffered);
    QVERIFY(a.isDoubleBuffered(1));
    for (int l = 0; l < kMaxLoops; ++l)
        QVERIFY(buffer.axes[0].allows(mapping::LayerKind::Conv, l));
}

void TestMappingHierarchyFiles::rule_1_memories()
{
    json j = json::parse(content(kData + "levels/by-hand.json"));
    j["levels"][1].erase("bytes");
    j["levels"][1]["memories"] = {{"A", 16}, {"B", 8}, {"C", 32}};
    j["levels"][2].erase("bytes");
    j["levels"][2]["memories"] = {{"C", 2}};
    const auto a = readArchitecture(j.dump(), "x");
    QVERIFY2(a, a ? "" : a.error().text().c_str());
    QCOMPARE(a->levels[1].memories.value(), (std::array<std::int64_t, 3>{16, 8, 32}));
    QCOMPARE(a->levels[2].memories.value(), (std::array<std::int64_t, 3>{0, 0, 2}));
    QVERIFY(!a->levels[2].bytes);
}

void TestMappingHierarchyFiles::rule_1_operandsOfBothKinds()
{
    json j = json::parse(content(kData + "levels/by-hand.json"));
    j["bits"] = {{"I", 4}, {"B", 8}, {"O", 16}};
    j["levels"][2]["holds"] = {"A", "O"};
    j["levels"][1]["axes"][0]["loops"] = {"M", "Fx", "K"};
    const auto a = readArchitecture(j.dump(), "x");
    QVERIFY2(a, a ? "" : a.error().text().c_str());
    QCOMPARE(a->bits, (std::array<std::int64_t, 3>{4, 8, 16}));
    QCOMPARE(a->levels[2].holds, (std::array{true, false, true}));
    const Axis& rows = a->levels[1].axes[0];
    QCOMPARE(rows.convLoops, 1u << 1 | 1u << 5);
    QCOMPARE(rows.gemmLoops, 1u << 2);
}

void TestMappingHierarchyFiles::rule_1_chosenByLevels()
{
    QVERIFY(hasLevels(content(kData + "levels/by-hand.json")));
    QVERIFY(!hasLevels("{\"pes\": 256}"));
    QVERIFY(!hasLevels("[\"levels\"]"));
    QVERIFY(!hasLevels("{\"levels\""));
}

void TestMappingHierarchyFiles::rule_2_mapping()
{
    const LoopNest nest = product();
    const auto m = readMapping(content(kData + "levels/by-hand-mapping.json"), "x", nest, byHand());
    QVERIFY2(m, m ? "" : m.error().text().c_str());
    QCOMPARE(m->levels.size(), 3U);
    QCOMPARE(m->levels[0].temporal, (std::vector<TiledLoop>{{2, 2}}));
    QVERIFY(m->levels[0].spatial.empty());
    QCOMPARE(m->levels[1].temporal, (std::vector<TiledLoop>{{0, 2}, {1, 2}}));
    QCOMPARE(m->levels[1].spatial, (std::vector<AxisLoops>{{"rows", {{0, 2}}}}));
    QVERIFY(!checkMapping(nest, byHand(), *m));
    QVERIFY(!checkMapping(nest, byHand(), trivialMapping(nest, byHand())));
}

void TestMappingHierarchyFiles::roundTrip()
{
    HierarchyDraw draw(5);
    for (int i = 0; i < test::drawnCases(1'000); ++i) {
        const auto nest = makeNest(draw.layer(96)).value();
        const Architecture a = draw.architecture(6, draw.chance(2));
        const auto again = readArchitecture(writeArchitecture(a), "x");
        QVERIFY2(again, again ? "" : again.error().text().c_str());
        QVERIFY2(*again == a, writeArchitecture(a).c_str());
        const Mapping m = draw.mapping(nest, a, true);
        const auto mapping = readMapping(writeMapping(nest, a, m), "x", nest, a);
        QVERIFY2(mapping, mapping ? "" : mapping.error().text().c_str());
        QVERIFY2(*mapping == m, writeMapping(nest, a, m).c_str());
    }
}

void TestMappingHierarchyFiles::invalidFiles_data()
{
    QTest::addColumn<QString>("path");
    QTest::addColumn<QString>("reason");
    std::ifstream in(kInvalid + "expected.jsonl");
    std::ptrdiff_t rows = 0;
    for (std::string line; std::getline(in, line); ++rows) {
        const json row = json::parse(line);
        const auto text = [&](const char* key) {
            return QString::fromStdString(row[key].get<std::string>());
        };
        QTest::newRow(row["file"].get<std::string>().c_str()) << text("path") << text("reason");
    }
    const auto files = std::filesystem::directory_iterator(kInvalid);
    QCOMPARE(std::count_if(begin(files), end(files),
                           [](const auto& e) { return e.path().extension() == ".json"; }),
             rows);
}

void TestMappingHierarchyFiles::invalidFiles()
{
    QFETCH(QString, path);
    QFETCH(QString, reason);
    const std::string name = QTest::currentDataTag();
    const Status read = readEither(name, content(kInvalid + name));
    QVERIFY(!read);
    QCOMPARE(QString::fromStdString(read.error().path), path);
    QCOMPARE(QString::fromStdString(read.error().message), reason);
    QCOMPARE(read.error().file, name);
}

void TestMappingHierarchyFiles::mutatedFilesNeverCrash()
{
    // What is still read can be evaluated.
    const std::string architecture = content(kData + "levels/by-hand.json");
    const std::string mapping = content(kData + "levels/by-hand-mapping.json");
    std::mt19937 random(8);
    const auto mutated = [&](std::string text) {
        for (auto n = random() % 3; n > 0; --n) {
            const std::size_t at = random() % text.size();
            static const std::string kBytes = "0123456789-.,:[]{}\"enA \n";
            text[at] = random() % 8 == 0 ? static_cast<char>(random()) : kBytes[random() % kBytes.size()];
        }
        return text;
    };
    const LoopNest nest = product();
    int evaluated = 0, refused = 0;
    for (int i = 0; i < test::drawnCases(4'000); ++i) {
        const auto a = readArchitecture(mutated(architecture), "a");
        if (!a) {
            QVERIFY(!a.error().message.empty());
            ++refused;
            continue;
        }
        const auto m = readMapping(mutated(mapping), "m", nest, *a);
        if (!m) {
            QVERIFY(!m.error().message.empty());
            ++refused;
            continue;
        }
        const Cost cost = evaluate(nest, *a, *m);
        QVERIFY(cost.hasNumbers || cost.violation->code == ViolationCode::Tiling);
        ++evaluated;
    }
    QVERIFY(evaluated >= test::drawnAtLeast(500));
    QVERIFY(refused >= test::drawnAtLeast(1'000));
}

TILEWRIGHT_TEST(TestMappingHierarchyFiles)

} // namespace test_mapping_hierarchy_files
#include "test_mapping_hierarchy_files.moc"
