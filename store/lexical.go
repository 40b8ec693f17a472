package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	bolt "go.etcd.io/bbolt"
)

// The search index lies in the database beside the patterns and changes in the same transaction, so that
// a process that just starts searches 100,000 records without reading them. It is derived: one that is
// missing, of another version or not in step is made again from the patterns.
//
// A pattern that is added is a row with its features. Every mergeRows rows, their words are merged into lists
// of rows by word, and the counts of all features into the table of rarity: adding one pattern
// writes a few pages, not one for each word. What is removed leaves its entries in the lists until
// dead ones are a quarter of all.

const (
	// mergeRows is how many rows are read one by one until they are merged. More make a
	// process that starts slower (512 rows take 2 ms), fewer make more and shorter lists.
	mergeRows = 512
	// rarityBits is the size of the table of rarity: 2 to the power of it. Of 100,000 records, features
	// that share an entry with others count as a little less rare than they are.
	rarityBits = 18
	// minDead is below how many dead rows lists are not made anew.
	minDead = 1000
)

// searchVersion is that of the features and of the encoding; others are made again.
const searchVersion = "4"

var (
	searchBucket   = []byte("search")   // kind -> the buckets and keys below
	rowsBucket     = []byte("rows")     // number -> id, features
	numbersBucket  = []byte("numbers")  // id -> number
	listsBucket    = []byte("lists")    // hash of a word, first number -> entries
	tallyKey       = []byte("tally")    // a tally
	rarityKey      = []byte("rarity")   // by the last bits of a hash, how many merged rows have the feature
	versionKey     = []byte("version")  // in searchBucket: searchVersion
	searchStateKey = []byte("in step")  // in searchBucket: the generation that the index belongs to
	removalsKey    = []byte("removals") // in searchBucket: counts what was removed
)

// tally is what an index of one kind counts.
type tally struct {
	Rows   uint32 // that live
	Length uint64 // of their texts, in words
	Next   uint32 // number of the next row
	Merged uint32 // rows below it are in the lists
	Dead   uint32 // merged rows that were removed
}

func readTally(kind *bolt.Bucket) (t tally) {
	if v := kind.Get(tallyKey); len(v) == binary.Size(t) {
		_ = binary.Read(bytes.NewReader(v), binary.BigEndian, &t) // of the right size, it cannot fail
	}
	return t
}

func (t tally) write(kind *bolt.Bucket) error {
	v, err := binary.Append(nil, binary.BigEndian, t)
	return errors.Join(err, kind.Put(tallyKey, v))
}

func number(n uint32) []byte { return binary.BigEndian.AppendUint32(nil, n) }

// searchReady makes the index if there is none that fits the patterns.
func searchReady(tx *bolt.Tx) error {
	if inStep(tx) {
		return nil
	}
	if tx.Bucket(searchBucket) != nil {
		if err := tx.DeleteBucket(searchBucket); err != nil {
			return err
		}
	}
	search, err := tx.CreateBucket(searchBucket)
	if err != nil {
		return err
	}
	if err := errors.Join(search.Put(versionKey, []byte(searchVersion)), search.Put(searchStateKey, key(int64(generation(tx))))); err != nil {
		return err
	}
	return tx.Bucket(patternsBucket).ForEach(func(k, v []byte) error {
		if p, ok := decodePattern(string(k), v); ok {
			return addRow(tx, p.Pattern)
		}
		return nil
	})
}

// inStep reports whether the index belongs to the patterns: an older caselsp changes these alone.
func inStep(tx *bolt.Tx) bool {
	search := tx.Bucket(searchBucket)
	return search != nil && bytes.Equal(search.Get(versionKey), []byte(searchVersion)) &&
		bytes.Equal(search.Get(searchStateKey), key(int64(generation(tx))))
}

// addRow adds a pattern to the index.
func addRow(tx *bolt.Tx, p Pattern) error {
	kind, err := tx.Bucket(searchBucket).CreateBucketIfNotExists([]byte(p.Kind))
	if err != nil {
		return err
	}
	rows, err := kind.CreateBucketIfNotExists(rowsBucket)
	if err != nil {
		return err
	}
	numbers, err := kind.CreateBucketIfNotExists(numbersBucket)
	if err != nil {
		return err
	}
	rows.FillPercent = 1 // numbers only rise
	t, f := readTally(kind), featuresOf(searched(p.Text))
	if err := errors.Join(rows.Put(number(t.Next), appendRow(nil, p.ID, f)), numbers.Put([]byte(p.ID), number(t.Next))); err != nil {
		return err
	}
	t.Rows, t.Next, t.Length = t.Rows+1, t.Next+1, t.Length+uint64(f.length)
	if t.Next-t.Merged >= mergeRows {
		if err := merge(kind, &t); err != nil {
			return err
		}
	}
	return t.write(kind)
}

// searched is the part of a text that it is found by.
func searched(text string) string { return text[:min(len(text), maxEmbedded)] }

// removeRow takes a pattern out of the index, of whatever kind it was.
func removeRow(tx *bolt.Tx, id string) error {
	search := tx.Bucket(searchBucket)
	if search == nil {
		return nil
	}
	return search.ForEachBucket(func(name []byte) error {
		kind := search.Bucket(name)
		n := bytes.Clone(kind.Bucket(numbersBucket).Get([]byte(id)))
		if n == nil {
			return nil
		}
		var f features
		if _, err := decodeRow(kind.Bucket(rowsBucket).Get(n), &f); err != nil {
			return err
		}
		t := readTally(kind)
		t.Rows, t.Length = t.Rows-1, t.Length-uint64(f.length)
		if binary.BigEndian.Uint32(n) < t.Merged {
			t.Dead++
		}
		removals := search.Get(removalsKey)
		count := uint64(0)
		if len(removals) == 8 {
			count = binary.BigEndian.Uint64(removals)
		}
		err := errors.Join(kind.Bucket(rowsBucket).Delete(n), kind.Bucket(numbersBucket).Delete([]byte(id)), search.Put(removalsKey, key(int64(count+1))))
		if err == nil && t.Dead >= minDead && t.Dead > t.Rows/4 {
			err = relist(kind, &t)
		}
		return errors.Join(err, t.write(kind))
	})
}

// relist makes the lists of an index anew, without dead rows.
func relist(kind *bolt.Bucket, t *tally) error {
	if err := errors.Join(kind.DeleteBucket(listsBucket), kind.Delete(rarityKey)); err != nil {
		return err
	}
	t.Merged, t.Dead = 0, 0
	return merge(kind, t)
}

// merge puts the rows that are not merged yet into the lists and the table of rarity.
func merge(kind *bolt.Bucket, t *tally) error {
	lists, err := kind.CreateBucketIfNotExists(listsBucket)
	if err != nil {
		return err
	}
	rarity := make([]byte, 4<<rarityBits)
	copy(rarity, kind.Get(rarityKey))
	type list struct {
		entries []byte
		last    uint32
	}
	found := map[uint64]*list{} // by word and first number
	open := map[uint32]*list{}
	var f features
	c := kind.Bucket(rowsBucket).Cursor()
	for k, v := c.Seek(number(t.Merged)); k != nil; k, v = c.Next() {
		n := binary.BigEndian.Uint32(k)
		if _, err := decodeRow(v, &f); err != nil {
			return fmt.Errorf("row %d: %w", n, err)
		}
		for _, class := range [][]feature{f.words, f.pairs, f.grams} {
			for _, x := range class {
				at := 4 * (x.hash & (1<<rarityBits - 1))
				binary.BigEndian.PutUint32(rarity[at:], binary.BigEndian.Uint32(rarity[at:])+1)
			}
		}
		for _, x := range f.words {
			l := open[x.hash]
			if l == nil || len(l.entries) > maxList {
				l = &list{last: n}
				open[x.hash], found[uint64(x.hash)<<32|uint64(n)] = l, l
			}
			l.entries = binary.AppendUvarint(l.entries, uint64(n-l.last))
			l.entries = append(l.entries, byte(min(x.count, math.MaxUint8)), lengthCode(f.length))
			l.last = n
		}
	}
	for _, at := range slices.Sorted(maps.Keys(found)) {
		if err := lists.Put(binary.BigEndian.AppendUint64(nil, at), found[at].entries); err != nil {
			return err
		}
	}
	t.Merged = t.Next
	return kind.Put(rarityKey, rarity)
}

// maxList is the longest list in one value, in bytes: longer ones would waste pages.
const maxList = 2000

// lengthCode and codedLength round a length to a byte, within 5 percent.
func lengthCode(length int) byte {
	return byte(min(math.Round(8*math.Log2(float64(length)+1)), math.MaxUint8))
}

var codedLengths = func() (lengths [256]float64) {
	for i := range lengths {
		lengths[i] = math.Exp2(float64(i)/8) - 1
	}
	return lengths
}()

// rowsOf is how many patterns the index has.
func rowsOf(tx *bolt.Tx) int {
	search, n := tx.Bucket(searchBucket), 0
	for _, kind := range kinds {
		if b := search.Bucket([]byte(kind)); b != nil {
			n += int(readTally(b).Rows)
		}
	}
	return n
}
