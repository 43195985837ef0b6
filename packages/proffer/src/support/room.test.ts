import { describe, expect, it } from "vitest";
import { Room } from "./room.ts";

/** A room with a user that holds `bytes` and drops them when asked. */
function create(patience = 3_600_000) {
  const room = new Room(100, patience);
  const user = {
    bytes: 0,
    dropped: 0,
    makeRoom() {
      user.dropped++;
      user.bytes = 0;
      return true;
    },
  };
  room.share(user);
  return { room, user };
}

describe("room for unread bytes", () => {
  it("is reserved without waiting while it lasts, and then in the order of arrival", async () => {
    const { room } = create();
    expect(room.reserve(60)).toBeUndefined();
    const order: string[] = [];
    const large = room.reserve(80)?.then(() => order.push("large"));
    // It would fit, but must not overtake.
    const small = room.reserve(10)?.then(() => order.push("small"));
    expect(room.waiting).toBe(2);
    room.release(60);
    await Promise.all([large, small]);
    expect(order).toEqual(["large", "small"]);
  });

  it("goes to the callers in turn, so that nobody waits for all reads of another", async () => {
    const { room } = create();
    expect(room.reserve(100)).toBeUndefined();
    const order: string[] = [];
    const read = (caller: string) =>
      room.reserve(100, undefined, caller)?.then(() => {
        order.push(caller);
        room.release(100);
      });
    const reads = ["greedy", "greedy", "greedy", "ada", "greedy", "bob", "ada"].map(read);
    room.release(100);
    await Promise.all(reads);
    expect(order).toEqual(["greedy", "ada", "bob", "greedy", "ada", "greedy", "greedy"]);
  });

  it("is shared with bytes that wait to be sent", async () => {
    const { room, user } = create();
    user.bytes = 50;
    const waiting = room.reserve(60);
    expect(room.waiting).toBe(1);
    user.bytes = 40;
    room.admit();
    await waiting;
    expect(room.waiting).toBe(0);
  });

  it("is given to a read that is larger than all of it when nothing else needs it", async () => {
    const { room } = create();
    expect(room.reserve(500)).toBeUndefined();
    const next = room.reserve(500);
    expect(room.waiting).toBe(1);
    room.release(500);
    await next;
  });

  it("is not waited for after the caller has gone", async () => {
    const { room, user } = create();
    const gone = new AbortController();
    user.bytes = 100;
    const waiting = room.reserve(10, gone);
    gone.abort();
    await expect(waiting).rejects.toMatchObject({ name: "AbortError" });
    expect(room.waiting).toBe(0);
    await expect(room.reserve(10, gone)).rejects.toMatchObject({ name: "AbortError" });
  });

  it("is made when none was freed for some time", async () => {
    const { room, user } = create(1);
    user.bytes = 100;
    await room.reserve(10);
    expect(user.dropped).toBe(1);
  });
});
