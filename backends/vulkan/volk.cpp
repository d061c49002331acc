// The loader is found at run time, so that one binary runs where there is no Vulkan too.
#define VK_NO_PROTOTYPES
#define VOLK_IMPLEMENTATION
#include <volk.h>
