import { checkToolName } from "../catalog/names.ts";
import type { ClientCapabilities, Icon, Meta, ToolAnnotations, ToolDescription } from "../protocol/model.ts";
import type { Context } from "../questions/context.ts";
import type { Failure, Result } from "../results/content.ts";
import type { Infer, SchemaLike } from "../schema/infer.ts";
import { type Schema, toSchema } from "../schema/schema.ts";
import { UsageError } from "../support/usage-error.ts";
import { findHeaderParams, type HeaderParam } from "./header-params.ts";

/** A capability that a tool cannot do without. */
export type RequiredCapability = "elicitation" | "elicitation.url" | "sampling" | "sampling.tools" | "roots";

/** What a tool may return: see the table in docs/tools.md. With an `output` schema, a value of its type. */
export type ToolReturn<Output> = Output extends undefined ? unknown : Infer<Output> | Result<Infer<Output>> | Failure;

export interface ToolOptions<
  Input extends SchemaLike | undefined,
  Output extends SchemaLike | undefined,
  Name extends string = string,
> {
  readonly name: Name;
  readonly title?: string;
  /** What the tool does, for the model that chooses among tools. */
  readonly description?: string;
  readonly icons?: readonly Icon[];
  readonly annotations?: ToolAnnotations;
  readonly _meta?: Meta;
  /** The arguments, checked before `handle` runs. Without it the tool takes none. */
  readonly input?: Input;
  /** What `handle` returns, checked and sent as structured content. */
  readonly output?: Output;
  /** Milliseconds after which the call is answered with a failure, whatever `handle` is doing. Default: none. */
  readonly timeout?: number;
  /** What the client must be able to do; checked before `handle` runs. */
  readonly requires?: readonly RequiredCapability[];
  /** Answers to its questions are taken once: a round that is sent again is refused. Default: false. */
  readonly singleUse?: boolean;
  handle(
    input: Input extends undefined ? Record<string, never> : Infer<Input>,
    ctx: Context,
  ): ToolReturn<Output> | Promise<ToolReturn<Output>>;
}

/**
 * A tool, checked and ready to be served. By the literal type of their names the compiler tells two tools apart without
 * comparing all that they are: in a list of hundreds, that is most of its work.
 */
export interface Tool<Input = unknown, Output = unknown, Name extends string = string> {
  readonly name: Name;
  readonly description: ToolDescription;
  readonly input: Schema;
  /** The arguments that clients repeat in headers over HTTP. */
  readonly mirrors: readonly HeaderParam[];
  readonly output: Schema | undefined;
  /** It declares what it returns, so that a value of any type is structured content. */
  readonly structured: boolean;
  /** The output's root is not an object: older revisions carry it as `{ result }`. */
  readonly wrapped: boolean;
  readonly timeout: number | undefined;
  readonly requires: ClientCapabilities | undefined;
  readonly singleUse: boolean;
  handle(input: unknown, ctx: Context): unknown;
  /** Only for the type checker: lets a test client know what the tool takes and gives. */
  readonly types?: { readonly input: Input; readonly output: Output };
}

const NO_ARGUMENTS = { type: "object", additionalProperties: false } as const;

/** Describes a tool. @throws {UsageError} for a name, schema or option that could not be served. */
export function defineTool<
  const Input extends SchemaLike | undefined = undefined,
  const Output extends SchemaLike | undefined = undefined,
  const Name extends string = string,
>(
  options: ToolOptions<Input, Output, Name>,
): Tool<Input extends undefined ? undefined : Infer<Input>, Output extends undefined ? unknown : Infer<Output>, Name> {
  const { name, input, output, timeout, requires, singleUse = false, handle, ...rest } = options;
  checkToolName(name);
  if (typeof handle !== "function") throw new UsageError("bad_option", `Tool "${name}" has no handle function.`);
  if (timeout !== undefined && !(Number.isFinite(timeout) && timeout > 0)) {
    throw new UsageError(
      "bad_option",
      `Tool "${name}": timeout must be a positive number of milliseconds, not ${timeout}.`,
    );
  }
  const inputSchema = toSchema(input === undefined ? NO_ARGUMENTS : input, "input", `Tool "${name}": input`);
  if (inputSchema.json.type !== "object") {
    throw new UsageError(
      "bad_schema",
      `Tool "${name}": the input schema must describe an object (type: "object"), because arguments have names.`,
    );
  }
  const outputSchema = output === undefined ? undefined : toSchema(output, "output", `Tool "${name}": output`);
  return {
    name,
    description: {
      name,
      ...rest,
      inputSchema: inputSchema.json,
      ...(outputSchema === undefined ? {} : { outputSchema: outputSchema.json }),
    },
    input: inputSchema,
    mirrors: findHeaderParams(inputSchema.json, `Tool "${name}": input`),
    output: outputSchema,
    structured: outputSchema !== undefined,
    wrapped: outputSchema !== undefined && outputSchema.json.type !== "object",
    timeout,
    requires: requires === undefined || requires.length === 0 ? undefined : toCapabilities(requires, name),
    singleUse,
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
  const all: { -readonly [Key in keyof ClientCapabilities]: object } = {};
  for (const name of names) {
    const capability = Object.hasOwn(CAPABILITIES, name) ? CAPABILITIES[name] : undefined;
    if (capability === undefined) {
      throw new UsageError(
        "bad_option",
        `Tool "${tool}" requires "${name}", which is no client capability; known: ${Object.keys(CAPABILITIES).join(", ")}.`,
      );
    }
    for (const [key, value] of Object.entries(capability)) {
      all[key as keyof ClientCapabilities] = { ...all[key as keyof ClientCapabilities], ...value };
    }
  }
  return all as ClientCapabilities;
}
