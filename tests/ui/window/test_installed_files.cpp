// SPDX-License-Identifier: GPL-3.0-or-later
// Issue 19, "Packages": the samples are found in a build tree, in an installation, and by a program copied
// alone.
#include "test_main.h"
#include "window/message_bar.h"
#include "window_fixture.h"
#include "workspace/installed_files.h"

#include <QDesktopServices>
#include <QDir>
#include <QTemporaryDir>
#include <QtTest>

namespace test_installed_files {

using namespace tilewright;
using namespace tilewright::ui;

class TestInstalledFiles : public QObject
{
    Q_OBJECT

public slots:
    void opened(const QUrl& url) { m_opened = url; }

private:
    QUrl m_opened;

private slots:
    void samples_ofTheBuildTree();
    void samples_ofAnInstallation();
    void samples_ofAPackageForACopiedProgram();
    void samples_nowhere();
    void handbook_opensWhereItIs_elseSaysWhatHasIt_data();
    void handbook_opensWhereItIs_elseSaysWhatHasIt();
    void doubleClick_aSchedule_opensItsProblem();
    void doubleClick_aScheduleWithoutProblem_saysSo();
};

void TestInstalledFiles::samples_ofTheBuildTree()
{
    QCOMPARE(samplesFolder(), QStringLiteral(TILEWRIGHT_SOURCE_DIR "/samples"));
}

void TestInstalledFiles::samples_ofAnInstallation()
{
    const QTemporaryDir prefix;
    QVERIFY(QDir(prefix.path()).mkpath(QStringLiteral("bin")));
    QVERIFY(QDir(prefix.path()).mkpath(QStringLiteral("share/tilewright/samples/schedule")));
    QCOMPARE(samplesAbove(prefix.filePath(QStringLiteral("bin"))),
             prefix.filePath(QStringLiteral("share/tilewright/samples")));
}

void TestInstalledFiles::samples_ofAPackageForACopiedProgram()
{
    // The program of this test stands in the build tree, so one that was copied away from it is asked.
    const QTemporaryDir copied, data;
    const QString samples = data.filePath(QStringLiteral("tilewright/samples"));
    QVERIFY(QDir().mkpath(samples + QStringLiteral("/schedule")));
    const QString page = data.filePath(QStringLiteral("doc/tilewright-doc/html/handbook/index.html"));
    QVERIFY(QDir().mkpath(QFileInfo(page).path()));
    QFile written(page);
    QVERIFY(written.open(QIODevice::WriteOnly));
    const QString program = copied.filePath(QFileInfo(QCoreApplication::applicationFilePath()).fileName());
    QVERIFY(QFile::copy(QCoreApplication::applicationFilePath(), program));
    QProcess run;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("XDG_DATA_DIRS"), data.path());
    run.setProcessEnvironment(environment);
    run.setWorkingDirectory(copied.path());
    run.start(program, {QStringLiteral("test_installed_files"), QStringLiteral("--print")});
    QVERIFY(run.waitForFinished());
    QCOMPARE(QString::fromUtf8(run.readAllStandardOutput()).trimmed(), samples + QLatin1Char('\n') + page);
}

void TestInstalledFiles::samples_nowhere()
{
    const QTemporaryDir empty;
    QCOMPARE(samplesAbove(empty.path()), QString());
}

void TestInstalledFiles::handbook_opensWhereItIs_elseSaysWhatHasIt_data()
{
    QTest::addColumn<QString>("name");
    QTest::newRow("help.handbook") << QString();
    QTest::newRow("help.four") << QStringLiteral("lenses/four.html");
}

void TestInstalledFiles::handbook_opensWhereItIs_elseSaysWhatHasIt()
{
    QFETCH(const QString, name);
    MainWindow window;
    QAction* action = window.state().actions.find(QLatin1String(QTest::currentDataTag()));
    QVERIFY(action);
    QCOMPARE(action->isEnabled(), !handbookPage(name).isEmpty());
    if (handbookPage(name).isEmpty()) {
        QVERIFY2(action->toolTip().contains(QStringLiteral("tilewright-doc")), qPrintable(action->toolTip()));
        return;
    }
    QDesktopServices::setUrlHandler(QStringLiteral("file"), this, "opened");
    action->trigger();
    QDesktopServices::unsetUrlHandler(QStringLiteral("file"));
    QCOMPARE(m_opened, QUrl::fromLocalFile(handbookPage(name)));
    // Where no browser comes up the file is found by hand.
    const auto bars = window.findChildren<MessageBar*>();
    QVERIFY(std::ranges::any_of(
        bars, [&](const MessageBar* bar) { return bar->text().contains(handbookPage(name)); }));
}

void TestInstalledFiles::doubleClick_aSchedule_opensItsProblem()
{
    const PrivateSettings settings;
    MainWindow window;
    QVERIFY(
        openIn(window, {samplesFolder() + QStringLiteral("/schedule/attention-block.fused.schedule.json")}));
    const Document& document = window.state().document;
    QCOMPARE(QFileInfo(document.problemPath()).fileName(), QStringLiteral("attention-block.json"));
    QCOMPARE(QFileInfo(document.schedulePath()).fileName(),
             QStringLiteral("attention-block.fused.schedule.json"));
}

void TestInstalledFiles::doubleClick_aScheduleWithoutProblem_saysSo()
{
    const PrivateSettings settings;
    const QString alone = settings.filePath("alone.schedule.json");
    QVERIFY(QFile::copy(samplesFolder() + QStringLiteral("/schedule/attention-block.fused.schedule.json"),
                        alone));
    MainWindow window;
    QVERIFY(!openIn(window, {alone}));
    QVERIFY(!window.state().document.hasProblem());
}

/// "test_installed_files --print": the folders as this copy of the program finds them.
static std::optional<int> printFolders(int argc, char** argv)
{
    if (argc != 2 || QByteArrayView(argv[1]) != "--print")
        return {};
    QTextStream(stdout) << samplesFolder() << '\n' << handbookPage() << '\n';
    return 0;
}

TILEWRIGHT_TEST(TestInstalledFiles, &printFolders)

} // namespace test_installed_files
#include "test_installed_files.moc"
