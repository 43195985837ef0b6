import { type Refusal, type RefusalKind, type Resource, resourceGroup } from "proffer";

/** Whatever can be wrong with a URI: the document has one answer to all of it. */
const KINDS: readonly RefusalKind[] = [
  "unmatched",
  "missing",
  "traversal",
  "unknown_key",
  "empty_key",
  "duplicate_key",
  "malformed_escape",
  "pattern",
  "character",
  "length",
  "integer",
  "max",
];

/** Gives resources the contract of the document: what is not there is -32602 with this sentence, on every revision. */
export function withNotFound(
  resources: readonly (Resource | readonly Resource[])[],
  sentence: (uri: string) => string,
): readonly Resource[] {
  const word = ({ uri }: Refusal) => sentence(uri);
  return resourceGroup({ refuse: Object.fromEntries(KINDS.map((kind) => [kind, word])) }, resources);
}
