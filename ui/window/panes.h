// SPDX-License-Identifier: GPL-3.0-or-later
// The views in their docks, and the tabs of stacked docks.
#pragma once

#include "window/app_state.h"

#include <QMap>
#include <QObject>
#include <QPointer>
#include <QTimer>

#include <vector>

class QTabBar;
class QDockWidget;
class QMainWindow;
class QStackedWidget;

namespace tilewright::ui {

/// Sets up the tab bars of stacked docks and works around a bug of QTabBar (see eventFilter()).
class DockTabs : public QObject
{
public:
    using QObject::QObject;
    /// Sets up a tab bar. To be called for every new one: Qt creates and deletes them with the stacks.
    void adopt(QTabBar& tabs);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    int m_tabCountAtPress = 0; ///< number of tabs when the mouse button was pressed
};

class Canvas;

/// Creates and arranges the views of the window: start page, graph and comparison in the centre, one dock for
/// every other view. Applies perspectives and tracks which view was used last.
class Panes : public QObject
{
    Q_OBJECT
public:
    /// `start`: the page that the centre shows while nothing is open.
    Panes(QMainWindow& window, AppState& state, QStackedWidget& centre, QWidget& start);
    ~Panes() override;

    [[nodiscard]] const QMap<QString, View*>& views() const { return m_views; }
    [[nodiscard]] View* view(const QString& name) const { return m_views.value(name); }
    [[nodiscard]] QDockWidget* dock(const QString& name) const { return m_docks.value(name); }

    /// Shows a view, brings it to the front and gives it the keyboard focus.
    void showView(const QString& name);
    /// Shows the dock of a view, or hides it if it is in front.
    void toggle(const QString& name);
    /// Enlarges the dock of a view to most of the window, if no problem is open.
    void makeRoom(const QString& name);
    /// Enlarges a dock at the bottom to about half of the window, if it is smaller.
    void enlargeDock(const QString& name);
    /// Hides the docks below the centre, or shows them again.
    void toggleLower();
    /// Shows the start page or, if a workload is open, its views.
    void showCentre();

    /// Lenses whose views are shown although no workload is open.
    [[nodiscard]] std::vector<Lens> lensesWithoutWorkload() const;
    void closeLenses(); ///< hides the views of all lenses but Schedule

    [[nodiscard]] const QString& perspective() const { return m_perspective; }
    void applyPerspective(const QString& name);
    /// Applies a perspective that the user chose: workloads that are opened later use it too.
    void choosePerspective(const QString& name);
    /// Sets the perspective for a workload that is opened for the first time: the one that the user chose in
    /// this window, otherwise Edit.
    void showNewWorkload();
    void restoreDefaults();
    /// Layout of the docks while a workload is open, as QMainWindow::saveState() writes it.
    [[nodiscard]] QByteArray layout() const;
    /// Restores a layout(). If it is from an incompatible version, applies the perspective Edit and returns
    /// false.
    bool restoreLayout(const QByteArray& layout, const QString& perspective);
    bool eventFilter(QObject* watched, QEvent* event) override;

    /// View that export and copy act on: the one that last had the keyboard focus if visible, else the
    /// centre.
    [[nodiscard]] View* currentView() const;
    /// Lens in use: that of the view in the centre or at the bottom that was used last.
    [[nodiscard]] Lens lens() const;
    /// Canvas that the commands of the View menu act on; may be null.
    [[nodiscard]] Canvas* currentCanvas() const;

Q_SIGNALS:
    void currentChanged(); ///< currentView() or the zoom history of its canvas has changed

private:
    void create();
    void place(); ///< puts every dock into its default area (viewCatalog())
    void resizeAll(const QString& perspective);
    void resizeAgain();
    void follow(QWidget* focus);
    void hideDocks();    ///< hides all docks while nothing is open
    void restoreDocks(); ///< undoes hideDocks()
    [[nodiscard]] bool areHidden() const { return !m_layout.isEmpty(); }

    static constexpr int kLayoutVersion =
        3; // to be raised when docks are added or removed: old layouts are then ignored
    QMainWindow& m_window;
    AppState& m_state;
    QStackedWidget& m_centre;
    QWidget& m_start;
    QMap<QString, View*> m_views;
    QMap<QString, QDockWidget*> m_docks;
    View* m_lastView = nullptr;
    View* m_mainView = nullptr;        ///< view in the centre or at the bottom that was used last
    QDockWidget* m_enlarged = nullptr; ///< first dock that enlargeDock() made larger
    int m_heightBefore = 0;            ///< height of m_enlarged before that, in pixels
    QString m_perspective = QStringLiteral("Edit");
    QDockWidget* m_front = nullptr; ///< dock that the perspective shows in front at the bottom
    bool m_chosen = false;          ///< the user chose m_perspective in this window
    QByteArray m_layout;            ///< layout of the docks that hideDocks() hid; empty if they are shown
    /// Docks that hideDocks() hid with their sizes, front ones last. Empty if m_layout is from the last
    /// session. restoreState() is not used for these: Qt crashes if docks were dragged in between.
    QList<std::pair<QDockWidget*, QSize>> m_hidden;
    /// Layout of the last session, until the window has its final size. A window is small before it is
    /// maximised, and docks that were squeezed do not grow back.
    QByteArray m_restored;
    bool m_unsized = false;               ///< the docks were resized before the window had its final size
    QTimer m_settled;                     ///< ends the time in which resizing the window restores m_restored
    QList<QPointer<QDockWidget>> m_lower; ///< docks that toggleLower() hid, front ones last
};

} // namespace tilewright::ui
