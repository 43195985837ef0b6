import { expect, it, onTestFinished } from "vitest";
import { createDeriver } from "../src/derive/index.ts";
import { compareLocks } from "../src/lock/compare-locks.ts";
import { takeLock } from "../src/lock/lock-file.ts";
import { describedServer } from "../src/modules/load.ts";
import { createProject } from "./project.ts";

it("proffer lock compares 500 tools with recursive and large types", async () => {
  const project = createProject();
  onTestFinished(() => project.remove());
  const module = project.path("many.ts");
  const lockOf = async (...lines: string[]) => {
    project.write("many.ts", ...lines);
    const derivation = createDeriver(module, { check: false }).derive();
    return takeLock(await describedServer(module, derivation), derivation, module, project.path("a.lock.json"));
  };
  const types = [
    "interface Node { name: string; children: Node[]; next?: Node | null }",
    `interface Wide { ${Array.from({ length: 200 }, (_, n) => `p${n}?: ${n % 2 ? "Node" : "string"}`).join("; ")} }`,
  ];
  const tools = Array.from(
    { length: 500 },
    (_, n) => `/** Tool ${n}. */ export const t${n} = (a: ${n % 50 ? "Node" : "Wide"}) => a;`,
  );
  const before = await lockOf(...types, ...tools);
  expect(Object.keys(before.tools)).toHaveLength(500);
  const stricter = types.map((type) => type.replace("name: string", "name: string; tag: string"));
  const changes = compareLocks(before, await lockOf(...stricter, ...tools));
  expect(changes.filter(({ message }) => message === "Parameter a.tag is new and required.")).toHaveLength(490);
});
