// SPDX-License-Identifier: GPL-3.0-or-later
// The verb validate, and the figures of the sets of validation/.
#include "cli_run.h"
#include "test_main.h"

#include <QFile>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

namespace test_cli_validate {

using namespace tilewright::test;

namespace {

const QString kFolder = QStringLiteral(TILEWRIGHT_SOURCE_DIR "/validation/");

QStringList linesOf(const QString& name)
{
    QFile file(kFolder + name);
    if (!file.open(QFile::ReadOnly))
        qFatal("%s cannot be read", qPrintable(file.fileName()));
    QStringList out;
    for (const QString& line : QString::fromUtf8(file.readAll()).split(u'\n'))
        if (!line.isEmpty() && !line.startsWith(u'#'))
            out << line;
    return out;
}

} // namespace

class TestCliValidate : public QObject
{
    Q_OBJECT
private slots:
    void textAndDocument();
    void figuresOfTheLastTable_data();
    void figuresOfTheLastTable();
    void everySetHasFigures();
    void stepsReadTheirConfigurations();
    void page();
    void fitWritesAMachine();
    void badInput();
};

void TestCliValidate::textAndDocument()
{
    const QString set = kFolder + QStringLiteral("a100_gemm.csv");
    const QStringList call{"validate", set, "--machine", "a100", "--lens", "floor"};
    const CliRun text = runCli(call);
    QCOMPARE(text.code, 0);
    for (const char* part :
         {"lens floor on a100 against ms of ", "64 x 12288 x 12288", "Spearman", "within 25 %"})
        QVERIFY2(text.out.contains(part), part);
    const auto document = runCli(call + QStringList{"--json"}).json();
    QCOMPARE(document["lens"].get<std::string>(), std::string("floor"));
    QCOMPARE(document["measured"].get<std::string>(), std::string("ms"));
    QCOMPARE(document["points"].size(), document["rows"].get<std::size_t>());
    const auto& point = document["points"][0];
    QCOMPARE(point["ratio"].get<double>(),
             point["predicted"].get<double>() / point["measured"].get<double>());
    const auto some = runCli(call + QStringList{"--where", "M<100", "--json"}).json();
    QCOMPARE(some["rows"].get<int>(), 1);
    QCOMPARE(some["rows"].get<int>() + some["left_out"].get<int>(), document["rows"].get<int>());
}

/// The arguments of a set; machine files lie beside the tables.
QStringList argumentsOf(const QString& set)
{
    QStringList out = set.section(u',', 2).split(u' ');
    for (qsizetype i = 1; i < out.size(); ++i)
        if (QFile::exists(kFolder + out[i]))
            out[i] = kFolder + out[i];
    return out;
}

/// The sets that validation/sets.csv marks for the tests, with the figures of validation/figures.csv.
void TestCliValidate::figuresOfTheLastTable_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QStringList>("names");
    QTest::addColumn<QStringList>("figures");
    const QStringList figures = linesOf(QStringLiteral("figures.csv"));
    const QStringList names = figures.front().split(u',');
    for (const QString& set : linesOf(QStringLiteral("sets.csv")).mid(1)) {
        const QString name = set.section(u',', 0, 0);
        if (set.section(u',', 1, 1) != QLatin1String("1"))
            continue;
        for (const QString& line : figures)
            if (line.startsWith(name + u','))
                QTest::newRow(qPrintable(name)) << argumentsOf(set) << names << line.split(u',');
    }
}

void TestCliValidate::figuresOfTheLastTable()
{
    QFETCH(QStringList, arguments);
    QFETCH(QStringList, names);
    QFETCH(QStringList, figures);
    arguments.front().prepend(kFolder);
    const auto document = runCli(QStringList{"validate"} + arguments + QStringList{"--json"}).json();
    for (qsizetype i = 1; i < names.size(); ++i) {
        const double now = document[names[i].toStdString()].get<double>(), last = figures[i].toDouble();
        QVERIFY2(
            std::abs(now - last) <= 0.01 * std::max(std::abs(last), 0.01),
            qPrintable(QStringLiteral("%1 is %2, in figures.csv %3; ./dev validate --write if that is right")
                           .arg(names[i])
                           .arg(now)
                           .arg(last)));
    }
}

void TestCliValidate::everySetHasFigures()
{
    const QStringList figures = linesOf(QStringLiteral("figures.csv"));
    for (const QString& set : linesOf(QStringLiteral("sets.csv")).mid(1)) {
        const QString name = set.section(u',', 0, 0);
        const auto isOf = [&](const QString& line) { return line.startsWith(name + u','); };
        QVERIFY2(std::any_of(figures.begin(), figures.end(), isOf), qPrintable(name));
        QVERIFY2(QFile::exists(kFolder + set.section(u',', 2).section(u' ', 0, 0)), qPrintable(set));
    }
}

void TestCliValidate::stepsReadTheirConfigurations()
{
    const QString set = kFolder + QStringLiteral("hopper_models.csv");
    const QStringList call{"validate", set,       "--machine", kFolder + "h20.json",
                           "--where",  "gpu=H20", "--json"};
    const auto floor = runCli(call + QStringList{"--lens", "floor"}).json();
    QCOMPARE(floor["unit"].get<std::string>(), std::string("tokens/s"));
    // The decode row by the Summary of the same step: tokens a second, at most.
    const auto summary =
        runCli({"summary", kFolder + "../samples/language/qwen3-8b-fp8.config.json", "--machine",
                kFolder + "h20.json", "--phase", "decode", "--batch", "64", "--cached", "5120", "--json"})
            .json();
    const double stated = summary["summaries"][0]["language_model"]["tokens_per_second"].get<double>();
    QVERIFY(std::abs(floor["points"][1]["predicted"].get<double>() / stated - 1) < 1e-9);
    // A configuration that is not there is named.
    const QTemporaryDir folder;
    const QString table = folder.filePath(QStringLiteral("t.csv"));
    QFile file(table);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("config,phase,batch,prompt,tokens_per_s\nnone.json,prefill,1,8,5\n");
    file.close();
    const CliRun r = runCli({"validate", table, "--machine", "edge", "--lens", "floor"});
    QCOMPARE(r.code, 2);
    QVERIFY2(r.err.contains("none.json: cannot be opened"), r.err.constData());
}

void TestCliValidate::page()
{
    const QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("page.html"));
    const CliRun r = runCli({"validate", kFolder + "a100_softmax.csv", "--machine", "a100", "--lens", "floor",
                             "--operator", "softmax", "--html", path});
    QCOMPARE(r.code, 0);
    QFile file(path);
    QVERIFY(file.open(QFile::ReadOnly));
    const QByteArray page = file.readAll();
    QVERIFY(page.contains("<svg class=\"scatter\"") && page.contains("PrincetonUniversity/LLMCompass"));
}

void TestCliValidate::fitWritesAMachine()
{
    const QTemporaryDir folder;
    const QString machine = folder.filePath(QStringLiteral("fitted.json"));
    const QStringList call{"fit", kFolder + "tpu_v4_gemm.csv", "--machine", "tpu-v4", "--where", "M=1024"};
    const CliRun text = runCli(call + QStringList{"-o", machine});
    QCOMPARE(text.code, 0);
    for (const char* part : {"lens floor on tpu-v4, fitted to ", "array.rates.16", "launch_us.product",
                             "on rows left out of a fit"})
        QVERIFY2(text.out.contains(part), text.out.constData());
    const auto document = runCli(call + QStringList{"--json"}).json();
    const double after = document["error_after"].get<double>();
    QVERIFY2(after < 0.15, std::to_string(after).c_str()); // the bar for stated constants
    QVERIFY(document["error_left_out"].get<double>() < 0.15);
    const auto again = runCli({"validate", kFolder + "tpu_v4_gemm.csv", "--machine", machine, "--lens",
                               "floor", "--where", "M=1024", "--json"})
                           .json();
    QCOMPARE(again["error"].get<double>(), after);
    QCOMPARE(again["machine"].get<std::string>(), std::string("tpu-v4-fitted"));
    const CliRun info = runCli({"info", machine});
    QVERIFY2(info.out.contains("fitted, tpu_v4_gemm.csv") || info.out.contains("fitted: tpu_v4_gemm.csv"),
             info.out.constData());
    const CliRun odd = runCli(call + QStringList{"--value", "cores"});
    QCOMPARE(odd.code, 2);
    QVERIFY2(odd.err.contains("--value: cores is neither a rate nor a time"), odd.err.constData());
}

void TestCliValidate::badInput()
{
    const auto sentence = [](const QStringList& arguments) {
        const CliRun r = runCli(QStringList{"validate"} + arguments);
        return QByteArray::number(r.code) + ' ' + r.err.trimmed();
    };
    QVERIFY(sentence({"nowhere.csv"}).startsWith("2 tilewright-cli: nowhere.csv: "));
    QCOMPARE(
        sentence({kFolder + "a100_gemm.csv", "--lens", "array", "--measured", "ms", "--machine", "nowhere"})
            .left(60),
        QByteArray("2 tilewright-cli: nowhere: is neither a file nor a preset; the presets").left(60));
    QVERIFY(sentence({kFolder + "a100_allreduce.csv"}).contains("the columns have no shape of an operator"));
    QCOMPARE(
        sentence({kFolder + "nvdla_alexnet.csv", "--measured", "n_dram_kb", "--lens", "array"}),
        QByteArray("2 tilewright-cli: --lens: the arrays alone move no bytes; systolic, npu and others do"));
    QCOMPARE(runCli({"validate", kFolder + "a100_gemm.csv", "--lens", "floors"}).code, 2);
}

TILEWRIGHT_TEST(TestCliValidate)

} // namespace test_cli_validate
#include "test_cli_validate.moc"
