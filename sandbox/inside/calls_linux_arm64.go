package inside

import "golang.org/x/sys/unix"

// nativeArch is what the kernel calls the processor that calls are made for.
const nativeArch = unix.AUDIT_ARCH_AARCH64

// processorCalls are the harmless calls that only this processor has.
var processorCalls []uint32
