//go:build !linux

package workspace

// yieldThread is for systems that know priorities of threads.
func yieldThread() {}
