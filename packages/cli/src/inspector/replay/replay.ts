import { type Asked, RemoteError, type ScriptedAnswer } from "proffer/testing";
import type { RemoteServer } from "../../client/remote-server.ts";
import type { JsonDifference } from "../edit/json-difference.ts";
import type { Draft } from "../protocol/api.ts";
import type { Answer } from "../protocol/call.ts";
import type { JsonObject } from "../protocol/json.ts";
import { compareOutcomes, type Outcome } from "./compare-results.ts";
import type { RecordedCall } from "./recorded-calls.ts";

/** What became of a recorded call when it was made again. */
export interface Replayed {
  readonly n: number;
  readonly method: string;
  /** The name of the tool or prompt, or the URI. */
  readonly about: string;
  readonly verdict: "same" | "different" | "skipped";
  /** Why it was skipped. */
  readonly reason?: string;
  readonly differences?: readonly JsonDifference[];
}

/** Gives the answers of a call in their order. A question more than in the recording is canceled. */
export class Answers {
  #left: Answer[] = [];

  begin(answers: readonly Answer[] = []): void {
    this.#left = [...answers];
  }

  readonly next = (_asked: Asked): ScriptedAnswer => {
    const answer = this.#left.shift();
    if (answer === undefined) return "cancel";
    if ("result" in answer) return answer.result;
    return answer.action === "accept" ? { action: "accept", content: answer.content ?? {} } : answer.action;
  };
}

/** Makes the calls of a recording again, one after the other. */
export async function* replay(
  calls: readonly RecordedCall[],
  server: RemoteServer,
  answers: Answers,
  { effects, revision }: { readonly effects: boolean; readonly revision: string | undefined },
): AsyncIterable<Replayed> {
  const readOnly = effects ? undefined : await readOnlyTools(server, calls);
  for (const { n, draft, outcome } of calls) {
    const about = aboutOf(draft);
    const call = { n, method: draft.method, about };
    if (outcome === undefined) {
      yield { ...call, verdict: "skipped", reason: "the recording has no result" };
    } else if (draft.method === "tools/call" && readOnly?.has(about) === false) {
      yield { ...call, verdict: "skipped", reason: "it is not marked as read-only; --effects runs it" };
    } else {
      answers.begin(draft.answers);
      const again = await perform(server, draft);
      const differences = compareOutcomes(outcome, again, revision === undefined || revision === draft.revision);
      yield { ...call, verdict: differences.length === 0 ? "same" : "different", differences };
    }
  }
}

/** Makes a call again. */
export async function perform(server: RemoteServer, draft: Draft): Promise<Outcome> {
  const values = (draft.params.arguments ?? {}) as JsonObject;
  const about = aboutOf(draft);
  try {
    const result = await {
      "tools/call": () => server.call(about, values),
      "resources/read": () => server.read(about),
      "prompts/get": () => server.get(about, values),
    }[draft.method]();
    return { result: result as unknown as JsonObject };
  } catch (error) {
    if (error instanceof RemoteError) return { error: { code: error.code, message: error.message } };
    throw error;
  }
}

function aboutOf({ method, params }: Draft): string {
  return String(method === "resources/read" ? params.uri : params.name);
}

async function readOnlyTools(server: RemoteServer, calls: readonly RecordedCall[]): Promise<ReadonlySet<string>> {
  if (!calls.some(({ draft }) => draft.method === "tools/call")) return new Set();
  const tools = await server.listTools();
  return new Set(tools.filter(({ annotations }) => annotations?.readOnlyHint === true).map(({ name }) => name));
}
