package secret

import (
	"strings"
	"testing"
)

// TestKinds tells files of secrets from others by their names.
func TestKinds(t *testing.T) {
	for kind, names := range map[string]string{
		"hidden": `.env prod.env .env.local backend/.env .envrc web/.dev.vars app.tfvars terraform.tfstate kubeconfig .kube/config .netrc .pgpass .my.cnf .npmrc .pypirc
			service-account.json service-account-prod.json credentials.json credentials server.pem server.key id_rsa deploy/id_ed25519 a.p12 a.jks a.kdbx .vault-token .boto .s3cfg rclone.conf
			wg0.conf .htpasswd wp-config.php secrets.yml app-secrets.yaml .git-credentials .terraformrc .aws/credentials .config/gcloud/x.db .docker/config.json keystore.properties
			prod-env my.env.bak env.production .env-prod config/.ENV Prod.Env .bash_history run/secrets/smtp`,
		"settings": `local_settings.py settings.py application-prod.yml appsettings.Production.json docker-compose.yml google-services.json secrets.py`,
		"": `.env.example .env.sample prod.env.template secrets.example.yml id_rsa.pub cert.pem fullchain.pem ca.pem public.pem env env/main.go src/env.ts vite-env.d.ts environment.yml env.py
			main.go README.md secrets.md secret.go credentials.go package.json go.mod tests/settings.py monkey.txt keyboard.json`,
	} {
		for name := range strings.FieldsSeq(names) {
			got := ""
			if k := KindOf(name); k != nil && k.Hidden {
				got = "hidden"
			} else if k != nil {
				got = "settings"
			}
			if got != kind {
				t.Errorf("%s is %q, not %q", name, got, kind)
			}
		}
	}
}

// manual is documentation of passwords as Django has it.
var manual = "=====\nUsers\n=====\n\nStoring\n=======\n\nSee ``hash``, ``check`` and ``salt``::\n\n    def __init__(self, hunter2=None):\n        hunter(self,\n\n" +
	"Upgrading\n---------\n\nCall `a`, `b`, `c`, `d`, `e` and `f` of ``PASSWORD_HASHERS``.\n\nChecking\n~~~~~~~~\n\nUse ``none``.\n"

// TestValues reads values in the ways in which files have them.
func TestValues(t *testing.T) {
	for name, c := range map[string]struct{ file, text, want string }{
		"comment":        {".env", "export DB_PASS=kiwi-9-melon  # note", "kiwi-9-melon"},
		"quotes":         {".env", `A_SECRET="kiwi 9 \"melon\" pie"`, `kiwi 9 "melon" pie`},
		"single":         {"prod.env", `SMTP_PWD='kiwi#9;melon'`, `kiwi#9;melon`},
		"lines":          {".env", "KEY=\"first9line\nsecond8line\"\nB=1", "second8line"},
		"ini":            {".s3cfg", "[default]\nsecret_key = kiwi9/melon+pie", "kiwi9/melon+pie"},
		"JSON":           {"credentials.json", `{"db": {"password": "kiwi\u002d9"}}`, "kiwi-9"},
		"state":          {"terraform.tfstate", `{"outputs": {"db_password": {"value": "kiwi9melon", "type": "string"}}}`, "kiwi9melon"},
		"YAML":           {"secrets.yml", "prod:\n  api_token: kiwi9melon # old", "kiwi9melon"},
		"block":          {"secrets.yml", "token: |\n  kiwi9melon\nport: 1", "kiwi9melon"},
		"HCL":            {"prod.tfvars", "db_password = \"kiwi9melon\"", "kiwi9melon"},
		"heredoc":        {"prod.tfvars", "token = <<EOT\nkiwi9melon\nEOT\n", "kiwi9melon"},
		"properties":     {"keystore.properties", "storePassword=kiwi\\\n  9melon", "kiwi9melon"},
		"XML":            {".m2/settings.xml", "<server><password>kiwi&amp;9melon</password></server>", "kiwi&9melon"},
		"attribute":      {"web.config", `<add key="ApiToken" value="kiwi9melon!x"/>`, "kiwi9melon!x"},
		"netrc":          {".netrc", "machine h login u password kiwi9melon", "kiwi9melon"},
		"pgpass":         {".pgpass", `h:5432:db:u:kiwi9\:melon`, "kiwi9:melon"},
		"PHP":            {"wp-config.php", "define( 'DB_PASSWORD', 'kiwi9melon' );", "kiwi9melon"},
		"address":        {".env", "DATABASE_URL=postgres://u:kiwi%219@db/x", "kiwi!9"},
		"connection":     {".env", "CONN=Server=db;User=u;Password=kiwi9melon;", "kiwi9melon"},
		"Docker":         {".docker/config.json", `{"auths": {"r": {"auth": "dTpraXdpOW1lbG9u"}}}`, "kiwi9melon"},
		"kube":           {"kubeconfig", "users:\n- user:\n    client-key-data: a2l3aTltZWxvbiBwaWU=", "a2l3aTltZWxvbiBwaWU="},
		"alone":          {".vault-token", "s.kiwi9melon\n", "s.kiwi9melon"},
		"WireGuard":      {"wg0.conf", "[Interface]\nPrivateKey = yAnz5TF+lXXJte14tji3zlMNq+hd2rYUIgJBgB3fBmk=", "yAnz5TF+lXXJte14tji3zlMNq+hd2rYUIgJBgB3fBmk="},
		"look":           {"prod.env", "THING=x7Kq2mVz9Lp4Rt8Wn1Yb", "x7Kq2mVz9Lp4Rt8Wn1Yb"},
		"settings":       {"local_settings.py", "DATABASES = {'default': {'PASSWORD': 'kiwi-9-melon'}}", "kiwi-9-melon"},
		"unknown name":   {"misc/notes", "A_TOKEN=kiwi9melon\nB_PASSWORD=melon8kiwi\n", "melon8kiwi"},
		"word":           {".env", "POSTGRES_PASSWORD=postgres", ""},
		"variable":       {".env", "DB_PASSWORD=${OTHER9x}", ""},
		"path":           {".env", "SECRET_KEY_BASE_FILE=/run/secrets/key9\nSECRET=/etc/ssl/private/key9.pem", ""},
		"host":           {".env", "TOKEN_HOST=db9.example.com\nAUTH_SECRET=db9.internal", ""},
		"switch":         {".env", "USE_TOKEN=true\nPASSWORD_PORT=5432", ""},
		"commit":         {".env", "GIT_SHA=9fceb02d0ae598e95dc970b74767f19372d61af8", ""},
		"source":         {"main.go", `password := "kiwi9melon"`, ""},
		"sample":         {".env.example", "DB_PASSWORD=kiwi9melon", ""},
		"manual":         {"docs/topics/passwords.txt", manual, ""},
		"list in docs":   {"docs/passwords.txt", "kiwi9melon\nmelon8kiwi\n", "melon8kiwi"},
		"same elsewhere": {"ops/passwords.txt", manual, "hunter(self,"},
		"test settings":  {"tests/settings.py", "PASSWORD = 'kiwi9melon'", ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := Values(c.file, c.text)
			found := c.want == "" && len(got) == 0
			for _, v := range got {
				found = found || v == c.want
			}
			if !found {
				t.Errorf("%s gives %q, want %q", c.file, got, c.want)
			}
		})
	}
}
