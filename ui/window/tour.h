// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "window/gesture.h"

#include <QFrame>
#include <QTimer>

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
    std::vector<Gesture> how{}; ///< for TourPlayer; all steps of a tour have it, or none
};

struct Tour
{
    QString id, title, tip;
    QString file; ///< among the samples; opened when the tour starts
    std::vector<TourStep> steps;
    QString end; ///< what has been learnt, and where to go on
};
/// Fuse and tile; beat Auto-solve; from a model to the array.
[[nodiscard]] std::vector<Tour> guidedTours(MainWindow& window);

/// Leads through a tour: a card beside the control that the step is about, and a frame round it. It goes on
/// by itself when the step is done, whichever way; nothing is done for the person, and nothing is locked.
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

private:
    void look(); ///< whether the step is done, and where its control is now
    void show();
    void place();

    MainWindow& m_window;
    Tour m_tour;
    std::size_t m_step = 0;
    QString m_note;
    QLabel* m_text;
    QLabel* m_count;
    QPushButton* m_leave;
    QWidget* m_frame;
    QPointer<QWidget> m_target;
    QTimer m_timer;
};

} // namespace tilewright::ui
