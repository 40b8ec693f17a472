# caselsp: what can be made. `make` alone lists it.
#
# What a test may find missing: programs, a sandbox, images. The test asks for it by
# name with its package's need function, and is skipped with a line that says what to
# install (go test -v shows it). CASELSP_REQUIRE=docker,nvim makes what it names
# required: a failure where it is missing; e2e and .ci/run set it. How a need function
# looks, and why each package has its own: cmd/caselsp/tidy_test.go, checkCalls. On
# machines where nearly everything is missing, .ci/fresh.sh runs the tests.
#
# What is slow: the tests of cmd/caselsp, which run the real program. A scenario takes
# little of the processor; it waits for containers, for a silent or busy model, for
# time limits. So its package runs twice as many tests at once as there are processors,
# which takes 40 percent off. The longest are TestCrash (one run, killed and resumed, for
# each record of a task), TestCanary and the Docker scenarios. After it come
# agent/shell (each line of the fixtures judged, read by bash, run by bash and dash)
# and sandbox (all hostile programs on both engines, each twice).

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

GO ?= go
NVIM ?= nvim
EMACS ?= emacs
PREFIX ?= $(HOME)/.local
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
TESTFLAGS ?=
CODE ?= code
REQUIRE ?= docker,native,nvim,nvim010,emacs,helix,vim,vscode,chromium,tmux,python,pytest,coverage,hypothesis,django,pylint,bandit,pip,python3,node,npm,git,bash,dash,jq,modules
BENCHTIME ?= 1s
FUZZTIME ?= 5s
# For one package: Go's own ten minutes are too few for the real programs' on a busy machine.
TESTTIME ?= 75m
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
GOFILES = $(shell find . -name '*.go' -not -path '*/testdata/*' -not -path '*/.*' -not -path '*/node_modules/*')

# tree-sitter and its grammars are C.
export CGO_ENABLED := 1

PLATFORMS ?= linux/amd64 linux/arm64 windows/amd64

.PHONY: help tools build install release demo test check bench bench-patch bench-prompt bench-envelopes bench-validators bench-index bench-large bench-memory bench-table fuzz e2e generate pictures install-nvim install-emacs sandbox-image vscode install-vscode

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  %-14s %s\n", $$1, $$2 }' Makefile
	@echo
	@echo 'Variables: TESTFLAGS (go test), FUZZTIME=$(FUZZTIME), BENCHTIME=$(BENCHTIME), REQUIRE=$(REQUIRE) (e2e)'

tools:
	@missing=0; need() { command -v "$$1" >/dev/null || { echo "make: $$1 is missing: $$2" >&2; missing=1; }; }; \
	need $(firstword $(GO)) 'install Go 1.26 or newer from https://go.dev/dl/'; \
	need $$($(GO) env CC 2>/dev/null || echo cc) 'install a C compiler (Debian: apt-get install gcc libc6-dev; macOS: xcode-select --install)'; \
	need git 'install git (Debian: apt-get install git; macOS: xcode-select --install)'; \
	exit $$missing

build: tools ## build bin/caselsp (needs Go, a C compiler and git)
	$(GO) build -trimpath -ldflags '-X main.version=$(VERSION)' -o bin/caselsp ./cmd/caselsp

install: build ## install the program, its manual pages and completions below PREFIX=~/.local
	install -D -m 755 bin/caselsp "$(DESTDIR)$(PREFIX)/bin/caselsp"
	bin/caselsp help --man "$(DESTDIR)$(PREFIX)/share/man"
	install -d "$(DESTDIR)$(PREFIX)/share/bash-completion/completions" "$(DESTDIR)$(PREFIX)/share/zsh/site-functions" "$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d"
	bin/caselsp completion bash > "$(DESTDIR)$(PREFIX)/share/bash-completion/completions/caselsp"
	bin/caselsp completion zsh > "$(DESTDIR)$(PREFIX)/share/zsh/site-functions/_caselsp"
	bin/caselsp completion fish > "$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/caselsp.fish"

# The compiler of each platform that Debian has a cross compiler for. macOS needs a Mac: make build there.
cc_linux/amd64 = x86_64-linux-gnu-gcc
cc_linux/arm64 = aarch64-linux-gnu-gcc
cc_windows/amd64 = x86_64-w64-mingw32-gcc

release: tools ## build archives with checksums in dist/ for PLATFORMS (Debian: gcc-aarch64-linux-gnu libc6-dev-arm64-cross gcc-mingw-w64-x86-64)
	@rm -rf dist; mkdir -p dist; $(foreach p,$(PLATFORMS),\
		command -v $(cc_$(p)) >/dev/null || { echo 'make: $(cc_$(p)) is missing for $(p): install it, or name other PLATFORMS' >&2; exit 1; };)
	@$(foreach p,$(PLATFORMS),name=caselsp-$(VERSION)-$(subst /,-,$(p)); echo "$$name"; mkdir -p "dist/$$name"; cp LICENSE README.md "dist/$$name/"; \
		GOOS=$(firstword $(subst /, ,$(p))) GOARCH=$(lastword $(subst /, ,$(p))) CC=$(cc_$(p)) $(GO) build -trimpath -ldflags '-s -w -X main.version=$(VERSION)' \
			-o "dist/$$name/caselsp$(if $(findstring windows,$(p)),.exe)" ./cmd/caselsp; \
		tar -C dist --sort=name --owner=0 --group=0 --numeric-owner --mtime=@$${SOURCE_DATE_EPOCH:-$$(git log -1 --format=%ct)} -czf "dist/$$name.tar.gz" "$$name"; rm -r "dist/$$name";)
	@cd dist && sha256sum *.tar.gz > SHA256SUMS && cat SHA256SUMS

demo: build ## see the whole product on a bundled project: no key, no Docker, no network
	./bin/caselsp demo

test: ## vet and test everything; what needs a missing program is skipped
	$(GO) vet ./...
	$(GO) test -timeout $(TESTTIME) $(TESTFLAGS) ./...

check: ## gofmt, go mod tidy, vet and staticcheck; luacheck where it is installed
	@unformatted=$$(gofmt -l $(GOFILES)); if [ -n "$$unformatted" ]; then echo "gofmt would change:" >&2; echo "$$unformatted" >&2; exit 1; fi
	$(GO) mod tidy -diff
	$(GO) vet -tags corpus,fixtures ./...
	$(GO) run $(STATICCHECK) -tags corpus,fixtures ./...
	@if command -v luacheck >/dev/null; then luacheck -q --config editors/nvim/.luacheckrc editors/nvim; else echo 'luacheck is not installed: the Lua of editors/nvim was not checked'; fi

bench: ## run the benchmarks
	$(GO) test -run '^$$' -bench . -benchmem -benchtime $(BENCHTIME) ./...

bench-patch: ## count right, wrong and refused patches of CORPUS=folder of *.jsonl.gz; KIND=kind/format shows those not right
	@if [ -z "$(CORPUS)" ]; then echo 'make: say where the cases are: make bench-patch CORPUS=folder. agent/patch/README.md says what is in one' >&2; exit 1; fi
	$(GO) test -tags corpus ./cmd/caselsp -run 'TestPatchCorpus|TestCorpusParses' -count=1 -v -corpus '$(abspath $(CORPUS))' -kind '$(KIND)'

bench-prompt: ## measure what models are sent: the demo, a scripted run, and tasks as they were played (PLAYED=folder of *.json, CHECKOUTS=folder of owner+name); REQUESTS=folder gets the requests
	$(GO) test -tags corpus ./agent -run '^$$' -bench Prompt -benchtime 1x -played '$(if $(PLAYED),$(abspath $(PLAYED)))' -checkouts '$(if $(CHECKOUTS),$(abspath $(CHECKOUTS)))' -requests '$(if $(REQUESTS),$(abspath $(REQUESTS)))'

bench-envelopes: ## write the commits of REPOS="bare repositories" as models write patches, in many envelopes, and count right, wrong and refused by kind; FAILURES=folder gets examples, KIND=name only that kind, CASES=of each kind, SEED=number
	@if [ -z "$(REPOS)" ]; then echo 'make: say which commits: make bench-envelopes REPOS="one.git two.git"' >&2; exit 1; fi
	ENVELOPE_REPOS='$(abspath $(REPOS))' ENVELOPE_FAILURES='$(if $(FAILURES),$(abspath $(FAILURES)))' ENVELOPE_KIND='$(KIND)' ENVELOPE_CASES='$(CASES)' ENVELOPE_SEED='$(SEED)' \
		$(GO) test -tags corpus ./agent/patch -run TestEnvelopes -count=1 -v

bench-validators: ## measure the validators: speed, beside html-validate and eslint (PEERS=folder with node_modules, PROJECT=folder), W3C's cases (ACT=folder of wcag-act-rules' testcases.json), Bandit's examples (BANDIT=folder of PyCQA/bandit)
	$(GO) test ./agent/validate -run '^$$' -bench 'Edit|Dependents' -benchtime $(BENCHTIME)
	@if [ -z "$(PEERS)" ] || [ -z "$(PROJECT)" ]; then echo 'make: PEERS=folder (npm install html-validate eslint @eslint/js there) and PROJECT=folder compare with html-validate and eslint' >&2; \
	else $(GO) test -tags corpus ./cmd/caselsp -run '^$$' -bench Peers -benchtime 1x -peers '$(abspath $(PEERS))' -project '$(abspath $(PROJECT))'; fi
	@if [ -z "$(ACT)" ]; then echo 'make: ACT=folder measures the W3C cases, too' >&2; else ACT='$(abspath $(ACT))' $(GO) test -tags corpus ./agent/validate/rules -run TestACT -count=1 -v; fi
	@if [ -z "$(BANDIT)" ]; then echo "make: BANDIT=folder measures Bandit's examples, too" >&2; else BANDIT='$(abspath $(BANDIT))' $(GO) test -tags corpus ./agent/validate/rules -run TestBandit -count=1 -v; fi

bench-index: ## measure the index of PROJECT=folder beside ctags and ripgrep (Debian: universal-ctags, ripgrep)
	@if [ -z "$(PROJECT)" ]; then echo 'make: say what is indexed: make bench-index PROJECT=folder' >&2; exit 1; fi
	$(GO) test -tags corpus ./cmd/caselsp -run '^$$' -bench IndexPeers -benchtime 3x -project '$(abspath $(PROJECT))'

bench-large: ## measure what an editor waits for, and the memory, while the server indexes 100,000 files for the first time (Linux)
	$(GO) test ./cmd/caselsp -run '^$$' -bench LargeServer -benchtime 1x -v

# An injected fault can make a test take all memory that there is: it gets 4 GB.
bench-memory: ## count what memory recalls beside BM25 alone and plain hashing, on failures and code of CHECKOUTS="folder folder", whose tests run offline; SETS=folder keeps what was made of them or has it already, SEED=number, FAULTS=of each checkout
	@if [ -z "$(CHECKOUTS)$(SETS)" ]; then echo 'make: say which checkouts: make bench-memory CHECKOUTS="one two"' >&2; exit 1; fi
	@sets='$(if $(SETS),$(abspath $(SETS)))'; if [ -z "$$sets" ]; then sets=$$(mktemp -d); trap 'rm -rf "$$sets"' EXIT; fi; mkdir -p "$$sets"; \
	if [ -n "$(CHECKOUTS)" ]; then \
		(ulimit -v 4194304 2>/dev/null || true; $(GO) run ./store/testdata/corpus -seed $(or $(SEED),1) -faults $(or $(FAULTS),16) $(abspath $(CHECKOUTS))) > "$$sets/failures.jsonl"; \
		$(GO) run ./store/testdata/corpus -seed $(or $(SEED),1) -code $(abspath $(CHECKOUTS)) > "$$sets/code.jsonl"; \
	fi; \
	CASELSP_CORPUS="$$sets" $(GO) test -tags corpus ./store -run 'TestCorpus$$' -count=1 -v

bench-table: ## measure caselsp beside other programs and write cmd/caselsp/benchmarks.md: ctags and ripgrep on PROJECT=folder, html-validate and eslint of PEERS=folder, Docker; what is missing is left out
	$(GO) test -tags corpus ./cmd/caselsp -run TestBenchTable -count=1 -timeout $(TESTTIME) -table -project '$(if $(PROJECT),$(abspath $(PROJECT)))' -peers '$(if $(PEERS),$(abspath $(PEERS)))'

# Without a bound on minimizing, Go's fuzzer spends up to a minute on each new
# input and seems to hang.
fuzz: ## run each fuzz target for FUZZTIME
	@find . -name '*_test.go' -not -path '*/testdata/*' | { xargs grep -l '^func Fuzz' || true; } | while read -r file; do \
		for target in $$(sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\).*/\1/p' "$$file"); do \
			echo "$$target in $$(dirname "$$file")"; \
			$(GO) test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 10x "$$(dirname "$$file")"; \
		done; \
	done

e2e: ## run the tests that use Docker and real editors; a missing one is a failure
	@packages=$$(find . -name '*_test.go' -not -path '*/testdata/*' | { xargs grep -l '^func need(' || true; } | xargs -r -n 1 dirname | sort -u); \
	CASELSP_REQUIRE=$(REQUIRE) $(GO) test -timeout $(TESTTIME) -count=1 $(TESTFLAGS) $$packages

# The tests that fail when a generated part is stale also rewrite it, so that there
# is one idea of what it should be and no hidden command.
generate: ## rewrite the generated parts of the documents and the demo's picture
	$(GO) test ./cmd/caselsp -run Readme -count=1 -update

pictures: generate ## make the README's pictures anew, with the one that chromium takes of a page (CASELSP_CHROMIUM=program)
	$(GO) test ./cmd/caselsp -run TestPictures -count=1 -pictures

# stdpath('data') in Neovim.
nvim_package = $${XDG_DATA_HOME:-$$HOME/.local/share}/$${NVIM_APPNAME:-nvim}/site/pack/caselsp/start/caselsp

install-nvim: ## install the Neovim plugin as a package of the user (Neovim 0.10 or newer; NVIM=program)
	@command -v $(NVIM) >/dev/null || { echo "make: $(NVIM) is missing, and nothing was installed: put Neovim 0.10 or newer on PATH, or name it, as in make install-nvim NVIM=/opt/nvim/bin/nvim" >&2; exit 1; }
	@dir="$(nvim_package)"; rm -rf "$$dir"; mkdir -p "$$dir"; \
	cp -R editors/nvim/doc editors/nvim/lsp editors/nvim/lua editors/nvim/plugin "$$dir/"; \
	$(NVIM) --clean --headless -c "helptags $$dir/doc" -c q; \
	echo "The Neovim plugin is in $$dir. Start Neovim in a project, then :checkhealth caselsp."

install-emacs: ## install the Emacs package for the user (Emacs 29 or newer; EMACS=program)
	@command -v $(EMACS) >/dev/null || { echo "make: $(EMACS) is missing, and nothing was installed: put Emacs 29 or newer on PATH, or name it, as in make install-emacs EMACS=/opt/emacs/bin/emacs" >&2; exit 1; }
	@dir="$${XDG_DATA_HOME:-$$HOME/.local/share}/caselsp/emacs"; mkdir -p "$$dir"; cp editors/emacs/caselsp.el "$$dir/"; \
	$(EMACS) -Q --batch --eval '(setq byte-compile-warnings t)' -f batch-byte-compile "$$dir/caselsp.el"; \
	echo "The Emacs package is in $$dir. In your init file:"; \
	echo "  (add-to-list 'load-path \"$$dir\")"; \
	echo "  (require 'caselsp)"; \
	echo "  (caselsp-global-mode)"

sandbox-image: ## build the sandbox's Docker images
	.ci/docker.sh

# npm's own registry, or the one that npm is configured for. The lock file names no host.
vscode: ## package the extension for VS Code: editors/vscode/caselsp.vsix (needs Node.js 20 and npm)
	@for program in node npm; do command -v $$program >/dev/null || { echo "make: $$program is missing: install Node.js 20 or newer" >&2; exit 1; }; done
	cd editors/vscode && npm ci --no-fund --no-audit && npm run check && npm run --silent package

install-vscode: vscode ## install it in VS Code; CODE=codium in another one
	@command -v $(CODE) >/dev/null || { echo 'make: $(CODE) is missing: install editors/vscode/caselsp.vsix from the Extensions view of your editor' >&2; exit 1; }
	$(CODE) --install-extension editors/vscode/caselsp.vsix
