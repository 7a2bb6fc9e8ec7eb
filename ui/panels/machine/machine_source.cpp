// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/machine/machine_source.h"

#include "canvas/number_box.h"
#include "theme/text.h"

#include <QComboBox>
#include <QDialog>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLineEdit>

namespace tilewright::ui {

std::optional<Provenance> askSource(QWidget* parent, const QString& path, const Provenance& old)
{
    QDialog dialog(parent);
    dialog.setObjectName(QStringLiteral("machine.source"));
    dialog.setWindowTitle(tr("Source of %1").arg(path));
    auto* form = new QFormLayout(&dialog);
    auto* kind = new QComboBox(&dialog);
    for (const SourceKind k : {SourceKind::Measured, SourceKind::Datasheet, SourceKind::Paper,
                               SourceKind::Assumed, SourceKind::Fitted})
        kind->addItem(word(toString(k)));
    kind->setCurrentIndex(static_cast<int>(old.kind));
    auto* source = new QLineEdit(QString::fromStdString(old.source), &dialog);
    auto* year = new NumberBox(&dialog);
    year->setRange(1899, 2200);
    year->setSpecialValueText(tr("unknown")); // text at the minimum value of the year
    year->setValue(old.year > 0 ? static_cast<int>(old.year) : year->minimum());
    auto* note = new QLineEdit(QString::fromStdString(old.note), &dialog);
    form->addRow(tr("&Kind"), kind);
    form->addRow(tr("&Source"), source);
    form->addRow(tr("&Year"), year);
    form->addRow(tr("&Note"), note);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel, &dialog);
    form->addRow(buttons);
    QObject::connect(buttons, &QDialogButtonBox::accepted, &dialog, &QDialog::accept);
    QObject::connect(buttons, &QDialogButtonBox::rejected, &dialog, &QDialog::reject);
    if (dialog.exec() != QDialog::Accepted)
        return std::nullopt;
    Provenance now;
    now.kind = static_cast<SourceKind>(kind->currentIndex());
    now.source = source->text().trimmed().toStdString();
    now.year = year->value() > year->minimum() ? year->value() : 0;
    now.note = note->text().trimmed().toStdString();
    return now;
}

} // namespace tilewright::ui
