// The load generator for stdio: prepared lines, a window of them in flight, responses counted by their newlines.

import { request } from "../workload/messages.mjs";
import { PATIENCE } from "./server-process.mjs";

const NEWLINE = 10;

/** Returns the requests of a case as bytes, with ids of the same width. */
export function serialise({ era, method, params, count }) {
  return Array.from({ length: count }, (_, i) => {
    const message = request(era, 100_000 + i, method, params[i % params.length]);
    return Buffer.from(`${JSON.stringify(message)}\n`);
  });
}

/**
 * Keeps requests in flight until the time is over or the count is reached.
 * @returns the latency of each in ms, the total time, and the bytes received
 */
export function load(server, lines, { inFlight, seconds, count = Number.POSITIVE_INFINITY }) {
  const { child } = server;
  const latencies = [];
  const started = [];
  const begin = performance.now();
  const end = begin + seconds * 1_000;
  let bytes = 0;

  const send = (wanted) => {
    const batch = [];
    const now = performance.now();
    while (batch.length < wanted && started.length < count) {
      batch.push(lines[started.length % lines.length]);
      started.push(now);
    }
    if (batch.length > 0) child.stdin.write(batch.length === 1 ? batch[0] : Buffer.concat(batch));
  };

  return new Promise((resolve, reject) => {
    const settle = (how, value) => {
      clearTimeout(timer);
      child.stdout.off("data", take);
      child.off("exit", ended);
      how(value);
    };
    const timer = setTimeout(() => settle(reject, server.failure(`gave no answer in ${PATIENCE} ms`)), PATIENCE);
    const ended = () => settle(reject, server.failure("ended"));
    const take = (chunk) => {
      timer.refresh();
      bytes += chunk.length;
      const answered = countNewlines(chunk);
      if (answered === 0) return;
      const now = performance.now();
      for (let i = 0; i < answered; i++) latencies.push(now - started[latencies.length]);
      if (now < end && started.length < count) return send(answered);
      if (latencies.length < started.length) return;
      settle(resolve, { latencies, milliseconds: now - begin, bytes: bytes - latencies.length, chunked: false });
    };
    child.stdout.on("data", take);
    child.once("exit", ended);
    send(inFlight);
  });
}

function countNewlines(chunk) {
  let count = 0;
  for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, at + 1)) count++;
  return count;
}
