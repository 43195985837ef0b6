import { createRequire } from "node:module";
import { Octokit } from "@octokit/core";
import { RequestError } from "@octokit/request-error";
import type { IssuesOpenedEvent, PushEvent, Schema } from "@octokit/webhooks-types";
import { fails, gives } from "../expect.ts";

const load = createRequire(import.meta.url);
const client = (body: unknown, status = 200): Octokit =>
  new Octokit({ auth: "SECRET", request: { fetch: async () => Response.json(body, { status }) } });

/** Requests a payload that the package of examples has recorded. */
async function recorded<T>(name: string, action?: string): Promise<T> {
  const all: { name: string; examples: { action?: string }[] }[] = load("@octokit/webhooks-examples");
  const examples = all.find((each) => each.name === name)?.examples ?? [];
  const { data } = await client(examples.find((each) => each.action === action)).request("GET /x");
  return data;
}

/** Shows a push. The record is older than the type, which requires a newer property. */
export async function push(): Promise<PushEvent> {
  return recorded("push");
}
fails(push, [], "is_template", "Hello-World");

/** Shows a new issue. */
export async function issue(): Promise<IssuesOpenedEvent> {
  return recorded("issues", "opened");
}
gives(issue, []);

/** Shows the events of a repository. */
export async function stars(): Promise<Pick<Extract<Schema, { starred_at: string | null }>, "action" | "starred_at">> {
  const { action, starred_at } = await recorded<Extract<Schema, { starred_at: string | null }>>("star", "created");
  return { action, starred_at };
}
gives(stars, []);

/** Explains why a request failed. */
export async function explain(
  path: string,
): Promise<{ error: RequestError | null; all: PromiseSettledResult<unknown>[] }> {
  const request = () => client({ message: "no", token: "SECRET" }, 404).request(`GET /${path}`);
  const error = await request().catch((found: unknown) => found);
  return { error: error instanceof RequestError ? error : null, all: await Promise.allSettled([request()]) };
}
gives(explain, ["x"], {
  error: { name: "HttpError", message: "no" },
  all: [{ status: "rejected", reason: { name: "HttpError", message: "no" } }],
});
