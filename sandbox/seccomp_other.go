//go:build !linux

package sandbox

// seccompOption leaves the profile to the engine: the library has one on Linux
// only, and the engine of another system is a Docker Desktop, which is kept up
// to date and whose profile of today forbids the same.
func seccompOption() []string { return nil }
