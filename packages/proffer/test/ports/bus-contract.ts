import type { Bus } from "proffer";
import { expect, it } from "vitest";
import { ODD_TEXTS } from "./store-contract.ts";

/** Records the messages of a listener. */
export function recorder() {
  const heard: string[] = [];
  const state = { heard, missed: 0 };
  return { state, listener: { heard: (message: string) => heard.push(message), missed: () => state.missed++ } };
}

/** Resolves when messages of a topic from `from` reach a listener at `to`: subscriptions take effect later. */
export async function joined(from: Bus, to: Bus, topic: string): Promise<void> {
  let arrived = false;
  const leave = to.subscribe(topic, {
    heard: (message) => {
      arrived ||= message === "joined?";
    },
    missed: () => {},
  });
  await expect
    .poll(
      async () => {
        await from.publish(topic, "joined?");
        return arrived;
      },
      { interval: 10 },
    )
    .toBe(true);
  leave();
}

/** The duties of every bus. `fresh` returns two nodes of one bus, and a topic that no other test uses. */
export function busContract(
  fresh: () => { readonly a: Bus; readonly b: Bus; readonly topic: (name: string) => string },
): void {
  it("carries messages to the listeners of a topic on every node, in order", async () => {
    const { a, b, topic } = fresh();
    const [atA, atB, other] = [recorder(), recorder(), recorder()];
    const leave = [
      a.subscribe(topic("x"), atA.listener),
      b.subscribe(topic("x"), atB.listener),
      b.subscribe(topic("y"), other.listener),
    ];
    await joined(a, a, topic("x"));
    await joined(a, b, topic("x"));
    await joined(a, b, topic("y"));
    const messages = Array.from({ length: 30 }, (_, index) => `message ${index}`);
    for (const message of messages) await a.publish(topic("x"), message);
    const real = ({ state }: typeof atA) => state.heard.filter((message) => message !== "joined?");
    await expect.poll(() => [real(atA).length, real(atB).length]).toEqual([30, 30]);
    expect([real(atA), real(atB)]).toEqual([messages, messages]);
    expect(real(other)).toEqual([]);
    for (const end of leave) end();
  });

  it("carries odd texts as topics and messages", async () => {
    const { a, b, topic } = fresh();
    const carry = async (text: string) => {
      const { state, listener } = recorder();
      const leave = b.subscribe(topic(text), listener);
      await joined(a, b, topic(text));
      await a.publish(topic(text), text);
      await expect.poll(() => state.heard.at(-1)).toBe(text);
      leave();
    };
    await Promise.all(ODD_TEXTS.map(carry));
  });

  it("stops at the listener that left, and goes on to the others", async () => {
    const { a, b, topic } = fresh();
    const [first, second] = [recorder(), recorder()];
    const leave = b.subscribe(topic("x"), first.listener);
    const stay = b.subscribe(topic("x"), second.listener);
    await joined(a, b, topic("x"));
    leave();
    leave();
    const before = first.state.heard.length;
    await a.publish(topic("x"), "after");
    await expect.poll(() => second.state.heard.at(-1)).toBe("after");
    expect(first.state.heard).toHaveLength(before);
    stay();
  });

  it("delivers to a listener that subscribed twice twice", async () => {
    const { a, b, topic } = fresh();
    const { state, listener } = recorder();
    const leave = [b.subscribe(topic("x"), listener), b.subscribe(topic("x"), listener)];
    await joined(a, b, topic("x"));
    await a.publish(topic("x"), "m");
    await expect.poll(() => state.heard.filter((message) => message === "m")).toHaveLength(2);
    leave[0]?.();
    await a.publish(topic("x"), "n");
    await expect.poll(() => state.heard.filter((message) => message === "n")).toHaveLength(1);
    leave[1]?.();
  });

  it("follows a topic that is left and joined again and again", async () => {
    const { a, b, topic } = fresh();
    for (let round = 0; round < 20; round++) b.subscribe(topic("x"), recorder().listener)();
    const { state, listener } = recorder();
    const leave = b.subscribe(topic("x"), listener);
    await joined(a, b, topic("x"));
    await a.publish(topic("x"), "m");
    await expect.poll(() => state.heard.at(-1)).toBe("m");
    leave();
  });
}
