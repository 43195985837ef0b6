import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { primingEvent, toEvent } from "./event-stream.ts";

/** The data of each event, parsed as in the HTML standard. */
function parse(text: string): string[] {
  const events: string[] = [];
  let data: string[] = [];
  for (const line of text.split(/\r\n|\r|\n/)) {
    if (line === "" && data.length > 0) {
      events.push(data.join("\n"));
      data = [];
    }
    if (line.startsWith("data:")) data.push(line.slice(5).replace(/^ /, ""));
  }
  return events;
}

describe("an event", () => {
  it("is one event with the same payload, whatever the message contains", () => {
    const nasty = ["\n\ndata: evil", "\r", "\r\nid: 1", "event: x\n", "\u2028", ":\n\n"];
    const text = fc.oneof(fc.constantFrom(...nasty), fc.string({ unit: "binary" }));
    fc.assert(
      fc.property(text, (value) => {
        const event = toEvent(JSON.stringify({ value }), "1-2") as string;
        expect(parse(event).map((data) => JSON.parse(data))).toEqual([JSON.parse(JSON.stringify({ value }))]);
      }),
    );
  });

  it("passes serialized bytes through unchanged", () => {
    const bytes = new TextEncoder().encode('"x"');
    const parts = toEvent(["{", bytes, "}"]);
    expect(parts).toEqual(["event: message\ndata: ", "{", bytes, "}", "\n\n"]);
    expect(parts[2]).toBe(bytes);
  });

  it("without data has an id and a retry time", () => {
    expect(primingEvent("1-0", 1000)).toBe("id: 1-0\nretry: 1000\ndata: \n\n");
  });
});
