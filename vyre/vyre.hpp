#pragma once

/// All that a program needs to run kernels: `#include <vyre/vyre.hpp>`.

#include <vyre/all_backends.hpp>
#include <vyre/runtime/session.hpp>
#include <vyre/runtime/system.hpp>
#include <vyre/store/store.hpp>

namespace vyre {

using backend::Device;
using backend::DeviceOptions;
using program::Program;
using program::ProgramOptions;
using program::spirv::SpecOverride;
using report::RunReport;
using runtime::Argument;
using runtime::Buffer;
using runtime::BufferView;
using runtime::Capture;
using runtime::CaptureBuffer;
using runtime::CaptureBytes;
using runtime::CaptureParams;
using runtime::DevicePreference;
using runtime::DispatchItem;
using runtime::DispatchOptions;
using runtime::GroupCount;
using runtime::LaunchMode;
using runtime::param;
using runtime::Params;
using runtime::params;
using runtime::params_block;
using runtime::Prepared;
using runtime::Session;
using runtime::SessionOptions;
using runtime::SessionTicket;
using runtime::System;
using store::Store;
using store::StoreOptions;

}  // namespace vyre
