import { afterAll, beforeAll, describe, expect } from "vitest";
import type { Server } from "../src/server/server.ts";
import type { ClientOptions, TestClient } from "../src/testing/client.ts";
import { connect, connectOver } from "../src/testing/connect.ts";
import { bundleFixture } from "./fixture-process.ts";
import { violations } from "./official-schema.ts";
import type { Version } from "./versions.ts";

/** A server that can be served in this process and, by its module, in another. */
export interface Fixture {
  readonly server: Server;
  /** The module in `fixtures/` whose default export is the server. */
  readonly module: string;
}

interface Reached {
  connect(options: ClientOptions): Promise<TestClient>;
  dispose(): Promise<void>;
}

/** How to reach a fixture over each transport; a new transport is a row. */
const TRANSPORTS: { readonly [name: string]: (fixture: Fixture) => Reached } = {
  memory: ({ server }) => ({ connect: (options) => connect(server, options), dispose: async () => {} }),
  stdio: ({ module }) => {
    const bundle = bundleFixture(module);
    return {
      connect: async (options) => connectOver((await bundle).link, options),
      dispose: async () => (await bundle).remove(),
    };
  },
};

/** One transport and one revision. */
export interface Leg {
  readonly transport: string;
  readonly revision: Version;
  /** A client that all tests of the leg share. */
  readonly client: TestClient;
  /** Another client, for a test that needs one of its own; closed with the leg. */
  connect(options?: ClientOptions): Promise<TestClient>;
}

/**
 * Runs tests over every transport and the given revisions. Whatever a server sent on the way must be valid by the
 * official schema of the revision.
 */
export function describeMatrix(fixture: Fixture, revisions: readonly Version[], body: (leg: Leg) => void): void {
  for (const [transport, reach] of Object.entries(TRANSPORTS)) {
    describe(`over ${transport}`, () => {
      let reached: Reached;
      beforeAll(() => {
        reached = reach(fixture);
      });
      afterAll(() => reached.dispose());
      describe.each(revisions)("in %s", (revision) => {
        const clients: TestClient[] = [];
        let shared: TestClient | undefined;
        const connectOne = async (options: ClientOptions = {}) => {
          const client = await reached.connect({ ...options, revision });
          clients.push(client);
          return client;
        };
        beforeAll(async () => {
          shared = await connectOne();
        });
        afterAll(async () => {
          await Promise.all(clients.map((client) => client.close()));
          for (const { transcript } of clients) expect(violations(revision, transcript)).toEqual([]);
        });
        body({
          transport,
          revision,
          get client() {
            if (shared === undefined) throw new Error("The client of a leg is there for its tests only.");
            return shared;
          },
          connect: connectOne,
        });
      });
    });
  }
}
