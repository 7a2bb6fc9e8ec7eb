// SPDX-License-Identifier: GPL-3.0-or-later
// What the tests of ui/ include; only for the speed of a build.
#pragma once

#include "precompiled_ui.h"

#include <QSignalSpy>
#include <QtTest>
