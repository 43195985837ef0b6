import { setTimeout as sleep } from "node:timers/promises";
import { connectOver } from "proffer/testing";
import { STREAMABLE_SINCE } from "../wire.mjs";
import { linkHttp } from "./http-link.mjs";
import { answer, operationsOf } from "./operations.mjs";
import { linkSse } from "./sse-link.mjs";
import { linkStdio } from "./stdio-link.mjs";

/** A call that is not answered in this time counts as a wrong answer. */
const PATIENCE = 120_000;
/** The code of an answer that asks the client to try later. */
const BUSY = -31_000;
/** Clients reconnect after some operations, because sessions must come and go. */
const OPERATIONS = 200;
/** The longest pause of a client between two operations, in milliseconds. */
const THINKING = 10;

/** A client that uses the server as it should be used, and checks every answer. */
export class HonestClient {
  #options;
  #random;

  /** @param options - `transport` ("stdio" or "http"), `revision`, `port`, `folder`, `tally` */
  constructor(options, random) {
    this.#random = random;
    this.#options = { ...options, secret: random.secret() };
  }

  /** Runs operations until the signal aborts. */
  async run(signal) {
    const { tally } = this.#options;
    while (!signal.aborted) {
      try {
        await this.#visit(signal);
      } catch (error) {
        if (!signal.aborted || !isRefused(error)) tally.wrong(this.#describe("connection", error));
        await sleep(100);
      }
    }
  }

  /** Connects, runs some operations and disconnects. */
  async #visit(signal) {
    const { revision, secret, tally } = this.#options;
    const random = this.#random;
    let connection;
    const link = (receive) => {
      connection = this.#link(receive);
      return connection;
    };
    const operations = operationsOf(revision);
    try {
      const client = await patiently(connectOver(link, { revision, answers: answer }));
      for (let left = random.below(OPERATIONS) + 1; left > 0 && !signal.aborted; left--) {
        const [name, operation] = random.pick(operations);
        const started = performance.now();
        try {
          await this.#repeatWhileBusy(() => patiently(operation({ client, secret, random })));
          tally.answered(performance.now() - started);
        } catch (error) {
          tally.wrong(this.#describe(name, error));
          break;
        }
        await sleep(random.below(THINKING));
      }
      await patiently(client.close());
    } finally {
      // A connection that failed may not have closed.
      connection.destroy();
    }
  }

  async #repeatWhileBusy(operation) {
    for (;;) {
      try {
        return await operation();
      } catch (error) {
        if (!isRefused(error)) throw error;
        this.#options.tally.refused(BUSY);
        await sleep(1000);
      }
    }
  }

  /** Connects, and checks all bytes that arrive, whatever they belong to. */
  #link(receive) {
    const { transport, revision, secret, tally } = this.#options;
    const http = revision >= STREAMABLE_SINCE ? linkHttp : linkSse;
    return (transport === "stdio" ? linkStdio : http)(this.#options, (text) => {
      tally.received(text, secret);
      receive(text);
    });
  }

  #describe(what, error) {
    const { transport, revision } = this.#options;
    return `${revision} over ${transport}, ${what}: ${error.message}`;
  }
}

function isRefused(error) {
  return error.code === BUSY;
}

/** Fails if the work takes too long, instead of waiting for an answer that never arrives. */
async function patiently(work) {
  let timer;
  const limit = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${PATIENCE / 1000} s`)), PATIENCE);
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}
