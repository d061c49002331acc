// What the kernels of this folder share. With LAUNCHING_ONLY every kernel returns at once: no dispatch has 0 workgroups,
// but the compiler does not know that.
#ifdef LAUNCHING_ONLY
#define BEGIN_KERNEL if (gl_NumWorkGroups.x != 0u) return;
#else
#define BEGIN_KERNEL
#endif
