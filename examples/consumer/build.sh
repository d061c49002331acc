#!/bin/sh
# The same without CMake. Where vyre is not in a folder that pkg-config and the loader know by themselves:
#   PKG_CONFIG_PATH=PREFIX/lib/pkgconfig LD_LIBRARY_PATH=PREFIX/lib ./build.sh
set -e
c++ -std=c++23 main.cpp $(pkg-config --cflags --libs vyre) -o consumer
./consumer
