package llmtest

// Count is how a server counts tokens where a rule claims no usage.
type Count int

// The ways to count. A token is four bytes.
const (
	CountNothing Count = iota // 100 tokens in, 10 out
	CountAndCut               // an answer is cut at the limit that was asked for
	CountOnly                 // the limit is not heeded
)

// count adds to a reply what it costs, and cuts it.
func (c Count) count(in *wireRequest, req *Request, r Reply) Reply {
	if c == CountNothing || r.Usage != nil || r.Body != "" {
		return r
	}
	const bytes = 4
	size := len(r.Text)
	for _, call := range r.Calls {
		size += len(call.Name) + len(call.Args)
	}
	r.Usage = &Usage{Prompt: (len(req.Text) + bytes - 1) / bytes, Completion: (size + bytes - 1) / bytes}
	if most := in.Max + in.MaxNew; c == CountAndCut && most > 0 && r.Usage.Completion > most {
		r.Usage.Completion, r.Finish, r.Calls = most, "length", nil
		r.Text = r.Text[:min(len(r.Text), most*bytes)]
	}
	return r
}
