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
    /// Sets up a tab bar. To be called for every new one, because Qt creates and deletes tab bars together
    /// with stacks of docks.
    void adopt(QTabBar& tabs);

Q_SIGNALS:
    void doubleClicked(const QString& title); ///< a tab was double-clicked

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    int m_tabCountAtPress = 0; ///< number of tabs when the mouse button was pressed
};

class Canvas;

/// Creates and arranges the views of the window: start page, graph and comparison in the centre, and one dock
/// for every other view. Applies perspectives, maximises views, and tracks which view was used last.
/// In the perspective of a lens other than Schedule, the docks of the lens replace the centre.
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

    /// Shows a view in the perspective of its lens, brings it to the front and gives it the keyboard focus.
    void showView(const QString& name);
    /// Shows the dock of a view in the current perspective. If it is in front already, hides it.
    void toggle(const QString& name);
    /// Shows the dock of a view behind the docks in front, or hides it if it is behind them. For views that
    /// have content only at times.
    void offer(const QString& name, bool hasSomethingToSay);
    /// Maximises this view or, if it is maximised, shows all views again.
    void toggleMaximised(View* view);
    void maximise(const QString& title); ///< calls toggleMaximised() for the dock with this title
    [[nodiscard]] View* maximised() const { return m_maximised; }
    /// Shows the start page, or the views if a workload is open.
    void showCentre();

    /// Returns the lenses whose views are shown although no workload is open.
    [[nodiscard]] std::vector<Lens> lensesWithoutWorkload() const;
    void closeLenses(); ///< hides the views of all lenses but Schedule

    [[nodiscard]] const QString& perspective() const { return m_perspective; }
    /// Shows the docks of a perspective in their default arrangement.
    void applyPerspective(const QString& name);
    /// Applies a perspective that the user has chosen; it is also used for workloads that are opened later. A
    /// perspective that was used before is shown as it was left; choosing the current one again restores its
    /// default.
    void choosePerspective(const QString& name);
    /// Shows a lens as it was left. For Schedule this is the task that was used last. False if the lens was
    /// not used before.
    bool showLens(Lens lens);
    /// Sets the perspective for a workload that is opened for the first time: the one that the user has
    /// chosen in this window, otherwise Edit.
    void showNewWorkload();
    void restoreDefaults();
    /// Layout of the docks while a workload is open, as QMainWindow::saveState() writes it.
    [[nodiscard]] QByteArray layout() const;
    /// Restores a layout(). If it is from an incompatible version, applies the perspective Edit and returns
    /// false.
    bool restoreLayout(const QByteArray& layout, const QString& perspective, bool ofModel);
    /// True if layout() is the layout of a model, which has the Summary.
    [[nodiscard]] bool hadModel() const { return m_hadModel; }
    bool eventFilter(QObject* watched, QEvent* event) override;

    /// The view on which export and copy act: the one that had the keyboard focus last, or the centre if that
    /// view is hidden.
    [[nodiscard]] View* currentView() const;
    /// Lens to which the perspective belongs.
    [[nodiscard]] Lens lens() const;
    /// The canvas on which the commands of the View menu act; may be null.
    [[nodiscard]] Canvas* currentCanvas() const;

Q_SIGNALS:
    void centreChanged();  ///< emitted when the centre shows another view
    void currentChanged(); ///< emitted when currentView() or the zoom history of its canvas has changed
    void perspectiveChanged();
    void maximisedChanged();
    void layoutRestored(); ///< emitted after a layout was restored, which includes the toolbars

private:
    /// The visible docks (those in front come last) with the sizes of those in front. Perspectives do not use
    /// restoreState(), because Qt crashes if docks were dragged in between.
    using Arrangement = QList<std::pair<QDockWidget*, QSize>>;

    void create();
    void place(); ///< puts every dock into its default area (viewCatalog())
    [[nodiscard]] Arrangement arrangement() const;
    void arrange(const Arrangement& docks);
    /// Sets the name of the perspective, without showing or hiding docks.
    void setPerspective(const QString& name);
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
        // Version of layouts: to be raised when docks are added or removed, so that old layouts are ignored.
        4;
    QMainWindow& m_window;
    AppState& m_state;
    QStackedWidget& m_centre;
    QWidget& m_start;
    QMap<QString, View*> m_views;
    QMap<QString, QDockWidget*> m_docks;
    View* m_lastView = nullptr;
    View* m_maximised = nullptr;   ///< the maximised view; null if none
    Arrangement m_beforeMaximised; ///< visible docks before the view was maximised
    QString m_perspective = QStringLiteral("Edit");
    QString m_task = QStringLiteral("Edit");       ///< perspective of the Schedule lens that was used last
    QString m_taskBefore = QStringLiteral("Edit"); ///< task to return to after Compare
    QMap<QString, Arrangement> m_left;             ///< arrangements of the perspectives that were used before
    QDockWidget* m_front = nullptr; ///< the dock that the perspective shows in front at the bottom
    bool m_layoutOfModel = true;    ///< true if the layout of the last session was that of a model
    bool m_hadModel = false;        ///< true if the docks are arranged for a model
    bool m_chosen = false;          ///< true if the user has chosen m_perspective in this window
    QSet<QString> m_offered;        ///< views that have content to show (see offer())
    QByteArray m_layout;            ///< layout of the docks before hideDocks(); empty while they are shown
    Arrangement m_hidden; ///< visible docks before hideDocks(); empty if m_layout is from the last session
    /// Layout of the last session, kept until the window has its final size. A window is small before it is
    /// maximised, and docks that were squeezed do not grow back.
    QByteArray m_restored;
    bool m_unsized = false; ///< true if the docks were resized before the window had its final size
    QTimer m_settled;       ///< ends the period in which resizing the window restores m_restored
};

} // namespace tilewright::ui
