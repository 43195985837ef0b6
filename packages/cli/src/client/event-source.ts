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
  for await (const line of readLines(body)) {
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

/** Yields the lines that end in CRLF, LF or CR. A CR ends its line at once, even if a chunk ends between CR and LF. */
async function* readLines(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  let endsInReturn = false;
  for await (const chunk of body) {
    let text = decoder.decode(chunk, { stream: true });
    if (text === "") continue;
    if (endsInReturn && text.startsWith("\n")) text = text.slice(1);
    endsInReturn = text === "" ? false : text.endsWith("\r");
    const lines = `${rest}${text}`.split(/\r\n|\n|\r/);
    rest = lines.pop() ?? "";
    yield* lines;
  }
}
