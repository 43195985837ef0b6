import { redis } from "proffer/redis";
import { afterAll, beforeAll, it } from "vitest";
import { busContract } from "./bus-contract.ts";
import { CLIENTS, type TestClient } from "./clients.ts";
import { describeWithEngine, sharedEngine } from "./engine.ts";
import { storeContract } from "./store-contract.ts";
import { checkModel } from "./store-model.ts";

const engine = await sharedEngine();
const run = Math.random().toString(36).slice(2);
let tests = 0;

for (const [name, connect] of CLIENTS) {
  describeWithEngine(`Redis through ${name}`, engine, (engine) => {
    let clients: [TestClient, TestClient];
    const nodes: ReturnType<typeof redis>[] = [];
    // The machine that runs the tests may be busy: an outage is another test.
    const options = { prefix: `${run} ${name}`, commandTimeout: 60_000 };
    beforeAll(async () => {
      clients = [await connect(engine), await connect(engine)];
      nodes.push(...clients.map(({ client }) => redis(client, options)));
    });
    afterAll(() => {
      for (const node of nodes) node.close();
      for (const { close } of clients) close();
    });

    const fresh = () => {
      const own = `${++tests} `;
      const [a, b] = nodes as [ReturnType<typeof redis>, ReturnType<typeof redis>];
      return {
        a: a.bus,
        b: b.bus,
        store: a.store,
        key: (key: string) => own + key,
        topic: (topic: string) => own + topic,
      };
    };
    // The engine as WebAssembly is slow: there, one client is enough for the contract, and the others run the model.
    if (engine.kind !== "wasm" || name === "ioredis") {
      storeContract(fresh);
      busContract(fresh);
    }

    it("behaves as the model does", () => checkModel(engine.kind === "wasm" ? 5 : 50, fresh));
  });
}
