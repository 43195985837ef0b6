import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createProject, type Project } from "./project.ts";

let project: Project;

beforeAll(() => {
  project = createProject();
  project.write(
    "tools.ts",
    `import { runInNewContext } from "node:vm";
    import { type Failure, fail } from "proffer";
    class Account {
      id = 1; at = new Date(0); passwordHash = "SECRET";
      toJSON(): { id: number; at: Date } { return { id: this.id, at: this.at }; }
    }
    class Moved {
      at = "SECRET";
      toJSON(): { at: number } { return { at: 7 }; }
    }
    class Wrapped<T> {
      constructor(readonly value: T, readonly secret = "SECRET") {}
      toJSON(): { value: T } { return { value: this.value }; }
    }
    type Alias = Account;
    interface User { id: number; at: Date }
    type Event = { kind: "a"; at: Date } | { kind: "b"; when: Date };
    class Created { kind = "a" as const; at = new Date(0); secret = "SECRET"; toJSON(): object { return { kind: "a", at: this.at }; } }
    interface Problem { message: string; code?: string }
    interface Loggable { toJSON(): object }
    class HttpError extends Error {
      headers = { authorization: "Bearer SECRET" };
      constructor() { super("bad", { cause: "SECRET" }); this.name = "HttpError"; }
      toJSON(): object { return { ...this, message: this.message, stack: this.stack }; }
    }
    class ApiError<T> extends Error { constructor(readonly data: T, readonly authorization = "SECRET") { super("bad"); } }
    class OrderError extends ApiError<{ id: number }> {}
    class Report { error = new HttpError(); toJSON(): { error: unknown } { return { error: this.error }; } }
    /** A class. */
    export function root(): Account { return new Account(); }
    /** A promise. */
    export async function later(): Promise<Account> { return new Account(); }
    /** An alias. */
    export function alias(): Alias { return new Account(); }
    /** Other names. */
    export function moved(): Moved { return new Moved(); }
    /** A generic class. */
    export function generic(): Wrapped<Date> { return new Wrapped(new Date(0)); }
    /** A union. */
    export function either(): Account | Moved { return new Moved(); }
    /** Elements. */
    export function list(): Account[] { return [new Account()]; }
    /** A generator. */
    export function* items(): Generator<Account, void> { yield new Account(); }
    /** A resource. @resource accounts://{id} */
    export function account(id: string): Account { void id; return new Account(); }
    /** Declared as an interface. */
    export function user(): User { return new Account(); }
    /** Interfaces within. */
    export function users(): { users: User[]; byName: Map<string, User> } { return { users: [new Account()], byName: new Map([["a", new Account()]]) }; }
    /** An intersection. */
    export function more(): User & { more?: string } { return new Account(); }
    /** A discriminated union. */
    export function event(): Event { return new Created(); }
    /** Declared as the message of an error. */
    export function problem(): Problem { return new HttpError(); }
    /** Messages within. */
    export function problems(): Record<string, Problem | Date> { return { a: new HttpError() }; }
    /** Declared as something with toJSON. */
    export function loggable(): { it: Loggable } { return { it: new HttpError() }; }
    /** Of another realm. */
    export function foreign(): { error: Error | { a: Date } } {
      return { error: runInNewContext("Object.assign(new Error('bad'), { headers: 'SECRET' })") };
    }
    /** A failure. */
    export function failed(): Failure { return fail("no", { structured: { error: runInNewContext("Object.assign(new Error('bad'), { headers: 'SECRET' })") } }); }
    /** Unknown. */
    export function asUnknown(): { error: unknown } { return { error: new HttpError() }; }
    /** Any. */
    export function asAny(): { error: any } { return { error: new HttpError() }; }
    /** Settled. */
    export function settled(): PromiseSettledResult<number>[] { return [{ status: "rejected", reason: new HttpError() }]; }
    /** An error. */
    export function own(): HttpError { return new HttpError(); }
    /** A member. */
    export function member(): { error: HttpError } { return { error: new HttpError() }; }
    /** A generic error. */
    export function api(): ApiError<string> { return new ApiError("SECRET"); }
    /** A subclass. */
    export function order(): { error: OrderError } { return { error: new OrderError({ id: 1 }) }; }
    /** A report. */
    export function report(): Report { return new Report(); }
    `,
  );
});

afterAll(() => project.remove());

async function output(...args: string[]): Promise<unknown> {
  const { stdout } = await project.proffer(...args);
  expect(stdout).not.toContain("SECRET");
  return JSON.parse(stdout);
}

describe("a class with toJSON", () => {
  const account = { id: 1, at: "1970-01-01T00:00:00.000Z" };
  it.each([
    ["root", account],
    ["later", account],
    ["alias", account],
    ["moved", { at: 7 }],
    ["generic", { value: account.at }],
    ["either", { at: 7 }],
    ["list", [account]],
    ["items", [account]],
    ["user", account],
    ["users", { users: [account], byName: { a: account } }],
    ["more", account],
    ["event", { kind: "a", at: account.at }],
  ])("leaves as it writes itself: %s", async (name, expected) => {
    expect(await output("call", "tools.ts", name)).toEqual(expected);
  });

  it("leaves as it writes itself as a resource", async () => {
    expect(await output("read", "tools.ts", "accounts://1")).toEqual(account);
  });
});

describe("an error", () => {
  const error = { name: "HttpError", message: "bad" };
  it.each([
    ["asUnknown", { error }],
    ["asAny", { error }],
    ["settled", [{ status: "rejected", reason: error }]],
    ["own", error],
    ["member", { error }],
    ["api", { name: "Error", message: "bad" }],
    ["order", { error: { name: "Error", message: "bad" } }],
    ["report", { error }],
    ["problem", error],
    ["problems", { a: error }],
    ["loggable", { it: error }],
    ["foreign", { error: { name: "Error", message: "bad" } }],
  ])("leaves with its name and message only: %s", async (name, expected) => {
    expect(await output("call", "tools.ts", name)).toEqual(expected);
  });

  it("leaves with its name and message only in a failure", async () => {
    const { stdout, stderr } = await project.proffer("call", "tools.ts", "failed", "--json");
    expect(stdout + stderr).toMatch(/"message": ?"bad"/);
    expect(stdout + stderr).not.toContain("SECRET");
  });
});

describe("a value that cannot be written", () => {
  beforeAll(() => {
    project.write(
      "bad.ts",
      `class Loud { toJSON(): { id: number } { throw new Error("boom"); } }
      class Self { id = 1; toJSON(): Self { return this; } }
      class Later { toJSON(): Promise<{ id: number }> { return Promise.resolve({ id: 1 }); } }
      interface Node { next?: Node; at: Date }
      /** A getter that throws. */
      export function thrown(): { a: number } { return { get a(): number { throw new Error("boom"); } }; }
      /** A getter that throws, without a type. */
      export function untyped(): unknown { return { a: { get b(): number { throw new Error("boom"); } } }; }
      /** A revoked proxy. */
      export function proxy(): { a: number } { const { proxy, revoke } = Proxy.revocable({ a: 1 }, {}); revoke(); return proxy; }
      /** A toJSON that throws. */
      export function loud(): { it: Loud } { return { it: new Loud() }; }
      /** A promise. */
      export function later(): unknown { return { it: new Later() }; }
      /** A cycle. */
      export function cycle(): Node { const node: Node = { at: new Date(0) }; node.next = node; return node; }
      /** A class that writes itself. */
      export function self(): Self { return new Self(); }`,
    );
  });

  it.each(["thrown", "untyped", "proxy", "loud", "later", "cycle"])("fails clearly: %s", async (name) => {
    const { status, stderr } = await project.proffer("call", "bad.ts", name);
    expect(status).toBe(1);
    expect(stderr).toMatch(/error: .+/);
  });

  it("does not affect the other tools", async () => {
    expect(await output("call", "bad.ts", "self")).toEqual({ id: 1 });
  });
});
