import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const packages = fileURLToPath(new URL("../..", import.meta.url));
const page = readFileSync(join(packages, "../docs/troubleshooting.md"), "utf8");

/** What TypeScript says, and names that are no messages. */
const OTHERS = /^(?:Cannot find|@|console\.log|Retry-After|\/readyz|unavailable store)/;

it("docs/troubleshooting.md names messages that the code has", () => {
  const shown = page
    .split("\n")
    .filter((line) => line.startsWith("| ") && !line.startsWith("| what you see"))
    .flatMap((line) => [...(line.split(" | ")[0] ?? "").matchAll(/`([^`]+)`/g)].map(([, message = ""]) => message))
    .filter((message) => !OTHERS.test(message));
  expect(shown.length).toBeGreaterThan(15);
  const code = sources();
  // The name of the header is a variable there.
  const parts = shown.flatMap((message) =>
    message
      .replace(/^(?:Host|Origin) /, "")
      .split("…")
      .map((part) => part.trim()),
  );
  expect(parts.filter((part) => !code.includes(part))).toEqual([]);
});

/** All sources, with texts that continue on the next line joined. */
function sources(): string {
  const files = ["proffer", "cli"].flatMap((name) =>
    readdirSync(join(packages, name, "src"), { recursive: true }).map((file) =>
      join(packages, name, "src", String(file)),
    ),
  );
  const texts = files.filter((file) => /(?<!\.test)\.ts$/.test(file)).map((file) => readFileSync(file, "utf8"));
  return texts.join("\n").replaceAll(/["`] \+\s+["`]/g, "");
}
