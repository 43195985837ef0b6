import type { Call } from "../calls/call.ts";
import { missingCapabilities, missingCapability } from "../calls/client.ts";
import { exposedText } from "../calls/exposed-error.ts";
import { UnexpectedFailure } from "../calls/middleware.ts";
import { limitTime } from "../calls/timeout.ts";
import { findTool, visibleKeys } from "../catalog/find.ts";
import { type List, page } from "../catalog/pages.ts";
import { unknownName } from "../catalog/registry.ts";
import { InvalidParams, RpcError } from "../protocol/errors.ts";
import { isObject, type JsonObject, valueAt } from "../protocol/messages.ts";
import type { CallResult, ContentBlock, ToolDescription } from "../protocol/model.ts";
import { convert } from "../protocol/revisions/revision.ts";
import { CallContext } from "../questions/context.ts";
import { ToolError } from "../results/content.ts";
import type { SerializedResult } from "../results/encode.ts";
import { failureResult, isDeferred, isWholeResult, toCallResult, withParsedValue } from "../results/return-value.ts";
import { coerceArguments } from "../schema/json-schema/coerce.ts";
import { closeSchema, prunerOf } from "../schema/json-schema/prune.ts";
import type { JsonSchemaObject } from "../schema/json-schema/types.ts";
import { listedForm } from "../schema/listed/listed-form.ts";
import { type Schema, ValidationError, validate } from "../schema/schema.ts";
import { whenReady } from "../support/async.ts";
import { memoized } from "../support/memo.ts";
import type { Tool } from "./define.ts";

/** Runs a tool with valid arguments: gives the result, or undefined if the handler shall run as usual. */
export type RunOtherwise = () => Promise<object | undefined>;

export const TOOLS: List<Tool> = {
  name: "tools",
  entries: (call) => call.server.tools.entries(),
  describe(tool, call) {
    const description = convert(
      call.revision,
      "tool",
      isClosed(call, tool) ? listedClosed(tool) : listedOpen(tool),
      tool,
    );
    return call.conversion === undefined ? description : call.conversion.tool(description);
  },
};

export function listTools(call: Call): SerializedResult | Promise<SerializedResult> {
  return page(call, TOOLS);
}

const listedOpen = /* @__PURE__ */ memoized((tool: Tool) => describe(tool, false));
const listedClosed = /* @__PURE__ */ memoized((tool: Tool) => describe(tool, true));

/** Returns the description as listed, with open or closed results. */
function describe({ description, input, output }: Tool, closes: boolean): ToolDescription {
  const listed = { ...description, inputSchema: listedForm(input, "input") };
  if (output === undefined) return listed;
  const { isWritten } = output;
  const json = closes ? (closeSchema(output.json) as JsonSchemaObject) : output.json;
  return { ...listed, outputSchema: listedForm({ json, isWritten }, "output") };
}

/** Whether to drop the properties that the output schema of a tool does not have. */
function isClosed(call: Call, tool: Tool): boolean {
  return tool.closed ?? call.server.options.closedResults ?? false;
}

const NO_ARGUMENTS = /* @__PURE__ */ Object.freeze({});

export function callTool(call: Call): object | Promise<object> {
  const { name, arguments: given = NO_ARGUMENTS } = call.params;
  if (typeof name !== "string") throw new InvalidParams("params.name must be the name of a tool.");
  const tool = findTool(call, name);
  if (tool === undefined) throw unknownName("tool", name, visibleKeys(call, call.server.tools));
  return runTool(call, tool, given, runOtherwise(call, tool));
}

/** Reads the arguments before the handler does; undefined if they are invalid, which the handler reports. */
export function readArguments(call: Call): unknown {
  const { name, arguments: given = NO_ARGUMENTS } = call.params;
  const tool = findTool(call, name);
  if (tool === undefined || !isObject(given)) return undefined;
  try {
    call.input ??= { value: parseArguments(call, tool, given) };
  } catch {
    return undefined;
  }
  const { value } = call.input;
  return value instanceof Promise ? value.catch(() => undefined) : value;
}

/** Returns how a feature runs the tool; undefined to run its handler. */
function runOtherwise(call: Call, tool: Tool): RunOtherwise | undefined {
  for (const feature of call.server.features.with("runTool")) {
    const run = feature.runTool(call, tool);
    if (run !== undefined) return run;
  }
  return undefined;
}

/** Validates the arguments and runs the handler, or lets a feature run it. */
export function runTool(
  call: Call,
  tool: Tool,
  given: unknown,
  otherwise?: RunOtherwise | undefined,
): object | Promise<object> {
  if (!isObject(given)) throw new InvalidParams("params.arguments must be an object.");
  const ctx = new CallContext(call);
  try {
    if (tool.requires !== undefined) checkClient(call, tool);
    const input = call.input === undefined ? parseArguments(call, tool, given) : call.input.value;
    return otherwise === undefined ? handle(call, tool, ctx, input) : runBeside(call, tool, ctx, input, otherwise);
  } catch (error) {
    return failure(call, tool, ctx, error);
  }
}

/** Runs the handler with valid arguments. */
function handle(call: Call, tool: Tool, ctx: CallContext, input: unknown): object | Promise<object> {
  const value = input instanceof Promise ? input.then((parsed) => tool.handle(parsed, ctx)) : tool.handle(input, ctx);
  if (isDeferred(value)) return finish(call, tool, ctx, value);
  return conclude(call, tool, ctx, toCallResult(value, tool) as CallResult);
}

/** Lets a feature run the tool, once the arguments are valid. If it does not, the handler runs. */
async function runBeside(
  call: Call,
  tool: Tool,
  ctx: CallContext,
  input: unknown,
  otherwise: RunOtherwise,
): Promise<object> {
  try {
    const parsed = await input;
    return (await otherwise()) ?? (await handle(call, tool, ctx, parsed));
  } catch (error) {
    return failure(call, tool, ctx, error);
  }
}

/** Completes a call whose return value must be awaited. */
function finish(call: Call, tool: Tool, ctx: CallContext, pending: unknown): Promise<object> {
  if (tool.timeout !== undefined) limitTime(call, tool.timeout, pending);
  return call.outcome(
    pending,
    (value) => {
      const made = toCallResult(value, tool, call.server.limits.streamBytes);
      if (tool.timeout === undefined || !(made instanceof Promise)) {
        return whenReady(made, (result) => conclude(call, tool, ctx, result));
      }
      // A stream that never ends must not escape the time limit.
      limitTime(call, tool.timeout, made);
      return made.finally(() => clearTimeout(call.timer)).then((result) => conclude(call, tool, ctx, result));
    },
    (error) => failure(call, tool, ctx, error),
  );
}

/** Delivers a result after validating it against the output schema. */
function conclude(call: Call, tool: Tool, ctx: CallContext, result: CallResult): CallResult | Promise<CallResult> {
  if (tool.output === undefined || (result.isError && !call.revision.checksFailures)) {
    return deliver(call, tool, ctx, result);
  }
  const checked = result.isError ? checkFailure(tool.output, result) : checkOutput(call, tool, tool.output, result);
  if (!(checked instanceof Promise)) return deliver(call, tool, ctx, checked);
  return checked.then(
    (whole) => deliver(call, tool, ctx, whole),
    (error) => failure(call, tool, ctx, error),
  );
}

function checkClient(call: Call, tool: Tool): void {
  const missing = tool.requires && missingCapabilities(tool.requires, call.client.capabilities);
  if (missing !== undefined) throw missingCapability(call.revision, missing, `Tool "${tool.name}"`);
}

/**
 * Validates a result against the output schema, which is a promise to the client: an invalid value is not sent. The
 * schema may remove properties or fill in defaults.
 */
function checkOutput(call: Call, tool: Tool, output: Schema, result: CallResult): CallResult | Promise<CallResult> {
  if (!("structuredContent" in result)) return refuseMissing(call, tool, output, result);
  const closed = isClosed(call, tool);
  try {
    const value = result.structuredContent;
    const parsed = validate(output, closed && !output.transforms ? prunerOf(output.json)(value) : value);
    if (!(parsed instanceof Promise)) return withOutput(tool, output, result, parsed, closed);
    return parsed.then(
      (value) => withOutput(tool, output, result, value, closed),
      (error) => Promise.reject(outputError(call, tool, error, result)),
    );
  } catch (error) {
    throw outputError(call, tool, error, result);
  }
}

/** A result has no value. The schema of a function without one describes that to the model. */
async function refuseMissing(call: Call, tool: Tool, output: Schema, result: CallResult): Promise<never> {
  try {
    await validate(output, undefined);
  } catch (error) {
    if (error instanceof ValidationError && error.forModel) throw outputError(call, tool, error, result);
  }
  throw new RpcError("internal_error", `Tool "${tool.name}" returned no value, but has an output schema.`, {
    cause: new TypeError("a tool with an output schema must return a value or fail(…)"),
  });
}

function withOutput(tool: Tool, { json, transforms }: Schema, result: CallResult, value: unknown, closed: boolean) {
  return withParsedValue(result, closed && transforms ? prunerOf(json)(value) : value, tool);
}

/** Omits the structured content of a failure that does not match the output schema. */
function checkFailure(output: Schema, result: CallResult): CallResult | Promise<CallResult> {
  const { structuredContent, ...rest } = result;
  if (structuredContent === undefined) return result;
  try {
    const parsed: unknown = validate(output, structuredContent);
    return parsed instanceof Promise ? parsed.then(() => result).catch(() => rest) : result;
  } catch {
    return rest;
  }
}

/** The cause, which only the log has, names the values that do not fit. Handlers of other frameworks return results. */
function outputError(call: Call, tool: Tool, error: unknown, { structuredContent: value }: CallResult): unknown {
  if (!(error instanceof ValidationError)) return error;
  const message = `Tool "${tool.name}" returned a value that does not match its output schema.`;
  if (error.forModel !== undefined) {
    call.server.logError(call, `${message} Return such a value, or change the declared type.`, error);
    return new ToolError(error.forModel(isClosed(call, tool)));
  }
  const kept = isObject(value) && isWholeResult(value) ? [{ pointer: "", message: KEPT_RESULT }] : [];
  const issues = error.issues.map((each) => ({ ...each, message: each.message + actual(value, each.pointer) }));
  return new RpcError("internal_error", message, { cause: new ValidationError([...kept, ...issues]) });
}

const KEPT_RESULT = "the handler returned a result object; return the value itself, or drop the output schema";

function actual(value: unknown, pointer: string): string {
  const found = valueAt(value, pointer.split("/").slice(1));
  if (found === undefined || (typeof found === "object" && found !== null)) return "";
  return ` (it is ${typeof found === "string" ? JSON.stringify(found.slice(0, 60)) : String(found)})`;
}

/** Sends progress that was held back, and converts the result to the client's revision. */
function deliver(call: Call, tool: Tool, ctx: CallContext, result: CallResult): CallResult {
  ctx.flush();
  return convertResult(call, tool, result);
}

/** Converts a result of a tool for the client and the revision of a call. */
export function convertResult(call: Call, tool: Tool, result: CallResult): CallResult {
  const { block, call: whole } = call.revision.convert;
  if (call.conversion !== undefined) result = call.conversion.result(result);
  if (block === undefined && whole === undefined) return result;
  const blocks = block === undefined ? result.content : result.content.map((item) => block(item, tool) as ContentBlock);
  const converted = { ...result, content: blocks };
  return whole === undefined ? converted : whole(converted, tool);
}

/** Delivers the result that reports a failure to the model. Details that the model must not see go to the log. */
function failure(call: Call, tool: Tool, ctx: CallContext, thrown: unknown): CallResult {
  if (thrown instanceof RpcError) throw thrown;
  if (thrown instanceof ToolError) return deliver(call, tool, ctx, failureResult(thrown.message));
  if (thrown instanceof ValidationError)
    return deliver(call, tool, ctx, failureResult(`Invalid arguments for tool "${tool.name}":\n${thrown.message}`));
  if (!call.done) call.server.logError(call, `tool "${tool.name}" threw`, thrown);
  const text = exposedText(call, thrown, "throw a ToolError");
  const result = deliver(call, tool, ctx, failureResult(text ?? `Tool "${tool.name}" failed.`));
  if (call.server.middleware.length === 0) return result;
  throw new UnexpectedFailure(thrown, result);
}

/** Validates the arguments of a call, and once more with converted strings if they are invalid. */
function parseArguments(call: Call, tool: Tool, sent: JsonObject): unknown {
  try {
    const input = validate(tool.input, sent);
    return input instanceof Promise ? input.catch((error) => parseLeniently(call, tool, sent, error)) : input;
  } catch (error) {
    return parseLeniently(call, tool, sent, error);
  }
}

/**
 * Validates the arguments again after converting strings such as "1" and "true", which many clients send. The call keeps
 * the arguments as sent, for middleware, states and headers. @throws the first error if they are still invalid.
 */
function parseLeniently(call: Call, tool: Tool, sent: JsonObject, error: unknown): unknown {
  const { options, limits } = call.server;
  if (!(error instanceof ValidationError) || !(tool.coerce ?? options.coerce ?? true)) throw error;
  const converted = coerceArguments(tool.input.json, sent, limits.messageItems);
  if (converted === sent || tool.headerParams.some(({ path }) => isNew(path, sent, converted))) throw error;
  const fail = (second: unknown) => {
    throw second instanceof ValidationError ? error : second;
  };
  try {
    const input = validate(tool.input, converted);
    return input instanceof Promise ? input.catch(fail) : input;
  } catch (second) {
    return fail(second);
  }
}

/**
 * Whether a mirrored argument exists only after the conversion. In the text of an object, a client could hide it from a
 * proxy that authorizes by the header: arguments are compared with headers as sent.
 */
function isNew(path: readonly string[], sent: unknown, converted: unknown): boolean {
  return valueAt(sent, path) === undefined && valueAt(converted, path) !== undefined;
}
