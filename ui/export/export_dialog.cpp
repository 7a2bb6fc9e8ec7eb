// SPDX-License-Identifier: GPL-3.0-or-later
#include "export/export_dialog.h"

#include "canvas/number_box.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QDir>
#include <QFileDialog>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QToolButton>

namespace tilewright::ui {

ExportDialog::ExportDialog(const View& view, const QString& folder, const Theme& current, QWidget* parent)
    : QDialog(parent)
{
    setWindowTitle(tr("Export %1").arg(view.title()));
    auto* form = new QFormLayout(this);
    m_path = new QLineEdit(QDir(folder).filePath(view.viewName() + QStringLiteral(".png")), this);
    auto* browse = new QToolButton(this);
    browse->setText(tr("…"));
    browse->setAccessibleName(tr("Choose a file"));
    connect(browse, &QToolButton::clicked, this, [this] {
        const QString chosen = QFileDialog::getSaveFileName(this, windowTitle(), m_path->text(),
                                                            tr("PNG (*.png);;SVG (*.svg);;PDF (*.pdf)"));
        if (!chosen.isEmpty())
            m_path->setText(chosen);
    });
    auto* fileRow = new QHBoxLayout;
    fileRow->addWidget(m_path, 1);
    fileRow->addWidget(browse);
    auto* fileLabel = new QLabel(tr("&File (.png, .svg, .pdf)"), this);
    fileLabel->setBuddy(m_path);
    m_path->setMinimumWidth(40 * fontMetrics().averageCharWidth());
    form->addRow(fileLabel, fileRow);
    const auto spin = [this](int value, int max) {
        auto* box = new NumberBox(this);
        box->setRange(1, max);
        box->setValue(value);
        return box;
    };
    // An exported picture is at least as large as exportSize(), so that it shows texts that a small view
    // omits.
    const QSize size = view.size().expandedTo(view.exportSize());
    m_width = spin(size.width(), 10000);
    m_height = spin(size.height(), 10000);
    m_scale = spin(2, 4);
    form->addRow(tr("&Width"), m_width);
    form->addRow(tr("&Height"), m_height);
    form->addRow(tr("&Scale (PNG)"), m_scale);
    m_theme = new QComboBox(this);
    m_theme->addItems({tr("Light (for print)"), tr("Dark")});
    m_theme->setCurrentIndex(0);
    m_theme->setToolTip(tr("The theme of the window is %1.").arg(current.dark ? tr("dark") : tr("light")));
    form->addRow(tr("&Theme"), m_theme);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Save | QDialogButtonBox::Cancel, this);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    form->addRow(buttons);
}

QString ExportDialog::path() const
{
    return m_path->text();
}

ExportOptions ExportDialog::options() const
{
    ExportOptions options;
    options.size = {m_width->value(), m_height->value()};
    options.scale = m_scale->value();
    options.theme = m_theme->currentIndex() == 1 ? &Theme::darkTheme() : &Theme::light();
    return options;
}

} // namespace tilewright::ui
