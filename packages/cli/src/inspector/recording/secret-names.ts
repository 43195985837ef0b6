import { isObject } from "../../client/shape.ts";
import type { WireMessage } from "../protocol/wire.ts";

const SECRET = /passw|secret|token|api[-_]?key|credential|private[-_]?key|authorization/i;
/** Parts of the protocol with such names. */
const PROTOCOL = new Set(["progressToken"]);
const MAX_WARNINGS = 20;
const MAX_DEPTH = 20;

/** Warns about arguments and results whose names suggest a secret: a recording is made to be given away. */
export function warnOfSecrets(messages: Iterable<WireMessage>): string[] {
  const warnings = new Set<string>();
  for (const { n, text } of messages) {
    if (!SECRET.test(text)) continue;
    for (const name of namesIn(parse(text))) {
      if (warnings.size >= MAX_WARNINGS) return [...warnings, "There may be more."];
      warnings.add(`Message ${n} contains a value named ${JSON.stringify(name)}. Check it before you share the file.`);
    }
  }
  return [...warnings];
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The names of texts that may be secrets. In a schema, the same name is that of a parameter. */
function* namesIn(value: unknown, depth = 0): Iterable<string> {
  if (depth > MAX_DEPTH) return;
  if (Array.isArray(value)) for (const each of value) yield* namesIn(each, depth + 1);
  if (!isObject(value)) return;
  for (const [name, each] of Object.entries(value)) {
    if (typeof each === "string" && each !== "" && SECRET.test(name) && !PROTOCOL.has(name)) yield name.slice(0, 100);
    else yield* namesIn(each, depth + 1);
  }
}
