// SPDX-License-Identifier: GPL-3.0-or-later
// What the handbook shows is what the program prints, and its pictures are those that are drawn for it.
#include <QDir>
#include <QDirIterator>
#include <QFileInfo>
#include <QProcess>
#include <QRegularExpression>
#include <QTest>

namespace {

const QString kRoot = QStringLiteral(TILEWRIGHT_SOURCE_DIR "/");
const QString kHandbook = kRoot + QStringLiteral("docs/handbook/");

QString textOf(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

QStringList pages()
{
    QStringList out;
    for (QDirIterator it(kHandbook, {QStringLiteral("*.md")}, QDir::Files, QDirIterator::Subdirectories);
         it.hasNext();)
        out << it.next();
    out.sort();
    return out;
}

QSet<QString> found(const QString& text, const char* pattern)
{
    const QRegularExpression wanted(QLatin1String(pattern), QRegularExpression::MultilineOption);
    QSet<QString> out;
    for (auto it = wanted.globalMatch(text); it.hasNext();)
        out << it.next().captured(1);
    return out;
}

} // namespace

class TestHandbook : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void commandsPrintWhatIsShown_data()
    {
        QTest::addColumn<QString>("page");
        for (const QString& page : pages())
            if (textOf(page).contains(QStringLiteral("```console\n")))
                QTest::newRow(qPrintable(page.mid(kHandbook.size()))) << page;
    }
    void commandsPrintWhatIsShown()
    {
        QFETCH(const QString, page);
        QProcess python;
        python.setProcessChannelMode(QProcess::MergedChannels);
        python.start(QStringLiteral("python3"),
                     {kRoot + QStringLiteral("tests/handbook/check"), QStringLiteral(TILEWRIGHT_CLI), page});
        if (!python.waitForStarted())
            QSKIP("python3 is not installed");
        QVERIFY(python.waitForFinished(280'000));
        QVERIFY2(python.exitCode() == 0, python.readAll().constData());
    }

    void whatIsShownIsDrawnAndTheReverse()
    {
        QSet<QString> shown;
        for (const QString& page : pages())
            shown += found(textOf(page), R"(\]\([./]*pictures/([\w-]+)\.png\))");
        QVERIFY(shown.size() > 10);
        QCOMPARE(shown, found(textOf(kHandbook + QStringLiteral("pictures.txt")), "^([\\w-]+):"));
    }

    void everyPageIsInTheTableOfContents()
    {
        const QSet<QString> listed =
            found(textOf(QStringLiteral(TILEWRIGHT_SOURCE_DIR "/docs/handbook/index.md")), "^([\\w./-]+)$");
        for (const QString& page : pages()) {
            const QString name = page.mid(kHandbook.size()).chopped(3);
            QVERIFY2(name == QLatin1String("index") || listed.contains(name), qPrintable(name));
        }
    }
};

QTEST_APPLESS_MAIN(TestHandbook)
#include "test_handbook.moc"
