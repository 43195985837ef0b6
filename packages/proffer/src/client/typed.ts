import type { Client } from "./client.ts";
import type { RequestOptions } from "./options.ts";
import type { Api } from "./served.ts";
import type { TypedCalls } from "./typed-calls.ts";

/** The functions of a server, typed by `Of`: its module, what `defineServer` returned, or what `proffer types` wrote. */
export interface Typed<Of> {
  /**
   * Calls the tools, as the functions that they are. @throws {ToolFailure} for a failure of the tool. @throws
   * {TypesMismatch} for a tool or parameter that the server does not have.
   */
  readonly tools: Api<Of>["tools"];
  /** Gets the prompts. */
  readonly prompts: Api<Of>["prompts"];
  /** Reads the resources: by the names of their functions, or by URIs and templates. */
  readonly resources: Api<Of>["resources"];
  /** Returns the same functions with options for each request, such as a signal or a time limit. */
  using(options: RequestOptions): Typed<Of>;
}

/** Adds the functions of its server to a client. `typesOf` is the version that the types are of. */
export function withTypes<Of, Base extends Client>(client: Base, typesOf?: string): Base & Typed<Of> {
  let calls: TypedCalls | undefined;
  async function load(): Promise<TypedCalls> {
    const { TypedCalls } = await import("./typed-calls.ts");
    calls ??= new TypedCalls(client, typesOf);
    return calls;
  }
  return Object.assign(
    client,
    functionsOf<Of>(async () => calls ?? load(), {}),
  );
}

function functionsOf<Of>(calls: () => Promise<TypedCalls>, options: RequestOptions): Typed<Of> {
  const functions = (kind: "call" | "get" | "read") =>
    member([], async (path, args) => (await calls())[kind](path, args, options));
  return {
    tools: functions("call"),
    prompts: functions("get"),
    resources: functions("read"),
    using: (more: RequestOptions) => functionsOf(calls, { ...options, ...more }),
  } as unknown as Typed<Of>;
}

type Run = (path: readonly string[], args: readonly unknown[]) => Promise<unknown>;

/** Returns a function, which is also the group of the functions in it: `tools.orders.cancel("7")`. */
function member(path: readonly string[], run: Run): object {
  const members = new Map<string, object>();
  return new Proxy(() => {}, {
    get(_, name) {
      // Promises look for `then`, and printing for symbols.
      if (typeof name === "symbol" || name === "then") return undefined;
      const found = members.get(name) ?? member([...path, name], run);
      members.set(name, found);
      return found;
    },
    apply: (_target, _this, args) => run(path, args),
  });
}
