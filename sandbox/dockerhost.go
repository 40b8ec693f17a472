package sandbox

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/docker/docker/client"
)

// clientSettings finds the engine as the docker command does: the host that was
// given, else DOCKER_HOST, else the context that DOCKER_CONTEXT or the user's
// configuration names, else the usual socket.
func clientSettings(host string) ([]client.Opt, error) {
	if host == "" {
		host = os.Getenv(client.EnvOverrideHost)
	}
	if host != "" {
		return hostSettings(host, client.WithTLSClientConfigFromEnv(), client.WithVersionFromEnv())
	}
	dir := os.Getenv("DOCKER_CONFIG")
	if home, err := os.UserHomeDir(); dir == "" && err == nil {
		dir = filepath.Join(home, ".docker")
	}
	name := os.Getenv("DOCKER_CONTEXT")
	if name == "" {
		name = currentContext(dir)
	}
	if name == "" || name == "default" {
		return []client.Opt{client.FromEnv}, nil
	}
	return contextSettings(dir, name)
}

// currentContext returns the context that `docker context use` chose. A
// configuration that cannot be read chooses none, as with the docker command.
func currentContext(dir string) string {
	var config struct{ CurrentContext string }
	text, err := os.ReadFile(filepath.Join(dir, "config.json"))
	if err != nil || json.Unmarshal(text, &config) != nil {
		return ""
	}
	return config.CurrentContext
}

// contextSettings reads a context from where the docker command keeps it: below
// the checksum of its name.
func contextSettings(dir, name string) ([]client.Opt, error) {
	sum := sha256.Sum256([]byte(name))
	id := hex.EncodeToString(sum[:])
	var meta struct {
		Endpoints map[string]struct{ Host string }
	}
	text, err := os.ReadFile(filepath.Join(dir, "contexts", "meta", id, "meta.json"))
	if err == nil {
		err = json.Unmarshal(text, &meta)
	}
	host := meta.Endpoints["docker"].Host
	if err == nil && host == "" {
		err = errors.New("it names no Docker host")
	}
	if err != nil {
		return nil, &Unavailable{Engine: "docker", Reason: "the Docker context " + name + " cannot be read: " + err.Error(), Err: err,
			Advice: "Choose another with `docker context use`, or set DOCKER_HOST; `docker context ls` shows them"}
	}
	keys := filepath.Join(dir, "contexts", "tls", id, "docker")
	if _, err := os.Stat(keys); errors.Is(err, fs.ErrNotExist) {
		return hostSettings(host)
	}
	return hostSettings(host, client.WithTLSClientConfig(existing(keys, "ca.pem"), existing(keys, "cert.pem"), existing(keys, "key.pem")))
}

// existing returns the path of a file, or "" where there is none.
func existing(dir, name string) string {
	path := filepath.Join(dir, name)
	if _, err := os.Stat(path); err != nil {
		return ""
	}
	return path
}

func hostSettings(host string, more ...client.Opt) ([]client.Opt, error) {
	if strings.HasPrefix(host, "ssh://") {
		return sshSettings(host)
	}
	return append(more, client.WithHost(host)), nil
}
