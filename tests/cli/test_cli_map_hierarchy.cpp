// SPDX-License-Identifier: GPL-3.0-or-later
// `map` with an architecture of levels (docs/rules/hierarchy.md).
#include "cli_run.h"
#include "test_main.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

namespace test_cli_map_hierarchy {

using json = nlohmann::ordered_json;
using namespace tilewright::test;

namespace {

const QString kRoot = QStringLiteral(TILEWRIGHT_SOURCE_DIR "/");
const QString kLevels = kRoot + "tests/data/levels/";
const QString kInvalid = kRoot + "tests/data/invalid_levels/";
const QString kSample = kRoot + "samples/mapping/hierarchies/five-levels.json";

/// A file in the folder.
QString written(const QTemporaryDir& dir, const char* name, const std::string& text)
{
    QFile file(dir.filePath(QLatin1String(name)));
    return file.open(QIODevice::WriteOnly) && file.write(QByteArray::fromStdString(text)) >= 0
               ? file.fileName()
               : QString();
}

/// The product of docs/rules/hierarchy.md 6.
QString productByHand(const QTemporaryDir& dir)
{
    return written(dir, "product.json", R"({"kind": "gemm", "m": 4, "n": 2, "k": 4})");
}

json read(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? json::parse(file.readAll().toStdString()) : json();
}

} // namespace

class TestCliMapHierarchy : public QObject
{
    Q_OBJECT

private slots:
    void rule_6_byHand();
    void oracleCases();
    void invalidMapping_isTheAnswerNo();
    void search_writesWhatItFound();
    void search_ofAModel();
    void everyAnswerSaysItsCostModel();
    void aDocumentOfTheWindowBringsItsArchitecture();
    void badInput_oneSentence_data();
    void badInput_oneSentence();
    void noValidMapping_isTheAnswerNo();
    void rule_8_constraints();
    void rule_8_constraintsOfADocument();
    void rule_11_imperfectFactors();
    void rule_8_whyThereIsNone();
    void rule_7_7_quick();
    void rule_9_levelsOfAMachine();
    void rule_10_toTimeloopAndBack();
};

void TestCliMapHierarchy::rule_6_byHand()
{
    const QTemporaryDir dir;
    const QStringList arguments{"map", productByHand(dir), kLevels + "by-hand.json", "--method",
                                kLevels + "by-hand-mapping.json"};
    const CliRun r = runCli(arguments + QStringList{"--json"});
    QCOMPARE(r.code, 0);
    const json d = r.json();
    QCOMPARE(d["energy"].get<double>(), 3168.0);
    QCOMPARE(d["cycles"].get<double>(), 18.0);
    QCOMPARE(d["edp"].get<double>(), 57024.0);
    QCOMPARE(d["limit"].get<std::string>(), std::string("the reads of buffer"));
    QCOMPARE(d["counts"]["buffer"]["C"]["reads"].get<int>(), 16);
    QCOMPARE(d["counts"]["regs"]["A"]["reads"].get<int>(), 0);
    QVERIFY(d["mapping"] == read(kLevels + "by-hand-mapping.json"));
    const CliRun text = runCli(arguments);
    QCOMPARE(text.code, 0);
    QVERIFY2(text.out.contains("cycles  18\nenergy  3\u202f168 pJ") &&
                 text.out.contains("reads of buffer, 18"),
             text.out.constData());
}

/// Cases of the oracle whose layers a file can state (`docs/rules/mapping.md 1`: no padding).
void TestCliMapHierarchy::oracleCases()
{
    QFile file(kRoot + "tests/data/oracles/mapping/hierarchy_cases.jsonl");
    QVERIFY(file.open(QIODevice::ReadOnly));
    int checked = 0, refused = 0;
    for (int line = 0; !file.atEnd(); ++line) {
        const json c = json::parse(file.readLine().toStdString());
        if (line % 13 != 0 || c["layer"]["kind"] == "dwconv")
            continue;
        const json& trips = c["layer"]["trips"];
        json layer{{"kind", c["layer"]["kind"]}};
        if (layer["kind"] == "gemm") {
            layer.update({{"m", trips["X"]}, {"n", trips["Y"]}, {"k", trips["K"]}});
        } else {
            const int stride = c["layer"]["stride"];
            const auto size = [&](const char* output, const char* filter) {
                return (trips[output].get<int>() - 1) * stride + trips[filter].get<int>();
            };
            layer.update({{"batch", trips["N"]},
                          {"in_channels", trips["C"]},
                          {"out_channels", trips["M"]},
                          {"height", size("Ox", "Fx")},
                          {"width", size("Oy", "Fy")},
                          {"kernel", {trips["Fx"], trips["Fy"]}},
                          {"stride", stride}});
        }
        const QTemporaryDir dir;
        const CliRun r = runCli({"map", written(dir, "layer.json", layer.dump()),
                                 written(dir, "arch.json", c["architecture"].dump()), "--method",
                                 written(dir, "mapping.json", c["mapping"].dump()), "--json"});
        const json &expected = c["expect"], d = r.json();
        QCOMPARE(d["valid"].get<bool>(), expected["valid"].get<bool>());
        QCOMPARE(r.code, expected["valid"].get<bool>() ? 0 : 1);
        ++checked;
        if (!expected["valid"].get<bool>()) {
            ++refused;
            QVERIFY2(d["error"]["code"] == expected["code"], d["error"].dump().c_str());
            for (const char* where : {"level", "loop"})
                QVERIFY2(d["error"].contains(where) == expected.contains(where) &&
                             (!expected.contains(where) || d["error"][where] == expected[where]),
                         d["error"].dump().c_str());
            continue;
        }
        QCOMPARE(d["energy"].get<double>(), expected["energy"].get<double>());
        QCOMPARE(d["cycles"].get<double>(), expected["cycles"].get<double>());
        QVERIFY2(json(d["counts"]) == expected["counts"], d["counts"].dump().c_str());
    }
    QVERIFY(checked >= 10 && refused >= 1 && refused < checked);
}

void TestCliMapHierarchy::invalidMapping_isTheAnswerNo()
{
    const QTemporaryDir dir;
    json mapping = read(kLevels + "by-hand-mapping.json");
    mapping["levels"][0]["temporal"] = json::array();
    const CliRun r = runCli({"map", productByHand(dir), kLevels + "by-hand.json", "--method",
                             written(dir, "mapping.json", mapping.dump()), "--json"});
    QCOMPARE(r.code, 1);
    QVERIFY(!r.json()["valid"].get<bool>());
    QCOMPARE(r.json()["error"]["code"].get<std::string>(), std::string("TILING"));
    QCOMPARE(r.json()["error"]["loop"].get<std::string>(), std::string("K"));
    QVERIFY(r.json()["energy"].is_null());
    QCOMPARE(r.err.count('\n'), 1);
    QVERIFY2(r.err.contains("mapping.json: invalid (TILING): loop K"), r.err.constData());
}

void TestCliMapHierarchy::search_writesWhatItFound()
{
    const QTemporaryDir dir;
    const QString product = productByHand(dir), mapping = dir.filePath("best.json"),
                  csv = dir.filePath("best.csv");
    std::array<json, 3> found;
    for (std::size_t o = 0; o < 3; ++o) {
        const QString objective = QStringList{"energy", "cycles", "edp"}[static_cast<int>(o)];
        const CliRun r = runCli({"map", product, kLevels + "by-hand.json", "--objective", objective, "-o",
                                 mapping, "--csv", csv, "--json"});
        QCOMPARE(r.code, 0);
        found[o] = r.json();
        QVERIFY(found[o]["proven"].get<bool>());
        QVERIFY(found[o]["optimal"][objective.toStdString()].get<bool>());
        const json again =
            runCli({"map", product, kLevels + "by-hand.json", "--method", mapping, "--json"}).json();
        QVERIFY(again["energy"] == found[o]["energy"] && again["cycles"] == found[o]["cycles"]);
        QFile rows(csv);
        QVERIFY(rows.open(QIODevice::ReadOnly));
        QCOMPARE(rows.readAll().count('\n'), 1 + 3 + 3 + 1); // regs hold C only
    }
    QVERIFY(found[0]["energy"].get<double>() <= 3168);
    QVERIFY(found[0]["energy"] <= found[2]["energy"] && found[1]["cycles"] <= found[2]["cycles"]);
    QVERIFY(found[2]["edp"] <= found[0]["edp"] && found[2]["edp"] <= found[1]["edp"]);
    QVERIFY(runCli({"map", product, kLevels + "by-hand.json"}).out.startsWith("least edp proven; "));
}

void TestCliMapHierarchy::search_ofAModel()
{
    const QTemporaryDir dir;
    const QString model = written(
        dir, "two.json", R"({"name": "two", "layers": [{"name": "a", "kind": "gemm", "m": 8, "n": 4, "k": 4},
                              {"name": "b", "kind": "gemm", "m": 4, "n": 4, "k": 2, "count": 3},
                              {"name": "c", "kind": "gemm", "m": 8, "n": 4, "k": 4}]})");
    const QString mappings = dir.filePath("mappings.json");
    const QStringList arguments{"map", model, kLevels + "by-hand.json", "--objective", "energy"};
    const CliRun r = runCli(arguments + QStringList{"--json", "-o", mappings});
    QCOMPARE(r.code, 0);
    const json d = r.json();
    QVERIFY(d["proven"].get<bool>());
    double energy = 0;
    for (const json& layer : d["layers"])
        energy += layer["count"].get<double>() * layer["best"]["energy"].get<double>();
    QCOMPARE(d["energy"].get<double>(), energy);
    QVERIFY(d["layers"][0]["best"] == d["layers"][2]["best"]);
    QCOMPARE(read(mappings)["layers"].size(), std::size_t{3});
    QVERIFY(read(mappings)["layers"][1]["mapping"] == d["layers"][1]["best"]["mapping"]);
    // A row for every layer, level and operand that the level holds.
    const QString csv = dir.filePath("layers.csv");
    const CliRun text = runCli(arguments + QStringList{"--csv", csv});
    QCOMPARE(text.code, 0);
    QFile rows(csv);
    QVERIFY(rows.open(QIODevice::ReadOnly));
    const QByteArrayList lines = rows.readAll().trimmed().split('\n');
    QCOMPARE(lines.size(), 1 + 3 * (3 + 3 + 1));
    QVERIFY2(lines[0].startsWith("layer,shape,count,macs,proven,energy_pj,cycles,edp,level,operand,"),
             lines[0].constData());
    QVERIFY2(lines[1].startsWith("a,") && lines[8].startsWith("b,") && lines[15].contains(",DRAM,A,"),
             lines[15].constData());
    QVERIFY2(text.out.contains("(same shape)") && text.out.contains("proven"), text.out.constData());
}

void TestCliMapHierarchy::everyAnswerSaysItsCostModel()
{
    const QTemporaryDir dir;
    const QString product = productByHand(dir), hierarchy = kLevels + "by-hand.json";
    const QString model =
        written(dir, "model.json", R"({"layers": [{"name": "a", "kind": "gemm", "m": 4, "n": 2, "k": 4},
                                          {"name": "b", "kind": "gemm", "m": 4, "n": 4, "k": 4}]})");
    const QString method = dir.filePath("method.json");
    QCOMPARE(runCli({"map", product, "-o", method}).code, 0);
    for (const auto& [arguments, name] :
         {std::pair{QStringList{product, hierarchy}, "hierarchy"},
          {QStringList{product, hierarchy, "--method", kLevels + "by-hand-mapping.json"}, "hierarchy"},
          {QStringList{model, hierarchy}, "hierarchy"},
          {QStringList{product}, "four levels"},
          {QStringList{product, "--method", method}, "four levels"},
          {QStringList{model}, "four levels"}}) {
        const CliRun r = runCli(QStringList{"map", "--json"} + arguments);
        QCOMPARE(r.json()["cost_model"].get<std::string>(), std::string(name));
        const CliRun text = runCli(QStringList{"map"} + arguments);
        QVERIFY2(text.out.contains("cost model") && text.out.contains(name), text.out.constData());
    }
}

/// NAME.mapping.json, which the window saves: its layer is the workload, on its architecture.
void TestCliMapHierarchy::aDocumentOfTheWindowBringsItsArchitecture()
{
    const QTemporaryDir dir;
    const json document{{"layer", {{"kind", "gemm"}, {"m", 4}, {"n", 2}, {"k", 4}}},
                        {"architecture", read(kLevels + "by-hand.json")},
                        {"mapping", read(kLevels + "by-hand-mapping.json")}};
    const QString file = written(dir, "by-hand.mapping.json", document.dump());
    const CliRun r = runCli({"map", file, "--method", kLevels + "by-hand-mapping.json", "--json"});
    QCOMPARE(r.code, 0);
    QCOMPARE(r.json()["energy"].get<double>(), 3168.0);
    QVERIFY(r.err.isEmpty());
    QCOMPARE(runCli({"map", file, "--json"}).json()["cost_model"].get<std::string>(),
             std::string("hierarchy"));
    // Another architecture replaces it, which is told.
    const CliRun other = runCli({"map", file, kSample, "--seconds", "5", "--json"});
    QCOMPARE(other.code, 0);
    QVERIFY2(other.err.contains("by-hand.mapping.json: the architecture in this file is not used"),
             other.err.constData());
    const CliRun four = runCli({"map", file, kRoot + "samples/mapping/architectures/edge-64.json", "--json"});
    QCOMPARE(four.json()["cost_model"].get<std::string>(), std::string("four levels"));
    // A fault in a part is told with its place.
    json broken = document;
    broken["mapping"]["levels"][1]["name"] = "cache";
    const CliRun bad = runCli({"map", written(dir, "bad.mapping.json", broken.dump())});
    QCOMPARE(bad.code, 2);
    QVERIFY2(bad.err.contains("bad.mapping.json: mapping.levels[1].name"), bad.err.constData());
}

void TestCliMapHierarchy::rule_8_constraintsOfADocument()
{
    const QTemporaryDir dir;
    json document{{"layer", {{"kind", "gemm"}, {"m", 4}, {"n", 2}, {"k", 4}}},
                  {"architecture", read(kLevels + "by-hand.json")},
                  {"mapping", read(kLevels + "by-hand-mapping.json")},
                  {"factors", {"buffer.K=2"}},
                  {"orders", {"DRAM=X"}}};
    const QString file = written(dir, "asked.mapping.json", document.dump());
    const json asked = runCli({"map", file, "--json"}).json();
    QVERIFY(asked["mapping"]["levels"][1]["temporal"].dump().find(R"(["K",2])") != std::string::npos);
    // Those of the call replace them.
    const json other = runCli({"map", file, "--factor", "buffer.K=1", "--json"}).json();
    QVERIFY(other["mapping"]["levels"][1]["temporal"].dump().find("K") == std::string::npos);
    document["factors"] = {"buffer.Q=2"};
    const CliRun bad = runCli({"map", written(dir, "bad.mapping.json", document.dump())});
    QCOMPARE(bad.code, 2);
    QVERIFY2(bad.err.contains("bad.mapping.json: factors: \"buffer.Q=2\": this layer has no such loop"),
             bad.err.constData());
}

void TestCliMapHierarchy::rule_11_imperfectFactors()
{
    const QTemporaryDir dir;
    const QString layer = written(dir, "odd.json", R"({"kind": "gemm", "m": 31, "n": 37, "k": 41})");
    const json perfect = runCli({"map", layer, kSample, "--json"}).json();
    const QString mapping = dir.filePath("found.json");
    const QStringList call{"map", layer, kSample, "--imperfect"};
    const json found = runCli(call + QStringList{"--seconds", "2", "-o", mapping, "--json"}).json();
    QVERIFY(found["edp"].get<double>() < perfect["edp"].get<double>() / 10);
    const CliRun again = runCli(call + QStringList{"--method", mapping, "--json"});
    QCOMPARE(again.code, 0);
    QCOMPARE(again.json()["edp"].get<double>(), found["edp"].get<double>());
    const CliRun divides = runCli({"map", layer, kSample, "--method", mapping, "--json"});
    QCOMPARE(divides.code, 1);
    QCOMPARE(divides.json()["error"]["code"].get<std::string>(), std::string("TILING"));
}

void TestCliMapHierarchy::badInput_oneSentence_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QString>("sentence");
    const QString layer = kRoot + "samples/mapping/layers/gemm-1000.json";
    QTest::newRow("architecture") << QStringList{layer, kInvalid + "arch-no-bits.json"}
                                  << "arch-no-bits.json: the field \"bits\" is missing";
    QTest::newRow("mapping") << QStringList{layer, kLevels + "by-hand.json", "--method",
                                            kInvalid + "mapping-factor-zero.json"}
                             << "mapping-factor-zero.json: levels[";
    QTest::newRow("method of the other cost model")
        << QStringList{layer, kSample, "--method", kRoot + "tests/fuzz/verbs/seeds/gemm.method.json"}
        << "gemm.method.json: ";
    for (const QStringList& option :
         {QStringList{"--factor", "RF.K=2"}, {"--order", "SPM=K"}, {"--axis", "SRAM.x=K"}, {"--bypass", "I"}})
        QTest::newRow(qPrintable(option[0]))
            << QStringList{layer, kSample} + option << option[0] + ": \"" + option[1] + "\": ";
    for (const QStringList& option : {QStringList{"--overlapped"}, {"--reduction-tree"}})
        QTest::newRow(qPrintable(option[0]))
            << QStringList{layer, kSample} + option << option[0] + ": not with an architecture with levels";
}

void TestCliMapHierarchy::badInput_oneSentence()
{
    QFETCH(QStringList, arguments);
    QFETCH(QString, sentence);
    const CliRun r = runCli(QStringList{"map"} + arguments + QStringList{"--json"});
    QCOMPARE(r.code, 2);
    QVERIFY(r.out.isEmpty());
    QCOMPARE(r.err.count('\n'), 1);
    QVERIFY2(r.err.contains(sentence.toUtf8()), r.err.constData());
}

void TestCliMapHierarchy::noValidMapping_isTheAnswerNo()
{
    const QTemporaryDir dir;
    json architecture = read(kLevels + "by-hand.json");
    architecture["levels"][1]["bytes"] = 1;
    const CliRun r =
        runCli({"map", productByHand(dir), written(dir, "small.json", architecture.dump()), "--json"});
    QCOMPARE(r.code, 1);
    QCOMPARE(r.json()["error"]["code"].get<std::string>(), std::string("NONE"));
    QVERIFY(r.json()["mapping"].is_null() && r.json()["proven"].get<bool>());
    QVERIFY(r.err.contains("no valid mapping exists: level buffer needs 64 of 8 bits for A, B, C"));
}

void TestCliMapHierarchy::rule_8_constraints()
{
    const QTemporaryDir dir;
    const QString mapping = dir.filePath("best.json");
    const QStringList layer{"map", productByHand(dir), kLevels + "by-hand.json"},
        limits{"--bypass", "buffer.B", "--axis", "buffer.rows=Y"},
        factors{"--factor", "regs.K=2", "--factor", "DRAM.X>=2", "--order", "DRAM=X,K"};
    const CliRun free = runCli(layer + QStringList{"--json"});
    const CliRun r = runCli(layer + limits + factors + QStringList{"-o", mapping, "--json"});
    QCOMPARE(r.code, 0);
    const json d = r.json();
    QVERIFY(d["proven"].get<bool>() && d["edp"].get<double>() > free.json()["edp"].get<double>());
    QVERIFY(!free.json().contains("constraints"));
    QVERIFY2(d["constraints"] == json({"regs.K=2", "DRAM.X>=2", "DRAM=X,K"}),
             d["constraints"].dump().c_str());
    const json& levels = d["mapping"]["levels"];
    QVERIFY(levels[2]["temporal"] == json::array({json::array({"K", 2})}));
    for (const json& loop : levels[1]["spatial"]["rows"])
        QCOMPARE(loop[0].get<std::string>(), std::string("Y"));
    QCOMPARE(d["counts"]["buffer"]["B"]["writes"].get<int>(), 0);
    // A bypass and the loops of an axis belong to the machine, so they are also those of a given mapping.
    const CliRun again = runCli(layer + limits + QStringList{"--method", mapping, "--json"});
    QCOMPARE(again.code, 0);
    QVERIFY(again.json()["energy"] == d["energy"]);
    QVERIFY(runCli(layer + QStringList{"--method", mapping, "--json"}).json()["energy"] != d["energy"]);
    QVERIFY(runCli(layer + factors).out.startsWith("least edp proven within the constraints; "));
    // What each costs (8.6): the difference of two calls, without and with it.
    const QStringList costs{"--constraint-costs"};
    const json priced = runCli(layer + limits + factors + costs + QStringList{"--json"}).json();
    const json& each = priced["constraint_costs"];
    QVERIFY(each.size() == 5 && priced["edp"] == d["edp"]);
    const QStringList texts{"regs.K=2", "DRAM.X>=2", "DRAM=X,K", "bypass buffer.B", "axis buffer.rows=Y"};
    for (std::size_t i = 0; i < each.size(); ++i) {
        QCOMPARE(QString::fromStdString(each[i]["constraint"].get<std::string>()),
                 texts[static_cast<qsizetype>(i)]);
        QStringList others = limits + factors;
        others.remove((i < 3 ? 4 : -6) + 2 * static_cast<qsizetype>(i), 2);
        const double without =
            std::min(runCli(layer + others + QStringList{"--json"}).json()["edp"].get<double>(),
                     d["edp"].get<double>());
        const double cost = d["edp"].get<double>() - without;
        QCOMPARE(each[i]["without"].get<double>(), without);
        QVERIFY(std::abs(each[i]["cost"].get<double>() - cost) <= 1e-9 * without);
        QCOMPARE(each[i]["certainty"].get<std::string>(), std::string("exactly"));
    }
    const CliRun table = runCli(layer + limits + factors + costs);
    QVERIFY2(table.out.contains("constraint          edp without it"), table.out.constData());
}

void TestCliMapHierarchy::rule_8_whyThereIsNone()
{
    const QTemporaryDir dir;
    const QStringList arguments{"map", productByHand(dir), kLevels + "by-hand.json", "--factor",
                                "buffer.rows.X=4"};
    const CliRun r = runCli(arguments + QStringList{"--json"});
    QCOMPARE(r.code, 1);
    const std::string sentence =
        "no valid mapping exists: with buffer.rows.X=4 axis \"rows\" of level buffer "
        "has only 2 instances";
    QVERIFY2(r.err.contains(sentence.c_str()), r.err.constData());
    QVERIFY(r.json()["proven"].get<bool>());
    QVERIFY(r.json()["error"] ==
            json({{"code", "NONE"},
                  {"message", sentence},
                  {"loop", "X"},
                  {"level", "buffer"},
                  {"limits", json::parse(R"([{"limit": "buffer.rows.X=4", "value": "", "would_do": []},
                       {"limit": "buffer.rows", "value": "2", "would_do": ["buffer.rows 4"]}])")}}));
    QVERIFY(r.err.contains("; buffer.rows 4 would do"));
    QVERIFY(runCli(arguments).err.contains(sentence.c_str()));
}

void TestCliMapHierarchy::rule_7_7_quick()
{
    const QStringList arguments{"map", kRoot + "samples/mapping/layers/conv-1x1-2048.json", kSample,
                                "--json"};
    const json whole = runCli(arguments).json(), quick = runCli(arguments + QStringList{"--quick"}).json();
    QVERIFY(quick["edp"].get<double>() >= whole["edp"].get<double>());
    QVERIFY(quick["lower_bound"]["edp"].get<double>() <= whole["edp"].get<double>());
    QVERIFY(quick["evaluated"].get<int>() < whole["evaluated"].get<int>());
}

/// The levels of a machine, with what was assumed for them; the default stays the four levels.
void TestCliMapHierarchy::rule_9_levelsOfAMachine()
{
    const QTemporaryDir dir;
    const QString product = productByHand(dir), mapping = dir.filePath("mapping.json");
    const QStringList arguments{"map",          product,     "--machine", "gemmini-16",
                                "--cost-model", "hierarchy", "--axis",    "accumulators.cols=Y"};
    const CliRun r = runCli(arguments + QStringList{"-o", mapping, "--json"});
    QCOMPARE(r.code, 0);
    const json d = r.json();
    QCOMPARE(d["cost_model"].get<std::string>(), std::string("hierarchy"));
    std::string names;
    for (const json& level : d["mapping"]["levels"])
        names += level["name"].get<std::string>() + " ";
    QCOMPARE(names, std::string("external l1 accumulators pe "));
    QVERIFY(d.contains("proven") && !d["notes"].empty());
    const CliRun again = runCli(arguments + QStringList{"--method", mapping});
    QCOMPARE(again.code, 0);
    QVERIFY2(again.out.contains("\nnote ") && again.out.contains("cost model: hierarchy"),
             again.out.constData());
    QVERIFY(runCli({"map", product, "--machine", "gemmini-16", "--json"}).json()["cost_model"] ==
            "four levels");
    // Without a machine those of edge, whose energies are assumed; a model has the notes too.
    const QString model =
        written(dir, "two.json", R"({"layers": [{"name": "a", "kind": "gemm", "m": 8, "n": 4, "k": 4}]})");
    const CliRun table = runCli({"map", model, "--cost-model", "hierarchy"});
    QVERIFY2(table.code == 0 && table.out.contains("note") && table.out.contains("assumed: energies of"),
             table.out.constData());
    const CliRun refused = runCli({"map", product, kSample, "--cost-model", "hierarchy"});
    QCOMPARE(refused.code, 2);
    QVERIFY(refused.err.contains("--cost-model: not with an architecture"));
}

void TestCliMapHierarchy::rule_10_toTimeloopAndBack()
{
    const QTemporaryDir dir;
    const QString product = productByHand(dir), folder = dir.filePath("timeloop");
    const CliRun r =
        runCli({"map", product, kLevels + "by-hand.json", "--export", "timeloop", folder, "--json"});
    QCOMPARE(r.code, 0);
    const CliRun back =
        runCli({"map", product, folder + "/arch.yaml", "--method", folder + "/mapping.yaml", "--json"});
    QCOMPARE(back.code, 0);
    for (const char* figure : {"energy", "cycles", "counts"})
        QVERIFY(back.json()[figure] == r.json()[figure]);
    const QString other = written(dir, "bad.yaml", "architecture: {subtree: 3}");
    const CliRun bad = runCli({"map", product, other});
    QCOMPARE(bad.code, 2);
    QVERIFY2(bad.err.contains("bad.yaml: architecture.subtree: expected a list of one node"),
             bad.err.constData());
}

TILEWRIGHT_TEST(TestCliMapHierarchy)

} // namespace test_cli_map_hierarchy
#include "test_cli_map_hierarchy.moc"
