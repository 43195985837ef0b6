import { describe, expect, it } from "vitest";
import { Changes } from "./changes.ts";

function listener() {
  const received: string[] = [];
  return {
    received,
    listChanged: (kind: string) => void received.push(kind),
    updated: (uri: string) => void received.push(uri),
  };
}

/** Listeners are notified by a timer; this timer is set later, so it fires after that one. */
const turn = () => new Promise((resolve) => setTimeout(resolve, 1));

describe("Changes", () => {
  it("notifies each listener once for all changes of an event-loop turn", async () => {
    const changes = new Changes();
    const [one, two] = [listener(), listener()];
    changes.listen(one);
    changes.listen(two);
    changes.watch("a://1", one);
    for (let n = 0; n < 10_000; n++) {
      changes.listChanged("tools");
      changes.updated("a://1");
    }
    expect(one.received).toEqual([]);
    await turn();
    expect(one.received).toEqual(["tools", "a://1"]);
    expect(two.received).toEqual(["tools"]);
    changes.listChanged("tools");
    await turn();
    expect(one.received).toEqual(["tools", "a://1", "tools"]);
  });

  it("notifies listeners with a query of changes to the plain URI, but not the other way round", async () => {
    const changes = new Changes();
    const [plain, queried, other] = [listener(), listener(), listener()];
    changes.watch("a://1", plain);
    const stops = ["a://1?x=1", "a://1?x=2"].map((uri) => changes.watch(uri, queried));
    changes.watch("a://12?x=1", other);
    changes.updated("a://1");
    await turn();
    changes.updated("a://1?x=2");
    await turn();
    for (const stop of stops) stop();
    changes.updated("a://1");
    await turn();
    expect(plain.received).toEqual(["a://1", "a://1"]);
    expect(queried.received).toEqual(["a://1?x=1", "a://1?x=2", "a://1?x=2"]);
    expect(other.received).toEqual([]);
  });

  it("does not notify a listener that has stopped, not even of changes in the same turn", async () => {
    const changes = new Changes();
    const one = listener();
    const stop = changes.listen(one);
    const unwatch = changes.watch("a://1", one);
    changes.listChanged("prompts");
    changes.updated("a://1");
    stop();
    unwatch();
    stop();
    await turn();
    expect(one.received).toEqual([]);
  });

  it("notifies the others when a listener stops or starts another one during a notification", async () => {
    const changes = new Changes();
    const [late, other] = [listener(), listener()];
    const stop = changes.listen({
      listChanged: () => {
        stop();
        changes.listen(late);
      },
      updated: () => {},
    });
    changes.listen(other);
    changes.listChanged("resources");
    await turn();
    expect(other.received).toEqual(["resources"]);
    expect(late.received).toEqual([]);
  });
});
