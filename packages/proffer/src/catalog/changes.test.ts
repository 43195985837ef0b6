import { describe, expect, it } from "vitest";
import { Changes } from "./changes.ts";

function listener() {
  const heard: string[] = [];
  return {
    heard,
    listChanged: (kind: string) => void heard.push(kind),
    updated: (uri: string) => void heard.push(uri),
  };
}

/** Changes are told when the event loop turns; who asks then for the next turn comes after. */
const turn = () => new Promise((resolve) => setTimeout(resolve, 1));

describe("changes", () => {
  it("of one turn are told once to each who listens", async () => {
    const changes = new Changes();
    const [one, two] = [listener(), listener()];
    changes.listen(one);
    changes.listen(two);
    changes.watch("a://1", one);
    for (let n = 0; n < 10_000; n++) {
      changes.listChanged("tools");
      changes.updated("a://1");
    }
    expect(one.heard).toEqual([]);
    await turn();
    expect(one.heard).toEqual(["tools", "a://1"]);
    expect(two.heard).toEqual(["tools"]);
    changes.listChanged("tools");
    await turn();
    expect(one.heard).toEqual(["tools", "a://1", "tools"]);
  });

  it("of a resource are those of its URI with any query, and not the other way round", async () => {
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
    expect(plain.heard).toEqual(["a://1", "a://1"]);
    expect(queried.heard).toEqual(["a://1?x=1", "a://1?x=2", "a://1?x=2"]);
    expect(other.heard).toEqual([]);
  });

  it("are told to nobody who has stopped, not even those of this turn", async () => {
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
    expect(one.heard).toEqual([]);
  });

  it("are told to others when one who hears of them stops or starts meanwhile", async () => {
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
    expect(other.heard).toEqual(["resources"]);
    expect(late.heard).toEqual([]);
  });
});
