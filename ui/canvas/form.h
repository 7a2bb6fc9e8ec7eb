// SPDX-License-Identifier: GPL-3.0-or-later
// Forms: fields bound to values, guarded against stray wheel turns, in a pane that scrolls.
#pragma once

#include "canvas/number_box.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QObject>
#include <QScrollArea>
#include <QToolButton>

#include <cstdint>
#include <functional>
#include <type_traits>
#include <vector>

class QWidget;

namespace tilewright::ui {

/// Event filter for controls of forms. Wheel: a control without focus ignores it, so that the form scrolls.
class FormGuard : public QObject
{
public:
    /// Installs the filter on a control, and prevents the wheel from focusing the control.
    static void protect(QWidget* control);
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    using QObject::QObject;
};

/// Undo and redo by key while a field or button of a window has the focus. The keys act on the document,
/// unless the text of the focused field has been edited. A button that disables or hides itself leaves the
/// focus in its view, instead of handing it to the next field.
class FieldKeys : public QObject
{
public:
    explicit FieldKeys(QWidget& window);
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void keepInView(const QWidget* before, const QWidget* now);

    QWidget& m_window;
};

/// Scroll area for rows of controls whose height depends on their width. If they fit only without the scroll
/// bar, QScrollArea would show and hide the bar in an endless loop; here the bar stays until the size
/// changes.
class ScrollPane : public QScrollArea
{
public:
    using QScrollArea::QScrollArea;

protected:
    bool event(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    int m_resizing = 0; ///< nesting depth of resizes of the widget
};

/// Label whose height always fits its wrapped text. In nested forms a QLabel would get the height for another
/// width.
class WrappedLabel : public QLabel
{
public:
    using QLabel::QLabel;
    [[nodiscard]] QSize sizeHint() const override { return minimumSizeHint(); }
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void resizeEvent(QResizeEvent* event) override;
};

/// Sets up a scroll area with controls. It scrolls horizontally only where the controls do not fit.
void setUpFormPane(QScrollArea& pane, const QString& name);
/// Adds a row with label and control to a form. The wheel changes the control only if it has the focus. A
/// control with a text of its own (check box) gets no label.
void addFormRow(QFormLayout& form, const QString& label, QWidget* control, const QString& tip);

/// A button that shows or hides a panel beside a chart. It is checked at first.
class PanelToggle : public QToolButton
{
public:
    PanelToggle(const QString& name, const QString& iconName, const QString& tip, QWidget* parent);

protected:
    void changeEvent(QEvent* event) override; ///< adapts the size of the icon to the font
};

/// Width in pixels that a chart must keep beside a panel. In a narrower pane the panel is hidden until the
/// user asks for it.
[[nodiscard]] int leastChartWidth(const QWidget& view);

/// A group of fields below a heading that shows or hides them. Whether they are shown is remembered.
class FoldGroup : public QWidget
{
    Q_OBJECT
public:
    /// `name`: object name, and key under which the state is saved. `open`: initial state.
    FoldGroup(const QString& name, const QString& title, bool open, QWidget* parent);
    [[nodiscard]] QFormLayout& form() const { return *m_form; }
    [[nodiscard]] bool isOpen() const { return m_heading->isChecked(); }
    void setOpen(bool open);

private:
    void show(bool open);
    QToolButton* m_heading;
    QWidget* m_fields;
    QFormLayout* m_form;
};

/// Function that returns a nested member of a value: member(&Settings::gemm, &Gemm::m).
template <typename... Members> [[nodiscard]] auto member(Members... members)
{
    return [=](auto& value) -> auto&
    {
        return (value.*....*members);
    };
}

/// Form with controls for the parts of a value. Each control is added with a function that returns a
/// reference to its part. When the user changes a control, `changed` is called with the new value and the
/// name of the control; show() does not call it.
template <typename Value> class ValueForm
{
public:
    /// `prefix`: prefix of the object names of the controls. `now`: returns the current value.
    ValueForm(QString prefix, std::function<Value()> now,
              std::function<void(const Value&, const QString& name)> changed)
        : m_prefix(std::move(prefix)), m_now(std::move(now)), m_changed(std::move(changed))
    {
    }

    /// Adds a spin box. `unit`: the spin box shows the part divided by `unit`. `box`: existing spin box, or
    /// null.
    template <typename Part>
    NumberBox* number(QFormLayout& form, const QString& name, const QString& label, int low, int high,
                      const QString& tip, Part part, std::int64_t unit = 1, NumberBox* box = nullptr)
    {
        if (!box)
            box = new NumberBox(form.parentWidget());
        box->setRange(low, high);
        if (unit == 1024)
            box->setUnit(QStringLiteral("KiB"));
        add(form, name, label, box, tip);
        m_shows.push_back([=](Value& v) { box->setValue(static_cast<int>(part(v) / unit)); });
        QObject::connect(box, &QSpinBox::valueChanged, box, [=, this](int n) {
            change(name, [&](Value& v) { part(v) = static_cast<std::decay_t<decltype(part(v))>>(unit * n); });
        });
        return box;
    }

    template <typename Part>
    DecimalBox* decimal(QFormLayout& form, const QString& name, const QString& label, double low, double high,
                        int decimals, double step, const QString& tip, Part part)
    {
        return decimal(
            form, name, label, low, high, decimals, step, tip, [=](Value& v) -> double { return part(v); },
            [=](Value& v, double n) { part(v) = n; });
    }
    /// Adds a spin box for decimals. `shown` returns the number to show, `take` stores a new number.
    DecimalBox* decimal(QFormLayout& form, const QString& name, const QString& label, double low, double high,
                        int decimals, double step, const QString& tip,
                        const std::function<double(Value&)>& shown,
                        const std::function<void(Value&, double)>& take)
    {
        auto* box = new DecimalBox(form.parentWidget());
        box->setRange(low, high);
        box->setDecimals(decimals);
        box->setSingleStep(step);
        add(form, name, label, box, tip);
        m_shows.push_back([=](Value& v) { box->setValue(shown(v)); });
        QObject::connect(box, &QDoubleSpinBox::valueChanged, box,
                         [=, this](double n) { change(name, [&](Value& v) { take(v, n); }); });
        return box;
    }

    /// Adds a combo box. `first`: value of the first entry; the values of the following entries count up from
    /// it.
    template <typename Part>
    QComboBox* choice(QFormLayout& form, const QString& name, const QString& label,
                      const QStringList& choices, const QString& tip, Part part, int first = 0)
    {
        return choice(
            form, name, label, choices, tip, [=](Value& v) { return static_cast<int>(part(v)) - first; },
            [=](Value& v, int i) { part(v) = static_cast<std::decay_t<decltype(part(v))>>(i + first); });
    }
    /// Adds a combo box. `chosen` returns the index of the current entry, `choose` stores a new index.
    QComboBox* choice(QFormLayout& form, const QString& name, const QString& label,
                      const QStringList& choices, const QString& tip,
                      const std::function<int(Value&)>& chosen,
                      const std::function<void(Value&, int)>& choose)
    {
        auto* box = new QComboBox(form.parentWidget());
        box->addItems(choices);
        add(form, name, label, box, tip);
        m_shows.push_back([=](Value& v) { box->setCurrentIndex(chosen(v)); });
        QObject::connect(box, &QComboBox::currentIndexChanged, box,
                         [=, this](int i) { change(name, [&](Value& v) { choose(v, i); }); });
        return box;
    }

    /// Adds a text field. `shown` returns the text to show, `take` stores a new text.
    QLineEdit* text(QFormLayout& form, const QString& name, const QString& label, const QString& example,
                    const QString& tip, const std::function<QString(Value&)>& shown,
                    const std::function<void(Value&, const QString&)>& take)
    {
        auto* box = new QLineEdit(form.parentWidget());
        box->setPlaceholderText(example);
        add(form, name, label, box, tip);
        m_shows.push_back([=](Value& v) { box->setText(shown(v)); });
        QObject::connect(box, &QLineEdit::editingFinished, box, [=, this] {
            Value now = m_now();
            if (box->text() != shown(now))
                change(name, [&](Value& v) { take(v, box->text()); });
        });
        return box;
    }

    template <typename Part>
    QCheckBox* check(QFormLayout& form, const QString& name, const QString& label, const QString& tip,
                     Part part)
    {
        return check(
            form, name, label, tip, [=](Value& v) -> bool { return part(v); },
            [=](Value& v, bool on) { part(v) = on; });
    }
    /// Adds a check box. `isOn` returns its state, `take` stores a new state.
    QCheckBox* check(QFormLayout& form, const QString& name, const QString& label, const QString& tip,
                     const std::function<bool(Value&)>& isOn, const std::function<void(Value&, bool)>& take)
    {
        auto* box = new QCheckBox(label, form.parentWidget());
        add(form, name, label, box, tip);
        m_shows.push_back([=](Value& v) { box->setChecked(isOn(v)); });
        QObject::connect(box, &QCheckBox::toggled, box,
                         [=, this](bool on) { change(name, [&](Value& v) { take(v, on); }); });
        return box;
    }

    /// Shows the current value in all controls.
    void show()
    {
        m_showing = true;
        Value value = m_now();
        for (const auto& one : m_shows)
            one(value);
        m_showing = false;
    }

private:
    void add(QFormLayout& form, const QString& name, const QString& label, QWidget* control,
             const QString& tip)
    {
        control->setObjectName(m_prefix + name);
        addFormRow(form, label, control, tip);
    }
    template <typename Edit> void change(const QString& name, Edit&& edit)
    {
        if (m_showing)
            return;
        Value next = m_now();
        edit(next);
        m_changed(next, name);
    }

    QString m_prefix;
    std::function<Value()> m_now;
    std::function<void(const Value&, const QString&)> m_changed;
    std::vector<std::function<void(Value&)>> m_shows;
    bool m_showing = false;
};

} // namespace tilewright::ui
