/** A small server from the built files, with one item of each kind whose cost is counted. */
export async function createProbeServer(dist) {
  const { defineResource, defineServer, defineTool } = await import(`${dist}/index.js`);
  const input = { type: "object", properties: { text: { type: "string" } }, required: ["text"] };
  return defineServer({
    name: "probe",
    version: "1.0.0",
    tools: [
      defineTool({ name: "shout", input, handle: ({ text }) => text.toUpperCase() }),
      defineTool({ name: "count", input, output: { type: "integer" }, handle: ({ text }) => text.length }),
      defineTool({ name: "whisper", input, handle: async ({ text }) => text.toLowerCase() }),
    ],
    resources: [
      defineResource({ uri: "item://{id}", name: "item", read: ({ id }) => `item ${id}` }),
      defineResource({ uri: "text://fixed", name: "fixed", content: "always the same" }),
      defineResource({ uri: "text://large", name: "large", content: "x".repeat(100_000) }),
    ],
  });
}

/** The requests to count. */
export const REQUESTS = {
  "a synchronous tool": { method: "tools/call", params: { name: "shout", arguments: { text: "hello" } } },
  "a tool that declares its output": { method: "tools/call", params: { name: "count", arguments: { text: "hello" } } },
  "an asynchronous tool": { method: "tools/call", params: { name: "whisper", arguments: { text: "hello" } } },
  "a template": { method: "resources/read", params: { uri: "item://42" } },
  "a fixed resource": { method: "resources/read", params: { uri: "text://fixed" } },
  "a list": { method: "tools/list", params: {} },
};

/** Warm-up iterations, after which V8 and Node no longer allocate for themselves. */
export const WARM = 5_000;
