// SPDX-License-Identifier: GPL-3.0-or-later
// What the handbook shows is what the program prints, and its pictures are those that are drawn for it.
#include "test_main.h"

#include <QDate>
#include <QDir>
#include <QDirIterator>
#include <QFileInfo>
#include <QLocale>
#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>

namespace test_handbook {

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

    /// Issue 19, "First contact".
    void everySampleIsInTheGallery()
    {
        const QStringList lines =
            textOf(kRoot + QStringLiteral("docs/handbook/samples.md")).split(QLatin1Char('\n'));
        const auto listed = [&lines](const QString& name, const QString& beside) {
            return std::any_of(lines.begin(), lines.end(), [&](const QString& line) {
                return line.startsWith(QLatin1Char('|')) &&
                       line.contains(QLatin1Char('`') + name + QLatin1Char('`')) && line.contains(beside);
            });
        };
        static const QRegularExpression kStrategy(QStringLiteral(R"(^([\w-]+)\.([\w-]+)\.schedule\.json$)"));
        const QDir samples(kRoot + QStringLiteral("samples"));
        int seen = 0;
        for (QDirIterator it(samples.path(), QDir::Files, QDirIterator::Subdirectories); it.hasNext();
             ++seen) {
            const QString path = samples.relativeFilePath(it.next());
            QString name = path.section(QLatin1Char('/'), 1);
            if (it.fileName() == QLatin1String("README.md") || path.contains(QLatin1String("__pycache__")))
                continue;
            QString strategy;
            if (const auto schedule = kStrategy.match(name); schedule.hasMatch()) {
                name = schedule.captured(1);
                strategy = QLatin1Char('`') + schedule.captured(2) + QLatin1Char('`');
            } else if (path.startsWith(QLatin1String("schedule/")))
                name.chop(5);
            QVERIFY2(listed(name, strategy), qPrintable(path));
        }
        QVERIFY(seen > 70);
    }

    /// Issue 19, "First contact": five screens, and whatever the README leads to is there.
    void theReadmeIsShortAndLeadsSomewhere()
    {
        const QString readme = textOf(kRoot + QStringLiteral("README.md"));
        QVERIFY(readme.count(QLatin1Char('\n')) <= 160);
        const QSet<QString> targets = found(readme, R"(\]\(([^)#]+)[^)]*\))");
        QVERIFY(targets.size() > 8);
        for (const QString& target : targets)
            QVERIFY2(QFileInfo::exists(kRoot + target), qPrintable(target));
        QFile film(kRoot + QStringLiteral("docs/demo.gif"));
        QVERIFY(film.open(QIODevice::ReadOnly));
        const QByteArray picture = film.readAll();
        QVERIFY(picture.size() < 1'000'000);
        QVERIFY(picture.startsWith("GIF89a") && picture.contains("NETSCAPE2.0")); // it moves, and again
    }

    /// Issue 19, "First contact": what is cited is the newest release.
    void theCitationIsOfTheNewestRelease()
    {
        const QString citation = textOf(kRoot + QStringLiteral("CITATION.cff"));
        const QString changelog = textOf(kRoot + QStringLiteral("resources/package/changelog"));
        static const QRegularExpression kRelease(QStringLiteral(R"(^tilewright \(([\d.]+)\))"));
        static const QRegularExpression kSigned(QStringLiteral(R"(^ -- .*?  \w{3}, (\d{2} \w{3} \d{4}))"),
                                                QRegularExpression::MultilineOption);
        const auto field = [&citation](const char* name) {
            const QRegularExpression line(QStringLiteral("^%1: (.*)$").arg(QLatin1String(name)),
                                          QRegularExpression::MultilineOption);
            return line.match(citation).captured(1);
        };
        QCOMPARE(field("cff-version"), QStringLiteral("1.2.0"));
        QCOMPARE(field("version"), kRelease.match(changelog).captured(1));
        const QDate date =
            QLocale::c().toDate(kSigned.match(changelog).captured(1), QStringLiteral("dd MMM yyyy"));
        QVERIFY(date.isValid());
        QCOMPARE(field("date-released"), date.toString(Qt::ISODate));
        for (const char* required : {"message", "title", "license"})
            QVERIFY2(!field(required).isEmpty(), required);
        QVERIFY(citation.contains(QStringLiteral("\nauthors:\n  - name: ")));
        // It is YAML without tabs, and no field is given twice.
        QVERIFY(!citation.contains(QLatin1Char('\t')));
        static const QRegularExpression kField(QStringLiteral("^([a-z-]+):"),
                                               QRegularExpression::MultilineOption);
        QStringList names;
        for (auto it = kField.globalMatch(citation); it.hasNext();)
            names << it.next().captured(1);
        QCOMPARE(names.removeDuplicates(), 0);
    }

    /// Issue 19, "The handbook": the declarations of core/ make a reference without a warning.
    void theReferenceOfCoreHasNoWarnings()
    {
        const QTemporaryDir folder;
        QProcess doxygen;
        doxygen.setProcessChannelMode(QProcess::MergedChannels);
        doxygen.setWorkingDirectory(kRoot);
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("TILEWRIGHT_VERSION"), QStringLiteral("test"));
        environment.insert(QStringLiteral("TILEWRIGHT_REFERENCE"), folder.path());
        doxygen.setProcessEnvironment(environment);
        doxygen.start(QStringLiteral("doxygen"), {QStringLiteral("docs/reference/Doxyfile")});
        if (!doxygen.waitForStarted())
            QSKIP("doxygen is not installed");
        QVERIFY(doxygen.waitForFinished(280'000));
        QVERIFY2(doxygen.exitCode() == 0, doxygen.readAll().constData());
        QVERIFY(textOf(folder.filePath(QStringLiteral("structtilewright_1_1Subgraph.html")))
                    .contains(QStringLiteral("never used as a result")));
    }

    void everyPageIsInTheTableOfContents()
    {
        const QSet<QString> listed =
            found(textOf(QStringLiteral(TILEWRIGHT_SOURCE_DIR "/docs/handbook/index.md")), "^([\\w./-]+)$");
        for (const QString& page : pages()) {
            const QString name = page.mid(kHandbook.size()).chopped(3);
            QVERIFY2(name == QLatin1String("index") || listed.contains(name), qPrintable(name));
        }
        // The rule book is a part of it: what is not listed fails `./dev handbook`.
        for (const QString& rules :
             QDir(kRoot + QStringLiteral("docs/rules")).entryList({QStringLiteral("*.md")}, QDir::Files))
            QVERIFY2(listed.contains(QStringLiteral("../rules/") + rules.chopped(3)), qPrintable(rules));
    }
};

TILEWRIGHT_TEST(TestHandbook)

} // namespace test_handbook
#include "test_handbook.moc"
