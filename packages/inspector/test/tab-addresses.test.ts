import { expect, test } from "vitest";
import { formatRoute, parseRoute } from "../src/page/state/route.ts";

test("a route keeps the tabs of its panes", () => {
  const route = {
    shown: { pane: "item", kind: "tool", key: "order" },
    request: "json",
    result: "raw",
    side: "copy",
  } as const;
  const address = new URL(formatRoute(route), "http://127.0.0.1");
  expect(address.search).toBe("?request=json&result=raw&side=copy");
  expect(parseRoute(address)).toEqual(route);
});
