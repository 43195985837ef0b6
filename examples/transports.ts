import { fileURLToPath } from "node:url";
import { type ClientOptions, connectOver, type Link, type TestClient } from "proffer/testing";
import { afterAll, beforeAll, describe } from "vitest";
import { type HttpProcess, overHttp, overStdio, serveOverHttp } from "./links.ts";

/** One transport and one revision. */
export interface Leg {
  readonly revision: string;
  /** A client that all tests of the leg share. */
  readonly client: TestClient;
  /** Another client, for a test that needs one of its own; closed with the leg. */
  connect(options?: ClientOptions): Promise<TestClient>;
}

/** What is tested: a module, in some revisions, by a client with these options. */
interface Tested extends Omit<ClientOptions, "revision"> {
  readonly module: URL;
  /** Variables of the server's environment. */
  readonly env?: { readonly [name: string]: string };
  readonly revisions: readonly string[];
}

/** Runs tests of a module over both transports, in each of the revisions. */
export function describeTransports({ module, env, ...tested }: Tested, body: (leg: Leg) => void): void {
  const file = fileURLToPath(module);
  describe("over stdio", () => describeRevisions(() => overStdio(file, env), tested, body));
  describe("over HTTP", () => {
    let served: HttpProcess | undefined;
    beforeAll(async () => {
      served = await serveOverHttp(file, env);
    });
    afterAll(() => served?.close());
    describeRevisions(() => overHttp(served?.url ?? ""), tested, body);
  });
}

function describeRevisions(
  link: () => Link,
  { revisions, ...shared }: Omit<Tested, "module" | "env">,
  body: (leg: Leg) => void,
): void {
  describe.each(revisions)("on %s", (revision) => {
    const clients: TestClient[] = [];
    const connect = async (options: ClientOptions = shared) => {
      const client = await connectOver(link(), { ...options, revision });
      clients.push(client);
      return client;
    };
    beforeAll(() => connect());
    afterAll(() => Promise.all(clients.map((client) => client.close())));
    body({
      revision,
      get client() {
        const [first] = clients;
        if (first === undefined) throw new Error("The client of a leg is there for its tests only.");
        return first;
      },
      connect,
    });
  });
}
