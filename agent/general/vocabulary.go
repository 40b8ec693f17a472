package general

import "strings"

func words(list string) map[string]bool { return kinds(strings.ToLower(list)) }

// vocabulary are the names that every project has: of the languages themselves, of what they offer without an
// import, and those that tests and loops bear everywhere. In lower case.
var vocabulary = words(`
self cls this super args kwargs _ i j k n m x y z a b c e f s t v w r q p d ok err ctx res req resp tmp key val value values item items index idx
name names data result results path file files line lines text msg message id ids count total size length width height start stop end begin
first last prev next old new min max sum list dict map set tuple array object obj node root tree left right parent child children
type kind mode state status code error errors exception input output source target src dst from to url uri host port user_id
true false none null nil undefined nan infinity iota
print len range str int float bool bytes bytearray complex frozenset iter enumerate zip sorted reversed filter any all abs round pow divmod
hash repr chr ord hex oct bin open isinstance issubclass callable getattr setattr hasattr delattr vars dir globals locals eval exec compile
classmethod staticmethod property memoryview slice format ascii help breakpoint baseexception
valueerror typeerror keyerror indexerror attributeerror nameerror runtimeerror oserror ioerror filenotfounderror permissionerror
importerror modulenotfounderror stopiteration notimplementederror zerodivisionerror overflowerror recursionerror unicodeerror
unicodedecodeerror unicodeencodeerror assertionerror lookuperror arithmeticerror connectionerror timeouterror keyboardinterrupt systemexit
deprecationwarning userwarning warning eoferror memoryerror syntaxerror indentationerror unboundlocalerror ellipsis notimplemented
string byte rune int8 int16 int32 int64 uint uint8 uint16 uint32 uint64 uintptr float32 float64 complex64 complex128 comparable
make append copy delete cap close panic recover println real imag clear main init
console document window math json array promise symbol date regexp number boolean function proxy reflect weakmap weakset bigint intl
process require module exports global globalthis buffer settimeout setinterval cleartimeout clearinterval setimmediate queuemicrotask
fetch parseint parsefloat isnan isfinite encodeuri encodeuricomponent decodeuri decodeuricomponent structuredclone localstorage sessionstorage
navigator location history event htmlelement element rangeerror referenceerror aggregateerror urlsearchparams formdata headers request response
abortcontroller textencoder textdecoder record partial readonly required pick omit exclude extract nonnullable returntype parameters awaited
unknown never void keyof typeof infer react jsx props children classname
describe it test expect beforeeach aftereach beforeall afterall jest vi suite assert setup teardown fixture mock monkeypatch tmp_path capsys
get post put patch head options append extend insert remove pop push shift unshift splice join split strip lstrip rstrip replace find rfind
startswith endswith lower upper title capitalize encode decode read write readline readlines writelines seek flush update keys
foreach reduce some every includes indexof slice concat tostring trim touppercase tolowercase then catch finally resolve reject
add has clear call apply bind run wait lock unlock done error string len less swap sort search match group groups
`)

// keptValues are strings that mean the same in every program. In lower case.
var keptValues = words(`
utf-8 utf8 ascii latin-1 r w a rb wb ab r+ w+ rt wt get post put patch delete head options __main__ __init__ __name__ __all__
content-type application/json text/html text/plain accept authorization bearer true false null none undefined
string number boolean object function utf-16 sha256 md5 iso-8859-1 asc desc use_strict id name value type data
`)

// keptNumbers are longer numbers that mean the same in every program.
var keptNumbers = kinds(`100 1000 1024 3600 60_000 86400 200 201 204 301 302 304 400 401 403 404 405 409 422 429 500 502 503 504 255 256 512 2048 4096 8192 65535 65536 0.0 0.1 0.5 1.0 2.0 1e9 1e6 1e3 1_000 0o644 0o755 0644 0755`)
