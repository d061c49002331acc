#version 450
layout(local_size_x = 8) in;
layout(constant_id = 0) const uint kParts = 2u;
layout(binding = 0) buffer Part { uint values[]; } parts[kParts];

void main() { parts[kParts - 1u].values[gl_GlobalInvocationID.x] = parts[0].values[gl_GlobalInvocationID.x] + 1u; }
