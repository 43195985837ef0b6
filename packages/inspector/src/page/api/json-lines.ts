/** Calls `take` with the values of complete lines, all of one chunk at once. Returns at the end of the stream. */
export async function readJsonLines<Value>(
  body: ReadableStream<Uint8Array>,
  take: (values: Value[]) => void,
): Promise<void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  // The parts of a line that has not ended: joining them at each chunk would be quadratic for a line of megabytes.
  let parts: string[] = [];
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const [first = "", ...lines] = decoder.decode(value, { stream: true }).split("\n");
    parts.push(first);
    if (lines.length === 0) continue;
    const last = lines.pop() ?? "";
    const complete = [parts.join(""), ...lines].filter((line) => line !== "");
    parts = [last];
    if (complete.length > 0) take(complete.map((line) => JSON.parse(line) as Value));
  }
}
