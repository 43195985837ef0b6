import { defineResource, defineServer, type ListFunction, param } from "proffer";
import { connect } from "proffer/testing";
import { describe, expect, it } from "vitest";

const PEOPLE = ["de/ann", "de/bob", "fr/anne", "fr/bo%20b"];

const people: ListFunction = () => PEOPLE.map((each) => ({ uri: `people://${each}` }));

function complete(list: ListFunction, ref: string, name: string, value: string, known?: Record<string, string>) {
  const server = defineServer({
    name: "completion",
    version: "1",
    limits: { completionScan: 500 },
    resources: [
      defineResource({
        uri: "people://{country}/{name}{?format}",
        name: "person",
        hideQuery: true,
        params: { format: param.oneOf("short", "long") },
        complete: { country: ["de", "fr", "FI"] },
        list,
        read: () => "",
      }),
    ],
  });
  return connect(server).then((client) =>
    client.request("completion/complete", {
      ref: { type: "ref/resource", uri: ref },
      argument: { name, value },
      ...(known === undefined ? {} : { context: { arguments: known } }),
    }),
  );
}

const LISTED = "people://{country}/{name}";

describe("completion of a variable", () => {
  it("uses the declared values of the parameter", async () => {
    expect(await complete(people, LISTED, "format", "s")).toMatchObject({
      completion: { values: ["short"], total: 1, hasMore: false },
    });
  });

  it("uses the completions of the author", async () => {
    expect(await complete(people, LISTED, "country", "f")).toMatchObject({ completion: { values: ["fr", "FI"] } });
  });

  it("uses the decoded values of listed URIs that match the other variables", async () => {
    expect(await complete(people, LISTED, "name", "")).toMatchObject({
      completion: { values: ["ann", "bob", "anne", "bo b"], total: 4, hasMore: false },
    });
    expect(await complete(people, LISTED, "name", "AN", { country: "fr" })).toMatchObject({
      completion: { values: ["anne"] },
    });
  });

  it("follows the cursors of a paged list", async () => {
    const paged: ListFunction = ({ cursor = "0" }) => ({
      items: [{ uri: `people://${PEOPLE[Number(cursor)]}` }],
      nextCursor: Number(cursor) < 3 ? String(Number(cursor) + 1) : undefined,
    });
    expect(await complete(paged, LISTED, "name", "b")).toMatchObject({ completion: { values: ["bob", "bo b"] } });
  });

  it("examines a limited number of entries of a long list", async () => {
    let examined = 0;
    const endless: ListFunction = function* () {
      for (let n = 0; ; n++) {
        examined++;
        yield { uri: `people://de/${n}` };
      }
    };
    const { completion } = (await complete(endless, LISTED, "name", "")) as { completion: { values: string[] } };
    expect(completion).toMatchObject({ hasMore: true });
    expect(completion).not.toHaveProperty("total");
    expect(completion.values).toHaveLength(100);
    expect(examined).toBe(101);
    examined = 0;
    await complete(endless, LISTED, "name", "x");
    expect(examined).toBe(500);
  });

  it("finds the template by its listed text and by its full text", async () => {
    expect(await complete(people, `${LISTED}{?format}`, "format", "l")).toMatchObject({
      completion: { values: ["long"] },
    });
    await expect(complete(people, "people://{x}", "x", "")).rejects.toMatchObject({ code: -32602 });
    await expect(complete(people, LISTED, "age", "")).rejects.toMatchObject({ code: -32602 });
  });
});
