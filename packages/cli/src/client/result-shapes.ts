import { arrayOf, object, optional, recordOf, type Shape, string } from "./shape.ts";

const anything: Shape = () => undefined;

const contents = object({ text: optional(string), blob: optional(string), mimeType: optional(string) });

const BLOCKS: { readonly [type: string]: Shape } = {
  text: object({ text: string }),
  image: object({ data: string, mimeType: optional(string) }),
  audio: object({ data: string, mimeType: optional(string) }),
  resource_link: object({ uri: string, name: optional(string) }),
  resource: object({ resource: contents }),
};

/** A content block. A type of a later revision is accepted. */
const block: Shape = (value, path) => {
  const problem = object({ type: string })(value, path);
  if (problem !== undefined) return problem;
  const { type } = value as { type: string };
  return Object.hasOwn(BLOCKS, type) ? BLOCKS[type]?.(value, path) : undefined;
};

const inputSchema = object({ properties: optional(object({})) });
const named = { name: string, description: optional(string) };

/** The parts of each result that the commands use, by method. */
export const RESULT_SHAPES = {
  "tools/list": object({ tools: arrayOf(object({ ...named, inputSchema })) }),
  "prompts/list": object({
    prompts: arrayOf(object({ ...named, arguments: optional(arrayOf(object({ name: string }))) })),
  }),
  "resources/list": object({
    resources: arrayOf(object({ uri: string, name: optional(string), description: optional(string) })),
  }),
  "resources/templates/list": object({
    resourceTemplates: arrayOf(object({ uriTemplate: string, name: optional(string), description: optional(string) })),
  }),
  "tools/call": object({ content: optional(arrayOf(block)) }),
  "resources/read": object({ contents: arrayOf(contents) }),
  "prompts/get": object({ messages: arrayOf(object({ role: string, content: block })) }),
} satisfies { readonly [method: string]: Shape };

/** A page of any list. */
export const PAGE = object({ nextCursor: optional(string) });

const inputRequests = optional(recordOf(object({ method: string, params: optional(recordOf(anything)) })));

/** The state of a task. */
export const TASK = object({
  status: string,
  statusMessage: optional(string),
  inputRequests,
  result: optional(object({})),
  error: optional(object({ message: string })),
});

/** A response that asks questions instead of a result (2026-07-28). */
export const INPUT_REQUIRED = object({
  inputRequests,
  requestState: optional(string),
});
