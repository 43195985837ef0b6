import type { Grouped, ToolsetOption } from "../catalog/registry.ts";
import { checkAliases, checkToolName } from "../catalog/registry.ts";
import { type Scoped, type ScopeOptions, toScoped } from "../catalog/scopes.ts";
import { isObject } from "../protocol/messages.ts";
import type { ClientCapabilities, Icon, Meta, ToolAnnotations, ToolDescription } from "../protocol/model.ts";
import type { Context } from "../questions/context.ts";
import type { Failure, Result } from "../results/content.ts";
import { type Infer, type Schema, type SchemaLike, toSchema, withObjectRoot } from "../schema/schema.ts";
import { unite } from "../support/objects.ts";
import { badOption, checkFlag, UsageError } from "../support/usage-error.ts";
import { findHeaderParams, type HeaderParam } from "./header-params.ts";

/** A client capability that a tool requires. */
export type RequiredCapability = "elicitation" | "elicitation.url" | "sampling" | "sampling.tools" | "roots";

/** A value that a tool may return: with an `output` schema, a value of its type; otherwise see docs/results.md. */
export type ToolReturn<Output> = Output extends undefined ? unknown : Infer<Output> | Result<Infer<Output>> | Failure;

/** Options for `defineTool`. */
export interface ToolOptions<
  Input extends SchemaLike | undefined,
  Output extends SchemaLike | undefined,
  Name extends string = string,
> extends ScopeOptions,
    ToolsetOption {
  readonly name: Name;
  readonly title?: string;
  /** Describes the tool to the model that chooses among tools. */
  readonly description?: string;
  readonly icons?: readonly Icon[];
  readonly annotations?: ToolAnnotations;
  readonly _meta?: Meta;
  /** The schema of the arguments, validated before `handle` runs. Default: no arguments. */
  readonly input?: Input;
  /** The schema of the return value, which is validated and sent as structured content. */
  readonly output?: Output;
  /** The time limit in milliseconds. After it the call fails, and `ctx.signal` is aborted. Default: none. */
  readonly timeout?: number;
  /** The capabilities that the client must have declared; checked before `handle` runs. */
  readonly requires?: readonly RequiredCapability[];
  /** Accepts the answers to its questions only once: a replayed round is rejected. Default: false. */
  readonly singleUse?: boolean;
  /**
   * Serves the call as a task, which outlives the request, to clients that support tasks: see docs/tasks.md. "required"
   * refuses other clients of revisions that have tasks. Default: false.
   */
  readonly task?: boolean | "required" | TaskOption;
  /** Converts strings such as `"1"` and `"true"` in arguments that are invalid. Default: that of the server. */
  readonly coerce?: boolean;
  /**
   * Drops the properties that the output schema does not have from each result, at every level, and lists the schema as
   * closed. Default: `closedResults` of the server.
   */
  readonly closed?: boolean;
  /**
   * Cuts a larger result: texts at a line, arrays at an element, with a sentence about the missing part. The tool `more`,
   * which this option adds to the server, returns the rest. Default: `maxResult` of the server.
   */
  readonly maxResult?: MaxResult;
  /** Earlier names. Clients can still call the tool by them, and lists do not have them. */
  readonly was?: readonly string[];
  handle(
    input: Input extends undefined ? Record<string, never> : Infer<Input>,
    ctx: Context,
  ): ToolReturn<Output> | Promise<ToolReturn<Output>>;
}

/** Distinguishes a tool from plain options; the name of this type is the hint in the compiler's error. */
export interface CreatedByDefineTool {
  readonly kind: "tool";
}

/**
 * A validated tool. Create it with `defineTool`. The literal type of the name lets the compiler distinguish two tools
 * without comparing all their members, which would be most of its work in a list of hundreds.
 */
export interface Tool<Input = unknown, Output = unknown, Name extends string = string>
  extends CreatedByDefineTool,
    Scoped,
    Grouped {
  readonly name: Name;
  readonly description: ToolDescription;
  readonly input: Schema;
  /** The arguments that clients repeat in headers over HTTP. */
  readonly headerParams: readonly HeaderParam[];
  readonly output: Schema | undefined;
  /** The tool has an output schema, so a value of any type is structured content. */
  readonly structured: boolean;
  /** The output is not an object: older revisions send it as `{ result }`. */
  readonly wrapped: boolean;
  readonly timeout: number | undefined;
  readonly requires: ClientCapabilities | undefined;
  readonly singleUse: boolean;
  /** Undefined if calls never become tasks. */
  readonly task: TaskSettings | undefined;
  readonly coerce: boolean | undefined;
  readonly closed: boolean | undefined;
  readonly maxResult: MaxResult | undefined;
  readonly was: readonly string[] | undefined;
  handle(input: unknown, ctx: Context): unknown;
  /** Only for the type checker: the types of the input and the output, for the testing client. */
  readonly types?: { readonly input: Input; readonly output: Output };
}

const NO_ARGUMENTS = { type: "object", additionalProperties: false } as const;

/**
 * Defines a tool. @throws {UsageError} for an invalid name, schema or option.
 *
 * @example
 * const add = defineTool({
 *   name: "add",
 *   description: "Adds two numbers.",
 *   input: z.object({ a: z.number(), b: z.number() }),
 *   handle: ({ a, b }) => String(a + b),
 * });
 */
export function defineTool<
  const Input extends SchemaLike | undefined = undefined,
  const Output extends SchemaLike | undefined = undefined,
  const Name extends string = string,
>(
  options: ToolOptions<Input, Output, Name>,
): Tool<Input extends undefined ? undefined : Infer<Input>, Output extends undefined ? unknown : Infer<Output>, Name> {
  const {
    name,
    input,
    output,
    timeout,
    requires,
    singleUse = false,
    task,
    coerce,
    closed,
    maxResult,
    was,
    handle,
    ...others
  } = options;
  const { scopes: _scopes, paramScopes: _params, toolset, ...rest } = others;
  const where = `Tool "${name}"`;
  checkToolName(name);
  if (typeof handle !== "function") throw new UsageError(`${where} has no handle function.`);
  if (timeout !== undefined && !(Number.isFinite(timeout) && timeout > 0)) {
    throw badOption(where, "timeout", "a positive number of milliseconds", timeout);
  }
  checkFlag("coerce", coerce, where);
  checkFlag("closed", closed, where);
  if (closed && output === undefined) {
    throw new UsageError(`${where}: closed requires an output schema, which has the properties.`);
  }
  const inputSchema = withObjectRoot(toSchema(input === undefined ? NO_ARGUMENTS : input, "input", `${where}: input`));
  if (inputSchema.json.type !== "object") {
    throw new UsageError(
      `${where}: the input schema must describe an object (type: "object"), because arguments are named.`,
      "bad_schema",
    );
  }
  const outputSchema = output === undefined ? undefined : toSchema(output, "output", `${where}: output`);
  return {
    kind: "tool",
    name,
    description: {
      name,
      ...rest,
      inputSchema: inputSchema.json,
      ...(outputSchema === undefined ? {} : { outputSchema: outputSchema.json }),
    },
    input: inputSchema,
    headerParams: findHeaderParams(inputSchema.json, `${where}: input`),
    output: outputSchema,
    structured: outputSchema !== undefined,
    wrapped: outputSchema !== undefined && outputSchema.json.type !== "object",
    timeout,
    ...toScoped(others, () => Object.keys(inputSchema.json.properties ?? {}), where),
    requires: requires === undefined || requires.length === 0 ? undefined : toCapabilities(requires, name),
    singleUse,
    task: toTaskSettings(task, where),
    coerce,
    closed,
    maxResult,
    toolset,
    was: checkAliases(was, name, where, checkToolName),
    handle: handle as Tool["handle"],
  };
}

const CAPABILITIES: { readonly [Name in RequiredCapability]: ClientCapabilities } = {
  elicitation: { elicitation: { form: {} } },
  "elicitation.url": { elicitation: { url: {} } },
  sampling: { sampling: {} },
  "sampling.tools": { sampling: { tools: {} } },
  roots: { roots: {} },
};

function toCapabilities(names: readonly RequiredCapability[], tool: string): ClientCapabilities {
  const known = Object.keys(CAPABILITIES);
  const unknown = [...names].find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw bad(`Tool "${tool}" requires the unknown capability "${unknown}". Use ${known.join(", ")}.`);
  return unite(names.map((name) => CAPABILITIES[name]));
}

/**
 * The largest result that a call returns at once: its texts, and its structured content, are cut beyond it. A token counts
 * as 4.4 bytes.
 */
export type MaxResult =
  | { readonly tokens: number; readonly bytes?: undefined }
  | { readonly bytes: number; readonly tokens?: undefined };

/** How calls of a tool become tasks. */
export interface TaskOption {
  /**
   * Milliseconds in which the handler may still answer plainly; then, or with its first question, the call becomes a
   * task. `Infinity`: only at `ctx.background()`. Default: 0, a task from the start.
   */
  readonly after?: number;
  /** Milliseconds for which a task exists after its last change. Default: an hour. */
  readonly ttl?: number;
  /** Milliseconds that clients should wait between two polls of a young task. Default: 1,000. */
  readonly pollInterval?: number;
  /** Refuses clients that do not support tasks, on revisions that have them. Default: false. */
  readonly required?: boolean;
  /**
   * Lets other clients wait for a long call with the tools `task_status` and `task_cancel`: "auto" those whose calls have a
   * known time limit or come over HTTP, "always" all. Default: false.
   */
  readonly polling?: "auto" | "always" | false;
}

/** The option with its defaults. */
export type TaskSettings = Required<TaskOption>;

const DEFAULTS: TaskSettings = { after: 0, ttl: 3_600_000, pollInterval: 1000, required: false, polling: false };

/** Fills in the defaults; undefined without the option. @throws {UsageError} for invalid values. */
function toTaskSettings(task: unknown, where: string): TaskSettings | undefined {
  if (task === undefined || task === false) return undefined;
  const given = task === true ? {} : task === "required" ? { required: true } : task;
  if (!isObject(given)) {
    throw bad(`${where}: task must be true, "required" or options such as { ttl: 1000 }, not ${JSON.stringify(task)}.`);
  }
  const settings: Record<string, unknown> = { ...DEFAULTS };
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue;
    if (!Object.hasOwn(DEFAULTS, name)) throw bad(`${where}: task has no option ${JSON.stringify(name)}.`);
    const problem = problemOf(name, value);
    if (problem) throw bad(`${where}: task.${name} must be ${problem}, not ${String(value)}.`);
    settings[name] = value;
  }
  return settings as unknown as TaskSettings;
}

/** Completes the sentence "must be"; undefined for a valid value. */
function problemOf(name: string, value: unknown): string | undefined {
  if (name === "required") return typeof value === "boolean" ? undefined : "true or false";
  if (name === "polling")
    return ["auto", "always", false].includes(value as never) ? undefined : '"auto", "always" or false';
  if (name === "after")
    return (value as number) >= 0 && typeof value === "number" ? undefined : "milliseconds or Infinity";
  return Number.isSafeInteger(value) && (value as number) > 0 ? undefined : "a positive whole number of milliseconds";
}

function bad(message: string): UsageError {
  return new UsageError(message);
}
