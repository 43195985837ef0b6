/**
 * Cost limits of a request and of a start, in counts that do not depend on the machine. Raise one only with a reason in
 * the commit; lower it when the code has improved.
 */
interface Budget {
  /** The limit. */
  readonly most: number;
  /** The value when the budget was last set. */
  readonly measured: number;
}

/** Promises per request. Synchronous work creates none. */
export const PROMISES: Readonly<Record<string, Budget>> = {
  "a synchronous tool": exactly(0),
  "a tool that declares its output": exactly(0),
  "an asynchronous tool": exactly(4),
  "a template": exactly(0),
  "a fixed resource": exactly(0),
  "a list": exactly(0),
};

/** Writes to stdout for a hundred requests in one chunk. */
export const STDIO_WRITES: Readonly<Record<string, Budget>> = {
  "a synchronous tool": exactly(1),
  "a tool that declares its output": exactly(1),
  "an asynchronous tool": exactly(1),
  "a template": exactly(1),
  "a fixed resource": exactly(1),
  "a list": exactly(1),
};

/** Writes to the socket for one HTTP response. */
export const HTTP_WRITES: Readonly<Record<string, Budget>> = {
  "a small answer": exactly(1),
  "a large fixed answer": exactly(1),
};

/** Chunks that these writes consist of. More than one needs a `writev`. */
export const HTTP_CHUNKS: Readonly<Record<string, Budget>> = {
  "a small answer": exactly(1),
  "a large fixed answer": exactly(4),
};

/** Bytes of heap per request, including its parsed message and its share of the chunk. */
export const BYTES: Readonly<Record<string, Budget>> = {
  "a synchronous tool": about(1_950),
  "a tool that declares its output": about(2_300),
  "an asynchronous tool": about(3_200),
  "a template": about(2_150),
  "a fixed resource": about(1_600),
  "a list": about(1_350),
};

/** Code that is loaded and parsed before a stdio server can answer. */
export const START: Readonly<Record<string, Budget>> = {
  files: exactly(3),
  characters: { most: 400_000, measured: 382_000 },
};

/** The same for a server that `proffer build` wrote. */
export const START_BUILT: Readonly<Record<string, Budget>> = {
  files: exactly(3),
  characters: { most: 410_000, measured: 391_000 },
};

function exactly(measured: number): Budget {
  return { most: measured, measured };
}

/** Allocation differs slightly between versions of Node and V8. */
function about(measured: number): Budget {
  return { most: 1.5 * measured, measured };
}
