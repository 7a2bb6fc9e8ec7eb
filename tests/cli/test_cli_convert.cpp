// SPDX-License-Identifier: GPL-3.0-or-later
// convert, and every verb on any workload and machine: docs/rules/workload.md 1 to 5 on the command line.
#include "cli_run.h"
#include "test_main.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QTest>

namespace test_cli_convert {

using namespace tilewright;

namespace {

struct Run
{
    int code = -1;
    QString out, err;
    [[nodiscard]] QJsonObject json() const { return QJsonDocument::fromJson(out.toUtf8()).object(); }
};

Run cli(const QString& arguments)
{
    const auto run = test::runCli(arguments.split(QLatin1Char(' '), Qt::SkipEmptyParts));
    return {run.code, QString::fromUtf8(run.out), QString::fromUtf8(run.err)};
}

const QString kSource = QStringLiteral(TILEWRIGHT_SOURCE_DIR "/");
const QString kScaleSim = kSource + QStringLiteral("tests/data/oracles/systolic/scalesim/");

QByteArray content(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

} // namespace

class TestCliConvert : public QObject
{
    Q_OBJECT
    QTemporaryDir m_folder;
    QString at(const char* name) const { return m_folder.filePath(QLatin1String(name)); }

private Q_SLOTS:
    void initTestCase()
    {
        QCOMPARE(cli(QStringLiteral("generate llama --layers 1 --rows 32 --width 256 --hidden 512 --heads 8 "
                                    "--kv-heads 2 --classes 500 -o ") +
                     at("llama.json"))
                     .code,
                 0);
        QCOMPARE(cli(QStringLiteral("generate mobilenet-v2 --size 32 -o ") + at("net.json")).code, 0);
    }

    /// A layer may be named as a part of another one.
    void namesOfLayersAndTheirPartsDiffer()
    {
        QFile file(at("parts.json"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(R"({"name": "parts", "layers": [
            {"name": "c", "kind": "conv", "in_channels": 2, "out_channels": 2, "height": 4, "width": 4, "kernel": [1, 1]},
            {"name": "c.weight", "kind": "gemm", "m": 2, "n": 2, "k": 2},
            {"name": "c.input", "kind": "gemm", "m": 2, "n": 2, "k": 2, "count": 2}]})");
        file.close();
        const Run r =
            cli(QStringLiteral("convert %1 --to model -o %2").arg(at("parts.json"), at("parts.model.json")));
        QVERIFY2(r.code == 0, qPrintable(r.err));
        QVERIFY(content(at("parts.model.json")).contains("\"c.weight#1\""));
    }

    void lowersToEveryLens()
    {
        const QString base =
            QStringLiteral("convert ") + at("llama.json") + QStringLiteral(" --machine edge -o ");
        for (const char* to : {"model", "problem", "layers", "gemms", "npu"}) {
            const QString out = m_folder.filePath(QString::fromLatin1(to) + QStringLiteral(".json"));
            const Run run = cli(base + out + QStringLiteral(" --to ") + QLatin1String(to));
            QVERIFY2(run.code == 0, qPrintable(run.err));
            QVERIFY(run.out.contains(QLatin1String("MACs")));
            // What was written opens alone and has the same products.
            const Run info = cli(QStringLiteral("info ") + out);
            QVERIFY2(info.code == 0, qPrintable(QString::fromLatin1(to) + info.err));
        }
        QCOMPARE(content(at("model.json")), content(at("llama.json")));
        QVERIFY(content(at("problem.json")).contains("\"views\""));
        const QJsonObject report =
            cli(base + at("again.json") + QStringLiteral(" --to problem --json")).json();
        QCOMPARE(report[QStringLiteral("kind")].toString(), QStringLiteral("model"));
        QVERIFY(report[QStringLiteral("macs")].toDouble() > 0);
        const double direct =
            cli(QStringLiteral("info --json ") + at("gemms.json")).json()[QStringLiteral("macs")].toDouble();
        QCOMPARE(direct, report[QStringLiteral("macs")].toDouble());
        QCOMPARE(
            cli(QStringLiteral("info --json ") + at("layers.json")).json()[QStringLiteral("macs")].toDouble(),
            direct);
    }

    void everyVerbTakesAnyWorkload()
    {
        for (const QString& file :
             {at("llama.json"), at("net.json"), kScaleSim + QStringLiteral("small_conv.csv"),
              kSource + QStringLiteral("samples/mapping/layers/conv-3x3-64.json"),
              kSource + QStringLiteral("samples/schedule/mlp.json"),
              kSource + QStringLiteral("samples/npu/llama_decode.json")})
            for (const char* verb :
                 {"info %1", "bound %1", "solve %1 --seconds 0.05 --threads 1", "map %1 --quick --seconds 2",
                  "systolic %1", "tile %1 --method analytic"}) {
                const QString call = QString::fromLatin1(verb).arg(file) + QStringLiteral(" --machine edge");
                const Run run = cli(call);
                QVERIFY2(run.code == 0 || (run.code == 1 && call.startsWith(QLatin1String("map"))),
                         qPrintable(call + QStringLiteral(": ") + run.err));
                QVERIFY2(!run.out.isEmpty(), qPrintable(call));
            }
        for (const QString& file : {at("llama.json"), kScaleSim + QStringLiteral("small_gemm.csv"),
                                    kSource + QStringLiteral("samples/npu/bert_block.json")}) {
            const Run run = cli(QStringLiteral("npu --machine edge --json ") + file);
            QVERIFY2(run.code == 0, qPrintable(file + run.err));
            QVERIFY(run.json()[QStringLiteral("verified")].toBool());
        }
    }

    void olderOptionsExcludeTheMachine()
    {
        const QString layer = kSource + QStringLiteral("samples/mapping/layers/gemm-1000.json");
        const QString arch = kSource + QStringLiteral("samples/mapping/architectures/edge-64.json");
        const QString hierarchy = kSource + QStringLiteral("tests/data/hierarchies/kpu.json");
        for (const QString& call :
             {QStringLiteral("map %1 %2 --machine edge").arg(layer, arch),
              QStringLiteral("npu %1samples/npu/bert_block.json --hardware "
                             "%1tests/data/npu_hardware/default.json --machine edge")
                  .arg(kSource),
              QStringLiteral("systolic --gemm 4x4x4 --hierarchy %1 --machine edge").arg(hierarchy),
              QStringLiteral("systolic --gemm 4x4x4 --array 4x4 --machine edge"),
              QStringLiteral("tile --gemm 4x4x4 --hierarchy %1 --machine edge").arg(hierarchy),
              QStringLiteral("tile --gemm 4x4x4 --array 4x4 --machine edge"),
              QStringLiteral("info %1 --machine nowhere").arg(layer),
              QStringLiteral("convert %1 --to gemms").arg(layer),
              QStringLiteral("convert %1 --to colours -o %2").arg(layer, at("x")),
              QStringLiteral("convert %1 --to gemms -o %2 --dim N=3").arg(layer, at("x"))}) {
            const Run run = cli(call);
            QVERIFY2(run.code == 2, qPrintable(call));
            QVERIFY2(!run.err.isEmpty(), qPrintable(call));
        }
        QVERIFY(cli(QStringLiteral("info x --machine nowhere")).err.contains(QLatin1String("presets")) ||
                cli(QStringLiteral("info %1 --machine nowhere").arg(layer))
                    .err.contains(QLatin1String("presets are")));
        // The older files are machines.
        QCOMPARE(cli(QStringLiteral("map %1 --machine %2 --quick").arg(layer, arch)).code, 0);
        QCOMPARE(cli(QStringLiteral("systolic %1 --machine %2").arg(layer, hierarchy)).code, 0);
    }

    void networkTable()
    {
        const QString csv = at("table.csv");
        const Run run =
            cli(QStringLiteral("systolic %1 --machine kpu --csv %2 --json").arg(at("net.json"), csv));
        QVERIFY2(run.code == 0, qPrintable(run.err));
        const QJsonArray layers = run.json()[QStringLiteral("layers")].toArray();
        double cycles = 0, macs = 0;
        for (const auto& value : layers) {
            const QJsonObject row = value.toObject();
            const double count = row[QStringLiteral("count")].toDouble();
            cycles += count * row[QStringLiteral("cycles")].toDouble();
            macs += count * row[QStringLiteral("m")].toDouble() * row[QStringLiteral("n")].toDouble() *
                    row[QStringLiteral("k")].toDouble();
        }
        QCOMPARE(run.json()[QStringLiteral("total")].toObject()[QStringLiteral("cycles")].toDouble(), cycles);
        QCOMPARE(run.json()[QStringLiteral("macs")].toDouble(), macs);
        const QList<QByteArray> lines = content(csv).trimmed().split('\n');
        QCOMPARE(lines.size(), layers.size() + 2); // head and total
        QVERIFY(lines.last().startsWith("total,"));
    }

    void scaleSimCycles()
    {
        const QJsonArray rows = QJsonDocument::fromJson(content(
            kScaleSim + QStringLiteral("cycles.json")))[QStringLiteral("rows")]
                                    .toArray();
        QVERIFY(rows.size() > 90);
        QHash<QString, QJsonArray> tables; // by topology, array and dataflow
        for (const auto& value : rows) {
            const QJsonObject row = value.toObject();
            const QString call =
                QStringLiteral(
                    "systolic %1 --array %2 --dataflow %3 --readout scale-sim --weight-buffers 1 --json")
                    .arg(kScaleSim + row[QStringLiteral("topology")].toString(),
                         row[QStringLiteral("array")].toString(), row[QStringLiteral("dataflow")].toString());
            if (!tables.contains(call))
                tables[call] = cli(call).json()[QStringLiteral("layers")].toArray();
            bool found = false;
            for (const auto& layer : tables[call])
                if (const QJsonObject l = layer.toObject();
                    l[QStringLiteral("operators")].toArray().contains(row[QStringLiteral("layer")])) {
                    found = true;
                    QCOMPARE(l[QStringLiteral("m")], row[QStringLiteral("M")]);
                    QCOMPARE(l[QStringLiteral("n")], row[QStringLiteral("N")]);
                    QCOMPARE(l[QStringLiteral("k")], row[QStringLiteral("K")]);
                    QVERIFY2(l[QStringLiteral("cycles")] == row[QStringLiteral("total_cycles")],
                             qPrintable(call + QLatin1Char(' ') + row[QStringLiteral("layer")].toString()));
                }
            QVERIFY2(found, qPrintable(call));
        }
    }
};

TILEWRIGHT_TEST(TestCliConvert)

} // namespace test_cli_convert
#include "test_cli_convert.moc"
