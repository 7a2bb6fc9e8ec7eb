// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "window/app_state.h"

#include <QMap>
#include <QPointer>
#include <QTimer>

class QDockWidget;
class QMainWindow;
class QStackedWidget;

namespace tilewright::ui {

class Canvas;

/// The views of the window and where they stand: the graph and what takes its place in the centre, a dock for
/// every other, perspectives, and which of them was used last.
class Panes : public QObject
{
    Q_OBJECT
public:
    /// `start` is shown in the centre while nothing is open.
    Panes(QMainWindow& window, AppState& state, QStackedWidget& centre, QWidget& start);
    ~Panes() override;

    [[nodiscard]] const QMap<QString, View*>& views() const { return m_views; }
    [[nodiscard]] View* view(const QString& name) const { return m_views.value(name); }
    [[nodiscard]] QDockWidget* dock(const QString& name) const { return m_docks.value(name); }

    /// Makes a view visible, brings it to the front and gives it the keyboard.
    void showView(const QString& name);
    /// Shows the dock, or hides it when it is in front.
    void toggle(const QString& name);
    /// Gives the dock of a lens most of a window in which no problem is open.
    void makeRoom(const QString& name);
    /// Gives a dock at the bottom enough of the window to look at its picture.
    void giveRoom(const QString& name);
    /// Hides what stands below the centre, or brings it back as it was.
    void toggleLower();
    /// The start page or the workload, as the document says.
    void showCentre();

    [[nodiscard]] const QString& perspective() const { return m_perspective; }
    void applyPerspective(const QString& name);
    /// The same because a person wants it: workloads that are opened later are shown in it too.
    void choosePerspective(const QString& name);
    /// How a workload that has not been open before is shown: as the person chose in this window, else to be
    /// edited; how the one before it was looked at says nothing of it.
    void welcome();
    void restoreDefaults();
    /// How the docks stand while a workload is open.
    [[nodiscard]] QByteArray layout() const;
    /// False when it is of an older window: the first perspective is applied.
    bool restoreLayout(const QByteArray& layout, const QString& perspective);
    bool eventFilter(QObject* watched, QEvent* event) override;

    /// What is exported and copied: the pane that last had the keyboard while it is seen, else the centre.
    [[nodiscard]] View* currentView() const;
    /// Of the view that was used last.
    [[nodiscard]] Lens lens() const;
    /// The canvas that keys and commands of the View menu act on; may be null.
    [[nodiscard]] Canvas* currentCanvas() const;

Q_SIGNALS:
    void currentChanged(); ///< currentView(), or where its canvas can go back to

private:
    void create();
    void place(); ///< where the catalog says
    void resizeAll(const QString& perspective);
    void sizeAnew();
    void follow(QWidget* focus);
    void putAway(); ///< the docks, while nothing is open
    void bringBack();
    [[nodiscard]] bool isAway() const { return !m_layout.isEmpty(); }

    static constexpr int kLayoutVersion = 3; // raised when docks change: no old layout is half restored
    QMainWindow& m_window;
    AppState& m_state;
    QStackedWidget& m_centre;
    QWidget& m_start;
    QMap<QString, View*> m_views;
    QMap<QString, QDockWidget*> m_docks;
    View* m_lastView = nullptr;
    QString m_perspective = QStringLiteral("Edit");
    QDockWidget* m_front = nullptr; ///< at the bottom, as the perspective begins
    bool m_chosen = false;          ///< m_perspective, in this window
    QByteArray m_layout;            ///< while a workload is open; empty = it is shown now
    /// How the docks stood that were put away, front ones last; empty: m_layout is of the last session. Qt
    /// can not be given a state of docks that were dragged about in between (it ends the program), and needs
    /// none.
    QList<std::pair<QDockWidget*, QSize>> m_away;
    /// Of the last session, until the window has the size it is shown in: a window that will be maximised is
    /// small before, and docks do not grow back.
    QByteArray m_restored;
    bool m_unsized = false;               ///< the docks were given sizes before the window had its own
    QTimer m_settled;                     ///< when m_restored has had its chance
    QList<QPointer<QDockWidget>> m_lower; ///< hidden by toggleLower(), the front one last
};

} // namespace tilewright::ui
