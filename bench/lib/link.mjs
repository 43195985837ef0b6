import { request } from "../workload/messages.mjs";
import * as http from "./http-client.mjs";
import * as httpLoad from "./http-load.mjs";
import * as stdio from "./stdio-client.mjs";
import * as stdioLoad from "./stdio-load.mjs";

/** Ids of the same width as those of the load, so that responses have the same length. */
const FIRST_ID = 900_000;

/**
 * Connects to a running server, with a handshake where its era has one. The interface is the same for both transports:
 * `ask` sends one request without checks, `prepare` returns a function that runs a load.
 */
export async function connect(server, transport) {
  const { era, session: keepsSession } = server.contender;
  let id = FIRST_ID;
  if (transport === "http") {
    const session = keepsSession ? await http.openSession(server.port) : undefined;
    return {
      ask: (method, params) => http.post(server.port, era, request(era, id++, method, params), session),
      prepare(work) {
        const requests = httpLoad.serialise(server.port, { era, session, ...work });
        return (options) => httpLoad.load(server.port, requests, options);
      },
    };
  }
  if (era === "legacy") await stdio.openSession(server);
  return {
    ask: (method, params) => stdio.ask(server, request(era, id++, method, params)),
    prepare(work) {
      const lines = stdioLoad.serialise({ era, ...work });
      return (options) => stdioLoad.load(server, lines, options);
    },
  };
}
