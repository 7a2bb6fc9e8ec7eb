// SPDX-License-Identifier: GPL-3.0-or-later
// What most files of ui/ include; only for the speed of a build, every file still names what it needs.
#pragma once

#include "precompiled_core.h"

#include <QAbstractItemModel>
#include <QAction>
#include <QApplication>
#include <QBoxLayout>
#include <QComboBox>
#include <QDockWidget>
#include <QFontMetricsF>
#include <QHash>
#include <QLabel>
#include <QLocale>
#include <QMainWindow>
#include <QMenu>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QPointer>
#include <QPushButton>
#include <QScrollBar>
#include <QSettings>
#include <QSpinBox>
#include <QStyledItemDelegate>
#include <QThreadPool>
#include <QTimer>
#include <QToolTip>
#include <QTreeWidget>
#include <QUndoStack>
