import type { Server, ServerOptions } from "proffer";
import { defineServer } from "proffer";
import { type Client, type ConnectOptions, connect, remote, type Target } from "proffer/client";
import { serveHttp } from "proffer/http";
import { expect } from "vitest";

/** A server with one other inside: both on a revision of their own. */
export interface Crossing {
  readonly upstream: Target;
  /** The revision of the mounted server. */
  readonly behind: string;
  /** The revision of the client. */
  readonly front: string;
  /** Reaches the server around it. */
  readonly over: "memory" | "http";
}

/** Serves a server around another one, and connects to it. */
export async function cross(
  { upstream, behind, front, over }: Crossing,
  options: ConnectOptions = {},
  more: Partial<ServerOptions> = {},
) {
  const server: Server = defineServer({
    ...more,
    name: "front",
    version: "1",
    log: () => {},
    servers: { up: remote(upstream, { revision: behind }) },
  });
  const served = over === "http" ? await serveHttp(server, { port: 0 }) : undefined;
  const client = await connect(served?.url ?? server, { ...options, revision: front });
  const close = async () => {
    await client.close();
    await served?.close();
  };
  return { client, server, url: served?.url, close };
}

const WORDS: { readonly [question: string]: string } = {
  "First?": "one",
  "Second?": "two",
  "Left?": "l",
  "Right?": "r",
};

/** Answers the questions of the fixture. */
export const answers: NonNullable<ConnectOptions["answers"]> = ({ method, params }) => {
  expect(method).toBe("elicitation/create");
  return { word: WORDS[String(params.message)] ?? "" };
};

export const textOf = ({ content }: { readonly content: readonly object[] }): string =>
  String((content[0] as { text?: string }).text);

/** Whether a revision has questions with forms. */
const asksForms = (revision: string): boolean => revision >= "2025-06-18";

/** Takes everything across that both revisions have. */
export async function journey(client: Client, crossing: Crossing): Promise<void> {
  const { front, behind } = crossing;
  const isModern = front >= "2026-07-28";
  expect(client.revision).toBe(front);
  expect((await client.call("up_echo", { text: "ü" })).isError).toBeFalsy();

  const twice = await client.call("up_ask_twice").catch((error) => error);
  const together = await client.call("up_ask_together").catch((error) => error);
  if (asksForms(front) && asksForms(behind)) {
    expect(textOf(twice)).toBe("one two");
    expect(textOf(together)).toBe("l r");
  } else {
    // A clear failure, that names what is missing.
    expect(JSON.stringify(twice.content ?? twice.message)).toContain("elicitation");
  }

  const steps: unknown[] = [];
  await client.call("up_count", {}, { onProgress: ({ progress }) => steps.push(progress) });
  expect(steps).toEqual([1, 2, 3]);

  const changes = await client.listen({ lists: ["tools"], uris: ["up://clock"] });
  const heard: string[] = [];
  const loop = (async () => {
    for await (const { method, params } of changes) heard.push(String(params.uri ?? method));
  })();
  await client.call("up_touch");
  await expect.poll(() => heard).toContain("up://clock");
  const grown = textOf(await client.call("up_grow"));
  await expect.poll(async () => (await client.listTools()).map(({ name }) => name)).toContain(`up_${grown}`);
  await expect.poll(() => heard).toContain("notifications/tools/list_changed");
  await changes.close();
  await loop;

  expect((await client.read("up://words/owl")).contents).toMatchObject([{ text: "the owl" }]);
  if (client.capabilities.completions !== undefined || isModern) {
    const ref = { type: "ref/resource", uri: "up://words/{word}" };
    expect(await client.complete(ref, "word", "e").catch(() => [])).toEqual(
      behind >= "2025-03-26" ? ["emu", "eagle"] : [],
    );
  }
}
