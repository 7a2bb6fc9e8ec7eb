# SPDX-License-Identifier: GPL-3.0-or-later
include(GNUInstallDirs)
install(TARGETS tilewright-cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
if(TARGET tilewright)
    install(TARGETS tilewright RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(DIRECTORY samples DESTINATION ${CMAKE_INSTALL_DATADIR}/tilewright)
