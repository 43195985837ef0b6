import type { Server } from "proffer";
import { serveHttp } from "proffer/http";
import { type ClientOptions, connect, connectOver, type Link, type TestClient } from "proffer/testing";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { bundleFixture } from "./fixture-process.ts";
import { linkHttp } from "./http/http-link.ts";
import { violations } from "./official-schema.ts";

/** A server that is being served over one transport. */
export interface Service {
  connect(options: ClientOptions): Promise<TestClient>;
  close(): void | Promise<void>;
}

/** How to serve a server over each transport, by the name of the transport. */
export interface Transports {
  readonly [name: string]: () => Promise<Service>;
}

/** One transport and one revision. */
export interface Leg {
  readonly transport: string;
  readonly revision: string;
  /** A client that all tests of the leg share. */
  readonly client: TestClient;
  /** Connects another client, which is closed after the tests of the leg. */
  connect(options?: ClientOptions): Promise<TestClient>;
}

/** The revisions to test, and options for the client that all tests of a leg share. */
export interface LegOptions extends Omit<ClientOptions, "revision"> {
  readonly revisions: readonly string[];
  /** Permits relative URIs, which the official schema forbids. */
  readonly relativeUris?: boolean;
}

/**
 * Runs tests over every transport and revision. Every message that the server sends must be valid by the official schema
 * of the revision.
 */
export function describeTransports(
  transports: Transports,
  { revisions, relativeUris, ...shared }: LegOptions,
  body: (leg: Leg) => void,
): void {
  for (const [transport, serve] of Object.entries(transports)) {
    describe(`over ${transport}`, () => {
      let service: Service;
      beforeAll(async () => {
        service = await serve();
      });
      afterAll(() => service.close());
      describe.each(revisions)("on %s", (revision) => {
        const clients: TestClient[] = [];
        const connectOne = async (options: ClientOptions = shared) => {
          const client = await service.connect({ ...options, revision });
          clients.push(client);
          return client;
        };
        beforeAll(() => connectOne());
        afterAll(async () => {
          await Promise.all(clients.map((client) => client.close()));
          expect(clients.flatMap(({ transcript }) => violations(revision, transcript, relativeUris))).toEqual([]);
        });
        body({
          transport,
          revision,
          get client() {
            const [first] = clients;
            if (first === undefined) throw new Error("The client of a leg exists only while its tests run.");
            return first;
          },
          connect: connectOne,
        });
      });
    });
  }
}

/** A server for this process, and the module in `fixtures/` whose default export it is, for another process. */
export interface Fixture {
  readonly server: Server;
  readonly module: string;
}

/** Runs tests of a fixture over every transport of Proffer. */
export function describeMatrix(fixture: Fixture, revisions: readonly string[], body: (leg: Leg) => void): void {
  describeTransports(transportsOf(fixture), { revisions }, body);
}

function transportsOf({ server, module }: Fixture): Transports {
  return {
    memory: async () => ({ connect: (options) => connect(server, options), close() {} }),
    stdio: async () => {
      const bundle = await bundleFixture(module);
      return serviceOver(bundle.link, () => bundle.remove());
    },
    HTTP: async () => {
      const service = await serveHttp(server, { port: 0 });
      return serviceOver(linkHttp(service.url), () => service.close());
    },
  };
}

/** Returns a service that every client reaches by the same link. */
export function serviceOver(link: Link, close: () => Promise<void>): Service {
  return { connect: (options) => connectOver(link, options), close };
}
