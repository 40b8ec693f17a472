package store

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"
)

// settingValue is a value of the folders in.
func settingValue(in, setting, value string) SettingValue {
	return SettingValue{Setting: setting, Value: value, From: "workspace/configuration (Eglot)", Folders: in, At: time.Unix(1, 0).UTC()}
}

// TestConfirm keeps values that wait and values that are confirmed, beside the trusted
// folders of an older version, whose database has neither.
func TestConfirm(t *testing.T) {
	trust, err := TrustIn(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	expect := func(read func() ([]SettingValue, error), want ...SettingValue) {
		t.Helper()
		got, err := read()
		if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("got %v, %v; want %v", got, err, want)
		}
	}
	expect(trust.Confirmed)
	expect(trust.Waiting)
	if err := trust.Note("", nil); err != nil {
		t.Fatal(err)
	}
	if err := trust.Note("/a", nil); err != nil {
		t.Fatal(err)
	}
	if files, _ := filepath.Glob(trust.path()); files != nil {
		t.Error("reading makes a database")
	}
	if err := trust.Give("/a", "terminal", time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	expect(trust.Waiting)

	url, key := settingValue("/a", "model", "to x"), settingValue("/a", "trust.folders", `"/"`)
	other := settingValue("/b", "trust.folders", `"/"`)
	for folders, list := range map[string][]SettingValue{"/a": {url, key}, "/b": {other}} {
		if err := trust.Note(folders, list); err != nil {
			t.Fatal(err)
		}
	}
	expect(trust.Waiting, url, key, other)
	if err := trust.Note("/a", []SettingValue{key}); err != nil {
		t.Fatal(err)
	}
	expect(trust.Waiting, key, other)
	if err := trust.Confirm(url); err != nil {
		t.Fatal(err)
	}
	expect(trust.Confirmed, url)
	if err := trust.Unconfirm(key); err != nil { // it is not confirmed
		t.Fatal(err)
	}
	expect(trust.Confirmed, url)
	if err := trust.Unconfirm(url); err != nil {
		t.Fatal(err)
	}
	expect(trust.Confirmed)
	folders, err := trust.Folders()
	if err != nil || len(folders) != 1 || folders[0].Folder != "/a" {
		t.Errorf("the trusted folders: %v, %v", folders, err)
	}
}

// TestNoteIsBounded shows that projects cannot fill the state directory, and that the
// same values are not written again and again.
func TestNoteIsBounded(t *testing.T) {
	trust, err := TrustIn(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	var many []SettingValue
	for i := range 2 * maxWaiting {
		many = append(many, settingValue("/many", "commands.allow", fmt.Sprint(i)))
	}
	if err := trust.Note("/many", many); err != nil {
		t.Fatal(err)
	}
	if got, err := trust.Waiting(); err != nil || len(got) != maxWaiting {
		t.Errorf("%d values are kept of one workspace, %v", len(got), err)
	}
	written := func() (id int) {
		_ = trust.with(func(db *database) error {
			return db.view(func(tx *bolt.Tx) error { id = tx.ID(); return nil })
		})
		return id
	}
	before := written()
	for i := range many {
		many[i].At = time.Unix(2, 0) // only the time differs
	}
	if err := trust.Note("/many", many); err != nil || written() != before {
		t.Errorf("the same values were written again: transaction %d after %d, %v", written(), before, err)
	}
	for i := range maxNoted + 5 {
		v := settingValue(fmt.Sprint("/", i), "commands.allow", "x")
		v.At = time.Unix(int64(10+i), 0)
		if err := trust.Note(v.Folders, []SettingValue{v}); err != nil {
			t.Fatal(err)
		}
	}
	got, err := trust.Waiting()
	if err != nil || len(got) != maxNoted || got[0].Folders == "/many" {
		t.Errorf("%d workspaces are kept, %v", len(got), err)
	}
	for _, v := range got {
		if v.Folders == "/0" {
			t.Error("the oldest is kept")
		}
	}
}
