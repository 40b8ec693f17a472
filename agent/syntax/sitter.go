package syntax

/*
#include <stdint.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

// What is used of tree-sitter's interface, as its api.h declares it: the
// library is linked by the imports below, but its header lies in its own package.
typedef struct TSLanguage TSLanguage;
typedef struct TSParser TSParser;
typedef struct TSTree TSTree;
typedef struct { uint32_t context[4]; const void *id; const TSTree *tree; } TSNode;
typedef struct { const void *tree; const void *id; uint32_t context[3]; } TSTreeCursor;

TSParser *ts_parser_new(void);
void ts_parser_delete(TSParser *);
bool ts_parser_set_language(TSParser *, const TSLanguage *);
void ts_parser_set_timeout_micros(TSParser *, uint64_t);
TSTree *ts_parser_parse_string(TSParser *, const TSTree *, const char *, uint32_t);
TSNode ts_tree_root_node(const TSTree *);
uint32_t ts_node_descendant_count(TSNode);
uint16_t ts_node_symbol(TSNode);
uint32_t ts_node_start_byte(TSNode);
uint32_t ts_node_end_byte(TSNode);
bool ts_node_is_named(TSNode);
bool ts_node_is_missing(TSNode);
TSTreeCursor ts_tree_cursor_new(TSNode);
void ts_tree_cursor_delete(TSTreeCursor *);
TSNode ts_tree_cursor_current_node(const TSTreeCursor *);
bool ts_tree_cursor_goto_parent(TSTreeCursor *);
bool ts_tree_cursor_goto_next_sibling(TSTreeCursor *);
bool ts_tree_cursor_goto_first_child(TSTreeCursor *);
uint32_t ts_language_symbol_count(const TSLanguage *);
const char *ts_language_symbol_name(const TSLanguage *, uint16_t);

extern const TSLanguage *tree_sitter_css(void), *tree_sitter_go(void), *tree_sitter_html(void), *tree_sitter_javascript(void),
	*tree_sitter_python(void), *tree_sitter_tsx(void), *tree_sitter_typescript(void), *tree_sitter_c(void), *tree_sitter_cpp(void),
	*tree_sitter_java(void), *tree_sitter_php(void), *tree_sitter_ruby(void), *tree_sitter_rust(void);

// grown is a node as Go keeps it; see node.
typedef struct { uint32_t start, end; int32_t parent, next; uint16_t symbol; uint8_t named, missing; } grown;

void ts_set_allocator(void *(*)(size_t), void *(*)(size_t, size_t), void *(*)(void *, size_t), void (*)(void *));

// An arena holds what one parse allocates, and gives it back all at once: malloc and free of each
// part of a tree took an eighth of the time. What is freed meanwhile is used again for what is as large.
enum { CHUNK = 1 << 18, KEPT = 1 << 23, STEP = 16, FINE = 64, CLASSES = FINE + 64 };
typedef struct chunk { struct chunk *next; size_t room, used; } chunk;
typedef struct { size_t class, room; } head; // before each block: 16 bytes, so that blocks are aligned
typedef struct arena { chunk *chunks, *now; void *freed[CLASSES]; } arena;
static __thread arena *in; // that of the parse on this thread; NULL outside of one

static head *head_of(void *p) { return (head *)p - 1; }

static void *arena_malloc(size_t size) {
	if (!in) return malloc(size);
	size_t class = (size + STEP - 1) / STEP, room = class * STEP;
	if (class >= FINE) for (class = FINE, room = FINE * STEP; room < size; room *= 2) class++;
	void *p = in->freed[class];
	if (p) {
		in->freed[class] = *(void **)p;
		return p;
	}
	if (room < STEP) room = STEP;
	size_t all = room + sizeof(head);
	while (in->now && in->now->room - in->now->used < all) in->now = in->now->next;
	if (!in->now) {
		chunk *c = malloc(sizeof(chunk) + sizeof(head) + (all > CHUNK ? all : CHUNK));
		if (!c) abort(); // as tree-sitter itself does
		c->room = all > CHUNK ? all : CHUNK;
		c->used = 0;
		c->next = in->chunks;
		in->chunks = in->now = c;
	}
	// The first block begins behind the chunk's own 24 bytes, at a multiple of 16.
	char *at = (char *)(((uintptr_t)(in->now + 1) + 15) & ~(uintptr_t)15) + in->now->used;
	in->now->used += all;
	*(head *)at = (head){class, room};
	return at + sizeof(head);
}

static void arena_free(void *p) {
	if (!in) {
		free(p);
	} else if (p) {
		*(void **)p = in->freed[head_of(p)->class];
		in->freed[head_of(p)->class] = p;
	}
}

static void *arena_calloc(size_t n, size_t size) {
	if (!in) return calloc(n, size);
	void *p = arena_malloc(n * size);
	memset(p, 0, n * size);
	return p;
}

static void *arena_realloc(void *old, size_t size) {
	if (!in) return realloc(old, size);
	if (!old) return arena_malloc(size);
	if (head_of(old)->room >= size) return old;
	void *p = arena_malloc(size);
	memcpy(p, old, head_of(old)->room);
	arena_free(old);
	return p;
}

static void use_arenas(void) { ts_set_allocator(arena_malloc, arena_calloc, arena_realloc, arena_free); }

static arena *new_arena(void) { return calloc(1, sizeof(arena)); }

// clear makes an arena empty. It keeps some chunks for the next parse.
static void clear(arena *a, size_t keep) {
	chunk **link = &a->chunks;
	size_t kept = 0;
	while (*link) {
		chunk *c = *link;
		c->used = 0;
		if ((kept += c->room) <= keep) {
			link = &c->next;
			continue;
		}
		kept -= c->room;
		*link = c->next;
		free(c);
	}
	a->now = a->chunks;
	memset(a->freed, 0, sizeof(a->freed));
}

static void delete_arena(arena *a) { clear(a, 0); free(a); }

// copy writes at most room nodes in document order, without recursion: hostile
// text nests as deep as it is long. It returns how many there are.
static uint32_t copy(const TSTree *tree, grown *list, uint32_t room) {
	TSTreeCursor cursor = ts_tree_cursor_new(ts_tree_root_node(tree));
	int32_t parent = -1;
	uint32_t n = 0;
	while (n < room) {
		TSNode c = ts_tree_cursor_current_node(&cursor);
		grown *g = &list[n];
		g->start = ts_node_start_byte(c);
		g->end = ts_node_end_byte(c);
		g->parent = parent;
		g->symbol = ts_node_symbol(c);
		g->named = ts_node_is_named(c);
		g->missing = ts_node_is_missing(c);
		if (ts_tree_cursor_goto_first_child(&cursor)) {
			parent = n++;
			continue;
		}
		g->next = ++n;
		bool more;
		while (!(more = ts_tree_cursor_goto_next_sibling(&cursor)) && parent >= 0) {
			ts_tree_cursor_goto_parent(&cursor);
			list[parent].next = n;
			parent = list[parent].parent;
		}
		if (!more) break;
	}
	ts_tree_cursor_delete(&cursor);
	return n;
}

// parse returns the nodes of a text, in the arena, and how many there are; none where it took too long.
static grown *parse(arena *a, const TSLanguage *language, const char *text, uint32_t length, uint64_t micros, uint32_t *n) {
	in = a;
	*n = 0;
	grown *list = NULL;
	TSParser *parser = ts_parser_new();
	if (ts_parser_set_language(parser, language)) {
		ts_parser_set_timeout_micros(parser, micros);
		TSTree *tree = ts_parser_parse_string(parser, NULL, text, length);
		if (tree) {
			uint32_t room = ts_node_descendant_count(ts_tree_root_node(tree));
			list = arena_malloc(room * sizeof(grown));
			*n = copy(tree, list, room);
		}
	}
	ts_parser_delete(parser); // whose scanner may have memory of its own; the tree goes with the arena
	in = NULL;
	return list;
}
*/
import "C"

import (
	"runtime"
	"slices"
	"sync"
	"time"
	"unsafe"

	// The library, and the grammars.
	_ "github.com/smacker/go-tree-sitter"
	_ "github.com/smacker/go-tree-sitter/c"
	_ "github.com/smacker/go-tree-sitter/cpp"
	_ "github.com/smacker/go-tree-sitter/css"
	_ "github.com/smacker/go-tree-sitter/golang"
	_ "github.com/smacker/go-tree-sitter/html"
	_ "github.com/smacker/go-tree-sitter/java"
	_ "github.com/smacker/go-tree-sitter/javascript"
	_ "github.com/smacker/go-tree-sitter/php"
	_ "github.com/smacker/go-tree-sitter/python"
	_ "github.com/smacker/go-tree-sitter/ruby"
	_ "github.com/smacker/go-tree-sitter/rust"
	_ "github.com/smacker/go-tree-sitter/typescript/tsx"
	_ "github.com/smacker/go-tree-sitter/typescript/typescript"
)

// The Go binding of tree-sitter crosses from Go to C some eight times for each
// node that is read, which takes twice as long as parsing. Here, a text is
// parsed in one call, which returns its tree as a list.

// growLimit ends a tree-sitter parse of hostile text, on which its error
// recovery can take minutes. A text of MaxBytes takes about two seconds.
const growLimit = 5 * time.Second

// symbol is the number of a kind of nodes in its grammar.
type symbol uint16

// grammar is a tree-sitter language with its symbols' names: reading a name
// through cgo for each node would cost more than parsing.
type grammar struct {
	language *C.TSLanguage
	names    []string          // by symbol; the last one is that of what could not be parsed
	first    []symbol          // by symbol: the first one of the same name
	symbols  map[string]symbol // by name
	usages   []usage           // by symbol
}

func newGrammar(language *C.TSLanguage) *grammar {
	g := &grammar{language: language, symbols: map[string]symbol{}}
	for i := range uint16(C.ts_language_symbol_count(language)) {
		g.add(C.GoString(C.ts_language_symbol_name(language, C.uint16_t(i))))
	}
	g.add("ERROR")
	return g
}

func (g *grammar) add(name string) {
	if _, ok := g.symbols[name]; !ok {
		g.symbols[name] = symbol(len(g.names))
	}
	g.names = append(g.names, name)
	g.first = append(g.first, g.symbols[name])
	g.usages = append(g.usages, usageOf(name))
}

// grammars holds what tree-sitter can parse here, each made when it is first
// asked for. It has no grammar of JSON. JavaScript's grammar knows JSX, the plain
// one of TypeScript must not.
var grammars = map[Language]func() *grammar{
	Python:     sync.OnceValue(func() *grammar { return newGrammar(C.tree_sitter_python()) }),
	JavaScript: sync.OnceValue(func() *grammar { return newGrammar(C.tree_sitter_javascript()) }),
	TypeScript: sync.OnceValue(func() *grammar { return newGrammar(C.tree_sitter_typescript()) }),
	TSX:        sync.OnceValue(func() *grammar { return newGrammar(C.tree_sitter_tsx()) }),
	Go:         sync.OnceValue(func() *grammar { return newGrammar(C.tree_sitter_go()) }),
	HTML:       sync.OnceValue(func() *grammar { return newGrammar(C.tree_sitter_html()) }),
	CSS:        sync.OnceValue(func() *grammar { return newGrammar(C.tree_sitter_css()) }),
	C:          sync.OnceValue(func() *grammar { return newGrammar(C.tree_sitter_c()) }),
	CPP:        sync.OnceValue(func() *grammar { return newGrammar(C.tree_sitter_cpp()) }),
	Java:       sync.OnceValue(func() *grammar { return newGrammar(C.tree_sitter_java()) }),
	PHP:        sync.OnceValue(func() *grammar { return newGrammar(C.tree_sitter_php()) }),
	Ruby:       sync.OnceValue(func() *grammar { return newGrammar(C.tree_sitter_ruby()) }),
	Rust:       sync.OnceValue(func() *grammar { return newGrammar(C.tree_sitter_rust()) }),
}

// node is a node of a tree. It is copied from C as it is, and holds no pointer,
// so that the garbage collector need not look at it.
type node struct {
	start, end uint32 // offsets into the body
	parent     int32
	next       int32 // index of the first node after this one's subtree
	symbol     symbol
	named      bool
	missing    bool
}

// arenas are those that no parse uses. Others are made where all are in use, and deleted after.
var arenas = make(chan *C.arena, runtime.NumCPU())

var useArenas = sync.OnceFunc(func() { C.use_arenas() })

// parse returns the nodes of a text in document order: a node's children follow
// it. There are none where the text is hostile. The tree of tree-sitter itself is
// gone then: its memory is not the garbage collector's, and it is not safe for
// concurrent use.
func (g *grammar) parse(text string) []node {
	useArenas()
	var data *C.char
	if text != "" {
		data = (*C.char)(unsafe.Pointer(unsafe.StringData(text)))
	}
	var a *C.arena
	select {
	case a = <-arenas:
	default:
		a = C.new_arena()
	}
	defer func() {
		C.clear(a, C.KEPT)
		select {
		case arenas <- a:
		default:
			C.delete_arena(a)
		}
	}()
	var n C.uint32_t
	grown := C.parse(a, g.language, data, C.uint32_t(len(text)), C.uint64_t(growLimit.Microseconds()), &n)
	if n == 0 {
		return nil
	}
	list := slices.Clone(unsafe.Slice((*node)(unsafe.Pointer(grown)), int(n)))
	last := len(g.first) - 1
	for i := range list {
		list[i].symbol = g.first[min(int(list[i].symbol), last)]
	}
	return list
}
