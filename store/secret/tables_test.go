package secret

import (
	"slices"
	"testing"
)

// TestPlaced reads values that a table, a place in a line or a block tells.
func TestPlaced(t *testing.T) {
	for name, c := range map[string]struct{ file, text, want string }{
		"export":     {"out/users.csv", "User name,Console password\nana,kiwi9melon!\n", "kiwi9melon!"},
		"tabs":       {"users.tsv", "host\tapi_token\nh\tkiwi9melon\n", "kiwi9melon"},
		"document":   {"NOTES.md", "| Host | Kennwort |\n|---|---|\n| h | kiwi9melon |\n", "kiwi9melon"},
		"shown":      {"README.md", "| Service | API key |\n|---|---|\n| h | `kiwi9melon` |\n", ""},
		"about":      {"README.md", "| Service | Secrets with |\n|---|---|\n| h | kiwi9melon |\n", ""},
		"test table": {"testdata/users.csv", "user,password\nana,kiwi9melon\n", ""},
		"program":    {"main.go", "f(a, token,\n\tb, kiwi9melon)\n", ""},
		"community":  {"snmpd.conf", "rocommunity kiwi9melon default\n", "kiwi9melon"},
		"privacy":    {"snmpd.conf", "createUser u MD5 \"first9kiwi\" DES \"kiwi9melon\"\n", "kiwi9melon"},
		"router":     {"edge.cfg", "username ana privilege 15 secret 0 kiwi9melon\n", "kiwi9melon"},
		"vault":      {"group_vars/all.yml", "pw: !vault |\n  $ANSIBLE_VAULT;1.1;AES256\n  3063393361626364656630613030\n", "3063393361626364656630613030"},
		"declared":   {"main.tf", "variable \"api_token\" {\n  default = \"kiwi9melon\"\n}\n", "kiwi9melon"},
		"CDATA":      {"conf/a.xml", "<password><![CDATA[kiwi<9&melon]]></password>", "kiwi<9&melon"},
		"folded":     {"conf/a.yml", "password: >\n  kiwi9melon\n", "kiwi9melon"},
		"tag":        {"conf/a.yml", "password: !!str kiwi9melon\n", "kiwi9melon"},
		"language":   {"conf/a.yml", "salasana: kiwi9melon\n", "kiwi9melon"},
		"part":       {"env.php", "return ['encryption' => ['key' => '7c1f3cdf3d144fd5']];", "7c1f3cdf3d144fd5"},
		"salt":       {"settings.php", "$s['hash_salt'] = 'x7Kq2mVz9Lp4Rt8Wn1Yb';", "x7Kq2mVz9Lp4Rt8Wn1Yb"},
		"hash":       {"users.json", `{"password_hash": "x7Kq2mVz9Lp4Rt8Wn1Yb"}`, "x7Kq2mVz9Lp4Rt8Wn1Yb"},
		"gem":        {".bundle/config", "BUNDLE_GEMS__ACME__IO: \"7c1f3cdf:3d144fd5\"\n", "7c1f3cdf:3d144fd5"},
		"mail":       {".fetchmailrc", "poll h user u password kiwi9melon\n", "kiwi9melon"},
		"node":       {"vm.args", "-setcookie kiwi9melon\n", "kiwi9melon"},
		"lock":       {"package-lock.json", `{"token": "kiwi9melon"}`, ""},
		"test data":  {"testdata/a.yml", "password: kiwi9melon\n", ""},
	} {
		if got := Values(c.file, c.text); c.want == "" && len(got) > 0 || c.want != "" && !slices.Contains(got, c.want) {
			t.Errorf("%s: Values(%q, %q) is %q, without %q", name, c.file, c.text, got, c.want)
		}
	}
}

// TestBlockHeaders leaves what describes an armoured block.
func TestBlockHeaders(t *testing.T) {
	for line, want := range map[string]bool{
		"Version: GnuPG v2": true, "Proc-Type: 4,ENCRYPTED": true, "Comment: kiwi melon": true, "DEK-Info: AES-256-CBC,00AA": true,
		"x7Kq2mVz9Lp4Rt8Wn1Yb": false, "password: kiwi9melon": false, "X-Api-Key: kiwi9melon": false,
	} {
		if got := BlockHeader(line); got != want {
			t.Errorf("BlockHeader(%q) = %t, want %t", line, got, want)
		}
	}
}
