// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/session_store.h"

#include "base/file.h"
#include "canvas/canvas.h"
#include "theme/text.h"
#include "window/message_bar.h"
#include "window/panes.h"

#include <QCryptographicHash>
#include <QDir>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QLocale>
#include <QMainWindow>
#include <QSettings>
#include <QStandardPaths>

namespace tilewright::ui {

namespace {

constexpr int kVersion = 1;
constexpr int kMostSessions = 60;

QString fileName(const QString& folder, const QString& problem, const QString& schedule)
{
    const QByteArray key = (problem + QLatin1Char('\n') + schedule).toUtf8();
    return folder + QLatin1Char('/') +
           QString::fromLatin1(QCryptographicHash::hash(key, QCryptographicHash::Sha1).toHex()) +
           QStringLiteral(".json");
}

template <typename Ids> QJsonArray idsToJson(const Ids& ids)
{
    QJsonArray out;
    for (const auto id : ids)
        out.append(static_cast<qint64>(id.value));
    return out;
}

template <typename Id> std::set<Id> idsFromJson(const QJsonValue& value)
{
    std::set<Id> out;
    for (const QJsonValue v : value.toArray())
        if (v.toInteger(-1) >= 0)
            out.insert(Id(static_cast<std::size_t>(v.toInteger())));
    return out;
}

} // namespace

Status writeFileSession(const QString& folder, const FileSession& session)
{
    QJsonObject parts;
    for (auto it = session.parts.begin(); it != session.parts.end(); ++it)
        parts[it.key()] = QJsonArray{it->left(), it->top(), it->width(), it->height()};
    QJsonObject views;
    for (auto it = session.views.begin(); it != session.views.end(); ++it)
        views[it.key()] = it.value();
    const SelectionState& s = session.selection;
    QJsonObject selection{{QStringLiteral("ops"), idsToJson(s.ops)},
                          {QStringLiteral("subgraphs"), idsToJson(s.subgraphs)},
                          {QStringLiteral("step"), static_cast<qint64>(s.step)}};
    QJsonObject members;
    for (const auto& [subgraph, ops] : session.members)
        members[QString::number(subgraph.value)] = idsToJson(ops);
    selection[QStringLiteral("members")] = members;
    if (s.subgraph)
        selection[QStringLiteral("subgraph")] = static_cast<qint64>(s.subgraph->value);
    if (s.tensor)
        selection[QStringLiteral("tensor")] = static_cast<qint64>(s.tensor->value);
    QJsonObject root{{QStringLiteral("version"), kVersion},
                     {QStringLiteral("problem"), session.problem},
                     {QStringLiteral("schedule"), session.schedule},
                     {QStringLiteral("perspective"), session.perspective},
                     {QStringLiteral("parts"), parts},
                     {QStringLiteral("selection"), selection},
                     {QStringLiteral("views"), views}};
    writeMarks(session, root);
    QDir().mkpath(folder);
    const QString path = fileName(folder, session.problem, session.schedule);
    Status written = writeFileAtomically(path.toStdString(),
                                         QJsonDocument(root).toJson(QJsonDocument::Compact).toStdString());
    QDir dir(folder);
    const QStringList byAge = dir.entryList({QStringLiteral("*.json")}, QDir::Files, QDir::Time);
    for (const QString& old : byAge.mid(kMostSessions))
        dir.remove(old);
    return written;
}

std::optional<FileSession> readFileSession(const QString& folder, const QString& problem,
                                           const QString& schedule)
{
    const auto text = readFile(fileName(folder, problem, schedule).toStdString());
    if (!text)
        return std::nullopt;
    const QJsonObject root = QJsonDocument::fromJson(QByteArray::fromStdString(*text)).object();
    if (root[QStringLiteral("version")].toInt() != kVersion)
        return std::nullopt;
    FileSession out;
    static_cast<DocumentMarks&>(out) = readMarks(root);
    out.problem = problem;
    out.schedule = schedule;
    out.perspective = root[QStringLiteral("perspective")].toString();
    const QJsonObject parts = root[QStringLiteral("parts")].toObject();
    for (auto it = parts.begin(); it != parts.end(); ++it) {
        const QJsonArray r = it->toArray();
        out.parts[it.key()] = {r[0].toDouble(), r[1].toDouble(), r[2].toDouble(), r[3].toDouble()};
    }
    const QJsonObject views = root[QStringLiteral("views")].toObject();
    for (auto it = views.begin(); it != views.end(); ++it)
        out.views[it.key()] = it->toObject();
    const QJsonObject selection = root[QStringLiteral("selection")].toObject();
    out.selection.ops = idsFromJson<OpId>(selection[QStringLiteral("ops")]);
    out.selection.subgraphs = idsFromJson<SubgraphId>(selection[QStringLiteral("subgraphs")]);
    const QJsonObject members = selection[QStringLiteral("members")].toObject();
    for (auto it = members.begin(); it != members.end(); ++it)
        out.members[SubgraphId(it.key().toUInt())] = idsFromJson<OpId>(*it);
    out.selection.step = selection[QStringLiteral("step")].toInteger();
    if (const qint64 i = selection[QStringLiteral("subgraph")].toInteger(-1); i >= 0)
        out.selection.subgraph = SubgraphId(static_cast<std::size_t>(i));
    if (const qint64 i = selection[QStringLiteral("tensor")].toInteger(-1); i >= 0)
        out.selection.tensor = TensorId(static_cast<std::size_t>(i));
    return out;
}

namespace {

constexpr int kSoonMs = 700;   ///< milliseconds from a change to writing the session
constexpr int kRetryMs = 5000; ///< milliseconds until the session is written again after a failure

/// Returns the folder beside the settings file, so that a program with other settings (renders, tests) has
/// other sessions.
QString sessionFolder()
{
    return QFileInfo(QSettings().fileName()).path() + QStringLiteral("/sessions");
}

std::set<OpId> opsOf(const Subgraph& subgraph)
{
    return {subgraph.ops.begin(), subgraph.ops.end()};
}

/// Returns the subgraph that has the same ops as subgraph `then` of the session; nothing if there is none.
std::optional<SubgraphId> sameSubgraph(const Schedule& schedule, const FileSession& session, SubgraphId then)
{
    const auto known = session.members.find(then);
    const auto fits = [&](SubgraphId s) {
        return s.index() < schedule.size() &&
               (known == session.members.end() || opsOf(schedule[s]) == known->second);
    };
    if (fits(then))
        return then;
    for (std::size_t i = 0; i < schedule.size(); ++i)
        if (known != session.members.end() && fits(SubgraphId(i)))
            return SubgraphId(i);
    return std::nullopt;
}

QString figuresKey(const QString& path)
{
    return QStringLiteral("figures/") + QString::fromLatin1(path.toUtf8().toHex());
}

} // namespace

SessionStore::SessionStore(QMainWindow& window, AppState& state, Panes& panes)
    : m_window(window), m_state(state), m_panes(panes)
{
    m_timer.setSingleShot(true);
    connect(&m_timer, &QTimer::timeout, this, [this] {
        saveOpenFiles();
        saveFile();
    });
    // Only saved states count as best total: a better state that is never saved cannot be opened again.
    const auto compare = [this] {
        const SnapshotPtr& now = m_state.document.snapshot();
        if (now && now->problem == m_bestOf && now->evaluation.valid() && !m_state.document.isModified() &&
            now->evaluation.rules == now->problem->rules() && (m_best == 0 || now->evaluation.total < m_best))
            m_best = now->evaluation.total;
    };
    m_state.document.whenChanged(this, Part::Problem | Part::Machine | Part::Snapshot, [this, compare] {
        // The problem is also another one after a change of the machine.
        if (m_bestOf != m_state.document.problem()) {
            m_bestOf = m_state.document.problem();
            m_best = 0;
        }
        compare();
    });
    connect(&m_state.document, &LensDocument::fileChanged, this, compare);
    // Data that the user has added and that no schedule file contains is written soon after each change.
    const auto start = [this] {
        if (!m_timer.isActive())
            m_timer.start(kSoonMs);
    };
    m_state.document.whenChanged(this, Part::Problem | Part::Notes | Part::Baseline | Part::Nudges, start);
    connect(&m_state.document, &LensDocument::fileChanged, this, start);
}

// -- geometry and layout of the window -------------------------------------------------------------------

void SessionStore::saveWindow()
{
    QSettings settings;
    settings.setValue(QStringLiteral("geometry"), m_window.saveGeometry());
    settings.setValue(QStringLiteral("docks"), m_panes.layout());
    settings.setValue(QStringLiteral("docksOfModel"), m_panes.hadModel());
    settings.setValue(QStringLiteral("perspective"), m_panes.perspective());
    saveOpenFiles();
    saveFile();
}

void SessionStore::saveOpenFiles() const
{
    QStringList open{m_state.document.problemPath(), m_state.document.schedulePath()};
    open.removeAll(QString());
    QSettings().setValue(QStringLiteral("openFiles"), open);
}

void SessionStore::restoreWindow()
{
    const QSettings settings;
    m_window.restoreGeometry(settings.value(QStringLiteral("geometry")).toByteArray());
    const QByteArray docks = settings.value(QStringLiteral("docks")).toByteArray();
    const bool restored = m_panes.restoreLayout(
        docks, settings.value(QStringLiteral("perspective"), m_panes.perspective()).toString(),
        settings.value(QStringLiteral("docksOfModel"), true).toBool());
    if (!restored && !docks.isEmpty())
        Q_EMIT layoutReset();
}

QStringList SessionStore::lastFiles()
{
    QStringList files = QSettings().value(QStringLiteral("openFiles")).toStringList();
    files.removeIf([](const QString& path) { return !QFileInfo::exists(path); });
    return files;
}

// -- session of the open files ---------------------------------------------------------------------------

void SessionStore::saveFile()
{
    takeOtherNotes();
    const Status saved = writeFile();
    if (saved) {
        m_timer.stop();
        knowNotes(m_state.document.notes());
    } else {
        m_timer.start(kRetryMs);
    }
    const QString why = saved ? QString() : QString::fromStdString(saved.error().text());
    if (const QString before = std::exchange(m_failure, why); !saved && before != why)
        Q_EMIT failed(tr("Notes, baselines and moved nodes cannot be saved: %1").arg(why));
}

void SessionStore::knowNotes(const Document::Notes& notes)
{
    m_knownNotes = notes;
    m_notesOf = {m_state.document.problemPath(), m_state.document.schedulePath()};
}

/// Takes over notes that another window with the same files has written since, except those that were changed
/// in this window.
void SessionStore::takeOtherNotes()
{
    Document& document = m_state.document;
    const auto session = readFileSession(sessionFolder(), document.problemPath(), document.schedulePath());
    if (!session || m_notesOf != std::pair(document.problemPath(), document.schedulePath()))
        return;
    for (auto it = session->notes.begin(); it != session->notes.end(); ++it) {
        const QString known = m_knownNotes.value(it.key());
        if (it.value() != known && document.notes().value(it.key()) == known)
            document.setNote(it.key(), it.value());
    }
}

Status SessionStore::writeFile() const
{
    const Document& document = m_state.document;
    if (!document.hasProblem() || document.problemPath().isEmpty())
        return Unit{};
    noteFigures();
    FileSession session;
    session.problem = document.problemPath();
    session.schedule = document.schedulePath();
    session.perspective = m_panes.perspective();
    for (const Canvas* canvas : m_window.findChildren<Canvas*>())
        if (const auto part = canvas->shownPart(); part && !part->isNull())
            session.parts[canvas->viewName()] = *part;
    for (const View* view : m_panes.views())
        if (QJsonObject settings = view->settings(); !settings.isEmpty())
            session.views[view->viewName()] = std::move(settings);
    session.selection = m_state.selection.state();
    std::set<SubgraphId> chosen = session.selection.subgraphs;
    if (session.selection.subgraph)
        chosen.insert(*session.selection.subgraph);
    for (const SubgraphId s : chosen)
        if (s.index() < document.schedule().size())
            session.members[s] = opsOf(document.schedule()[s]);
    static_cast<DocumentMarks&>(session) = document.marks();
    return writeFileSession(sessionFolder(), session);
}

void SessionStore::restoreFile()
{
    Document& document = m_state.document;
    const auto session = readFileSession(sessionFolder(), document.problemPath(), document.schedulePath());
    saveOpenFiles();
    // Opening a file reported changes that the session is about to restore, so nothing needs to be written.
    m_timer.stop();
    knowNotes(session && document.notes().isEmpty() ? session->notes : Document::Notes());
    if (!session) {
        if (document.schedulePath().isEmpty())
            m_panes.showNewWorkload();
        return;
    }
    if (!session->perspective.isEmpty() && session->perspective != m_panes.perspective())
        m_panes.applyPerspective(session->perspective);
    // The files may have changed since, so only existing items are restored.
    SelectionState s = session->selection;
    const std::size_t ops = document.problem()->opCount();
    std::erase_if(s.ops, [&](OpId i) { return i.index() >= ops; });
    for (const SubgraphId then : std::exchange(s.subgraphs, {}))
        if (const auto now = sameSubgraph(document.schedule(), *session, then))
            s.subgraphs.insert(*now);
    if (s.subgraph)
        s.subgraph = sameSubgraph(document.schedule(), *session, *s.subgraph);
    if (!s.subgraph)
        s.step = 0;
    if (s.tensor && s.tensor->index() >= document.problem()->tensorCount())
        s.tensor.reset();
    m_state.selection.set(s);
    for (Canvas* canvas : m_window.findChildren<Canvas*>())
        if (session->parts.contains(canvas->viewName()))
            canvas->showPart(session->parts[canvas->viewName()]);
    for (View* view : m_panes.views())
        if (session->views.contains(view->viewName()))
            view->restoreSettings(session->views[view->viewName()]);
    document.addMarks(*session); // does not replace marks of the problem, if that was open before
    m_timer.stop();
}

// -- recent files ----------------------------------------------------------------------------------------

void SessionStore::noteFigures() const
{
    const Document& document = m_state.document;
    const SnapshotPtr& snapshot = document.snapshot();
    if (!snapshot)
        return;
    QSettings settings;
    QString of = document.machine() ? QString::fromLatin1(digestOf(writeMachine(*document.machine())).toHex())
                                    : QString();
    for (const auto& [name, size] : document.dimensions())
        of += QStringLiteral(" %1=%2").arg(QString::fromStdString(name), QString::number(size));
    const auto note = [&](const QString& path, double total, bool keepBest) {
        if (path.isEmpty())
            return;
        settings.beginGroup(figuresKey(path));
        // A stored best total belongs to one machine and one choice of the free dimensions.
        if (settings.value(QStringLiteral("of")).toString() != of) {
            settings.remove(QStringLiteral("total"));
            settings.setValue(QStringLiteral("of"), of);
        }
        settings.setValue(QStringLiteral("ops"), static_cast<qlonglong>(snapshot->problem->opCount()));
        const double known = settings.value(QStringLiteral("total"), 0.0).toDouble();
        if (total > 0 && !(keepBest && known > 0 && known <= total))
            settings.setValue(QStringLiteral("total"), total);
        settings.endGroup();
    };
    note(document.problemPath(), m_best, true);
    if (!document.isModified())
        note(document.schedulePath(), snapshot->evaluation.valid() ? snapshot->evaluation.total : 0, false);
}

std::vector<RecentFile> SessionStore::recentFiles()
{
    const QSettings settings;
    std::vector<RecentFile> files;
    for (const QString& path : settings.value(QStringLiteral("recent")).toStringList()) {
        QStringList figures;
        if (const qlonglong ops = settings.value(figuresKey(path) + QStringLiteral("/ops")).toLongLong())
            figures << counted(ops, QObject::tr("op"), QObject::tr("ops"));
        if (const double total = settings.value(figuresKey(path) + QStringLiteral("/total")).toDouble();
            total > 0)
            figures << (path.endsWith(QLatin1String(".schedule.json")) ? QObject::tr("total %1")
                                                                       : QObject::tr("best total %1"))
                           .arg(number(total));
        files.push_back({path, figures.join(QStringLiteral(" · "))});
    }
    return files;
}

// -- recovery --------------------------------------------------------------------------------------------

Recovery::Recovery(AppState& state, QWidget& place)
    : QObject(&place), m_state(state), m_place(place),
      m_store(QStandardPaths::writableLocation(QStandardPaths::AppDataLocation) + QStringLiteral("/recovery"))
{
    m_timer.setSingleShot(true);
    connect(&m_state.workspace, &Workspace::edited, this, [this] {
        if (!m_timer.isActive())
            m_timer.start();
    });
    // The copy of a modified schedule also has notes and baselines.
    m_state.document.whenChanged(this, Part::Notes | Part::Baseline, [this] {
        if (!m_timer.isActive() && m_state.document.isModified())
            m_timer.start();
    });
    connect(&m_timer, &QTimer::timeout, this, &Recovery::keep);
}

void Recovery::keep()
{
    m_timer.stop();
    const Status kept = m_store.keep(m_state.workspace);
    if (!kept)
        m_timer.start(); // try again later, even without a further edit
    const QString why = kept ? QString() : QString::fromStdString(kept.error().text());
    if (const QString before = std::exchange(m_failure, why); before == why)
        return;
    if (kept)
        Q_EMIT keptAgain();
    else
        Q_EMIT failed(tr("The recovery copy cannot be written: %1").arg(why));
}

MessageBar& Recovery::bar()
{
    if (!m_bar)
        m_bar = new MessageBar(m_state.context(), &m_place);
    return *m_bar;
}

void Recovery::offer()
{
    const std::vector<LostSession> lost = m_store.lost();
    if (lost.empty()) {
        if (m_bar)
            m_bar->dismiss();
        return;
    }
    const LostSession& session = lost.front();
    bar().show(
        MessageBar::Kind::Warning,
        tr("Tilewright did not close properly. Unsaved changes, last of %1, can be restored: %2.")
            .arg(QLocale().toString(session.saved, QStringLiteral("d MMMM, hh:mm")),
                 session.documents.join(QStringLiteral(", "))),
        tr("Restore"), [this, session] { restore(session); }, tr("Discard"),
        [this, session] { discard(session); });
}

void Recovery::discard(const LostSession& session)
{
    const auto discarded = m_store.discard(session);
    if (!discarded)
        return bar().show(MessageBar::Kind::Error, QString::fromStdString(discarded.error().text()));
    const auto next = [this] { offer(); };
    bar().show(
        MessageBar::Kind::Info, tr("The unsaved changes are discarded. Their copy is kept for 7 days."),
        tr("Undo discard"),
        [this, copy = *discarded] {
            const Status back = m_store.undoDiscard(copy);
            back ? offer() : bar().show(MessageBar::Kind::Error, QString::fromStdString(back.error().text()));
        },
        hasLost() ? tr("Next") : QString(), hasLost() ? next : std::function<void()>());
    constexpr int kShownMs = 20'000;
    QTimer::singleShot(kShownMs, this, [this, text = bar().text()] {
        if (bar().text() == text)
            bar().dismiss();
    });
}

void Recovery::restore(const LostSession& session)
{
    const Status restored = m_store.restore(session, m_state.workspace);
    if (restored) {
        Q_EMIT this->restored();
        offer(); // there may be further lost sessions
    } else
        bar().show(MessageBar::Kind::Error, QString::fromStdString(restored.error().text()), tr("Discard"),
                   [this, session] { discard(session); });
}

} // namespace tilewright::ui
