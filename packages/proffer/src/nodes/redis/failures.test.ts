import { expect, it } from "vitest";
import { StoreUnavailable } from "../ports.ts";
import { failureOf, isNoScript, isOutage } from "./failures.ts";

function named(name: string, message: string): Error {
  return Object.assign(new Error(message), { name });
}

it.each([
  ["ReplyError", "READONLY You can't write against a read only replica. script: 8d, on @user_script:35.", "readonly"],
  ["RequestError", "An error was signalled by the server: - ReadOnly: You can't write", "readonly"],
  ["ReplyError", "LOADING Redis is loading the dataset in memory", "loading"],
  ["RequestError", "An error was signalled by the server: - BusyLoadingError: Redis is loading", "loading"],
  ["SimpleError", "OOM command not allowed when used memory > 'maxmemory'.", "full"],
  ["RequestError", "OOM: command not allowed when used memory > 'maxmemory'.", "full"],
  ["ReplyError", "MISCONF Redis is configured to save RDB snapshots", "full"],
  ["ReplyError", "CLUSTERDOWN The cluster is down", "cluster"],
  ["RequestError", "An error was signalled by the server: - ClusterDown: x", "cluster"],
  ["ReplyError", "MASTERDOWN Link with MASTER is down", "cluster"],
  ["ReplyError", "MOVED 3999 127.0.0.1:6381", "cluster"],
  ["ReplyError", "BUSY Redis is busy running a script.", "busy"],
  ["RequestError", "BUSY: Redis is busy running a script.", "busy"],
  ["ReplyError", "NOAUTH Authentication required.", "access"],
  ["SimpleError", "WRONGPASS invalid username-password pair", "access"],
  ["RequestError", "An error was signalled by the server: - PermissionDenied: this user has no permissions", "access"],
  ["ReplyError", "NOREPLICAS Not enough good replicas to write.", "replicas"],
  ["Error", "Connection is closed.", "disconnected"],
  ["MaxRetriesPerRequestError", "Reached the max retries per request limit (which is 20).", "disconnected"],
  ["SocketClosedUnexpectedlyError", "Socket closed unexpectedly", "disconnected"],
  ["ClosingError", "", "disconnected"],
  ["RequestError", "Received connection error `Connection reset by peer`. Will attempt to reconnect", "disconnected"],
])("%s: %s → %s", (name, message, reason) => {
  const cause = named(name, message);
  const failure = failureOf(cause);
  expect(failure).toBeInstanceOf(StoreUnavailable);
  expect(failure).toMatchObject({ reason, cause, kind: "busy" });
  // What the client reads says nothing about the operator's machines.
  expect((failure as Error).message).not.toContain(message || "Redis");
});

it.each([
  ["ReplyError", "WRONGTYPE Operation against a key holding the wrong kind of value"],
  ["ErrorReply", "ERR unknown command"],
  ["RequestError", "An error was signalled by the server: - ResponseError: unknown command"],
  ["RequestError", "WRONGTYPE: Operation against a key"],
  ["TypeError", "is not a function"],
])("leaves a bug as it is: %s: %s", (name, message) => {
  const error = name === "TypeError" ? new TypeError(message) : named(name, message);
  expect(failureOf(error)).toBe(error);
});

it("knows the reply for a script that the server does not have", () => {
  expect(isNoScript(new Error("NOSCRIPT No matching script. Please use EVAL."))).toBe(true);
  expect(isNoScript(new Error("An error was signalled by the server: - NoScriptError: No matching script."))).toBe(
    true,
  );
  expect(isNoScript(new Error("ERR other"))).toBe(false);
});

it("does not suspend calls because memory is full or access is denied", () => {
  expect(["timeout", "disconnected", "readonly", "loading", "cluster", "busy"].every(outage)).toBe(true);
  expect(["full", "access", "replicas", "suspended", "overloaded"].some(outage)).toBe(false);
  expect(isOutage(new Error("bug"))).toBe(false);
});

function outage(reason: string): boolean {
  return isOutage(new StoreUnavailable(reason as "timeout"));
}
