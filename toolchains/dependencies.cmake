# Third-party code: the one file that pins versions, archive hashes and upstream commits, and the functions that turn
# them into targets. Included by the top CMakeLists.txt; fetch_sources.sh reads the table below, third_party/ builds.
#
# Each library is looked for in this order:
#   1. a system package that is new enough (XNNPACK, pthreadpool and cpuinfo only with DRAGOMAN_SYSTEM_XNNPACK=ON);
#   2. DRAGOMAN_SOURCES_DIR: extracted folders named like the first column, or the archives themselves;
#   3. the archives that toolchains/fetch_sources.sh gets from Debian's source archive;
#   4. FetchContent with git at the pinned upstream commit.
# zlib, yaml-cpp and utf8proc, which the converter needs, are compiled for cross builds alone (see packages.cmake).
# What comes from source is compiled once per target, optimized and without sanitizers, into
# build/third_party/<target>/, which all presets share.

# name | Debian source version | archive | SHA-256 of the archive | upstream repository | commit or tag
set(DRAGOMAN_DEPENDENCIES
  "xnnpack|0.0~git20241108.4ea82e5-2|xnnpack_0.0~git20241108.4ea82e5.orig.tar.xz|90bde2caef0f880f627bab0dc805a86c4b8070cd98e3243db3046ab3f3be1a99|google/XNNPACK|4ea82e595b36106653175dcb04b2aa532660d0d8"
  "pthreadpool|0.0~git20240616.560c60d-1|pthreadpool_0.0~git20240616.560c60d.orig.tar.xz|4cc3cbd933b28131d2a34edc54f76af9fb41bc490af5eae1a5bd3cd07ea90708|google/pthreadpool|560c60d342a76076f0557a3946924c6478470044"
  "cpuinfo|0.0~git20250905.877328f-1|cpuinfo_0.0~git20250905.877328f.orig.tar.xz|557ca404a3836b9f335a3a06b65ff9fe9dbaaefab7fb5c0185f53d9f33615a10|pytorch/cpuinfo|877328f188a3c7d1fa855871a278eb48d530c4c0"
  "fxdiv|0.0~git20200417.b408327-4|fxdiv_0.0~git20200417.b408327.orig.tar.xz|7953482badaf4cb34026c3487c257b8e4ab2df061c019bd6fabbbc12ad52c44b|Maratyszcza/FXdiv|b408327ac2a15ec3e43352421954f5b1967701d1"
  "highway|1.2.0-2|highway_1.2.0.orig.tar.gz|7e0be78b8318e8bdbf6fa545d2ecb4c90f947df03f7aadc42c1967f019e63343|google/highway|457c891775a7397bdb0376bb1031e6e027af1c48"
  "flatbuffers|23.5.26+dfsg-4|flatbuffers_23.5.26+dfsg.orig.tar.xz|0d309fd2c47bbbebd450e68d1419c336d53d1b8f5ce47e1f1f7f28f452fc6f3b|google/flatbuffers|v23.5.26"
  "catch2|3.7.1-0.5|catch2_3.7.1.orig.tar.gz|c991b247a1a0d7bb9c39aa35faf0fe9e19764213f28ffba3109388e62ee0269c|catchorg/Catch2|v3.7.1"
  "zlib|1:1.3.dfsg+really1.3.1-1|zlib_1.3.dfsg+really1.3.1.orig.tar.gz|60dd315c07f616887caa029408308a018ace66e3d142726a97db164b3b8f69fb|madler/zlib|51b7f2abdade71cd9bb0e7a373ef2610ec6f9daf"
  "yaml-cpp|0.8.0+dfsg-7|yaml-cpp_0.8.0+dfsg.orig.tar.xz|32c85a5f36633a9005b20261b35fccb0d8ec69e9ef16c67de7d5d007944e3709|jbeder/yaml-cpp|f7320141120f720aecc4c32be25586e7da9eb978"
  "utf8proc|2.8.0-1|utf8proc_2.8.0.orig.tar.gz|a0a60a79fe6f6d54e7d411facbfcc867a6e198608f2cd992490e46f04b1bcecc|JuliaStrings/utf8proc|v2.8.0"
)
set(DRAGOMAN_HIGHWAY_OLDEST 1.2)
set(DRAGOMAN_FLATBUFFERS_OLDEST 23.5.26)
set(DRAGOMAN_CATCH2_OLDEST 3.4)

set(DRAGOMAN_THIRD_PARTY_DIR "${PROJECT_SOURCE_DIR}/build/third_party" CACHE PATH
  "Where third-party code is built; shared by all presets")
mark_as_advanced(DRAGOMAN_THIRD_PARTY_DIR)
set(_dragoman_archives "${DRAGOMAN_THIRD_PARTY_DIR}/sources")

include(${CMAKE_CURRENT_LIST_DIR}/dependency_sources.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/dependency_build.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/dependency_targets.cmake)
