import { definePrompt, defineResource, defineTool, fail, ToolError } from "proffer";

/** A detail that clients must not see. */
export const SECRET = "connect ECONNREFUSED 10.0.0.7:5432";

/** A predicate that fails. */
export const failingTool = defineTool({
  name: "prove",
  description: "Looks for a proof and finds none.",
  handle: () => fail("No proof was found."),
});

/** A predicate that throws an error for the model. */
export const throwingTool = defineTool({
  name: "throw_term",
  description: "Throws a term that the model may see.",
  handle: () => {
    throw new ToolError("error(resource_error(memory), prove/1)");
  },
});

/** A predicate that throws an unexpected error. */
export const crashingTool = defineTool({
  name: "crash",
  description: "Throws an unexpected error.",
  handle: () => {
    throw new Error(SECRET);
  },
});

/** A prompt that fails. */
export const crashingPrompt = definePrompt({
  name: "broken",
  description: "Cannot be made",
  get: () => {
    throw new Error(SECRET);
  },
});

/** A resource that is listed and cannot be read. */
export const crashingResource = defineResource({
  uri: "logtalk://my-app/broken",
  name: "broken",
  description: "Cannot be read",
  read: () => {
    throw new Error(SECRET);
  },
});
