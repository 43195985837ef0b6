import { beforeAll, describe, expect, it } from "vitest";
import { printers } from "./fixtures/printers.ts";
import { type Program, useStdioServers } from "./stdio-process.ts";

const { startServer } = useStdioServers();

describe("stdout carries only messages", () => {
  let program: Program;
  let calls = 0;
  // One process for all tests: no way of printing may affect the ones that follow.
  beforeAll(async () => {
    program = await startServer();
  });

  it("when a dependency prints while it is loaded", async () => {
    expect(await program.call(++calls, "echo", { text: "hello" })).toBe("hello");
    expect(program.stderr).toMatch(/^(\[banner\] .*\n){4}/);
  });

  it.each(Object.keys(printers))("when a tool prints a thousand lines with %s", async (how) => {
    const times = how === "large_pipe" ? 5 : 1000;
    const before = program.stderr.length;
    const printed = () => program.stderr.slice(before);
    expect(await program.call(++calls, "print", { how, times })).toBe("printed");
    expect(await program.call(++calls, "echo", { text: how })).toBe(how);
    expect(program.lines).toHaveLength(calls);
    for (const line of program.lines) expect(JSON.parse(line)).toMatchObject({ jsonrpc: "2.0" });
    await expect.poll(printed).toContain(`stray ${how} ${times - 1}`);
    const numbers = new Set([...printed().matchAll(/stray \w+ (\d+)/g)].map(([, number]) => number));
    expect(numbers.size).toBe(times);
    expect(printed()).not.toContain("secret");
  });
});
