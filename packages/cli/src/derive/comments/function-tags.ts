import {
  CLIENT_CAPABILITIES,
  DURATION,
  FLAG,
  MAX_RESULT,
  MEDIA_TYPE,
  META_ENTRY,
  NAME,
  NAMES,
  OUTPUT,
  PROSE,
  SCOPES,
  TASK,
  TEXT,
  TOOLSET,
  URI_TEMPLATE,
} from "./grammars.ts";
import { EXAMPLE } from "./literal-grammars.ts";
import { addExample, deprecate, FUNCTIONS, row, type Tag, VALUES, withParagraph } from "./tag.ts";

/** The tags of functions and modules. Some describe values, too. */
export const FUNCTION_TAGS: readonly Tag[] = [
  // The kind of a function.
  row({
    name: "prompt",
    on: ["prompt"],
    value: PROSE,
    effect: "Makes the function a prompt. The text is its description if the comment has no other.",
    example: '/** @prompt Greets somebody. */ export const greet = (name: string) => "Say hello to " + name;',
  }),
  row({
    name: "resource",
    on: ["resource"],
    value: URI_TEMPLATE,
    effect: "Makes the function a resource, or a template of resources.",
    example: "/** An order. @resource orders://{id} */ export const order = (id: string) => ({ id });",
  }),
  row({
    name: "internal",
    on: FUNCTIONS,
    value: PROSE,
    effect: "Excludes the export.",
    example: "/** Resets the state. @internal */ export function reset(): void {}",
  }),
  row({
    name: "module",
    aliases: ["packageDocumentation"],
    on: ["module"],
    value: PROSE,
    effect: "Makes the comment the instructions of the server. The first line of the tag is the name of the module.",
    example: "/** Orders of a shop. @module */\n/** Counts the orders. */ export const count = () => 5;",
  }),

  // Data of a function.
  row({
    name: "name",
    on: FUNCTIONS,
    value: NAME,
    effect:
      'Sets the name, instead of the name of the export. JSDoc\'s name paths, such as `Foo.bar`, are ignored; for a name with dots, write `export { read as "files.read" }`.',
    example: "/** Adds two numbers. @name get-sum */ export const add = (a: number, b: number) => a + b;",
  }),
  row({
    name: "was",
    on: ["tool", "prompt"],
    value: NAMES,
    repeats: true,
    effect: "Keeps earlier names: clients can still call the function by them, and lists do not have them.",
    example: "/** Lists invoices. @was bills */ export const invoices = (year: number) => [year];",
    entry: (was) => ({ was }),
  }),
  row({
    name: "title",
    on: [...FUNCTIONS, ...VALUES],
    value: TEXT,
    effect: "Sets the title, a name for people.",
    example: "/** Finds orders. @title Find orders */ export const find = (text: string) => [text];",
    entry: (title) => ({ title }),
    keywords: (title) => ({ title }),
  }),
  row({
    name: "summary",
    on: [...FUNCTIONS, ...VALUES, "module"],
    value: PROSE,
    effect: "Puts a paragraph before the text of the comment, unless the text says the same.",
    example: "/** @summary Opens the door. */ export function open(): void {}",
  }),
  row({
    name: "description",
    aliases: ["desc"],
    on: [...FUNCTIONS, ...VALUES, "module"],
    value: PROSE,
    effect: "Adds a paragraph to the text of the comment, unless the text says the same.",
    example: "/** @description Locks the door. */ export function lock(): void {}",
  }),
  row({
    name: "remarks",
    on: [...FUNCTIONS, ...VALUES],
    value: PROSE,
    repeats: true,
    effect: "Adds a paragraph to the description.",
    example: "/** Sends a mail. @remarks It may take a minute. */ export function send(to: string): void {}",
    keywords: (text, { description }) => ({ description: withParagraph(description, text) }),
  }),
  row({
    name: "deprecated",
    on: [...FUNCTIONS, ...VALUES],
    value: PROSE,
    effect: "Adds a note with the reason to the description; in a schema, also sets `deprecated`.",
    example: "/** Adds two numbers. @deprecated use sum */ export const plus = (a: number, b: number) => a + b;",
    keywords: deprecate,
  }),
  hint("readOnly", "the tool changes nothing.", "/** Counts the mails. @readOnly */ export const mails = () => 5;"),
  hint(
    "destructive",
    "the tool may delete or overwrite. Clients assume true.",
    "/** Adds a note. @destructive false */ export function note(text: string): void {}",
  ),
  hint(
    "idempotent",
    "a second call with the same arguments changes nothing more.",
    "/** Closes an order. @idempotent */ export function close(id: string): void {}",
  ),
  hint(
    "openWorld",
    "the tool reaches the world outside. Clients assume true.",
    "/** Halves a number. @openWorld false */ export const halve = (n: number) => n / 2;",
  ),
  row({
    name: "timeout",
    on: ["tool"],
    value: DURATION,
    effect: "Limits the time of a call. After it the call fails, and `ctx.signal` is aborted.",
    example: "/** Crawls a site. @timeout 30s */ export const crawl = async (url: string) => [url];",
    entry: (timeout) => ({ timeout }),
  }),
  row({
    name: "task",
    on: ["tool"],
    value: TASK,
    effect:
      "Serves calls as [tasks](tasks.md), which outlive their requests, to clients that support them. `required` refuses other clients of revisions with tasks; with `polling`, they [wait with two tools](tasks.md#clients-without-tasks). `after` waits this long for a plain result, and `background` until `ctx.background()`. `ttl` is how long a task exists after its last change, `poll` the time between two polls.",
    example: "/** Copies a disk. @task after 2s ttl 8h */ export const copy = async (disk: string) => [disk];",
    entry: (task) => ({ task }),
  }),
  row({
    name: "requires",
    on: ["tool"],
    value: CLIENT_CAPABILITIES,
    repeats: true,
    effect:
      "Refuses a call by a client without these capabilities, before the function runs. Other values, such as JSDoc's `module:x`, are ignored.",
    example: '/** Asks for a name. @requires elicitation */ export const ask = async () => "Ada";',
    entry: (requires) => ({ requires }),
  }),
  row({
    name: "scope",
    aliases: ["scopes"],
    on: [...FUNCTIONS, "parameter", "property"],
    value: SCOPES,
    repeats: true,
    effect:
      "Requires all of these scopes of the caller. After the text of a `@param` on the same line, they are required only for calls with that argument.",
    example: "/** Cancels an order. @scope orders:write */ export function cancel(id: string): void {}",
    entry: (scopes) => ({ scopes }),
    protects: true,
  }),
  row({
    name: "toolset",
    on: FUNCTIONS,
    value: TOOLSET,
    effect: "Adds the function to a [toolset](toolsets.md), which whoever starts the server can choose.",
    example: "/** Deletes all orders. @toolset admin */ export function purge(): void {}",
    entry: (toolset) => ({ toolset }),
    protects: true,
  }),
  row({
    name: "closed",
    on: ["tool", "resource"],
    value: FLAG,
    effect:
      "Drops the properties that the return type does not have from each result, at every level. The output schema says so.",
    example: "/** Finds a user. @closed */ export const user = (id: number): { id: number } => ({ id });",
    entry: (closed) => ({ closed }),
  }),
  row({
    name: "output",
    on: ["tool"],
    value: OUTPUT,
    effect:
      "`none` lists no output schema, for a type that the results do not have. `schema` lists one also for a plain text, which then is structured content, too. `strict` does the same, and fails a call whose result does not match the schema, instead of [sending the result as text](types.md#results-that-do-not-match).",
    example: "/** Parses a file. @output none */ export const parse = (text: string) => ({ text });",
    entry: (output) => ({ output }),
  }),
  row({
    name: "maxResult",
    on: ["tool"],
    value: MAX_RESULT,
    effect:
      "Cuts a larger result: texts at a line, arrays at an element. The tool `more` returns the rest: [large results](results.md#large-results).",
    example:
      '/** Reads a log. @maxResult 10k tokens */ export const log = (name: string) => [name, "started"].join(": ");',
    entry: (maxResult) => ({ maxResult }),
  }),
  row({
    name: "meta",
    on: FUNCTIONS,
    value: META_ENTRY,
    repeats: true,
    effect: "Adds the key to `_meta` of the listed tool, prompt, resource or template.",
    example: '/** Ships an order. @meta example.com/tier {"level": 2} */ export function ship(id: string): void {}',
    entry: ([key, value]) => ({ _meta: { [key]: value } }),
  }),
  row({
    name: "mimeType",
    on: ["resource"],
    value: MEDIA_TYPE,
    effect: "Sets the media type of the resource.",
    example: '/** The terms. @resource docs://terms @mimeType text/markdown */ export const terms = () => "# Terms";',
    entry: (mimeType) => ({ mimeType }),
  }),

  row({
    name: "tool",
    on: ["resource"],
    value: FLAG,
    effect:
      "Makes the resource also a tool, for every client: the variables are its arguments. See [models that cannot read resources](resource-tools.md).",
    example: "/** An invoice. @resource invoices://{id} @tool */ export const invoice = (id: string) => ({ id });",
    entry: (tool) => ({ tool }),
  }),

  // Parts of a comment.
  row({
    name: "param",
    aliases: ["arg", "argument"],
    on: FUNCTIONS,
    value: TEXT,
    repeats: true,
    effect: "Describes a parameter: `@param name - text`. Tags after the text apply to the parameter.",
    example: "/** Waits. @param minutes - how long */ export function wait(minutes: number): void {}",
  }),
  row({
    name: "property",
    aliases: ["prop"],
    on: ["property"],
    value: TEXT,
    repeats: true,
    effect: "Describes a property of a `@typedef`, in JavaScript.",
    example:
      "/**\n * @typedef {object} Size\n * @property {number} width - in meters\n */\n/** Draws. @param {Size} size - how large */ export function draw(size) {}",
  }),
  row({
    name: "returns",
    aliases: ["return"],
    on: FUNCTIONS,
    value: PROSE,
    effect: "Describes the result. Tags after the text apply to the result.",
    example: "/** Measures. @returns the length in meters */ export const measure = (): number => 5;",
  }),
  row({
    name: "example",
    on: [...FUNCTIONS, ...VALUES],
    value: EXAMPLE,
    repeats: true,
    effect:
      "On a value: adds an example to its schema. On a function: a JSON object is an example of its arguments; other text is added to the description.",
    example:
      '/** Repeats. @param word - the word. @example "hi" */ export const repeat = (word: string) => word + word;',
    keywords: addExample,
  }),
];

/** A tag that sets an annotation of a tool. */
function hint(name: "readOnly" | "destructive" | "idempotent" | "openWorld", effect: string, example: string): Tag {
  const annotation = `${name}Hint` as const;
  return row({
    name,
    aliases: [annotation],
    on: ["tool"],
    value: FLAG,
    effect: `Sets the annotation \`${annotation}\`: ${effect}`,
    example,
    entry: (value) => ({ annotations: { [annotation]: value } }),
  });
}
