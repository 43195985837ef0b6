import { INITIALIZED, initializeRequest } from "../workload/messages.mjs";
import { PATIENCE } from "./server-process.mjs";

const NEWLINE = 10;

/** Calls back with each line that a child process prints, as bytes; returns a function that stops it. */
export function eachLine(child, callback) {
  let parts = [];
  const take = (chunk) => {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      parts.push(chunk.subarray(from, at));
      callback(parts.length === 1 ? parts[0] : Buffer.concat(parts));
      parts = [];
      from = at + 1;
    }
    if (from < chunk.length) parts.push(chunk.subarray(from));
  };
  child.stdout.on("data", take);
  return () => child.stdout.off("data", take);
}

/** Sends one request and returns its response; messages with other ids are skipped. */
export async function ask(server, message) {
  const { child } = server;
  if (child.exitCode !== null) throw server.failure("ended");
  return new Promise((resolve, reject) => {
    const settle = (how, value) => {
      clearTimeout(timer);
      stop();
      child.off("exit", ended);
      how(value);
    };
    const timer = setTimeout(() => settle(reject, server.failure(`gave no answer to ${message.method}`)), PATIENCE);
    const ended = () => settle(reject, server.failure("ended"));
    const stop = eachLine(child, (line) => {
      const json = JSON.parse(line);
      if (json.id === message.id && json.method === undefined) settle(resolve, { json, bytes: line.length });
    });
    child.once("exit", ended);
    child.stdin.write(`${JSON.stringify(message)}\n`);
  });
}

/** Performs the handshake of the older revisions. */
export async function openSession(server) {
  await ask(server, initializeRequest());
  server.child.stdin.write(`${JSON.stringify(INITIALIZED)}\n`);
}
