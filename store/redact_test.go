package store

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"caselsp/store/secret"
)

// TestRedactSecrets goes through texts that name their own secrets.
func TestRedactSecrets(t *testing.T) {
	file, err := os.ReadFile("testdata/redact/secrets.txt")
	if err != nil {
		t.Fatal(err)
	}
	marked := regexp.MustCompile(`«[^»]*»`)
	_, cases, _ := strings.Cut(string(file), "\n\n")
	for line := range strings.Lines(cases) {
		line = strings.NewReplacer("¦", "", "␤", "\n").Replace(strings.TrimSuffix(line, "\n"))
		in := strings.NewReplacer("«", "", "»", "").Replace(line)
		want := marked.ReplaceAllString(line, mask)
		if in == want {
			t.Errorf("nothing is marked in %q", line)
		}
		checkText(t, newRedactor(nil), in, want)
	}
}

// TestRedactFormats masks an example of every format that is known.
func TestRedactFormats(t *testing.T) {
	for _, f := range secret.Table() {
		key := regexp.MustCompile(f.Form).FindStringSubmatch(f.Example)
		in := `print("` + f.Example + `")`
		checkText(t, newRedactor(nil), in, strings.ReplaceAll(in, key[len(key)-1], mask))
	}
}

// TestRedactInnocent goes through text that looks like secrets but is not.
func TestRedactInnocent(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range append(files, "testdata/redact/innocent.txt", "../go.mod", "../go.sum") {
		if strings.HasSuffix(name, "_test.go") {
			continue // this package's tests hold made-up secrets
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			checkText(t, newRedactor(nil), line, line)
		}
	}
}

// TestRedactKnown redacts values that look like nothing, however they are written.
func TestRedactKnown(t *testing.T) {
	r := newRedactor([]string{"hunter2", `a"b\c<d> & e`, "hunter2hunter", "", "abc", "redacted", "open sesame, please"})
	for in, want := range map[string]string{
		"login hunter2 ok":                         "login [redacted] ok",
		"hunter2hunter2":                           "[redacted]2", // the longest first
		`say a"b\c<d> & e`:                         "say [redacted]",
		`{"v":"a\"b\\c<d> & e"}`:                   `{"v":"[redacted]"}`,
		`{"v":"a\"b\\c\u003cd\u003e \u0026 e"}`:    `{"v":"[redacted]"}`,
		`"{\"v\":\"a\\\"b\\\\c<d> & e\"}"`:         `"{\"v\":\"[redacted]\"}"`,
		"?q=a%22b%5Cc%3Cd%3E+%26+e":                "?q=[redacted]",
		"b3BlbiBzZXNhbWUsIHBsZWFzZQ== in a header": "[redacted] in a header",
		"abc redacted [redacted]":                  "abc redacted [redacted]", // too short, or the mask itself
		"hex 68756e74657232 and 68756E74657232":    "hex [redacted] and [redacted]",
		`\x68\x75\x6e\x74\x65\x72\x32 of C`:        "[redacted] of C",
		"68 75 6e 74 65 72 32":                     "[redacted]",
		"?q=a%22b%5cc%3cd%3e+%26+e":                "?q=[redacted]",
		"<b>a&#34;b\\c&lt;d&gt; &amp; e</b>":       "<b>[redacted]</b>",
		// {"password":"open sesame, please"} in base64, which holds a part of another group
		"> eyJwYXNzd29yZCI6Im9wZW4gc2VzYW1lLCBwbGVhc2UifQ==": "> eyJwYXNzd29yZCI6Im[redacted]UifQ==",
	} {
		checkText(t, r, in, want)
	}
}

// TestRedactSplit finds known values that line breaks run through.
func TestRedactSplit(t *testing.T) {
	r := newRedactor([]string{"open sesame, please", "first line of it all\nsecond line of it all\n"})
	for in, want := range map[string]string{
		"a open ses\name, please b":                         "a [redacted] b",
		"a open ses\r\n   ame, pl\n   ease b":               "a [redacted] b",
		"\"open sesa\" +\n    \"me, please\" b":             "\"[redacted]\" b",
		"'open sesa' \\\n'me, please' b":                    "'[redacted]' b",
		"+open sesa\n+me, please\n+b":                       "+[redacted]\n+b",
		"> b3BlbiBzZXNh\n> bWUsIHBsZWFzZQ==":                "> [redacted]",
		`log: "open ses\name, please" b`:                    `log: "[redacted]" b`,
		"  first line of it all\n  second line of it all\n": "  [redacted]\n  [redacted]\n",
		"only the second line of it all":                    "only the [redacted]",
		"open\n\nsesame":                                    "open\n\nsesame", // not all of it
	} {
		checkText(t, r, in, want)
	}
}

// checkText redacts as text and as a string in JSON, once and twice.
func checkText(t *testing.T, r *redactor, in, want string) {
	t.Helper()
	got := r.text(in)
	if got != want {
		t.Errorf("redacted\n  %q\ngave\n  %q\nnot\n  %q", in, got, want)
	}
	if again := r.text(got); again != got {
		t.Errorf("redacting %q again gave %q", got, again)
	}
	quoted, err := json.Marshal(map[string]string{"text": in})
	if err != nil {
		t.Fatal(err)
	}
	var back map[string]string
	if err := json.Unmarshal(r.json(quoted), &back); err != nil || back["text"] != want {
		t.Errorf("redacting the JSON string of %q gave %q (%v)", in, back["text"], err)
	}
}

func TestRedactJSON(t *testing.T) {
	r := newRedactor([]string{"hunter2"})
	for name, c := range map[string]struct{ in, want string }{
		"bytes that are no secret stay": {
			`{ "b":1.0, "a" : 12345678901234567890, "s":"\u003c\/\ud83d\ude00é" ,"n":[null,true] }`,
			`{ "b":1.0, "a" : 12345678901234567890, "s":"\u003c\/\ud83d\ude00é" ,"n":[null,true] }`,
		},
		"the name of a member counts": {
			`{"api_key": "x7Kq2mVz9Lp4Rt8Wn1Yb", "id": "x7Kq2mVz9Lp4Rt8Wn1Yb", "tokens": ["x7Kq2mVz9Lp4Rt8Wn1Yb", "word"]}`,
			`{"api_key": "[redacted]", "id": "x7Kq2mVz9Lp4Rt8Wn1Yb", "tokens": ["[redacted]", "word"]}`,
		},
		"names are redacted too": {
			`{"hunter2":"hunter2"}`,
			`{"[redacted]":"[redacted]"}`,
		},
		"a private key in lines": {
			`{"new":["a\n","+-----BEGIN EC PRIVATE KEY-----\n","+Proc-Type: 4,ENCRYPTED\n","+x7Kq2mVz9Lp4Rt8Wn1Yb5Dc3Hf6Jg0Sa4Ue8Io2\n","+Px6Tz==\n","+-----END EC PRIVATE KEY-----\n","word"]}`,
			`{"new":["a\n","+-----BEGIN EC PRIVATE KEY-----\n","+Proc-Type: 4,ENCRYPTED\n","[redacted]","[redacted]","+-----END EC PRIVATE KEY-----\n","word"]}`,
		},
		"a header alone opens nothing": {
			`["-----BEGIN PRIVATE KEY-----", "word", "other"]`,
			`["-----BEGIN PRIVATE KEY-----", "word", "other"]`,
		},
		"bytes in base64": { // {"password":"hunter2", "n":1}
			`{"data":"eyJwYXNzd29yZCI6Imh1bnRlcjIiLCAibiI6MX0="}`,
			`{"data":"eyJwYXNzd29yZCI6IltyZWRhY3RlZF0iLCAibiI6MX0="}`,
		},
		"a bare string": {`"hunter2"`, `"[redacted]"`},
		"no string":     {`[1,{}]`, `[1,{}]`},
	} {
		t.Run(name, func(t *testing.T) {
			if got := string(r.json([]byte(c.in))); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// TestConceal adds values while the store is open, as answers of the user come.
func TestConceal(t *testing.T) {
	s := open(t, Options{StateDir: t.TempDir(), Secrets: []string{"first-value"}})
	s.Conceal("second-value")
	if got, want := s.Redact("first-value second-value third-value"), "[redacted] [redacted] third-value"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func FuzzRedact(f *testing.F) {
	for _, name := range []string{"secrets.txt", "innocent.txt"} {
		file, err := os.ReadFile(filepath.Join("testdata/redact", name))
		if err != nil {
			f.Fatal(err)
		}
		for line := range strings.Lines(string(file)) {
			f.Add(strings.NewReplacer("¦", "", "«", "", "»", "", "␤", "\n").Replace(line))
		}
	}
	r := newRedactor([]string{"hunter2", `a"b\c`})
	f.Fuzz(func(t *testing.T, text string) {
		once := r.text(text)
		if twice := r.text(once); twice != once {
			t.Errorf("redacting %q gave %q, again %q", text, once, twice)
		}
		if strings.Contains(once, "hunter2") {
			t.Errorf("a known secret is left in %q", once)
		}
		doc, err := json.Marshal(map[string]any{"text": text, text: []string{text, once}, "n": 1.5})
		if err != nil {
			t.Fatal(err)
		}
		checkJSON(t, r, doc)
		if json.Valid([]byte(text)) {
			checkJSON(t, r, []byte(text))
		}
	})
}

// checkJSON redacts valid JSON: it stays valid, and redacting it again changes
// nothing.
func checkJSON(t *testing.T, r *redactor, doc []byte) {
	t.Helper()
	once := r.json(doc)
	if !json.Valid(once) {
		t.Errorf("redacting %s gave what is no JSON: %s", doc, once)
	}
	if twice := r.json(once); !bytes.Equal(once, twice) {
		t.Errorf("redacting %s gave %s, again %s", doc, once, twice)
	}
}

func TestVariables(t *testing.T) {
	got := Variables([]string{
		"API_TOKEN=x7Kq2mVz9Lp4Rt8Wn1Yb", "DB_PASSWORD='kiwi-9-melon'", "JWT_SECRET=abcdefghijkl", "GITHUB_TOKEN=ghx",
		"POSTGRES_PASSWORD=postgres", "DB_PASSWORD=changeme", "TOKEN_FILE=/run/secrets/token1", "SECRET_PATH=/run/a1", "AUTH_SECRET=/run/secrets/a1b2c3",
		"PATH=/usr/bin:/bin", "PWD=/srv/app1", "HOME=/home/anna1", "SESSION_TOKEN=", "PASSWORD", "GPG_KEY_ID=A1B2C3D4E5F6A7B8",
	})
	if want := "x7Kq2mVz9Lp4Rt8Wn1Yb kiwi-9-melon abcdefghijkl"; strings.Join(got, " ") != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestStringPrefixes masks values whose strings say how they are written, and leaves the
// headers of armoured blocks.
func TestStringPrefixes(t *testing.T) {
	r := newRedactor([]string{"-----BEGIN X-----\nProc-Type: 4,ENCRYPTED\n\nkiwi9melonkiwi8melon7\n-----END X-----"})
	for text, want := range map[string]string{
		`app.config['SECRET_KEY'] = b'7c1f3cdf3d144fd5'`:       `app.config['SECRET_KEY'] = b'[redacted]'`,
		`const DB_PASSWORD: &'static str = r#"kiwi-9-melon"#;`: `const DB_PASSWORD: &'static str = r#"[redacted]"#;`,
		"Proc-Type: 4,ENCRYPTED is a header":                   "Proc-Type: 4,ENCRYPTED is a header",
		"otpauth:/" + "/totp/a:b?secret=KB4XQ2VZ7LMNRT5W&i=a":  "otpauth://totp/a:b?secret=[redacted]&i=a",
	} {
		if got := r.text(text); got != want {
			t.Errorf("%q is %q, not %q", text, got, want)
		}
	}
}

// TestAdoptPasswords: the passwords of a test's accounts stay, wherever they come up; known values,
// keys and what looks random are masked there, too.
func TestAdoptPasswords(t *testing.T) {
	s := &Store{}
	s.redactor.Store(newRedactor([]string{"kiwi/melon-9"}))
	test := "login(username='testuser1', password='12345ab')\nlogin(password='2HJ1vRV0Z&3iD')\nlogin(password='kiwi/melon-9')\nlogin(password='aX7q-9Lp2zR8tW1n')\nAPI_KEY = 'x7Kq2mVz9Lp4Rt8Wn1Yb'\n"
	if got := s.Redact(test); strings.Contains(got, "12345ab") {
		t.Fatalf("the password is not masked before: %s", got)
	}
	s.AdoptPasswords(test)
	want := "login(username='testuser1', password='12345ab')\nlogin(password='2HJ1vRV0Z&3iD')\nlogin(password='[redacted]')\nlogin(password='[redacted]')\nAPI_KEY = '[redacted]'\n"
	if got := s.Redact(test); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

// TestRedactSeen redacts texts that were seen before as it redacts them for the first time,
// when values become known meanwhile and when a model writes what looks like a secret.
func TestRedactSeen(t *testing.T) {
	long := strings.Repeat("a line of a log without anything in it\n", 4)
	texts := []string{
		long, long + "first-value", long + "c2Vjb25kLXZhbHVlIGluIGEgdGV4dA==", long + "second\\u002dvalue", long + "DB_PASSWORD=winter-9",
		long + "Nzc2ODY5NzI2NCAyZCA3NiA2MSA2YyA3NSA2NQ", long + "API_KEY=x7Kq2mVz9Lp4Rt8Wn1Yb", long + "73 65 63 6f 6e 64 2d 76 61 6c 75 65",
	}
	s := &Store{}
	s.redactor.Store(newRedactor(nil))
	for _, step := range []func(){
		func() {}, func() {}, func() { s.Conceal("first-value") }, func() { s.Conceal("second-value", "third-value") },
		func() { s.Adopt("DB_PASSWORD=winter-9") }, func() { s.Conceal("log without") }, func() { s.Conceal("winter-9") },
	} {
		step()
		r := s.redactor.Load()
		for _, text := range texts {
			if got, want := s.Redact(text), r.textAt(text, 0); got != want {
				t.Errorf("with %d values known, %q became %q, not %q", len(r.secrets), text, got, want)
			}
			values := s.SecretsIn(text)
			if again := s.SecretsIn(text); !slices.Equal(again, values) {
				t.Errorf("the values assigned in %q are %q, again %q", text, values, again)
			}
		}
	}
	searched := 0
	r := s.redactor.Load()
	for _, text := range texts {
		if v, ok := r.seen.get(hashOf(text)); !ok || v.secrets != len(r.secrets) || !v.clean && v.redacted == "" || !v.searched {
			t.Errorf("%q would be searched again: %+v", text, v)
		}
		searched++
	}
	if n := len(r.seen.now); n != searched {
		t.Errorf("%d texts are remembered, not %d", n, searched)
	}
	for i := range 3 * maxSeen {
		s.Redact(fmt.Sprintf("%s%d", long, i))
	}
	if n := len(r.seen.now) + len(r.seen.last); n > 2*maxSeen {
		t.Errorf("%d texts are remembered", n)
	}
}

// TestRedactNearby finds what stands in another writing far from everything else of its
// kind, and leaves the lines between.
func TestRedactNearby(t *testing.T) {
	r := newRedactor([]string{"kiwi/melon-9"})
	far := strings.Repeat("a line without anything in it\n", 20)
	key := strings.Repeat("MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj\n", 9)
	for in, want := range map[string]string{
		far + "a%20b\n" + far + "kiwi%2Fmelon-9\n" + far:                        far + "a%20b\n" + far + "[redacted]\n" + far,
		far + "x\n\\x50ASSWORD=winter-9\n" + far + "100%25 of it\n":             far + "x\n\\x50ASSWORD=[redacted]\n" + far + "100%25 of it\n",
		far + "&#45;----BEGIN PRIVATE KEY-----\n" + key + "-----END X\n" + far:  far + "&#45;----BEGIN PRIVATE KEY-----\n[redacted]\n-----END X\n" + far,
		"50%25\n" + far + "6b 69 77 69 2f 6d 65\n 6c 6f 6e 2d 39\n" + far + "%": "50%25\n" + far + "[redacted]\n" + far + "%",
		far + "%25": far + "%25",
		"%25" + far: "%25" + far,
	} {
		if got := r.textAt(in, 0); got != want {
			t.Errorf("redacted\n  %q\ngave\n  %q\nnot\n  %q", in, got, want)
		}
	}
}
