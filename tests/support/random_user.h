// SPDX-License-Identifier: GPL-3.0-or-later
// A user without a plan, for test_random_input.
#pragma once

#include "complaints.h"
#include "faults_support.h"
#include "known_findings.h"
#include "snapshot/snapshot.h"
#include "window/view_catalog.h"
#include "window_fixture.h"
#include "workspace/lens_links.h"

#include <QDialog>
#include <QDropEvent>
#include <QEventLoop>
#include <QFileDialog>
#include <QMimeData>
#include <QScopedValueRollback>
#include <QTimer>
#include <QWheelEvent>
#include <QWindow>

#include <iostream>
#include <random>

namespace test_random_input {

using namespace tilewright;
using namespace tilewright::ui;

namespace {

std::string textOf(const LensDocument& document)
{
    const auto text = document.fileText();
    return text ? *text : text.error().text();
}

/// What undoing everything must lead back to.
struct Start
{
    ProblemPtr problem;
    Schedule schedule;
    std::string text;
    bool followed = false; ///< since then what the workload says came in between, which is no step to undo
};

/// A person with no plan. Events are sent from the event loop, so that menus, dialogs and drags, which have
/// loops of their own, get theirs too.
class Monkey : public QObject
{
public:
    Monkey(MainWindow& window, std::uint32_t seed, int events, QStringList files)
        : m_window(window), m_random(seed), m_left(events), m_files(std::move(files)),
          m_trace(qEnvironmentVariableIsSet("TILEWRIGHT_RANDOM_TRACE"))
    {
        for (const QAction* action : window.state().actions.all())
            for (const QKeySequence& keys : action->shortcuts())
                if (!keys.isEmpty() &&
                    keys[0].key() <= Qt::Key_F35) // QTest has no text for the keys of some keyboards
                    m_shortcuts.push_back(keys[0]);
        for (const ViewEntry& entry : viewCatalog())
            m_views << entry.name;
        for (const QString& file : m_files)
            m_contents.push_back(contentOf(file));
        noteStarts();
    }
    ~Monkey() override { tilewright_faults_disarm(); }

    /// False with problem() when something was wrong.
    bool run()
    {
        QTimer::singleShot(0, this, &Monkey::tick);
        m_loop.exec();
        return m_problem.isEmpty();
    }
    [[nodiscard]] const QString& problem() const { return m_problem; }
    [[nodiscard]] int checks() const { return m_checks; }

private:
    int below(int n) { return static_cast<int>(m_random() % static_cast<unsigned>(n)); }
    bool oneIn(int n) { return below(n) == 0; }
    template <typename List> auto any(const List& list)
    {
        return list[static_cast<typename List::size_type>(below(static_cast<int>(list.size())))];
    }
    void say(const QString& what) const
    {
        if (m_trace)
            std::cerr << m_left << ' ' << qPrintable(what) << std::endl;
    }

    void tick()
    {
        QTimer::singleShot(1, this, &Monkey::tick); // first: what follows may have an event loop of its own
        if (m_left <= 0 || !m_problem.isEmpty() || !g_complaints.isEmpty())
            return finish();
        if (m_checking) // waits for a result
            return;
        ++m_depth;
        for (int i = 1 + below(24); i > 0 && m_left > 0; --i)
            noteStarts(), step(); // first: what a search had found may have come since the last one
        noteStarts();
        --m_depth;
        if (m_depth == 0 && m_left < m_checkAt && !m_checking)
            check();
    }

    void finish()
    {
        // Out of what has an event loop of its own.
        if (auto* dialog = qobject_cast<QDialog*>(QApplication::activeModalWidget()))
            dialog->reject();
        else if (QWidget* popup = QApplication::activePopupWidget())
            popup->close();
        else if (m_depth > 0)
            QTest::keyClick(&m_window, Qt::Key_Escape), release();
        if (m_depth > 0 || m_checking)
            return;
        if (m_problem.isEmpty())
            check();
        if (m_problem.isEmpty() && !g_complaints.isEmpty())
            m_problem = g_complaints.first();
        disconnect();
        m_loop.quit();
    }

    void step()
    {
        --m_left;
        if (g_isFaulty && m_left < m_faultUntil) {
            say(QStringLiteral("no fault"));
            tilewright_faults_disarm();
            g_isFaulty = false;
        }
        if (!m_window.isVisible() || m_window.isMinimized())
            m_window.showNormal();
        if (auto* dialog = qobject_cast<QDialog*>(QApplication::activeModalWidget());
            dialog && (oneIn(6) || qobject_cast<QFileDialog*>(dialog))) { // nothing is written
            say(QStringLiteral("reject ") + QLatin1String(dialog->metaObject()->className()));
            dialog->reject();
            return;
        }
        if (oneIn(60))
            return oneIn(3) ? fault() : changeFile();
        switch (below(32)) {
        case 0:
            return resize();
        case 1:
            return oneIn(6) ? openFile() : showPane();
        case 2:
        case 3:
        case 4:
        case 5:
        case 6:
            return shortcut();
        case 7:
        case 8:
        case 9:
        case 10:
            return plainKey();
        case 11:
        case 12:
        case 13:
            return wheel();
        case 14:
        case 15:
        case 16:
            return drag();
        default:
            return oneIn(3) ? click() : move();
        }
    }

    // -- where
    QWidget* place()
    {
        if (QWidget* popup = QApplication::activePopupWidget())
            return popup;
        if (QWidget* modal = QApplication::activeModalWidget())
            return modal;
        QWidgetList tops;
        for (QWidget* top : QApplication::topLevelWidgets())
            if (top->isVisible() && top->windowHandle() && !top->inherits("QTipLabel"))
                tops << top;
        return tops.isEmpty() || !oneIn(4) ? &m_window : any(tops);
    }
    QPointF spot(const QWidget& in) { return QPointF(below(in.width() + 1), below(in.height() + 1)); }
    Qt::KeyboardModifiers modifiers()
    {
        static constexpr Qt::KeyboardModifier kSome[] = {Qt::ShiftModifier, Qt::ControlModifier,
                                                         Qt::AltModifier};
        return oneIn(4) ? Qt::KeyboardModifiers(kSome[below(3)]) : Qt::NoModifier;
    }

    // -- what
    void send(QWidget& top, QEvent::Type type, const QPointF& at, Qt::MouseButton button,
              Qt::MouseButtons buttons, Qt::KeyboardModifiers keys)
    {
        if (!top.windowHandle())
            return;
        QPointer<QWidget> stays = &top;
        // As an event loop does between two of them: layouts are up to date, and what a search has found has
        // come.
        QCoreApplication::sendPostedEvents();
        noteStarts();
        if (!stays || !stays->windowHandle())
            return;
        QMouseEvent event(type, at, at, top.mapToGlobal(at), button, buttons, keys);
        QApplication::sendEvent(top.windowHandle(), &event);
    }
    void release()
    {
        QPointer<QWidget> top = m_pressedIn ? m_pressedIn.data() : &m_window;
        send(*top, QEvent::MouseButtonRelease, QPointF(5, 5), Qt::LeftButton, Qt::NoButton, {});
        m_pressedIn = nullptr;
    }
    void move()
    {
        QWidget* top = place();
        send(*top, QEvent::MouseMove, spot(*top), Qt::NoButton, Qt::NoButton, {});
    }
    void click()
    {
        QPointer<QWidget> top = place();
        const QPointF at = spot(*top);
        const Qt::MouseButton button = oneIn(8) ? Qt::RightButton : Qt::LeftButton;
        const auto keys = modifiers();
        const QWidget* on = top->childAt(at.toPoint());
        say(QStringLiteral("click %1 %2,%3 on %4 %5")
                .arg(button)
                .arg(at.x())
                .arg(at.y())
                .arg(on ? QLatin1String(on->metaObject()->className()) : QLatin1String("nothing"),
                     on ? on->accessibleName() : QString()));
        const bool twice = oneIn(6);
        for (const QEvent::Type type :
             {QEvent::MouseMove, QEvent::MouseButtonPress, QEvent::MouseButtonRelease,
              QEvent::MouseButtonDblClick, QEvent::MouseButtonRelease}) {
            if (!top || (type == QEvent::MouseButtonDblClick && !twice))
                return;
            const bool moves = type == QEvent::MouseMove;
            send(*top, type, at, moves ? Qt::NoButton : button,
                 moves || type == QEvent::MouseButtonRelease ? Qt::NoButton : Qt::MouseButtons(button), keys);
        }
    }
    void drag()
    {
        QPointer<QWidget> top = place();
        QPointF at = spot(*top);
        const QPointF to = oneIn(2) ? spot(*top) : at + QPointF(below(200) - 100, below(200) - 100);
        const Qt::MouseButton button = oneIn(6) ? Qt::MiddleButton : Qt::LeftButton;
        const auto keys = modifiers();
        const QWidget* on = top->childAt(at.toPoint());
        say(QStringLiteral("drag %1 %2,%3 to %4,%5 on %6 %7")
                .arg(button)
                .arg(at.x())
                .arg(at.y())
                .arg(to.x())
                .arg(to.y())
                .arg(on ? QLatin1String(on->metaObject()->className()) : QLatin1String("nothing"),
                     on ? on->accessibleName() : QString()));
        send(*top, QEvent::MouseMove, at, Qt::NoButton, Qt::NoButton, keys);
        if (!top)
            return;
        m_pressedIn = top;
        send(*top, QEvent::MouseButtonPress, at, button, button, keys);
        for (int i = 1; i <= 5 && top; ++i)
            send(*top, QEvent::MouseMove, at + (to - at) * i / 5.0, Qt::NoButton, button, keys);
        if (top && oneIn(10))
            QTest::keyClick(focus(), Qt::Key_Escape);
        if (top)
            send(*top, QEvent::MouseButtonRelease, to, button, Qt::NoButton, keys);
        m_pressedIn = nullptr;
    }
    void wheel()
    {
        QWidget* top = place();
        const QPointF at = spot(*top);
        if (!top->windowHandle())
            return;
        say(QStringLiteral("wheel %1,%2").arg(at.x()).arg(at.y()));
        const QPoint delta(oneIn(5) ? 120 * (below(3) - 1) : 0, 120 * (below(5) - 2));
        QWheelEvent event(at, top->mapToGlobal(at), {}, delta, Qt::NoButton, modifiers(), Qt::NoScrollPhase,
                          false);
        QApplication::sendEvent(top->windowHandle(), &event);
    }
    QWidget* focus()
    {
        for (QWidget* w : {QApplication::activePopupWidget(), QApplication::focusWidget(),
                           QApplication::activeModalWidget()})
            if (w)
                return w;
        return &m_window;
    }
    void shortcut()
    {
        const QKeyCombination keys = any(m_shortcuts);
        say(QStringLiteral("keys ") + QKeySequence(keys).toString());
        QTest::keyClick(focus(), keys.key(), keys.keyboardModifiers());
    }
    void plainKey()
    {
        static const std::vector<Qt::Key> kKeys{
            Qt::Key_Left,    Qt::Key_Right,  Qt::Key_Up,     Qt::Key_Down,     Qt::Key_Tab,
            Qt::Key_Backtab, Qt::Key_Home,   Qt::Key_End,    Qt::Key_Space,    Qt::Key_Return,
            Qt::Key_Escape,  Qt::Key_Delete, Qt::Key_PageUp, Qt::Key_PageDown, Qt::Key_Backspace,
            Qt::Key_0,       Qt::Key_1,      Qt::Key_2,      Qt::Key_6,        Qt::Key_8,
            Qt::Key_Plus,    Qt::Key_Minus,  Qt::Key_Period, Qt::Key_Comma,    Qt::Key_A,
            Qt::Key_D,       Qt::Key_S,      Qt::Key_W,      Qt::Key_M,        Qt::Key_BracketLeft};
        const Qt::Key key = any(kKeys);
        say(QStringLiteral("key ") + QKeySequence(key).toString());
        QTest::keyClick(focus(), key, modifiers());
    }
    void resize()
    {
        if (oneIn(5)) {
            say(QStringLiteral("maximise"));
            m_window.isMaximized() ? m_window.showNormal() : m_window.showMaximized();
            return;
        }
        const QSize size(300 + below(1300), 250 + below(800));
        say(QStringLiteral("resize %1x%2").arg(size.width()).arg(size.height()));
        m_window.resize(size);
    }
    void showPane()
    {
        const QString name = any(m_views);
        say(QStringLiteral("pane ") + name);
        m_window.showView(name);
    }
    void openFile()
    {
        if (QApplication::activeModalWidget())
            return;
        QStringList files{any(m_files)};
        if (oneIn(4))
            files << any(m_files);
        say(QStringLiteral("open ") + files.join(QLatin1Char(' ')));
        if (oneIn(2)) {
            (void)m_window.openPaths(files);
            return;
        }
        QMimeData mime;
        QList<QUrl> urls;
        for (const QString& file : files)
            urls << QUrl::fromLocalFile(file);
        mime.setUrls(urls);
        QDropEvent event(QPointF(100, 100), Qt::CopyAction, &mime, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(&m_window, &event);
    }

    static QByteArray contentOf(const QString& path)
    {
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    /// For the next events one of the next calls to the system fails, or all from it on.
    void fault()
    {
        if (m_known.has("window-random fault"))
            return;
        const test::Fault& f = any(test::ioFaults());
        const int n = 1 + below(6);
        say(QStringLiteral("fault %1 at call %2").arg(QLatin1String(f.name)).arg(n));
        g_isFaulty = true;
        m_faultUntil = m_left - 5 - below(40);
        tilewright_faults_arm(f.call, n, f.error, f.stays ? 1 : 0);
    }
    /// What another program does to a file, whether or not it is open.
    void changeFile()
    {
        if (m_known.has("window-random changed-file") || g_isFaulty)
            return;
        const int i = below(static_cast<int>(m_files.size()));
        const QString& path = m_files[i];
        const QByteArray& own = m_contents[i];
        const int how = below(8);
        say(QStringLiteral("change %1 %2").arg(how).arg(path));
        QFile::setPermissions(path, QFile::ReadOwner | QFile::WriteOwner);
        const auto put = [](const QString& to, const QByteArray& content) {
            QFile file(to);
            if (file.open(QIODevice::WriteOnly | QIODevice::Truncate))
                file.write(content);
        };
        switch (how) {
        case 0: // by another one, in place
            put(path, any(m_contents));
            break;
        case 1: // as editors save
            put(path + QStringLiteral(".new"), any(m_contents));
            QFile::remove(path);
            QFile::rename(path + QStringLiteral(".new"), path);
            break;
        case 2:
            QFile::remove(path);
            break;
        case 3:
            put(path, own.left(own.size() / 2));
            break;
        case 4:
            put(path, "\xff\xfe" + own.toHex());
            break;
        case 5:
            QFile::setPermissions(path, {});
            break;
        case 6: { // a folder in its place, for a moment
            QFile::remove(path);
            QDir().mkpath(path);
            QCoreApplication::sendPostedEvents();
            QDir(path).removeRecursively();
            put(path, own);
            break;
        }
        default:
            put(path, own);
        }
    }

    // -- what must hold
    /// What there is while there is nothing to undo.
    void noteStarts()
    {
        Workspace& workspace = m_window.state().workspace;
        for (const Lens lens : kLenses) {
            if (!workspace.has(lens))
                continue;
            Start& start = m_starts[lens];
            if (workspace.document(lens).undoStack().count() > 0)
                start.followed =
                    start.followed || (lens != Lens::Schedule && workspace.links().isFollowing(lens));
            else if (lens == Lens::Schedule)
                start = {workspace.schedule().problem(), workspace.schedule().schedule(), {}, false};
            else
                start = {nullptr, {}, textOf(workspace.document(lens)), false};
        }
    }
    [[nodiscard]] bool isAtStart(LensDocument& document)
    {
        const Start& start = m_starts[document.lens()];
        if (document.lens() != Lens::Schedule)
            return textOf(document) == start.text;
        return m_window.state().document.problem() == start.problem &&
               m_window.state().document.schedule() == start.schedule;
    }
    void check()
    {
        m_checkAt = m_left - 400;
        if (++m_checks % 25 == 0) // long runs tell how far they are
            std::cerr << "random events: " << m_left << " left after " << m_checks << " checks" << std::endl;
        const QScopedValueRollback checking(m_checking, true);
        Workspace& workspace = m_window.state().workspace;
        for (const Lens lens : kLenses) {
            if (!m_starts.contains(lens) || m_starts[lens].followed ||
                workspace.document(lens).undoStack().count() == 0)
                continue;
            LensDocument& document = workspace.document(lens);
            const std::string now = textOf(document);
            const int index = document.undoStack().index();
            document.undoStack().setIndex(0);
            if (!isAtStart(document))
                m_problem = lensName(lens) + QStringLiteral(": undoing all does not lead to the start") +
                            difference(m_starts[lens].text, textOf(document));
            document.undoStack().setIndex(index);
            if (const std::string again = textOf(document); again != now)
                m_problem = lensName(lens) + QStringLiteral(": doing all again does not lead back") +
                            difference(now, again);
        }
        const Document& schedule = m_window.state().document;
        m_window.state().document.waitForSnapshot();
        if (!schedule.hasProblem())
            return;
        const SnapshotPtr anew = takeSnapshot(schedule.problem(), schedule.schedule(), schedule.rules(),
                                              schedule.snapshot()->lowerBound, 0);
        if (anew->evaluation.total != schedule.snapshot()->evaluation.total ||
            anew->evaluation.valid() != schedule.snapshot()->evaluation.valid())
            m_problem = QStringLiteral("The total is not that of an evaluation from scratch.");
    }

    MainWindow& m_window;
    std::mt19937 m_random;
    int m_left;
    int m_checkAt = 1 << 30;
    int m_checks = 0;
    int m_depth = 0;
    int m_faultUntil = 0; ///< of m_left
    bool m_checking = false;
    test::KnownFindings m_known{TILEWRIGHT_SOURCE_DIR "/tests/faults/known.txt"};
    QStringList m_files, m_views;
    std::vector<QByteArray> m_contents; ///< of m_files, as they were
    bool m_trace;
    std::vector<QKeyCombination> m_shortcuts;
    QPointer<QWidget> m_pressedIn;
    std::map<Lens, Start> m_starts;
    QString m_problem;
    QEventLoop m_loop;
};

} // namespace

} // namespace test_random_input
