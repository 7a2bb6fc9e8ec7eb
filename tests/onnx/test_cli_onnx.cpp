// SPDX-License-Identifier: GPL-3.0-or-later
// ONNX models on the command line: every verb takes one, free dimensions are told and given, two are
// compared.
#include "cli_run.h"
#include "drawn_cases.h"
#include "graph_writer.h"
#include "test_main.h"

#include "base/file.h"
#include "base/utf8.h"
#include "edit/fit.h"
#include "eval/evaluation.h"
#include "lower/workload.h"
#include "workload/problem_json.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

namespace test_cli_onnx {

using namespace tilewright;

namespace {

const QString kModels = QStringLiteral(TILEWRIGHT_SOURCE_DIR "/samples/models/");

test::CliRun cli(const QString& arguments)
{
    return test::runCli(arguments.split(QLatin1Char(' '), Qt::SkipEmptyParts));
}

QString sample(const char* name)
{
    return kModels + QLatin1String(name) + QStringLiteral(".onnx");
}

} // namespace

class TestCliOnnx : public QObject
{
    Q_OBJECT
    QTemporaryDir m_folder;

private Q_SLOTS:
    /// One command each from the file to a schedule, to a proven mapping of every layer, to an NPU run.
    void oneCommandALens_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<double>("macs");
        QTest::newRow("resnet-18") << QStringLiteral("resnet-18") << 1'814'073'344.0;
        if (!tilewright::test::kSanitized)
            QTest::newRow("mobilenet-v2") << QStringLiteral("mobilenet-v2") << 300'774'272.0;
    }
    void oneCommandALens()
    {
        QFETCH(const QString, name);
        QFETCH(const double, macs);
        const QString file = sample(name.toUtf8().constData()) + QStringLiteral(" --machine edge --json ");
        const auto info = cli(QStringLiteral("info ") + file).json();
        QCOMPARE(info["kind"], "model");
        QCOMPARE(info["macs"].get<double>(), macs);
        QCOMPARE(info["coverage"]["mapped"].get<double>(), 1.0);
        QCOMPARE(info["opset"], 13);
        QCOMPARE(info["nodes"].size(), info["operators"].get<std::size_t>());
        for (const char* field : {"name", "type", "status", "macs", "bytes", "note"})
            QVERIFY2(info["nodes"][0].contains(field), field);
        const auto solve = cli(QStringLiteral("solve --iterations 200 --threads 1 --seconds 60 ") + file);
        QCOMPARE(solve.code, 0);
        QVERIFY(solve.json()["total_latency"].get<double>() > 0);
        const auto map = cli(QStringLiteral("map ") + file);
        QCOMPARE(map.code, 0);
        QCOMPARE(map.json()["proven"], true);
        const auto npu = cli(QStringLiteral("npu ") + file);
        QVERIFY2(npu.code == 0, npu.err.constData());
        const auto table = cli(QStringLiteral("systolic ") + file);
        QCOMPARE(table.code, 0);
        // What was written opens alone and has the same work.
        for (const char* to : {"model", "problem", "layers", "gemms", "npu"}) {
            const QString out = m_folder.filePath(QLatin1String(to));
            const auto convert =
                cli(QStringLiteral("convert %1 -o %2 --to %3").arg(file, out, QLatin1String(to)));
            QVERIFY2(convert.code == 0, convert.err.constData());
            QCOMPARE(convert.json()["macs"].get<double>(), macs);
            QCOMPARE(cli(QStringLiteral("info ") + out).code, 0);
        }
        QCOMPARE(cli(QStringLiteral("info --json ") + m_folder.filePath(QStringLiteral("model")))
                     .json()["macs"]
                     .get<double>(),
                 macs);
    }

    void freeDimensions()
    {
        const QString gpt2 = sample("gpt2-block");
        for (const char* verb : {"info", "solve", "bound", "map", "npu", "systolic", "tile"}) {
            const auto run = cli(QLatin1String(verb) + QLatin1Char(' ') + gpt2);
            QCOMPARE(run.code, 2);
            QVERIFY2(run.err.contains("--dim batch=1 --dim sequence=128"), run.err.constData());
            QCOMPARE(run.err.count('\n'), 1);
        }
        const auto macs = [&](int tokens) {
            return cli(QStringLiteral("info --json %1 --dim batch=1 --dim sequence=%2").arg(gpt2).arg(tokens))
                .json()["macs"]
                .get<double>();
        };
        QCOMPARE(macs(16), 16.0 * 768 * (2304 + 768 + 3072 + 3072) + 2.0 * 12 * 16 * 16 * 64);
        QVERIFY(macs(32) > 2 * macs(16));
        for (const char* verb : {"bound", "npu", "systolic"})
            QCOMPARE(cli(QLatin1String(verb) + QStringLiteral(" %1 --dim batch=1 --dim sequence=8").arg(gpt2))
                         .code,
                     0);
        for (const char* wrong : {"--dim batch", "--dim =3", "--dim batch=x", "--dim batch=1 --dim batch=2",
                                  "--dim batch=1 --dim sequence=-4", "--dim rows=3"}) {
            const auto run = cli(QStringLiteral("info %1 ").arg(gpt2) + QLatin1String(wrong));
            QCOMPARE(run.code, 2);
            QVERIFY2(run.err.contains("--dim"), run.err.constData());
        }
        // A schedule knows the sizes that it was found with.
        const QString schedule = m_folder.filePath(QStringLiteral("sizes.json"));
        const auto solved = cli(
            QStringLiteral("solve %1 --dim batch=1 --dim sequence=16 --iterations 5 --threads 1 --json -o %2")
                .arg(gpt2, schedule));
        QCOMPARE(solved.code, 0);
        const auto again = cli(QStringLiteral("evaluate --json %1 %2").arg(gpt2, schedule));
        QCOMPARE(again.code, 0);
        QCOMPARE(again.json()["total_latency"].get<double>(), solved.json()["total_latency"].get<double>());
        const auto problem = cli(
            QStringLiteral("info " TILEWRIGHT_SOURCE_DIR "/samples/schedule/attention-block.json --dim N=3"));
        QCOMPARE(problem.code, 2);
        QVERIFY(problem.err.contains("no free dimension"));
    }

    /// A condition that is an input is known when the input is given.
    void numbersAmongTheInputs()
    {
        const QString call = QStringLiteral("info --json %1 --dim rows=8").arg(sample("branches"));
        QVERIFY(cli(call).out.contains("so neither branch is taken"));
        const auto known = cli(call + QStringLiteral(" --dim flag=1"));
        QVERIFY(!known.out.contains("so neither branch is taken"));
        QVERIFY(known.out.contains("yes.narrow"));
    }

    void whatAFileIsToldByItsContent()
    {
        const QString copy = m_folder.filePath(QStringLiteral("net.json"));
        QVERIFY(QFile::copy(sample("lstm"), copy));
        QCOMPARE(cli(QStringLiteral("info --json ") + copy).json()["kind"], "model");
        QFile cut(m_folder.filePath(QStringLiteral("cut.onnx")));
        QVERIFY(cut.open(QIODevice::WriteOnly) && QFile::exists(copy));
        QFile whole(copy);
        QVERIFY(whole.open(QIODevice::ReadOnly));
        cut.write(whole.readAll().left(400));
        cut.close();
        const auto run = cli(QStringLiteral("info ") + cut.fileName());
        QCOMPARE(run.code, 2);
        QVERIFY2(run.err.contains("truncated"), run.err.constData());
    }

    void comparesTwoModels()
    {
        const auto itself = cli(QStringLiteral("info %1 --compare %1 --json").arg(sample("lstm"))).json();
        QCOMPARE(itself["kind"], "comparison");
        QCOMPARE(itself["changed"], 0);
        QCOMPARE(itself["same"], itself["before"]["operators"]);
        const auto run =
            cli(QStringLiteral("info %1 --compare %2").arg(sample("llama-block"), sample("bert-block")));
        QCOMPARE(run.code, 0);
        QVERIFY(run.out.contains("MACs") && run.out.contains("gone"));
    }

    /// The latency of an operator is that of its ops in the schedule that the window starts with, and the sum
    /// over the operators is that schedule's own total.
    void comparesLatencies()
    {
        const QString csv = m_folder.filePath(QStringLiteral("comparison.csv"));
        const auto run = cli(QStringLiteral("info %1 --compare %2 --machine edge --json --csv %3")
                                 .arg(sample("resnet-18"), sample("mobilenet-v2"), csv));
        QVERIFY2(run.code == 0, run.err.constData());
        const auto both = run.json();
        QCOMPARE(both["machine"], "edge");
        const char* sides[] = {"before", "after"};
        const char* names[] = {"resnet-18", "mobilenet-v2"};
        for (std::size_t side = 0; side < 2; ++side) {
            double sum = 0;
            for (const auto& row : both["operators"])
                sum += row["cycles"][side].get<double>();
            const double total = both[sides[side]]["cycles"].get<double>();
            QVERIFY(total > 0 && std::abs(sum - total) < 1e-9 * total);
            const auto problem = m_folder.filePath(QStringLiteral("start.json"));
            const auto convert = cli(QStringLiteral("convert %1 -o %2 --to problem --machine edge")
                                         .arg(sample(names[side]), problem));
            QVERIFY2(convert.code == 0, convert.err.constData());
            const lower::LoweredProblem lowered = *lower::lowerToProblem(
                lower::loadWorkload(sample(names[side]).toStdString())->model, *machinePreset("edge"));
            const ProblemPtr opened = *loadProblem(problem.toStdString());
            const Evaluation start = evaluate(*opened, oneOpPerSubgraph(*opened), opened->rules());
            QVERIFY(start.valid());
            QVERIFY(std::abs(start.total * static_cast<double>(lowered.timeUnit) - total) < 1e-9 * total);
        }
        // A convolution costs, what is gone costs nothing afterwards; the table says the same.
        QVERIFY(both["operators"][0]["cycles"][0].get<double>() > 0);
        QFile file(csv);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QList<QByteArray> lines = file.readAll().trimmed().split('\n');
        QCOMPARE(static_cast<std::size_t>(lines.size()), both["operators"].size() + 2);
        QVERIFY(lines.front().startsWith("change,") && lines.front().endsWith("cycles_before,cycles_after"));
        QVERIFY(lines.back().startsWith("total,"));
        QCOMPARE(lines.back().split(',').last().toDouble(), both["after"]["cycles"].get<double>());
        const auto text =
            cli(QStringLiteral("info %1 --compare %2").arg(sample("resnet-18"), sample("mobilenet-v2")));
        QVERIFY(text.out.contains("cycles before") && text.out.contains("each op alone in a subgraph"));
        QCOMPARE(cli(QStringLiteral("info %1 --csv %2").arg(sample("lstm"), csv)).code, 2);
    }

    /// protobuf does not check its texts: names may have any bytes. Free dimensions are told as words of a
    /// shell.
    void namesMayHaveAnyBytes()
    {
        test::GraphWriter graph("g\xe4\x1b[31m", 13);
        const std::string x = graph.input("x\xe4", {std::int64_t{96}, std::int64_t{64}});
        const std::string w = graph.weight("w\xff\n", {64, 32});
        graph.output(graph.add("MatMul", "Schicht_\xe4\ntotal 1", {x, w}),
                     {std::int64_t{96}, std::int64_t{32}});
        const QString file = m_folder.filePath(QStringLiteral("names.onnx"));
        QVERIFY(writeFileAtomically(file.toStdString(), graph.text()));
        const QString out = m_folder.filePath(QStringLiteral("names.json"));
        for (const char* call : {"info %1", "info --json %1", "npu --json %1", "map --quick --json %1",
                                 "solve --iterations 20 --json %1", "convert --to layers -o %2 %1",
                                 "convert --to npu -o %2 %1", "convert --to model -o %2 %1"}) {
            const auto run = cli(QString::fromLatin1(call)
                                     .replace(QLatin1String("%1"), file)
                                     .replace(QLatin1String("%2"), out));
            QVERIFY2(run.code == 0, run.err.constData());
            QVERIFY2(isUtf8(run.out.toStdString()) && !run.out.contains('\x1b'), run.out.constData());
            QVERIFY2(!run.out.contains("\ntotal 1"), run.out.constData());
            QVERIFY2(run.err.contains("names.onnx: names with bytes that are not UTF-8"),
                     run.err.constData());
        }
        test::GraphWriter open("open", 13);
        const std::string in = open.input("x", {std::string("$(touch x) + 1"), std::int64_t{64}});
        open.output(open.add("Relu", "r", {in}), {std::string("$(touch x) + 1"), std::int64_t{64}});
        QVERIFY(writeFileAtomically(file.toStdString(), open.text()));
        const auto run = cli(QStringLiteral("info ") + file);
        QCOMPARE(run.code, 2);
        QVERIFY2(run.err.contains("--dim '$(touch x) + 1=1'"), run.err.constData());
        const auto given = test::runCli(
            {QStringLiteral("info"), file, QStringLiteral("--dim"), QStringLiteral("$(touch x) + 1=1")});
        QVERIFY2(given.code == 0, given.err.constData());
    }
};

TILEWRIGHT_TEST(TestCliOnnx)

} // namespace test_cli_onnx
#include "test_cli_onnx.moc"
