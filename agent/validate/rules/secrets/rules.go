package secrets

import (
	"caselsp/agent/validate"
)

// Keys and passwords in source. Formats that a service gives its keys are
// certain wherever they stand, in comments, too; of other values the name that
// they are given decides together with how random they look. Tests, lock files,
// minified files, hashes and placeholders hold none.
// The formats are those of store/secret, which the redaction masks too.
var secretRules = []validate.Rule{{
	ID: "secret-token", Title: "A key of a service in source", Severity: validate.Critical, Category: validate.Secrets, Standards: []string{"CWE-798"},
	Doc: "Whoever can read the file, or any version of it in the history, can use the key. Revoke it at the service, then read the new one from the environment or a keyring. " +
		"Known by the form that the service gives its keys: Amazon, Google, GitHub, GitLab, Slack, Stripe, OpenAI, npm and some hundred others, signed tokens (JWT) among them.",
	File: "deploy.py", Bad: "TOKEN = \"ghp_\" \"x\"\nKEY = \"ghp_k3J8sQpL0vX2mZ7rT5yB9nC4wD6fG1hE8aUi\"\n", Good: "import os\n\nTOKEN = os.environ[\"GITHUB_TOKEN\"]\n",
	Check: secrets(checkTokens),
}, {
	ID: "secret-private-key", Title: "A private key in source", Severity: validate.Critical, Category: validate.Secrets, Standards: []string{"CWE-321"},
	Doc:  "Whoever can read the file can sign, decrypt and log in as its owner. Make a new pair, and keep the private half in a file that only its user can read, outside of the project.",
	File: "sign.js", Bad: "const key = `-----BEGIN RSA PRIVATE KEY-----\nMIICXgIBAAKBgQDHBvDHAr7jh8h9xaqBCRjU7KHZJDQV1Y8x7mdq3Lb0vmGJ0Kbv\nzJ9q1x6t2QwYH4mVd0cXo3n5i8KfUuPjRzLsTgWaEeIyB7NpMhCkFvDbOlQrSZAx\n-----END RSA PRIVATE KEY-----`;\n",
	Good:  "const key = await readFile(process.env.KEY_FILE);\n",
	Check: secrets(checkPrivateKeys),
}, {
	ID: "secret-credential", Title: "A random value under the name of a secret", Severity: validate.Critical, Category: validate.Secrets, Standards: []string{"CWE-798"},
	Doc: "It looks like a key or a generated password: long, of many characters, and called a secret, a token, a key or by the name of a service. Revoke it, then read it from the environment or a keyring. " +
		"Values that are the names of something, words, paths, addresses, hashes, versions or placeholders pass.",
	File: "settings.py", Bad: "API_SECRET = \"fJ8s0Qp3Lv2Xm9Zr7Ty5Bn1Cw4Df6Gh\"\n", Good: "import os\n\nAPI_SECRET = os.environ[\"API_SECRET\"]\n",
	Check: secrets(checkCredentials),
}, {
	ID: "secret-url", Title: "A password in an address", Severity: validate.Critical, Category: validate.Secrets, Standards: []string{"CWE-798"},
	Doc:  "Addresses are logged, shown and passed on with the password in them. Leave it out of the address and read it from the environment; most drivers take user and password apart.",
	File: "db.go", Bad: "package db\n\nconst address = \"postgres://app:h7Gk2Lq9Xz@db.internal:5432/shop\"\n", Good: "package db\n\nconst address = \"postgres://app@db.internal:5432/shop\"\n",
	Check: secrets(checkURLs),
}, {
	ID: "secret-password", Title: "A password in source", Severity: validate.Warning, Category: validate.Secrets, Standards: []string{"CWE-259"},
	Doc:  "It is in every copy of the project and cannot be changed without a release. Read it from the environment or a keyring. Texts that are shown, names of fields and placeholders pass.",
	File: "login.py", Bad: "DB_PASSWORD = \"hunter2\"\n", Good: "import os\n\nDB_PASSWORD = os.environ[\"DB_PASSWORD\"]\n",
	Check: secrets(checkPasswords),
}}
