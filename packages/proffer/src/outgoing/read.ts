/** Not every browser can iterate over a stream itself. */
export async function* readChunks(body: ReadableStream<Uint8Array> | null): AsyncGenerator<Uint8Array, void> {
  if (body === null) return;
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** Reads a whole text. @throws what `tooLarge` returns, for more bytes than `most`. */
export async function readText(
  chunks: AsyncIterable<Uint8Array>,
  most: number,
  tooLarge: (most: number) => Error,
): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > most) throw tooLarge(most);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
