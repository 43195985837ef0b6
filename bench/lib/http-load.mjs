// A load generator that is much cheaper than any server: prepared bytes over keep-alive sockets, one request at a time
// on each. It only looks at the status and the end of a response.

import net from "node:net";
import { request } from "../workload/messages.mjs";
import { headersOf } from "./http-client.mjs";
import { PATIENCE } from "./server-process.mjs";

const HEAD_END = "\r\n\r\n";
const LAST_CHUNK = "0\r\n\r\n";
const MAX_HEAD = 4 * 1024;

/** Returns the requests of a case as bytes, with ids of the same width. */
export function serialise(port, { era, session, method, params, count }) {
  return Array.from({ length: count }, (_, i) => {
    const message = request(era, 100_000 + i, method, params[i % params.length]);
    const body = JSON.stringify(message);
    const headers = {
      host: `127.0.0.1:${port}`,
      ...headersOf(era, message, session),
      "content-length": Buffer.byteLength(body),
    };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    return Buffer.from(`POST /mcp HTTP/1.1\r\n${lines.join("")}\r\n${body}`);
  });
}

/**
 * Keeps requests in flight until the time is over or the count is reached.
 * @returns the latency of each in ms, the total time, the bytes of all bodies, and whether any was chunked
 */
export function load(port, requests, { inFlight, seconds, count = Number.POSITIVE_INFINITY }) {
  const begin = performance.now();
  const run = { requests, next: 0, latencies: [], bytes: 0, chunked: false, end: begin + seconds * 1_000, count };
  // Sockets are read one after another, so that all can share one buffer; "data" events would allocate one each.
  run.buffer = Buffer.allocUnsafeSlow(256 * 1024);
  const lanes = Array.from({ length: inFlight }, () => runLane(port, run));
  return Promise.all(lanes).then(() => ({
    latencies: run.latencies,
    milliseconds: performance.now() - begin,
    bytes: run.bytes,
    chunked: run.chunked,
  }));
}

/** One socket with one request in flight. */
function runLane(port, run) {
  return new Promise((resolve, reject) => {
    const answer = new Answer();
    let started = 0;
    const send = () => {
      started = performance.now();
      socket.write(run.requests[run.next++ % run.requests.length]);
    };
    const received = (length, buffer) => {
      const outcome = answer.take(buffer, length);
      if (outcome === "refused") {
        socket.destroy();
        reject(new Error(`unexpected answer: ${answer.head.slice(0, 300)}`));
      } else if (outcome === "complete") {
        const now = performance.now();
        run.latencies.push(now - started);
        run.bytes += answer.bytes;
        run.chunked ||= answer.chunked;
        answer.reset();
        if (now < run.end && run.next < run.count) send();
        else {
          resolve();
          socket.destroy();
        }
      }
      return true;
    };
    const onread = { buffer: run.buffer, callback: received };
    const socket = net.connect({ port, host: "127.0.0.1", noDelay: true, onread }, send);
    socket.setTimeout(PATIENCE, () => socket.destroy(new Error(`no answer in ${PATIENCE} ms`)));
    socket.once("error", reject);
    socket.once("close", () => reject(new Error("the server closed a connection")));
  });
}

/** Finds the end of one response, with a length or chunked. */
class Answer {
  head = "";
  bytes = 0;
  #inBody = false;
  #length = -1;
  #tail = "";

  /** Its bytes include the chunk framing. */
  get chunked() {
    return this.#length < 0;
  }

  reset() {
    this.head = "";
    this.bytes = 0;
    this.#inBody = false;
    this.#tail = "";
  }

  take(buffer, length) {
    let from = 0;
    if (!this.#inBody) {
      const before = this.head.length;
      this.head += buffer.latin1Slice(0, Math.min(length, MAX_HEAD));
      const end = this.head.indexOf(HEAD_END);
      if (end < 0) return "partial";
      if (this.head.slice(9, 12) !== "200") return "refused";
      this.#inBody = true;
      this.#length = Number(/content-length: *(\d+)/i.exec(this.head.slice(0, end))?.[1] ?? -1);
      from = end + HEAD_END.length - before;
    }
    this.bytes += length - from;
    if (this.#length >= 0) return this.bytes >= this.#length ? "complete" : "partial";
    const recent = buffer.latin1Slice(Math.max(from, length - LAST_CHUNK.length), length);
    this.#tail = (this.#tail + recent).slice(-LAST_CHUNK.length);
    return this.#tail === LAST_CHUNK ? "complete" : "partial";
  }
}
