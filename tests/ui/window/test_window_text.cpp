// SPDX-License-Identifier: GPL-3.0-or-later
// Names in any encoding and names that look like markup, in the real window: the autosave keeps the edits,
// nothing interprets a name, and an exception is a message. Numbers as people type them into its fields.
#include "canvas/canvas.h"
#include "canvas/number_box.h"
#include "export/svg_device.h"
#include "panels/machine/machine_view.h"
#include "test_main.h"
#include "window/application.h"
#include "window/message_bar.h"
#include "window/view_catalog.h"
#include "window_fixture.h"
#include "workspace/latest_job.h"
#include "workspace/npu_document.h"
#include "workspace/recovery_store.h"
#include "workspace/schedule_edits.h"
#include "workspace/systolic_document.h"

#include "base/file.h"
#include "base/notice.h"
#include "base/utf8.h"
#include "lower/workload.h"

#include <QAbstractItemView>
#include <QHelpEvent>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPainter>
#include <QStandardPaths>
#include <QTextDocument>
#include <QToolTip>
#include <QTreeWidget>
#include <QXmlStreamReader>

#include <stdexcept>

namespace test_window_text {

using namespace tilewright;
using namespace tilewright::ui;

namespace {

QString messageOf(const MainWindow& window)
{
    QString out;
    for (const auto* bar : window.findChildren<MessageBar*>())
        out += bar->text();
    return out;
}

/// A text that Qt shows as markup, with a name in it that was not escaped.
bool isInterpreted(const QString& text)
{
    return Qt::mightBeRichText(text) && text.contains(QLatin1String("<s>evil"));
}

} // namespace

class TestWindowText : public QObject
{
    Q_OBJECT

    PrivateSettings m_settings;
    QTemporaryDir m_data, m_files;

    QString recoveryFolder() const
    {
        return QStandardPaths::writableLocation(QStandardPaths::AppDataLocation) +
               QStringLiteral("/recovery");
    }
    QString write(const char* name, const std::string& text) const
    {
        const QString path = m_files.filePath(QLatin1String(name));
        if (!writeFileAtomically(path.toStdString(), text))
            qFatal("%s cannot be written", name);
        return path;
    }
    /// The documents of the recovery copy once it is there.
    QJsonArray kept() const
    {
        const QDir dir(recoveryFolder());
        const QStringList files = dir.entryList({QStringLiteral("*.recovery.json")});
        if (files.size() != 1)
            return {};
        QFile file(dir.filePath(files.front()));
        return file.open(QIODevice::ReadOnly)
                   ? QJsonDocument::fromJson(file.readAll()).object()[QStringLiteral("documents")].toArray()
                   : QJsonArray();
    }
    static void saveSoon(MainWindow& window)
    {
        Preferences preferences;
        preferences.autosaveSeconds = 1;
        window.setPreferences(preferences);
    }
    static void type(QAbstractSpinBox* box, const char* text)
    {
        box->setFocus();
        box->selectAll();
        auto* edit = box->findChild<QLineEdit*>();
        edit->selectAll();
        QTest::keyClicks(edit, QString::fromUtf8(text));
        QTest::keyClick(edit, Qt::Key_Return);
    }

private Q_SLOTS:
    void init()
    {
        qputenv("XDG_DATA_HOME", m_data.path().toUtf8());
        m_settings.fresh();
        QDir(recoveryFolder()).removeRecursively();
    }

    /// The window ended in its own autosave, and all unsaved edits with it.
    void aTopologyInLatin1IsKeptByTheAutosave()
    {
        const QString file = write("l.csv", "Layer, M, N, K,\nSchicht_\xe4, 96, 640, 192,\n");
        MainWindow window;
        saveSoon(window);
        QVERIFY(openIn(window, {file}));
        QTRY_VERIFY2(messageOf(window).contains(QStringLiteral("line 2: bytes that are not UTF-8")),
                     qPrintable(messageOf(window)));
        window.showView(QStringLiteral("npu"));
        NpuDocument& npu = window.state().workspace.npu();
        QTRY_VERIFY(npu.model());
        auto* box = window.findChild<QSpinBox*>(QStringLiteral("npu.tile0"));
        QVERIFY(box);
        QTRY_VERIFY(box->isVisible());
        box->setValue(32);
        QVERIFY(npu.isModified());
        QTRY_VERIFY_WITH_TIMEOUT(!kept().isEmpty(), 10'000);
        QCOMPARE(kept()[0][QStringLiteral("lens")].toString(), QStringLiteral("npu"));
        QVERIFY(kept()[0][QStringLiteral("text")].toString().contains(QStringLiteral("Schicht_ä")));
        QVERIFY(isUtf8(*npu.fileText()));
    }

    /// A field "dimensions" of another tool in the schedule was indexed as if it were an object.
    void aForeignFieldOfTheScheduleIsKeptByTheAutosave()
    {
        const QString model = QStringLiteral(TILEWRIGHT_SOURCE_DIR "/samples/models/branches.onnx");
        if (!lower::loadWorkload(model.toStdString(), {{"rows", 1}}))
            QSKIP("built without ONNX");
        QString schedule;
        {
            MainWindow window;
            QVERIFY(openIn(window, {model}));
            const auto text = window.state().document.fileText();
            QVERIFY(text.hasValue());
            QJsonObject json = QJsonDocument::fromJson(QByteArray::fromStdString(*text)).object();
            QVERIFY(json[QStringLiteral("dimensions")].isObject());
            json[QStringLiteral("dimensions")] = QStringLiteral("rows=1");
            schedule = write("s.json", QJsonDocument(json).toJson().toStdString());
        }
        MainWindow window;
        saveSoon(window);
        QVERIFY(openIn(window, {model, schedule}));
        Document& document = window.state().document;
        QVERIFY2(!document.schedulePath().isEmpty(), qPrintable(messageOf(window)));
        document.waitForSnapshot();
        Schedule next = document.schedule();
        Subgraph first = next[SubgraphId(0)];
        first.granularity.w = first.granularity.w > 1 ? first.granularity.w / 2 : 2;
        next.subgraphs[0] = std::make_shared<const Subgraph>(std::move(first));
        document.apply(std::move(next), QStringLiteral("test"));
        QTRY_VERIFY_WITH_TIMEOUT(!kept().isEmpty(), 10'000);
        QVERIFY(kept()[0][QStringLiteral("text")].toString().contains(QStringLiteral("\"dimensions\"")));
    }

    /// One document that cannot be written does not cost the others their copy.
    void whatCanBeCopiedIsCopied()
    {
        const QString file =
            write("big.json",
                  R"({"widths": [4096, 4096], "heights": [4096, 4096], "inputs": [[0]], "outputs": [[1]],
                            "base_costs": [10], "op_types": ["Pointwise"], "fast_memory_capacity": 50000000,
                            "slow_memory_bandwidth": 10, "native_granularity": [128, 128]})");
        AppState state;
        QVERIFY(state.workspace.open(file));
        SystolicSettings systolic = state.workspace.systolic().settings();
        systolic.gemm = {96, 80, 48};
        QVERIFY(state.workspace.systolic().set(systolic));
        Schedule next = state.document.schedule();
        Subgraph only = next[SubgraphId(0)];
        only.granularity = {1, 1, 1};
        only.traversal = Traversal(TraversalKind::Snake);
        next.subgraphs[0] = std::make_shared<const Subgraph>(std::move(only));
        state.document.apply(std::move(next), QStringLiteral("test"));
        RecoveryStore store(recoveryFolder());
        const Status status = store.keep(state.workspace);
        QVERIFY(!status);
        QVERIFY2(QString::fromStdString(status.error().text()).contains(QStringLiteral("Schedule: ")),
                 status.error().text().c_str());
        QCOMPARE(kept().size(), 1);
        QCOMPARE(kept()[0][QStringLiteral("lens")].toString(), QStringLiteral("systolic"));
    }

    void anExceptionIsAMessage()
    {
        MainWindow window;
        window.show();
        QVERIFY(!Application::guarded([]() -> bool { throw std::runtime_error("broken <b>"); }));
        QTRY_VERIFY2(messageOf(window).contains(QStringLiteral("not completed: broken <b>")),
                     qPrintable(messageOf(window)));
        QVERIFY(!Application::guarded([]() -> bool { throw 1; }));
        QTRY_VERIFY(messageOf(window).contains(QStringLiteral("unknown reason")));
        QVERIFY(Application::guarded([] { return true; }));
    }

    /// A job that throws does so in the GUI thread, where Application reports it, and can run again.
    void aJobThatThrowsCanRunAgain()
    {
        int delivered = 0;
        LatestJob<int> job([&](int n) { delivered = n; });
        job.request([](const std::stop_token&) -> int { throw std::runtime_error("job"); });
        bool thrown = false;
        try {
            job.deliverWithin(std::chrono::seconds(20));
        } catch (const std::runtime_error& e) {
            thrown = std::string(e.what()) == "job";
        }
        QVERIFY(thrown);
        QVERIFY(!job.isBusy());
        job.request([](const std::stop_token&) { return 7; });
        job.waitIdle();
        QCOMPARE(delivered, 7);
    }

    void namesAreNeverMarkup_data()
    {
        QTest::addColumn<QString>("file");
        QTest::newRow("topology") << write(
            "<s>evil<s> l.csv", "Layer, M, N, K,\n<s>evil</s> a, 96, 64, 32,\n<s>evil</s> b, 96, 64, 96,\n"
                                "<s>evil</s> c, 32, 64, 96,\n");
        QTest::newRow("problem") << write(
            "<s>evil<s> p.json",
            R"({"name": "<s>evil</s> p", "widths": [128, 128, 128], "heights": [128, 128, 128],
                "inputs": [[0], [1]], "outputs": [[1], [2]], "base_costs": [1000, 1000],
                "op_types": ["Pointwise", "Pointwise"], "op_names": ["<s>evil</s> a", "<s>evil</s> b"],
                "tensor_names": ["<s>evil</s> x", "<s>evil</s> y", "<s>evil</s> z"],
                "fast_memory_capacity": 50000, "slow_memory_bandwidth": 10, "native_granularity": [128, 128]})");
    }
    void namesAreNeverMarkup()
    {
        QFETCH(QString, file);
        MainWindow window;
        window.resize(1600, 1000);
        QVERIFY2(openIn(window, {file}), qPrintable(messageOf(window)));
        window.state().selection.selectSubgraph(SubgraphId(0));
        QStringList faults;
        const auto check = [&](const QString& text, const QString& where) {
            if (isInterpreted(text) && !faults.contains(where))
                faults << where + QStringLiteral(": ") + text.left(120);
        };
        const auto checkRow = [&](const QAbstractItemModel& model, const QModelIndex& index,
                                  const QString& where) {
            check(model.data(index, Qt::ToolTipRole).toString(), where);
        };
        for (const ViewEntry& entry : viewCatalog()) {
            window.showView(entry.name);
            QCoreApplication::processEvents();
            View* view = window.view(entry.name);
            view->catchUp();
            view->settle();
            for (const auto* label : view->findChildren<QLabel*>())
                if (label->textFormat() == Qt::RichText ? label->text().contains(QLatin1String("<s>evil"))
                                                        : label->textFormat() == Qt::AutoText)
                    check(label->text(), entry.name + QStringLiteral(" label ") + label->objectName());
            for (const auto* item : view->findChildren<QAbstractItemView*>())
                if (const QAbstractItemModel* model = item->model())
                    for (int row = 0; row < std::min(50, model->rowCount()); ++row)
                        for (int column = 0; column < model->columnCount(); ++column) {
                            const QModelIndex index = model->index(row, column);
                            checkRow(*model, index, entry.name + QStringLiteral(" row"));
                            for (int below = 0; below < std::min(50, model->rowCount(index)); ++below)
                                checkRow(*model, model->index(below, column, index),
                                         entry.name + QStringLiteral(" row below"));
                        }
            if (auto* canvas = qobject_cast<Canvas*>(view)) {
                constexpr int kPoints = 10;
                for (int x = 0; x < kPoints; ++x)
                    for (int y = 0; y < kPoints; ++y) {
                        const QPoint at(canvas->width() * x / kPoints, canvas->height() * y / kPoints);
                        QHelpEvent help(QEvent::ToolTip, at, canvas->mapToGlobal(at));
                        QCoreApplication::sendEvent(canvas, &help);
                        check(QToolTip::text(), entry.name + QStringLiteral(" canvas"));
                    }
                QToolTip::hideText();
            }
        }
        for (const auto* widget : window.findChildren<QWidget*>()) {
            const QString where =
                QLatin1String(widget->metaObject()->className()) + QLatin1Char(' ') + widget->objectName();
            check(widget->toolTip(), where);
            check(widget->whatsThis(), where);
            if (const auto* label = qobject_cast<const QLabel*>(widget))
                if (label->textFormat() == Qt::AutoText)
                    check(label->text(), where);
        }
        for (const auto* action : window.findChildren<QAction*>())
            check(action->toolTip(), QStringLiteral("action ") + action->objectName());
        QVERIFY2(faults.isEmpty(), qPrintable(faults.join(QLatin1Char('\n'))));
    }

    /// A control character ended the picture: viewers stop there, and so did the writer.
    void picturesHaveNoControlCharacters()
    {
        const QString text = QStringLiteral("a\x1b\x01\u0085\ufffe<b>&\u202e z");
        const QByteArray svg = svgOf(text, QSize(300, 60), 96, [&](QPainter& painter) {
            painter.drawText(QPointF(5, 30), text);
            painter.drawText(QPointF(5, 50), QStringLiteral("last"));
        });
        QVERIFY(svg.contains("last"));
        QXmlStreamReader reader(svg);
        QString shown;
        while (!reader.atEnd())
            if (reader.readNext() == QXmlStreamReader::Characters)
                shown += reader.text();
        QVERIFY2(!reader.hasError(), qPrintable(reader.errorString()));
        QVERIFY2(shown.contains(QStringLiteral("␛")), qPrintable(shown));
    }

    void spinBoxesReadWhatIsTyped()
    {
        NumberBox box;
        box.setRange(0, 1'000'000);
        box.setKeyboardTracking(false);
        box.setSuffix(QStringLiteral(" KiB"));
        box.show();
        const auto typed = [&](const char* text) {
            box.setValue(7);
            type(&box, text);
            return box.value();
        };
        QCOMPARE(typed("64"), 64);
        QCOMPARE(typed("1 MiB"), 1024);
        QCOMPARE(typed("1e3"), 1000);
        QCOMPARE(typed("12 345"), 12345);
        QCOMPARE(typed("½ MiB"), 512);
        for (const char* refused : {"2,5", "many", "2.5", "64k", "-1", "2e6", "1 GHz"}) {
            QToolTip::hideText();
            QCOMPARE(typed(refused), 7);
            QTRY_VERIFY2(QToolTip::isVisible() && !QToolTip::text().isEmpty(), refused);
        }
        QToolTip::hideText();
        DecimalBox seconds;
        seconds.setRange(0, 3600);
        seconds.setDecimals(1);
        seconds.setSuffix(QStringLiteral(" s"));
        seconds.show();
        type(&seconds, "500 ms");
        QCOMPARE(seconds.value(), 0.5);
        type(&seconds, "2 min");
        QCOMPARE(seconds.value(), 120.0);
        type(&seconds, "50 ms"); // would be rounded to 0.1
        QCOMPARE(seconds.value(), 120.0);
    }

    void theLocaleIsUnderstood()
    {
        const auto restore = qScopeGuard([before = QLocale()] { QLocale::setDefault(before); });
        QLocale::setDefault(QLocale(QStringLiteral("de_DE")));
        {
            DecimalBox box;
            box.setRange(0, 100'000);
            box.setDecimals(4);
            box.show();
            type(&box, "1,5");
            QCOMPARE(box.value(), 1.5);
            type(&box, "2.5");
            QCOMPARE(box.value(), 2.5);
            type(&box, "1.500"); // 1.5 or 1500
            QCOMPARE(box.value(), 2.5);
            QVERIFY2(QToolTip::text().contains(QStringLiteral("can be read as")),
                     qPrintable(QToolTip::text()));
            QToolTip::hideText();
        }
    }

    void theMachineTakesUnitsOrRefuses()
    {
        MainWindow window;
        QVERIFY(openIn(window, {QStringLiteral(TILEWRIGHT_SOURCE_DIR "/samples/models/llama-block.json")}));
        auto* view = viewOf<MachineView>(window, "machine");
        window.showView(QStringLiteral("machine"));
        const auto item = [&](const char* path) {
            for (QTreeWidgetItemIterator it(view->findChild<QTreeWidget*>()); *it; ++it)
                if ((*it)->data(0, Qt::UserRole).toString() == QLatin1String(path))
                    return *it;
            return static_cast<QTreeWidgetItem*>(nullptr);
        };
        const auto typed = [&](const char* path, const char* text) {
            item(path)->setText(1, QString::fromUtf8(text));
        };
        const auto machine = [&] { return *window.state().document.machine(); };
        typed("clock_ghz", "500 MHz");
        QCOMPARE(machine().clockGhz, 0.5);
        typed("clock_ghz", "1,5");
        QCOMPARE(machine().clockGhz, 0.5);
        QVERIFY2(view->message().contains(QStringLiteral("write 1.5")), qPrintable(view->message()));
        const std::int64_t rows = machine().rows;
        typed("array.rows", "2,5");
        QCOMPARE(machine().rows, rows);
        typed("array.rows", "many");
        QVERIFY2(view->message().contains(QStringLiteral("expected a number")), qPrintable(view->message()));
    }
};

TILEWRIGHT_TEST(TestWindowText)

} // namespace test_window_text
#include "test_window_text.moc"
