import os

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain
from conan.tools.files import copy, get
from conan.tools.layout import basic_layout


class SerialDataProtocol(ConanFile):
    name = "serial-data-protocol"
    version = "@VERSION@"
    description = "Runtime of SDP, schema-first binary messages, and MXP, services over sockets"
    homepage = "https://@REPOSITORY@"
    url = "https://@REPOSITORY@"
    license = "MIT OR Apache-2.0"
    topics = ("serialization", "rpc", "schema")
    package_type = "header-library"
    settings = "os", "arch", "compiler", "build_type"
    # system: the libraries of the system, and none of Conan's.
    options = {name: [True, False] for name in ("sockets", "tls", "websocket", "system")}
    default_options = {"sockets": True, "tls": False, "websocket": False, "system": False}

    def layout(self):
        basic_layout(self, src_folder="src")

    def validate(self):
        check_min_cppstd(self, 17)
        if (self.options.tls or self.options.websocket) and not self.options.sockets:
            raise ConanInvalidConfiguration("tls and websocket need sockets=True")

    def requirements(self):
        if self.options.system:
            return
        needed = {
            "xxhash/[>=0.8 <1]": True,
            "asio/[>=1.22 <2]": self.options.sockets,
            "openssl/[>=3 <4]": self.options.tls,
            "boost/[>=1.81 <2]": self.options.websocket,
        }
        for reference, wanted in needed.items():
            if wanted:
                self.requires(reference, transitive_headers=True, transitive_libs=True)

    # Headers and sources are the same for each machine: projects compile mxp::net.
    def package_id(self):
        self.info.settings.clear()
        self.info.requires.clear()

    def source(self):
        get(self, **self.conan_data["sources"][self.version], strip_root=True)

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["CMAKE_INSTALL_LIBDIR"] = "lib"
        for option in ("sockets", "tls", "websocket"):
            toolchain.cache_variables["MXP_" + option.upper()] = bool(self.options.get_safe(option))
        toolchain.generate()
        CMakeDeps(self).generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure(build_script_folder="mxp/cpp")
        cmake.build()

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE*", self.source_folder, os.path.join(self.package_folder, "licenses"))

    # CMake's packages are the installed ones: Conan's would lack targets that a project compiles.
    def package_info(self):
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = ["lib/cmake/sdp", "lib/cmake/mxp"]
        self.cpp_info.bindirs = []
        self.cpp_info.libdirs = []
