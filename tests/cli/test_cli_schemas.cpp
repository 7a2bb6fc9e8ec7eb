// SPDX-License-Identifier: GPL-3.0-or-later
// What the command line writes satisfies docs/schema.
#include "cli_run.h"
#include "schema_check.h"
#include "test_main.h"

#include <QDirIterator>
#include <QTest>

namespace test_cli_schemas {

using namespace tilewright::test;

class TestCliSchemas : public QObject
{
    Q_OBJECT

private slots:
    void writtenFilesSatisfyTheirSchemas();
};

void TestCliSchemas::writtenFilesSatisfyTheirSchemas()
{
    const QTemporaryDir dir;
    const QString samples = QStringLiteral(TILEWRIGHT_SOURCE_DIR "/samples/");
    const QString problem = samples + "schedule/diamond.json", model = samples + "models/llama-block.json",
                  layer = samples + "mapping/layers/gemm-1000.json";
    nlohmann::json files = nlohmann::json::object();
    const auto written = [&](const char* kind, const char* name, QStringList arguments) {
        const QString path = dir.filePath(QLatin1String(name));
        arguments.replaceInStrings(QStringLiteral("@"), path);
        const CliRun r = runCli(arguments);
        QVERIFY2(r.code == 0, (arguments.join(QLatin1Char(' ')).toUtf8() + ": " + r.err).constData());
        files[kind].push_back(path.toStdString());
    };
    written("schedule", "s.json", {"solve", problem, "-o", "@", "--seconds", "0.05"});
    const QString schedule = dir.filePath(QStringLiteral("s.json"));
    written("trace", "evaluate.json", {"evaluate", problem, schedule, "--trace", "@"});
    written(
        "trace", "pipeline.json",
        {"systolic", "--gemm", "64x64x64", "--array", "16x16", "--pipeline", "pipelined", "--trace", "@"});
    written("trace", "npu.json", {"npu", samples + "npu/kv_three_banks.json", "--trace", "@"});
    written("npu-graph", "graph.json", {"npu", samples + "npu/kv_three_banks.json", "--graph", "@"});
    written("mapping-method", "method.json", {"map", layer, "-o", "@", "--quick"});
    written("model", "model.json", {"convert", model, "--to", "model", "-o", "@"});
    written("problem", "problem.json", {"convert", model, "--to", "problem", "-o", "@"});
    written("mapping-model", "layers.json", {"convert", model, "--to", "layers", "-o", "@"});
    written("npu-model", "npu-model.json", {"convert", model, "--to", "npu", "-o", "@"});
    written("problem", "random.json", {"generate", "diamond", "-o", "@"});
    const QString two = dir.filePath(QStringLiteral("two.json"));
    QVERIFY(tilewright::writeFileAtomically(
        two.toStdString(), R"({"name": "two", "layers": [{"kind": "gemm", "m": 16, "n": 16, "k": 16},
                                                         {"kind": "gemm", "m": 8, "n": 24, "k": 16}]})"));
    written("mapping-methods", "methods.json", {"map", two, "-o", "@", "--quick"});

    const QString plan = dir.filePath(QStringLiteral("plan.json")),
                  folder = dir.filePath(QStringLiteral("f"));
    QVERIFY(tilewright::writeFileAtomically(
        plan.toStdString(), R"({"workload": ")" + problem.toStdString() +
                                R"(", "what": "bound", "axes": [{"name": "fast_memory_capacity",
                                    "values": [20000, 30000]}]})"));
    const CliRun swept = runCli({"sweep", plan, "-o", folder});
    QVERIFY2(swept.code == 0, swept.err.constData());
    files["sweep"].push_back(plan.toStdString());
    files["sweep#manifest"].push_back((folder + "/plan.json").toStdString());
    for (QDirIterator it(folder + "/results", {"*.json"}, QDir::Files); it.hasNext();)
        files["sweep#result"].push_back(it.next().toStdString());
    written("sweep#table", "table.json", {"sweep", "--collect", folder, "-o", "@"});

    const SchemaCheck check = checkSchemas(files);
    if (!check.isMissing.isEmpty())
        QSKIP(check.isMissing.constData());
    QVERIFY2(check.faults.isEmpty(), check.faults.constData());
}

TILEWRIGHT_TEST(TestCliSchemas)

} // namespace test_cli_schemas
#include "test_cli_schemas.moc"
