import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createProject, waitForStderr } from "../../../packages/cli/test/project.ts";

const ADDRESS = /Inspector at (http:\S+#k=\S+)\s/;
const LISTENING = /Listening at \S+;/;

/** Calls a function with a project that has the module of docs/inspector.md. Processes that it started end with it. */
export async function withShop(job) {
  const docs = readFileSync(new URL("../../../docs/inspector.md", import.meta.url), "utf8");
  const [, module = ""] = /```ts\n\/\/ shop\.ts\n([\s\S]*?)```/.exec(docs) ?? [];
  const project = createProject();
  try {
    project.write("shop.ts", module);
    // The first start compiles.
    await project.proffer("list", "shop.ts");
    return await job(project, module);
  } finally {
    project.remove();
  }
}

/** Starts a command, and waits for the address of its page. */
export async function startPage(project, ...words) {
  const child = project.start(...words);
  const [, address] = ADDRESS.exec(await waitForStderr(child, ADDRESS));
  return { child, address };
}

/** The time that `--inspect` adds to the start of `dev`, and the time from commands to the addresses of their pages. */
export const measureStart = (_, rounds) =>
  withShop(async (project) => {
    const timed = async (pattern, ...words) => {
      const began = performance.now();
      const child = project.start(...words);
      await waitForStderr(child, pattern);
      const ms = performance.now() - began;
      child.kill("SIGKILL");
      await once(child, "exit");
      return ms;
    };
    const dev = ["dev", "shop.ts", "--http", "--port", "0"];
    const values = { added: [], dev: [], inspect: [] };
    for (let round = 0; round < rounds; round++) {
      const plain = await timed(LISTENING, ...dev);
      values.added.push((await timed(LISTENING, ...dev, "--inspect=0")) - plain);
      values.dev.push(await timed(ADDRESS, ...dev, "--inspect=0"));
      values.inspect.push(await timed(ADDRESS, "inspect", "shop.ts", "--port", "0"));
    }
    return [
      { name: "I2 what --inspect adds to the start of dev", unit: "ms", values: values.added, budget: 150 },
      { name: "from dev --inspect to its address", unit: "ms", values: values.dev },
      { name: "from inspect shop.ts to its address", unit: "ms", values: values.inspect },
    ];
  });
