#version 450
#extension GL_EXT_nonuniform_qualifier : require
layout(local_size_x = 8) in;
layout(binding = 0) buffer Part { uint values[]; } parts[];

void main() { parts[gl_WorkGroupID.x].values[gl_LocalInvocationIndex] = 1u; }
