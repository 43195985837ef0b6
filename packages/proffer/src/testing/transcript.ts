/**
 * The messages between a client and a server, in order.
 *
 * @example
 * const client = await connect(server);
 * await client.call("greet");
 * console.log(String(client.transcript));
 */
export class Transcript {
  readonly #lines: { readonly from: "client" | "server"; readonly text: string }[] = [];

  add(from: "client" | "server", text: string): void {
    this.#lines.push({ from, text });
  }

  /** Returns the raw messages of one side, or of both. */
  messages(from?: "client" | "server"): string[] {
    return this.#lines.filter((line) => from === undefined || line.from === from).map((line) => line.text);
  }

  /** Returns one message per line: `→` from the client, `←` from the server. */
  toString(): string {
    return this.#lines.map(({ from, text }) => `${from === "client" ? "→" : "←"} ${text}`).join("\n");
  }
}
