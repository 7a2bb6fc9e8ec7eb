// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QLabel;
class QLayout;
class QString;
class QVBoxLayout;
class QWidget;

namespace tilewright::ui {

/// A label with wrapped text that can be selected and has links. It takes the width of its pane, however long
/// its words are.
[[nodiscard]] QLabel* paragraph(QWidget* parent);
/// A heading with a layout for the section's controls below it. No frame: the pane is narrow.
[[nodiscard]] QVBoxLayout* section(const QString& title, QWidget* page, QVBoxLayout* into);
/// Deletes all items of the layout.
void clearLayout(QLayout* layout);

} // namespace tilewright::ui
