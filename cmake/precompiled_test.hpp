// The same for tests.
#pragma once

#include <fstream>
#include <random>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "precompiled.hpp"
