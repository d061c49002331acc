#version 450
#extension GL_EXT_buffer_reference : require
layout(local_size_x = 8) in;
layout(buffer_reference, buffer_reference_align = 4) buffer Words { uint words[]; };
layout(binding = 0) buffer Table { Words at; uint result[]; };

void main() { result[gl_GlobalInvocationID.x] = at.words[gl_GlobalInvocationID.x]; }
