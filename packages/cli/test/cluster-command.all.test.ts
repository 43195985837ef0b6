import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { describeWithEngine, sharedEngine } from "../../proffer/test/ports/engine.ts";

const script = fileURLToPath(new URL("../../../scripts/cluster.mjs", import.meta.url));

describeWithEngine("npm run cluster", await sharedEngine(), () => {
  it("serves calls, a session and tasks on four nodes, replaces a killed one, and ends with all of them", async () => {
    const command = spawn(process.execPath, [script], { stdio: ["ignore", "ignore", "pipe"] });
    let output = "";
    command.stderr.on("data", (chunk) => {
      output += chunk;
    });
    const pids = (name: string) =>
      Array.from(output.matchAll(RegExp(`${name} is ready: pid (\\d+)`, "g")), ([, pid]) => Number(pid));
    await expect
      .poll(() => output)
      .toMatch(/calls: (?=.*node 1)(?=.*node 2)(?=.*node 3)(?=.*node 4).*visit \d+ at node/);
    await expect.poll(() => output).toMatch(/task \d+ completed: kitchen node \d/);
    process.kill(pids("node 2")[0] as number, "SIGKILL");
    await expect.poll(() => pids("node 2")).toHaveLength(2);
    expect(output).toContain("node 2 has ended (SIGKILL)");
    expect(output).not.toContain("no answer");
    command.kill("SIGINT");
    expect(await once(command, "exit")).toEqual([0, null]);
    for (const pid of pids("node \\d")) expect(() => process.kill(pid, 0)).toThrow("ESRCH");
  });
});
