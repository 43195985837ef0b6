/** What went over the wire, in order, for a person to read. */
export class Transcript {
  readonly #lines: { readonly from: "client" | "server"; readonly text: string }[] = [];

  add(from: "client" | "server", text: string): void {
    this.#lines.push({ from, text });
  }

  /** The raw texts of one side, or of both. */
  messages(from?: "client" | "server"): string[] {
    return this.#lines.filter((line) => from === undefined || line.from === from).map((line) => line.text);
  }

  /** One message a line: `→` from the client, `←` from the server. */
  toString(): string {
    return this.#lines.map(({ from, text }) => `${from === "client" ? "→" : "←"} ${text}`).join("\n");
  }
}
