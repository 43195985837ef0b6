import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { linkUrl } from "proffer/client";
import { connectOver } from "proffer/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createProject, type Project } from "./project.ts";

let project: Project;

beforeAll(() => {
  project = createProject();
});

afterAll(() => project.remove());

/** Writes a module whose server says when it starts and stops; `start` is the body of its onStart. */
function write(word: string, start = ""): void {
  project.write(
    "server.ts",
    'import { defineServer, defineTool, field } from "proffer";',
    "let open = false;",
    'const text = (word: string) => word + (open ? "" : " is closed");',
    "export default defineServer({",
    '  name: "shop",',
    '  version: "1.0.0",',
    "  log: () => {},",
    `  onStart: async () => { ${start} open = true; console.error("<start ${word}>"); },`,
    `  onStop: () => { open = false; console.error("<stop ${word}>"); },`,
    "  tools: [",
    `    defineTool({ name: "say", handle: () => text("${word}") }),`,
    '    defineTool({ name: "asked", async handle(_, ctx) {',
    '      await ctx.ask("Sure?", { sure: field.boolean() });',
    `      return text("${word}");`,
    "    } }),",
    "  ],",
    "});",
  );
}

/** A process that is being watched. */
function watch(child: ChildProcess) {
  let stderr = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const ended = once(child, "close").then(([code]) => code as number | null);
  return {
    child,
    ended,
    get stderr() {
      return stderr;
    },
    get said() {
      return [...stderr.matchAll(/<(st.*)>/g)].map(([, text = ""]) => text);
    },
    async url(): Promise<string> {
      await expect.poll(() => stderr).toMatch(/http:\S+\s/);
      return /http:[^\s;]+/.exec(stderr)?.[0] ?? "";
    },
  };
}

const textOf = (result: { content: readonly unknown[] }) => (result.content[0] as { text: string }).text;

describe.each(["proffer serve", "a built folder"])("%s", (kind) => {
  const start = async () => {
    if (kind === "proffer serve") return watch(project.start("serve", "server.ts", "--http", "0"));
    expect((await project.proffer("build", "server.ts", "--out", "dist", "--no-start")).status).toBe(0);
    return watch(project.startNode("dist/index.js", "--http", "0"));
  };

  it("runs onStop before it exits on SIGTERM", async () => {
    write("one");
    const served = await start();
    const client = await connectOver(linkUrl(await served.url()));
    await expect.poll(async () => textOf(await client.call("say").catch(() => ({ content: [{}] })))).toBe("one");
    await client.close();
    served.child.kill("SIGTERM");
    expect(await served.ended).toBe(0);
    expect(served.said).toEqual(["start one", "stop one"]);
  });
});

it("proffer serve ends with code 1 and the reason if onStart throws", async () => {
  write("one", 'throw new Error("no database");');
  const { status, stderr } = project.profferProcess({}, "serve", "server.ts", "--http", "0");
  expect(status).toBe(1);
  expect(stderr).toContain('The server stops: onStart of server "shop" failed: no database\n');
});

describe("proffer list and call", () => {
  it("start the server for a call only", async () => {
    write("one");
    const listed = await project.proffer("list", "server.ts");
    expect({ status: listed.status, stderr: listed.stderr }).toEqual({ status: 0, stderr: "" });
    const called = project.profferProcess({}, "call", "server.ts", "say");
    expect({ status: called.status, stdout: called.stdout }).toEqual({ status: 0, stdout: "one\n" });
    expect(called.stderr).toBe("<start one>\n<stop one>\n");
  });
});

describe("proffer dev", () => {
  it("starts each version before it serves it, and stops it when its calls have ended", async () => {
    write("one");
    const dev = watch(project.start("dev", "server.ts", "--http", "0"));
    let answer: ((values: { sure: boolean }) => void) | undefined;
    const answers = () =>
      new Promise<{ sure: boolean }>((resolve) => {
        answer = resolve;
      });
    const client = await connectOver(linkUrl(await dev.url()), { answers });
    expect(textOf(await client.call("say"))).toBe("one");
    // On 2026-07-28 the answer comes with another request, so no request is open while the version is replaced.
    const asked = client.call("asked");
    await expect.poll(() => answer).toBeDefined();

    write("two");
    await expect.poll(async () => textOf(await client.call("say"))).toBe("two");
    expect(dev.said).toEqual(["start one", "start two"]);

    write("three", 'throw new Error("no database");');
    await expect.poll(() => dev.stderr).toContain("The last good version stays active.");
    expect(dev.stderr).toContain('onStart of server "shop" failed: no database');
    expect(textOf(await client.call("say"))).toBe("two");

    answer?.({ sure: true });
    expect(textOf(await asked)).toBe("one");
    await expect.poll(() => dev.said).toEqual(["start one", "start two", "stop one"]);

    write("four");
    await expect.poll(async () => textOf(await client.call("say"))).toBe("four");
    await expect.poll(() => dev.said.slice(3)).toEqual(["start four", "stop two"]);
    await client.close();
    dev.child.kill("SIGTERM");
    expect(await dev.ended).toBe(0);
    expect(dev.said.slice(5)).toEqual(["stop four"]);
  });

  it("ends with the reason if onStart of the first version throws", async () => {
    write("one", 'throw new Error("no database");');
    const { status, stderr } = project.profferProcess({}, "dev", "server.ts", "--http", "0");
    expect(status).toBe(1);
    expect(stderr).toContain('onStart of server "shop" failed: no database');
  });
});
