package main

import "flag"

// update rewrites what tests compare with: the README's generated parts and the
// expectations of scenarios.
var update = flag.Bool("update", false, "rewrite the expected files instead of comparing with them")
