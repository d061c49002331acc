#version 450
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_shuffle : require
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer Words { uint words[]; };
layout(binding = 1) buffer Result { uint total; uint result[]; };
shared uint sums[32];

void main() {
  const uint i = gl_GlobalInvocationID.x;
  const uint word = words[i];
  uint sum = subgroupAdd(word) + subgroupInclusiveAdd(word) * 3u + subgroupMax(word);
  sum += subgroupShuffleXor(word, 1u) * 5u + subgroupBroadcastFirst(word);
  sum += subgroupBallotBitCount(subgroupBallot((word & 1u) == 1u)) * 7u;
  if (subgroupAny(word > 200u)) sum += 1000u;
  if (subgroupElect()) {
    atomicAdd(total, subgroupAdd(1u));
    sums[gl_SubgroupID] = word;
  }
  subgroupBarrier();
  barrier();
  result[i] = sum + sums[0];
}
