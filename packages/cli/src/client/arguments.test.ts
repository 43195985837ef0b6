import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { nameOfTarget, toTarget } from "./arguments.ts";
import { withServer } from "./connect-target.ts";

describe("a target", () => {
  it.each(["javascript://x", "file:///etc/passwd", "ftp://x/y", "http://me:pw@x/", "https://"])("rejects %s", (url) => {
    expect(() => toTarget([url], undefined)).toThrow(expect.objectContaining({ name: "WrongUsage" }));
  });

  it.each(["a&touch pwned", "$(touch pwned)", "--upload-pack=touch pwned"])(
    "starts the command %s without a shell",
    async (command) => {
      const target = { kind: "command", command: [command, "$(touch pwned)", "`touch pwned`"] } as const;
      await expect(withServer(target, {}, async () => {})).rejects.toThrow(`${command} could not be started`);
      expect(existsSync("pwned")).toBe(false);
    },
  );
});

it("the name of a target contains no arguments and no query", () => {
  expect(nameOfTarget({ kind: "url", url: "https://h:1/mcp?key=x#y" })).toBe("https://h:1/mcp");
  expect(nameOfTarget({ kind: "command", command: ["npx", "--token", "x"] })).toBe("npx");
});
