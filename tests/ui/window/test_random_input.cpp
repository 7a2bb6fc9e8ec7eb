// SPDX-License-Identifier: GPL-3.0-or-later
// What nobody thought of: random mouse, key, wheel, drag, resize and file events over all panes, while files
// change below the window, are in foreign encodings, and calls to the system fail. Nothing may crash,
// complain or evaluate otherwise than from scratch, and undoing everything must lead to the start.
//
// TILEWRIGHT_RANDOM_EVENTS=100000 and TILEWRIGHT_RANDOM_SEED=7 ask for more, or for another run;
// TILEWRIGHT_RANDOM_TRACE=1 prints every event before it is sent.
#include "random_user.h"
#include "test_main.h"

#include <QElapsedTimer>
#include <QStandardPaths>

namespace test_random_input {

using namespace tilewright;
using namespace tilewright::ui;

namespace {

int environment(const char* name, int otherwise)
{
    return qEnvironmentVariableIsSet(name) ? qEnvironmentVariableIntValue(name) : otherwise;
}

} // namespace

class TestRandomInput : public QObject
{
    Q_OBJECT
    PrivateSettings m_settings;

private Q_SLOTS:
    void init()
    {
        m_settings.fresh();
        QStandardPaths::setTestModeEnabled(true);
        QDir::setCurrent(
            QFileInfo(m_settings.filePath("x")).path()); // what is written by chance is written there
        qApp->setQuitOnLastWindowClosed(false);
        qInstallMessageHandler(hear);
    }
    void cleanup() { qInstallMessageHandler(nullptr); }

    void nothingBreaksAndUndoLeadsToTheStart()
    {
        const QString broken = m_settings.filePath("broken.json");
        QFile file(broken);
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write("{\"widths\": [1, ") > 0);
        file.close();
        // Copies: what is open is saved by chance too.
        const QString samples = QStringLiteral(TILEWRIGHT_SOURCE_DIR "/samples/");
        QStringList files{broken};
        for (const char* name :
             {"schedule/example-1.json", "schedule/example-3.json", "schedule/example-3.c-keep.schedule.json",
              "schedule/example-5.json", "schedule/example-5.b-split-k.schedule.json",
              "schedule/attention-block.json", "schedule/attention-block.fused.schedule.json",
              "schedule/random-40.json", "models/llama-block.json", "models/small-conv.csv",
              "npu/conv_net.json", "mapping/layers/conv-3x3-64.json"}) {
            const QString from = samples + QLatin1String(name);
            const QString copy = m_settings.filePath(qPrintable(QFileInfo(from).fileName()));
            QVERIFY2(QFile::copy(from, copy), name);
            files << copy;
        }
        const test::KnownFindings known(TILEWRIGHT_SOURCE_DIR "/tests/faults/known.txt");
        const std::pair<const char*, QByteArray> foreign[] = {
            {"latin-1.csv", "Layer, M, N, K,\nSchicht_\xe4, 96, 640, 192,\n\x1b[31mred, 8, 8, 8,\n"},
            {"utf-16.json", QByteArray("\xff\xfe{\0}\0", 6)},
            {"bom.csv", "\xef\xbb\xbfLayer, M, N, K,\n<b>bold</b>, 96, 640, 192,\n"},
            {"cut.json", "{\"name\": \"\xe2\x82\"}"}};
        for (const auto& [name, content] : foreign) {
            QFile out(m_settings.filePath(name));
            QVERIFY(out.open(QIODevice::WriteOnly) && out.write(content) == content.size());
            if (!known.has("window-random foreign-encoding"))
                files << out.fileName();
        }
        const int events = environment("TILEWRIGHT_RANDOM_EVENTS", 5000);
        const int seed = environment("TILEWRIGHT_RANDOM_SEED", 1);
        tilewright_faults_folder(qPrintable(QFileInfo(broken).path()));
        MainWindow window;
        QVERIFY(openIn(window, {m_settings.filePath("attention-block.json")}));
        Monkey monkey(window, static_cast<std::uint32_t>(seed), events, files);
        QElapsedTimer clock;
        clock.start();
        const bool fine = monkey.run();
        qDebug("seed %d: %d events, %d checks, %lld ms", seed, events, monkey.checks(), clock.elapsed());
        QVERIFY2(fine, qPrintable(QStringLiteral("seed %1: %2").arg(seed).arg(monkey.problem())));
        QVERIFY(monkey.checks() >= events / 1000);
    }
};

TILEWRIGHT_TEST(TestRandomInput)

} // namespace test_random_input
#include "test_random_input.moc"
