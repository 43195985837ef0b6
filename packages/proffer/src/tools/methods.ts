import type { Call } from "../calls/call.ts";
import { missingCapabilities, missingCapability } from "../calls/capabilities.ts";
import { limitTime } from "../calls/timeout.ts";
import { type List, page } from "../catalog/pages.ts";
import { InvalidParams, RpcError } from "../protocol/errors.ts";
import { isObject } from "../protocol/messages.ts";
import type { CallResult, ContentBlock } from "../protocol/model.ts";
import { convert } from "../protocol/revisions/revision.ts";
import { CallContext } from "../questions/context.ts";
import { ToolError } from "../results/content.ts";
import type { SerializedResult } from "../results/serialized.ts";
import { failureResult, isDeferred, toCallResult, withParsedValue } from "../results/to-result.ts";
import { type Schema, ValidationError } from "../schema/schema.ts";
import { whenReady } from "../support/when-ready.ts";
import type { Tool } from "./define.ts";

const TOOLS: List<Tool> = {
  name: "tools",
  entries: (call) => call.server.tools.entries(),
  describe: (tool, call) => convert(call.revision, "tool", tool.description, tool),
};

export function listTools(call: Call): SerializedResult | Promise<SerializedResult> {
  return page(call, TOOLS);
}

const NO_ARGUMENTS = /* @__PURE__ */ Object.freeze({});

export function callTool(call: Call): object | Promise<object> {
  const { name, arguments: given = NO_ARGUMENTS } = call.params;
  if (typeof name !== "string") throw new InvalidParams("tools/call needs params.name, the name of a tool.");
  const tool = call.server.tools.get(name);
  if (tool === undefined) {
    throw new InvalidParams(`There is no tool named ${JSON.stringify(name.slice(0, 128))}; tools/list has them all.`);
  }
  if (!isObject(given)) throw new InvalidParams("params.arguments must be an object.");
  const ctx = new CallContext(call);
  try {
    if (tool.requires !== undefined) checkClient(call, tool);
    const input = tool.input.parse(given);
    const value = input instanceof Promise ? input.then((parsed) => tool.handle(parsed, ctx)) : tool.handle(input, ctx);
    if (isDeferred(value)) return finish(call, tool, ctx, value);
    return conclude(call, tool, ctx, toCallResult(value, tool) as CallResult);
  } catch (error) {
    return deliver(call, tool, ctx, failure(call, tool, error));
  }
}

/** The end of a call that has something to wait for. */
function finish(call: Call, tool: Tool, ctx: CallContext, pending: unknown): Promise<object> {
  if (tool.timeout !== undefined) limitTime(call, tool.timeout, pending);
  return call.outcome(
    pending,
    (value) => {
      const made = toCallResult(value, tool, call.server.limits.streamBytes);
      return whenReady(made, (result) => conclude(call, tool, ctx, result));
    },
    (error) => deliver(call, tool, ctx, failure(call, tool, error)),
  );
}

/** Delivers a result once it is what the tool has promised. */
function conclude(call: Call, tool: Tool, ctx: CallContext, result: CallResult): CallResult | Promise<CallResult> {
  if (tool.output === undefined || result.isError) return deliver(call, tool, ctx, result);
  const checked = checkOutput(tool, tool.output, result);
  if (!(checked instanceof Promise)) return deliver(call, tool, ctx, checked);
  return checked.then(
    (whole) => deliver(call, tool, ctx, whole),
    (error) => deliver(call, tool, ctx, failure(call, tool, error)),
  );
}

function checkClient(call: Call, tool: Tool): void {
  const missing = tool.requires && missingCapabilities(tool.requires, call.client.capabilities);
  if (missing !== undefined) throw missingCapability(call.revision, missing, `Tool "${tool.name}"`);
}

/**
 * A declared output is a promise to the client: what breaks it is not sent, and what the schema leaves out of a value or
 * fills in is left out and filled in.
 */
function checkOutput(tool: Tool, output: Schema, result: CallResult): CallResult | Promise<CallResult> {
  if (!("structuredContent" in result)) {
    throw new RpcError("internal_error", `The tool "${tool.name}" gave no value of the type that it declares.`, {
      cause: new TypeError("the tool has an output schema, so it must return a value, or fail(…)"),
    });
  }
  let parsed: unknown;
  try {
    parsed = output.parse(result.structuredContent);
  } catch (error) {
    throw broken(tool, error);
  }
  if (parsed instanceof Promise) {
    return parsed.then(
      (value) => withParsedValue(result, value, tool),
      (error) => {
        throw broken(tool, error);
      },
    );
  }
  return withParsedValue(result, parsed, tool);
}

function broken(tool: Tool, error: unknown): unknown {
  if (!(error instanceof ValidationError)) return error;
  return new RpcError("internal_error", `The tool "${tool.name}" gave a value that does not fit its output schema.`, {
    cause: error,
  });
}

/** The result in the shape of the client's revision, after whatever progress was held back. */
function deliver(call: Call, tool: Tool, ctx: CallContext, result: CallResult): CallResult {
  ctx.flush();
  const { block, call: whole } = call.revision.convert;
  if (block === undefined && whole === undefined) return result;
  const blocks = block === undefined ? result.content : result.content.map((item) => block(item, tool) as ContentBlock);
  return convert(call.revision, "call", { ...result, content: blocks }, tool);
}

/** What the model is told of a failure; what it may not be told is thrown or goes to the log. */
function failure(call: Call, tool: Tool, thrown: unknown): CallResult {
  if (thrown instanceof RpcError) throw thrown;
  if (thrown instanceof ToolError) return failureResult(thrown.message);
  if (thrown instanceof ValidationError)
    return failureResult(`The arguments of "${tool.name}" are not right:\n${thrown.message}`);
  if (!call.done) call.server.logError(call, `tool "${tool.name}" threw`, thrown);
  if (!call.origin.exposeErrors) return failureResult(`The tool "${tool.name}" failed.`);
  const detail = thrown instanceof Error ? thrown.message : String(thrown);
  return failureResult(`${detail} (shown because the server runs in dev mode; throw a ToolError to show it always)`);
}
