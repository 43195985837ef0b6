import { setTimeout as delay } from "node:timers/promises";
import fc from "fast-check";
import { type Context, field } from "proffer";

/** One statement of a random handler. */
export type Statement =
  | { readonly do: "ask" | "askUrl" | "sample" | "roots" | "throw" | "turn" }
  | { readonly do: "wait"; readonly milliseconds: number }
  /** `loose` statements run beside the rest; nobody awaits them. */
  | { readonly do: "step" | "loose"; readonly body: Program }
  | { readonly do: "all" | "race"; readonly branches: readonly Program[] }
  | { readonly do: "try"; readonly body: Program; readonly caught: Program; readonly finally: Program };

export type Program = readonly Statement[];

type Kind = Statement["do"];

const leaf = (...kinds: readonly Kind[]) =>
  fc.constantFrom(...kinds).map((kind) => ({ do: kind }) as Statement) as fc.Arbitrary<Statement>;

/** Handlers that behave the same whenever they run: one statement after the other. */
export const sequentialPrograms = programs((body) => [
  leaf("ask", "ask", "ask", "throw", "turn"),
  fc.record({ do: fc.constant("step" as const), body }),
  fc.record({ do: fc.constant("try" as const), body, caught: body, finally: body }),
]);

/** Handlers with concurrent branches, timers and work that nobody awaits. */
export const concurrentPrograms = programs((body) => [
  leaf("ask", "ask", "ask", "askUrl", "sample", "roots", "throw", "turn"),
  fc.record({ do: fc.constant("wait" as const), milliseconds: fc.nat(3) }),
  fc.record({ do: fc.constantFrom("step" as const, "step" as const, "loose" as const), body }),
  fc.record({
    do: fc.constantFrom("all" as const, "race" as const),
    branches: fc.array(body, { minLength: 1, maxLength: 3 }),
  }),
  fc.record({ do: fc.constant("try" as const), body, caught: body, finally: body }),
]);

function programs(statements: (body: fc.Arbitrary<Program>) => fc.Arbitrary<Statement>[]): fc.Arbitrary<Program> {
  const { program } = fc.letrec<{ program: Program; statement: Statement }>((tie) => ({
    program: fc.array(tie("statement"), { maxLength: 4, depthIdentifier: "handler" }),
    statement: fc.oneof(
      { depthIdentifier: "handler", depthSize: "small", withCrossShrink: true },
      ...statements(tie("program")),
    ),
  }));
  return program;
}

/** Runs a program as a handler. Calls `effect` at the end of each step that completes, with the path of the step. */
export async function runProgram(
  program: Program,
  ctx: Context,
  effect: (path: string) => void,
  path = "",
): Promise<string> {
  let trace = "";
  for (const [at, statement] of program.entries()) trace += await runStatement(statement, ctx, effect, `${path}/${at}`);
  return trace;
}

async function runStatement(
  statement: Statement,
  ctx: Context,
  effect: (path: string) => void,
  path: string,
): Promise<string> {
  const run = (body: Program, part = "") => runProgram(body, ctx, effect, path + part);
  switch (statement.do) {
    case "ask":
      return (await ctx.ask(path, { yes: field.boolean() })).action;
    case "askUrl":
      return (await ctx.askUrl(path, "https://example.com", { fallback: { action: "cancel" } })).action;
    case "sample":
      return (await ctx.sample({ messages: [], maxTokens: 1, systemPrompt: path })).model;
    case "roots":
      return String((await ctx.roots(path)).length);
    case "throw":
      throw new Error(`thrown at ${path}`);
    case "turn":
      await delay(0);
      return "";
    case "wait":
      await delay(statement.milliseconds);
      return "";
    case "step":
      return ctx.step(path, async () => {
        const value = await run(statement.body);
        effect(path);
        return value;
      });
    case "loose":
      run(statement.body).catch(() => {});
      return "";
    case "all":
      return (await Promise.all(statement.branches.map((branch, nth) => run(branch, `:${nth}`)))).join();
    case "race":
      return Promise.race(statement.branches.map((branch, nth) => run(branch, `:${nth}`)));
    case "try":
      try {
        return await run(statement.body, ":try");
      } catch {
        return await run(statement.caught, ":catch");
      } finally {
        await run(statement.finally, ":finally");
      }
  }
}
