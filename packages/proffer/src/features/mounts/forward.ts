import type { Call } from "../../calls/call.ts";
import { missingCapabilities } from "../../calls/client.ts";
import { type Question, suspended } from "../../calls/question.ts";
import { RemoteError } from "../../client/errors.ts";
import type { Asked, Questions as AskedByKey, RequestOptions } from "../../client/options.ts";
import { checkShape, INPUT_REQUIRED, RESULT_SHAPES } from "../../client/shape.ts";
import { RpcError } from "../../protocol/errors.ts";
import { isObject, type JsonObject } from "../../protocol/messages.ts";
import type { ClientCapabilities } from "../../protocol/model.ts";
import type { CallContext } from "../../questions/context.ts";
import { questionsOf } from "../../questions/rounds.ts";
import { ToolError } from "../../results/content.ts";
import { capabilitiesFor, type Lease, type Running } from "./connection.ts";
import type { Connections } from "./connections.ts";
import { toFailure } from "./failures.ts";
import { type Followed, OpenCall, parkedOf, progressOf } from "./parked.ts";

/** The server to which a request goes on. */
export interface Upstream {
  /** Its name in `servers`. */
  readonly name: string;
  readonly connections: Connections;
}

/** A request for a mounted server. */
export interface Forwarded {
  readonly call: Call;
  readonly ctx: CallContext;
  readonly method: string;
  readonly params: JsonObject;
}

const MAX_ROUNDS = 50;
const HEADER_MISMATCH = -32020;

/**
 * Sends a request on to a mounted server, and its questions to the caller, whatever the revisions of both.
 * - A server that asks in rounds (2026-07-28) is called again with the answers. What it said so far, and its state, are steps of
 *   this call: so they are sealed into our own state, or stay here while an older caller is asked.
 * - A server that asks in the middle of its call stays open. If the caller is asked in rounds, the open call is parked.
 */
export async function forward(upstream: Upstream, request: Forwarded): Promise<JsonObject> {
  const { call, method } = request;
  try {
    const isLater = call.questions !== undefined && call.questions.round > 0;
    const parked = isLater ? await findParked(call) : undefined;
    if (parked !== undefined) return await follow(request, parked);
    const lease = await upstream.connections.lease(call);
    if (!lease.connection.client.hasHandshake) return await callInRounds(request, lease, isLater);
    if (isLater) {
      lease.release();
      throw new RpcError(
        "invalid_params",
        "The call that asked is not open any more. Send it again without the answers.",
      );
    }
    return await follow(request, openCall(request, lease));
  } catch (error) {
    const failure = toFailure(error, upstream.name, method);
    if (failure !== error) call.server.logError(call, `The mounted server "${upstream.name}" failed`, error);
    throw failure;
  }
}

function openCall(request: Forwarded, lease: Lease): OpenCall {
  const { client } = lease.connection;
  return new OpenCall(lease, async (signal, progress) => {
    await setLogLevel(request.call, lease);
    const options = optionsFor(request, { signal, onProgress: progress }, true);
    return checked(client.name, request.method, await client.requestOnce(request.method, request.params, options));
  });
}

/** The log levels that were set on connections. */
const levels = new WeakMap<object, string>();

/** A connection of one caller has the log level of that caller. */
async function setLogLevel(call: Call, { connection }: Lease): Promise<void> {
  const { client } = connection;
  const level = call.logLevel;
  if (level === undefined || client.capabilities.logging === undefined || levels.get(client) === level) return;
  levels.set(client, level);
  await client.requestOnce("logging/setLevel", { level }).catch(() => undefined);
}

/** The open call that a later request goes on with, here or on another node. */
async function findParked({ server, chain }: Call): Promise<Followed | undefined> {
  const own = parkedOf(server).find(chain);
  if (own !== undefined || server.cluster === undefined) return own;
  return (await import("./shared.ts")).SharedCall.find(server, chain);
}

/** Follows an open call until it ends or asks. */
async function follow(request: Forwarded, open: Followed): Promise<JsonObject> {
  const { call, ctx } = request;
  const { questions, outcome } = open;
  const parked = parkedOf(call.server);
  const { signal } = call;
  const stop = () => {
    if (questions.areParked) return;
    parked.forget(call.chain);
    open.cancel(signal.reason);
  };
  questions.isInRounds = call.revision.rounds;
  questions.unanswered = 0;
  open.attach(ctx);
  signal.addEventListener("abort", stop, { once: true });
  try {
    if (signal.aborted) stop();
    for (let known = 0; ; ) {
      for (; known < questions.all.length; known++) askCaller(request, open, known);
      const result = await Promise.race([outcome, questions.more(known)]);
      // Another request of the caller goes on with it.
      if (call.done) return await suspended(call);
      if (result === undefined) continue;
      if (questions.isInRounds) parked.forget(call.chain);
      return result;
    }
  } catch (error) {
    if (!questions.areParked) open.cancel(error);
    throw error;
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

function askCaller({ call }: Forwarded, open: Followed, index: number): void {
  const { questions } = open;
  const asked = questions.all[index] as (typeof questions.all)[number];
  const question = toQuestion(asked, `${index}`);
  if (missingCapabilities(question.needs, capabilitiesFor(call)) !== undefined) {
    asked.reject(new Error(`This client cannot be asked: ${asked.method}.`));
    return;
  }
  // Before the question is sent: it must not end a request that nobody could go on with.
  if (questions.isInRounds) park(call, open);
  questions.unanswered++;
  const settled = () => questions.unanswered--;
  Promise.resolve(questionsOf(call).ask(question)).finally(settled).then(asked.resolve, asked.reject);
}

function park(call: Call, open: Followed): void {
  const { server, chain } = call;
  const { cluster } = server;
  if (!parkedOf(server).keep(call, open) || cluster === undefined || !(open instanceof OpenCall)) return;
  void import("./shared.ts").then(({ share }) => share(server, cluster, chain, open));
}

/** Calls a server that asks in rounds, again and again, with the answers of the caller. */
async function callInRounds(request: Forwarded, lease: Lease, isLater: boolean): Promise<JsonObject> {
  const { call, method, params } = request;
  const { client, key } = lease.connection;
  const { transport, principal } = call.origin;
  // On a connection of several callers, nobody knows whose log messages arrive.
  const hasLog = call.logLevel !== undefined && (key !== "main" || (transport !== "http" && principal === undefined));
  const running: Running = {
    ask: () => Promise.reject(new Error("A stateless server cannot ask.")),
    log: (level, data, logger) => request.ctx.log(level, data, logger),
  };
  if (hasLog) lease.connection.begin(running);
  const send = async (round: JsonObject) => {
    const onProgress = (value: JsonObject) => request.ctx.progress(...progressOf(value));
    const options = optionsFor(request, { signal: call.signal, onProgress }, hasLog);
    try {
      return await client.requestOnce(method, round, options);
    } catch (error) {
      // Over HTTP, the list says which arguments must be repeated in headers. The tool did not run.
      if (!(error instanceof RemoteError) || error.code !== HEADER_MISMATCH) throw error;
      await client.listTools();
      return client.requestOnce(method, round, options);
    }
  };
  try {
    let round = params;
    for (let rounds = 0; rounds <= MAX_ROUNDS; rounds++) {
      const step = (work: () => unknown) => questionsOf(call).step(`round ${rounds}`, work) as Promise<JsonObject>;
      const isFirst = rounds === 0 && !isLater;
      const current = round;
      let result = await (isFirst ? send(current) : step(() => send(current)));
      if (result.resultType !== "input_required") return checked(client.name, method, result);
      checkShape(INPUT_REQUIRED, client.name, method, result);
      // Most calls ask nothing, and record nothing.
      if (isFirst) result = await step(() => result);
      const inputResponses = await askAll(call, (result.inputRequests ?? {}) as AskedByKey, rounds);
      const { requestState } = result;
      round = { ...params, inputResponses, ...(requestState === undefined ? {} : { requestState }) };
    }
    throw new ToolError(`The call did not finish within ${MAX_ROUNDS} rounds of questions.`);
  } finally {
    lease.connection.end(running);
    lease.release();
  }
}

async function askAll(call: Call, questions: AskedByKey, round: number): Promise<JsonObject> {
  const asked = Object.entries(questions).map(async ([key, each]) => {
    const answer = await questionsOf(call).ask({ ...toQuestion(each, `${round} ${key}`), key });
    return [key, answer] as const;
  });
  return Object.fromEntries(await Promise.all(asked));
}

/** A foreign question as one of this server. Its own server checks the answers. */
function toQuestion({ method, params }: Asked, identity: string): Question {
  const { elicitationId: _, _meta: __, ...given } = params;
  return {
    method,
    params: given,
    needs: needsOf(method, given),
    identity,
    ...(method === "elicitation/create" && formOf(given)),
  };
}

function needsOf(method: string, { mode, tools }: JsonObject): ClientCapabilities {
  if (method === "roots/list") return { roots: {} };
  if (method === "sampling/createMessage") return { sampling: tools === undefined ? {} : { tools: {} } };
  return { elicitation: mode === "url" ? { url: {} } : { form: {} } };
}

/** The names in a form, and the lists, which older clients send as text. */
function formOf({ mode, requestedSchema }: JsonObject): Pick<Question, "schema"> {
  if (mode === "url") return {};
  const fields = isObject(requestedSchema) && isObject(requestedSchema.properties) ? requestedSchema.properties : {};
  const properties = Object.entries(fields).map(([name, field]) => {
    const isList = isObject(field) && field.type === "array";
    return [name, isList ? { type: "array" } : {}];
  });
  return { schema: JSON.stringify({ type: "object", properties: Object.fromEntries(properties) }) };
}

const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";
/** W3C trace context: it belongs to no server. */
const PASSED_ON = ["traceparent", "tracestate", "baggage"];

/** The caller's progress, log level and capabilities, as far as they concern the mounted server. Nothing else travels on. */
function optionsFor(
  { call }: Forwarded,
  { signal, onProgress }: Pick<RequestOptions, "signal" | "onProgress">,
  hasLog: boolean,
): RequestOptions {
  const { meta, logLevel } = call;
  const passed: { [name: string]: unknown } = { [CAPABILITIES]: capabilitiesFor(call) };
  for (const name of PASSED_ON) if (typeof meta[name] === "string") passed[name] = meta[name];
  return {
    ...(signal && { signal }),
    ...(meta.progressToken !== undefined && onProgress && { onProgress }),
    ...(hasLog && logLevel !== undefined && { logLevel }),
    _meta: passed,
  };
}

function checked(name: string, method: string, result: JsonObject): JsonObject {
  checkShape(RESULT_SHAPES[method], name, method, result);
  return result;
}
