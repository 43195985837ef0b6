import type { CallResult, ToolDescription } from "proffer";
import { isObject, type Members, parseJson } from "../terminal/json.ts";
import { NOTHING, resultLosses, toolChanges } from "./changes.ts";
import { objectsOf, type ShownTool } from "./model/dialect.ts";
import type { MadeCall } from "./model/scripted-model.ts";
import { checkCached } from "./program-cache.ts";
import { type Program, pinOf } from "./programs.ts";
import { type Observed, type RunOptions, runClient } from "./run.ts";
import { findShown, listedTools, resultIn } from "./shown.ts";

/** A tool of the server, as it reached the model. */
export interface ToolReport {
  readonly tool: string;
  readonly listed: ToolDescription;
  /** Absent if the model was not shown it. */
  readonly shown?: ShownTool;
  /** The differences from the server's list. */
  readonly changes: readonly string[];
}

export interface CallReport {
  readonly tool: string;
  readonly arguments: object;
  /** Its name for the model. */
  readonly shown: string;
  /** The result before asked for it, as `task_status`. */
  readonly follows?: true;
  readonly reachedServer: boolean;
  /** The result or the error of the server. */
  readonly result?: unknown;
  /** The result as it reached the model. */
  readonly seen?: readonly unknown[];
  /** The parts of the result that the model did not get. */
  readonly losses: readonly string[];
  /** Milliseconds between the turn of the model and its next one. */
  readonly ms?: number;
}

export interface QuestionReport {
  readonly asked: unknown;
  readonly answer?: unknown;
}

/** Everything that one run has shown about a client. Times are in milliseconds. */
export interface Report {
  readonly client: string;
  readonly title: string;
  readonly version: string;
  /** Why the client could reach more than loopback; absent if it could not. */
  readonly network?: string;
  readonly revision?: string;
  /** The name, the version and the capabilities that the client has declared. */
  readonly declared?: { readonly name: string; readonly version?: string; readonly capabilities?: object };
  readonly transport?: string;
  readonly tools: readonly ToolReport[];
  /** The tools of the client itself. */
  readonly ownTools: readonly string[];
  readonly instructions?: { readonly text: string; readonly reached: "whole" | "cut" | "missing" };
  readonly calls: readonly CallReport[];
  readonly questions: readonly QuestionReport[];
  readonly times: { readonly connected?: number; readonly asked?: number; readonly total: number };
  /** Why the run failed. */
  readonly problems: readonly string[];
  /** The end of what the client and the server have printed, if the run failed. */
  readonly output?: string;
}

/** Runs one client that was downloaded before. */
export async function tryClient(program: Program, options: RunOptions): Promise<Report> {
  const folder = checkCached(pinOf(program), program.executable);
  return reportRun(program, options.name, await runClient(program, `${folder}/${program.executable}`, options));
}

/** Reports a run in the terms of a person who wrote the server. */
export function reportRun(program: Program, name: string, run: Observed): Report {
  const { record, model, obstacle, started, total } = run;
  const messages = [...record.messages()];
  const listing = messages.find(({ method }) => method === "tools/list")?.conn ?? messages[0]?.conn;
  const lane = [...record.lanes()].find(({ conn }) => conn === listing);
  const shown = [...model.tools.values()];
  const tools = [...listedTools(record).values()].map((tool) =>
    reportTool(tool, findShown(record, name, tool.name, shown)),
  );
  const taken = new Set(tools.map((tool) => tool.shown));
  const calls = model.made.map((call) => reportCall(call, run));
  const problems = problemsOf(program, run, calls);
  const text = instructionsOf(messages.map((message) => parseJson(message.text)));
  const since = (at: number | undefined) => (at === undefined ? undefined : Math.round(at - started));
  const times = { connected: since(messages[0]?.at), asked: since(model.asked), total: Math.round(total) };
  const output = [run.ended.output, run.serverOutput].map((each) => each.trim()).filter((each) => each !== "");
  return {
    client: program.id,
    title: program.title,
    version: program.version,
    ...(obstacle !== undefined && { network: obstacle }),
    ...(lane && {
      ...(lane.revision !== undefined && { revision: lane.revision }),
      declared: {
        name: lane.name,
        ...(lane.version !== undefined && { version: lane.version }),
        ...(lane.capabilities && { capabilities: lane.capabilities }),
      },
      transport: lane.transport,
    }),
    tools,
    ownTools: shown.filter((tool) => !taken.has(tool)).map((tool) => fullName(tool)),
    ...(text !== undefined && { instructions: { text, reached: reachOf(text, model.texts) } }),
    calls,
    questions: questionsIn(messages),
    times: times as Report["times"],
    problems,
    ...(problems.length > 0 && output.length > 0 && { output: output.join("\n") }),
  };
}

export function fullName({ namespace, name }: ShownTool): string {
  return namespace === undefined ? name : `${namespace} ${name}`;
}

function reportTool(tool: ToolDescription, shown: ShownTool | undefined): ToolReport {
  const changes = shown === undefined ? ["is not shown to the model"] : toolChanges(tool, shown);
  return { tool: tool.name, listed: tool, ...(shown && { shown }), changes };
}

/** Finds the messages of a call between the turn that made it and the next one. */
function reportCall({ tool, shown, follows, seen, at, ...call }: MadeCall, { record }: Observed): CallReport {
  const within = [...record.messages()].filter(
    (message) => message.at >= at && message.at <= (seen?.at ?? Number.POSITIVE_INFINITY),
  );
  const own = within.filter(({ method, about }) => method === "tools/call" && about === tool);
  const reply = own.findLast(({ kind, dir }) => dir === "in" && (kind === "result" || kind === "error"));
  const result = reply && resultIn(reply.text);
  return {
    tool,
    arguments: call.arguments,
    shown: fullName(shown),
    ...(follows && { follows }),
    reachedServer: own.some(({ kind, dir }) => dir === "out" && kind === "request"),
    ...(result !== undefined && { result }),
    ...(seen && { seen: seen.entries, ms: Math.round(seen.at - at) }),
    losses: seen && result ? resultLosses(result as CallResult, seen.entries) : [],
  };
}

function problemsOf({ title }: Program, { ended, model, record }: Observed, calls: readonly CallReport[]): string[] {
  const problems: string[] = [];
  if (ended.code === undefined) problems.push(`${title} did not end in time, and was ended.`);
  else if (ended.code !== 0) problems.push(`${title} ended with exit code ${ended.code}.`);
  if ([...record.lanes()].length === 0) problems.push(`${title} did not connect to the server.`);
  else if ([...record.messages()].every(({ dir }) => dir === "out")) problems.push("The server did not answer.");
  if (model.asked === undefined) problems.push(`${title} did not ask its model.`);
  for (const tool of model.unknown) {
    const isListed = listedTools(record).has(tool);
    problems.push(isListed ? `The model was not shown the tool ${tool}.` : `The server has listed no tool ${tool}.`);
  }
  const { left } = model;
  if (left.length > 0 && model.unknown.length === 0)
    problems.push(`The model could not make the call of ${left.map(({ tool }) => tool).join(", ")}.`);
  for (const { tool, reachedServer, result, seen, losses } of calls) {
    if (!reachedServer) problems.push(`The call of ${tool} did not reach the server.`);
    else if (result === undefined) problems.push(`The server did not answer the call of ${tool}.`);
    else if (seen === undefined || losses.includes(NOTHING))
      problems.push(`The result of ${tool} did not reach the model.`);
  }
  return problems;
}

function instructionsOf(messages: readonly unknown[]): string | undefined {
  const results = objectsOf(messages).flatMap(({ result }) => objectsOf([result]));
  const found = results.find(({ instructions }) => typeof instructions === "string" && instructions !== "");
  return found?.instructions as string | undefined;
}

function reachOf(text: string, texts: ReadonlySet<string>): "whole" | "cut" | "missing" {
  const has = (part: string) => [...texts].some((each) => each.includes(part));
  if (has(text)) return "whole";
  return has(text.slice(0, 100)) ? "cut" : "missing";
}

type Seen = Pick<MessageOf, "dir" | "kind" | "method" | "text" | "n" | "re">;
type MessageOf = ReturnType<Observed["record"]["messages"]> extends Iterable<infer Each> ? Each : never;

/** The questions of the server, and what the client has answered: as requests, or as rounds of a call. */
function questionsIn(messages: readonly Seen[]): QuestionReport[] {
  const questions: { asked: unknown; answer?: unknown; key?: string; n: number }[] = [];
  for (const { dir, kind, method, text, n, re } of messages) {
    const message = parseJson(text);
    if (!isObject(message)) continue;
    if (dir === "in" && kind === "request") questions.push({ asked: { method, params: message.params }, n });
    else if (dir === "out" && kind !== "request") {
      const own = questions.find((question) => question.n === re);
      if (own !== undefined && kind !== "notification") own.answer = message.result ?? message.error;
    } else if (dir === "in") {
      const { inputRequests } = isObject(message.result) ? message.result : ({} as Members);
      for (const [key, asked] of Object.entries(isObject(inputRequests) ? inputRequests : {}))
        questions.push({ asked, key, n });
    } else {
      const { inputResponses } = isObject(message.params) ? message.params : ({} as Members);
      for (const [key, answer] of Object.entries(isObject(inputResponses) ? inputResponses : {})) {
        const own = questions.findLast((question) => question.key === key);
        if (own !== undefined) own.answer = answer;
      }
    }
  }
  return questions.map(({ asked, answer }) => ({ asked, ...(answer !== undefined && { answer }) }));
}
