import type { Notification } from "../client/options.ts";

type Test = (notification: Notification) => boolean;

/** The notifications of a server, and the callers that wait for one. */
export class Notifications {
  /** All of them, oldest first. */
  readonly received: Notification[] = [];
  readonly #claimed = new WeakSet<Notification>();
  readonly #waiting = new Set<Test>();
  readonly #keeps: boolean;

  /** @param keeps - false passes notifications only to callers that wait already. */
  constructor(keeps = true) {
    this.#keeps = keeps;
  }

  /** Adds a notification and passes it to the first caller that waits for it. */
  add(notification: Notification): void {
    if (this.#keeps) this.received.push(notification);
    for (const take of this.#waiting) if (take(notification)) return;
  }

  /** Returns the first notification that passes the test and that no earlier call returned, or waits for it. */
  waitFor(method: string, test: Test): Promise<Notification> {
    const matches: Test = (each) => each.method === method && !this.#claimed.has(each) && test(each);
    return new Promise((resolve) => {
      const take: Test = (notification) => {
        if (!matches(notification)) return false;
        this.#claimed.add(notification);
        this.#waiting.delete(take);
        resolve(notification);
        return true;
      };
      if (!this.received.some(take)) this.#waiting.add(take);
    });
  }
}

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
