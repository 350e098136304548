vcpkg_download_distfile(ARCHIVE
  URLS "@SOURCE_ADDRESS@"
  FILENAME "@SOURCE@"
  SHA512 @SHA512@)
vcpkg_extract_source_archive(SOURCE_PATH ARCHIVE "${ARCHIVE}")

vcpkg_check_features(OUT_FEATURE_OPTIONS FEATURE_OPTIONS
  FEATURES
    sockets MXP_SOCKETS
    tls MXP_TLS
    websocket MXP_WEBSOCKET)

# Headers and sources are the same for each build type: projects compile mxp::net.
set(VCPKG_BUILD_TYPE release)
vcpkg_cmake_configure(SOURCE_PATH "${SOURCE_PATH}/mxp/cpp" OPTIONS ${FEATURE_OPTIONS})
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(PACKAGE_NAME sdp CONFIG_PATH lib/cmake/sdp DO_NOT_DELETE_PARENT_CONFIG_PATH)
vcpkg_cmake_config_fixup(PACKAGE_NAME mxp CONFIG_PATH lib/cmake/mxp)
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/lib")

file(INSTALL "${CMAKE_CURRENT_LIST_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE" "${SOURCE_PATH}/LICENSE-MIT"
                                  "${SOURCE_PATH}/LICENSE-APACHE")
