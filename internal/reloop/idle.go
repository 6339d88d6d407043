package main

import "regexp"

// idle matches the functions of Go's runtime that a page never asks for: tracebacks, the execution
// tracer, metrics and checks of the runtime itself. Those that others call return nothing, so that
// they may return at once; the rest are called by no others.
var idle = regexp.MustCompile(`^(` +
	`runtime\.(traceback([12]|trap|others|someothers|Hexdump)?|goroutineheader|printcreatedby1?|printArgs|printAncestorTraceback\w*|` +
	`print(One)?CgoTraceback|showframe|showfuncinfo|hexdump\w*|dump(Stacks|Types)Rec|dumpScanStats|fpTraceback\w*|` +
	`schedtrace|initMetrics|checkFinalizersAndCleanups|moduledataverify1|` +
	`traceAdvance|traceLocker\.([A-Z]\w*|eventWriter|emitUnblockStatus)|traceWriter\.\w+|traceStack|traceSyncBatch|traceStopReadCPU|traceReadCPU|` +
	`traceRegisterLabelsAndReasons|__trace(Map|RegionAlloc|StackTable|StringTable|TypeTable)_\.\w+|__profBuf_\.\w+)` +
	`|internal_godebug\.registerMetric)(\.func[\d.]+)?$`)

// returns is the body of a function that takes its return address off Go's stack and does nothing.
var returns = []byte{0, opGlobalGet, 0, opI32Const, 8, opI32Add, opGlobalSet, 0, opI32Const, 0, opEnd}

// traps is the body of a function that must not be called.
var traps = []byte{0, opUnreachable, opEnd}
