# SPDX-License-Identifier: GPL-3.0-or-later
include(GNUInstallDirs)
install(TARGETS tilewright-cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
if(TARGET tilewright)
    install(TARGETS tilewright RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
    install(FILES resources/desktop/io.github.tilewright.desktop DESTINATION ${CMAKE_INSTALL_DATADIR}/applications)
    install(FILES resources/desktop/io.github.tilewright.metainfo.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/metainfo)
    install(FILES resources/icons/app.svg DESTINATION ${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/apps
            RENAME tilewright.svg)
endif()
install(DIRECTORY samples DESTINATION ${CMAKE_INSTALL_DATADIR}/tilewright)
install(DIRECTORY resources/machines DESTINATION ${CMAKE_INSTALL_DATADIR}/tilewright/resources)
