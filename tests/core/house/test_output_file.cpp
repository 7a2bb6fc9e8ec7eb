// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/file.h"
#include "base/output_file.h"
#include "test_main.h"

#include <QDirIterator>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QtTest>

#include <set>

#include <sys/stat.h>
#include <unistd.h>

namespace test_output_file {

using namespace tilewright;

namespace {

struct Folder
{
    QTemporaryDir dir;
    [[nodiscard]] std::string path(const char* name) const { return dir.filePath(name).toStdString(); }
    [[nodiscard]] QStringList list() const
    {
        return QDir(dir.path())
            .entryList(QDir::AllEntries | QDir::Hidden | QDir::System | QDir::NoDotAndDotDot);
    }
};

std::string textOf(const std::string& path)
{
    const auto text = readFile(path);
    return text ? *text : text.error().text();
}

mode_t modeOf(const std::string& path)
{
    struct stat info = {};
    return ::stat(path.c_str(), &info) == 0 ? info.st_mode & 07777U : 0;
}

} // namespace

class TestOutputFile : public QObject
{
    Q_OBJECT

private slots:
    void withoutCommitNothingChanges()
    {
        const Folder f;
        const std::string path = f.path("x");
        {
            OutputFile out(path);
            out.write("one");
            QCOMPARE(f.list().size(), 1);
            QVERIFY(!QFile::exists(QString::fromStdString(path)));
        }
        QCOMPARE(f.list(), QStringList());
        QVERIFY(writeFileAtomically(path, "one"));
        {
            OutputFile out(path);
            out.write("two");
        }
        QCOMPARE(textOf(path), std::string("one"));
        QCOMPARE(f.list(), QStringList{"x"});
    }

    void linksStay()
    {
        const Folder f;
        QVERIFY(QDir(f.dir.path()).mkdir("sub"));
        QCOMPARE(::symlink("sub/target", f.path("one").c_str()), 0); // to a file that is not there yet
        QCOMPARE(::symlink(f.path("one").c_str(), f.path("two").c_str()), 0);
        QVERIFY(writeFileAtomically(f.path("two"), "text"));
        QVERIFY(writeFileAtomically(f.path("two"), "text again"));
        QCOMPARE(textOf(f.path("sub/target")), std::string("text again"));
        QVERIFY(QFileInfo(f.dir.filePath("one")).isSymLink() && QFileInfo(f.dir.filePath("two")).isSymLink());
        QCOMPARE(::symlink("loop", f.path("loop").c_str()), 0);
        const Status loop = writeFileAtomically(f.path("loop"), "text");
        QVERIFY(!loop && loop.error().message.find("symbolic links") != std::string::npos);
    }

    void permissionsAndOwnerStay()
    {
        const Folder f;
        const std::string path = f.path("x");
        QVERIFY(writeFileAtomically(path, "one"));
        const mode_t mask = ::umask(0);
        ::umask(mask);
        QCOMPARE(modeOf(path), mode_t{0666} & ~mask);
        QCOMPARE(::chmod(path.c_str(), 0600), 0);
        const bool isRoot = ::geteuid() == 0;
        constexpr uid_t kOther = 65534;
        if (isRoot)
            QCOMPARE(::chown(path.c_str(), kOther, kOther), 0);
        QVERIFY(writeFileAtomically(path, "two"));
        QCOMPARE(textOf(path), std::string("two"));
        QCOMPARE(modeOf(path), mode_t{0600});
        struct stat info = {};
        QCOMPARE(::stat(path.c_str(), &info), 0);
        QCOMPARE(info.st_uid, isRoot ? kOther : ::geteuid());
    }

    void hardLinksStay()
    {
        const Folder f;
        QVERIFY(writeFileAtomically(f.path("x"), "a long first text"));
        QCOMPARE(::link(f.path("x").c_str(), f.path("y").c_str()), 0);
        for (const char* text : {"short", "a text that is longer than the first one"}) {
            QVERIFY(writeFileAtomically(f.path("x"), text));
            QCOMPARE(textOf(f.path("x")), std::string(text));
            QCOMPARE(textOf(f.path("y")), std::string(text));
        }
        QCOMPARE(f.list(), (QStringList{"x", "y"}));
    }

    void devicesAreWrittenAtOnce()
    {
        QVERIFY(writeFileAtomically("/dev/null", "text"));
        const Status full = writeFileAtomically("/dev/full", "text");
        QVERIFY(!full);
        QCOMPARE(full.error().text(), std::string("/dev/full: cannot be written (No space left on device)"));
        QVERIFY(QFileInfo("/dev/full").exists() && checkOutput("/dev/full") && checkOutput("/dev/stdout"));
    }

    void whatCannotBeWrittenIsKnownBefore()
    {
        const Folder f;
        QVERIFY(QDir(f.dir.path()).mkdir("sub"));
        QVERIFY(checkOutput(f.path("x")));
        QCOMPARE(checkOutput(f.path("sub")).error().message, std::string("is a folder, not a file"));
        QCOMPARE(checkOutput(f.path("none/x")).error().message, std::string("its folder cannot be written"));
        QCOMPARE(checkOutput(f.path(std::string(256, 'x').c_str())).error().message,
                 std::string("cannot be written (File name too long)"));
        QVERIFY(!writeFileAtomically(f.path("sub"), "text"));
        QVERIFY(!writeFileAtomically(f.path("none/x"), "text"));
        QVERIFY(writeFileAtomically(f.path("sub") + "/" + std::string(255, 'x'), "text")); // the longest name
        QCOMPARE(f.list(), QStringList{"sub"});
    }

    /// One writer: what keeps links, permissions and the old file on a full disk is not written a second
    /// time.
    void nobodyElseWritesFiles()
    {
        const std::set<std::string> others{
            "core/sweep/folder.cpp",           // appends lines to a log, which is no result
            "ui/workspace/recovery_store.cpp", // moves recovery copies that are discarded or restored
        };
        const QRegularExpression writer(QStringLiteral(
            R"(\bstd::ofstream\b|\bQSaveFile\b|\bQTemporaryFile\b|\bfopen\(|O_WRONLY|O_RDWR|\bmkstemp\(|\bofstream \w|WriteOnly|\brename\()"));
        const QRegularExpression inMemory(
            QStringLiteral(R"((\w+\.open\(|QDataStream \w+\(&bytes, )QIODevice::WriteOnly\))"));
        const QString root = QStringLiteral(TILEWRIGHT_SOURCE_DIR "/");
        for (const char* folder : {"app", "core", "python", "ui"})
            for (QDirIterator it(root + folder, {"*.cpp", "*.h"}, QDir::Files, QDirIterator::Subdirectories);
                 it.hasNext();) {
                const QString path = it.next();
                const std::string name = path.mid(root.size()).toStdString();
                if (others.contains(name) || name == "core/base/output_file.cpp" ||
                    name == "app/manual/standard_output.cpp")
                    continue;
                QString text = QString::fromStdString(textOf(path.toStdString()));
                if (text.contains(QLatin1String("QByteArray")))
                    text.remove(inMemory);
                const auto match = writer.match(text);
                QVERIFY2(!match.hasMatch(), (name + ": " + match.captured().toStdString()).c_str());
            }
    }
};

TILEWRIGHT_TEST(TestOutputFile)

} // namespace test_output_file
#include "test_output_file.moc"
