// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "window/gesture.h"

#include <QFrame>
#include <QStringList>
#include <QTimer>

#include <optional>

class QLabel;
class QPushButton;

namespace tilewright::ui {

class MainWindow;

/// One thing to do, where, whether it has been done, and how to do it.
struct TourStep
{
    QString text;
    std::function<QWidget*()> where;
    std::function<bool()> done;
    /// The pane that the step is done in; it is brought to the front when the step begins.
    QString pane{};
    /// What is in the way just now and how to go on, or how far it still is; empty: nothing to add.
    std::function<QString()> advice{};
    QStringList alsoNeeded{};   ///< panes that the card keeps off as far as there is room
    std::vector<Gesture> how{}; ///< for TourPlayer; all steps of a tour have it, or none
};

struct Tour
{
    QString id, title, tip;
    QString file; ///< among the samples; opened when the tour starts
    std::vector<TourStep> steps;
    QString end;                        ///< what has been learnt, and where to go on
    std::function<QString()> outcome{}; ///< what came of it this time, after the end
};
/// Fuse and tile; beat Auto-solve; from a model to the array.
[[nodiscard]] std::vector<Tour> guidedTours(MainWindow& window);

/// Where a card of this size stands in `room`: off `target` and then off `others`, as near to the target as
/// that allows.
[[nodiscard]] QRect tourCardPlace(QSize card, const QRect& room, const QRect& target,
                                  const std::vector<QRect>& others);

/// Leads through a tour: a card beside the control that the step is about, and a frame round it. It goes on
/// by itself when the step is done, whichever way, or by its buttons; nothing is done for the person, and
/// nothing is locked. The card can be dragged away.
class TourGuide : public QFrame
{
    Q_OBJECT
public:
    explicit TourGuide(MainWindow& window);
    void start(const Tour& tour);
    void leave();
    [[nodiscard]] bool isRunning() const { return !isHidden(); }
    [[nodiscard]] std::size_t step() const { return m_step; } ///< tour.steps.size() at the end
    [[nodiscard]] QString text() const;
    [[nodiscard]] QWidget* target() const { return m_target; }
    void setNote(const QString& note); ///< beside the number of the step, until the tour is left
    [[nodiscard]] QPushButton* backButton() const { return m_back; }
    [[nodiscard]] QPushButton* skipButton() const { return m_skip; }

protected:
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;

private:
    void look(); ///< whether the step is done, and where its control is now
    void goTo(std::size_t step);
    void bringForward(const QString& pane);
    void show();
    void tell();
    void place();
    [[nodiscard]] QRect room() const; ///< between the toolbar and the status bar

    MainWindow& m_window;
    Tour m_tour;
    std::size_t m_step = 0;
    bool m_revisited = false; ///< done before: it stays until the person goes on
    QString m_note;
    QLabel* m_text;
    QLabel* m_count;
    QPushButton* m_leave;
    QPushButton* m_back;
    QPushButton* m_skip;
    QWidget* m_frame;
    QPointer<QWidget> m_target;
    QPoint m_grip;                   ///< of the mouse in the card
    std::optional<QPoint> m_dragged; ///< where the person has put the card in this step
    QTimer m_timer;
};

} // namespace tilewright::ui
