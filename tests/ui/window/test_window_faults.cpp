// SPDX-License-Identifier: GPL-3.0-or-later
// What the window writes, with every call to the system failing once: the n-th open, read, write, fsync and
// rename of a save, a recovery copy, a session, a picture, a table and a report, for all n
// (TILEWRIGHT_FAULTS=all; else a sample). After each the file is what it was or what is written without a
// fault, a failure says so, nothing is left beside it, and the same again without a fault succeeds.
#include "export/export_report.h"
#include "export/export_view.h"
#include "export/steps_export.h"
#include "faults_support.h"
#include "known_findings.h"
#include "test_main.h"
#include "window/session_store.h"
#include "window_fixture.h"
#include "workspace/recovery_store.h"
#include "workspace/schedule_edits.h"

#include <functional>

namespace test_window_faults {

using namespace tilewright;
using namespace tilewright::ui;
using namespace tilewright::test;

class TestWindowFaults : public QObject
{
    Q_OBJECT
    PrivateSettings m_settings;
    KnownFindings m_known{TILEWRIGHT_SOURCE_DIR "/tests/faults/known.txt"};
    long m_runs = 0, m_happened = 0;

    struct Written
    {
        QString name; ///< in the folder; empty: one file of any name
        std::function<Status(const QString& path)> write;
        bool varies = false; ///< the text has the time in it
    };

    static QByteArray contentOf(const QString& path)
    {
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }

    /// The edited window, and one thing that it writes.
    Written writerOf(MainWindow& window, const QString& what, const QString& folder)
    {
        Document& document = window.state().document;
        if (what == QLatin1String("save"))
            return {QStringLiteral("s.json"),
                    [&document](const QString& path) { return document.save(path); }};
        if (what == QLatin1String("session"))
            return {{}, [folder](const QString&) {
                        FileSession session;
                        session.problem = QStringLiteral("/a/p.json");
                        session.notes[QStringLiteral("op 1")] = QStringLiteral("typed");
                        return writeFileSession(folder, session);
                    }};
        if (what == QLatin1String("csv"))
            return {QStringLiteral("t.csv"),
                    [&document](const QString& path) { return exportSubgraphsCsv(document, path); }};
        if (what == QLatin1String("steps"))
            return {QStringLiteral("steps.csv"), [&document](const QString& path) {
                        StepsExport job;
                        std::optional<Status> written;
                        connect(&job, &StepsExport::finished, &job,
                                [&](const Status& status, bool) { written = status; });
                        job.start(StepCsv::Steps, document.snapshot(), path);
                        while (!written)
                            QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
                        return *written;
                    }};
        if (what == QLatin1String("report"))
            return {QStringLiteral("r.html"),
                    [&document, view = window.view(QStringLiteral("roofline"))](const QString& path) {
                        return exportReport(document, {view}, path);
                    },
                    true};
        return {QStringLiteral("picture.") + what,
                [view = window.view(QStringLiteral("roofline"))](const QString& path) {
                    return exportView(*view, path, {});
                },
                what == QLatin1String("pdf")};
    }

private Q_SLOTS:
    void init() { m_settings.fresh(); }
    void cleanup() { tilewright_faults_folder(nullptr); }
    void cleanupTestCase() { qDebug("%ld runs, %ld faults", m_runs, m_happened); }

    void everyCallFailsOnce_data()
    {
        QTest::addColumn<QString>("what");
        for (const char* what : {"save", "session", "csv", "steps", "report", "png", "svg", "pdf"})
            QTest::newRow(what) << QString::fromLatin1(what);
    }
    void everyCallFailsOnce()
    {
        QFETCH(QString, what);
        MainWindow window;
        QVERIFY(openIn(window, {sample("example-3.json"), sample("example-3.c-keep.schedule.json")}));
        const QTemporaryDir dir;
        const Written w = writerOf(window, what, dir.path());
        const QString path = dir.filePath(w.name);
        tilewright_faults_folder(qPrintable(dir.path()));
        QVERIFY(w.write(path).hasValue());
        const QStringList names = QDir(dir.path()).entryList(QDir::Files);
        QCOMPARE(names.size(), 1);
        const QString file = dir.filePath(names.first());
        const QByteArray usual = contentOf(file), old("what was there\n");
        QStringList found;
        for (const Fault& fault : ioFaults()) {
            tilewright_faults_arm(fault.call, 0, 0, 0);
            (void)w.write(path);
            for (const long n : faultsToTry(tilewright_faults_disarm(), 12)) {
                const QString where = QStringLiteral("window-%1 %2: ").arg(what, QLatin1String(fault.name));
                const auto find = [&](const QString& text) {
                    if (!m_known.has((where + text).toStdString()))
                        found << where + text + QStringLiteral(" (n = %1)").arg(n);
                };
                for (const QString& name : QDir(dir.path()).entryList(QDir::Files))
                    QFile::remove(dir.filePath(name));
                {
                    QFile before(file);
                    QVERIFY(before.open(QIODevice::WriteOnly) && before.write(old) > 0);
                }
                tilewright_faults_arm(fault.call, n, fault.error, fault.stays ? 1 : 0);
                const Status written = w.write(path);
                tilewright_faults_disarm();
                ++m_runs;
                m_happened += tilewright_faults_happened();
                const QByteArray now = contentOf(file);
                const bool isNew = w.varies ? now.size() > 100 && now != old : now == usual;
                if (written && !isNew)
                    find(QStringLiteral("success without the file"));
                if (!written && now != old && !isNew)
                    find(QStringLiteral("neither old nor new"));
                if (!written && written.error().text().empty())
                    find(QStringLiteral("no message"));
                if (QDir(dir.path()).entryList(QDir::Files) != names)
                    find(QStringLiteral("left beside"));
                if (!w.write(path))
                    find(QStringLiteral("does not recover"));
            }
        }
        found.removeDuplicates();
        QVERIFY2(found.isEmpty(), qPrintable(found.join(u'\n')));
    }

    /// The copy that an autosave makes is the old one or the new one, and the next autosave succeeds.
    void aRecoveryCopyIsWhole()
    {
        MainWindow window;
        QVERIFY(openIn(window, {sample("attention-block.json")}));
        window.state().selection.selectOps({OpId(1), OpId(2)});
        QVERIFY(fuseSelection(window.state().document, window.state().selection));
        const QTemporaryDir dir;
        tilewright_faults_folder(qPrintable(dir.path()));
        RecoveryStore store(dir.path());
        QVERIFY(store.keep(window.state().workspace).hasValue());
        const QStringList names = QDir(dir.path()).entryList(QDir::Files);
        QStringList found;
        for (const Fault& fault : ioFaults()) {
            tilewright_faults_arm(fault.call, 0, 0, 0);
            QVERIFY(store.keep(window.state().workspace).hasValue());
            for (const long n : faultsToTry(tilewright_faults_disarm(), 12)) {
                const QString where = QStringLiteral("window-autosave %1: ").arg(QLatin1String(fault.name));
                const auto find = [&](const QString& text) {
                    if (!m_known.has((where + text).toStdString()))
                        found << where + text + QStringLiteral(" (n = %1)").arg(n);
                };
                tilewright_faults_arm(fault.call, n, fault.error, fault.stays ? 1 : 0);
                const Status kept = store.keep(window.state().workspace);
                tilewright_faults_disarm();
                ++m_runs;
                m_happened += tilewright_faults_happened();
                if (!kept && kept.error().text().empty())
                    find(QStringLiteral("no message"));
                for (const QString& name : names)
                    if (name.endsWith(QLatin1String(".json")) &&
                        !QJsonDocument::fromJson(contentOf(dir.filePath(name))).isObject())
                        find(QStringLiteral("neither old nor new"));
                if (QDir(dir.path()).entryList(QDir::Files) != names)
                    find(QStringLiteral("left beside"));
                if (!store.keep(window.state().workspace))
                    find(QStringLiteral("does not recover"));
            }
        }
        found.removeDuplicates();
        QVERIFY2(found.isEmpty(), qPrintable(found.join(u'\n')));
    }
};

TILEWRIGHT_TEST(TestWindowFaults)

} // namespace test_window_faults
#include "test_window_faults.moc"
