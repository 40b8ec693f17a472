package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	bolt "go.etcd.io/bbolt"
)

// endpointsBucket has the vectors of embeddings servers: name of the embedder -> (id of the pattern -> SHA-256 of the
// text, vector). Files of older versions have none; it is made when the first vector is kept.
var endpointsBucket = []byte("endpoints")

// accountPrefix and an embedder's name are the key in metaBucket of what is known of it.
const accountPrefix = "endpoint "

// account is what the database knows of an embedder.
type account struct {
	Scale     *scale `json:"scale,omitempty"`
	Dimension int    `json:"dimension,omitempty"`
	Texts     int    `json:"texts"` // that were embedded
	Cost
}

func (e *endpoint) readAccount(tx *bolt.Tx) (a account, err error) {
	if v := tx.Bucket(metaBucket).Get([]byte(accountPrefix + e.Name())); v != nil {
		err = json.Unmarshal(v, &a)
	}
	return a, err
}

func (e *endpoint) putAccount(tx *bolt.Tx, a account) error {
	text, err := json.Marshal(a)
	if err != nil {
		return err
	}
	return tx.Bucket(metaBucket).Put([]byte(accountPrefix+e.Name()), text)
}

// view and update run fn on the memory's database.
func (e *endpoint) view(fn func(*bolt.Tx) error) error {
	e.memory.mu.Lock()
	defer e.memory.mu.Unlock()
	return e.memory.view(fn)
}

func (e *endpoint) update(fn func(*bolt.Tx) error) error { return e.memory.change(fn) }

// unembedded is a pattern without a vector.
type unembedded struct{ id, kind, text string }

// vectorsOf is the bucket of the embedder's vectors; nil where there is none yet.
func (e *endpoint) vectorsOf(tx *bolt.Tx) *bolt.Bucket {
	if all := tx.Bucket(endpointsBucket); all != nil {
		return all.Bucket([]byte(e.Name()))
	}
	return nil
}

// load brings the index up to date with the database, and returns what has no vector of a dimension yet. A vector that was read
// once is not read again: the text of an id does not change.
func (e *endpoint) load(dimension int) (missing []unembedded, err error) {
	e.mu.Lock()
	before, read, open := e.spots, e.read, e.open
	if e.index == nil || e.index.dimension != dimension {
		before = nil
	}
	e.mu.Unlock()
	spots, fresh := map[string]string{}, map[string][]float32{}
	same := false
	var acc account
	err = e.view(func(tx *bolt.Tx) error {
		vectors := e.vectorsOf(tx)
		now := [3]uint64{generation(tx), 0, uint64(dimension)}
		if vectors != nil {
			now[1] = vectors.Sequence()
		}
		if acc, err = e.readAccount(tx); err != nil {
			return err
		}
		if same = before != nil && now == read && !open; same {
			return nil
		}
		read = now
		return tx.Bucket(patternsBucket).ForEach(func(k, v []byte) error {
			if kind, ok := before[string(k)]; ok {
				spots[string(k)] = kind
				return nil
			}
			p, ok := decodePattern(string(k), v)
			if !ok {
				return nil
			}
			var vector []float32
			if vectors != nil {
				vector = unpackVector(vectors.Get(k), p.Text, dimension)
			}
			if vector == nil {
				missing = append(missing, unembedded{p.ID, p.Kind, p.Text})
				return nil
			}
			spots[p.ID], fresh[p.ID] = p.Kind, vector
			return nil
		})
	})
	if err != nil {
		return nil, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.scale = nil; acc.Dimension == dimension {
		e.scale = acc.Scale
	}
	if !same {
		e.read, e.open = read, len(missing) > 0
		err = e.indexed(dimension, spots, fresh)
	}
	return missing, err
}

// indexed brings the index to what was read: spots are all patterns with a vector, fresh the vectors of those that were not known. The lock is held.
func (e *endpoint) indexed(dimension int, spots map[string]string, fresh map[string][]float32) error {
	ctx := context.Background()
	if e.index == nil || e.index.dimension != dimension {
		e.index, e.spots = newNearest(dimension), map[string]string{}
	}
	for id, kind := range e.spots {
		if spots[id] != kind {
			if err := e.index.remove(ctx, kind, id); err != nil {
				return err
			}
		}
	}
	for id, kind := range spots {
		vector, isFresh := fresh[id]
		switch {
		case isFresh:
			if err := e.index.add(ctx, kind, id, vector); err != nil {
				return err
			}
		case e.spots[id] != kind: // removed while this was read: it is read again
			delete(spots, id)
			e.read = [3]uint64{}
		}
	}
	e.spots = spots
	return nil
}

// keep writes the vectors of a batch. Of patterns that were forgotten meanwhile none is kept.
func (e *endpoint) keep(batch []unembedded, vectors [][]float32, cost Cost) error {
	return e.update(func(tx *bolt.Tx) error {
		all, err := tx.CreateBucketIfNotExists(endpointsBucket)
		if err != nil {
			return err
		}
		bucket, err := all.CreateBucketIfNotExists([]byte(e.Name()))
		if err != nil {
			return err
		}
		for i, p := range batch {
			if tx.Bucket(patternsBucket).Get([]byte(p.id)) == nil {
				continue
			}
			if err := bucket.Put([]byte(p.id), packVector(vectors[i], p.text)); err != nil {
				return err
			}
		}
		if _, err := bucket.NextSequence(); err != nil {
			return err
		}
		a, err := e.readAccount(tx)
		if err != nil {
			return err
		}
		a.Texts += len(batch)
		a.Tokens, a.Dollars = a.Tokens+cost.Tokens, a.Dollars+cost.Dollars
		return e.putAccount(tx, a)
	})
}

// dropEndpoints removes the vectors of a pattern, of all embeddings servers.
func dropEndpoints(tx *bolt.Tx, id string) error {
	all := tx.Bucket(endpointsBucket)
	if all == nil {
		return nil
	}
	return all.ForEachBucket(func(embedder []byte) error { return all.Bucket(embedder).Delete([]byte(id)) })
}

// packVector returns the hash of the text that was embedded and the vector in little-endian order.
func packVector(v []float32, text string) []byte {
	sum := sha256.Sum256([]byte(text))
	out := sum[:]
	for _, x := range v {
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(x))
	}
	return out
}

// unpackVector returns the vector if it is one of this text and dimension and can be compared, else nil.
func unpackVector(raw []byte, text string, dimension int) []float32 {
	sum := sha256.Sum256([]byte(text))
	if len(raw) != sha256.Size+4*dimension || !bytes.Equal(raw[:sha256.Size], sum[:]) {
		return nil
	}
	v := make([]float32, dimension)
	for i := range v {
		v[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[sha256.Size+4*i:]))
	}
	if !compares(v, dimension) {
		return nil // damaged: it is embedded anew
	}
	return v
}

// Embedded says how much of the memory has vectors of the embeddings server.
type Embedded struct {
	Name  string `json:"name"` // the server's address, the model, and the dimensions that are asked for
	Done  int    `json:"done"`
	Total int    `json:"total"`
	Texts int    `json:"texts"` // embedded so far for what is remembered, and what that cost
	Cost
}

// Embedded counts the vectors of the embeddings server; the zero value where none is set.
func (m *Memory) Embedded(ctx context.Context) (now Embedded, err error) {
	e := m.endpoint
	if e == nil {
		return now, ctx.Err()
	}
	now.Name = e.Name()
	err = e.view(func(tx *bolt.Tx) error {
		a, err := e.readAccount(tx)
		now.Texts, now.Cost = a.Texts, a.Cost
		now.Done, now.Total = 0, 0
		vectors := e.vectorsOf(tx)
		return errors.Join(err, tx.Bucket(patternsBucket).ForEach(func(k, v []byte) error {
			p, ok := decodePattern(string(k), v)
			if !ok {
				return nil
			}
			now.Total++
			if vectors != nil && unpackVector(vectors.Get(k), p.Text, a.Dimension) != nil {
				now.Done++
			}
			return nil
		}))
	})
	if err != nil {
		return now, fmt.Errorf("count the vectors: %w", err)
	}
	return now, nil
}
