// SPDX-License-Identifier: GPL-3.0-or-later
// The direction of dependencies (docs/architecture.md 2), read from the #include lines: every folder includes
// only what its library links in core/CMakeLists.txt or ui/CMakeLists.txt. The compiler cannot hold this,
// because all libraries of core/ (of ui/) share one include path.
#include "test_main.h"

#include <QDir>
#include <QDirIterator>
#include <QRegularExpression>
#include <QtTest>

namespace test_layers {

namespace {

const QString kRoot = QStringLiteral(TILEWRIGHT_SOURCE_DIR "/");

using Dependencies = QMap<QString, QSet<QString>>; // by folder, itself included

QString content(const QString& path)
{
    QFile file(kRoot + path);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

/// Writes out foreach(NAME a b) ... endforeach().
QString unrolled(QString cmake)
{
    static const QRegularExpression kComment(QStringLiteral("#[^\n]*"));
    static const QRegularExpression kLoop(
        QStringLiteral("foreach\\((\\w+)\\s+([^)]*)\\)(.*?)endforeach\\(\\)"),
        QRegularExpression::DotMatchesEverythingOption);
    cmake.remove(kComment);
    for (auto loop = kLoop.match(cmake); loop.hasMatch(); loop = kLoop.match(cmake)) {
        QString lines;
        for (const QString& item : loop.captured(2).simplified().split(QLatin1Char(' ')))
            lines += loop.captured(3).replace(QStringLiteral("${%1}").arg(loop.captured(1)), item);
        cmake.replace(loop.capturedStart(), loop.capturedLength(), lines);
    }
    return cmake;
}

/// What the calls `function(FOLDER DEPENDENCIES...)` declare, with what the dependencies depend on.
Dependencies declared(const QString& cmakeFile, const QString& function)
{
    const QRegularExpression call(function + QStringLiteral("\\(([^)]*)\\)"));
    Dependencies out;
    QMap<QString, QString> folderOf; // "views_graph" is the library of views/graph
    const QString text = unrolled(content(cmakeFile));
    for (auto it = call.globalMatch(text); it.hasNext();) {
        const QStringList words = it.next().captured(1).simplified().split(QLatin1Char(' '));
        const QString& folder = words.first();
        folderOf[QString(folder).replace(QLatin1Char('/'), QLatin1Char('_'))] = folder;
        QSet<QString>& all = out[folder];
        all << folder;
        for (const QString& word : words.mid(1))
            all += out.value(folderOf.value(word, word)) + QSet<QString>{folderOf.value(word, word)};
    }
    return out;
}

struct Include
{
    int line = 0;
    QString path;
    bool quoted = false;
};

QList<Include> includesOf(const QString& text)
{
    static const QRegularExpression kInclude(QStringLiteral("^\\s*#\\s*include\\s*([\"<])([^\">]+)[\">]"));
    QList<Include> out;
    int line = 0;
    for (const QString& l : text.split(QLatin1Char('\n'))) {
        ++line;
        if (const auto m = kInclude.match(l); m.hasMatch())
            out.push_back({line, m.captured(2), m.captured(1) == QLatin1String("\"")});
    }
    return out;
}

QString folderOf(const QString& path)
{
    return path.section(QLatin1Char('/'), 0, -2);
}

bool isJsonSource(const QString& path)
{
    const QString name = path.section(QLatin1Char('/'), -1);
    return name.startsWith(QLatin1String("json_")) ||
           name.section(QLatin1Char('.'), 0, 0).endsWith(QLatin1String("_json"));
}

/// Headers of core/ that bring json.hpp with them, which takes longer to compile than most sources.
QSet<QString> jsonHeaders()
{
    QSet<QString> out;
    for (bool more = true; more;) {
        more = false;
        QDirIterator it(kRoot + QLatin1String("core"), {QStringLiteral("*.h")}, QDir::Files,
                        QDirIterator::Subdirectories);
        while (it.hasNext()) {
            const QString path = QDir(kRoot + QLatin1String("core")).relativeFilePath(it.next());
            if (out.contains(path))
                continue;
            for (const Include& include : includesOf(content(QLatin1String("core/") + path)))
                if (include.path.startsWith(QLatin1String("nlohmann/")) || out.contains(include.path)) {
                    out << path;
                    more = true;
                }
        }
    }
    return out;
}

/// The faults of one source file; `path` is relative to the repository.
QStringList faultsOf(const QString& path, const QString& text, const Dependencies& core,
                     const Dependencies& ui)
{
    static const QSet<QString> kJson = jsonHeaders();
    const QString layer = path.section(QLatin1Char('/'), 0, 0);
    const QString folder = folderOf(path.section(QLatin1Char('/'), 1));
    QStringList out;
    for (const Include& include : includesOf(text)) {
        const auto fault = [&](const QString& why) {
            out << QStringLiteral("%1:%2: %3 %4").arg(path).arg(include.line).arg(include.path, why);
        };
        if (layer == QLatin1String("core") && !include.quoted &&
            (include.path.startsWith(QLatin1Char('Q')) || include.path.startsWith(QLatin1String("Qt"))))
            fault(QStringLiteral("is Qt, which core/ does not know"));
        if (layer != QLatin1String("app") && !isJsonSource(path) &&
            (include.path.startsWith(QLatin1String("nlohmann/")) || kJson.contains(include.path)))
            fault(QStringLiteral("is JSON, which belongs into *_json.cpp and json_*"));
        if (include.path.startsWith(QLatin1String("qcustomplot")) &&
            !path.startsWith(QLatin1String("ui/chart/")))
            fault(QStringLiteral("belongs into ui/chart"));
        if (!include.quoted)
            continue;
        const QString target = folderOf(include.path);
        if (target.isEmpty()) { // a neighbour, or what moc makes
            if (!include.path.endsWith(QLatin1String(".moc")) &&
                !QFile::exists(kRoot + folderOf(path) + QLatin1Char('/') + include.path))
                fault(QStringLiteral("does not exist"));
        } else if (QFile::exists(kRoot + QLatin1String("core/") + include.path)) {
            if (layer == QLatin1String("core") && !core.value(folder).contains(target))
                fault(QStringLiteral("is not among what core/%1 links").arg(folder));
        } else if (QFile::exists(kRoot + QLatin1String("ui/") + include.path)) {
            if (layer == QLatin1String("core") || path.startsWith(QLatin1String("app/cli/")))
                fault(QStringLiteral("is part of the window"));
            else if (layer == QLatin1String("ui") && !ui.value(folder).contains(target))
                fault(QStringLiteral("is not among what ui/%1 links").arg(folder));
        } else if (QFile::exists(kRoot + QLatin1String("app/") + include.path)) {
            if (layer != QLatin1String("app"))
                fault(QStringLiteral("is part of the programs"));
        } else {
            fault(QStringLiteral("does not exist"));
        }
    }
    return out;
}

} // namespace

class TestLayers : public QObject
{
    Q_OBJECT

    Dependencies m_core, m_ui;

private slots:
    void initTestCase()
    {
        m_core = declared(QStringLiteral("core/CMakeLists.txt"), QStringLiteral("tilewright_core"));
        m_ui = declared(QStringLiteral("ui/CMakeLists.txt"), QStringLiteral("tilewright_ui"));
    }

    void everyFolderIsDeclared()
    {
        for (const auto& [layer, declared] :
             {std::pair{QStringLiteral("core/"), &m_core}, std::pair{QStringLiteral("ui/"), &m_ui}}) {
            QSet<QString> found;
            QDirIterator it(kRoot + layer, {QStringLiteral("*.cpp"), QStringLiteral("*.h")}, QDir::Files,
                            QDirIterator::Subdirectories);
            while (it.hasNext())
                found << folderOf(QDir(kRoot + layer).relativeFilePath(it.next()));
            const QSet<QString> names(declared->keyBegin(), declared->keyEnd());
            QCOMPARE(found - names, QSet<QString>());
            QCOMPARE(names - found, QSet<QString>());
            for (auto i = declared->begin(); i != declared->end(); ++i)
                QVERIFY2((i.value() - names).isEmpty(), qPrintable(i.key()));
        }
    }

    void foldersIncludeWhatTheyLink()
    {
        QStringList faults;
        int files = 0;
        for (const char* layer : {"core", "ui", "app"}) {
            QDirIterator it(kRoot + QLatin1String(layer), {QStringLiteral("*.cpp"), QStringLiteral("*.h")},
                            QDir::Files, QDirIterator::Subdirectories);
            while (it.hasNext()) {
                const QString path = QDir(kRoot).relativeFilePath(it.next());
                faults += faultsOf(path, content(path), m_core, m_ui);
                ++files;
            }
        }
        QVERIFY2(files > 300, "the sources were not found");
        QVERIFY2(faults.isEmpty(), qPrintable(faults.join(QLatin1Char('\n'))));
    }

    /// The test itself: what is wrong is found.
    void wrongIncludesAreFound_data()
    {
        QTest::addColumn<QString>("path");
        QTest::addColumn<QString>("include");
        QTest::addColumn<bool>("wrong");
        const auto row = [](const char* name, const char* path, const char* include, bool wrong) {
            QTest::newRow(name) << path << QStringLiteral("#include %1\n").arg(QLatin1String(include))
                                << wrong;
        };
        row("own folder", "core/workload/x.cpp", "\"workload/problem.h\"", false);
        row("linked", "core/schedule/x.cpp", "\"base/result.h\"", false);
        row("against the arrows", "core/workload/x.cpp", "\"schedule/schedule.h\"", true);
        row("another lens", "core/mapping/x.cpp", "\"npu/run.h\"", true);
        row("window in core", "core/report/x.cpp", "\"theme/theme.h\"", true);
        row("Qt in core", "core/base/x.h", "<QString>", true);
        row("json", "core/base/x.cpp", "<nlohmann/json.hpp>", true);
        row("json by a header", "core/base/x.cpp", "\"base/json_reader.h\"", true);
        row("json in its place", "core/base/x_json.cpp", "<nlohmann/json.hpp>", false);
        row("plot", "ui/views/npu/x.cpp", "<qcustomplot.h>", true);
        row("core in a view", "ui/views/npu/x.cpp", "\"npu/run.h\"", false);
        row("window in a view", "ui/views/npu/x.cpp", "\"window/main_window.h\"", true);
        row("another view", "ui/views/npu/x.cpp", "\"views/graph/graph_view.h\"", true);
        row("window in the command line", "app/cli/x.cpp", "\"theme/theme.h\"", true);
        row("nothing", "ui/theme/x.cpp", "\"theme/made_up.h\"", true);
    }
    void wrongIncludesAreFound()
    {
        QFETCH(const QString, path);
        QFETCH(const QString, include);
        QTEST(!faultsOf(path, include, m_core, m_ui).isEmpty(), "wrong");
    }
};

TILEWRIGHT_TEST(TestLayers)

} // namespace test_layers
#include "test_layers.moc"
