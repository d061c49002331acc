#version 450
layout(local_size_x = 8) in;
layout(binding = 0, r32ui) uniform uimage2D target;

void main() { imageStore(target, ivec2(gl_GlobalInvocationID.xy), uvec4(1u)); }
