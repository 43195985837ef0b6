import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { build } from "esbuild";
import { root } from "../scripts/npm.mjs";
import { Failure } from "../scripts/terminal.mjs";

const TOOLS = `/** A day later. */
export const later = (from: Date): Date => new Date(from.getTime() + 86_400_000);
`;

/** Defines a server and serves it as the first argument says. */
const SERVER = `import { defineServer, defineTool } from "proffer";

const input = { type: "object", properties: { from: { type: "string" } }, required: ["from"] };
const handle = ({ from }) => new Date(Date.parse(from) + 86_400_000).toISOString();
const server = defineServer({ name: "check", version: "1.0.0", tools: [defineTool({ name: "later", input, handle })] });

switch (process.argv[2]) {
  case "core": {
    const { connect } = await import("proffer/testing");
    for (const revision of ["2025-06-18", "2026-07-28"]) {
      const client = await connect(server, { revision });
      const { content } = await client.call("later", { from: "2024-02-28T00:00:00Z" });
      console.log(content[0].text);
      await client.close();
    }
    break;
  }
  case "stdio": {
    const { serveStdio } = await import("proffer/stdio");
    await serveStdio(server);
    break;
  }
  case "http": {
    const { serveHttp } = await import("proffer/http");
    console.error((await serveHttp(server, { port: 0 })).url);
    break;
  }
  case "fetch": {
    const { createFetchHandler } = await import("proffer/fetch");
    const fetch = createFetchHandler(server);
    const options = { hostname: "127.0.0.1", port: 0 };
    const { port } = globalThis.Bun ? Bun.serve({ ...options, fetch }) : Deno.serve(options, fetch).addr;
    console.error(\`http://127.0.0.1:\${port}/mcp\`);
  }
}
`;

const WORKER = `import { createFetchHandler } from "proffer/fetch";
import server from "./dist/server.js";

export default { fetch: createFetchHandler(server, { sessions: false }) };
`;

function configuration(port) {
  return `using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [(name = "main", worker = (
    modules = [(name = "worker.mjs", esModule = embed "worker.mjs")],
    compatibilityDate = "2025-01-01",
  ))],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);
`;
}

/** Creates a project with the built packages. This Node writes the builds in it, when a check first needs them. */
export function createWorkplace() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "proffer-runtimes-")));
  // A folder without node_modules around it.
  const empty = realpathSync(mkdtempSync(join(tmpdir(), "proffer-empty-")));
  const path = (file) => join(folder, file);
  const write = (file, text) => {
    mkdirSync(dirname(path(file)), { recursive: true });
    writeFileSync(path(file), text);
  };
  write("node_modules/@proffer/.keep", "");
  symlinkSync(join(root, "packages/proffer"), path("node_modules/proffer"), "junction");
  symlinkSync(join(root, "packages/cli"), path("node_modules/@proffer/cli"), "junction");
  write("package.json", '{ "name": "check", "version": "1.0.0", "type": "module" }\n');
  write("tools.ts", TOOLS);
  write("server.mjs", SERVER);
  return {
    folder,
    clearCache: () => rmSync(path(".proffer"), { recursive: true, force: true }),
    /** Returns the file that starts the build. */
    build() {
      if (!existsSync(path("dist"))) proffer(folder, "build", "tools.ts", "--out", "dist");
      return path("dist/index.js");
    },
    /** Returns the bundle, alone in its folder. */
    bundle() {
      const file = join(empty, "index.mjs");
      if (!existsSync(file)) {
        proffer(folder, "build", "tools.ts", "--out", "one", "--bundle");
        cpSync(path("one/index.mjs"), file);
      }
      return file;
    },
    /** Bundles the build for workerd and returns the configuration that serves it. */
    async worker(port) {
      this.build();
      write("worker.js", WORKER);
      await bundleWorker(folder);
      write("config.capnp", configuration(port));
      return path("config.capnp");
    },
    remove() {
      for (const each of [folder, empty]) rmSync(each, { recursive: true, force: true });
    },
  };
}

function bundleWorker(folder) {
  return build({
    absWorkingDir: folder,
    entryPoints: ["worker.js"],
    outfile: "worker.mjs",
    bundle: true,
    format: "esm",
    platform: "neutral",
    logLevel: "error",
  });
}

/** The file of the `proffer` command. */
export const COMMAND = join(root, "packages/proffer/dist/bin.js");

function proffer(cwd, ...args) {
  const { status, stderr } = spawnSync(process.execPath, [COMMAND, ...args], { cwd, encoding: "utf8" });
  if (status !== 0) throw new Failure(`proffer ${args.join(" ")} failed:\n${stderr}`);
}
