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
	ID: "secret-token", Title: "Hard-coded API key or token of a known service", Severity: validate.Critical, Category: validate.Secrets, Standards: []string{"CWE-798"},
	Aliases: validate.Aliases{validate.DetectSecrets: {"AWSKeyDetector", "GitHubTokenDetector", "JwtTokenDetector"}, validate.Gosec: {"G101"}, validate.Semgrep: {"generic.secrets"}, validate.Term: {"gitleaks", "TruffleHog"}},
	Full:    []validate.Origin{validate.Generated, validate.Vendored},
	Doc: "Anyone who can read the file, or any version of it in the history, can use the key. Revoke it at the service, then read the new one from the environment or a keyring. " +
		"The key is recognised by its format: AWS, Google, GitHub, GitLab, Slack, Stripe, OpenAI, npm and more than a hundred other services, and JSON Web Tokens (JWT). `caselsp help secret-formats` lists them. " +
		"Every text file is searched, comments included; dummies from manuals and placeholders pass.",
	File: "deploy.py", Bad: "TOKEN = \"ghp_\" \"x\"\nKEY = \"ghp_k3J8sQpL0vX2mZ7rT5yB9nC4wD6fG1hE8aUi\"\n", Good: "import os\n\nTOKEN = os.environ[\"GITHUB_TOKEN\"]\n",
	Check: keys(checkTokens),
}, {
	ID: "secret-private-key", Title: "Private key in source", Severity: validate.Critical, Category: validate.Secrets, Standards: []string{"CWE-321"},
	Aliases: validate.Aliases{validate.DetectSecrets: {"PrivateKeyDetector"}, validate.Gitleaks: {"private-key"}},
	Full:    []validate.Origin{validate.Generated, validate.Vendored},
	Doc:     "Anyone who can read the file can sign, decrypt and log in as its owner. Create a new key pair, and keep the private key outside the project in a file that only its owner can read.",
	File:    "sign.js", Bad: "const key = `-----BEGIN RSA PRIVATE KEY-----\nMIICXgIBAAKBgQDHBvDHAr7jh8h9xaqBCRjU7KHZJDQV1Y8x7mdq3Lb0vmGJ0Kbv\nzJ9q1x6t2QwYH4mVd0cXo3n5i8KfUuPjRzLsTgWaEeIyB7NpMhCkFvDbOlQrSZAx\n-----END RSA PRIVATE KEY-----`;\n",
	Good:  "const key = await readFile(process.env.KEY_FILE);\n",
	Check: keys(checkPrivateKeys),
}, {
	ID: "secret-credential", Title: "Hard-coded secret: a random value assigned to the name of a secret", Severity: validate.Critical, Category: validate.Secrets, Standards: []string{"CWE-798"},
	Aliases: validate.Aliases{validate.DetectSecrets: {"KeywordDetector", "Base64HighEntropyString"}, validate.Gitleaks: {"generic-api-key"}, validate.Gosec: {"G101"}, validate.SonarQube: {"S6418"}, validate.Bandit: {"B105"}, validate.Ruff: {"S105"}},
	Doc: "The value looks like a key or a generated password: it is long and random, and its name says secret, token, key or names a service. Revoke it, then read it from the environment or a keyring. " +
		"Names, words, text in any language, paths, URLs, hashes, versions, placeholders, test vectors and tables of values pass.",
	File: "settings.py", Bad: "API_SECRET = \"fJ8s0Qp3Lv2Xm9Zr7Ty5Bn1Cw4Df6Gh\"\n", Good: "import os\n\nAPI_SECRET = os.environ[\"API_SECRET\"]\n",
	Check: secrets(checkCredentials),
}, {
	ID: "secret-url", Title: "Password in a URL", Severity: validate.Critical, Category: validate.Secrets, Standards: []string{"CWE-798"},
	Aliases: validate.Aliases{validate.DetectSecrets: {"BasicAuthDetector"}, validate.Gitleaks: {"curl-auth-user"}},
	Doc:     "URLs are logged, displayed and passed on together with the password. Leave it out of the URL and read it from the environment; most drivers accept user and password separately.",
	File:    "db.go", Bad: "package db\n\nconst address = \"postgres://app:h7Gk2Lq9Xz@db.internal:5432/shop\"\n", Good: "package db\n\nconst address = \"postgres://app@db.internal:5432/shop\"\n",
	Check: secrets(checkURLs),
}, {
	ID: "secret-password", Title: "Hard-coded password", Severity: validate.Warning, Category: validate.Secrets, Standards: []string{"CWE-259"},
	Aliases: validate.Aliases{validate.Bandit: {"B105", "B106", "B107"}, validate.Gosec: {"G101"}, validate.Ruff: {"S105", "S106", "S107"}, validate.SonarQube: {"S2068"}},
	Doc:     "The password is in every copy of the project and cannot be changed without a release. Read it from the environment or a keyring. Labels, messages, names of fields and placeholders pass.",
	File:    "login.py", Bad: "DB_PASSWORD = \"hunter2\"\n", Good: "import os\n\nDB_PASSWORD = os.environ[\"DB_PASSWORD\"]\n",
	Check: secrets(checkPasswords),
}}
