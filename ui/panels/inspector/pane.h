// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QLabel;
class QLayout;
class QString;
class QVBoxLayout;
class QWidget;

namespace tilewright::ui {

/// Wrapped text to read, select and follow links in; as wide as its pane, however long its words are.
[[nodiscard]] QLabel* paragraph(QWidget* parent);
/// A heading and, under it, room for the section's controls. No frames: the pane is narrow.
[[nodiscard]] QVBoxLayout* section(const QString& title, QWidget* page, QVBoxLayout* into);
/// Deletes everything in it.
void clearLayout(QLayout* layout);

} // namespace tilewright::ui
