import { spawnSync } from "node:child_process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Bundle, bundleFixture } from "./fixture-process.ts";

let bundle: Bundle;

beforeAll(async () => {
  bundle = await bundleFixture("returns.ts");
});

afterAll(() => bundle.remove());

const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}\n';
const hint = "for a client that starts this process";

// `script` runs a command in a terminal; these are its options on Linux.
const hasTerminal = process.platform === "linux" && !spawnSync("script", ["--version"]).error;

describe("a server over stdio", () => {
  it.skipIf(!hasTerminal)("prints a hint if it is started in a terminal", () => {
    const { stdout } = spawnSync("script", ["-qec", `'${process.execPath}' '${bundle.path}'`, "/dev/null"], {
      input: `${ping}\u0004`,
      encoding: "utf8",
      timeout: 600_000,
    });
    expect(stdout).toContain(hint);
    expect(stdout).toContain('"result":{}');
  });

  it("prints no hint if it is started by a client", () => {
    const { stdout, stderr } = spawnSync(process.execPath, [bundle.path], { input: ping, encoding: "utf8" });
    expect(stderr).not.toContain(hint);
    expect(stdout).toContain('"result":{}');
  });
});
