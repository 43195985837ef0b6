import { defineResourceGroup, type Resource } from "proffer";

/** Gives resources the contract of the document: what is not there is -32602 with this sentence, on every revision. */
export function withNotFound(
  resources: readonly (Resource | readonly Resource[])[],
  sentence: (uri: string) => string,
): readonly Resource[] {
  return defineResourceGroup({ messages: ({ uri }) => sentence(uri) }, resources);
}
