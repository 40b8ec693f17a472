//go:build !linux || !(amd64 || arm64)

package sandbox

import "context"

// NativeEngine exists where the kernel is Linux, see [Native].
type NativeEngine struct{}

// Native returns an *Unavailable: what the native engine is made of, only Linux has.
func Native(context.Context, NativeOptions) (*NativeEngine, error) {
	return nil, lacking([]lack{{"Linux on an x86-64 or ARM64 processor", "Commands can be run in Docker here"}})
}

// SweepNative does nothing: nothing can be left.
func SweepNative() {}

// Tools looks for nothing: no command would find it.
func (*NativeEngine) Tools(context.Context) ([]Toolset, error) { return nil, nil }

// Close does nothing.
func (*NativeEngine) Close() error { return nil }

// Run implements Engine. There is nothing to run it on.
func (*NativeEngine) Run(ctx context.Context, _ Command) (*Result, error) {
	_, err := Native(ctx, NativeOptions{})
	return nil, err
}
