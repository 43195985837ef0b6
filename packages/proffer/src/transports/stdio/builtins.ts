/**
 * Node's modules without their ES modules. The first `import` of node:fs in a process takes 2 ms of a start, because
 * Node creates a binding for each of its exports; most servers never need them.
 */
export const fs: typeof import("node:fs") = process.getBuiltinModule("node:fs");
export const { isUtf8 }: typeof import("node:buffer") = process.getBuiltinModule("node:buffer");
export const { syncBuiltinESMExports }: typeof import("node:module") = process.getBuiltinModule("node:module");
