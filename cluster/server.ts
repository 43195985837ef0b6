// The server of `npm run cluster`. Nothing in it says that it runs on several nodes: PROFFER_REDIS_URL and PROFFER_KEYS do.
import { setTimeout as pause } from "node:timers/promises";
import { defineServer, defineTool, field } from "proffer";

/** How long a step takes in milliseconds: long enough to kill its node. */
const STEP = 700;

const here = process.env.CLUSTER_NODE ?? "?";

const where = defineTool({
  name: "where",
  description: "Returns the node that answers.",
  handle: () => here,
});

const visit = defineTool({
  name: "visit",
  description: "Counts the visits of a session.",
  handle(_, { session }) {
    const visits = Number(session?.get("visits") ?? 0) + 1;
    session?.set("visits", visits);
    return `visit ${visits} at ${here}`;
  },
});

const move = defineTool({
  name: "move_house",
  description: "Packs four rooms, asks about the piano after two of them, and returns the node that packed each.",
  task: { pollInterval: 250, ttl: 10 * 60_000 },
  async handle(_, ctx) {
    const rooms = ["kitchen", "bedroom", "attic", "cellar"];
    const packed: string[] = [];
    for (const [at, room] of rooms.entries()) {
      if (at === 2) await ctx.ask("Keep the piano?", { keep: field.boolean() });
      ctx.progress(at, rooms.length, `${room} at ${here}`);
      const node = await ctx.step(room, async () => {
        await pause(STEP);
        return here;
      });
      packed.push(`${room} ${node}`);
    }
    return packed.join(", ");
  },
});

export const server = defineServer({ name: "cluster", version: "1.0.0", tools: [where, visit, move] });
