import { once, setMaxListeners } from "node:events";
import http from "node:http";
import net from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import {
  headersOf,
  INITIALIZED,
  initializeOf,
  REVISIONS,
  readAll,
  requestOf,
  STREAMABLE_SINCE,
  send,
} from "../wire.mjs";

/** The principals of the attackers: few, so that each one can exceed its share. */
const PRINCIPALS = 5;
const STREAMABLE = REVISIONS.filter((revision) => revision >= STREAMABLE_SINCE);

/** The server, and the means of an attack on it. */
export class Arena {
  port;
  folder;
  tally;
  random;
  /** Aborts when all attacks must end. */
  signal;
  #principals;
  #sockets = new Set();
  /** Whole requests share connections: Node accepts few new ones while it is busy, which would slow down the attacks. */
  #agent = new http.Agent({ keepAlive: true });

  constructor({ port, folder, tally, random, signal }) {
    Object.assign(this, { port, folder, tally, random, signal });
    this.#principals = Array.from({ length: PRINCIPALS }, () => random.secret());
    // Every request and pause of every attack listens to it.
    setMaxListeners(0, signal);
    signal.addEventListener("abort", () => {
      for (const socket of this.#sockets) socket.destroy();
      this.#agent.destroy();
    });
  }

  /** Returns an attacker: mostly one of few principals, sometimes an anonymous one. */
  attacker(revision = this.random.pick(STREAMABLE)) {
    const token = this.random.below(4) === 0 ? undefined : this.random.pick(this.#principals);
    return { revision, token, secret: token ?? this.random.secret() };
  }

  /** The same with a session, where the revision has them. Nobody ends these sessions. */
  async visitor(revision) {
    const attacker = this.attacker(revision);
    const { headers } = await this.post(initializeOf(attacker.revision), attacker);
    const visitor = { ...attacker, session: headers["mcp-session-id"] };
    await this.post(INITIALIZED, visitor);
    return visitor;
  }

  /** Posts a message and returns the whole response, which must not contain bytes of others. */
  async post(message, attacker, path) {
    const body = typeof message === "string" ? message : JSON.stringify(message);
    const response = await this.begin(body, { ...attacker, message, path });
    const text = await readAll(response);
    this.tally.received(text, attacker.secret);
    return { status: response.statusCode, headers: response.headers, text };
  }

  /** Posts a text; resolves when the headers of the response have arrived. */
  begin(body, { message = {}, path, stop, ...attacker }) {
    return this.send({ path, headers: headersOf(message, attacker), body, ...(stop && { signal: stop }) });
  }

  /** Sends a request that ends with the attacks at the latest. */
  send(options) {
    return send(this.port, { agent: this.#agent, signal: this.signal, ...options });
  }

  /** Returns a request as the bytes of one HTTP message. */
  bytesOf(message, attacker, path = "/mcp") {
    const body = typeof message === "string" ? message : JSON.stringify(message);
    return this.rawBytes(headersOf(message, attacker), body, path);
  }

  rawBytes(headers, body, path = "/mcp") {
    const all = { host: `127.0.0.1:${this.port}`, "content-length": Buffer.byteLength(body), ...headers };
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
    return Buffer.from(`POST ${path} HTTP/1.1\r\n${lines.join("")}\r\n${body}`);
  }

  /** Opens a connection that ends with the attacks at the latest. */
  async connect(options = {}) {
    const socket = net.connect({ port: this.port, host: "127.0.0.1", ...options });
    this.#sockets.add(socket);
    socket.on("error", () => {});
    socket.once("close", () => this.#sockets.delete(socket));
    await once(socket, "connect", { signal: this.signal });
    return socket;
  }

  /** A call of a tool that repeats the attacker's secret. */
  call({ revision, secret }, name, values = {}, id = 1, _meta = { progressToken: 1 }) {
    return requestOf(revision, id, "tools/call", { name, arguments: { secret, ...values }, _meta });
  }

  read(revision, uri) {
    return requestOf(revision, 1, "resources/read", { uri });
  }

  /** Waits up to this many milliseconds. */
  pause(milliseconds) {
    return sleep(this.random.below(milliseconds), undefined, { signal: this.signal });
  }

  /** Runs an attack several times at once. The server may close any of its connections. */
  async times(count, attack) {
    const outcomes = await Promise.allSettled(Array.from({ length: count }, (_, at) => attack(at)));
    const mistake = outcomes.find(({ reason }) => isMistake(reason));
    if (mistake !== undefined) throw mistake.reason;
    return outcomes;
  }
}

/** Returns true for a mistake in an attack, which would otherwise look like a refusal. */
export function isMistake(error) {
  return error instanceof TypeError || error instanceof ReferenceError;
}
