/** The ends of a line: of an event stream, HTML standard, section 9.2.6, and of messages over stdio. */
const ENDS = { event: /\r\n|\n|\r/, message: "\n" } as const;

/**
 * Decodes a stream and yields its lines, without their ends. A line that the end of the stream cuts off is dropped. Only
 * text that has just arrived is searched for line ends, so a long line takes linear time.
 */
export async function* readLines(chunks: AsyncIterable<Uint8Array>, kind: keyof typeof ENDS): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  let endsInReturn = false;
  for await (const chunk of chunks) {
    let text = decoder.decode(chunk, { stream: true });
    if (text === "") continue;
    // A CR ends its line at once, even if the chunk ends between CR and LF.
    if (kind === "event" && endsInReturn && text.startsWith("\n")) text = text.slice(1);
    endsInReturn = text.endsWith("\r");
    const lines = text.split(ENDS[kind]);
    lines[0] = rest + lines[0];
    rest = lines.pop() ?? "";
    yield* lines;
  }
}
