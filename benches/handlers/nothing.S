# A process that ends at once, without a C library: the least that a process can cost.
    .globl _start
_start:
#if defined(__x86_64__)
    movl $60, %eax
    xorl %edi, %edi
    syscall
#elif defined(__aarch64__)
    mov x8, #93
    mov x0, #0
    svc #0
#endif
