package dom

import "strings"

// startTag reads a start tag and opens its element.
func (b *builder) startTag() {
	nameEnd := b.nameEnd(b.at + 1)
	n := &Node{Kind: Element, Name: b.lower[b.at+1 : nameEnd], Start: b.at, Arm: b.arms.top}
	dynamicName := len(b.gaps) > 0 && b.gaps[0].Start < nameEnd
	inner := &armStack{top: b.arms.top} // a tag's own branches open no elements
	t := &tagReader{reader: b.reader, gaps: b.gaps, node: n, at: nameEnd, arms: inner, arm: b.arms.top}
	if !t.attributes() {
		b.characters(b.at, len(b.text), false)
		b.at = len(b.text)
		return
	}
	if dynamicName {
		n.Name, n.Opaque = "", true
	}
	n.OpenEnd = t.at
	if inner.top == b.arms.top {
		b.drop(t.at)
		b.at = t.at
	} else {
		b.jump(t.at) // a branch begins or ends in the tag
	}
	b.imply(n)
	n.Space = b.foreign()
	switch n.Name {
	case "svg":
		n.Space = SVG
	case "math":
		n.Space = MathML
	}
	n.CloseStart, n.End = n.OpenEnd, n.OpenEnd
	b.append(n)
	b.index(n)
	switch {
	case n.Space == HTML && Void[n.Name], n.Space != HTML && n.SelfClosed:
	case len(b.stack) >= maxDepth:
	case n.Space == HTML && rawText[n.Name]:
		b.raw(n)
	default:
		b.stack = append(b.stack, n)
	}
}

// drop passes over the template tags before a place.
func (b *builder) drop(to int) {
	for len(b.gaps) > 0 && b.gaps[0].Start < to {
		b.gaps = b.gaps[1:]
	}
}

func (b *builder) index(n *Node) {
	b.doc.all = append(b.doc.all, n)
	b.doc.elements[n.Name] = append(b.doc.elements[n.Name], n)
	if id, ok := n.Get("id"); ok && id != "" {
		b.doc.ids[id] = append(b.doc.ids[id], n)
	}
}

// raw takes the inside of an element that holds text only.
func (b *builder) raw(n *Node) {
	end, close := len(b.text), len(b.text)
	for at := b.at; ; {
		i := strings.Index(b.lower[at:], "</"+n.Name)
		if i < 0 {
			break
		}
		at += i + 2 + len(n.Name)
		if at >= len(b.lower) || blank(b.lower[at]) || b.lower[at] == '>' || b.lower[at] == '/' {
			end, close = at-2-len(n.Name), len(b.text)
			if j := strings.IndexByte(b.lower[at:], '>'); j >= 0 {
				close = at + j + 1
			}
			break
		}
	}
	b.stack = append(b.stack, n)
	decode := n.Name == "title" || n.Name == "textarea"
	if decode {
		// What a template writes there is content as elsewhere.
		for len(b.gaps) > 0 && b.gaps[0].Start < end {
			b.characters(b.at, b.gaps[0].Start, true)
			b.template(b.gaps[0])
			b.gaps = b.gaps[1:]
		}
	}
	b.characters(b.at, end, decode)
	b.jump(close)
	if len(b.stack) > 1 && b.top() == n {
		b.pop(end, close)
	} else {
		n.CloseStart, n.End = end, close // a branch began in it
	}
}

// imply ends what the start tag of n ends.
func (b *builder) imply(n *Node) {
	if b.foreign() != HTML {
		return
	}
	if top := b.top(); top.Is("head") && !Metadata[n.Name] && n.Name != "" && !strings.Contains(n.Name, "-") {
		b.pop(n.Start, n.Start)
	}
	if e, ok := impliedEnd[n.Name]; ok {
		for i := len(b.stack) - 1; i > 0; i-- {
			if e.ends[b.stack[i].Name] {
				for len(b.stack) > i {
					b.pop(n.Start, n.Start)
				}
				continue
			}
			if e.stop[b.stack[i].Name] {
				break
			}
		}
	}
	if closesP[n.Name] {
		for i := len(b.stack) - 1; i > 0; i-- {
			if s := b.stack[i]; s.Is("p") {
				for len(b.stack) > i {
					b.pop(n.Start, n.Start)
				}
				break
			} else if scope[s.Name] || s.Is("button") || s.Space != HTML {
				break
			}
		}
	}
}
