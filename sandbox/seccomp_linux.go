package sandbox

import (
	"encoding/json"
	"slices"
	"sync"

	"github.com/moby/profiles/seccomp"
	"golang.org/x/sys/unix"
)

// seccompOption sends a profile with every container that forbids more than
// engines do by default: an engine of 2020 lets AF_VSOCK and io_uring pass, one may
// have been told to have no profile at all, and see stricterRules.
var seccompOption = sync.OnceValue(func() []string {
	p := seccomp.DefaultProfile()
	for i := range p.ArchMap { // 32-bit system calls pass some arguments in memory, which a filter cannot read; 32-bit programs are not supported
		p.ArchMap[i].SubArches = nil
	}
	var rules []*seccomp.Syscall
	text, err := json.Marshal(stricterRules())
	if err == nil {
		err = json.Unmarshal(text, &rules)
	}
	judged := make(map[string]bool)
	for _, r := range rules {
		judged[r.Names[0]] = true
	}
	for _, s := range p.Syscalls {
		s.Names = slices.DeleteFunc(s.Names, func(name string) bool { return judged[name] })
	}
	p.Syscalls = append(slices.DeleteFunc(p.Syscalls, func(s *seccomp.Syscall) bool { return len(s.Names) == 0 }), rules...)
	if err == nil {
		text, err = json.Marshal(p)
	}
	if err != nil {
		panic(err) // constant data
	}
	return []string{"seccomp=" + string(text)}
})

// callRule is one rule of a profile, as engines read it.
type callRule struct {
	Names    []string     `json:"names"`
	Action   string       `json:"action"`
	ErrnoRet *uint        `json:"errnoRet,omitempty"`
	Args     []callNumber `json:"args"`
}

// callNumber is what an argument of a call is compared with. With the operation
// "masked" Value is the mask and ValueTwo the expected result.
type callNumber struct {
	Index    uint   `json:"index"`
	Value    uint64 `json:"value"`
	ValueTwo uint64 `json:"valueTwo"`
	Op       string `json:"op"`
}

const masked = "SCMP_CMP_MASKED_EQ"

// stricterRules judge calls by their arguments that the usual profile lets pass, as
// the native engine does: huge pages, which no control group counts; and limits on
// core dumps, which stay as they are while the caller is told that they were
// changed. With a limit of 0 a crash would start the machine's own program for
// crashes, outside of the container and as root.
func stricterRules() []callRule {
	allowed := func(call string, args ...callNumber) callRule {
		return callRule{Names: []string{call}, Action: "SCMP_ACT_ALLOW", Args: args}
	}
	pretended := func(call string, args ...callNumber) callRule {
		return callRule{Names: []string{call}, Action: "SCMP_ACT_ERRNO", ErrnoRet: new(uint), Args: args}
	}
	// The kernel reads the lower half of these arguments.
	resource := func(index uint, n int) callNumber {
		return callNumber{Index: index, Value: 0xffffffff, ValueTwo: uint64(n), Op: masked}
	}
	rules := []callRule{
		allowed("mmap", callNumber{Index: 3, Value: unix.MAP_HUGETLB, Op: masked}),
		allowed("memfd_create", callNumber{Index: 1, Value: unix.MFD_HUGETLB, Op: masked}),
		pretended("setrlimit", resource(0, unix.RLIMIT_CORE)),
		allowed("prlimit64", resource(1, unix.RLIMIT_CORE), callNumber{Index: 2, Op: "SCMP_CMP_EQ"}), // asks
		pretended("prlimit64", resource(1, unix.RLIMIT_CORE), callNumber{Index: 2, Op: "SCMP_CMP_NE"}),
	}
	for n := range unix.RLIMIT_RTTIME + 1 {
		if n != unix.RLIMIT_CORE {
			rules = append(rules, allowed("setrlimit", resource(0, n)), allowed("prlimit64", resource(1, n)))
		}
	}
	return rules
}
