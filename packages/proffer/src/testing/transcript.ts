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
  readonly #keeps: boolean;

  /** @param keeps - false leaves it empty. */
  constructor(keeps = true) {
    this.#keeps = keeps;
  }

  add(from: "client" | "server", text: string): void {
    if (this.#keeps) this.#lines.push({ from, text });
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
