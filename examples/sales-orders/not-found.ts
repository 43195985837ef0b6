import { defineResourceGroup, type Resource } from "proffer";

/** Makes a missing resource -32602 with this sentence on every revision, as the document requires. */
export function withNotFound(
  resources: readonly (Resource | readonly Resource[])[],
  sentence: (uri: string) => string,
): readonly Resource[] {
  return defineResourceGroup({ messages: ({ uri }) => sentence(uri) }, resources);
}
