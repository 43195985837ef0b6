import { connect, type TestClient } from "proffer/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { load } from "../src/modules/load.ts";
import { createProject, type Project } from "./project.ts";

const MODULE = [
  'import { defineCodec } from "proffer";',
  "class Address {",
  "  city!: string;",
  '  label() { return "in " + this.city; }',
  "}",
  "class Person {",
  '  kind!: "person";',
  "  name!: string;",
  "  at?: Date;",
  "  address?: Address;",
  "  friends: Person[] = [];",
  "  note = 'none';",
  "  private secret = 'kept';",
  "  #own = 'own';",
  "  onChange = () => 0;",
  "  get short() { return this.name.slice(0, 1); }",
  "  set short(text: string) { throw new Error(text); }",
  "  greet() { return [this.secret, this.#own, this.short, this.note, this.address?.label(), this.at?.getTime()].join(); }",
  "}",
  'class Robot { kind!: "robot"; serial!: number; }',
  "class Bag { [name: string]: unknown; size(): number { return Object.keys(this).length; } }",
  "class Guarded { text!: string; constructor() { Object.freeze(this); } }",
  "export const person = defineCodec(Person), address = defineCodec(Address), robot = defineCodec(Robot);",
  "export const bag = defineCodec(Bag), guarded = defineCodec(Guarded);",
  "/** Greets. */ export const greet = (person: Person) =>",
  "  [person, ...person.friends].map((each) => each instanceof Person && each.greet());",
  "/** Names the kind. */ export const kindOf = (one: Person | Robot) => one.constructor.name;",
  "/** Fills. */ export const fill = (bag: Bag): string[] => [bag.constructor.name, String(bag.size()), ...Object.keys(bag)];",
  "/** Guards. */ export const guard = (given: Guarded): string => given.text;",
  "/** Moves. */ export const move = (address: Address): { at: string } => ({ at: address.label() });",
  "class Stay { nights = 1; }",
  "export const stay = defineCodec(Stay);",
  "/** Books. */ export const book = (stay: Stay): Stay => Object.assign(stay, { extra: stay instanceof Stay });",
];

let project: Project;
let client: TestClient;

beforeAll(async () => {
  project = createProject();
  project.write("tools.ts", ...MODULE);
  client = await connect(await load(project.path("tools.ts")));
});

afterAll(async () => {
  await client.close();
  project.remove();
});

const answerTo = async (tool: string, args: object) => {
  const { structuredContent, content, isError } = await client.call(tool, args as Record<string, unknown>);
  return isError ? content[0] : (structuredContent ?? (content[0] as { text?: string }).text);
};

const ANN = { kind: "person", name: "Ann", friends: [] };

describe("defineCodec(Class)", () => {
  it("makes instances at every depth, with the members that were sent and those that were not", async () => {
    const bob = { ...ANN, name: "Bob", note: "sent" };
    const ann = { ...ANN, at: "1970-01-01T00:00:01Z", address: { city: "Bern" }, note: "x", friends: [bob] };
    expect(await answerTo("greet", { person: ann })).toEqual(["kept,own,A,x,in Bern,1000", "kept,own,B,sent,,"]);
    expect(await answerTo("move", { address: { city: "Bern" } })).toEqual({ at: "in Bern" });
  });

  it.each([
    ["private members", { secret: "stolen" }],
    ["methods", { greet: 1 }],
    ["functions", { onChange: 1 }],
    ["accessors", { short: "x" }],
    ["undeclared members", { admin: true }],
    ["invalid members", { name: 5 }],
  ])("refuses %s", async (_, more) => {
    expect(await answerTo("greet", { person: { ...ANN, note: "x", ...more } })).toMatchObject({ type: "text" });
  });

  it("chooses the class of a union by its discriminator", async () => {
    expect(await answerTo("kindOf", { one: { ...ANN, note: "x" } })).toBe("Person");
    expect(await answerTo("kindOf", { one: { kind: "robot", serial: 1 } })).toBe("Robot");
  });

  it("replaces no method and no prototype, although clients choose the names", async () => {
    const members = JSON.parse('{ "a": 1, "size": 5, "constructor": 1, "toString": 1, "__proto__": { "b": 1 } }');
    expect(await answerTo("fill", { bag: members })).toEqual(["Bag", "1", "a"]);
  });

  it("refuses arguments that a class does not take", async () => {
    expect(await answerTo("guard", { given: { text: "x" } })).toMatchObject({
      text: expect.stringContaining("/given: must be a valid Guarded"),
    });
  });

  it("leaves results as they are, and says nothing", async () => {
    expect(await answerTo("book", { stay: { nights: 2 } })).toEqual({ nights: 2, extra: true });
    expect((await project.proffer("check", "tools.ts")).stderr).not.toMatch(/PF3006|PF1|PF2/);
  });
});
