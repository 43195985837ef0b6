import { readLines } from "./lines.ts";

/** An event of a server-sent event stream. */
export interface ServerEvent {
  /** The value of the `event` field, or "message". */
  readonly type: string;
  readonly data: string;
  /** The value of the last `id` field of the stream so far. */
  readonly id: string | undefined;
  /** The reconnection time in milliseconds, if this event sets it. */
  readonly retry: number | undefined;
}

/**
 * Parses a stream of server-sent events as the HTML standard defines it, section 9.2.6. Comments and unknown fields are
 * ignored. An event without a `data` field is not dispatched, and neither is one that the end of the stream cuts off.
 */
export async function* readEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<ServerEvent> {
  let id: string | undefined;
  let retry: number | undefined;
  let type = "";
  let data: string[] = [];
  for await (const line of readLines(body, "event")) {
    if (line === "") {
      if (data.length > 0) yield { type: type || "message", data: data.join("\n"), id, retry };
      retry = undefined;
      type = "";
      data = [];
      continue;
    }
    const [, field = "", value = ""] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    switch (field) {
      case "data":
        data.push(value);
        break;
      case "event":
        type = value;
        break;
      case "id":
        if (!value.includes("\0")) id = value;
        break;
      case "retry":
        if (/^\d+$/.test(value)) retry = Number(value);
    }
  }
}
