package sandbox

import (
	"encoding/json"
	"sync"

	"github.com/moby/profiles/seccomp"
)

// seccompOption sends a profile with every container that forbids more than
// engines do by default: an engine of 2020 lets AF_VSOCK and io_uring pass, and
// one may have been told to have no profile at all.
var seccompOption = sync.OnceValue(func() []string {
	text, err := json.Marshal(seccomp.DefaultProfile())
	if err != nil {
		panic(err) // constant data of the library
	}
	return []string{"seccomp=" + string(text)}
})
