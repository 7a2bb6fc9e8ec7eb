// SPDX-License-Identifier: GPL-3.0-or-later
// The controls of the Sweep view, with the bar for a range of values.
#pragma once

#include "canvas/control_bar.h"
#include "canvas/view.h"
#include "views/sweep/sweep_model.h"

class QCheckBox;
class QLineEdit;
class QSpinBox;

namespace tilewright::ui {

/// A bar with two handles for a range of values on a linear or logarithmic scale. A tick marks the current
/// value. Arrow keys move the handle that was used last; Home chooses the lower handle, End the upper one.
class RangeBar : public QWidget
{
    Q_OBJECT
public:
    RangeBar(ThemeSource& themes, QWidget* parent);

    void setScale(double least, double most, double now, bool logarithmic, bool whole);
    void setRange(double from, double to);
    [[nodiscard]] double from() const { return m_from; }
    [[nodiscard]] double to() const { return m_to; }
    /// Position of a handle, in widget coordinates.
    [[nodiscard]] QPointF handle(bool upper) const;
    [[nodiscard]] QSize sizeHint() const override;

Q_SIGNALS:
    void changed(double from, double to);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    [[nodiscard]] double share(double value) const;
    [[nodiscard]] double valueAt(double share) const;
    void move(double share);
    void step(int by);

    ThemeSource& m_themes;
    double m_minimum = 1, m_maximum = 2, m_now = 1, m_from = 1, m_to = 2;
    bool m_logarithmic = true;
    bool m_whole = true;
    bool m_upper = true; ///< true if keys and mouse move the upper handle
    bool m_dragging = false;
};

class NumberBox;
class DecimalBox;

/// The controls of the Sweep view: the task at each point, the axes with their ranges, and the kind of chart.
class SweepForm : public QObject
{
    Q_OBJECT
public:
    SweepForm(Document& document, ThemeSource& themes, ControlBar& bar, QObject* parent);
    /// Adds the choices for the chart after the buttons of the view.
    void addPictures();

    [[nodiscard]] const SweepSetup& setup() const { return m_setup; }
    void setSetup(const SweepSetup& setup);
    /// Title of a sweep: "lower bound over Fast memory (L3), 17 points".
    [[nodiscard]] QString titleOf(const SweepSetup& setup) const;
    /// Returns the parameters of the axes, in the order of the axes.
    [[nodiscard]] std::vector<SweepParameter> chosen() const;
    /// Adapts the choices to another workload or machine. Choices that do not apply any more are replaced.
    void follow();

Q_SIGNALS:
    void sweepChanged();   ///< emitted when the points of the sweep have changed
    void pictureChanged(); ///< emitted when only the chart has changed and the points are the same

private:
    struct AxisControls
    {
        QComboBox* name = nullptr;
        QLineEdit* from = nullptr;
        RangeBar* range = nullptr;
        QLineEdit* to = nullptr;
        QSpinBox* points = nullptr;
        QCheckBox* logarithmic = nullptr;
        QLineEdit* words = nullptr; ///< field for names, for an axis without a range of numbers
    };
    void addAxis(std::size_t axis);
    void chooseAxis(std::size_t axis, const QString& path);
    void typed(std::size_t axis, bool upper);
    void typedWords(std::size_t axis);
    void change(const std::function<void(SweepSetup&)>& edit, bool points);
    void show();
    void showAxis(std::size_t axis);
    void fillMetrics();
    [[nodiscard]] const SweepParameter* parameter(const QString& path) const;

    Document& m_document;
    ThemeSource& m_themes;
    ControlBar& m_bar;
    SweepSetup m_setup;
    std::vector<SweepParameter> m_parameters;
    QComboBox* m_task = nullptr;
    std::array<AxisControls, 2> m_axes;
    QSpinBox* m_iterations = nullptr;
    NumberBox* m_seconds = nullptr;
    QComboBox* m_picture = nullptr;
    QComboBox* m_metric = nullptr;
    QComboBox* m_against = nullptr;
    QSpinBox* m_within = nullptr;
    DecimalBox* m_limit = nullptr;
    bool m_showing = false;
};

} // namespace tilewright::ui
