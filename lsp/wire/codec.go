package wire

import (
	"encoding/json"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// codec reads and writes the payloads of messages with protocol's functions:
// the library's own codec does not know the protocol's union types.
type codec struct{}

// Marshal implements jsonrpc2.Codec.
func (codec) Marshal(v any) ([]byte, error) {
	switch raw := v.(type) {
	case json.RawMessage: // jsonrpc2.RawMessage and LSPAny are other names
		return orNull(raw), nil
	case protocol.LSPAny:
		return orNull(raw), nil
	case jsonrpc2.RawMessage:
		return orNull(raw), nil
	}
	return protocol.Marshal(v)
}

// Unmarshal implements jsonrpc2.Codec. What it decodes owns its bytes.
func (codec) Unmarshal(data []byte, v any) error {
	switch raw := v.(type) {
	case *json.RawMessage:
		*raw = append(json.RawMessage(nil), data...)
		return nil
	case *jsonrpc2.RawMessage:
		*raw = append(jsonrpc2.RawMessage(nil), data...)
		return nil
	}
	return protocol.Unmarshal(data, v)
}

// Decode reads JSON into a value of the protocol, unions included. Its strings
// may share memory with data: clone what is kept.
func Decode(data []byte, v any) error { return codec{}.Unmarshal(data, v) }

// orNull returns raw, or null where it is empty.
func orNull(raw []byte) []byte {
	if len(raw) == 0 {
		return []byte("null")
	}
	return raw
}

// Encode returns v as raw JSON, for fields of any type. Values of the protocol
// always marshal; Encode panics on a value that does not.
func Encode(v any) protocol.LSPAny {
	raw, err := codec{}.Marshal(v)
	if err != nil {
		panic("wire: " + err.Error())
	}
	return raw
}
