//! Functions with any number of arguments.

/// Calls a function with the registers of the caller, as [`hook`](crate::hooks::hook) does, and with the list of arguments that a compiler makes
/// of registers and stack: where the registers are saved, how many of them were named (eight bytes each), and where the rest is. The list is
/// where the stack ends; instructions after the function put it, and the named arguments, where the function wants them.
macro_rules! with_list {
    ($named:literal, $function:path $(, $moves:literal)*) => {
        core::arch::naked_asm!(
            ".cfi_startproc",
            "push rbp",
            "push rbx",
            "push r12",
            "push r13",
            "push r14",
            "push r15",
            "mov r11, rsp",
            "sub rsp, 0xd8",
            ".cfi_adjust_cfa_offset 0x108",
            "mov [rsp + 0x20], rdi",
            "mov [rsp + 0x28], rsi",
            "mov [rsp + 0x30], rdx",
            "mov [rsp + 0x38], rcx",
            "mov [rsp + 0x40], r8",
            "mov [rsp + 0x48], r9",
            "movaps [rsp + 0x50], xmm0",
            "movaps [rsp + 0x60], xmm1",
            "movaps [rsp + 0x70], xmm2",
            "movaps [rsp + 0x80], xmm3",
            "movaps [rsp + 0x90], xmm4",
            "movaps [rsp + 0xa0], xmm5",
            "movaps [rsp + 0xb0], xmm6",
            "movaps [rsp + 0xc0], xmm7",
            concat!("mov dword ptr [rsp], ", $named),
            "mov dword ptr [rsp + 4], 48",
            "lea rax, [r11 + 56]",
            "mov [rsp + 8], rax",
            "lea rax, [rsp + 0x20]",
            "mov [rsp + 16], rax",
            $($moves,)*
            "mov r9, r11",
            "call {function}",
            "add rsp, 0x108",
            ".cfi_adjust_cfa_offset -0x108",
            "ret",
            ".cfi_endproc",
            function = sym $function,
        )
    };
}
pub(crate) use with_list;
