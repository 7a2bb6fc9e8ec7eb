// SPDX-License-Identifier: GPL-3.0-or-later
// The views in their docks, and the tabs of stacked docks.
#pragma once

#include "window/app_state.h"

#include <QMap>
#include <QObject>
#include <QSet>
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
    Q_OBJECT
public:
    using QObject::QObject;
    /// Sets up a tab bar. To be called for every new one: Qt creates and deletes them with the stacks.
    void adopt(QTabBar& tabs);

Q_SIGNALS:
    void doubleClicked(const QString& title); ///< a tab was double-clicked

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    int m_tabCountAtPress = 0; ///< number of tabs when the mouse button was pressed
};

class Canvas;

/// Creates and arranges the views of the window: start page, graph and comparison in the centre, one dock for
/// every other view. Applies perspectives, maximises views, and tracks which view was used last.
///
/// In the perspective of a lens other than Schedule the centre is hidden, and the docks of the lens take its
/// place.
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

    /// Shows a view, in the perspective of its lens, brings it to the front and gives it the keyboard focus.
    void showView(const QString& name);
    /// Shows the dock of a view in the present perspective, or hides it if it is in front.
    void toggle(const QString& name);
    /// Shows the dock of a view behind those in front, or hides it if it is behind them: for views that have
    /// something to say only at times.
    void offer(const QString& name, bool hasSomethingToSay);
    /// Shows only this view, or everything again.
    void toggleMaximised(View* view);
    void maximise(const QString& title); ///< toggleMaximised() of the dock with this title
    [[nodiscard]] View* maximised() const { return m_maximised; }
    /// Shows the start page or, if a workload is open, its views.
    void showCentre();

    /// Lenses whose views are shown although no workload is open.
    [[nodiscard]] std::vector<Lens> lensesWithoutWorkload() const;
    void closeLenses(); ///< hides the views of all lenses but Schedule

    [[nodiscard]] const QString& perspective() const { return m_perspective; }
    /// Shows the docks of a perspective in their default arrangement.
    void applyPerspective(const QString& name);
    /// Applies a perspective that the user chose: workloads that are opened later use it too. One that was
    /// left before comes back as it was left; choosing the present one again restores its default.
    void choosePerspective(const QString& name);
    /// Shows a lens as it was left: for Schedule the task that was used last. False if it was not left
    /// before.
    bool showLens(Lens lens);
    /// Sets the perspective for a workload that is opened for the first time: the one that the user chose in
    /// this window, otherwise Edit.
    void showNewWorkload();
    void restoreDefaults();
    /// Layout of the docks while a workload is open, as QMainWindow::saveState() writes it.
    [[nodiscard]] QByteArray layout() const;
    /// Restores a layout(). If it is from an incompatible version, applies the perspective Edit and returns
    /// false.
    bool restoreLayout(const QByteArray& layout, const QString& perspective, bool ofModel);
    [[nodiscard]] bool hadModel() const { return m_hadModel; } ///< layout() is that of a model
    bool eventFilter(QObject* watched, QEvent* event) override;

    /// View that export and copy act on: the one that last had the keyboard focus if visible, else the
    /// centre.
    [[nodiscard]] View* currentView() const;
    /// Lens of the perspective.
    [[nodiscard]] Lens lens() const;
    /// Canvas that the commands of the View menu act on; may be null.
    [[nodiscard]] Canvas* currentCanvas() const;

Q_SIGNALS:
    void centreChanged();  ///< another view is in the centre
    void currentChanged(); ///< currentView() or the zoom history of its canvas has changed
    void perspectiveChanged();
    void maximisedChanged();
    void layoutRestored(); ///< also of tool bars

private:
    /// Docks that are shown, front ones last, and their sizes if they are in front. restoreState() is not
    /// used for these: Qt crashes if docks were dragged in between.
    using Arrangement = QList<std::pair<QDockWidget*, QSize>>;

    void create();
    void place(); ///< puts every dock into its default area (viewCatalog())
    [[nodiscard]] Arrangement arrangement() const;
    void arrange(const Arrangement& docks);
    void setPerspective(const QString& name); ///< without its docks
    void showSummary();
    void updateCentre();
    void leaveMaximised();
    void resizeAll();
    void repaintLater();
    void resizeAgain();
    void follow(QWidget* focus);
    [[nodiscard]] bool restoreState(const QByteArray& layout);
    void hideDocks();    ///< hides all docks while nothing is open
    void restoreDocks(); ///< undoes hideDocks()
    [[nodiscard]] bool areHidden() const { return !m_layout.isEmpty(); }

    static constexpr int kLayoutVersion =
        4; // to be raised when docks are added or removed: old layouts are then ignored
    QMainWindow& m_window;
    AppState& m_state;
    QStackedWidget& m_centre;
    QWidget& m_start;
    QMap<QString, View*> m_views;
    QMap<QString, QDockWidget*> m_docks;
    View* m_lastView = nullptr;
    View* m_maximised = nullptr;   ///< view that is shown alone
    Arrangement m_beforeMaximised; ///< docks that were shown before that
    QString m_perspective = QStringLiteral("Edit");
    QString m_task = QStringLiteral("Edit");       ///< perspective of the Schedule lens that was used last
    QString m_taskBefore = QStringLiteral("Edit"); ///< task to return to after Compare
    QMap<QString, Arrangement> m_left;             ///< arrangements of the perspectives that were left
    QDockWidget* m_front = nullptr;                ///< dock that the perspective shows in front at the bottom
    bool m_layoutOfModel = true;                   ///< the layout of the last session was that of a model
    bool m_hadModel = false;                       ///< the docks are those of a model
    bool m_chosen = false;                         ///< the user chose m_perspective in this window
    QSet<QString> m_offered;                       ///< views that have something to say
    QByteArray m_layout;  ///< layout of the docks that hideDocks() hid; empty if they are shown
    Arrangement m_hidden; ///< docks that hideDocks() hid; empty if m_layout is from the last session
    /// Layout of the last session, until the window has its final size. A window is small before it is
    /// maximised, and docks that were squeezed do not grow back.
    QByteArray m_restored;
    bool m_unsized = false; ///< the docks were resized before the window had its final size
    QTimer m_settled;       ///< ends the time in which resizing the window restores m_restored
};

} // namespace tilewright::ui
