// SPDX-License-Identifier: GPL-3.0-or-later
// The text of a file that is corrected in the window keeps its bytes; large tables are written in the
// background.
#include "export/steps_export.h"
#include "report/writers.h"
#include "saving_bench.h"
#include "test_main.h"
#include "window/source_dialog.h"

#include <QLabel>
#include <QPlainTextEdit>
#include <QProgressDialog>
#include <QTextBlock>

namespace test_saved_texts {

using namespace tilewright;
using namespace tilewright::ui;

class TestSavedTexts : public QObject, protected SavingBench
{
    Q_OBJECT

private Q_SLOTS:
    void init() { prepare(); }
    void cleanup() { qApp->setProperty("tilewrightNoPrompts", true); }

    // -- text of a file

    void theTextOfAFileKeepsItsLineEnds()
    {
        const QString path = m_settings.filePath("crlf.json");
        const std::string text = "\xef\xbb\xbf{\r\n  \"na\xc2\xa0me\": 1,\r\n  \"x\": wrong\r\n}\r\n";
        writeText(path, text);
        const std::size_t at = text.find("wrong");
        SourceDialog dialog(path, text, {ErrorCode::Field, "is wrong", "x", path.toStdString()}, {at, at + 5},
                            Theme::light(), nullptr);
        QPlainTextEdit& editor = *dialog.editor();
        QCOMPARE(editor.textCursor().block().text().mid(editor.textCursor().positionInBlock(), 5),
                 QStringLiteral("wrong"));
        QTextCursor cursor = editor.textCursor();
        cursor.movePosition(QTextCursor::Right, QTextCursor::KeepAnchor, 5);
        cursor.insertText(QStringLiteral("2"));
        for (QPushButton* b : dialog.findChildren<QPushButton*>())
            if (b->text().contains(QStringLiteral("Save")))
                b->click();
        std::string expected = text;
        expected.replace(at, 5, "2");
        QCOMPARE(contentOf(path), expected);
    }
    void bytesThatCannotBeShownAreNotReplaced_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::newRow("Latin-1") << QByteArray("{\"n\": \"Schicht_\xe4\", wrong}");
        QTest::newRow("mixed line ends") << QByteArray("{\r\n\"n\": 1,\nwrong}");
        QTest::newRow("old line ends") << QByteArray("{\r\"n\": 1,\rwrong}");
    }
    void bytesThatCannotBeShownAreNotReplaced()
    {
        QFETCH(QByteArray, text);
        const QString path = m_settings.filePath("bytes.json");
        writeText(path, text.toStdString());
        SourceDialog dialog(path, text.toStdString(), {ErrorCode::Syntax, "is wrong", {}, path.toStdString()},
                            {2, 3}, Theme::light(), nullptr);
        QVERIFY(dialog.editor()->isReadOnly());
        QVERIFY(dialog.findChild<QLabel*>()->text().contains(QStringLiteral("cannot be corrected here")));
        dialog.editor()->document()->setModified(true);
        for (QPushButton* b : dialog.findChildren<QPushButton*>())
            QVERIFY(!b->text().contains(QStringLiteral("Save")) || !b->isEnabled());
        QCOMPARE(contentOf(path), text.toStdString());
    }

    // -- tables

    void stepsAreWrittenInTheBackground()
    {
        AppState state;
        QVERIFY(state.workspace.open(sample("attention-block.json")));
        const SnapshotPtr snapshot = state.document.snapshot();
        for (const StepCsv table : {StepCsv::Steps, StepCsv::Occupancy}) {
            const QString path = m_settings.filePath("steps.csv");
            std::string expected;
            (table == StepCsv::Steps ? writeStepsCsv : writeOccupancyCsv)(
                *snapshot->problem, snapshot->schedule, snapshot->evaluation.rules,
                [&](std::string_view text) { expected += text; }, {});
            const auto rows = std::ranges::count(expected, '\n') - 1;
            const StepCsvSize size = sizeOf(table, *snapshot);
            QCOMPARE(size.rows, rows);
            QVERIFY2(std::abs(static_cast<double>(size.bytes) / static_cast<double>(expected.size()) - 1) <
                         0.3,
                     qPrintable(QString::number(size.bytes)));
            StepsExport writer;
            bool done = false;
            connect(&writer, &StepsExport::finished, this,
                    [&](const Status& written, bool cancelled) { done = written && !cancelled; });
            writer.start(table, snapshot, path);
            QVERIFY(writer.isRunning());
            QTRY_VERIFY(done);
            QCOMPARE(contentOf(path), expected);
        }
    }
    void aTableThatIsTooLargeIsRefusedOrCanBeCancelled()
    {
        const auto problem = [&](int size) {
            const std::string n = std::to_string(size);
            writeText(m_settings.filePath("large.json"),
                      "{\"widths\": [" + n + ", " + n + "], \"heights\": [" + n + ", " + n +
                          "], \"inputs\": [[0]], \"outputs\": [[1]], \"base_costs\": [1000], \"op_types\": "
                          "[\"Pointwise\"], \"fast_memory_capacity\": 50000, \"slow_memory_bandwidth\": 10, "
                          "\"native_granularity\": [1, 1]}");
            return m_settings.filePath("large.json");
        };
        const QString path = m_settings.filePath("large.csv");
        MainWindow window;
        const auto openAsSingleElements = [&](int size) {
            QVERIFY(openIn(window, {problem(size)}));
            Schedule next = window.state().document.schedule();
            Subgraph other = next[SubgraphId(0)];
            other.granularity = {1, 1, 1};
            next.subgraphs[0] = std::make_shared<const Subgraph>(std::move(other));
            window.state().document.apply(std::move(next), QStringLiteral("single elements"));
            window.state().document.waitForSnapshot();
        };
        openAsSingleElements(1 << 20); // 2^40 steps
        QAction* action = window.state().actions.find(QStringLiteral("file.csv.steps"));
        QElapsedTimer clock;
        clock.start();
        chooseFile(path);
        action->trigger();
        QVERIFY(barWith(window, "are free there"));
        QVERIFY(clock.elapsed() < 5000);

        qApp->setProperty("tilewrightNoPrompts", true); // what is open is modified
        openAsSingleElements(2048);                     // 2^22 steps, some hundred megabytes
        QString asked;
        chooseFile(path);
        answerBox(QStringLiteral("Cancel"), &asked);
        action->trigger();
        QVERIFY2(asked.contains(QStringLiteral("rows")), qPrintable(asked));
        QVERIFY(!window.findChild<QProgressDialog*>());

        chooseFile(path);
        answerBox(QStringLiteral("Write"));
        action->trigger();
        QProgressDialog* progress = nullptr;
        QTRY_VERIFY((progress = window.findChild<QProgressDialog*>()) && progress->isVisible());
        QTRY_VERIFY(progress->value() > 0);
        QVERIFY(!progress->isModal());
        progress->findChild<QPushButton*>()->click();
        QTRY_VERIFY(barWith(window, "Nothing was written"));
        QVERIFY(!QFile::exists(path));
        QTRY_VERIFY(!window.findChild<QProgressDialog*>());
        const QDir folder(settingsFolder());
        QVERIFY2(folder.entryList({QStringLiteral("large.csv*")}).isEmpty(), "no part of it is left");
    }
};

TILEWRIGHT_TEST(TestSavedTexts)

} // namespace test_saved_texts
#include "test_saved_texts.moc"
