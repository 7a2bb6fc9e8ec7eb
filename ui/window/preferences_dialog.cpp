// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/preferences_dialog.h"

#include "canvas/number_box.h"
#include "window/keys_page.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QPushButton>
#include <QSpinBox>
#include <QTabWidget>
#include <QVBoxLayout>

namespace tilewright::ui {

PreferencesDialog::PreferencesDialog(const Preferences& p, bool graphLeftToRight, const Actions& actions,
                                     QWidget* parent)
    : QDialog(parent), m_keys(new KeysPage(actions, this))
{
    setWindowTitle(tr("Preferences"));
    auto* pages = new QTabWidget(this);
    pages->setObjectName(QStringLiteral("pages"));
    pages->setAccessibleName(windowTitle());
    auto* general = new QWidget(pages);
    pages->addTab(general, tr("&General"));
    pages->addTab(m_keys, tr("&Keys"));
    auto* form = new QFormLayout(general);
    const auto add = [&](const QString& label, QWidget* control, const QString& name, const QString& tip) {
        control->setObjectName(name);
        control->setAccessibleName(QString(label).remove(QLatin1Char('&')));
        control->setAccessibleDescription(tip);
        control->setToolTip(tip);
        form->addRow(label, control);
    };
    m_theme = new QComboBox(this);
    for (const auto& [id, text] :
         {std::pair{"system", tr("Same as system")}, {"light", tr("Light")}, {"dark", tr("Dark")}})
        m_theme->addItem(text, QLatin1String(id));
    m_theme->setCurrentIndex(std::max(0, m_theme->findData(p.theme)));
    add(tr("&Theme"), m_theme, QStringLiteral("theme"), tr("The colours of the window."));
    constexpr int kLeastPoints = 6;
    m_fontSize = new NumberBox(this);
    m_fontSize->setRange(kLeastPoints - 1, 40);
    m_fontSize->setSuffix(tr(" pt"));
    m_fontSize->setSpecialValueText(tr("same as system"));
    m_fontSize->setValue(p.fontSize == 0 ? m_fontSize->minimum() : p.fontSize);
    add(tr("&Font size"), m_fontSize, QStringLiteral("fontSize"),
        tr("Font size of all texts. Views adapt to it."));
    m_wheel = new QComboBox(this);
    m_wheel->addItems({tr("zooms (Ctrl: finer steps)"), tr("scrolls (Ctrl: zooms)")});
    m_wheel->setCurrentIndex(p.wheelScrolls ? 1 : 0);
    add(tr("Mouse &wheel"), m_wheel, QStringLiteral("wheel"),
        tr("What the mouse wheel does in graphs and charts. Two fingers on a touchpad always scroll."));
    m_direction = new QComboBox(this);
    m_direction->addItems({tr("top to bottom"), tr("left to right")});
    m_direction->setCurrentIndex(graphLeftToRight ? 1 : 0);
    add(tr("&Graph direction"), m_direction, QStringLiteral("direction"),
        tr("The direction from inputs to outputs of the graph."));
    auto* autosave = new NumberBox(this);
    autosave->setUnit(QStringLiteral("s"));
    m_autosave = autosave;
    m_autosave->setRange(1, 600);
    m_autosave->setSuffix(tr(" s after an edit"));
    m_autosave->setValue(p.autosaveSeconds);
    add(tr("&Autosave"), m_autosave, QStringLiteral("autosave"),
        tr("When a copy for recovery after a crash is written. Your files are only changed when you save."));
    m_reduceMotion = new QCheckBox(tr("&Reduce motion"), this);
    m_reduceMotion->setChecked(p.reduceMotion);
    add({}, m_reduceMotion, QStringLiteral("reduceMotion"), tr("Show changes at once, without animation."));
    m_reopenLast = new QCheckBox(tr("&Open the files of the last session at start"), this);
    m_reopenLast->setChecked(p.reopenLast);
    add({}, m_reopenLast, QStringLiteral("reopenLast"),
        tr("Reopen the problem and the schedule that were open when the window was closed."));
    for (QCheckBox* box : {m_reduceMotion, m_reopenLast})
        box->setAccessibleName(box->text().remove(QLatin1Char('&')));
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel, this);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    // Return in the page of keys must not close the dialog: it can be a new key or end a search.
    for (QAbstractButton* button : buttons->buttons())
        if (auto* push = qobject_cast<QPushButton*>(button))
            push->setAutoDefault(false);
    auto* column = new QVBoxLayout(this);
    column->addWidget(pages, 1);
    column->addWidget(buttons);
}

Preferences PreferencesDialog::preferences() const
{
    Preferences p;
    p.theme = m_theme->currentData().toString();
    p.reduceMotion = m_reduceMotion->isChecked();
    p.wheelScrolls = m_wheel->currentIndex() == 1;
    p.reopenLast = m_reopenLast->isChecked();
    p.fontSize = m_fontSize->value() == m_fontSize->minimum() ? 0 : m_fontSize->value();
    p.autosaveSeconds = m_autosave->value();
    p.keys = m_keys->choices();
    return p;
}

bool PreferencesDialog::graphLeftToRight() const
{
    return m_direction->currentIndex() == 1;
}

} // namespace tilewright::ui
