// SPDX-License-Identifier: GPL-3.0-or-later
// Every rule and document that a comment, a string or a document cites exists. A citation is `R4.7` (a rule
// of docs/rules/schedule.md; `R9.1a` is its item (a)) or a path with the number of a section:
// `docs/FILE.md 3.2`, `docs/FILE.md 4 to 6`. Anything else that looks like a citation is refused, so that all
// of them are checked. Source files that comments name (`folder/file.h`, `folder/file.*`) exist, too.
#include "test_main.h"

#include <QDir>
#include <QDirIterator>
#include <QRegularExpression>
#include <QtTest>

namespace test_rule_citations {

namespace {

const QString kRoot = QStringLiteral(TILEWRIGHT_SOURCE_DIR "/");

QString content(const QString& path)
{
    QFile file(kRoot + path);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

QStringList filesBelow(const QString& folder, const QStringList& patterns)
{
    QStringList out;
    QDirIterator it(kRoot + folder, patterns, QDir::Files, QDirIterator::Subdirectories);
    while (it.hasNext())
        out << QDir(kRoot).relativeFilePath(it.next());
    out.sort();
    return out;
}

QStringList documents()
{
    return filesBelow(QStringLiteral("docs"), {QStringLiteral("*.md")}) +
           QStringList{QStringLiteral("README.md"), QStringLiteral("CONTRIBUTING.md"),
                       QStringLiteral("tests/README.md")};
}

/// A piece of text between pieces of code: comment lines that follow one another, or one string.
struct Prose
{
    int line = 1;
    QString text;
    bool quoted = false;
};

QList<Prose> commentsAndStrings(const QString& code)
{
    QList<Prose> out;
    int line = 1;
    bool open = false; // the last piece goes on when a comment follows without code between
    const auto add = [&](int at, const QString& text, bool quoted = false) {
        if (!open)
            out.push_back({at, {}, quoted});
        out.back().text += QLatin1Char(' ') + text;
    };
    for (qsizetype i = 0; i < code.size();) {
        const QStringView rest = QStringView(code).mid(i);
        qsizetype length = 1;
        if (rest.startsWith(QLatin1String("//"))) {
            length = rest.indexOf(QLatin1Char('\n'));
            length = length < 0 ? rest.size() : length;
            QString text = rest.left(length).toString();
            text.remove(QRegularExpression(QStringLiteral("^/+<?")));
            add(line, text);
            open = true;
        } else if (rest.startsWith(QLatin1String("/*"))) {
            const qsizetype end = rest.indexOf(QLatin1String("*/"));
            length = end < 0 ? rest.size() : end + 2;
            add(line, rest.left(length).toString().replace(QRegularExpression(QStringLiteral("\\n\\s*\\*?")),
                                                           QStringLiteral(" ")));
            open = true;
        } else if (rest.startsWith(QLatin1String("R\""))) {
            const QString delimiter = QLatin1Char(')') +
                                      rest.mid(2, rest.indexOf(QLatin1Char('(')) - 2).toString() +
                                      QLatin1Char('"');
            const qsizetype end = rest.indexOf(delimiter);
            length = end < 0 ? rest.size() : end + delimiter.size();
            open = false;
            add(line, rest.left(length).toString());
        } else if (rest[0] == QLatin1Char('"')) {
            while (length < rest.size() && rest[length] != QLatin1Char('"') &&
                   rest[length] != QLatin1Char('\n'))
                length += rest[length] == QLatin1Char('\\') ? 2 : 1;
            length = std::min(length + 1, rest.size());
            open = false;
            add(line, rest.mid(1, std::max<qsizetype>(length - 2, 0)).toString(), true);
        } else if (rest[0] == QLatin1Char('\'') &&
                   !(i > 0 && (code[i - 1].isLetterOrNumber() || code[i - 1] == QLatin1Char('_')))) {
            while (length < rest.size() && rest[length] != QLatin1Char('\'') &&
                   rest[length] != QLatin1Char('\n'))
                length += rest[length] == QLatin1Char('\\') ? 2 : 1;
            length = std::min(length + 1, rest.size());
            open = false;
        } else if (!rest[0].isSpace()) {
            open = false;
        }
        line += static_cast<int>(rest.left(length).count(QLatin1Char('\n')));
        i += length;
    }
    return out;
}

/// The numbers of a document's sections: of its headings ("## 4 Name", "### 6.1 Name", "## R1 Name") and of
/// paragraphs that begin with one ("2.3 Name", "R4.7 Name"); for rules also their items ("R9.1a" for "(a)").
QSet<QString> sectionsOf(const QString& text)
{
    static const QRegularExpression kHead(QStringLiteral("^(?:#+ )?(R?\\d+(?:\\.\\d+)*)\\.? "));
    static const QRegularExpression kItem(QStringLiteral("^ ?\\(([a-z])\\) "));
    QSet<QString> out;
    QString last;
    for (const QString& line : text.split(QLatin1Char('\n'))) {
        if (const auto head = kHead.match(line); head.hasMatch())
            out << (last = head.captured(1));
        else if (const auto item = kItem.match(line); item.hasMatch())
            out << last + item.captured(1);
    }
    return out;
}

/// Pictures of the handbook are made with it, of what its list says.
bool isDrawnForTheHandbook(const QString& document, const QString& target)
{
    static const QString kList = content(QStringLiteral("docs/handbook/pictures.txt"));
    return document.startsWith(QLatin1String("docs/handbook/")) &&
           target.contains(QLatin1String("pictures/")) &&
           kList.contains(QLatin1Char('\n') + QFileInfo(target).completeBaseName() + QLatin1Char(':'));
}

class Checker
{
public:
    Checker()
        : m_rules(sectionsOf(content(QStringLiteral("docs/rules/schedule.md"))) +
                  sectionsOf(content(QStringLiteral("docs/rules/real.md"))))
    {
    }

    /// What is wrong with the citations of a text. `inDocuments`: plain words such as "section 3" speak of
    /// the document itself.
    QStringList faults(const QString& raw, bool inDocuments)
    {
        const QString text = raw.simplified();
        static const QRegularExpression kRule(QStringLiteral("\\bR\\d{1,2}(?:\\.\\d+)?[a-z]?\\b"));
        static const QRegularExpression kPath(
            QStringLiteral("[\\w./-]*\\b[\\w-]+\\.md\\b((?:(?:,? and| to)? \\d+(?:\\.\\d+)*)*)"));
        static const QRegularExpression kNumber(QStringLiteral("\\d+(?:\\.\\d+)*"));
        static const QRegularExpression kLoose(QStringLiteral(
            "\\b[Ss]pecs?\\b|\\b[Ss]ections? \\d|§|\\bS[03]\\b|\\bseed \\d|\\bDESIGN\\b|\\bUX\\b"));
        QStringList out;
        for (auto it = kRule.globalMatch(text); it.hasNext();)
            if (const QString rule = it.next().captured(); !m_rules.contains(rule))
                out << QStringLiteral("there is no rule %1").arg(rule);
        for (auto it = kPath.globalMatch(text); it.hasNext();) {
            const auto match = it.next();
            const QString path = match.captured().section(QLatin1Char(' '), 0, 0);
            if (!QFile::exists(kRoot + path) && !path.contains(QLatin1String("NAME"))) {
                // Documents also name their neighbours; links are looked at below.
                if (!inDocuments || path.startsWith(QLatin1String("docs/")))
                    out << QStringLiteral("there is no document %1").arg(path);
                continue;
            }
            if (!m_sections.contains(path))
                m_sections.insert(path, sectionsOf(content(path)));
            for (auto n = kNumber.globalMatch(match.captured(1)); n.hasNext();)
                if (const QString number = n.next().captured(); !m_sections[path].contains(number))
                    out << QStringLiteral("%1 has no section %2").arg(path, number);
        }
        if (!inDocuments)
            for (auto it = kLoose.globalMatch(text); it.hasNext();)
                out << QStringLiteral("\"%1\" is no citation that can be checked").arg(it.next().captured());
        return out;
    }

    /// Source files that a comment names, by the end of their path, and that are not there.
    QStringList missingFiles(const QString& comment)
    {
        static const QRegularExpression kSource(
            QStringLiteral("(?<![\\w./<-])(?:[a-z0-9_]+/)+[a-z0-9_]+\\.(?:h|cpp|py|\\*)(?![\\w/])"));
        if (m_sources.isEmpty())
            for (const char* folder : {"core", "ui", "app", "python", "tests"})
                for (const QString& path :
                     filesBelow(QLatin1String(folder),
                                {QStringLiteral("*.cpp"), QStringLiteral("*.h"), QStringLiteral("*.py")}))
                    m_sources += QLatin1Char('/') + path + QLatin1Char('\n');
        QStringList out;
        for (auto it = kSource.globalMatch(comment); it.hasNext();) {
            const QString path = it.next().captured();
            const QString end = path.endsWith(QLatin1Char('*')) ? path.chopped(1) : path + QLatin1Char('\n');
            if (!m_sources.contains(QLatin1Char('/') + end))
                out << QStringLiteral("there is no file %1").arg(path);
        }
        return out;
    }

private:
    QString m_sources; ///< paths of all sources, a line each
    QSet<QString> m_rules;
    QMap<QString, QSet<QString>> m_sections;
};

/// Rows of a numbered list of tests/README.md that name no test of the folder, or one that there is not.
QStringList rowsWithoutTests(const char* head, const char* folder, int expected)
{
    const QString text = content(QStringLiteral("tests/README.md"));
    const qsizetype from = text.indexOf(QLatin1String(head));
    const QString list = text.mid(from, text.indexOf(QStringLiteral("\n## "), from + 1) - from);
    static const QRegularExpression kRow(QStringLiteral("^\\d+\\. .*(?:\\n +.*)*"),
                                         QRegularExpression::MultilineOption);
    static const QRegularExpression kNamed(QStringLiteral("\\b(\\w+)::(\\w+|\\*)"));
    const QStringList files = filesBelow(QLatin1String(folder), {QStringLiteral("test_*.cpp")});
    int rows = 0;
    QStringList faults;
    for (auto row = kRow.globalMatch(list); row.hasNext(); ++rows) {
        const QString line = row.next().captured();
        int named = 0;
        for (auto it = kNamed.globalMatch(line); it.hasNext(); ++named) {
            const auto test = it.next();
            const QString name = QStringLiteral("/test_%1.cpp").arg(test.captured(1));
            const auto file =
                std::ranges::find_if(files, [&](const QString& path) { return path.endsWith(name); });
            const QString code = file == files.end() ? QString() : content(*file);
            const bool whole = test.captured(2) == QLatin1String("*");
            const QRegularExpression function(QStringLiteral("\\bvoid (\\w+::)?%1\\(")
                                                  .arg(whole ? QStringLiteral("\\w+") : test.captured(2)));
            if (!code.contains(function))
                faults << test.captured();
        }
        if (named == 0 && !line.contains(QLatin1String("`fuzz/verbs`")))
            faults << line;
    }
    if (rows != expected)
        faults << QStringLiteral("%1 rows").arg(rows);
    return faults;
}

} // namespace

class TestRuleCitations : public QObject
{
    Q_OBJECT
private slots:
    void everyCitationHasItsText()
    {
        Checker checker;
        QStringList faults;
        int files = 0;
        for (const char* folder : {"core", "ui", "app", "tests"})
            for (const QString& path :
                 filesBelow(QLatin1String(folder), {QStringLiteral("*.cpp"), QStringLiteral("*.h")})) {
                if (path.endsWith(QLatin1String("test_rule_citations.cpp")))
                    continue;
                ++files;
                for (const Prose& p : commentsAndStrings(content(path)))
                    for (const QString& fault : checker.faults(p.text, false) +
                                                    (p.quoted ? QStringList() : checker.missingFiles(p.text)))
                        faults << QStringLiteral("%1:%2: %3").arg(path).arg(p.line).arg(fault);
            }
        for (const char* folder : {"core", "ui", "app", "tests", "cmake"})
            for (const QString& path : filesBelow(
                     QLatin1String(folder), {QStringLiteral("CMakeLists.txt"), QStringLiteral("*.cmake")}))
                for (const QString& fault : checker.faults(content(path), false))
                    faults << path + QLatin1String(": ") + fault;
        QVERIFY2(files > 300, "the sources were not found");
        QVERIFY2(faults.isEmpty(), qPrintable(faults.join(QLatin1Char('\n'))));
    }

    void documentsCiteWhatExists()
    {
        Checker checker;
        QStringList faults;
        static const QRegularExpression kLink(QStringLiteral("\\]\\(([^)#:]+)\\)"));
        for (const QString& path : documents()) {
            const QString text = content(path);
            QVERIFY2(!text.isEmpty(), qPrintable(path));
            for (const QString& fault : checker.faults(text, true))
                faults << path + QLatin1String(": ") + fault;
            const QDir folder = QFileInfo(kRoot + path).dir();
            for (auto it = kLink.globalMatch(text); it.hasNext();)
                if (const QString target = it.next().captured(1);
                    !isDrawnForTheHandbook(path, target) && !QFile::exists(folder.filePath(target)))
                    faults << QStringLiteral("%1: there is no %2").arg(path, target);
        }
        QVERIFY2(faults.isEmpty(), qPrintable(faults.join(QLatin1Char('\n'))));
    }

    /// What documents name in `code`: files and folders exist, functions are called so.
    void documentsNameWhatExists()
    {
        QString sources;
        for (const char* folder : {"core", "ui", "app", "tests"})
            for (const QString& path :
                 filesBelow(QLatin1String(folder), {QStringLiteral("*.cpp"), QStringLiteral("*.h")}))
                sources += content(path);
        static const QRegularExpression kCode(QStringLiteral("(?<!`)`([^`\n]+)`(?!`)"));
        static const QRegularExpression kFile(
            QStringLiteral("^(core|ui|app|cmake|docs|resources|samples|tests)/[a-z0-9_./-]+$"));
        static const QRegularExpression kFunction(QStringLiteral("^(?:([A-Z]\\w+)::)?([a-z]\\w+)\\(\\)$"));
        QStringList faults;
        for (const QString& path : documents())
            if (path != QLatin1String("docs/rules/workload.md")) // nothing of it is there yet
                for (auto it = kCode.globalMatch(content(path)); it.hasNext();) {
                    const QString code = it.next().captured(1);
                    if (kFile.match(code).hasMatch() && !code.contains(QLatin1String("peaks")) &&
                        !code.contains(QLatin1String("census")) && // of recipes
                        !QFile::exists(kRoot + code) && !QFileInfo(kRoot + path).dir().exists(code))
                        faults << QStringLiteral("%1: there is no %2").arg(path, code);
                    const auto f = kFunction.match(code);
                    if (f.hasMatch() && !f.captured(1).startsWith(QLatin1Char('Q'))) { // Qt is right
                        const QString type = f.captured(1);
                        const QRegularExpression named(QStringLiteral("\\b%1\\(").arg(f.captured(2)));
                        const QRegularExpression defined(QStringLiteral("\\b(class|struct) %1\\b").arg(type));
                        if (!named.match(sources).hasMatch() ||
                            (!type.isEmpty() && !defined.match(sources).hasMatch()))
                            faults << QStringLiteral("%1: there is no function %2").arg(path, code);
                    }
                }
        QVERIFY2(faults.isEmpty(), qPrintable(faults.join(QLatin1Char('\n'))));
    }

    /// Lines of Markdown stay readable in a terminal and in a comparison of two versions.
    void linesOfDocumentsAreNotTooLong()
    {
        QStringList faults;
        QStringList paths = documents();
        for (const char* folder : {"samples", "tests", "python", "resources"})
            paths += filesBelow(QLatin1String(folder), {QStringLiteral("*.md")});
        paths.removeDuplicates();
        for (const QString& path : paths) {
            const QStringList lines = content(path).split(QLatin1Char('\n'));
            for (qsizetype i = 0; i < lines.size(); ++i)
                if (lines[i].size() > 120)
                    faults
                        << QStringLiteral("%1:%2: %3 characters").arg(path).arg(i + 1).arg(lines[i].size());
        }
        QVERIFY(paths.size() > 40);
        QVERIFY2(faults.isEmpty(), qPrintable(faults.join(QLatin1Char('\n'))));
    }

    /// tests/README.md names a test for every promise, and for every interaction of the window.
    void thePromisesHaveTheirTests()
    {
        QCOMPARE(rowsWithoutTests("## What is promised", "tests", 17), QStringList());
    }
    void theInteractionsHaveTheirTests()
    {
        QCOMPARE(rowsWithoutTests("## Interactions of the window", "tests/ui", 35), QStringList());
    }

    /// docs/rules/README.md: the window says "contest first statement" and "as printed in the source
    /// document".
    void theWindowExplainsItsWords()
    {
        static const QRegularExpression kOurs(QStringLiteral("\\bseeds?\\b|\\brule set (final|seed)\\b"));
        QStringList faults;
        for (const QString& path :
             filesBelow(QStringLiteral("ui"), {QStringLiteral("*.cpp"), QStringLiteral("*.h")}))
            for (const Prose& p : commentsAndStrings(content(path)))
                if (static const QRegularExpression kName(
                        QStringLiteral("^\\s*[\\w.:/-]*[.:/-][\\w.:/-]*$")); // of a file, of a command
                    p.quoted && !kName.match(p.text).hasMatch() && kOurs.match(p.text).hasMatch())
                    faults << QStringLiteral("%1:%2: %3").arg(path).arg(p.line).arg(p.text);
        QVERIFY2(faults.isEmpty(), qPrintable(faults.join(QLatin1Char('\n'))));
    }

    /// The test itself: made-up citations are found, wherever they stand.
    void madeUpCitationsAreFound_data()
    {
        QTest::addColumn<QString>("code");
        QTest::addColumn<int>("faults");
        QTest::newRow("rule") << "int a; // R4.7 holds, as R9.1a says" << 0;
        QTest::newRow("no rule") << "int a; // R4.99 holds" << 1;
        QTest::newRow("no item") << "int a; // R9.1x" << 1;
        QTest::newRow("section") << "/// The NoC (docs/rules/npu.md 5.3), see docs/rules/npu.md 1 to 3." << 0;
        QTest::newRow("no section") << "/// The NoC (docs/rules/npu.md 5.33)." << 1;
        QTest::newRow("no end") << "/// docs/rules/npu.md 1 to 33" << 1;
        QTest::newRow("no document") << "f(\"see docs/rules/made-up.md 1\");" << 1;
        QTest::newRow("over two lines") << "// as docs/rules/npu.md\n    // 77 says\n" << 1;
        QTest::newRow("string") << "char c = '\"'; const char* s = \"R77\";" << 1;
        QTest::newRow("raw string") << "auto s = R\"x(a \" R77)x\"; // R4" << 1;
        QTest::newRow("spec") << "/// Weights (spec 5.4)" << 1;
        QTest::newRow("not in the code") << "int R77 = 1'000'000; // fine" << 0;
        QTest::newRow("file") << "// tiled anew (edit/fit.h), as core/edit/edits.* does" << 0;
        QTest::newRow("file elsewhere") << "// tiled anew (eval/retile.h)" << 1;
        QTest::newRow("no file") << "int a; ///< of core/edit/made_up.*" << 1;
        QTest::newRow("file of a library") << "// only JSON sources include nlohmann/json.hpp" << 0;
        QTest::newRow("included") << "#include \"made/up.h\"" << 0;
        QTest::newRow("document not in git") << "// DESIGN.md section 5" << 3;
    }
    void madeUpCitationsAreFound()
    {
        QFETCH(const QString, code);
        Checker checker;
        QStringList faults;
        for (const Prose& p : commentsAndStrings(code))
            faults << checker.faults(p.text, false)
                   << (p.quoted ? QStringList() : checker.missingFiles(p.text));
        QTEST(int(faults.size()), "faults");
    }
};

TILEWRIGHT_TEST(TestRuleCitations)

} // namespace test_rule_citations
#include "test_rule_citations.moc"
