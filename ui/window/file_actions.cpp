// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/file_actions.h"

#include "base/file.h"
#include "overlay/named_values.h"
#include "schedule/schedule_json.h"
#include "theme/text.h"
#include "window/message_bar.h"
#include "window/source_dialog.h"
#include "window/start_page.h"
#include "workspace/installed_files.h"
#include "workspace/model_file.h"

#include <QApplication>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QFileSystemWatcher>
#include <QLockFile>
#include <QMenu>
#include <QMessageBox>
#include <QPushButton>
#include <QScopedValueRollback>
#include <QSettings>

#include <algorithm>
#include <utility>

#include <sys/stat.h>

namespace tilewright::ui {

namespace {

/// Key in the settings that stores the problem of a schedule file.
QString problemKey(const QString& schedule)
{
    return QStringLiteral("problemOf/") + QString::fromLatin1(schedule.toUtf8().toHex());
}

constexpr int kSettleMs = 150;
/// Maximum size of files, in bytes, whose contents are compared. Larger files are compared by size, time of
/// change and inode, unless Save writes them.
constexpr qint64 kMostDigested = qint64{4} << 20;

/// Returns size, time of change and inode of a file; empty if the file does not exist.
QByteArray stateOf(const QString& path)
{
    struct stat info = {};
    if (::stat(QFile::encodeName(path).constData(), &info) != 0)
        return {};
    return QByteArray::number(qint64{info.st_size}) + ' ' + QByteArray::number(qint64{info.st_mtim.tv_sec}) +
           ' ' + QByteArray::number(qint64{info.st_mtim.tv_nsec}) + ' ' +
           QByteArray::number(static_cast<quint64>(info.st_ino));
}

/// Returns the problem file of a schedule: the one with which it was saved or opened before, according to the
/// settings, or else the one that its name refers to. Empty if there is none.
QString problemOf(const QString& schedule)
{
    const QString known = QSettings().value(problemKey(schedule)).toString();
    return QFileInfo::exists(known) ? known : problemBeside(QFileInfo(schedule));
}

/// Creates the lock that a window holds while it has the file open. The lock file is beside the settings,
/// like the session files.
std::unique_ptr<QLockFile> lockOf(const QString& path)
{
    const QString folder = QFileInfo(QSettings().fileName()).path() + QStringLiteral("/open");
    QDir().mkpath(folder);
    auto lock = std::make_unique<QLockFile>(
        folder + QLatin1Char('/') +
        QString::fromLatin1(digestOf(QFileInfo(path).canonicalFilePath().toStdString()).toHex()) +
        QStringLiteral(".lock"));
    lock->setStaleLockTime(0);
    lock->tryLock(0);
    return lock;
}

bool isSample(const QString& path)
{
    const QString samples = QDir(samplesFolder()).canonicalPath();
    return !samples.isEmpty() && QFileInfo(path).canonicalFilePath().startsWith(samples + QLatin1Char('/'));
}

} // namespace

FileActions::FileActions(QWidget& window, AppState& state, MessageBar& messages)
    : QObject(&window), m_window(window), m_state(state), m_messages(messages),
      m_watcher(new QFileSystemWatcher(this))
{
    m_lookTimer.setSingleShot(true);
    m_lookTimer.setInterval(kSettleMs);
    connect(&m_lookTimer, &QTimer::timeout, this, &FileActions::lookForChanges);
    // The folders are watched, too, because a watched file is no longer watched after it has been replaced.
    for (auto signal : {&QFileSystemWatcher::fileChanged, &QFileSystemWatcher::directoryChanged})
        connect(m_watcher, signal, this, [this] {
            if (!m_lookTimer.isActive())
                m_lookTimer.start();
        });
    connect(&m_state.workspace, &Workspace::edited, this, &FileActions::watchDocuments);
    m_state.document.whenChanged(this, Part::Problem, &FileActions::forgetClosed);
    // After an edit, or after another file was opened, the offer is out of date and removed.
    m_state.document.whenChanged(this, Part::Problem | Part::Steps, [this] {
        if (!m_offer.isEmpty() && m_messages.text() == std::exchange(m_offer, {}))
            m_messages.dismiss();
    });
    m_state.workspace.setGuard([this](LensDocument& document) { return confirmDiscard({&document}); });
}

FileActions::~FileActions() = default;

// -- open ------------------------------------------------------------------------------------------------

void FileActions::chooseAndOpen()
{
    const QStringList paths = QFileDialog::getOpenFileNames(
        &m_window, tr("Open"), {},
        tr("Models, problems, schedules, machines (*.json *.csv *.onnx *.mlir *.stablehlo);;All files (*)"));
    if (!paths.isEmpty())
        open(paths);
}

void FileActions::chooseAndCompare()
{
    const QString path =
        QFileDialog::getOpenFileName(&m_window, tr("Compare with"), {},
                                     tr("Models (*.onnx *.mlir *.stablehlo *.json *.csv);;All files (*)"));
    if (!path.isEmpty())
        compareWith(path);
}

bool FileActions::compareWith(const QString& path)
{
    if (const Status read = m_state.workspace.compared().open(path); !read) {
        showFileError(read.error(), path);
        return false;
    }
    Q_EMIT comparisonOpened();
    return true;
}

void FileActions::reload()
{
    QStringList paths{m_state.document.problemPath(), m_state.document.schedulePath()};
    if (LensDocument& current = m_state.workspace.current(); current.lens() != Lens::Schedule)
        paths = {current.path()};
    paths.removeAll(QString());
    if (!paths.isEmpty())
        open(paths);
}

bool FileActions::open(const QStringList& paths)
{
    bool ok = true;
    std::vector<LensFile> files;
    for (const QString& path : paths) {
        const QString absolute = QFileInfo(path).absoluteFilePath();
        if (auto file = readLensFile(absolute)) {
            if (m_state.document.model() && absolute == m_state.document.problemPath())
                // The file was opened for all lenses, so it is reloaded for all lenses.
                file->kind = FileKind::Model;
            files.push_back(std::move(*file));
        } else {
            showFileError(file.error(), absolute);
            ok = false;
        }
    }
    sortForOpening(files);
    const QString other = takeCompared(files);
    const auto isSchedule = [](const LensFile& file) { return file.kind == FileKind::Schedule; };
    // Several schedules of one problem are opened to compare the last one with each of the others.
    bool compared = false;
    for (const LensFile& file : files) {
        const bool compare = isSchedule(file) && m_state.document.hasProblem() &&
                             std::count_if(files.begin(), files.end(), isSchedule) >= 2;
        compared = compared || compare;
        if (!openFile(file))
            ok = false;
        else if (compare && &file != &files.back())
            m_state.document.pinBaseline(QFileInfo(file.path).fileName());
    }
    if (compared)
        Q_EMIT comparisonOpened();
    if (!other.isEmpty() && ok)
        return compareWith(other);
    if (ok && files.size() == 1 &&
        (files.front().kind == FileKind::Problem || files.front().kind == FileKind::Model))
        offerSchedules(files.front().path);
    return ok;
}

void FileActions::offerSchedules(const QString& problem)
{
    const QStringList schedules = schedulesBeside(QFileInfo(problem));
    if (schedules.isEmpty() || !m_messages.text().isEmpty() || qApp->property("tilewrightNoPrompts").toBool())
        return;
    const auto name = [](const QString& path) { return QFileInfo(path).fileName(); };
    constexpr qsizetype kNamed = 4;
    QStringList titles;
    for (const QString& path : schedules.first(std::min(schedules.size(), kNamed)))
        titles << scheduleTitle(QFileInfo(problem), path);
    if (schedules.size() > kNamed)
        titles << tr("…");
    if (schedules.size() == 1)
        m_messages.show(MessageBar::Kind::Info,
                        tr("There is a schedule for it in the same folder: %1.").arg(name(schedules.front())),
                        tr("Open it"), [this, schedules] { open(schedules); });
    else
        m_messages.show(
            MessageBar::Kind::Info,
            tr("There are %1 for it in the same folder: %2.")
                .arg(counted(schedules.size(), {}, tr("schedules")), titles.join(QStringLiteral(", "))),
            tr("Choose…"),
            [this, schedules, problem] {
                QMenu menu(&m_window);
                for (const QString& path : schedules)
                    menu.addAction(scheduleTitle(QFileInfo(problem), path), this,
                                   [this, path] { open({path}); });
                menu.exec(QCursor::pos());
            },
            tr("Compare all schedules"), [this, schedules] { open(schedules); });
    m_offer = m_messages.text();
}

QString FileActions::startFolder() const
{
    const QString& problem = m_state.document.problemPath();
    return folderBeside(isSample(problem) ? QString() : problem);
}

bool FileActions::openFile(const LensFile& file)
{
    if (file.kind == FileKind::Measurements) {
        if (const auto opened = m_state.workspace.open(file); !opened) {
            showFileError(opened.error(), file.path);
            return false;
        }
        rememberRecent(file.path);
        Q_EMIT viewWanted(overlay::isNamedValues(file.text()) ? QStringLiteral("overlay")
                                                              : QString::fromLatin1(fileUse(file.kind).view));
        return true;
    }
    Document& document = m_state.document;
    Q_EMIT opening();
    const bool hadProblem = document.hasProblem();
    const QString problem = file.kind == FileKind::Schedule ? problemOf(file.path) : QString();
    if (!problem.isEmpty() && !hadProblem) {
        if (const Status opened = document.openProblem(problem); !opened) {
            showFileError(opened.error(), problem);
            return false;
        }
        watch(problem, {});
    } else if (!problem.isEmpty() && QFileInfo(problem) != QFileInfo(document.problemPath())) {
        // For a schedule of another problem, first make sure that it can be opened; then ask the user to save
        // or discard changes.
        if (const auto read = readSchedule(*document.problem(), file.text(), file.name());
            !read || !read->formatIssues.empty()) {
            showFileError(read ? Error{ErrorCode::Field, read->formatIssues.front().text, {}, file.name()}
                               : read.error(),
                          file.path, tr("Open with %1").arg(QFileInfo(problem).fileName()),
                          [this, paths = QStringList{problem, file.path}] { open(paths); });
            return false;
        }
    }
    const auto opened = m_state.workspace.open(file);
    if (opened && !*opened)
        return false;
    if (file.lens() != Lens::Schedule)
        Q_EMIT lensOpened(file.kind);
    if (!opened) {
        if (file.kind == FileKind::Schedule && document.hasProblem() && !hadProblem)
            Q_EMIT this->opened(FileKind::Problem); // the problem stays open, with the message on it
        if (file.kind == FileKind::Schedule && document.hasProblem() &&
            readSchedule(*document.problem(), file.text(), file.name())) {
            showFileError(opened.error(), file.path, tr("Open anyway"), [this, path = file.path] {
                if (const Status part = m_state.document.openReadablePart(path); !part)
                    showError(part.error());
            });
            m_offer = m_messages.text();
        } else {
            showFileError(opened.error(), file.path);
        }
        return false;
    }
    m_messages.dismiss();
    const std::string unknown =
        file.kind == FileKind::Schedule  ? lower::unknownInSchedule(document.schedule().extra)
        : file.kind == FileKind::Problem ? lower::unknownInProblem(document.problem()->data().extra)
                                         : std::string();
    if (!unknown.empty())
        m_messages.show(
            MessageBar::Kind::Warning,
            QStringLiteral("%1: %2").arg(QFileInfo(file.path).fileName(), QString::fromStdString(unknown)));
    if (file.kind == FileKind::NpuModel || file.kind == FileKind::MappingModel)
        offerAllLenses(file);
    if (file.kind == FileKind::Model) {
        tellAssumedSizes();
        warnAboutImport();
    }
    rememberRecent(file.path);
    if (file.kind == FileKind::Schedule)
        QSettings().setValue(problemKey(file.path), document.problemPath());
    if (!isDocumentFile(file.path)) // for document files, watchDocuments() has already done this
        watch(file.path, {});
    warnIfOpenElsewhere(file.path);
    Q_EMIT this->opened(file.kind);
    return true;
}

void FileActions::offerAllLenses(const LensFile& file)
{
    m_messages.show(MessageBar::Kind::Info,
                    tr("%1 is open in one lens only.").arg(QFileInfo(file.path).fileName()),
                    tr("Open in all lenses"), [this, file] {
                        LensFile whole = file;
                        whole.kind = FileKind::Model;
                        openFile(whole);
                    });
}

/// Shows a message with the sizes that the file leaves open, as long as the user has not chosen them, and
/// with options that were forgotten.
void FileActions::tellAssumedSizes()
{
    const Document& document = m_state.document;
    if (const auto& why = document.forgottenOptions())
        m_messages.show(
            MessageBar::Kind::Warning,
            tr("The options chosen last for this model do not fit the file any more (%1); it is open "
               "with its defaults.")
                .arg(QString::fromStdString(why->message)),
            tr("Change the options"), [this] { Q_EMIT viewWanted(QStringLiteral("import")); });
    if (document.freeDimensions().empty() || !rememberedDimensions(document.problemPath()).empty())
        return;
    QStringList sizes;
    for (const auto& [name, size] : document.dimensions())
        sizes << tr("%1 = %2").arg(QString::fromStdString(name), number(size));
    m_messages.show(MessageBar::Kind::Warning,
                    tr("The file leaves sizes open; these are assumed: %1.").arg(sizes.join(tr(", "))),
                    tr("Change the sizes"), [this] { Q_EMIT viewWanted(QStringLiteral("import")); });
}

void FileActions::warnAboutImport()
{
    const lower::ModelOnMachine& model = *m_state.document.model();
    const lower::LoweringReport report = lower::reportOf(*model.workload, model.lowered.report);
    const auto dropped =
        std::ranges::count(report.nodes, lower::NodeStatus::Dropped, &lower::NodeReport::status);
    if (dropped == 0)
        return;
    m_messages.show(MessageBar::Kind::Warning,
                    tr("%1 not supported: %2 of the multiply-accumulates are missing.")
                        .arg(counted(dropped, tr("operator is"), tr("operators are")),
                             QString::fromStdString(lower::droppedText(report.coverage))),
                    tr("Show"), [this] { Q_EMIT viewWanted(QStringLiteral("import")); });
}

// -- files on disk ---------------------------------------------------------------------------------------

bool FileActions::isDocumentFile(const QString& path) const
{
    return std::ranges::any_of(m_state.workspace.documents(),
                               [&](const LensDocument* document) { return document->path() == path; });
}

QByteArray FileActions::printOf(const QString& path) const
{
    return isDocumentFile(path) || QFileInfo(path).size() <= kMostDigested ? digestOfFile(path)
                                                                           : stateOf(path);
}

void FileActions::watch(const QString& path, const QByteArray& known)
{
    Watched& file = m_watched[path];
    if (!known.isEmpty() && file.known == known)
        return;
    file.known = known.isEmpty() ? printOf(path) : known;
    file.state = known.isEmpty() ? stateOf(path) : QByteArray();
    if (!file.lock && !isSample(path) && !qApp->property("tilewrightNoPrompts").toBool())
        file.lock = lockOf(path);
    dismissReport(path);
    m_watcher->addPaths({path, QFileInfo(path).path()});
    m_lookTimer.start();
}

void FileActions::watchDocuments()
{
    std::erase_if(m_watched, [this](const auto& entry) {
        return entry.second.isDocument && !isDocumentFile(entry.first);
    });
    for (const LensDocument* document : m_state.workspace.documents())
        if (!document->path().isEmpty()) {
            watch(document->path(), document->knownDigest());
            m_watched[document->path()].isDocument = true;
        }
}

void FileActions::forgetClosed()
{
    if (const QStringList all = m_watcher->files() + m_watcher->directories(); !all.isEmpty())
        m_watcher->removePaths(all);
    std::erase_if(m_watched, [this](const auto& entry) {
        return !isDocumentFile(entry.first) && entry.first != m_state.document.problemPath();
    });
    for (const auto& [path, file] : m_watched)
        m_watcher->addPaths({path, QFileInfo(path).path()});
}

void FileActions::lookForChanges()
{
    for (auto& [path, file] : m_watched) {
        const QByteArray state = stateOf(path);
        if (!file.state.isNull() && state == file.state)
            continue;
        m_watcher->removePath(path); // the descriptor may refer to the file that was replaced
        m_watcher->addPath(path);
        const bool wasThere = file.state.isNull() || !file.state.isEmpty();
        file.state = state.isEmpty() ? QByteArray("") : state;
        const QString name = QFileInfo(path).fileName();
        if (state.isEmpty()) {
            if (wasThere)
                reportChange(path, tr("%1 was deleted or moved.").arg(name));
        } else if (printOf(path) == file.known) {
            dismissReport(path);
        } else {
            reportChange(path, tr("%1 has changed on disk.").arg(name));
        }
    }
}

void FileActions::reportChange(const QString& path, const QString& text)
{
    if (QFileInfo::exists(path))
        m_messages.show(MessageBar::Kind::Warning, text, tr("Reload"), [this, path] { open({path}); });
    else
        m_messages.show(MessageBar::Kind::Warning, text);
    m_reported = path;
    m_report = m_messages.text();
}

void FileActions::dismissReport(const QString& path)
{
    if (m_reported == path && m_messages.text() == m_report)
        m_messages.dismiss();
    if (m_reported == path)
        m_reported.clear();
}

void FileActions::warnIfOpenElsewhere(const QString& path)
{
    const auto& lock = m_watched[path].lock;
    if (lock && !lock->isLocked() && lock->error() == QLockFile::LockFailedError)
        m_messages.show(
            MessageBar::Kind::Warning,
            tr("%1 is also open in another window of Tilewright. Save asks before it overwrites what "
               "the other window has saved.")
                .arg(QFileInfo(path).fileName()));
}

void FileActions::rememberRecent(const QString& path)
{
    QSettings settings;
    QStringList recent = settings.value(QStringLiteral("recent")).toStringList();
    recent.removeAll(path);
    recent.prepend(path);
    settings.setValue(QStringLiteral("recent"), recent.mid(0, 12));
    Q_EMIT recentChanged();
}

// -- save ------------------------------------------------------------------------------------------------

bool FileActions::save(LensDocument& document)
{
    const QString path = document.path();
    if (path.isEmpty() || isSample(path))
        return saveAs(document);
    return document.isChangedOnDisk() ? saveChanged(document) : write(document, path);
}

bool FileActions::write(LensDocument& document, const QString& path)
{
    const Status saved = document.save(path);
    if (saved)
        dismissReport(path);
    else
        showError(saved.error());
    return saved.hasValue();
}

bool FileActions::saveChanged(LensDocument& document)
{
    const QString path = document.path();
    QMessageBox box(
        QMessageBox::Warning, tr("The file has changed on disk"),
        tr("%1 has changed on disk since it was read or saved here.").arg(QFileInfo(path).fileName()),
        QMessageBox::Cancel, &m_window);
    box.setInformativeText(tr("Overwrite replaces that content by yours. Reload discards your changes."));
    const QAbstractButton* overwrite = box.addButton(tr("&Overwrite"), QMessageBox::DestructiveRole);
    const QAbstractButton* other = box.addButton(tr("Save &as…"), QMessageBox::AcceptRole);
    const QAbstractButton* reloading = box.addButton(tr("&Reload"), QMessageBox::DestructiveRole);
    box.setDefaultButton(QMessageBox::Cancel);
    box.exec();
    if (box.clickedButton() == overwrite)
        return write(document, path);
    if (box.clickedButton() == other)
        return saveAs(document);
    if (box.clickedButton() != reloading)
        return false;
    const QScopedValueRollback agreed(m_reloading, true);
    return open({path});
}

bool FileActions::saveAs(LensDocument& document)
{
    if (!document.hasContent())
        return false;
    // The suggested folder is that of the file or of the problem, but not the folder of the samples.
    QString beside = document.path();
    if (document.lens() == Lens::Schedule)
        beside = m_state.document.problemPath();
    const QString folder = folderBeside(isSample(beside) ? QString() : beside);
    const QString what = lensName(document.lens());
    const QString path = QFileDialog::getSaveFileName(&m_window, tr("Save: %1").arg(what),
                                                      folder + QLatin1Char('/') + document.suggestedName(),
                                                      tr("%1 (*.json)").arg(what));
    if (path.isEmpty())
        return false;
    if (!write(document, path))
        return false;
    rememberRecent(path);
    if (document.lens() == Lens::Schedule)
        QSettings().setValue(problemKey(path), m_state.document.problemPath());
    return true;
}

bool FileActions::confirmDiscard(const std::vector<LensDocument*>& documents)
{
    QStringList names;
    const QString problemName = QFileInfo(m_state.document.problemPath()).fileName();
    std::vector<LensDocument*> modified;
    for (LensDocument* document : documents)
        if (document->isModified()) {
            modified.push_back(document);
            QString name = lensName(document->lens());
            if (!document->path().isEmpty())
                name += QStringLiteral(" (%1)").arg(QFileInfo(document->path()).fileName());
            else if (document == &m_state.document)
                name = tr("Schedule of %1, which has no file yet").arg(problemName);
            names << name;
        }
    if (modified.empty() || m_reloading || !m_window.isVisible() ||
        qApp->property("tilewrightNoPrompts").toBool())
        return true;
    QMessageBox box(QMessageBox::Question, tr("Save the changes?"),
                    tr("These have changes that are not saved:") + QStringLiteral("\n\n") +
                        names.join(QLatin1Char('\n')),
                    QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel, &m_window);
    // Qt's own texts do not have access keys on every desktop
    box.button(QMessageBox::Save)->setText(tr("&Save"));
    box.button(QMessageBox::Discard)->setText(tr("&Discard"));
    box.button(QMessageBox::Cancel)->setText(tr("&Cancel"));
    box.setTextFormat(Qt::PlainText);
    const int answer = box.exec();
    if (answer == QMessageBox::Save)
        return std::all_of(modified.begin(), modified.end(),
                           [this](LensDocument* document) { return save(*document); });
    return answer == QMessageBox::Discard;
}

// -- messages --------------------------------------------------------------------------------------------

void FileActions::showError(const Error& error)
{
    m_messages.show(MessageBar::Kind::Error, QString::fromStdString(error.text()));
}

void FileActions::showExported(const Status& written, const QString& path)
{
    if (written)
        m_messages.show(MessageBar::Kind::Info, tr("Saved to %1.").arg(path));
    else
        showError(written.error());
}

void FileActions::showFileError(const Error& error, const QString& file, const QString& otherText,
                                std::function<void()> other)
{
    const auto content = onnx::readFile(file.toStdString());
    const bool isText = content && !onnx::isOnnx(content->view());
    const auto place = isText ? placeOfError(content->view(), error) : std::nullopt;
    QString showText;
    std::function<void()> show;
    if (place) {
        showText = tr("Show in text");
        show = [this, file, text = std::string(content->view()), error, place = *place] {
            auto* dialog = new SourceDialog(file, text, error, place, m_state.themes.theme(), &m_window);
            dialog->setAttribute(Qt::WA_DeleteOnClose);
            connect(dialog, &SourceDialog::savedFile, this, [this](const QString& path) { open({path}); });
            dialog->open();
        };
    }
    m_messages.show(MessageBar::Kind::Error, QString::fromStdString(error.text()), showText, show, otherText,
                    std::move(other));
}

} // namespace tilewright::ui
