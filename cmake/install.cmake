# SPDX-License-Identifier: GPL-3.0-or-later
# What is installed where, by component: cli, gui, python, doc. A component is a Debian package (cmake/package.cmake).
include(GNUInstallDirs)
# Packages are made of a tree that also has tests: only what is installed is built first.
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)

# Manual page and completions of a program, written by itself.
add_custom_target(manuals COMMENT "Manual pages and completions")
function(tilewright_manual program component)
    set(folder ${CMAKE_BINARY_DIR}/manuals)
    set(made ${folder}/${program}.1.gz ${folder}/bash/${program} ${folder}/_${program} ${folder}/${program}.fish)
    add_custom_command(OUTPUT ${made}
        COMMAND ${CMAKE_COMMAND} -E make_directory ${folder}/bash
        COMMAND $<TARGET_FILE:${program}> manual man > ${folder}/${program}.1
        COMMAND gzip -9nf ${folder}/${program}.1
        COMMAND $<TARGET_FILE:${program}> manual bash > ${folder}/bash/${program}
        COMMAND $<TARGET_FILE:${program}> manual zsh > ${folder}/_${program}
        COMMAND $<TARGET_FILE:${program}> manual fish > ${folder}/${program}.fish
        DEPENDS ${program})
    add_custom_target(manuals-${program} DEPENDS ${made})
    add_dependencies(manuals manuals-${program})
    install(FILES ${folder}/${program}.1.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT ${component} OPTIONAL)
    install(FILES ${folder}/bash/${program} DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
            COMPONENT ${component} OPTIONAL)
    install(FILES ${folder}/_${program} DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions
            COMPONENT ${component} OPTIONAL)
    install(FILES ${folder}/${program}.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d
            COMPONENT ${component} OPTIONAL)
endfunction()

install(TARGETS tilewright-cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT cli)
tilewright_manual(tilewright-cli cli)
# Of the program without a window too; that with one finds them there.
install(DIRECTORY samples DESTINATION ${CMAKE_INSTALL_DATADIR}/tilewright COMPONENT cli)
install(DIRECTORY resources/machines DESTINATION ${CMAKE_INSTALL_DATADIR}/tilewright COMPONENT cli)

if(TARGET tilewright)
    install(TARGETS tilewright RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT gui)
    tilewright_manual(tilewright gui)
    set(id io.github.tilewright)
    configure_file(resources/desktop/${id}.metainfo.xml.in ${id}.metainfo.xml @ONLY)
    install(FILES resources/desktop/${id}.desktop DESTINATION ${CMAKE_INSTALL_DATADIR}/applications COMPONENT gui)
    install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${id}.metainfo.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/metainfo
            COMPONENT gui)
    install(FILES resources/desktop/${id}.mime.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/mime/packages
            RENAME ${id}.xml COMPONENT gui)
    install(FILES resources/icons/app.svg DESTINATION ${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/apps
            RENAME tilewright.svg COMPONENT gui)
    install(DIRECTORY resources/icons/mime/ DESTINATION ${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/mimetypes
            COMPONENT gui)
endif()

if(TARGET tilewright-python)
    set(folder lib/python3/dist-packages/tilewright) # where Debian's Python looks
    install(TARGETS tilewright-python LIBRARY DESTINATION ${folder} COMPONENT python)
    install(DIRECTORY python/tilewright/ DESTINATION ${folder} COMPONENT python
            FILES_MATCHING PATTERN *.py PATTERN py.typed PATTERN __pycache__ EXCLUDE)
    install(FILES ${CMAKE_BINARY_DIR}/python/tilewright/__init__.pyi DESTINATION ${folder} COMPONENT python)
endif()

# Beside each other as in the source tree, so that the links between them hold.
install(FILES README.md CONTRIBUTING.md CITATION.cff DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/tilewright-doc COMPONENT doc)
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/tilewright-doc COMPONENT doc)
install(FILES resources/desktop/tilewright-doc.doc-base DESTINATION ${CMAKE_INSTALL_DATADIR}/doc-base
        RENAME tilewright-doc COMPONENT doc)
# The handbook as pages, where `./dev handbook` has made it; Help > Handbook opens it.
set(scripts doctools.js jquery.js language_data.js searchtools.js underscore.js)
set(without "")
foreach(script IN LISTS scripts)
    list(APPEND without PATTERN ${script} EXCLUDE)
endforeach()
install(DIRECTORY build/handbook/html DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/tilewright-doc COMPONENT doc OPTIONAL
        ${without})
# Sphinx's own scripts are those of the package libjs-sphinxdoc, as everywhere in Debian.
foreach(script IN LISTS scripts)
    install(CODE "
        set(made ${CMAKE_SOURCE_DIR}/build/handbook/html/_static/${script})
        set(folder \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}/doc/tilewright-doc/html/_static\")
        if(EXISTS /usr/share/javascript/sphinxdoc/1.0/${script} AND EXISTS \${made})
            file(CREATE_LINK ../../../../javascript/sphinxdoc/1.0/${script} \${folder}/${script} SYMBOLIC)
        elseif(EXISTS \${made})
            file(COPY \${made} DESTINATION \${folder})
        endif()" COMPONENT doc)
endforeach()
