package codemap

import (
	"fmt"
	"strings"
	"testing"

	"caselsp/agent/syntax"
)

func TestOrphans(t *testing.T) {
	var files []File
	for name, text := range map[string]string{
		"src/pkg/__init__.py":   "from .json import dumps\nfrom .signer import Signer\n",
		"src/pkg/signer.py":     "import json\nfrom ._json import x\n",
		"src/pkg/_json.py":      "",
		"tests/test_jws.py":     "import pytest\nfrom pkg.jws import JWS\nfrom pkg.signer import Signer\n",
		"tests/test_plain.py":   "import json\nimport helpers\n",
		"web/app.js":            "import { a } from './lib/gone.js';\nimport b from './lib/kept';\nimport c from 'gone';\n",
		"web/lib/kept.js":       "export default 1;\n",
		"web/other/lib/more.ts": "import { a } from '../../lib/gone';\n",
	} {
		files = append(files, File{Path: name, Facts: syntax.FactsOf(name, text)})
	}
	var got []string
	for _, o := range Orphans(files, []string{"src/pkg/jws.py", "src/pkg/json.py", "web/lib/gone.js", "tests/helpers.py"}) {
		got = append(got, o.Path+" "+o.Gone)
	}
	want := map[string]bool{
		"tests/test_jws.py src/pkg/jws.py": true, "src/pkg/__init__.py src/pkg/json.py": true,
		"web/app.js web/lib/gone.js": true, "web/other/lib/more.ts web/lib/gone.js": true,
	}
	for _, g := range got {
		if !want[g] {
			t.Errorf("%s does not hold", g)
		}
		delete(want, g)
	}
	if len(want) > 0 {
		t.Errorf("%s: not found", strings.Join(strings.Fields(fmt.Sprint(want)), " "))
	}
}
