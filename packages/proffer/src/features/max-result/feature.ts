import type { Call } from "../../calls/call.ts";
import type { CallResult } from "../../protocol/model.ts";
import type { Context } from "../../questions/context.ts";
import { failureResult } from "../../results/call-result.ts";
import { ToolError } from "../../results/content.ts";
import { SerializedResult } from "../../results/encode.ts";
import type { Feature, Work } from "../../server/feature.ts";
import { whenReady } from "../../support/async.ts";
import type { Tool } from "../../tools/define.ts";
import { audienceOf } from "./audience.ts";
import { cutResult } from "./cut.ts";
import { MAX_CALLER_BYTES } from "./ledger.ts";
import { withSizes } from "./listed-size.ts";
import { defineMore, defineRest } from "./more.ts";
import { type Added, offerRest, REST_URI } from "./offers.ts";
import { restsOf } from "./rests.ts";
import { firstSentence } from "./sentence.ts";
import { fits, limitBytes } from "./size.ts";
import type { Part } from "./split.ts";

/** The calls that look for a rest. A context does not reveal its call, but has the same signal. */
const calls = new WeakMap<AbortSignal, Call>();

function callOf({ signal }: Context): Call {
  return calls.get(signal) as Call;
}

/** The tool and the resource for the rests of results. They are the same for all servers. */
const added: Added = { more: defineMore(callOf, () => added), rest: defineRest(callOf) };

/** The option `maxResult` of servers and tools. */
export const feature: Feature = {
  attach({ tools, resources }) {
    tools.add(added.more);
    resources.add(added.rest);
  },

  /** Around everything that is done for a call: middleware, such as a cache, sees whole results. */
  around(call, work) {
    const { name, uri } = call.params;
    switch (call.method) {
      case "tools/call":
        if (name !== added.more.name) return limited(call, work);
        calls.set(call.signal, call);
        return work(call);
      case "tools/list":
        return whenReady(work(call), (page) => withSizes(call, page));
      case "resources/read":
        if (typeof uri === "string" && uri.startsWith(REST_URI)) calls.set(call.signal, call);
        return work(call);
      default:
        return work(call);
    }
  },
};

function limited(call: Call, work: Work): unknown {
  try {
    const outcome = work(call);
    if (!(outcome instanceof Promise)) return limitOne(call, outcome);
    return outcome.then(
      (result) => limitOne(call, result),
      (error) => limitFailure(call, error),
    );
  } catch (error) {
    return limitFailure(call, error);
  }
}

/** Middleware may throw the failure of a tool. */
function limitFailure(call: Call, error: unknown): unknown {
  if (error instanceof ToolError && maxOf(call) < error.message.length * 3)
    return limitOne(call, failureResult(error.message));
  throw error;
}

function limitOne(call: Call, result: unknown): unknown {
  const max = maxOf(call);
  if (max === Number.POSITIVE_INFINITY || !isCallResult(result) || isWithin(result, max)) return result;
  return cut(call, result, max);
}

function maxOf({ server, params }: Call): number {
  const max = server.tools.get(params.name as string)?.maxResult ?? server.options.maxResult;
  return max === undefined ? Number.POSITIVE_INFINITY : limitBytes(max);
}

/** Not a question, and not a task. */
function isCallResult(result: unknown): result is CallResult {
  return (
    !(result instanceof SerializedResult) &&
    Array.isArray((result as Partial<CallResult>).content) &&
    !("resultType" in (result as object))
  );
}

function isWithin(result: CallResult, max: number): boolean {
  try {
    return fits(result, max);
  } catch {
    // It cannot be serialized, which is reported when it is sent.
    return true;
  }
}

async function cut(call: Call, result: CallResult, max: number): Promise<CallResult> {
  const tool = call.server.tools.get(call.params.name as string) as Tool;
  const made = cutResult(result, max, audienceOf(call, tool));
  if (made === undefined) return result;
  const cursor = made.restBytes > MAX_CALLER_BYTES ? undefined : await keep(call, tool, made.rest);
  const { ways, blocks } = offerRest(call, cursor, added);
  const text = firstSentence(made.counts, ways, tool.name, made.isWhole);
  return { ...made.result, content: [...made.result.content, { type: "text", text }, ...blocks] };
}

async function keep(call: Call, tool: Tool, rest: () => readonly Part[]): Promise<string | undefined> {
  try {
    return await restsOf(call.server).keep(call, tool, rest());
  } catch (error) {
    // The result is still good without its rest.
    call.server.logError(call, "The rest of a large result could not be kept", error);
    return undefined;
  }
}
