/** The data of each event of a server-sent event stream. */
export async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  let data: string[] = [];
  for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
    const lines = `${rest}${decoder.decode(chunk, { stream: true })}`.split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (line.startsWith("data:")) data.push(line.slice(5).replace(/^ /, ""));
      if (line !== "" || data.length === 0) continue;
      // An event without data only carries an id to resume from.
      const text = data.join("\n");
      data = [];
      if (text !== "") yield text;
    }
  }
}
