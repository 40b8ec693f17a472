package lsp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"caselsp/agent"
	"caselsp/lsp/wire"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// server is one client and all that belongs to it. Each part has one idea, its
// own state and its own lock. A part uses only those above it in this list; what
// goes the other way is a list of functions or an interface (documents.changed,
// judgement.again, judgement.known, tasks.heard, engines.face), which install fills in.
type server struct {
	opts Options

	ed      *editor        // the client: what it can do, and requests to it
	docs    *documents     // what is open in it
	folders *folders       // which folders it has open
	config  *configuration // its settings

	engines     *engines      // what a Backend put together, open while it is used
	judgement   *judgement    // what the validators know of the folders
	indexing    *indexing     // what files declare, found out before a task asks
	diagnostics *diagnostics  // what is said of documents
	staged      *stagedFiles  // what is said of files that tasks have staged
	failing     *failingTests // the tests that fail in what tasks have done

	contents     *contents       // documents that are no files, where the client has such
	papers       *papers         // documents that the user writes and sends
	pages        *pages          // documents that the user reads
	reviews      *reviews        // results that wait for decisions
	tasks        *tasks          // the tasks under way
	questions    *questions      // what the agent asks the user
	questionPage *questionPage   // their list
	approvals    *approvals      // what is always allowed
	memory       *memoryPage     // what is remembered of past tasks
	validators   *validatorsPage // what judges claimed fixes
	prune        *prunePage      // the old tasks
	trust        *trust          // which folders are trusted
	settings     *settingsPage   // which settings hold, and which wait to be confirmed

	attached     *attached      // commands that another process carries out, which works on the folders
	standing     *standing      // what waits in the store
	events       *changedEvents // tells plugins of what has changed
	taskCommands *taskCommands  // the commands that start and stop tasks
	offers       *offers        // code actions
	activities   *activities    // documents that tell what tasks do
	following    *following     // shows where tasks edit
	beside       *besideCode    // answers beside the comments that ask
	lenses       *lenses        // commands above lines
}

// newServer returns a server that knows documents, folders, settings and progress;
// install adds the rest.
func newServer(ctx context.Context, o Options) *server {
	s := &server{opts: o, ed: &editor{Conn: wire.New(ctx, wire.Options{Name: Name, Log: o.Log, Visible: agent.Visible, Remote: o.Remote})}}
	ed := s.ed
	s.docs = newDocuments(ed)
	ed.outdated = s.docs.outdated
	s.lenses = &lenses{ed: ed, docs: s.docs, told: make(map[uri.URI]toldLenses)}
	ed.lensesChanged = s.lenses.look
	s.folders = &folders{ed: ed}
	s.config = &configuration{ed: ed}
	s.engines = &engines{backend: o.Backend, ed: ed, docs: s.docs, folders: s.folders, config: s.config, waiting: make(map[string]bool)}
	s.judgement = &judgement{validators: o.Validators, ed: ed, docs: s.docs, folders: s.folders, engines: s.engines}
	s.indexing = &indexing{index: o.Index, ed: ed, folders: s.folders}
	s.diagnostics = newDiagnostics(o.Docs, s.judgement.judge, ed, s.docs)
	s.staged = &stagedFiles{ed: ed, docs: s.docs, engines: s.engines, judgement: s.judgement, diagnostics: s.diagnostics, tasks: make(map[string]map[uri.URI]string), found: make(map[string]map[string]foundStaged)}
	s.failing = &failingTests{ed: ed, docs: s.docs, engines: s.engines, diagnostics: s.diagnostics, tasks: make(map[string]shownTests)}
	s.contents = &contents{ed: ed, engines: s.engines}
	s.papers = &papers{ed: ed, docs: s.docs, engines: s.engines, contents: s.contents}
	s.pages = &pages{ed: ed, engines: s.engines, papers: s.papers}
	s.reviews = &reviews{ed: ed, docs: s.docs, engines: s.engines, contents: s.contents, diagnostics: s.diagnostics, failing: s.failing, byTask: make(map[string]*shownReview), over: make(map[string]*shownReview), left: make(map[string][]string)}
	s.tasks = &tasks{ed: ed, engines: s.engines, indexing: s.indexing, papers: s.papers, staged: s.staged, failing: s.failing, reviews: s.reviews, running: make(map[string]*task), known: make(map[string]recentTask), queued: make(map[string][]agent.Message)}
	s.questions = &questions{ed: ed, engines: s.engines, tasks: s.tasks, papers: s.papers, docs: s.docs, turn: make(chan struct{}, 1), readTime: agent.ReadTime, open: make(map[string]*openQuestion), kept: make(map[string]keptAnswer)}
	s.reviews.questions = s.questions
	s.questionPage = &questionPage{questions: s.questions, pages: s.pages}
	s.events = &changedEvents{ed: ed}
	s.reviews.events = s.events
	s.engines.face = Face{User: s.questions, Applier: s.reviews.elsewhere, Watch: func(e agent.Event) {
		s.reviews.watch(e)
		s.tasks.watch(e)
		s.taskCommands.offered.hear(e)
		s.activities.hear(e)
		s.beside.hear(e)
		s.events.hear(e)
		s.lenses.look()
	}}
	s.approvals = &approvals{ed: ed, docs: s.docs, engines: s.engines, contents: s.contents, tasks: s.tasks, pages: s.pages}
	s.memory = &memoryPage{ed: ed, docs: s.docs, engines: s.engines, contents: s.contents, pages: s.pages}
	s.validators = &validatorsPage{ed: ed, docs: s.docs, engines: s.engines, contents: s.contents, pages: s.pages}
	s.prune = &prunePage{ed: ed, docs: s.docs, engines: s.engines, contents: s.contents, pages: s.pages}
	s.trust = &trust{kept: o.Trust, ed: ed, folders: s.folders, engines: s.engines, tasks: s.tasks, questions: s.questions}
	s.settings = &settingsPage{ed: ed, docs: s.docs, engines: s.engines, contents: s.contents, judgement: s.judgement, pages: s.pages}
	s.taskCommands = &taskCommands{ed: ed, docs: s.docs, engines: s.engines, tasks: s.tasks, papers: s.papers}
	s.attached = &attached{do: o.Beside, ed: ed, parted: s.unfinished}
	s.standing = &standing{stands: o.Stands, ed: ed, folders: s.folders, engines: s.engines, attached: s.attached, tasks: s.tasks, reviews: s.reviews}
	s.offers = &offers{ed: ed, docs: s.docs, folders: s.folders, diagnostics: s.diagnostics, standing: s.standing, tasks: s.tasks}
	s.activities = &activities{ed: ed, engines: s.engines, tasks: s.tasks, papers: s.papers}
	s.following = &following{ed: ed, docs: s.docs, engines: s.engines, papers: s.papers, tasks: make(map[string]*followed)}
	s.beside = &besideCode{ed: ed, docs: s.docs, offers: s.offers, diagnostics: s.diagnostics}
	s.taskCommands.beside, s.offers.asking = s.beside, s.beside.asking
	s.tasks.ended = append(s.tasks.ended, s.following.forget, s.beside.ended, func(string) { s.lenses.look() })
	ed.Hooks.Initialize, ed.Hooks.Initialized = s.initialize, s.greet
	s.docs.methods()
	s.folders.methods()
	s.config.methods()
	ed.methods()
	return s
}

// install adds what needs the agent or the validators, and joins the parts.
func (s *server) install() {
	s.docs.changed = append(s.docs.changed, func(doc *document) { s.engines.feed(doc.URI) }, s.reviews.typing, s.reviews.remind, s.staged.typing, s.failing.typing, s.beside.show)
	s.docs.closed = append(s.docs.closed, func(doc *document) { s.engines.feed(doc.URI) })
	s.judgement.install()
	s.diagnostics.install()
	s.judgement.again, s.judgement.known = s.diagnostics.again, s.indexing.begin
	s.tasks.heard = append(s.tasks.heard, s.staged.hear, s.failing.hear, s.approvals.hear, s.validators.hear, s.following.hear)
	s.offers.own = []actionSource{s.papers.actions, s.questionPage.actions, s.reviews.documentActions, s.approvals.actions, s.memory.actions, s.validators.actions, s.prune.actions, s.settings.actions}
	s.offers.sources = []actionSource{s.questions.actions, s.reviews.actions, s.trust.actions}
	s.offers.last = []actionSource{s.taskCommands.taskActions}
	s.offers.install()
	s.lenses.sources = []lensSource{s.papers.lenses, s.questionPage.lenses, s.reviews.lenses, s.approvals.lenses, s.memory.lenses, s.validators.lenses, s.prune.lenses, s.settings.lenses,
		s.taskCommands.lenses, s.reviews.sourceLenses, s.failing.lenses, s.offers.lenses, s.activities.lenses, s.beside.lenses}
	s.lenses.methods()
	s.hoverMethods()
	s.commandMethods()
	s.contents.methods(s.docs)
	s.config.apply = func(_ context.Context, layers []layer) error {
		news, err := s.engines.configure(layers)
		if news {
			s.judgement.read(true)
		}
		return err
	}
	s.folders.changed = func() {
		s.engines.renew()
		s.trust.look()
		s.judgement.read(true)
	}
	s.ed.Hooks.Shutdown = s.tasks.stop
	s.ed.Hooks.End = func() {
		s.engines.end()
		s.judgement.end()
	}
}

// initialize reads what the client says of itself. It runs on the read loop.
func (s *server) initialize(params *protocol.InitializeParams) func(context.Context) *protocol.InitializeResult {
	s.ed.client = parseClient(params)
	s.folders.set(rootsOf(params))
	s.config.options = bytes.Clone(params.InitializationOptions)
	return s.greeting
}

// greeting is the answer to initialize.
func (s *server) greeting(context.Context) *protocol.InitializeResult {
	result := &protocol.InitializeResult{ServerInfo: protocol.ServerInfo{Name: Name}}
	if s.opts.Version != "" {
		result.ServerInfo.Version = protocol.NewOptional(s.opts.Version)
	}
	c := &result.Capabilities
	incremental := protocol.TextDocumentSyncKindIncremental
	c.TextDocumentSync = &protocol.TextDocumentSyncOptions{
		OpenClose: new(true), Change: &incremental, Save: &protocol.SaveOptions{IncludeText: new(false)},
	}
	if s.ed.client.NamesEncodings {
		c.PositionEncoding = s.ed.client.Encoding
	}
	if s.ed.client.Folders {
		c.Workspace = &protocol.WorkspaceOptions{WorkspaceFolders: &protocol.WorkspaceFoldersServerCapabilities{
			Supported: new(true), ChangeNotifications: protocol.Boolean(true),
		}}
	}
	if s.offers.sources != nil { // install has been called
		c.CodeLensProvider = &protocol.CodeLensOptions{}
		if s.ed.client.Hover {
			c.HoverProvider = protocol.Boolean(true)
		}
		c.ExecuteCommandProvider = advertised()
		s.diagnostics.capabilities(c)
		s.offers.capabilities(c)
		s.contents.capabilities(c)
	}
	if s.ed.client.Plugin {
		c.Experimental = wire.Encode(map[string]any{Name: map[string]any{"data": dataVersion, "events": true}})
	}
	return result
}

// greet begins what may only begin when the client has read the answer to
// initialize: messages to the user, and requests for the client's settings.
func (s *server) greet() {
	c := s.ed.client
	s.ed.Log.Info("connected", "client", c.String(), "encoding", string(c.Encoding), "roots", len(s.folders.all()))
	s.config.start()
	if s.offers.sources != nil {
		s.ed.Go("looking up which folders are trusted", func(context.Context) error { s.trust.look(); return nil })
	}
	s.judgement.watch()
	if s.standing.stands != nil && len(s.folders.dirs()) > 0 {
		s.ed.Go("looking for what waits", func(ctx context.Context) error { s.unfinished(ctx); return nil })
	}
}

// unfinished announces the tasks that wait for the user, or that another process works on the folders.
func (s *server) unfinished(ctx context.Context) {
	list, err := s.standing.sync()
	if owned := (*Owned)(nil); errors.As(err, &owned) {
		s.attached.meet(s.folders.dirs(), owned)
		return
	}
	for _, st := range list {
		if !st.State.Ended() || st.Open != nil { // a plugin shows how many of these there are, in this session as in the last
			s.events.tell(st.Task.ID, changedStatus, changedQuestions, changedReview)
		}
	}
	if err := s.taskCommands.announce(ctx, list); err != nil {
		s.ed.showMessage(protocol.MessageTypeError, sentence(err.Error()))
	}
}

// commandMethods adds workspace/executeCommand.
func (s *server) commandMethods() {
	onRequest(s.docs, protocol.MethodWorkspaceExecuteCommand, func(_ context.Context, c *call, p *executeParams) (any, error) {
		return s.execute(c, p)
	})
}

// execute runs a command.
func (s *server) execute(c *call, p *executeParams) (any, error) {
	e, err := entryOf(p.Command)
	if err != nil {
		return nil, err
	}
	args, err := parseArguments(p.Arguments)
	if err == nil {
		err = args.check(e.Arguments.Fields)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.Command, err)
	}
	owned, dirs := s.attached.now(), s.folders.dirs()
	if _, done := errandOf(e.ID, args); owned == nil || !done { // others may need nothing of what is kept
		said, err := s.perform(e, c, args)
		if !errors.As(err, &owned) {
			return said, err
		}
		s.attached.await(dirs, owned)
	}
	said, err := s.attached.carryOut(c, e.ID, args, dirs, owned)
	if errors.Is(err, ErrAlone) {
		return s.perform(e, c, args)
	}
	return said, err
}

// perform carries a command out here. Where several tasks fit, the user chooses; where it has nothing to do, they are told.
func (s *server) perform(e entry, c *call, a arguments) (any, error) {
	if s.papers.unsaved(a) {
		return s.answered(nil, nothingTo("save this document first, with `:w`, then send it: this editor does not end with unsaved documents"))
	}
	result, err := e.do(s)(c, a)
	var many several
	if errors.As(err, &many) {
		again := func(id string) error {
			named := arguments{fields: map[string]json.RawMessage{argTask.Name: json.RawMessage(wire.Encode(id))}}
			_, err := s.answered(e.do(s)(nil, named))
			return err
		}
		result, err = s.choose(c, many, again)
	}
	return s.answered(result, err)
}

// call is a request of the client with the documents as they were when it was
// sent.
type call struct {
	*wire.Call
	docs snapshot
}

// onRequest adds a request. f runs beside the read loop.
func onRequest[P, R any](docs *documents, name string, f func(ctx context.Context, c *call, params *P) (R, error)) {
	wire.OnRequest(docs.ed.Conn, name, docs.snapshot, func(ctx context.Context, c *wire.Call, seen snapshot, params *P) (R, error) {
		return f(ctx, &call{c, seen}, params)
	})
}
